//! The tests that a prediction depends on most.

use super::ExplainedRow;
use crate::predict::{Step, Verdict};
use crate::tree::Side;
use crate::verdict::VerdictPolicy;
use std::collections::HashSet;

/// The most tests that a sentence names.
const NAMED: usize = 3;

/// A test that cannot place the row, and what the answer would be if it could.
///
/// Each outcome is the prediction of the tree with the test's node replaced by its child.
#[derive(Debug, Clone, PartialEq)]
pub struct Hinge {
    /// The index of the test among the steps of the explanation.
    pub step: usize,
    /// If the row were clearly below: with the left child in the place of the node.
    pub below: Outcome,
    /// If the row were clearly above: with the right child in the place of the node.
    pub above: Outcome,
}

/// What a model would answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The class probabilities.
    pub distribution: Vec<f64>,
    /// The class, by id. Like the verdict, it follows the model's policy.
    pub class: u32,
    /// The verdict.
    pub verdict: Verdict,
}

impl Hinge {
    /// Both outcomes: clearly below, clearly above.
    #[must_use]
    pub fn outcomes(&self) -> [&Outcome; 2] {
        [&self.below, &self.above]
    }
}

impl ExplainedRow<'_> {
    /// The unsure tests that matter most, at most three of them, and of each feature at most one.
    ///
    /// They are ordered by how much the confidence in the predicted class would change if the row
    /// were clearly on one side; where costs decide, by how much the difference between the cost of
    /// the answer and that of a flag would.
    #[must_use]
    pub fn hinges(&self) -> Vec<Hinge> {
        let steps = &self.explanation.steps;
        let walker = self.model.walker();
        let mut changes = walker.changes(&self.row, steps, &self.worth());
        // In single precision, so that rounding does not order what is equal.
        changes.sort_by(|(_, a), (_, b)| (largest(b) as f32).total_cmp(&(largest(a) as f32)));
        let mut features = HashSet::new();
        let strongest = changes.into_iter().map(|(step, _)| step);
        let strongest = strongest.filter(|&step| features.insert(steps[step].test.feature()));
        let hinge = |step: usize| {
            let outcome = |side| self.clearly_on(&steps[step], side);
            Hinge { step, below: outcome(Side::Below), above: outcome(Side::Above) }
        };
        strongest.take(NAMED).map(hinge).collect()
    }

    fn clearly_on(&self, step: &Step, side: Side) -> Outcome {
        let walker = self.model.walker();
        let (distribution, of_zones) = walker.clearly_on(&self.row, step.node, side);
        let (class, verdict) = self.model.judge(&self.row, &distribution, of_zones);
        Outcome { distribution, class, verdict }
    }

    /// A number for every class, whose expectation says how sure the answer is.
    fn worth(&self) -> Vec<f64> {
        let class = self.class as usize;
        let of_class = |k: usize| match self.model.verdict() {
            VerdictPolicy::Costs(policy) => {
                policy.costs().of_flag(k) - policy.costs().of_answer(k, class)
            }
            VerdictPolicy::Catch(policy) if policy.class() != self.class => {
                f64::from(u8::from(k != policy.class() as usize))
            }
            VerdictPolicy::Zones { .. }
            | VerdictPolicy::Confidence(_)
            | VerdictPolicy::Catch(_) => f64::from(u8::from(k == class)),
        };
        (0..self.model.schema().n_classes()).map(of_class).collect()
    }

    /// By how much an outcome is surer than the answer.
    pub(crate) fn change(&self, outcome: &Outcome) -> f64 {
        let probabilities = outcome.distribution.iter().zip(&self.explanation.distribution);
        self.worth()
            .iter()
            .zip(probabilities)
            .map(|(worth, (then, now))| worth * (then - now))
            .sum()
    }

    /// The number of unsure tests beside some hinges. Where an unknown value is named, further tests
    /// that do not know it either say nothing new.
    pub(crate) fn unsure_beside(&self, hinges: &[&Hinge]) -> usize {
        let steps = &self.explanation.steps;
        let is_named = |index: usize| hinges.iter().any(|hinge| hinge.step == index);
        let follows = |step: &Step| {
            let same = |hinge: &&Hinge| steps[hinge.step].test.feature() == step.test.feature();
            step.is_unknown() && hinges.iter().any(same)
        };
        let unsure = steps.iter().enumerate().filter(|(_, step)| step.is_unsure());
        unsure.filter(|(index, step)| !is_named(*index) && !follows(step)).count()
    }
}

fn largest([below, above]: &[f64; 2]) -> f64 {
    below.abs().max(above.abs())
}
