//! The exponent that sharpens the mean of many trees, for `K` classes and smoothing `s`:
//!
//! ```text
//! p' ~ ((1 - s) p + s / K)^b
//! ```
//!
//! Trees that see different bags disagree even where the truth is plain, so their mean is too
//! cautious; on hard data it is too bold. One exponent mends either. It keeps the order of the classes.

use crate::predict::ResponseBounds;

/// How the mean of many trees is sharpened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharpening {
    /// The power to which probabilities are raised.
    pub exponent: f64,
    /// The share of the mean that is spread evenly over all classes before: no class keeps probability 0.
    pub smoothing: f64,
}

/// The mean before the exponent: `kept * p + spread`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Smoothed {
    pub(crate) kept: f64,
    pub(crate) spread: f64,
}

impl Smoothed {
    pub(crate) fn new(smoothing: f64, n_classes: usize) -> Self {
        let kept = 1.0 - smoothing;
        Self { kept, spread: (1.0 - kept) / n_classes as f64 }
    }

    pub(crate) fn of(self, p: f64) -> f64 {
        self.kept * p + self.spread
    }
}

impl Sharpening {
    /// What is raised to the power.
    pub(crate) fn smoothed(self, n_classes: usize) -> Smoothed {
        Smoothed::new(self.smoothing, n_classes)
    }

    /// Replaces a distribution by the sharpened one.
    pub(crate) fn apply(self, distribution: &mut [f64]) {
        let smoothed = self.smoothed(distribution.len());
        // As a share of the largest: no large exponent makes all of them 0.
        let largest = smoothed.of(distribution.iter().copied().fold(0.0, f64::max));
        let mut total = 0.0;
        for p in &mut *distribution {
            *p = (smoothed.of(*p) / largest).powf(self.exponent);
            total += *p;
        }
        distribution.iter_mut().for_each(|p| *p /= total);
    }

    /// The bounds of sharpened distributions, from those of the mean of the trees.
    pub(crate) fn apply_to_bounds(self, bounds: &mut ResponseBounds) {
        let k = bounds.values.len();
        let of_mean = self.smoothed(k);
        let smoothed: Vec<[f64; 2]> =
            bounds.values.iter().map(|it| it.map(|p| of_mean.of(p))).collect();
        // In slopes of logarithms.
        let slopes: Vec<[f64; 2]> = smoothed
            .iter()
            .zip(&bounds.slopes)
            .map(|(&[low, high], &[falling, rising])| {
                let least = if falling < 0.0 { falling / low } else { falling / high };
                let most = if rising > 0.0 { rising / low } else { rising / high };
                [of_mean.kept * least, of_mean.kept * most]
            })
            .collect();
        let largest = smoothed.iter().map(|it| it[1]).fold(0.0, f64::max);
        let powers: Vec<[f64; 2]> =
            smoothed.iter().map(|it| it.map(|p| (p / largest).powf(self.exponent))).collect();
        let others = |class: usize, end: usize| -> f64 {
            (0..k).filter(|&other| other != class).map(|other| powers[other][end]).sum()
        };
        let share = |own: f64, others: f64| if own > 0.0 { own / (own + others) } else { 0.0 };
        bounds.values = (0..k)
            .map(|class| {
                let [low, high] = powers[class];
                [share(low, others(class, 1)), share(high, others(class, 0))]
            })
            .collect();
        // p_c' = b p_c sum over k of p_k (l_c' - l_k'), l being the logarithms.
        for class in 0..k {
            let mut lead = [0.0; 2];
            for other in (0..k).filter(|&other| other != class) {
                let difference =
                    [slopes[class][0] - slopes[other][1], slopes[class][1] - slopes[other][0]];
                let product = product(bounds.values[other], difference);
                lead = [lead[0] + product[0], lead[1] + product[1]];
            }
            bounds.slopes[class] = product(bounds.values[class], lead).map(|it| self.exponent * it);
        }
    }
}

/// The product of an interval of positive numbers and another interval.
fn product([low, high]: [f64; 2], [least, most]: [f64; 2]) -> [f64; 2] {
    [
        if least < 0.0 { high * least } else { low * least },
        if most > 0.0 { high * most } else { low * most },
    ]
}

/// The logarithm of what [`Sharpening::apply`] makes of one class, from the logarithms of the smoothed
/// probabilities of all: `b l_c - ln sum exp(b l_k)`.
pub(crate) fn sharpened_log(logs: &[f64], class: usize, exponent: f64) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = logs.iter().map(|log| (exponent * (log - largest)).exp()).sum();
    exponent * (logs[class] - largest) - total.ln()
}

/// The logarithms of a distribution's smoothed probabilities.
pub(crate) fn smoothed_logs(distribution: &[f64], smoothing: f64) -> impl Iterator<Item = f64> {
    let smoothed = Smoothed::new(smoothing, distribution.len());
    distribution.iter().map(move |p| smoothed.of(*p).ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sharpen(distribution: &mut [f64], exponent: f64) {
        Sharpening { exponent, smoothing: 0.001 }.apply(distribution);
    }

    #[test]
    fn smoothing_has_the_bits_of_its_formula() {
        let Smoothed { kept, spread } = Smoothed::new(0.001, 2);
        assert_eq!((kept, spread), (0.999, (1.0 - 0.999) / 2.0));
        assert_eq!(Smoothed::new(0.0, 3).of(0.7), 0.7);
    }

    #[test]
    fn squaring_by_hand() {
        // .999 * .8 + .0005 = .7997 and .2003; squared .63952009 and .04012009, sum .67964018.
        let mut distribution = [0.8, 0.2];
        sharpen(&mut distribution, 2.0);
        assert!((distribution[0] - 0.63952009 / 0.67964018).abs() < 1e-12, "{distribution:?}");
        assert!((distribution.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        let logs: Vec<f64> = smoothed_logs(&[0.8, 0.2], 0.001).collect();
        assert!((sharpened_log(&logs, 1, 2.0) - distribution[1].ln()).abs() < 1e-12);
    }

    #[test]
    fn a_probability_is_at_most_one_however_large_the_exponent() {
        for exponent in [0.0, 1.3, 1000.0] {
            for original in [[1.0, 0.0, 0.0], [0.4, 0.3, 0.3], [0.0, 0.5, 0.5]] {
                let mut distribution = original;
                sharpen(&mut distribution, exponent);
                let sum: f64 = distribution.iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{original:?}^{exponent}: {distribution:?}");
                let logs: Vec<f64> = smoothed_logs(&original, 0.001).collect();
                for (class, p) in distribution.into_iter().enumerate() {
                    let log = sharpened_log(&logs, class, exponent);
                    assert!(log <= 0.0 && (log.exp() - p).abs() < 1e-12, "{log} for {p}");
                }
            }
        }
    }

    #[test]
    fn the_order_of_classes_stays() {
        for exponent in [0.5, 1.0, 4.9] {
            let mut distribution = [0.0, 0.3, 0.3, 0.4];
            sharpen(&mut distribution, exponent);
            assert!(distribution[0] > 0.0 && distribution.is_sorted(), "{distribution:?}");
            assert_eq!(distribution[1], distribution[2]);
        }
    }
}
