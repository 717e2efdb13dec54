//! From data to a model, in one call.

use super::Model;
use super::features::Feature;
use crate::cancel::CancelToken;
use crate::dataset::{Dataset, DatasetView};
use crate::error::Result;
use crate::learn::{CheckedParams, Grower, TreeParams};
use crate::predict::Routing;
use crate::workers::Workers;

/// Fits models: parameters, routing, threads, and a way to stop.
#[derive(Debug, Clone)]
pub struct Learner {
    params: CheckedParams,
    routing: Routing,
    workers: Workers,
    cancel: CancelToken,
}

impl Learner {
    /// A learner with these parameters.
    ///
    /// # Errors
    /// The first parameter out of range.
    pub fn new(params: TreeParams, routing: Routing) -> Result<Self> {
        let params = params.check()?;
        Ok(Self { params, routing, workers: Workers::single(), cancel: CancelToken::new() })
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
        let grower = Grower::new(data.clone(), &self.params)?
            .workers(&self.workers)
            .cancel_with(&self.cancel);
        let tree = if self.routing.needs_three_children() {
            grower.grow_three_child()?
        } else {
            grower.grow_two_child()?.with_zones(&self.params.zone)?
        };
        let features = data.feature_names().iter().map(Feature::numeric).collect();
        let classes = data.labels().names().to_vec();
        let model = Model::new(tree, features, classes, self.routing)?;
        Ok(model.with_params(self.params.clone()))
    }
}
