//! The model file: a versioned JSON document. `docs/model-format.md` describes it.
//!
//! [`Document`] and [`NodeDocument`] list its fields.

use super::Model;
use crate::dataset::Schema;
use crate::error::{Error, ErrorKind, Result};
use crate::recipe::{Choice, Recipe};
use crate::tree::{Cut, Node, NodeId, NodeRecord, Test, Tree, TreeBuilder, Zone};
use crate::verdict::VerdictPolicy;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::Write;

const FORMAT: &str = "ternwood-model";
const VERSION: u32 = 1;

/// What tells a model file from any other JSON; read before anything else.
#[derive(Deserialize)]
struct Header {
    format: Option<String>,
    version: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u32,
    schema: Schema,
    recipe: Recipe,
    /// Absent where the data chose nothing.
    #[serde(default)]
    choice: Option<Choice>,
    verdict: VerdictPolicy,
    tree: TreeDocument,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeDocument {
    /// In preorder.
    nodes: Vec<NodeDocument<'static>>,
}

/// One node. A split has `test`, `children` and `rows_within`; a leaf has none of them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeDocument<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    test: Option<TestDocument>,
    /// Left and right; left, middle and right in the three-child shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    children: Option<Vec<u32>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows_within: Option<u32>,
    impurity: f64,
    class_weights: Cow<'a, [f64]>,
    /// Absent where it equals the weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    class_rows: Option<Cow<'a, [u32]>>,
    /// Absent where it is the weights divided by their sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    distribution: Option<Cow<'a, [f64]>>,
}

/// A test, tagged by its kind.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum TestDocument {
    Threshold {
        feature: u32,
        threshold: f64,
        half_width: f64,
        /// The training values next to the threshold; absent for tests that were not learned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        between: Option<[f64; 2]>,
    },
}

impl Model {
    /// The model as a JSON document: one line per part and per node.
    ///
    /// Numbers are written so that reading gives back the same bits.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: String| {
            writeln!(text, "  \"{name}\": {value},").expect("a string takes all that is written");
        };
        line("format", json(FORMAT));
        line("version", json(&VERSION));
        line("schema", json(&*self.schema));
        line("recipe", json(&self.recipe));
        if let Some(choice) = &self.choice {
            line("choice", json(choice));
        }
        line("verdict", json(&self.verdict));
        let nodes = self.tree.ids().map(|id| json(&NodeDocument::new(&self.tree, id)));
        let nodes = nodes.collect::<Vec<_>>().join(",\n    ");
        format!("{{\n{text}  \"tree\": {{\"nodes\": [\n    {nodes}\n  ]}}\n}}\n")
    }

    /// Reads a model file. Everything in it is checked; a byte-order mark before it is skipped.
    ///
    /// Time and memory are proportional to the length of the text, whatever it says, and nothing
    /// recurses on the tree.
    ///
    /// # Errors
    /// The text is no model file, of another version, cut short, or contradicts itself.
    pub fn from_json(text: &str) -> Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let header: Header = serde_json::from_str(text).map_err(|error| {
            if error.is_data() {
                let wanted = "it is not an object with a \"format\" and a whole \"version\"";
                return unusable(wanted.to_owned());
            }
            syntax(&error)
        })?;
        match (header.format.as_deref(), header.version) {
            (Some(FORMAT), Some(VERSION)) => {}
            (Some(FORMAT), Some(version)) => {
                return Err(unusable(format!(
                    "its version is {version}, and this library reads version {VERSION}; \
                     use a newer ternwood, or save the model again"
                )));
            }
            (Some(FORMAT), None) => return Err(unusable("it has no \"version\"".to_owned())),
            (Some(other), _) => {
                return Err(unusable(format!("its \"format\" is \"{other}\", not \"{FORMAT}\"")));
            }
            (None, _) => return Err(unusable(format!("it has no \"format\": \"{FORMAT}\""))),
        }
        let document: Document = serde_json::from_str(text).map_err(|error| syntax(&error))?;
        document.into_model().map_err(|error| match error.kind() {
            ErrorKind::ModelFile { .. } => error,
            _ => unusable(error.to_string()),
        })
    }
}

impl Document {
    fn into_model(self) -> Result<Model> {
        let Self { schema, recipe, choice, verdict, tree, .. } = self;
        if schema.n_features() == 0 || schema.n_classes() == 0 {
            return Err(unusable("it has no features or no classes".to_owned()));
        }
        recipe.clone().check()?;
        choice.as_ref().map_or(Ok(()), Choice::check)?;
        let tree = tree.into_tree(&schema)?;
        Model::new(tree, schema, recipe)?.with_choice(choice).with_verdict(verdict)
    }
}

impl TreeDocument {
    fn into_tree(self, schema: &Schema) -> Result<Tree> {
        let (n_features, n_classes) = (schema.n_features(), schema.n_classes());
        let arity = self.nodes.first().and_then(|root| Some(root.children.as_ref()?.len()));
        let mut builder = match arity {
            Some(3) => TreeBuilder::three_child(n_features, n_classes),
            _ => TreeBuilder::new(n_features, n_classes),
        };
        for (index, node) in self.nodes.iter().enumerate() {
            node.push_to(&mut builder, arity).map_err(|problem| complaint(index, problem))?;
        }
        let tree = builder.finish()?;
        for (index, node) in self.nodes.iter().enumerate() {
            node.check_children(&tree, index)?;
        }
        Ok(tree)
    }
}

impl<'a> NodeDocument<'a> {
    fn new(tree: &'a Tree, id: NodeId) -> Self {
        let (weights, rows) = (tree.class_weights(id), tree.class_rows(id));
        let distribution = tree.distribution(id);
        let total: f64 = weights.iter().sum();
        let weighted = weights.iter().zip(rows).any(|(&w, &n)| w != f64::from(n));
        let answers_otherwise = weights.iter().zip(distribution).any(|(w, p)| w / total != *p);
        let split = tree.node(id).as_split();
        Self {
            test: split.map(|split| TestDocument::from(&split.test)),
            children: split.map(|split| split.children().map(|child| child.0).collect()),
            rows_within: split.map(|_| tree.rows_within(id)),
            impurity: tree.impurity(id),
            class_weights: weights.into(),
            class_rows: weighted.then(|| rows.into()),
            distribution: answers_otherwise.then(|| distribution.into()),
        }
    }

    fn push_to(&self, builder: &mut TreeBuilder, arity: Option<usize>) -> Result<(), String> {
        let test = match (&self.test, &self.children) {
            (Some(test), Some(children)) if Some(children.len()) == arity => Some(test.check()?),
            (Some(_), Some(children)) => {
                let (here, at_the_root) = (children.len(), arity.unwrap_or(0));
                return Err(format!(
                    "it has {here} children and the root has {at_the_root}; a tree has one shape"
                ));
            }
            (None, None) if self.rows_within.is_none() => None,
            _ => return Err("a split has test and children; a leaf has neither".to_owned()),
        };
        if let Some(found) = arity.filter(|arity| ![2, 3].contains(arity)) {
            return Err(format!("it has {found} children; a split has 2 or 3"));
        }
        let total: f64 = self.class_weights.iter().sum();
        let shares = || self.class_weights.iter().map(|weight| weight / total).collect();
        let class_rows: Cow<'_, [u32]> = match &self.class_rows {
            Some(rows) => Cow::Borrowed(rows),
            None => self.class_weights.iter().map(|&weight| weight as u32).collect(),
        };
        let counted = class_rows.iter().zip(&*self.class_weights).all(|(&n, &w)| f64::from(n) == w);
        let sound = self.class_weights.iter().all(|&weight| weight >= 0.0);
        if self.class_rows.is_none() && sound && !counted {
            return Err("class_rows is missing, and its weights are not numbers of rows".to_owned());
        }
        let distribution: Cow<'_, [f64]> = match &self.distribution {
            Some(distribution) => Cow::Borrowed(distribution),
            None => shares(),
        };
        builder.push(&NodeRecord {
            test: test.as_ref(),
            class_rows: &class_rows,
            class_weights: &self.class_weights,
            distribution: &distribution,
            impurity: self.impurity,
            rows_within: self.rows_within.unwrap_or(0),
        });
        Ok(())
    }

    /// The order of the nodes determines whose child each is; the numbers given must agree.
    fn check_children(&self, tree: &Tree, index: usize) -> Result<()> {
        let Node::Split(split) = tree.node(NodeId(index as u32)) else { return Ok(()) };
        let expected: Vec<u32> = split.children().map(|child| child.0).collect();
        match &self.children {
            Some(given) if *given != expected => {
                let problem =
                    format!("its children are {given:?}, but preorder puts them at {expected:?}");
                Err(complaint(index, problem))
            }
            _ => Ok(()),
        }
    }
}

impl From<&Test> for TestDocument {
    fn from(test: &Test) -> Self {
        let Cut::Threshold { zone, between } = *test.cut();
        Self::Threshold {
            feature: test.feature().0,
            threshold: zone.threshold(),
            half_width: zone.half_width(),
            between,
        }
    }
}

impl TestDocument {
    fn check(self) -> Result<Test, String> {
        let Self::Threshold { feature, threshold, half_width, between } = self;
        let test = Zone::new(threshold, half_width).map(|zone| Test::new(feature, zone));
        let test = test.and_then(|test| match between {
            Some(neighbours) => test.with_neighbours(neighbours),
            None => Ok(test),
        });
        test.map_err(|error| error.to_string())
    }
}

fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("plain data is always JSON")
}

fn syntax(error: &serde_json::Error) -> Error {
    let hint = if error.is_eof() { "; is the file complete?" } else { "" };
    unusable(format!("{error}{hint}"))
}

fn complaint(node: usize, problem: String) -> Error {
    ErrorKind::Tree { node, problem }.into()
}

fn unusable(problem: String) -> Error {
    ErrorKind::ModelFile { problem }.into()
}
