//! From data to a model, in one call.

use crate::calibrate::{CheckedRecipe, Fitted, Recipe, fit};
use crate::cancel::CancelToken;
use crate::dataset::{Dataset, DatasetView};
use crate::error::Result;
use crate::learn::TreeParams;
use crate::model::{Feature, Model};
use crate::predict::Routing;
use crate::workers::Workers;

/// Fits models: a recipe, threads, and a way to stop.
#[derive(Debug, Clone)]
pub struct Learner {
    recipe: CheckedRecipe,
    workers: Workers,
    cancel: CancelToken,
}

impl Learner {
    /// A learner with these parameters, whose leaves count: the paper's method.
    ///
    /// # Errors
    /// The first parameter out of range.
    pub fn new(params: TreeParams, routing: Routing) -> Result<Self> {
        Self::from_recipe(Recipe { params, routing, ..Recipe::default() })
    }

    /// A learner that follows a recipe.
    ///
    /// ```
    /// use ternwood::{Columns, Dataset, Labels, Learner, Recipe};
    ///
    /// let columns = Columns::from_columns((0..60).map(f64::from).collect(), 1)?;
    /// let data = Dataset::new(columns, Labels::from_values((0..60).map(|i| (i + i % 7) / 31)))?;
    /// let model = Learner::from_recipe(Recipe::calibrated())?.fit(&data)?;
    /// let choice = model.choice().expect("scale and depth were chosen");
    /// assert_eq!(choice.best().unwrap().max_depth, model.params().max_depth);
    /// # Ok::<(), ternwood::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first parameter out of range, or zones that the routing cannot have.
    pub fn from_recipe(recipe: Recipe) -> Result<Self> {
        let recipe = recipe.check()?;
        Ok(Self { recipe, workers: Workers::single(), cancel: CancelToken::new() })
    }

    /// Spreads the work over `workers`. The model does not depend on them.
    #[must_use]
    pub fn workers(mut self, workers: &Workers) -> Self {
        self.workers = workers.clone();
        self
    }

    /// Stops fitting soon after `token` is cancelled.
    #[must_use]
    pub fn cancel_with(mut self, token: &CancelToken) -> Self {
        self.cancel = token.clone();
        self
    }

    /// Fits a model.
    ///
    /// # Errors
    /// Parameters that do not fit the data, or cancelled.
    pub fn fit(&self, data: &Dataset) -> Result<Model> {
        self.fit_view(&data.into())
    }

    /// Fits a model to data that somebody else keeps: nothing is copied.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_view(&self, data: &DatasetView<'_>) -> Result<Model> {
        let Fitted { tree, params, choice } =
            fit(data, &self.recipe, (&self.workers, &self.cancel))?;
        let features = data.feature_names().iter().map(Feature::numeric).collect();
        let classes = data.labels().names().to_vec();
        let model = Model::new(tree, features, classes, self.recipe.routing())?;
        let model = model.with_params(params).with_leaves(self.recipe.leaves());
        Ok(match choice {
            Some(choice) => model.with_choice(choice),
            None => model,
        })
    }
}
