//! Dealing rows to inner folds by their values, so that weight k is k copies.
//!
//! Per class, rows stand in the order of a hash of their values, and each unit of weight goes to
//! the next fold. A row of whole weight k is k units, so it may lie in several folds, with the
//! weight that fell there; a fractional weight is one unit. Identical rows stand next to each
//! other and are dealt to different folds: with all of them in one fold, inner folds would be
//! harder than new rows are.

use super::fit_rows::FitRows;
use crate::error::{Result, parameter};
use crate::grow::RowSubset;

/// A dealing of rows to folds.
pub(super) struct Deal<'a> {
    fit: &'a FitRows<'a>,
    subset: &'a RowSubset,
    folds: u32,
    /// The fold of each row's first unit; its other units follow, one fold after the other.
    first_folds: Vec<u32>,
}

/// A division of rows: grow from some, ask about the others.
pub(super) struct Part {
    pub(super) training: RowSubset,
    pub(super) test: RowSubset,
}

/// Which dealing is meant: dealings with different numbers are unrelated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shuffle {
    pub(super) seed: u64,
    pub(super) number: u64,
}

impl<'a> Deal<'a> {
    /// Deals the rows of `subset` to stratified folds. Fewer units than folds make as many folds
    /// as units.
    ///
    /// # Errors
    /// Fewer than two units or folds.
    pub(super) fn new(
        fit: &'a FitRows<'a>,
        subset: &'a RowSubset,
        folds: u32,
        shuffle: Shuffle,
    ) -> Result<Self> {
        let n_units = n_units(fit, subset);
        let folds = u64::from(folds).min(n_units) as u32;
        if folds < 2 {
            let allowed = format!("from 2 to the number of rows, {n_units}");
            return Err(parameter("folds", folds, allowed));
        }
        let mut first_folds = vec![0; subset.rows.len()];
        let mut next = 0;
        for index in in_order(fit, subset, shuffle) {
            first_folds[index] = next;
            let units = units(fit.sample_weight(subset, subset.rows[index]));
            next = ((u64::from(next) + units % u64::from(folds)) % u64::from(folds)) as u32;
        }
        Ok(Self { fit, subset, folds, first_folds })
    }

    pub(super) fn folds(&self) -> u32 {
        self.folds
    }

    /// The rows to grow from and to ask about if `fold` is held out.
    pub(super) fn part(&self, fold: u32) -> Part {
        let rows = || self.subset.rows.iter().copied().zip(&self.first_folds);
        if self.fit.has_unit_weights(self.subset) {
            let of = |held_out: bool| RowSubset {
                rows: rows()
                    .filter(|&(_, &first)| (first == fold) == held_out)
                    .map(|r| r.0)
                    .collect(),
                weights: None,
            };
            return Part { training: of(false), test: of(true) };
        }
        let mut weights = [vec![0.0; self.fit.data.n_rows()], vec![0.0; self.fit.data.n_rows()]];
        for (row, &first) in rows() {
            let weight = self.fit.sample_weight(self.subset, row);
            let (units, folds) = (units(weight), u64::from(self.folds));
            let steps = u64::from((fold + self.folds - first) % self.folds);
            let held_out = units / folds + u64::from(units % folds > steps);
            let held_out = if held_out == units { weight } else { held_out as f64 };
            weights[0][row as usize] = weight - held_out;
            weights[1][row as usize] = held_out;
        }
        let [training, test] = weights.map(|weights| RowSubset {
            rows: rows().map(|r| r.0).filter(|&row| weights[row as usize] > 0.0).collect(),
            weights: Some(weights),
        });
        Part { training, test }
    }
}

/// The number of units that rows are dealt by.
pub(super) fn n_units(fit: &FitRows<'_>, subset: &RowSubset) -> u64 {
    subset.rows.iter().map(|&row| units(fit.sample_weight(subset, row))).sum()
}

/// About `wanted` units, of every class its share: per class, those of the smallest hashes.
pub(super) fn sample(
    fit: &FitRows<'_>,
    subset: &RowSubset,
    wanted: u64,
    shuffle: Shuffle,
) -> RowSubset {
    let mut of_class = vec![0u64; fit.prior.len()];
    let units_of = |row: u32| units(fit.sample_weight(subset, row));
    subset.rows.iter().for_each(|&row| of_class[fit.class_of(row)] += units_of(row));
    let total: u64 = of_class.iter().sum();
    let share = |units: u64| (units as f64 / total as f64 * wanted as f64).ceil() as u64;
    let mut left: Vec<u64> = of_class.into_iter().map(share).collect();
    let mut weights = vec![0.0; fit.data.n_rows()];
    for index in in_order(fit, subset, shuffle) {
        let row = subset.rows[index];
        let (left, units) = (&mut left[fit.class_of(row)], units_of(row));
        let taken = units.min(*left);
        *left -= taken;
        let weight = fit.sample_weight(subset, row);
        weights[row as usize] = if taken == units { weight } else { taken as f64 };
    }
    let rows: Vec<u32> =
        subset.rows.iter().copied().filter(|&row| weights[row as usize] > 0.0).collect();
    let weights = (!fit.has_unit_weights(subset)).then_some(weights);
    RowSubset { rows, weights }
}

/// Positions in the subset by class, then by the shuffle's hash of the row.
fn in_order(fit: &FitRows<'_>, subset: &RowSubset, shuffle: Shuffle) -> Vec<usize> {
    let salt = mix(shuffle.seed ^ mix(shuffle.number));
    let key = |&row: &u32| {
        let weight = fit.sample_weight(subset, row);
        // Rows alike in values but not in weight: the order of rows must not matter.
        (fit.class_of(row), mix(fit.value_hash(row) ^ salt), weight.to_bits())
    };
    let keys: Vec<(usize, u64, u64)> = subset.rows.iter().map(key).collect();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_unstable_by_key(|&index| (keys[index], index));
    order
}

/// A whole weight is as many units; any other weight is one.
fn units(weight: f64) -> u64 {
    if weight.fract() == 0.0 { weight as u64 } else { 1 }
}

/// A hash of a row's values. Both zeros are the same value.
pub(super) fn hash(values: impl Iterator<Item = f64>) -> u64 {
    values.fold(0, |hash, value| mix(hash ^ (value + 0.0).to_bits()))
}

/// The finaliser of SplitMix64: close numbers become unrelated ones.
fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
