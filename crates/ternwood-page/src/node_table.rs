//! The tree as a table: for those who cannot see the picture, and for what no picture has room for.

use crate::html::{escaped, percent};
use std::fmt::Write;
use ternwood::model::SingleTree;
use ternwood::tree::{NodeId, Side};
use ternwood::words::class_in_words;

/// The table has so many rows; the text says how many nodes follow.
const SHOWN: usize = 1_500;

pub(crate) fn table(model: SingleTree<'_>) -> String {
    let (tree, schema) = (model.tree(), model.schema());
    let meaning = model.zone_meaning();
    let (depths, parents) = (tree.depths(), tree.parents());
    let mut text = String::from(
        "<table class=\"nodes\">\n<caption class=\"sr\">The nodes of the tree, each after its parent</caption>\n\
         <thead><tr><th scope=\"col\">Node</th><th scope=\"col\">Where</th><th scope=\"col\">Test or answer</th>\
         <th scope=\"col\" class=\"n\">Rows</th><th scope=\"col\" class=\"n\">In zone</th></tr></thead>\n<tbody>\n",
    );
    for id in tree.ids().take(SHOWN) {
        let parent = parents[id.index()];
        let place = parent.map_or_else(|| "top".to_owned(), |it| branch(model, it, id));
        let class = tree.majority_class(id);
        let share = percent(tree.values(id)[class as usize]);
        let (words, within) = match tree.shown_test(id) {
            Some(test) => (test.describe(schema, meaning), tree.rows_within(id).to_string()),
            None => (format!("{} ({share})", class_in_words(schema, class)), String::new()),
        };
        let of = parent.map_or_else(String::new, |parent| format!(" of node {parent}"));
        let _ = writeln!(
            text,
            "<tr id=\"node-{id}\" style=\"--depth:{}\"><th scope=\"row\">{id}</th>\
             <td class=\"where\">{}<span class=\"sr\">{of}</span></td><td>{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{within}</td></tr>",
            depths[id.index()].min(24),
            escaped(&place),
            escaped(&words),
            tree.rows(id),
        );
    }
    text += "</tbody>\n</table>\n";
    let more = tree.n_nodes().saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(text, "<p class=\"note\">{more} more nodes are not listed.</p>");
    }
    text
}

/// Which values of its parent's feature lead to a node.
fn branch(model: SingleTree<'_>, parent: NodeId, child: NodeId) -> String {
    let Some(split) = model.tree().node(parent).as_split() else { return String::new() };
    let side = match child {
        _ if child == split.left => Side::Below,
        _ if child == split.right => Side::Above,
        _ => Side::Within,
    };
    split.test.describe_branch(side, split.middle.is_some(), model.schema())
}
