//! Stratified folds of weighted rows, in which weight k equals k copies.
//!
//! Within each class, rows are [ordered](crate::dataset::RowKeys) by a hash of their values, and each unit of weight goes to
//! the next fold. A row of integer weight k is k units, so it may lie in several folds with part of
//! its weight in each; a row of fractional weight is one unit. Identical rows are adjacent and go
//! to different folds: all in one fold, they would be harder to predict than new rows are.

use super::fit_rows::FitRows;
use crate::dataset::{MAX_ROWS, Shuffle};
use crate::error::{Result, parameter};
use crate::grow::RowSubset;

/// Stratified folds of weighted rows.
pub(super) struct WeightedFolds<'a> {
    fit: &'a FitRows<'a>,
    subset: &'a RowSubset,
    folds: u32,
    /// The fold of each row's first unit; its other units go to the folds after it, in turn.
    first_folds: Vec<u32>,
}

/// The training rows and the held-out rows of one fold.
pub(super) struct FoldRows {
    pub(super) training: RowSubset,
    pub(super) test: RowSubset,
}

impl<'a> WeightedFolds<'a> {
    /// Assigns the rows of `subset` to stratified folds. With fewer units than folds, each unit is
    /// a fold.
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
        if u64::from(folds).min(n_units) < 2 {
            let allowed = format!("at least 2, of at least 2 rows; there are {n_units}");
            return Err(parameter("folds", folds, allowed));
        }
        let folds = u64::from(folds).min(n_units) as u32;
        let mut first_folds = vec![0; subset.rows.len()];
        let mut next = 0;
        for index in in_order(fit, subset, shuffle) {
            first_folds[index] = next;
            let units = units(fit.sample_weight(subset, subset.rows[index]));
            next = ((u64::from(next) + units % u64::from(folds)) % u64::from(folds)) as u32;
        }
        Ok(Self { fit, subset, folds, first_folds })
    }

    pub(super) fn count(&self) -> u32 {
        self.folds
    }

    /// The training rows and the held-out rows of `fold`.
    pub(super) fn rows_of(&self, fold: u32) -> FoldRows {
        let rows = || self.subset.rows.iter().copied().zip(&self.first_folds);
        if self.fit.has_unit_weights(self.subset) {
            let of = |held_out: bool| RowSubset {
                rows: rows()
                    .filter(|&(_, &first)| (first == fold) == held_out)
                    .map(|r| r.0)
                    .collect(),
                weights: None,
            };
            return FoldRows { training: of(false), test: of(true) };
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
        FoldRows { training, test }
    }
}

/// The number of units of all rows of `subset`.
pub(super) fn n_units(fit: &FitRows<'_>, subset: &RowSubset) -> u64 {
    n_units_of(fit, subset, &subset.rows)
}

/// The number of units of some rows of `subset`.
pub(super) fn n_units_of(fit: &FitRows<'_>, subset: &RowSubset, rows: &[u32]) -> u64 {
    rows.iter().map(|&row| units(fit.sample_weight(subset, row))).sum()
}

/// A stratified sample of about `wanted` units: per class, those with the smallest hashes.
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

/// Positions in the subset, ordered by class, then as shuffled.
fn in_order(fit: &FitRows<'_>, subset: &RowSubset, shuffle: Shuffle) -> Vec<usize> {
    let key = |(index, &row): (usize, &u32)| {
        let weight = fit.sample_weight(subset, row).to_bits();
        let place = shuffle.place(fit.value_hash(row));
        // Of equal values the lightest first: rows of the same weight in the subset come in the same
        // order, whatever they weigh in all.
        (fit.class_of(row), place, weight, fit.number(row), index)
    };
    let mut keys: Vec<_> = subset.rows.iter().enumerate().map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(.., index)| index).collect()
}

/// The units of a weight: k for an integer weight k, else 1. Weights above [`MAX_ROWS`] are also
/// one unit, which keeps sums of units within 64 bits.
pub(super) fn units(weight: f64) -> u64 {
    let is_copies = weight.fract() == 0.0 && weight <= MAX_ROWS as f64;
    if is_copies { weight as u64 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Columns, Dataset, DatasetView, Labels};
    use crate::recipe::TreeParams;
    use proptest::prelude::*;

    const SHUFFLE: Shuffle = Shuffle { seed: 7, number: 0 };

    /// Rows of one feature.
    #[derive(Debug, Clone)]
    struct Rows {
        values: Vec<f64>,
        classes: Vec<u32>,
        weights: Vec<f64>,
    }

    impl Rows {
        /// Rows of one class and one weight.
        fn alike(values: impl IntoIterator<Item = f64>, weight: f64) -> Self {
            let values: Vec<f64> = values.into_iter().collect();
            let n = values.len();
            Self { values, classes: vec![0; n], weights: vec![weight; n] }
        }

        fn look<T>(&self, look: impl FnOnce(&FitRows<'_>) -> T) -> T {
            let columns = Columns::from_columns(self.values.clone(), 1).unwrap();
            let names = (0..4u32).map(Into::into).collect();
            let labels = Labels::from_ids(self.classes.clone(), names).unwrap();
            let data = Dataset::new(columns, labels).unwrap();
            let data = data.with_weights(self.weights.clone()).unwrap();
            let view = DatasetView::from(&data);
            look(&FitRows::new(&view, &TreeParams::default().check().unwrap()).unwrap())
        }

        fn rearranged(&self, order: &[usize]) -> Self {
            Self {
                values: order.iter().map(|&row| self.values[row]).collect(),
                classes: order.iter().map(|&row| self.classes[row]).collect(),
                weights: order.iter().map(|&row| self.weights[row]).collect(),
            }
        }

        /// The units of every fold that `counts` tells of, by row.
        fn units_by_fold(&self, folds: u32, counts: impl Fn(usize) -> bool) -> Vec<u64> {
            self.look(|fit| {
                let deal = WeightedFolds::new(fit, &fit.all, folds, SHUFFLE).unwrap();
                let held_out = |fold| {
                    let test = deal.rows_of(fold).test;
                    let rows = test.rows.iter().filter(|&&row| counts(row as usize));
                    rows.map(|&row| units(fit.sample_weight(&test, row))).sum()
                };
                (0..deal.count()).map(held_out).collect()
            })
        }
    }

    /// Few distinct values, some classes, and weights that are 1, whole or broken.
    fn rows() -> impl Strategy<Value = Rows> {
        let weight = prop_oneof![
            Just(0.0),
            Just(1.0),
            (1..12u32).prop_map(f64::from),
            prop::sample::select(vec![0.25, 0.5, 2.75, 2147483648.0]),
        ];
        let weights = move |n| {
            prop_oneof![Just(vec![1.0; n]), prop::collection::vec(weight.clone(), n)].boxed()
        };
        (3..60usize).prop_flat_map(move |n| {
            let values = prop::collection::vec((0..9i32).prop_map(f64::from), n);
            (values, prop::collection::vec(0..4u32, n), weights(n)).prop_map(
                |(values, classes, mut weights)| {
                    weights[0] = 2.0; // Something must count.
                    Rows { values, classes, weights }
                },
            )
        })
    }

    fn are_even(counts: &[u64]) -> bool {
        counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn every_unit_is_held_out_once(rows in rows(), folds in 2..8u32) {
            rows.look(|fit| {
                let deal = WeightedFolds::new(fit, &fit.all, folds, SHUFFLE).unwrap();
                prop_assert_eq!(u64::from(deal.count()), n_units(fit, &fit.all).min(folds.into()));
                let mut held_out = vec![0.0; rows.values.len()];
                for part in (0..deal.count()).map(|fold| deal.rows_of(fold)) {
                    let mut here = vec![0.0; rows.values.len()];
                    for subset in [&part.training, &part.test] {
                        prop_assert!(!subset.rows.is_empty() && subset.rows.is_sorted());
                        for &row in &subset.rows {
                            prop_assert!(fit.sample_weight(subset, row) > 0.0);
                            here[row as usize] += fit.sample_weight(subset, row);
                        }
                    }
                    prop_assert_eq!(&here, &rows.weights);
                    for &row in &part.test.rows {
                        held_out[row as usize] += fit.sample_weight(&part.test, row);
                    }
                }
                prop_assert_eq!(&held_out, &rows.weights);
                Ok(())
            })?;
        }

        /// In size, in every class, and among the rows of every class that are identical.
        #[test]
        fn folds_differ_by_at_most_one_unit(rows in rows(), folds in 2..8u32) {
            prop_assert!(are_even(&rows.units_by_fold(folds, |_| true)));
            for class in 0..4 {
                let of_class = |row: usize| rows.classes[row] == class;
                prop_assert!(are_even(&rows.units_by_fold(folds, of_class)), "class {class}");
                for value in 0..9 {
                    let alike = |row| of_class(row) && rows.values[row] == f64::from(value);
                    prop_assert!(are_even(&rows.units_by_fold(folds, alike)), "{value} in {class}");
                }
            }
        }

        #[test]
        fn the_order_of_rows_does_not_matter(rows in rows(), folds in 2..8u32, turn in 0..60usize) {
            let contents = |rows: &Rows| {
                rows.look(|fit| {
                    let deal = WeightedFolds::new(fit, &fit.all, folds, SHUFFLE).unwrap();
                    let content = |fold| {
                        let test = deal.rows_of(fold).test;
                        let row = |&row: &u32| {
                            let weight = fit.sample_weight(&test, row);
                            (fit.class_of(row), rows.values[row as usize], weight)
                        };
                        let mut content: Vec<_> = test.rows.iter().map(row).collect();
                        content.sort_by(|a, b| a.partial_cmp(b).unwrap());
                        content
                    };
                    (0..deal.count()).map(content).collect::<Vec<_>>()
                })
            };
            let mut order: Vec<usize> = (0..rows.values.len()).rev().collect();
            order.rotate_left(turn % rows.values.len());
            prop_assert_eq!(contents(&rows.rearranged(&order)), contents(&rows));
        }

        /// The wanted number of units, but for rounding up in every class.
        #[test]
        fn a_sample_has_its_share_of_every_class(rows in rows(), wanted in 1..40u64) {
            rows.look(|fit| {
                let wanted = wanted.min(n_units(fit, &fit.all));
                let taken = sample(fit, &fit.all, wanted, SHUFFLE);
                prop_assert!((wanted..wanted + 4).contains(&n_units(fit, &taken)));
                let of_class = |subset: &RowSubset, class| -> u64 {
                    let rows = subset.rows.iter().filter(|&&row| fit.class_of(row) == class);
                    rows.map(|&row| units(fit.sample_weight(subset, row))).sum()
                };
                for class in 0..4 {
                    let share = of_class(&fit.all, class) as f64 / n_units(fit, &fit.all) as f64;
                    let expected = share * wanted as f64;
                    let found = of_class(&taken, class) as f64;
                    // Dividing and multiplying again may round up where it should not.
                    prop_assert!(expected <= found + 1e-9 && found < expected + 1.0 + 1e-9);
                }
                let enough = |&row: &u32| {
                    let weight = fit.sample_weight(&taken, row);
                    weight > 0.0 && weight <= fit.sample_weight(&fit.all, row)
                };
                prop_assert!(taken.rows.is_sorted() && taken.rows.iter().all(enough));
                Ok(())
            })?;
        }
    }

    #[test]
    fn a_fractional_weight_is_one_unit() {
        let rows = Rows::alike((0..4).map(f64::from), 2.5);
        assert_eq!(rows.look(|fit| n_units(fit, &fit.all)), 4);
        assert_eq!(rows.units_by_fold(5, |_| true), [1, 1, 1, 1]);
    }

    #[test]
    fn a_row_of_large_weight_lies_in_every_fold() {
        let weight = f64::from(1u32 << 31);
        Rows::alike([0.0, 1.0, 2.0], weight).look(|fit| {
            let deal = WeightedFolds::new(fit, &fit.all, 5, SHUFFLE).unwrap();
            for fold in 0..5 {
                let FoldRows { training, test } = deal.rows_of(fold);
                assert_eq!((&test.rows, &training.rows), (&vec![0, 1, 2], &vec![0, 1, 2]));
                for row in 0..3 {
                    let held_out = fit.sample_weight(&test, row);
                    assert!((held_out - weight / 5.0).abs() < 1.0, "{held_out}");
                    assert_eq!(fit.sample_weight(&training, row), weight - held_out);
                }
            }
        });
    }

    /// Weights whose sum no integer can hold.
    #[test]
    fn absurd_weights_are_dealt_too() {
        for weight in [1e19, 1e300, f64::MAX] {
            let rows = Rows::alike((0..20).map(f64::from), weight);
            assert!(are_even(&rows.units_by_fold(5, |_| true)), "{weight}");
        }
    }

    #[test]
    fn different_numbers_and_seeds_deal_differently() {
        let rows = Rows::alike((0..40).map(f64::from), 1.0);
        let folds = |seed, number| {
            rows.look(|fit| {
                WeightedFolds::new(fit, &fit.all, 5, Shuffle { seed, number }).unwrap().first_folds
            })
        };
        assert_eq!(folds(1, 0), folds(1, 0));
        assert_ne!(folds(1, 0), folds(1, 1));
        assert_ne!(folds(1, 0), folds(2, 0));
    }

    #[test]
    fn one_unit_cannot_be_dealt() {
        let error = Rows::alike([1.0], 0.5).look(|fit| {
            WeightedFolds::new(fit, &fit.all, 5, SHUFFLE)
                .map(|deal| deal.count())
                .unwrap_err()
                .to_string()
        });
        assert_eq!(error, "folds is 5; allowed: at least 2, of at least 2 rows; there are 1");
        // A row of weight 2 can be held out once and learnt from once.
        assert_eq!(Rows::alike([1.0], 2.0).units_by_fold(5, |_| true), [1, 1]);
    }
}
