//! Codes: ranks without their lowest bits, so that few enough are left to count in.

use super::search::Item;
use crate::grow::target::Cell;

/// The codes of all rows, or of those of a branch.
///
/// A node far down in the tree has few of all rows. They lie apart in every column, so each code would be
/// fetched from memory alone. Therefore a branch gets a table of its own when its rows have become a small
/// part of its table.
#[derive(Debug)]
pub(crate) struct CodeTable {
    /// By feature; empty for categories.
    columns: Vec<Vec<u16>>,
    n_rows: usize,
}

/// Of a table with no more rows, the columns that a node draws fit the nearest caches.
const SMALL_TABLE: usize = 1 << 14;

/// A node whose rows are at most this part of a table gets its own.
const SMALL_PART: usize = 8;

/// The rows of smaller nodes are hardly counted any more, but sorted by rank.
const WORTH_TABLE: usize = 256;

impl CodeTable {
    pub(super) fn new(columns: Vec<Vec<u16>>, n_rows: usize) -> Self {
        Self { columns, n_rows }
    }

    pub(super) fn of(&self, feature: u32) -> &[u16] {
        &self.columns[feature as usize]
    }

    /// A table of a node's rows alone, if that is worth it. They are given their places in it.
    pub(crate) fn narrowed<C: Cell>(&self, items: &mut [Item<C>]) -> Option<Self> {
        let n_rows = items.len();
        if self.n_rows <= SMALL_TABLE || n_rows > self.n_rows / SMALL_PART || n_rows < WORTH_TABLE {
            return None;
        }
        let column = |codes: &Vec<u16>| match codes.is_empty() {
            true => Vec::new(),
            false => items.iter().map(|item| codes[item.place as usize]).collect(),
        };
        let columns = self.columns.iter().map(column).collect();
        (0..).zip(items).for_each(|(place, item)| item.place = place);
        Some(Self { columns, n_rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grow::classes::UnitCell;

    fn table(n_rows: usize) -> CodeTable {
        let column = |prime: usize| (0..n_rows).map(|row| (row * prime % 1009) as u16).collect();
        CodeTable::new(vec![column(31), Vec::new(), column(37)], n_rows)
    }

    fn items(rows: impl Iterator<Item = u32>) -> Vec<Item<UnitCell>> {
        rows.map(|row| Item { row, place: row, ..Item::default() }).collect()
    }

    fn codes(table: &CodeTable, items: &[Item<UnitCell>]) -> Vec<[u16; 2]> {
        let code =
            |item: &Item<UnitCell>| [0, 2].map(|feature| table.of(feature)[item.place as usize]);
        items.iter().map(code).collect()
    }

    #[test]
    fn a_branch_keeps_its_codes_from_table_to_table() {
        let all = table(200_000);
        let mut branch = items((0..200_000).filter(|row| row % 9 == 4));
        let expected = codes(&all, &branch);
        let first = all.narrowed(&mut branch).unwrap();
        assert_eq!(codes(&first, &branch), expected);
        // A part of the branch, in another order.
        let mut part: Vec<Item<UnitCell>> = branch.iter().copied().step_by(10).rev().collect();
        let expected = codes(&all, &items(part.iter().map(|item| item.row)));
        let second = first.narrowed(&mut part).unwrap();
        assert_eq!(codes(&second, &part), expected);
        assert!(part.iter().map(|item| item.place).eq(0..part.len() as u32));
    }

    #[test]
    fn no_table_is_made_where_it_gains_nothing() {
        let small_table = table(SMALL_TABLE);
        assert!(small_table.narrowed(&mut items(0..300)).is_none());
        let large_table = table(8 * SMALL_TABLE);
        assert!(large_table.narrowed(&mut items(0..100)).is_none(), "few rows");
        let mut many = items(0..SMALL_TABLE as u32 + 1);
        assert!(large_table.narrowed(&mut many).is_none(), "more than an eighth");
        assert!(large_table.narrowed(&mut many[1..]).is_some());
    }
}
