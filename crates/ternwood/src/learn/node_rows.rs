//! Which rows stand at which node: one array of row numbers, a contiguous range per node.

use crate::tree::{Side, Zone};
use std::ops::Range;

/// All training rows, ordered so that the rows of every node stand together.
#[derive(Debug, Clone)]
pub(crate) struct NodeRows {
    rows: Vec<u32>,
    /// Rows that wait while others move up; kept to save allocations.
    middle: Vec<u32>,
    right: Vec<u32>,
}

/// The ranges of a node's rows by side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sides {
    pub(crate) left: Range<usize>,
    pub(crate) middle: Range<usize>,
    pub(crate) right: Range<usize>,
}

impl NodeRows {
    pub(crate) fn new(rows: &[u32]) -> Self {
        Self { rows: rows.to_vec(), middle: Vec::new(), right: Vec::new() }
    }

    pub(crate) fn all(&self) -> Range<usize> {
        0..self.rows.len()
    }

    pub(crate) fn of(&self, range: &Range<usize>) -> &[u32] {
        &self.rows[range.clone()]
    }

    /// Splits a range in two by the threshold alone. Rows keep their order on each side.
    pub(crate) fn cut(&mut self, range: Range<usize>, column: &[f64], zone: Zone) -> Sides {
        self.arrange(range, |row| {
            if zone.goes_left(column[row as usize]) { Side::Below } else { Side::Above }
        })
    }

    /// Splits a range in three by the zone. Rows keep their order on each side.
    pub(crate) fn cut_three(&mut self, range: Range<usize>, column: &[f64], zone: Zone) -> Sides {
        self.arrange(range, |row| zone.side(column[row as usize]))
    }

    fn arrange(&mut self, range: Range<usize>, side: impl Fn(u32) -> Side) -> Sides {
        self.middle.clear();
        self.right.clear();
        let rows = &mut self.rows[range.clone()];
        let mut n_left = 0;
        for i in 0..rows.len() {
            let row = rows[i];
            match side(row) {
                Side::Below => {
                    rows[n_left] = row;
                    n_left += 1;
                }
                Side::Within => self.middle.push(row),
                Side::Above => self.right.push(row),
            }
        }
        let n_middle = self.middle.len();
        rows[n_left..n_left + n_middle].copy_from_slice(&self.middle);
        rows[n_left + n_middle..].copy_from_slice(&self.right);
        let (a, b) = (range.start + n_left, range.start + n_left + n_middle);
        Sides { left: range.start..a, middle: a..b, right: b..range.end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_order_on_each_side() {
        let column = [5.0, 1.0, 9.0, 4.0, 6.0, 2.0];
        let zone = Zone::new(5.0, 1.0).unwrap(); // within: 4 < x <= 6
        let mut rows = NodeRows::new(&[0, 1, 2, 3, 4, 5]);
        let sides = rows.cut_three(0..6, &column, zone);
        assert_eq!(sides, Sides { left: 0..3, middle: 3..5, right: 5..6 });
        assert_eq!(rows.of(&sides.left), [1, 3, 5]);
        assert_eq!(rows.of(&sides.middle), [0, 4]);
        assert_eq!(rows.of(&sides.right), [2]);

        let mut rows = NodeRows::new(&[0, 1, 2, 3, 4, 5]);
        let sides = rows.cut(1..6, &column, zone); // row 0 belongs to another node
        assert_eq!(rows.of(&sides.left), [1, 3, 5]);
        assert_eq!(rows.of(&sides.right), [2, 4]);
        assert_eq!(rows.of(&(0..1)), [0]);
    }
}
