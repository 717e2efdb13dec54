//! Options for trees and zones: every parameter of the library.

mod zones;

use crate::cli::Usage;
use anyhow::{Result, anyhow};
use clap::ValueEnum;
use std::str::FromStr;
use ternwood::recipe::{
    ClassWeight, Criterion, DepthChoice, Exponent, ForestParams, Leaves, MaxFeatures,
    MissingValues, RowCount,
};
use ternwood::{Recipe, Schema, TreeParams};
use ternwood_table::MissingPolicy;
pub(crate) use zones::{ZoneArgs, ZoneName, routing_in_words, zone_in_words};

/// What the help says about a value of an option.
pub(crate) fn value_in_words<V: ValueEnum>(name: &str) -> String {
    let value = V::from_str(name, false).ok().and_then(|value| value.to_possible_value());
    let help = value.and_then(|value| value.get_help().map(ToString::to_string));
    let help = help.unwrap_or_else(|| name.to_owned());
    let mut letters = help.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

/// The value of an option that has this name. Names are the library's.
fn named<V: ValueEnum>(name: &str) -> V {
    V::from_str(name, false).expect("the command has the library's names")
}

/// The recipe of these options: the calibrated one, or with a kind of zone the paper's.
pub(crate) fn recipe(
    kind: Option<ZoneName>,
    tree: &TreeArgs,
    zones: &ZoneArgs,
    schema: &Schema,
) -> Result<Recipe> {
    let base = if kind.is_some() { Recipe::default() } else { Recipe::calibrated() };
    adapted(base, kind, tree, zones, schema)
}

/// A recipe that follows these options.
pub(crate) fn adapted(
    mut recipe: Recipe,
    kind: Option<ZoneName>,
    tree: &TreeArgs,
    zones: &ZoneArgs,
    schema: &Schema,
) -> Result<Recipe> {
    tree.apply(&mut recipe, schema)?;
    zones.apply(&mut recipe, kind, schema)?;
    Ok(recipe)
}

/// `NAME=NUMBER`.
#[derive(Clone, Debug)]
struct NamedNumber {
    name: String,
    number: f64,
}

impl FromStr for NamedNumber {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = text
            .rsplit_once('=')
            .ok_or_else(|| format!("'{text}' has no '='; write NAME=NUMBER"))?;
        let number = number.parse().map_err(|_| format!("'{number}' is not a number"))?;
        Ok(Self { name: name.to_owned(), number })
    }
}

/// Reports parameters that the library rejects as usage errors.
fn usage(checked: ternwood::Result<()>) -> Result<()> {
    checked.map_err(|error| Usage(error.to_string()).into())
}

/// Numbers given by name, in the order of `names`. Others get `default`.
fn by_name(given: &[NamedNumber], names: &[String], what: &str, default: f64) -> Result<Vec<f64>> {
    let mut numbers = vec![default; names.len()];
    for NamedNumber { name, number } in given {
        let index = names.iter().position(|other| other == name).ok_or_else(|| {
            let known: Vec<String> = names.iter().take(12).map(|n| format!("'{n}'")).collect();
            let tail = if names.len() > 12 { ", ..." } else { "" };
            anyhow!("there is no {what} '{name}'; there are: {}{tail}", known.join(", "))
        })?;
        numbers[index] = *number;
    }
    Ok(numbers)
}

// Options for growing a tree.

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

// `--missing`: what an empty cell means.

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
    fn in_the_tree(self) -> MissingValues {
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

// Options for forests.

/// Many trees in place of one.
#[derive(clap::Args)]
#[command(next_help_heading = "Forest")]
pub(crate) struct ForestArgs {
    /// Grow so many trees, each on rows drawn at random, and answer with their mean: more accurate,
    /// but not to be read. Verdicts rest on rows out of bag, those that a tree has not seen
    #[arg(long, value_name = "TREES")]
    pub(crate) forest: Option<u32>,
    /// How many rows are drawn for a tree; a number, or a share like 0.5 [default: as many as there
    /// are, with replacement]
    #[arg(long, value_name = "N|SHARE", requires = "forest", value_parser = row_count)]
    max_samples: Option<RowCount>,
    /// Grow every tree on all rows; then no row is out of bag
    #[arg(long, requires = "forest", conflicts_with = "max_samples")]
    no_bootstrap: bool,
    /// The power that sharpens the mean of the trees' probabilities: off, auto (the best for rows out
    /// of bag), or a number [default: auto; with --no-bootstrap: off]
    #[arg(long, value_name = "HOW", requires = "forest")]
    exponent: Option<ExponentArg>,
}

#[derive(Clone, Copy, Debug)]
struct ExponentArg(Exponent);

impl FromStr for ExponentArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self(match text {
            "off" => Exponent::Off,
            "auto" => Exponent::Auto,
            _ => {
                let number = text.parse();
                Exponent::Given(number.map_err(|_| "off, auto, or a number like 1.5".to_owned())?)
            }
        }))
    }
}

impl ForestArgs {
    /// True if a tree has rows that it has not seen.
    pub(crate) fn has_out_of_bag(&self) -> bool {
        self.forest.is_some() && !self.no_bootstrap
    }

    /// The recipe to begin with, if a forest is wanted.
    pub(crate) fn recipe(&self) -> Option<Recipe> {
        let n_trees = self.forest?;
        let bootstrap = !self.no_bootstrap;
        let usual = if bootstrap { Exponent::Auto } else { Exponent::Off };
        let exponent = self.exponent.map_or(usual, |ExponentArg(exponent)| exponent);
        let max_samples = self.max_samples;
        let mut recipe = Recipe::forest();
        let defaults = ForestParams::default();
        recipe.ensemble =
            ForestParams { n_trees, bootstrap, max_samples, exponent, ..defaults }.into();
        if !bootstrap {
            recipe.auto.zone_scale = false;
        }
        Some(recipe)
    }

    /// Rejects what no forest can be, like the argument parser.
    pub(crate) fn check(&self) -> Result<()> {
        usage(self.recipe().map_or(Ok(()), |recipe| recipe.check().map(drop)))
    }

    /// Rejects what a tree alone can do, but not one of a forest.
    pub(crate) fn check_recipe(&self, recipe: &Recipe) -> Result<()> {
        match (self.forest, recipe.clone().check()) {
            (Some(_), Err(error)) => {
                Err(Usage(format!("{error}; leave it out, or leave out --forest")).into())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command, FromArgMatches};
    use ternwood::recipe::{Auto, DepthChoice};

    /// The recipe if these options are given.
    fn recipe_of(kind: Option<ZoneName>, options: &[&str]) -> Recipe {
        let command = ZoneArgs::augment_args(TreeArgs::augment_args(Command::new("fit")));
        let matches = command.get_matches_from([&["fit"], options].concat());
        let tree = TreeArgs::from_arg_matches(&matches).unwrap();
        let zones = ZoneArgs::from_arg_matches(&matches).unwrap();
        let schema = Schema::unnamed(1, vec!["a".into(), "b".into()]).unwrap();
        tree.check().unwrap();
        zones.check(kind.as_ref().map(std::slice::from_ref), false).unwrap();
        recipe(kind, &tree, &zones, &schema).unwrap()
    }

    #[test]
    fn without_options_the_recipes_are_the_library_s() {
        assert_eq!(recipe_of(None, &[]), Recipe::calibrated());
        assert_eq!(recipe_of(Some(ZoneName::Margin), &[]), Recipe::default());
    }

    #[test]
    fn a_given_depth_or_scale_is_not_chosen() {
        let recipe = recipe_of(None, &["--max-depth", "3"]);
        assert_eq!(recipe.params.max_depth, Some(3));
        assert_eq!(recipe.auto, Auto { zone_scale: true, max_depth: None });
        let recipe = recipe_of(None, &["--zone-scale", "0.5", "--category-error", "1"]);
        assert_eq!((recipe.params.zone.scale, recipe.params.zone.category_error), (0.5, 1.0));
        let max_depth = Some(DepthChoice::Auto);
        assert_eq!(recipe.auto, Auto { zone_scale: false, max_depth });
    }

    #[test]
    fn a_depth_is_a_number_or_none_or_chosen() {
        let depth_of = |kind: Option<ZoneName>, depth: &str| {
            let recipe = recipe_of(kind, &["--max-depth", depth]);
            (recipe.auto.max_depth, recipe.params.max_depth)
        };
        for kind in [None, Some(ZoneName::Margin)] {
            assert_eq!(depth_of(kind, "auto"), (Some(DepthChoice::Auto), None));
            assert_eq!(depth_of(kind, "best"), (Some(DepthChoice::Best), None));
            assert_eq!(depth_of(kind, "none"), (None, None));
            assert_eq!(depth_of(kind, "7"), (None, Some(7)));
        }
    }

    /// A knob that has no such name in the library would be `null`.
    #[test]
    fn the_help_knows_the_default_of_every_knob() {
        let command = ZoneArgs::augment_args(TreeArgs::augment_args(Command::new("fit")));
        let help = command.term_width(0).render_long_help().to_string();
        assert!(!help.contains("null"), "{help}");
        for default in ["0.05", "criterion", "auto", "gini", "learn", "probabilistic"] {
            assert!(help.contains(&format!("[default: {default}]")), "{default}: {help}");
        }
    }
}
