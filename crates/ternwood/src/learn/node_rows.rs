//! Which rows stand at which node: one array of row numbers, a contiguous range per node.

use crate::tree::Side;
use std::ops::Range;

/// Where the rows of each side stand after [`arrange`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sides {
    pub(super) left: Range<usize>,
    pub(super) middle: Range<usize>,
    pub(super) right: Range<usize>,
}

/// Puts left rows first, then middle rows, then right rows. Rows keep their order on each side.
pub(super) fn arrange(rows: &mut [u32], side: impl Fn(u32) -> Side) -> Sides {
    let (mut middle, mut right) = (Vec::new(), Vec::with_capacity(rows.len()));
    let mut n_left = 0;
    for i in 0..rows.len() {
        let row = rows[i];
        match side(row) {
            Side::Below => {
                rows[n_left] = row;
                n_left += 1;
            }
            Side::Within => middle.push(row),
            Side::Above => right.push(row),
        }
    }
    let n_middle = middle.len();
    rows[n_left..n_left + n_middle].copy_from_slice(&middle);
    rows[n_left + n_middle..].copy_from_slice(&right);
    let start_of_right = n_left + n_middle;
    Sides { left: 0..n_left, middle: n_left..start_of_right, right: start_of_right..rows.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Zone;

    #[test]
    fn rows_keep_their_order_on_each_side() {
        let column = [5.0, 1.0, 9.0, 4.0, 6.0, 2.0];
        let zone = Zone::new(5.0, 1.0).unwrap(); // within: 4 < x <= 6
        let mut rows = [0, 1, 2, 3, 4, 5];
        let sides = arrange(&mut rows, |row| zone.side(column[row as usize]));
        assert_eq!(sides, Sides { left: 0..3, middle: 3..5, right: 5..6 });
        assert_eq!(rows, [1, 3, 5, 0, 4, 2]);
    }
}
