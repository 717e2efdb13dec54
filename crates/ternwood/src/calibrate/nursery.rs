//! Trees of one recipe, from all rows or from parts of them.

use super::choose::choose;
use super::cost_optimal;
use super::fit_rows::FitRows;
use super::leaf_em::{Mixture, STEPS, smoothed};
use super::recipe::CheckedRecipe;
use crate::cancel::CancelToken;
use crate::dataset::DatasetView;
use crate::error::Result;
use crate::learn::{Auto, CheckedParams, Choice, Grower, Leaves, ZoneKind};
use crate::predict::{Routing, Walker};
use crate::tree::Tree;
use crate::workers::Workers;

/// What [`fit`] gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The tree, with its zones and its answers.
    pub tree: Tree,
    /// The recipe's parameters; what the data was to decide is filled in.
    pub params: CheckedParams,
    /// How it was decided, if anything was.
    pub choice: Option<Choice>,
}

/// Follows a recipe. The result does not depend on the number of threads.
///
/// # Errors
/// Parameters that do not fit the data, or cancelled.
pub fn fit(
    data: &DatasetView<'_>,
    recipe: &CheckedRecipe,
    (workers, cancel): (&Workers, &CancelToken),
) -> Result<Fitted> {
    let rows = FitRows::new(data, recipe.params())?;
    let nursery = Nursery::new(&rows, recipe, (workers, cancel));
    nursery.fit(recipe.params(), &rows.rows)
}

/// Grows trees from parts of the rows, with routing and leaves of one recipe.
#[derive(Clone, Copy)]
pub(super) struct Nursery<'a> {
    pub(super) fit: &'a FitRows<'a>,
    pub(super) routing: Routing,
    pub(super) leaves: Leaves,
    pub(super) auto: Auto,
    pub(super) workers: &'a Workers,
    pub(super) cancel: &'a CancelToken,
}

impl<'a> Nursery<'a> {
    pub(super) fn new(
        fit: &'a FitRows<'a>,
        recipe: &CheckedRecipe,
        (workers, cancel): (&'a Workers, &'a CancelToken),
    ) -> Self {
        let (routing, leaves, auto) = (recipe.routing(), recipe.leaves(), recipe.auto());
        Self { fit, routing, leaves, auto, workers, cancel }
    }

    /// The same on other threads.
    pub(super) fn on(self, workers: &'a Workers) -> Self {
        Self { workers, ..self }
    }

    /// Decides what is to be decided, and grows the tree.
    pub(super) fn fit(&self, params: &CheckedParams, rows: &[u32]) -> Result<Fitted> {
        let mut params = params.clone();
        let mut choice = None;
        if self.auto.is_needed() {
            let found = choose(self, &params, rows)?;
            if let Some(best) = found.best() {
                let mut decided = params.into_params();
                decided.max_depth = best.max_depth;
                decided.zone.scale = best.zone_scale;
                params = decided.check()?;
            }
            choice = Some(found);
        }
        let tree = self.answered(self.zoned(&params, rows)?, rows)?;
        Ok(Fitted { tree, params, choice })
    }

    fn grower<'p>(&self, params: &'p CheckedParams, rows: &[u32]) -> Result<Grower<'p>>
    where
        'a: 'p,
    {
        let grower = Grower::new(self.fit.data.clone(), params)?.on_rows(rows)?;
        Ok(grower.workers(self.workers).cancel_with(self.cancel))
    }

    /// A tree with zones whose leaves count.
    pub(super) fn zoned(&self, params: &CheckedParams, rows: &[u32]) -> Result<Tree> {
        let grower = self.grower(params, rows)?;
        if self.routing.needs_three_children() {
            return grower.grow_three_child();
        }
        let grown = grower.grow_two_child()?;
        match params.zone.kind {
            ZoneKind::CostOptimal { cost_ratio } => {
                let wrong = cost_optimal::out_of_fold_errors(self, params, rows)?;
                let widths = cost_optimal::half_widths(&grown, &wrong, self.fit, cost_ratio);
                Ok(grown.with_half_widths(&widths, params.zone.scale))
            }
            _ => grown.with_zones(&params.zone),
        }
    }

    /// The same tree with the answers of the recipe.
    fn answered(&self, tree: Tree, rows: &[u32]) -> Result<Tree> {
        if self.leaves == Leaves::Counts {
            return Ok(tree);
        }
        let mut mixture = self.no_rows();
        mixture.arrange(rows, Walker::new(&tree, self.routing)?);
        let distributions = self.distributions(&tree, &mut mixture)?;
        Ok(tree.with_leaf_distributions(&distributions))
    }

    /// What the leaves of a tree answer, in preorder; `rows` are arranged for it.
    pub(super) fn distributions(&self, tree: &Tree, rows: &mut Mixture<'_>) -> Result<Vec<f64>> {
        match self.leaves {
            Leaves::Counts => {
                Ok(tree.leaf_ids().flat_map(|leaf| tree.distribution(leaf)).copied().collect())
            }
            Leaves::Em if self.blends(tree) => {
                let walker = Walker::new(tree, self.routing)?;
                rows.climb(walker, &smoothed(tree, &self.fit.prior), STEPS)
            }
            Leaves::Smoothed | Leaves::Em => Ok(smoothed(tree, &self.fit.prior)),
        }
    }

    /// A mixture that waits for rows.
    pub(super) fn no_rows(&self) -> Mixture<'a> {
        Mixture::new(self.fit, (self.workers, self.cancel))
    }

    /// Whether rows may reach several leaves. Where each reaches one, smoothed counts are the
    /// likeliest answers already.
    fn blends(&self, tree: &Tree) -> bool {
        let width = |id| tree.node(id).as_split().map_or(0.0, |split| split.zone.half_width());
        matches!(self.routing, Routing::Probabilistic | Routing::Deferred)
            && tree.ids().any(|id| width(id) > 0.0)
    }
}
