//! Rows dealt to folds, bags and hold-out sets.
//!
//! A [`Resampler`] takes rows in an order of their own: by a hash of their values, then by target and
//! weight. So nothing that is dealt or drawn depends on the order of rows in a table. Rows that agree in
//! all of it are interchangeable, and any one of them may be the first.
//!
//! **Strata.** Rows are shuffled within strata and dealt in turn, so every part has its share of every
//! stratum. Strata of classes are the classes. Real targets are ranked and cut into blocks, as many units
//! of weight in each as there are parts: every fold gets one of the least values, one of the next, and so
//! on. Rows with the same target share a stratum, so copies of rows do, and a target with few values is
//! dealt like classes.
//!
//! **Units of weight.** Inner folds deal units of weight: a row of integer weight k is k units, as k copies
//! are, and may lie in several folds with part of its weight in each; a row of fractional weight is one
//! unit. Folds for the models of others, and hold-out sets, deal whole rows.
//!
//! **Groups** stay together everywhere. See [`groups`] for how they are balanced.

mod bags;
mod folds;
mod groups;
#[cfg(test)]
mod tests;

pub(crate) use bags::{Bag, Bags, OutOfBagRows};
pub use folds::Folds;
pub use folds::HoldOut;
pub(crate) use folds::{FoldRows, UnitFolds};

use super::{DatasetView, HashUse, RowHasher, RowSubset, RowWeights, Stream, check_length, mix};
use crate::error::Result;
use crate::exec::Exec;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// Deals rows to [folds](Self::folds) and [hold-out sets](Self::hold_out), whatever their order.
///
/// ```
/// use ternwood::{Columns, Dataset, HoldOut, Labels, Resampler};
///
/// let columns = Columns::from_columns((0..10).map(f64::from).collect(), 1)?;
/// let data = Dataset::new(columns, Labels::from_values([0, 0, 0, 0, 1, 1, 1, 1, 1, 1]))?;
/// let resampler = Resampler::new(&data);
/// for (training, test) in resampler.folds(2, 42)?.iter() {
///     assert_eq!((training.len(), test.len()), (5, 5));
///     assert_eq!(test.iter().filter(|&&row| data.labels()[row] == 0).count(), 2);
/// }
/// let HoldOut { training, held_out } = resampler.hold_out(0.3, 42)?;
/// assert_eq!((training.len(), held_out.len()), (7, 3));
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Resampler<'a> {
    /// What rows hold; `None` if only their target is known.
    data: Option<DatasetView<'a>>,
    /// The hash of every row's values.
    hashes: OnceLock<Vec<u64>>,
    target: Target<'a>,
    weights: Option<&'a [f64]>,
    /// The group of every row.
    groups: Option<&'a [u32]>,
}

/// What strata are made of.
#[derive(Debug, Clone, Copy)]
enum Target<'a> {
    Classes(&'a [u32]),
    Values(&'a [f64]),
}

/// Selects one shuffle of the rows; shuffles with different numbers are unrelated.
///
/// Numbers below 2^32 are those of repeated inner folds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shuffle {
    pub(crate) seed: u64,
    pub(crate) number: u64,
}

impl Shuffle {
    /// Folds whose predictions of training rows are calibration rows.
    pub(crate) const CROSS_FIT: u64 = 1 << 32;
    /// Folds in which the errors of cost-optimal zones are counted.
    pub(crate) const ERRORS: u64 = 2 << 32;
    /// A sample of many rows.
    pub(crate) const SAMPLE: u64 = 3 << 32;
    /// Folds of a whole table.
    const FOLDS: u64 = 4 << 32;
    /// Rows set aside.
    const HOLD_OUT: u64 = 5 << 32;

    /// Where the shuffle puts rows of this hash: different places for different hashes.
    fn place(self, hash: u64) -> u64 {
        mix(hash ^ mix(self.seed ^ mix(self.number)))
    }
}

impl<'a> Resampler<'a> {
    /// For the rows of a data set, stratified by class.
    pub fn new(data: impl Into<DatasetView<'a>>) -> Self {
        let data = data.into();
        let (target, weights) = (Target::Classes(data.labels()), data.weights());
        Self { data: Some(data), hashes: OnceLock::new(), target, weights, groups: None }
    }

    /// For rows of which only the class is known. What is dealt depends on their order.
    #[must_use]
    pub fn of_classes(classes: &'a [u32]) -> Self {
        let target = Target::Classes(classes);
        Self { data: None, hashes: OnceLock::new(), target, weights: None, groups: None }
    }

    /// The same, with the rows hashed by several threads.
    pub(crate) fn hashed(self, exec: &Exec) -> Self {
        self.hashes_on(exec);
        self
    }

    /// The same rows, stratified by a real target, which has no NaN.
    ///
    /// # Errors
    /// Not one value per row.
    #[doc(hidden)]
    pub fn with_target_values(self, values: &'a [f64]) -> Result<Self> {
        check_length("the list of targets", values.len(), self.n_rows(), "one per row")?;
        Ok(Self { target: Target::Values(values), ..self })
    }

    /// The same rows, in groups that stay together: rows with the same number. How groups are numbered
    /// does not matter.
    ///
    /// # Errors
    /// Not one group per row.
    #[doc(hidden)]
    pub fn with_groups(self, groups: &'a [u32]) -> Result<Self> {
        check_length("the list of groups", groups.len(), self.n_rows(), "one per row")?;
        Ok(Self { groups: Some(groups), ..self })
    }

    fn n_rows(&self) -> usize {
        match self.target {
            Target::Classes(classes) => classes.len(),
            Target::Values(values) => values.len(),
        }
    }

    fn all_rows(&self) -> RowSubset {
        let rows = (0..self.n_rows() as u32).collect();
        RowSubset::new(rows, Arc::new(RowWeights::new(self.weights)))
    }

    /// The hashes of what rows hold. Lazy, for many fits deal nothing.
    fn hashes(&self) -> Option<&[u64]> {
        self.hashes_on(&Exec::default())
    }

    fn hashes_on(&self, exec: &Exec) -> Option<&[u64]> {
        let hashed = |data| move || RowHasher::hashes(HashUse::Dealing, data, exec);
        self.data.as_ref().map(|data| self.hashes.get_or_init(hashed(data)).as_slice())
    }

    /// What two rows have in common that hold the same: values and target.
    fn content(&self, row: u32) -> (u64, u64) {
        let hash = self.hashes().map_or(row.into(), |hashes| hashes[row as usize]);
        (hash, self.target_bits(row))
    }

    fn target_bits(&self, row: u32) -> u64 {
        match self.target {
            Target::Classes(classes) => classes[row as usize].into(),
            Target::Values(values) => (values[row as usize] + 0.0).to_bits(),
        }
    }

    /// The weight of a row as given.
    fn weight(&self, row: u32) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row as usize]) + 0.0
    }

    /// Some rows in their order.
    pub(crate) fn in_order(&self, rows: &[u32]) -> Vec<u32> {
        sorted(rows, |row| (self.content(row), self.weight(row).to_bits()))
    }

    /// The place of every row in that order.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        let mut numbers = vec![0; self.n_rows()];
        let rows: Vec<u32> = (0..numbers.len() as u32).collect();
        (0..).zip(self.in_order(&rows)).for_each(|(number, row)| numbers[row as usize] = number);
        numbers
    }

    /// The rows of a subset, shuffled within strata.
    fn shuffled(&self, rows: &RowSubset, strata: &[u32], shuffle: Shuffle) -> Vec<u32> {
        let places = self.places(shuffle);
        sorted(&rows.rows, |row| {
            let (at, weight) = (row as usize, rows.weight(row).to_bits());
            // Rows in the same place hold the same values. Of equal rows the lightest first: rows of the
            // same weight in the subset come in the same order, whatever they weigh in all.
            (strata[at], places[at], self.target_bits(row), weight, self.weight(row).to_bits())
        })
    }

    /// Where a shuffle puts every row.
    fn places(&self, shuffle: Shuffle) -> Vec<u64> {
        if let Some(hashes) = self.hashes() {
            return hashes.iter().map(|&hash| shuffle.place(hash)).collect();
        }
        let mut random = Stream::seeded(shuffle.seed ^ shuffle.number ^ Shuffle::FOLDS);
        let mut rows: Vec<usize> = (0..self.n_rows()).collect();
        for last in (1..rows.len()).rev() {
            rows.swap(last, random.below(last as u32 + 1) as usize);
        }
        let mut places = vec![0; rows.len()];
        (0..).zip(rows).for_each(|(place, row)| places[row] = place);
        places
    }

    /// The stratum of every row of a subset. Strata of real targets have about `block` units each: rows
    /// with the same target share a stratum.
    fn strata(&self, rows: &RowSubset, block: u64) -> Cow<'a, [u32]> {
        let values = match self.target {
            Target::Classes(classes) => return classes.into(),
            Target::Values(values) => values,
        };
        let value = |row: u32| values[row as usize];
        let mut by_value = rows.rows.clone();
        by_value.sort_unstable_by(|&a, &b| value(a).total_cmp(&value(b)));
        let mut strata = vec![0; values.len()];
        let (mut before, mut last, mut stratum) = (0, 0, 0);
        for equal in by_value.chunk_by(|&a, &b| value(a) == value(b)) {
            let units: u64 = equal.iter().map(|&row| rows.units(row)).sum();
            let middle = (before + units / 2) / block;
            stratum += u32::from(middle != last);
            equal.iter().for_each(|&row| strata[row as usize] = stratum);
            (before, last) = (before + units, middle);
        }
        strata.into()
    }

    /// A stratified sample of about `wanted` units: of every stratum, those that come first.
    pub(crate) fn sample(&self, rows: &RowSubset, wanted: u64, shuffle: Shuffle) -> RowSubset {
        let total = rows.n_units();
        // Large enough that rounding up in every stratum adds little.
        let strata = self.strata(rows, 20 * total.div_ceil(wanted));
        let mut left = vec![0u64; strata.iter().max().map_or(0, |&last| last as usize + 1)];
        rows.rows.iter().for_each(|&row| left[strata[row as usize] as usize] += rows.units(row));
        let share = |units: u64| (units as f64 / total as f64 * wanted as f64).ceil() as u64;
        left.iter_mut().for_each(|units| *units = share(*units));
        let mut weights = vec![0.0; self.n_rows()];
        for row in self.shuffled(rows, &strata, shuffle) {
            let (left, units) = (&mut left[strata[row as usize] as usize], rows.units(row));
            let taken = units.min(*left);
            *left -= taken;
            weights[row as usize] = if taken == units { rows.weight(row) } else { taken as f64 };
        }
        match rows.has_unit_weights() {
            true => rows.only(|row| weights[row as usize] > 0.0),
            false => rows.reweighted(&weights),
        }
    }
}

fn sorted<K: Ord>(rows: &[u32], key: impl Fn(u32) -> K) -> Vec<u32> {
    let mut keyed: Vec<(K, u32)> = rows.iter().map(|&row| (key(row), row)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, row)| row).collect()
}
