//! Why a row is undecided, or decided after all, in a sentence or two.

use super::judged::expected_costs;
use super::{ExplainedRow, Hinge, Outcome};
use crate::predict::Step;
use crate::recipe::Routing;
use crate::tree::percent_apart;
use crate::verdict::VerdictPolicy;

/// A test that changes less than this by itself is counted, not named.
const MATTERS: f64 = 0.01;

impl ExplainedRow<'_> {
    /// Why the row is undecided, or why it is decided although a test is unsure. `None` for a
    /// decided row of which every test is sure.
    ///
    /// By zones:
    ///
    /// - "Flagged because glucose 126.4 lies within 127.0 ± 1.1."
    /// - "Flagged because glucose is missing, and this test never saw a missing value."
    ///
    /// By confidence or costs it names the tests that make the answer unsure, what it would be if
    /// the row were clearly on one side, and what would decide it:
    ///
    /// - "Flagged: 68 % sure, below 80 %. It hinges on glucose 126.4 (within 127.0 ± 1.1; clearly
    ///   below, it would be 91 % healthy) and age 55 (within 54 ± 3; clearly above, it would be 83 %
    ///   healthy). Either would decide it."
    /// - "Flagged: 62 % sure, below 80 %. No test is near its threshold: the training rows like this
    ///   one are mixed (28 of 45 are healthy)."
    /// - "Flagged: ill, the cheapest answer, is expected to cost 0.55, and a flag only 0.50. ..."
    /// - "Decided although glucose 126.4 lies within 127.0 ± 1.1 (clearly above, it would be 74 %
    ///   healthy): 93 % sure, not below 80 %."
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let policy = self.model.verdict();
        if *policy == VerdictPolicy::Zones {
            let doubts: Vec<String> =
                self.named_reasons().map(|step| self.tested(step).doubt()).collect();
            return (!doubts.is_empty())
                .then(|| format!("Flagged because {}.", listed(&doubts, "and")));
        }
        if self.explanation.verdict.is_undecided() {
            let parts = [Some(self.judged().flagged()), self.what_it_hinges_on()];
            return Some(parts.into_iter().flatten().collect::<Vec<_>>().join(" "));
        }
        self.explanation.reasons().next().is_some().then(|| self.decided_although())
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
        let doubt = |hinge: &&Hinge| {
            let tested = self.tested(&self.explanation.steps[hinge.step]);
            format!("{} ({})", tested.doubt(), self.alternatives(hinge))
        };
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
        format!("{ruling} although {}: {because}.", listed(&doubts, "and"))
    }

    /// The tests that make a flagged row unsure, and what would decide it.
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
        let decides = self.what_decides(&named);
        Some(format!("It hinges on {}{more}. {decides}", listed(&described, "and")))
    }

    /// True if a test must be named: by itself it changes the verdict, or how sure it is.
    fn matters(&self, hinge: &Hinge) -> bool {
        let scale = match self.model.verdict() {
            VerdictPolicy::Costs(policy) => {
                let expected = policy.costs().expected(&self.explanation.distribution);
                expected.answer.abs().max(expected.flag.abs())
            }
            VerdictPolicy::Zones | VerdictPolicy::Confidence(_) => 1.0,
        };
        let matters = |outcome: &Outcome| {
            self.turns(outcome) || self.change(outcome).abs() >= MATTERS * scale
        };
        hinge.outcomes().into_iter().any(matters)
    }

    /// True if an outcome is another verdict, or another class decided.
    fn turns(&self, outcome: &Outcome) -> bool {
        let differs = outcome.verdict != self.explanation.verdict;
        differs || (outcome.verdict.is_decided() && outcome.class != self.class)
    }

    /// "glucose 126.4 (within 127.0 ± 1.1; clearly below, it would be 91 % healthy)"
    fn described(&self, hinge: &Hinge) -> String {
        let tested = self.tested(&self.explanation.steps[hinge.step]);
        let (named, doubt) = (tested.named(), tested.doubt_in_brief());
        format!("{named} ({doubt}; {})", self.alternatives(hinge))
    }

    /// What the answer would be on the sides that turn it, or else on the side that changes it most:
    /// "clearly below, it would be 91 % healthy".
    fn alternatives(&self, hinge: &Hinge) -> String {
        let tested = self.tested(&self.explanation.steps[hinge.step]);
        let outcomes = hinge.outcomes();
        let [below, above] = outcomes.map(|outcome| self.change(outcome).abs());
        let turns = outcomes.map(|outcome| self.turns(outcome));
        let told = match turns {
            [false, false] => [below >= above, below < above],
            turns => turns,
        };
        let sides = [true, false].into_iter().zip(outcomes).zip(told).filter(|(_, told)| *told);
        let sides = sides.map(|((left, outcome), _)| (tested.clearly_on(left), outcome));
        let told: Vec<String> = sides
            .enumerate()
            .map(|(index, (side, outcome))| {
                format!("{side}, {}", self.outcome_in_words(outcome, index == 0))
            })
            .collect();
        told.join("; ")
    }

    /// "it would be 91 % healthy", or "ill would cost 0.20 and a flag 0.50".
    fn outcome_in_words(&self, outcome: &Outcome, is_first: bool) -> String {
        let class = self.class_in_words(outcome.class);
        let policy = match self.model.verdict() {
            VerdictPolicy::Costs(policy) => {
                let [answer, flag] = expected_costs(policy, &outcome.distribution);
                return format!("{class} would cost {answer} and a flag {flag}");
            }
            VerdictPolicy::Confidence(policy) => policy.thresholds().of(outcome.class),
            VerdictPolicy::Zones => None,
        };
        let now = (outcome.class == self.class).then(|| self.judged().confidence());
        let others: Vec<f64> = policy.into_iter().chain(now).collect();
        let sure = percent_apart(outcome.distribution[outcome.class as usize], &others);
        let would_be = if is_first { "it would be " } else { "" };
        format!("{would_be}{sure} {class}")
    }

    /// Which of the named tests would decide a flagged row.
    fn what_decides(&self, named: &[&Hinge]) -> String {
        let decides = |hinge: &&&Hinge| hinge.outcomes().iter().any(|it| it.verdict.is_decided());
        let deciding: Vec<&&Hinge> = named.iter().filter(decides).collect();
        let text = match (deciding.len(), named.len()) {
            (0, 1) => "That alone would not decide it.",
            (0, 2) => "Neither alone would decide it.",
            (0, _) => "None of them alone would decide it.",
            (1, 1) if named[0].outcomes().iter().all(|it| it.verdict.is_decided()) => {
                "Either side would decide it."
            }
            (1, 1) => "That would decide it.",
            (2, 2) => "Either would decide it.",
            (all, named) if all == named => "Each of them would decide it.",
            _ => {
                let feature = |hinge: &&&Hinge| {
                    let feature = self.explanation.steps[hinge.step].test.feature();
                    let name = &self.model.schema().features()[feature.index()].name;
                    crate::dataset::one_line(name).into_owned()
                };
                let features: Vec<String> = deciding.iter().map(feature).collect();
                return format!("Of these, {} would decide it.", listed(&features, "or"));
            }
        };
        text.to_owned()
    }

    /// A row that is flagged although no test is unsure is in a leaf of mixed rows.
    fn mixed_rows(&self) -> Option<String> {
        let [reached] = self.explanation.leaves[..] else { return None };
        let (tree, class) = (self.model.tree(), self.class as usize);
        let probability = self.judged().confidence();
        if probability >= 1.0 {
            return None;
        }
        let (rows, of_class) = (tree.rows(reached.leaf), tree.class_rows(reached.leaf)[class]);
        let name = self.class_in_words(self.class);
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
fn listed(items: &[String], and: &str) -> String {
    match items {
        [first @ .., last] if !first.is_empty() => format!("{} {and} {last}", first.join(", ")),
        _ => items.concat(),
    }
}
