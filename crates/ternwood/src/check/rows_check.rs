//! New rows beside those of training and calibration: flags, uncovered rows, promises, and the values of features.

use super::comparison::{Before, Compared, Comparison, Outcome, judge_all};
use crate::dataset::{ClassName, Feature, Matrix, check_length, is_unknown_value, one_line};
use crate::error::{Promised, Result, parameter};
use crate::exec::Exec;
use crate::metrics::ClassTally;
use crate::model::{Model, UncoveredRows};
use crate::predict::Verdict;
use crate::stats::{binomial_cdf, fisher, fisher_more, outside_range};
use crate::training::{FeatureValues, TrainingRows};
use crate::tree::Tree;
use crate::verdict::{Achieved, CatchPolicy, ConfidencePolicy, VerdictPolicy, VerdictRule};
use serde::Serialize;
use std::collections::BTreeSet;

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

/// Compares the features that some tree tests: others have no part in its answers.
pub(super) fn compare_features(
    model: &Model,
    training: &TrainingRows,
    rows: Matrix<'_>,
) -> Vec<Comparison> {
    let tested: BTreeSet<usize> = model.trees().iter().flat_map(Tree::tested_features).collect();
    tested
        .into_iter()
        .flat_map(|index| {
            let (feature, values) =
                (&model.schema().features()[index], &training.features()[index]);
            let column: Vec<f64> = rows.column(index as u32).of(0..rows.n_rows()).collect();
            of_feature(feature, values, training, &column)
        })
        .collect()
}

fn of_feature(
    feature: &Feature,
    values: &FeatureValues,
    training: &TrainingRows,
    column: &[f64],
) -> Vec<Comparison> {
    let Feature { name, kind, .. } = feature;
    let (n_rows, n_training) = (column.len(), training.rows());
    let count = |is: &dyn Fn(f64) -> bool| column.iter().filter(|&&value| is(value)).count();
    let compare = |of: Compared, found: usize, before: u64| {
        let p_value = fisher_more([found as u64, n_rows as u64], [before, n_training]);
        let before = Before::Rows { part: before, whole: n_training };
        Comparison::new(of, [found, n_rows], before, p_value)
    };
    let counts = values.counts();
    // In a private model 0 means fewer than ten rows.
    let fewest = u64::from(!training.is_private());
    let is_known =
        |id: f64| id >= 0.0 && counts.get(id as usize).is_some_and(|&count| count >= fewest);
    let is_new = |value: f64| !kind.is_number() && !value.is_nan() && !is_known(value);
    let unknown = count(&|value| is_unknown_value(value) || is_new(value));
    // A category that one row has was unknown to all others.
    let singles = counts.iter().filter(|&&count| count == fewest).count() as u64;
    let missing = count(&|value| value.is_nan() && !is_unknown_value(value));
    let mut all = vec![
        compare(Compared::Unknown { feature: name.clone() }, unknown, singles),
        compare(Compared::Missing { feature: name.clone() }, missing, values.missing()),
    ];
    if let Some(range @ [low, high]) = values.range() {
        let outside = count(&|value| value < low || value > high);
        let present = n_rows - unknown - missing;
        let before = n_training.saturating_sub(values.missing());
        let p_value = outside_range(outside, present, before);
        let notation = feature.notation.clone();
        let of = Compared::Outside { feature: name.clone(), range, notation };
        let before = Before::Rows { part: 0, whole: before };
        all.push(Comparison::new(of, [outside, present], before, p_value));
    }
    all
}

/// Compares what the policy promised, or else what it achieved, with what became of new rows.
pub(super) fn compare_promises(
    policy: &VerdictPolicy,
    tallies: &[ClassTally],
    classes: &[ClassName],
    level: f64,
) -> Vec<Comparison> {
    let total = ClassTally::sum(tallies).unwrap_or_default();
    let promise = |promised, allowed: f64, part: u64, whole: u64| {
        of_promise(promised, allowed, [part as usize, whole as usize], level)
    };
    if let VerdictPolicy::Catch(policy) = policy {
        return vec![of_caught(policy, tallies, classes), of_decided(total, policy.achieved())];
    }
    match policy.as_confidence().map(ConfidencePolicy::rule) {
        Some(VerdictRule::Guarantee { accuracy, .. }) => {
            let promised = Promised::Accuracy(*accuracy);
            vec![promise(promised, 1.0 - accuracy, total.missed(), total.decided)]
        }
        Some(VerdictRule::Promises(promises)) => {
            let mut all = Vec::new();
            for (id, (name, tally)) in classes.iter().zip(tallies).enumerate() {
                let class = one_line(&name.to_string()).into_owned();
                if let Some(share) = promises.precision_of(id) {
                    let wrong = tally.decided_for - tally.decided_right;
                    let promised = Promised::Precision { class: class.clone(), share };
                    all.push(promise(promised, 1.0 - share, wrong, tally.decided_for));
                }
                if let Some(share) = promises.miss_rate_of(id) {
                    let promised = Promised::MissRate { class, share };
                    all.push(promise(promised, share, tally.missed(), tally.rows));
                }
            }
            all
        }
        _ => policy.achieved().map(|before| of_decided(total, before)).into_iter().collect(),
    }
}

/// Whether as many errors are too many for a promise.
fn of_promise(
    promised: Promised,
    allowed: f64,
    [wrong, rows]: [usize; 2],
    level: f64,
) -> Comparison {
    // At least so many errors: at most so many of the others.
    let p_value = if wrong == 0 { 1.0 } else { binomial_cdf(rows, rows - wrong, 1.0 - allowed) };
    let (of, before) = (Compared::Promise(promised), Before::AtMost(allowed));
    let mut comparison = Comparison::new(of, [wrong, rows], before, p_value);
    if rows > 0 && binomial_cdf(rows, wrong, allowed) <= level {
        comparison.outcome = Outcome::Confirmed;
    }
    comparison
}

/// Whether more of the decided rows are wrong than of those of calibration.
fn of_decided(new: ClassTally, before: &Achieved) -> Comparison {
    let counts = [new, before.total()].map(|tally| [tally.missed(), tally.decided]);
    more_than_before(Compared::WrongOfDecided, counts)
}

/// Whether more rows of the class to catch are missed than of those of calibration.
fn of_caught(policy: &CatchPolicy, new: &[ClassTally], classes: &[ClassName]) -> Comparison {
    let class = policy.class() as usize;
    let counts = [new, policy.achieved().classes()].map(|tallies| {
        let tally = tallies.get(class).copied().unwrap_or_default();
        [tally.missed(), tally.rows]
    });
    let name = classes.get(class).map(ToString::to_string).unwrap_or_default();
    more_than_before(Compared::Missed { class: one_line(&name).into_owned() }, counts)
}

/// Of new rows, and of rows before.
fn more_than_before(of: Compared, [new, before]: [[u64; 2]; 2]) -> Comparison {
    let p_value = fisher_more(new, before);
    let known = Before::Rows { part: before[0], whole: before[1] };
    Comparison::new(of, new.map(|count| count as usize), known, p_value)
}
