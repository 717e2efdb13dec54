//! What the widths of a model's zones stand for: the recipe tells.

use super::Model;
use crate::recipe::{Routing, ZoneKind};
use crate::tree::ZoneMeaning;

impl Model {
    /// What the widths of the model's zones stand for.
    ///
    /// | zones | routing | meaning |
    /// |---|---|---|
    /// | `specified`, scale 1 | any | a measurement error |
    /// | `node_bootstrap`, scale 1 | any | a standard error |
    /// | `spread`, or any with another or an automatic scale | probabilistic, deferred | blended |
    /// | all others | any | uncertain |
    ///
    /// A scale other than 1 makes a width a matter of smoothing, not of error.
    #[must_use]
    pub fn zone_meaning(&self) -> ZoneMeaning {
        let recipe = self.recipe();
        let zone = &recipe.params.zone;
        let unscaled = zone.scale == 1.0 && !recipe.auto.zone_scale;
        let blends = matches!(recipe.routing, Routing::Probabilistic | Routing::Deferred);
        match &zone.kind {
            ZoneKind::Specified { .. } if unscaled => ZoneMeaning::MeasurementError,
            ZoneKind::NodeBootstrap { .. } if unscaled => ZoneMeaning::StandardError,
            ZoneKind::Spread if blends => ZoneMeaning::Blended,
            _ if blends && !unscaled => ZoneMeaning::Blended,
            _ => ZoneMeaning::Uncertain,
        }
    }
}
