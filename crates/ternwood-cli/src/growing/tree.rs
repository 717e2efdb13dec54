//! Options for growing a tree.

use super::{MissingName, NamedNumber, by_name, usage};
use crate::recipe::OrAuto;
use anyhow::Result;
use clap::ValueEnum;
use std::str::FromStr;
use ternwood::recipe::{ClassWeight, Criterion, MaxFeatures, RowCount, ZoneParams};
use ternwood::{Schema, TreeParams, ZoneKind};

/// How the tree grows.
#[derive(clap::Args)]
#[command(next_help_heading = "Growing")]
pub(crate) struct TreeArgs {
    /// How to measure the mixture of classes, which every test should reduce
    #[arg(long, value_enum, default_value_t = CriterionName::Gini)]
    criterion: CriterionName,
    /// The most tests that a row meets; auto: 2, 4, 6, 8 or 10, whichever gives the best
    /// probabilities in cross-validation
    /// [default: no limit; with --calibrated: auto]
    #[arg(long, value_name = "N|auto")]
    pub(crate) max_depth: Option<OrAuto<u32>>,
    /// The fewest rows to be tested further; a number, or a share like 0.05
    #[arg(long, value_name = "N|SHARE", default_value = "2", value_parser = row_count)]
    min_samples_split: RowCount,
    /// The fewest rows on each side of a test; a number, or a share like 0.05
    #[arg(long, value_name = "N|SHARE", default_value = "1", value_parser = row_count)]
    min_samples_leaf: RowCount,
    /// The smallest share of the total weight on each side of a test
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    min_weight_fraction_leaf: f64,
    /// A zone with less weight gets no middle subtree (hard_middle routing)
    #[arg(long, value_name = "N", default_value_t = TreeParams::default().min_samples_middle)]
    min_samples_middle: u32,
    /// The most leaves; the most useful tests are made first [default: no limit]
    #[arg(long, value_name = "N")]
    max_leaf_nodes: Option<u32>,
    /// How many features, drawn at random, a test may choose from: all, sqrt (of their number),
    /// log2, a number, or a share like 0.5
    #[arg(long, value_name = "HOW MANY", default_value = "all", value_parser = max_features)]
    max_features: MaxFeatures,
    /// How much a test must reduce the mixture of classes (--criterion), times its share of rows
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    min_impurity_decrease: f64,
    /// Cut off branches that reduce the mixture of classes by less than this per leaf
    /// (cost-complexity pruning)
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    ccp_alpha: f64,
    /// How much classes count: uniform, balanced, or CLASS=WEIGHT,... (others count 1)
    #[arg(long, value_name = "WEIGHTS", default_value = "uniform")]
    class_weight: ClassWeightArg,
    /// What a missing value means
    #[arg(long, value_enum, value_name = "HOW", default_value_t = MissingName::Learn)]
    pub(crate) missing: MissingName,
    /// The fewest rows of a category at a test; rarer ones count as unseen there
    #[arg(long, value_name = "N", default_value_t = TreeParams::default().min_samples_category)]
    min_samples_category: u32,
    /// Seed for random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(ValueEnum, Clone, Copy)]
enum CriterionName {
    /// The chance that two of the rows differ in class (Gini impurity)
    Gini,
    /// The bits it takes to tell the class of a row (entropy)
    Entropy,
}

#[derive(Clone, Debug)]
enum ClassWeightArg {
    Uniform,
    Balanced,
    Given(Vec<NamedNumber>),
}

impl FromStr for ClassWeightArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "uniform" => Ok(Self::Uniform),
            "balanced" => Ok(Self::Balanced),
            _ => text.split(',').map(str::parse).collect::<Result<_, _>>().map(Self::Given),
        }
    }
}

impl TreeArgs {
    /// The parameters for data of this schema, with these zones.
    ///
    /// [`TreeArgs::check`] has already checked what does not depend on data.
    pub(crate) fn params(&self, zone: ZoneParams, schema: &Schema) -> Result<TreeParams> {
        let class_weight = match &self.class_weight {
            ClassWeightArg::Uniform => ClassWeight::Uniform,
            ClassWeightArg::Balanced => ClassWeight::Balanced,
            ClassWeightArg::Given(given) => {
                let classes: Vec<String> =
                    schema.classes().iter().map(ToString::to_string).collect();
                ClassWeight::Given(by_name(given, &classes, "class", 1.0)?)
            }
        };
        Ok(self.with(zone, class_weight))
    }

    /// Rejects numbers out of range, like the argument parser.
    pub(crate) fn check(&self) -> Result<()> {
        let class_weight = match &self.class_weight {
            ClassWeightArg::Given(given) => {
                ClassWeight::Given(given.iter().map(|weight| weight.number).collect())
            }
            _ => ClassWeight::Uniform,
        };
        usage(self.with(ZoneKind::None.into(), class_weight).check().map(drop))
    }

    fn with(&self, zone: ZoneParams, class_weight: ClassWeight) -> TreeParams {
        TreeParams {
            criterion: match self.criterion {
                CriterionName::Gini => Criterion::Gini,
                CriterionName::Entropy => Criterion::Entropy,
            },
            max_depth: self.max_depth.and_then(OrAuto::given),
            min_samples_split: self.min_samples_split,
            min_samples_leaf: self.min_samples_leaf,
            min_weight_fraction_leaf: self.min_weight_fraction_leaf,
            min_samples_middle: self.min_samples_middle,
            max_leaf_nodes: self.max_leaf_nodes,
            max_features: self.max_features,
            min_impurity_decrease: self.min_impurity_decrease,
            zero_gain_splits: false,
            ccp_alpha: self.ccp_alpha,
            class_weight,
            missing: self.missing.in_the_tree(),
            min_samples_category: self.min_samples_category,
            zone,
            seed: self.seed,
        }
    }
}

fn row_count(text: &str) -> Result<RowCount, String> {
    if let Ok(count) = text.parse() {
        return Ok(RowCount::Count(count));
    }
    let share = text.parse().map_err(|_| "a whole number, or a share like 0.05".to_owned())?;
    Ok(RowCount::Fraction(share))
}

fn max_features(text: &str) -> Result<MaxFeatures, String> {
    match text {
        "all" => Ok(MaxFeatures::All),
        "sqrt" => Ok(MaxFeatures::Sqrt),
        "log2" => Ok(MaxFeatures::Log2),
        _ => {
            if let Ok(count) = text.parse() {
                return Ok(MaxFeatures::Count(count));
            }
            let share = text.parse();
            share
                .map(MaxFeatures::Fraction)
                .map_err(|_| "all, sqrt, log2, a whole number, or a share like 0.5".to_owned())
        }
    }
}
