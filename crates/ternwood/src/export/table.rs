//! The tree as a plain table, one line per node.

use crate::model::Model;
use crate::tree::{Node, NodeId};

/// The tree as comma-separated values with a header line, one line per node.
///
/// `class` is the node's most probable class, `probability` its probability. Fields that do not
/// apply are empty.
#[must_use]
pub fn to_table(model: &Model) -> String {
    let tree = model.tree();
    let mut table = String::from(
        "node,depth,feature,threshold,half_width,left,middle,right,rows,rows_within,weight,impurity,class,probability\n",
    );
    let depths = tree.depths();
    let number = |id: NodeId| id.to_string();
    for id in tree.ids() {
        let test = match tree.node(id) {
            Node::Leaf => [const { String::new() }; 6],
            Node::Split(split) => [
                quoted(&model.schema().features()[split.test.feature().index()].name),
                split.test.zone().map_or_else(String::new, |zone| zone.threshold().to_string()),
                split.test.zone().map_or_else(String::new, |zone| zone.half_width().to_string()),
                number(split.left),
                split.middle.map(number).unwrap_or_default(),
                number(split.right),
            ],
        };
        let class = tree.majority_class(id) as usize;
        let fields = [
            tree.rows(id).to_string(),
            if tree.node(id).is_leaf() { String::new() } else { tree.rows_within(id).to_string() },
            tree.weight(id).to_string(),
            tree.impurity(id).to_string(),
            quoted(&model.schema().classes()[class].to_string()),
            tree.distribution(id)[class].to_string(),
        ];
        table += &format!("{id},{},{},{}\n", depths[id.index()], test.join(","), fields.join(","));
    }
    table
}

/// Quotes a field with commas, quotes or line breaks, and doubles its quotes.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
