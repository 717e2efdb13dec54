//! The rows of each node: one array of row numbers, a contiguous range per node.

use crate::exec::Exec;
use crate::tree::Side;
use std::ops::Range;

/// The range of each side's rows after [`arrange`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sides {
    pub(crate) left: Range<usize>,
    pub(crate) middle: Range<usize>,
    pub(crate) right: Range<usize>,
}

/// A stable partition: left items first, then middle, then right. `scratch` is memory reused
/// between calls.
#[inline]
pub(crate) fn arrange<T: Copy + Default>(
    items: &mut [T],
    scratch: &mut Vec<T>,
    side: impl Fn(T) -> Side,
) -> Sides {
    let n = items.len();
    if scratch.len() < n {
        scratch.resize(n, T::default());
    }
    let scratch = &mut scratch[..n];
    // Every item is written to both lists, but advances only one: no branch to mispredict.
    let (mut n_left, mut n_not_left, mut n_middle) = (0, 0, 0);
    for i in 0..n {
        let item = items[i];
        let side = side(item);
        items[n_left] = item;
        scratch[n_not_left] = item;
        n_left += usize::from(side == Side::Below);
        n_not_left += usize::from(side != Side::Below);
        n_middle += usize::from(side == Side::Within);
    }
    let not_left = &scratch[..n_not_left];
    let start_of_right = n_left + n_middle;
    if n_middle == 0 {
        items[n_left..].copy_from_slice(not_left);
    } else {
        let (mut middle, mut right) = (n_left, start_of_right);
        for &item in not_left {
            let place = if side(item) == Side::Within { &mut middle } else { &mut right };
            items[*place] = item;
            *place += 1;
        }
    }
    Sides { left: 0..n_left, middle: n_left..start_of_right, right: start_of_right..n }
}

/// Like [`arrange`], but for the items of one outer side only. The other places hold arbitrary
/// items afterwards.
#[inline]
pub(crate) fn arrange_one_side<T: Copy>(items: &mut [T], wanted: Side, side: impl Fn(T) -> Side) {
    let n = items.len();
    let mut found = 0;
    if wanted == Side::Below {
        for i in 0..n {
            let item = items[i];
            items[found] = item;
            found += usize::from(side(item) == wanted);
        }
    } else {
        for i in (0..n).rev() {
            let item = items[i];
            items[n - 1 - found] = item;
            found += usize::from(side(item) == wanted);
        }
    }
}

/// The largest number of items that one thread arranges alone.
const MAX_ITEMS_FOR_ONE_THREAD: usize = 1 << 16;

/// [`arrange`] on several threads.
pub(crate) fn arrange_with(
    exec: &Exec,
    items: &mut [u32],
    side: impl Fn(u32) -> Side + Sync,
) -> Sides {
    if exec.threads() == 1 || items.len() <= MAX_ITEMS_FOR_ONE_THREAD {
        return arrange(items, &mut Vec::new(), side);
    }
    let n = items.len();
    let size = n.div_ceil(exec.threads());
    let arranged = exec.map(items.chunks_mut(size).collect(), |part: &mut [u32]| {
        let sides = arrange(part, &mut Vec::new(), &side);
        (&*part, sides)
    });
    // Left items of all parts, then middle items, then right items.
    let mut all = Vec::with_capacity(n);
    let side_ranges: [fn(&Sides) -> &Range<usize>; 3] = [|s| &s.left, |s| &s.middle, |s| &s.right];
    for side_range in side_ranges {
        for (part, sides) in &arranged {
            all.extend_from_slice(&part[side_range(sides).clone()]);
        }
    }
    let n_left: usize = arranged.iter().map(|(_, sides)| sides.left.len()).sum();
    let n_middle: usize = arranged.iter().map(|(_, sides)| sides.middle.len()).sum();
    items.copy_from_slice(&all);
    let right = n_left + n_middle;
    Sides { left: 0..n_left, middle: n_left..right, right: right..n }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Zone;

    #[test]
    fn rows_keep_their_order_on_each_side() {
        let column = [5.0, 1.0, 9.0, 4.0, 6.0, 2.0];
        let zone = Zone::new(5.0, 1.0).unwrap(); // within: 4 < x <= 6
        let mut rows = [0usize, 1, 2, 3, 4, 5];
        let sides = arrange(&mut rows, &mut Vec::new(), |row| zone.side(column[row]));
        assert_eq!(sides, Sides { left: 0..3, middle: 3..5, right: 5..6 });
        assert_eq!(rows, [1, 3, 5, 0, 4, 2]);
    }

    #[test]
    fn one_side_alone_stands_where_it_would_among_all() {
        let column = [5.0, 1.0, 9.0, 4.0, 6.0, 2.0];
        let side = |row: usize| if column[row] <= 4.5 { Side::Below } else { Side::Above };
        let mut all = [0usize, 1, 2, 3, 4, 5];
        let Sides { left, right, .. } = arrange(&mut all, &mut Vec::new(), side);
        for (wanted, range) in [(Side::Below, left), (Side::Above, right)] {
            let mut alone = [0usize, 1, 2, 3, 4, 5];
            arrange_one_side(&mut alone, wanted, side);
            assert_eq!(alone[range.clone()], all[range]);
        }
    }
}
