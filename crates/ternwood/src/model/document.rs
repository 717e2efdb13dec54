//! The model file: a versioned JSON document. `docs/model-format.md` describes it.

use super::Model;
use super::features::Feature;
use super::objects;
use super::policy::ConfidencePolicy;
use crate::dataset::ClassName;
use crate::error::{Error, ErrorKind, Result};
use crate::learn::{Choice, Leaves, TreeParams};
use crate::predict::Routing;
use crate::tree::{FeatureId, Node, NodeId, NodeRecord, Tree, TreeBuilder, Zone};
use serde::{Deserialize, Serialize};
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
    features: Vec<Feature>,
    /// Left out where the names tell.
    #[serde(default)]
    features_named: bool,
    /// Left out where the data had no name for it.
    #[serde(default)]
    target: Option<String>,
    classes: Vec<ClassName>,
    routing: Routing,
    /// Left out where zones make a row undecided.
    #[serde(default)]
    verdict: Option<ConfidencePolicy>,
    parameters: TreeParams,
    /// Left out where leaves count.
    #[serde(default)]
    leaves: Leaves,
    /// Left out where nothing was chosen.
    #[serde(default)]
    choice: Option<Choice>,
    nodes: Vec<NodeDocument>,
}

/// One node. A split has `feature` to `right`, a leaf has none of them.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeDocument {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    feature: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    half_width: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    middle: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    right: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows_within: Option<u32>,
    impurity: f64,
    class_weights: Vec<f64>,
    /// Left out where it equals the weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    class_rows: Option<Vec<u32>>,
    /// Left out where it is the weights divided by their sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    distribution: Option<Vec<f64>>,
}

impl Model {
    /// The model as a JSON document: one line per feature list, parameter set and node.
    ///
    /// Numbers are written so that reading gives back the same bits.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        let json = |value: serde_json::Result<String>| value.expect("plain data is always JSON");
        let mut line = |name: &str, value: String| {
            writeln!(text, "  \"{name}\": {value},").expect("a string takes all that is written");
        };
        line("format", json(serde_json::to_string(FORMAT)));
        line("version", VERSION.to_string());
        line("features", json(serde_json::to_string(&self.features)));
        if self.named {
            line("features_named", true.to_string());
        }
        if let Some(target) = &self.target {
            line("target", json(serde_json::to_string(target)));
        }
        line("classes", json(serde_json::to_string(&self.classes)));
        line("routing", json(serde_json::to_string(&self.routing)));
        if let Some(verdict) = self.verdict.as_confidence() {
            line("verdict", json(serde_json::to_string(verdict)));
        }
        line("parameters", json(serde_json::to_string(&self.params)));
        if self.leaves != Leaves::Counts {
            line("leaves", json(serde_json::to_string(&self.leaves)));
        }
        if let Some(choice) = &self.choice {
            line("choice", json(serde_json::to_string(choice)));
        }
        let nodes: Vec<String> = self
            .tree
            .ids()
            .map(|id| {
                format!("    {}", json(serde_json::to_string(&node_document(&self.tree, id))))
            })
            .collect();
        format!("{{\n{text}  \"nodes\": [\n{}\n  ]\n}}\n", nodes.join(",\n"))
    }

    /// Reads a model file. Everything in it is checked; a byte-order mark before it is skipped.
    ///
    /// Time and memory are proportional to the length of the text, whatever it says: a number of
    /// two letters becomes at most twenty bytes of tree, and nothing recurses.
    ///
    /// # Errors
    /// The text is no model file, of another version, cut short, or contradicts itself.
    pub fn from_json(text: &str) -> Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let header: Header = objects::from_json(text).map_err(|error| {
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
        let document: Document = objects::from_json(text).map_err(|error| syntax(&error))?;
        document.into_model().map_err(|error| match error.kind() {
            ErrorKind::ModelFile { .. } => error,
            _ => unusable(error.to_string()),
        })
    }
}

impl Document {
    fn into_model(self) -> Result<Model> {
        let Self {
            features,
            features_named,
            target,
            classes,
            routing,
            verdict,
            parameters,
            leaves,
            choice,
            nodes,
            ..
        } = self;
        if features.is_empty() || classes.is_empty() {
            return Err(unusable("it has no features or no classes".to_owned()));
        }
        let n_nodes = nodes.len();
        let mut builder = TreeBuilder::new(features.len(), classes.len());
        for (index, node) in nodes.iter().enumerate() {
            node.push_to(&mut builder, index, n_nodes)?;
        }
        let tree = builder.finish()?;
        for (index, node) in nodes.iter().enumerate() {
            node.check_children(&tree, index)?;
        }
        let mut model = Model::new(tree, features, classes, routing)?
            .with_params(parameters.check()?)
            .with_leaves(leaves);
        if features_named {
            model = model.with_named_features();
        }
        if let Some(choice) = choice {
            choice.check()?;
            model = model.with_choice(choice);
        }
        if let Some(target) = target {
            model = model.with_target(target)?;
        }
        match verdict {
            Some(verdict) => model.with_verdict(verdict),
            None => Ok(model),
        }
    }
}

impl NodeDocument {
    fn push_to(&self, builder: &mut TreeBuilder, index: usize, n_nodes: usize) -> Result<()> {
        let total: f64 = self.class_weights.iter().sum();
        let shares = || self.class_weights.iter().map(|weight| weight / total).collect();
        let class_rows: Vec<u32> = match &self.class_rows {
            Some(rows) => rows.clone(),
            None => self.class_weights.iter().map(|&weight| weight as u32).collect(),
        };
        let counted = class_rows.iter().zip(&self.class_weights).all(|(&n, &w)| f64::from(n) == w);
        let sound = self.class_weights.iter().all(|&weight| weight >= 0.0);
        if self.class_rows.is_none() && sound && !counted {
            let problem = "class_rows is missing, and its weights are not numbers of rows";
            return Err(ErrorKind::Tree { node: index, problem: problem.to_owned() }.into());
        }
        builder.push(&NodeRecord {
            test: self.test(index, n_nodes)?,
            class_rows: &class_rows,
            class_weights: &self.class_weights,
            distribution: &self.distribution.clone().unwrap_or_else(shares),
            impurity: self.impurity,
            rows_within: self.rows_within.unwrap_or(0),
        });
        Ok(())
    }

    fn test(&self, index: usize, n_nodes: usize) -> Result<Option<(FeatureId, Zone, bool)>> {
        let complaint = |problem: String| Error::from(ErrorKind::Tree { node: index, problem });
        let (feature, threshold, half_width, left, right) = match (
            self.feature,
            self.threshold,
            self.half_width,
            self.left,
            self.right,
        ) {
            (Some(a), Some(b), Some(c), Some(d), Some(e)) => (a, b, c, d, e),
            (None, None, None, None, None) if self.middle.is_none() => return Ok(None),
            _ => {
                let problem =
                    "a split has feature, threshold, half_width, left and right; a leaf has none";
                return Err(complaint(problem.to_owned()));
            }
        };
        for (name, child) in [("left", Some(left)), ("middle", self.middle), ("right", Some(right))]
        {
            let Some(child) = child else { continue };
            if child as usize >= n_nodes {
                return Err(complaint(format!(
                    "its {name} child {child} is out of range: there are {n_nodes} nodes"
                )));
            }
            if child as usize <= index {
                return Err(complaint(format!(
                    "its {name} child {child} does not come after it: that is a cycle"
                )));
            }
        }
        let zone =
            Zone::new(threshold, half_width).map_err(|error| complaint(error.to_string()))?;
        Ok(Some((FeatureId(feature), zone, self.middle.is_some())))
    }

    /// The order of the nodes says who is whose child; the numbers given must agree.
    fn check_children(&self, tree: &Tree, index: usize) -> Result<()> {
        let Node::Split(split) = tree.node(NodeId(index as u32)) else { return Ok(()) };
        let given = [self.left, self.middle, self.right].map(|child| child.map(NodeId));
        if given == [Some(split.left), split.middle, Some(split.right)] {
            return Ok(());
        }
        let problem = format!(
            "its children are not where preorder puts them: left {}, right {}",
            split.left, split.right
        );
        Err(ErrorKind::Tree { node: index, problem }.into())
    }
}

fn node_document(tree: &Tree, id: NodeId) -> NodeDocument {
    let weights = tree.class_weights(id);
    let total: f64 = weights.iter().sum();
    let rows = tree.class_rows(id);
    let distribution = tree.distribution(id);
    let mut document = NodeDocument {
        impurity: tree.impurity(id),
        class_weights: weights.to_vec(),
        class_rows: weights
            .iter()
            .zip(rows)
            .any(|(&w, &n)| w != f64::from(n))
            .then(|| rows.to_vec()),
        distribution: weights
            .iter()
            .zip(distribution)
            .any(|(w, p)| w / total != *p)
            .then(|| distribution.to_vec()),
        ..NodeDocument::default()
    };
    if let Node::Split(split) = tree.node(id) {
        document.feature = Some(split.feature.0);
        document.threshold = Some(split.zone.threshold());
        document.half_width = Some(split.zone.half_width());
        document.left = Some(split.left.0);
        document.middle = split.middle.map(|middle| middle.0);
        document.right = Some(split.right.0);
        document.rows_within = Some(tree.rows_within(id));
    }
    document
}

fn syntax(error: &serde_json::Error) -> Error {
    let hint = if error.is_eof() { "; is the file complete?" } else { "" };
    unusable(format!("{error}{hint}"))
}

fn unusable(problem: String) -> Error {
    ErrorKind::ModelFile { problem }.into()
}
