//! Rows set aside: the others train a model, these show what it does to rows it has not seen.

use super::{Resampler, Shuffle};
use crate::error::{Result, parameter};

/// A random part of the rows, set aside by [`Resampler::hold_out`]. Both lists are ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldOut {
    /// The rows to learn from.
    pub training: Vec<usize>,
    /// The rows set aside.
    pub held_out: Vec<usize>,
}

impl Resampler<'_> {
    /// Sets the share `share` of the rows aside, and of every stratum its share, to the row. Which rows
    /// are set aside depends on what they hold and on the seed, not on the order of rows; of equal rows
    /// it may be any. The same seed gives the same rows on every machine.
    ///
    /// # Errors
    /// A share that is not between 0 and 1, or that leaves one of the parts without rows.
    pub fn hold_out(&self, share: f64, seed: u64) -> Result<HoldOut> {
        self.set_aside(share, true, seed)
    }

    /// The same, whatever the strata: a simple random sample.
    ///
    /// # Errors
    /// As [`hold_out`](Self::hold_out).
    pub fn hold_out_at_random(&self, share: f64, seed: u64) -> Result<HoldOut> {
        self.set_aside(share, false, seed)
    }

    /// Sets rows or groups aside in equal distances, after they are shuffled.
    fn set_aside(&self, share: f64, is_stratified: bool, seed: u64) -> Result<HoldOut> {
        let rows = self.all_rows();
        let block = (1.0 / share).round() as u64;
        let strata = match is_stratified {
            true => self.strata(&rows, block.max(1)),
            false => vec![0; self.n_rows()].into(),
        };
        let shuffle = Shuffle { seed, number: Shuffle::HOLD_OUT };
        let (shuffled, groups);
        let (what, parts): (_, Vec<&[u32]>) = match self.groups {
            None => {
                shuffled = self.shuffled(&rows, &strata, shuffle);
                ("rows", shuffled.chunks(1).collect())
            }
            Some(of_rows) => {
                groups = self.shuffled_groups(of_rows, &rows, &strata, shuffle);
                ("groups", groups.iter().map(Vec::as_slice).collect())
            }
        };
        let (total, aside) = (parts.len() as u128, (share * parts.len() as f64).round() as u128);
        if !(0.0 < share && share < 1.0) || aside == 0 || aside == total {
            let allowed = format!(
                "a number between 0 and 1 that leaves some of the {total} {what} in both parts"
            );
            return Err(parameter("share of rows to hold out", share, allowed));
        }
        let mut is_aside = vec![false; self.n_rows()];
        for (place, rows) in (0..).zip(parts) {
            let is_drawn = (place + 1) * aside / total > place * aside / total;
            rows.iter().for_each(|&row| is_aside[row as usize] = is_drawn);
        }
        let (held_out, training) = (0..self.n_rows()).partition(|&row| is_aside[row]);
        Ok(HoldOut { training, held_out })
    }
}
