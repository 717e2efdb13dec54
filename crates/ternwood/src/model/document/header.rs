//! The fields that all model files have, and the checksum of their content.

use super::tree::TreeDocument;
use super::{ForestDocument, json, unusable};
use crate::dataset::Schema;
use crate::ensemble::{Combine, Ensemble};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Histograms, Metadata, Model};
use crate::recipe::{Choice, EnsembleParams, Recipe};
use crate::training::TrainingRows;
use crate::tree::Tree;
use crate::verdict::VerdictPolicy;
use serde::Deserialize;
use sha2::{Digest, Sha256};

pub(super) const FORMAT: &str = "ternwood-model";
pub(super) const VERSION: u32 = 1;

/// What tells a model file from any other; read before anything else.
#[derive(Deserialize)]
struct Kind {
    format: Option<String>,
    version: Option<u32>,
}

/// All fields. A tree has `tree` and a forest `forest`; where arrays hold the nodes, neither is there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a model")]
pub(super) struct Document {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u32,
    #[serde(default)]
    sha256: Option<String>,
    /// The version that fitted the model; absent where the writer did not state it.
    #[serde(default)]
    ternwood: Option<String>,
    /// Absent where nobody recorded anything.
    #[serde(default)]
    metadata: Option<Metadata>,
    pub(super) schema: Schema,
    pub(super) recipe: Recipe,
    /// Absent where the data chose nothing.
    #[serde(default)]
    choice: Option<Choice>,
    verdict: VerdictPolicy,
    /// Absent where nobody trained.
    #[serde(default)]
    training: Option<TrainingRows>,
    /// Absent unless it was asked for.
    #[serde(default)]
    histograms: Option<Histograms>,
    #[serde(default)]
    tree: Option<TreeDocument>,
    #[serde(default)]
    forest: Option<ForestDocument>,
}

/// The fields of a model, all but format, version, checksum and trees, each with its value in JSON.
pub(super) fn parts(model: &Model) -> Vec<(&'static str, String)> {
    let mut parts = Vec::new();
    parts.extend(model.ternwood.as_ref().map(|version| ("ternwood", json(version))));
    parts.extend((!model.metadata.is_empty()).then(|| ("metadata", json(&model.metadata))));
    parts.extend([("schema", json(&*model.schema)), ("recipe", json(&model.recipe))]);
    parts.extend(model.choice.as_ref().map(|choice| ("choice", json(choice))));
    parts.push(("verdict", json(&model.verdict)));
    parts.extend(model.training.as_ref().map(|training| ("training", json(training))));
    parts.extend(model.histograms.as_ref().map(|it| ("histograms", json(it))));
    parts
}

impl Kind {
    fn read(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|error| {
            let wrong_type = error.is_data() && !error.to_string().starts_with("duplicate");
            if !wrong_type {
                return syntax(&error);
            }
            unusable("it is not an object with a \"format\" and a whole \"version\"".to_owned())
        })
    }

    fn check(&self) -> Result<()> {
        Err(unusable(match (self.format.as_deref(), self.version) {
            (Some(FORMAT), Some(VERSION)) => return Ok(()),
            (Some(FORMAT), Some(version)) => format!(
                "its version is {version}, and this library reads version {VERSION}; \
                 use a newer ternwood, or save the model again"
            ),
            (Some(FORMAT), None) => "it has no \"version\"".to_owned(),
            (Some(other), _) => format!("its \"format\" is \"{other}\", not \"{FORMAT}\""),
            (None, _) => format!("it has no \"format\": \"{FORMAT}\""),
        }))
    }
}

impl Document {
    pub(super) fn read(text: &str) -> Result<Self> {
        Kind::read(text)?.check()?;
        serde_json::from_str(text).map_err(|error| syntax(&error))
    }

    /// The SHA-256 that the file states.
    pub(super) fn take_checksum(&mut self) -> Result<Option<String>> {
        match self.sha256.take() {
            Some(stored) if !is_hex(&stored) => {
                Err(unusable(format!("its \"{FIELD}\" is not 64 hexadecimal digits in lower case")))
            }
            stored => Ok(stored),
        }
    }

    /// The model, with trees that were read elsewhere or are in the document.
    pub(super) fn into_model(mut self, elsewhere: Option<Vec<Tree>>) -> Result<Model> {
        if self.schema.n_features() == 0 || self.schema.n_classes() == 0 {
            return Err(unusable("it has no features or no classes".to_owned()));
        }
        self.choice.as_ref().map_or(Ok(()), |choice| choice.check(&self.recipe))?;
        let is_one = self.recipe.ensemble == EnsembleParams::One;
        let trees = match (self.tree.take(), self.forest.take(), elsewhere) {
            (Some(tree), None, None) if is_one => vec![tree.into_tree(&self.schema)?],
            (None, Some(forest), None) if !is_one => forest.into_trees(&self.schema)?,
            (None, None, Some(trees)) => trees,
            (_, _, Some(_)) => {
                let problem = "its header has nodes, which belong into arrays";
                return Err(unusable(problem.to_owned()));
            }
            (Some(_), Some(_), None) => {
                return Err(unusable("it has a \"tree\" and a \"forest\"".to_owned()));
            }
            (Some(_), None, None) | (None, Some(_), None) => {
                let [has, of] = if is_one { ["forest", "tree"] } else { ["tree", "forest"] };
                return Err(unusable(format!("it has a \"{has}\", but its recipe is of a {of}")));
            }
            (None, None, None) => {
                return Err(unusable("it has neither \"tree\" nor \"forest\"".to_owned()));
            }
        };
        let Self { schema, recipe, choice, verdict, training, histograms, .. } = self;
        let ensemble = Ensemble::new(trees, Combine::of(recipe.ensemble)?)?;
        let model = Model::new(ensemble, schema, recipe)?.with_choice(choice);
        let model = model.with_ternwood_version(self.ternwood)?;
        let model = model.with_metadata(self.metadata.unwrap_or_default());
        let model = model.with_verdict(verdict)?.with_training_rows(training)?;
        model.with_read_histograms(histograms)
    }
}

fn syntax(error: &serde_json::Error) -> Error {
    let problem = error.to_string();
    let hint = match problem.split(' ').next() {
        _ if error.is_eof() => "; is the file complete?",
        Some("unknown") => "; did a newer ternwood write it?",
        _ => "",
    };
    unusable(problem + hint)
}

/// The name of the field.
pub(super) const FIELD: &str = "sha256";

/// The SHA-256 that a model file states, and that of its content. It guards against damage and unnoticed edits, not
/// against forgery: anyone can compute it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checksum {
    stored: Option<String>,
    computed: String,
}

impl Checksum {
    pub(super) fn new(stored: Option<String>, computed: String) -> Self {
        Self { stored, computed }
    }

    /// The SHA-256 that the file states, as hexadecimal digits; `None` if it states none.
    #[must_use]
    pub fn stored(&self) -> Option<&str> {
        self.stored.as_deref()
    }

    /// The SHA-256 of the content, as hexadecimal digits.
    #[must_use]
    pub fn computed(&self) -> &str {
        &self.computed
    }

    /// True if both are equal.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.stored.as_ref() == Some(&self.computed)
    }

    /// Refuses a file whose content is not what it states.
    ///
    /// # Errors
    /// [`ErrorKind::Checksum`].
    pub fn check(&self) -> Result<()> {
        if self.holds() {
            return Ok(());
        }
        let Self { stored, computed } = self.clone();
        Err(ErrorKind::Checksum { stored, computed }.into())
    }
}

/// Computes a SHA-256 piece by piece.
pub(super) struct Sha(Sha256);

impl Sha {
    pub(super) fn new() -> Self {
        Self(Sha256::new())
    }

    pub(super) fn put(&mut self, piece: impl AsRef<[u8]>) {
        self.0.update(piece);
    }

    /// The sum of all pieces, as hexadecimal digits.
    pub(super) fn hex(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// True for what [`Sha::hex`] may return.
pub(super) fn is_hex(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
