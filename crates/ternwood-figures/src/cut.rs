//! A threshold and its zone, as pictures name them.

use crate::number::shown_zone;
use ternwood::Schema;
use ternwood::model::ZoneMeaning;
use ternwood::tree::{Side, Test};
use ternwood::words::{ShownTest, ShownZone};

/// The words for a cut at a threshold.
pub(crate) struct CutWords {
    /// "127.0 ± 1.1", "127.0, blended between 125.9 and 128.1", "≤ Bachelors, blended within 0.5 ranks".
    pub(crate) full: String,
    /// The same where there is little room, the longest first: "127.0 (125.9 to 128.1)", "125.9 to 128.1", "127.0".
    pub(crate) phrasings: Vec<String>,
}

impl CutWords {
    /// `None` for a test of something else.
    pub(crate) fn of_threshold(
        test: ShownTest<'_>,
        schema: &Schema,
        meaning: ZoneMeaning,
    ) -> Option<Self> {
        let zone = shown_zone(test, schema)?;
        let Some(half_width) = &zone.half_width else {
            let cut = last_on_left(test.test, schema).unwrap_or(zone.threshold);
            return Some(Self { full: cut.clone(), phrasings: vec![cut] });
        };
        if let Some(last) = last_on_left(test.test, schema) {
            let full = match (meaning.error_in_words(half_width), meaning.of_range()) {
                (Some(error), _) => format!("{last} {error}"),
                (None, of_range) => {
                    format!("{last}, {} within {half_width} ranks", of_range.unwrap_or_default())
                }
            };
            return Some(Self { phrasings: vec![full.clone(), last], full });
        }
        let full = zone.in_words(meaning);
        let ShownZone { threshold, lower, upper, .. } = zone;
        let mut phrasings = match meaning.is_error() {
            true => vec![full.clone()],
            false => {
                vec![format!("{threshold} ({lower} to {upper})"), format!("{lower} to {upper}")]
            }
        };
        phrasings.push(threshold);
        Some(Self { full, phrasings })
    }
}

/// "≤ Bachelors", for ordered categories.
fn last_on_left(test: &Test, schema: &Schema) -> Option<String> {
    let words = test.describe_branch(Side::Below, false, schema);
    words.strip_prefix("<= ").map(|last| format!("≤ {last}"))
}
