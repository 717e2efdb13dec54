//! What the widths of a model's zones stand for: the recipe tells.

use super::Model;
use crate::recipe::{Routing, ZoneKind};

/// What the width of a zone stands for. [`Model::zone_meaning`](crate::Model::zone_meaning) tells it of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ZoneMeaning {
    /// A known measurement error, as given: "127.0 ± 1.1".
    MeasurementError,
    /// The standard error of the threshold: "127.0 ± 1.1 (standard error)".
    StandardError,
    /// The range in which the answers of both sides are blended: "127.0, blended between 125.9 and 128.1".
    Blended,
    /// The range in which the side of a value is uncertain: "127.0, uncertain between 125.9 and 128.1".
    Uncertain,
}

impl ZoneMeaning {
    /// True if the width is an error, so that "±" may stand before it.
    #[must_use]
    pub fn is_error(self) -> bool {
        matches!(self, Self::MeasurementError | Self::StandardError)
    }

    /// What values within the zone are; `None` for errors, whose zones are written with "±".
    #[must_use]
    pub fn of_range(self) -> Option<&'static str> {
        match self {
            Self::MeasurementError | Self::StandardError => None,
            Self::Blended => Some("blended"),
            Self::Uncertain => Some("uncertain"),
        }
    }

    /// The name in documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MeasurementError => "measurement_error",
            Self::StandardError => "standard_error",
            Self::Blended => "blended",
            Self::Uncertain => "uncertain",
        }
    }
}

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
