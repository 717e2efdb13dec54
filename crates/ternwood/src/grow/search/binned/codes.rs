//! The bin of every value of every column.

use super::slots::BinTable;
use crate::dataset::Column;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::training::Training;
use crate::tree::{Edges, Side};
use std::ops::Range;
use std::sync::Arc;

/// All columns as bin codes.
#[derive(Debug)]
pub(crate) struct BinnedColumns {
    columns: Vec<BinnedColumn>,
    tuning: Tuning,
}

/// When to use bins, and how many. The tree does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::grow) struct Tuning {
    /// The maximum number of bins per column. More bins mean fewer rows to read one by one, but
    /// then the histogram of a column no longer fits the nearest cache.
    max_bins: usize,
    /// Training sets with more rows are binned. Smaller ones fit a cache: sorting is faster.
    max_unbinned_rows: usize,
    /// Zones of nodes with at least this many rows are estimated with the help of bins.
    pub(in crate::grow) min_zone_rows: usize,
    /// True if small nodes are grown on sorted columns.
    pub(in crate::grow) sorts_small_nodes: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            max_bins: 1024,
            max_unbinned_rows: 4096,
            min_zone_rows: 1 << 13,
            sorts_small_nodes: true,
        }
    }
}

impl Tuning {
    /// Bins for every node, however small.
    pub(in crate::grow) fn always(max_bins: usize) -> Self {
        Self { max_bins, max_unbinned_rows: 0, min_zone_rows: 0, sorts_small_nodes: false }
    }

    /// True if bins pay off for this many rows and classes.
    pub(in crate::grow) fn suits(&self, n_rows: usize, n_classes: usize) -> bool {
        /// Counts per feature that are cheap, however few the rows.
        const CHEAP_COUNTS: usize = 1 << 14;
        n_rows > self.max_unbinned_rows && self.max_bins * n_classes <= CHEAP_COUNTS.max(n_rows / 2)
    }
}

#[derive(Debug)]
struct BinnedColumn {
    codes: Vec<u16>,
    bins: Arc<ColumnBins>,
    /// The number of low bits dropped from codes, which merges neighbouring bins.
    dropped_bits: u32,
}

/// The bins of one column.
#[derive(Debug)]
struct ColumnBins {
    table: BinTable,
    /// True for bins with a single distinct value: no split lies inside them.
    single_valued: Vec<bool>,
    all_single_valued: bool,
}

/// Rows per bin of a branch, approximately. With fewer, scoring edges takes longer than searching
/// the live bins.
const ROWS_PER_BIN: usize = 32;

/// The number of values per column that bins are chosen from.
const SAMPLE: usize = 1 << 14;

/// Parts per thread: several, so that no thread waits long for another.
const PARTS_PER_THREAD: usize = 4;

/// Rows per tile. A tile is encoded column by column: in either memory order of the matrix its
/// values come from the cache, and each table is read often before the next.
const ROWS_PER_TILE: usize = 512;

impl BinnedColumn {
    fn n_bins(&self) -> usize {
        ((self.bins.table.n_bins() - 1) >> self.dropped_bits) + 1
    }

    /// The codes of some rows, with neighbouring bins merged if the rows are few.
    fn of_rows(&self, rows: &[u32]) -> Self {
        let drop = self.bits_to_drop(rows.len());
        Self {
            codes: rows.iter().map(|&row| self.codes[row as usize] >> drop).collect(),
            bins: Arc::clone(&self.bins),
            dropped_bits: self.dropped_bits + drop,
        }
    }

    /// The number of bits to drop from codes for `n_rows` rows; 0 if each bin has one value.
    fn bits_to_drop(&self, n_rows: usize) -> u32 {
        if self.bins.table.has_few_values() {
            return 0;
        }
        let wanted = (n_rows / ROWS_PER_BIN).max(1);
        self.n_bins().div_ceil(wanted).next_power_of_two().ilog2()
    }
}

impl BinnedColumns {
    pub(in crate::grow) fn new(
        training: &Training<'_>,
        tuning: Tuning,
        exec: &Exec,
    ) -> Result<Self> {
        let n_rows = training.n_rows();
        let parts = parts(n_rows, exec.threads() * PARTS_PER_THREAD);
        let tables = Self::tables(training, tuning.max_bins, exec);
        let mut codes: Vec<Vec<u16>> = tables.iter().map(|_| vec![0; n_rows]).collect();
        let mut jobs: Vec<(Range<usize>, Vec<&mut [u16]>)> =
            parts.into_iter().map(|rows| (rows, Vec::with_capacity(tables.len()))).collect();
        for codes in &mut codes {
            let mut rest = codes.as_mut_slice();
            for (rows, targets) in &mut jobs {
                let (part, after) = rest.split_at_mut(rows.len());
                targets.push(part);
                rest = after;
            }
        }
        let single_valued = exec.map(jobs, |(rows, targets)| {
            exec.check()?;
            Ok(encode(training, &tables, rows, targets))
        });
        let mut by_part = single_valued.into_iter().collect::<Result<Vec<_>>>()?.into_iter();
        let mut merged_flags = by_part.next().unwrap_or_default();
        for part_flags in by_part {
            let flags = merged_flags.iter_mut().flatten().zip(part_flags.into_iter().flatten());
            flags.for_each(|(all, part)| *all &= part);
        }
        let columns = codes.into_iter().zip(tables).zip(merged_flags);
        let columns = columns.map(|((codes, table), single_valued)| {
            let all_single_valued = single_valued.iter().all(|&single| single);
            let bins = Arc::new(ColumnBins { table, single_valued, all_single_valued });
            BinnedColumn { codes, bins, dropped_bits: 0 }
        });
        Ok(Self { columns: columns.collect(), tuning })
    }

    /// The codes of each subset of the rows, in bins no finer than it needs. A column is gathered
    /// for all subsets while it is in the cache.
    pub(crate) fn for_subsets(&self, subsets: &[&[u32]], exec: &Exec) -> Vec<Self> {
        let by_column = exec.map(self.columns.iter().collect(), |column: &BinnedColumn| {
            subsets.iter().map(|rows| column.of_rows(rows)).collect::<Vec<_>>()
        });
        let empty = || Self { columns: Vec::with_capacity(by_column.len()), tuning: self.tuning };
        let mut by_subset: Vec<Self> = subsets.iter().map(|_| empty()).collect();
        for column in by_column {
            for (subset, column) in by_subset.iter_mut().zip(column) {
                subset.columns.push(column);
            }
        }
        by_subset
    }

    /// When to use bins.
    pub(in crate::grow) fn tuning(&self) -> Tuning {
        self.tuning
    }

    /// The side of each row. Codes decide, except in the bins of the edges.
    pub(in crate::grow) fn sides_of_rows(
        &self,
        feature: u32,
        column: Column<'_>,
        edges: Edges,
    ) -> impl Fn(u32) -> Side + Sync {
        let [low, high] = [edges.lower, edges.upper].map(|edge| self.code_of(feature, edge));
        let codes = self.codes(feature);
        move |row| {
            let code = codes[row as usize];
            if code == low || code == high {
                return edges.side(column.at(row as usize));
            }
            [Side::Below, Side::Within, Side::Above]
                [usize::from(code > low) + usize::from(code > high)]
        }
    }

    /// The number of `rows` within the edges. Counting with
    /// [`sides_of_rows`](Self::sides_of_rows) took a quarter more instructions.
    pub(in crate::grow) fn rows_within(
        &self,
        feature: u32,
        column: Column<'_>,
        edges: Edges,
        rows: &[u32],
    ) -> u32 {
        let [low, high] = [edges.lower, edges.upper].map(|edge| self.code_of(feature, edge));
        let codes = self.codes(feature);
        let mut within = 0;
        for &row in rows {
            let code = codes[row as usize];
            let at_edge = code == low || code == high;
            let is_within = || edges.side(column.at(row as usize)) == Side::Within;
            within += u32::from(if at_edge { is_within() } else { low < code && code < high });
        }
        within
    }

    /// The number of neighbouring bins that [`Self::for_subsets`] merges for `n_rows` rows.
    pub(super) fn merged(&self, feature: u32, n_rows: usize) -> usize {
        1 << self.columns[feature as usize].bits_to_drop(n_rows)
    }

    /// The bin table of every column, from a sample.
    fn tables(training: &Training<'_>, max_bins: usize, exec: &Exec) -> Vec<BinTable> {
        let sampled_rows = sampled_rows(training.n_rows());
        let features: Vec<u32> = (0..training.n_features() as u32).collect();
        exec.map(features, |feature| {
            let column = training.column(feature);
            let sample: Vec<f64> = sampled_rows.iter().map(|&row| column.at(row)).collect();
            BinTable::new(&sample, max_bins)
        })
    }

    /// The bin of every value of a feature.
    pub(crate) fn codes(&self, feature: u32) -> &[u16] {
        &self.columns[feature as usize].codes
    }

    /// The bin table of a feature.
    pub(in crate::grow) fn table(&self, feature: u32) -> &BinTable {
        &self.columns[feature as usize].bins.table
    }

    /// True if every bin has a single value, so that codes identify values.
    pub(crate) fn has_one_value_per_bin(&self, feature: u32) -> bool {
        self.columns[feature as usize].bins.all_single_valued
    }

    pub(crate) fn n_bins(&self, feature: u32) -> usize {
        self.columns[feature as usize].n_bins()
    }

    /// The mean number of bins per column.
    pub(crate) fn mean_bins(&self) -> f64 {
        let n_bins: usize = self.columns.iter().map(BinnedColumn::n_bins).sum();
        n_bins as f64 / self.columns.len() as f64
    }

    /// The mean number of bins per column; columns with one value per bin count as 0.
    pub(crate) fn mean_searchable_bins(&self) -> f64 {
        let columns = self.columns.iter().filter(|column| !column.bins.table.has_few_values());
        let n_bins: usize = columns.map(BinnedColumn::n_bins).sum();
        n_bins as f64 / self.columns.len() as f64
    }

    /// The bin of any value of a feature.
    pub(crate) fn code_of(&self, feature: u32, value: f64) -> u16 {
        let column = &self.columns[feature as usize];
        column.bins.table.code(value) >> column.dropped_bits
    }

    pub(super) fn is_single_valued(&self, feature: u32, bin: usize) -> bool {
        let column = &self.columns[feature as usize];
        column.dropped_bits == 0 && column.bins.single_valued[bin]
    }
}

/// Writes the codes of some rows, and returns which bins of each column have a single value.
fn encode(
    training: &Training<'_>,
    tables: &[BinTable],
    rows: Range<usize>,
    mut targets: Vec<&mut [u16]>,
) -> Vec<Vec<bool>> {
    let mut single_valued: Vec<Vec<bool>> =
        tables.iter().map(|table| vec![table.has_few_values(); table.n_bins()]).collect();
    let start = rows.start;
    for rows in tiles(rows) {
        let here = rows.start - start..rows.end - start;
        for (feature, table) in tables.iter().enumerate() {
            let values = training.column(feature as u32).of(rows.clone());
            let codes = &mut targets[feature][here.clone()];
            table.encode_checked(values, codes, &mut single_valued[feature]);
        }
    }
    single_valued
}

/// About [`SAMPLE`] rows, or all; evenly spread, but out of step with periodic data.
fn sampled_rows(n_rows: usize) -> Vec<usize> {
    let every = n_rows.div_ceil(SAMPLE).max(1);
    let starts = (0..n_rows).step_by(every).enumerate();
    let row = |(i, start): (usize, usize)| {
        // Multiples of the golden ratio spread evenly, and never repeat.
        let offset = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (start + offset as usize % every).min(n_rows - 1)
    };
    starts.map(row).collect()
}

fn parts(n_rows: usize, n_parts: usize) -> Vec<Range<usize>> {
    let size = n_rows.div_ceil(n_parts).max(1);
    (0..n_rows).step_by(size).map(|start| start..(start + size).min(n_rows)).collect()
}

fn tiles(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(ROWS_PER_TILE).map(move |start| start..(start + ROWS_PER_TILE).min(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Matrix;
    use crate::dataset::{Columns, Dataset, Labels};
    use crate::recipe::TreeParams;
    use crate::tree::test_strategies::{number, test_and_value};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_tell_the_side_that_the_test_tells(
            (test, x) in test_and_value(),
            others in prop::collection::vec(number(), 1..200),
            use_zone in any::<bool>(),
        ) {
            let mut column = others;
            column.push(x);
            let bins = binned(column.clone());
            let rows: Vec<u32> = (0..column.len() as u32).collect();
            let values = Matrix::column_major(&column, 1).unwrap().column(0);
            let side = bins.sides_of_rows(0, values, test.edges(use_zone));
            let mut within = 0;
            for (&row, &x) in rows.iter().zip(&column) {
                let crisp = if test.goes_left(x) { Side::Below } else { Side::Above };
                prop_assert_eq!(side(row), if use_zone { test.side(x) } else { crisp }, "{}", x);
                within += u32::from(test.side(x) == Side::Within);
            }
            prop_assert_eq!(bins.rows_within(0, values, test.edges(true), &rows), within);
        }
    }

    fn binned(column: Vec<f64>) -> BinnedColumns {
        let labels = Labels::from_values((0..column.len()).map(|row| (row % 2) as i64));
        let data = Dataset::new(Columns::from_columns(column, 1).unwrap(), labels).unwrap();
        let params = TreeParams::default().check().unwrap();
        let training = Training::new(&data, &params).unwrap();
        BinnedColumns::new(&training, Tuning::default(), &Exec::default()).unwrap()
    }

    #[test]
    fn a_sample_is_not_in_step_with_what_repeats() {
        let bins = binned((0..8 * SAMPLE).map(|row| (row % 24) as f64).collect());
        assert_eq!(bins.n_bins(0), 24);
        assert!(bins.has_one_value_per_bin(0));
    }

    #[test]
    fn only_bins_with_a_value_the_sample_missed_are_looked_into() {
        let rare = (0..4 * SAMPLE).find(|row| !sampled_rows(4 * SAMPLE).contains(row)).unwrap();
        let mut column: Vec<f64> = (0..4 * SAMPLE).map(|row| (row % 10) as f64).collect();
        column[rare] = 4.5;
        let bins = binned(column);
        assert_eq!(bins.n_bins(0), 10);
        let several: Vec<usize> = (0..10).filter(|&bin| !bins.is_single_valued(0, bin)).collect();
        assert_eq!(several, [4]);
    }

    #[test]
    fn bins_of_few_rows_are_coarser_and_codes_still_ascend() {
        let bins = binned((0..SAMPLE).map(|row| (row as f64).sqrt()).collect());
        let rows: Vec<u32> = (0..1024).collect();
        let apart = &bins.for_subsets(&[&rows], &Exec::default())[0];
        assert_eq!(apart.n_bins(0), bins.n_bins(0).div_ceil(bins.merged(0, rows.len())));
        assert!(apart.n_bins(0) <= 1024 / ROWS_PER_BIN);
        assert!(apart.codes(0).is_sorted());
        for &row in &rows {
            let value = f64::from(row).sqrt();
            assert_eq!(apart.code_of(0, value), apart.codes(0)[row as usize]);
        }
    }
}
