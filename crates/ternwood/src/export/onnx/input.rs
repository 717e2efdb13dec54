//! The inputs of the graph, as the numbers that tests compare.

use super::graph::{Graph, Value};
use super::proto::{Attribute, ElementType};
use crate::dataset::{Feature, FeatureKind};
use crate::model::Model;
use serde_json::json;
use std::collections::HashSet;

const NUMBERS: &str = "numbers";
const CATEGORIES: &str = "categories";

/// Ids of categories that the feature does not have, and of missing ones.
const UNSEEN: i64 = -1;
const MISSING: i64 = -2;

/// All features of all rows, and where each stands.
pub(super) struct Values {
    pub(super) matrix: Value,
    /// The column of every feature.
    pub(super) places: Vec<usize>,
}

/// The values of all features: ids for categories, NaN for what is missing, infinity for numbers and
/// ranks that cannot be read.
pub(super) fn values(model: &Model, graph: &mut Graph) -> Values {
    let features = model.schema().features();
    let is_number = |index: &usize| features[*index].kind.is_number();
    let (numbers, categories): (Vec<usize>, Vec<usize>) = (0..features.len()).partition(is_number);
    let mut parts = Vec::new();
    if !numbers.is_empty() {
        graph.input(NUMBERS, ElementType::Double, numbers.len());
        parts.push(NUMBERS.to_owned());
    }
    if !categories.is_empty() {
        graph.input(CATEGORIES, ElementType::String, categories.len());
        let missing = missing_text(model);
        for (column, feature) in categories.iter().enumerate() {
            parts.push(ids(&features[*feature], column, &missing, graph));
        }
    }
    let order: Vec<usize> = numbers.into_iter().chain(categories).collect();
    let mut places = vec![0; features.len()];
    for (place, feature) in order.iter().enumerate() {
        places[*feature] = place;
    }
    let matrix = graph.concat(&parts);
    let filled =
        filled(&order.iter().map(|index| &features[*index]).collect::<Vec<_>>(), matrix, graph);
    Values { matrix: filled, places }
}

/// The text that stands for a missing category: empty, unless a category has no name.
fn missing_text(model: &Model) -> String {
    let features = model.schema().features().iter();
    let names: HashSet<&String> = features.flat_map(|feature| feature.kind.names()).collect();
    let others = (0..).map(|number| format!("missing{}", "_".repeat(number)));
    let mut texts = [String::new()].into_iter().chain(others);
    texts.find(|text| !names.contains(text)).unwrap_or_default()
}

/// A column of texts as ids.
fn ids(feature: &Feature, column: usize, missing_text: &str, graph: &mut Graph) -> Value {
    let (mut keys, mut ids) = (Vec::new(), Vec::new());
    for (id, name) in (0..).zip(feature.kind.names()) {
        for spelling in spellings(feature.kind.names(), name) {
            keys.push(spelling);
            ids.push(id);
        }
    }
    keys.push(missing_text.to_owned());
    ids.push(MISSING);
    let texts = graph.columns(CATEGORIES, &[column]);
    let encoder = [
        Attribute::Texts("keys_strings", keys),
        Attribute::Numbers("values_int64s", ids),
        Attribute::Number("default_int64", UNSEEN),
    ];
    let ids = graph.op_with("LabelEncoder", &[&texts], &encoder);
    let ids = graph.cast(&ids, ElementType::Double);
    let ids = replaced(&ids, MISSING, f64::NAN, graph);
    if feature.kind.is_ordered() { replaced(&ids, UNSEEN, f64::INFINITY, graph) } else { ids }
}

/// A category as it may be written: only booleans have several spellings.
fn spellings(names: &[String], name: &str) -> Vec<String> {
    let is_boolean = |name: &String| ["true", "false"].contains(&name.to_lowercase().as_str());
    match name.to_lowercase().as_str() {
        "true" if names.iter().all(is_boolean) => {
            ["true", "True", "TRUE", "1"].map(str::to_owned).to_vec()
        }
        "false" if names.iter().all(is_boolean) => {
            ["false", "False", "FALSE", "0"].map(str::to_owned).to_vec()
        }
        _ => vec![name.to_owned()],
    }
}

fn replaced(ids: &str, id: i64, by: f64, graph: &mut Graph) -> Value {
    let [id, by] = [graph.double(id as f64), graph.double(by)];
    let is_it = graph.op("Equal", &[ids, &id]);
    graph.op("Where", &[&is_it, &by, ids])
}

/// What stands in place of missing values, where the model says so.
fn filled(features: &[&Feature], matrix: Value, graph: &mut Graph) -> Value {
    if features.iter().all(|feature| feature.fill.is_none()) {
        return matrix;
    }
    let fills: Vec<f64> = features.iter().map(|it| it.fill.unwrap_or(f64::NAN)).collect();
    let fills = graph.row(&fills);
    let missing = graph.op("IsNaN", &[&matrix]);
    graph.op("Where", &[&missing, &fills, &matrix])
}

/// The names of the columns of both inputs, the text of a missing category, and the classes.
pub(super) fn metadata(model: &Model) -> Vec<(&'static str, String)> {
    let features = model.schema().features();
    let names = |wanted: fn(&FeatureKind) -> bool| {
        let names = features.iter().filter(|it| wanted(&it.kind)).map(|it| it.name.as_str());
        json!(names.collect::<Vec<_>>()).to_string()
    };
    let classes: Vec<String> = model.schema().classes().iter().map(ToString::to_string).collect();
    vec![
        (NUMBERS, names(FeatureKind::is_number)),
        (CATEGORIES, names(|kind| !kind.is_number())),
        ("missing", json!(missing_text(model)).to_string()),
        ("classes", json!(classes).to_string()),
    ]
}
