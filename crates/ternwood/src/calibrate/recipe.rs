//! Everything that decides which model comes from given data.

use crate::error::Result;
use crate::learn::{Auto, CheckedParams, Leaves, TreeParams, ZoneKind};
use crate::model::Model;
use crate::predict::Routing;
use serde::{Deserialize, Serialize};

/// How a tree is grown, routed and answered, and what the data is to decide.
///
/// ```
/// use ternwood::{Leaves, Recipe, TreeParams};
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

impl From<&Model> for Recipe {
    /// What would make this model's tree again: nothing is left to the data, scale and depth are
    /// those that the model has.
    fn from(model: &Model) -> Self {
        Self {
            params: model.params().clone(),
            routing: model.routing(),
            leaves: model.leaves_kind(),
            auto: Auto::default(),
        }
    }
}

/// A recipe that passed [`Recipe::check`].
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedRecipe {
    params: CheckedParams,
    routing: Routing,
    leaves: Leaves,
    auto: Auto,
}

impl CheckedRecipe {
    /// The tree and its zones.
    #[must_use]
    pub fn params(&self) -> &CheckedParams {
        &self.params
    }

    /// What happens to rows within zones.
    #[must_use]
    pub fn routing(&self) -> Routing {
        self.routing
    }

    /// What leaves answer.
    #[must_use]
    pub fn leaves(&self) -> Leaves {
        self.leaves
    }

    /// What the data decides.
    #[must_use]
    pub fn auto(&self) -> Auto {
        self.auto
    }
}
