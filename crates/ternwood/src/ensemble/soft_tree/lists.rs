//! Lists of what is at every node still to be passed, one after the other: what is at the present node comes last.

/// Puts what goes right before what goes left, by values and threshold; returns how much goes right. No value is
/// NaN.
#[inline(always)]
#[expect(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::needless_range_loop,
    reason = "the innermost loop of a forest: written so, it has 11 instructions, else 16"
)]
pub(super) fn part<T: Copy>(list: &mut [T], values: &[f64], threshold: f64) -> usize {
    let mut n_right = 0;
    // Every item trades places, if only with itself: no branch to mispredict.
    let values = &values[..list.len()];
    for at in 0..list.len() {
        list.swap(at, n_right);
        n_right += usize::from(!(values[at] <= threshold));
    }
    n_right
}

/// A value on the wanted side of every threshold.
pub(super) fn beyond(goes_left: bool) -> f64 {
    if goes_left { f64::NEG_INFINITY } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_right_comes_first() {
        let mut list: Vec<usize> = (0..7).collect();
        let values = [2.0, 1.0, 0.5, f64::INFINITY, 3.0, f64::NEG_INFINITY, 1.5];
        let n_right = part(&mut list, &values, 1.0);
        let mut rights = list[..n_right].to_vec();
        rights.sort_unstable();
        assert_eq!(rights, [0, 3, 4, 6]);
        list.sort_unstable();
        assert_eq!(list, [0, 1, 2, 3, 4, 5, 6], "nothing is lost");
    }
}
