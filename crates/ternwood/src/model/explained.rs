//! An explanation in words, with the names of features and classes.

use super::Model;
use crate::dataset::one_line;
use crate::error::{ErrorKind, Result};
use crate::predict::{Explanation, Step};
use crate::recipe::Routing;
use crate::tree::{Side, most_probable, plain_number, told_apart};
use std::fmt;

/// The explanation of one row's prediction. Prints as a short report.
#[derive(Debug, Clone)]
pub struct ExplainedRow<'m> {
    model: &'m Model,
    explanation: Explanation,
}

impl<'m> ExplainedRow<'m> {
    pub(super) fn new(model: &'m Model, row: &[f64]) -> Result<Self> {
        let expected = model.tree().n_features();
        if row.len() != expected {
            return Err(ErrorKind::ColumnCount { expected, found: row.len() }.into());
        }
        if let Some(column_index) = row.iter().position(|value| !value.is_finite()) {
            let column = model.schema().features()[column_index].name.clone();
            let value = row[column_index];
            return Err(ErrorKind::NotFinite { column, column_index, row: 0, value }.into());
        }
        let mut explanation = model.walker().explain(row);
        let class = most_probable(&explanation.distribution) as usize;
        let confidence = explanation.distribution[class];
        explanation.verdict = model.verdict().verdict(explanation.verdict, confidence);
        Ok(Self { model, explanation })
    }

    /// The tests, leaves and probabilities behind the text. The verdict follows the model's
    /// policy.
    #[must_use]
    pub fn explanation(&self) -> &Explanation {
        &self.explanation
    }

    /// The predicted class, by id.
    #[must_use]
    pub fn class(&self) -> u32 {
        most_probable(&self.explanation.distribution)
    }

    /// One sentence on why the row is undecided, or why it is decided although it is within a
    /// zone. `None` for a decided row outside all zones.
    ///
    /// - "Flagged because glucose 126.4 lies within 127.0 ± 1.1."
    /// - "Flagged because the blended probability of the predicted class is 0.62, below 0.80."
    /// - "Decided although glucose 126.4 lies within 127.0 ± 1.1: the blended probability of the
    ///   predicted class is 0.93, not below 0.80."
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let within: Vec<String> = self
            .explanation
            .reasons()
            .map(|step| step.test.describe_doubt(step.value, self.model.schema()))
            .collect();
        let within = (!within.is_empty()).then(|| within.join(", and "));
        let Some(policy) = self.model.verdict().as_confidence() else {
            return within.map(|within| format!("Flagged because {within}."));
        };
        let confidence = self.explanation.distribution[self.class() as usize];
        let probability = self.probability_of_class();
        if self.explanation.verdict.is_undecided() {
            let [confidence, threshold] = told_apart(confidence, policy.threshold());
            return Some(format!(
                "Flagged because {probability} is {confidence}, below {threshold}."
            ));
        }
        let [confidence, threshold] = told_apart(confidence, policy.threshold());
        within.map(|within| {
            format!(
                "Decided although {within}: {probability} is {confidence}, not below {threshold}."
            )
        })
    }

    fn probability_of_class(&self) -> &'static str {
        match self.model.routing() {
            Routing::Probabilistic | Routing::Deferred => {
                "the blended probability of the predicted class"
            }
            Routing::Crisp | Routing::HardMiddle => "the probability of the predicted class",
        }
    }

    fn write_step(&self, f: &mut fmt::Formatter<'_>, step: &Step) -> fmt::Result {
        let value = step.test.describe_value(step.value, self.model.schema());
        let side = match (step.zone_counts, step.side) {
            (true, Side::Below) => "below",
            (true, Side::Within) => "WITHIN",
            (true, Side::Above) => "above",
            (false, _) if step.test.goes_left(step.value) => "left of",
            (false, _) => "right of",
        };
        let cut = step.test.describe_cut(step.value, step.zone_counts);
        write!(f, "  node {}: {value} is {side} {cut}", step.node)?;
        if step.test.has_zone() && step.zone_counts {
            let widths = short_signed(step.offset_in_half_widths());
            write!(f, " ({widths} half-widths from the cut)")?;
        }
        if step.share < 1.0 {
            write!(f, ", with {:.1} % of the row", 100.0 * step.share)?;
        }
        writeln!(f)
    }
}

fn short_signed(x: f64) -> String {
    if x.abs() < 1000.0 { format!("{x:+.2}") } else { format!("{x:+.1e}") }
}

impl fmt::Display for ExplainedRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explanation { steps, leaves, distribution, verdict } = &self.explanation;
        let class = self.class() as usize;
        let probability = distribution[class];
        let class = self.model.schema().classes()[class].to_string();
        let class = one_line(&class);
        writeln!(f, "{class} with probability {probability:.3}, {verdict}")?;
        if let Some(sentence) = self.sentence() {
            writeln!(f, "{sentence}")?;
        }
        for step in steps {
            self.write_step(f, step)?;
        }
        for share in leaves {
            write!(f, "  leaf {}:", share.leaf)?;
            let weights = self.model.tree().distribution(share.leaf);
            for (class, &probability) in self.model.schema().classes().iter().zip(weights) {
                if probability > 0.0 {
                    write!(f, " {} {probability:.3}", one_line(&class.to_string()))?;
                }
            }
            if self.explanation.reasons().next().is_some() {
                write!(f, ", weight {}", plain_number((share.share * 1e4).round() / 1e4))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
