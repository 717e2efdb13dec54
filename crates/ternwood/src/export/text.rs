//! The tree as indented text.

use super::wrap::{columns, wrapped};
use crate::dataset::one_line;
use crate::model::SingleTree;
use crate::tree::{Node, NodeId, Side, Split};
use crate::words::{ListCategories, all_listed, counted, listed, plain_number};

/// How much of the tree to print, and how wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextOptions {
    /// Subtrees below this depth are summarised in one line.
    ///
    /// Every level indents further, so the text of a chain of n tests has O(n^2) characters.
    pub max_depth: usize,
    /// Lines longer than this many columns are broken; `None` means never. Where the indentation
    /// leaves fewer than 30 columns, lines are longer.
    pub width: Option<usize>,
    /// Lists all categories of a branch, and all letters of their names, however many there are.
    pub all_categories: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { max_depth: 100, width: Some(80), all_categories: false }
    }
}

/// The least room for the text of a node, in columns.
const NARROWEST: usize = 30;

/// The indent of the lines that continue a node's text, with the bar that leads to its children.
const HANG: [&str; 2] = ["     ", "│    "];

/// The tree as indented text: each test with its zone, each leaf with its class.
///
/// ```text
/// glucose 127.5, blended between 126.4 and 128.6 (614 rows, 23 within), missing goes right
/// ├─ below: 0 with 0.87 (402 rows)
/// └─ above: job, cut at 41 % ill (212 rows, 3 unsure: pilot)
///    ├─ in {clerk, nurse, pilot}: 0 with 0.76 (80 rows)
///    └─ in {cook, miner}: 1 with 0.64 (132 rows)
/// ```
#[must_use]
pub fn to_text(model: SingleTree<'_>, options: TextOptions) -> String {
    let mut text = String::new();
    let [lead, name, indent] = [const { String::new() }; 3];
    let mut waiting = vec![Waiting { node: NodeId::ROOT, lead, name, indent, depth: 0 }];
    let parents = model.tree().parents();
    let listed = if options.all_categories { all_listed } else { listed };
    while let Some(next) = waiting.pop() {
        let Waiting { node, ref indent, depth, .. } = next;
        match model.tree().node(node) {
            Node::Leaf => {
                next.print(&leaf(model, parents[node.index()], node), false, options, &mut text);
            }
            Node::Split(_) if depth >= options.max_depth => {
                next.print(&summary(model, node), false, options, &mut text);
            }
            Node::Split(split) => {
                next.print(&test(model, node, split, listed), true, options, &mut text);
                let children = named_children(model, split, listed);
                let last = children.len() - 1;
                for (position, (name, node)) in children.into_iter().enumerate().rev() {
                    let ends =
                        if position < last { ["├─ ", "│  "] } else { ["└─ ", "   "] };
                    let [lead, indent] = ends.map(|end| format!("{indent}{end}"));
                    let name = format!("{name}: ");
                    waiting.push(Waiting { node, lead, name, indent, depth: depth + 1 });
                }
            }
        }
    }
    text
}

/// A node to be printed.
struct Waiting {
    node: NodeId,
    /// The start of its first line.
    lead: String,
    /// Which values go there.
    name: String,
    /// The start of its other lines and of its children's.
    indent: String,
    depth: usize,
}

impl Waiting {
    /// Appends the lines of the node.
    fn print(&self, node: &str, has_children: bool, options: TextOptions, text: &mut String) {
        let line = format!("{}{node}", self.name);
        let Some(width) = options.width else {
            *text += &format!("{}{line}\n", self.lead);
            return;
        };
        let room = width.saturating_sub(columns(&self.indent)).max(NARROWEST);
        let hang = HANG[usize::from(has_children)];
        for (number, line) in wrapped(&line, room, columns(hang)).iter().enumerate() {
            *text += &match number {
                0 => format!("{}{line}\n", self.lead),
                _ => format!("{}{hang}{line}\n", self.indent),
            };
        }
    }
}

/// The children from left to right, each with the values that go there.
pub(super) fn named_children(
    model: SingleTree<'_>,
    split: &Split,
    listed: ListCategories,
) -> Vec<(String, NodeId)> {
    let (three, schema) = (split.middle.is_some(), model.schema());
    let name = |side| split.test.branch_in_words(side, three, schema, listed);
    let sides = [Side::Below, Side::Within, Side::Above].into_iter();
    sides.filter_map(|side| Some((name(side), split.child(side)?))).collect()
}

fn test(model: SingleTree<'_>, node: NodeId, split: &Split, listed: ListCategories) -> String {
    let mut text = format!("{} ({}", split_words(model, node), rows(model, node));
    let rows_within = model.tree().rows_within(node);
    if let Some(unsure) = split.test.unsure_in_words(rows_within, model.schema(), listed) {
        text += &format!(", {unsure}");
    }
    text.push(')');
    if let Some(missing) = split.test.describe_missing() {
        text += &format!(", {missing}");
    }
    text
}

fn split_words(model: SingleTree<'_>, node: NodeId) -> String {
    let test = model.tree().shown_test(node);
    test.map(|test| test.describe(model.schema(), model.zone_meaning())).unwrap_or_default()
}

fn leaf(model: SingleTree<'_>, parent: Option<NodeId>, node: NodeId) -> String {
    let class = model.tree().majority_class(node) as usize;
    let probability = model.tree().values(node)[class];
    let probability = plain_number((probability * 1e3).round() / 1e3);
    let class = model.schema().classes()[class].to_string();
    format!("{} with {probability} ({})", one_line(&class), leaf_rows(model, parent, node))
}

/// "402 rows"; a middle leaf that no row reached says that it predicts like its parent.
pub(super) fn leaf_rows(model: SingleTree<'_>, parent: Option<NodeId>, node: NodeId) -> String {
    match parent {
        Some(parent) if model.tree().stands_in(parent, node) => {
            "no rows, predicts like its parent".to_owned()
        }
        _ => rows(model, node),
    }
}

fn summary(model: SingleTree<'_>, node: NodeId) -> String {
    let test = split_words(model, node);
    format!("{test} ... ({}, more tests below)", rows(model, node))
}

fn rows(model: SingleTree<'_>, node: NodeId) -> String {
    counted(model.tree().rows(node) as usize, "row")
}
