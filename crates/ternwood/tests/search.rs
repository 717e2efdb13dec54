//! Does branch and bound on bins find the same tree as sorted columns, split by split?
//!
//! Large trees are compared with those of sorted columns. Small ones, which use bins only on
//! request, are also compared with the brute-force tree.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use std::sync::Arc;
use support::naive::Naive;
use support::numbers::Numbers;
use support::sample::Sample;
use support::searches::{EXECS, every_kind};
use support::{soak, strategies};
use ternwood::grow::{Grower, Search};
use ternwood::recipe::{ClassWeight, Criterion, RowCount, ZoneParams};
use ternwood::{Columns, Dataset, DatasetView, Exec, Labels, Matrix, Tree, TreeParams, ZoneKind};

/// Every kind of column that bins must handle: continuous, few values, integers, skewed,
/// constant, almost all equal, a copy of another, huge and tiny.
fn data(n_rows: usize, n_classes: u32, seed: u64) -> Dataset {
    let mut numbers = Numbers::new(seed);
    let classes: Vec<u32> =
        (0..n_rows).map(|_| (numbers.unit() * f64::from(n_classes)) as u32).collect();
    let mut values = Vec::new();
    for column in 0..9 {
        for row in 0..n_rows {
            let class = f64::from(classes[row]);
            let smooth = numbers.normal() + 0.8 * class * f64::from(column % 3);
            values.push(match column {
                0 | 1 => smooth,
                2 => (smooth * 2.0).round(),
                3 => (smooth * 40.0).round(),
                4 => (smooth * 3.0).exp().min(1e300),
                5 => 7.0,
                6 if row % 997 == 0 => smooth,
                6 => 0.0,
                7 => values[row],
                _ => smooth * if row % 2 == 0 { 1e300 } else { 1e-300 },
            });
        }
    }
    let columns = Columns::from_columns(values, 9).unwrap();
    let names = (0..n_classes).map(|class| (class as i32).into()).collect();
    Dataset::new(columns, Labels::from_ids(classes, names).unwrap()).unwrap()
}

/// A sample with some rows repeated, and parameters that let the tree grow.
fn cases() -> impl Strategy<Value = (Sample, TreeParams)> {
    let again = prop::collection::vec(any::<prop::sample::Index>(), 0..30);
    (strategies::samples(90), again).prop_flat_map(|(sample, again)| {
        let n_rows = sample.rows.len();
        let order: Vec<usize> = (0..n_rows).chain(again.iter().map(|i| i.index(n_rows))).collect();
        let zone = strategies::zones(strategies::deterministic_kinds(sample.n_features()));
        let params = prop_oneof![
            3 => strategies::plain_params(sample.n_classes),
            1 => strategies::params(sample.n_classes),
        ];
        (Just(sample.rearranged(&order)), params, zone)
            .prop_map(|(sample, params, zone)| (sample, TreeParams { zone, ..params }))
    })
}

proptest! {
    #![proptest_config(soak::cases(600))]

    #[test]
    fn bins_grow_the_brute_force_tree(
        (sample, params) in cases(), bins in 2..=16usize, threads in 0..2usize,
    ) {
        let (data, checked) = (sample.dataset(), params.clone().check().unwrap());
        let naive = Naive::new(&sample, &params, false);
        let expected = naive.grow();
        let grow = |search| {
            let grower = Grower::new(&data, &checked).unwrap().search(search);
            grower.grow_two_child(&EXECS[threads]).unwrap()
        };
        let sorted = grow(Search::Sorted);
        for search in [Search::Sorted, Search::Fast, Search::BinsOnly(bins)] {
            let grown = grow(search);
            let outcome = expected.compare(&naive, &grown.with_zones(&params.zone).unwrap());
            prop_assert!(outcome.is_ok(), "{:?}: {}", search, outcome.unwrap_err());
            for kind in every_kind(sample.n_features()) {
                let zone = ZoneParams::from(kind);
                let [one, other] = [&grown, &sorted].map(|grown| grown.with_zones(&zone).unwrap());
                prop_assert_eq!(one, other, "{:?}, {:?}", search, zone);
            }
        }
    }

    #[test]
    fn bins_grow_the_brute_force_three_child_tree(
        (sample, params) in cases(), bins in 2..=16usize, threads in 0..2usize,
    ) {
        let data = sample.dataset();
        let grow = |params: &TreeParams, search| {
            let checked = params.clone().check().unwrap();
            let grower = Grower::new(&data, &checked).unwrap().search(search);
            grower.grow_three_child(&EXECS[threads]).unwrap()
        };
        let naive = Naive::new(&sample, &params, true);
        let expected = naive.grow();
        for search in [Search::Sorted, Search::Fast, Search::BinsOnly(bins)] {
            let outcome = expected.compare(&naive, &grow(&params, search));
            prop_assert!(outcome.is_ok(), "{:?}: {}", search, outcome.unwrap_err());
        }
        for kind in every_kind(sample.n_features()) {
            let params = params.clone().with_zone(kind);
            let [one, other] =
                [Search::BinsOnly(bins), Search::Sorted].map(|search| grow(&params, search));
            prop_assert_eq!(one, other, "{:?}", params.zone);
        }
    }
}

proptest! {
    #![proptest_config(soak::cases(40))]

    /// Branches of 64 rows or more have their own bins, each merged from several old ones.
    #[test]
    fn bins_of_branches_grow_the_tree_of_sorted_columns(
        n_rows in 1_100..3_000usize,
        n_classes in 2..=6u32,
        seed: u64,
        bins in 2..=200usize,
        entropy: bool,
        threads in 0..2usize,
    ) {
        let data = data(n_rows, n_classes, seed);
        let criterion = if entropy { Criterion::Entropy } else { Criterion::Gini };
        let params = TreeParams { criterion, seed, ..TreeParams::default() }.check().unwrap();
        let [one, other] = [Search::BinsOnly(bins), Search::Sorted].map(|search| {
            let grower = Grower::new(&data, &params).unwrap().search(search);
            grower.grow_two_child(&EXECS[threads]).unwrap().with_zones(&params.zone).unwrap()
        });
        prop_assert!(one.n_nodes() > 1);
        prop_assert_eq!(one, other);
    }
}

fn grow(data: &Dataset, params: &TreeParams, search: Search, threads: usize) -> Tree {
    let params = params.clone().check().unwrap();
    let exec = Exec::with_threads(threads).unwrap();
    let grower = Grower::new(data, &params).unwrap().search(search);
    grower.grow_two_child(&exec).unwrap().tree()
}

proptest! {
    #![proptest_config(soak::cases(24))]

    #[test]
    fn fast_and_sorted_search_grow_the_same_tree(
        n_rows in 4_097..12_000usize,
        n_classes in 2..12u32,
        seed: u64,
        entropy: bool,
        balanced: bool,
        min_samples_leaf in prop::sample::select(vec![1, 1, 50]),
        min_weight in prop::sample::select(vec![0.0, 0.0, 0.02]),
        max_depth in prop::sample::select(vec![Some(2), Some(5), None]),
    ) {
        let data = data(n_rows, n_classes, seed);
        let params = TreeParams {
            criterion: if entropy { Criterion::Entropy } else { Criterion::Gini },
            class_weight: if balanced { ClassWeight::Balanced } else { ClassWeight::Uniform },
            min_samples_leaf: RowCount::Count(min_samples_leaf),
            min_weight_fraction_leaf: min_weight,
            max_depth,
            ..TreeParams::default()
        };
        let fast = grow(&data, &params, Search::Fast, 2);
        prop_assert!(fast.n_nodes() > 1);
        prop_assert_eq!(fast, grow(&data, &params, Search::Sorted, 1));
    }
}

#[test]
fn three_child_trees_agree_too() {
    let data = data(9_000, 3, 5);
    for zone in ZoneKind::published() {
        let params = TreeParams { max_depth: Some(5), ..TreeParams::default() }.with_zone(zone);
        let params = params.check().unwrap();
        let grow = |search| {
            Grower::new(&data, &params)
                .unwrap()
                .search(search)
                .grow_three_child(&Exec::default())
                .unwrap()
        };
        assert_eq!(grow(Search::Fast), grow(Search::Sorted), "{:?}", params.zone.kind);
    }
}

#[test]
fn estimators_give_the_same_widths_on_bins_and_sorted_columns() {
    // More rows than narrow blocks hold, so that wide ones are tested too.
    for (n_rows, n_classes) in [(70_000, 2), (30_000, 5)] {
        let data = data(n_rows, n_classes, 3);
        for (criterion, depth) in [(Criterion::Gini, 6), (Criterion::Entropy, 3)] {
            let params = TreeParams { criterion, max_depth: Some(depth), ..TreeParams::default() };
            let params = params.check().unwrap();
            let exec = Exec::with_threads(2).unwrap();
            let grow = |search| {
                let grower = Grower::new(&data, &params).unwrap().search(search);
                grower.grow_two_child(&exec).unwrap()
            };
            let (fast, sorted) = (grow(Search::Fast), grow(Search::Sorted));
            for zone in ZoneKind::published() {
                let zone = zone.into();
                let trees = [&fast, &sorted].map(|grown| grown.with_zones(&zone).unwrap());
                assert_eq!(trees[0], trees[1], "{zone:?}");
            }
        }
    }
}

#[test]
fn the_memory_layout_does_not_matter() {
    let data = data(20_000, 3, 8);
    let by_row: Vec<f64> = (0..data.n_rows()).flat_map(|row| data.columns().row(row)).collect();
    let rows = Matrix::row_major(&by_row, data.n_features()).unwrap();
    let schema = Arc::clone(data.schema());
    let view = DatasetView::new(rows, data.labels(), schema, &Exec::default()).unwrap();
    let params = TreeParams::default().check().unwrap();
    let zone = ZoneKind::Margin.into();
    let from_rows = Grower::new(view, &params).unwrap().grow_two_child(&Exec::default()).unwrap();
    let from_columns =
        Grower::new(&data, &params).unwrap().grow_two_child(&Exec::default()).unwrap();
    assert_eq!(from_rows.with_zones(&zone).unwrap(), from_columns.with_zones(&zone).unwrap());
}

#[test]
fn many_classes_are_searched_on_sorted_columns() {
    // 3,000 classes would need 3 million counts per column; either way the tree is the same.
    let data = data(9_000, 3_000, 11);
    let params = TreeParams { max_depth: Some(3), ..TreeParams::default() };
    let fast = grow(&data, &params, Search::Fast, 2);
    assert_eq!(fast, grow(&data, &params, Search::Sorted, 1));
    assert_eq!(fast.depth(), 3);
}
