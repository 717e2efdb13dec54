//! A tree in JSON: a list of nodes in preorder, each an object.

use super::{complaint, json};
use crate::dataset::Schema;
use crate::error::{ErrorKind, Result};
use crate::tree::{
    Axis, CategoryCut, CategoryPlace, Cut, Digits, Missing, NodeId, NodeRecord, NodeRows, Test,
    Tree, TreeBuilder, Zone,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a tree")]
pub(super) struct TreeDocument {
    /// In preorder.
    nodes: Vec<ReadNode>,
}

/// One node. A split has `test`, `children` and `rows_within`; a leaf has none of them.
///
/// It is written from slices and read into boxes: a file may have millions of nodes, and a box
/// takes less room than a vector.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a node")]
struct NodeDocument<Weights, Rows> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    test: Option<TestDocument>,
    /// Left and right; left, middle and right in the three-child shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    children: Option<Box<[u32]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows_within: Option<u32>,
    impurity: f64,
    class_weights: Weights,
    /// Absent where it equals the weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    class_rows: Option<Rows>,
    /// Absent where they are the weights divided by their sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Weights>,
}

type ReadNode = NodeDocument<Box<[f64]>, Box<[u32]>>;
type WrittenNode<'a> = NodeDocument<&'a [f64], &'a [u32]>;

/// A test, tagged by its kind.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields, expecting = "a test")]
enum TestDocument {
    Threshold {
        feature: u32,
        threshold: f64,
        half_width: f64,
        /// With how many decimals people see both; absent for all digits.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decimals: Option<i16>,
        /// What is added to the last digits that people see; absent where nothing is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nudges: Option<[i8; 2]>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missing: Option<SideDocument>,
    },
    Categories(Box<CategoriesDocument>),
    Present {
        feature: u32,
    },
}

/// The categories of a test on their axis.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a test of categories")]
struct CategoriesDocument {
    feature: u32,
    axis: AxisDocument,
    threshold: f64,
    /// The number of standard errors within which a category is undecided.
    error: f64,
    /// Id, training rows, position and standard error of every category that the node saw.
    places: Box<[(u32, u32, f64, f64)]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missing: Option<SideDocument>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", expecting = "an axis")]
enum AxisDocument {
    ClassShare(u32),
    Direction(Vec<f64>),
}

/// Where missing values go; absent where the test saw none.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", expecting = "a side")]
enum SideDocument {
    Left,
    Right,
}

/// Hands out a tree piece by piece; `indent` is the white space before its last line.
pub(super) fn write(tree: &Tree, indent: &str, put: &mut impl FnMut(&str)) {
    put("{\"nodes\": [");
    for id in tree.ids() {
        put(if id == NodeId::ROOT { "\n" } else { ",\n" });
        put(indent);
        put("  ");
        put(&json(&WrittenNode::new(tree, id)));
    }
    put("\n");
    put(indent);
    put("]}");
}

impl TreeDocument {
    pub(super) fn into_tree(self, schema: &Schema) -> Result<Tree> {
        let (n_features, n_classes) = (schema.n_features(), schema.n_classes());
        let first_split = self.nodes.iter().find_map(|node| node.children.as_ref());
        let arity = if first_split.is_some_and(|children| children.len() == 3) { 3 } else { 2 };
        let mut builder = match arity {
            3 => TreeBuilder::three_child(n_features, n_classes),
            _ => TreeBuilder::new(n_features, n_classes),
        };
        for (index, node) in self.nodes.iter().enumerate() {
            let complaint = |problem| complaint(index, problem);
            let digits = node.test.as_ref().map(TestDocument::digits).transpose();
            let digits = digits.map_err(complaint)?.flatten();
            node.push_to(&mut builder, arity).map_err(complaint)?;
            builder.show_with(digits);
        }
        let tree = builder.finish()?;
        for (id, node) in tree.ids().zip(&self.nodes) {
            node.check_children(&tree, id)?;
        }
        Ok(tree)
    }
}

impl<'a> WrittenNode<'a> {
    fn new(tree: &'a Tree, id: NodeId) -> Self {
        let (weights, rows) = (tree.class_weights(id), tree.class_rows(id));
        let values = tree.values(id);
        let weighted = weights.iter().zip(rows).any(|(&w, &n)| w != f64::from(n));
        let answers_otherwise = shares(weights).zip(values).any(|(share, &p)| share != p);
        let split = tree.node(id).as_split();
        Self {
            test: split.map(|split| TestDocument::new(&split.test, tree.digits(id))),
            children: split.map(|split| split.children().map(|child| child.0).collect()),
            rows_within: split.map(|_| tree.rows_within(id)),
            impurity: tree.impurity(id),
            class_weights: weights,
            class_rows: weighted.then_some(rows),
            values: answers_otherwise.then_some(values),
        }
    }
}

impl ReadNode {
    fn push_to(&self, builder: &mut TreeBuilder, arity: usize) -> Result<(), String> {
        let (test, rows_within) = match (&self.test, &self.children, self.rows_within) {
            (Some(test), Some(children), Some(rows_within)) => {
                check_arity(children.len(), arity)?;
                (Some(test.check()?), rows_within)
            }
            (None, None, None) => (None, 0),
            _ => {
                let fields = "a split has test, children and rows_within; a leaf has none of them";
                return Err(fields.to_owned());
            }
        };
        builder.push(&NodeRecord {
            test: test.as_ref(),
            rows: NodeRows::OfClasses { rows: &self.class_rows()?, weights: &self.class_weights },
            values: &self.values(),
            impurity: self.impurity,
            rows_within,
        });
        Ok(())
    }

    fn class_rows(&self) -> Result<Cow<'_, [u32]>, String> {
        if let Some(rows) = &self.class_rows {
            return Ok(Cow::Borrowed(rows));
        }
        // Negative weights are the builder's to refuse.
        let is_count = |&weight: &f64| weight < 0.0 || f64::from(weight as u32) == weight;
        if self.class_weights.iter().all(is_count) {
            return Ok(self.class_weights.iter().map(|&weight| weight as u32).collect());
        }
        Err("class_rows is missing, and its weights are not numbers of rows".to_owned())
    }

    fn values(&self) -> Cow<'_, [f64]> {
        match &self.values {
            Some(values) => Cow::Borrowed(values),
            None => shares(&self.class_weights).collect(),
        }
    }

    /// The order of the nodes determines whose child each is; the numbers given must agree.
    fn check_children(&self, tree: &Tree, id: NodeId) -> Result<()> {
        let (Some(split), Some(given)) = (tree.node(id).as_split(), &self.children) else {
            return Ok(());
        };
        let expected: Box<[u32]> = split.children().map(|child| child.0).collect();
        if *given == expected {
            return Ok(());
        }
        let problem = format!("its children are {given:?}, but preorder puts them at {expected:?}");
        Err(complaint(id.index(), problem))
    }
}

fn check_arity(found: usize, expected: usize) -> Result<(), String> {
    match found {
        _ if found == expected => Ok(()),
        2 | 3 => Err(format!(
            "it has {found} children and the first split has {expected}; a tree has one shape"
        )),
        _ => Err(format!("it has {found} children; a split has 2 or 3")),
    }
}

/// What nodes answer that have no values of their own.
pub(super) fn shares(weights: &[f64]) -> impl Iterator<Item = f64> {
    let total: f64 = weights.iter().sum();
    weights.iter().map(move |weight| weight / total)
}

impl TestDocument {
    fn new(test: &Test, digits: Option<Digits>) -> Self {
        let feature = test.feature().0;
        let missing = match test.missing() {
            Missing::Unknown => None,
            Missing::Left => Some(SideDocument::Left),
            Missing::Right => Some(SideDocument::Right),
        };
        match test.cut() {
            Cut::Threshold { zone } => Self::Threshold {
                feature,
                threshold: zone.threshold(),
                half_width: zone.half_width(),
                decimals: digits.map(Digits::decimals),
                nudges: digits.map(Digits::nudges).filter(|&nudges| nudges != [0, 0]),
                missing,
            },
            Cut::Categories(cut) => Self::Categories(Box::new(CategoriesDocument {
                feature,
                axis: match cut.axis() {
                    Axis::ClassShare(class) => AxisDocument::ClassShare(*class),
                    Axis::Direction(direction) => AxisDocument::Direction(direction.clone()),
                },
                threshold: cut.threshold(),
                error: cut.error(),
                places: cut
                    .places()
                    .iter()
                    .map(|place| (place.category, place.rows, place.position, place.standard_error))
                    .collect(),
                missing,
            })),
            Cut::Present => Self::Present { feature },
        }
    }

    fn digits(&self) -> Result<Option<Digits>, String> {
        match *self {
            Self::Threshold { decimals: None, nudges: Some(_), .. } => {
                Err("it has nudges, but no decimals".to_owned())
            }
            Self::Threshold { decimals: Some(decimals), nudges, .. } => {
                let digits = Digits::new(decimals, nudges.unwrap_or_default());
                digits.map(Some).map_err(|error| error.to_string())
            }
            _ => Ok(None),
        }
    }

    fn check(&self) -> Result<Test, String> {
        let test = match self {
            Self::Threshold { feature, threshold, half_width, missing, .. } => {
                let test = Zone::new(*threshold, *half_width).map(|zone| Test::new(*feature, zone));
                test.map(|test| test.with_missing(side(*missing)))
            }
            Self::Categories(document) => document.check(),
            Self::Present { feature } => Ok(Test::is_present(*feature)),
        };
        test.map_err(|error| match error.kind() {
            ErrorKind::Zone { problem } => problem.clone(),
            _ => error.to_string(),
        })
    }
}

impl CategoriesDocument {
    fn check(&self) -> Result<Test> {
        let place = |&(category, rows, position, standard_error): &(u32, u32, f64, f64)| {
            CategoryPlace { category, rows, position, standard_error }
        };
        let axis = match &self.axis {
            AxisDocument::ClassShare(class) => Axis::ClassShare(*class),
            AxisDocument::Direction(direction) => Axis::Direction(direction.clone()),
        };
        let places = self.places.iter().map(place).collect();
        let cut = CategoryCut::new(axis, self.threshold, self.error, places)?;
        Ok(Test::of_categories(self.feature, cut).with_missing(side(self.missing)))
    }
}

fn side(missing: Option<SideDocument>) -> Missing {
    match missing {
        None => Missing::Unknown,
        Some(SideDocument::Left) => Missing::Left,
        Some(SideDocument::Right) => Missing::Right,
    }
}
