//! The tree in Graphviz's DOT language.

use super::text::{leaf_rows, named_children};
use crate::model::SingleTree;
use crate::tree::Node;
use crate::words::listed;
use std::fmt::Write;

/// The tree in Graphviz's DOT language. Edge widths show the share of the rows; middle branches
/// are dashed.
#[must_use]
pub fn to_dot(model: SingleTree<'_>) -> String {
    let tree = model.tree();
    let mut dot = String::from(
        "digraph tree {\n  node [shape=box, style=\"rounded\", fontname=\"Helvetica\"];\n  \
         edge [fontname=\"Helvetica\"];\n",
    );
    let total = f64::from(tree.rows(crate::tree::NodeId::ROOT)).max(1.0);
    let parents = tree.parents();
    let meaning = model.zone_meaning();
    for id in tree.ids() {
        let rows = tree.rows(id);
        let label = match tree.shown_test(id) {
            Some(shown) => {
                let (test, schema) = (shown.test, model.schema());
                let mut lines = vec![shown.describe(schema, meaning), format!("{rows} rows")];
                if let Some(unsure) = test.describe_unsure(tree.rows_within(id), schema) {
                    lines[1] += &format!(", {unsure}");
                }
                lines.extend(test.describe_missing().map(str::to_owned));
                lines.join("\n")
            }
            None => {
                let class = tree.majority_class(id) as usize;
                let probability = tree.values(id)[class];
                let rows = leaf_rows(model, parents[id.index()], id);
                format!("{} {probability:.3}\n{rows}", model.schema().classes()[class])
            }
        };
        let shape = if tree.node(id).is_leaf() {
            ", style=\"rounded,filled\", fillcolor=\"#eeeeee\""
        } else {
            ""
        };
        write(&mut dot, &format!("  n{id} [label=\"{}\"{shape}];\n", escaped(&label)));
        let Node::Split(split) = tree.node(id) else { continue };
        for (name, child) in named_children(model, split, listed) {
            let name = escaped(&name);
            let style = if split.middle == Some(child) { ", style=dashed" } else { "" };
            let rows = if tree.stands_in(id, child) { 0 } else { tree.rows(child) };
            let width = 0.5 + 4.5 * f64::from(rows) / total;
            write(
                &mut dot,
                &format!("  n{id} -> n{child} [label=\"{name}\", penwidth={width:.2}{style}];\n"),
            );
        }
    }
    dot.push_str("}\n");
    dot
}

fn write(dot: &mut String, line: &str) {
    dot.write_str(line).expect("writing to a String cannot fail");
}

/// Escapes quotes, backslashes and line breaks for a quoted DOT string.
fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
