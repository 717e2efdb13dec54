//! The winning column of a node: the input of the zone estimators.

mod gains;
pub(super) mod rows_by_bin;
mod split_evidence;

pub use gains::Candidate;
pub(super) use split_evidence::{Entry, EvidenceRules, Outside, SortedRow, SplitEvidence};
