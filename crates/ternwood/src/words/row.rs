//! What is said of a row whatever the model: its verdict, what does not cover it, and what would decide it.

use super::names::{class_in_words, clipped, joined, listed};
use super::numbers::{exact_number, percents_told_apart, plain_number, told_apart};
use crate::dataset::{FeatureKind, Schema, one_line};
use crate::model::{DecidingValue, Model, NotCovered, UncoveredRows, UncoveredValues};
use crate::verdict::{ConfidencePolicy, CostPolicy, VerdictPolicy};
use std::collections::BTreeMap;
use std::fmt;

/// An answer that the policy of a model has judged.
pub(super) struct Judged<'a> {
    pub(super) model: &'a Model,
    pub(super) distribution: &'a [f64],
    pub(super) class: u32,
}

impl Judged<'_> {
    /// "Flagged: 68 % sure, below 80 %."
    pub(super) fn flagged(&self) -> String {
        match self.model.verdict() {
            VerdictPolicy::Zones { .. } => String::new(),
            VerdictPolicy::Costs(policy) => {
                let [answer, flag] = expected_costs(policy, self.distribution);
                let class = self.class_in_words(self.class);
                format!(
                    "Flagged: {class}, the cheapest answer, is expected to cost {answer}, and a flag \
                     only {flag}."
                )
            }
            VerdictPolicy::Catch(policy) => {
                let [possible, enough] =
                    percents_told_apart(self.probability_in_doubt(), policy.threshold());
                let caught = self.class_in_words(policy.class());
                format!("Flagged: could still be {caught}: {possible}, above {enough}.")
            }
            VerdictPolicy::Confidence(policy) => match policy.thresholds().of(self.class) {
                None => {
                    let class = self.class_in_words(self.class);
                    let why = policy.why_never(self.class);
                    format!("Flagged: rows predicted {class} are never decided, because {why}.")
                }
                Some(threshold) => {
                    let [sure, enough] = percents_told_apart(self.confidence(), threshold);
                    match self.ruling(policy) {
                        None => format!("Flagged: {sure} sure, below {enough}."),
                        Some(ruling) => {
                            let class = self.class_in_words(self.class);
                            format!(
                                "Flagged, look again: {sure} {class}, and to {ruling} takes {enough}."
                            )
                        }
                    }
                }
            },
        }
    }

    /// What is decided, and why it is.
    pub(super) fn why_decided(&self) -> (String, String) {
        let (decided, class) = ("Decided".to_owned(), self.class_in_words(self.class));
        let policy = match self.model.verdict() {
            VerdictPolicy::Zones { .. } => return (decided, String::new()),
            VerdictPolicy::Costs(policy) => {
                let [answer, flag] = expected_costs(policy, self.distribution);
                let because = format!(
                    "{class}, the cheapest answer, is expected to cost {answer}, and a flag {flag}"
                );
                return (decided, because);
            }
            VerdictPolicy::Catch(policy) if policy.class() == self.class => {
                return (decided, format!("rows predicted {class} are always decided"));
            }
            VerdictPolicy::Catch(policy) => {
                let [possible, enough] =
                    percents_told_apart(self.probability_in_doubt(), policy.threshold());
                let caught = self.class_in_words(policy.class());
                return (decided, format!("{caught} has {possible}, not above {enough}"));
            }
            VerdictPolicy::Confidence(policy) => policy,
        };
        let threshold = policy.thresholds().of(self.class).unwrap_or(0.0);
        if threshold == 0.0 {
            return (decided, format!("rows predicted {class} are always decided"));
        }
        let [sure, enough] = percents_told_apart(self.confidence(), threshold);
        match policy.condition(self.model.schema().n_classes()) {
            None => (decided, format!("{sure} sure, not below {enough}")),
            Some(condition) => {
                let way = if condition == self.class { "in" } else { "out" };
                let condition = self.class_in_words(condition);
                let because = format!("{sure} {class}, and that takes {enough}");
                (format!("Ruled {way} ({condition})"), because)
            }
        }
    }

    /// "rule out ill", if the policy rules one of two classes in or out.
    fn ruling(&self, policy: &ConfidencePolicy) -> Option<String> {
        let condition = policy.condition(self.model.schema().n_classes())?;
        let way = if condition == self.class { "in" } else { "out" };
        Some(format!("rule {way} {}", self.class_in_words(condition)))
    }

    fn confidence(&self) -> f64 {
        self.distribution[self.class as usize]
    }

    /// The class whose probability decides about a flag: the predicted one, or the one to catch.
    pub(super) fn class_in_doubt(&self) -> u32 {
        match self.model.verdict() {
            VerdictPolicy::Catch(policy) => policy.class(),
            _ => self.class,
        }
    }

    pub(super) fn probability_in_doubt(&self) -> f64 {
        self.distribution[self.class_in_doubt() as usize]
    }

    pub(super) fn class_in_words(&self, class: u32) -> String {
        class_in_words(self.model.schema(), class)
    }
}

/// What the cheapest answer and a flag are expected to cost, told apart.
fn expected_costs(policy: &CostPolicy, distribution: &[f64]) -> [String; 2] {
    let expected = policy.costs().expected(distribution);
    let costs = [expected.answer, expected.flag];
    // Whoever counts in millions needs no cents.
    match costs.iter().all(|cost| cost.abs() < 1e6) {
        true => told_apart(expected.answer, expected.flag),
        false => costs.map(plain_number),
    }
}

/// Why the policy of a model does not cover a row; `None` if it does, or if it judges such rows like all others.
///
/// `unseen` has the names of categories that the model does not know, and texts that could not be read, by feature.
pub(super) fn not_covered(
    model: &Model,
    row: &[f64],
    unseen: &BTreeMap<usize, String>,
) -> Option<String> {
    let uncovered = model.uncovered_in(row);
    let in_words = || uncovered_in_words(model.schema(), &uncovered, row, unseen);
    (!uncovered.is_empty()).then(in_words)
}

/// Why a row is not covered, in words: "the training table had no gaps in income and age, and no
/// job 'pilot'; glucose '12?5' cannot be read". Empty for a row that is covered.
///
/// `unseen` has the names of categories that the model does not know, and texts that could not be
/// read, by feature.
fn uncovered_in_words(
    schema: &Schema,
    uncovered: &[(usize, NotCovered)],
    row: &[f64],
    unseen: &BTreeMap<usize, String>,
) -> String {
    let of = |kind: NotCovered| uncovered.iter().filter(move |(_, it)| *it == kind);
    let name = |feature: usize| one_line(&schema.features()[feature].name).into_owned();
    let value = |feature: usize| {
        let id = row[feature] as usize;
        let names = schema.features()[feature].kind.names();
        let text = unseen.get(&feature).or(names.get(id).filter(|_| id as f64 == row[feature]));
        text.map_or_else(String::new, |text| format!(" '{}'", clipped(&one_line(text))))
    };
    let gaps: Vec<String> = of(NotCovered::Gap).map(|(feature, _)| name(*feature)).collect();
    let mut lacked = Vec::new();
    if !gaps.is_empty() {
        lacked.push(format!("no gaps in {}", shortened(&gaps, "or")));
    }
    let categories: Vec<String> = of(NotCovered::Category)
        .map(|(feature, _)| match value(*feature) {
            value if value.is_empty() => format!("such value of {}", name(*feature)),
            value => format!("{}{value}", name(*feature)),
        })
        .collect();
    if !categories.is_empty() {
        lacked.push(format!("no {}", shortened(&categories, "or")));
    }
    let unreadable: Vec<String> = of(NotCovered::Unreadable)
        .map(|(feature, _)| format!("{}{}", name(*feature), value(*feature)))
        .collect();
    let mut parts = Vec::new();
    if !lacked.is_empty() {
        parts.push(format!("the training table had {}", lacked.join(" and ")));
    }
    if !unreadable.is_empty() {
        parts.push(format!("{} cannot be read", shortened(&unreadable, "and")));
    }
    parts.join("; ")
}

/// The most features that a sentence names.
const NAMED: usize = 3;

/// "income, age or 4 more".
fn shortened(names: &[String], and: &str) -> String {
    match (names, names.len().saturating_sub(NAMED)) {
        (all, 0) => joined(all, and),
        (_, 1) => format!("{} {and} 1 more feature", names[..NAMED].join(", ")),
        (_, more) => format!("{} {and} {more} more features", names[..NAMED].join(", ")),
    }
}

impl DecidingValue {
    /// The value as people see it: "5.8", "2024-03-01", "heart".
    #[must_use]
    pub fn value_in_words(&self, schema: &Schema) -> String {
        values_in_words(schema, self.feature, &[self.value])
    }
}

/// The most changes that a sentence names.
const CHANGES: usize = 4;

/// - "A single change would decide it: age 27.9 (no) or ward heart, eye (yes)."
/// - "No single change would decide it."
///
/// `first` are the features to be named first, in this order.
pub(super) fn change_in_words(
    schema: &Schema,
    values: &[DecidingValue],
    first: &[usize],
) -> String {
    let mut changes = changes(schema, values);
    let rank = |feature| first.iter().position(|&it| it == feature).unwrap_or(first.len());
    changes.sort_by_key(|&(feature, _)| rank(feature));
    let named: Vec<&str> = changes.iter().take(CHANGES).map(|(_, words)| words.as_str()).collect();
    let list = match (&named[..], changes.len().saturating_sub(CHANGES)) {
        ([], _) => return "No single change would decide it.".to_owned(),
        (named, 1..) => {
            format!("{} or {} others", named.join(", "), changes.len() - named.len())
        }
        (named, _) => joined(named, "or"),
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

/// The most values that the list names.
const VALUES: usize = 5;

impl fmt::Display for UncoveredRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, UncoveredValues { feature, reason, rows }) in
            self.values.iter().take(VALUES).enumerate()
        {
            let feature = clipped(&one_line(feature));
            let s = if *rows == 1 { "" } else { "s" };
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}{} of {feature} ({rows} row{s})", reason.in_words())?;
        }
        match self.values.len().saturating_sub(VALUES) {
            0 => Ok(()),
            1 => f.write_str(" and 1 more"),
            more => write!(f, " and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_values_come_first() {
        let of = |feature: &str, reason, rows| UncoveredValues {
            feature: feature.to_owned(),
            reason,
            rows,
        };
        let rows = UncoveredRows::new(
            9,
            4,
            vec![
                of("age", NotCovered::Gap, 1),
                of("job", NotCovered::Gap, 0),
                of("ward", NotCovered::Category, 3),
                of("dose", NotCovered::Unreadable, 1),
            ],
        );
        let expected = "new category of ward (3 rows), no value of age (1 row), unreadable value of \
                        dose (1 row)";
        assert_eq!(rows.to_string(), expected);
        let json = serde_json::to_string(&rows.values[0]).unwrap();
        assert_eq!(json, r#"{"feature":"ward","reason":"new_category","rows":3}"#);
        let many = (0..7).map(|i| of(&format!("x{i}"), NotCovered::Gap, 1)).collect();
        assert!(UncoveredRows::new(9, 9, many).to_string().ends_with("x4 (1 row) and 2 more"));
    }
}
