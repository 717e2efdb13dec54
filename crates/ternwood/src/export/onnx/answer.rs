//! The outputs: label, probabilities, verdict and distance.

use super::forest::first_largest;
use super::graph::{Graph, Value};
use super::proto::{Attribute, ElementType};
use crate::dataset::ClassName;
use crate::model::Model;
use crate::verdict::{CatchPolicy, CostMatrix, Thresholds, VerdictPolicy};

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
