//! The tests and leaves of an explanation, line by line.

use super::ExplainedRow;
use crate::dataset::{is_unknown_value, one_line};
use crate::predict::{Explanation, LeafShare, Step};
use crate::recipe::Routing;
use crate::tree::plain_number;
use std::fmt;

/// The most tests and leaves that are printed: those that most of the row arrives at.
const TESTS: usize = 20;
const LEAVES: usize = 8;

impl fmt::Display for ExplainedRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explanation { steps, leaves, distribution, verdict } = &self.explanation;
        let probability = distribution[self.class as usize];
        let class = self.model.schema().classes()[self.class as usize].to_string();
        writeln!(f, "{} with probability {probability:.3}, {verdict}", one_line(&class))?;
        if let Some(sentence) = self.sentence() {
            writeln!(f, "{sentence}")?;
        }
        let (tests, more) = largest(steps, TESTS, |step| step.share);
        for step in tests {
            self.write_step(f, step)?;
        }
        if let Some(share) = more.iter().map(|step| step.share).reduce(f64::max) {
            let share = 100.0 * share;
            writeln!(
                f,
                "  {} more tests, none with more than {share:.1} % of the row",
                more.len()
            )?;
        }
        let (leaves, more) = largest(leaves, LEAVES, |leaf| leaf.share);
        for reached in leaves {
            write!(f, "  leaf {}:", reached.leaf)?;
            self.write_answer(f, self.model.tree().values(reached.leaf), reached.share)?;
        }
        if !more.is_empty() {
            let (blended, weight) = self.blended(&more);
            write!(f, "  {} more leaves, together:", more.len())?;
            self.write_answer(f, &blended, weight)?;
        }
        Ok(())
    }
}

/// The `most` items of the largest share, and the others, each in the order they have.
fn largest<T>(items: &[T], most: usize, share: impl Fn(&T) -> f64) -> (Vec<&T>, Vec<&T>) {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| share(&items[b]).total_cmp(&share(&items[a])));
    let (kept, others) = order.split_at_mut(most.min(items.len()));
    kept.sort_unstable();
    others.sort_unstable();
    let [kept, others] =
        [kept, others].map(|indices| indices.iter().map(|&index| &items[index]).collect());
    (kept, others)
}

impl ExplainedRow<'_> {
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

    /// The classes of one or more leaves, and their weight.
    fn write_answer(
        &self,
        f: &mut fmt::Formatter<'_>,
        distribution: &[f64],
        weight: f64,
    ) -> fmt::Result {
        for (class, &probability) in self.model.schema().classes().iter().zip(distribution) {
            if probability > 0.0 {
                write!(f, " {} {probability:.3}", one_line(&class.to_string()))?;
            }
        }
        if self.explanation.reasons().next().is_some() {
            write!(f, ", weight {}", plain_number((weight * 1e4).round() / 1e4))?;
        }
        writeln!(f)
    }

    /// The mean distribution of some leaves, and their weight.
    fn blended(&self, leaves: &[&LeafShare]) -> (Vec<f64>, f64) {
        let weight: f64 = leaves.iter().map(|reached| reached.share).sum();
        let mut blended = vec![0.0; self.explanation.distribution.len()];
        // Leaves that nothing arrives at have no mean.
        let part = |reached: &LeafShare| if weight > 0.0 { reached.share / weight } else { 0.0 };
        for reached in leaves {
            let of_leaf = self.model.tree().values(reached.leaf);
            for (sum, p) in blended.iter_mut().zip(of_leaf) {
                *sum += part(reached) * p;
            }
        }
        (blended, weight)
    }
}

fn short_signed(x: f64) -> String {
    if x.abs() < 1000.0 { format!("{x:+.2}") } else { format!("{x:+.1e}") }
}
