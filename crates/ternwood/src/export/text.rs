//! The tree as indented text.

use crate::dataset::one_line;
use crate::model::Model;
use crate::tree::{Node, NodeId, Side, Split, plain_number};
use std::fmt::Write;

/// How much of the tree to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextOptions {
    /// Subtrees below this depth are summarised in one line.
    ///
    /// Every level indents further, so the text of a chain of n tests has O(n^2) characters.
    pub max_depth: usize,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { max_depth: 100 }
    }
}

/// The tree as indented text: each test with its zone, each leaf with its class.
///
/// ```text
/// glucose 127.5 ± 1.1 (614 rows, 23 within), missing goes right
/// ├─ below: 0 with 0.87 (402 rows)
/// └─ above: job, cut at 41 % ill (212 rows, 3 unsure: pilot)
///    ├─ in {clerk, nurse, pilot}: 0 with 0.76 (80 rows)
///    └─ in {cook, miner}: 1 with 0.64 (132 rows)
/// ```
#[must_use]
pub fn to_text(model: &Model, options: TextOptions) -> String {
    let mut text = String::new();
    // Each entry: the node, the start of its line, the indentation of its children, and its depth.
    let mut waiting = vec![(NodeId::ROOT, String::new(), String::new(), 0)];
    let parents = model.tree().parents();
    while let Some((node, lead, indent, depth)) = waiting.pop() {
        let description = match model.tree().node(node) {
            Node::Leaf => leaf(model, parents[node.index()], node),
            Node::Split(split) if depth >= options.max_depth => summary(model, node, split),
            Node::Split(split) => {
                let children = named_children(model, split);
                for (position, (name, child)) in children.iter().enumerate().rev() {
                    let last = position + 1 == children.len();
                    let (branch, below) =
                        if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
                    let lead = format!("{indent}{branch}{name}: ");
                    waiting.push((*child, lead, format!("{indent}{below}"), depth + 1));
                }
                test(model, node, split)
            }
        };
        writeln!(text, "{lead}{description}").expect("writing to a String cannot fail");
    }
    text
}

/// The children from left to right, each with the values that go there.
pub(super) fn named_children(model: &Model, split: &Split) -> Vec<(String, NodeId)> {
    let name = |side| split.test.describe_branch(side, split.middle.is_some(), model.schema());
    let sides = [Side::Below, Side::Within, Side::Above].into_iter();
    sides.filter_map(|side| Some((name(side), split.child(side)?))).collect()
}

fn test(model: &Model, node: NodeId, split: &Split) -> String {
    let mut text = format!("{} ({}", split.test.describe(model.schema()), rows(model, node));
    let rows_within = model.tree().rows_within(node);
    if let Some(unsure) = split.test.describe_unsure(rows_within, model.schema()) {
        text += &format!(", {unsure}");
    }
    text.push(')');
    if let Some(missing) = split.test.describe_missing() {
        text += &format!(", {missing}");
    }
    text
}

fn leaf(model: &Model, parent: Option<NodeId>, node: NodeId) -> String {
    let class = model.tree().majority_class(node) as usize;
    let probability = model.tree().distribution(node)[class];
    let probability = plain_number((probability * 1e3).round() / 1e3);
    let class = model.schema().classes()[class].to_string();
    format!("{} with {probability} ({})", one_line(&class), leaf_rows(model, parent, node))
}

/// "402 rows"; a middle leaf that no row reached says that it predicts like its parent.
pub(super) fn leaf_rows(model: &Model, parent: Option<NodeId>, node: NodeId) -> String {
    match parent {
        Some(parent) if model.tree().stands_in(parent, node) => {
            "no rows, predicts like its parent".to_owned()
        }
        _ => rows(model, node),
    }
}

fn summary(model: &Model, node: NodeId, split: &Split) -> String {
    let test = split.test.describe(model.schema());
    format!("{test} ... ({}, more tests below)", rows(model, node))
}

fn rows(model: &Model, node: NodeId) -> String {
    match model.tree().rows(node) {
        1 => "1 row".to_owned(),
        rows => format!("{rows} rows"),
    }
}
