//! The side that asks.

use crate::dataset::{MAX_ROWS, Schema, WeightGrid};
use crate::error::{ErrorKind, Result};
use crate::exec::Exec;
use crate::fit::smoothed;
use crate::grow::pieces::{BinKind, Growth, Route, SavedGrowth, Setup, mismatch};
use crate::model::Model;
use crate::partitions::messages::{self, Answer, Asked, Found, Question};
use crate::partitions::partition::Described;
use crate::recipe::{CheckedRecipe, Leaves, MissingValues, Recipe, ZoneKind};
use crate::training::{FilterPlan, RowFilter, TrainingRows};
use crate::tree::Tree;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Fits a model by asking. [See above](super).
#[derive(Debug)]
pub struct Coordinator {
    recipe: CheckedRecipe,
    schema: Arc<Schema>,
    limits: Limits,
    stage: Stage,
    rounds: u32,
}

/// How much is asked at once, and when a node is small. The model does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Nodes of at most so many rows are fetched, and their subtrees grown by the coordinator.
    pub fetched_rows: u32,
    /// About the most bytes of an answer, and so of what the coordinator has to hold of it.
    pub answer_bytes: u64,
    /// The most bins of a feature: more of them means larger counts, and fewer values to look at. Fewer
    /// rows get fewer.
    pub bins: u16,
}

impl Default for Limits {
    fn default() -> Self {
        Self { fetched_rows: 1 << 15, answer_bytes: 256 << 20, bins: 4096 }
    }
}

/// How far a fit has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Questions answered.
    pub rounds: u32,
    /// Nodes of the tree so far.
    pub nodes: usize,
    /// Rows in nodes that are not finished; `None` before the tree begins.
    pub open_rows: Option<u64>,
    /// All rows; `None` before they are counted.
    pub rows: Option<u64>,
}

/// What the coordinator waits for, or has.
#[derive(Debug)]
enum Stage {
    Describe,
    Weigh(Described),
    /// By which bits the model will recognise its training rows.
    Filter(Described, WeightGrid, FilterPlan),
    /// The rows of the root.
    Count(Beginning),
    Grow(Box<Growth>, Beginning),
    /// The values next to the cuts of the finished tree.
    Digits(Tree, Beginning),
    Done(Box<Model>),
}

/// What is known when the tree begins.
#[derive(Debug, Clone)]
struct Beginning {
    rows: u64,
    setup: Arc<Setup>,
    training: TrainingRows,
}

impl Coordinator {
    /// Prepares a fit. The schema names all classes and categories of all partitions.
    ///
    /// # Errors
    /// Parameters out of range, or that do not suit the schema; or what
    /// [cannot be fitted in partitions](ErrorKind::NotInPartitions).
    pub fn new(recipe: Recipe, schema: impl Into<Arc<Schema>>, limits: Limits) -> Result<Self> {
        let schema = schema.into();
        recipe.check_schema(&schema)?;
        let recipe = recipe.check()?;
        check_supported(&recipe, &schema)?;
        Ok(Self { recipe, schema, limits, stage: Stage::Describe, rounds: 0 })
    }

    /// The next question to all partitions; `None` when the model is [ready](Self::into_model). The same
    /// until an answer is [taken](Self::take).
    #[must_use]
    pub fn next_question(&self) -> Option<Question> {
        let nodes = |begun: &Beginning, routes, asks| Asked::Nodes {
            setup: Setup::clone(&begun.setup),
            routes,
            asks,
        };
        Some(Question(match &self.stage {
            Stage::Describe => Asked::Describe {
                counted: self.counted(),
                complete: self.recipe.params.missing == MissingValues::Error,
                sample: sample_rows(self.schema.n_features()),
            },
            Stage::Weigh(described) => Asked::Weigh(described.weights),
            Stage::Filter(_, _, plan) => Asked::Filter { counted: self.counted(), plan: *plan },
            Stage::Count(begun) => nodes(begun, vec![Route::Leaf], Growth::first_asks()),
            Stage::Grow(growth, begun) => nodes(begun, growth.routes(), growth.asks()),
            Stage::Digits(tree, begun) => {
                nodes(begun, vec![Route::Leaf], Growth::asks_for_digits(tree))
            }
            Stage::Done(_) => return None,
        }))
    }

    /// Takes the merged answer of all partitions, each of which must have answered once.
    ///
    /// # Errors
    /// An answer to another question, one that does not cover all rows, data that cannot be learned from,
    /// or cancelled. After an error the coordinator is of no use: go on from what was last
    /// [saved](Self::save).
    pub fn take(&mut self, answer: Answer, exec: &Exec) -> Result<()> {
        let stage = std::mem::replace(&mut self.stage, Stage::Describe);
        self.stage = match (stage, answer.0) {
            (Stage::Describe, Found::Described(described)) => {
                self.check_rows(&described)?;
                match described.weights.grid() {
                    Some(grid) => self.weighed(*described, grid),
                    None => Stage::Weigh(*described),
                }
            }
            (Stage::Weigh(described), Found::Weighed(total)) => {
                let grid = described.weights.grid_for(total);
                self.weighed(described, grid)
            }
            (Stage::Filter(described, grid, plan), Found::Filter(filter)) => {
                if !filter.follows(plan) {
                    return Err(mismatch("its filter has another plan"));
                }
                Stage::Count(self.begin(described, grid, Some(filter)))
            }
            (Stage::Count(begun), Found::Replies(replies)) => {
                let params = self.recipe.params.clone();
                let setup = Arc::clone(&begun.setup);
                let growth =
                    Growth::new(params, setup, &self.schema, self.limits(), replies, exec)?;
                self.grown(Box::new(growth), begun)?
            }
            (Stage::Grow(mut growth, begun), Found::Replies(replies)) => {
                growth.take(replies, exec)?;
                self.grown(growth, begun)?
            }
            (Stage::Digits(tree, begun), Found::Replies(replies)) => {
                let tree = Growth::with_digits(tree, replies, exec)?;
                Stage::Done(Box::new(self.finished(tree, begun)?))
            }
            _ => return Err(mismatch("it answers another kind of question")),
        };
        self.rounds += 1;
        Ok(())
    }

    /// How far it has come.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let (rows, open_rows, nodes) = match &self.stage {
            Stage::Describe => (None, None, 0),
            Stage::Weigh(described) | Stage::Filter(described, ..) => {
                (Some(described.rows), None, 0)
            }
            Stage::Count(begun) => (Some(begun.rows), None, 0),
            Stage::Grow(growth, begun) => {
                let (open, nodes) = growth.progress();
                (Some(begun.rows), Some(open), nodes)
            }
            Stage::Digits(tree, begun) => (Some(begun.rows), Some(0), tree.n_nodes()),
            Stage::Done(model) => (None, Some(0), model.trees().iter().map(Tree::n_nodes).sum()),
        };
        Progress { rounds: self.rounds, nodes, open_rows, rows }
    }

    /// The fitted model, if it is ready.
    #[must_use]
    pub fn model(&self) -> Option<&Model> {
        match &self.stage {
            Stage::Done(model) => Some(model),
            _ => None,
        }
    }

    /// The fitted model.
    ///
    /// # Errors
    /// There is a [next question](Self::next_question).
    pub fn into_model(self) -> Result<Model> {
        match self.stage {
            Stage::Done(model) => Ok(*model),
            _ => Err(mismatch("the model is not ready: there is a next question")),
        }
    }

    /// Of every class, whether its rows count.
    fn counted(&self) -> Vec<bool> {
        let weight = &self.recipe.params.class_weight;
        (0..self.schema.n_classes() as u32).map(|class| weight.counts(class)).collect()
    }

    fn limits(&self) -> crate::grow::pieces::Limits {
        let Limits { fetched_rows, answer_bytes, bins } = self.limits;
        crate::grow::pieces::Limits { fetched_rows, answer_bytes, bins }
    }

    fn check_rows(&self, described: &Described) -> Result<()> {
        if described.missing.len() != self.schema.n_features() {
            return Err(mismatch("it describes other features"));
        }
        if described.rows == 0 {
            return Err(ErrorKind::NoRows.into());
        }
        let found = described.rows as usize;
        if found > MAX_ROWS {
            return Err(ErrorKind::TooLarge { what: "rows", found, limit: MAX_ROWS }.into());
        }
        if !described.weights.any_positive() {
            return Err(ErrorKind::WeightsAllZero { rows: found }.into());
        }
        let is_unknown = self.recipe.params.missing == MissingValues::Unknown;
        if is_unknown && described.missing.contains(&true) {
            let reason = "every feature would be measured on rows of its own";
            return refuse("missing values that are unknown", reason, "set 'missing' to learn");
        }
        Ok(())
    }

    /// What comes after the weights.
    fn weighed(&self, described: Described, weights: WeightGrid) -> Stage {
        match described.notes.plan() {
            Some(plan) => Stage::Filter(described, weights, plan),
            None => Stage::Count(self.begin(described, weights, None)),
        }
    }

    fn begin(
        &self,
        described: Described,
        weights: WeightGrid,
        filter: Option<RowFilter>,
    ) -> Beginning {
        let features = self.schema.features().iter().enumerate();
        let n_bins = bins_for(described.rows).min(self.limits.bins.max(2).into());
        let bins = features.map(|(index, feature)| {
            let n_categories = feature.kind.n_unordered();
            BinKind::of(n_categories, || described.sampled(index), n_bins)
        });
        let setup = Setup {
            weights,
            counted: self.counted(),
            missing: described.missing.clone(),
            bins: bins.collect(),
        };
        let training = described.notes.finish(&self.schema, filter);
        Beginning { rows: described.rows, setup: Arc::new(setup), training }
    }

    /// What comes after an answer about nodes.
    fn grown(&self, growth: Box<Growth>, begun: Beginning) -> Result<Stage> {
        if !growth.asks().is_empty() {
            return Ok(Stage::Grow(growth, begun));
        }
        let mut tree = growth.tree();
        if self.recipe.leaves == Leaves::Smoothed {
            let class_weights = growth.class_weights();
            let total: f64 = class_weights.iter().sum();
            let prior: Vec<f64> = class_weights.iter().map(|weight| weight / total).collect();
            let distributions = smoothed(&tree, &prior);
            tree = tree.with_leaf_values(&distributions);
        }
        if Growth::asks_for_digits(&tree).is_empty() {
            let model = self.finished(tree, begun)?;
            return Ok(Stage::Done(Box::new(model)));
        }
        Ok(Stage::Digits(tree, begun))
    }

    fn finished(&self, tree: Tree, begun: Beginning) -> Result<Model> {
        let model = Model::new(tree, Arc::clone(&self.schema), self.recipe.to_recipe())?;
        model.trained_on(begun.training)
    }
}

/// The rows that a partition adds to the sample from which bins are chosen: fewer where they have many
/// features.
fn sample_rows(n_features: usize) -> u32 {
    const VALUES: usize = 1 << 17;
    (VALUES / n_features.max(1)).clamp(1 << 9, 1 << 12) as u32
}

/// The bins of a feature of so many rows. Values in bins that may hold the best threshold are sent, so
/// that bins of very many rows are more expensive than large counts.
fn bins_for(n_rows: u64) -> usize {
    const ROWS_OF_A_BIN: u64 = 1 << 11;
    (n_rows / ROWS_OF_A_BIN).clamp(1 << 10, u16::MAX.into()) as usize
}

/// A coordinator between two questions.
#[derive(Serialize, Deserialize)]
struct Saved {
    recipe: String,
    schema: String,
    limits: Limits,
    rounds: u32,
    stage: SavedStage,
}

/// What is saved of a stage. The earlier ones are soon done again, and so is the last.
#[derive(Serialize, Deserialize)]
enum SavedStage {
    Describe,
    Grow { rows: u64, training: String, growth: Box<SavedGrowth> },
}

const KIND: &str = "coordinator";

impl Coordinator {
    /// What has been decided, as bytes. Rounds that are under way begin again.
    ///
    /// # Errors
    /// The model is ready: take it instead.
    pub fn save(&self) -> Result<Vec<u8>> {
        let stage = match &self.stage {
            Stage::Describe | Stage::Weigh(_) | Stage::Filter(..) | Stage::Count(_) => {
                SavedStage::Describe
            }
            Stage::Grow(growth, begun) => SavedStage::Grow {
                rows: begun.rows,
                training: json(&begun.training)?,
                growth: Box::new(growth.save()),
            },
            Stage::Digits(..) | Stage::Done(_) => {
                return Err(mismatch("the tree is grown: there is nothing left to save"));
            }
        };
        let saved = Saved {
            recipe: json(&self.recipe.to_recipe())?,
            schema: json(&*self.schema)?,
            limits: self.limits,
            rounds: self.rounds,
            stage,
        };
        Ok(messages::to_bytes(KIND, &saved))
    }

    /// Goes on from what was [saved](Self::save).
    ///
    /// # Errors
    /// Bytes of something else, or of another version.
    pub fn load(bytes: &[u8], exec: &Exec) -> Result<Self> {
        let Saved { recipe, schema, limits, rounds, stage } = messages::from_bytes(KIND, bytes)?;
        let schema: Schema = from_json(&schema)?;
        let mut loaded = Self::new(from_json(&recipe)?, schema, limits)?;
        if let SavedStage::Grow { rows, training, growth } = stage {
            let params = loaded.recipe.params.clone();
            let growth = growth.restore(params, &loaded.schema, exec)?;
            let training: TrainingRows = from_json(&training)?;
            let begun = Beginning { rows, setup: growth.setup(), training };
            loaded.stage = loaded.grown(Box::new(growth), begun)?;
            loaded.rounds = rounds;
        }
        Ok(loaded)
    }

    /// The recipe of the model.
    #[must_use]
    pub fn recipe(&self) -> Recipe {
        self.recipe.to_recipe()
    }

    /// The features and classes.
    #[must_use]
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
}

fn json(part: &impl Serialize) -> Result<String> {
    serde_json::to_string(part).map_err(|error| mismatch(&error.to_string()))
}

fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| mismatch(&error.to_string()))
}

// What can be fitted in partitions.

/// The most categories of a feature: codes have two bytes, and one code is for missing values.
const MOST_CATEGORIES: usize = u16::MAX as usize - 1;

/// Refuses what takes more than counts of the rows.
///
/// # Errors
/// [`ErrorKind::NotInPartitions`], with the reason and what to do instead.
pub(super) fn check_supported(recipe: &CheckedRecipe, schema: &Schema) -> Result<()> {
    let params = &recipe.params;
    let sample = "or fit to a sample that fits into memory";
    if recipe.ensemble.forest().is_some() {
        let reason = "every tree draws its rows by number";
        return refuse("a forest", reason, &format!("fit a single tree, {sample}"));
    }
    if recipe.auto.zone_scale {
        let instead = format!("set the scale of the zones to a number, {sample}");
        return refuse("an automatic scale of zones", FOLDS, &instead);
    }
    if recipe.auto.max_depth.is_some() {
        let instead = format!("set the depth to a number, or to no limit, {sample}");
        return refuse("an automatic depth", FOLDS, &instead);
    }
    if recipe.leaves == Leaves::Em {
        let reason = "every step reads all rows that lie within zones";
        return refuse("leaves 'em'", reason, "use leaves 'smoothed' or 'counts'");
    }
    if recipe.routing.needs_three_children() {
        let reason =
            "its middle subtrees grow from zones that are not known while a level is counted";
        return refuse(
            "routing 'hard_middle'",
            reason,
            "use 'probabilistic', 'deferred' or 'crisp'",
        );
    }
    match params.zone.kind {
        ZoneKind::NodeBootstrap { .. } => {
            let reason = "it draws rows by number";
            return refuse("zone 'node_bootstrap'", reason, "use 'quality_plateau' or 'margin'");
        }
        ZoneKind::CostOptimal { .. } => {
            return refuse("zone 'cost_optimal'", FOLDS, "use 'margin' or 'spread'");
        }
        _ => {}
    }
    if params.max_leaf_nodes.is_some() {
        let reason = "the best split of all comes first, and so one split takes a round";
        let instead = "limit the tree by max_depth, min_samples_leaf or min_impurity_decrease";
        return refuse("max_leaf_nodes", reason, instead);
    }
    if params.max_features.of(schema.n_features()) < schema.n_features() {
        let reason = "every node would count features of its own";
        return refuse("max_features", reason, "let every node consider all features");
    }
    for feature in schema.features() {
        if let Some(n_categories) = feature.kind.n_unordered()
            && n_categories > MOST_CATEGORIES
        {
            let what = format!("feature '{}' with {n_categories} categories", feature.name);
            let reason = format!("{MOST_CATEGORIES} are the most");
            return refuse(&what, &reason, "leave it out, or group its categories");
        }
    }
    Ok(())
}

const FOLDS: &str = "it is chosen by inner cross-validation, which reads all rows many times";

/// The error for what cannot be fitted in partitions.
pub(super) fn refuse(what: &str, reason: &str, instead: &str) -> Result<()> {
    let [what, reason, instead] = [what, reason, instead].map(str::to_owned);
    Err(ErrorKind::NotInPartitions { what, reason, instead }.into())
}
