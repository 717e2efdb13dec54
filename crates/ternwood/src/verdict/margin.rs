//! By how much probabilities that are only known within bounds may be decided.

use super::policy::VerdictPolicy;
use crate::predict::ResponseBounds;

/// What is known of the probabilities of a row along an interval of one feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Along<'a> {
    pub(crate) bounds: &'a ResponseBounds,
    /// The probabilities at both ends, in ascending order of the feature.
    pub(crate) ends: [&'a [f64]; 2],
    /// The length of the interval.
    pub(crate) width: f64,
    /// The number of trees.
    pub(crate) trees: usize,
}

impl Along<'_> {
    /// At least the largest value of `sum over k of weight(k) p_k` on the interval.
    fn most(&self, weight: impl Fn(usize) -> f64) -> f64 {
        let bounds = self.bounds;
        let by_values =
            (0..bounds.values.len()).map(|k| times(weight(k), bounds.values[k])[1]).sum::<f64>();
        if bounds.jumps {
            return by_values;
        }
        let [first, last] =
            self.ends.map(|p| p.iter().enumerate().map(|(k, p)| weight(k) * p).sum::<f64>());
        let [mut least, mut steepest] = [0.0; 2];
        for (k, &slope) in bounds.slopes.iter().enumerate() {
            let [low, high] = times(weight(k), slope);
            least += low;
            steepest += high;
        }
        // Where a line that rises most from the first end meets the one that falls most to the last.
        let by_slopes = if least >= 0.0 {
            last
        } else if steepest <= 0.0 {
            first
        } else {
            let meet = (last - first - least * self.width) / (steepest - least);
            first + steepest * meet
        };
        if by_slopes.is_finite() { by_values.min(by_slopes) } else { by_values }
    }
}

/// A number times an interval.
fn times(x: f64, [low, high]: [f64; 2]) -> [f64; 2] {
    if x >= 0.0 { [x * low, x * high] } else { [x * high, x * low] }
}

impl VerdictPolicy {
    /// At least the largest margin by which a row is decided anywhere on the interval; where it is negative, no
    /// row is. Margins are probabilities; of costs, shares of the largest difference between costs.
    pub(crate) fn largest_margin(&self, along: &Along<'_>) -> f64 {
        let classes = 0..along.bounds.values.len();
        let of_class = |c: usize| match self {
            Self::Zones { .. } if 2 * along.bounds.votes[c] as usize <= along.trees => {
                f64::NEG_INFINITY
            }
            Self::Zones { .. } => self.lead(along, c),
            Self::Confidence(policy) => match policy.thresholds().of(c as u32) {
                None => f64::NEG_INFINITY,
                Some(threshold) => {
                    let enough = along.most(|k| f64::from(u8::from(k == c))) - threshold;
                    // A class with more than half is the most probable one.
                    if threshold > 0.5 { enough } else { enough.min(self.lead(along, c)) }
                }
            },
            // A row is decided if it is predicted as the class to catch, or if that is improbable.
            Self::Catch(policy) if policy.class() as usize == c => {
                let improbable = along.most(|k| -f64::from(u8::from(k == c)));
                self.lead(along, c).max(policy.threshold() + improbable)
            }
            Self::Catch(_) => f64::NEG_INFINITY,
            Self::Costs(policy) => {
                let costs = policy.costs();
                let saved = |k: usize| costs.of_flag(k) - costs.of_answer(k, c);
                let largest = classes.clone().map(|k| saved(k).abs()).fold(0.0, f64::max);
                if largest == 0.0 { 0.0 } else { along.most(|k| saved(k) / largest) }
            }
        };
        classes.clone().map(of_class).fold(f64::NEG_INFINITY, f64::max)
    }

    /// At least the largest lead of a class over all others.
    fn lead(&self, along: &Along<'_>, class: usize) -> f64 {
        let others = (0..along.bounds.values.len()).filter(|&k| k != class);
        let lead =
            |other: usize| along.most(|k| f64::from(i8::from(k == class) - i8::from(k == other)));
        others.map(lead).fold(f64::INFINITY, f64::min)
    }
}
