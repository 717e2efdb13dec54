//! Is a forest refused before it is too large for memory, and only then?

use peak_alloc::PeakAlloc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use ternwood::fit::FitEvent;
use ternwood::recipe::ForestParams;
use ternwood::{
    Columns, Dataset, Error, ErrorKind, Exec, Feature, Learner, Matrix, Recipe, Schema,
};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Memory is counted for the whole process, so tests run one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Three classes, two numbers and a category, with noise, so that trees are deep.
fn data(rows: u32) -> Dataset {
    let mut state = 7_u64;
    let mut unit = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let classes: Vec<u32> = (0..rows).map(|row| row % 3).collect();
    let values: Vec<f64> = classes
        .iter()
        .flat_map(|&class| [unit() + 0.3 * f64::from(class), unit(), (8.0 * unit()).floor()])
        .collect();
    let names = (0..8).map(|id| format!("c{id}")).collect::<Vec<_>>();
    let features =
        vec![Feature::number("a"), Feature::number("b"), Feature::categories("c", names)];
    let schema = Schema::new(features, (0..3).map(Into::into).collect()).expect("distinct names");
    let columns = Columns::from_rows(&values, 3).expect("whole rows");
    Dataset::with_schema(columns, classes, schema).expect("finite numbers")
}

fn learner(n_trees: u32) -> Learner {
    let forest = ForestParams { n_trees, ..ForestParams::default() };
    Learner::from_recipe(Recipe { ensemble: forest.into(), ..Recipe::forest() })
        .expect("a valid recipe")
}

/// Why a forest is refused.
fn refused(n_trees: u32, limit: u64, data: &Dataset, threads: usize) -> Error {
    let exec = Exec::with_threads(threads).expect("few threads");
    learner(n_trees).with_memory_limit(limit).fit(data, &exec).expect_err("too large")
}

fn needed(error: &Error) -> u64 {
    match error.kind() {
        ErrorKind::ForestTooLarge { needed, .. } => *needed,
        _ => panic!("{error}"),
    }
}

#[test]
fn the_estimate_is_what_the_forest_takes() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let data = data(5000);
    let exec = Exec::default();
    let needed = needed(&refused(40, 0, &data, 1));
    let before = MEMORY.current_usage();
    let model = learner(40).fit(&data, &exec).unwrap();
    // Prediction lays the trees out for walking.
    model.predict(Matrix::from(data.columns()), &exec).unwrap();
    let taken = MEMORY.current_usage() - before;
    let ratio = needed as f64 / taken as f64;
    assert!((0.9..1.2).contains(&ratio), "{needed} bytes were estimated, {taken} are taken");
}

#[test]
fn the_first_tree_tells_for_any_number_of_threads() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let data = data(900);
    let error = refused(50, 1_500_000, &data, 1);
    let ErrorKind::ForestTooLarge { trees: 50, nodes, needed, limit: 1_500_000 } = *error.kind()
    else {
        panic!("{error}");
    };
    let megabytes = needed as f64 / 1e6;
    assert_eq!(
        error.to_string(),
        format!(
            "a forest of 50 trees with about {nodes} nodes each needs about {megabytes:.1} MB of memory, and \
             the limit is 1.5 MB; grow fewer trees, or smaller ones by max_leaf_nodes, min_samples_leaf or \
             max_depth"
        )
    );
    for threads in [2, 7] {
        assert_eq!(refused(50, 1_500_000, &data, threads), error);
    }
    // To the byte, and without a limit of one's own.
    let fit = |learner: Learner| learner.fit(&data, &Exec::default());
    let model = fit(learner(50).with_memory_limit(needed)).unwrap();
    assert_eq!(model.trees()[0].n_nodes(), nodes);
    assert!(fit(learner(50).with_memory_limit(needed - 1)).is_err());
    assert_eq!(fit(learner(50)).unwrap(), model);
}

#[test]
fn nothing_is_grown_after_the_refusal() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let data = data(300);
    let grown = AtomicU64::new(0);
    let count = |event| {
        if let FitEvent::Advance(trees) = event {
            grown.fetch_add(trees, Ordering::Relaxed);
        }
    };
    let learner = learner(1_000_000).with_memory_limit(1 << 30);
    let error = learner.fit_watched(&data, &Exec::default(), &count).unwrap_err();
    assert!(needed(&error) > 1 << 30, "{error}");
    assert_eq!(grown.into_inner(), 0);
}
