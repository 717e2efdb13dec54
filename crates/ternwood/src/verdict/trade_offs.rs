//! What harder and harder promises, and cheaper and cheaper flags, do to the same rows.

use super::achieved::CalibrationSource;
use super::confidence::{Promises, VerdictRule, check_share};
use crate::dataset::ClassName;
use crate::error::{Error, ErrorKind, Result};
use crate::metrics::ClassTally;
use crate::predict::Verdict;
use crate::stats::exact_interval;
use crate::verdict::{Achieved, CalibrationRows, CostMatrix, USUAL_COST_RATIO, VerdictPolicy};

/// From easy to hard.
const ACCURACIES: [f64; 8] = [0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995];
/// A rare class may be worth ruling in with half of the answers right.
const PRECISIONS: [f64; 8] = [0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995];
const MISS_RATES: [f64; 6] = [0.2, 0.1, 0.05, 0.02, 0.01, 0.005];
const FLAG_RATES: [f64; 6] = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3];
const COST_RATIOS: [f64; 6] = [0.5, 0.3, 0.2, 0.1, 0.05, 0.02];

/// What one line of [`TradeOffs`] asks of the verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    /// A promised decided accuracy.
    Accuracy(f64),
    /// A promised precision of one class.
    Precision {
        /// Its id.
        class: usize,
        /// The least share of rows decided as the class that are of it.
        share: f64,
    },
    /// A promised miss rate of one class.
    MissRate {
        /// Its id.
        class: usize,
        /// The largest share of rows of the class that are decided as another.
        share: f64,
    },
    /// A budget of flags for the rows least sure.
    FlagRate(f64),
    /// A budget of flags aimed at one class.
    Catch {
        /// Its id.
        class: usize,
        /// The largest share of flagged rows.
        flag_rate: f64,
    },
    /// The least cost, if a flag costs this share of a wrong answer.
    CostRatio(f64),
    /// The least expected cost, with the costs that were given.
    GivenCosts,
}

/// One line of [`TradeOffs`].
#[derive(Debug, Clone, PartialEq)]
pub struct TradeOff {
    /// What is asked of the verdict.
    pub aim: Aim,
    /// True if nobody asked for this share: it is the best that these rows can carry of a promise
    /// that they cannot.
    pub is_best: bool,
    /// What the verdict then does to these rows, or why they do not carry the promise.
    pub outcome: Result<AtWork>,
}

/// Promises and costs from easy to hard, and what each does to the same calibration rows.
///
/// Every line is a promise of its own. Whoever chooses among them by what this table shows has
/// looked at the rows before promising: the promise chosen is kept less surely than its confidence
/// says. Choose with other rows, or before looking.
///
/// Prints as a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TradeOffs {
    /// The lines: accuracies, then precision and miss rate of every class, then budgets of flags,
    /// also aimed at every class, then costs.
    pub lines: Vec<TradeOff>,
    pub(crate) classes: Vec<ClassName>,
    pub(crate) rows: usize,
    pub(crate) source: CalibrationSource,
    pub(crate) confidence: f64,
    costs: CostMatrix,
    pub(crate) costs_given: bool,
}

impl CalibrationRows {
    /// What promises from easy to hard would do to these rows: decided accuracies, the precision
    /// and the miss rate of every class; budgets of flags, for the rows least sure and aimed at
    /// every class; and flags from dear to cheap. Each by itself, with this confidence, which is
    /// also that of the intervals.
    ///
    /// `costs` sets the column of costs, and adds the line of the least expected one. By default a
    /// flag costs [`USUAL_COST_RATIO`] of a wrong answer.
    ///
    /// # Errors
    /// A confidence that is not between 0 and 1, or costs for another number of classes. A promise
    /// that the rows cannot carry is a line, not an error.
    pub fn trade_offs(&self, confidence: f64, costs: Option<&CostMatrix>) -> Result<TradeOffs> {
        check_share("confidence", confidence)?;
        let costs_given = costs.is_some();
        let costs = match costs {
            Some(costs) => costs.clone(),
            None => CostMatrix::of_ratio(self.n_classes(), USUAL_COST_RATIO)?,
        };
        // Refuses costs for other classes, whatever the lines are.
        self.cost_policy(costs.clone())?;
        let mut lines = Vec::new();
        let mut section = |aims: Vec<Aim>| -> Result<()> {
            lines.extend(self.section(aims, confidence, &costs)?);
            Ok(())
        };
        section(ACCURACIES.map(Aim::Accuracy).to_vec())?;
        for class in 0..self.n_classes() {
            section(PRECISIONS.map(|share| Aim::Precision { class, share }).to_vec())?;
            section(MISS_RATES.map(|share| Aim::MissRate { class, share }).to_vec())?;
        }
        section(FLAG_RATES.map(Aim::FlagRate).to_vec())?;
        for class in 0..self.n_classes() {
            section(FLAG_RATES.map(|flag_rate| Aim::Catch { class, flag_rate }).to_vec())?;
        }
        section(COST_RATIOS.map(Aim::CostRatio).to_vec())?;
        if costs_given {
            section(vec![Aim::GivenCosts])?;
        }
        Ok(TradeOffs {
            lines,
            classes: self.classes().to_vec(),
            rows: self.n_rows(),
            source: self.source(),
            confidence,
            costs,
            costs_given,
        })
    }

    /// What a policy does to these rows, and what that costs; with intervals of this confidence.
    ///
    /// # Errors
    /// A policy or costs for other classes, or a confidence that is not between 0 and 1.
    pub fn at_work(
        &self,
        policy: VerdictPolicy,
        costs: &CostMatrix,
        confidence: f64,
    ) -> Result<AtWork> {
        check_share("confidence", confidence)?;
        policy.check(self.n_classes())?;
        self.cost_policy(costs.clone())?;
        AtWork::new(policy, self, costs, confidence)
    }

    /// The lines of aims of one kind, and the best that these rows can carry of the first they
    /// cannot.
    fn section(
        &self,
        aims: Vec<Aim>,
        confidence: f64,
        costs: &CostMatrix,
    ) -> Result<Vec<TradeOff>> {
        let line = |aim: Aim, is_best: bool| -> Result<TradeOff> {
            let outcome = match aim.policy(self, confidence, costs) {
                Ok(policy) => Ok(AtWork::new(policy, self, costs, confidence)?),
                Err(refusal) if best_of(&refusal).is_some() => Err(refusal),
                Err(error) => return Err(error),
            };
            Ok(TradeOff { aim, is_best, outcome })
        };
        let mut lines = aims.into_iter().map(|aim| line(aim, false)).collect::<Result<Vec<_>>>()?;
        let first_refused = lines.iter().position(|line| line.outcome.is_err());
        let Some(place) = first_refused else { return Ok(lines) };
        let best = lines[place].outcome.as_ref().err().and_then(best_of).flatten();
        if let Some(aim) = best.map(|share| lines[place].aim.with_share(share))
            && lines.iter().all(|line| line.aim != aim)
        {
            lines.insert(place, line(aim, true)?);
        }
        Ok(lines)
    }
}

/// What rows can carry instead of what they cannot; `None` if the error is something else.
fn best_of(error: &Error) -> Option<Option<f64>> {
    match error.kind() {
        ErrorKind::TooFewRows { best, .. }
        | ErrorKind::NoGuarantee { best, .. }
        | ErrorKind::TooManyMissed { best, .. } => Some(*best),
        ErrorKind::BudgetUncovered { .. } => Some(None),
        _ => None,
    }
}

impl Aim {
    fn policy(
        self,
        rows: &CalibrationRows,
        confidence: f64,
        costs: &CostMatrix,
    ) -> Result<VerdictPolicy> {
        let of_class = |class: usize, share: f64| {
            let mut list = vec![None; rows.n_classes()];
            list[class] = Some(share);
            list
        };
        let promises = |precision, miss_rate| {
            VerdictRule::Promises(Promises { precision, miss_rate, confidence })
        };
        let rule = match self {
            Self::Accuracy(accuracy) => VerdictRule::Guarantee { accuracy, confidence },
            Self::Precision { class, share } => promises(of_class(class, share), vec![]),
            Self::MissRate { class, share } => promises(vec![], of_class(class, share)),
            Self::FlagRate(flag_rate) => VerdictRule::Budget { flag_rate },
            Self::Catch { class, flag_rate } => {
                return Ok(rows.catch_policy(class as u32, flag_rate)?.into());
            }
            Self::CostRatio(cost_ratio) => VerdictRule::Cost { cost_ratio },
            Self::GivenCosts => return Ok(rows.cost_policy(costs.clone())?.into()),
        };
        Ok(rows.policy(rule)?.into())
    }

    /// The share or ratio that is asked for; `None` for given costs.
    #[must_use]
    pub fn share(self) -> Option<f64> {
        match self {
            Self::Accuracy(share)
            | Self::Precision { share, .. }
            | Self::MissRate { share, .. }
            | Self::FlagRate(share)
            | Self::Catch { flag_rate: share, .. }
            | Self::CostRatio(share) => Some(share),
            Self::GivenCosts => None,
        }
    }

    /// The class of which something is promised, or that is to be caught, if it is one.
    #[must_use]
    pub fn class(self) -> Option<usize> {
        match self {
            Self::Precision { class, .. }
            | Self::MissRate { class, .. }
            | Self::Catch { class, .. } => Some(class),
            Self::Accuracy(_) | Self::FlagRate(_) | Self::CostRatio(_) | Self::GivenCosts => None,
        }
    }

    /// What the command and Python call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Accuracy(_) => "accuracy",
            Self::Precision { .. } => "precision",
            Self::MissRate { .. } => "miss_rate",
            Self::FlagRate(_) => "flag_rate",
            Self::Catch { .. } => "catch",
            Self::CostRatio(_) => "cost_ratio",
            Self::GivenCosts => "cost_matrix",
        }
    }

    fn with_share(self, share: f64) -> Self {
        match self {
            Self::Accuracy(_) => Self::Accuracy(share),
            Self::Precision { class, .. } => Self::Precision { class, share },
            Self::MissRate { class, .. } => Self::MissRate { class, share },
            Self::FlagRate(_) => Self::FlagRate(share),
            Self::Catch { class, .. } => Self::Catch { class, flag_rate: share },
            Self::CostRatio(_) => Self::CostRatio(share),
            Self::GivenCosts => self,
        }
    }
}

/// A share of rows, and an exact (Clopper-Pearson) interval for it among rows to come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The rows counted.
    pub part: usize,
    /// The rows among which they are counted.
    pub whole: usize,
    /// The interval; `None` without rows.
    pub interval: Option<[f64; 2]>,
}

impl Share {
    fn new(part: usize, whole: usize, confidence: f64) -> Self {
        Self { part, whole, interval: exact_interval(part, whole, confidence) }
    }

    /// The share itself; `None` without rows.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        (self.whole > 0).then(|| self.part as f64 / self.whole as f64)
    }
}

/// What a verdict policy does to calibration rows.
///
/// The intervals take the policy for given. Where the same rows have set its thresholds, shares of
/// rows to come tend to be a little worse.
#[derive(Debug, Clone, PartialEq)]
pub struct AtWork {
    /// The policy, with its thresholds.
    pub policy: VerdictPolicy,
    /// Flagged rows.
    pub flagged: Share,
    /// Wrong answers among the decided rows.
    pub wrong: Share,
    /// By class id: rows of the class that are decided as another.
    pub missed: Vec<Share>,
    /// By class id: rows of the class among those decided as it.
    pub precise: Vec<Share>,
    /// The mean cost per row.
    pub cost: f64,
    /// The mean cost if every row were flagged.
    pub cost_of_flags: f64,
    /// An interval for the mean cost, which is exact too: the shares of rows with each cost have exact
    /// intervals that hold all together.
    pub cost_interval: [f64; 2],
}

impl AtWork {
    pub(super) fn new(
        policy: VerdictPolicy,
        rows: &CalibrationRows,
        costs: &CostMatrix,
        confidence: f64,
    ) -> Result<Self> {
        let (answers, verdicts) = rows.judged_by(|p| policy.judge(p, Verdict::Undecided));
        let achieved = rows.tallied(&answers, &verdicts)?;
        let share = |part: u64, whole: u64| Share::new(part as usize, whole as usize, confidence);
        let total = achieved.total();
        let (cost, cost_interval) = mean_cost(rows, &answers, &verdicts, costs, confidence);
        let classes = achieved.classes();
        Ok(Self {
            flagged: share(total.rows - total.decided, total.rows),
            wrong: share(total.missed(), total.decided),
            missed: classes.iter().map(|tally| share(tally.missed(), tally.rows)).collect(),
            precise: classes.iter().map(|t| share(t.decided_right, t.decided_for)).collect(),
            cost,
            cost_of_flags: mean_of_flags(&achieved, costs),
            cost_interval,
            policy,
        })
    }
}

/// The mean cost if every row were flagged: class by class, so that the order of rows does not matter.
fn mean_of_flags(achieved: &Achieved, costs: &CostMatrix) -> f64 {
    let of_class = |(class, tally): (usize, &ClassTally)| costs.of_flag(class) * tally.rows as f64;
    let sum: f64 = achieved.classes().iter().enumerate().map(of_class).sum();
    sum / achieved.total().rows as f64
}

/// The mean cost per row, and an interval: rows are counted by what they cost, and the risk is
/// divided among the costs that are not 0.
fn mean_cost(
    rows: &CalibrationRows,
    answers: &[u32],
    verdicts: &[Verdict],
    costs: &CostMatrix,
    confidence: f64,
) -> (f64, [f64; 2]) {
    let mut values = costs.values();
    values.retain(|&value| value != 0.0);
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    let mut counts = vec![0; values.len()];
    for ((row, &answer), verdict) in rows.iter().zip(answers).zip(verdicts) {
        let cost = costs.of_verdict([row.truth, answer], *verdict);
        if let Ok(place) = values.binary_search_by(|value| value.total_cmp(&cost)) {
            counts[place] += 1;
        }
    }
    let of_each = 1.0 - (1.0 - confidence) / values.len().max(1) as f64;
    let (mut mean, mut ends) = (0.0, [0.0, 0.0]);
    for (&value, &count) in values.iter().zip(&counts) {
        let share = Share::new(count, rows.n_rows(), of_each);
        mean += value * share.value().unwrap_or(0.0);
        let [low, high] = share.interval.unwrap_or([0.0, 1.0]).map(|end| value * end);
        ends = [ends[0] + low.min(high), ends[1] + low.max(high)];
    }
    (mean, ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::exact_interval;

    /// 360 rows in three groups of equal probability of "ill": how many, and how many of them are ill.
    fn rows() -> CalibrationRows {
        let groups = [(0.0625, 200, 2), (0.25, 100, 20), (0.875, 60, 54)];
        let mut distributions = Vec::new();
        let mut truth = Vec::new();
        for (p, n, ill) in groups {
            distributions.extend(std::iter::repeat_n([1.0 - p, p], n).flatten());
            truth.extend((0..n).map(|row| u32::from(row < ill)));
        }
        let names = ["healthy", "ill"].map(ClassName::from);
        CalibrationRows::new(&distributions, &truth, &names, CalibrationSource::HeldOut).unwrap()
    }

    fn at_work(table: &TradeOffs, aim: Aim) -> &AtWork {
        let line = table.lines.iter().find(|line| line.aim == aim).unwrap();
        line.outcome.as_ref().unwrap()
    }

    #[test]
    fn a_line_counts_what_its_verdict_does() {
        let table = rows().trade_offs(0.9, None).unwrap();
        // From 0.8 on: the 200 and the 60 are decided, 2 of them ill but called healthy, 6 the opposite.
        let AtWork { flagged, wrong, missed, precise, cost, cost_interval, .. } =
            at_work(&table, Aim::CostRatio(0.2));
        let parts = |share: &Share| (share.part, share.whole);
        assert_eq!((parts(flagged), parts(wrong)), ((100, 360), (8, 260)));
        assert_eq!(missed.iter().map(parts).collect::<Vec<_>>(), [(6, 284), (2, 76)]);
        assert_eq!(precise.iter().map(parts).collect::<Vec<_>>(), [(198, 200), (54, 60)]);
        assert_eq!(missed[1].interval, exact_interval(2, 76, 0.9));
        assert!((cost - (100.0 * 0.2 + 8.0) / 360.0).abs() < 1e-12, "{cost}");
        // Flags and wrong answers each at 95 %: both hold with 90 %.
        let [flags, errors] = [100, 8].map(|part| exact_interval(part, 360, 0.95).unwrap());
        for end in [0, 1] {
            assert!((cost_interval[end] - (0.2 * flags[end] + errors[end])).abs() < 1e-12);
        }
    }

    #[test]
    fn every_promise_has_the_policy_it_would_get_alone() {
        let (rows, confidence) = (rows(), 0.9);
        let table = rows.trade_offs(confidence, None).unwrap();
        let found = &at_work(&table, Aim::Accuracy(0.85)).policy;
        let rule = VerdictRule::Guarantee { accuracy: 0.85, confidence };
        assert_eq!(*found, rows.policy(rule).unwrap().into());
        let found = &at_work(&table, Aim::MissRate { class: 1, share: 0.1 }).policy;
        let miss_rate = vec![None, Some(0.1)];
        let rule = VerdictRule::Promises(Promises { precision: vec![], miss_rate, confidence });
        assert_eq!(*found, rows.policy(rule).unwrap().into());
    }

    #[test]
    fn the_best_that_rows_carry_is_a_line_before_the_first_they_do_not() {
        let (rows, confidence) = (rows(), 0.9);
        let table = rows.trade_offs(confidence, None).unwrap();
        for section in table
            .lines
            .chunk_by(|a, b| a.aim.name() == b.aim.name() && a.aim.class() == b.aim.class())
        {
            let carried = section.iter().take_while(|line| line.outcome.is_ok()).count();
            let (easy, hard) = section.split_at(carried);
            assert!(hard.iter().all(|line| line.outcome.is_err()), "{section:?}");
            let best: Vec<&TradeOff> = section.iter().filter(|line| line.is_best).collect();
            assert_eq!(best.len(), usize::from(!hard.is_empty()), "{section:?}");
            let Some(best) = best.first() else { continue };
            assert_eq!(Some(*best), easy.last());
            // A thousandth more is refused.
            let share = best.aim.share().unwrap();
            let harder = if best.aim.name() == "miss_rate" { share - 0.001 } else { share + 0.001 };
            let costs = CostMatrix::of_ratio(2, 0.2).unwrap();
            assert!(best.aim.with_share(harder).policy(&rows, confidence, &costs).is_err());
        }
        assert!(table.lines.iter().any(|line| line.is_best));
    }

    #[test]
    fn budgets_are_aimed_at_every_class() {
        let table = rows().trade_offs(0.9, None).unwrap();
        let counts = |aim: Aim| {
            let found = at_work(&table, aim);
            (found.flagged.part, found.missed[0].part, found.missed[1].part)
        };
        let catch = |class, flag_rate| counts(Aim::Catch { class, flag_rate });
        // 108 rows may be flagged: the 100 at 0.25, of which 20 are ill.
        assert_eq!(catch(1, 0.3), (100, 6, 2));
        assert_eq!(counts(Aim::FlagRate(0.3)), (100, 6, 2));
        // 72 rows: too few for those 100, but enough for the 60 that are called ill, 6 wrongly.
        assert_eq!(catch(0, 0.2), (60, 0, 22));
        assert_eq!(catch(1, 0.2), (0, 6, 22));
        let text = table.to_string();
        assert!(text.contains("\nshare of rows flagged to catch ill, at most\n"), "{text}");
        assert!(text.contains("  ill up to 0.1563  "), "{text}");
        let covered = (0..360).map(|row| row >= 20).collect();
        let table = rows().covering(covered).unwrap().trade_offs(0.9, None).unwrap();
        let refusal = table.lines.iter().find(|line| line.aim == Aim::FlagRate(0.05)).unwrap();
        assert!(refusal.outcome.is_err() && !refusal.is_best);
        let text = table.to_string();
        assert!(
            text.contains("refused: 20 of 360 rows are uncovered, and flagged whatever"),
            "{text}"
        );
    }

    #[test]
    fn given_costs_price_all_lines_and_add_their_own() {
        // Calling an ill one healthy costs 10, a flag 1.
        let costs = CostMatrix::new(vec![vec![0.0, 1.0], vec![10.0, 0.0]], vec![1.0; 2]).unwrap();
        let table = rows().trade_offs(0.9, Some(&costs)).unwrap();
        // At 0.0625 "healthy" costs 0.625; at 0.25 it costs 2.5 and "ill" 0.75; at 0.875 "ill" 0.125.
        let least = at_work(&table, Aim::GivenCosts);
        assert_eq!((least.flagged.part, least.wrong.part), (0, 2 + 80 + 6));
        assert!((least.cost - (20.0 + 80.0 + 6.0) / 360.0).abs() < 1e-12);
        assert_eq!(least.cost_of_flags, 1.0);
        assert_eq!(rows().at_work(least.policy.clone(), &costs, 0.9).unwrap(), *least);
        // The most that accuracy can do: the 200 and the 60.
        let strict = at_work(&table, Aim::Accuracy(0.9));
        assert!((strict.cost - (20.0 + 6.0 + 100.0) / 360.0).abs() < 1e-12);
        // As it is where a cost ratio flags: all lines can be compared.
        let ratio = at_work(&table, Aim::CostRatio(0.2));
        assert!((ratio.cost - (20.0 + 6.0 + 100.0) / 360.0).abs() < 1e-12);
        let other = CostMatrix::of_ratio(3, 0.2).unwrap();
        assert!(rows().trade_offs(0.9, Some(&other)).is_err());
        assert!(rows().trade_offs(1.0, None).is_err());
    }

    #[test]
    fn it_prints_as_a_table() {
        let text = rows().trade_offs(0.9, None).unwrap().to_string();
        let first = "360 rows (held-out); each promise by itself, with 90 % confidence; in brackets \
                     intervals of 90 %; a flag costs 0.2 of a wrong answer; missed: of all rows of a \
                     class, those decided as another";
        assert_eq!(text.lines().next(), Some(first));
        let line = |start: &str| {
            let found = text.lines().find(|line| line.starts_with(start));
            found.unwrap_or_else(|| panic!("no line '{start}' in\n{text}")).to_owned()
        };
        // The first line that starts so: of accuracies, of precisions, of miss rates.
        let shares = "44.4 % (40.0 to 48.9)    1.0 % (0.2 to 3.1)";
        assert!(line("  0.968, the best").contains(shares), "{text}");
        assert!(line("  0.5  ").contains("healthy 0.625: 278 of 300 right"), "{text}");
        assert!(line("  0.2  ").contains("always "), "{text}");
        let refused = "refused: 360 calibration rows, at least 598 are needed";
        assert!(line("  0.995  ").ends_with(refused), "{text}");
    }
}
