//! A model as an ONNX graph, in double precision, with the same answers and verdicts.
//!
//! Only standard operators are used, in the walker's order of operations: no matrix products, whose
//! order of addition is anybody's guess. The file is written by hand (`proto.rs`), so nothing but
//! this library is needed, and the command and Python write the same bytes.

mod answer;
mod forest;
mod forest_loop;
mod graph;
mod tests_of_tree;
mod tree;

use crate::error::{Error, ErrorKind, Result};
use crate::model::Model;
use crate::tree::Tree;
use graph::Graph;
use graph::Message;

/// The version of the standard operators.
pub const OPSET: i64 = 18;

/// The version of the file format that goes with [`OPSET`].
const IR_VERSION: i64 = 8;

/// Readers of the format take no more.
const MOST_BYTES: usize = i32::MAX as usize;

/// Graphs beyond these sizes load slowly and need much memory in most runtimes.
const LARGE_NODES: usize = 200_000;
const LARGE_BYTES: usize = 100_000_000;

/// Above this size, a row takes a single tree a millisecond or more.
const SLOW_NODES: usize = 1_000;

/// How a model is written as ONNX.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OnnxOptions {
    /// Also writes models of more than 200,000 nodes and files of more than 100 megabytes, which are refused otherwise.
    pub force_large: bool,
}

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
/// A model of more than 200,000 nodes or a file of more than 100 megabytes, unless `options` allow it; a file of more
/// than two gigabytes.
pub fn to_onnx(model: &Model, options: OnnxOptions) -> Result<Vec<u8>> {
    let n_nodes: usize = model.trees().iter().map(Tree::n_nodes).sum();
    if n_nodes > LARGE_NODES && !options.force_large {
        let what = format!("it has {n_nodes} nodes, and more than {LARGE_NODES} are slow to load");
        return Err(too_large(what));
    }
    let mut graph = Graph::default();
    let values = answer::values(model, &mut graph);
    let answers = match model.single_tree() {
        Ok(tree) => tree::answers(tree, &values, &mut graph),
        Err(_) => forest::answers(model, &values, &mut graph),
    };
    let covered = answer::covered(model, &values, &mut graph);
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
    for (key, value) in answer::metadata(model) {
        file = file.message(14, &entry(key, &value));
    }
    for (name, text) in model.metadata().iter() {
        file = file.message(14, &entry(&format!("metadata.{name}"), text));
    }
    if let Some(version) = model.ternwood_version() {
        file = file.message(14, &entry("ternwood_version", version));
    }
    let (n_bytes, most) = (file.len(), if options.force_large { MOST_BYTES } else { LARGE_BYTES });
    if n_bytes > most {
        let what = format!("the file would have {n_bytes} bytes, and at most {most} are written");
        return Err(too_large(what));
    }
    Ok(file.into_bytes())
}

/// True if runtimes answer a row many times slower than this library, in a millisecond or more: of a forest with zones or
/// categories, which is walked by a loop, and of a tree of more than 1,000 nodes, all of whose tests are made of every
/// row. Other forests are a `TreeEnsembleRegressor`.
#[must_use]
pub fn is_slow(model: &Model) -> bool {
    match model.single_tree() {
        Ok(tree) => tree.tree().n_nodes() > SLOW_NODES,
        Err(_) => forest::LeafOperator::of(model).is_none(),
    }
}

fn too_large(what: String) -> Error {
    let remedy = "serve the model file itself, or fit fewer or smaller trees";
    ErrorKind::Export { format: "ONNX", what, remedy }.into()
}
