//! Choices beyond the growth of the tree: what leaves answer, and what data may decide.

use super::tree_params::check_range;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What the leaves of a tree answer.
///
/// | leaves | distribution of a leaf | use it |
/// |---|---|---|
/// | `counts` | the class shares of its training rows | as in the paper: sure where all rows agree |
/// | `smoothed` | `(counts + prior) / (n + 1)` | where a probability of exactly 0 would hurt |
/// | `em` | the likeliest for rows that are blended | for the best probabilities |
///
/// `prior` is the class shares of all training rows: every leaf has seen one more row, of all
/// classes in proportion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leaves {
    /// The class shares of the training rows that reached the leaf.
    #[default]
    Counts,
    /// The same with one more row, which has the classes of all training rows in proportion.
    Smoothed,
    /// Found by expectation-maximisation: a row within zones belongs to several leaves, and each
    /// learns from it as much as it answers for it.
    Em,
}

impl Leaves {
    /// Every kind, in the order of the table above.
    pub const ALL: [Self; 3] = [Self::Counts, Self::Smoothed, Self::Em];

    /// Its name in parameters and files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Counts => "counts",
            Self::Smoothed => "smoothed",
            Self::Em => "em",
        }
    }
}

impl fmt::Display for Leaves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Which parameters the data decides, by inner cross-validation, instead of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Auto {
    /// The scale of the zones; then `zone.scale` of the parameters does not matter.
    pub zone_scale: bool,
    /// The depth of the tree; then `max_depth` of the parameters does not matter.
    pub max_depth: bool,
}

impl Auto {
    /// Whether there is anything to decide.
    #[must_use]
    pub fn is_needed(self) -> bool {
        self.zone_scale || self.max_depth
    }
}

/// How a scale or a depth was chosen: every candidate with its inner cross-validated log-loss.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// How many inner folds there were.
    pub folds: u32,
    /// How often the rows were dealt out to folds anew.
    pub repeats: u32,
    /// The candidates, by depth and then by scale.
    pub candidates: Vec<CandidateLoss>,
}

/// One candidate and how surprised it was by rows it had not seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CandidateLoss {
    /// The most tests on a path.
    pub max_depth: Option<u32>,
    /// The factor of all half-widths.
    pub zone_scale: f64,
    /// Mean log-loss of rows that the tree was not grown from (natural logarithm).
    pub log_loss: f64,
}

/// Losses closer than this, relative to the smaller, are equal: blending equal leaves rounds.
const TIE: f64 = 1e-12;

impl Choice {
    /// Refuses numbers that no choice could have.
    pub(crate) fn check(&self) -> Result<()> {
        for CandidateLoss { zone_scale, log_loss, .. } in &self.candidates {
            check_range("zone_scale of a candidate", *zone_scale, 0.0, f64::MAX)?;
            check_range("log_loss of a candidate", *log_loss, 0.0, f64::MAX)?;
        }
        Ok(())
    }

    /// The candidate of least loss; on ties the least deep, then the one of the smallest scale.
    #[must_use]
    pub fn best(&self) -> Option<CandidateLoss> {
        self.candidates.iter().copied().reduce(|best, candidate| {
            let better = candidate.log_loss < best.log_loss * (1.0 - TIE);
            if better { candidate } else { best }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(losses: &[f64]) -> Choice {
        let candidate = |(index, &log_loss): (usize, &f64)| CandidateLoss {
            max_depth: Some(4),
            zone_scale: index as f64,
            log_loss,
        };
        let candidates = losses.iter().enumerate().map(candidate).collect();
        Choice { folds: 5, repeats: 3, candidates }
    }

    #[test]
    fn the_first_of_equal_candidates_is_chosen() {
        assert_eq!(choice(&[0.5, 0.4, 0.4, 0.6]).best().unwrap().zone_scale, 1.0);
        assert_eq!(choice(&[0.5, 0.5 - 1e-16, 0.5]).best().unwrap().zone_scale, 0.0);
        assert_eq!(choice(&[0.0, 0.0]).best().unwrap().zone_scale, 0.0);
        assert_eq!(choice(&[0.5, 0.5 - 1e-9]).best().unwrap().zone_scale, 1.0);
        assert_eq!(choice(&[]).best(), None);
    }
}
