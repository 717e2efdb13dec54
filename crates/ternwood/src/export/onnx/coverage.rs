//! Which rows the verdict covers.

use super::graph::{Graph, Value};
use super::input::Values;
use super::proto::ElementType;
use crate::model::{CoveredFeature, Model};
use crate::verdict::Uncovered;

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
