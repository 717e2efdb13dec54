//! Does a model file cost more memory or time than its length allows?
//!
//! Files here are as unkind as the format lets them be. A reader whose work grew with the square of
//! their length would not come to an end.

use peak_alloc::PeakAlloc;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use ternwood::export::{TextOptions, to_dot, to_table, to_text};
use ternwood::{Model, Rows, Workers};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Memory is counted for the whole process, so that one test runs at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file with these features, classes and nodes, each a list in JSON.
fn file(features: &str, classes: &str, nodes: &str) -> String {
    let parameters = r#"{"criterion":"gini","max_depth":null,"min_samples_split":2,"min_samples_leaf":1,"min_weight_fraction_leaf":0.0,"min_samples_middle":5,"max_leaf_nodes":null,"max_features":"all","min_impurity_decrease":0.0,"ccp_alpha":0.0,"class_weight":"uniform","zone":{"kind":{"kind":"margin"},"max_fraction":0.25,"scale":1.0},"seed":0}"#;
    format!(
        "{{\"format\":\"ternwood-model\",\"version\":1,\"features\":{features},\
         \"classes\":{classes},\"routing\":\"probabilistic\",\"parameters\":{parameters},\
         \"nodes\":{nodes}}}"
    )
}

/// A split whose left child is a leaf and whose right child is such a split again, `depth` times.
fn chain(depth: usize) -> String {
    let mut nodes = String::from("[");
    for level in 0..depth {
        let id = 2 * level;
        write!(
            nodes,
            "{{\"feature\":0,\"threshold\":{level},\"half_width\":0.75,\"left\":{},\"right\":{},\
             \"impurity\":0,\"class_weights\":[1]}},{{\"impurity\":0,\"class_weights\":[1]}},",
            id + 1,
            id + 2
        )
        .expect("a string takes all");
    }
    nodes + "{\"impurity\":0,\"class_weights\":[1]}]"
}

/// Reads a file, and tells how many bytes were in use at once for every byte of it.
fn read(text: &str) -> (ternwood::Result<Model>, f64) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let model = Model::from_json(text);
    let used = MEMORY.peak_usage() - before;
    (model, used as f64 / text.len() as f64)
}

/// The smallest node is 35 letters and, with lists that doubled their room, some 500 bytes while
/// it is read; a class weight is two letters, and a class 4 with 3 bytes of name.
const BYTES_PER_LETTER: f64 = 24.0;

#[test]
fn memory_is_bounded_by_the_length_of_the_file() {
    let _alone = alone();
    let list = |item: &str, n: usize| format!("[{}]", vec![item; n].join(","));
    let numbered = |n: usize| {
        let names: Vec<String> = (0..n).map(|i| i.to_string()).collect();
        format!("[{}]", names.join(","))
    };
    let one = r#"[{"name":"a"}]"#;
    let leaf = r#"[{"impurity":0,"class_weights":[1]}]"#;
    let features: Vec<String> = (0..50_000).map(|i| format!("{{\"name\":\"{i}\"}}")).collect();
    let many_weights = format!("[{{\"impurity\":0,\"class_weights\":{}}}]", list("1", 300_000));
    let empty_nodes = list(r#"{"impurity":0,"class_weights":[]}"#, 100_000);
    for (what, good, text) in [
        ("a chain", true, file(one, "[0]", &chain(50_000))),
        ("many leaves", false, file(one, "[0]", &list(&leaf[1..leaf.len() - 1], 100_000))),
        ("many classes", true, file(one, &numbered(300_000), &many_weights)),
        ("more weights than classes", false, file(one, "[0]", &many_weights)),
        ("many features", true, file(&format!("[{}]", features.join(",")), "[0]", leaf)),
        ("equal features", false, file(&list(r#"{"name":"a"}"#, 100_000), "[0]", leaf)),
        ("nodes without classes", false, file(one, "[0]", &empty_nodes)),
        (
            "a long name",
            true,
            file(&format!("[{{\"name\":\"{}\"}}]", "x".repeat(1 << 21)), "[0]", leaf),
        ),
        (
            "a long number",
            true,
            file(one, "[0]", &leaf.replace("[1]", &format!("[1.{}]", "0".repeat(1 << 21)))),
        ),
        ("nothing but brackets", false, "[".repeat(1 << 21)),
    ] {
        let (model, per_letter) = read(&text);
        assert_eq!(model.is_ok(), good, "{what}: {:?}", model.err());
        assert!(per_letter < BYTES_PER_LETTER, "{what}: {per_letter:.1} bytes per letter");
    }
}

/// A tree of nothing but one long path can be used like any other.
#[test]
fn a_chain_of_a_hundred_thousand_tests_is_used_in_time() {
    const DEPTH: usize = 100_000;
    let _alone = alone();
    let model = read(&file(r#"[{"name":"a"}]"#, "[0]", &chain(DEPTH))).0.unwrap();
    assert_eq!(model.tree().depth(), DEPTH);
    let answers = |x: f64| {
        let row = [x];
        model.predict(Rows::row_major(&row, 1).unwrap(), &Workers::single()).unwrap()
    };
    assert!(answers(-1.0).verdicts()[0].is_decided());
    // To the far end of the chain: within the last zone.
    assert!(answers(DEPTH as f64 - 1.0).verdicts()[0].is_undecided());
    assert_eq!(model.explain(&[DEPTH as f64]).unwrap().explanation().steps.len(), DEPTH);
    assert_eq!(to_text(&model, TextOptions { max_depth: 50 }).lines().count(), 102 - 1);
    assert_eq!(to_table(&model).lines().count(), 2 * DEPTH + 2);
    assert!(to_dot(&model).ends_with("}\n"));
    assert_eq!(model.tree().parents().len(), 2 * DEPTH + 1);
    assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
}
