//! Does a model file cost more memory or time than its length allows?
//!
//! Files here are as unkind as the format lets them be. A reader with quadratic time would never
//! finish.

use peak_alloc::PeakAlloc;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use ternwood::ensemble::Combine;
use ternwood::export::{TextOptions, to_dot, to_table, to_text};
use ternwood::recipe::{Exponent, ForestParams};
use ternwood::tree::TreeBuilder;
use ternwood::{ClassName, Ensemble, Exec, Matrix, Model, Recipe, Schema};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Memory is counted for the whole process, so tests run one at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const FEATURES: &str = r#"[{"name":"a","kind":"number"}]"#;
const CLASSES: &str = "[0]";
const LEAF: &str = r#"{"impurity":0,"class_weights":[1]}"#;
/// A list of values may replace an object: serde accepts both.
const SHORT_LEAF: &str = "[null,null,null,0,[1]]";

/// A file with these features, classes and nodes, each a list in JSON.
fn file(features: &str, classes: &str, nodes: &str) -> String {
    let recipe = r#"{"params":{"criterion":"gini","max_depth":null,"min_samples_split":2,"min_samples_leaf":1,"min_weight_fraction_leaf":0.0,"min_samples_middle":5,"max_leaf_nodes":null,"max_features":"all","min_impurity_decrease":0.0,"zero_gain_splits":false,"ccp_alpha":0.0,"class_weight":"uniform","missing":"learn","min_samples_category":1,"category_gain":"above_chance","zone":{"kind":"margin","max_fraction":0.25,"scale":1.0,"category_error":2.0},"seed":0},"routing":"probabilistic","leaves":"counts","em_cutoff":0.001,"least_share":0.0,"auto":{"zone_scale":false,"max_depth":null},"ensemble":"one"}"#;
    format!(
        "{{\"format\":\"ternwood-model\",\"version\":1,\
         \"schema\":{{\"classes\":{classes},\"features\":{features}}},\"recipe\":{recipe},\
         \"verdict\":{{\"zones\":{{}}}},\"tree\":{{\"nodes\":{nodes}}}}}"
    )
}

/// A file of one leaf, with `from` replaced.
fn leaf_with(from: &str, to: &str) -> String {
    let good = file(FEATURES, CLASSES, &list([LEAF]));
    assert_eq!(good.matches(from).count(), 1, "{from} must occur once");
    good.replace(from, to)
}

fn list<S: AsRef<str>>(items: impl IntoIterator<Item = S>) -> String {
    let items: Vec<S> = items.into_iter().collect();
    let texts: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    format!("[{}]", texts.join(","))
}

fn copies(item: &str, n: usize) -> String {
    list(std::iter::repeat_n(item, n))
}

/// The shortest names of `n` classes: whole numbers, some of them negative.
fn numbers(n: usize) -> String {
    let number = |i: i64| if i % 11 == 10 { -(i / 11) - 1 } else { i - i / 11 };
    list((0..n as i64).map(|i| number(i).to_string()))
}

/// A split whose left child is a leaf and whose right child is such a split again, `depth` times.
fn chain(depth: usize) -> String {
    let mut nodes = String::from("[");
    for level in 0..depth {
        let (left, right) = (2 * level + 1, 2 * level + 2);
        write!(
            nodes,
            "{{\"test\":{{\"threshold\":{{\"feature\":0,\"threshold\":{level},\"half_width\":0.75}}}},\
             \"children\":[{left},{right}],\"rows_within\":0,\"impurity\":0,\"class_weights\":[1]}},\
             {LEAF},"
        )
        .expect("a string takes all");
    }
    nodes + LEAF + "]"
}

/// The same in as few characters as possible.
fn short_chain(depth: usize) -> String {
    let mut nodes = String::from("[");
    for level in 0..depth {
        let (left, right) = (2 * level + 1, 2 * level + 2);
        write!(nodes, "[{{\"threshold\":[0,0,1]}},[{left},{right}],0,0,[1]],{SHORT_LEAF},")
            .expect("a string takes all");
    }
    nodes + SHORT_LEAF + "]"
}

/// A feature with `n` categories of one letter each.
fn letters(n: usize) -> String {
    let letters = (0x21_u32..).filter_map(char::from_u32).filter(|c| !"\"\\".contains(*c));
    let names = list(letters.take(n).map(|letter| format!("\"{letter}\"")));
    format!("[{{\"name\":\"x\",\"kind\":{{\"categories\":{names}}}}}]")
}

/// A test of categories, with as few characters as possible.
fn category_test(places: &str) -> String {
    format!("{{\"categories\":[0,{{\"class_share\":0}},0,0,{places}]}}")
}

/// The nodes of a tree whose every path has `depth` tests, all of them the same.
fn bushy(test: &str, depth: u32) -> String {
    fn push(nodes: &mut Vec<String>, test: &str, depth: u32) {
        if depth == 0 {
            nodes.push(SHORT_LEAF.to_owned());
            return;
        }
        // A subtree of this depth has 2^(depth + 1) - 1 nodes.
        let (left, right) = (nodes.len() + 1, nodes.len() + (1 << depth));
        nodes.push(format!("[{test},[{left},{right}],0,0,[1]]"));
        push(nodes, test, depth - 1);
        push(nodes, test, depth - 1);
    }
    let mut nodes = Vec::new();
    push(&mut nodes, test, depth);
    list(nodes)
}

/// Reads a file and returns the peak memory per byte of the file.
fn read(text: &str) -> (ternwood::Result<Model>, f64) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let model = Model::from_edited(text.as_bytes()).map(|(model, _)| model);
    let used = MEMORY.peak_usage() - before;
    (model, used as f64 / text.len() as f64)
}

fn check(what: &str, is_good: bool, text: &str) {
    let (model, per_letter) = read(text);
    assert_eq!(model.is_ok(), is_good, "{what}: {:?}", model.err());
    assert!(per_letter < BYTES_PER_LETTER, "{what}: {per_letter:.1} bytes per letter");
}

/// The worst texts put a list where one value belongs: each of its numbers is two letters, and
/// stands in a buffer until the whole list has been refused.
const BYTES_PER_LETTER: f64 = 64.0;

/// Lists have the most spare room just after doubling; so do sets, which double when seven eighths
/// full.
const LENGTHS: [usize; 4] = [898, 1_025, 2_049, 65_537];

#[test]
fn nodes_cost_memory_in_proportion_to_their_text() {
    let _alone = alone();
    for n in LENGTHS {
        let file = |nodes: &str| file(FEATURES, CLASSES, nodes);
        check("a chain", true, &file(&chain(n / 2)));
        check("a short chain", true, &file(&short_chain(n / 2)));
        check("many leaves", false, &file(&copies(LEAF, n)));
        check("many short leaves", false, &file(&copies(SHORT_LEAF, n)));
        let nothing = SHORT_LEAF.replace("[1]", "[]");
        check("nodes without classes", false, &file(&copies(&nothing, n)));
        let ones = copies("1", n);
        check("many weights", false, &leaf_with(LEAF, &LEAF.replace("[1]", &ones)));
        let childish = LEAF.replace("[1]", &format!("[1],\"children\":{ones}"));
        check("many children", false, &leaf_with(LEAF, &childish));
    }
}

#[test]
fn names_cost_memory_in_proportion_to_their_text() {
    let _alone = alone();
    for n in LENGTHS {
        let weights = LEAF.replace("[1]", &copies("1", n));
        check("many classes", true, &file(FEATURES, &numbers(n), &list([&weights])));
        check("classes without weights", false, &file(FEATURES, &numbers(n), &list([LEAF])));
        check("equal classes", false, &leaf_with(CLASSES, &copies("0", n)));
        check("a list for a class", false, &leaf_with(CLASSES, &list([copies("0", n)])));
        check("many categories", true, &leaf_with(FEATURES, &letters(n)));
        let equal = letters(1).replace("\"!\"", copies("\"\"", n).trim_matches(['[', ']']));
        check("equal categories", false, &leaf_with(FEATURES, &equal));
        let named = list((0..n).map(|i| format!("[\"{i}\",\"number\"]")));
        check("many features", true, &leaf_with(FEATURES, &named));
        let equal = copies("[\"a\",\"number\"]", n);
        check("equal features", false, &leaf_with(FEATURES, &equal));
    }
}

#[test]
fn tests_of_categories_cost_memory_in_proportion_to_their_text() {
    let _alone = alone();
    for n in LENGTHS {
        let file = |test: &str| {
            let split = format!("[{test},[1,2],0,0,[1]]");
            file(&letters(n), CLASSES, &list([&split, SHORT_LEAF, SHORT_LEAF]))
        };
        let places = |id: &dyn Fn(usize) -> usize| {
            list((0..n).map(|i| format!("[{},0,{},0]", id(i), u8::from(i > 0))))
        };
        check("many places", true, &file(&category_test(&places(&|i| i))));
        check("unordered places", false, &file(&category_test(&places(&|i| n - i))));
        check("equal places", false, &file(&category_test(&places(&|_| 7))));
        check("places that are none", false, &file(&category_test(&places(&|i| n + i))));
        let numbers = copies("0", n);
        check("a long place", false, &file(&category_test(&list([&numbers]))));
        let axis = category_test("[[0,0,0,0],[1,0,1,0]]");
        let direction = axis.replace("\"class_share\":0", &format!("\"direction\":{numbers}"));
        check("a long axis", false, &file(&direction));
        let side = "{\"threshold\":[0,0,1,null,".to_owned() + &numbers + "]}";
        check("a list for a side", false, &file(&side));
    }
}

/// Every test has few places, but the ids between them are many: no table of all of them.
#[test]
fn many_tests_of_many_categories_are_used_in_time() {
    let _alone = alone();
    for (categories, depth) in [(30_000, 11), (200, 13)] {
        let last = categories - 1;
        let test = category_test(&format!("[[0,3,0,0.5],[{last},4,1,0.5]]"));
        let text = file(&letters(categories), CLASSES, &bushy(&test, depth));
        let (model, per_letter) = read(&text);
        let model = model.unwrap();
        assert!(per_letter < BYTES_PER_LETTER, "{per_letter:.1} bytes per letter");
        assert_eq!(model.trees()[0].n_leaves(), 1 << depth);
        let rows = [0.0, last as f64, 1.0, f64::NAN, 1e300];
        let rows = Matrix::row_major(&rows, 1).unwrap();
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let answers = model.predict(rows, &Exec::default()).unwrap();
        assert_eq!(answers.classes(), [0; 5]);
        let undecided = answers.verdicts().iter().map(|verdict| verdict.is_undecided());
        assert_eq!(undecided.collect::<Vec<_>>(), [false, false, true, true, true]);
        assert!(to_dot(model.single_tree().unwrap()).ends_with("}\n"));
        assert_eq!(
            to_table(model.single_tree().unwrap()).lines().count(),
            model.trees()[0].n_nodes() + 1
        );
        let used = (MEMORY.peak_usage() - before) as f64 / text.len() as f64;
        assert!(used < BYTES_PER_LETTER, "{used:.1} bytes per letter to predict and export");
        assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
    }
}

#[test]
fn everything_else_costs_memory_in_proportion_to_its_text() {
    let _alone = alone();
    for n in LENGTHS {
        let (zeros, ones) = (copies("0", n), copies("1", n));
        let fewest = format!("\"min_samples_leaf\":{zeros}");
        check("a list for a number", false, &leaf_with("\"min_samples_leaf\":1", &fewest));
        let widths = format!("{{\"specified\":{{\"half_widths\":{zeros}}}}}");
        check("many half-widths", false, &leaf_with("\"margin\"", &widths));
        let given = format!("{{\"given\":{ones}}}");
        check("many class weights", false, &leaf_with("\"uniform\"", &given));
        let candidates = copies("[1,0,0,[]]", n);
        let choice =
            format!("\"choice\":{{\"folds\":5,\"repeats\":1,\"candidates\":{candidates}}},");
        check("many candidates", false, &leaf_with("\"verdict\"", &(choice + "\"verdict\"")));
        let achieved =
            format!("{{\"source\":\"held_out\",\"classes\":{}}}", copies("[0,0,0,0,0]", n));
        let rule = r#"{"cost":{"cost_ratio":0.5}}"#;
        let verdict = format!("{{\"confidence\":[0.5,{rule},{achieved}]}}");
        check("many tallies", false, &leaf_with("{\"zones\":{}}", &verdict));
        let training = |rows: usize, features: &str, filter: &str| {
            let training = format!("\"training\":[{rows},{features},null,{filter}],\"tree\"");
            leaf_with("\"tree\"", &training)
        };
        check("many ranges", false, &training(1, &copies("[]", n), "null"));
        check("a long range", false, &training(1, &format!("[[{ones}]]"), "null"));
        let letters = "/".repeat(n / 3 * 4);
        check("a long salt", false, &training(1, "[[]]", &format!("[\"{letters}\",\"\"]")));
        let filter = format!("[\"0123456789abcdef\",\"{letters}\"]");
        check("many bits", false, &training(8 * n, "[[]]", &filter));
    }
    let long = "x".repeat(1 << 21);
    check("a long name", true, &leaf_with("\"a\"", &format!("\"{long}\"")));
    check("a long unknown field", false, &leaf_with("\"name\"", &format!("\"{long}\"")));
    let number = format!("[1.{}]", "0".repeat(1 << 21));
    check("a long number", true, &leaf_with("[1]", &number));
    check("nothing but brackets", false, &"[".repeat(1 << 21));
}

/// Many trees of one leaf each cost the most memory for their bytes.
#[test]
fn forests_cost_memory_in_proportion_to_their_files() {
    let _alone = alone();
    for n in LENGTHS {
        let mut builder = TreeBuilder::new(1, 1);
        builder.leaf(&[1.0]);
        let leaf = builder.finish().unwrap();
        let params =
            ForestParams { n_trees: n as u32, exponent: Exponent::Off, ..ForestParams::default() };
        let recipe = Recipe { ensemble: params.into(), ..Recipe::forest().decided() };
        let forest = Ensemble::new(vec![leaf; n], Combine::Mean(None)).unwrap();
        let schema = Schema::unnamed(1, vec![ClassName::from(0)]).unwrap();
        let model = Model::new(forest, schema, recipe).unwrap();
        for file in [model.to_safetensors(), model.to_json().into_bytes()] {
            let before = MEMORY.current_usage();
            MEMORY.reset_peak_usage();
            let read = Model::from_bytes(&file).unwrap();
            let per_byte = (MEMORY.peak_usage() - before) as f64 / file.len() as f64;
            assert!(per_byte < BYTES_PER_LETTER, "{n} trees: {per_byte:.1} bytes per byte");
            assert_eq!(read.trees().len(), n);
        }
    }
}

/// A tree that is one long path works like any other.
#[test]
fn a_chain_of_a_hundred_thousand_tests_is_used_in_time() {
    const DEPTH: usize = 100_000;
    let _alone = alone();
    let model = read(&file(FEATURES, CLASSES, &chain(DEPTH))).0.unwrap();
    assert_eq!(model.trees()[0].depth(), DEPTH);
    let answers = |x: f64| {
        let row = [x];
        model.predict(Matrix::row_major(&row, 1).unwrap(), &Exec::default()).unwrap()
    };
    assert!(answers(-1.0).verdicts()[0].is_decided());
    // To the far end of the chain: within the last zone.
    assert!(answers(DEPTH as f64 - 1.0).verdicts()[0].is_undecided());
    assert_eq!(model.explain(&[DEPTH as f64]).unwrap().explanation().steps.len(), DEPTH);
    let options = TextOptions { max_depth: 50, width: None, ..TextOptions::default() };
    assert_eq!(to_text(model.single_tree().unwrap(), options).lines().count(), 102 - 1);
    assert_eq!(to_table(model.single_tree().unwrap()).lines().count(), 2 * DEPTH + 2);
    assert!(to_dot(model.single_tree().unwrap()).ends_with("}\n"));
    assert_eq!(model.trees()[0].parents().len(), 2 * DEPTH + 1);
    assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
}
