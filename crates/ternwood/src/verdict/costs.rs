//! The answer of the least expected cost, and a flag where that is cheaper.

use super::achieved::Achieved;
use super::policy::Uncovered;
use crate::dataset::check_length;
use crate::error::{Result, parameter};
use crate::predict::Verdict;
use serde::{Deserialize, Serialize};

/// What every answer and every flag costs, by the true class.
///
/// ```
/// use ternwood::verdict::CostMatrix;
///
/// // Classes: good, bad. A bad risk taken for a good one costs five times the opposite error.
/// let costs = CostMatrix::new(vec![vec![0.0, 1.0], vec![5.0, 0.0]], vec![0.5, 0.5])?;
/// // 80 % good: answering "good" costs 0.2 * 5 = 1.0, answering "bad" 0.8 * 1, and a flag 0.5.
/// let expected = costs.expected(&[0.8, 0.2]);
/// assert_eq!((expected.class, expected.answer, expected.flag), (1, 0.8, 0.5));
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostMatrix {
    answer: Vec<Vec<f64>>,
    flag: Vec<f64>,
}

/// What the cheapest answer and a flag are expected to cost for a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedCosts {
    /// The class of the cheapest answer, the lowest id on ties.
    pub class: u32,
    /// What that answer is expected to cost.
    pub answer: f64,
    /// What a flag is expected to cost.
    pub flag: f64,
}

/// No larger cost makes sense, and sums of these are finite.
const LARGEST_COST: f64 = 1e100;

impl CostMatrix {
    /// `answer[k][c]` is the cost of answering `c` where `k` is true, `flag[k]` the cost of a flag
    /// there. Costs may be negative: gains.
    ///
    /// # Errors
    /// A matrix that is not square, lists of different lengths, or a cost that is not finite or
    /// beyond 1e100.
    pub fn new(answer: Vec<Vec<f64>>, flag: Vec<f64>) -> Result<Self> {
        let costs = Self { answer, flag };
        costs.check()?;
        Ok(costs)
    }

    /// Every wrong answer costs 1, every flag `cost_ratio`.
    ///
    /// # Errors
    /// A ratio beyond 1e100, or none.
    pub fn of_ratio(n_classes: usize, cost_ratio: f64) -> Result<Self> {
        Self::same_for_all(n_classes, 1.0, cost_ratio)
    }

    /// Every wrong answer costs `error`, every flag `flag`.
    ///
    /// # Errors
    /// A cost that is not finite or beyond 1e100.
    pub fn same_for_all(n_classes: usize, error: f64, flag: f64) -> Result<Self> {
        let cost = |truth, answer| if truth == answer { 0.0 } else { error };
        let of_truth = |truth| (0..n_classes).map(|answer| cost(truth, answer)).collect();
        Self::new((0..n_classes).map(of_truth).collect(), vec![flag; n_classes])
    }

    /// Every cost, of answers and of flags.
    pub(super) fn values(&self) -> Vec<f64> {
        self.answer.iter().flatten().chain(&self.flag).copied().collect()
    }

    /// The number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.flag.len()
    }

    /// The cost of answering `answer` where `truth` is true.
    #[must_use]
    pub fn of_answer(&self, truth: usize, answer: usize) -> f64 {
        self.answer[truth][answer]
    }

    /// The cost of a flag where `truth` is true.
    #[must_use]
    pub fn of_flag(&self, truth: usize) -> f64 {
        self.flag[truth]
    }

    /// The cost of an answer with its verdict where a class is true: of the answer if it is
    /// decided, of a flag if not.
    #[must_use]
    pub fn of_verdict(&self, [truth, answer]: [u32; 2], verdict: Verdict) -> f64 {
        match verdict {
            Verdict::Decided => self.of_answer(truth as usize, answer as usize),
            Verdict::Undecided => self.of_flag(truth as usize),
        }
    }

    /// What the cheapest answer and a flag are expected to cost, with one probability per class.
    #[must_use]
    #[inline]
    pub fn expected(&self, distribution: &[f64]) -> ExpectedCosts {
        let (mut class, mut answer) = (0, f64::INFINITY);
        for candidate in 0..self.n_classes() {
            let cost = mean(distribution, self.answer.iter().map(|of_truth| of_truth[candidate]));
            if cost < answer {
                (class, answer) = (candidate as u32, cost);
            }
        }
        let flag = mean(distribution, self.flag.iter().copied());
        ExpectedCosts { class, answer, flag }
    }

    /// The mean cost per row; `None` without rows.
    ///
    /// # Errors
    /// Lists of different lengths.
    ///
    /// # Panics
    /// If a class id is not below [`n_classes`](Self::n_classes).
    pub fn mean_cost(
        &self,
        truth: &[u32],
        answers: &[u32],
        verdicts: &[Verdict],
    ) -> Result<Option<f64>> {
        check_length("the list of answers", answers.len(), truth.len(), "one per row")?;
        check_length("the list of verdicts", verdicts.len(), truth.len(), "one per row")?;
        let rows = truth.iter().zip(answers).zip(verdicts);
        let cost = |((&truth, &answer), &verdict): ((&u32, &u32), &Verdict)| {
            self.of_verdict([truth, answer], verdict)
        };
        let mut costs: Vec<f64> = rows.map(cost).collect();
        // Sums of real numbers depend on the order, so it must not be that of the rows.
        costs.sort_unstable_by(f64::total_cmp);
        let sum: f64 = costs.into_iter().sum();
        Ok((!truth.is_empty()).then(|| sum / truth.len() as f64))
    }

    fn check(&self) -> Result<()> {
        let n_classes = self.n_classes();
        check_length("the cost matrix", self.answer.len(), n_classes, "one row per true class")?;
        for (class, row) in self.answer.iter().enumerate() {
            let what = format!("row {class} of the cost matrix");
            check_length(&what, row.len(), n_classes, "one cost per answer")?;
        }
        let costs = || self.answer.iter().flatten();
        let is_usable = |cost: &&f64| cost.abs() <= LARGEST_COST;
        if let Some(cost) = costs().find(|cost| !is_usable(cost)) {
            return Err(parameter(
                "cost of an answer",
                format!("{cost:?}"),
                "from -1e100 to 1e100",
            ));
        }
        if let Some(cost) = self.flag.iter().find(|cost| !is_usable(cost)) {
            return Err(parameter("cost of a flag", format!("{cost:?}"), "from -1e100 to 1e100"));
        }
        Ok(())
    }
}

/// The mean of a cost that depends on the true class.
#[inline]
fn mean(distribution: &[f64], costs: impl Iterator<Item = f64>) -> f64 {
    distribution.iter().zip(costs).map(|(p, cost)| p * cost).sum()
}

/// Costs, and what following them achieved on calibration rows.
///
/// With `p` the class probabilities of a row:
///
/// ```text
/// cost of answering c  =  sum over k of  p_k answer[k][c]
/// class                =  the c for which it is least
/// Undecided           iff  that is more than  sum over k of  p_k flag[k]
/// ```
///
/// Only as good as the probabilities, like Chow's rule, which is the case of equal costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostPolicy {
    costs: CostMatrix,
    #[serde(default, skip_serializing_if = "Uncovered::is_usual")]
    uncovered: Uncovered,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    achieved: Option<Achieved>,
}

impl CostPolicy {
    /// The policy of these costs. Needs no rows.
    #[must_use]
    pub fn new(costs: CostMatrix) -> Self {
        Self { costs, uncovered: Uncovered::default(), achieved: None }
    }

    pub(super) fn with_achieved(mut self, achieved: Achieved) -> Self {
        self.achieved = Some(achieved);
        self
    }

    /// What becomes of rows that the policy does not cover.
    #[must_use]
    pub fn uncovered(&self) -> Uncovered {
        self.uncovered
    }

    pub(super) fn with_uncovered(mut self, uncovered: Uncovered) -> Self {
        self.uncovered = uncovered;
        self
    }

    /// The costs.
    #[must_use]
    pub fn costs(&self) -> &CostMatrix {
        &self.costs
    }

    /// What the policy achieved on calibration rows; `None` if there were none.
    #[must_use]
    pub fn achieved(&self) -> Option<&Achieved> {
        self.achieved.as_ref()
    }

    #[inline]
    pub(super) fn judge(&self, distribution: &[f64]) -> (u32, Verdict) {
        let expected = self.costs.expected(distribution);
        (expected.class, Verdict::decided_if(expected.answer <= expected.flag))
    }

    pub(super) fn check_model(&self, n_classes: usize) -> Result<()> {
        self.costs.check()?;
        let what = "the verdict's list of flag costs";
        check_length(what, self.costs.n_classes(), n_classes, "the model's")?;
        self.achieved.as_ref().map_or(Ok(()), |achieved| achieved.check(n_classes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credit() -> CostMatrix {
        CostMatrix::new(vec![vec![0.0, 1.0], vec![5.0, 0.0]], vec![0.5, 0.25]).unwrap()
    }

    #[test]
    fn the_cheapest_answer_by_hand() {
        let policy = CostPolicy::new(credit());
        let judge = |good: f64| policy.judge(&[good, 1.0 - good]);
        // Answering good costs 5 (1 - p), bad p, a flag 0.5 p + 0.25 (1 - p).
        assert_eq!(judge(0.96875), (0, Verdict::Decided), "0.156 against a flag of 0.492");
        assert_eq!(judge(0.875), (0, Verdict::Undecided), "0.625 against 0.469");
        assert_eq!(judge(0.75), (1, Verdict::Undecided), "0.75 against 0.4375: bad is cheaper");
        assert_eq!(judge(0.25), (1, Verdict::Decided), "0.25 against 0.3125");
        // At p = 1/3 the answer costs as much as a flag: 1/3 = 1/6 + 1/6. A tie decides.
        assert_eq!(policy.judge(&[1.0, 2.0]), (1, Verdict::Decided));
        // Tied answers go to the lowest id.
        let even = CostMatrix::new(vec![vec![0.0, 1.0], vec![1.0, 0.0]], vec![1.0; 2]).unwrap();
        assert_eq!(CostPolicy::new(even).judge(&[0.5, 0.5]), (0, Verdict::Decided));
    }

    #[test]
    fn mean_costs_by_hand() {
        let verdicts = [Verdict::Decided, Verdict::Decided, Verdict::Decided, Verdict::Undecided];
        // 0 for a good one taken as good, 5 and 0 for bad ones, 0.25 for a flagged bad one.
        let cost = credit().mean_cost(&[0, 1, 1, 1], &[0, 0, 1, 0], &verdicts).unwrap();
        assert_eq!(cost, Some(5.25 / 4.0));
        assert_eq!(credit().mean_cost(&[], &[], &[]).unwrap(), None);
        assert!(credit().mean_cost(&[0], &[0, 1], &[Verdict::Decided]).is_err());
    }

    #[test]
    fn matrices_of_the_wrong_shape_are_refused() {
        let refused = |answer: &[&[f64]], flag: &[f64]| {
            let answer = answer.iter().map(|row| row.to_vec()).collect();
            CostMatrix::new(answer, flag.to_vec()).unwrap_err().to_string()
        };
        let square: &[&[f64]] = &[&[0.0, 1.0], &[1.0, 0.0]];
        for (error, expected) in [
            (refused(square, &[0.1]), "the cost matrix has length 2, but 1 was expected"),
            (
                refused(&[&[0.0, 1.0], &[1.0]], &[0.1, 0.1]),
                "row 1 of the cost matrix has length 1, but 2 was expected (one cost per answer)",
            ),
            (refused(square, &[0.1, f64::NAN]), "cost of a flag is NaN; allowed: from -1e100"),
            (
                refused(&[&[0.0, f64::INFINITY], &[1.0, 0.0]], &[0.1, 0.1]),
                "cost of an answer is inf; allowed: from -1e100 to 1e100",
            ),
        ] {
            assert!(error.contains(expected), "{error}");
        }
    }
}
