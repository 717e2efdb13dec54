//! Comparing methods over many data sets.

mod per_set;

pub use per_set::SetFigures;

use std::fmt;

/// The mean; missing if there are no numbers.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The standard deviation of a sample (divided by `n - 1`); missing for fewer than 2 numbers.
#[must_use]
pub fn sample_deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Wins, ties and losses of one method against another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WinTieLoss {
    /// Better by more than the band.
    pub wins: usize,
    /// Within the band.
    pub ties: usize,
    /// Worse by more than the band.
    pub losses: usize,
}

impl WinTieLoss {
    /// The paper's band: half a point.
    pub const BAND: f64 = 0.005;

    /// Counts differences. Those of at most `band` are ties.
    #[must_use]
    pub fn of(differences: impl IntoIterator<Item = f64>, band: f64) -> Self {
        let mut count = Self::default();
        for difference in differences {
            if difference > band {
                count.wins += 1;
            } else if difference < -band {
                count.losses += 1;
            } else {
                count.ties += 1;
            }
        }
        count
    }
}

impl fmt::Display for WinTieLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.wins, self.ties, self.losses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_deviations_by_hand() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
        // Squares 4 + 1 + 9 = 14, over n - 1 = 2.
        assert_eq!(sample_deviation(&[1.0, 2.0, 6.0]), Some(7f64.sqrt()));
        assert_eq!((mean(&[]), sample_deviation(&[1.0])), (None, None));
    }

    #[test]
    fn the_band_itself_is_a_tie() {
        let count = WinTieLoss::of([0.25, -0.25, 0.5, -1.0, 0.0], 0.25);
        assert_eq!(count, WinTieLoss { wins: 1, ties: 3, losses: 1 });
        assert_eq!(count.to_string(), "1/3/1");
    }
}
