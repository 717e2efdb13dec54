//! A model as one HTML page that answers by itself: no network, nothing to install.
//!
//! The page shows the tree, answers rows that people type or drop as a CSV file, lets them choose
//! the verdict on evaluation data, and tells where second looks come from. Its answers are those of
//! [`Model::predict`] to the last bit: `assets/predict.js` does the same arithmetic in the same order
//! as `tree/test.rs` and `predict/walk.rs`. Without scripts, the tree, its rules and the model card
//! can be read all the same.
//!
//! The page holds the model without what it recognises its training rows by, and of evaluation rows only what
//! was answered: their features are not in it.
//!
//! ```
//! use ternwood::{Columns, Dataset, Exec, Labels, Learner, Routing, TreeParams};
//! use ternwood_page::Page;
//!
//! let columns = Columns::from_columns(vec![95.0, 104.0, 118.0, 126.0, 128.0, 139.0], 1)?;
//! let data = Dataset::new(columns, Labels::from_values(["no", "no", "no", "yes", "no", "yes"]))?
//!     .with_feature_names(["glucose"])?;
//! let model = Learner::new(TreeParams::default(), Routing::Probabilistic)?.fit(&data, &Exec::default())?;
//! let html = Page::new(&model)?.with_title("Patients").html()?;
//! assert!(html.starts_with("<!DOCTYPE html>") && !html.contains("http://cdn"));
//! # Ok::<(), ternwood::Error>(())
//! ```

#![forbid(unsafe_code)]

mod document;
mod evaluation;
mod html;
mod parts;
mod test_document;

use crate::evaluation::Evaluation;
use ternwood::model::SingleTree;
use ternwood::{DatasetView, Error, ErrorKind, Exec, Model, Result};

/// The most nodes of a tree that a page shows: larger ones are slow to open and impossible to read.
pub const MOST_NODES: usize = 20_000;

/// A page about a model that is a single tree.
#[derive(Debug, Clone)]
pub struct Page<'a> {
    model: SingleTree<'a>,
    title: String,
    /// The model's file in commands that the page suggests.
    file: String,
    facts: Vec<(String, String)>,
    evaluation: Option<(Evaluation, DatasetView<'a>)>,
}

impl<'a> Page<'a> {
    /// The page of a model, without evaluation data.
    ///
    /// # Errors
    /// The model is a forest, or a tree of more than [`MOST_NODES`] nodes.
    pub fn new(model: &'a Model) -> Result<Self> {
        let model = model.single_tree()?;
        let found = model.tree().n_nodes();
        if found > MOST_NODES {
            let what = format!("the tree has {found} nodes, and a page shows at most {MOST_NODES}");
            let remedy = "fit a tree of smaller depth, or prune it";
            return Err(ErrorKind::Export { format: "a page", what, remedy }.into());
        }
        let name = model.metadata().get("name").or(model.schema().target());
        let title = name.map_or_else(|| "Decision tree".to_owned(), ToOwned::to_owned);
        let file = "model.json".to_owned();
        Ok(Self { model, title, file, facts: Vec::new(), evaluation: None })
    }

    /// The same page with another title.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The same page with the name of the model's file, for the commands that it suggests.
    #[must_use]
    pub fn with_file(mut self, file: impl Into<String>) -> Self {
        self.file = file.into();
        self
    }

    /// The same page with further names and values on the model card, such as a hash.
    #[must_use]
    pub fn with_facts(mut self, facts: impl IntoIterator<Item = (String, String)>) -> Self {
        self.facts.extend(facts);
        self
    }

    /// The same page with labelled rows to choose the verdict by. Class ids must be the model's.
    ///
    /// # Errors
    /// As [`Model::predict`]; or another number of classes or features.
    pub fn with_evaluation(mut self, data: DatasetView<'a>, exec: &Exec) -> Result<Self, Error> {
        let evaluation = Evaluation::new(self.model, &data, exec)?;
        self.evaluation = Some((evaluation, data));
        Ok(self)
    }

    /// The page: one HTML document. The same model and data give the same bytes.
    ///
    /// # Errors
    /// The evaluation data do not fit the picture of the tree.
    pub fn html(&self) -> Result<String> {
        html::document(self)
    }
}
