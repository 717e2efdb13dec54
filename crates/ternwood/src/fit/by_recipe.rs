//! Fits a recipe, zones and leaves included, to all rows or to a subset of them, with their weights and class shares.

use super::choose::{Chosen, choose};
use super::cost_optimal;
use super::leaf_em::{LAST_STEPS, Mixture, STEPS, smoothed};
use crate::dataset::{DatasetView, Resampler, RowSubset, Shuffle};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::{ClassTraining, Grower, Prepared};
use crate::predict::Walker;
use crate::recipe::{Auto, CheckedParams, CheckedRecipe, Leaves, Routing, ZoneKind};
use crate::tree::{NodeId, Tree};
use std::sync::{Arc, OnceLock};

/// Above this many rows, scale and depth are chosen on a sample of this size, and EM begins there.
const MOST_ROWS: u64 = 100_000;

/// The result of [`fit`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fitted {
    /// The tree, with zones and leaf distributions.
    pub(super) tree: Tree,
    /// The recipe's parameters, with automatic ones filled in.
    pub(super) params: CheckedParams,
    /// How automatic parameters were chosen, if there were any.
    pub(super) chosen: Option<Chosen>,
}

/// Fits a recipe. The result does not depend on the number of threads.
///
/// # Errors
/// Parameters that do not fit the data, or cancellation.
pub(super) fn fit(data: &DatasetView<'_>, recipe: &CheckedRecipe, exec: &Exec) -> Result<Fitted> {
    let rows = FitRows::new(data, &recipe.params)?;
    let mut fitted = RecipeFitter::new(&rows, recipe, exec).fit(&recipe.params, &rows.all)?;
    fitted.tree = rows.training().with_digits(fitted.tree, exec)?;
    Ok(fitted)
}

/// Fits trees to subsets of the rows, with the routing and leaves of one recipe.
#[derive(Clone, Copy)]
pub(super) struct RecipeFitter<'a> {
    pub(super) fit: &'a FitRows<'a>,
    pub(super) routing: Routing,
    pub(super) leaves: Leaves,
    pub(super) em_cutoff: f64,
    pub(super) auto: Auto,
    pub(super) exec: &'a Exec,
}

impl<'a> RecipeFitter<'a> {
    pub(super) fn new(fit: &'a FitRows<'a>, recipe: &CheckedRecipe, exec: &'a Exec) -> Self {
        let CheckedRecipe { routing, leaves, em_cutoff, auto, .. } = *recipe;
        Self { fit, routing, leaves, em_cutoff, auto, exec }
    }

    /// The same on other threads.
    pub(super) fn on(self, exec: &'a Exec) -> Self {
        Self { exec, ..self }
    }

    /// Chooses automatic parameters, then fits the tree.
    pub(super) fn fit(&self, params: &CheckedParams, rows: &RowSubset) -> Result<Fitted> {
        let mut params = params.clone();
        let mut chosen = None;
        let shuffle = Shuffle { seed: params.seed, number: Shuffle::SAMPLE };
        let sampled = (rows.n_units() > MOST_ROWS)
            .then(|| self.fit.resampler.sample(rows, MOST_ROWS, shuffle));
        if self.auto.is_needed() {
            let found = choose(self, &params, sampled.as_ref().unwrap_or(rows))?;
            if let Some(best) = found.choice.chosen(self.auto.max_depth) {
                let mut with_best = params.into_params();
                with_best.max_depth = best.max_depth;
                with_best.zone.scale = best.zone_scale;
                with_best.zone.category_error =
                    best.category_error.unwrap_or(with_best.zone.category_error);
                params = with_best.check()?;
            }
            chosen = Some(found);
        }
        let tree = self.with_leaves(self.zoned(&params, rows)?, rows, sampled.as_ref())?;
        Ok(Fitted { tree, params, chosen })
    }

    /// Zoned tree whose leaves hold class frequencies.
    pub(super) fn zoned(&self, params: &CheckedParams, rows: &RowSubset) -> Result<Tree> {
        let grower = self.fit.grower(params, rows)?;
        if self.routing.needs_three_children() {
            return grower.grow_three_child(self.exec);
        }
        let grown = grower.grow_two_child(self.exec)?;
        match params.zone.kind {
            ZoneKind::CostOptimal { cost_ratio } => {
                let errors = cost_optimal::out_of_fold_errors(self, params, rows)?;
                let widths = cost_optimal::half_widths(&grown, &errors, self.fit, rows, cost_ratio);
                Ok(grown.with_half_widths(&widths, &params.zone))
            }
            _ => grown.with_zones(&params.zone),
        }
    }

    /// The same tree with the recipe's leaf distributions. With a sample of the rows, EM begins on
    /// that: it comes close, and a few steps on all rows do the rest.
    pub(super) fn with_leaves(
        &self,
        tree: Tree,
        rows: &RowSubset,
        sample: Option<&RowSubset>,
    ) -> Result<Tree> {
        if self.leaves == Leaves::Counts {
            return Ok(tree);
        }
        let walker = Walker::new(&tree, self.routing)?;
        let mut mixture = self.empty_mixture();
        mixture.arrange(sample.unwrap_or(rows), walker);
        let mut distributions = self.distributions(&tree, &mut mixture)?;
        if sample.is_some() && self.leaves == Leaves::Em && self.blends(&tree) {
            mixture.arrange(rows, walker);
            distributions = mixture.run_em(walker, &distributions, LAST_STEPS)?;
        }
        Ok(tree.with_leaf_values(&distributions))
    }

    /// The leaf distributions of a tree, in preorder. `rows` must be arranged for it.
    pub(super) fn distributions(&self, tree: &Tree, rows: &mut Mixture<'_>) -> Result<Vec<f64>> {
        match self.leaves {
            Leaves::Counts => {
                Ok(tree.leaf_ids().flat_map(|leaf| tree.values(leaf)).copied().collect())
            }
            Leaves::Em if self.blends(tree) => {
                let walker = Walker::new(tree, self.routing)?;
                rows.run_em(walker, &smoothed(tree, &self.fit.prior), STEPS)
            }
            Leaves::Smoothed | Leaves::Em => Ok(smoothed(tree, &self.fit.prior)),
        }
    }

    /// An empty mixture.
    pub(super) fn empty_mixture(&self) -> Mixture<'a> {
        Mixture::new(self.fit, self.em_cutoff, self.exec)
    }

    /// True if rows may reach several leaves. If each reaches only one, smoothed counts already
    /// maximise the likelihood.
    fn blends(&self, tree: &Tree) -> bool {
        let unsure = |id: NodeId| {
            let has_zone = tree.node(id).as_split().is_some_and(|split| split.test.has_zone());
            has_zone || tree.untrained_weight(id) > 0.0
        };
        matches!(self.routing, Routing::Probabilistic | Routing::Deferred) && tree.ids().any(unsure)
    }
}

/// A data set and its rows of positive weight. All subsets share its class weights and prior.
pub(super) struct FitRows<'a> {
    pub(super) data: &'a DatasetView<'a>,
    /// The rows of positive weight.
    pub(super) all: RowSubset,
    /// The class shares of all these rows.
    pub(super) prior: Vec<f64>,
    /// Encodings and rows that all trees of the fit share.
    training: ClassTraining<'a>,
    prepared: Arc<Prepared>,
    /// Deals rows to folds.
    pub(super) resampler: Resampler<'a>,
    numbers: OnceLock<Vec<u32>>,
}

impl<'a> FitRows<'a> {
    pub(super) fn new(data: &'a DatasetView<'a>, params: &CheckedParams) -> Result<Self> {
        let training = ClassTraining::of(data, params)?;
        training.check(data, params)?;
        let class_weights = training.weighted(&training.tally(training.rows()).counts);
        let total: f64 = class_weights.iter().sum();
        Ok(Self {
            data,
            all: training.all(),
            prior: class_weights.iter().map(|weight| weight / total).collect(),
            training,
            prepared: Arc::default(),
            resampler: Resampler::new(data),
            numbers: OnceLock::new(),
        })
    }

    /// Grows trees from some of the rows, with other parameters for zones and depth.
    ///
    /// # Errors
    /// No row of the subset has a positive weight.
    pub(super) fn grower<'p>(
        &self,
        params: &'p CheckedParams,
        rows: &RowSubset,
    ) -> Result<Grower<'p>>
    where
        'a: 'p,
    {
        let training = self.training.restricted_to(rows)?;
        Ok(Grower::of_prepared(training, Arc::clone(&self.prepared), params))
    }

    /// The rows and their targets.
    pub(super) fn training(&self) -> &ClassTraining<'a> {
        &self.training
    }

    pub(super) fn class_of(&self, row: u32) -> usize {
        self.data.labels()[row as usize] as usize
    }

    /// The weight of a row of `subset`, class weight included.
    pub(super) fn weight(&self, subset: &RowSubset, row: u32) -> f64 {
        self.class_weighted(row, subset.weight(row))
    }

    /// A sample weight of a row times the weight of its class.
    pub(super) fn class_weighted(&self, row: u32, sample_weight: f64) -> f64 {
        sample_weight * self.training.class_factors()[self.class_of(row)]
    }

    /// The weight of all rows of `subset`, class weights included.
    pub(super) fn total_weight(&self, subset: &RowSubset) -> f64 {
        // Sums of sample weights are exact, so the order of rows does not matter.
        let mut of_class = vec![0.0; self.prior.len()];
        for &row in &subset.rows {
            of_class[self.class_of(row)] += subset.weight(row);
        }
        of_class.iter().zip(self.training.class_factors()).map(|(sum, factor)| sum * factor).sum()
    }

    /// The number of a row, which depends on what it holds, not on where it is.
    pub(super) fn number(&self, row: u32) -> u32 {
        self.numbers.get_or_init(|| self.resampler.numbers())[row as usize]
    }
}
