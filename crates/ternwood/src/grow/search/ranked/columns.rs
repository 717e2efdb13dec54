//! The rank of every value of every column.

use super::codes::CodeTable;
use super::ranking::Ranking;
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
