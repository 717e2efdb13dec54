//! From data and a recipe to a forest.
//!
//! All trees are grown with zones of scale 1, in parallel. Out-of-bag rows then tell which scale of all
//! zones and which exponent predict best ([`choose`]), without growing anything again; and what the forest
//! says of rows that a part of it has not seen ([`OutOfBag`]).

mod bags;
mod choose;
mod out_of_bag;
mod rows_within;

pub use choose::{EXPONENTS, FOREST_SCALES};
pub use out_of_bag::{OutOfBag, bags, out_of_bag};

use crate::dataset::DatasetView;
use crate::error::Result;
use crate::exec::Exec;
use crate::forest::Forest;
use crate::grow::Grower;
use crate::recipe::{CheckedRecipe, Choice, Exponent, ForestParams, Recipe, Routing, ZoneParams};
use crate::tree::Tree;
use bags::Bags;
use choose::{Chosen, choose};
use out_of_bag::predict_out_of_bag;

/// A forest, the recipe with what was chosen filled in, and what it says of its training rows.
pub(super) struct FittedForest {
    pub(super) forest: Forest,
    pub(super) recipe: Recipe,
    pub(super) choice: Option<Choice>,
    /// `None` without bootstrap.
    pub(super) out_of_bag: Option<OutOfBag>,
}

/// Fits a forest; calls `grown` after every tree. The result does not depend on the number of threads.
///
/// # Errors
/// Parameters that do not fit the data, a forest too large for memory, or cancellation.
pub(super) fn fit(
    data: &DatasetView<'_>,
    recipe: &CheckedRecipe,
    forest: ForestParams,
    exec: &Exec,
    grown: &(dyn Fn() + Sync),
) -> Result<FittedForest> {
    let mut params = recipe.params.clone().into_params();
    let wanted = params.zone.clone();
    if recipe.auto.zone_scale {
        params.zone.scale = 1.0;
    }
    let params = params.check()?;
    let rows = Grower::new(data, &params)?.rows().to_vec();
    let bags = Bags::new(&rows, data.n_rows(), forest, params.seed);
    let alone = exec.alone();
    let trees = exec.map((0..forest.n_trees).collect(), |tree| {
        exec.check()?;
        let grower = Grower::new(data, &params)?.in_forest(tree, &bags.draw(tree));
        let tree = grower.grow_two_child(&alone)?.with_zones(&params.zone)?;
        grown();
        Ok(tree)
    });
    let trees = trees.into_iter().collect::<Result<Vec<Tree>>>()?;
    let crisp = recipe.routing == Routing::Crisp;
    let scales_chosen = recipe.auto.zone_scale && !crisp;
    let Chosen { scale, category_error, exponent, choice } =
        choose(&trees, data, &bags, recipe, scales_chosen, exec)?;
    let zone = ZoneParams { scale: if scales_chosen { scale } else { wanted.scale }, category_error, ..wanted };
    let trees = if scales_chosen {
        rows_within::scaled(trees, data, &bags, &zone, exec)?
    } else {
        trees
    };
    let exponent_given = match exponent {
        Some(exponent) => Exponent::Given(exponent),
        None => Exponent::Off,
    };
    let mut recipe = recipe.to_recipe();
    recipe.params.zone = zone;
    recipe.forest = Some(ForestParams { exponent: exponent_given, ..forest });
    let forest = Forest::new(trees, exponent)?;
    let out_of_bag = bags.are_drawn().then(|| predict_out_of_bag(&forest, data, &bags, crisp, exec));
    Ok(FittedForest { forest, recipe, choice, out_of_bag: out_of_bag.transpose()? })
}
