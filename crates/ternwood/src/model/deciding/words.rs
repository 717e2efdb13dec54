//! The changes that would decide a row, in a sentence.

use super::DecidingValue;
use crate::dataset::{FeatureKind, Schema, one_line};
use crate::tree::{class_in_words, exact_number, listed};

impl DecidingValue {
    /// The value as people see it: "5.8", "2024-03-01", "heart".
    #[must_use]
    pub fn value_in_words(&self, schema: &Schema) -> String {
        values_in_words(schema, self.feature, &[self.value])
    }
}

/// The most changes that a sentence names.
const NAMED: usize = 4;

/// - "A single change would decide it: age 27.9 (no) or ward heart, eye (yes)."
/// - "No single change would decide it."
///
/// `first` are the features to be named first, in this order.
pub(in crate::model) fn change_in_words(
    schema: &Schema,
    values: &[DecidingValue],
    first: &[usize],
) -> String {
    let mut changes = changes(schema, values);
    let rank = |feature| first.iter().position(|&it| it == feature).unwrap_or(first.len());
    changes.sort_by_key(|&(feature, _)| rank(feature));
    let named: Vec<&str> = changes.iter().take(NAMED).map(|(_, words)| words.as_str()).collect();
    let list = match (&named[..], changes.len().saturating_sub(NAMED)) {
        ([], _) => return "No single change would decide it.".to_owned(),
        (named, 1..) => {
            format!("{} or {} others", named.join(", "), changes.len() - named.len())
        }
        ([only], _) => (*only).to_owned(),
        ([first @ .., last], _) => format!("{} or {last}", first.join(", ")),
    };
    format!("A single change would decide it: {list}.")
}

/// One for each number, and one for all categories of a feature that decide for the same class, each with its feature.
fn changes(schema: &Schema, values: &[DecidingValue]) -> Vec<(usize, String)> {
    let mut changes: Vec<(usize, u32, Vec<f64>)> = Vec::new();
    for DecidingValue { feature, value, outcome, .. } in values {
        let is_number = schema.features()[*feature].kind.is_number();
        let same = changes
            .iter_mut()
            .find(|(other, class, _)| !is_number && other == feature && *class == outcome.class);
        match same {
            Some((_, _, values)) => values.push(*value),
            None => changes.push((*feature, outcome.class, vec![*value])),
        }
    }
    let in_words = |(index, class, values): (usize, u32, Vec<f64>)| {
        let value = values_in_words(schema, index, &values);
        let class = class_in_words(schema, class);
        let name = one_line(&schema.features()[index].name);
        (index, format!("{name} {value} ({class})"))
    };
    changes.into_iter().map(in_words).collect()
}

/// A number, or a list of categories.
fn values_in_words(schema: &Schema, feature: usize, values: &[f64]) -> String {
    let feature = &schema.features()[feature];
    match feature.kind {
        FeatureKind::Number => exact_number(feature, values[0]),
        FeatureKind::Categories(_) | FeatureKind::Ordered(_) => {
            let ids: Vec<u32> = values.iter().map(|&id| id as u32).collect();
            listed(feature, &ids)
        }
    }
}
