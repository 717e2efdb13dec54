//! The rank of every value of every column.
//!
//! Ranks are made from the values of a column by sorting it once. A *code* is a rank without its lowest bits, so that
//! there are few enough codes to count in.

use super::super::bucket_sort::{DigitSort, place_of, same_key};
use super::search::Item;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::target::Cell;
use crate::grow::training::Features;

/// The most bins: more would not fit the nearest cache.
pub(super) const MOST_BINS: u32 = 1024;

/// The number of low bits to drop, so that about `n_bins` bins hold `n_ranks` ranks.
pub(super) fn shift_for(n_ranks: u32, n_bins: u32) -> u32 {
    n_ranks.div_ceil(n_bins).next_power_of_two().ilog2()
}

/// All columns as ranks.
#[derive(Debug)]
pub(crate) struct RankedColumns {
    /// Row by row: the few rows of a small node lie far apart, and each comes into the cache with all of
    /// its features.
    ranks: Vec<u32>,
    columns: Vec<RankedColumn>,
    codes: CodeTable,
}

/// What the ranks of a column mean. The rank of a missing value follows those of all others; a category is
/// its own rank.
#[derive(Debug)]
pub(crate) struct RankedColumn {
    /// The number of low bits that codes lack.
    pub(crate) code_shift: u32,
    /// The distinct values, ascending; empty for categories.
    pub(crate) values: Vec<f64>,
    /// The number of ranks, that of missing values apart.
    pub(crate) n_ranks: u32,
    pub(crate) is_categorical: bool,
}

/// The ranks of one feature.
#[derive(Clone, Copy)]
pub(crate) struct Ranks<'a> {
    /// From the first row's rank of this feature on.
    ranks: &'a [u32],
    n_features: usize,
}

impl Ranks<'_> {
    #[inline(always)]
    pub(crate) fn of<C: Cell>(self, item: &Item<C>) -> u32 {
        self.ranks[item.row as usize * self.n_features]
    }
}

/// Ranks, and the codes of some rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RankedRows<'a> {
    pub(crate) columns: &'a RankedColumns,
    pub(crate) codes: &'a CodeTable,
}

impl<'a> RankedRows<'a> {
    pub(crate) fn of(self, feature: u32) -> &'a RankedColumn {
        &self.columns.columns[feature as usize]
    }

    /// The ranks of a feature.
    pub(crate) fn ranks(self, feature: u32) -> Ranks<'a> {
        let RankedColumns { ranks, columns, .. } = self.columns;
        Ranks { ranks: &ranks[feature as usize..], n_features: columns.len() }
    }

    /// The code of every item, of a feature of numbers.
    #[inline(always)]
    pub(super) fn code<C: Cell>(self, feature: u32) -> impl Fn(&Item<C>) -> u16 {
        let codes = self.codes.of(feature);
        move |item| codes[item.place as usize]
    }

    /// For every item, whether the rank of a feature is below `first`. Codes decide, but for one.
    #[inline(always)]
    pub(crate) fn is_below<C: Cell>(self, feature: u32, first: u32) -> impl Fn(&Item<C>) -> bool {
        let (code, ranks) = (self.code(feature), self.ranks(feature));
        let code_of_first = (first >> self.of(feature).code_shift) as u16;
        move |item| match code(item) {
            code if code == code_of_first => ranks.of(item) < first,
            code => code < code_of_first,
        }
    }

    /// The largest rank of some items that is at most `last`, and the smallest above it. One of each must
    /// be there.
    pub(super) fn around<C: Cell>(self, feature: u32, last: u32, items: &[Item<C>]) -> [u32; 2] {
        let (code, ranks) = (self.code(feature), self.ranks(feature));
        // First the codes, which lie close together.
        let code_of_last = (last >> self.of(feature).code_shift) as u16;
        let (mut below, mut above) = (0, u16::MAX);
        for code in items.iter().map(&code) {
            below = if code <= code_of_last { below.max(code) } else { below };
            above = if code > code_of_last { above.min(code) } else { above };
        }
        let mut found = [0, u32::MAX];
        for item in items {
            let code = code(item);
            if code == below || code == above {
                let rank = ranks.of(item);
                found[0] = if rank <= last { found[0].max(rank) } else { found[0] };
                found[1] = if rank > last { found[1].min(rank) } else { found[1] };
            }
        }
        found
    }
}

/// Rows that one thread turns from columns into rows at a time.
const ROWS_PER_TILE: usize = 256;

impl RankedColumns {
    /// Ranks all values.
    pub(crate) fn new(features: &Features<'_>, exec: &Exec) -> Result<Self> {
        let all = (0..features.n_features() as u32).collect();
        let columns = exec.map_with(all, Ranking::default, |ranking, feature| {
            exec.check()?;
            Ok(RankedColumn::new(features, feature, ranking))
        });
        let columns = columns.into_iter().collect::<Result<Vec<_>>>()?;
        let (by_column, columns): (Vec<Vec<u32>>, Vec<RankedColumn>) = columns.into_iter().unzip();
        let n_features = columns.len();
        let codes = by_column.iter().zip(&columns).map(|(ranks, column)| column.codes(ranks));
        let codes = codes.collect();
        let mut ranks = vec![0; features.n_rows() * n_features];
        let tiles = ranks.chunks_mut(ROWS_PER_TILE * n_features).enumerate().collect();
        exec.map(tiles, |(tile, ranks): (usize, &mut [u32])| {
            for (feature, column) in by_column.iter().enumerate() {
                let column = &column[tile * ROWS_PER_TILE..];
                for (row, &rank) in ranks.chunks_exact_mut(n_features).zip(column) {
                    row[feature] = rank;
                }
            }
        });
        Ok(Self { ranks, columns, codes: CodeTable::new(codes, features.n_rows()) })
    }

    /// The codes of all rows, in the places of their numbers.
    pub(crate) fn codes(&self) -> &CodeTable {
        &self.codes
    }
}

impl RankedColumn {
    /// The ranks of a feature, and what they mean.
    fn new(features: &Features<'_>, feature: u32, ranking: &mut Ranking) -> (Vec<u32>, Self) {
        let column = features.column(feature);
        let values = (0..features.n_rows()).map(|row| column.at(row));
        match features.n_categories(feature) {
            Some(n_categories) => {
                let n_ranks = n_categories as u32;
                let rank = |value: f64| if value.is_nan() { n_ranks } else { value as u32 };
                let column =
                    Self { code_shift: 0, values: Vec::new(), n_ranks, is_categorical: true };
                (values.map(rank).collect(), column)
            }
            None => {
                let (ranks, values) = ranking.of(values);
                let n_ranks = values.len() as u32;
                let code_shift = shift_for(n_ranks, MOST_BINS);
                (ranks, Self { code_shift, values, n_ranks, is_categorical: false })
            }
        }
    }

    /// The codes of ranks.
    fn codes(&self, ranks: &[u32]) -> Vec<u16> {
        match self.is_categorical {
            true => Vec::new(),
            // A missing value has a code of its own only if ranks are codes; else its rank tells.
            false => ranks.iter().map(|rank| (rank >> self.code_shift) as u16).collect(),
        }
    }
}

/// Memory reused from column to column.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    /// Known values with their ranks: side by side, because they are reached in an order that no cache likes.
    ranked: Vec<(f64, u32)>,
    is_known: Vec<bool>,
    sort: DigitSort,
    distinct: Vec<f64>,
}

impl Ranking {
    /// The rank of every value among the distinct ones, and those, ascending. What is missing has the rank after
    /// the last.
    pub(super) fn of(&mut self, values: impl Iterator<Item = f64>) -> (Vec<u32>, Vec<f64>) {
        let Self { ranked, is_known, sort, distinct } = self;
        is_known.clear();
        ranked.clear();
        let known = values.filter(|x| {
            is_known.push(!x.is_nan());
            !x.is_nan()
        });
        ranked.extend(known.map(|value| (value, 0)));
        distinct.clear();
        for run in sort.sorted(ranked.iter().map(|&(value, _)| value)).chunk_by_mut(same_key) {
            if run.len() > 1 {
                let value = |keyed: u64| ranked[place_of(keyed)].0;
                run.sort_unstable_by(|&a, &b| value(a).total_cmp(&value(b)));
            }
            for &keyed in &*run {
                let (value, rank) = &mut ranked[place_of(keyed)];
                // Both zeros are one value.
                if distinct.last().is_none_or(|last| last < value) {
                    distinct.push(*value);
                }
                *rank = distinct.len() as u32 - 1;
            }
        }
        let missing = distinct.len() as u32;
        let mut ranks = ranked.iter().map(|&(_, rank)| rank);
        let rank =
            |&is_known: &bool| if is_known { ranks.next().unwrap_or(missing) } else { missing };
        (is_known.iter().map(rank).collect(), distinct.clone())
    }
}

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

    #[test]
    fn equal_values_share_a_rank_and_missing_ones_come_last() {
        let mut ranking = Ranking::default();
        let (ranks, values) = ranking.of([3.0, f64::NAN, -0.0, 1e300, 0.0, 3.0].into_iter());
        assert_eq!((ranks, values), (vec![1, 3, 0, 2, 0, 1], vec![0.0, 3.0, 1e300]));
        // The memory of the column before does not show.
        let (ranks, values) = ranking.of([2.0, 1.0].into_iter());
        assert_eq!((ranks, values), (vec![1, 0], vec![1.0, 2.0]));
        assert_eq!(ranking.of([f64::NAN].into_iter()), (vec![0], vec![]));
    }

    #[test]
    fn values_of_the_same_key_are_ranked_too() {
        // One value lies so far off that the keys of all others are equal.
        let near = |i: u32| 1.0 + 1e-12 * f64::from(i.wrapping_mul(2_654_435_761) % 500);
        let values: Vec<f64> = (0..1000).map(near).chain([1e300]).collect();
        let mut distinct = values.clone();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let expected: Vec<u32> =
            values.iter().map(|x| distinct.partition_point(|value| value < x) as u32).collect();
        assert_eq!(Ranking::default().of(values.into_iter()), (expected, distinct));
    }

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
