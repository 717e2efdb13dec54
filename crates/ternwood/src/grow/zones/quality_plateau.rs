//! Quality plateau: the range of thresholds that are nearly as good as the best.
//!
//! ```text
//! delta = (highest - lowest) / 2  over candidates with gain >= (1 - tolerance) * best gain
//! ```
//!
//! As published, the outermost such candidates count, even with worse ones in between. With
//! `connected`, only the unbroken run around the threshold counts (the paper's text).
//! Where the best gain is 0, all candidates are equally good.

use super::half_distance;
use crate::grow::evidence::SplitEvidence;

pub(super) fn half_width(evidence: &SplitEvidence<'_>, tolerance: f64, connected: bool) -> f64 {
    let min_gain = match evidence.gain() {
        0.0 => f64::NEG_INFINITY,
        gain => (1.0 - tolerance) * gain,
    };
    if !connected {
        let ends = evidence.outermost_with_gain(min_gain);
        return ends.map_or(0.0, |(low, high)| half_distance(low, high));
    }
    let (low, high) = evidence.connected_with_gain(min_gain);
    half_distance(low, high)
}

#[cfg(test)]
mod tests {
    use crate::grow::zones::ZoneKind;
    use crate::grow::zones::tests::{OVERLAP, width_of};

    fn plateau(tolerance: f64, connected: bool, rows: &[(f64, i32)]) -> f64 {
        width_of(ZoneKind::QualityPlateau { tolerance, connected }, rows)
    }

    #[test]
    fn equally_good_thresholds_span_the_plateau() {
        // 0 0 0 1 0 1 1 1: node impurity 0.5. Cut at 3.5 (left 3:0, right 1:4):
        // 0.5 - 5/8 * (1 - 1/25 - 16/25) = 0.3; the cut at 5.5 is its mirror image; the cut at
        // 4.5 (3:1 | 1:3) has 0.5 - 0.375 = 0.125, below 95 % of 0.3.
        assert_eq!(plateau(0.05, false, &OVERLAP), (5.5 - 3.5) / 2.0);
        // Connected: the valley at 4.5 ends the run around 3.5.
        assert_eq!(plateau(0.05, true, &OVERLAP), 0.0);
        // With 60 % missing allowed, 0.12 is enough: 4.5 bridges the valley; 2.5 (2:0 | 2:4,
        // gain 0.5 - 6/8 * 4/9 = 0.1667) and 6.5 belong too.
        assert_eq!(plateau(0.6, true, &OVERLAP), (6.5 - 2.5) / 2.0);
    }

    #[test]
    fn a_single_candidate_has_no_width() {
        assert_eq!(plateau(0.05, false, &[(1.0, 0), (2.0, 1)]), 0.0);
    }
}
