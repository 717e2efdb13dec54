//! Calibration rows: what the model says of each, and the truth.

use super::achieved::{Achieved, CalibrationSource};
use super::budget::{
    CatchPolicy, affordable, budget_threshold, catch_threshold, check_class, judge_catching,
};
use super::confidence::{ConfidencePolicy, Promises, Thresholds, VerdictRule, check_flag_rate};
use super::costs::{CostMatrix, CostPolicy};
use super::policy::Uncovered;
use super::promised_thresholds::{Ladder, SequenceTest, promised_thresholds};
use super::rows_needed::level_of_test;
use crate::dataset::{ClassName, check_class_ids, check_length, one_line};
use crate::error::{ErrorKind, Promised, Result};
use crate::metrics::{ClassTally, ConfidenceRanking};
use crate::predict::Verdict;
use crate::tree::most_probable;

/// Probabilities and true classes of rows that the model was not trained on.
///
/// Sample weights are ignored: a guarantee counts rows.
///
/// ```
/// use ternwood::verdict::VerdictRule;
/// use ternwood::{Columns, Dataset, Exec, Labels, Learner, Routing, TreeParams};
///
/// let data = |values: Vec<f64>, labels: &[&str]| -> ternwood::Result<Dataset> {
///     Dataset::new(Columns::from_columns(values, 1)?, Labels::from_values(labels.to_vec()))
/// };
/// let training = data((0..8).map(f64::from).collect(), &["a", "a", "b", "a", "b", "a", "b", "b"])?;
/// let params = TreeParams { max_depth: Some(1), ..TreeParams::default() };
/// let exec = Exec::default();
/// let model = Learner::new(params, Routing::Probabilistic)?.fit(&training, &exec)?;
///
/// let held_out = data(vec![0.5, 1.5, 3.2, 6.5], &["a", "a", "b", "b"])?;
/// let rows = model.calibration_rows(&held_out, &exec)?;
/// let model = model.with_verdict(rows.policy(VerdictRule::Budget { flag_rate: 0.25 })?)?;
/// assert!(model.verdict().to_string().ends_with("set to flag at most 25 % of the rows"));
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationRows {
    distributions: Vec<f64>,
    confidences: Vec<f64>,
    predicted: Vec<u32>,
    truth: Vec<u32>,
    /// False for rows that are undecided whatever their probabilities.
    covered: Vec<bool>,
    /// The number of uncovered rows, whatever becomes of them.
    n_uncovered: usize,
    uncovered: Uncovered,
    classes: Vec<ClassName>,
    source: CalibrationSource,
}

/// One calibration row.
#[derive(Debug, Clone, Copy)]
pub(super) struct CalibrationRow {
    pub(super) confidence: f64,
    pub(super) predicted: u32,
    pub(super) truth: u32,
    /// False if no policy decides it.
    pub(super) covered: bool,
}

impl CalibrationRow {
    pub(super) fn is_right(&self) -> bool {
        self.predicted == self.truth
    }
}

impl CalibrationRows {
    /// From class probabilities, row by row, and the true classes. The names of the classes are
    /// for messages.
    ///
    /// # Errors
    /// No rows, lists whose lengths do not agree, or a class id out of range.
    pub fn new(
        distributions: &[f64],
        truth: &[u32],
        classes: &[ClassName],
        source: CalibrationSource,
    ) -> Result<Self> {
        let n_classes = classes.len();
        let expected = truth.len() * n_classes;
        check_length("the list of probabilities", distributions.len(), expected, "rows x classes")?;
        if truth.is_empty() {
            return Err(ErrorKind::NoRows.into());
        }
        check_class_ids(truth, n_classes)?;
        let rows = distributions.chunks_exact(n_classes);
        let predicted: Vec<u32> = rows.clone().map(most_probable).collect();
        // A blended probability may round to slightly above 1, but a threshold must not be.
        let confidences =
            rows.zip(&predicted).map(|(row, &class)| row[class as usize].min(1.0)).collect();
        Ok(Self {
            distributions: distributions.to_vec(),
            confidences,
            predicted,
            covered: vec![true; truth.len()],
            n_uncovered: 0,
            uncovered: Uncovered::default(),
            truth: truth.to_vec(),
            classes: classes.to_vec(),
            source,
        })
    }

    /// The same rows, of which those are [covered](crate::model::Coverage) that `covered` says. By
    /// default all are.
    ///
    /// # Errors
    /// A list of another length than the rows.
    pub fn covering(mut self, covered: Vec<bool>) -> Result<Self> {
        check_length("the list of covered rows", covered.len(), self.n_rows(), "one per row")?;
        self.n_uncovered = covered.iter().filter(|&&covered| !covered).count();
        self.covered = covered;
        Ok(self)
    }

    /// The same rows, for policies that judge uncovered rows like all others.
    #[must_use]
    pub fn judging_uncovered(mut self) -> Self {
        self.uncovered = Uncovered::Judge;
        self.covered.fill(true);
        self
    }

    /// The number of rows that are undecided whatever their probabilities.
    #[must_use]
    pub fn n_uncovered(&self) -> usize {
        match self.uncovered {
            Uncovered::Undecided => self.n_uncovered,
            Uncovered::Judge => 0,
        }
    }

    /// Confidences of the rows that a threshold can decide, and which of their predictions are right.
    fn decidable(&self) -> (Vec<f64>, Vec<bool>) {
        let rows = self.iter().filter(|row| row.covered);
        rows.map(|row| (row.confidence, row.is_right())).unzip()
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.truth.len()
    }

    /// The number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.classes.len()
    }

    /// The largest class probability of every row.
    #[must_use]
    pub fn confidences(&self) -> &[f64] {
        &self.confidences
    }

    /// Which predictions are right.
    #[must_use]
    pub fn correct(&self) -> Vec<bool> {
        self.iter().map(|row| row.is_right()).collect()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = CalibrationRow> {
        let rows = self.confidences.iter().zip(&self.predicted).zip(&self.truth).zip(&self.covered);
        rows.map(|(((&confidence, &predicted), &truth), &covered)| CalibrationRow {
            confidence,
            predicted,
            truth,
            covered,
        })
    }

    /// The lowest confidence that a row can have.
    pub(super) fn lowest_confidence(&self) -> f64 {
        1.0 / self.n_classes() as f64
    }

    pub(super) fn classes(&self) -> &[ClassName] {
        &self.classes
    }

    pub(super) fn source(&self) -> CalibrationSource {
        self.source
    }

    /// How often the test of each single promise may be wrong.
    pub(super) fn level(&self, promises: &Promises) -> f64 {
        self.source.cautious(promises.level())
    }

    pub(super) fn class_name(&self, class: usize) -> String {
        one_line(&self.classes[class].to_string()).into_owned()
    }

    /// What deciding by these thresholds achieves on these rows.
    ///
    /// # Errors
    /// Thresholds for another number of classes.
    pub fn achieved(&self, thresholds: &Thresholds) -> Result<Achieved> {
        thresholds.check_classes(self.n_classes())?;
        let decided =
            |row: CalibrationRow| row.covered && thresholds.decide(row.predicted, row.confidence);
        let verdicts: Vec<Verdict> =
            self.iter().map(|row| Verdict::decided_if(decided(row))).collect();
        self.tallied(&self.predicted, &verdicts)
    }

    /// Class and verdict of every row, from its probabilities.
    pub(super) fn judged_by(
        &self,
        judge: impl Fn(&[f64]) -> (u32, Verdict),
    ) -> (Vec<u32>, Vec<Verdict>) {
        let rows = self.distributions.chunks_exact(self.n_classes()).zip(&self.covered);
        rows.map(|(row, &covered)| {
            let (class, verdict) = judge(row);
            (class, Verdict::decided_if(covered && verdict.is_decided()))
        })
        .unzip()
    }

    pub(super) fn tallied(&self, answers: &[u32], verdicts: &[Verdict]) -> Result<Achieved> {
        let classes = ClassTally::count(&self.truth, answers, verdicts, self.n_classes())?;
        Ok(Achieved::new(self.source, classes).with_uncovered(self.n_uncovered as u64))
    }

    /// The policy for `rule`: its thresholds, and what they achieve on these rows.
    ///
    /// | rule | threshold |
    /// |---|---|
    /// | cost | `1 - cost_ratio`; the rows only show what it achieves |
    /// | budget | the `flag_rate` quantile of the confidence; tied rows never exceed the budget |
    /// | guarantee | the lowest that passes a test of its accuracy |
    /// | promises | for every predicted class, the lowest at which all promises are certified |
    ///
    /// A threshold that is found among the rows' confidences is put halfway to the next lower one,
    /// so that no last bit of a probability decides a verdict.
    ///
    /// Guarantees and promises are found by fixed-sequence testing (*Learn then Test*): thresholds
    /// are fixed without looking at the true classes and tested from the strictest on, with the
    /// exact binomial distribution, until one fails. Rows out of bag are tested with half of the risk.
    ///
    /// # Errors
    /// A number out of range; or a promise that these rows cannot carry, because there are too few
    /// or too many are wrong ([`ErrorKind::TooFewRows`](crate::ErrorKind::TooFewRows),
    /// [`ErrorKind::NoGuarantee`](crate::ErrorKind::NoGuarantee),
    /// [`ErrorKind::TooManyMissed`](crate::ErrorKind::TooManyMissed)). The error says what they can
    /// carry.
    pub fn policy(&self, rule: VerdictRule) -> Result<ConfidencePolicy> {
        rule.check()?;
        let lowest = self.lowest_confidence();
        let thresholds = match &rule {
            VerdictRule::Cost { cost_ratio } => Thresholds::Same(1.0 - cost_ratio),
            VerdictRule::Budget { flag_rate } => {
                let most = self.affordable_of_covered(*flag_rate)?;
                budget_threshold(&self.decidable().0, most, lowest).into()
            }
            &VerdictRule::Guarantee { accuracy, confidence } => {
                let (confidences, correct) = self.decidable();
                let ranking = ConfidenceRanking::new(&confidences, &correct)?;
                let promised = || Promised::Accuracy(accuracy);
                let level = level_of_test(&promised(), self.source.cautious(1.0 - confidence));
                let test = SequenceTest { right: accuracy, level };
                let ladder = Ladder::new(&ranking, lowest);
                let threshold = test.lowest(&ladder, 0.0, promised, confidence)?;
                Thresholds::by_class(vec![threshold; self.n_classes()])
            }
            VerdictRule::Promises(promises) => promised_thresholds(self, promises)?,
        };
        let achieved = self.achieved(&thresholds)?;
        let policy = ConfidencePolicy::new(thresholds, rule, Some(achieved))?;
        Ok(policy.with_uncovered(self.uncovered))
    }

    /// The policy that spends a budget of flags on rows that are most likely to be missed rows of
    /// `class`, and what it achieves on these rows. At most the share `flag_rate` of them is flagged:
    /// the uncovered ones, and of those predicted as another class the ones with the largest
    /// probability of `class`. Tied rows never exceed the budget.
    ///
    /// ```
    /// use ternwood::ClassName;
    /// use ternwood::verdict::{CalibrationRows, CalibrationSource};
    ///
    /// let probabilities = [0.95, 0.05, 0.8, 0.2, 0.6, 0.4, 0.45, 0.55];
    /// let names = ["good", "bad"].map(ClassName::from);
    /// let source = CalibrationSource::HeldOut;
    /// let rows = CalibrationRows::new(&probabilities, &[0, 0, 1, 1], &names, source)?;
    /// // The last row is predicted bad. Of the others, one may be flagged: the third.
    /// let policy = rows.catch_policy(1, 0.25)?;
    /// assert!((policy.threshold() - 0.3).abs() < 1e-9);
    /// assert_eq!(policy.achieved().classes()[1].missed(), 0);
    /// # Ok::<(), ternwood::Error>(())
    /// ```
    ///
    /// # Errors
    /// A class that does not exist, a share that is not from 0 to below 1, or more uncovered rows
    /// than the budget allows.
    pub fn catch_policy(&self, class: u32, flag_rate: f64) -> Result<CatchPolicy> {
        check_flag_rate(flag_rate)?;
        check_class(class, self.n_classes())?;
        let most = self.affordable_of_covered(flag_rate)?;
        let rows = self.distributions.chunks_exact(self.n_classes()).zip(self.iter());
        let probabilities: Vec<f64> = rows
            .filter(|(_, row)| row.covered && row.predicted != class)
            .map(|(distribution, _)| distribution[class as usize])
            .collect();
        // The largest possible probability of another class may be exceeded by a rounding error.
        let threshold = catch_threshold(&probabilities, most).clamp(0.0, 1.0);
        let (answers, verdicts) = self.judged_by(|row| judge_catching(class, threshold, row));
        let achieved = self.tallied(&answers, &verdicts)?;
        CatchPolicy::new(class, flag_rate, threshold, self.uncovered, achieved)
    }

    /// The number of covered rows that a budget allows to flag: uncovered rows are flagged first.
    fn affordable_of_covered(&self, flag_rate: f64) -> Result<usize> {
        let (rows, uncovered) = (self.n_rows(), self.n_uncovered());
        let covered = affordable(rows, flag_rate).checked_sub(uncovered);
        covered.ok_or_else(|| ErrorKind::BudgetUncovered { flag_rate, rows, uncovered }.into())
    }

    /// The policy of these costs, and what it achieves on these rows.
    ///
    /// # Errors
    /// Costs for another number of classes.
    pub fn cost_policy(&self, costs: CostMatrix) -> Result<CostPolicy> {
        let policy = CostPolicy::new(costs).with_uncovered(self.uncovered);
        policy.check_model(self.n_classes())?;
        let (answers, verdicts) = self.judged_by(|row| policy.judge(row));
        let achieved = self.tallied(&answers, &verdicts)?;
        Ok(policy.with_achieved(achieved))
    }
}
