//! All settings of a fit, as plain data: a model holds its recipe, and can be read and used without
//! the learner.

mod choices;
mod forest_params;
mod routing;
mod tree_params;
mod zone_params;

pub(crate) use choices::TIE;
pub use choices::{Auto, CandidateLoss, Choice, DepthChoice, DepthGain, Leaves, READABLE_DEPTH};
pub use forest_params::{EnsembleParams, Exponent, ForestParams};
pub use routing::Routing;
pub use tree_params::Criterion;
pub use tree_params::{
    CategoryGain, CheckedParams, ClassWeight, MaxFeatures, MissingValues, RowCount, TreeParams,
};
pub use zone_params::{GainKind, Resamples, ZoneKind, ZoneParams};

use crate::dataset::{Schema, check_length};
use crate::error::{Result, parameter};
use serde::{Deserialize, Serialize};
use tree_params::check_range;

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
    /// EM follows no share of a training row below this: what a split would divide off stays with the rest. It changes
    /// nothing about prediction, and nothing at all without leaves by EM.
    pub em_cutoff: f64,
    /// The least share of a row that a zone divides off: it divides a row, or a part of it, only if both parts are at
    /// least this share of the row, and otherwise all of the part follows the threshold. It changes probabilities, never
    /// a verdict by zones. 0 for trees, which divide always; 1/4 for forests.
    pub least_share: f64,
    /// Which parameters are chosen by cross-validation; in a forest, by out-of-bag rows.
    pub auto: Auto,
    /// How many trees it is.
    pub ensemble: EnsembleParams,
}

impl Default for Recipe {
    /// The paper's method: margin zones of scale 1, probabilistic routing, class frequencies in
    /// leaves.
    fn default() -> Self {
        Self {
            params: TreeParams::default(),
            routing: Routing::Probabilistic,
            leaves: Leaves::Counts,
            em_cutoff: 1e-3,
            least_share: 0.0,
            auto: Auto::default(),
            ensemble: EnsembleParams::One,
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
            least_share: 0.25,
            auto: Auto { zone_scale: true, max_depth: None },
            ensemble: EnsembleParams::Forest(ForestParams::default()),
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
        let Self { params, routing, leaves, em_cutoff, least_share, auto, ensemble } = self;
        check_range("em_cutoff", em_cutoff, 0.0, 0.5)?;
        check_range("least_share", least_share, 0.0, 0.5)?;
        if routing.needs_three_children() {
            params.zone.check_growing()?;
        }
        if let EnsembleParams::Forest(forest) = ensemble {
            forest.check()?;
            check_in_forest(&params, routing, leaves, auto, forest)?;
        }
        let params = params.check()?;
        let checked =
            CheckedRecipe { params, routing, leaves, em_cutoff, least_share, auto, ensemble };
        checked.check_least_share()?;
        Ok(checked)
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
    pub(crate) em_cutoff: f64,
    pub(crate) least_share: f64,
    pub(crate) auto: Auto,
    pub(crate) ensemble: EnsembleParams,
}

impl CheckedRecipe {
    /// The recipe, to be changed again.
    #[must_use]
    pub fn to_recipe(&self) -> Recipe {
        let Self { params, routing, leaves, em_cutoff, least_share, auto, ensemble } = self.clone();
        let params = params.into_params();
        Recipe { params, routing, leaves, em_cutoff, least_share, auto, ensemble }
    }

    /// Refuses a least share where something would be fitted to predictions that divide every row.
    fn check_least_share(&self) -> Result<()> {
        let allowed = match self.routing {
            _ if self.least_share == 0.0 => return Ok(()),
            Routing::Deferred => "0 under deferred routing",
            _ if self.ensemble == EnsembleParams::One && !self.is_plain() => {
                "0 for a tree whose leaves, zones or depth depend on predictions"
            }
            _ => return Ok(()),
        };
        Err(parameter("least_share", self.least_share, allowed))
    }

    /// True if growing alone makes the model, without steps that need predictions.
    pub(crate) fn is_plain(&self) -> bool {
        self.leaves == Leaves::Counts
            && !self.auto.is_needed()
            && !self.params.zone.kind.needs_predictions()
    }
}
