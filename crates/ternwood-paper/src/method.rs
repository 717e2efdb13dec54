//! What is compared: plain CART, and every estimator under every routing.

use std::cmp::Ordering;
use std::fmt;
use ternwood::{Resamples, Routing, ZoneKind};

/// A kind of zone and a routing. Methods are ordered as their rows in results are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// The zones; none for CART.
    pub zone: Option<Zone>,
    /// What happens to rows within a zone.
    pub routing: Routing,
}

/// The estimators of the paper, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zone {
    /// Thresholds nearly as good.
    QualityPlateau,
    /// Where the bulks of classes overlap.
    ClassOverlap,
    /// A share of the range.
    GainRatio,
    /// How the threshold moves under resampling.
    NodeBootstrap,
    /// The nearest row on the wrong side.
    Margin,
}

/// The estimators, in the order of their rows.
pub(crate) const ZONES: [Zone; 5] =
    [Zone::QualityPlateau, Zone::ClassOverlap, Zone::GainRatio, Zone::NodeBootstrap, Zone::Margin];

/// The routings of every estimator, in the order of their rows.
const ROUTINGS: [Routing; 3] = [Routing::Probabilistic, Routing::Deferred, Routing::HardMiddle];

impl Method {
    /// Plain CART: `none,crisp`.
    pub const CART: Self = Self { zone: None, routing: Routing::Crisp };

    /// Zones with probabilistic routing.
    #[must_use]
    pub const fn probabilistic(zone: Zone) -> Self {
        Self { zone: Some(zone), routing: Routing::Probabilistic }
    }

    /// Zones with hard-middle routing.
    #[must_use]
    pub const fn hard_middle(zone: Zone) -> Self {
        Self { zone: Some(zone), routing: Routing::HardMiddle }
    }

    /// All methods, in the order of their rows: CART, then each estimator under
    /// probabilistic, deferred and hard-middle routing.
    #[must_use]
    pub fn all() -> Vec<Self> {
        std::iter::once(Self::CART).chain(ZONES.into_iter().flat_map(Zone::methods)).collect()
    }

    /// The method with these names of zone and routing.
    #[must_use]
    pub fn named(zone: &str, routing: &str) -> Option<Self> {
        let is_named =
            |method: &Self| method.zone_name() == zone && method.routing.as_str() == routing;
        Self::all().into_iter().find(is_named)
    }

    /// The engine's name of the zones; `none` for CART.
    #[must_use]
    pub fn zone_name(self) -> &'static str {
        self.zone.map_or("none", |zone| zone.kind(0).as_str())
    }

    /// What the paper calls the estimator.
    #[must_use]
    pub fn estimator(self) -> &'static str {
        match self.zone {
            None => "CART (baseline)",
            Some(Zone::QualityPlateau) => "Quality-Plateau",
            Some(Zone::ClassOverlap) => "Class-Overlap",
            Some(Zone::GainRatio) => "Gain-Ratio",
            Some(Zone::NodeBootstrap) => "Node-Bootstrap",
            Some(Zone::Margin) => "Margin",
        }
    }

    /// The paper's abbreviation of the routing.
    #[must_use]
    pub fn routing_in_short(self) -> &'static str {
        match self.routing {
            Routing::Crisp => "ref.",
            Routing::Probabilistic => "prob.",
            Routing::Deferred => "def.",
            Routing::HardMiddle => "h.m.",
        }
    }
}

impl Zone {
    /// The methods with these zones.
    pub(crate) fn methods(self) -> [Method; 3] {
        ROUTINGS.map(|routing| Method { zone: Some(self), routing })
    }

    /// The estimator with the published settings for a data set of so many rows: the paper
    /// sizes the bootstrap by the whole data set, before the folds are cut.
    pub(crate) fn kind(self, rows_in_all: usize) -> ZoneKind {
        match self {
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

impl Ord for Method {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |method: &Self| ROUTINGS.iter().position(|routing| *routing == method.routing);
        self.zone.cmp(&other.zone).then_with(|| place(self).cmp(&place(other)))
    }
}

impl PartialOrd for Method {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// As the paper writes it: `Margin prob.`, `CART (baseline)`.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.zone {
            None => f.write_str(self.estimator()),
            Some(_) => write!(f, "{} {}", self.estimator(), self.routing_in_short()),
        }
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
            assert_eq!(Method::named(method.zone_name(), method.routing.as_str()), Some(method));
        }
        assert_eq!(Method::named("none", "crisp"), Some(Method::CART));
        assert_eq!(Method::named("margin", "crisp"), None);
    }

    #[test]
    fn the_bootstrap_is_sized_by_the_whole_data_set() {
        assert_eq!([1_999, 2_000, 9_999, 10_000].map(resamples), [20, 15, 15, 10]);
    }
}
