//! One method, fitted to the training part of a fold and measured on its test part.

use super::raw::{BeyondRow, Method};
use crate::collection::Entry;
use crate::error::Result;
use crate::standardise::FoldData;
use ternwood::metrics::{Answers, Figures};
use ternwood::recipe::{DepthChoice, Exponent, Leaves};
use ternwood::{Exec, Learner, Matrix, Recipe, Routing, TreeParams, ZoneKind};

/// The seeds of the inner folds.
pub const SEEDS: [u64; 3] = [42, 43, 44];

/// A method and its settings.
pub(super) struct Trial {
    method: Method,
    /// 0 if nothing is random.
    seed: u64,
    recipe: Recipe,
}

impl Trial {
    /// Plain CART with smoothed leaves.
    pub(super) fn cart(depth: u32) -> Self {
        let params = TreeParams { max_depth: Some(depth), ..TreeParams::default() };
        let recipe = Recipe {
            params: params.with_zone(ZoneKind::None),
            routing: Routing::Crisp,
            leaves: Leaves::Smoothed,
            ..Recipe::default()
        };
        Self { method: Method::Cart, seed: 0, recipe }
    }

    /// A calibrated tree of fixed depth.
    pub(super) fn calibrated(method: Method, depth: u32, seed: u64) -> Self {
        let mut recipe = Recipe::calibrated();
        recipe.params.max_depth = Some(depth);
        recipe.params.seed = seed;
        recipe.auto.max_depth = None;
        Self { method, seed, recipe }
    }

    /// A calibrated tree whose depth is chosen: the readable one, or the best.
    pub(super) fn of_depth(method: Method, seed: u64) -> Self {
        let mut recipe = Recipe::calibrated();
        recipe.params.seed = seed;
        if method == Method::BestDepth {
            recipe.auto.max_depth = Some(DepthChoice::Best);
        }
        Self { method, seed, recipe }
    }

    /// A forest of 100 trees.
    pub(super) fn forest(seed: u64) -> Self {
        let mut recipe = Recipe::forest();
        recipe.params.seed = seed;
        Self { method: Method::TernaryForest, seed, recipe }
    }

    /// The same without zones and exponent.
    pub(super) fn crisp_forest(seed: u64) -> Self {
        let mut recipe = Self::forest(seed).recipe.decided();
        recipe.params = recipe.params.with_zone(ZoneKind::None);
        if let Some(forest) = recipe.ensemble.forest_mut() {
            forest.exponent = Exponent::Off;
        }
        Self { method: Method::CrispForest, seed, recipe }
    }

    /// The same with other tree parameters.
    pub(super) fn with_params(mut self, change: impl FnOnce(&mut TreeParams)) -> Self {
        change(&mut self.recipe.params);
        self
    }

    /// Fits and measures.
    pub(super) fn measure(
        self,
        entry: &Entry,
        fold: u8,
        parts: &FoldData,
        exec: &Exec,
    ) -> Result<BeyondRow> {
        let forest = self.recipe.ensemble.forest();
        let compares_depths = self.recipe.auto.max_depth.is_some();
        let model = Learner::from_recipe(self.recipe)?.fit(&parts.train, exec)?;
        let predictions = model.predict(Matrix::from(parts.test.columns()), exec)?;
        let confidences = predictions.confidences();
        let answers = Answers::new(&predictions, &confidences);
        let figures = Figures::new(parts.test.labels(), &answers, None, None)?;
        let chosen = model.chosen();
        Ok(BeyondRow {
            openml_id: entry.openml_id,
            dataset: entry.name.clone(),
            fold,
            depth: model.recipe().params.max_depth.unwrap_or(0),
            method: self.method,
            seed: self.seed,
            rows: parts.test.n_rows(),
            accuracy: figures.rates.accuracy.unwrap_or(0.0),
            aurc: figures.aurc.unwrap_or(0.0),
            log_loss: figures.log_loss.unwrap_or(0.0),
            zone_scale: chosen.map_or(0.0, |best| best.zone_scale),
            category_error: chosen.and_then(|best| best.category_error),
            out_of_bag_log_loss: forest.and(chosen).map(|best| best.log_loss),
            leaves: compares_depths.then(|| model.trees()[0].n_leaves()),
        })
    }
}
