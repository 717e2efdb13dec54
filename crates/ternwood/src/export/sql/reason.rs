//! Why a row is undecided, in words that do not depend on its values.

use super::shares::{MISSING, UNREADABLE, WITHIN};
use crate::dataset::{FeatureKind, Schema, one_line};
use crate::model::ZoneMeaning;
use crate::words::ShownTest;

/// Every doubt that a test can have, by kind.
pub(super) fn doubts(
    shown: ShownTest<'_>,
    schema: &Schema,
    meaning: ZoneMeaning,
) -> Vec<(i32, String)> {
    let test = shown.test;
    let plain = test.plain();
    let feature = &schema.features()[plain.feature];
    let name = one_line(&feature.name);
    let mut doubts = Vec::new();
    if test.has_zone() {
        let near = match (test.categories(), &feature.kind) {
            (None, FeatureKind::Number) => {
                let zone =
                    shown.zone(schema).map_or_else(String::new, |zone| zone.as_place(meaning));
                format!("{name} lies within {zone}")
            }
            (None, _) => {
                let words = shown.describe(schema, meaning);
                format!("{name} could be on either side of '{words}'")
            }
            (Some(cut), _) => {
                // "ward, cut at 25 % ill"
                let words = shown.describe(schema, meaning);
                let at = words.strip_prefix(&format!("{name}, cut ")).unwrap_or_default();
                format!("{name} lies {} {at}", cut.near_in_words())
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
