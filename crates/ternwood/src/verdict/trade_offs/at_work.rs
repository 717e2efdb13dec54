//! What a verdict does to rows, with intervals for rows to come.

use crate::error::Result;
use crate::metrics::ClassTally;
use crate::predict::Verdict;
use crate::stats::exact_interval;
use crate::verdict::{Achieved, CalibrationRows, CostMatrix, VerdictPolicy};

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
