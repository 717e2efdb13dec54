//! Settings beyond the growth of the tree: leaf distributions and automatic parameters.

use super::Recipe;
use super::tree_params::check_range;
use crate::error::{Result, parameter};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How leaf distributions are computed.
///
/// | leaves | distribution of a leaf | use it |
/// |---|---|---|
/// | `counts` | the class shares of its training rows | as in the paper: certain if rows agree |
/// | `smoothed` | `(counts + prior) / (n + 1)` | if a probability of exactly 0 would hurt |
/// | `em` | maximum likelihood for blended rows | for the best probabilities |
///
/// `prior` is the class shares of all training rows: each leaf gets one extra row, divided among
/// the classes in these proportions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leaves {
    /// The class shares of the training rows that reached the leaf.
    #[default]
    Counts,
    /// The same with one extra row, divided among the classes like all training rows.
    Smoothed,
    /// Found by expectation-maximisation: a row within zones belongs to several leaves and counts
    /// in each by its responsibility for the row.
    Em,
}

impl Leaves {
    /// Every kind, in the order of the table above.
    pub const ALL: [Self; 3] = [Self::Counts, Self::Smoothed, Self::Em];

    /// The name in parameters and files.
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

/// The automatic parameters: those chosen by inner cross-validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Auto {
    /// The scale of the zones; `zone.scale` of the parameters is then ignored.
    pub zone_scale: bool,
    /// The depth of the tree; `max_depth` of the parameters is then ignored.
    pub max_depth: bool,
}

impl Auto {
    /// True if any parameter is automatic.
    #[must_use]
    pub fn is_needed(self) -> bool {
        self.zone_scale || self.max_depth
    }
}

/// How a scale, a depth or an exponent was chosen: every candidate with its inner cross-validated log-loss, or
/// in a forest its out-of-bag log-loss.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The number of inner folds; 0 if a single row could not be held out, and in a forest.
    pub folds: u32,
    /// The number of repeats, each with new folds; 0 if there are no folds.
    pub repeats: u32,
    /// The candidates, by depth, then by scale, then by category error.
    pub candidates: Vec<CandidateLoss>,
}

/// One candidate and its log-loss on held-out rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CandidateLoss {
    /// The largest depth.
    #[serde(deserialize_with = "Option::deserialize")] // `null` must be written
    pub max_depth: Option<u32>,
    /// The factor on all half-widths.
    pub zone_scale: f64,
    /// The number of standard errors within which a category is undecided; absent where it was
    /// not chosen, because the data have no categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category_error: Option<f64>,
    /// In a forest, the exponent that goes best with them; absent where nothing is sharpened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exponent: Option<f64>,
    /// Mean log-loss of held-out or out-of-bag rows (natural logarithm); 0 without folds.
    pub log_loss: f64,
    /// The same fold by fold, repeat by repeat. If rows are many, only the first folds are held out.
    pub fold_log_losses: Vec<f64>,
}

/// Relative tolerance within which losses tie: blending equal leaves rounds.
pub(crate) const TIE: f64 = 1e-12;

impl Choice {
    /// Checks that the numbers are valid and that `recipe` has the parameters of a candidate.
    pub(crate) fn check(&self, recipe: &Recipe) -> Result<()> {
        let most_folds = u64::from(self.folds) * u64::from(self.repeats);
        let n_folds = self.candidates.first().map_or(0, |first| first.fold_log_losses.len());
        for CandidateLoss { zone_scale, category_error, log_loss, fold_log_losses, .. } in
            &self.candidates
        {
            check_range("zone_scale of a candidate", *zone_scale, 0.0, f64::MAX)?;
            let error = category_error.unwrap_or(0.0);
            check_range("category_error of a candidate", error, 0.0, f64::MAX)?;
            check_range("log_loss of a candidate", *log_loss, 0.0, f64::MAX)?;
            if fold_log_losses.len() != n_folds || n_folds as u64 > most_folds {
                let found = format!("a list of {}", fold_log_losses.len());
                let allowed =
                    format!("at most {most_folds}, by folds and repeats, and as many for all");
                return Err(parameter("fold_log_losses of a candidate", found, allowed));
            }
            for &of_fold in fold_log_losses {
                check_range("fold_log_losses of a candidate", of_fold, 0.0, f64::MAX)?;
            }
        }
        if !recipe.auto.is_needed() && recipe.forest.is_none() {
            let allowed = "only where the recipe leaves scale or depth to the data";
            return Err(parameter("choice", "present", allowed));
        }
        if self.place_of(recipe).is_some() {
            return Ok(());
        }
        let candidates = format!("a list of {} candidates", self.candidates.len());
        let allowed = "one of them has the recipe's max_depth, zone_scale and category_error";
        Err(parameter("choice", candidates, allowed))
    }

    /// The index of the candidate whose parameters the recipe has.
    #[must_use]
    pub fn place_of(&self, recipe: &Recipe) -> Option<usize> {
        let (max_depth, zone) = (recipe.params.max_depth, &recipe.params.zone);
        self.candidates.iter().position(|candidate| {
            candidate.max_depth == max_depth
                && candidate.zone_scale == zone.scale
                && candidate.category_error.is_none_or(|error| error == zone.category_error)
        })
    }

    /// The candidate with the lowest loss; on ties the shallowest, then the one of smallest scale, then of
    /// smallest category error.
    #[must_use]
    pub fn best(&self) -> Option<&CandidateLoss> {
        self.candidates.iter().reduce(|best, candidate| {
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
            category_error: None,
            exponent: None,
            log_loss,
            fold_log_losses: vec![log_loss; 15],
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
