//! How often a row's nearest neighbour has another class.

use crate::dataset::{DatasetView, FeatureKind, Moments, binade};
use crate::error::Result;
use crate::exec::Exec;

/// Rows with standardised features.
///
/// A missing number counts as the mean. Two different categories are as far apart as makes the mean
/// squared distance of two rows that of a standardised number; missing is a category too.
pub(super) struct Neighbourhood<'a> {
    /// Row by row, `width` numbers each: padded with zeros to a multiple of [`GROUP`].
    values: Vec<f64>,
    width: usize,
    /// Row by row, the ids of categories.
    categories: Vec<u32>,
    /// The squared distance between different categories, by column.
    apart: Vec<f64>,
    classes: &'a [u32],
    weights: &'a [f64],
}

/// Features summed between two comparisons with the nearest distance so far.
const GROUP: usize = 8;

/// Rows per block. A block of rows is compared with another block: both fit into the fastest
/// cache, so memory is read once per block, not once per row.
const BLOCK: usize = 32;

/// The nearest neighbours of a row so far.
#[derive(Clone, Copy)]
struct Nearest {
    squared_distance: f64,
    weight: f64,
    weight_of_others: f64,
}

impl<'a> Neighbourhood<'a> {
    /// Standardises every column to mean 0 and standard deviation 1; drops constant ones.
    pub(super) fn new(
        data: &DatasetView<'_>,
        rows: &[u32],
        classes: &'a [u32],
        weights: &'a [f64],
    ) -> Self {
        let of_rows = |feature: u32| -> Vec<f64> {
            let column = data.matrix().column(feature);
            rows.iter().map(|&row| column.at(row as usize)).collect()
        };
        let is_category = |feature: &u32| {
            let kind = &data.schema().features()[*feature as usize].kind;
            matches!(kind, FeatureKind::Categories(_))
        };
        let (categorical, numeric): (Vec<u32>, Vec<u32>) =
            (0..data.n_features() as u32).partition(is_category);
        let standardised: Vec<Vec<f64>> =
            numeric.into_iter().filter_map(|feature| standardised(&of_rows(feature))).collect();
        let id = |value: f64| if value.is_nan() { u32::MAX } else { value as u32 };
        let coded: Vec<(Vec<u32>, f64)> = categorical
            .into_iter()
            .filter_map(|feature| {
                let ids: Vec<u32> = of_rows(feature).into_iter().map(id).collect();
                let apart = distance_apart(&ids)?;
                Some((ids, apart))
            })
            .collect();
        let categories = (0..rows.len()).flat_map(|row| coded.iter().map(move |(ids, _)| ids[row]));
        let categories = categories.collect();
        let apart = coded.iter().map(|(_, apart)| *apart).collect();
        let width = standardised.len().div_ceil(GROUP).max(1) * GROUP;
        let mut values = vec![0.0; classes.len() * width];
        for (feature, column) in standardised.iter().enumerate() {
            for (row, &value) in values.chunks_exact_mut(width).zip(column) {
                row[feature] = value;
            }
        }
        Self { values, width, categories, apart, classes, weights }
    }

    /// The squared distance of two rows in their categories.
    fn category_distance(&self, row: usize, other: usize) -> f64 {
        let of = |row: usize| &self.categories[row * self.apart.len()..][..self.apart.len()];
        let pairs = of(row).iter().zip(of(other)).zip(&self.apart);
        pairs.map(|((a, b), apart)| if a == b { 0.0 } else { *apart }).sum()
    }

    /// For every row, the share of its nearest neighbours of another class: 0 or 1, unless
    /// neighbours of both kinds are equally near.
    pub(super) fn errors(&self, exec: &Exec) -> Result<Vec<f64>> {
        let rows = self.classes.len();
        let starts: Vec<usize> = (0..rows).step_by(BLOCK).collect();
        let of_blocks = exec.map(starts, |start| {
            exec.check()?;
            Ok(self.errors_of(start..rows.min(start + BLOCK)))
        });
        let of_blocks: Vec<Vec<f64>> = of_blocks.into_iter().collect::<Result<_>>()?;
        Ok(of_blocks.concat())
    }

    fn errors_of(&self, wanted: std::ops::Range<usize>) -> Vec<f64> {
        let nobody =
            Nearest { squared_distance: f64::INFINITY, weight: 0.0, weight_of_others: 0.0 };
        let mut nearest = vec![nobody; wanted.len()];
        let others = self.values.chunks(BLOCK * self.width).enumerate();
        for (block, others) in others {
            for (row, nearest) in wanted.clone().zip(&mut nearest) {
                self.look(row, block * BLOCK, others, nearest);
            }
        }
        nearest.iter().map(|found| found.weight_of_others / found.weight).collect()
    }

    /// Looks for nearer rows in the block that begins with row `first`.
    fn look(&self, row: usize, first: usize, others: &[f64], nearest: &mut Nearest) {
        let own = &self.values[row * self.width..][..self.width];
        for (other, values) in (first..).zip(others.chunks_exact(self.width)) {
            let start = self.category_distance(row, other);
            let Some(distance) = distance_up_to(nearest.squared_distance, start, own, values)
            else {
                continue;
            };
            if other == row {
                continue;
            }
            let is_other = self.classes[other] != self.classes[row];
            let weight = self.weights[other];
            let weight_of_others = if is_other { weight } else { 0.0 };
            if distance < nearest.squared_distance {
                *nearest = Nearest { squared_distance: distance, weight, weight_of_others };
            } else {
                nearest.weight += weight;
                nearest.weight_of_others += weight_of_others;
            }
        }
    }
}

/// The squared distance, from `start` on; `None` once it exceeds `limit`.
#[inline]
fn distance_up_to(limit: f64, start: f64, a: &[f64], b: &[f64]) -> Option<f64> {
    let mut sum = start;
    for (a, b) in a.chunks_exact(GROUP).zip(b.chunks_exact(GROUP)) {
        let mut squares = [0.0; GROUP];
        for (square, (a, b)) in squares.iter_mut().zip(a.iter().zip(b)) {
            *square = (a - b) * (a - b);
        }
        let [s0, s1, s2, s3, s4, s5, s6, s7] = squares;
        sum += ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7));
        if sum > limit {
            return None;
        }
    }
    Some(sum)
}

/// The squared distance between different categories: two over the chance that two rows differ.
/// `None` if all are the same.
fn distance_apart(ids: &[u32]) -> Option<f64> {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    let n = ids.len() as f64;
    let same: f64 = sorted.chunk_by(|a, b| a == b).map(|run| (run.len() as f64 / n).powi(2)).sum();
    (sorted.first() != sorted.last()).then(|| 2.0 / (1.0 - same))
}

/// The column with mean 0 and standard deviation 1, missing values at the mean; `None` if it is
/// constant. Does not depend on the order of rows.
fn standardised(column: &[f64]) -> Option<Vec<f64>> {
    // Halves, so that the range cannot overflow.
    let lowest = column.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = 0.5 * highest - 0.5 * lowest;
    // Infinite if every value is missing.
    if range == 0.0 || range.is_infinite() {
        return None;
    }
    let unit = binade(range);
    let offsets: Vec<f64> = column.iter().map(|x| (0.5 * x - 0.5 * lowest) / unit).collect();
    let mut moments = Moments::default();
    let present = offsets.iter().filter(|offset| !offset.is_nan());
    present.for_each(|&offset| moments.add(offset, 1));
    let [n, sum, squares] = moments.sums();
    let mean = sum / n;
    let deviation = (squares / n - mean * mean).max(0.0).sqrt();
    let place = |x: &f64| if x.is_nan() { 0.0 } else { (x - mean) / deviation };
    (deviation > 0.0).then(|| offsets.iter().map(place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Columns, Dataset, Feature, Labels, Schema};

    fn data(columns: Vec<f64>, n_features: usize, classes: &[u32]) -> Dataset {
        let columns = Columns::from_columns(columns, n_features).unwrap();
        Dataset::new(columns, Labels::from_values(classes.iter().copied())).unwrap()
    }

    fn errors_in(data: &Dataset, classes: &[u32]) -> Vec<f64> {
        let weights = vec![1.0; classes.len()];
        let rows: Vec<u32> = (0..classes.len() as u32).collect();
        let rows = Neighbourhood::new(&data.into(), &rows, classes, &weights);
        rows.errors(&Exec::default()).unwrap()
    }

    fn errors(columns: Vec<f64>, n_features: usize, classes: &[u32]) -> Vec<f64> {
        errors_in(&data(columns, n_features, classes), classes)
    }

    #[test]
    fn a_missing_number_counts_as_the_mean() {
        let places = |last| vec![0.0, 1.0, 5.0, 9.0, 10.0, last];
        let classes = [0, 0, 1, 0, 0, 1];
        assert_eq!(errors(places(f64::NAN), 1, &classes), errors(places(5.0), 1, &classes));
        assert_eq!(errors(vec![f64::NAN; 3], 1, &[0, 0, 1]), [0.5, 0.5, 1.0]);
    }

    #[test]
    fn only_equal_categories_are_near() {
        // Ids 0 and 2 are as far apart as 0 and 1, and a missing value is near another.
        let ids = vec![0.0, 2.0, 1.0, f64::NAN, 0.0, f64::NAN];
        let classes = [0, 0, 1, 1, 1, 1];
        let features = vec![Feature::categories("ward", ["a", "b", "c"])];
        let schema = Schema::new(features, vec!["x".into(), "y".into()]).unwrap();
        let columns = Columns::from_columns(ids, 1).unwrap();
        let data = Dataset::with_schema(columns, classes.to_vec(), schema).unwrap();
        let answers = errors_in(&data, &classes);
        assert_eq!(answers, [1.0, 4.0 / 5.0, 2.0 / 5.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn the_nearest_other_row_answers() {
        // 0 and 1 are each other's nearest, 10's is 12, and 12's is 13, whose nearest is 12.
        let places = vec![0.0, 1.0, 10.0, 12.0, 13.0];
        assert_eq!(errors(places.clone(), 1, &[0, 0, 1, 1, 1]), [0.0; 5]);
        assert_eq!(errors(places, 1, &[0, 1, 1, 1, 0]), [1.0, 1.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn equally_near_neighbours_answer_by_their_share() {
        // The three rows at 5 have two equal neighbours each: 0.5 or 1 of another class.
        let classes = [0, 0, 1, 1, 1];
        assert_eq!(errors(vec![5.0, 5.0, 5.0, 9.0, 9.5], 1, &classes), [0.5, 0.5, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn units_do_not_matter_and_constant_columns_tell_nothing() {
        let first = [0.0, 1.0, 10.0, 12.0, 3.0, 7.0];
        let second = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0];
        let classes = [0, 1, 1, 0, 1, 0];
        let plain = errors([first, second].concat(), 2, &classes);
        let huge = first.map(|x| x * 1e307);
        let tiny = second.map(|x| x * 1e-300 + 5e-300);
        assert_eq!(errors([huge, tiny, [7.5; 6]].concat(), 3, &classes), plain);
    }

    /// The obvious search: all distances in full, without blocks.
    fn plain_errors(rows: &Neighbourhood<'_>) -> Vec<f64> {
        let values: Vec<&[f64]> = rows.values.chunks_exact(rows.width).collect();
        let error = |row: usize| {
            let distance = |other: usize| {
                distance_up_to(f64::INFINITY, 0.0, values[row], values[other]).expect("no limit")
            };
            let others = || (0..values.len()).filter(|&other| other != row);
            let least = others().map(distance).fold(f64::INFINITY, f64::min);
            let (mut weight, mut weight_of_others) = (0.0, 0.0);
            for near in others().filter(|&other| distance(other) == least) {
                weight += rows.weights[near];
                if rows.classes[near] != rows.classes[row] {
                    weight_of_others += rows.weights[near];
                }
            }
            weight_of_others / weight
        };
        (0..values.len()).map(error).collect()
    }

    #[test]
    fn blocks_and_early_stops_change_nothing() {
        // More than two blocks, more features than one group, and some rows twice.
        let (n, d) = (83, 11);
        let value = |row: usize, feature: usize| {
            let row = if row.is_multiple_of(9) { row / 2 } else { row };
            ((row * 7919 + feature * 104_729 + row * row * 31) % 1009) as f64
        };
        let values = (0..d).flat_map(|f| (0..n).map(move |row| value(row, f))).collect();
        let classes: Vec<u32> = (0..n as u32).map(|row| row * row % 3).collect();
        let data = data(values, d, &classes);
        let weights: Vec<f64> = (0..n).map(|row| 1.0 + (row % 4) as f64).collect();
        let rows: Vec<u32> = (0..n as u32).collect();
        let rows = Neighbourhood::new(&(&data).into(), &rows, &classes, &weights);
        let expected = plain_errors(&rows);
        assert!(expected.iter().any(|e| e.fract() != 0.0), "some neighbours tie");
        for threads in [1, 3] {
            let exec = Exec::with_threads(threads).unwrap();
            assert_eq!(rows.errors(&exec).unwrap(), expected);
        }
    }
}
