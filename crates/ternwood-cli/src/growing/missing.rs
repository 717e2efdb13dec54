//! `--missing`: what an empty cell means.

use clap::ValueEnum;
use ternwood::recipe::MissingValues;
use ternwood_table::MissingPolicy;

/// The first three leave missing values to the tree, the others fill them in before it grows.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MissingName {
    /// Every test learns on which side they belong
    Learn,
    /// They are unknown: such a row goes both ways at every test of the column
    Unknown,
    /// They are an error
    Error,
    /// Filled with the median of a column of numbers, the commonest category of others
    Median,
    /// Filled with the commonest value of the column
    Mode,
}

impl MissingName {
    /// What the tree does with the missing values that it sees. A fill leaves none.
    pub(crate) fn in_the_tree(self) -> MissingValues {
        match self {
            Self::Learn | Self::Median | Self::Mode => MissingValues::Learn,
            Self::Unknown => MissingValues::Unknown,
            Self::Error => MissingValues::Error,
        }
    }

    /// What encoding the table does with them.
    pub(crate) fn in_the_table(self) -> MissingPolicy {
        match self {
            Self::Learn | Self::Unknown => MissingPolicy::Keep,
            Self::Error => MissingPolicy::Error,
            Self::Median => MissingPolicy::Median,
            Self::Mode => MissingPolicy::Mode,
        }
    }
}
