//! Why a tree answers as it does for a row: in a sentence, and line by line.

use super::names::joined;
use super::numbers::{ShownTest, percent_apart, plain_number};
use super::row::{Judged, change_in_words, not_covered};
use super::test::TestedValue;
use crate::dataset::{is_unknown_value, one_line};
use crate::model::{ExplainedRow, Hinge};
use crate::predict::{Explanation, LeafShare, Step};
use crate::recipe::{MissingValues, Routing};
use crate::verdict::VerdictPolicy;
use std::fmt;

/// A test that changes less than this by itself is counted, not named.
const MATTERS: f64 = 0.01;

impl ExplainedRow<'_> {
    /// Why the row is undecided, and what would decide it; or why it is decided although a test is unsure. `None`
    /// for a decided row of which every test is sure.
    ///
    /// Of a row that the policy does not cover:
    ///
    /// - "Flagged as not covered: the training table had no gaps in income."
    ///
    /// By zones:
    ///
    /// - "Flagged because glucose 126.4 lies within 127.0 ± 1.1. A single change would decide it: glucose 125.9
    ///   (healthy) or glucose 128.2 (ill)."
    /// - "Flagged because glucose is missing, and this test never saw a missing value. ..."
    ///
    /// By confidence or costs it names the tests that make the answer unsure:
    ///
    /// - "Flagged: 68 % sure, below 80 %. It hinges on glucose 126.4 (within 127.0 ± 1.1) and age 55 (within 54 ±
    ///   3). A single change would decide it: age 52 (healthy)."
    /// - "Flagged: 62 % sure, below 80 %. No test is near its threshold: the training rows like this one are mixed
    ///   (28 of 45 are healthy). No single change would decide it."
    /// - "Flagged: could still be ill: 23 %, above 18 %. It hinges on glucose 126.4 (within 127.0 ± 1.1). ..."
    /// - "Flagged: ill, the cheapest answer, is expected to cost 0.55, and a flag only 0.50. ..."
    /// - "Decided although glucose 126.4 lies within 127.0 ± 1.1: 93 % sure, not below 80 %."
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let reason = self.reason()?;
        if self.explanation.verdict.is_decided() {
            return Some(reason);
        }
        let schema = self.model.schema();
        let feature = |hinge: &Hinge| self.explanation.steps[hinge.step].test.feature().index();
        let hinges: Vec<usize> = self.hinges().iter().map(feature).collect();
        let change = change_in_words(schema, self.would_decide(), &hinges);
        Some(format!("{reason} {change}"))
    }

    /// The [sentence](Self::sentence) without what would decide the row.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        if self.explanation.verdict.is_decided() {
            return self.explanation.reasons().next().is_some().then(|| self.decided_although());
        }
        Some(self.flagged())
    }

    /// Why the policy does not cover the row: "the training table had no gaps in income". `None` if
    /// it does, or if it judges such rows like all others.
    #[must_use]
    pub fn not_covered(&self) -> Option<String> {
        not_covered(self.model.model(), &self.row, &self.unseen)
    }

    fn judged(&self) -> Judged<'_> {
        let distribution = &self.explanation.distribution;
        Judged { model: self.model.model(), distribution, class: self.class }
    }

    fn tested<'a>(&'a self, step: &'a Step) -> TestedValue<'a> {
        let params = &self.model.recipe().params;
        TestedValue {
            shown: ShownTest { test: &step.test, digits: self.model.tree().digits(step.node) },
            schema: self.model.schema(),
            meaning: self.model.zone_meaning(),
            value: step.value,
            unseen: self.unseen.get(&step.test.feature().index()).map(String::as_str),
            rows: step.rows,
            fewest_rows: params.min_samples_category,
            learns_missing: params.missing != MissingValues::Unknown,
        }
    }

    /// Why the row is undecided.
    fn flagged(&self) -> String {
        if let Some(why) = self.not_covered() {
            return format!("Flagged as not covered: {why}.");
        }
        if self.model.verdict().is_by_zones() {
            let doubts: Vec<String> =
                self.named_reasons().map(|step| self.tested(step).doubt()).collect();
            return format!("Flagged because {}.", joined(&doubts, "and"));
        }
        let parts = [Some(self.judged().flagged()), self.what_it_hinges_on()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// The reasons without those that follow from another: where a value is unsure or unknown, the
    /// row goes both ways, and further tests of the feature do not know the value either.
    fn named_reasons(&self) -> impl Iterator<Item = &Step> {
        let mut named = std::collections::HashSet::new();
        self.explanation.reasons().filter(move |step| {
            let is_new = named.insert(step.test.feature());
            is_new || !step.is_unknown()
        })
    }

    /// "Decided although glucose 126.4 lies within 127.0 ± 1.1: 93 % sure, not below 80 %."
    fn decided_although(&self) -> String {
        let hinges = self.hinges();
        let named: Vec<&Hinge> = hinges.iter().filter(|hinge| self.matters(hinge)).collect();
        let doubt = |hinge: &&Hinge| self.tested(&self.explanation.steps[hinge.step]).doubt();
        let mut doubts: Vec<String> = named.iter().map(doubt).collect();
        match (self.unsure_beside(&named), named.is_empty()) {
            (0, _) => {}
            (more, true) => doubts.push(match more {
                1 => "1 test is unsure".to_owned(),
                _ => format!("{more} tests are unsure"),
            }),
            (more, false) => doubts.push(more_tests(more)),
        }
        let (ruling, because) = self.judged().why_decided();
        format!("{ruling} although {}: {because}.", joined(&doubts, "and"))
    }

    /// The tests that make a flagged row unsure.
    fn what_it_hinges_on(&self) -> Option<String> {
        let hinges = self.hinges();
        if hinges.is_empty() {
            return self.mixed_rows();
        }
        let named: Vec<&Hinge> = hinges.iter().filter(|hinge| self.matters(hinge)).collect();
        let more = self.unsure_beside(&named);
        if named.is_empty() {
            return Some(match more {
                1 => {
                    "One test is unsure, but by itself it changes this by less than 1 %.".to_owned()
                }
                _ => format!("{more} tests are unsure, but none by itself changes this by 1 %."),
            });
        }
        let described: Vec<String> = named.iter().map(|hinge| self.described(hinge)).collect();
        let more = if more > 0 { format!("; {}", more_tests(more)) } else { String::new() };
        Some(format!("It hinges on {}{more}.", joined(&described, "and")))
    }

    /// True if a test must be named: by itself it changes how sure the answer is.
    fn matters(&self, hinge: &Hinge) -> bool {
        let scale = match self.model.verdict() {
            VerdictPolicy::Costs(policy) => {
                let expected = policy.costs().expected(&self.explanation.distribution);
                expected.answer.abs().max(expected.flag.abs())
            }
            VerdictPolicy::Zones { .. }
            | VerdictPolicy::Confidence(_)
            | VerdictPolicy::Catch(_) => 1.0,
        };
        hinge.outcomes().into_iter().any(|it| self.change(it).abs() >= MATTERS * scale)
    }

    /// "glucose 126.4 (within 127.0 ± 1.1)"
    fn described(&self, hinge: &Hinge) -> String {
        let tested = self.tested(&self.explanation.steps[hinge.step]);
        format!("{} ({})", tested.named(), tested.doubt_in_brief())
    }

    /// A row that is flagged although no test is unsure is in a leaf of mixed rows.
    fn mixed_rows(&self) -> Option<String> {
        let [reached] = self.explanation.leaves[..] else { return None };
        let (tree, class) = (self.model.tree(), self.judged().class_in_doubt());
        let probability = self.judged().probability_in_doubt();
        if probability >= 1.0 {
            return None;
        }
        let (rows, of_class) =
            (tree.rows(reached.leaf), tree.class_rows(reached.leaf)[class as usize]);
        let name = self.judged().class_in_words(class);
        let counted = f64::from(of_class) / f64::from(rows.max(1));
        let mixture = if (counted - probability).abs() < 0.005 {
            format!("{of_class} of {rows} are {name}")
        } else {
            format!("{rows}, by their weights {} {name}", percent_apart(probability, &[]))
        };
        let training = "raining rows like this one are mixed";
        Some(match self.model.routing() {
            Routing::Crisp => format!("The t{training} ({mixture})."),
            _ => format!("No test is near its threshold: the t{training} ({mixture})."),
        })
    }
}

fn more_tests(more: usize) -> String {
    match more {
        1 => "1 more test is unsure".to_owned(),
        _ => format!("{more} more tests are unsure"),
    }
}

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
