//! From data and a recipe to a forest.
//!
//! All trees are grown with zones of scale 1, in parallel. Out-of-bag rows then tell which scale of all
//! zones and which exponent predict best ([`choose`]), without growing anything again; and what the forest
//! says of rows that a part of it has not seen ([`OutOfBag`]).

mod choose;
mod free_memory;
mod out_of_bag;
#[cfg(test)]
mod tests;

pub use choose::EXPONENTS;
pub use free_memory::free_memory;
pub(super) use free_memory::memory_limit;
pub use out_of_bag::{OutOfBag, bags, out_of_bag};

use crate::blend::LeastShare;
use crate::dataset::{Bags, DatasetView, Resampler};
use crate::ensemble::{Combine, Ensemble};
use crate::error::Result;
use crate::exec::Exec;
use crate::fit::progress::{FitStage, Watch};
use crate::grow::Grower;
use crate::recipe::{CheckedRecipe, Choice, Exponent, ForestParams, Recipe, Routing, ZoneKind};
use crate::tree::Tree;
use choose::{Chosen, choose};
use free_memory::Size;
use out_of_bag::UnseenRows;

/// With more rows, scale and exponent are chosen on a sample of this size.
const MOST_ROWS: usize = 10_000;

/// Which rows a fitted forest is to predict out of bag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Those that scale and exponent are chosen by: none if both are given.
    Sample,
    /// All.
    All,
}

/// A forest, the recipe with what was chosen filled in, and what it says of its training rows.
pub(super) struct FittedForest {
    pub(super) forest: Ensemble,
    pub(super) recipe: Recipe,
    pub(super) choice: Option<Choice>,
    pub(super) out_of_bag: Option<OutOfBag>,
}

/// Fits a forest that needs at most `memory` bytes, and reports its progress. The result does not depend
/// on the number of threads.
///
/// # Errors
/// Parameters that do not fit the data, a forest too large for memory, or cancellation.
pub(super) fn fit(
    data: &DatasetView<'_>,
    recipe: &CheckedRecipe,
    wanted: Wanted,
    memory: u64,
    exec: &Exec,
    watch: Watch<'_>,
) -> Result<FittedForest> {
    let forest_params = recipe.ensemble.forest().unwrap_or_default();
    let crisp = recipe.routing == Routing::Crisp;
    let least_share = LeastShare::new(recipe.least_share);
    let mut params = recipe.params.clone().into_params();
    let chooses_scale = recipe.auto.zone_scale && !crisp && params.zone.kind != ZoneKind::None;
    if chooses_scale {
        params.zone.scale = 1.0;
    }
    let params = params.check()?;
    watch.begin(FitStage::Trees, forest_params.n_trees as usize);
    let grower = Grower::new(data, &params)?.with_ranks(exec)?;
    let bags = bags_of(data, grower.rows(), forest_params, params.seed, exec);
    let alone = exec.alone();
    let size = Size::new(forest_params.n_trees, data.n_rows(), memory);
    let trees = exec.map((0..forest_params.n_trees).collect(), |number| {
        exec.check()?;
        size.check()?;
        let tree = grower.of_forest(number, &bags.draw(number)).grow_two_child(&alone)?;
        // Rows within zones are counted once the scale is known.
        let tree = match chooses_scale {
            true => tree.with_uncounted_zones(&params.zone)?,
            false => tree.with_zones(&params.zone)?,
        };
        size.judge(number, &tree)?;
        watch.advance(1);
        Ok(tree)
    });
    let mut trees = trees.into_iter().collect::<Result<Vec<Tree>>>()?;
    let is_open = chooses_scale || forest_params.exponent == Exponent::Auto;
    let sample = (is_open && bags.are_drawn())
        .then(|| UnseenRows::new(&trees, &bags, data, (MOST_ROWS, least_share), exec))
        .transpose()?;
    let Chosen { zone, exponent, choice, mut out_of_bag } =
        choose(sample.as_ref(), (data, grower.training()), recipe, chooses_scale, exec, watch)?;
    drop(sample);
    if chooses_scale {
        watch.begin(FitStage::RowsWithin, trees.len());
        trees = out_of_bag::scaled(trees, data, &bags, &zone, exec, watch)?;
    }
    let exponent = exponent.map_or(Exponent::Off, Exponent::Given);
    let ensemble = ForestParams { exponent, ..forest_params }.into();
    let forest = Ensemble::new(trees, Combine::of(ensemble)?)?;
    let is_all = out_of_bag.as_ref().is_some_and(|unseen| unseen.rows().len() < MOST_ROWS);
    if wanted == Wanted::All && bags.are_drawn() && !is_all {
        let all = (usize::MAX, least_share);
        let all = UnseenRows::new(forest.trees(), &bags, data, all, exec)?;
        watch.begin(FitStage::OutOfBag, all.n_walks(exec));
        out_of_bag = Some(all.predict(&forest, crisp, exec, &|| watch.advance(1))?);
    }
    let mut recipe = recipe.to_recipe();
    recipe.params.zone = zone;
    recipe.ensemble = ensemble;
    Ok(FittedForest { forest, recipe, choice, out_of_bag })
}

/// The bags of a forest: drawn from these rows, or all of them.
fn bags_of(
    data: &DatasetView<'_>,
    rows: &[u32],
    forest: ForestParams,
    seed: u64,
    exec: &Exec,
) -> Bags {
    match forest.bootstrap {
        true => {
            let resampler = Resampler::new(data).hashed(exec);
            resampler.bags(rows, |n_rows| forest.n_draws(n_rows), seed)
        }
        false => Bags::of_all(rows, data.n_rows()),
    }
}
