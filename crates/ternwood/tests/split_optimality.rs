//! Is every split the best one, and every zone as wide as defined?
//!
//! Compares the engine's trees with a brute-force tree written straight from the definition, node
//! by node and to the last bit: thresholds, half-widths, counts, impurities.

mod support;

use proptest::prelude::*;
use support::naive::Naive;
use support::sample::Sample;
use support::trees::measured;
use support::{soak, strategies};
use ternwood::grow::Grower;
use ternwood::recipe::{ClassWeight, Criterion};
use ternwood::{Exec, Routing, TreeParams, ZoneKind};

fn check(sample: &Sample, params: &TreeParams, three_child: bool) -> Result<(), String> {
    let naive = Naive::new(sample, params, three_child);
    let routing = if three_child { Routing::HardMiddle } else { Routing::Probabilistic };
    let model = sample.fit(params, routing);
    naive.grow().compare(&naive, &model.trees()[0])
}

/// A sample with parameters and a zone that needs no random numbers.
fn cases(most: usize) -> impl Strategy<Value = (Sample, TreeParams)> {
    strategies::weighted_samples(most).prop_flat_map(|sample| {
        let zone = strategies::zones(strategies::deterministic_kinds(sample.n_features()));
        (Just(sample.clone()), strategies::params(sample.n_classes), zone)
            .prop_map(|(sample, params, zone)| (sample, TreeParams { zone, ..params }))
    })
}

proptest! {
    #![proptest_config(soak::cases(1500))]

    #[test]
    fn a_two_child_tree_is_the_brute_force_tree((sample, params) in cases(50)) {
        let outcome = check(&sample, &params, false);
        prop_assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
    }

    #[test]
    fn a_three_child_tree_is_the_brute_force_tree((sample, params) in cases(50)) {
        let outcome = check(&sample, &params, true);
        prop_assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
    }
}

/// Larger nodes, where the search may take shortcuts that small ones never reach.
#[test]
fn larger_trees_are_the_brute_force_trees() {
    for (seed, n_classes) in [(1, 2), (2, 3), (3, 9)] {
        let mut sample = Sample::generated(seed, 400, n_classes);
        for class_weight in [ClassWeight::Uniform, ClassWeight::Balanced] {
            let params = TreeParams { max_depth: Some(4), class_weight, ..TreeParams::default() };
            for three_child in [false, true] {
                check(&sample, &params, three_child).unwrap();
            }
            sample.weights = Some((0..400).map(|row| f64::from(row % 5) / 2.0).collect());
        }
    }
}

/// Beyond 4,096 rows the search works on bins. One level is enough: every candidate of the root
/// is scored from scratch, in time that grows with the square of the rows.
#[test]
fn the_root_of_many_rows_is_the_brute_force_root() {
    for (seed, criterion) in [(6, Criterion::Gini), (7, Criterion::Entropy)] {
        let mut sample = Sample::generated(seed, 4_200, 3);
        sample.rows.iter_mut().for_each(|row| row.truncate(4));
        let params = TreeParams { criterion, max_depth: Some(1), ..TreeParams::default() };
        check(&sample, &params, false).unwrap();
    }
}

/// Rows that count 0.1 each, in classes of 5 and 7: the total is 0.5 + 0.7000000000000001, a
/// quarter of it 0.30000000000000004. The first six rows weigh 0.5 + 0.1 = 0.6, a hair less than
/// twice that; but three of them weigh 3 * 0.1 = 0.30000000000000004, and the other three
/// 0.2 + 0.1, which is the same. So both halves are legal, and the six can be split.
#[test]
fn a_node_of_twice_the_least_weight_can_be_split() {
    let rows = (0..12).map(|row| vec![f64::from(row)]).collect();
    let classes = vec![0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1];
    let sample = Sample { rows, classes, n_classes: 2, ..Sample::default() };
    let params = TreeParams {
        criterion: Criterion::Entropy,
        class_weight: ClassWeight::Given(vec![0.1; 2]),
        min_weight_fraction_leaf: 0.25,
        ..TreeParams::default()
    };
    check(&sample, &params, false).unwrap();
    assert_eq!(sample.fit(&params, Routing::Crisp).trees()[0].n_leaves(), 3);
}

/// Rows in classes of weight 0 are ignored.
#[test]
fn classes_of_weight_zero_are_ignored() {
    let sample = Sample::generated(4, 120, 3);
    let class_weight = ClassWeight::Given(vec![1.0, 0.0, 2.0]);
    let params = TreeParams { class_weight, max_depth: Some(3), ..TreeParams::default() };
    check(&sample, &params, false).unwrap();
    check(&sample, &params, true).unwrap();
}

/// Estimating another kind of zone on a grown tree equals growing again.
#[test]
fn zones_on_a_grown_tree_are_those_of_a_new_fit() {
    let sample = Sample::generated(5, 300, 3);
    let base = TreeParams { max_depth: Some(4), ..TreeParams::default() };
    let (data, checked) = (sample.dataset(), base.clone().check().unwrap());
    let grown = Grower::new(&data, &checked).unwrap().grow_two_child(&Exec::default()).unwrap();
    for kind in ZoneKind::published().into_iter().chain([ZoneKind::Spread]) {
        let params = base.clone().with_zone(kind);
        let tree = grown.with_zones(&params.zone).unwrap();
        let new = sample.fit(&params, Routing::Deferred);
        assert_eq!(measured(&tree), measured(&new.trees()[0]), "{:?}", params.zone);
    }
}
