//! Does branch and bound on bins find the same tree as sorted columns, split by split?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::soak;
use ternwood::{
    ClassWeight, Columns, Criterion, Dataset, DatasetView, Grower, Labels, RowCount, Rows, Search,
    Tree, TreeParams, Workers, ZoneKind,
};

/// A small generator, so that every case is reproducible from its seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// Columns of every kind the bins must cope with: smooth, few values, whole numbers, skewed,
/// constant, almost all equal, a copy of another, huge and tiny.
fn data(n_rows: usize, n_classes: u32, seed: u64) -> Dataset {
    let mut numbers = Numbers(seed);
    let classes: Vec<u32> =
        (0..n_rows).map(|_| (numbers.next() * f64::from(n_classes)) as u32).collect();
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

fn grow(data: &Dataset, params: &TreeParams, search: Search, threads: usize) -> Tree {
    let params = params.clone().check().unwrap();
    let workers = Workers::new(threads).unwrap();
    let grower = Grower::new(data, &params).unwrap().workers(&workers).search(search);
    grower.grow_two_child().unwrap().tree()
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
            Grower::new(&data, &params).unwrap().search(search).grow_three_child().unwrap()
        };
        assert_eq!(grow(Search::Fast), grow(Search::Sorted), "{:?}", params.zone.kind);
    }
}

#[test]
fn bins_answer_estimators_like_sorted_columns_do() {
    // More rows than narrow blocks hold, so that wide ones are compared too.
    for (n_rows, n_classes) in [(70_000, 2), (30_000, 5)] {
        let data = data(n_rows, n_classes, 3);
        for (criterion, depth) in [(Criterion::Gini, 6), (Criterion::Entropy, 3)] {
            let params = TreeParams { criterion, max_depth: Some(depth), ..TreeParams::default() };
            let params = params.check().unwrap();
            let workers = Workers::new(2).unwrap();
            let grow = |search| {
                let grower = Grower::new(&data, &params).unwrap().workers(&workers);
                grower.search(search).grow_two_child().unwrap()
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
fn the_order_of_memory_does_not_matter() {
    let data = data(20_000, 3, 8);
    let by_row: Vec<f64> = (0..data.n_rows()).flat_map(|row| data.columns().row(row)).collect();
    let rows = Rows::row_major(&by_row, data.n_features()).unwrap();
    let view = DatasetView::new(rows, data.labels(), &Workers::single()).unwrap();
    let params = TreeParams::default().check().unwrap();
    let zone = ZoneKind::Margin.into();
    let from_rows = Grower::new(view, &params).unwrap().grow_two_child().unwrap();
    let from_columns = Grower::new(&data, &params).unwrap().grow_two_child().unwrap();
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
