//! A model as an ONNX graph, in double precision, with the same answers and verdicts.
//!
//! Only standard operators are used, in the walker's order of operations: no matrix products, whose
//! order of addition is anybody's guess. The file is written by hand (`proto.rs`), so nothing but
//! this library is needed, and the command and Python write the same bytes.

mod answer;
mod coverage;
mod ensemble;
mod forest;
mod forest_loop;
mod graph;
mod input;
mod proto;
mod tests_of_tree;
mod tree;

use crate::error::{ErrorKind, Result};
use crate::model::Model;
use graph::Graph;
use proto::Message;

/// The version of the standard operators.
pub const OPSET: i64 = 18;

/// The version of the file format that goes with [`OPSET`].
const IR_VERSION: i64 = 8;

/// Readers of the format take no more.
const MOST_BYTES: usize = i32::MAX as usize;

/// The model as the bytes of an ONNX file.
///
/// Inputs: `numbers`, doubles, one column per numeric feature; and, if there are any, `categories`,
/// texts, one column per feature with categories. Both keep the order of the features; the metadata
/// `numbers` and `categories` of the file list their names in JSON. NaN is a missing number. A missing
/// category is an empty text or, where a category has no name, that of the metadata `missing`. An
/// infinite number cannot be read. The [metadata](Model::metadata) of the model are copied as plain texts, with
/// `metadata.` before their names, and so is its [`ternwood_version`](Model::ternwood_version).
///
/// Outputs: `label`, `probabilities`, `decided`, and for a single tree of two children `distance`, the
/// [zone distance](Model::zone_distances).
///
/// # Errors
/// A model of more than two gigabytes.
pub fn to_onnx(model: &Model) -> Result<Vec<u8>> {
    let mut graph = Graph::default();
    let values = input::values(model, &mut graph);
    let answers = match model.single_tree() {
        Ok(tree) => tree::answers(tree, &values, &mut graph),
        Err(_) => forest::answers(model, &values, &mut graph),
    };
    let covered = coverage::covered(model, &values, &mut graph);
    answer::write(model, &answers, covered, &mut graph);
    let ml_version = graph.ml_version;
    let mut file = Message::default()
        .number(1, IR_VERSION)
        .text(2, "ternwood")
        .text(3, env!("CARGO_PKG_VERSION"))
        .message(7, &graph.into_message("ternwood"))
        .message(8, &Message::default().text(1, "").number(2, OPSET));
    if ml_version > 0 {
        file = file.message(8, &Message::default().text(1, "ai.onnx.ml").number(2, ml_version));
    }
    let entry = |key: &str, value: &str| Message::default().text(1, key).text(2, value);
    for (key, value) in input::metadata(model) {
        file = file.message(14, &entry(key, &value));
    }
    for (name, text) in model.metadata().iter() {
        file = file.message(14, &entry(&format!("metadata.{name}"), text));
    }
    if let Some(version) = model.ternwood_version() {
        file = file.message(14, &entry("ternwood_version", version));
    }
    if file.len() > MOST_BYTES {
        let what = format!("it has {} bytes, and the format takes {MOST_BYTES}", file.len());
        return Err(ErrorKind::Export {
            format: "ONNX",
            what,
            remedy: "grow fewer or smaller trees",
        }
        .into());
    }
    Ok(file.into_bytes())
}
