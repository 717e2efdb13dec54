//! A tree with everything needed to use it: names, routing, and how it came to be.

mod achieved;
mod document;
mod explained;
mod features;
mod numbers;
mod objects;
mod one_line;
mod policy;

pub use achieved::{Achieved, CalibrationSource};
pub use explained::ExplainedRow;
pub use features::{Feature, FeatureKind};
pub(crate) use numbers::{plain_number, zone_numbers};
pub use one_line::one_line;
pub use policy::{ConfidencePolicy, VerdictPolicy, VerdictRule};

use crate::dataset::{
    ClassName, Dataset, check_class_names, check_distinct, check_length, default_feature_name,
};
use crate::error::{Error, ErrorKind, Result};
use crate::learn::{CheckedParams, Choice, Leaves, SplitView, TreeParams};
use crate::logic::Verdict;
use crate::predict::{PredictionSlots, Predictions, Routing, Rows, Walker};
use crate::tree::{NodeId, Tree};
use crate::workers::Workers;

/// A trained model: the tree, the names of features and classes, the routing, what makes a row
/// undecided, and the parameters the tree was grown with.
///
/// It holds nothing of time, host or thread count: same data, same parameters, same bytes.
///
/// ```
/// use ternwood::{Columns, Dataset, Labels, Learner, Model, Routing, Rows, TreeParams, Workers};
///
/// let columns = Columns::from_columns(vec![1.0, 2.0, 3.0, 6.0, 7.0, 8.0], 1)?;
/// let data = Dataset::new(columns, Labels::from_values(["low", "low", "low", "high", "high", "high"]))?;
/// let model = Learner::new(TreeParams::default(), Routing::Probabilistic)?.fit(&data)?;
///
/// let predictions = model.predict(Rows::row_major(&[2.5, 4.0], 1)?, &Workers::single())?;
/// assert!(predictions.verdicts()[0].is_decided());
/// assert!(predictions.verdicts()[1].is_undecided());
///
/// assert_eq!(Model::from_json(&model.to_json())?, model);
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    tree: Tree,
    features: Vec<Feature>,
    /// Only where the names given are those that unnamed features get.
    named: bool,
    target: Option<String>,
    classes: Vec<ClassName>,
    routing: Routing,
    params: TreeParams,
    verdict: VerdictPolicy,
    leaves: Leaves,
    choice: Option<Choice>,
}

impl Model {
    /// Joins a tree with names and routing.
    ///
    /// # Errors
    /// Names that do not fit the tree, or a routing its shape cannot serve.
    pub fn new(
        tree: Tree,
        features: Vec<Feature>,
        classes: Vec<ClassName>,
        routing: Routing,
    ) -> Result<Self> {
        check_length("the list of features", features.len(), tree.n_features(), "the tree's")?;
        check_length("the list of classes", classes.len(), tree.n_classes(), "the tree's")?;
        check_distinct("feature", &features.iter().map(|f| f.name.clone()).collect::<Vec<_>>())?;
        check_class_names(&classes)?;
        features.iter().try_for_each(Feature::check)?;
        Walker::new(&tree, routing)?;
        Ok(Self {
            tree,
            features,
            named: false,
            target: None,
            classes,
            routing,
            params: TreeParams::default(),
            verdict: VerdictPolicy::Zone,
            leaves: Leaves::Counts,
            choice: None,
        })
    }

    /// Notes the parameters the tree was grown with.
    #[must_use]
    pub fn with_params(mut self, params: CheckedParams) -> Self {
        self.params = params.into_params();
        self
    }

    /// Notes what the leaves answer. It changes no answer.
    #[must_use]
    pub fn with_leaves(mut self, leaves: Leaves) -> Self {
        self.leaves = leaves;
        self
    }

    /// Notes how scale or depth were chosen.
    #[must_use]
    pub fn with_choice(mut self, choice: Choice) -> Self {
        self.choice = Some(choice);
        self
    }

    /// Describes the features: categories of nominal ones, fill-in values for missing ones.
    ///
    /// # Errors
    /// Not one description per feature of the tree, or one that contradicts itself.
    pub fn with_features(self, features: Vec<Feature>) -> Result<Self> {
        let Self { tree, target, classes, routing, params, verdict, leaves, choice, .. } = self;
        let model = Self::new(tree, features, classes, routing)?;
        Ok(Self { target, params, verdict, leaves, choice, ..model })
    }

    /// Notes that somebody named the features, even if the names are `x0`, `x1`, ..., which is
    /// what features without names are called.
    #[must_use]
    pub fn with_named_features(mut self) -> Self {
        self.named = self.has_default_names();
        self
    }

    /// Whether somebody named the features.
    #[must_use]
    pub fn has_named_features(&self) -> bool {
        self.named || !self.has_default_names()
    }

    fn has_default_names(&self) -> bool {
        let mut features = self.features.iter().enumerate();
        features.all(|(index, feature)| feature.name == default_feature_name(index))
    }

    /// Notes the name of the column whose classes the model predicts.
    ///
    /// # Errors
    /// A feature has that name.
    pub fn with_target(mut self, target: impl Into<String>) -> Result<Self> {
        let target = target.into();
        if self.features.iter().any(|feature| feature.name == target) {
            return Err(ErrorKind::DuplicateName { what: "column", name: target }.into());
        }
        self.target = Some(target);
        Ok(self)
    }

    /// Says from now on by `policy` which rows are undecided. No class or probability changes.
    ///
    /// # Errors
    /// A policy that was calibrated for other classes, or that contradicts itself.
    pub fn with_verdict(mut self, policy: impl Into<VerdictPolicy>) -> Result<Self> {
        let policy = policy.into();
        policy.check(self.classes.len())?;
        self.verdict = policy;
        Ok(self)
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// What the features are called, and what they mean.
    #[must_use]
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// The name of the column whose classes the model predicts, if it came with one.
    #[must_use]
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// What the classes are called.
    #[must_use]
    pub fn classes(&self) -> &[ClassName] {
        &self.classes
    }

    /// What happens to rows within zones.
    #[must_use]
    pub fn routing(&self) -> Routing {
        self.routing
    }

    /// The parameters the tree was grown with.
    #[must_use]
    pub fn params(&self) -> &TreeParams {
        &self.params
    }

    /// What makes a row undecided.
    #[must_use]
    pub fn verdict(&self) -> &VerdictPolicy {
        &self.verdict
    }

    /// What the leaves answer.
    #[must_use]
    pub fn leaves_kind(&self) -> Leaves {
        self.leaves
    }

    /// How the scale of the zones or the depth was chosen, if the data chose.
    #[must_use]
    pub fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// The walker of this tree and routing: for single rows, without any overhead. Its verdicts
    /// are those of the zones, whatever the model's policy.
    #[must_use]
    pub fn walker(&self) -> Walker<'_> {
        Walker::new(&self.tree, self.routing).expect("shape and routing were checked on creation")
    }

    /// Class, distribution and verdict of every row, the verdict by the model's policy.
    ///
    /// # Errors
    /// A wrong number of columns, or a value that is NaN or infinite.
    pub fn predict(&self, rows: Rows<'_>, workers: &Workers) -> Result<Predictions> {
        let predictions = self.walker().predict(rows, workers);
        let predictions = predictions.map_err(|error| self.name_column(error))?;
        Ok(match self.verdict.as_confidence() {
            Some(policy) => predictions.decided_from(policy.threshold()),
            None => predictions,
        })
    }

    /// Like [`predict`](Self::predict), into memory of the caller.
    ///
    /// # Errors
    /// As [`predict`](Self::predict), and memory of the wrong size. What the memory holds after
    /// an error is of no use.
    pub fn predict_into<L, V>(
        &self,
        rows: Rows<'_>,
        workers: &Workers,
        slots: &mut PredictionSlots<'_, L, V>,
    ) -> Result<()>
    where
        L: Copy + Send + Sync,
        V: From<Verdict> + Send,
    {
        let done = self.walker().predict_into(rows, workers, slots);
        done.map_err(|error| self.name_column(error))?;
        if let Some(policy) = self.verdict.as_confidence() {
            slots.decide_from(policy.threshold());
        }
        Ok(())
    }

    /// How far every row is from being undecided: see [`Walker::zone_distance`].
    ///
    /// # Errors
    /// As [`predict`](Self::predict); and not defined for `hard_middle` routing.
    pub fn zone_distances(&self, rows: Rows<'_>, workers: &Workers) -> Result<Vec<f64>> {
        self.walker().zone_distances(rows, workers).map_err(|error| self.name_column(error))
    }

    /// The leaf every row ends in: see [`Walker::leaf`].
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn leaves(&self, rows: Rows<'_>, workers: &Workers) -> Result<Vec<NodeId>> {
        self.walker().leaves(rows, workers).map_err(|error| self.name_column(error))
    }

    /// The nodes every row passes: see [`Walker::paths`].
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn paths(&self, rows: Rows<'_>) -> Result<(Vec<NodeId>, Vec<usize>)> {
        self.walker().paths(rows).map_err(|error| self.name_column(error))
    }

    /// One row's way through the tree, in words.
    ///
    /// # Errors
    /// A wrong number of values, or one that is NaN or infinite.
    pub fn explain(&self, row: &[f64]) -> Result<ExplainedRow<'_>> {
        ExplainedRow::new(self, row)
    }

    /// One split looked at closely: what its zone was estimated from, and what every estimator
    /// makes of it. With the training data, exactly what learning saw.
    ///
    /// # Errors
    /// As [`SplitView::new`].
    pub fn split_view(&self, data: &Dataset, node: NodeId) -> Result<SplitView> {
        SplitView::new(&self.tree, data, &self.params.clone().check()?, node)
    }

    /// Rows come without names; the model knows them.
    fn name_column(&self, error: Error) -> Error {
        match error.kind() {
            &ErrorKind::NotFinite { column_index, row, value, .. } => {
                let column = self.features[column_index].name.clone();
                ErrorKind::NotFinite { column, column_index, row, value }.into()
            }
            _ => error,
        }
    }
}
