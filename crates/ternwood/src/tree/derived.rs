//! Tests in other forms: as plain numbers, which rules, SQL and ONNX write down, and prepared to share out many
//! values.
//!
//! Exports ask for a [`PlainTest`] and nothing else, so a new kind of cut is one change here.

use super::test::{Cut, Test};
use super::zone::{Side, Zone};
use crate::dataset::UNKNOWN;

/// What a test makes of one value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The side of the value; an unknown one is within.
    pub side: Side,
    /// The share that goes left.
    pub left_share: f64,
    /// True if the value goes left when zones are ignored.
    pub goes_left: bool,
    /// True if the test never saw a value like this one, or nobody could read it.
    pub is_unknown: bool,
    /// The factor by which the zone must be scaled to just reach the value.
    pub distance: f64,
}

/// All that a test makes of any value.
#[derive(Debug, Clone, PartialEq)]
pub struct PlainTest {
    /// The index of the tested feature.
    pub feature: usize,
    /// Of a missing value.
    pub missing: Outcome,
    /// Of what nobody could read.
    pub unknown: Outcome,
    /// Of everything else.
    pub present: PresentValues,
}

/// What a test makes of the values that are there.
#[derive(Debug, Clone, PartialEq)]
pub enum PresentValues {
    /// Numbers are compared with a zone.
    Numbers(Zone),
    /// Categories have one outcome each.
    Categories {
        /// By id.
        known: Vec<Outcome>,
        /// Of every other id.
        unseen: Outcome,
    },
    /// All are the same.
    All(Outcome),
}

/// No category has this id.
const NO_CATEGORY: f64 = -1.0;

impl Test {
    /// What the test makes of a value.
    #[must_use]
    pub fn outcome(&self, x: f64) -> Outcome {
        Outcome {
            side: self.side(x),
            left_share: self.left_share(x),
            goes_left: self.goes_left(x),
            is_unknown: self.is_unknown(x),
            distance: self.distance(x),
        }
    }

    /// The test as plain numbers.
    #[must_use]
    pub fn plain(&self) -> PlainTest {
        let present = match self.cut() {
            Cut::Threshold { zone, .. } => PresentValues::Numbers(*zone),
            Cut::Categories(cut) => PresentValues::Categories {
                known: (0..cut.n_ids()).map(|id| self.outcome(id as f64)).collect(),
                unseen: self.outcome(NO_CATEGORY),
            },
            Cut::Present => PresentValues::All(self.outcome(0.0)),
        };
        PlainTest {
            feature: self.feature().index(),
            missing: self.outcome(f64::NAN),
            unknown: self.outcome(UNKNOWN),
            present,
        }
    }
}

impl PlainTest {
    /// What the test makes of a value.
    #[must_use]
    pub fn outcome(&self, x: f64) -> Outcome {
        if crate::dataset::is_unknown_value(x) {
            return self.unknown;
        }
        if x.is_nan() {
            return self.missing;
        }
        match &self.present {
            PresentValues::Numbers(zone) => zone.outcome(x),
            PresentValues::Categories { known, unseen } => {
                let id = x as u32;
                let outcome = known.get(id as usize).filter(|_| f64::from(id) == x);
                *outcome.unwrap_or(unseen)
            }
            PresentValues::All(outcome) => *outcome,
        }
    }
}

impl Zone {
    fn outcome(self, x: f64) -> Outcome {
        let side = self.side(x);
        let left_share = match side {
            Side::Below => 1.0,
            Side::Within => self.left_weight(x),
            Side::Above => 0.0,
        };
        let (goes_left, distance) = (self.goes_left(x), self.distance(x));
        Outcome { side, left_share, goes_left, is_unknown: false, distance }
    }
}

/// A test prepared to give the left child's share of many training values, none of which is
/// [`UNKNOWN`](crate::UNKNOWN).
#[derive(Debug, Clone)]
pub(crate) enum SoftTest {
    /// Numbers.
    Number(SoftZone),
    /// Ids of categories.
    Category(ShareTable),
    /// One share for everything that is present.
    Constant { present: f64, missing: f64 },
}

/// A zone prepared to give the left child's share of any number: 1 below, 0 above.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SoftZone {
    zone: Zone,
    lower: f64,
    upper: f64,
    /// `1 / width`, or 0 if that is not usable.
    per_width: f64,
    missing: f64,
}

/// The left child's share of every category.
#[derive(Debug, Clone)]
pub(crate) struct ShareTable {
    /// By category id.
    shares: Vec<f64>,
    unknown: f64,
    missing: f64,
}

impl SoftTest {
    pub(super) fn new(test: &Test) -> Self {
        let missing = test.left_share(f64::NAN);
        match test.cut() {
            Cut::Threshold { zone, .. } => Self::Number(SoftZone::new(*zone, missing)),
            Cut::Categories(cut) => {
                let shares = (0..cut.n_ids()).map(|id| test.left_share(id as f64)).collect();
                Self::Category(ShareTable { shares, unknown: test.unknown_left(), missing })
            }
            Cut::Present => Self::Constant { present: 1.0, missing },
        }
    }

    /// Writes the left child's share of every value.
    #[inline]
    pub(crate) fn left_shares<const N: usize>(&self, values: &[f64; N]) -> [f64; N] {
        match self {
            Self::Number(zone) => zone.left_shares(values),
            Self::Category(table) => values.map(|x| table.left_share(x)),
            Self::Constant { present, missing } => {
                values.map(|x| if x.is_nan() { *missing } else { *present })
            }
        }
    }
}

impl SoftZone {
    fn new(zone: Zone, missing: f64) -> Self {
        let (lower, upper) = (zone.lower(), zone.upper());
        let per_width = 1.0 / (2.0 * zone.half_width());
        // A zone that is too narrow or too wide has no usable reciprocal.
        let usable = per_width.is_normal() && upper.is_finite() && lower.is_finite();
        Self { zone, lower, upper, per_width: if usable { per_width } else { 0.0 }, missing }
    }

    /// No branch depends on the values, so the loop vectorises. Within the zone the share is
    /// [`Zone::left_weight`] up to rounding.
    #[inline]
    fn left_shares<const N: usize>(&self, values: &[f64; N]) -> [f64; N] {
        if self.per_width > 0.0 {
            values.map(|x| {
                let within = ((self.upper - x) * self.per_width).clamp(0.0, 1.0);
                let not_above = if x > self.upper { 0.0 } else { within };
                let present = if x <= self.lower { 1.0 } else { not_above };
                if x.is_nan() { self.missing } else { present }
            })
        } else {
            values.map(|x| match self.zone.side(x) {
                _ if x.is_nan() => self.missing,
                Side::Below => 1.0,
                Side::Within => self.zone.left_weight(x),
                Side::Above => 0.0,
            })
        }
    }
}

impl ShareTable {
    #[inline]
    fn left_share(&self, x: f64) -> f64 {
        if x.is_nan() {
            return self.missing;
        }
        let id = x as u32;
        let known = self.shares.get(id as usize).filter(|_| f64::from(id) == x);
        known.copied().unwrap_or(self.unknown)
    }
}

#[cfg(test)]
mod tests {
    use crate::tree::test_strategies::any_test_and_value;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn plain_numbers_say_what_the_test_says((test, x) in any_test_and_value()) {
            prop_assert_eq!(test.plain().outcome(x), test.outcome(x));
        }
    }
}
