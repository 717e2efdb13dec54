//! The order of rows by what they hold.
//!
//! Where rows are drawn, dealt to folds or added up as reals, they are taken in an order of their
//! own: by a hash of their values, then by class and weight. So no result depends on the order of
//! rows in a table. Rows that agree in all of it are interchangeable, and any one of them may be the
//! first.

use super::{DatasetView, RowHasher, mix};
use crate::exec::Exec;
use std::ops::Range;

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
    pub(crate) const FOLDS: u64 = 4 << 32;
    /// Rows set aside.
    pub(crate) const HOLD_OUT: u64 = 5 << 32;

    /// Where the shuffle puts rows of this hash.
    pub(crate) fn place(self, value_hash: u64) -> u64 {
        mix(value_hash ^ mix(self.seed ^ mix(self.number)))
    }
}

/// What tells rows apart.
pub(crate) struct RowKeys<'a> {
    value_hashes: Vec<u64>,
    classes: &'a [u32],
    weights: Option<&'a [f64]>,
}

impl<'a> RowKeys<'a> {
    pub(crate) fn new(data: &DatasetView<'a>, exec: &Exec) -> Self {
        let value_hashes = RowHasher::new(data.schema()).hash_all(data.matrix(), exec);
        Self::of_hashes(value_hashes, data.labels(), data.weights())
    }

    /// The same for rows whose values are hashed already.
    pub(super) fn of_hashes(
        value_hashes: Vec<u64>,
        classes: &'a [u32],
        weights: Option<&'a [f64]>,
    ) -> Self {
        Self { value_hashes, classes, weights }
    }

    /// The hash of every row's values.
    pub(crate) fn into_value_hashes(self) -> Vec<u64> {
        self.value_hashes
    }

    /// Some rows in their order.
    pub(crate) fn in_order(&self, rows: impl IntoIterator<Item = u32>) -> Vec<u32> {
        sorted(rows, |row| self.key(row))
    }

    /// All rows, shuffled.
    pub(super) fn shuffled(&self, shuffle: Shuffle) -> Vec<u32> {
        sorted(self.all(), |row| (shuffle.place(self.value_hash(row)), self.key(row)))
    }

    /// All rows by class, those of a class shuffled.
    pub(super) fn shuffled_by_class(&self, shuffle: Shuffle) -> Vec<u32> {
        let class = |row: u32| self.classes[row as usize];
        sorted(self.all(), |row| (class(row), shuffle.place(self.value_hash(row)), self.key(row)))
    }

    fn value_hash(&self, row: u32) -> u64 {
        self.value_hashes[row as usize]
    }

    fn all(&self) -> Range<u32> {
        0..self.classes.len() as u32
    }

    /// Equal for two rows only if they are interchangeable.
    fn key(&self, row: u32) -> (u64, u32, u64) {
        let weight = self.weights.map_or(1.0, |weights| weights[row as usize]);
        (self.value_hash(row), self.classes[row as usize], (weight + 0.0).to_bits())
    }
}

fn sorted<K: Ord>(rows: impl IntoIterator<Item = u32>, key: impl Fn(u32) -> K) -> Vec<u32> {
    let mut keyed: Vec<(K, u32)> = rows.into_iter().map(|row| (key(row), row)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, row)| row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_by_values_then_by_class_then_by_weight() {
        let hashes = vec![7, 3, 7, 7, 3];
        let (classes, weights) = ([1, 0, 0, 1, 0], [2.0, 1.0, 1.0, 0.5, 1.0]);
        let keys = RowKeys::of_hashes(hashes, &classes, Some(&weights));
        assert_eq!(keys.in_order(0..5), [1, 4, 2, 3, 0]);
        assert_eq!(keys.in_order([3, 0, 4]), [4, 3, 0]);
    }

    #[test]
    fn shuffles_of_other_seeds_and_numbers_are_others() {
        let classes = [0; 50];
        let keys = RowKeys::of_hashes((0..50).map(mix).collect(), &classes, None);
        let shuffled = |seed, number| keys.shuffled(Shuffle { seed, number });
        assert_eq!(shuffled(1, 0), shuffled(1, 0));
        assert_ne!(shuffled(1, 0), shuffled(1, 1));
        assert_ne!(shuffled(1, 0), shuffled(2, 0));
        assert_ne!(shuffled(1, 0), keys.in_order(0..50));
    }
}
