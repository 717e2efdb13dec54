//! Why a row is undecided, in words that do not depend on its values.

use super::shares::{MISSING, UNREADABLE, WITHIN};
use crate::dataset::{FeatureKind, Schema, one_line};
use crate::tree::{PresentValues, Test};

/// Every doubt that a test can have, by kind.
pub(super) fn doubts(test: &Test, schema: &Schema) -> Vec<(i32, String)> {
    let plain = test.plain();
    let feature = &schema.features()[plain.feature];
    let name = one_line(&feature.name);
    let mut doubts = Vec::new();
    if test.has_zone() {
        let near = match (&plain.present, &feature.kind) {
            (PresentValues::Numbers(_), FeatureKind::Number) => {
                let zone =
                    test.shown_zone(schema).map_or_else(String::new, |zone| zone.to_string());
                format!("{name} lies within {zone}")
            }
            (PresentValues::Numbers(_), _) => {
                format!("{name} could be on either side of '{}'", test.describe(schema))
            }
            _ => {
                // "ward, cut at 25 % ill"
                let words = test.describe(schema);
                let cut = words.strip_prefix(&format!("{name}, ")).unwrap_or("cut");
                format!("{name} could be on either side of the {cut}")
            }
        };
        doubts.push((WITHIN, near));
    }
    if plain.missing.is_unknown {
        doubts
            .push((MISSING, format!("{name} is missing, and this test never saw a missing value")));
    }
    let unreadable = match feature.kind {
        FeatureKind::Number => "could not be read",
        FeatureKind::Categories(_) => "did not occur among the training rows of this test",
        FeatureKind::Ordered(_) => "has no rank among the known ones",
    };
    doubts.push((UNREADABLE, format!("{name} {unreadable}")));
    doubts
}
