//! The tree as a plain table, one line per node.

use crate::dataset::Schema;
use crate::model::SingleTree;
use crate::tree::{Cut, Missing, Node, NodeId, Split, Test};
use serde_json::{Map, Value, json};

/// The columns, from left to right. New ones come last: old readers count from the left.
const COLUMNS: &str = "node,depth,feature,threshold,half_width,left,middle,right,rows,rows_within,\
weight,impurity,class,probability,test,categories_left,categories_right,categories_unsure,missing,\
unknown_left\n";

/// The tree as comma-separated values with a header line, one line per node.
///
/// - `class` is the node's most probable class, `probability` its probability.
/// - `test` is `threshold`, `categories` or `present`. Where the cut separates categories,
///   `threshold` is its place on the axis of class shares.
/// - `categories_left` and `categories_right` are JSON lists of names; `categories_unsure` is a
///   JSON object with the share of each category in doubt that goes left.
/// - `missing` is where missing values go: `left`, `right` or `unknown`.
/// - `unknown_left` is the share of an unknown value that goes left: of a missing value if
///   `missing` is `unknown`, and of a category that is on neither side.
///
/// Fields that do not apply are empty.
#[must_use]
pub fn to_table(model: SingleTree<'_>) -> String {
    let tree = model.tree();
    let mut table = String::from(COLUMNS);
    let depths = tree.depths();
    for id in tree.ids() {
        let split = tree.node(id).as_split();
        let class = tree.majority_class(id) as usize;
        let statistics = [
            tree.rows(id).to_string(),
            split.map(|_| tree.rows_within(id).to_string()).unwrap_or_default(),
            tree.weight(id).to_string(),
            tree.impurity(id).to_string(),
            quoted(&model.schema().classes()[class].to_string()),
            tree.values(id)[class].to_string(),
        ];
        let (cut, sides) = match tree.node(id) {
            Node::Leaf => Default::default(),
            Node::Split(split) => (cut(split, model.schema()), sides(&split.test, model.schema())),
        };
        let (cut, statistics, sides) = (cut.join(","), statistics.join(","), sides.join(","));
        table += &format!("{id},{},{cut},{statistics},{sides}\n", depths[id.index()]);
    }
    table
}

/// From `feature` to `right`.
fn cut(split: &Split, schema: &Schema) -> [String; 6] {
    let number = |id: NodeId| id.to_string();
    let (threshold, half_width) = match split.test.cut() {
        Cut::Threshold { zone, .. } => {
            (zone.threshold().to_string(), zone.half_width().to_string())
        }
        // Every category has a half-width of its own.
        Cut::Categories(cut) => (cut.threshold().to_string(), String::new()),
        Cut::Present => (String::new(), String::new()),
    };
    [
        quoted(&schema.features()[split.test.feature().index()].name),
        threshold,
        half_width,
        number(split.left),
        split.middle.map(number).unwrap_or_default(),
        number(split.right),
    ]
}

/// From `test` to `unknown_left`.
fn sides(test: &Test, schema: &Schema) -> [String; 6] {
    let names = schema.features()[test.feature().index()].kind.names();
    let name = |id: u32| names.get(id as usize).map_or_else(|| id.to_string(), Clone::clone);
    let in_order = |mut ids: Vec<u32>| {
        ids.sort_unstable();
        ids
    };
    let sides = test.category_sides(schema);
    let list = |ids| json!(in_order(ids).into_iter().map(name).collect::<Vec<_>>());
    let share = |id: u32| (name(id), json!(test.left_share(id.into())));
    let unsure: Map<String, Value> = in_order(sides.unsure).into_iter().map(share).collect();
    let has_categories = !(sides.left.is_empty() && sides.right.is_empty());
    let field =
        |value: Value| if has_categories { quoted(&value.to_string()) } else { String::new() };
    let (kind, missing) = match (test.cut(), test.missing()) {
        (Cut::Threshold { .. }, missing) => ("threshold", missing),
        (Cut::Categories(_), missing) => ("categories", missing),
        (Cut::Present, missing) => ("present", missing),
    };
    let missing = match missing {
        Missing::Unknown => "unknown",
        Missing::Left => "left",
        Missing::Right => "right",
    };
    [
        kind.to_owned(),
        field(list(sides.left)),
        field(list(sides.right)),
        field(Value::Object(unsure)),
        missing.to_owned(),
        test.unknown_left().to_string(),
    ]
}

/// Quotes a field with commas, quotes or line breaks, and doubles its quotes.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
