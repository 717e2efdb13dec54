//! An explanation in words, with the names of features and classes.

use super::Model;
use crate::dataset::{Matrix, is_unknown_value, one_line};
use crate::error::{ErrorKind, Result};
use crate::predict::{Explanation, Step};
use crate::recipe::{MissingValues, Routing};
use crate::tree::{TestedValue, most_probable, plain_number, told_apart};
use std::collections::BTreeMap;
use std::fmt;

/// The explanation of one row's prediction. Prints as a short report.
#[derive(Debug, Clone)]
pub struct ExplainedRow<'m> {
    model: &'m Model,
    explanation: Explanation,
    /// Names of the row's categories that the model does not know, and what could not be read, by
    /// feature.
    unseen: BTreeMap<u32, String>,
}

/// The most tests that a sentence about a probability names: unknown values first, then the tests
/// nearest to the root.
const NAMED: usize = 3;

impl<'m> ExplainedRow<'m> {
    pub(super) fn new(model: &'m Model, row: &[f64]) -> Result<Self> {
        let expected = model.tree().n_features();
        if row.len() != expected {
            return Err(ErrorKind::ColumnCount { expected, found: row.len() }.into());
        }
        let mut buffer = Vec::new();
        let block = Matrix::row_major(row, expected)?.block(0..1, &mut buffer);
        block.check(model.missing_allowed()).map_err(|error| model.name_column(error))?;
        let mut explanation = model.walker().explain(row);
        let class = most_probable(&explanation.distribution) as usize;
        let confidence = explanation.distribution[class];
        explanation.verdict = model.verdict().verdict(explanation.verdict, confidence);
        Ok(Self { model, explanation, unseen: BTreeMap::new() })
    }

    /// The same explanation with the name of a category that the model does not know, or the text
    /// that could not be read: a row of numbers cannot have it.
    #[must_use]
    pub fn with_unseen(mut self, feature: usize, name: impl Into<String>) -> Self {
        self.unseen.insert(feature as u32, name.into());
        self
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
    /// - "Flagged because glucose is missing, and this test never saw a missing value."
    /// - "Flagged because glucose '12?5' could not be read."
    /// - "Flagged because the blended probability of the predicted class is 0.62, below 0.80:
    ///   glucose 126.4 lies within 127.0 ± 1.1."
    /// - "Decided although glucose 126.4 lies within 127.0 ± 1.1: the blended probability of the
    ///   predicted class is 0.93, not below 0.80."
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let mut reasons = self.named_reasons();
        let policy = self.model.verdict().as_confidence();
        // Of a probability these are only part of the story, and wide zones make many of them.
        let mut more = 0;
        if policy.is_some() {
            reasons.sort_by_key(|step| !step.is_unknown());
            more = reasons.len().saturating_sub(NAMED);
            reasons.truncate(NAMED);
        }
        let mut within: Vec<String> =
            reasons.iter().map(|step| self.tested(step).doubt()).collect();
        within.extend((more > 0).then(|| match more {
            1 => "1 more test is unsure".to_owned(),
            _ => format!("{more} more tests are unsure"),
        }));
        let within = (!within.is_empty()).then(|| within.join(", and "));
        let Some(policy) = policy else {
            return within.map(|within| format!("Flagged because {within}."));
        };
        let confidence = self.explanation.distribution[self.class() as usize];
        let probability = self.probability_of_class();
        if self.explanation.verdict.is_undecided() {
            let [confidence, threshold] = told_apart(confidence, policy.threshold());
            let within = within.map_or_else(String::new, |within| format!(": {within}"));
            return Some(format!(
                "Flagged because {probability} is {confidence}, below {threshold}{within}."
            ));
        }
        let [confidence, threshold] = told_apart(confidence, policy.threshold());
        within.map(|within| {
            format!(
                "Decided although {within}: {probability} is {confidence}, not below {threshold}."
            )
        })
    }

    /// The reasons without those that follow from another: where a value is unsure or unknown, the
    /// row goes both ways, and further tests of the feature do not know the value either.
    fn named_reasons(&self) -> Vec<&Step> {
        let mut named: Vec<&Step> = Vec::new();
        for step in self.explanation.reasons() {
            let feature = step.test.feature();
            let follows = named.iter().any(|other| other.test.feature() == feature);
            if !(step.is_unknown() && follows) {
                named.push(step);
            }
        }
        named
    }

    fn probability_of_class(&self) -> &'static str {
        match self.model.routing() {
            Routing::Probabilistic | Routing::Deferred => {
                "the blended probability of the predicted class"
            }
            Routing::Crisp | Routing::HardMiddle => "the probability of the predicted class",
        }
    }

    fn tested<'a>(&'a self, step: &'a Step) -> TestedValue<'a> {
        let params = &self.model.recipe().params;
        TestedValue {
            test: &step.test,
            schema: self.model.schema(),
            value: step.value,
            unseen: self.unseen.get(&step.test.feature().0).map(String::as_str),
            rows: step.rows,
            fewest_rows: params.min_samples_category,
            learns_missing: params.missing != MissingValues::Unknown,
        }
    }

    fn write_step(&self, f: &mut fmt::Formatter<'_>, step: &Step) -> fmt::Result {
        let tested = self.tested(step);
        write!(f, "  node {}: ", step.node)?;
        if step.is_unknown() {
            let is_missing = step.value.is_nan() && !is_unknown_value(step.value);
            let missing = if is_missing { " (missing)" } else { "" };
            write!(f, "{} is UNKNOWN{missing}: {}", tested.named(), self.way_of_unknown(step))?;
        } else {
            write!(f, "{}", tested.standing(step.zone_counts))?;
            let widths = step.offset_in_half_widths();
            if step.zone_counts && widths.is_finite() {
                write!(f, " ({} half-widths from the cut)", short_signed(widths))?;
            }
        }
        if step.share < 1.0 {
            write!(f, ", with {:.1} % of the row", 100.0 * step.share)?;
        }
        writeln!(f)
    }

    /// Where a row goes whose value is unknown at a test.
    fn way_of_unknown(&self, step: &Step) -> String {
        if !step.zone_counts {
            let side = if step.test.goes_left(step.value) { "left" } else { "right" };
            return format!("goes {side}, to the heavier child");
        }
        if self.model.routing() == Routing::HardMiddle {
            return "goes to the middle".to_owned();
        }
        let left = (1000.0 * step.test.unknown_left()).round() / 10.0;
        let [left, right] = [left, 100.0 - left].map(plain_number);
        format!("{left} % of it goes left, {right} % right")
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
