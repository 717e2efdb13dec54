//! All tests of one feature on a path, merged, in three-valued logic.

use crate::dataset::{FeatureKind, is_unknown_value};
use crate::recipe::Routing;
use crate::tree::{FeatureId, NodeId, Outcome, PlainTest, PresentValues, Side, Zone};
use std::fmt;
use std::ops::Not;

/// What a rule asks of one feature: the conjunction of all its tests on the path.
///
/// Numbers lie above one bound and below another, each with a soft edge. Categories and missing
/// values have the least of the truth values that the tests give them.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    feature: FeatureId,
    above: Option<Bound>,
    below: Option<Bound>,
    categories: Option<CategoryTruths>,
    present: Truth,
    missing: Truth,
    unknown: Truth,
}

/// A soft edge. Numbers up to `lower` are on one side, numbers above `upper` on the other; between
/// them it is undecided. Merged from several tests, it need be no single test's zone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// The last number on the low side.
    pub lower: Edge,
    /// The first number on the high side is the next one.
    pub upper: Edge,
}

/// A number, and the split that it is from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Where the edge is.
    pub at: f64,
    /// The split.
    pub node: NodeId,
}

/// The truth values of the categories of a feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryTruths {
    /// By id.
    pub known: Vec<Truth>,
    /// Of every other category.
    pub unseen: Truth,
}

impl Condition {
    /// The condition that everything fulfils.
    pub(super) fn none(feature: FeatureId) -> Self {
        Self {
            feature,
            above: None,
            below: None,
            categories: None,
            present: Truth::True,
            missing: Truth::True,
            unknown: Truth::True,
        }
    }

    /// Also demands that a test sends the value this way.
    pub(super) fn narrow(&mut self, node: NodeId, test: &PlainTest, branch: Branch) {
        self.missing = self.missing.and(branch.truth(test.missing));
        self.unknown = self.unknown.and(branch.truth(test.unknown));
        match &test.present {
            PresentValues::All(outcome) => self.present = self.present.and(branch.truth(*outcome)),
            PresentValues::Numbers(zone) => {
                for comparison in branch.comparisons(*zone) {
                    self.compare(node, comparison);
                }
            }
            PresentValues::Categories { known, unseen } => {
                let truths = self.categories.get_or_insert_with(|| CategoryTruths {
                    known: Vec::new(),
                    unseen: Truth::True,
                });
                let n_ids = truths.known.len().max(known.len());
                truths.known.resize(n_ids, truths.unseen);
                for (id, truth) in truths.known.iter_mut().enumerate() {
                    *truth = truth.and(branch.truth(*known.get(id).unwrap_or(unseen)));
                }
                truths.unseen = truths.unseen.and(branch.truth(*unseen));
            }
        }
    }

    /// Several bounds above which a number must lie become the highest edges, several below which
    /// it must lie the lowest.
    fn compare(&mut self, node: NodeId, comparison: Comparison) {
        let (bound, edges, highest) = match comparison {
            Comparison::Above(edges) => (&mut self.above, edges, true),
            Comparison::Below(edges) => (&mut self.below, edges, false),
        };
        let [lower, upper] = edges.map(|at| Edge { at, node });
        let Some(bound) = bound else {
            *bound = Some(Bound { lower, upper });
            return;
        };
        for (edge, new) in [(&mut bound.lower, lower), (&mut bound.upper, upper)] {
            if if highest { new.at > edge.at } else { new.at < edge.at } {
                *edge = new;
            }
        }
    }

    /// The feature.
    #[must_use]
    pub fn feature(&self) -> FeatureId {
        self.feature
    }

    /// Numbers must lie above it; `None` without such a test.
    #[must_use]
    pub fn above(&self) -> Option<Bound> {
        self.above
    }

    /// Numbers must lie below it; `None` without such a test.
    #[must_use]
    pub fn below(&self) -> Option<Bound> {
        self.below
    }

    /// The truth values of categories; `None` without a test of them.
    #[must_use]
    pub fn categories(&self) -> Option<&CategoryTruths> {
        self.categories.as_ref()
    }

    /// The truth of every value that is present, before bounds and categories are looked at.
    #[must_use]
    pub fn present(&self) -> Truth {
        self.present
    }

    /// The truth of a missing value.
    #[must_use]
    pub fn missing(&self) -> Truth {
        self.missing
    }

    /// The truth of a value that nobody could read.
    #[must_use]
    pub fn unknown(&self) -> Truth {
        self.unknown
    }

    /// The truth of a value.
    #[must_use]
    pub fn truth(&self, x: f64) -> Truth {
        if is_unknown_value(x) {
            return self.unknown;
        }
        if x.is_nan() {
            return self.missing;
        }
        let above = self.above.map_or(Truth::True, |bound| bound.is_above(x));
        let below = self.below.map_or(Truth::True, |bound| !bound.is_above(x));
        let category = self.categories.as_ref().map_or(Truth::True, |truths| truths.of(x));
        self.present.and(above).and(below).and(category)
    }

    /// True if some value makes it true: a number, a category of the feature or one that nobody
    /// knows, or none.
    #[must_use]
    pub fn can_be_true(&self, kind: &FeatureKind) -> bool {
        if self.missing.max(self.unknown) == Truth::True {
            return true;
        }
        let is_true = |x: f64| self.truth(x) == Truth::True;
        match kind {
            // The largest number below one bound lies above the other, or none does.
            FeatureKind::Number => {
                let highest = self.below.map_or(f64::MAX, |bound| bound.lower.at.min(f64::MAX));
                highest.is_finite() && is_true(highest)
            }
            FeatureKind::Categories(names) => {
                let unseen = self.categories.as_ref().is_none_or(|t| t.unseen == Truth::True);
                (unseen && self.present == Truth::True)
                    || (0..names.len()).any(|id| is_true(id as f64))
            }
            FeatureKind::Ordered(names) => (0..names.len()).any(|rank| is_true(rank as f64)),
        }
    }
}

impl Bound {
    /// Whether a number lies above the edge.
    #[must_use]
    pub fn is_above(self, x: f64) -> Truth {
        if x > self.upper.at {
            Truth::True
        } else if x <= self.lower.at {
            Truth::False
        } else {
            Truth::Undecided
        }
    }
}

impl CategoryTruths {
    /// The truth of a category's id.
    #[must_use]
    pub fn of(&self, x: f64) -> Truth {
        let id = x as u32;
        let known = self.known.get(id as usize).filter(|_| f64::from(id) == x);
        known.copied().unwrap_or(self.unseen)
    }
}

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

/// A truth value. In ascending order, so that `min` is *and* and `max` is *or*.
///
/// ```
/// use ternwood::rules::Truth::{False, True, Undecided};
///
/// assert_eq!(True.and(Undecided), Undecided);
/// assert_eq!(False.and(Undecided), False);
/// assert_eq!(!Undecided, Undecided);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
pub enum Truth {
    /// It does not hold.
    False = -1,
    /// It may hold or not.
    Undecided = 0,
    /// It holds.
    True = 1,
}

impl Truth {
    /// True if both are, False if either is.
    #[must_use]
    #[inline]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// True if either is, False if both are.
    #[must_use]
    #[inline]
    pub fn or(self, other: Self) -> Self {
        self.max(other)
    }

    /// `"false"`, `"undecided"` or `"true"`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::False => "false",
            Self::Undecided => "undecided",
            Self::True => "true",
        }
    }
}

impl Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::Undecided => Self::Undecided,
            Self::True => Self::False,
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Truth::{self, False, True, Undecided};

    const ALL: [Truth; 3] = [False, Undecided, True];

    #[test]
    fn kleenes_tables() {
        let and = [[False; 3], [False, Undecided, Undecided], [False, Undecided, True]];
        let or = [[False, Undecided, True], [Undecided, Undecided, True], [True; 3]];
        for (row, a) in ALL.into_iter().enumerate() {
            assert_eq!(ALL.map(|b| a.and(b)), and[row]);
            assert_eq!(ALL.map(|b| a.or(b)), or[row]);
        }
        assert_eq!(ALL.map(|a| !a), [True, Undecided, False]);
    }
}
