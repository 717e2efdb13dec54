//! Random tests and values, for property tests.

use super::{Axis, CategoryCut, CategoryPlace, Missing, Test, Zone};
use crate::dataset::UNKNOWN;
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

/// A cut of up to eight categories, some ids left out.
fn category_cut() -> impl Strategy<Value = CategoryCut> {
    let place = (any::<bool>(), 0.0..1.0f64, 0.0..0.5f64, 0u32..100);
    let places = prop::collection::vec(place, 2..8).prop_map(|places| {
        let places = (0u32..).zip(places).filter(|(_, (kept, ..))| *kept);
        let place = |(category, (_, position, standard_error, rows))| CategoryPlace {
            category,
            rows,
            position,
            standard_error,
        };
        places.map(place).collect::<Vec<_>>()
    });
    let error = prop_oneof![Just(0.0), 0.0..4.0f64];
    (places, 0.0..1.0f64, error).prop_filter_map("one side", |(places, threshold, error)| {
        CategoryCut::new(Axis::ClassShare(1), threshold, error, places).ok()
    })
}

/// Any test, and a value of any kind: a number, a category, one that does not exist, one that cannot
/// be read, or none.
pub(crate) fn any_test_and_value() -> impl Strategy<Value = (Test, f64)> {
    let missing = prop::sample::select(vec![Missing::Unknown, Missing::Left, Missing::Right]);
    let id = prop_oneof![(0u32..9).prop_map(f64::from), Just(f64::NAN), -2.0..9.0f64, Just(1e300)];
    let category = (category_cut(), id).prop_map(|(cut, id)| (Test::of_categories(0, cut), id));
    let gap = test_and_value().prop_map(|(test, _)| (test, f64::NAN));
    let present = prop_oneof![number(), Just(f64::NAN)];
    let present = present.prop_map(|x| (Test::is_present(0), x));
    let learned = (prop_oneof![test_and_value(), gap, category], missing)
        .prop_map(|((test, x), missing)| (test.with_missing(missing), x));
    let any = (prop_oneof![3 => learned, 1 => present], 0.01..1.0f64, 0..6u32);
    any.prop_map(|((mut test, x), share, unreadable)| {
        test.set_unknown_left(share);
        (test, if unreadable == 0 { UNKNOWN } else { x })
    })
}
