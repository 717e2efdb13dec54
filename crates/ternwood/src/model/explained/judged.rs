//! What the model's policy says of an answer, in words: the same for trees and forests.

use crate::model::Model;
use crate::tree::{class_in_words, percents_told_apart, plain_number, told_apart};
use crate::verdict::{ConfidencePolicy, CostPolicy, VerdictPolicy};

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

    pub(super) fn confidence(&self) -> f64 {
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

    fn class_in_words(&self, class: u32) -> String {
        class_in_words(self.model.schema(), class)
    }
}

/// What the cheapest answer and a flag are expected to cost, told apart.
pub(super) fn expected_costs(policy: &CostPolicy, distribution: &[f64]) -> [String; 2] {
    let expected = policy.costs().expected(distribution);
    let costs = [expected.answer, expected.flag];
    // Whoever counts in millions needs no cents.
    match costs.iter().all(|cost| cost.abs() < 1e6) {
        true => told_apart(expected.answer, expected.flag),
        false => costs.map(plain_number),
    }
}
