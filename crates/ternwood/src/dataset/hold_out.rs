//! Rows set aside: the others train a model, these show what it does to rows it has not seen.

use super::folds::shuffled;
use crate::error::{Result, parameter};

/// A random part of the rows, set aside. Both lists are ascending.
///
/// ```
/// use ternwood::HoldOut;
///
/// let classes = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];
/// let HoldOut { training, held_out } = HoldOut::stratified(&classes, 0.5, 42)?;
/// assert_eq!((training.len(), held_out.len()), (5, 5));
/// assert_eq!(held_out.iter().filter(|&&row| classes[row] == 1).count(), 2);
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoldOut {
    /// The rows to learn from.
    pub training: Vec<usize>,
    /// The rows set aside.
    pub held_out: Vec<usize>,
}

impl HoldOut {
    /// Sets the share `share` of `n_rows` rows aside, whatever their class. The same seed gives the
    /// same rows on every machine.
    ///
    /// # Errors
    /// A share that is not between 0 and 1, or that leaves one of the parts without rows.
    pub fn random(n_rows: usize, share: f64, seed: u64) -> Result<Self> {
        Self::every_so_often(&shuffled(n_rows, seed), share)
    }

    /// The same, with its share of every class set aside, to the row.
    ///
    /// # Errors
    /// As [`random`](Self::random).
    pub fn stratified(classes: &[u32], share: f64, seed: u64) -> Result<Self> {
        let mut rows = shuffled(classes.len(), seed);
        // The sort is stable, so the rows of a class stay shuffled.
        rows.sort_by_key(|&row| classes[row]);
        Self::every_so_often(&rows, share)
    }

    /// Sets rows of the list aside in equal distances.
    fn every_so_often(rows: &[usize], share: f64) -> Result<Self> {
        let total = rows.len() as u128;
        let aside = (share * rows.len() as f64).round() as u128;
        if !(0.0 < share && share < 1.0) || aside == 0 || aside == total {
            let allowed = format!(
                "a number between 0 and 1 that leaves some of the {total} rows in both parts"
            );
            return Err(parameter("share of rows to hold out", share, allowed));
        }
        let mut is_aside = vec![false; rows.len()];
        for (place, &row) in (0..).zip(rows) {
            is_aside[row] = (place + 1) * aside / total > place * aside / total;
        }
        let (held_out, training) = (0..rows.len()).partition(|&row| is_aside[row]);
        Ok(Self { training, held_out })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_gives_its_share() {
        for (n, share) in [(10, 0.5), (103, 0.2), (1000, 0.333), (7, 0.1)] {
            let classes: Vec<u32> = (0..n).map(|row| (row * row) % 3).collect();
            let HoldOut { training, held_out } = HoldOut::stratified(&classes, share, 1).unwrap();
            let mut all = [training, held_out.clone()].concat();
            all.sort_unstable();
            assert_eq!(all, (0..n as usize).collect::<Vec<_>>());
            assert_eq!(held_out.len(), (share * f64::from(n)).round() as usize);
            for class in 0..3 {
                let of_class = |rows: &mut dyn Iterator<Item = usize>| {
                    rows.filter(|&row| classes[row] == class).count() as f64
                };
                let [aside, rows] =
                    [of_class(&mut held_out.iter().copied()), of_class(&mut (0..n as usize))];
                let exact = rows * held_out.len() as f64 / f64::from(n);
                assert!((aside - exact).abs() <= 1.0, "class {class}: {aside} of {rows}");
            }
        }
    }

    #[test]
    fn the_seed_decides() {
        let aside = |seed| HoldOut::random(60, 0.25, seed).unwrap();
        assert_eq!(aside(1), aside(1));
        assert_ne!(aside(1), aside(2));
        assert_eq!(aside(3).held_out.len(), 15);
    }

    #[test]
    fn impossible_shares_are_refused() {
        for share in [0.0, 1.0, -0.5, 20.0, f64::NAN, 0.1, 0.9] {
            let error = HoldOut::random(4, share, 0).unwrap_err().to_string();
            let start = format!("share of rows to hold out is {share}; allowed: a number between");
            assert!(error.starts_with(&start), "{error}");
        }
        assert!(HoldOut::random(4, 0.2, 0).is_ok(), "one of four");
    }
}
