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
//! - More than [`MOST_CLASSES`] classes: the same among the classes at the node. If those are still more,
//!   the principal direction by power iteration, then the shares of the [`COMMONEST`] classes. The time
//!   would otherwise grow with the cube of their number.
//!
//! Directions have the same bits whatever the order of rows or categories: sums run over the
//! categories in the order of their count vectors, and the eigenvectors come from a fixed number
//! of Jacobi sweeps.

use crate::tree::Axis;
use std::cmp::{Ordering, Reverse};

/// Up to this many classes, categories are ordered along the share of each.
const MOST_CLASSES: usize = 20;

/// With more classes, categories are ordered along the shares of this many.
const COMMONEST: usize = 10;

/// The axes for these class counts of categories, in the order in which they win ties.
pub(super) fn axes(categories: &[&[f64]], class_factors: &[f64]) -> Vec<Axis> {
    let n_classes = class_factors.len();
    match n_classes {
        0 | 1 => Vec::new(),
        2 => vec![Axis::ClassShare(1)],
        3..=MOST_CLASSES => {
            let principal = principal_direction(categories, class_factors);
            with_class_shares(principal, 0..n_classes as u32)
        }
        _ => axes_of_many_classes(categories, class_factors),
    }
}

fn with_class_shares(
    direction: Option<Vec<f64>>,
    classes: impl IntoIterator<Item = u32>,
) -> Vec<Axis> {
    let direction = direction.map(Axis::Direction).into_iter();
    direction.chain(classes.into_iter().map(Axis::ClassShare)).collect()
}

fn axes_of_many_classes(categories: &[&[f64]], class_factors: &[f64]) -> Vec<Axis> {
    let n_classes = class_factors.len();
    let mut totals = vec![0.0; n_classes];
    for counts in categories {
        totals.iter_mut().zip(*counts).for_each(|(sum, count)| *sum += count);
    }
    let mut classes: Vec<usize> = (0..n_classes).filter(|&class| totals[class] > 0.0).collect();
    let of_classes = |values: &[f64]| -> Vec<f64> { classes.iter().map(|&k| values[k]).collect() };
    let factors = of_classes(class_factors);
    let counts: Vec<Vec<f64>> = categories.iter().map(|counts| of_classes(counts)).collect();
    let counts: Vec<&[f64]> = counts.iter().map(Vec::as_slice).collect();
    let is_many = classes.len() > MOST_CLASSES;
    let direction = match is_many {
        true => principal_direction_by_powers(&counts, &factors),
        false => principal_direction(&counts, &factors),
    };
    let direction = direction.map(|of_present| {
        let mut direction = vec![0.0; n_classes];
        classes.iter().zip(of_present).for_each(|(&class, u)| direction[class] = u);
        direction
    });
    if is_many {
        // The sort is stable, so of equally common classes the lower ids come first.
        classes.sort_by(|&a, &b| totals[b].total_cmp(&totals[a]));
        classes.truncate(COMMONEST);
        classes.sort_unstable();
    }
    with_class_shares(direction, classes.into_iter().map(|class| class as u32))
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
    let WeightedShares { weighted, total, mean } = WeightedShares::new(categories, class_factors);
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
    oriented(&(0..n_classes).map(|k| vectors[k * n_classes + first]).collect::<Vec<f64>>())
}

/// The class shares of categories, with the weight of each, in an order that depends on them alone.
struct WeightedShares {
    weighted: Vec<(f64, Vec<f64>)>,
    total: f64,
    mean: Vec<f64>,
}

impl WeightedShares {
    fn new(categories: &[&[f64]], class_factors: &[f64]) -> Self {
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
        let mut mean = vec![0.0; class_factors.len()];
        for (weight, shares) in &weighted {
            mean.iter_mut().zip(shares).for_each(|(mean, share)| *mean += weight / total * share);
        }
        Self { weighted, total, mean }
    }
}

/// Steps of the power iteration; a fixed number gives the same bits everywhere.
const POWERS: usize = 32;

/// About the first principal direction, in time proportional to classes times categories.
fn principal_direction_by_powers(categories: &[&[f64]], class_factors: &[f64]) -> Option<Vec<f64>> {
    let n_classes = class_factors.len();
    let WeightedShares { mut weighted, total, mean } =
        WeightedShares::new(categories, class_factors);
    let mut variances = vec![0.0; n_classes];
    for (weight, shares) in &mut weighted {
        for class in 0..n_classes {
            shares[class] -= mean[class];
            variances[class] += *weight / total * shares[class] * shares[class];
        }
    }
    let widest = (0..n_classes).max_by_key(|&k| (variances[k].to_bits(), Reverse(k)))?;
    let mut direction = vec![0.0; n_classes];
    direction[widest] = 1.0;
    for _ in 0..POWERS {
        let mut next = vec![0.0; n_classes];
        for (weight, shares) in &weighted {
            let along: f64 = shares.iter().zip(&direction).map(|(x, u)| x * u).sum();
            let along = weight / total * along;
            next.iter_mut().zip(shares).for_each(|(next, x)| *next += along * x);
        }
        let length = next.iter().map(|u| u * u).sum::<f64>().sqrt();
        if length <= 0.0 {
            return None;
        }
        next.iter_mut().for_each(|u| *u /= length);
        direction = next;
    }
    oriented(&direction)
}

/// The direction with unit length, and its leading coordinate positive.
fn oriented(direction: &[f64]) -> Option<Vec<f64>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Class counts of 40 categories: class `k` has more rows the larger `k` is.
    fn counts(n_classes: usize) -> Vec<Vec<f64>> {
        let count = |category: usize, class: usize| (category * 31 + class * class) % 17 + class;
        (0..40).map(|c| (0..n_classes).map(|k| count(c, k) as f64).collect()).collect()
    }

    fn slices(counts: &[Vec<f64>]) -> Vec<&[f64]> {
        counts.iter().map(Vec::as_slice).collect()
    }

    #[test]
    fn above_twenty_classes_only_the_commonest_have_axes() {
        let share = |class| Axis::ClassShare(class);
        let few = axes(&slices(&counts(20)), &[1.0; 20]);
        assert_eq!(few[1..], (0..20).map(share).collect::<Vec<_>>());
        let many = axes(&slices(&counts(30)), &[1.0; 30]);
        assert!(matches!(many[0], Axis::Direction(_)));
        assert_eq!(many[1..], (20..30).map(share).collect::<Vec<_>>());
        let alike: Vec<Vec<f64>> =
            (0..30).map(|c| (0..30).map(|k| if c == k { 2.0 } else { 1.0 }).collect()).collect();
        let tied = axes(&slices(&alike), &[1.0; 30]);
        assert_eq!(tied[1..], (0..10).map(share).collect::<Vec<_>>(), "ties go to the lower id");
    }

    /// Classes that a node lacks do not count.
    #[test]
    fn a_node_of_few_classes_has_all_their_axes() {
        let few = counts(20);
        let wide: Vec<Vec<f64>> =
            few.iter().map(|counts| [&counts[..], &[0.0; 30]].concat()).collect();
        let (expected, found) = (axes(&slices(&few), &[1.0; 20]), axes(&slices(&wide), &[1.0; 50]));
        assert_eq!(found[1..], expected[1..]);
        let (Axis::Direction(few), Axis::Direction(wide)) = (&expected[0], &found[0]) else {
            panic!("the first axis is a direction");
        };
        assert_eq!(few[..], wide[..20]);
    }

    #[test]
    fn powers_find_the_principal_direction_in_any_order() {
        // One class waxes as another wanes: one direction is far ahead of all others.
        let category = |c: usize| -> Vec<f64> {
            let count = |k: usize| match k {
                3 => (c * 5) as f64,
                7 => (200 - c * 5) as f64,
                _ => ((c * 7 + k) % 3) as f64,
            };
            (0..30).map(count).collect()
        };
        let mut counts: Vec<Vec<f64>> = (0..40).map(category).collect();
        let exact = principal_direction(&slices(&counts), &[1.0; 30]).expect("they differ");
        let by_powers = principal_direction_by_powers(&slices(&counts), &[1.0; 30]);
        let by_powers = by_powers.expect("they differ");
        for (a, b) in exact.iter().zip(&by_powers) {
            assert!((a - b).abs() < 1e-9, "{exact:?} {by_powers:?}");
        }
        counts.reverse();
        let reversed = principal_direction_by_powers(&slices(&counts), &[1.0; 30]);
        assert_eq!(reversed, Some(by_powers), "the same bits");
    }
}
