//! A report on verdicts that a person can sign: one HTML file for the browser and the printer.

mod html;

use ternwood::dataset::one_line;
use ternwood::metrics::ClassTally;
use ternwood::model::UncoveredRows;
use ternwood::stats::exact_interval;
use ternwood::verdict::{Achieved, CostMatrix, Promises, VerdictRule};
use ternwood::{ClassName, Result, Verdict, VerdictPolicy};

/// How the verdicts of a model, or of any classifier, do on labelled rows.
///
/// ```
/// use ternwood::{ClassName, Verdict::{Decided, Undecided}, VerdictPolicy};
/// use ternwood_figures::VerdictReport;
///
/// let classes = ["healthy", "ill"].map(ClassName::from);
/// let rows = [(0, 0, Decided), (0, 0, Undecided), (1, 1, Decided), (1, 0, Undecided)];
/// let policy = VerdictPolicy::default();
/// let report = VerdictReport::new("Patients", &policy, &classes, rows)?;
/// assert!(report.html().contains("2 of 4"));
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct VerdictReport<'a> {
    title: &'a str,
    policy: &'a VerdictPolicy,
    classes: &'a [ClassName],
    rows: Vec<(u32, u32, Verdict)>,
    tallies: Vec<ClassTally>,
    costs: Option<CostMatrix>,
    uncovered: Option<UncoveredRows>,
    set_on_these_rows: bool,
    data: Vec<(String, String)>,
    model: Vec<(String, String)>,
    notes: Vec<String>,
}

impl<'a> VerdictReport<'a> {
    /// A report on rows, given as true class, answer and verdict.
    ///
    /// # Errors
    /// A class id that is not below the number of classes.
    pub fn new(
        title: &'a str,
        policy: &'a VerdictPolicy,
        classes: &'a [ClassName],
        rows: impl IntoIterator<Item = (u32, u32, Verdict)>,
    ) -> Result<Self> {
        let rows: Vec<_> = rows.into_iter().collect();
        let truth: Vec<u32> = rows.iter().map(|row| row.0).collect();
        let predicted: Vec<u32> = rows.iter().map(|row| row.1).collect();
        let verdicts: Vec<Verdict> = rows.iter().map(|row| row.2).collect();
        let tallies = ClassTally::count(&truth, &predicted, &verdicts, classes.len())?;
        let [data, model] = [Vec::new(), Vec::new()];
        let (costs, uncovered, set_on_these_rows, notes) = (None, None, false, Vec::new());
        Ok(Self {
            title,
            policy,
            classes,
            rows,
            tallies,
            costs,
            uncovered,
            set_on_these_rows,
            data,
            model,
            notes,
        })
    }

    /// The same report with what flags and answers cost. Without it, the policy may say so.
    #[must_use]
    pub fn with_costs(mut self, costs: Option<CostMatrix>) -> Self {
        self.costs = costs;
        self
    }

    /// The same report with the number of uncovered rows. `None`, as without it: the training table
    /// is not known.
    #[must_use]
    pub fn with_uncovered(mut self, uncovered: Option<UncoveredRows>) -> Self {
        self.uncovered = uncovered;
        self
    }

    /// The same report, which says that the verdict was set with its rows.
    #[must_use]
    pub fn set_on_these_rows(mut self) -> Self {
        self.set_on_these_rows = true;
        self
    }

    /// The same report with names and values that tell which data these are.
    #[must_use]
    pub fn with_data(mut self, facts: Vec<(String, String)>) -> Self {
        self.data = facts;
        self
    }

    /// The same report with names and values that tell which model this is: its recipe, seed,
    /// version and hash.
    #[must_use]
    pub fn with_model(mut self, facts: Vec<(String, String)>) -> Self {
        self.model = facts;
        self
    }

    /// The same report with sentences about what speaks against the verdict.
    #[must_use]
    pub fn with_notes(mut self, notes: Vec<String>) -> Self {
        self.notes = notes;
        self
    }

    /// One HTML document: no scripts, nothing to load, no clock. The same report, the same bytes.
    #[must_use]
    pub fn html(&self) -> String {
        html::document(self)
    }

    fn names(&self) -> Vec<String> {
        self.classes.iter().map(|class| one_line(&class.to_string()).into_owned()).collect()
    }

    /// What the rows cost, and in which unit; `None` where nobody said what costs what.
    fn cost_sums(&self) -> Option<(CostSums, String)> {
        let rows = self.rows.iter().copied();
        if let Some(costs) = &self.costs {
            let unit = "In the unit of the costs that were given.".to_owned();
            return Some((CostSums::of(rows, costs), unit));
        }
        match self.policy {
            VerdictPolicy::Zones { .. } | VerdictPolicy::Catch(_) => None,
            VerdictPolicy::Costs(policy) => {
                let unit = "In the unit of the cost matrix of the verdict.".to_owned();
                Some((CostSums::of(rows, policy.costs()), unit))
            }
            VerdictPolicy::Confidence(policy) => {
                let VerdictRule::Cost { cost_ratio } = *policy.rule() else { return None };
                let costs = CostMatrix::of_ratio(self.classes.len(), cost_ratio).ok()?;
                let unit = format!("In wrong answers: a flag costs {cost_ratio} of one.");
                Some((CostSums::of(rows, &costs), unit))
            }
        }
    }
}

// The numbers of a report on verdicts.

/// All intervals of a report contain the true share with at least this probability.
pub const INTERVAL_CONFIDENCE: f64 = 0.95;

/// A share that was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The rows that count.
    pub part: u64,
    /// The rows among which they were counted.
    pub whole: u64,
}

impl Share {
    /// `part / whole`; `None` without rows.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        (self.whole > 0).then(|| self.part as f64 / self.whole as f64)
    }

    /// The exact (Clopper-Pearson) interval of [`INTERVAL_CONFIDENCE`]; `None` without rows.
    #[must_use]
    pub fn interval(self) -> Option<[f64; 2]> {
        let (part, whole) = (usize::try_from(self.part).ok()?, usize::try_from(self.whole).ok()?);
        (part <= whole).then(|| exact_interval(part, whole, INTERVAL_CONFIDENCE)).flatten()
    }
}

/// The shares of a class, or of all.
struct Shares {
    flagged: Share,
    /// Of the decided rows of the class, those that are right.
    recall: Share,
    /// Of the rows decided as the class, those that are of it.
    precision: Share,
    /// Of all rows of the class, those decided as another.
    missed: Share,
}

impl From<&ClassTally> for Shares {
    fn from(tally: &ClassTally) -> Self {
        let ClassTally { rows, decided, decided_right, decided_for, .. } = *tally;
        Self {
            flagged: Share { part: rows.saturating_sub(decided), whole: rows },
            recall: Share { part: decided_right, whole: decided },
            precision: Share { part: decided_right, whole: decided_for },
            missed: Share { part: tally.missed(), whole: rows },
        }
    }
}

/// What flags and answers cost together, and what they would if all rows were treated alike.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CostSums {
    flags: f64,
    answers: f64,
    all_answered: f64,
    all_flagged: f64,
}

impl CostSums {
    /// Of rows with a true class, an answer and a verdict.
    fn of(rows: impl Iterator<Item = (u32, u32, Verdict)>, costs: &CostMatrix) -> Self {
        let mut sums = Self { flags: 0.0, answers: 0.0, all_answered: 0.0, all_flagged: 0.0 };
        for (truth, predicted, verdict) in rows {
            let [of_answer, of_flag] = [Verdict::Decided, Verdict::Undecided]
                .map(|verdict| costs.of_verdict([truth, predicted], verdict));
            sums.all_answered += of_answer;
            sums.all_flagged += of_flag;
            match verdict {
                Verdict::Decided => sums.answers += of_answer,
                Verdict::Undecided => sums.flags += of_flag,
            }
        }
        sums
    }
}

/// A promised share beside what was counted.
struct Kept {
    /// "rows decided as ill are ill"
    what: String,
    at_least: bool,
    promised: f64,
    /// On the rows that the verdict was set with.
    calibration: Option<Share>,
    /// On the rows of the report.
    here: Share,
}

impl Kept {
    /// How the promise stands on the rows of the report. Few rows neither confirm nor break it.
    fn standing(&self) -> &'static str {
        let keeps = |share: f64| match self.at_least {
            true => share >= self.promised,
            false => share <= self.promised,
        };
        match (self.here.value(), self.here.interval()) {
            (None, _) | (_, None) => "no rows",
            (_, Some([low, high])) if keeps(low) && keeps(high) => "confirmed",
            (Some(share), _) if keeps(share) => "kept, unconfirmed",
            (_, Some([low, high])) if keeps(low) || keeps(high) => "not kept, within chance",
            _ => "broken",
        }
    }
}

impl VerdictReport<'_> {
    /// The shares that the policy promises, beside what was counted.
    fn promises(&self) -> Vec<Kept> {
        let achieved = self.policy.achieved();
        let total = |of: fn(&Shares) -> Share| {
            let calibration = achieved.map(|achieved| of(&Shares::from(&achieved.total())));
            (calibration, of(&Shares::from(&self.total())))
        };
        let budget = |flag_rate: f64| {
            let (calibration, here) = total(|shares| shares.flagged);
            let what = "rows that get a second look".to_owned();
            vec![Kept { what, at_least: false, promised: flag_rate, calibration, here }]
        };
        let policy = match self.policy {
            VerdictPolicy::Zones { .. } | VerdictPolicy::Costs(_) => return Vec::new(),
            VerdictPolicy::Catch(policy) => return budget(policy.flag_rate()),
            VerdictPolicy::Confidence(policy) => policy,
        };
        match policy.rule() {
            VerdictRule::Cost { .. } => Vec::new(),
            VerdictRule::Budget { flag_rate } => budget(*flag_rate),
            VerdictRule::Guarantee { accuracy, .. } => {
                let (calibration, here) = total(|shares| shares.recall);
                let what = "decided rows that are right".to_owned();
                vec![Kept { what, at_least: true, promised: *accuracy, calibration, here }]
            }
            VerdictRule::Promises(promises) => self.by_class(promises, achieved),
        }
    }

    fn by_class(&self, promises: &Promises, achieved: Option<&Achieved>) -> Vec<Kept> {
        let shares = |class: usize, of: fn(&Shares) -> Share| {
            let calibration = achieved.and_then(|achieved| achieved.classes().get(class));
            let here = self.tallies.get(class).copied().unwrap_or_default();
            (calibration.map(|tally| of(&Shares::from(tally))), of(&Shares::from(&here)))
        };
        let names = self.names().into_iter().enumerate();
        let kept = names.flat_map(|(class, name)| {
            let precision = promises.precision_of(class).map(|promised| {
                let (calibration, here) = shares(class, |shares| shares.precision);
                let what = format!("rows decided as {name} that are right");
                Kept { what, at_least: true, promised, calibration, here }
            });
            let missed = promises.miss_rate_of(class).map(|promised| {
                let (calibration, here) = shares(class, |shares| shares.missed);
                let what = format!("{name} rows decided as another");
                Kept { what, at_least: false, promised, calibration, here }
            });
            [precision, missed].into_iter().flatten()
        });
        kept.collect()
    }

    fn total(&self) -> ClassTally {
        ClassTally::sum(&self.tallies).unwrap_or_default()
    }

    /// The confidence of the promise, if one is made.
    fn confidence(&self) -> Option<f64> {
        let VerdictPolicy::Confidence(policy) = self.policy else { return None };
        match policy.rule() {
            VerdictRule::Guarantee { confidence, .. } => Some(*confidence),
            VerdictRule::Promises(promises) => Some(promises.confidence),
            VerdictRule::Cost { .. } | VerdictRule::Budget { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ternwood::Verdict::{Decided, Undecided};

    #[test]
    fn costs_by_hand() {
        let rows =
            || [(0, 0, Decided), (0, 1, Decided), (1, 0, Decided), (1, 0, Undecided)].into_iter();
        let prices = CostMatrix::same_for_all(2, 2.0, 0.25).unwrap();
        let prices = CostSums::of(rows(), &prices);
        let expected = CostSums { flags: 0.25, answers: 4.0, all_answered: 6.0, all_flagged: 1.0 };
        assert_eq!(prices, expected);
        let matrix =
            CostMatrix::new(vec![vec![0.0, 1.0], vec![5.0, 0.0]], vec![0.5, 0.25]).unwrap();
        let expected = CostSums { flags: 0.25, answers: 6.0, all_answered: 11.0, all_flagged: 1.5 };
        assert_eq!(CostSums::of(rows(), &matrix), expected);
    }

    #[test]
    fn a_promise_is_confirmed_kept_missed_or_broken() {
        let standing = |part, whole, at_least| {
            let here = Share { part, whole };
            let what = String::new();
            Kept { what, at_least, promised: 0.9, calibration: None, here }.standing()
        };
        assert_eq!(standing(99, 100, true), "confirmed");
        assert_eq!(standing(90, 100, true), "kept, unconfirmed");
        assert_eq!(standing(89, 100, true), "not kept, within chance");
        assert_eq!(standing(50, 100, true), "broken");
        assert_eq!(standing(80, 100, false), "confirmed");
        assert_eq!(standing(90, 100, false), "kept, unconfirmed");
        assert_eq!(standing(100, 100, false), "broken");
        assert_eq!(standing(0, 0, true), "no rows");
    }
}
