//! Is a single row answered as among many, without allocating?

mod support;

use peak_alloc::PeakAlloc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use support::policies::catching;
use ternwood::model::RowScratch;
use ternwood::recipe::ForestParams;
use ternwood::{
    Columns, Dataset, ErrorKind, Exec, Feature, Learner, Matrix, Model, Recipe, Schema, TreeParams,
    UNKNOWN,
};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Memory is measured by one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Three classes, two numbers and a category, with noise and gaps, so that trees are deep and some rows are unsure.
fn values(rows: usize) -> Vec<f64> {
    let mut state = 11_u64;
    let mut unit = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let row = |row: usize| {
        let gap = unit() < 0.05;
        let first = unit() + 0.3 * (row % 3) as f64;
        [if gap { f64::NAN } else { first }, unit(), (8.0 * unit()).floor()]
    };
    (0..rows).flat_map(row).collect()
}

fn data(rows: usize) -> Dataset {
    let names: Vec<String> = (0..8).map(|id| format!("c{id}")).collect();
    let features =
        vec![Feature::number("a"), Feature::number("b"), Feature::categories("c", names)];
    let schema = Schema::new(features, (0..3).map(Into::into).collect()).expect("distinct names");
    let columns = Columns::from_rows(&values(rows), 3).expect("whole rows");
    let classes = (0..rows as u32).map(|row| row % 3).collect();
    Dataset::with_schema(columns, classes, schema).expect("finite numbers")
}

/// A tree and a forest, each by its zones and by a policy that looks at probabilities.
fn models() -> Vec<Model> {
    let data = data(2000);
    let forest = ForestParams { n_trees: 20, ..ForestParams::default() };
    let recipes = [Recipe::calibrated(), Recipe { ensemble: forest.into(), ..Recipe::forest() }];
    let fit = |recipe| {
        let learner = Learner::from_recipe(recipe).expect("a valid recipe");
        learner.fit(&data, &Exec::default()).expect("it grows")
    };
    let with_both = |model: Model| {
        let catching = model.clone().with_verdict(catching(1, 0.3, 3)).expect("of three classes");
        [model, catching]
    };
    recipes.into_iter().map(fit).flat_map(with_both).collect()
}

/// Laying out the nodes takes as long as thousands of walks.
#[test]
fn a_tree_is_laid_out_once_not_for_every_prediction() {
    let _alone = alone();
    // Deeper trees are not laid out.
    let params = TreeParams { max_depth: Some(12), ..TreeParams::default() };
    let recipe = Recipe { params, ..Recipe::default() };
    let learner = Learner::from_recipe(recipe).expect("a valid recipe");
    let model = learner.fit(&data(2000), &Exec::default()).expect("it grows");
    let n_nodes = model.trees()[0].n_nodes();
    assert!(n_nodes > 300, "{n_nodes}");
    let row = [0.5, 0.5, 1.0];
    let needed = || {
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        let matrix = Matrix::row_major(&row, 3).expect("a whole row");
        model.predict(matrix, &Exec::default()).expect("finite numbers");
        MEMORY.peak_usage() - before
    };
    let of_layout = 16 * n_nodes;
    assert!(needed() > of_layout, "the first prediction lays out the nodes");
    assert!(needed() < of_layout);
    // A copy has the layout too, also one with another verdict.
    let copy = model.clone().with_verdict(catching(1, 0.3, 3)).expect("of three classes");
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    copy.predict(Matrix::row_major(&row, 3).expect("a whole row"), &Exec::default())
        .expect("finite");
    assert!(MEMORY.peak_usage() - before < of_layout);
}

#[test]
fn a_row_alone_is_answered_as_among_many_without_allocating() {
    let _alone = alone();
    let models = models();
    let mut rows = values(1500);
    // No training row had a gap in the second feature or the category 9; the last cell cannot be read.
    rows.extend([0.5, f64::NAN, 1.0, 0.5, 0.5, 9.0, 0.5, UNKNOWN, 2.0]);
    for model in models {
        let matrix = Matrix::row_major(&rows, 3).expect("whole rows");
        let expected = model.predict(matrix, &Exec::default()).expect("finite numbers");
        let (mut scratch, mut p) = (RowScratch::default(), [0.0; 3]);
        let mut answers = Vec::with_capacity(rows.len() / 3);
        for row in rows.chunks_exact(3) {
            model.predict_row(row, &mut scratch, &mut p).expect("finite numbers");
        }
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        for row in rows.chunks_exact(3) {
            let (class, verdict) =
                model.predict_row(row, &mut scratch, &mut p).expect("finite numbers");
            answers.push((class, verdict, p));
        }
        assert_eq!(MEMORY.peak_usage(), before, "predict_row allocates after it is warm");
        let kind = if !model.ensemble().is_single() { "forest" } else { "tree" };
        let n_undecided = answers.iter().filter(|it| it.1.is_undecided()).count();
        assert!((10..answers.len() - 10).contains(&n_undecided), "{kind}: {n_undecided}");
        for (row, (class, verdict, p)) in answers.into_iter().enumerate() {
            assert_eq!(class, expected.classes()[row], "{kind}, row {row}");
            assert_eq!(verdict, expected.verdicts()[row], "{kind}, row {row}");
            let bits = |p: &[f64]| p.iter().map(|p| p.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&p), bits(expected.distribution(row)), "{kind}, row {row}");
        }
        let mut refused = |row: &[f64], p: &mut [f64]| {
            let done = model.predict_row(row, &mut scratch, p);
            done.expect_err("such a row is refused").kind().clone()
        };
        let short = refused(&[0.5, 0.5], &mut p);
        assert!(matches!(short, ErrorKind::ColumnCount { expected: 3, found: 2 }), "{short:?}");
        let infinite = refused(&[0.5, f64::INFINITY, 1.0], &mut p);
        assert!(matches!(infinite, ErrorKind::NotFinite { column_index: 1, .. }), "{infinite:?}");
        let few = refused(&[0.5, 0.5, 1.0], &mut [0.0; 2]);
        assert!(matches!(few, ErrorKind::Length { expected: 3, found: 2, .. }), "{few:?}");
    }
}
