//! What splits without gain are for, and what they must not do. That each is the first of its
//! ties is compared with brute force, in `split_optimality.rs` and its like.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use support::searches::EXECS;
use ternwood::grow::{Grower, Search};
use ternwood::recipe::Criterion;
use ternwood::tree::{NodeId, Side};
use ternwood::{Columns, Dataset, Exec, Labels, Matrix, Routing, Tree, TreeParams, ZoneKind};

/// A grid of `size` x `size` rows whose class is that of its quadrant: opposite ones are alike, and
/// no single split gains anything.
fn checkerboard(size: usize) -> Dataset {
    let along = |step: usize| (0..size * size).map(move |cell| (cell / step % size) as f64);
    let columns = Columns::from_columns(along(size).chain(along(1)).collect(), 2).unwrap();
    let far = |cell: usize, step: usize| cell / step % size >= size / 2;
    let class = |cell: usize| i32::from(far(cell, size) != far(cell, 1));
    Dataset::new(columns, Labels::from_values((0..size * size).map(class))).unwrap()
}

fn params(criterion: Criterion) -> TreeParams {
    TreeParams { criterion, zero_gain_splits: true, ..TreeParams::default() }
        .with_zone(ZoneKind::None)
}

fn is_right_everywhere(tree: &Tree, data: &Dataset, routing: Routing) -> bool {
    let walker = ternwood::predict::Walker::new(tree, routing).unwrap();
    let answers = walker.predict(Matrix::from(data.columns()), &Exec::default()).unwrap();
    answers.classes() == data.labels()
}

#[test]
fn a_checkerboard_is_learned() {
    // 10 x 10 rows are sorted, 80 x 80 are more than the 4,096 from which bins are used.
    for size in [10, 80] {
        let data = checkerboard(size);
        for criterion in [Criterion::Gini, Criterion::Entropy] {
            let params = params(criterion);
            let checked = params.clone().check().unwrap();
            for exec in EXECS.iter() {
                for search in [Search::Sorted, Search::Fast, Search::BinsOnly(7)] {
                    let grower = || Grower::new(&data, &checked).unwrap().search(search);
                    let two = grower().grow_two_child(exec).unwrap().tree();
                    // The first candidate of the first feature.
                    let root = two.node(NodeId::ROOT).as_split().unwrap();
                    assert_eq!(root.test.feature().0, 0);
                    assert_eq!(root.test.zone().unwrap().threshold(), 0.5);
                    assert!(is_right_everywhere(&two, &data, Routing::Crisp));
                    let three = grower().grow_three_child(exec).unwrap();
                    assert!(is_right_everywhere(&three, &data, Routing::HardMiddle));
                }
            }
            let without = TreeParams { zero_gain_splits: false, ..params.clone() };
            let demanding = TreeParams { min_impurity_decrease: f64::MIN_POSITIVE, ..params };
            for params in [without, demanding] {
                let checked = params.check().unwrap();
                let grown = Grower::new(&data, &checked).unwrap().grow_two_child(&EXECS[0]);
                assert_eq!(grown.unwrap().tree().n_nodes(), 1);
            }
        }
    }
}

/// Where nothing gains, all thresholds are equally good, so the plateau is as wide as the clamp.
#[test]
fn every_zone_of_a_split_without_gain_is_finite() {
    let data = checkerboard(10);
    for kind in ZoneKind::published().into_iter().chain([ZoneKind::Spread]) {
        let params = params(Criterion::Gini).with_zone(kind.clone());
        let checked = params.clone().check().unwrap();
        let grown = Grower::new(&data, &checked).unwrap().grow_two_child(&EXECS[0]).unwrap();
        let tree = grown.with_zones(&params.zone).unwrap();
        let test = &tree.node(NodeId::ROOT).as_split().unwrap().test;
        let half_width = test.zone().unwrap().half_width();
        assert!(half_width.is_finite() && half_width >= 0.0, "{kind:?}: {half_width}");
        if matches!(kind, ZoneKind::QualityPlateau { .. }) {
            assert_eq!(half_width, 0.25 * 9.0);
            assert_eq!(test.side(2.0), Side::Within);
        }
    }
}

/// Leaves are reached last by splits that gain nothing.
#[test]
fn with_a_limit_on_leaves_what_gains_is_split_first() {
    // A checkerboard at x < 10, and beside it two halves that one split tells apart.
    let board = checkerboard(10);
    let row = |row: usize| match row {
        0..100 => board.columns().row(row),
        _ => vec![20.0 + (row % 2) as f64, (row % 10) as f64],
    };
    let rows: Vec<f64> = (0..200).flat_map(row).collect();
    let class = |row: usize| match row {
        0..100 => board.labels()[row] as i32,
        _ => 2 + (row % 2) as i32,
    };
    let labels = Labels::from_values((0..200).map(class));
    let data = Dataset::new(Columns::from_rows(&rows, 2).unwrap(), labels).unwrap();
    let params = TreeParams { max_leaf_nodes: Some(3), ..params(Criterion::Gini) };
    let checked = params.check().unwrap();
    let tree = Grower::new(&data, &checked).unwrap().grow_two_child(&EXECS[0]).unwrap().tree();
    let leaves: Vec<u32> =
        tree.ids().filter(|&id| tree.node(id).is_leaf()).map(|id| tree.rows(id)).collect();
    assert_eq!(leaves, [100, 50, 50]);
}
