//! How many rows two sets share, and how many they would share by chance.

use super::row_sketch::{Entry, RowSketch};
use std::collections::BTreeMap;

/// Distinct rows of two sets, as far as the sketch of both together reaches.
///
/// That limit depends only on the rows, not on which of them are in which set.
#[derive(Debug, Default)]
pub(super) struct SharedRows {
    /// By how many rows of both sets have a hash: the number of such hashes.
    hashes_by_rows: BTreeMap<u64, usize>,
    /// Hashes of both sets.
    pub(super) shared: usize,
    /// Training rows, and how many of them have an equal among the others.
    pub(super) training: u64,
    pub(super) twins: u64,
    /// Given rows, and how many of them have an equal among the training rows.
    pub(super) given: u64,
    pub(super) seen: u64,
    /// Given rows beyond the number of equal training rows, and the other way round.
    pub(super) only_given: u64,
    pub(super) only_training: u64,
}

impl SharedRows {
    pub(super) fn new(training: &RowSketch, given: &RowSketch) -> Self {
        let both = training.clone().merged(given);
        let mut found = Self::default();
        let (mut of_training, mut of_given) = (training.entries().iter(), given.entries().iter());
        for Entry { hash, count } in both.entries() {
            let count_in = |entries: &mut std::slice::Iter<'_, Entry>| {
                let next = entries.as_slice().first().filter(|entry| entry.hash == *hash)?;
                entries.next();
                Some(next.count)
            };
            let training = count_in(&mut of_training).unwrap_or(0);
            let given = count_in(&mut of_given).unwrap_or(0);
            *found.hashes_by_rows.entry(*count).or_default() += 1;
            found.training += training;
            found.given += given;
            found.only_given += given.saturating_sub(training);
            found.only_training += training.saturating_sub(given);
            found.twins += if training > 1 { training } else { 0 };
            if training > 0 && given > 0 {
                found.shared += 1;
                found.seen += given;
            }
        }
        found
    }

    /// The number of shared hashes, if it is chance which of all rows are the given ones.
    pub(super) fn by_chance(&self, n_training: u64, n_given: u64) -> NumberShared {
        let mut number = NumberShared::default();
        for (&rows, &hashes) in &self.hashes_by_rows {
            let chance = chance_of_both(rows, n_training, n_given);
            if chance > 0.0 {
                (0..hashes).for_each(|_| number.add(chance));
            }
        }
        number
    }
}

/// The probability that a hash is in both sets, if `rows` of all rows have it: neither all of them
/// are in one set nor all in the other.
pub(super) fn chance_of_both(rows: u64, n_training: u64, n_given: u64) -> f64 {
    if rows < 2 {
        return 0.0;
    }
    let all = n_training as f64 + n_given as f64;
    let all_in = |set: u64, other: u64| {
        if rows > set {
            return 0.0;
        }
        // These rows are drawn from the set, or the rows of the other set from all that are left:
        // whichever takes fewer factors. A model file may claim any number of rows.
        let (factors, left) =
            if rows < other { (rows, set as f64) } else { (other, all - rows as f64) };
        let mut chance = 1.0;
        for drawn in (0..factors).map(|drawn| drawn as f64) {
            chance *= (left - drawn) / (all - drawn);
            if chance < f64::EPSILON / 4.0 {
                return 0.0;
            }
        }
        chance
    };
    (1.0 - all_in(n_training, n_given) - all_in(n_given, n_training)).max(0.0)
}

/// The distribution of how many of several independent events happen, each with a probability of
/// its own.
#[derive(Debug, Clone)]
pub(super) struct NumberShared {
    /// The probability of each number.
    probabilities: Vec<f64>,
    mean: f64,
}

impl Default for NumberShared {
    fn default() -> Self {
        Self { probabilities: vec![1.0], mean: 0.0 }
    }
}

impl NumberShared {
    /// One more event.
    pub(super) fn add(&mut self, chance: f64) {
        self.mean += chance;
        self.probabilities.push(0.0);
        for number in (1..self.probabilities.len()).rev() {
            let (happens, not) = (self.probabilities[number - 1], self.probabilities[number]);
            self.probabilities[number] = not * (1.0 - chance) + happens * chance;
        }
        self.probabilities[0] *= 1.0 - chance;
    }

    /// The probability of `number` or more. Small terms first: nothing is lost.
    pub(super) fn at_least(&self, number: usize) -> f64 {
        let tail = self.probabilities.get(number..).unwrap_or(&[]);
        tail.iter().rev().sum::<f64>().min(1.0)
    }

    /// The probability of `number` or more, if `at_least` is that of so many others beside these.
    pub(super) fn with_more(&self, number: usize, at_least: impl Fn(usize) -> f64) -> f64 {
        const NEGLIGIBLE: f64 = 1e-6;
        let likely = self.probabilities.iter().enumerate().filter(|(_, p)| **p > NEGLIGIBLE);
        likely.map(|(these, p)| p * at_least(number.saturating_sub(these))).sum()
    }

    pub(super) fn mean(&self) -> f64 {
        self.mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_of_both_by_hand() {
        // Of 5 rows, 2 are given. A pair of equal ones: 2 * 2 * 3 / (5 * 4).
        assert!((chance_of_both(2, 3, 2) - 0.6).abs() < 1e-15);
        // Three equal ones: not all given, and all in training with 1 / 10.
        assert!((chance_of_both(3, 3, 2) - 0.9).abs() < 1e-15);
        assert_eq!(chance_of_both(1, 3, 2), 0.0);
        // More equal rows than either set has.
        assert_eq!(chance_of_both(4, 3, 2), 1.0);
    }

    #[test]
    fn numbers_that_nobody_can_count_take_no_time() {
        // Nearly all rows are equal, and few are given: some of these are among them.
        assert_eq!(chance_of_both(1 << 62, (1 << 62) + 1, 2), 1.0);
        assert_eq!(chance_of_both(u64::MAX, u64::MAX, 1), 1.0);
        let half = chance_of_both(1 << 61, 1 << 62, 1);
        assert!((half - 0.5).abs() < 1e-12, "the one given row is one of them: {half}");
    }

    #[test]
    fn events_with_equal_chances_are_binomial() {
        let mut number = NumberShared::default();
        (0..40).for_each(|_| number.add(0.3));
        for least in [1, 5, 12, 20, 40] {
            let expected = crate::verdict::binomial_cdf(40, 40 - least, 0.7);
            assert!((number.at_least(least) / expected - 1.0).abs() < 1e-12, "{least}");
        }
        assert!((number.mean() - 12.0).abs() < 1e-12);
        assert!((number.at_least(0) - 1.0).abs() < 1e-12);
        assert!(number.at_least(41) == 0.0);
    }
}
