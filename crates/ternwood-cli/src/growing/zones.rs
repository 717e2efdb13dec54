//! Options for the width of zones and the routing of rows in them.

use super::{NamedNumber, by_name, named, usage, value_in_words};
use crate::cli::Usage;
use anyhow::Result;
use clap::ValueEnum;
use std::fmt::Display;
use ternwood::recipe::{GainKind, Resamples, ZoneParams};
use ternwood::verdict::USUAL_COST_RATIO;
use ternwood::{Recipe, Routing, Schema, ZoneKind};

/// How wide the zones are, and what happens in them.
#[derive(clap::Args)]
#[command(next_help_heading = "Zones")]
pub(crate) struct ZoneArgs {
    /// What happens to a row within a zone
    #[arg(long, value_enum, default_value_t = named(Recipe::default().routing.as_str()))]
    routing: RoutingName,
    /// How far a feature's zones reach to both sides, in its own units (specified zones; others
    /// get 0)
    #[arg(long, value_name = "FEATURE=WIDTH")]
    half_width: Vec<NamedNumber>,
    #[arg(long, value_name = "SHARE", help = with_default(
        "How much worse than the best a threshold may be, as a share (quality_plateau)",
        knob(&ZoneKind::quality_plateau(), "tolerance")))]
    plateau_tolerance: Option<f64>,
    /// Only thresholds next to the best one count, without a worse one between (quality_plateau)
    #[arg(long)]
    plateau_connected: bool,
    #[arg(long, value_name = "SHARE", help = with_default(
        "Share of a class left out at both ends of its values (class_overlap)",
        knob(&ZoneKind::class_overlap(), "tail")))]
    overlap_tail: Option<f64>,
    #[arg(long, value_name = "SHARE", help = with_default(
        "Half-width where a test separates nothing, as a share of the feature's range (gain_ratio)",
        knob(&ZoneKind::gain_ratio(), "scale")))]
    gain_scale: Option<f64>,
    #[arg(long, value_enum, help = with_default(
        "How to measure what a test separates (gain_ratio)",
        knob(&ZoneKind::gain_ratio(), "gain")))]
    gain: Option<GainName>,
    #[arg(long, value_name = "N|auto", value_parser = resamples, help = with_default(
        "How often a node's rows are drawn again; auto is 10 to 20 (node_bootstrap)",
        knob(&ZoneKind::node_bootstrap(), "resamples")))]
    bootstraps: Option<Resamples>,
    /// The largest half-width, as a share of the feature's range among the rows of the test
    #[arg(long, value_name = "SHARE", default_value_t = ZoneParams::default().max_fraction)]
    max_zone_fraction: f64,
    #[arg(long, value_name = "F", help = with_default(
        "Factor on the width of all zones",
        format!(
            "chosen by cross-validation, in a --forest by rows out of bag; with --zone(s): {}",
            ZoneParams::default().scale
        )))]
    zone_scale: Option<f64>,
    #[arg(long, value_name = "E", help = with_default(
        "A category is unsure if its class share is within this many standard errors (what \
         chance makes of few rows) of a cut",
        format!("chosen with --zone-scale; with --zone(s): {}", ZoneParams::default().category_error)))]
    category_error: Option<f64>,
    #[arg(long, value_name = "RATIO", help = with_default(
        "What a flag (a second look) costs, as a share of what a wrong answer costs: rows are \
         flagged where that is cheaper (without --zone(s), and cost_optimal zones)",
        USUAL_COST_RATIO))]
    pub(crate) cost_ratio: Option<f64>,
}

/// A help text with a default that the parser does not know: it depends on other options.
fn with_default(help: &str, default: impl Display) -> String {
    format!("{help} [default: {default}]")
}

/// A setting of a kind of zone, as its document has it.
fn knob(kind: &ZoneKind, name: &str) -> String {
    let document = serde_json::to_value(kind).expect("plain data is always JSON");
    let value = &document[kind.as_str()][name];
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
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

    /// The kind of zone, with its usual settings.
    fn kind(self, half_widths: Vec<f64>) -> ZoneKind {
        if self == Self::Specified {
            return ZoneKind::Specified { half_widths };
        }
        let name = self.to_string();
        let kind = ZoneKind::all().into_iter().find(|kind| kind.as_str() == name);
        kind.expect("the command has the library's names")
    }
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
    /// Rejects knobs that none of these kinds of zone has, and numbers out of range, like the
    /// argument parser. Without kinds, zones are calibrated; in a forest they are so whatever their kind.
    pub(crate) fn check(&self, kinds: Option<&[ZoneName]>, in_forest: bool) -> Result<()> {
        let names = kinds.unwrap_or_default();
        let given = [
            (!self.half_width.is_empty(), "--half-width", ZoneName::Specified),
            (self.plateau_tolerance.is_some(), "--plateau-tolerance", ZoneName::QualityPlateau),
            (self.plateau_connected, "--plateau-connected", ZoneName::QualityPlateau),
            (self.overlap_tail.is_some(), "--overlap-tail", ZoneName::ClassOverlap),
            (self.gain_scale.is_some(), "--gain-scale", ZoneName::GainRatio),
            (self.gain.is_some(), "--gain", ZoneName::GainRatio),
            (self.bootstraps.is_some(), "--bootstraps", ZoneName::NodeBootstrap),
        ];
        for (given, option, zone) in given {
            if given && !names.contains(&zone) {
                return refuse(format!("{option} is for {zone} zones only"));
            }
        }
        let cost_is_used = kinds.is_none() || in_forest || names.contains(&ZoneName::CostOptimal);
        if self.cost_ratio.is_some() && !cost_is_used {
            return refuse(
                "--cost-ratio is for trees without --zone(s) and for cost_optimal zones; others flag \
                 every row within a zone until `ternwood calibrate` says otherwise",
            );
        }
        if self.category_error.is_some() {
            if (kinds.is_none() || in_forest) && self.zone_scale.is_none() {
                return refuse(
                    "zone scale and category error are chosen together; with --category-error say \
                     --zone-scale too",
                );
            }
            if kinds.is_some() && names.iter().all(|&name| name == ZoneName::None) {
                return refuse("--category-error is for trees with zones; plain CART has none");
            }
        }
        if names.contains(&ZoneName::Specified) && self.half_width.is_empty() {
            return refuse("specified zones need at least one --half-width FEATURE=WIDTH");
        }
        let half_widths: Vec<f64> = self.half_width.iter().map(|width| width.number).collect();
        let check = |kind: ZoneKind| {
            let mut zone = ZoneParams::from(kind);
            self.set(&mut zone);
            usage(zone.check())
        };
        check(ZoneKind::cost_optimal())?;
        names.iter().try_for_each(|name| check(name.kind(half_widths.clone())))
    }

    /// Makes a recipe follow these options, for data of this schema. Without a kind of zone it
    /// keeps its own.
    pub(crate) fn apply(
        &self,
        recipe: &mut Recipe,
        kind: Option<ZoneName>,
        schema: &Schema,
    ) -> Result<()> {
        if let Some(name) = kind {
            let half_widths = match name {
                ZoneName::Specified => {
                    let names: Vec<String> =
                        schema.features().iter().map(|feature| feature.name.clone()).collect();
                    by_name(&self.half_width, &names, "feature", 0.0)?
                }
                _ => Vec::new(),
            };
            recipe.params.zone.kind = name.kind(half_widths);
        }
        self.set(&mut recipe.params.zone);
        recipe.auto.zone_scale &= self.zone_scale.is_none();
        recipe.routing = self.routing.routing();
        Ok(())
    }

    fn set(&self, zone: &mut ZoneParams) {
        zone.max_fraction = self.max_zone_fraction;
        set(&mut zone.scale, self.zone_scale);
        set(&mut zone.category_error, self.category_error);
        self.set_knobs(&mut zone.kind);
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
}

impl RoutingName {
    fn routing(self) -> Routing {
        match self {
            Self::Crisp => Routing::Crisp,
            Self::Probabilistic => Routing::Probabilistic,
            Self::Deferred => Routing::Deferred,
            Self::HardMiddle => Routing::HardMiddle,
        }
    }
}

fn refuse(problem: impl Into<String>) -> Result<()> {
    Err(Usage(problem.into()).into())
}

/// How far such zones reach: "to the nearest row on the wrong side".
pub(crate) fn zone_in_words(kind: &ZoneKind) -> String {
    value_in_words::<ZoneName>(kind.as_str())
}

/// What a row within a zone does: "goes both ways, ...".
pub(crate) fn routing_in_words(routing: Routing) -> String {
    value_in_words::<RoutingName>(routing.as_str())
}

impl Display for ZoneName {
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
