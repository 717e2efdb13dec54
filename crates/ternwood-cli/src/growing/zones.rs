//! Options for the width of zones and the routing of rows in them.

use super::{NamedNumber, by_name, usage, value_in_words};
use crate::cli::Usage;
use crate::recipe::OrAuto;
use anyhow::Result;
use clap::ValueEnum;
use ternwood::recipe::{GainKind, Resamples, ZoneParams};
use ternwood::{Routing, Schema, ZoneKind};

/// The default cost of a flag, as a share of the cost of a wrong answer.
pub(super) const COST_RATIO: f64 = 0.2;

/// How wide the zones are, and what happens in them.
#[derive(clap::Args)]
#[command(next_help_heading = "Zones")]
pub(crate) struct ZoneArgs {
    /// What happens to a row within a zone
    #[arg(long, value_enum, default_value_t = RoutingName::Probabilistic)]
    routing: RoutingName,
    /// How far a feature's zones reach to both sides, in its own units (specified zones; others
    /// get 0)
    #[arg(long, value_name = "FEATURE=WIDTH")]
    half_width: Vec<NamedNumber>,
    /// How much worse than the best a threshold may be, as a share (quality_plateau)
    /// [default: 0.05]
    #[arg(long, value_name = "SHARE")]
    plateau_tolerance: Option<f64>,
    /// Only thresholds next to the best one count, without a worse one between (quality_plateau)
    #[arg(long)]
    plateau_connected: bool,
    /// Share of a class left out at both ends of its values (class_overlap) [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    overlap_tail: Option<f64>,
    /// Half-width where a test separates nothing, as a share of the feature's range (gain_ratio)
    /// [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    gain_scale: Option<f64>,
    /// How to measure what a test separates (gain_ratio) [default: criterion]
    #[arg(long, value_enum)]
    gain: Option<GainName>,
    /// How often a node's rows are drawn again (node_bootstrap) [default: auto, 10 to 20]
    #[arg(long, value_name = "N|auto", value_parser = resamples)]
    bootstraps: Option<Resamples>,
    /// The largest half-width, as a share of the feature's range among the rows of the test
    #[arg(long, value_name = "SHARE", default_value_t = ZoneParams::default().max_fraction)]
    max_zone_fraction: f64,
    /// What a second look costs, as a share of the cost of a wrong answer (cost_optimal)
    /// [default: 0.2]
    #[arg(long, value_name = "SHARE")]
    cost_ratio: Option<f64>,
    /// Factor on the width of all zones; auto: from 0 to 3.2, whichever gives the best
    /// probabilities in cross-validation
    /// [default: 1; with --calibrated: auto]
    #[arg(long, value_name = "FACTOR|auto")]
    pub(crate) zone_scale: Option<OrAuto<f64>>,
    /// A category is unsure if its class share is within this many standard errors (what chance
    /// makes of few rows) of a cut; --zone-scale auto chooses it too, from 0 to 8 [default: 2]
    #[arg(long, value_name = "E")]
    pub(crate) category_error: Option<f64>,
}

/// The estimators of half-widths.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
#[value(rename_all = "snake_case")]
pub(crate) enum ZoneName {
    /// No zones: an ordinary decision tree (CART)
    None,
    /// To the nearest row on the wrong side
    Margin,
    /// Over all thresholds that are nearly as good
    #[value(alias = "quality-plateau")]
    QualityPlateau,
    /// Over the values that several classes share
    #[value(alias = "class-overlap")]
    ClassOverlap,
    /// The less a test separates the classes, the farther
    #[value(alias = "gain-ratio")]
    GainRatio,
    /// As far as the threshold moves if the rows are drawn again
    #[value(alias = "node-bootstrap")]
    NodeBootstrap,
    /// Half a standard deviation of the feature
    Spread,
    /// As far as second looks pay off at --cost-ratio
    #[value(alias = "cost-optimal")]
    CostOptimal,
    /// Known measurement errors, given with --half-width
    Specified,
}

impl ZoneName {
    /// The paper's estimators.
    pub(crate) const ESTIMATED: [Self; 5] = [
        Self::Margin,
        Self::QualityPlateau,
        Self::ClassOverlap,
        Self::GainRatio,
        Self::NodeBootstrap,
    ];
}

#[derive(ValueEnum, Clone, Copy)]
#[value(rename_all = "snake_case")]
enum RoutingName {
    /// Is decided by the threshold alone: zones are ignored
    Crisp,
    /// Goes both ways, in shares, and again at every zone further down
    Probabilistic,
    /// Goes both ways, in shares, then by thresholds alone
    Deferred,
    /// Goes to a middle subtree, grown from such rows
    #[value(alias = "hard-middle")]
    HardMiddle,
}

#[derive(ValueEnum, Clone, Copy)]
enum GainName {
    /// By --criterion, like the tree
    Criterion,
    /// By the bits of information gained
    Information,
}

impl GainName {
    fn kind(self) -> GainKind {
        match self {
            Self::Criterion => GainKind::Criterion,
            Self::Information => GainKind::Information,
        }
    }
}

impl ZoneArgs {
    /// Rejects knobs that no zone in `names` has, and numbers out of range, like the argument
    /// parser.
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
        if self.category_error.is_some() && names.iter().all(|&name| name == ZoneName::None) {
            let problem = "--category-error is for trees with zones; plain CART has none";
            return Err(Usage(problem.to_owned()).into());
        }
        if names.contains(&ZoneName::Specified) && self.half_width.is_empty() {
            let problem = "specified zones need at least one --half-width FEATURE=WIDTH";
            return Err(Usage(problem.to_owned()).into());
        }
        names.iter().try_for_each(|&name| {
            let half_widths = self.half_width.iter().map(|width| width.number).collect();
            usage(self.zone(name, half_widths).check())
        })
    }

    /// The zone parameters of this name, for data of this schema.
    pub(crate) fn params(&self, name: ZoneName, schema: &Schema) -> Result<ZoneParams> {
        let half_widths = match name {
            ZoneName::Specified => {
                let names: Vec<String> =
                    schema.features().iter().map(|feature| feature.name.clone()).collect();
                by_name(&self.half_width, &names, "feature", 0.0)?
            }
            _ => Vec::new(),
        };
        Ok(self.zone(name, half_widths))
    }

    fn zone(&self, name: ZoneName, half_widths: Vec<f64>) -> ZoneParams {
        let mut kind = match name {
            ZoneName::None => ZoneKind::None,
            ZoneName::Margin => ZoneKind::Margin,
            ZoneName::QualityPlateau => ZoneKind::quality_plateau(),
            ZoneName::ClassOverlap => ZoneKind::class_overlap(),
            ZoneName::GainRatio => ZoneKind::gain_ratio(),
            ZoneName::NodeBootstrap => ZoneKind::node_bootstrap(),
            ZoneName::Spread => ZoneKind::Spread,
            ZoneName::CostOptimal => ZoneKind::CostOptimal { cost_ratio: COST_RATIO },
            ZoneName::Specified => ZoneKind::Specified { half_widths },
        };
        self.set_knobs(&mut kind);
        let scale = self.zone_scale.and_then(OrAuto::given);
        ZoneParams {
            max_fraction: self.max_zone_fraction,
            scale: scale.unwrap_or(ZoneParams::default().scale),
            category_error: self.category_error.unwrap_or(ZoneParams::default().category_error),
            kind,
        }
    }

    /// Sets the knobs that were given.
    fn set_knobs(&self, kind: &mut ZoneKind) {
        match kind {
            ZoneKind::QualityPlateau { tolerance, connected } => {
                set(tolerance, self.plateau_tolerance);
                *connected |= self.plateau_connected;
            }
            ZoneKind::ClassOverlap { tail } => set(tail, self.overlap_tail),
            ZoneKind::GainRatio { scale, gain } => {
                set(scale, self.gain_scale);
                set(gain, self.gain.map(GainName::kind));
            }
            ZoneKind::NodeBootstrap { resamples } => set(resamples, self.bootstraps),
            ZoneKind::CostOptimal { cost_ratio } => set(cost_ratio, self.cost_ratio),
            ZoneKind::None | ZoneKind::Margin | ZoneKind::Spread | ZoneKind::Specified { .. } => {}
        }
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

/// How far such zones reach: "to the nearest row on the wrong side".
pub(crate) fn zone_in_words(kind: &ZoneKind) -> String {
    value_in_words::<ZoneName>(kind.as_str())
}

/// What a row within a zone does: "goes both ways, ...".
pub(crate) fn routing_in_words(routing: Routing) -> String {
    value_in_words::<RoutingName>(routing.as_str())
}

impl std::fmt::Display for ZoneName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.to_possible_value().expect("no name is hidden");
        f.write_str(value.get_name())
    }
}

fn set<T>(knob: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *knob = given;
    }
}

fn resamples(text: &str) -> Result<Resamples, String> {
    match text {
        "auto" => Ok(Resamples::Auto),
        _ => text.parse().map(Resamples::Count).map_err(|_| "a whole number, or auto".to_owned()),
    }
}
