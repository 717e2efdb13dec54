//! Verdict policies in words: in one line, with the names of the classes, and what they achieved.

use super::names::{class_name, class_names, class_words, joined};
use super::numbers::{percent_or_dash, plain_number, short_percent as percent};
use crate::dataset::ClassName;
use crate::metrics::ClassTally;
use crate::verdict::{
    Achieved, CalibrationSource, CatchPolicy, ConfidencePolicy, CostMatrix, CostPolicy, Promises,
    Uncovered, VerdictPolicy, VerdictRule,
};
use std::fmt;

/// One line, such as "undecided below a probability of 0.83; ...". Classes are numbered:
/// [`described`](Self::described) names them.
impl fmt::Display for VerdictPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zones { .. } => f.write_str("undecided within a zone"),
            Self::Confidence(policy) => policy.fmt(f),
            Self::Catch(policy) => policy.fmt(f),
            Self::Costs(policy) => policy.fmt(f),
        }?;
        f.write_str(on_uncovered(self))
    }
}

/// The end of a description.
fn on_uncovered(policy: &VerdictPolicy) -> &'static str {
    match policy.uncovered() {
        Uncovered::Undecided => "",
        Uncovered::Judge => "; uncovered rows are judged like all others",
    }
}

impl fmt::Display for VerdictRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cost { cost_ratio } => {
                write!(f, "a flag costs {} of a wrong answer", plain_number(*cost_ratio))
            }
            Self::Budget { flag_rate } => {
                write!(f, "set to flag at most {} of the rows", percent(*flag_rate))
            }
            Self::Guarantee { accuracy, confidence } => write!(
                f,
                "at least {} of the decided rows are right, promised with {} confidence",
                percent(*accuracy),
                percent(*confidence)
            ),
            Self::Promises(promises) => promises.fmt(f),
        }
    }
}

/// One line, with class ids.
impl fmt::Display for Promises {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |list: &[Option<f64>]| -> Vec<(usize, f64)> {
            list.iter().enumerate().filter_map(|(class, share)| Some((class, (*share)?))).collect()
        };
        for (class, share) in listed(&self.precision) {
            write!(f, "at least {} of the rows decided as class {class} are, ", percent(share))?;
        }
        for (class, share) in listed(&self.miss_rate) {
            write!(f, "at most {} of class {class} is decided as another, ", percent(share))?;
        }
        write!(f, "promised with {} confidence", percent(self.confidence))
    }
}

impl fmt::Display for ConfidencePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threshold = match self.thresholds().common() {
            Some(threshold) => plain_number(threshold),
            None => "its own for each predicted class".to_owned(),
        };
        write!(f, "undecided below a probability of {threshold}; {}", self.rule())?;
        match (self.rule(), self.achieved()) {
            // A cost needs no rows: they only show what it does.
            (VerdictRule::Cost { .. }, _) => Ok(()),
            (_, Some(achieved)) if achieved.source().is_remarkable() => {
                write!(f, " ({})", achieved.source())
            }
            _ => Ok(()),
        }
    }
}

/// A policy that catches a class in one line, if this is what the class is called.
fn catch_in_words(policy: &CatchPolicy, class: &str) -> String {
    let (threshold, budget) = (plain_number(policy.threshold()), percent(policy.flag_rate()));
    let source = policy.achieved().source();
    let remark = if source.is_remarkable() { format!(" ({source})") } else { String::new() };
    format!(
        "undecided if {class} has a probability above {threshold} but is not predicted; set to \
         catch {class} by flagging at most {budget} of the rows{remark}"
    )
}

/// With the number of the class.
impl fmt::Display for CatchPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&catch_in_words(self, &format!("class {}", self.class())))
    }
}

impl fmt::Display for CostPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the answer of the least expected cost; undecided where a flag costs less")
    }
}

/// In words, such as "held-out" or "cross-fitted, approximate".
impl fmt::Display for CalibrationSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HeldOut => "held-out",
            Self::HeldOutUntested => "held-out, not compared with the training rows",
            Self::CrossFitted => "cross-fitted, approximate",
            Self::OutOfBag => "out of bag, approximate",
        })
    }
}

impl VerdictPolicy {
    /// The policy in words for people. Of promises class by class, one line for the confidence and
    /// one per promise, with the counts of the calibration rows:
    ///
    /// ```text
    /// promised with 90 % confidence:
    ///   rows predicted ill are decided from a probability of 0.83: at least 90 % of them are ill (96 of 102)
    ///   rows predicted healthy are always decided
    /// ```
    ///
    /// Two classes with a miss rate and a precision get the clinician's words: rule in, rule out,
    /// look again.
    #[must_use]
    pub fn described(&self, classes: &[ClassName]) -> String {
        let policy = match self {
            Self::Zones { .. } => return self.to_string(),
            Self::Costs(policy) => {
                return format!("{self}\n  {}", costs(policy.costs(), classes));
            }
            Self::Catch(policy) => {
                let Some(class) = classes.get(policy.class() as usize) else {
                    return self.to_string();
                };
                let words = catch_in_words(policy, &class_words(&class.to_string()));
                return words + on_uncovered(self);
            }
            Self::Confidence(policy) => policy,
        };
        let VerdictRule::Promises(promises) = policy.rule() else { return self.to_string() };
        let mut lines = vec![format!("promised with {} confidence", percent(promises.confidence))];
        if let Some(achieved) = policy.achieved().filter(|it| it.source().is_remarkable()) {
            lines[0] += &format!(" ({})", achieved.source());
        }
        lines[0] += ":";
        let words = Words::new(policy, promises, classes);
        lines.extend(match policy.condition(classes.len()) {
            Some(condition) => words.ruled_in_and_out(condition as usize),
            None => words.class_by_class(),
        });
        let judges = self.uncovered() == Uncovered::Judge;
        lines.extend(judges.then(|| "uncovered rows are judged like all others".to_owned()));
        lines.join("\n  ")
    }
}

impl VerdictRule {
    /// The rule in one line, with the names of the classes: "at least 90 % of the rows decided as
    /// ill are ill, at most 1 % of ill rows are decided otherwise; promised with 95 % confidence".
    #[must_use]
    pub fn described(&self, classes: &[ClassName]) -> String {
        let Self::Promises(promises) = self else { return self.to_string() };
        let mut parts = Vec::new();
        for (class, name) in classes.iter().enumerate() {
            let name = class_name(name);
            if let Some(share) = promises.precision_of(class).map(percent) {
                parts.push(format!("at least {share} of the rows decided as {name} are {name}"));
            }
            if let Some(share) = promises.miss_rate_of(class).map(percent) {
                parts.push(format!("at most {share} of {name} rows are decided otherwise"));
            }
        }
        format!("{}; promised with {} confidence", parts.join(", "), percent(promises.confidence))
    }
}

impl ConfidencePolicy {
    /// Why rows predicted as a class without a threshold are never decided.
    #[must_use]
    pub fn why_never(&self, class: u32) -> String {
        let precision = match self.rule() {
            VerdictRule::Promises(promises) => promises.precision_of(class as usize),
            _ => None,
        };
        let precision = precision.map_or_else(|| "that was promised".to_owned(), percent);
        format!(
            "no threshold that misses few enough rows is known to have a precision of {precision}"
        )
    }
}

/// "bad answered as good costs 5, good answered as bad 1; a flag costs 0.5".
fn costs(costs: &CostMatrix, classes: &[ClassName]) -> String {
    const SHOWN: usize = 6;
    let name = |class: usize| class_name(&classes[class]);
    let n = costs.n_classes().min(classes.len());
    let pairs = (0..n).flat_map(|truth| (0..n).map(move |answer| (truth, answer)));
    let mut pairs: Vec<(usize, usize)> =
        pairs.filter(|&(truth, answer)| costs.of_answer(truth, answer) != 0.0).collect();
    pairs.sort_by(|one, other| {
        costs.of_answer(other.0, other.1).total_cmp(&costs.of_answer(one.0, one.1))
    });
    let more = pairs.len().saturating_sub(SHOWN);
    let mut parts: Vec<String> = pairs
        .iter()
        .take(SHOWN)
        .map(|&(truth, answer)| {
            let cost = plain_number(costs.of_answer(truth, answer));
            format!("{} answered as {} costs {cost}", name(truth), name(answer))
        })
        .collect();
    parts.extend((more > 0).then(|| format!("{more} other answers cost something, too")));
    let flags: Vec<f64> = (0..n).map(|class| costs.of_flag(class)).collect();
    parts.push(match flags[..] {
        [first, ref rest @ ..] if rest.iter().all(|&flag| flag == first) => {
            format!("a flag costs {}", plain_number(first))
        }
        _ => {
            let of = |class: usize| format!("{} of {}", plain_number(flags[class]), name(class));
            let shown: Vec<String> = (0..n.min(SHOWN)).map(of).collect();
            let tail = if n > SHOWN { ", ..." } else { "" };
            format!("a flag costs {}{tail}", shown.join(", "))
        }
    });
    parts.join("; ")
}

struct Words<'a> {
    policy: &'a ConfidencePolicy,
    promises: &'a Promises,
    names: Vec<String>,
}

impl<'a> Words<'a> {
    fn new(policy: &'a ConfidencePolicy, promises: &'a Promises, classes: &[ClassName]) -> Self {
        Self { policy, promises, names: class_names(classes) }
    }

    fn tally(&self, class: usize) -> ClassTally {
        let achieved = self.policy.achieved();
        achieved.and_then(|it| it.classes().get(class).copied()).unwrap_or_default()
    }

    fn threshold(&self, class: usize) -> Option<f64> {
        self.policy.thresholds().of(class as u32)
    }

    /// "at least 90 % of them are ill (96 of 102)"
    fn precision(&self, class: usize) -> Option<String> {
        let share = percent(self.promises.precision_of(class)?);
        let ClassTally { decided_right, decided_for, .. } = self.tally(class);
        let name = &self.names[class];
        Some(format!("at least {share} of them are {name} ({decided_right} of {decided_for})"))
    }

    /// "at most 1 % of all ill rows are decided otherwise (2 of 310)"
    fn misses(&self, class: usize, how: &str) -> Option<String> {
        let share = percent(self.promises.miss_rate_of(class)?);
        let tally = self.tally(class);
        let (name, missed) = (&self.names[class], tally.missed());
        Some(format!("at most {share} of all {name} rows are {how} ({missed} of {})", tally.rows))
    }

    fn ruled_in_and_out(&self, condition: usize) -> Vec<String> {
        let other = 1 - condition;
        let rule = |way: &str, class: usize, more: Option<String>| {
            let (name, named) = (&self.names[condition], &self.names[class]);
            let when = match self.threshold(class) {
                None => {
                    return format!(
                        "rule {way} {name}: never; {}",
                        self.policy.why_never(class as u32)
                    );
                }
                Some(0.0) => format!("predicted {named}"),
                Some(t) => {
                    format!("predicted {named} with a probability of at least {}", plain_number(t))
                }
            };
            let parts = [Some(when), self.precision(class), more];
            let mut parts: Vec<String> = parts.into_iter().flatten().collect();
            if parts.len() == 1 {
                parts.push("nothing is promised of these".to_owned());
            }
            format!("rule {way} {name}: {}", parts.join("; "))
        };
        vec![
            rule("in", condition, None),
            rule("out", other, self.misses(condition, "ruled out")),
            "look again: all other rows".to_owned(),
        ]
    }

    fn class_by_class(&self) -> Vec<String> {
        let (precise, free): (Vec<usize>, Vec<usize>) =
            (0..self.names.len()).partition(|&c| self.promises.precision_of(c).is_some());
        let mut lines: Vec<String> = precise.iter().map(|&class| self.decided(class)).collect();
        // Without a promised precision there are at most two thresholds: 0 and that of the misses.
        let (always, sometimes): (Vec<usize>, Vec<usize>) =
            free.into_iter().partition(|&class| self.threshold(class) == Some(0.0));
        if let Some(&first) = sometimes.first() {
            let from = self.threshold(first).map_or_else(String::new, plain_number);
            let named = self.listed(&sometimes);
            lines.push(format!("rows predicted {named} are decided from a probability of {from}"));
        }
        if !always.is_empty() {
            lines.push(format!("rows predicted {} are always decided", self.listed(&always)));
        }
        let missed = (0..self.names.len()).filter_map(|k| self.misses(k, "decided as another"));
        lines.extend(missed);
        lines
    }

    fn decided(&self, class: usize) -> String {
        let name = &self.names[class];
        let promise = self.precision(class).unwrap_or_default();
        match self.threshold(class).map(plain_number) {
            None => format!(
                "rows predicted {name} are never decided: {}",
                self.policy.why_never(class as u32)
            ),
            Some(t) => {
                format!("rows predicted {name} are decided from a probability of {t}: {promise}")
            }
        }
    }

    /// "a, b or c", or "a, b, c or one of 9 more classes".
    fn listed(&self, classes: &[usize]) -> String {
        let names: Vec<&str> = classes.iter().map(|&class| self.names[class].as_str()).collect();
        match names.len() {
            ..=4 => joined(&names, "or"),
            _ => {
                let (named, more) = (names[..3].join(", "), names.len() - 3);
                format!("{named} or one of {more} more classes")
            }
        }
    }
}

impl Achieved {
    /// A report: a summary line and a table by class, whose columns [`CLASS_LEGEND`] explains.
    #[must_use]
    pub fn report(&self, classes: &[ClassName]) -> String {
        let total = self.total();
        let source = match self.source() {
            CalibrationSource::HeldOut => "held-out",
            CalibrationSource::HeldOutUntested => "held-out, not compared with the training rows",
            CalibrationSource::CrossFitted => {
                "of training, each answered by a model fitted without it: approximate"
            }
            CalibrationSource::OutOfBag => {
                "out of bag, each answered by the trees that have not seen it: approximate"
            }
        };
        let mut text = format!(
            "on {} rows ({source}): {} are decided, {} of those right\n",
            total.rows,
            percent_or_dash(total.coverage()),
            percent_or_dash(total.recall())
        );
        let names = class_names(classes);
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(5);
        let line = |name: &str, rows: &str, shares: [String; 4]| {
            let [decided, recall, precision, missed] = shares;
            format!(
                "  {name:<width$}  {rows:>7}  {decided:>7}  {recall:>7}  {precision:>9}  {missed:>7}\n"
            )
        };
        let heads = ["decided", "recall", "precision", "missed"];
        text += &line("class", "rows", heads.map(str::to_owned));
        for (name, tally) in names.iter().zip(self.classes()) {
            let shares = [tally.coverage(), tally.recall(), tally.precision(), tally.miss_rate()];
            text += &line(name, &tally.rows.to_string(), shares.map(percent_or_dash));
        }
        match self.uncovered() {
            0 => {}
            1 => text += "  1 row is uncovered\n",
            rows => text += &format!("  {rows} rows are uncovered\n"),
        }
        text
    }
}

/// What the columns of tables by class mean, as in [`Achieved::report`].
pub const CLASS_LEGEND: &str = "\
decided      of all rows of a class, how many were decided
recall       of the decided rows of a class, how many were decided as it
precision    of the rows decided as a class, how many are of it
missed       of all rows of a class, how many were decided as another
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Achieved, CalibrationSource, CostPolicy, Thresholds};

    fn tally(rows: u64, decided: u64, decided_right: u64, decided_for: u64) -> ClassTally {
        ClassTally { rows, right: decided_right, decided, decided_right, decided_for }
    }

    fn described(
        promises: Promises,
        thresholds: Vec<Option<f64>>,
        tallies: Vec<ClassTally>,
        source: CalibrationSource,
    ) -> String {
        let achieved = Achieved::new(source, tallies);
        let rule = VerdictRule::Promises(promises);
        let thresholds = Thresholds::by_class(thresholds);
        let policy = ConfidencePolicy::new(thresholds, rule, Some(achieved)).unwrap();
        let names = ["healthy", "ill", "unsure", "d", "e", "f"].map(ClassName::from);
        let classes = policy.achieved().unwrap().classes().len();
        VerdictPolicy::from(policy).described(&names[..classes])
    }

    #[test]
    fn costs_are_told() {
        let classes = ["good", "bad"].map(ClassName::from);
        let told = |flag: Vec<f64>| {
            let costs = CostMatrix::new(vec![vec![0.0, 1.0], vec![5.0, 0.0]], flag).unwrap();
            VerdictPolicy::from(CostPolicy::new(costs)).described(&classes)
        };
        assert_eq!(
            told(vec![0.5; 2]),
            "the answer of the least expected cost; undecided where a flag costs less\n  bad answered \
             as good costs 5; good answered as bad costs 1; a flag costs 0.5"
        );
        assert!(told(vec![0.5, 0.25]).ends_with("; a flag costs 0.5 of good, 0.25 of bad"));
        let many: Vec<ClassName> = (0..9).map(|id| ClassName::from(id.to_string())).collect();
        let policy = CostPolicy::new(CostMatrix::of_ratio(9, 0.2).unwrap());
        let told = VerdictPolicy::from(policy).described(&many);
        assert!(
            told.contains("; 66 other answers cost something, too; a flag costs 0.2"),
            "{told}"
        );
    }

    #[test]
    fn a_rule_names_its_classes() {
        let classes = ["healthy", "ill"].map(ClassName::from);
        let (precision, miss_rate) = (vec![None, Some(0.9)], vec![None, Some(0.01)]);
        let promises = Promises { precision, miss_rate, confidence: 0.95 };
        assert_eq!(
            VerdictRule::Promises(promises).described(&classes),
            "at least 90 % of the rows decided as ill are ill, at most 1 % of ill rows are decided \
             otherwise; promised with 95 % confidence"
        );
        let budget = VerdictRule::Budget { flag_rate: 0.1 };
        assert_eq!(budget.described(&classes), budget.to_string());
    }

    #[test]
    fn two_classes_are_ruled_in_and_out() {
        let promises = Promises {
            precision: vec![Some(0.99), Some(0.9)],
            miss_rate: vec![None, Some(0.01)],
            confidence: 0.9,
        };
        // Of 310 ill rows 98 are decided, 2 of them as healthy; of 900 healthy ones 706.
        let tallies = vec![tally(900, 706, 700, 702), tally(310, 98, 96, 102)];
        let words = described(
            promises.clone(),
            vec![Some(0.9725), Some(0.83)],
            tallies,
            CalibrationSource::CrossFitted,
        );
        assert_eq!(
            words,
            "\
promised with 90 % confidence (cross-fitted, approximate):
  rule in ill: predicted ill with a probability of at least 0.83; at least 90 % of them are ill (96 of 102)
  rule out ill: predicted healthy with a probability of at least 0.9725; \
at least 99 % of them are healthy (700 of 702); at most 1 % of all ill rows are ruled out (2 of 310)
  look again: all other rows"
        );
        let tallies = vec![tally(900, 6, 0, 0), tally(310, 96, 96, 102)];
        let words =
            described(promises, vec![None, Some(0.83)], tallies, CalibrationSource::HeldOut);
        assert!(words.contains("rule out ill: never; no threshold that misses few"), "{words}");
    }

    #[test]
    fn other_promises_are_told_class_by_class() {
        let promises = Promises {
            precision: vec![None, Some(0.9), None],
            miss_rate: vec![None, Some(0.02), None],
            confidence: 0.95,
        };
        let tallies = vec![tally(10, 10, 9, 10), tally(300, 290, 288, 289), tally(5, 5, 4, 6)];
        let words = described(
            promises,
            vec![Some(0.75), Some(0.8), Some(0.75)],
            tallies,
            CalibrationSource::HeldOut,
        );
        assert_eq!(
            words,
            "\
promised with 95 % confidence:
  rows predicted ill are decided from a probability of 0.8: at least 90 % of them are ill (288 of 289)
  rows predicted healthy or unsure are decided from a probability of 0.75
  at most 2 % of all ill rows are decided as another (2 of 300)"
        );
        let precision = Promises {
            precision: [vec![Some(0.9)], vec![None; 5]].concat(),
            miss_rate: vec![],
            confidence: 0.95,
        };
        let thresholds = [vec![Some(0.8)], vec![Some(0.0); 5]].concat();
        let tallies = vec![tally(3, 3, 3, 3); 6];
        let words = described(precision, thresholds, tallies, CalibrationSource::HeldOut);
        let last = "rows predicted ill, unsure, d or one of 2 more classes are always decided";
        assert!(words.ends_with(last), "{words}");
    }
}
