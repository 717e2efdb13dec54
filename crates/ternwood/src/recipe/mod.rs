//! All settings of a fit, as plain data: a model holds its recipe, and can be read and used without
//! the learner.

mod choices;
mod criterion;
mod forest_params;
mod routing;
mod tree_params;
mod zone_params;

pub(crate) use choices::TIE;
pub use choices::{Auto, CandidateLoss, Choice, DepthChoice, DepthGain, Leaves, READABLE_DEPTH};
pub use criterion::Criterion;
pub use forest_params::{Exponent, ForestParams};
pub use routing::Routing;
pub use tree_params::{
    CategoryGain, CheckedParams, ClassWeight, MaxFeatures, MissingValues, RowCount, TreeParams,
};
pub use zone_params::{GainKind, Resamples, ZoneKind, ZoneParams};

use crate::dataset::{Schema, check_length};
use crate::error::{Result, parameter};
use serde::{Deserialize, Serialize};

/// How a tree is grown, how rows are routed, what leaves predict, and which parameters are
/// automatic.
///
/// ```
/// use ternwood::Recipe;
/// use ternwood::recipe::{DepthChoice, Leaves};
///
/// // Spread zones of automatic scale, leaves by EM, automatic depth.
/// let recipe = Recipe::calibrated();
/// assert_eq!(recipe.leaves, Leaves::Em);
/// assert!(recipe.auto.zone_scale);
/// assert_eq!(recipe.auto.max_depth, Some(DepthChoice::Auto));
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The tree and its zones. Parameters chosen by [`auto`](Self::auto) are ignored here.
    pub params: TreeParams,
    /// What happens to rows within zones.
    pub routing: Routing,
    /// How leaf distributions are computed.
    pub leaves: Leaves,
    /// Which parameters are chosen by cross-validation; in a forest, by out-of-bag rows.
    pub auto: Auto,
    /// The forest, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forest: Option<ForestParams>,
}

impl Default for Recipe {
    /// The paper's method: margin zones of scale 1, probabilistic routing, class frequencies in
    /// leaves.
    fn default() -> Self {
        Self {
            params: TreeParams::default(),
            routing: Routing::Probabilistic,
            leaves: Leaves::Counts,
            auto: Auto::default(),
            forest: None,
        }
    }
}

impl Recipe {
    /// The best probabilities of a tree that can be read: spread zones, leaves by EM, with the scale and a
    /// depth of at most [`READABLE_DEPTH`] chosen by cross-validation. Also splits nodes where no split
    /// reduces impurity.
    ///
    /// For the best depth whatever its size, set `auto.max_depth` to [`DepthChoice::Best`]; for a given one,
    /// set `params.max_depth` and `auto.max_depth = None`.
    #[must_use]
    pub fn calibrated() -> Self {
        let params = TreeParams { zero_gain_splits: true, ..TreeParams::default() };
        Self {
            params: params.with_zone(ZoneKind::Spread),
            leaves: Leaves::Em,
            auto: Auto { zone_scale: true, max_depth: Some(DepthChoice::Auto) },
            ..Self::default()
        }
    }

    /// A forest: trees without a depth limit on bags of rows, each split chosen among a few random
    /// features, with spread zones; the scale of all zones and the exponent come from out-of-bag rows.
    #[must_use]
    pub fn forest() -> Self {
        let max_features = MaxFeatures::Sqrt;
        let params = TreeParams { zero_gain_splits: true, max_features, ..TreeParams::default() };
        Self {
            params: params.with_zone(ZoneKind::Spread),
            auto: Auto { zone_scale: true, max_depth: None },
            forest: Some(ForestParams::default()),
            ..Self::default()
        }
    }

    /// The same recipe with no automatic parameters: it uses the values in `params`.
    #[must_use]
    pub fn decided(mut self) -> Self {
        self.auto = Auto::default();
        self
    }

    /// Checks everything that can be checked without data.
    ///
    /// # Errors
    /// The first parameter out of range, or zones that do not work with the routing.
    pub fn check(self) -> Result<CheckedRecipe> {
        let Self { params, routing, leaves, auto, forest } = self;
        if routing.needs_three_children() {
            params.zone.check_growing()?;
        }
        if let Some(forest) = forest {
            forest.check()?;
            check_in_forest(&params, routing, leaves, auto, forest)?;
        }
        Ok(CheckedRecipe { params: params.check()?, routing, leaves, auto, forest })
    }

    /// Checks what depends on the features and classes of the data.
    pub(crate) fn check_schema(&self, schema: &Schema) -> Result<()> {
        if let ClassWeight::Given(factors) = &self.params.class_weight {
            check_length("class_weight", factors.len(), schema.n_classes(), "one per class")?;
        }
        self.params.zone.check_features(schema.n_features())
    }
}

/// Refuses what trees can do alone, but not in a forest.
fn check_in_forest(
    params: &TreeParams,
    routing: Routing,
    leaves: Leaves,
    auto: Auto,
    forest: ForestParams,
) -> Result<()> {
    if !matches!(routing, Routing::Probabilistic | Routing::Crisp) {
        let allowed = "probabilistic or crisp in a forest";
        return Err(parameter("routing", routing.as_str(), allowed));
    }
    if leaves != Leaves::Counts {
        return Err(parameter("leaves", leaves, "counts in a forest"));
    }
    params.zone.check_growing()?;
    if let Some(choice) = auto.max_depth {
        let allowed = "a number, or none for no limit, in a forest";
        return Err(parameter("max_depth", choice.as_str(), allowed));
    }
    if auto.zone_scale && !forest.bootstrap {
        let allowed = "a number: without bootstrap no row is out of bag to choose it by";
        return Err(parameter("zone_scale", "auto", allowed));
    }
    Ok(())
}

/// A recipe that passed [`Recipe::check`].
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedRecipe {
    pub(crate) params: CheckedParams,
    pub(crate) routing: Routing,
    pub(crate) leaves: Leaves,
    pub(crate) auto: Auto,
    pub(crate) forest: Option<ForestParams>,
}

impl CheckedRecipe {
    /// The recipe, to be changed again.
    #[must_use]
    pub fn to_recipe(&self) -> Recipe {
        let Self { params, routing, leaves, auto, forest } = self.clone();
        Recipe { params: params.into_params(), routing, leaves, auto, forest }
    }

    /// True if growing alone makes the model, without steps that need predictions.
    pub(crate) fn is_plain(&self) -> bool {
        self.leaves == Leaves::Counts
            && !self.auto.is_needed()
            && !self.params.zone.kind.needs_predictions()
    }
}
