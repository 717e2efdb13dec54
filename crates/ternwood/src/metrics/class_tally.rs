//! Verdicts and errors by class.

use super::ConfusionMatrix;
use crate::error::Result;
use crate::predict::Verdict;
use serde::{Deserialize, Serialize};

/// Counts for one class: rows, decided rows and correctly decided rows.
///
/// One number for all classes can hide what happens to a rare one: if 98 % of the rows are
/// of one class, a decided accuracy of 98 % is no achievement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassTally {
    /// Rows of this class.
    pub rows: u64,
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
    /// # Ok::<(), ternwood::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`ConfusionMatrix::new`].
    pub fn count(
        truth: &[u32],
        predicted: &[u32],
        verdicts: &[Verdict],
        n_classes: usize,
    ) -> Result<Vec<Self>> {
        let matrix = ConfusionMatrix::new(truth, predicted, verdicts, n_classes)?;
        let mut tallies = vec![Self::default(); n_classes];
        for (truth, counts) in matrix.rows().enumerate() {
            for (predicted, &count) in counts.iter().enumerate() {
                let count = count as u64;
                tallies[truth].rows += count;
                if predicted < n_classes {
                    tallies[truth].decided += count;
                    tallies[predicted].decided_for += count;
                }
            }
            tallies[truth].decided_right = counts[truth] as u64;
        }
        Ok(tallies)
    }

    /// The sum over classes; its recall and its precision are both the decided accuracy. `None`
    /// if a sum does not fit into 64 bits.
    #[must_use]
    pub fn sum(tallies: &[Self]) -> Option<Self> {
        tallies.iter().try_fold(Self::default(), |sum, tally| {
            Some(Self {
                rows: sum.rows.checked_add(tally.rows)?,
                decided: sum.decided.checked_add(tally.decided)?,
                decided_right: sum.decided_right.checked_add(tally.decided_right)?,
                decided_for: sum.decided_for.checked_add(tally.decided_for)?,
            })
        })
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
