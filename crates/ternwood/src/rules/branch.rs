//! When a value goes a given way from a split.

use super::truth::Truth;
use crate::recipe::Routing;
use crate::tree::{Outcome, Side, Zone};

/// How the outcomes of tests become truth values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Two children; what is within a zone is undecided.
    Zones,
    /// Two children; zones are ignored, and only unknown values are undecided.
    Crisp,
    /// Three children, one for each outcome: nothing is undecided.
    ThreeWays,
}

/// A way to go on from a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) reading: Reading,
    /// Within is the middle child.
    pub(super) side: Side,
}

/// The truth of a branch as a comparison of numbers: false at or below the lower edge and true
/// above the upper one, or the opposite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Comparison {
    Above([f64; 2]),
    Below([f64; 2]),
}

impl Reading {
    pub(super) fn of(routing: Routing, three_children: bool) -> Self {
        match routing {
            Routing::Crisp => Self::Crisp,
            _ if three_children => Self::ThreeWays,
            _ => Self::Zones,
        }
    }
}

impl Branch {
    /// Whether a value with this outcome goes this way.
    pub(super) fn truth(self, outcome: Outcome) -> Truth {
        let taken = match self.reading {
            Reading::Crisp if outcome.is_unknown => return Truth::Undecided,
            Reading::Crisp if outcome.goes_left => Side::Below,
            Reading::Crisp => Side::Above,
            Reading::Zones if outcome.side == Side::Within => return Truth::Undecided,
            Reading::Zones | Reading::ThreeWays => outcome.side,
        };
        Truth::from(taken == self.side)
    }

    /// Which numbers go this way from a zone; the middle way takes two comparisons.
    pub(super) fn comparisons(self, zone: Zone) -> impl Iterator<Item = Comparison> {
        use Comparison::{Above, Below};
        let [lower, cut, upper] = [zone.lower(), zone.threshold(), zone.upper()];
        let (first, second) = match (self.reading, self.side) {
            (Reading::Zones, Side::Above) => (Above([lower, upper]), None),
            (Reading::Zones, _) => (Below([lower, upper]), None),
            (Reading::Crisp, Side::Above) => (Above([cut; 2]), None),
            (Reading::Crisp, _) => (Below([cut; 2]), None),
            (Reading::ThreeWays, Side::Below) => (Below([lower; 2]), None),
            (Reading::ThreeWays, Side::Within) => (Above([lower; 2]), Some(Below([upper; 2]))),
            (Reading::ThreeWays, Side::Above) => (Above([upper; 2]), None),
        };
        std::iter::once(first).chain(second)
    }
}
