//! What a page holds and what it does not. `make test-browser` opens pages in a browser.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ternwood::tree::{TreeBuilder, Zone};
use ternwood::{
    Columns, Dataset, Exec, Feature, Learner, Model, Recipe, Routing, Schema, TreeParams,
};
use ternwood_page::{MOST_NODES, Page};

const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\"'&";

/// One feature, two classes that overlap, and names that want to be markup.
fn data(rows: usize) -> Dataset {
    let values = (0..rows).map(|row| ((row * 37) % 101) as f64 / 10.0).collect();
    let labels = (0..rows).map(|row| u32::from((row * 37) % 101 + (row * 13) % 30 > 60)).collect();
    let features = vec![Feature::number(HOSTILE)];
    let schema = Schema::new(features, vec![HOSTILE.into(), "ill".into()]).unwrap();
    Dataset::with_schema(Columns::from_columns(values, 1).unwrap(), labels, schema).unwrap()
}

fn model(data: &Dataset) -> Model {
    let params = TreeParams { max_depth: Some(4), ..TreeParams::default() };
    let learner = Learner::new(params, Routing::Probabilistic).unwrap();
    learner.fit(data, &Exec::default()).unwrap()
}

/// The model that the scripts read.
fn document(html: &str) -> serde_json::Value {
    let text = html.split_once("id=\"model\">").unwrap().1.split_once("</script>").unwrap().0;
    serde_json::from_str(text).unwrap()
}

#[test]
fn the_same_model_gives_the_same_page() {
    let data = data(400);
    let model = model(&data);
    let page = || {
        let page = Page::new(&model).unwrap().with_title(HOSTILE);
        page.with_evaluation((&data).into(), &Exec::default()).unwrap().html().unwrap()
    };
    let html = page();
    assert_eq!(html, page());
    // The model's and our own: no name ends one early or begins another.
    assert_eq!((html.matches("<script").count(), html.matches("</script>").count()), (2, 2));
    assert!(!html.contains("<img"));
}

#[test]
fn numbers_are_read_back_to_the_same_bits() {
    let model = model(&data(400));
    let found = document(&Page::new(&model).unwrap().html().unwrap());
    let tree = &model.trees()[0];
    for (id, node) in tree.ids().zip(found["nodes"].as_array().unwrap()) {
        let p: Vec<f64> = serde_json::from_value(node["p"].clone()).unwrap();
        assert_eq!(p, tree.values(id));
        if let Some(split) = tree.node(id).as_split() {
            assert_eq!(node["test"]["threshold"], split.test.zone().unwrap().threshold());
        }
    }
}

#[test]
fn many_evaluation_rows_are_counted_together() {
    let model = model(&data(400));
    for rows in [300, 6000] {
        let data = data(rows);
        let page = Page::new(&model).unwrap();
        let page = page.with_evaluation((&data).into(), &Exec::default()).unwrap();
        let evaluation = document(&page.html().unwrap())["evaluation"].clone();
        let groups = evaluation["groups"].as_array().unwrap().clone();
        let count: u64 = groups.iter().map(|group| group["count"].as_u64().unwrap()).sum();
        assert_eq!(count, rows as u64);
        assert!(groups.len() < 300, "{} groups of {rows} rows", groups.len());
        let answers = model.predict(data.columns().into(), &Exec::default()).unwrap();
        let decided = answers.verdicts().iter().filter(|verdict| verdict.is_decided()).count();
        let counted = groups.iter().filter(|group| group["decided"] == true);
        let counted: u64 = counted.map(|group| group["count"].as_u64().unwrap()).sum();
        assert_eq!(counted, decided as u64);
    }
}

#[test]
fn a_tree_too_large_for_a_page_is_refused() {
    let mut builder = TreeBuilder::new(1, 2);
    for _ in 0..MOST_NODES / 2 {
        builder.split(0, Zone::new(0.0, 1.0).unwrap());
    }
    for _ in 0..=MOST_NODES / 2 {
        builder.leaf(&[1.0, 1.0]);
    }
    let schema = Schema::unnamed(1, vec!["a".into(), "b".into()]).unwrap();
    let model = Model::new(builder.finish().unwrap(), schema, Recipe::default()).unwrap();
    let error = Page::new(&model).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot write the model as a page: the tree has 20001 nodes, and a page shows at most 20000; fit a tree of \
         smaller depth, or prune it"
    );
}

#[test]
fn a_tree_without_tests_has_a_page() {
    let mut builder = TreeBuilder::new(1, 2);
    builder.leaf(&[3.0, 1.0]);
    let schema = Schema::unnamed(1, vec!["a".into(), "b".into()]).unwrap();
    let model = Model::new(builder.finish().unwrap(), schema, Recipe::default()).unwrap();
    assert!(Page::new(&model).unwrap().html().unwrap().contains("always"));
}
