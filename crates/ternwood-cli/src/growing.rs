//! Which tree to grow and which zones to give it: every parameter of the library.

use crate::cli::Usage;
use crate::recipe::OrAuto;
use anyhow::{Result, anyhow};
use clap::ValueEnum;
use std::str::FromStr;
use ternwood::{
    CheckedParams, ClassWeight, Criterion, Dataset, GainKind, MaxFeatures, Resamples, Routing,
    RowCount, TreeParams, ZoneKind, ZoneParams,
};

/// How the tree grows.
#[derive(clap::Args)]
#[command(next_help_heading = "Growing")]
pub(crate) struct TreeArgs {
    /// What a split should reduce
    #[arg(long, value_enum, default_value_t = CriterionName::Gini)]
    criterion: CriterionName,
    /// The most tests on a path; auto: 2, 4, 6, 8 or 10, by log-loss in inner folds
    /// [default: no limit; with --calibrated: auto]
    #[arg(long, value_name = "N|auto")]
    pub(crate) max_depth: Option<OrAuto<u32>>,
    /// A node with fewer rows becomes a leaf; a number, or a share like 0.05
    #[arg(long, value_name = "N|SHARE", default_value = "2", value_parser = row_count)]
    min_samples_split: RowCount,
    /// Both sides of a split keep so many rows; a number, or a share like 0.05
    #[arg(long, value_name = "N|SHARE", default_value = "1", value_parser = row_count)]
    min_samples_leaf: RowCount,
    /// Both sides of a split keep this share of the total weight
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    min_weight_fraction_leaf: f64,
    /// A zone with less weight gets no middle subtree (hard_middle routing)
    #[arg(long, value_name = "N", default_value_t = 5)]
    min_samples_middle: u32,
    /// The most leaves; the most useful splits are made first [default: no limit]
    #[arg(long, value_name = "N")]
    max_leaf_nodes: Option<u32>,
    /// Features a node looks at: all, sqrt, log2, a number, or a share like 0.5
    #[arg(long, value_name = "HOW MANY", default_value = "all", value_parser = max_features)]
    max_features: MaxFeatures,
    /// A split must reduce impurity at least by this
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    min_impurity_decrease: f64,
    /// The price of a leaf in cost-complexity pruning
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    ccp_alpha: f64,
    /// How much classes count: uniform, balanced, or CLASS=WEIGHT,... (others count 1)
    #[arg(long, value_name = "WEIGHTS", default_value = "uniform")]
    class_weight: ClassWeightArg,
    /// Where random numbers start
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

/// How wide the zones are, and what happens in them.
#[derive(clap::Args)]
#[command(next_help_heading = "Zones")]
pub(crate) struct ZoneArgs {
    /// What happens to a row within a zone
    #[arg(long, value_enum, default_value_t = RoutingName::Probabilistic)]
    routing: RoutingName,
    /// Half-width of a feature's zones, in its own units (specified zones; others get 0)
    #[arg(long, value_name = "FEATURE=WIDTH", value_parser = named_number)]
    half_width: Vec<(String, f64)>,
    /// Share of the best gain that may be missing (quality_plateau) [default: 0.05]
    #[arg(long, value_name = "SHARE")]
    plateau_tolerance: Option<f64>,
    /// Only thresholds connected with the best one count (quality_plateau)
    #[arg(long)]
    plateau_connected: bool,
    /// Share cut off at both ends of a class (class_overlap) [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    overlap_tail: Option<f64>,
    /// Share of the range for a split without gain (gain_ratio) [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    gain_scale: Option<f64>,
    /// Which gain is meant (gain_ratio) [default: criterion]
    #[arg(long, value_enum)]
    gain: Option<GainName>,
    /// How often a node's rows are drawn again (node_bootstrap) [default: auto, 10 to 20]
    #[arg(long, value_name = "N|auto", value_parser = resamples)]
    bootstraps: Option<Resamples>,
    /// The widest a zone may be, as a share of the feature's range at the node
    #[arg(long, value_name = "SHARE", default_value_t = 0.25)]
    max_zone_fraction: f64,
    /// What a flag costs, as a share of the cost of a wrong answer (cost_optimal) [default: 0.2]
    #[arg(long, value_name = "SHARE")]
    cost_ratio: Option<f64>,
    /// All zones are made so many times as wide; auto: 0 to 3.2 times, by log-loss in inner folds
    /// [default: 1; with --calibrated: auto]
    #[arg(long, value_name = "FACTOR|auto")]
    pub(crate) zone_scale: Option<OrAuto<f64>>,
}

/// The estimators of half-widths.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
#[value(rename_all = "snake_case")]
pub(crate) enum ZoneName {
    /// No zones: plain CART
    None,
    /// Distance to the nearest row on the wrong side
    Margin,
    /// Other thresholds are nearly as good
    #[value(alias = "quality-plateau")]
    QualityPlateau,
    /// The classes overlap
    #[value(alias = "class-overlap")]
    ClassOverlap,
    /// Weak splits are unsure
    #[value(alias = "gain-ratio")]
    GainRatio,
    /// The threshold moves under resampling
    #[value(alias = "node-bootstrap")]
    NodeBootstrap,
    /// Half a standard deviation of the feature; meant for an automatic scale
    Spread,
    /// As wide as flags pay: see --cost-ratio
    #[value(alias = "cost-optimal")]
    CostOptimal,
    /// Known measurement errors: see --half-width
    Specified,
}

impl ZoneName {
    /// Those of the paper.
    pub(crate) const ESTIMATED: [Self; 5] = [
        Self::Margin,
        Self::QualityPlateau,
        Self::ClassOverlap,
        Self::GainRatio,
        Self::NodeBootstrap,
    ];
}

#[derive(ValueEnum, Clone, Copy)]
enum CriterionName {
    /// Gini impurity
    Gini,
    /// Entropy in bits
    Entropy,
}

#[derive(ValueEnum, Clone, Copy)]
#[value(rename_all = "snake_case")]
enum RoutingName {
    /// Nothing: zones are ignored, every row is decided
    Crisp,
    /// Both subtrees are blended, and again at every zone further down
    Probabilistic,
    /// Both subtrees are blended, each answering like CART
    Deferred,
    /// A middle subtree of its own answers
    #[value(alias = "hard-middle")]
    HardMiddle,
}

#[derive(ValueEnum, Clone, Copy)]
enum GainName {
    /// The gain of the tree's own criterion
    Criterion,
    /// Information gain in bits
    Information,
}

#[derive(Clone, Debug)]
enum ClassWeightArg {
    Uniform,
    Balanced,
    Given(Vec<(String, f64)>),
}

impl FromStr for ClassWeightArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "uniform" => Ok(Self::Uniform),
            "balanced" => Ok(Self::Balanced),
            _ => text.split(',').map(named_number).collect::<Result<_, _>>().map(Self::Given),
        }
    }
}

impl TreeArgs {
    /// The parameters for this data, with the zones of `zones`.
    ///
    /// What can be checked without data is checked by [`TreeArgs::check`] before.
    pub(crate) fn params(&self, zone: ZoneParams, data: &Dataset) -> Result<CheckedParams> {
        let class_weight = match &self.class_weight {
            ClassWeightArg::Uniform => ClassWeight::Uniform,
            ClassWeightArg::Balanced => ClassWeight::Balanced,
            ClassWeightArg::Given(given) => {
                let classes: Vec<String> =
                    data.labels().names().iter().map(ToString::to_string).collect();
                ClassWeight::Given(by_name(given, &classes, "class", 1.0)?)
            }
        };
        Ok(self.with(zone, class_weight).check()?)
    }

    /// Refuses numbers out of range as the argument parser would.
    pub(crate) fn check(&self) -> Result<()> {
        let class_weight = match &self.class_weight {
            ClassWeightArg::Given(given) => {
                ClassWeight::Given(given.iter().map(|(_, weight)| *weight).collect())
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
            ccp_alpha: self.ccp_alpha,
            class_weight,
            zone,
            seed: self.seed,
        }
    }
}

impl ZoneArgs {
    /// Refuses knobs that no zone of `names` has, and numbers out of range, as the argument
    /// parser would.
    pub(crate) fn check(&self, names: &[ZoneName]) -> Result<()> {
        let given = [
            (!self.half_width.is_empty(), "--half-width", ZoneName::Specified),
            (self.plateau_tolerance.is_some(), "--plateau-tolerance", ZoneName::QualityPlateau),
            (self.plateau_connected, "--plateau-connected", ZoneName::QualityPlateau),
            (self.overlap_tail.is_some(), "--overlap-tail", ZoneName::ClassOverlap),
            (self.gain_scale.is_some(), "--gain-scale", ZoneName::GainRatio),
            (self.gain.is_some(), "--gain", ZoneName::GainRatio),
            (self.bootstraps.is_some(), "--bootstraps", ZoneName::NodeBootstrap),
            (self.cost_ratio.is_some(), "--cost-ratio", ZoneName::CostOptimal),
        ];
        for (given, option, zone) in given {
            if given && !names.contains(&zone) {
                return Err(Usage(format!("{option} is for {zone} zones only")).into());
            }
        }
        if names.contains(&ZoneName::Specified) && self.half_width.is_empty() {
            let problem = "specified zones need at least one --half-width FEATURE=WIDTH";
            return Err(Usage(problem.to_owned()).into());
        }
        names.iter().try_for_each(|&name| {
            let half_widths = self.half_width.iter().map(|(_, width)| *width).collect();
            usage(self.zone(name, half_widths).check())
        })
    }

    /// The zones of this name, for this data.
    pub(crate) fn params(&self, name: ZoneName, data: &Dataset) -> Result<ZoneParams> {
        let half_widths = match name {
            ZoneName::Specified => by_name(&self.half_width, data.feature_names(), "feature", 0.0)?,
            _ => Vec::new(),
        };
        Ok(self.zone(name, half_widths))
    }

    fn zone(&self, name: ZoneName, half_widths: Vec<f64>) -> ZoneParams {
        let kind = match name {
            ZoneName::None => ZoneKind::None,
            ZoneName::Margin => ZoneKind::Margin,
            ZoneName::QualityPlateau => ZoneKind::QualityPlateau {
                tolerance: self.plateau_tolerance.unwrap_or(0.05),
                connected: self.plateau_connected,
            },
            ZoneName::ClassOverlap => {
                ZoneKind::ClassOverlap { tail: self.overlap_tail.unwrap_or(0.1) }
            }
            ZoneName::GainRatio => ZoneKind::GainRatio {
                scale: self.gain_scale.unwrap_or(0.1),
                gain: match self.gain {
                    None | Some(GainName::Criterion) => GainKind::Criterion,
                    Some(GainName::Information) => GainKind::Information,
                },
            },
            ZoneName::NodeBootstrap => {
                ZoneKind::NodeBootstrap { resamples: self.bootstraps.unwrap_or(Resamples::Auto) }
            }
            ZoneName::Spread => ZoneKind::Spread,
            ZoneName::CostOptimal => {
                ZoneKind::CostOptimal { cost_ratio: self.cost_ratio.unwrap_or(0.2) }
            }
            ZoneName::Specified => ZoneKind::Specified { half_widths },
        };
        let scale = self.zone_scale.and_then(OrAuto::given).unwrap_or(1.0);
        ZoneParams { kind, max_fraction: self.max_zone_fraction, scale }
    }

    pub(crate) fn routing(&self) -> Routing {
        match self.routing {
            RoutingName::Crisp => Routing::Crisp,
            RoutingName::Probabilistic => Routing::Probabilistic,
            RoutingName::Deferred => Routing::Deferred,
            RoutingName::HardMiddle => Routing::HardMiddle,
        }
    }
}

impl std::fmt::Display for ZoneName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.to_possible_value().expect("no name is hidden");
        f.write_str(value.get_name())
    }
}

/// What the library refuses about options is refused like any other wrong argument.
fn usage(checked: ternwood::Result<()>) -> Result<()> {
    checked.map_err(|error| Usage(error.to_string()).into())
}

/// Numbers given by name, in the order of `names`; `otherwise` where none is given.
fn by_name(
    given: &[(String, f64)],
    names: &[String],
    what: &str,
    otherwise: f64,
) -> Result<Vec<f64>> {
    let mut numbers = vec![otherwise; names.len()];
    for (name, number) in given {
        let index = names.iter().position(|other| other == name).ok_or_else(|| {
            let known: Vec<String> = names.iter().take(12).map(|n| format!("'{n}'")).collect();
            let tail = if names.len() > 12 { ", ..." } else { "" };
            anyhow!("there is no {what} '{name}'; there are: {}{tail}", known.join(", "))
        })?;
        numbers[index] = *number;
    }
    Ok(numbers)
}

fn named_number(text: &str) -> Result<(String, f64), String> {
    let (name, number) =
        text.rsplit_once('=').ok_or_else(|| format!("'{text}' has no '='; write NAME=NUMBER"))?;
    let number = number.parse().map_err(|_| format!("'{number}' is not a number"))?;
    Ok((name.to_owned(), number))
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

fn resamples(text: &str) -> Result<Resamples, String> {
    match text {
        "auto" => Ok(Resamples::Auto),
        _ => text.parse().map(Resamples::Count).map_err(|_| "a whole number, or auto".to_owned()),
    }
}
