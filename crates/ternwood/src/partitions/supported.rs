//! What can be fitted in partitions.

use crate::dataset::Schema;
use crate::error::{ErrorKind, Result};
use crate::recipe::{CheckedRecipe, Leaves, ZoneKind};

/// The most categories of a feature: codes have two bytes, and one code is for missing values.
const MOST_CATEGORIES: usize = u16::MAX as usize - 1;

/// Refuses what takes more than counts of the rows.
///
/// # Errors
/// [`ErrorKind::NotInPartitions`], with the reason and what to do instead.
pub(super) fn check(recipe: &CheckedRecipe, schema: &Schema) -> Result<()> {
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
