//! The rule for rows within zones: when a zone divides a row, and how the answers of both sides become one.
//!
//! The *part* of a row at a node is the product of its shares from the root down. A zone divides a part iff both of its
//! parts are at least [`LeastShare`]; otherwise the part follows the threshold alone. Answers are blended from the leaves
//! up, `w * left + (1 - w) * right`: to multiply the weights on the way down would round differently, and exact ties
//! between classes would then fall the other way.

/// The least share of a row that a zone divides off: 0 for trees, which divide always.
///
/// In a forest, a row in the middle of many zones would otherwise visit a good part of every deep tree, for a difference
/// that the mean of all trees hides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LeastShare(f64);

impl LeastShare {
    /// Zones divide every row.
    pub(crate) const NONE: Self = Self(0.0);

    /// Zones divide no row: two parts of it are never both all of it.
    pub(crate) const NEVER: Self = Self(1.0);

    pub(crate) fn new(share: f64) -> Self {
        debug_assert!(share >= 0.0, "{share}");
        Self(share)
    }

    pub(crate) fn get(self) -> f64 {
        self.0
    }

    /// Both parts of a part, or `None` if it is not divided.
    #[inline(always)]
    pub(crate) fn divide(self, part: f64, left_share: f64) -> Option<[f64; 2]> {
        let left = part * left_share;
        let right = part - left;
        self.allows(left, right).then_some([left, right])
    }

    /// True if a part may be divided into these two.
    #[inline(always)]
    pub(crate) fn allows(self, left: f64, right: f64) -> bool {
        (left >= self.0) & (right >= self.0)
    }

    /// True if no zone can divide a part of this share: it follows thresholds alone.
    #[inline(always)]
    pub(crate) fn binds(self, part: f64) -> bool {
        part < 2.0 * self.0
    }

    /// The most parts into which a tree with so many leaves divides a row.
    pub(crate) fn most_parts(self, n_leaves: usize) -> usize {
        // All parts add up to 1, up to rounding. Without a limit the quotient is infinite, and saturates.
        n_leaves.min(((1.0 + 1e-9) / self.0) as usize).max(1)
    }
}

/// The blended number of both sides.
#[inline(always)]
pub(crate) fn blended(left_weight: f64, left: f64, right: f64) -> f64 {
    left_weight * left + (1.0 - left_weight) * right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_must_be_large_enough() {
        let quarter = LeastShare::new(0.25);
        assert_eq!(quarter.divide(1.0, 0.25), Some([0.25, 0.75]));
        assert_eq!(quarter.divide(1.0, 0.75), Some([0.75, 0.25]));
        assert_eq!(quarter.divide(0.75, 0.25), None, "3/16 on the left");
        assert_eq!(quarter.divide(0.5, 0.5), Some([0.25, 0.25]));
        assert!(quarter.binds(0.25) && !quarter.binds(0.5));
        assert_eq!(LeastShare::NONE.divide(1e-300, 0.0), Some([0.0, 1e-300]));
        assert!(!LeastShare::NONE.binds(0.0));
    }

    #[test]
    fn parts_are_limited_by_their_size_and_by_leaves() {
        let most = |share: f64, n_leaves| LeastShare::new(share).most_parts(n_leaves);
        assert_eq!([most(0.25, 100), most(0.25, 3), most(0.1, 100), most(0.3, 100)], [4, 3, 10, 3]);
        assert_eq!([most(0.0, 70), most(0.5, 9), most(0.6, 9)], [70, 2, 1]);
    }
}
