//! Why a row is undecided, and what would decide it; or why it is decided after all.

use super::{ExplainedRow, Hinge};
use crate::model::deciding::change_in_words;
use crate::predict::Step;
use crate::recipe::Routing;
use crate::tree::percent_apart;
use crate::verdict::VerdictPolicy;

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

    /// Why the row is undecided.
    fn flagged(&self) -> String {
        if let Some(why) = self.not_covered() {
            return format!("Flagged as not covered: {why}.");
        }
        if self.model.verdict().is_by_zones() {
            let doubts: Vec<String> =
                self.named_reasons().map(|step| self.tested(step).doubt()).collect();
            return format!("Flagged because {}.", listed(&doubts));
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
        format!("{ruling} although {}: {because}.", listed(&doubts))
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
        Some(format!("It hinges on {}{more}.", listed(&described)))
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
        let name = self.class_in_words(class);
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

/// "a, b and c".
fn listed(items: &[String]) -> String {
    match items {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => items.concat(),
    }
}
