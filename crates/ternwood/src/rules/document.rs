//! Rules as data: what `ternwood export --to rules-json` writes, and Python and the page read.

use super::Rules;
use super::condition::{Bound, Condition};
use super::rule::Rule;
use crate::dataset::ClassName;
use serde::Serialize;

/// A rule as data.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleDocument {
    /// The rule in words.
    pub words: String,
    /// The leaf's most probable class.
    pub class: ClassName,
    /// The probability of that class.
    pub probability: f64,
    /// The probabilities of all classes.
    pub probabilities: Vec<f64>,
    /// The number of training rows.
    pub rows: u32,
    /// The leaf's number in the tree.
    pub leaf: u32,
    /// False if no row makes the rule true.
    pub can_be_true: bool,
    /// What it asks of each feature.
    pub conditions: Vec<ConditionDocument>,
}

/// A condition as data. Truth values are "true", "undecided" and "false".
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConditionDocument {
    /// The condition in words.
    pub words: String,
    /// The feature.
    pub feature: String,
    /// Numbers up to the first edge are false, above the second true; infinite edges are null.
    pub above: Option<[Option<f64>; 2]>,
    /// Numbers up to the first edge are true, above the second false; infinite edges are null.
    pub below: Option<[Option<f64>; 2]>,
    /// The truth of every category of the feature, in its order; `None` for numbers.
    pub categories: Option<Vec<(String, &'static str)>>,
    /// The truth of a category that the feature does not have; `None` for numbers.
    pub unseen: Option<&'static str>,
    /// The truth of a missing value.
    pub missing: &'static str,
    /// The truth of what nobody could read.
    pub unknown: &'static str,
}

impl Rules<'_> {
    /// All rules as data.
    #[must_use]
    pub fn documents(&self) -> Vec<RuleDocument> {
        self.iter().map(|rule| self.document(rule)).collect()
    }

    /// All rules as a JSON list, one rule per line.
    #[must_use]
    pub fn to_json(&self) -> String {
        let line = |rule: &RuleDocument| {
            let rule = serde_json::to_string(rule).expect("plain data is always JSON");
            format!("  {rule}")
        };
        let lines: Vec<String> = self.documents().iter().map(line).collect();
        format!("[\n{}\n]\n", lines.join(",\n"))
    }

    fn document(&self, rule: &Rule) -> RuleDocument {
        RuleDocument {
            words: self.describe(rule),
            class: self.model.schema().classes()[rule.class() as usize].clone(),
            probability: rule.probability(),
            probabilities: self.model.tree().values(rule.leaf()).to_vec(),
            rows: rule.rows(),
            leaf: rule.leaf().0,
            can_be_true: rule.can_be_true(),
            conditions: rule.conditions().iter().map(|it| self.condition(it)).collect(),
        }
    }

    fn condition(&self, condition: &Condition) -> ConditionDocument {
        let feature = &self.model.schema().features()[condition.feature().index()];
        let names = feature.kind.names();
        let truth = |id: usize| condition.truth(id as f64).as_str();
        let categories = names.iter().enumerate().map(|(id, name)| (name.clone(), truth(id)));
        let unseen = match condition.categories() {
            Some(truths) => truths.unseen.and(condition.present()),
            // A rank that nobody knows cannot be compared.
            None if feature.kind.is_ordered() => condition.unknown(),
            None => condition.present(),
        };
        let has_names = !feature.kind.is_number();
        let edges = |bound: Bound| [bound.lower, bound.upper].map(|edge| finite(edge.at));
        ConditionDocument {
            words: self.describe_condition(condition),
            feature: feature.name.clone(),
            above: condition.above().map(edges),
            below: condition.below().map(edges),
            categories: has_names.then(|| categories.collect()),
            unseen: has_names.then(|| unseen.as_str()),
            missing: condition.missing().as_str(),
            unknown: condition.unknown().as_str(),
        }
    }
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}
