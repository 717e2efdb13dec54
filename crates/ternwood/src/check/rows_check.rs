//! New rows beside those of training and calibration.

use super::comparison::{Before, Compared, Comparison, judge_all};
use super::of_features::compare_features;
use super::of_promises::compare_promises;
use crate::dataset::{ClassName, Matrix, check_length};
use crate::error::{Result, parameter};
use crate::exec::Exec;
use crate::metrics::ClassTally;
use crate::model::{Model, UncoveredRows};
use crate::predict::Verdict;
use crate::stats::{fisher, fisher_more};
use crate::verdict::{Achieved, VerdictPolicy};
use serde::Serialize;

/// The usual probability of a false alarm.
pub const USUAL_LEVEL: f64 = 0.01;

/// What new rows say of a model: comparisons with the rows it was trained and calibrated on.
///
/// Prints as a report.
///
/// ```
/// use ternwood::{Columns, Dataset, Exec, Labels, Learner, Matrix, Routing, TreeParams};
///
/// let columns = Columns::from_columns((0..80).map(f64::from).collect(), 1)?;
/// let data = Dataset::new(columns, Labels::from_values((0..80).map(|i| i / 40)))?;
/// let exec = Exec::default();
/// let model = Learner::new(TreeParams::default(), Routing::Probabilistic)?.fit(&data, &exec)?;
/// let check = |values: &[f64]| model.check_rows(Matrix::row_major(values, 1)?, None, 0.01, &exec);
/// assert!(check(&[3.0, 17.5, 60.0])?.holds());
/// let drifted = check(&[71.0, 85.0, 99.5, 101.0])?;
/// assert!(!drifted.holds());
/// assert!(drifted.to_string().contains("x0: 3 of 4 values are outside 0 to 80"));
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowsCheck {
    /// The number of new rows.
    pub rows: usize,
    /// The probability with which anything is called changed if nothing has.
    pub level: f64,
    /// All comparisons: flags, uncovered rows, promises, then features, the worst first.
    pub comparisons: Vec<Comparison>,
    /// The uncovered rows, and why they are; `None` if the training table is not known.
    pub uncovered: Option<UncoveredRows>,
    /// What could not be compared.
    pub untold: Vec<Untold>,
}

/// Something that could not be compared, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Untold {
    /// Without calibration rows nobody knows how many rows used to be flagged.
    NoCalibrationRows,
    /// How many rows used to be flagged is known by cross-fitting only.
    ApproximateFlags,
    /// The model does not know its training rows.
    NoTrainingRows,
    /// Without labels nobody knows whether answers are right.
    NoLabels,
    /// The verdict promises nothing, and has no calibration rows.
    NothingPromised,
}

impl RowsCheck {
    /// Compares what any classifier says of new rows with what its policy promised and achieved:
    /// the classes and verdicts of the rows, their true classes if these are known, and the
    /// uncovered rows if the training table is known.
    ///
    /// # Errors
    /// Lists of different lengths, a class id out of range, or a level that is not between 0 and 1.
    pub fn of_verdicts(
        policy: &VerdictPolicy,
        classes: &[ClassName],
        (answers, verdicts): (&[u32], &[Verdict]),
        truth: Option<&[u32]>,
        uncovered: Option<UncoveredRows>,
        level: f64,
    ) -> Result<Self> {
        Self::of_rows(policy, classes, (answers, verdicts), truth, level, (uncovered, None))
    }

    /// The same, with comparisons of features; `None` if training rows are not known.
    fn of_rows(
        policy: &VerdictPolicy,
        classes: &[ClassName],
        (answers, verdicts): (&[u32], &[Verdict]),
        truth: Option<&[u32]>,
        level: f64,
        (uncovered, of_features): (Option<UncoveredRows>, Option<Vec<Comparison>>),
    ) -> Result<Self> {
        if !(0.0 < level && level < 1.0) {
            return Err(parameter("level", level, "a number between 0 and 1"));
        }
        check_length("the list of verdicts", verdicts.len(), answers.len(), "one per row")?;
        let rows = answers.len();
        let (mut comparisons, mut untold) = (Vec::new(), Vec::new());
        match policy.achieved() {
            // Trees of folds flag about as many rows as the model does: too roughly for a test.
            Some(achieved) if achieved.source().is_approximate() => {
                untold.push(Untold::ApproximateFlags);
            }
            Some(achieved) => comparisons.push(of_flags(achieved, verdicts)),
            None => untold.push(Untold::NoCalibrationRows),
        }
        if let Some(uncovered) = &uncovered {
            check_length("the list of verdicts", verdicts.len(), uncovered.whole, "one per row")?;
            comparisons.extend(of_uncovered(policy, uncovered));
        }
        match truth {
            Some(truth) => {
                let tallies = ClassTally::count(truth, answers, verdicts, classes.len())?;
                comparisons.extend(compare_promises(policy, &tallies, classes, level));
                untold.extend(policy.achieved().is_none().then_some(Untold::NothingPromised));
            }
            None => untold.push(Untold::NoLabels),
        }
        match of_features {
            Some(of_features) => comparisons.extend(of_features),
            None => untold.push(Untold::NoTrainingRows),
        }
        judge_all(&mut comparisons, level);
        // Flags, uncovered rows and promises are always shown; of features, the worst come first.
        comparisons.sort_by(|one, other| {
            let key = |c: &Comparison| if c.is_of_feature() { c.p_value } else { -1.0 };
            key(one).total_cmp(&key(other))
        });
        Ok(Self { rows, level, comparisons, uncovered, untold })
    }

    /// True if nothing has changed, as far as these rows can tell.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.comparisons.iter().any(Comparison::has_changed)
    }

    /// What has changed most surely.
    #[must_use]
    pub fn worst(&self) -> Option<&Comparison> {
        self.changed().min_by(|one, other| one.p_value.total_cmp(&other.p_value))
    }

    /// What has changed: flags, uncovered rows, promises, then features, the worst first.
    pub fn changed(&self) -> impl Iterator<Item = &Comparison> {
        self.comparisons.iter().filter(|comparison| comparison.has_changed())
    }
}

impl Model {
    /// Compares new rows, with their classes if these are known, with the rows of training and
    /// calibration. With the probability `level` at most, something is called changed although
    /// nothing has; the comparisons share it.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); a class id that the model does not have; or a level that is
    /// not between 0 and 1.
    pub fn check_rows(
        &self,
        rows: Matrix<'_>,
        truth: Option<&[u32]>,
        level: f64,
        exec: &Exec,
    ) -> Result<RowsCheck> {
        let found = self.predict(rows, exec)?;
        let training = self.training_rows();
        let of_features = training.map(|training| compare_features(self, training, rows));
        let answers = (found.classes(), found.verdicts());
        let classes = self.schema().classes();
        let of_values = (Some(self.uncovered_rows(rows)), of_features);
        RowsCheck::of_rows(self.verdict(), classes, answers, truth, level, of_values)
    }
}

/// Whether more rows are uncovered than of those held out for calibration. No training row is
/// uncovered, so training rows cannot show how many new ones are.
fn of_uncovered(policy: &VerdictPolicy, new: &UncoveredRows) -> Option<Comparison> {
    let achieved = policy.achieved().filter(|achieved| !achieved.source().is_approximate())?;
    let (part, whole) = (achieved.uncovered(), achieved.total().rows);
    let p_value = fisher_more([new.part as u64, new.whole as u64], [part, whole]);
    let before = Before::Rows { part, whole };
    Some(Comparison::new(Compared::Uncovered, [new.part, new.whole], before, p_value))
}

/// Whether the share of flags differs from that of calibration.
fn of_flags(achieved: &Achieved, verdicts: &[Verdict]) -> Comparison {
    let flagged = verdicts.iter().filter(|verdict| verdict.is_undecided()).count();
    let before = achieved.total();
    let before = [before.rows - before.decided, before.rows];
    let p_value = fisher([flagged as u64, verdicts.len() as u64], before);
    let before = Before::Rows { part: before[0], whole: before[1] };
    Comparison::new(Compared::Flagged, [flagged, verdicts.len()], before, p_value)
}
