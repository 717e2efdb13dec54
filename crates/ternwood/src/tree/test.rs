//! The core idea of the library: a test of one feature that knows where it is unsure.
//!
//! Only this code compares values with splits. Growing, walking, explaining, drawing and
//! exporting all use a [`Test`]. Fast loops use [`Edges`] and [`SoftTest`], which are derived
//! from it and tested against it.

use super::category_cut::CategoryCut;
use super::derived::SoftTest;
use super::tree::FeatureId;
use super::zone::{Edges, Side, Zone};
use crate::dataset::{Feature, FeatureKind, Schema, as_trained, is_unknown_value};
use crate::error::Result;
use std::sync::Arc;

/// A test of one feature: which values go left, which go right, and which are undecided.
///
/// A value is a number, the id of a category, or missing (NaN). It is *unknown* at a test that
/// never saw anything like it: a missing value where none was missing in training, or a category
/// that did not occur. What nobody could read ([`UNKNOWN`](crate::UNKNOWN)) is unknown at every test.
/// An unknown value is undecided under every routing.
///
/// ```
/// use ternwood::tree::{Side, Test, Zone};
///
/// let test = Test::new(0, Zone::new(127.0, 1.0)?);
/// assert_eq!(test.side(126.5), Side::Within);
/// assert_eq!(test.left_share(126.5), 0.75);
/// assert!(test.goes_left(126.5));
/// assert!(test.is_unknown(f64::NAN));
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    feature: FeatureId,
    missing: Missing,
    cut: Cut,
    /// The share of an unknown value that goes left: the left child's share of the weight.
    unknown_left: f64,
}

/// How a test separates left from right.
#[derive(Debug, Clone, PartialEq)]
pub enum Cut {
    /// Numbers up to the threshold go left; those within the zone around it are undecided.
    Threshold {
        /// The threshold and its zone.
        zone: Zone,
    },
    /// Categories on the left of a cut through class shares go left.
    Categories(Arc<CategoryCut>),
    /// Everything that is present goes left, whatever it is.
    Present,
}

/// Where missing values go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Missing {
    /// The test never saw one: both ways, undecided.
    #[default]
    Unknown,
    /// Left, as learned from the training rows.
    Left,
    /// Right, as learned from the training rows.
    Right,
}

/// The categories of a test, by the side they go to. Those with the most rows come first;
/// ordered categories are in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CategorySides {
    /// Those on the left of the cut.
    pub left: Vec<u32>,
    /// Those that cannot be told from the cut. They are on one of its sides as well.
    pub unsure: Vec<u32>,
    /// Those on the right of the cut.
    pub right: Vec<u32>,
}

/// Where a value stands at a test.
enum Place {
    /// At a position relative to a zone.
    At(Zone, f64),
    Left,
    Right,
    Unknown,
}

impl Test {
    /// A test of a feature against a threshold.
    #[must_use]
    pub fn new(feature: u32, zone: Zone) -> Self {
        Self::of(feature, Cut::Threshold { zone })
    }

    /// A test of the category of a feature.
    #[must_use]
    pub fn of_categories(feature: u32, cut: CategoryCut) -> Self {
        Self::of(feature, Cut::Categories(Arc::new(cut)))
    }

    /// A test whether a feature has a value: if so left, if it is missing right.
    #[must_use]
    pub fn is_present(feature: u32) -> Self {
        Self::of(feature, Cut::Present).with_missing(Missing::Right)
    }

    fn of(feature: u32, cut: Cut) -> Self {
        let feature = FeatureId(feature);
        Self { feature, missing: Missing::Unknown, cut, unknown_left: 0.5 }
    }

    /// The same test, with a side for missing values.
    #[must_use]
    pub fn with_missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }

    /// The same test with the share of unknown values that goes left.
    pub(super) fn set_unknown_left(&mut self, share: f64) {
        self.unknown_left = share;
    }

    /// Checks that the test suits its feature: thresholds are for numbers, categories must be
    /// those of the feature.
    pub(crate) fn check_schema(&self, schema: &Schema) -> Result<(), String> {
        let feature = &schema.features()[self.feature.index()];
        let name = &feature.name;
        match (&feature.kind, &self.cut) {
            (FeatureKind::Categories(_), Cut::Threshold { .. }) => {
                Err(format!("'{name}' has categories, which no threshold can separate"))
            }
            (FeatureKind::Categories(names), Cut::Categories(cut)) => {
                cut.check_sizes(names.len(), schema.n_classes())
            }
            (_, Cut::Categories(_)) => {
                Err(format!("'{name}' has no unordered categories to separate"))
            }
            _ => Ok(()),
        }
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

    /// Where missing values go.
    #[must_use]
    pub fn missing(&self) -> Missing {
        self.missing
    }

    /// The share of an unknown value that goes left.
    #[must_use]
    pub fn unknown_left(&self) -> f64 {
        self.unknown_left
    }

    /// The threshold and its zone, if the test compares numbers.
    #[must_use]
    #[inline]
    pub fn zone(&self) -> Option<Zone> {
        match self.cut {
            Cut::Threshold { zone } => Some(zone),
            _ => None,
        }
    }

    /// The categories on their axis, if the test is one of categories.
    #[must_use]
    pub fn categories(&self) -> Option<&CategoryCut> {
        match &self.cut {
            Cut::Categories(cut) => Some(cut),
            _ => None,
        }
    }

    /// True if a zone has a width, so that some known values are undecided.
    #[must_use]
    pub fn has_zone(&self) -> bool {
        match &self.cut {
            Cut::Threshold { zone } => zone.half_width() > 0.0,
            Cut::Categories(cut) => cut.has_zone(),
            Cut::Present => false,
        }
    }

    /// The zone that a value is compared with, and the value's position: a number is its own
    /// position, a category's is on the axis of the cut. `None` where no zone is asked.
    #[must_use]
    pub fn zone_and_position(&self, x: f64) -> Option<(Zone, f64)> {
        match self.place(x) {
            Place::At(zone, position) => Some((zone, position)),
            _ => None,
        }
    }

    #[inline]
    fn place(&self, x: f64) -> Place {
        if x.is_nan() {
            return match self.missing {
                _ if is_unknown_value(x) => Place::Unknown,
                Missing::Left => Place::Left,
                Missing::Right => Place::Right,
                Missing::Unknown => Place::Unknown,
            };
        }
        match &self.cut {
            Cut::Threshold { zone } => Place::At(*zone, x),
            Cut::Categories(cut) => {
                let at = |place| Place::At(cut.zone(place), place.position);
                cut.place(x).map_or(Place::Unknown, at)
            }
            Cut::Present => Place::Left,
        }
    }

    /// True if the test never saw a value like this one, or nobody could read it.
    #[must_use]
    #[inline]
    pub fn is_unknown(&self, x: f64) -> bool {
        matches!(self.place(x), Place::Unknown)
    }

    /// The side of a value. An unknown one is within.
    #[must_use]
    #[inline]
    pub fn side(&self, x: f64) -> Side {
        match self.place(x) {
            Place::At(zone, position) => zone.side(position),
            Place::Left => Side::Below,
            Place::Right => Side::Above,
            Place::Unknown => Side::Within,
        }
    }

    /// True if a value goes left when zones are ignored. An unknown one goes to the heavier child,
    /// left on ties.
    #[must_use]
    #[inline]
    pub fn goes_left(&self, x: f64) -> bool {
        match self.place(x) {
            Place::At(zone, position) => zone.goes_left(position),
            Place::Left => true,
            Place::Right => false,
            Place::Unknown => self.unknown_left >= 0.5,
        }
    }

    /// The side of a training row: by the threshold alone, or by the zone if zones shape the tree.
    /// A row whose value is unknown trains neither side.
    #[inline]
    pub(crate) fn training_side(&self, x: f64, use_zones: bool) -> Side {
        match self.place(as_trained(x)) {
            Place::At(zone, position) if use_zones => zone.side(position),
            Place::At(zone, position) if zone.goes_left(position) => Side::Below,
            Place::Left => Side::Below,
            Place::At(..) | Place::Right => Side::Above,
            Place::Unknown => Side::Within,
        }
    }

    /// The share of a row with this value that goes left: 1 below the zone, 0 above, linear within.
    #[must_use]
    #[inline]
    pub fn left_share(&self, x: f64) -> f64 {
        match self.place(x) {
            Place::At(zone, position) => match zone.side(position) {
                Side::Below => 1.0,
                Side::Within => zone.left_weight(position),
                Side::Above => 0.0,
            },
            Place::Left => 1.0,
            Place::Right => 0.0,
            Place::Unknown => self.unknown_left,
        }
    }

    /// The factor by which the zone must be scaled to just reach a value: see
    /// [`Zone::distance`]. 0 if the value is unknown, infinite if no zone is asked.
    #[must_use]
    pub fn distance(&self, x: f64) -> f64 {
        match self.place(x) {
            Place::At(zone, position) => zone.distance(position),
            Place::Left | Place::Right => f64::INFINITY,
            Place::Unknown => 0.0,
        }
    }

    /// The same test with another half-width. Only thresholds have one.
    #[must_use]
    pub(crate) fn with_half_width(mut self, half_width: f64) -> Self {
        if let Cut::Threshold { zone } = &mut self.cut {
            *zone = zone.with_half_width(half_width);
        }
        self
    }

    /// The same test with its half-width multiplied by `scale`, or with categories within `error`
    /// standard errors of the cut undecided.
    #[must_use]
    pub(crate) fn scaled(mut self, scale: f64, error: f64) -> Self {
        match &mut self.cut {
            Cut::Threshold { zone } => {
                *zone = zone.with_half_width((zone.half_width() * scale).min(f64::MAX));
            }
            Cut::Categories(cut) if cut.error() != error => *cut = Arc::new(cut.with_error(error)),
            Cut::Categories(_) | Cut::Present => {}
        }
        self
    }

    /// The categories on each side; none for a test of numbers, or whether there is a value.
    #[must_use]
    pub fn category_sides(&self, schema: &Schema) -> CategorySides {
        let ids: Vec<u32> = match (self.cut(), &self.feature_of(schema).kind) {
            (Cut::Categories(cut), _) => {
                let mut places: Vec<_> = cut.places().iter().collect();
                places.sort_by_key(|place| (std::cmp::Reverse(place.rows), place.category));
                places.iter().map(|place| place.category).collect()
            }
            (Cut::Threshold { .. }, FeatureKind::Ordered(names)) => {
                (0..names.len() as u32).collect()
            }
            _ => Vec::new(),
        };
        let mut sides = CategorySides::default();
        for id in ids {
            let value = f64::from(id);
            if self.side(value) == Side::Within {
                sides.unsure.push(id);
            }
            if self.goes_left(value) { &mut sides.left } else { &mut sides.right }.push(id);
        }
        sides
    }

    pub(crate) fn feature_of<'s>(&self, schema: &'s Schema) -> &'s Feature {
        &schema.features()[self.feature().index()]
    }

    /// For fast loops over numbers: the edges of the zone, or the threshold twice if zones are
    /// ignored. `None` for other cuts.
    #[inline]
    pub(crate) fn edges(&self, use_zones: bool) -> Option<Edges> {
        let zone = self.zone()?;
        Some(if use_zones { zone.edges() } else { zone.crisp_edges() })
    }

    /// For fast loops: [`left_share`](Self::left_share) of many values.
    pub(crate) fn soft(&self) -> SoftTest {
        SoftTest::new(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::test_strategies::{any_test_and_value, test_and_value};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn edges_tell_the_side((test, x) in test_and_value()) {
            prop_assert_eq!(test.edges(true).unwrap().side(x), test.side(x));
            let crisp = if test.goes_left(x) { Side::Below } else { Side::Above };
            prop_assert_eq!(test.edges(false).unwrap().side(x), crisp);
        }

        #[test]
        fn a_soft_test_gives_the_left_share((test, x) in any_test_and_value()) {
            let x = as_trained(x);
            let ([soft], exact) = (test.soft().left_shares(&[x]), test.left_share(x));
            // Multiplying by a reciprocal instead of dividing: two roundings of a number up to 1.
            prop_assert!((soft - exact).abs() <= 2.0 * f64::EPSILON, "{soft} is not {exact}");
            if test.side(x) != Side::Within {
                prop_assert_eq!(soft, exact);
            }
        }

        #[test]
        fn sides_shares_and_distances_agree((test, x) in any_test_and_value()) {
            let (side, share) = (test.side(x), test.left_share(x));
            prop_assert!((0.0..=1.0).contains(&share));
            prop_assert!(side != Side::Below || (share == 1.0 && test.goes_left(x)));
            prop_assert!(side != Side::Above || (share == 0.0 && !test.goes_left(x)));
            let trains = test.training_side(x, false);
            if is_unknown_value(x) {
                prop_assert!(test.is_unknown(x));
                prop_assert_eq!(trains, test.training_side(f64::NAN, false));
            }
            if test.is_unknown(x) {
                prop_assert_eq!((side, test.distance(x)), (Side::Within, 0.0));
                prop_assert_eq!(share, test.unknown_left());
                prop_assert!(trains == Side::Within || is_unknown_value(x));
                prop_assert_eq!(test.goes_left(x), share >= 0.5);
                return Ok(());
            }
            prop_assert!(test.has_zone() || side != Side::Within);
            prop_assert!(test.has_zone() || test.distance(x) == f64::INFINITY);
            prop_assert_eq!(trains == Side::Below, test.goes_left(x));
            prop_assert_eq!(test.training_side(x, true), side);
        }
    }
}
