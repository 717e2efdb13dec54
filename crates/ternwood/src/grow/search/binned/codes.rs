//! The code of every value of every column: the number of its bin. Codes also tell on which side of a test rows are.

use super::search::Tuning;
use super::slots::BinTable;
use crate::dataset::Column;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::training::Features;
use crate::tree::{Edges, Side, Test};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// All columns as bin codes.
#[derive(Debug)]
pub(crate) struct BinnedColumns {
    columns: Vec<BinnedColumn>,
    tuning: Tuning,
}

#[derive(Debug)]
struct BinnedColumn {
    codes: Vec<u16>,
    bins: Arc<ColumnBins>,
    /// The number of low bits dropped from codes, which merges neighbouring bins.
    dropped_bits: u32,
}

/// The bins of one column. If values are missing, they have a bin of their own after all others.
#[derive(Debug)]
struct ColumnBins {
    kind: BinKind,
    has_missing: bool,
    /// True for bins with a single distinct value: no split lies inside them.
    single_valued: Vec<bool>,
    all_single_valued: bool,
}

/// Rows per bin of a branch, approximately. With fewer, scoring edges takes longer than searching
/// the live bins.
const ROWS_PER_BIN: usize = 32;

/// Parts per thread: several, so that no thread waits long for another.
const PARTS_PER_THREAD: usize = 4;

impl BinnedColumn {
    fn new(codes: Vec<u16>, kind: BinKind, has_missing: bool, single_valued: Vec<bool>) -> Self {
        let all_single_valued = single_valued.iter().all(|&single| single);
        let bins = ColumnBins { kind, has_missing, single_valued, all_single_valued };
        Self { codes, bins: Arc::new(bins), dropped_bits: 0 }
    }

    /// The number of bins of present values.
    fn n_present_bins(&self) -> usize {
        match &self.bins.kind {
            BinKind::Ranges(table) => ((table.n_bins() - 1) >> self.dropped_bits) + 1,
            kind => kind.n_bins(),
        }
    }

    /// The number of bins, that of missing values included.
    fn n_bins(&self) -> usize {
        self.n_present_bins() + usize::from(self.bins.has_missing)
    }

    /// The codes of some rows, with neighbouring bins merged if the rows are few.
    fn of_rows(&self, rows: &[u32]) -> Self {
        let drop = self.bits_to_drop(rows.len());
        let mut part = Self {
            codes: Vec::new(),
            bins: Arc::clone(&self.bins),
            dropped_bits: self.dropped_bits + drop,
        };
        let codes = rows.iter().map(|&row| self.codes[row as usize]);
        part.codes = if self.bins.has_missing {
            let [missing, merged] = [self, &part].map(|column| column.n_present_bins() as u16);
            codes.map(|code| if code == missing { merged } else { code >> drop }).collect()
        } else {
            codes.map(|code| code >> drop).collect()
        };
        part
    }

    /// The number of bits to drop from codes for `n_rows` rows; 0 if each bin has one value.
    fn bits_to_drop(&self, n_rows: usize) -> u32 {
        if self.bins.kind.has_few_values() {
            return 0;
        }
        let wanted = (n_rows / ROWS_PER_BIN).max(1);
        self.n_present_bins().div_ceil(wanted).next_power_of_two().ilog2()
    }
}

impl BinnedColumns {
    pub(crate) fn new(features: &Features<'_>, tuning: Tuning, exec: &Exec) -> Result<Self> {
        let kinds = bin_kinds(features, tuning.max_bins, exec);
        Self::with_kinds(features, kinds, tuning, exec)
    }

    /// With bins that are known.
    pub(crate) fn with_kinds(
        features: &Features<'_>,
        kinds: Vec<BinKind>,
        tuning: Tuning,
        exec: &Exec,
    ) -> Result<Self> {
        let n_rows = features.n_rows();
        let parts = parts(n_rows, exec.threads() * PARTS_PER_THREAD);
        let mut codes: Vec<Vec<u16>> = kinds.iter().map(|_| vec![0; n_rows]).collect();
        let mut jobs: Vec<(Range<usize>, Vec<&mut [u16]>)> =
            parts.into_iter().map(|rows| (rows, Vec::with_capacity(kinds.len()))).collect();
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
            Ok(encode(features, &kinds, rows, targets))
        });
        let mut by_part = single_valued.into_iter().collect::<Result<Vec<_>>>()?.into_iter();
        let mut merged_flags = by_part.next().unwrap_or_else(|| no_rows(&kinds));
        for part_flags in by_part {
            let flags = merged_flags.iter_mut().flatten().zip(part_flags.into_iter().flatten());
            flags.for_each(|(all, part)| *all &= part);
        }
        let columns = (0..).zip(codes).zip(kinds).zip(merged_flags);
        let columns = columns.map(|(((feature, codes), kind), single_valued)| {
            BinnedColumn::new(codes, kind, features.has_missing(feature), single_valued)
        });
        Ok(Self { columns: columns.collect(), tuning })
    }

    /// The bins of rows that are elsewhere; for each bin, whether it has a single value there.
    pub(crate) fn of_rows_elsewhere(
        features: &Features<'_>,
        kinds: Vec<BinKind>,
        single_valued: Vec<Vec<bool>>,
    ) -> Self {
        let columns =
            (0..).zip(kinds).zip(single_valued).map(|((feature, kind), single_valued)| {
                BinnedColumn::new(Vec::new(), kind, features.has_missing(feature), single_valued)
            });
        Self { columns: columns.collect(), tuning: Tuning::always(0) }
    }

    /// For each bin of present values of each column, whether it has a single value.
    pub(crate) fn single_valued(&self) -> Vec<Vec<bool>> {
        self.columns.iter().map(|column| column.bins.single_valued.clone()).collect()
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
    pub(crate) fn tuning(&self) -> Tuning {
        self.tuning
    }

    /// The number of neighbouring bins that [`Self::for_subsets`] merges for `n_rows` rows.
    pub(super) fn merged(&self, feature: u32, n_rows: usize) -> usize {
        1 << self.columns[feature as usize].bits_to_drop(n_rows)
    }

    /// The bin of every value of a feature.
    pub(crate) fn codes(&self, feature: u32) -> &[u16] {
        &self.columns[feature as usize].codes
    }

    /// The bin table of a feature of numbers.
    pub(crate) fn table(&self, feature: u32) -> Option<&BinTable> {
        match &self.columns[feature as usize].bins.kind {
            BinKind::Ranges(table) => Some(table),
            BinKind::Categories(_) => None,
        }
    }

    /// True if every bin has a single value, so that codes identify values.
    pub(crate) fn has_one_value_per_bin(&self, feature: u32) -> bool {
        self.columns[feature as usize].bins.all_single_valued
    }

    /// The number of bins, that of missing values included.
    pub(crate) fn n_bins(&self, feature: u32) -> usize {
        self.columns[feature as usize].n_bins()
    }

    /// The number of bins of present values; that of missing values comes after them.
    pub(crate) fn n_present_bins(&self, feature: u32) -> usize {
        self.columns[feature as usize].n_present_bins()
    }

    /// The mean number of bins per column.
    pub(crate) fn mean_bins(&self) -> f64 {
        let n_bins: usize = self.columns.iter().map(BinnedColumn::n_bins).sum();
        n_bins as f64 / self.columns.len() as f64
    }

    /// The mean number of bins per column; columns with one value per bin count as 0.
    pub(crate) fn mean_searchable_bins(&self) -> f64 {
        let columns = self.columns.iter().filter(|column| !column.bins.kind.has_few_values());
        let n_bins: usize = columns.map(BinnedColumn::n_bins).sum();
        n_bins as f64 / self.columns.len() as f64
    }

    /// The bin of any number, for a feature of numbers.
    pub(crate) fn code_of(&self, feature: u32, value: f64) -> u16 {
        let table = self.table(feature);
        table.map_or(0, |table| table.code(value)) >> self.columns[feature as usize].dropped_bits
    }

    /// True if bins are meant for one value each.
    pub(crate) fn has_few_values(&self, feature: u32) -> bool {
        self.columns[feature as usize].bins.kind.has_few_values()
    }

    /// True if all values of a bin are the same.
    pub(crate) fn is_single_valued(&self, feature: u32, bin: usize) -> bool {
        let column = &self.columns[feature as usize];
        column.dropped_bits == 0 && column.bins.single_valued[bin]
    }
}

fn parts(n_rows: usize, n_parts: usize) -> Vec<Range<usize>> {
    let size = n_rows.div_ceil(n_parts).max(1);
    (0..n_rows).step_by(size).map(|start| start..(start + size).min(n_rows)).collect()
}

/// How present values become bins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum BinKind {
    /// Ranges of numbers.
    Ranges(BinTable),
    /// One bin per category.
    Categories(usize),
}

/// The number of values per column that bins are chosen from.
pub(super) const SAMPLE: usize = 1 << 14;

/// Rows per tile. A tile is encoded column by column: in either memory order of the matrix its
/// values come from the cache, and each table is read often before the next.
const ROWS_PER_TILE: usize = 512;

impl BinKind {
    /// For a feature with categories, or with values like those of a sample.
    pub(crate) fn of(
        n_categories: Option<usize>,
        sample: impl FnOnce() -> Vec<f64>,
        max_bins: usize,
    ) -> Self {
        if let Some(n_categories) = n_categories {
            return Self::Categories(n_categories);
        }
        let mut sample = sample();
        sample.retain(|value| !value.is_nan());
        // Any bins are correct.
        sample.extend(sample.is_empty().then_some(0.0));
        Self::Ranges(BinTable::new(&sample, max_bins))
    }

    /// The number of bins of present values.
    pub(crate) fn n_bins(&self) -> usize {
        match self {
            Self::Ranges(table) => table.n_bins(),
            Self::Categories(n_categories) => *n_categories,
        }
    }

    /// True if they are for a feature with so many categories, or with numbers.
    pub(crate) fn suits(&self, n_categories: Option<usize>) -> bool {
        match self {
            Self::Ranges(_) => n_categories.is_none(),
            Self::Categories(n) => n_categories == Some(*n),
        }
    }

    /// For each bin, whether it is meant for one value: true until a second is found.
    fn single_valued(&self) -> Vec<bool> {
        match self {
            Self::Ranges(table) => vec![table.has_few_values(); table.n_bins()],
            Self::Categories(n_categories) => vec![true; *n_categories],
        }
    }

    /// True if each bin is meant for one value.
    pub(super) fn has_few_values(&self) -> bool {
        match self {
            BinKind::Ranges(table) => table.has_few_values(),
            BinKind::Categories(_) => true,
        }
    }
}

/// The bins of every column; ranges come from a sample.
pub(super) fn bin_kinds(features: &Features<'_>, max_bins: usize, exec: &Exec) -> Vec<BinKind> {
    let sampled_rows = sampled_rows(features.n_rows());
    exec.map((0..features.n_features() as u32).collect(), |feature| {
        let column = features.column(feature);
        let sample = || sampled_rows.iter().map(|&row| column.at(row)).collect();
        BinKind::of(features.n_categories(feature), sample, max_bins)
    })
}

/// Which bins have a single value, if there are no rows.
pub(super) fn no_rows(kinds: &[BinKind]) -> Vec<Vec<bool>> {
    kinds.iter().map(BinKind::single_valued).collect()
}

/// Writes the codes of some rows, and returns which bins of each column have a single value.
pub(super) fn encode(
    features: &Features<'_>,
    kinds: &[BinKind],
    rows: Range<usize>,
    mut targets: Vec<&mut [u16]>,
) -> Vec<Vec<bool>> {
    let mut single_valued = no_rows(kinds);
    let start = rows.start;
    for rows in tiles(rows) {
        let here = rows.start - start..rows.end - start;
        for (feature, kind) in kinds.iter().enumerate() {
            let has_missing = features.has_missing(feature as u32);
            let values = features.column(feature as u32).of(rows.clone());
            let codes = &mut targets[feature][here.clone()];
            let single_valued = &mut single_valued[feature];
            match kind {
                BinKind::Ranges(table) if has_missing => {
                    table.encode_with_missing(values, codes, single_valued);
                }
                BinKind::Ranges(table) => table.encode_checked(values, codes, single_valued),
                BinKind::Categories(n_categories) => {
                    for (code, value) in codes.iter_mut().zip(values) {
                        *code = if value.is_nan() { *n_categories as u16 } else { value as u16 };
                    }
                }
            }
        }
    }
    single_valued
}

/// About [`SAMPLE`] rows, or all; evenly spread, but out of step with periodic data.
pub(super) fn sampled_rows(n_rows: usize) -> Vec<usize> {
    let every = n_rows.div_ceil(SAMPLE).max(1);
    let starts = (0..n_rows).step_by(every).enumerate();
    let row = |(i, start): (usize, usize)| {
        // Multiples of the golden ratio spread evenly, and never repeat.
        let offset = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (start + offset as usize % every).min(n_rows - 1)
    };
    starts.map(row).collect()
}

fn tiles(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(ROWS_PER_TILE).map(move |start| start..(start + ROWS_PER_TILE).min(end))
}

/// What a code says about the side of a row.
#[derive(Debug, Clone, Copy)]
enum CodeSide {
    All(Side),
    /// The bin has an edge inside: look at the value.
    Look,
}

impl BinnedColumns {
    /// The training side of each row. Codes decide, except in the bins of the edges.
    pub(crate) fn sides_of_rows<'s>(
        &'s self,
        column: Column<'s>,
        test: &'s Test,
        use_zones: bool,
    ) -> impl Fn(u32) -> Side + Sync + use<'s> {
        let codes = self.codes(test.feature().0);
        let sides = self.sides_of_codes(test, use_zones);
        move |row| match sides[usize::from(codes[row as usize])] {
            CodeSide::All(side) => side,
            CodeSide::Look => test.training_side(column.at(row as usize), use_zones),
        }
    }

    fn sides_of_codes(&self, test: &Test, use_zones: bool) -> Vec<CodeSide> {
        let feature = test.feature().0;
        let n_present = self.n_present_bins(feature);
        let side = |value: f64| CodeSide::All(test.training_side(value, use_zones));
        let mut sides: Vec<CodeSide> = match test.edges(use_zones) {
            Some(edges) => {
                let [low, high] =
                    [edges.lower, edges.upper].map(|edge| usize::from(self.code_of(feature, edge)));
                let of_bin = |bin: usize| match bin {
                    _ if bin == low || bin == high => CodeSide::Look,
                    _ if bin < low => CodeSide::All(Side::Below),
                    _ if bin > high => CodeSide::All(Side::Above),
                    _ => CodeSide::All(Side::Within),
                };
                (0..n_present).map(of_bin).collect()
            }
            // Categories are their own codes; any number is present.
            None => (0..n_present).map(|code| side(code as f64)).collect(),
        };
        sides.push(side(f64::NAN));
        sides
    }

    /// The number of `rows` within the edges; missing values are not. Counting with
    /// [`sides_of_rows`](Self::sides_of_rows) took a quarter more instructions.
    pub(crate) fn rows_within(
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
            let is_within = || edges.contain(column.at(row as usize));
            within += u32::from(if at_edge { is_within() } else { low < code && code < high });
        }
        within
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::dataset::{Columns, Dataset, Labels, Matrix};
    use crate::tree::test_strategies::{number, test_and_value};
    use proptest::prelude::*;

    pub(in super::super) fn binned(column: Vec<f64>) -> BinnedColumns {
        let labels = Labels::from_values((0..column.len()).map(|row| (row % 2) as i64));
        let data = Dataset::new(Columns::from_columns(column, 1).unwrap(), labels).unwrap();
        let features = Features::of(&(&data).into());
        BinnedColumns::new(&features, Tuning::default(), &Exec::default()).unwrap()
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
            let side = bins.sides_of_rows(values, &test, use_zone);
            let mut within = 0;
            for (&row, &x) in rows.iter().zip(&column) {
                let crisp = if test.goes_left(x) { Side::Below } else { Side::Above };
                prop_assert_eq!(side(row), if use_zone { test.side(x) } else { crisp }, "{}", x);
                within += u32::from(test.side(x) == Side::Within);
            }
            let edges = test.edges(true).unwrap();
            prop_assert_eq!(bins.rows_within(0, values, edges, &rows), within);
        }
    }
}
