//! What is compared: plain CART, and every estimator under every routing.

use std::fmt;
use ternwood::{Resamples, Routing, ZoneKind};

/// A kind of zone and a routing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Method {
    zone: Zone,
    routing: RoutingChoice,
}

/// The kinds of zone of the experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Zone {
    None,
    QualityPlateau,
    ClassOverlap,
    GainRatio,
    NodeBootstrap,
    Margin,
}

/// The routings of the experiments, in the order of their rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum RoutingChoice {
    Crisp,
    Probabilistic,
    Deferred,
    HardMiddle,
}

const ZONES: [Zone; 5] =
    [Zone::QualityPlateau, Zone::ClassOverlap, Zone::GainRatio, Zone::NodeBootstrap, Zone::Margin];

impl Method {
    /// Plain CART: `none,crisp`.
    pub const CART: Self = Self { zone: Zone::None, routing: RoutingChoice::Crisp };
    /// Margin zones, probabilistic routing.
    pub const MARGIN: Self = Self::blending(Zone::Margin);
    /// Quality-plateau zones, probabilistic routing.
    pub const QUALITY_PLATEAU: Self = Self::blending(Zone::QualityPlateau);
    /// Node-bootstrap zones, probabilistic routing.
    pub const NODE_BOOTSTRAP: Self = Self::blending(Zone::NodeBootstrap);
    /// Class-overlap zones, probabilistic routing.
    pub const CLASS_OVERLAP: Self = Self::blending(Zone::ClassOverlap);
    /// Gain-ratio zones, probabilistic routing.
    pub const GAIN_RATIO: Self = Self::blending(Zone::GainRatio);

    const fn blending(zone: Zone) -> Self {
        Self { zone, routing: RoutingChoice::Probabilistic }
    }

    /// All methods, in the order of their rows: CART, then each estimator under
    /// probabilistic, deferred and hard-middle routing.
    #[must_use]
    pub fn all() -> Vec<Self> {
        use RoutingChoice::{Deferred, HardMiddle, Probabilistic};
        let routings = [Probabilistic, Deferred, HardMiddle];
        let zoned =
            ZONES.into_iter().flat_map(|zone| routings.map(|routing| Self { zone, routing }));
        std::iter::once(Self::CART).chain(zoned).collect()
    }

    /// The method with these names of zone and routing.
    #[must_use]
    pub fn named(zone: &str, routing: &str) -> Option<Self> {
        Self::all().into_iter().find(|method| method.zone() == zone && method.routing() == routing)
    }

    /// The engine's name of the zones; `none` for CART.
    #[must_use]
    pub fn zone(self) -> &'static str {
        self.zone.kind(0).as_str()
    }

    /// The engine's name of the routing.
    #[must_use]
    pub fn routing(self) -> &'static str {
        self.routing.routing().as_str()
    }

    /// The same zones under hard-middle routing.
    #[must_use]
    pub fn hard_middle(self) -> Self {
        Self { routing: RoutingChoice::HardMiddle, ..self }
    }

    /// The same zones under deferred routing.
    #[must_use]
    pub fn deferred(self) -> Self {
        Self { routing: RoutingChoice::Deferred, ..self }
    }

    /// Whether results depend on a random stream, and so agree with published ones only nearly.
    #[must_use]
    pub fn is_random(self) -> bool {
        self.zone == Zone::NodeBootstrap
    }

    pub(crate) fn engine_routing(self) -> Routing {
        self.routing.routing()
    }

    /// The estimator with the published settings for a data set of so many rows: the paper
    /// sizes the bootstrap by the whole data set, before the folds are cut.
    pub(crate) fn kind(self, rows_in_all: usize) -> ZoneKind {
        self.zone.kind(rows_in_all)
    }
}

impl Zone {
    fn kind(self, rows_in_all: usize) -> ZoneKind {
        match self {
            Self::None => ZoneKind::None,
            Self::QualityPlateau => ZoneKind::quality_plateau(),
            Self::ClassOverlap => ZoneKind::class_overlap(),
            Self::GainRatio => ZoneKind::gain_ratio(),
            Self::NodeBootstrap => {
                ZoneKind::NodeBootstrap { resamples: Resamples::Count(resamples(rows_in_all)) }
            }
            Self::Margin => ZoneKind::Margin,
        }
    }
}

fn resamples(rows_in_all: usize) -> u32 {
    match rows_in_all {
        0..2_000 => 20,
        2_000..10_000 => 15,
        _ => 10,
    }
}

impl RoutingChoice {
    fn routing(self) -> Routing {
        match self {
            Self::Crisp => Routing::Crisp,
            Self::Probabilistic => Routing::Probabilistic,
            Self::Deferred => Routing::Deferred,
            Self::HardMiddle => Routing::HardMiddle,
        }
    }
}

/// As the paper writes it: `Margin prob.`, `CART (baseline)`.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let routing = match self.routing {
            RoutingChoice::Crisp => return f.write_str("CART (baseline)"),
            RoutingChoice::Probabilistic => "prob.",
            RoutingChoice::Deferred => "def.",
            RoutingChoice::HardMiddle => "h.m.",
        };
        let zone = match self.zone {
            Zone::None => "none",
            Zone::QualityPlateau => "Quality-Plateau",
            Zone::ClassOverlap => "Class-Overlap",
            Zone::GainRatio => "Gain-Ratio",
            Zone::NodeBootstrap => "Node-Bootstrap",
            Zone::Margin => "Margin",
        };
        write!(f, "{zone} {routing}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_methods_have_the_names_of_the_engine() {
        let all = Method::all();
        assert_eq!(all.len(), 16);
        assert!(all.is_sorted(), "the order of rows is the order of the type");
        for method in all {
            assert_eq!(Method::named(method.zone(), method.routing()), Some(method));
        }
        assert_eq!((Method::CART.zone(), Method::CART.routing()), ("none", "crisp"));
        assert_eq!(Method::named("margin", "crisp"), None);
    }

    #[test]
    fn the_bootstrap_is_sized_by_the_whole_data_set() {
        let count = |rows| match Method::NODE_BOOTSTRAP.kind(rows) {
            ZoneKind::NodeBootstrap { resamples: Resamples::Count(count) } => count,
            other => panic!("{other:?}"),
        };
        assert_eq!([1_999, 2_000, 9_999, 10_000].map(count), [20, 15, 15, 10]);
    }
}
