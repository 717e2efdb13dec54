//! The share of many values that goes left.

use super::test::{Cut, Test};
use super::zone::{Side, Zone};

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
