//! Categories on their axes, straight from the definition.

use super::Naive;
use std::collections::BTreeMap;
use ternwood::tree::Axis;

/// A category on an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NaivePlace {
    pub rows: usize,
    pub position: f64,
    pub standard_error: f64,
}

/// Coordinates closer than this may be equal, or in the other order, in other arithmetic.
const NOISE: f64 = 1e-9;

impl Naive<'_> {
    /// The rows of every category that the node sees: rarer ones count as unseen.
    fn rows_by_category(&self, present: &[usize], feature: usize) -> BTreeMap<u32, Vec<usize>> {
        let mut by_category: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for &row in present {
            by_category.entry(self.sample.rows[row][feature] as u32).or_default().push(row);
        }
        let fewest = self.params.min_samples_category as usize;
        by_category.retain(|_, rows| rows.len() >= fewest);
        by_category
    }

    /// The class shares of some rows.
    fn shares(&self, rows: &[usize]) -> Vec<f64> {
        let weights = self.class_weights(rows);
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    /// The axes in order: the share of the second class if there are two, else the first principal
    /// direction and the share of every class. None if there is nothing to separate.
    pub fn axes(&self, present: &[usize], feature: usize) -> Vec<Axis> {
        let n_classes = self.sample.n_classes;
        if self.rows_by_category(present, feature).len() < 2 {
            return Vec::new();
        }
        if n_classes <= 2 {
            return vec![Axis::ClassShare(1)];
        }
        let direction = self.principal_direction(present, feature).0;
        let mut axes = vec![Axis::Direction(direction)];
        axes.extend((0..n_classes).map(Axis::ClassShare));
        axes
    }

    /// The places of all categories on an axis.
    pub fn places(
        &self,
        present: &[usize],
        feature: usize,
        axis: &Axis,
    ) -> BTreeMap<u32, NaivePlace> {
        let u = self.coordinates(axis);
        let place = |(category, rows): (u32, Vec<usize>)| {
            let shares = self.shares(&rows);
            let position = match axis {
                Axis::ClassShare(class) => shares[*class as usize],
                Axis::Direction(_) => shares.iter().zip(&u).map(|(p, u)| p * u).sum(),
            };
            let standard_error = self.standard_error(&rows, &u);
            (category, NaivePlace { rows: rows.len(), position, standard_error })
        };
        self.rows_by_category(present, feature).into_iter().map(place).collect()
    }

    fn coordinates(&self, axis: &Axis) -> Vec<f64> {
        match axis {
            Axis::ClassShare(class) => {
                (0..self.sample.n_classes).map(|k| f64::from(u8::from(k == *class))).collect()
            }
            Axis::Direction(direction) => direction.clone(),
        }
    }

    /// `sqrt(max(0, sum q_k g_k^2 - (sum q_k g_k)^2) / (n_c + 1))`.
    fn standard_error(&self, rows: &[usize], u: &[f64]) -> f64 {
        let (counts, a) = (self.counts(rows), &self.factors);
        let classes = 0..counts.len();
        let n: f64 = counts.iter().sum();
        let q: Vec<f64> =
            counts.iter().map(|count| (count + 0.5) / (n + counts.len() as f64 / 2.0)).collect();
        let m: f64 = classes.clone().map(|k| a[k] * q[k]).sum();
        let v = classes.clone().map(|k| a[k] * q[k] * u[k]).sum::<f64>() / m;
        let g: Vec<f64> = classes.clone().map(|k| a[k] * (u[k] - v) / m).collect();
        let mean: f64 = classes.clone().map(|k| q[k] * g[k]).sum();
        let square: f64 = classes.map(|k| q[k] * g[k] * g[k]).sum();
        ((square - mean * mean).max(0.0) / (n + 1.0)).sqrt()
    }

    /// The first principal direction of the categories' class shares, and all variances,
    /// descending.
    fn principal_direction(&self, present: &[usize], feature: usize) -> (Vec<f64>, Vec<f64>) {
        let categories = self.rows_by_category(present, feature);
        let points: Vec<(f64, Vec<f64>)> =
            categories.values().map(|rows| (self.weight(rows), self.shares(rows))).collect();
        let total: f64 = points.iter().map(|(weight, _)| weight).sum();
        let classes = self.sample.n_classes as usize;
        let mean = |k: usize| points.iter().map(|(w, p)| w * p[k]).sum::<f64>() / total;
        let means: Vec<f64> = (0..classes).map(mean).collect();
        let covariance = |j: usize, k: usize| {
            points.iter().map(|(w, p)| w * (p[j] - means[j]) * (p[k] - means[k])).sum::<f64>()
                / total
        };
        let matrix = (0..classes).map(|j| (0..classes).map(|k| covariance(j, k)).collect());
        let (values, vectors) = eigen(matrix.collect());
        let mut order: Vec<usize> = (0..classes).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        let mut direction = vectors[order[0]].clone();
        let largest = direction.iter().map(|u| u.abs()).fold(0.0, f64::max);
        let first = direction.iter().position(|u| u.abs() >= (1.0 - NOISE) * largest).unwrap();
        if direction[first] < 0.0 {
            direction.iter_mut().for_each(|u| *u = -*u);
        }
        (direction, order.into_iter().map(|at| values[at]).collect())
    }

    /// Whether rounding decides something about the principal direction of a feature: which of two
    /// equal variances comes first, or which of two categories at the same place.
    pub fn direction_is_arbitrary(&self, rows: &[usize], feature: usize) -> bool {
        if self.sample.n_classes <= 2 || self.sample.n_categories(feature).is_none() {
            return false;
        }
        let present = self.present(rows, feature);
        let categories = self.rows_by_category(&present, feature);
        let mut shares: Vec<Vec<f64>> = categories.values().map(|rows| self.shares(rows)).collect();
        shares.sort_by(|a, b| a.partial_cmp(b).unwrap());
        shares.dedup();
        if shares.len() < 2 {
            return false; // All categories are at one place, whatever the direction.
        }
        let (direction, variances) = self.principal_direction(&present, feature);
        if variances[0] - variances[1] < 1e-6 * variances[0] {
            return true;
        }
        let position =
            |shares: &Vec<f64>| shares.iter().zip(&direction).map(|(p, u)| p * u).sum::<f64>();
        let mut positions: Vec<f64> = shares.iter().map(position).collect();
        positions.sort_by(f64::total_cmp);
        positions.windows(2).any(|pair| pair[1] - pair[0] < NOISE)
    }
}

/// Eigenvalues and unit eigenvectors of a symmetric matrix: Jacobi rotations until nothing is left
/// off the diagonal.
fn eigen(mut matrix: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = matrix.len();
    let mut vectors: Vec<Vec<f64>> =
        (0..n).map(|j| (0..n).map(|k| f64::from(u8::from(j == k))).collect()).collect();
    for _ in 0..20 {
        for p in 0..n {
            for q in p + 1..n {
                if matrix[p][q] == 0.0 {
                    continue;
                }
                let angle = 0.5 * (2.0 * matrix[p][q]).atan2(matrix[q][q] - matrix[p][p]);
                rotate_rows(&mut matrix, [p, q], angle);
                for row in &mut matrix {
                    (row[p], row[q]) = rotated((row[p], row[q]), angle);
                }
                rotate_rows(&mut vectors, [p, q], angle);
            }
        }
    }
    ((0..n).map(|k| matrix[k][k]).collect(), vectors)
}

fn rotated((a, b): (f64, f64), angle: f64) -> (f64, f64) {
    let (sin, cos) = angle.sin_cos();
    (cos * a - sin * b, sin * a + cos * b)
}

fn rotate_rows(rows: &mut [Vec<f64>], [p, q]: [usize; 2], angle: f64) {
    let pairs = rows[p].iter().zip(&rows[q]).map(|(&a, &b)| rotated((a, b), angle));
    (rows[p], rows[q]) = pairs.collect::<Vec<_>>().into_iter().unzip();
}
