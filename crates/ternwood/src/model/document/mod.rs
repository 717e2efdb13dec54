//! The model file: a versioned JSON document, or the same without the trees in the header of a file of arrays
//! ([`arrays`]). `docs/model-format.md` describes both.

mod arrays;
mod header;
mod tree;

use super::{Model, Trees};
use crate::error::{Error, ErrorKind, Result};
use crate::forest::Forest;
use crate::tree::Tree;
use header::Document;
use serde::{Deserialize, Serialize};
use tree::TreeDocument;

/// The trees of a forest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a forest")]
struct ForestDocument {
    trees: Vec<TreeDocument>,
}

impl Model {
    /// The model as a JSON document: one line per part and per node.
    ///
    /// Numbers are written so that reading gives back the same bits.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::from("{\n");
        for (name, value) in header::parts(self) {
            text += &format!("  \"{name}\": {value},\n");
        }
        match &*self.trees {
            Trees::One(tree) => {
                text += "  \"tree\": ";
                tree::write(tree, "  ", &mut text);
            }
            Trees::Forest(forest) => {
                text += "  \"forest\": {\"trees\": [";
                for (index, tree) in forest.trees().iter().enumerate() {
                    text += if index == 0 { "\n    " } else { ",\n    " };
                    tree::write(tree, "    ", &mut text);
                }
                text += "\n  ]}";
            }
        }
        text + "\n}\n"
    }

    /// Reads a model file in JSON. Everything in it is checked; a byte-order mark before it is skipped.
    ///
    /// Time and memory are proportional to the length of the text, whatever it says, and nothing
    /// recurses on the tree.
    ///
    /// # Errors
    /// The text is no model file, of another version, cut short, or contradicts itself.
    pub fn from_json(text: &str) -> Result<Self> {
        let document = Document::read(text.strip_prefix('\u{feff}').unwrap_or(text))?;
        in_file(document.into_model(None))
    }

    /// Reads a model file of either kind: JSON, or [safetensors](Self::from_safetensors).
    ///
    /// # Errors
    /// As those.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        // A file of arrays begins with the length of its header, whose upper bytes are 0; a text has no such.
        if bytes.iter().take(size_of::<u64>()).any(|&byte| byte == 0) {
            return Self::from_safetensors(bytes);
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let place = error.valid_up_to();
            unusable(format!("it is neither safetensors nor text: byte {place} is not UTF-8"))
        })?;
        let start = text.strip_prefix('\u{feff}').unwrap_or(text).trim_ascii_start();
        if !start.is_empty() && !start.starts_with('{') {
            let hint = "model files are what `ternwood fit` writes";
            return Err(unusable(format!("it is not a JSON object; {hint}")));
        }
        Self::from_json(text)
    }
}

impl ForestDocument {
    fn into_forest(self, document: &Document) -> Result<Forest> {
        let trees = self.trees.into_iter().enumerate().map(|(index, tree)| {
            tree.into_tree(&document.schema).map_err(|error| in_tree(index, &error))
        });
        document.forest_of(trees.collect::<Result<Vec<Tree>>>()?)
    }
}

fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("plain data is always JSON")
}

fn complaint(node: usize, problem: String) -> Error {
    ErrorKind::Tree { node, problem }.into()
}

/// Says in which of many trees the trouble is.
fn in_tree(index: usize, error: &Error) -> Error {
    unusable(format!("tree {index}: {error}"))
}

fn unusable(problem: String) -> Error {
    ErrorKind::ModelFile { problem }.into()
}

/// Whatever is wrong is wrong with the file.
fn in_file(model: Result<Model>) -> Result<Model> {
    model.map_err(|error| match error.kind() {
        ErrorKind::ModelFile { .. } => error,
        _ => unusable(error.to_string()),
    })
}
