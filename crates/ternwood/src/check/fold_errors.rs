//! Do folds err equally often?

use crate::stats::fisher;

/// The usual level at which [`folds_differ`] is taken to say that they do.
pub const USUAL_FOLD_LEVEL: f64 = 0.001;

/// The probability that a fold stands out from the others as much as one of these does, if every row
/// is as likely to be answered wrongly as any other. Each fold is given by its wrong answers and its
/// rows.
///
/// Fisher's exact test compares each fold with all others: given the number of wrong answers in all,
/// those of a fold that was drawn at random follow the hypergeometric distribution. The result is the
/// least of these probabilities, times the number of folds (Bonferroni), so that folds drawn at random
/// are below a level at most as often as it says. 1 for fewer than two folds.
///
/// Rows that are sorted or grouped make folds differ if each fold holds neighbouring rows.
///
/// ```
/// use ternwood::check::folds_differ;
///
/// assert_eq!(folds_differ(&[[10, 50], [10, 50]]), 1.0);
/// assert!(folds_differ(&[[10, 50], [11, 50], [9, 50]]) > 0.5);
/// assert!(folds_differ(&[[30, 50], [2, 50], [3, 50]]) < 1e-9);
/// ```
///
/// # Panics
/// If a fold has more wrong answers than rows.
#[must_use]
pub fn folds_differ(folds: &[[u64; 2]]) -> f64 {
    let sum = |which: usize| folds.iter().map(|fold| fold[which]).sum::<u64>();
    let [wrong, rows] = [sum(0), sum(1)];
    let of_fold = |fold: &[u64; 2]| fisher(*fold, [wrong - fold[0], rows - fold[1]]);
    let least = folds.iter().map(of_fold).fold(1.0, f64::min);
    if folds.len() < 2 { 1.0 } else { (least * folds.len() as f64).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_folds_by_hand() {
        // All 4 wrong answers in the same of two folds of 4 rows: 2 of 70 ways, twice tested.
        assert!((folds_differ(&[[4, 4], [0, 4]]) - 4.0 / 70.0).abs() < 1e-12);
        assert_eq!(folds_differ(&[[2, 4], [2, 4]]), 1.0);
    }

    #[test]
    fn what_cannot_differ_does_not() {
        assert_eq!(folds_differ(&[]), 1.0);
        assert_eq!(folds_differ(&[[3, 9]]), 1.0);
        assert_eq!(folds_differ(&[[0, 9], [0, 5]]), 1.0);
        assert_eq!(folds_differ(&[[9, 9], [5, 5]]), 1.0);
        // Every row a fold.
        assert_eq!(folds_differ(&[[1, 1], [0, 1], [0, 1], [1, 1]]), 1.0);
        assert_eq!(folds_differ(&[[0, 0], [5, 10]]), 1.0);
    }

    /// All ways to deal the wrong answers to folds of 6, 5 and 4 rows: those below a level are together no
    /// likelier than the level.
    #[test]
    fn the_level_holds_exactly() {
        let sizes = [6_u64, 5, 4];
        let choose = |n: u64, k: u64| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
        for wrong in 0..=15 {
            let mut ways = Vec::new();
            for first in 0..=sizes[0].min(wrong) {
                for second in 0..=sizes[1].min(wrong - first) {
                    let third = wrong - first - second;
                    if third > sizes[2] {
                        continue;
                    }
                    let found = [first, second, third];
                    let folds: Vec<[u64; 2]> =
                        found.into_iter().zip(sizes).map(Into::into).collect();
                    let ways_of = |(&size, &k): (&u64, &u64)| choose(size, k);
                    let number: f64 = sizes.iter().zip(&found).map(ways_of).product();
                    ways.push((folds_differ(&folds), number));
                }
            }
            let all: f64 = ways.iter().map(|(_, number)| number).sum();
            for level in [0.001, 0.01, 0.05, 0.2, 0.5] {
                let below: f64 = ways.iter().filter(|(p, _)| *p <= level).map(|(_, n)| n).sum();
                assert!(below / all <= level, "{wrong} wrong: {} at {level}", below / all);
            }
        }
    }
}
