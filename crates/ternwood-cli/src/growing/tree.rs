//! Options for growing a tree.

use super::{MissingName, NamedNumber, by_name, named, usage, value_in_words};
use anyhow::Result;
use clap::ValueEnum;
use std::str::FromStr;
use ternwood::recipe::{ClassWeight, Criterion, DepthChoice, Leaves, MaxFeatures, RowCount};
use ternwood::{Recipe, Schema, TreeParams};

/// How the tree grows.
#[derive(clap::Args)]
#[command(next_help_heading = "Growing")]
pub(crate) struct TreeArgs {
    /// How to measure the mixture of classes, which every test should reduce
    #[arg(long, value_enum, default_value_t = named(usual().criterion.as_str()))]
    criterion: CriterionName,
    /// Maximum depth: a number, none for no limit, auto for a readable tree (the smallest depth of
    /// at most 5 that cross-validation cannot tell from the best of these), or best for the depth of
    /// lowest cross-validated log-loss, often hundreds of leaves [default: auto; with --zone(s) or
    /// --forest: none]
    #[arg(long, value_name = "DEPTH", value_parser = max_depth)]
    max_depth: Option<MaxDepth>,
    /// The fewest rows to be tested further; a number, or a share like 0.05
    #[arg(long, value_name = "N|SHARE", default_value_t = usual().min_samples_split, value_parser = row_count)]
    min_samples_split: RowCount,
    /// The fewest rows on each side of a test; a number, or a share like 0.05
    #[arg(long, value_name = "N|SHARE", default_value_t = usual().min_samples_leaf, value_parser = row_count)]
    min_samples_leaf: RowCount,
    /// The smallest share of the total weight on each side of a test
    #[arg(long, value_name = "SHARE", default_value_t = usual().min_weight_fraction_leaf)]
    min_weight_fraction_leaf: f64,
    /// A zone with less weight gets no middle subtree (hard_middle routing)
    #[arg(long, value_name = "N", default_value_t = usual().min_samples_middle)]
    min_samples_middle: u32,
    /// The most leaves; the most useful tests are made first [default: no limit]
    #[arg(long, value_name = "N")]
    max_leaf_nodes: Option<u32>,
    /// How many features, drawn at random, a test may choose from: all, sqrt (of their number),
    /// log2, a number, or a share like 0.5 [default: all; with --forest: sqrt]
    #[arg(long, value_name = "HOW MANY", value_parser = max_features)]
    max_features: Option<MaxFeatures>,
    /// How much a test must reduce the mixture of classes (--criterion), times its share of rows
    #[arg(long, value_name = "X", default_value_t = usual().min_impurity_decrease)]
    min_impurity_decrease: f64,
    #[arg(long, help = zero_gain_splits())]
    zero_gain_splits: bool,
    /// Cut off branches that reduce the mixture of classes by less than this per leaf
    /// (cost-complexity pruning)
    #[arg(long, value_name = "X", default_value_t = usual().ccp_alpha)]
    ccp_alpha: f64,
    /// How much classes count: uniform, balanced (also balanced_subsample: among the rows of each tree of a
    /// --forest), or CLASS=WEIGHT,... (others count 1)
    #[arg(long, value_name = "WEIGHTS", default_value = "uniform")]
    class_weight: ClassWeightArg,
    /// What a missing value means
    #[arg(long, value_enum, value_name = "HOW", default_value_t = named(usual().missing.as_str()))]
    pub(crate) missing: MissingName,
    /// The fewest rows of a category at a test; rarer ones count as unseen there
    #[arg(long, value_name = "N", default_value_t = usual().min_samples_category)]
    min_samples_category: u32,
    /// Seed for random numbers
    #[arg(long, value_name = "N", default_value_t = usual().seed)]
    pub(crate) seed: u64,
    /// Which probabilities leaves answer; em is expectation-maximisation [default: em; with
    /// --zone(s) or --forest: counts]
    #[arg(long, value_enum)]
    leaves: Option<LeavesName>,
}

/// The help of an option that one of the recipes may not need.
fn zero_gain_splits() -> String {
    let always = Recipe::calibrated().params.zero_gain_splits;
    let always = if always { " [default: only without --zone(s)]" } else { "" };
    format!(
        "Make a test even where none reduces the mixture of classes: a checkerboard shows itself \
         only below such a test{always}"
    )
}

/// The parameters when nothing is said.
fn usual() -> TreeParams {
    TreeParams::default()
}

#[derive(ValueEnum, Clone, Copy)]
enum LeavesName {
    /// The class shares of their training rows
    Counts,
    /// The same with one extra row, divided among the classes like all training rows
    Smoothed,
    /// Fitted to all rows, of which those within zones count in several leaves
    Em,
}

/// The depth that `--max-depth` asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum MaxDepth {
    Chosen(DepthChoice),
    Given(Option<u32>),
}

impl LeavesName {
    fn leaves(self) -> Leaves {
        match self {
            Self::Counts => Leaves::Counts,
            Self::Smoothed => Leaves::Smoothed,
            Self::Em => Leaves::Em,
        }
    }
}

/// What such leaves answer.
pub(crate) fn leaves_in_words(leaves: Leaves) -> String {
    value_in_words::<LeavesName>(leaves.as_str())
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
    BalancedSubsample,
    Given(Vec<NamedNumber>),
}

impl FromStr for ClassWeightArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "uniform" => Ok(Self::Uniform),
            "balanced" => Ok(Self::Balanced),
            "balanced_subsample" => Ok(Self::BalancedSubsample),
            _ => text.split(',').map(str::parse).collect::<Result<_, _>>().map(Self::Given),
        }
    }
}

impl TreeArgs {
    /// Makes a recipe follow these options, for data of this schema.
    ///
    /// [`TreeArgs::check`] has already checked what does not depend on data.
    pub(crate) fn apply(&self, recipe: &mut Recipe, schema: &Schema) -> Result<()> {
        let class_weight = match &self.class_weight {
            ClassWeightArg::Uniform => ClassWeight::Uniform,
            ClassWeightArg::Balanced => ClassWeight::Balanced,
            ClassWeightArg::BalancedSubsample => ClassWeight::BalancedSubsample,
            ClassWeightArg::Given(given) => {
                let classes: Vec<String> =
                    schema.classes().iter().map(ToString::to_string).collect();
                ClassWeight::Given(by_name(given, &classes, "class", 1.0)?)
            }
        };
        self.set(&mut recipe.params, class_weight);
        recipe.auto.max_depth = match self.max_depth {
            None => recipe.auto.max_depth,
            Some(MaxDepth::Chosen(choice)) => Some(choice),
            Some(MaxDepth::Given(_)) => None,
        };
        recipe.leaves = self.leaves.map_or(recipe.leaves, LeavesName::leaves);
        Ok(())
    }

    /// Rejects numbers out of range, like the argument parser.
    pub(crate) fn check(&self) -> Result<()> {
        let class_weight = match &self.class_weight {
            ClassWeightArg::Given(given) => {
                ClassWeight::Given(given.iter().map(|weight| weight.number).collect())
            }
            _ => ClassWeight::Uniform,
        };
        let mut params = usual();
        self.set(&mut params, class_weight);
        usage(params.check().map(drop))
    }

    fn set(&self, params: &mut TreeParams, class_weight: ClassWeight) {
        params.criterion = match self.criterion {
            CriterionName::Gini => Criterion::Gini,
            CriterionName::Entropy => Criterion::Entropy,
        };
        if let Some(MaxDepth::Given(depth)) = self.max_depth {
            params.max_depth = depth;
        }
        params.min_samples_split = self.min_samples_split;
        params.min_samples_leaf = self.min_samples_leaf;
        params.min_weight_fraction_leaf = self.min_weight_fraction_leaf;
        params.min_samples_middle = self.min_samples_middle;
        params.max_leaf_nodes = self.max_leaf_nodes;
        params.max_features = self.max_features.unwrap_or(params.max_features);
        params.min_impurity_decrease = self.min_impurity_decrease;
        params.zero_gain_splits |= self.zero_gain_splits;
        params.ccp_alpha = self.ccp_alpha;
        params.class_weight = class_weight;
        params.missing = self.missing.in_the_tree();
        params.min_samples_category = self.min_samples_category;
        params.seed = self.seed;
    }
}

fn max_depth(text: &str) -> Result<MaxDepth, String> {
    match text {
        "auto" => Ok(MaxDepth::Chosen(DepthChoice::Auto)),
        "best" => Ok(MaxDepth::Chosen(DepthChoice::Best)),
        "none" => Ok(MaxDepth::Given(None)),
        _ => match text.parse() {
            Ok(depth) => Ok(MaxDepth::Given(Some(depth))),
            Err(_) => Err("auto, best, none, or a whole number".to_owned()),
        },
    }
}

pub(super) fn row_count(text: &str) -> Result<RowCount, String> {
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
