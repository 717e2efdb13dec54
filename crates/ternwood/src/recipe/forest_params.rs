//! Parameters of a forest, beyond those of its trees.

use super::tree_params::{RowCount, check_range};
use crate::error::{Result, parameter};
use serde::{Deserialize, Serialize};

/// How many trees a model has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnsembleParams {
    /// A single tree.
    #[default]
    One,
    /// Many, whose mean answers.
    Forest(ForestParams),
}

impl From<ForestParams> for EnsembleParams {
    fn from(params: ForestParams) -> Self {
        Self::Forest(params)
    }
}

impl EnsembleParams {
    /// The parameters of a forest, if it is one.
    #[must_use]
    pub fn forest(self) -> Option<ForestParams> {
        match self {
            Self::One => None,
            Self::Forest(params) => Some(params),
        }
    }

    /// The same, to be changed.
    pub fn forest_mut(&mut self) -> Option<&mut ForestParams> {
        match self {
            Self::One => None,
            Self::Forest(params) => Some(params),
        }
    }

    /// The number of trees.
    #[must_use]
    pub fn n_trees(self) -> usize {
        self.forest().map_or(1, |forest| forest.n_trees as usize)
    }
}

/// How many trees a forest has, which rows each of them sees, and how their answers become one.
///
/// ```
/// use ternwood::recipe::{Exponent, ForestParams};
///
/// let params = ForestParams::default();
/// assert_eq!((params.n_trees, params.bootstrap), (100, true));
/// assert_eq!(params.exponent, Exponent::Auto);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForestParams {
    /// The number of trees.
    pub n_trees: u32,
    /// True if each tree grows on a bag of rows drawn with replacement; else on all rows.
    pub bootstrap: bool,
    /// The number of draws of a bag; `None` for as many as there are rows.
    #[serde(deserialize_with = "Option::deserialize")] // `null` must be written
    pub max_samples: Option<RowCount>,
    /// How the mean of the trees' distributions is sharpened.
    pub exponent: Exponent,
    /// The share of the mean that is spread evenly over all classes before it is sharpened.
    pub smoothing: f64,
}

/// How the mean `p` of the trees' distributions is sharpened.
///
/// The answer is proportional to `((1 - s) p + s / K)^b` for `K` classes and [smoothing](ForestParams::smoothing) `s`. It changes no predicted
/// class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exponent {
    /// Not at all: the mean itself.
    Off,
    /// With the exponent that has the least out-of-bag log-loss.
    Auto,
    /// With this exponent.
    Given(f64),
}

/// More trees than anybody has memory for.
const MOST_TREES: u32 = 1_000_000;

impl Default for ForestParams {
    fn default() -> Self {
        Self {
            n_trees: 100,
            bootstrap: true,
            max_samples: None,
            exponent: Exponent::Auto,
            smoothing: 0.001,
        }
    }
}

impl ForestParams {
    /// Checks every parameter that can be checked without data.
    pub(super) fn check(&self) -> Result<()> {
        if !(1..=MOST_TREES).contains(&self.n_trees) {
            let allowed = format!("from 1 to {MOST_TREES}");
            return Err(parameter("n_trees", self.n_trees, allowed));
        }
        match self.max_samples {
            Some(RowCount::Count(0)) => {
                return Err(parameter("max_samples", 0, "at least 1 row, or a fraction above 0"));
            }
            Some(RowCount::Fraction(share)) if !(share > 0.0 && share.is_finite()) => {
                let allowed = "a number of rows, or a share of them above 0";
                return Err(parameter("max_samples", format!("{share:?}"), allowed));
            }
            Some(_) if !self.bootstrap => {
                let allowed = "none without bootstrap: every tree then grows on all rows";
                return Err(parameter("max_samples", "given", allowed));
            }
            _ => {}
        }
        if let Exponent::Given(exponent) = self.exponent {
            check_range("exponent", exponent, 0.0, 1000.0)?;
        }
        check_range("smoothing", self.smoothing, 0.0, 1.0)?;
        if self.exponent == Exponent::Auto && !self.bootstrap {
            let allowed =
                "a number, or off: without bootstrap no row is out of bag to choose it by";
            return Err(parameter("exponent", "auto", allowed));
        }
        Ok(())
    }

    /// The number of draws of a bag from `n_rows` rows.
    pub(crate) fn n_draws(&self, n_rows: usize) -> usize {
        match self.max_samples {
            None => n_rows,
            // As scikit-learn rounds it.
            Some(RowCount::Fraction(share)) => ((share * n_rows as f64).round() as usize).max(1),
            Some(RowCount::Count(count)) => count as usize,
        }
    }
}
