//! Verdicts and errors by class.

use super::{check_predicted, check_verdicts};
use crate::dataset::check_class_ids;
use crate::error::Result;
use crate::predict::Verdict;
use serde::{Deserialize, Serialize};

/// Counts for one class: how many rows there are, how many are predicted rightly, and the same of
/// decided rows.
///
/// One number for all classes can hide what happens to a rare one: if 98 % of the rows are
/// of one class, a decided accuracy of 98 % is no achievement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassTally {
    /// Rows of this class.
    pub rows: u64,
    /// Rows of this class that are predicted as it, decided or not.
    pub right: u64,
    /// Decided rows of this class.
    pub decided: u64,
    /// Correctly decided rows of this class.
    pub decided_right: u64,
    /// Rows of any class that were decided for this one.
    pub decided_for: u64,
}

impl ClassTally {
    /// The tallies of all classes, by class id.
    ///
    /// ```
    /// use ternwood::Verdict::{Decided, Undecided};
    /// use ternwood::metrics::ClassTally;
    ///
    /// let verdicts = [Decided, Decided, Decided, Undecided];
    /// let [healthy, ill] = ClassTally::count(&[0, 0, 1, 1], &[0, 0, 0, 1], &verdicts, 2)?[..] else {
    ///     panic!("two classes")
    /// };
    /// assert_eq!((healthy.recall(), healthy.precision()), (Some(1.0), Some(2.0 / 3.0)));
    /// // Half of the ill were decided, wrongly; nobody was decided to be ill.
    /// assert_eq!(ill.coverage(), Some(0.5));
    /// assert_eq!((ill.recall(), ill.precision()), (Some(0.0), None));
    /// assert_eq!((ill.missed(), ill.miss_rate()), (1, Some(0.5)));
    /// // The other half was flagged, although its prediction was right.
    /// assert_eq!(ill.flagged_recall(), Some(1.0));
    /// # Ok::<(), ternwood::Error>(())
    /// ```
    ///
    /// # Errors
    /// Lists of different lengths, or a class id of `n_classes` or more.
    pub fn count(
        truth: &[u32],
        predicted: &[u32],
        verdicts: &[Verdict],
        n_classes: usize,
    ) -> Result<Vec<Self>> {
        check_predicted(truth, predicted)?;
        check_verdicts(verdicts, truth.len())?;
        check_class_ids(truth, n_classes)?;
        check_class_ids(predicted, n_classes)?;
        let mut tallies = vec![Self::default(); n_classes];
        for ((&truth, &predicted), verdict) in truth.iter().zip(predicted).zip(verdicts) {
            Self::add(&mut tallies, [truth, predicted], *verdict, 1);
        }
        Ok(tallies)
    }

    /// Counts `rows` rows of one true and one predicted class.
    pub(crate) fn add(
        tallies: &mut [Self],
        [truth, predicted]: [u32; 2],
        verdict: Verdict,
        rows: u64,
    ) {
        let [of_right, of_decided] =
            [truth == predicted, verdict.is_decided()].map(|is| if is { rows } else { 0 });
        let tally = &mut tallies[truth as usize];
        tally.rows += rows;
        tally.right += of_right;
        tally.decided += of_decided;
        tally.decided_right += of_right.min(of_decided);
        tallies[predicted as usize].decided_for += of_decided;
    }

    /// The sum over classes; its recall and its precision are both the decided accuracy. `None`
    /// if a sum does not fit into 64 bits.
    #[must_use]
    pub fn sum(tallies: &[Self]) -> Option<Self> {
        tallies.iter().try_fold(Self::default(), |sum, tally| {
            Some(Self {
                rows: sum.rows.checked_add(tally.rows)?,
                right: sum.right.checked_add(tally.right)?,
                decided: sum.decided.checked_add(tally.decided)?,
                decided_right: sum.decided_right.checked_add(tally.decided_right)?,
                decided_for: sum.decided_for.checked_add(tally.decided_for)?,
            })
        })
    }

    /// The sums class by class over parts of the rows, such as folds.
    #[must_use]
    pub fn sum_by_class(of_parts: &[Vec<Self>]) -> Vec<Self> {
        let n_classes = of_parts.first().map_or(0, Vec::len);
        let of_class = |class: usize| {
            let of_parts: Vec<Self> = of_parts.iter().map(|tallies| tallies[class]).collect();
            Self::sum(&of_parts).unwrap_or_default()
        };
        (0..n_classes).map(of_class).collect()
    }

    /// The share of rows decided. `None` without rows.
    #[must_use]
    pub fn coverage(&self) -> Option<f64> {
        share(self.decided, self.rows)
    }

    /// The share of rows flagged. `None` without rows.
    #[must_use]
    pub fn flag_rate(&self) -> Option<f64> {
        share(self.rows.checked_sub(self.decided)?, self.rows)
    }

    /// Decided recall: the share of this class's decided rows that are correct. `None` without
    /// any.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        share(self.decided_right, self.decided)
    }

    /// Flagged recall: the share of this class's flagged rows whose prediction is right all the
    /// same. `None` without any. Of the [sum](Self::sum), the accuracy of flagged rows.
    #[must_use]
    pub fn flagged_recall(&self) -> Option<f64> {
        let right = self.right.checked_sub(self.decided_right)?;
        share(right, self.rows.checked_sub(self.decided)?)
    }

    /// Misses: rows of this class that were decided as another.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.decided.saturating_sub(self.decided_right)
    }

    /// The share of this class's rows, flagged ones included, that were decided as another. `None`
    /// without rows.
    #[must_use]
    pub fn miss_rate(&self) -> Option<f64> {
        share(self.missed(), self.rows)
    }

    /// Decided precision: the share of the rows decided for this class that are correct. `None`
    /// without any.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        share(self.decided_right, self.decided_for)
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
