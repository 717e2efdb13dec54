//! Random tests of every kind, for trees that no data made.

use proptest::prelude::*;
use ternwood::Feature;
use ternwood::dataset::FeatureKind;
use ternwood::tree::{Axis, CategoryCut, CategoryPlace, Cut, Digits, Missing, Test, Zone};

/// Any finite number: subnormal, huge, minus zero.
pub fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
        prop::sample::select(vec![
            -0.0,
            5e-324,
            -2.225073858507201e-308,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::MIN,
            0.1,
            1.0 / 3.0,
        ]),
    ]
}

/// Tests of one of three features: of numbers, and of categories.
#[derive(Debug, Clone)]
pub struct Tests {
    of_numbers: Test,
    /// Those that people see.
    pub digits: Option<Digits>,
    of_categories: Categories,
}

/// The second feature may have three categories. Positions are shares of the length of the axis.
#[derive(Debug, Clone)]
struct Categories {
    /// Rows, position and standard error; `None` for a category that the node did not see.
    places: Vec<Option<(u32, f64, f64)>>,
    threshold: f64,
    error: f64,
    direction: Option<Vec<f64>>,
    class: u32,
}

/// A test of numbers, or one of what is present.
fn tests_of_numbers() -> impl Strategy<Value = Test> {
    let threshold = (0..3u32, finite(), finite()).prop_map(|(feature, threshold, width)| {
        Test::new(feature, Zone::new(threshold, width.abs()).unwrap())
    });
    let sides = prop::sample::select(vec![Missing::Unknown, Missing::Left, Missing::Right]);
    prop_oneof![
        4 => (threshold, sides).prop_map(|(test, missing)| test.with_missing(missing)),
        1 => (0..3u32).prop_map(Test::is_present),
    ]
}

pub fn tests() -> impl Strategy<Value = Tests> {
    let place = prop::option::of((0..99u32, 0.0..=1.0f64, finite().prop_map(f64::abs)));
    let error = prop_oneof![Just(0.0), Just(2.0), 0.0..1e9f64];
    let direction = prop::option::of(prop::collection::vec(finite(), 4));
    let places = prop::collection::vec(place, 3);
    let categories = (places, 0.0..=1.0f64, error, direction, 0..4u32).prop_map(
        |(places, threshold, error, direction, class)| Categories {
            places,
            threshold,
            error,
            direction,
            class,
        },
    );
    // Printed with any or with all digits.
    let digits = prop::option::of((-308..=400i16, [-1..=1i8, -1..=1i8]));
    let digits = digits
        .prop_map(|digits| digits.map(|(decimals, nudges)| Digits::new(decimals, nudges).unwrap()));
    // Boxed, so that lists of them fit the stack of a test that is not optimised.
    (tests_of_numbers().boxed(), digits.boxed(), categories.boxed())
        .prop_map(|(of_numbers, digits, of_categories)| Tests { of_numbers, digits, of_categories })
}

impl Tests {
    /// The test for a feature of this kind.
    pub fn of(&self, features: &[Feature], n_classes: usize) -> Test {
        let (feature, missing) = (self.of_numbers.feature(), self.of_numbers.missing());
        match (&features[feature.index()].kind, self.of_numbers.cut()) {
            (FeatureKind::Categories(_), Cut::Threshold { .. }) => {
                let cut = self.of_categories.cut(n_classes);
                // Perhaps all are on one side, or an error is too large.
                cut.map_or(Test::is_present(feature.0), |cut| {
                    Test::of_categories(feature.0, cut).with_missing(missing)
                })
            }
            _ => self.of_numbers.clone(),
        }
    }
}

impl Categories {
    fn cut(&self, n_classes: usize) -> Option<CategoryCut> {
        let (axis, low, high) = match &self.direction {
            None => (Axis::ClassShare(self.class % n_classes as u32), 0.0, 1.0),
            Some(direction) => {
                let direction = direction[..n_classes].to_vec();
                let low = direction.iter().copied().fold(f64::INFINITY, f64::min);
                let high = direction.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                (Axis::Direction(direction), low, high)
            }
        };
        let along = |t: f64| low * (1.0 - t) + high * t;
        let places = (0..).zip(&self.places).filter_map(|(category, place)| {
            let &(rows, position, standard_error) = place.as_ref()?;
            let position = along(position);
            Some(CategoryPlace { category, rows, position, standard_error })
        });
        CategoryCut::new(axis, along(self.threshold), self.error, places.collect()).ok()
    }
}
