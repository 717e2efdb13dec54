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
    /// The depth of the tree; `max_depth` of the parameters is then ignored. `None` if it is given.
    #[serde(deserialize_with = "Option::deserialize")] // `null` must be written
    pub max_depth: Option<DepthChoice>,
}

impl Auto {
    /// True if any parameter is automatic.
    #[must_use]
    pub fn is_needed(self) -> bool {
        self.zone_scale || self.max_depth.is_some()
    }
}

/// Which of the depths measured by cross-validation the tree gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DepthChoice {
    /// A tree that can be read: the smallest depth whose log-loss is within one standard error of
    /// the best depth, among the depths up to [`READABLE_DEPTH`].
    Auto,
    /// The depth with the lowest log-loss.
    Best,
}

impl DepthChoice {
    /// The name in parameters and files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Best => "best",
        }
    }
}

/// The largest depth that [`DepthChoice::Auto`] takes: at most 32 leaves.
pub const READABLE_DEPTH: u32 = 5;

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
    /// Mean number of leaves of the trees of the inner folds, 0 without folds; absent in a forest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<f64>,
}

/// What the depth with the lowest log-loss would gain over the chosen one. Displays as "depth 10
/// (about 134 leaves) would have a log-loss of 0.4069, 0.0241 less".
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthGain {
    /// The depth with the lowest log-loss.
    pub depth: u32,
    /// The mean number of leaves of its trees in the inner folds.
    pub leaves: f64,
    /// Its cross-validated log-loss.
    pub log_loss: f64,
    /// By how much that is lower than the log-loss of the chosen depth.
    pub gain: f64,
}

impl fmt::Display for DepthGain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { depth, leaves, log_loss, gain } = self;
        write!(
            f,
            "depth {depth} (about {leaves:.0} leaves) would have a log-loss of {log_loss:.4}, \
             {gain:.4} less"
        )
    }
}

/// Relative tolerance within which losses tie: blending equal leaves rounds.
pub(crate) const TIE: f64 = 1e-12;

impl Choice {
    /// Checks that the numbers are valid and that `recipe` has the parameters of a candidate.
    pub(crate) fn check(&self, recipe: &Recipe) -> Result<()> {
        let most_folds = u64::from(self.folds) * u64::from(self.repeats);
        let n_folds = self.candidates.first().map_or(0, |first| first.fold_log_losses.len());
        for candidate in &self.candidates {
            let CandidateLoss { zone_scale, category_error, log_loss, .. } = candidate;
            let fold_log_losses = &candidate.fold_log_losses;
            check_range("leaves of a candidate", candidate.leaves.unwrap_or(0.0), 0.0, f64::MAX)?;
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
        if !recipe.auto.is_needed() && recipe.ensemble.forest().is_none() {
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
        least(&self.candidates)
    }

    /// The candidate that [`DepthChoice::Auto`] takes: among the depths up to [`READABLE_DEPTH`], each with its
    /// best zones, the shallowest whose loss exceeds the lowest by at most one standard error.
    ///
    /// The standard error is that of the mean of the paired differences between two candidates. The unit is an
    /// inner fold, and the folds of all repeats count.
    #[must_use]
    pub fn readable(&self) -> Option<&CandidateLoss> {
        let of_depths = self.candidates.chunk_by(|a, b| a.max_depth == b.max_depth);
        let readable: Vec<&CandidateLoss> = of_depths
            .filter(|of_depth| of_depth[0].max_depth.is_some_and(|depth| depth <= READABLE_DEPTH))
            .filter_map(least)
            .collect();
        let best = least(readable.iter().copied())?;
        readable.into_iter().find(|candidate| {
            // If the candidates differ in a single fold, the difference is exactly one standard error.
            let tolerated = standard_error(candidate, best) + TIE * best.log_loss;
            candidate.log_loss - best.log_loss <= tolerated
        })
    }

    /// The candidate that is to be fitted.
    pub(crate) fn chosen(&self, depth: Option<DepthChoice>) -> Option<&CandidateLoss> {
        match depth {
            Some(DepthChoice::Auto) => self.readable(),
            Some(DepthChoice::Best) | None => self.best(),
        }
    }

    /// What the depth with the lowest loss would gain over the one chosen for `recipe`; `None` if depth was not
    /// chosen, or that depth was.
    pub(crate) fn depth_gain(&self, recipe: &Recipe) -> Option<DepthGain> {
        recipe.auto.max_depth?;
        let chosen = &self.candidates[self.place_of(recipe)?];
        let best = self.best().filter(|best| best.max_depth != chosen.max_depth)?;
        let (depth, leaves, log_loss) = (best.max_depth?, best.leaves?, best.log_loss);
        Some(DepthGain { depth, leaves, log_loss, gain: chosen.log_loss - log_loss })
    }
}

/// The first candidate with the lowest loss, but for rounding.
fn least<'c>(candidates: impl IntoIterator<Item = &'c CandidateLoss>) -> Option<&'c CandidateLoss> {
    candidates.into_iter().reduce(|best, candidate| {
        let better = candidate.log_loss < best.log_loss * (1.0 - TIE);
        if better { candidate } else { best }
    })
}

/// The standard error of the mean difference between the losses of two candidates: see [`Choice::readable`].
fn standard_error(one: &CandidateLoss, other: &CandidateLoss) -> f64 {
    let pairs = one.fold_log_losses.iter().zip(&other.fold_log_losses);
    let differences: Vec<f64> = pairs.map(|(one, other)| one - other).collect();
    let n = differences.len() as f64;
    if n < 2.0 {
        return 0.0;
    }
    let mean = differences.iter().sum::<f64>() / n;
    let squares: f64 = differences.iter().map(|it| (it - mean) * (it - mean)).sum();
    (squares / (n - 1.0) / n).sqrt()
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
            leaves: None,
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

    /// One candidate per depth, with these losses in the folds.
    fn depths(of_folds: &[(u32, &[f64])]) -> Choice {
        let candidate = |&(depth, losses): &(u32, &[f64])| CandidateLoss {
            max_depth: Some(depth),
            zone_scale: 0.4,
            category_error: None,
            exponent: None,
            log_loss: losses.iter().sum::<f64>() / losses.len() as f64,
            fold_log_losses: losses.to_vec(),
            leaves: Some(f64::from(1 << depth)),
        };
        Choice { folds: 4, repeats: 1, candidates: of_folds.iter().map(candidate).collect() }
    }

    fn readable_depth(of_folds: &[(u32, &[f64])]) -> u32 {
        depths(of_folds).readable().unwrap().max_depth.unwrap()
    }

    /// Differences of .02, .04, .06 and .08 have a mean of .05, a deviation of .02582 and so a standard error of
    /// .01291; adding -.03 to all leaves it, with a mean of .02; -.04 makes the mean .01.
    #[test]
    fn a_depth_within_one_standard_error_of_the_best_is_readable() {
        let best = [0.3, 0.4, 0.5, 0.6];
        let deeper_by = |gap: f64| [0.02, 0.04, 0.06, 0.08].map(|it| it - 0.05 + gap);
        let worse = |gap: f64| {
            let gaps = deeper_by(gap);
            [0, 1, 2, 3].map(|fold| best[fold] + gaps[fold])
        };
        assert_eq!(readable_depth(&[(2, &worse(0.0130)), (4, &best)]), 4);
        assert_eq!(readable_depth(&[(2, &worse(0.0128)), (4, &best)]), 2);
        assert_eq!(readable_depth(&[(2, &worse(0.02)), (3, &worse(0.01)), (4, &best)]), 3);
        assert_eq!(readable_depth(&[(2, &best), (4, &worse(0.01))]), 2);
    }

    #[test]
    fn a_depth_that_is_worse_in_one_fold_is_within_one_standard_error() {
        for gap in [1e-6, 0.001, 0.7] {
            let (best, worse) = ([0.1, 0.7, 0.31, 0.5], [0.1, 0.7 + gap, 0.31, 0.5]);
            assert_eq!(readable_depth(&[(3, &worse), (5, &best)]), 3, "{gap}");
        }
    }

    #[test]
    fn deeper_trees_than_readable_ones_set_no_standard() {
        let [good, bad] = [[0.1, 0.2, 0.1, 0.2], [0.5, 0.6, 0.5, 0.6]];
        let choice = depths(&[(2, &[0.7; 4]), (5, &bad), (6, &good), (10, &good)]);
        assert_eq!(choice.readable().unwrap().max_depth, Some(READABLE_DEPTH));
        assert_eq!(choice.best().unwrap().max_depth, Some(6));
        assert_eq!(depths(&[(6, &good)]).readable(), None);
    }

    #[test]
    fn the_gain_of_the_best_depth_is_told_where_another_was_chosen() {
        let choice = depths(&[(4, &[0.5; 4]), (8, &[0.4; 4])]);
        let mut recipe = Recipe::calibrated();
        recipe.params.zone.scale = 0.4;
        recipe.params.max_depth = Some(4);
        let gain = choice.depth_gain(&recipe).unwrap();
        assert_eq!((gain.depth, gain.leaves, gain.log_loss), (8, 256.0, 0.4));
        assert_eq!(
            gain.to_string(),
            "depth 8 (about 256 leaves) would have a log-loss of 0.4000, 0.1000 less"
        );
        recipe.params.max_depth = Some(8);
        assert_eq!(choice.depth_gain(&recipe), None);
        recipe.params.max_depth = Some(4);
        recipe.auto.max_depth = None;
        assert_eq!(choice.depth_gain(&recipe), None, "the depth was given");
    }
}
