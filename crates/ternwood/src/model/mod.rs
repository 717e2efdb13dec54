//! A tree or a forest with everything needed to use it: the schema, the recipe and the verdict policy.

mod coverage;
mod deciding;
mod document;
mod explained;
mod histograms;
mod metadata;
mod of_trees;
mod one_row;
mod single_tree;
mod zone_meaning;

pub use coverage::{Coverage, CoveredFeature, NotCovered, is_open};
pub use coverage::{UncoveredRows, UncoveredValues};
pub use deciding::DecidingValue;
pub use document::Checksum;
pub use explained::{Alternative, ExplainedForestRow, ExplainedRow, Hinge, Outcome, UnsureFeature};
pub use histograms::{CELLS, Histograms, NodeHistogram};
pub use metadata::Metadata;
pub use one_row::RowScratch;
pub use single_tree::SingleTree;
pub use zone_meaning::ZoneMeaning;

use crate::dataset::{DatasetView, Feature, Matrix, Schema, TrainingValues, check_length};
use crate::ensemble::{Combine, Ensemble};
use crate::error::{Error, ErrorKind, Result, parameter};
use crate::exec::Exec;
use crate::predict::{FlatCache, PredictionSlots, Predictions, RowPaths, Verdict, Walker};
use crate::recipe::{
    CandidateLoss, Choice, DepthGain, EnsembleParams, MissingValues, Recipe, Routing,
};
use crate::training::{NotCompared, SeenRows, TrainingRows};
use crate::tree::{Digits, Missing, NodeId, Tree};
use crate::verdict::{CalibrationRows, CalibrationSource, Uncovered, VerdictPolicy};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A trained model: a tree or a forest, its schema, the recipe it was fitted with, and the verdict
/// policy.
///
/// It records no time, host or thread count: same data, same recipe, same bytes.
///
/// ```
/// use ternwood::{Columns, Dataset, Exec, Labels, Learner, Matrix, Model, Routing, TreeParams};
///
/// let columns = Columns::from_columns(vec![1.0, 2.0, 3.0, 6.0, 7.0, 8.0], 1)?;
/// let data = Dataset::new(columns, Labels::from_values(["low", "low", "low", "high", "high", "high"]))?;
/// let exec = Exec::default();
/// let model = Learner::new(TreeParams::default(), Routing::Probabilistic)?.fit(&data, &exec)?;
///
/// let predictions = model.predict(Matrix::row_major(&[2.5, 4.0], 1)?, &exec)?;
/// assert!(predictions.verdicts()[0].is_decided());
/// assert!(predictions.verdicts()[1].is_undecided());
///
/// assert_eq!(Model::from_json(&model.to_json())?, model);
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    schema: Arc<Schema>,
    /// Shared by copies with another verdict: forests are large.
    ensemble: Arc<Ensemble>,
    /// A single tree laid out for many rows, shared too.
    flat: FlatCache,
    recipe: Recipe,
    choice: Option<Choice>,
    verdict: VerdictPolicy,
    /// Made from the schema and the tested features.
    coverage: Coverage,
    training: Option<TrainingRows>,
    histograms: Option<Histograms>,
    metadata: Metadata,
    /// The version of this library that made it; `None` if its file does not say.
    ternwood: Option<String>,
}

impl Model {
    /// Combines a tree or a forest with the schema of its data and the recipe it was fitted with.
    ///
    /// # Errors
    /// A schema without features, or one that does not fit a tree; a recipe with a parameter
    /// out of range, or of a forest where there is none; or a routing that does not work with the tree's shape.
    pub fn new(
        ensemble: impl Into<Ensemble>,
        schema: impl Into<Arc<Schema>>,
        recipe: Recipe,
    ) -> Result<Self> {
        let (ensemble, schema) = (ensemble.into(), schema.into());
        let trees = ensemble.trees();
        if schema.n_features() == 0 {
            return Err(ErrorKind::NoColumns.into());
        }
        recipe.clone().check()?;
        recipe.check_schema(&schema)?;
        check_length("the list of trees", trees.len(), recipe.ensemble.n_trees(), "the recipe's")?;
        let combine = Combine::of(recipe.ensemble)?;
        if combine != ensemble.combine() {
            let allowed = format!("that of the trees, {:?}", ensemble.combine());
            return Err(parameter("ensemble", format!("{combine:?}"), allowed));
        }
        for (index, tree) in trees.iter().enumerate() {
            check_tree(tree, &schema, recipe.routing).map_err(|error| match error.kind() {
                ErrorKind::Tree { node, problem } if !ensemble.is_single() => {
                    let problem = format!("{problem} (in tree {index})");
                    ErrorKind::Tree { node: *node, problem }.into()
                }
                _ => error,
            })?;
        }
        let schema = with_learned_gaps(schema, trees);
        let coverage = Coverage::new(&schema, &tested_features(trees));
        let verdict = VerdictPolicy::default();
        Ok(Self {
            schema,
            ensemble: Arc::new(ensemble),
            flat: FlatCache::default(),
            recipe,
            choice: None,
            verdict,
            coverage,
            training: None,
            histograms: None,
            metadata: Metadata::default(),
            ternwood: Some(env!("CARGO_PKG_VERSION").to_owned()),
        })
    }

    /// The same model with a record of how scale or depth was chosen.
    #[must_use]
    pub(crate) fn with_choice(mut self, choice: Option<Choice>) -> Self {
        self.choice = choice;
        self
    }

    /// The same model with another verdict policy. Probabilities do not change; classes only with
    /// costs, where the answer is the one of the least expected cost.
    ///
    /// # Errors
    /// A policy that was calibrated for other classes, or that is inconsistent.
    pub fn with_verdict(mut self, policy: impl Into<VerdictPolicy>) -> Result<Self> {
        let policy = policy.into();
        policy.check(self.schema.n_classes())?;
        self.verdict = policy;
        Ok(self)
    }

    /// The same model with other metadata. Nothing else changes.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = metadata;
        self
    }

    /// The same model, made by the version of ternwood that its file states.
    pub(crate) fn with_ternwood_version(mut self, version: Option<String>) -> Result<Self> {
        if version.as_deref().is_some_and(|version| !metadata::is_version(version)) {
            let problem = "its \"ternwood\" is not a version number".to_owned();
            return Err(ErrorKind::ModelFile { problem }.into());
        }
        self.ternwood = version;
        Ok(self)
    }

    /// The same model with what it is to know of its training rows, read from a file.
    pub(crate) fn with_training_rows(mut self, training: Option<TrainingRows>) -> Result<Self> {
        training.as_ref().map_or(Ok(()), |training| training.check(&self.schema))?;
        self.training = training;
        Ok(self)
    }

    /// The same model, trained on these rows: their gaps and categories are [covered](Self::coverage).
    /// A [`Learner`](crate::Learner) has done so.
    ///
    /// # Errors
    /// Rows of other features.
    pub fn trained_on(mut self, training: TrainingRows) -> Result<Self> {
        training.check(&self.schema)?;
        let values = training.features().iter().map(|values| TrainingValues {
            gaps: values.missing() > 0,
            absent: (0..).zip(values.counts()).filter(|it| *it.1 == 0).map(|it| it.0).collect(),
            open: is_open(values.counts(), training.rows()),
        });
        self.schema = Arc::new(Schema::clone(&self.schema).with_training_values(values));
        self.coverage = Coverage::new(&self.schema, &tested_features(self.trees()));
        self.training = Some(training);
        Ok(self)
    }

    /// The same model without anything about single training rows, to be published: no
    /// [filter](crate::training::RowFilter), no histograms, no counts of categories with fewer than ten
    /// rows, no hash of the training table. It no longer recognises rows it was trained on. Nodes keep their counts: `min_samples_leaf`
    /// decides how few rows a leaf may have.
    #[must_use]
    pub fn private(mut self) -> Self {
        self.training = self.training.map(TrainingRows::private);
        self.histograms = None;
        self.metadata = self.metadata.private();
        self
    }

    /// This model as a single tree.
    ///
    /// # Errors
    /// It is a forest: [`ErrorKind::IsForest`].
    pub fn single_tree(&self) -> Result<SingleTree<'_>> {
        match self.ensemble.single() {
            Some(tree) => Ok(SingleTree { model: self, tree }),
            None => Err(ErrorKind::IsForest { trees: self.trees().len() }.into()),
        }
    }

    /// The trees and how they answer together.
    #[must_use]
    pub fn ensemble(&self) -> &Ensemble {
        &self.ensemble
    }

    /// The forest, unless it is a single tree.
    fn forest(&self) -> Result<&Ensemble> {
        match self.ensemble.is_single() {
            true => Err(ErrorKind::NotForest.into()),
            false => Ok(&self.ensemble),
        }
    }

    /// All trees: one, or those of the forest.
    #[must_use]
    pub fn trees(&self) -> &[Tree] {
        self.ensemble.trees()
    }

    /// One tree of a forest as a model of its own, with the verdict of its zones; `None` if there is no such tree.
    ///
    /// Its thresholds are shown with three significant digits of their half-widths: nobody looked for digits that
    /// suit all training rows.
    #[must_use]
    pub fn tree_alone(&self, index: usize) -> Option<Self> {
        let tree = self.trees().get(index)?.clone();
        let of_split = |id| {
            let zone = tree.node(id).as_split()?.test.zone()?;
            tree.digits(id).or_else(|| Digits::of_half_width(zone.half_width(), 3))
        };
        let splits = tree.ids().filter(|&id| !tree.node(id).is_leaf());
        let digits: Vec<_> = splits.map(of_split).collect();
        let tree = tree.with_digits(digits);
        let recipe = Recipe { ensemble: EnsembleParams::One, ..self.recipe.clone() }.decided();
        let alone = Self::new(tree, Arc::clone(&self.schema), recipe).ok()?;
        let (metadata, ternwood) = (self.metadata.clone(), self.ternwood.clone());
        Some(Self { metadata, ternwood, ..alone })
    }

    /// What people record about the model: its name, version, owner, notes, and fields of their own.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The version of ternwood that fitted the model. A later version that reads the file, sets another verdict or
    /// metadata and writes it again does not change it. `None` if the file does not state it.
    #[must_use]
    pub fn ternwood_version(&self) -> Option<&str> {
        self.ternwood.as_deref()
    }

    /// The features and classes of the data.
    #[must_use]
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The recipe, with automatic parameters filled in.
    #[must_use]
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// What happens to rows within zones.
    #[must_use]
    pub fn routing(&self) -> Routing {
        self.recipe.routing
    }

    /// The policy that decides which rows are undecided.
    #[must_use]
    pub fn verdict(&self) -> &VerdictPolicy {
        &self.verdict
    }

    /// Which rows are covered: whose values the training table could have had. By the policy, all
    /// others are undecided, unless it judges [uncovered](VerdictPolicy::uncovered) rows too.
    #[must_use]
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// The features in which a row is not covered, and why; none if the policy judges such rows
    /// like all others.
    pub(crate) fn uncovered_in(&self, row: &[f64]) -> Vec<(usize, NotCovered)> {
        match self.verdict.uncovered() {
            Uncovered::Judge => Vec::new(),
            Uncovered::Undecided => self.coverage.uncovered(row).collect(),
        }
    }

    /// Class and verdict of a row with these class probabilities and the zone verdict `of_zones`.
    pub(crate) fn judge(
        &self,
        row: &[f64],
        distribution: &[f64],
        of_zones: Verdict,
    ) -> (u32, Verdict) {
        let (class, verdict) = self.verdict.judge(distribution, of_zones);
        let decided = verdict.is_decided() && self.uncovered_in(row).is_empty();
        (class, Verdict::decided_if(decided))
    }

    /// How scale or depth was chosen, if either was automatic.
    #[must_use]
    pub fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// The candidate of the [choice](Self::choice) that it was fitted with.
    #[must_use]
    pub fn chosen(&self) -> Option<&CandidateLoss> {
        let choice = self.choice()?;
        choice.candidates.get(choice.place_of(&self.recipe)?)
    }

    /// What the depth with the lowest cross-validated log-loss would gain; `None` if depth was not chosen, or
    /// that depth was.
    #[must_use]
    pub fn depth_gain(&self) -> Option<DepthGain> {
        self.choice()?.depth_gain(&self.recipe)
    }

    /// What it knows of the rows it was trained on; `None` if it was not made by a
    /// [`Learner`](crate::Learner).
    #[must_use]
    pub fn training_rows(&self) -> Option<&TrainingRows> {
        self.training.as_ref()
    }

    /// False if a missing value is an error.
    fn missing_allowed(&self) -> bool {
        self.recipe.params.missing != MissingValues::Error
    }

    /// Class, distribution and verdict of every row. Classes and verdicts follow the model's policy.
    ///
    /// NaN is a missing value, and the trees see it as such. Where the model's schema has values to fill in
    /// ([`Feature::fill`](crate::Feature::fill), as after `ternwood fit --missing median`), call
    /// [`Schema::fill_missing`] before, as command, Python and exports do.
    ///
    /// # Errors
    /// A wrong number of columns, or a value that is infinite; or one that is missing, if the model refuses that.
    pub fn predict(&self, rows: Matrix<'_>, exec: &Exec) -> Result<Predictions> {
        let labels: Vec<u32> = (0..self.schema.n_classes() as u32).collect();
        let mut predictions = Predictions::blank(rows.n_rows(), labels.len());
        self.predict_into(rows, &mut predictions.slots(&labels), exec)?;
        Ok(predictions)
    }

    /// Like [`predict`](Self::predict), but writes into the caller's memory.
    ///
    /// # Errors
    /// As [`predict`](Self::predict), and memory of the wrong size. After an error the contents of
    /// the memory are unspecified.
    pub fn predict_into<L, V>(
        &self,
        rows: Matrix<'_>,
        slots: &mut PredictionSlots<'_, L, V>,
        exec: &Exec,
    ) -> Result<()>
    where
        L: Copy + Send + Sync,
        V: From<Verdict> + Send,
    {
        let done = match self.ensemble.single() {
            Some(tree) => {
                let walker = SingleTree { model: self, tree }.walker();
                walker.predict_by(self.flat.of(walker), rows, slots, exec)
            }
            None => self.ensemble.predict_into(rows, slots, self.asked(), exec),
        };
        done.map_err(|error| self.name_column(error))?;
        self.verdict.apply_to(slots);
        if self.verdict.uncovered() == Uncovered::Undecided {
            let flag = |verdict: &mut V| *verdict = Verdict::Undecided.into();
            self.coverage.for_each_uncovered(rows, slots.verdicts, exec, flag);
        }
        Ok(())
    }

    /// The zone distance of every row: see [`Walker::zone_distance`].
    ///
    /// # Errors
    /// As [`predict`](Self::predict); and not defined for `hard_middle` routing.
    pub fn zone_distances(&self, rows: Matrix<'_>, exec: &Exec) -> Result<Vec<f64>> {
        self.single_tree()?
            .walker()
            .zone_distances(rows, exec)
            .map_err(|error| self.name_column(error))
    }

    /// The leaf every row ends in: see [`Walker::leaf`].
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn leaves(&self, rows: Matrix<'_>, exec: &Exec) -> Result<Vec<NodeId>> {
        self.single_tree()?.walker().leaves(rows, exec).map_err(|error| self.name_column(error))
    }

    /// The path of every row: see [`Walker::paths`].
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn paths(&self, rows: Matrix<'_>) -> Result<RowPaths> {
        self.single_tree()?.walker().paths(rows).map_err(|error| self.name_column(error))
    }

    /// The features that some test of some tree looks at, by index.
    #[must_use]
    pub fn tested_features(&self) -> BTreeSet<usize> {
        self.coverage.features().iter().map(|feature| feature.index).collect()
    }

    /// Explains the prediction of a forest for one row.
    ///
    /// # Errors
    /// A wrong number of values, or one that is infinite; or the model is a single tree.
    pub fn explain_forest(&self, row: &[f64]) -> Result<ExplainedForestRow<'_>> {
        ExplainedForestRow::new(self, row)
    }

    /// Explains the prediction of a single tree for one row.
    ///
    /// # Errors
    /// A wrong number of values, or one that is infinite; or the model is a forest
    /// ([`explain_forest`](Self::explain_forest)).
    pub fn explain(&self, row: &[f64]) -> Result<ExplainedRow<'_>> {
        ExplainedRow::new(self.single_tree()?, row)
    }

    /// Whether `data` are rows that the model was trained on; sample weights are ignored.
    ///
    /// # Errors
    /// A different number of classes or features, or cancellation.
    pub fn seen_rows<'a>(&self, data: impl Into<DatasetView<'a>>, exec: &Exec) -> Result<SeenRows> {
        let data = data.into();
        self.check_shape(&data)?;
        match &self.training {
            Some(training) => training.seen(data, exec),
            None => Ok(SeenRows::Unknown(NotCompared::NoFilter)),
        }
    }

    /// Refuses rows that the model was trained on, as far as it can tell; says whether it could.
    ///
    /// # Errors
    /// [`ErrorKind::TrainedOn`]; or as [`seen_rows`](Self::seen_rows).
    pub fn check_new<'a>(&self, data: impl Into<DatasetView<'a>>, exec: &Exec) -> Result<SeenRows> {
        let seen = self.seen_rows(data, exec)?;
        match seen.trained_on() {
            Some(compared) => Err(compared.error()),
            None => Ok(seen),
        }
    }

    /// Refuses rows other than all those that the model was trained on, with their weights. Their order
    /// and their classes do not matter. Returns false if the model cannot tell.
    ///
    /// # Errors
    /// [`ErrorKind::NotTrainedOn`]; a different number of classes or features; or cancellation.
    #[cfg(feature = "learn")]
    pub fn check_trained_on<'a>(
        &self,
        data: impl Into<DatasetView<'a>>,
        exec: &Exec,
    ) -> Result<bool> {
        let data = data.into();
        self.check_shape(&data)?;
        let weight = &self.recipe.params.class_weight;
        match &self.training {
            Some(training) => training.check_same(&data, &|class| weight.counts(class), exec),
            None => Ok(false),
        }
    }

    pub(crate) fn check_shape(&self, data: &DatasetView<'_>) -> Result<()> {
        let (n_features, n_classes) = (self.schema.n_features(), self.schema.n_classes());
        check_length("the list of columns", data.n_features(), n_features, "the model's")?;
        check_length("the list of classes", data.n_classes(), n_classes, "the model's")
    }

    /// Calibration rows: the model's predictions for held-out `data`, to set a verdict policy
    /// with. Class ids of `data` must be the model's.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); a different number of classes; or rows that the model was
    /// trained on ([`ErrorKind::TrainedOn`]), as far as [it can tell](Self::seen_rows).
    pub fn calibration_rows<'a>(
        &self,
        data: impl Into<DatasetView<'a>>,
        exec: &Exec,
    ) -> Result<CalibrationRows> {
        let data = data.into();
        self.check_new(&data, exec)?;
        self.calibration_rows_from(data, CalibrationSource::HeldOut, exec)
    }

    /// The same without a look at whether the model was trained on the rows. `source` says where they come
    /// from; the policy records it.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); or a different number of classes.
    pub fn calibration_rows_from<'a>(
        &self,
        data: impl Into<DatasetView<'a>>,
        source: CalibrationSource,
        exec: &Exec,
    ) -> Result<CalibrationRows> {
        let data = data.into();
        self.check_shape(&data)?;
        let predictions = self.predict(data.matrix(), exec)?;
        let classes = self.schema.classes();
        let (distributions, truth) = (predictions.distributions(), data.labels());
        CalibrationRows::new(distributions, truth, classes, source)?
            .covering(self.coverage.covered(data.matrix(), exec))
    }

    /// Adds the column name, which the walker does not know, to an error.
    fn name_column(&self, error: Error) -> Error {
        let name = |column_index: usize| self.schema.features()[column_index].name.clone();
        match *error.kind() {
            ErrorKind::NotFinite { column_index, row, value, .. } => {
                let column = name(column_index);
                ErrorKind::NotFinite { column, column_index, row, value }.into()
            }
            ErrorKind::MissingValue { column_index, row, .. } => {
                ErrorKind::MissingValue { column: name(column_index), column_index, row }.into()
            }
            _ => error,
        }
    }
}

/// The features that some test of some tree looks at.
fn tested_features(trees: &[Tree]) -> BTreeSet<usize> {
    trees.iter().flat_map(Tree::tested_features).collect()
}

/// The schema of trees made by hand: where a test knows a side for missing values, training had some.
fn with_learned_gaps(schema: Arc<Schema>, trees: &[Tree]) -> Arc<Schema> {
    let of =
        |it: &Feature| TrainingValues { gaps: it.gaps, absent: it.absent.clone(), open: it.open };
    let mut values: Vec<TrainingValues> = schema.features().iter().map(of).collect();
    for test in trees.iter().flat_map(Tree::tests) {
        values[test.feature().index()].gaps |= test.missing() != Missing::Unknown;
    }
    match schema.features().iter().zip(&values).all(|(it, values)| it.gaps == values.gaps) {
        true => schema,
        false => Arc::new(Schema::clone(&schema).with_training_values(values)),
    }
}

/// Refuses a tree that does not fit the schema or the routing.
fn check_tree(tree: &Tree, schema: &Schema, routing: Routing) -> Result<()> {
    check_length("the list of features", schema.n_features(), tree.n_features(), "the tree's")?;
    tree.check_classifier(schema.n_classes())?;
    Walker::new(tree, routing)?;
    for id in tree.ids() {
        if let Some(split) = tree.node(id).as_split() {
            let fits = split.test.check_schema(schema);
            fits.map_err(|problem| ErrorKind::Tree { node: id.index(), problem })?;
        }
    }
    Ok(())
}
