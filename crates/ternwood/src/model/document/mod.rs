//! The model file: a versioned JSON document, or the same without the trees in the header of a file of arrays
//! ([`arrays`]). `docs/model-format.md` describes both.

mod arrays;
mod header;
mod tree;

pub use header::Checksum;

use super::Model;
use crate::dataset::Schema;
use crate::error::{Error, ErrorKind, Result};
use crate::tree::Tree;
use header::Document;
use header::Sha;
use serde::{Deserialize, Serialize};
use tree::TreeDocument;

/// The first lines of a JSON document.
const START: &str = "{\n  \"format\": \"ternwood-model\",\n  \"version\": 1,\n";

/// The trees of a forest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a forest")]
struct ForestDocument {
    trees: Vec<TreeDocument>,
}

impl Model {
    /// The model as a JSON document: one line per part and per node.
    ///
    /// Numbers are written so that reading gives back the same bits. The line `sha256` has the SHA-256 of all
    /// other lines.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::from(START);
        self.write_content(&mut |piece| text += piece);
        let mut sha = Sha::new();
        sha.put(&text);
        text.insert_str(START.len(), &line(header::FIELD, &json(&sha.hex())));
        text
    }

    /// The SHA-256 of the JSON document without its checksum, which is never all in memory.
    fn json_sha256(&self) -> String {
        let mut sha = Sha::new();
        sha.put(START);
        self.write_content(&mut |piece| sha.put(piece));
        sha.hex()
    }

    /// Hands out the JSON document after its [`START`], piece by piece.
    fn write_content(&self, put: &mut impl FnMut(&str)) {
        for (name, value) in header::parts(self) {
            put(&line(name, &value));
        }
        match self.ensemble.single() {
            Some(tree) => {
                put("  \"tree\": ");
                tree::write(tree, "  ", put);
            }
            None => {
                put("  \"forest\": {\"trees\": [");
                for (index, tree) in self.trees().iter().enumerate() {
                    put(if index == 0 { "\n    " } else { ",\n    " });
                    tree::write(tree, "    ", put);
                }
                put("\n  ]}");
            }
        }
        put("\n}\n");
    }

    /// Reads a model file in JSON. Everything in it is checked; a byte-order mark before it is skipped.
    ///
    /// Time and memory are proportional to the length of the text, whatever it says, and nothing
    /// recurses on the tree.
    ///
    /// # Errors
    /// The text is no model file, of another version, cut short, contradicts itself, or was damaged or edited
    /// ([`ErrorKind::Checksum`]).
    pub fn from_json(text: &str) -> Result<Self> {
        checked(read_json(text)?)
    }

    /// Reads a model file of either kind: JSON, or [safetensors](Self::from_safetensors).
    ///
    /// # Errors
    /// As those.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        checked(Self::from_edited(bytes)?)
    }

    /// Reads a model file of either kind that may have been edited. Everything in it is checked but its checksum,
    /// which is returned.
    ///
    /// ```
    /// # use ternwood::{Columns, Dataset, Exec, Labels, Learner, Model, Recipe};
    /// # let columns = Columns::from_columns(vec![1.0, 2.0, 3.0, 6.0, 7.0, 8.0], 1)?;
    /// # let data = Dataset::new(columns, Labels::from_values(["low", "low", "low", "up", "up", "up"]))?;
    /// # let model = Learner::from_recipe(Recipe::default())?.fit(&data, &Exec::default())?;
    /// let edited = model.to_json().replace("\"low\"", "\"down\"");
    /// assert!(Model::from_json(&edited).is_err());
    /// let (model, checksum) = Model::from_edited(edited.as_bytes())?;
    /// assert!(!checksum.holds());
    /// assert!(Model::from_json(&model.to_json()).is_ok());
    /// # Ok::<(), ternwood::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes), but for the checksum.
    pub fn from_edited(bytes: &[u8]) -> Result<(Self, Checksum)> {
        // A file of arrays begins with the length of its header, whose upper bytes are 0; a text has no such.
        if bytes.iter().take(size_of::<u64>()).any(|&byte| byte == 0) {
            return arrays::read(bytes);
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let place = error.valid_up_to();
            unusable(format!("it is neither safetensors nor text: byte {place} is not UTF-8"))
        })?;
        let start = text.strip_prefix('\u{feff}').unwrap_or(text).trim_ascii_start();
        if !start.is_empty() && !start.starts_with('{') {
            return Err(unusable("it is not a JSON object".to_owned()));
        }
        read_json(text)
    }
}

fn read_json(text: &str) -> Result<(Model, Checksum)> {
    let mut document = Document::read(text.strip_prefix('\u{feff}').unwrap_or(text))?;
    let stored = document.take_checksum()?;
    let model = in_file(document.into_model(None))?;
    let checksum = Checksum::new(stored, model.json_sha256());
    Ok((model, checksum))
}

fn checked((model, checksum): (Model, Checksum)) -> Result<Model> {
    checksum.check()?;
    Ok(model)
}

impl ForestDocument {
    fn into_trees(self, schema: &Schema) -> Result<Vec<Tree>> {
        let trees =
            self.trees.into_iter().enumerate().map(|(index, tree)| {
                tree.into_tree(schema).map_err(|error| in_tree(index, &error))
            });
        trees.collect()
    }
}

/// A line of the JSON document.
fn line(name: &str, value: &str) -> String {
    format!("  \"{name}\": {value},\n")
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
