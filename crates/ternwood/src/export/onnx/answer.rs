//! What a graph reads and what it answers: the tested columns, covered rows, class, verdict and probabilities.

use super::forest::first_largest;
use super::graph::{Attribute, ElementType, Graph, Value};
use crate::dataset::{ClassName, Feature, FeatureKind};
use crate::model::{CoveredFeature, Model};
use crate::verdict::{CatchPolicy, CostMatrix, Thresholds, Uncovered, VerdictPolicy};
use serde_json::json;
use std::collections::HashSet;

/// What a tree or a forest says.
pub(super) struct Answers {
    /// One column per class.
    pub(super) probabilities: Value,
    /// Whether the row is decided by zones.
    pub(super) of_zones: Option<Value>,
    /// By zones, the class of a forest: that of the mean before it is sharpened.
    pub(super) first: Option<Value>,
    /// How far the row is from a zone.
    pub(super) distance: Option<Value>,
}

/// `covered` tells which rows are; `None` if the policy judges all of them.
pub(super) fn write(model: &Model, answers: &Answers, covered: Option<Value>, graph: &mut Graph) {
    let p = &answers.probabilities;
    let (class, decided) = match model.verdict() {
        VerdictPolicy::Zones { .. } => {
            let class = answers.first.clone().unwrap_or_else(|| first_largest(p, graph));
            (class, answers.of_zones.clone().unwrap_or_default())
        }
        VerdictPolicy::Confidence(policy) => {
            let class = first_largest(p, graph);
            let decided = sure_enough(policy.thresholds(), model, [p, &class], graph);
            (class, decided)
        }
        VerdictPolicy::Catch(policy) => {
            let class = first_largest(p, graph);
            let decided = caught_or_improbable(policy, [p, &class], graph);
            (class, decided)
        }
        VerdictPolicy::Costs(policy) => cheapest(policy.costs(), p, graph),
    };
    let decided = match covered {
        Some(covered) => graph.op("And", &[&decided, &covered]),
        None => decided,
    };
    let (kind, classes) = labels(model.schema().classes(), graph);
    let label = graph.op("Gather", &[&classes, &class]);
    graph.output("label", &label, kind, None);
    graph.output("probabilities", p, ElementType::Double, Some(model.schema().n_classes()));
    graph.output("decided", &decided, ElementType::Bool, None);
    if let Some(distance) = &answers.distance {
        graph.output("distance", distance, ElementType::Double, None);
    }
}

fn sure_enough(
    thresholds: &Thresholds,
    model: &Model,
    [p, class]: [&str; 2],
    graph: &mut Graph,
) -> Value {
    let classes = 0..model.schema().n_classes() as u32;
    let thresholds: Vec<f64> =
        classes.map(|class| thresholds.of(class).unwrap_or(f64::INFINITY)).collect();
    let thresholds = graph.doubles(&[thresholds.len()], &thresholds);
    let threshold = graph.op("Gather", &[&thresholds, class]);
    let confidence = graph.reduced("ReduceMax", p);
    graph.op("GreaterOrEqual", &[&confidence, &threshold])
}

/// Whether the class to catch is predicted, or is too improbable to be worth a flag.
fn caught_or_improbable(policy: &CatchPolicy, [p, class]: [&str; 2], graph: &mut Graph) -> Value {
    let caught = graph.ints(&[policy.class().into()]);
    let is_caught = graph.op("Equal", &[class, &caught]);
    let probability = graph.columns(p, &[policy.class() as usize]);
    let probability = graph.squeezed(&probability, 1);
    let threshold = graph.doubles(&[1], &[policy.threshold()]);
    let is_improbable = graph.op("LessOrEqual", &[&probability, &threshold]);
    graph.op("Or", &[&is_caught, &is_improbable])
}

/// The class of the least expected cost, and whether a flag costs no less.
fn cheapest(costs: &CostMatrix, p: &str, graph: &mut Graph) -> (Value, Value) {
    let n = costs.n_classes();
    let mut total: Option<Value> = None;
    for truth in 0..n {
        let row: Vec<f64> = (0..n)
            .map(|class| costs.of_answer(truth, class))
            .chain([costs.of_flag(truth)])
            .collect();
        let (probability, row) = (graph.columns(p, &[truth]), graph.row(&row));
        let term = graph.op("Mul", &[&probability, &row]);
        total = Some(match total {
            None => term,
            Some(total) => graph.op("Add", &[&total, &term]),
        });
    }
    let total = total.unwrap_or_default();
    let answers = graph.columns(&total, &(0..n).collect::<Vec<_>>());
    let flag = graph.columns(&total, &[n]);
    let flag = graph.squeezed(&flag, 1);
    let attributes = [Attribute::Number("axis", 1), Attribute::Number("keepdims", 0)];
    let class = graph.op_with("ArgMin", &[&answers], &attributes);
    let least = graph.reduced("ReduceMin", &answers);
    (class, graph.op("LessOrEqual", &[&least, &flag]))
}

/// The names of the classes as a constant: of their own type, or texts if they have several.
fn labels(classes: &[ClassName], graph: &mut Graph) -> (ElementType, Value) {
    let all =
        |of: fn(&ClassName) -> Option<f64>| classes.iter().map(of).collect::<Option<Vec<f64>>>();
    let integers: Option<Vec<i64>> = classes
        .iter()
        .map(|class| if let ClassName::Integer(number) = class { Some(*number) } else { None })
        .collect();
    if let Some(integers) = integers {
        return (ElementType::Int64, graph.ints(&integers));
    }
    let booleans: Option<Vec<bool>> = classes
        .iter()
        .map(|class| if let ClassName::Boolean(value) = class { Some(*value) } else { None })
        .collect();
    if let Some(booleans) = booleans {
        return (ElementType::Bool, graph.bools(&booleans));
    }
    let floats =
        all(|class| if let ClassName::Float(number) = class { Some(*number) } else { None });
    if let Some(floats) = floats {
        return (ElementType::Double, graph.doubles(&[floats.len()], &floats));
    }
    let texts: Vec<String> = classes.iter().map(ToString::to_string).collect();
    (ElementType::String, graph.texts(&texts))
}

/// True for every row that is covered; `None` if the policy judges all rows, or nothing is tested.
pub(super) fn covered(model: &Model, values: &Values, graph: &mut Graph) -> Option<Value> {
    let features = model.coverage().features();
    if features.is_empty() || model.verdict().uncovered() == Uncovered::Judge {
        return None;
    }
    let place = |feature: &CoveredFeature| values.places[feature.index];
    let x = graph.columns(&values.matrix, &features.iter().map(place).collect::<Vec<_>>());
    // Numbers are finite and ids not negative, unless they cannot be read; a gap is neither.
    let ends = |feature: &CoveredFeature| match &feature.categories {
        None => [f64::MIN, f64::MAX],
        Some(_) if feature.open => [f64::NEG_INFINITY, f64::INFINITY],
        Some(categories) => [0.0, categories.len() as f64 - 1.0],
    };
    let ends: Vec<[f64; 2]> = features.iter().map(ends).collect();
    let [low, high] = [0, 1].map(|end| ends.iter().map(|it| it[end]).collect::<Vec<f64>>());
    let [low, high] = [graph.row(&low), graph.row(&high)];
    let below = graph.op("Less", &[&x, &low]);
    let above = graph.op("Greater", &[&x, &high]);
    let mut uncovered = graph.op("Or", &[&below, &above]);
    if features.iter().any(|feature| !feature.gaps) {
        let gaps: Vec<bool> = features.iter().map(|feature| !feature.gaps).collect();
        let [is_gap, no_gaps] = [graph.op("IsNaN", &[&x]), graph.bools(&gaps)];
        let gap = graph.op("And", &[&is_gap, &no_gaps]);
        uncovered = graph.op("Or", &[&uncovered, &gap]);
    }
    let mut found = vec![graph.cast(&uncovered, ElementType::Double)];
    for feature in features {
        let absent = absent(feature);
        if !absent.is_empty() {
            let x = graph.columns(&values.matrix, &[place(feature)]);
            let absent = graph.row(&absent);
            let is_absent = graph.op("Equal", &[&x, &absent]);
            found.push(graph.cast(&is_absent, ElementType::Double));
        }
    }
    let found = graph.concat(&found);
    let any = graph.reduced("ReduceMax", &found);
    let any = graph.is_set(&any);
    Some(graph.op("Not", &[&any]))
}

/// The ids of categories that training did not have.
fn absent(feature: &CoveredFeature) -> Vec<f64> {
    let categories = feature.categories.as_deref().unwrap_or_default();
    let absent = (0..).zip(categories).filter(|(_, covered)| !**covered);
    absent.map(|(id, _)| f64::from(id)).collect()
}

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
