//! New rows beside those of training and calibration.

use super::comparison::{Before, Compared, Comparison, judge_all};
use super::of_features::compare_features;
use super::of_promises::compare_promises;
use super::two_samples::differ;
use crate::dataset::Matrix;
use crate::error::{Result, parameter};
use crate::exec::Exec;
use crate::metrics::ClassTally;
use crate::model::Model;
use crate::verdict::{VerdictPolicy, VerdictRule};
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
/// assert!(drifted.to_string().contains("x0: 3 of 4 values are outside 0 to 79"));
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowsCheck {
    /// The number of new rows.
    pub rows: usize,
    /// The probability with which anything is called changed if nothing has.
    pub level: f64,
    /// All comparisons: flags, promises, then features; of each kind those that changed first.
    pub comparisons: Vec<Comparison>,
    /// What could not be compared.
    pub untold: Vec<Untold>,
}

/// Something that could not be compared, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Untold {
    /// Without calibration rows nobody knows how many rows used to be flagged.
    NoCalibrationRows,
    /// The model does not know its training rows.
    NoTrainingRows,
    /// Without labels nobody knows whether answers are right.
    NoLabels,
    /// The verdict promises nothing, and has no calibration rows.
    NothingPromised,
}

impl RowsCheck {
    /// True if nothing has changed, as far as these rows can tell.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.comparisons.iter().any(Comparison::has_changed)
    }

    /// What has changed, the surest first.
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
        if !(0.0 < level && level < 1.0) {
            return Err(parameter("level", level, "a number between 0 and 1"));
        }
        let found = self.predict(rows, exec)?;
        let (policy, classes) = (self.verdict(), self.schema().classes());
        let (mut comparisons, mut untold) = (Vec::new(), Vec::new());
        match policy.achieved() {
            Some(achieved) => {
                let flagged = found.verdicts().iter().filter(|v| v.is_undecided()).count();
                let before = achieved.total();
                let before = [before.rows - before.decided, before.rows];
                let p_value = differ([flagged as u64, rows.n_rows() as u64], before);
                let before = Before::Rows { part: before[0], whole: before[1] };
                let new = [flagged, rows.n_rows()];
                comparisons.push(Comparison::new(Compared::Flagged, new, before, p_value));
            }
            None => untold.push(Untold::NoCalibrationRows),
        }
        match truth {
            Some(truth) => {
                let tallies =
                    ClassTally::count(truth, found.classes(), found.verdicts(), classes.len())?;
                comparisons.extend(compare_promises(policy, &tallies, classes, level));
                if policy.achieved().is_none() {
                    untold.push(Untold::NothingPromised);
                }
            }
            None if promises(policy) || policy.achieved().is_some() => {
                untold.push(Untold::NoLabels)
            }
            None => {}
        }
        match self.training_rows() {
            Some(training) => comparisons.extend(compare_features(self, training, rows)),
            None => untold.push(Untold::NoTrainingRows),
        }
        judge_all(&mut comparisons, level);
        // Flags and promises are always shown; of features, the worst come first.
        comparisons.sort_by(|one, other| {
            let key = |c: &Comparison| if c.is_of_feature() { c.p_value } else { -1.0 };
            key(one).total_cmp(&key(other))
        });
        Ok(RowsCheck { rows: rows.n_rows(), level, comparisons, untold })
    }
}

fn promises(policy: &VerdictPolicy) -> bool {
    let rule = policy.as_confidence().map(|policy| policy.rule());
    matches!(rule, Some(VerdictRule::Guarantee { .. } | VerdictRule::Promises(_)))
}
