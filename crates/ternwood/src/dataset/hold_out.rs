//! Rows set aside: the others train a model, these show what it does to rows it has not seen.

use super::{DatasetView, RowKeys, Shuffle};
use crate::error::{Result, parameter};
use crate::exec::Exec;

/// A random part of the rows, set aside. Both lists are ascending.
///
/// Which rows are set aside depends on what they hold and on the seed, not on the order of rows; of
/// equal rows it may be any.
///
/// ```
/// use ternwood::{Columns, Dataset, HoldOut, Labels};
///
/// let columns = Columns::from_columns((0..10).map(f64::from).collect(), 1)?;
/// let data = Dataset::new(columns, Labels::from_values([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]))?;
/// let HoldOut { training, held_out } = HoldOut::stratified(&data, 0.5, 42)?;
/// assert_eq!((training.len(), held_out.len()), (5, 5));
/// assert_eq!(held_out.iter().filter(|&&row| data.labels()[row] == 1).count(), 2);
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
    /// Sets the share `share` of the rows aside, whatever their class. The same seed gives the same
    /// rows on every machine.
    ///
    /// # Errors
    /// A share that is not between 0 and 1, or that leaves one of the parts without rows.
    pub fn random<'a>(data: impl Into<DatasetView<'a>>, share: f64, seed: u64) -> Result<Self> {
        Self::of(&data.into(), share, |rows| rows.shuffled(shuffle(seed)))
    }

    /// The same, with its share of every class set aside, to the row.
    ///
    /// # Errors
    /// As [`random`](Self::random).
    pub fn stratified<'a>(data: impl Into<DatasetView<'a>>, share: f64, seed: u64) -> Result<Self> {
        Self::of(&data.into(), share, |rows| rows.shuffled_by_class(shuffle(seed)))
    }

    /// Sets rows aside in equal distances, in the order that `arranged` gives them.
    fn of(
        data: &DatasetView<'_>,
        share: f64,
        arranged: impl FnOnce(&RowKeys<'_>) -> Vec<u32>,
    ) -> Result<Self> {
        let n_rows = data.n_rows();
        let (total, aside) = (n_rows as u128, (share * n_rows as f64).round() as u128);
        if !(0.0 < share && share < 1.0) || aside == 0 || aside == total {
            let allowed = format!(
                "a number between 0 and 1 that leaves some of the {total} rows in both parts"
            );
            return Err(parameter("share of rows to hold out", share, allowed));
        }
        let mut is_aside = vec![false; n_rows];
        for (place, row) in (0..).zip(arranged(&RowKeys::new(data, &Exec::default()))) {
            is_aside[row as usize] = (place + 1) * aside / total > place * aside / total;
        }
        let (held_out, training) = (0..n_rows).partition(|&row| is_aside[row]);
        Ok(Self { training, held_out })
    }
}

fn shuffle(seed: u64) -> Shuffle {
    Shuffle { seed, number: Shuffle::HOLD_OUT }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Columns, Dataset, Labels};

    /// Rows of one feature with few values, and three classes.
    fn data(n_rows: u32) -> Dataset {
        let columns = Columns::from_columns((0..n_rows).map(|x| f64::from(x % 13)).collect(), 1);
        let classes = (0..n_rows).map(|row| (row * row) % 3).collect();
        let names = (0..3u32).map(Into::into).collect();
        Dataset::new(columns.unwrap(), Labels::from_ids(classes, names).unwrap()).unwrap()
    }

    #[test]
    fn every_class_gives_its_share() {
        for (n, share) in [(10, 0.5), (103, 0.2), (1000, 0.333), (7, 0.1)] {
            let data = data(n);
            let HoldOut { training, held_out } = HoldOut::stratified(&data, share, 1).unwrap();
            let mut all = [training, held_out.clone()].concat();
            all.sort_unstable();
            assert_eq!(all, (0..n as usize).collect::<Vec<_>>());
            assert_eq!(held_out.len(), (share * f64::from(n)).round() as usize);
            for class in 0..3 {
                let of_class = |rows: &mut dyn Iterator<Item = usize>| {
                    rows.filter(|&row| data.labels()[row] == class).count() as f64
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
        let data = data(60);
        let aside = |seed| HoldOut::random(&data, 0.25, seed).unwrap();
        assert_eq!(aside(1), aside(1));
        assert_ne!(aside(1), aside(2));
        assert_eq!(aside(3).held_out.len(), 15);
    }

    #[test]
    fn impossible_shares_are_refused() {
        let data = data(4);
        for share in [0.0, 1.0, -0.5, 20.0, f64::NAN, 0.1, 0.9] {
            let error = HoldOut::random(&data, share, 0).unwrap_err().to_string();
            let start = format!("share of rows to hold out is {share}; allowed: a number between");
            assert!(error.starts_with(&start), "{error}");
        }
        assert!(HoldOut::random(&data, 0.2, 0).is_ok(), "one of four");
    }
}
