//! From data to a model, in one call.

use super::by_recipe::{self, Fitted};
use super::choose::Chosen;
use super::forest::{self, FittedForest, OutOfBag, Wanted, memory_limit};
use super::progress::{FitEvent, Watch};
use crate::dataset::DatasetView;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::Grower;
use crate::model::Model;
use crate::recipe::{CheckedRecipe, ClassWeight, Recipe, Routing, TreeParams};
use crate::training::TrainingRows;
use crate::verdict::{USUAL_COST_RATIO, VerdictPolicy, VerdictRule};
use std::sync::Arc;

/// Fits models with a recipe.
#[derive(Debug, Clone)]
pub struct Learner {
    recipe: CheckedRecipe,
    out_of_bag: Wanted,
    /// `None` for what the machine has.
    memory_limit: Option<u64>,
}

impl Learner {
    /// The paper's method: a zoned tree whose leaves hold the class shares of their rows.
    ///
    /// # Errors
    /// The first parameter out of range.
    pub fn new(params: TreeParams, routing: Routing) -> Result<Self> {
        Self::from_recipe(Recipe { params, routing, ..Recipe::default() })
    }

    /// A learner for a recipe.
    ///
    /// ```
    /// use ternwood::{Columns, Dataset, Exec, Labels, Learner, Recipe};
    ///
    /// let columns = Columns::from_columns((0..60).map(f64::from).collect(), 1)?;
    /// let data = Dataset::new(columns, Labels::from_values((0..60).map(|i| (i + i % 7) / 31)))?;
    /// let model = Learner::from_recipe(Recipe::calibrated())?.fit(&data, &Exec::default())?;
    /// let chosen = model.chosen().expect("scale and depth were chosen");
    /// assert_eq!(chosen.max_depth, model.recipe().params.max_depth);
    /// # Ok::<(), ternwood::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first parameter out of range, or zones that do not work with the routing.
    pub fn from_recipe(recipe: Recipe) -> Result<Self> {
        let recipe = recipe.check()?;
        Ok(Self { recipe, out_of_bag: Wanted::Sample, memory_limit: None })
    }

    /// The same learner, whose forests predict every training row out of bag, not only those that scale and
    /// exponent are chosen by.
    #[must_use]
    pub fn with_all_out_of_bag(mut self) -> Self {
        self.out_of_bag = Wanted::All;
        self
    }

    /// The same learner, which refuses a forest that would need more than so many bytes of memory, judged by
    /// its first tree. Without this: half of what Linux says is free, so that there is room for its file, or
    /// 64 GiB elsewhere.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// Fits a model. The result does not depend on the number of threads.
    ///
    /// Where scale or depth are automatic, the verdict is by
    /// [cost](crate::verdict::USUAL_COST_RATIO), and what it achieves on the held-out rows of the
    /// inner folds is recorded; else rows within zones are undecided.
    ///
    /// # Errors
    /// Parameters that do not fit the data, a forest [too large](Self::with_memory_limit), or cancellation.
    pub fn fit<'a>(&self, data: impl Into<DatasetView<'a>>, exec: &Exec) -> Result<Model> {
        Ok(self.fit_watched(data, exec, &|_| ())?.model)
    }

    /// Like [`fit`](Self::fit), and reports how far the fit of a forest is to `watch`, from the threads that work
    /// on it; also returns the out-of-bag predictions of a forest: of the rows that scale and exponent were chosen by, or
    /// [of all](Self::with_all_out_of_bag).
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched<'a>(
        &self,
        data: impl Into<DatasetView<'a>>,
        exec: &Exec,
        watch: &(dyn Fn(FitEvent) + Sync),
    ) -> Result<Fit> {
        let data = data.into();
        let (model, out_of_bag) = match self.recipe.ensemble.forest() {
            Some(_) => self.fit_forest(&data, exec, Watch(watch))?,
            None => (self.fit_tree(&data, exec)?, None),
        };
        let training = training_rows(&data, &self.recipe.params.class_weight, exec)?;
        Ok(Fit { model: model.trained_on(training)?, out_of_bag })
    }

    fn fit_forest(
        &self,
        data: &DatasetView<'_>,
        exec: &Exec,
        watch: Watch<'_>,
    ) -> Result<(Model, Option<OutOfBag>)> {
        let memory = self.memory_limit.unwrap_or_else(memory_limit);
        let FittedForest { forest, recipe, choice, out_of_bag } =
            forest::fit(data, &self.recipe, self.out_of_bag, memory, exec, watch)?;
        let schema = data.schema();
        let achieved = match &out_of_bag {
            Some(unseen) if !unseen.rows().is_empty() => {
                let rows = unseen.calibration_rows(data.labels(), schema.classes())?;
                rows.policy(VerdictRule::Cost { cost_ratio: USUAL_COST_RATIO })?.achieved().cloned()
            }
            _ => None,
        };
        let model = Model::new(forest, Arc::clone(schema), recipe)?.with_choice(choice);
        Ok((model.with_verdict(VerdictPolicy::usual(achieved)?)?, out_of_bag))
    }

    fn fit_tree(&self, data: &DatasetView<'_>, exec: &Exec) -> Result<Model> {
        let schema = Arc::clone(data.schema());
        let recipe = &self.recipe;
        if recipe.is_plain() {
            let tree = Grower::new(data, &recipe.params)?.grow(recipe.routing, exec)?;
            return Model::new(tree, schema, recipe.to_recipe());
        }
        let Fitted { tree, params, chosen } = by_recipe::fit(data, recipe, exec)?;
        let recipe = Recipe { params: params.into_params(), ..recipe.to_recipe() };
        let model = Model::new(tree, schema, recipe)?;
        match chosen {
            None => Ok(model),
            Some(Chosen { choice, achieved }) => {
                model.with_choice(Some(choice)).with_verdict(VerdictPolicy::usual(achieved)?)
            }
        }
    }
}

/// A fitted model, and what a forest says of its training rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The model.
    pub model: Model,
    /// What each training row is predicted by the trees that have not seen it: of a forest with bootstrap.
    pub out_of_bag: Option<OutOfBag>,
}

/// What a model is to know of the rows that it learns from. Those of a class without weight are not
/// among them.
fn training_rows(
    data: &DatasetView<'_>,
    class_weight: &ClassWeight,
    exec: &Exec,
) -> Result<TrainingRows> {
    TrainingRows::of_classes(data, &|class| class_weight.counts(class), exec)
}
