//! Gain ratio: the weaker the split, the wider its zone.
//!
//! ```text
//! delta = scale * range / (1 + gain / H),   H = binary entropy (bits) of the weight shares
//! ```
//!
//! If H = 0, `delta = scale * range`. As published, the gain is that of the tree's own criterion;
//! the paper's text means information gain, which is an option.

use crate::grow::classes::p_log2_p;
use crate::grow::evidence::SplitEvidence;
use crate::recipe::{Criterion, GainKind};

pub(super) fn half_width(evidence: &SplitEvidence<'_>, scale: f64, gain: GainKind) -> f64 {
    let criterion = match gain {
        GainKind::Criterion => evidence.criterion(),
        GainKind::Information => Criterion::Entropy,
    };
    let score = evidence.score(criterion);
    let weight = evidence.scorer(criterion).weight();
    let (left, right) = (score.left_weight / weight, score.right_weight / weight);
    let entropy = -(p_log2_p(left) + p_log2_p(right));
    let full = evidence.share_of_range(scale);
    if entropy > 0.0 { full / (1.0 + score.gain / entropy) } else { full }
}

#[cfg(test)]
mod tests {
    use crate::grow::zones::tests::width_of;
    use crate::recipe::{GainKind, ZoneKind};

    #[test]
    fn a_perfect_even_split_by_hand() {
        // Range 5; shares 1/2: H = 1 bit. Gini gain 0.5, information gain 1 bit.
        let rows = [(1.0, 0), (2.0, 0), (5.0, 1), (6.0, 1)];
        let width = |gain| width_of(ZoneKind::GainRatio { scale: 0.1, gain }, &rows);
        assert_eq!(width(GainKind::Criterion), 0.1 * 5.0 / 1.5);
        assert_eq!(width(GainKind::Information), 0.1 * 5.0 / 2.0);
    }
}
