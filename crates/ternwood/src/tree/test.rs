//! The core idea of the library: a test of one feature that knows where it is unsure.
//!
//! Only this code compares values with splits. Growing, walking, explaining, drawing and
//! exporting all use a [`Test`]. Fast loops use [`Edges`] and [`SoftTest`], which are derived
//! from it and tested against it.

use super::node::FeatureId;
use super::zone::{Edges, Side, SoftTest, Zone};
use crate::error::{ErrorKind, Result};

/// A test of one feature: which values go left, which go right, and which are undecided.
///
/// ```
/// use ternwood::tree::{Side, Test, Zone};
///
/// let test = Test::new(0, Zone::new(127.0, 1.0)?);
/// assert_eq!(test.side(126.5), Side::Within);
/// assert_eq!(test.left_share(126.5), 0.75);
/// assert!(test.goes_left(126.5));
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    feature: FeatureId,
    cut: Cut,
}

/// How a test separates left from right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cut {
    /// Numbers up to the threshold go left; those within the zone around it are undecided.
    Threshold {
        /// The threshold and its zone.
        zone: Zone,
        /// The training values next to the threshold, on its left and on its right; `None` for
        /// tests that were not learned.
        between: Option<[f64; 2]>,
    },
}

impl Test {
    /// A test of a feature against a threshold.
    #[must_use]
    pub fn new(feature: u32, zone: Zone) -> Self {
        Self { feature: FeatureId(feature), cut: Cut::Threshold { zone, between: None } }
    }

    /// The same test, with the training values next to its threshold.
    ///
    /// # Errors
    /// Values that are not finite or not on their side of the threshold.
    pub fn with_neighbours(mut self, neighbours: [f64; 2]) -> Result<Self> {
        let Cut::Threshold { zone, between } = &mut self.cut;
        let [left, right] = neighbours;
        let finite = left.is_finite() && right.is_finite();
        if !(finite && zone.goes_left(left) && !zone.goes_left(right)) {
            let problem = format!(
                "its neighbours {left} and {right} do not lie on both sides of {}",
                zone.threshold()
            );
            return Err(ErrorKind::Zone { problem }.into());
        }
        *between = Some(neighbours);
        Ok(self)
    }

    /// A test found by growing, with a threshold between two training values and no zone yet.
    pub(crate) fn learned(feature: u32, threshold: f64, between: [f64; 2]) -> Self {
        let zone = Zone::from_checked(threshold, 0.0);
        // Adding 0 turns -0.0 into 0.0: which zero comes from the data is arbitrary.
        let between = Some(between.map(|x| x + 0.0));
        Self { feature: FeatureId(feature), cut: Cut::Threshold { zone, between } }
    }

    /// The tested feature.
    #[must_use]
    #[inline]
    pub fn feature(&self) -> FeatureId {
        self.feature
    }

    /// How the test separates left from right.
    #[must_use]
    pub fn cut(&self) -> &Cut {
        &self.cut
    }

    /// The threshold and its zone, if the test has a threshold.
    #[must_use]
    #[inline]
    pub fn zone(&self) -> Option<Zone> {
        let Cut::Threshold { zone, .. } = self.cut;
        Some(zone)
    }

    /// True if the zone has a width, so that some values are undecided.
    #[must_use]
    pub fn has_zone(&self) -> bool {
        let Cut::Threshold { zone, .. } = self.cut;
        zone.half_width() > 0.0
    }

    /// The side of a value.
    #[must_use]
    #[inline]
    pub fn side(&self, x: f64) -> Side {
        let Cut::Threshold { zone, .. } = self.cut;
        zone.side(x)
    }

    /// True if a value goes left when zones are ignored.
    #[must_use]
    #[inline]
    pub fn goes_left(&self, x: f64) -> bool {
        let Cut::Threshold { zone, .. } = self.cut;
        zone.goes_left(x)
    }

    /// The share of a row with this value that goes left: 1 below the zone, 0 above, linear within.
    #[must_use]
    #[inline]
    pub fn left_share(&self, x: f64) -> f64 {
        let Cut::Threshold { zone, .. } = self.cut;
        match zone.side(x) {
            Side::Below => 1.0,
            Side::Within => zone.left_weight(x),
            Side::Above => 0.0,
        }
    }

    /// The factor by which the zone must be scaled to just reach a value: see
    /// [`Zone::distance`].
    #[must_use]
    pub fn distance(&self, x: f64) -> f64 {
        let Cut::Threshold { zone, .. } = self.cut;
        zone.distance(x)
    }

    /// The same test with another half-width.
    #[must_use]
    pub(crate) fn with_half_width(mut self, half_width: f64) -> Self {
        let Cut::Threshold { zone, .. } = &mut self.cut;
        *zone = zone.with_half_width(half_width);
        self
    }

    /// The same test with its half-width multiplied by `scale`.
    #[must_use]
    pub(crate) fn scaled(self, scale: f64) -> Self {
        let Cut::Threshold { zone, .. } = self.cut;
        self.with_half_width((zone.half_width() * scale).min(f64::MAX))
    }

    /// For fast loops: the edges of the zone. Both are the threshold if zones are ignored.
    #[inline]
    pub(crate) fn edges(&self, use_zones: bool) -> Edges {
        let Cut::Threshold { zone, .. } = self.cut;
        if use_zones { zone.edges() } else { zone.crisp_edges() }
    }

    /// For fast loops: [`left_share`](Self::left_share) of many values.
    pub(crate) fn soft(&self) -> SoftTest {
        let Cut::Threshold { zone, .. } = self.cut;
        zone.soft_test()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    use proptest::prelude::*;

    /// Any finite number.
    pub(crate) fn number() -> impl Strategy<Value = f64> {
        POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
    }

    /// A test and a value; often the value is one of the test's edges, or next to one.
    pub(crate) fn test_and_value() -> impl Strategy<Value = (Test, f64)> {
        let width = prop_oneof![Just(0.0), number().prop_map(f64::abs)];
        (number(), width, number(), 0usize..8).prop_map(|(threshold, width, value, at)| {
            let zone = Zone::new(threshold, width).unwrap();
            let edges = [threshold, zone.lower(), zone.upper()];
            let near = edges.into_iter().flat_map(|edge| [edge, edge.next_up(), edge.next_down()]);
            let near: Vec<f64> = near.filter(|x| x.is_finite()).collect();
            (Test::new(0, zone), near.get(at).copied().unwrap_or(value))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn edges_tell_the_side((test, x) in test_and_value()) {
            prop_assert_eq!(test.edges(true).side(x), test.side(x));
            let crisp = if test.goes_left(x) { Side::Below } else { Side::Above };
            prop_assert_eq!(test.edges(false).side(x), crisp);
        }

        #[test]
        fn a_soft_test_gives_the_left_share((test, x) in test_and_value()) {
            let (soft, exact) = (test.soft().left_share(x), test.left_share(x));
            // Multiplying by a reciprocal instead of dividing: two roundings of a number up to 1.
            prop_assert!((soft - exact).abs() <= 2.0 * f64::EPSILON, "{soft} is not {exact}");
            if test.side(x) != Side::Within {
                prop_assert_eq!(soft, exact);
            }
        }

        #[test]
        fn sides_shares_and_distances_agree((test, x) in test_and_value()) {
            let (side, share) = (test.side(x), test.left_share(x));
            prop_assert!((0.0..=1.0).contains(&share));
            prop_assert!(side != Side::Below || (share == 1.0 && test.goes_left(x)));
            prop_assert!(side != Side::Above || (share == 0.0 && !test.goes_left(x)));
            prop_assert!(test.has_zone() || side != Side::Within);
            prop_assert!(test.has_zone() || test.distance(x) == f64::INFINITY);
        }
    }

    #[test]
    fn neighbours_lie_on_both_sides() {
        let test = Test::new(0, Zone::crisp(3.0).unwrap());
        assert!(test.clone().with_neighbours([3.0, 4.0]).is_ok());
        for wrong in [[3.5, 4.0], [2.0, 3.0], [f64::NEG_INFINITY, 4.0], [2.0, f64::NAN]] {
            let error = test.clone().with_neighbours(wrong).unwrap_err().to_string();
            assert!(error.contains("do not lie on both sides of 3"), "{error}");
        }
    }
}
