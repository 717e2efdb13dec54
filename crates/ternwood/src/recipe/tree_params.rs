//! Parameters for growing a tree, and their validation.

use super::zone_params::{ZoneKind, ZoneParams};
use crate::error::{Result, parameter};
use serde::{Deserialize, Serialize};
use std::fmt;

/// All parameters that determine which tree grows from given data.
///
/// The defaults are scikit-learn's, with margin zones. Set the fields, then [`check`] them:
/// growing takes only [`CheckedParams`].
///
/// ```
/// use ternwood::TreeParams;
/// use ternwood::recipe::Criterion;
///
/// let params = TreeParams { max_depth: Some(4), criterion: Criterion::Entropy, ..TreeParams::default() };
/// assert!(params.check().is_ok());
///
/// let error = TreeParams { max_depth: Some(0), ..TreeParams::default() }.check().unwrap_err();
/// assert_eq!(error.to_string(), "max_depth is 0; allowed: at least 1, or none for no limit");
/// ```
///
/// [`check`]: TreeParams::check
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeParams {
    /// The impurity that splits reduce.
    pub criterion: Criterion,
    /// The largest depth; `None` for no limit.
    #[serde(deserialize_with = "Option::deserialize")] // `null` must be written
    pub max_depth: Option<u32>,
    /// The fewest rows for a node to be split.
    pub min_samples_split: RowCount,
    /// The fewest rows on either side of a split.
    pub min_samples_leaf: RowCount,
    /// The smallest share of the total weight on either side of a split.
    pub min_weight_fraction_leaf: f64,
    /// The smallest weight within a zone for a middle subtree to grow (three-child shape only).
    pub min_samples_middle: u32,
    /// The most leaves; if given, the tree grows best-first. A split of the three-child shape
    /// makes three leaves.
    #[serde(deserialize_with = "Option::deserialize")]
    pub max_leaf_nodes: Option<u32>,
    /// The number of features considered at a node, drawn again for each node.
    pub max_features: MaxFeatures,
    /// The smallest impurity decrease of a split, weighted by the node's share.
    pub min_impurity_decrease: f64,
    /// Splits a node where nothing gains too, at the first candidate by the usual ties: a
    /// checkerboard shows itself only below such a split. Without effect if
    /// `min_impurity_decrease` is above 0.
    pub zero_gain_splits: bool,
    /// The complexity parameter of minimal cost-complexity pruning; 0 prunes nothing.
    pub ccp_alpha: f64,
    /// The weight of each class.
    pub class_weight: ClassWeight,
    /// What missing values mean.
    pub missing: MissingValues,
    /// The fewest rows of a category at a node; rarer ones count as unseen there.
    pub min_samples_category: u32,
    /// The gain with which cuts of categories compete with other splits.
    pub category_gain: CategoryGain,
    /// How wide the uncertainty zones are.
    pub zone: ZoneParams,
    /// The random seed (`max_features`, `node_bootstrap`, folds).
    pub seed: u64,
}

/// A number of rows, or a share of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a number of rows is a whole number or a fraction")]
pub enum RowCount {
    /// A number of rows.
    Count(u32),
    /// This share of the training rows, rounded up.
    Fraction(f64),
}

/// The number of features considered at a node.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxFeatures {
    /// All of them.
    All,
    /// The square root of their number.
    Sqrt,
    /// The binary logarithm of their number.
    Log2,
    /// A fixed number.
    Count(u32),
    /// This share of them.
    Fraction(f64),
}

/// The weight of each class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassWeight {
    /// The same for all classes.
    Uniform,
    /// Inversely proportional to the class's total weight, so that all classes count alike.
    Balanced,
    /// The same, but by the weights of the bag that a tree of a forest grows on.
    BalancedSubsample,
    /// One factor per class, by class id.
    Given(Vec<f64>),
}

impl ClassWeight {
    /// True if rows of a class count: its factor is not zero.
    pub(crate) fn counts(&self, class: u32) -> bool {
        match self {
            Self::Given(factors) => factors.get(class as usize).is_none_or(|&factor| factor > 0.0),
            Self::Uniform | Self::Balanced | Self::BalancedSubsample => true,
        }
    }
}

/// What missing values mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingValues {
    /// A split learns which side they belong to, and may separate them from all others. A split
    /// that saw none sends them both ways; by zones, such a row is undecided.
    #[default]
    Learn,
    /// Nothing: every split of the feature sends them both ways; by zones, such a row is undecided.
    Unknown,
    /// They are an error.
    Error,
}

impl MissingValues {
    /// Every meaning, in the order above.
    pub const ALL: [Self; 3] = [Self::Learn, Self::Unknown, Self::Error];

    /// The name in parameters and files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Learn => "learn",
            Self::Unknown => "unknown",
            Self::Error => "error",
        }
    }
}

/// The gain with which a cut of categories competes with other splits.
///
/// Categories are put in order by their class shares before they are cut. With many categories of few
/// rows that order is mostly chance, and the cut has a gain even if the column tells nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CategoryGain {
    /// The gain on the training rows, less what many categories gain by chance: of a node with impurity I
    /// and n rows in m categories (missing values are one more), `I * max(0, m - 7) / (n - 1)`. Columns of up
    /// to seven groups compete with the gain on the training rows.
    #[default]
    AboveChance,
    /// The gain on the training rows.
    Measured,
}

/// Parameters that passed [`TreeParams::check`].
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedParams(TreeParams);

impl CheckedParams {
    /// The parameters, to be changed again.
    #[must_use]
    pub fn into_params(self) -> TreeParams {
        self.0
    }
}

impl std::ops::Deref for CheckedParams {
    type Target = TreeParams;
    fn deref(&self) -> &TreeParams {
        &self.0
    }
}

impl Default for TreeParams {
    fn default() -> Self {
        Self {
            criterion: Criterion::Gini,
            max_depth: None,
            min_samples_split: RowCount::Count(2),
            min_samples_leaf: RowCount::Count(1),
            min_weight_fraction_leaf: 0.0,
            min_samples_middle: 5,
            max_leaf_nodes: None,
            max_features: MaxFeatures::All,
            min_impurity_decrease: 0.0,
            zero_gain_splits: false,
            ccp_alpha: 0.0,
            class_weight: ClassWeight::Uniform,
            missing: MissingValues::Learn,
            min_samples_category: 1,
            category_gain: CategoryGain::AboveChance,
            zone: ZoneParams::default(),
            seed: 0,
        }
    }
}

/// The largest class weight: larger ones could overflow when multiplied by sample weights.
const LARGEST_CLASS_WEIGHT: f64 = 1e100;

impl TreeParams {
    /// Checks every parameter that can be checked without data.
    ///
    /// # Errors
    /// The first parameter out of range, with its name, its value and what is allowed.
    pub fn check(self) -> Result<CheckedParams> {
        if self.max_depth == Some(0) {
            return Err(parameter("max_depth", 0, "at least 1, or none for no limit"));
        }
        match self.min_samples_split {
            RowCount::Count(n) if n < 2 => {
                let allowed = "at least 2 rows, or a fraction above 0 and at most 1";
                return Err(parameter("min_samples_split", n, allowed));
            }
            RowCount::Fraction(share) => check_share("min_samples_split", share, 1.0)?,
            RowCount::Count(_) => {}
        }
        match self.min_samples_leaf {
            RowCount::Count(0) => {
                let allowed = "at least 1 row, or a fraction above 0 and below 1";
                return Err(parameter("min_samples_leaf", 0, allowed));
            }
            RowCount::Fraction(share) => check_share("min_samples_leaf", share, 1f64.next_down())?,
            RowCount::Count(_) => {}
        }
        check_range("min_weight_fraction_leaf", self.min_weight_fraction_leaf, 0.0, 0.5)?;
        if let Some(leaves) = self.max_leaf_nodes
            && leaves < 2
        {
            return Err(parameter("max_leaf_nodes", leaves, "at least 2, or none for no limit"));
        }
        match self.max_features {
            MaxFeatures::Count(0) => {
                return Err(parameter("max_features", 0, "at least 1"));
            }
            MaxFeatures::Fraction(share) => check_share("max_features", share, 1.0)?,
            _ => {}
        }
        check_range("min_impurity_decrease", self.min_impurity_decrease, 0.0, f64::MAX)?;
        check_range("ccp_alpha", self.ccp_alpha, 0.0, f64::MAX)?;
        if self.min_samples_category == 0 {
            return Err(parameter("min_samples_category", 0, "at least 1 row"));
        }
        if let ClassWeight::Given(weights) = &self.class_weight {
            for &weight in weights {
                let usable = (1.0 / LARGEST_CLASS_WEIGHT..=LARGEST_CLASS_WEIGHT).contains(&weight);
                if !usable && weight != 0.0 {
                    let allowed = "0, or from 1e-100 to 1e100";
                    return Err(parameter("class_weight", weight, allowed));
                }
            }
        }
        self.zone.check()?;
        Ok(CheckedParams(self))
    }

    /// The same parameters with another zone estimator; clamp and scale stay.
    #[must_use]
    pub fn with_zone(mut self, kind: ZoneKind) -> Self {
        self.zone.kind = kind;
        self
    }
}

fn check_share(name: &'static str, share: f64, most: f64) -> Result<()> {
    if share > 0.0 && share <= most {
        return Ok(());
    }
    let end = if most == 1.0 { "at most 1" } else { "below 1" };
    Err(parameter(
        name,
        format!("{share:?}"),
        format!("a whole number, or a fraction above 0 and {end}"),
    ))
}

pub(super) fn check_range(name: &'static str, value: f64, least: f64, most: f64) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let allowed = if most == f64::MAX {
        format!("a finite number, at least {least}")
    } else {
        format!("from {least} to {most}")
    };
    Err(parameter(name, value, allowed))
}

impl RowCount {
    /// The number of rows this means if there are `total`.
    #[must_use]
    pub fn of(self, total: usize) -> usize {
        match self {
            Self::Count(count) => count as usize,
            Self::Fraction(share) => (share * total as f64).ceil() as usize,
        }
    }
}

impl MaxFeatures {
    /// The number of features this means if there are `total`.
    #[must_use]
    pub fn of(self, total: usize) -> usize {
        let count = match self {
            Self::All => total,
            Self::Sqrt => (total as f64).sqrt() as usize,
            Self::Log2 => (total as f64).log2() as usize,
            Self::Count(count) => count as usize,
            Self::Fraction(share) => (share * total as f64) as usize,
        };
        count.clamp(1, total)
    }
}

/// As the command reads it: a number of rows, or a share.
impl fmt::Display for RowCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => count.fmt(f),
            Self::Fraction(share) => write!(f, "{share:?}"),
        }
    }
}

/// As the command reads it: a name, a number of features, or a share.
impl fmt::Display for MaxFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Sqrt => f.write_str("sqrt"),
            Self::Log2 => f.write_str("log2"),
            Self::Count(count) => count.fmt(f),
            Self::Fraction(share) => write!(f, "{share:?}"),
        }
    }
}

/// The impurity that splits reduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// `1 - sum p_k^2`: the chance that two rows drawn from a node differ in class.
    Gini,
    /// `-sum p_k log2 p_k`, in bits.
    Entropy,
}

impl Criterion {
    /// The name in parameters and files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gini => "gini",
            Self::Entropy => "entropy",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_out_of_range_is_named() {
        let ok = TreeParams::default;
        let cases: Vec<(TreeParams, &str)> = vec![
            (TreeParams { max_depth: Some(0), ..ok() }, "max_depth is 0"),
            (
                TreeParams { min_samples_split: RowCount::Count(1), ..ok() },
                "min_samples_split is 1",
            ),
            (
                TreeParams { min_samples_split: RowCount::Fraction(1.5), ..ok() },
                "min_samples_split is 1.5",
            ),
            (TreeParams { min_samples_leaf: RowCount::Count(0), ..ok() }, "min_samples_leaf is 0"),
            (
                TreeParams { min_samples_leaf: RowCount::Fraction(1.0), ..ok() },
                "min_samples_leaf is 1.0",
            ),
            (
                TreeParams { min_weight_fraction_leaf: 0.6, ..ok() },
                "min_weight_fraction_leaf is 0.6",
            ),
            (
                TreeParams { min_weight_fraction_leaf: f64::NAN, ..ok() },
                "min_weight_fraction_leaf is NaN",
            ),
            (TreeParams { max_leaf_nodes: Some(1), ..ok() }, "max_leaf_nodes is 1"),
            (TreeParams { max_features: MaxFeatures::Count(0), ..ok() }, "max_features is 0"),
            (
                TreeParams { max_features: MaxFeatures::Fraction(0.0), ..ok() },
                "max_features is 0.0",
            ),
            (TreeParams { min_samples_category: 0, ..ok() }, "min_samples_category is 0"),
            (TreeParams { min_impurity_decrease: -1.0, ..ok() }, "min_impurity_decrease is -1"),
            (TreeParams { ccp_alpha: f64::INFINITY, ..ok() }, "ccp_alpha is inf"),
            (
                TreeParams { class_weight: ClassWeight::Given(vec![1.0, -1.0]), ..ok() },
                "class_weight is -1",
            ),
        ];
        for (params, expected) in cases {
            let error = params.check().unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
            assert!(error.contains("; allowed: "), "{error}");
        }
        assert!(ok().check().is_ok());
    }

    #[test]
    fn shares_become_counts() {
        assert_eq!(RowCount::Fraction(0.1).of(101), 11);
        assert_eq!(MaxFeatures::Sqrt.of(20), 4);
        assert_eq!(MaxFeatures::Log2.of(1), 1);
        assert_eq!(MaxFeatures::Count(9).of(4), 4);
    }
}
