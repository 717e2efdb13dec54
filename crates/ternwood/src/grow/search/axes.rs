//! Axes on which the categories of a node are numbers.
//!
//! With `p_c` the class shares of category `c` at the node and `u` a direction in class space,
//! category `c` lies at `v_c = u . p_c`. On such an axis a categorical feature is searched like
//! a numeric one.
//!
//! - Two classes: the share of the second class. The best threshold on this axis is the best of
//!   all subsets of the categories (Breiman et al. 1984).
//! - More classes: the first principal direction of the `p_c`, then the share of every class
//!   (Coppersmith, Hong and Hosking 1999).
//!
//! Directions have the same bits whatever the order of rows or categories: sums run over the
//! categories in the order of their count vectors, and the eigenvectors come from a fixed number
//! of Jacobi sweeps.

use crate::tree::Axis;
use std::cmp::Ordering;

/// The axes for these class counts of categories, in the order in which they win ties.
pub(super) fn axes(categories: &[&[f64]], class_factors: &[f64]) -> Vec<Axis> {
    let n_classes = class_factors.len() as u32;
    match n_classes {
        0 | 1 => Vec::new(),
        2 => vec![Axis::ClassShare(1)],
        _ => {
            let principal = principal_direction(categories, class_factors);
            let principal = principal.map(Axis::Direction).into_iter();
            principal.chain((0..n_classes).map(Axis::ClassShare)).collect()
        }
    }
}

/// The position of a category with these class counts: `u . p`.
pub(super) fn position(axis: &Axis, counts: &[f64], class_factors: &[f64]) -> f64 {
    match axis {
        Axis::ClassShare(class) => {
            let total: f64 = counts.iter().zip(class_factors).map(|(n, f)| n * f).sum();
            let class = *class as usize;
            counts[class] * class_factors[class] / total
        }
        Axis::Direction(direction) => {
            let shares = class_shares(counts, class_factors);
            direction.iter().zip(shares).map(|(u, p)| u * p).sum()
        }
    }
}

/// The standard error of a category's position.
///
/// From `q = (counts + 1/2) / (n + K/2)` by the delta method, class weights `a_k` included;
/// without them the binomial standard error for two classes.
pub(super) fn standard_error(axis: &Axis, counts: &[f64], class_factors: &[f64]) -> f64 {
    let coordinate = |class: usize| match axis {
        Axis::ClassShare(picked) => f64::from(u8::from(*picked as usize == class)),
        Axis::Direction(direction) => direction[class],
    };
    let n: f64 = counts.iter().sum();
    let total = n + 0.5 * counts.len() as f64;
    let shares: Vec<f64> = counts.iter().map(|count| (count + 0.5) / total).collect();
    let weigh = |class: usize| class_factors[class] * shares[class];
    let mass: f64 = (0..counts.len()).map(weigh).sum();
    let position = (0..counts.len()).map(|k| weigh(k) * coordinate(k)).sum::<f64>() / mass;
    let (mut first, mut second) = (0.0, 0.0);
    for (class, share) in shares.iter().enumerate() {
        let slope = class_factors[class] * (coordinate(class) - position) / mass;
        first += share * slope;
        second += share * slope * slope;
    }
    ((second - first * first).max(0.0) / (n + 1.0)).sqrt()
}

fn class_shares(counts: &[f64], class_factors: &[f64]) -> Vec<f64> {
    let weights: Vec<f64> = counts.iter().zip(class_factors).map(|(n, f)| n * f).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// The first principal direction of the categories' class shares; `None` if all are alike.
fn principal_direction(categories: &[&[f64]], class_factors: &[f64]) -> Option<Vec<f64>> {
    let n_classes = class_factors.len();
    let mut ordered = categories.to_vec();
    ordered.sort_unstable_by(|a, b| lexicographic(a, b));
    let weighted: Vec<(f64, Vec<f64>)> = ordered
        .into_iter()
        .map(|counts| {
            let weight = counts.iter().zip(class_factors).map(|(n, f)| n * f).sum();
            (weight, class_shares(counts, class_factors))
        })
        .collect();
    let total: f64 = weighted.iter().map(|(weight, _)| weight).sum();
    let mut mean = vec![0.0; n_classes];
    for (weight, shares) in &weighted {
        mean.iter_mut().zip(shares).for_each(|(mean, share)| *mean += weight / total * share);
    }
    let mut covariance = vec![0.0; n_classes * n_classes];
    for (weight, shares) in &weighted {
        for row in 0..n_classes {
            for column in 0..n_classes {
                covariance[row * n_classes + column] +=
                    weight / total * (shares[row] - mean[row]) * (shares[column] - mean[column]);
            }
        }
    }
    let (values, vectors) = eigen(covariance, n_classes);
    let largest = values.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        return None;
    }
    let first = values.iter().position(|&value| value >= (1.0 - 1e-9) * largest)?;
    let direction: Vec<f64> = (0..n_classes).map(|k| vectors[k * n_classes + first]).collect();
    let length = direction.iter().map(|u| u * u).sum::<f64>().sqrt();
    let highest = direction.iter().fold(0.0, |highest: f64, u| highest.max(u.abs()));
    let leading = direction.iter().find(|u| u.abs() >= (1.0 - 1e-9) * highest)?;
    let sign = if *leading < 0.0 { -1.0 } else { 1.0 };
    Some(direction.iter().map(|u| sign * u / length).collect())
}

fn lexicographic(a: &[f64], b: &[f64]) -> Ordering {
    let differing = a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
    differing.unwrap_or(Ordering::Equal)
}

/// Sweeps of the eigenvalue iteration. Each about squares what is left off the diagonal, so eight
/// are more than enough; a fixed number gives the same bits everywhere.
const SWEEPS: usize = 8;

/// Eigenvalues of a symmetric matrix of size `n`, and its eigenvectors as columns: cyclic Jacobi.
fn eigen(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut vectors = vec![0.0; n * n];
    (0..n).for_each(|i| vectors[i * n + i] = 1.0);
    for _ in 0..SWEEPS {
        for p in 0..n {
            for q in p + 1..n {
                let off = a[p * n + q];
                if off == 0.0 {
                    continue;
                }
                let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * off);
                let sign = if theta < 0.0 { -1.0 } else { 1.0 };
                let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (vectors[k * n + p], vectors[k * n + q]);
                    (vectors[k * n + p], vectors[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    ((0..n).map(|i| a[i * n + i]).collect(), vectors)
}
