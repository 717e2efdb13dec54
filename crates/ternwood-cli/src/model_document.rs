//! A model in a few fields, for other programs: what `show --json` and `fit --json` print of it.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use ternwood::model::Metadata;
use ternwood::training::TrainingRows;
use ternwood::{ClassName, Model, Tree};

#[derive(Serialize)]
pub(crate) struct ModelDocument {
    /// The version that fitted it; `null` if its file does not say.
    ternwood: Option<String>,
    metadata: Metadata,
    kind: &'static str,
    target: Option<String>,
    classes: Vec<ClassName>,
    features: Vec<FeatureDocument>,
    trees: usize,
    /// Of all trees.
    nodes: usize,
    leaves: usize,
    /// Of the deepest tree.
    depth: usize,
    training_rows: Option<u64>,
    recipe: Value,
    verdict: Value,
    verdict_in_words: String,
}

#[derive(Serialize)]
struct FeatureDocument {
    name: String,
    kind: &'static str,
    /// Whether some test looks at it.
    tested: bool,
}

impl ModelDocument {
    pub(crate) fn new(model: &Model) -> serde_json::Result<Self> {
        let (schema, trees) = (model.schema(), model.trees());
        let tested: BTreeSet<usize> = model.tested_features();
        let features = schema.features().iter().enumerate().map(|(index, feature)| {
            let kind = match &feature.kind {
                kind if kind.is_number() => "number",
                kind if kind.is_ordered() => "ordered",
                _ => "categories",
            };
            FeatureDocument { name: feature.name.clone(), kind, tested: tested.contains(&index) }
        });
        Ok(Self {
            ternwood: model.ternwood_version().map(str::to_owned),
            metadata: model.metadata().clone(),
            kind: if !model.ensemble().is_single() { "forest" } else { "tree" },
            target: schema.target().map(str::to_owned),
            classes: schema.classes().to_vec(),
            features: features.collect(),
            trees: trees.len(),
            nodes: trees.iter().map(Tree::n_nodes).sum(),
            leaves: trees.iter().map(Tree::n_leaves).sum(),
            depth: trees.iter().map(Tree::depth).max().unwrap_or(0),
            training_rows: model.training_rows().map(TrainingRows::rows),
            recipe: serde_json::to_value(model.recipe())?,
            verdict: serde_json::to_value(model.verdict())?,
            verdict_in_words: model.verdict().described(schema.classes()),
        })
    }
}
