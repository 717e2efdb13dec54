//! What a verb did, as one JSON document for other programs; or the error, if it failed.

use crate::cli::with_causes;
use crate::output::Output;
use crate::session::Session;
use anyhow::Result;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use ternwood::model::Metadata;
use ternwood::training::TrainingRows;
use ternwood::{ClassName, Model, Tree};

/// What was done.
#[derive(Serialize)]
struct Success<'a, T> {
    data: &'a str,
    #[serde(flatten)]
    result: T,
    /// As printed on standard error.
    warnings: Vec<String>,
}

/// Why it was not done.
#[derive(Serialize)]
struct Failure<'a> {
    data: &'a str,
    error: String,
    warnings: Vec<String>,
}

/// Writes the result of a verb, or its error, to `output`, and returns the error.
pub(crate) fn write<T: Serialize>(
    output: Output,
    data: &str,
    session: &Session,
    outcome: Result<T>,
) -> Result<()> {
    let warnings = session.warnings();
    let (document, outcome) = match outcome {
        Ok(result) => (serde_json::to_string_pretty(&Success { data, result, warnings })?, Ok(())),
        Err(error) => {
            let failure = Failure { data, error: with_causes(&error), warnings };
            (serde_json::to_string_pretty(&failure)?, Err(error))
        }
    };
    output.complete(document + "\n")?;
    outcome
}

// A model in a few fields, for other programs: what `show --json` and `fit --json` print of it.

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
