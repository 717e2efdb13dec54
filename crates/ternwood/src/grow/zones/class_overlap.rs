//! Class overlap: how far the central intervals of two classes overlap.
//!
//! The interval of a class lies between its `tail` and `1 - tail` quantiles (linear interpolation
//! between order statistics, unweighted). Over the classes present:
//!
//! ```text
//! delta = (longest overlap of two classes' intervals) / 2
//! ```

use super::half_distance;
use crate::grow::evidence::SplitEvidence;

pub(super) fn half_width(evidence: &SplitEvidence<'_>, tail: f64) -> f64 {
    let mut intervals: Vec<(f64, f64)> = match evidence.rows_by_bin() {
        Some(by_bin) => evidence
            .class_rows()
            .filter(|&(_, rows)| rows > 0)
            .map(|(class, rows)| {
                let quantile = |q| {
                    let (index, t) = position(rows, q);
                    between(by_bin.neighbours_in_class(class, index), t)
                };
                (quantile(tail), quantile(1.0 - tail))
            })
            .collect(),
        None => evidence
            .values_by_class()
            .iter_mut()
            .filter(|values| !values.is_empty())
            .map(|values| (quantile(values, tail), quantile(values, 1.0 - tail)))
            .collect(),
    };
    // Sorted by lower end, an interval overlaps most with the earlier one that reaches furthest:
    // no need to compare all pairs.
    intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut widest = 0.0;
    let mut reach = f64::NEG_INFINITY;
    for (low, high) in intervals {
        let end = high.min(reach);
        if end > low {
            widest = half_distance(low, end).max(widest);
        }
        reach = reach.max(high);
    }
    widest
}

/// A quantile by selection: O(n).
fn quantile(values: &mut [f64], q: f64) -> f64 {
    let (index, t) = position(values.len(), q);
    let (_, low, above) = values.select_nth_unstable_by(index, f64::total_cmp);
    let low = *low;
    between((low, above.iter().copied().reduce(f64::min).unwrap_or(low)), t)
}

/// The position `q (n - 1)` of a quantile in the sorted values: whole part and fraction.
fn position(n: usize, q: f64) -> (usize, f64) {
    let position = q * (n - 1) as f64;
    (position.floor() as usize, position - position.floor())
}

/// Linear interpolation, in the order of operations behind the published figures.
fn between((low, high): (f64, f64), t: f64) -> f64 {
    let step = high - low;
    if !step.is_finite() {
        return low * (1.0 - t) + high * t;
    }
    if t < 0.5 { low + step * t } else { high - step * (1.0 - t) }
}

#[cfg(test)]
mod tests {
    use super::quantile;
    use crate::grow::zones::ZoneKind;
    use crate::grow::zones::tests::{OVERLAP, width_of};

    #[test]
    fn quantiles_interpolate() {
        let mut values = [40.0, 10.0, 20.0];
        assert_eq!(quantile(&mut values, 0.0), 10.0);
        assert_eq!(quantile(&mut values, 0.25), 15.0); // position 0.5
        assert_eq!(quantile(&mut values, 0.9), 36.0); // position 1.8: 40 - 20 * 0.2
        assert_eq!(quantile(&mut values, 1.0), 40.0);
        assert_eq!(quantile(&mut [7.0], 0.3), 7.0);
    }

    #[test]
    fn overlap_of_two_classes_by_hand() {
        // Class 0 at 1 2 3 5, class 1 at 4 6 7 8. Tail 0: [1, 5] and [4, 8] overlap by 1.
        assert_eq!(width_of(ZoneKind::ClassOverlap { tail: 0.0 }, &OVERLAP), 0.5);
        // Tail 0.1: positions 0.3 and 2.7: [1.3, 4.4] and [4.6, 7.7] do not overlap.
        assert_eq!(width_of(ZoneKind::ClassOverlap { tail: 0.1 }, &OVERLAP), 0.0);
    }

    #[test]
    fn the_longest_overlap_of_any_pair_counts() {
        // Intervals [0, 10], [1, 3], [4, 12]: overlaps 2, 6 and none.
        let rows = [(0.0, 0), (10.0, 0), (1.0, 1), (3.0, 1), (4.0, 2), (12.0, 2)];
        assert_eq!(width_of(ZoneKind::ClassOverlap { tail: 0.0 }, &rows), 3.0);
    }
}
