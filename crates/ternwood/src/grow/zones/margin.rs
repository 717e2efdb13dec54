//! Margin: the distance from the threshold to the nearest row on the wrong side.
//!
//! With `c_L` and `c_R` the dominant classes (largest weight, lowest class on ties) left and
//! right of the threshold `t`: if they differ,
//!
//! ```text
//! delta = min( min{ x - t : x right of t, class c_L },  min{ t - x : x left of t, class c_R } )
//! ```
//!
//! If there is no such row, or if one class dominates both sides (as published; the paper's text
//! is silent on it), `delta = min( t - max left value, min right value - t )`.

use crate::grow::evidence::SplitEvidence;
use crate::grow::summary::Summary;
use crate::tree::most_probable;

pub(super) fn half_width(evidence: &SplitEvidence<'_>) -> f64 {
    let threshold = evidence.threshold();
    let Summary { nearest_left, nearest_right, .. } = evidence.summary();
    let [left_class, right_class] = evidence.side_weights().map(|side| most_probable(&side));
    if left_class != right_class {
        let stray_right = nearest_right[left_class as usize] - threshold;
        let stray_left = threshold - nearest_left[right_class as usize];
        let nearest = stray_right.min(stray_left);
        if nearest < f64::INFINITY {
            return nearest;
        }
    }
    let below = nearest_left.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let above = nearest_right.iter().copied().fold(f64::INFINITY, f64::min);
    (threshold - below).min(above - threshold)
}

#[cfg(test)]
mod tests {
    use crate::grow::zones::ZoneKind::Margin;
    use crate::grow::zones::tests::{OVERLAP, width_of};

    #[test]
    fn nearest_row_of_the_other_sides_class() {
        // The best split of 0 0 0 1 0 1 1 1 at 1..=8 leaves one stray: 3.5 and 5.5 are equally
        // good, the lower wins. Left is all 0, right is dominated by 1; the 0 at 5 is the stray:
        // 5 - 3.5 = 1.5.
        assert_eq!(width_of(Margin, &OVERLAP), 1.5);
    }

    #[test]
    fn a_clean_split_takes_the_narrower_gap() {
        // Threshold (2 + 5) / 2 = 3.5, gaps 1.5 on both sides.
        assert_eq!(width_of(Margin, &[(1.0, 0), (2.0, 0), (5.0, 1), (6.0, 1)]), 1.5);
    }

    #[test]
    fn one_class_on_both_sides_takes_the_narrower_gap() {
        // 0 dominates left (4:0) and right (3:2): threshold 4.5; rows at 4 and 5 are 0.5 away.
        let rows = [
            (1.0, 0),
            (2.0, 0),
            (3.0, 0),
            (4.0, 0),
            (5.0, 1),
            (6.0, 0),
            (7.0, 0),
            (8.0, 1),
            (9.0, 0),
        ];
        assert_eq!(width_of(Margin, &rows), 0.5);
    }
}
