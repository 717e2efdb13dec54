//! Metrics: how good the predictions are, and how well verdicts tell right from wrong ones.
//!
//! There are three kinds:
//!
//! - **Verdicts**, as in the paper: an [`Evaluation`] has the counts ([`VerdictCounts`]) and the
//!   [`Rates`], a [`ConfusionMatrix`] with a column for review the counts per class, and
//!   [`Costs`] put a price on them.
//! - **Confidences**, not in the paper: a [`ConfidenceRanking`] gives the risk-coverage curve, the
//!   area under it and the accuracy at any coverage. [`ConfidenceRanking::chow_accuracy`] compares a verdict with
//!   rejecting the same number of rows by confidence.
//! - **Probabilities**: [`log_loss`].
//!
//! [`Figures`] has them all for one method, next to plain CART.
//!
//! Rows come as slices of equal length: true class ids, predicted class ids, verdicts. An
//! undefined metric (an accuracy over no rows, an efficiency without flags) is `None`, never 0
//! or 1, and means over folds skip it ([`mean_of_present`]). Lengths that differ and confidences
//! that are NaN are errors.
//!
//! ```
//! use ternwood::Verdict::{Decided, Undecided};
//! use ternwood::metrics::Evaluation;
//!
//! let truth = [0, 0, 1, 1];
//! let predicted = [0, 0, 1, 0];
//! let evaluation = Evaluation::new(&truth, &predicted, &[Decided, Decided, Decided, Undecided])?;
//! assert_eq!(evaluation.rates.accuracy, Some(0.75));
//! assert_eq!(evaluation.rates.decided_accuracy, Some(1.0)); // the one error was flagged
//! # Ok::<(), ternwood::Error>(())
//! ```

mod costs;
mod counts;
mod evaluation;
mod figures;
mod log_loss;
mod ranking;

pub use costs::Costs;
pub use counts::ClassTally;
pub use counts::ConfusionMatrix;
pub use counts::{VerdictCounts, correctness};
pub use evaluation::{Evaluation, Rates, mean_of_present};
pub use evaluation::{efficiency, u_over_b};
pub use figures::{Answers, CartAnswers, Figures};
pub use log_loss::{DEFAULT_CLIP, log_loss};
pub use ranking::ConfidenceRanking;
pub use ranking::RiskCoveragePoint;

use crate::dataset::check_length;
use crate::error::Result;
use crate::predict::Verdict;

/// `count / total`; `None` if `total` is 0.
fn share(count: usize, total: usize) -> Option<f64> {
    (total > 0).then(|| count as f64 / total as f64)
}

fn check_predicted(truth: &[u32], predicted: &[u32]) -> Result<()> {
    check_length("the list of predicted classes", predicted.len(), truth.len(), "one per row")
}

fn check_verdicts(verdicts: &[Verdict], rows: usize) -> Result<()> {
    check_length("the list of verdicts", verdicts.len(), rows, "one per row")
}
