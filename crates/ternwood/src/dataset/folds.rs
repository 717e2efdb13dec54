//! Folds for cross-validation: every row is tested once, by a model that has not seen it.

use crate::error::{Result, parameter};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Stratified folds: each has its share of every class.
///
/// ```
/// use ternwood::Folds;
///
/// let classes = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1];
/// let folds = Folds::stratified(&classes, 2, 42)?;
/// for (training, test) in folds.iter() {
///     assert_eq!((training.len(), test.len()), (5, 5));
///     assert_eq!(test.iter().filter(|&&row| classes[row] == 0).count(), 2);
/// }
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    of_rows: Vec<u32>,
    count: u32,
}

impl Folds {
    /// Shuffles the rows of each class and deals them to `count` folds in turn. Each class
    /// continues where the one before it ended, so folds differ by at most one row in size and in
    /// every class. The same seed gives the same folds on every machine.
    ///
    /// # Errors
    /// Fewer than 2 folds, or more folds than rows.
    pub fn stratified(classes: &[u32], count: u32, seed: u64) -> Result<Self> {
        if count < 2 || count as usize > classes.len() {
            let allowed = format!("from 2 to the number of rows, {}", classes.len());
            return Err(parameter("folds", count, allowed));
        }
        let mut rows = shuffled(classes.len(), seed);
        // The sort is stable, so the rows of a class stay shuffled.
        rows.sort_by_key(|&row| classes[row]);
        let mut of_rows = vec![0; classes.len()];
        for (row, fold) in rows.into_iter().zip((0..count).cycle()) {
            of_rows[row] = fold;
        }
        Ok(Self { of_rows, count })
    }

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

/// The numbers below `count` in random order, the same on every machine.
pub(super) fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..count).collect();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    for last in (1..rows.len()).rev() {
        let other = (u128::from(random.next_u64()) * (last as u128 + 1)) >> 64;
        rows.swap(last, other as usize);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_are_even_in_size_and_in_every_class() {
        for (n, count) in [(10, 2), (103, 5), (7, 7), (1000, 3)] {
            let classes: Vec<u32> = (0..n).map(|row| (row * row) % 3).collect();
            let folds = Folds::stratified(&classes, count, 1).unwrap();
            let even = |of: &dyn Fn(usize) -> bool| {
                let sizes: Vec<usize> = folds
                    .iter()
                    .map(|(_, test)| test.into_iter().filter(|&row| of(row)).count())
                    .collect();
                sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1
            };
            assert!(even(&|_| true), "{n} rows in {count} folds");
            for class in 0..3 {
                assert!(even(&|row| classes[row] == class), "class {class} in {count} folds");
            }
        }
    }

    #[test]
    fn training_and_test_rows_are_all_rows_once() {
        let folds = Folds::stratified(&[0; 11], 3, 9).unwrap();
        let mut tested = Vec::new();
        for (training, test) in folds.iter() {
            let mut all = [training, test.clone()].concat();
            all.sort_unstable();
            assert_eq!(all, (0..11).collect::<Vec<_>>());
            tested.extend(test);
        }
        tested.sort_unstable();
        assert_eq!(tested, (0..11).collect::<Vec<_>>());
    }

    #[test]
    fn the_seed_decides() {
        let classes: Vec<u32> = (0..60).map(|row| row % 2).collect();
        let folds = |seed| Folds::stratified(&classes, 5, seed).unwrap();
        assert_eq!(folds(1), folds(1));
        assert_ne!(folds(1), folds(2));
    }

    #[test]
    fn impossible_numbers_of_folds_are_refused() {
        for count in [0, 1, 4] {
            let error = Folds::stratified(&[0, 1, 0], count, 0).unwrap_err().to_string();
            assert!(error.starts_with(&format!("folds is {count}; allowed: from 2 to")), "{error}");
        }
    }
}
