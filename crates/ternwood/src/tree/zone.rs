//! A threshold with an uncertainty zone around it: the numeric cut of a test.
//!
//! Defines the side of a value that lies exactly on an edge.

use crate::error::{ErrorKind, Result};

/// A threshold and the half-width of the zone around it.
///
/// ```text
///     Below        |       Within       |        Above
///  x <= lower      |  lower < x <= upper |     x > upper
/// ---------------lower----threshold----upper-----------------> x
/// ```
///
/// With half-width 0 nothing is ever within, and the test is CART's `x <= threshold`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Zone {
    threshold: f64,
    half_width: f64,
}

/// The edges of a zone, computed once to compare many values with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Edges {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

impl Edges {
    /// True if `x` is within the zone; a missing value is not.
    #[inline]
    pub(crate) fn contain(self, x: f64) -> bool {
        x > self.lower && x <= self.upper
    }

    /// The side of `x`: a value on the lower edge is below, one on the upper edge within.
    #[inline]
    pub(crate) fn side(self, x: f64) -> Side {
        if x <= self.lower {
            Side::Below
        } else if x > self.upper {
            Side::Above
        } else {
            Side::Within
        }
    }
}

/// The position of a value relative to a [`Zone`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// At or below the zone's lower edge: the left child.
    Below,
    /// Inside the zone: undecided.
    Within,
    /// Above the zone's upper edge: the right child.
    Above,
}

impl Side {
    /// `"below"`, `"within"` or `"above"`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Below => "below",
            Self::Within => "within",
            Self::Above => "above",
        }
    }
}

impl Zone {
    /// A zone of `half_width` on both sides of `threshold`.
    ///
    /// # Errors
    /// A threshold that is not finite, or a half-width that is negative or not finite.
    pub fn new(threshold: f64, half_width: f64) -> Result<Self> {
        let problem = if !threshold.is_finite() {
            format!("the threshold is {threshold}; it must be finite")
        } else if !(half_width.is_finite() && half_width >= 0.0) {
            format!("the half-width is {half_width}; it must be finite and not negative")
        } else {
            return Ok(Self { threshold, half_width });
        };
        Err(ErrorKind::Zone { problem }.into())
    }

    /// A plain threshold: no zone around it.
    ///
    /// # Errors
    /// A threshold that is not finite.
    pub fn crisp(threshold: f64) -> Result<Self> {
        Self::new(threshold, 0.0)
    }

    /// Without checks, for values computed from valid data.
    pub(crate) fn from_checked(threshold: f64, half_width: f64) -> Self {
        debug_assert!(threshold.is_finite() && half_width.is_finite() && half_width >= 0.0);
        Self { threshold, half_width }
    }

    /// The threshold.
    #[must_use]
    pub fn threshold(self) -> f64 {
        self.threshold
    }

    /// The distance from the threshold to either edge.
    #[must_use]
    pub fn half_width(self) -> f64 {
        self.half_width
    }

    /// `threshold - half_width`. May be negative infinity for the largest numbers.
    #[must_use]
    #[inline]
    pub fn lower(self) -> f64 {
        self.threshold - self.half_width
    }

    /// `threshold + half_width`. May be infinity for the largest numbers.
    #[must_use]
    #[inline]
    pub fn upper(self) -> f64 {
        self.threshold + self.half_width
    }

    /// Where a value changes its side: the lower edge, the threshold and the upper edge.
    pub(crate) fn cuts(self) -> [f64; 3] {
        [self.lower(), self.threshold, self.upper()]
    }

    /// The same threshold with another half-width.
    #[must_use]
    pub(crate) fn with_half_width(self, half_width: f64) -> Self {
        Self::from_checked(self.threshold, half_width)
    }

    /// CART's test `x <= threshold`, which ignores the zone.
    #[must_use]
    #[inline]
    pub fn goes_left(self, x: f64) -> bool {
        x <= self.threshold
    }

    /// The side of `x`. The zone is open below and closed above.
    #[must_use]
    #[inline]
    pub fn side(self, x: f64) -> Side {
        self.edges().side(x)
    }

    /// The edges of the zone.
    #[inline]
    pub(crate) fn edges(self) -> Edges {
        Edges { lower: self.lower(), upper: self.upper() }
    }

    /// Both edges at the threshold, as if the half-width were 0.
    #[inline]
    pub(crate) fn crisp_edges(self) -> Edges {
        Edges { lower: self.threshold, upper: self.threshold }
    }

    /// The left child's weight for a value within the zone: 1 at the lower edge, 0 at the upper.
    ///
    /// The right child's is `1 - left_weight`. Outside the zone, or if the half-width is 0, the
    /// result is meaningless, but still in `[0, 1]`.
    #[must_use]
    #[inline]
    pub fn left_weight(self, x: f64) -> f64 {
        let width = 2.0 * self.half_width;
        let weight = (self.upper() - x) / width;
        // If the width overflowed, every x would get weight 0.
        if weight.is_finite() && width.is_finite() {
            weight.clamp(0.0, 1.0)
        } else {
            self.left_weight_of_extremes(x)
        }
    }

    /// The left child's weight for numbers so large that an edge or the width overflows.
    #[cold]
    fn left_weight_of_extremes(self, x: f64) -> f64 {
        let offset = (0.5 * self.threshold - 0.5 * x) / self.half_width;
        if offset.is_nan() { 0.5 } else { (0.5 + offset).clamp(0.0, 1.0) }
    }

    /// The factor on the half-width at which the zone just reaches `x`.
    ///
    /// `(x - threshold) / half_width` above the threshold; at or below it the next number above
    /// `(threshold - x) / half_width`, because the zone is open below. Infinite if the half-width
    /// is 0. With the half-width scaled by `m`, `x` is within the zone iff its distance is `<= m`,
    /// up to rounding of a few ulp at the edge.
    #[must_use]
    pub fn distance(self, x: f64) -> f64 {
        if self.half_width == 0.0 {
            return f64::INFINITY;
        }
        let gap = (x - self.threshold).abs();
        let distance = if gap.is_finite() {
            gap / self.half_width
        } else {
            (0.5 * x - 0.5 * self.threshold).abs() / (0.5 * self.half_width)
        };
        if self.goes_left(x) { distance.next_up() } else { distance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn zone(threshold: f64, half_width: f64) -> Zone {
        Zone::new(threshold, half_width).unwrap()
    }

    #[test]
    fn the_lower_edge_is_outside_and_the_upper_edge_inside() {
        let zone = zone(10.0, 2.0);
        assert_eq!(zone.side(8.0), Side::Below);
        assert_eq!(zone.side(8.0f64.next_up()), Side::Within);
        assert_eq!(zone.side(10.0), Side::Within);
        assert_eq!(zone.side(12.0), Side::Within);
        assert_eq!(zone.side(12.0f64.next_up()), Side::Above);
    }

    #[test]
    fn weights_fall_linearly_from_the_lower_to_the_upper_edge() {
        // lower = 8, upper = 12: (12 - x) / 4
        let zone = zone(10.0, 2.0);
        for (x, weight) in [(8.5, 0.875), (9.0, 0.75), (10.0, 0.5), (11.0, 0.25), (12.0, 0.0)] {
            assert_eq!(zone.left_weight(x), weight);
        }
    }

    #[test]
    fn distance_counts_half_widths_and_the_lower_edge_is_just_outside() {
        let zone = zone(10.0, 2.0);
        assert_eq!(zone.distance(13.0), 1.5);
        assert_eq!(zone.distance(12.0), 1.0);
        assert_eq!(zone.distance(8.0), 1.0f64.next_up());
        assert_eq!(zone.distance(10.0), 0.0f64.next_up());
        assert_eq!(Zone::crisp(10.0).unwrap().distance(10.0), f64::INFINITY);
    }

    #[test]
    fn bad_numbers_are_refused() {
        for (threshold, half_width) in [
            (f64::NAN, 1.0),
            (f64::INFINITY, 1.0),
            (0.0, -1.0),
            (0.0, f64::NAN),
            (0.0, f64::INFINITY),
        ] {
            assert!(Zone::new(threshold, half_width).is_err(), "{threshold} ± {half_width}");
        }
    }

    fn any_finite() -> impl Strategy<Value = f64> {
        any::<f64>().prop_filter("finite", |x| x.is_finite())
    }

    proptest! {
        #[test]
        fn answers_are_finite_for_all_finite_numbers(
            threshold in any_finite(), half_width in any_finite(), x in any_finite(),
        ) {
            let zone = zone(threshold, half_width.abs());
            let weight = zone.left_weight(x);
            prop_assert!((0.0..=1.0).contains(&weight), "{weight}");
            prop_assert!(zone.distance(x) >= 0.0);
        }

        #[test]
        fn without_width_nothing_is_within(threshold in any_finite(), x in any_finite()) {
            let zone = Zone::crisp(threshold).unwrap();
            prop_assert_eq!(zone.side(x) == Side::Below, zone.goes_left(x));
            prop_assert_ne!(zone.side(x), Side::Within);
        }

        #[test]
        fn distance_tells_the_side_at_every_scale(
            threshold in -1e3..1e3f64, half_width in 1e-3..1e2f64, x in -1e3..1e3f64, scale in 0.0..10.0f64,
        ) {
            let distance = zone(threshold, half_width).distance(x);
            // A few ulp at the edge are not promised.
            prop_assume!((distance - scale).abs() > 1e-9 * (1.0 + threshold.abs() / half_width));
            let scaled = zone(threshold, half_width * scale);
            prop_assert_eq!(scaled.side(x) == Side::Within, distance <= scale);
        }
    }
}
