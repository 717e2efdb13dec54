//! Folds for cross-validation: every row is tested once, by a model that has not seen it.

use super::{DatasetView, RowKeys, Shuffle};
use crate::error::{Result, parameter};
use crate::exec::Exec;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Stratified folds: each has its share of every class.
///
/// ```
/// use ternwood::{Columns, Dataset, Folds, Labels};
///
/// let columns = Columns::from_columns((0..10).map(f64::from).collect(), 1)?;
/// let data = Dataset::new(columns, Labels::from_values([0, 0, 0, 0, 1, 1, 1, 1, 1, 1]))?;
/// let folds = Folds::by_content(&data, 2, 42)?;
/// for (training, test) in folds.iter() {
///     assert_eq!((training.len(), test.len()), (5, 5));
///     assert_eq!(test.iter().filter(|&&row| data.labels()[row] == 0).count(), 2);
/// }
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    of_rows: Vec<u32>,
    count: u32,
}

impl Folds {
    /// Deals the rows of each class to `count` folds in turn, ordered by a hash of what they hold. So
    /// the same rows share a fold in whatever order the table has them. Equal rows go to different
    /// folds; any of them may go to any of these.
    ///
    /// Each class continues where the one before it ended, so folds differ by at most one row in size
    /// and in every class. The same seed gives the same folds on every machine.
    ///
    /// # Errors
    /// Fewer than 2 folds, or more folds than rows.
    pub fn by_content<'a>(data: impl Into<DatasetView<'a>>, count: u32, seed: u64) -> Result<Self> {
        let data = data.into();
        check_count(count, data.n_rows())?;
        let shuffle = Shuffle { seed, number: Shuffle::FOLDS };
        let rows = RowKeys::new(&data, &Exec::default()).shuffled_by_class(shuffle);
        Ok(Self::dealt(rows.into_iter().map(|row| row as usize), count))
    }

    /// The same for rows of which only the class is known: the rows of each class are shuffled, so
    /// the folds depend on their order.
    ///
    /// # Errors
    /// As [`by_content`](Self::by_content).
    pub fn stratified(classes: &[u32], count: u32, seed: u64) -> Result<Self> {
        check_count(count, classes.len())?;
        let mut rows = shuffled(classes.len(), seed);
        // The sort is stable, so the rows of a class stay shuffled.
        rows.sort_by_key(|&row| classes[row]);
        Ok(Self::dealt(rows.into_iter(), count))
    }

    /// Deals all rows in this order.
    fn dealt(rows: impl ExactSizeIterator<Item = usize>, count: u32) -> Self {
        let mut of_rows = vec![0; rows.len()];
        for (row, fold) in rows.zip((0..count).cycle()) {
            of_rows[row] = fold;
        }
        Self { of_rows, count }
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

fn check_count(count: u32, n_rows: usize) -> Result<()> {
    if count < 2 || count as usize > n_rows {
        let allowed = format!("from 2 to the number of rows, {n_rows}");
        return Err(parameter("folds", count, allowed));
    }
    Ok(())
}

/// The numbers below `count` in random order, the same on every machine.
fn shuffled(count: usize, seed: u64) -> Vec<usize> {
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
    use crate::dataset::{Columns, Dataset, Labels};

    /// Rows of one feature with few values, and three classes.
    fn data(n_rows: u32) -> Dataset {
        let columns = Columns::from_columns((0..n_rows).map(|x| f64::from(x % 17)).collect(), 1);
        let classes = (0..n_rows).map(|row| (row * row) % 3).collect();
        let names = (0..3u32).map(Into::into).collect();
        Dataset::new(columns.unwrap(), Labels::from_ids(classes, names).unwrap()).unwrap()
    }

    /// Dealt by what rows hold, and by their class alone.
    fn both(data: &Dataset, count: u32, seed: u64) -> [Folds; 2] {
        let by_class = Folds::stratified(data.labels(), count, seed);
        [Folds::by_content(data, count, seed).unwrap(), by_class.unwrap()]
    }

    #[test]
    fn folds_are_even_in_size_and_in_every_class() {
        for (n, count) in [(10, 2), (103, 5), (7, 7), (1000, 3)] {
            let data = data(n);
            for folds in both(&data, count, 1) {
                let even = |of: &dyn Fn(usize) -> bool| {
                    let sizes: Vec<usize> = folds
                        .iter()
                        .map(|(_, test)| test.into_iter().filter(|&row| of(row)).count())
                        .collect();
                    sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1
                };
                assert!(even(&|_| true), "{n} rows in {count} folds");
                for class in 0..3 {
                    let is_even = even(&|row| data.labels()[row] == class);
                    assert!(is_even, "class {class} in {count} folds");
                }
            }
        }
    }

    #[test]
    fn training_and_test_rows_are_all_rows_once() {
        for folds in both(&data(11), 3, 9) {
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
    }

    #[test]
    fn the_seed_decides() {
        let data = data(60);
        let [one, again, other] = [1, 1, 2].map(|seed| both(&data, 5, seed));
        assert_eq!(one, again);
        assert_ne!(one[0], other[0]);
        assert_ne!(one[1], other[1]);
    }

    #[test]
    fn impossible_numbers_of_folds_are_refused() {
        let data = data(3);
        for count in [0, 1, 4] {
            let by_class = Folds::stratified(data.labels(), count, 0);
            for refused in [Folds::by_content(&data, count, 0), by_class] {
                let error = refused.unwrap_err().to_string();
                let start = format!("folds is {count}; allowed: from 2 to");
                assert!(error.starts_with(&start), "{error}");
            }
        }
    }
}
