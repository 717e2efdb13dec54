//! A tree with everything needed to use it: the schema, the recipe and the verdict policy.

mod document;
mod explained;

pub use explained::{ExplainedRow, Hinge, Outcome};

use crate::dataset::{DatasetView, Matrix, Schema, check_length};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::Exec;
use crate::predict::{PredictionSlots, Predictions, RowPaths, Verdict, Walker};
use crate::recipe::{Choice, MissingValues, Recipe, Routing};
use crate::training::{SeenRows, TrainingRows};
use crate::tree::{NodeId, Tree};
use crate::verdict::{CalibrationRows, CalibrationSource, VerdictPolicy};
use std::sync::Arc;

/// A trained model: the tree, its schema, the recipe it was fitted with, and the verdict policy.
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
    tree: Tree,
    recipe: Recipe,
    choice: Option<Choice>,
    verdict: VerdictPolicy,
    training: Option<TrainingRows>,
}

impl Model {
    /// Combines a tree with the schema of its data and the recipe it was fitted with.
    ///
    /// # Errors
    /// A schema without features, or one that does not fit the tree; a recipe with a parameter
    /// out of range; or a routing that does not work with the tree's shape.
    pub fn new(tree: Tree, schema: impl Into<Arc<Schema>>, recipe: Recipe) -> Result<Self> {
        let schema = schema.into();
        if schema.n_features() == 0 {
            return Err(ErrorKind::NoColumns.into());
        }
        check_length("the list of features", schema.n_features(), tree.n_features(), "the tree's")?;
        check_length("the list of classes", schema.n_classes(), tree.n_classes(), "the tree's")?;
        recipe.clone().check()?;
        recipe.check_schema(&schema)?;
        Walker::new(&tree, recipe.routing)?;
        for id in tree.ids() {
            if let Some(split) = tree.node(id).as_split() {
                let fits = split.test.check_schema(&schema);
                fits.map_err(|problem| ErrorKind::Tree { node: id.index(), problem })?;
            }
        }
        let verdict = VerdictPolicy::Zones;
        Ok(Self { schema, tree, recipe, choice: None, verdict, training: None })
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

    /// The same model with what it is to know of its training rows.
    pub(crate) fn with_training_rows(mut self, training: Option<TrainingRows>) -> Result<Self> {
        training.as_ref().map_or(Ok(()), |training| training.check(&self.schema))?;
        self.training = training;
        Ok(self)
    }

    /// The same model without the [sketch](TrainingRows::sketch) of its training rows, to be
    /// published: hashes of rows with little in them could be guessed. It no longer recognises rows
    /// it was trained on.
    #[must_use]
    pub fn without_sketch(mut self) -> Self {
        self.training = self.training.map(TrainingRows::without_sketch);
        self
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
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

    /// How scale or depth was chosen, if either was automatic.
    #[must_use]
    pub fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// What it knows of the rows it was trained on; `None` if it was not made by a
    /// [`Learner`](crate::Learner).
    #[must_use]
    pub fn training_rows(&self) -> Option<&TrainingRows> {
        self.training.as_ref()
    }

    /// A walker for this tree and routing: predicts single rows without overhead. Its verdicts
    /// are those of the zones, whatever the model's policy.
    #[must_use]
    pub fn walker(&self) -> Walker<'_> {
        let walker = Walker::new(&self.tree, self.routing());
        let walker = walker.expect("shape and routing were checked on creation");
        if self.missing_allowed() { walker } else { walker.refusing_missing() }
    }

    /// False if a missing value is an error.
    fn missing_allowed(&self) -> bool {
        self.recipe.params.missing != MissingValues::Error
    }

    /// Class, distribution and verdict of every row. Classes and verdicts follow the model's policy.
    ///
    /// # Errors
    /// A wrong number of columns, or a value that is infinite; NaN is a missing value.
    pub fn predict(&self, rows: Matrix<'_>, exec: &Exec) -> Result<Predictions> {
        let predictions = self.walker().predict(rows, exec);
        let predictions = predictions.map_err(|error| self.name_column(error))?;
        Ok(self.verdict.apply(predictions))
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
        let done = self.walker().predict_into(rows, slots, exec);
        done.map_err(|error| self.name_column(error))?;
        self.verdict.apply_to(slots);
        Ok(())
    }

    /// The zone distance of every row: see [`Walker::zone_distance`].
    ///
    /// # Errors
    /// As [`predict`](Self::predict); and not defined for `hard_middle` routing.
    pub fn zone_distances(&self, rows: Matrix<'_>, exec: &Exec) -> Result<Vec<f64>> {
        self.walker().zone_distances(rows, exec).map_err(|error| self.name_column(error))
    }

    /// The leaf every row ends in: see [`Walker::leaf`].
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn leaves(&self, rows: Matrix<'_>, exec: &Exec) -> Result<Vec<NodeId>> {
        self.walker().leaves(rows, exec).map_err(|error| self.name_column(error))
    }

    /// The path of every row: see [`Walker::paths`].
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn paths(&self, rows: Matrix<'_>) -> Result<RowPaths> {
        self.walker().paths(rows).map_err(|error| self.name_column(error))
    }

    /// Explains the prediction of one row.
    ///
    /// # Errors
    /// A wrong number of values, or one that is infinite.
    pub fn explain(&self, row: &[f64]) -> Result<ExplainedRow<'_>> {
        ExplainedRow::new(self, row)
    }

    /// Whether `data` are rows that the model was trained on; sample weights are ignored. `None` if
    /// nobody can tell, because the model has no sketch of its training rows.
    ///
    /// # Errors
    /// A different number of classes or features, or cancellation.
    pub fn seen_rows<'a>(
        &self,
        data: impl Into<DatasetView<'a>>,
        exec: &Exec,
    ) -> Result<Option<SeenRows>> {
        let Some(training) = self.training.as_ref().filter(|t| t.sketch().is_some()) else {
            return Ok(None);
        };
        let data = data.into().without_weights();
        self.check_shape(&data)?;
        Ok(training.seen(&TrainingRows::of(&data, exec)?))
    }

    /// Refuses rows that the model was trained on, as far as it can tell.
    ///
    /// # Errors
    /// [`ErrorKind::TrainedOn`]; or as [`seen_rows`](Self::seen_rows).
    pub fn check_new<'a>(&self, data: impl Into<DatasetView<'a>>, exec: &Exec) -> Result<()> {
        match self.seen_rows(data, exec)? {
            Some(seen) if seen.are_trained_on() => Err(seen.error()),
            _ => Ok(()),
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
    /// trained on ([`ErrorKind::TrainedOn`]), as far as its [sketch](Self::seen_rows) can tell.
    pub fn calibration_rows<'a>(
        &self,
        data: impl Into<DatasetView<'a>>,
        exec: &Exec,
    ) -> Result<CalibrationRows> {
        let data = data.into();
        self.check_shape(&data)?;
        self.check_new(&data, exec)?;
        let predictions = self.predict(data.matrix(), exec)?;
        let (source, classes) = (CalibrationSource::HeldOut, self.schema.classes());
        CalibrationRows::new(predictions.distributions(), data.labels(), classes, source)
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
