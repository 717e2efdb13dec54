//! Everything that decides which model comes from given data. Plain data: a model holds its
//! recipe, and can be read and used without the learner.

mod choices;
mod criterion;
mod routing;
mod tree_params;
mod zone_params;

pub use choices::{Auto, CandidateLoss, Choice, Leaves};
pub use criterion::Criterion;
pub use routing::Routing;
pub use tree_params::{CheckedParams, ClassWeight, MaxFeatures, RowCount, TreeParams};
pub use zone_params::{GainKind, Resamples, ZoneKind, ZoneParams};

use crate::error::Result;
use serde::{Deserialize, Serialize};

/// How a tree is grown, routed and answered, and what the data is to decide.
///
/// ```
/// use ternwood::Recipe;
/// use ternwood::recipe::Leaves;
///
/// // Spread zones of automatic scale, leaves by EM, automatic depth.
/// let recipe = Recipe::calibrated();
/// assert_eq!(recipe.leaves, Leaves::Em);
/// assert!(recipe.auto.zone_scale && recipe.auto.max_depth);
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The tree and its zones. What [`auto`](Self::auto) decides does not matter here.
    pub params: TreeParams,
    /// What happens to rows within zones.
    pub routing: Routing,
    /// What leaves answer.
    pub leaves: Leaves,
    /// What the data decides.
    pub auto: Auto,
}

impl Default for Recipe {
    /// The paper's method: margin zones of scale 1, probabilistic routing, leaves that count.
    fn default() -> Self {
        Self {
            params: TreeParams::default(),
            routing: Routing::Probabilistic,
            leaves: Leaves::Counts,
            auto: Auto::default(),
        }
    }
}

impl Recipe {
    /// The best probabilities a single tree gives: spread zones whose scale is found by
    /// cross-validation, leaves by EM, and a depth found likewise.
    ///
    /// To keep a depth of your own, set `params.max_depth` and `auto.max_depth = false`.
    #[must_use]
    pub fn calibrated() -> Self {
        Self {
            params: TreeParams::default().with_zone(ZoneKind::Spread),
            leaves: Leaves::Em,
            auto: Auto { zone_scale: true, max_depth: true },
            ..Self::default()
        }
    }

    /// The same recipe with nothing left for the data to decide.
    #[must_use]
    pub fn decided(mut self) -> Self {
        self.auto = Auto::default();
        self
    }

    /// Checks everything that can be checked without data.
    ///
    /// # Errors
    /// The first parameter out of range, or zones that the routing cannot have.
    pub fn check(self) -> Result<CheckedRecipe> {
        let Self { params, routing, leaves, auto } = self;
        if routing.needs_three_children() {
            params.zone.check_growing()?;
        }
        Ok(CheckedRecipe { params: params.check()?, routing, leaves, auto })
    }
}

/// A recipe that passed [`Recipe::check`].
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedRecipe {
    pub(crate) params: CheckedParams,
    pub(crate) routing: Routing,
    pub(crate) leaves: Leaves,
    pub(crate) auto: Auto,
}

impl CheckedRecipe {
    /// The recipe, free to be changed again.
    #[must_use]
    pub fn to_recipe(&self) -> Recipe {
        let Self { params, routing, leaves, auto } = self.clone();
        Recipe { params: params.into_params(), routing, leaves, auto }
    }

    /// True if growing alone makes the model: nothing needs predictions.
    pub(crate) fn is_plain(&self) -> bool {
        self.leaves == Leaves::Counts
            && !self.auto.is_needed()
            && !self.params.zone.kind.needs_predictions()
    }
}
