//! The model as the page's scripts read it.

use crate::Page;
use crate::evaluation::Evaluation;
use crate::test_document::TestDocument;
use serde::Serialize;
use std::collections::BTreeMap;
use ternwood::dataset::notation::{DecimalMark, Marks, Notation};
use ternwood::dataset::{FeatureKind, one_line};
use ternwood::model::{CoveredFeature, SingleTree};
use ternwood::recipe::MissingValues;
use ternwood::training::TrainingRows;
use ternwood::tree::NodeId;
use ternwood::verdict::{CostMatrix, Uncovered, VerdictRule};
use ternwood::words::class_in_words;
use ternwood::{ClassName, VerdictPolicy};
use ternwood_figures::class_colours;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    title: &'a str,
    file: &'a str,
    classes: Vec<ClassDocument>,
    features: Vec<FeatureDocument<'a>>,
    routing: &'static str,
    /// The least share of a row that a zone divides off.
    least_share: f64,
    /// What the widths of zones stand for.
    zone_meaning: &'static str,
    missing: MissingValues,
    /// The fewest rows that make a category known to a test.
    fewest_rows: u32,
    policy: PolicyDocument<'a>,
    uncovered: Uncovered,
    nodes: Vec<NodeDocument<'a>>,
    evaluation: Option<&'a Evaluation>,
}

#[derive(Serialize)]
struct ClassDocument {
    name: String,
    /// In a sentence.
    words: String,
    colour: &'static str,
    /// The number that the command writes, if it writes numbers.
    number: Option<f64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FeatureDocument<'a> {
    name: &'a str,
    words: String,
    kind: &'static str,
    names: &'a [String],
    notation: NotationDocument,
    fill: Option<f64>,
    range: Option<[f64; 2]>,
    tested: bool,
    /// Whether a gap is covered.
    gaps: bool,
    /// The categories that are not covered, by id.
    absent: Vec<u32>,
    /// Whether categories that training never had are covered.
    open: bool,
}

/// How texts spell the numbers of a feature.
#[derive(Serialize)]
struct NotationDocument {
    kind: &'static str,
    decimal: char,
    thousands: Option<char>,
    pattern: Option<String>,
}

/// What makes a row undecided.
#[derive(Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
enum PolicyDocument<'a> {
    Zones,
    #[serde(rename_all = "camelCase")]
    Confidence {
        /// By class; `null` for one that is never decided.
        thresholds: Vec<Option<f64>>,
        /// The class that is ruled in or out, if promises say so.
        condition: Option<u32>,
        why_never: Vec<String>,
        cost_ratio: Option<f64>,
    },
    Catch {
        /// The class to catch.
        caught: u32,
        threshold: f64,
    },
    Costs {
        costs: &'a CostMatrix,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NodeDocument<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<TestDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<u32>,
    rows: u32,
    #[serde(skip_serializing_if = "is_zero")]
    within: u32,
    class_rows: &'a [u32],
    p: &'a [f64],
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The document as the text of a script element: nothing in it can end the element.
pub(crate) fn text(page: &Page<'_>) -> String {
    let model = page.model;
    let (schema, tree) = (model.schema(), model.tree());
    let document = Document {
        title: &page.title,
        file: &page.file,
        classes: classes(model),
        features: features(model),
        routing: model.routing().as_str(),
        least_share: model.recipe().least_share,
        zone_meaning: model.zone_meaning().as_str(),
        missing: model.recipe().params.missing,
        fewest_rows: model.recipe().params.min_samples_category,
        policy: policy(model.verdict(), schema.n_classes()),
        uncovered: model.verdict().uncovered(),
        nodes: tree.ids().map(|id| node(model, id)).collect(),
        evaluation: page.evaluation.as_ref().map(|(evaluation, _)| evaluation),
    };
    let json = serde_json::to_string(&document).expect("plain data is always JSON");
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

fn classes(model: SingleTree<'_>) -> Vec<ClassDocument> {
    let colours = class_colours(&model);
    let classes = model.schema().classes();
    let described = (0..).zip(classes).zip(colours).map(|((id, class), colour)| ClassDocument {
        name: class.to_string(),
        words: class_in_words(model.schema(), id),
        colour,
        number: number(class),
    });
    described.collect()
}

/// A class that the command writes as a number.
fn number(class: &ClassName) -> Option<f64> {
    match class {
        ClassName::Integer(value) if value.unsigned_abs() <= 1 << 53 => Some(*value as f64),
        ClassName::Float(value) => Some(*value),
        ClassName::Integer(_) | ClassName::Boolean(_) | ClassName::Text(_) => None,
    }
}

fn features(model: SingleTree<'_>) -> Vec<FeatureDocument<'_>> {
    let covered: BTreeMap<usize, &CoveredFeature> =
        model.coverage().features().iter().map(|feature| (feature.index, feature)).collect();
    let absent = |feature: &CoveredFeature| -> Vec<u32> {
        let categories = (0..).zip(feature.categories.iter().flatten());
        categories.filter(|(_, covered)| !**covered).map(|(id, _)| id).collect()
    };
    let values = model.training_rows().map(TrainingRows::features);
    let features = model.model().schema().features().iter().enumerate();
    let described = features.map(|(index, feature)| FeatureDocument {
        name: &feature.name,
        words: one_line(&feature.name).into_owned(),
        kind: match feature.kind {
            FeatureKind::Number => "number",
            FeatureKind::Categories(_) => "categories",
            FeatureKind::Ordered(_) => "ordered",
        },
        names: feature.kind.names(),
        notation: notation(&feature.notation),
        fill: feature.fill,
        range: values.and_then(|values| values.get(index)?.range()),
        tested: covered.contains_key(&index),
        gaps: covered.get(&index).is_none_or(|feature| feature.gaps),
        absent: covered.get(&index).map_or_else(Vec::new, |feature| absent(feature)),
        open: feature.open,
    });
    described.collect()
}

fn notation(notation: &Notation) -> NotationDocument {
    let (kind, marks, pattern) = match notation {
        Notation::Number(marks) => ("number", *marks, None),
        Notation::Percent(marks) => ("percent", *marks, None),
        Notation::Date(pattern) => ("date", Marks::default(), Some(pattern.as_str())),
        Notation::Time(pattern) => ("time", Marks::default(), Some(pattern.as_str())),
    };
    let decimal = match marks.decimal {
        DecimalMark::Point => '.',
        DecimalMark::Comma => ',',
    };
    let pattern = pattern.map(ToOwned::to_owned);
    NotationDocument { kind, decimal, thousands: marks.thousands, pattern }
}

fn policy(policy: &VerdictPolicy, n_classes: usize) -> PolicyDocument<'_> {
    match policy {
        VerdictPolicy::Zones { .. } => PolicyDocument::Zones,
        VerdictPolicy::Catch(policy) => {
            PolicyDocument::Catch { caught: policy.class(), threshold: policy.threshold() }
        }
        VerdictPolicy::Costs(policy) => PolicyDocument::Costs { costs: policy.costs() },
        VerdictPolicy::Confidence(policy) => {
            let classes = || 0..n_classes as u32;
            PolicyDocument::Confidence {
                thresholds: classes().map(|class| policy.thresholds().of(class)).collect(),
                condition: policy.condition(n_classes),
                why_never: classes().map(|class| policy.why_never(class)).collect(),
                cost_ratio: match policy.rule() {
                    VerdictRule::Cost { cost_ratio } => Some(*cost_ratio),
                    _ => None,
                },
            }
        }
    }
}

fn node(model: SingleTree<'_>, id: NodeId) -> NodeDocument<'_> {
    let tree = model.tree();
    let split = tree.node(id).as_split();
    NodeDocument {
        test: split.map(|split| TestDocument::new(model, id, split)),
        children: split.map_or_else(Vec::new, |it| it.children().map(|child| child.0).collect()),
        rows: tree.rows(id),
        within: tree.rows_within(id),
        class_rows: tree.class_rows(id),
        p: tree.values(id),
    }
}
