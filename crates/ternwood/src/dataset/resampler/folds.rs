//! Rows dealt to folds, or held out, whatever their order.

use super::{Resampler, Shuffle};
use crate::dataset::RowSubset;
use crate::error::{Result, parameter};

/// Stratified folds, made by [`Resampler::folds`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    of_rows: Vec<u32>,
    count: u32,
}

impl Folds {
    /// The number of folds.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// The fold in which each row is a test row.
    #[must_use]
    pub fn of_rows(&self) -> &[u32] {
        &self.of_rows
    }

    /// Training rows and test rows of every fold, both ascending.
    pub fn iter(&self) -> impl Iterator<Item = (Vec<usize>, Vec<usize>)> {
        (0..self.count)
            .map(|fold| (0..self.of_rows.len()).partition(|&row: &usize| self.of_rows[row] != fold))
    }
}

/// Stratified folds of weighted rows, in which weight k equals k copies.
pub(crate) struct UnitFolds<'s> {
    subset: &'s RowSubset,
    count: u32,
    /// The fold of each row's first unit.
    pub(super) first_folds: Vec<u32>,
    /// False if the other units of a row go to the folds after its first, in turn.
    is_whole: bool,
}

/// The training rows and the held-out rows of one fold.
pub(crate) struct FoldRows {
    pub(crate) training: RowSubset,
    pub(crate) test: RowSubset,
}

impl Resampler<'_> {
    /// Deals the rows of each stratum to `count` folds in turn. So the same rows share a fold in
    /// whatever order the table has them. Equal rows go to different folds; any of them may go to any of
    /// these.
    ///
    /// Each stratum continues where the one before it ended, so folds differ by at most one row in size
    /// and in every stratum. The same seed gives the same folds on every machine.
    ///
    /// # Errors
    /// Fewer than 2 folds, or more folds than rows.
    pub fn folds(&self, count: u32, seed: u64) -> Result<Folds> {
        let (what, most) = match self.groups {
            Some(groups) => ("groups", self.groups_of(groups, &self.all_rows().rows).len()),
            None => ("rows", self.n_rows()),
        };
        if count < 2 || count as usize > most {
            let allowed = format!("from 2 to the number of {what}, {most}");
            return Err(parameter("folds", count, allowed));
        }
        let shuffle = Shuffle { seed, number: Shuffle::FOLDS };
        let of_rows = self.first_folds(&self.all_rows(), count, shuffle, |_| 1);
        Ok(Folds { of_rows, count })
    }

    /// Deals the units of `subset` to stratified folds. With fewer units than folds, each unit is a fold.
    ///
    /// # Errors
    /// Fewer than two units or folds.
    pub(crate) fn unit_folds<'s>(
        &self,
        subset: &'s RowSubset,
        folds: u32,
        shuffle: Shuffle,
    ) -> Result<UnitFolds<'s>> {
        let (what, most) = match self.groups {
            Some(groups) => ("groups", self.groups_of(groups, &subset.rows).len() as u64),
            None => ("rows", subset.n_units()),
        };
        if u64::from(folds).min(most) < 2 {
            let allowed = format!("at least 2, of at least 2 {what}; there are {most}");
            return Err(parameter("folds", folds, allowed));
        }
        let count = u64::from(folds).min(most) as u32;
        let first_folds = self.first_folds(subset, count, shuffle, |row| subset.units(row));
        Ok(UnitFolds { subset, count, first_folds, is_whole: self.groups.is_some() })
    }

    /// The fold of each row's first unit.
    fn first_folds(
        &self,
        subset: &RowSubset,
        count: u32,
        shuffle: Shuffle,
        units: impl Fn(u32) -> u64,
    ) -> Vec<u32> {
        if let Some(groups) = self.groups {
            return self.folds_of_groups(groups, subset, count, shuffle, units);
        }
        let strata = self.strata(subset, count.into());
        let (mut folds, mut next) = (vec![0; self.n_rows()], 0);
        for row in self.shuffled(subset, &strata, shuffle) {
            folds[row as usize] = next;
            next = ((u64::from(next) + units(row) % u64::from(count)) % u64::from(count)) as u32;
        }
        folds
    }
}

impl UnitFolds<'_> {
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The training rows and the held-out rows of `fold`.
    pub(crate) fn rows_of(&self, fold: u32) -> FoldRows {
        let Self { subset, count, first_folds, is_whole } = self;
        if *is_whole || subset.has_unit_weights() {
            let is_held_out = |row: u32| first_folds[row as usize] == fold;
            let training = subset.only(|row| !is_held_out(row));
            return FoldRows { training, test: subset.only(is_held_out) };
        }
        let mut weights = [vec![0.0; first_folds.len()], vec![0.0; first_folds.len()]];
        for &row in &subset.rows {
            let (weight, units) = (subset.weight(row), subset.units(row));
            let steps = u64::from((fold + count - first_folds[row as usize]) % count);
            let folds = u64::from(*count);
            let held_out = units / folds + u64::from(units % folds > steps);
            let held_out = if held_out == units { weight } else { held_out as f64 };
            weights[0][row as usize] = weight - held_out;
            weights[1][row as usize] = held_out;
        }
        let [training, test] = weights.map(|weights| subset.reweighted(&weights));
        FoldRows { training, test }
    }
}

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
