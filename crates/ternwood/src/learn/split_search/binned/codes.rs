//! The bin of every value of every column.

use super::slots::{BinTable, FilledSlots};
use crate::cancel::CancelToken;
use crate::dataset::Column;
use crate::error::Result;
use crate::learn::training::Training;
use crate::workers::Workers;
use std::ops::Range;
use std::sync::Arc;

/// All columns as codes.
#[derive(Debug)]
pub(crate) struct BinnedColumns {
    columns: Vec<BinnedColumn>,
}

#[derive(Debug)]
struct BinnedColumn {
    codes: Vec<u16>,
    bins: Arc<ColumnBins>,
}

/// The bins of one column.
#[derive(Debug)]
struct ColumnBins {
    table: BinTable,
    /// Bins that hold one distinct value only: there is no split inside them.
    single_valued: Vec<bool>,
    all_single_valued: bool,
}

/// Most bins of a column. With more, fewer rows have to be looked at one by one, but the
/// histogram of a column no longer fits the nearest cache.
pub(crate) const MAX_BINS: usize = 1024;

/// How many values are looked at to choose bins.
const SAMPLE: usize = 1 << 14;

/// Threads take their rows in so many parts each, lest one waits for the other.
const PARTS_PER_THREAD: usize = 4;

/// So many rows are looked at column by column: in either memory order of the matrix their
/// values come from the cache, and a table is read often before it gives way to the next.
const ROWS_PER_TILE: usize = 1024;

impl BinnedColumns {
    pub(crate) fn new(
        training: &Training<'_>,
        workers: &Workers,
        cancel: &CancelToken,
    ) -> Result<Self> {
        let n_rows = training.n_rows();
        let parts = parts(n_rows, workers.threads() * PARTS_PER_THREAD);
        let tables = Self::tables(training, &parts, (workers, cancel))?;
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
        let seen = workers.map(jobs, |(rows, targets)| {
            cancel.check()?;
            Ok(encode(training, &tables, rows, targets))
        });
        let mut seen = seen.into_iter().collect::<Result<Vec<_>>>()?.into_iter();
        let mut values = seen.next().unwrap_or_default();
        for of_part in seen {
            values.iter_mut().zip(of_part).for_each(|(all, part)| all.merge(&part));
        }
        let columns = codes.into_iter().zip(tables).zip(values).map(|((codes, table), values)| {
            let single_valued = match table.few_values() {
                true => values.single,
                false => vec![false; table.n_bins()],
            };
            let all_single_valued = single_valued.iter().all(|&single| single);
            let bins = Arc::new(ColumnBins { table, single_valued, all_single_valued });
            BinnedColumn { codes, bins }
        });
        Ok(Self { columns: columns.collect() })
    }

    /// The codes of some rows.
    pub(crate) fn of_rows(&self, rows: &[u32]) -> Self {
        let columns = self.columns.iter().map(|column| BinnedColumn {
            codes: rows.iter().map(|&row| column.codes[row as usize]).collect(),
            bins: Arc::clone(&column.bins),
        });
        Self { columns: columns.collect() }
    }

    /// The bins of every column: chosen by a sample, and where that has few values, by all rows.
    fn tables(
        training: &Training<'_>,
        parts: &[Range<usize>],
        (workers, cancel): (&Workers, &CancelToken),
    ) -> Result<Vec<BinTable>> {
        let n_rows = training.n_rows();
        let features: Vec<u32> = (0..training.n_features() as u32).collect();
        let mut tables = workers.map(features, |feature| {
            let column = training.column(feature);
            let every = n_rows.div_ceil(SAMPLE).max(1);
            let sample: Vec<f64> = (0..n_rows).step_by(every).map(|row| column.at(row)).collect();
            BinTable::new(&sample, MAX_BINS)
        });
        let few: Vec<u32> = (0..training.n_features() as u32)
            .filter(|&feature| tables[feature as usize].few_values())
            .collect();
        if few.is_empty() {
            return Ok(tables);
        }
        let filled = workers.map(parts.to_vec(), |rows| {
            cancel.check()?;
            let mut filled: Vec<FilledSlots> = few.iter().map(|_| FilledSlots::none()).collect();
            for rows in tiles(rows) {
                for (&feature, filled) in few.iter().zip(&mut filled) {
                    let values = training.column(feature).of(rows.clone());
                    tables[feature as usize].fill(values, filled);
                }
            }
            Ok(filled)
        });
        let mut filled = filled.into_iter().collect::<Result<Vec<_>>>()?.into_iter();
        let mut all = filled.next().unwrap_or_default();
        for of_part in filled {
            all.iter_mut().zip(&of_part).for_each(|(all, part)| all.merge(part));
        }
        for (feature, filled) in few.into_iter().zip(&all) {
            tables[feature as usize].separate(filled, MAX_BINS);
        }
        Ok(tables)
    }

    /// The bin of every value of a feature.
    pub(crate) fn codes(&self, feature: u32) -> &[u16] {
        &self.columns[feature as usize].codes
    }

    /// The table that tells the bins of a feature's values.
    pub(in crate::learn) fn table(&self, feature: u32) -> &BinTable {
        &self.columns[feature as usize].bins.table
    }

    /// Whether codes tell values apart, so that there is no need to look at values.
    pub(crate) fn has_one_value_per_bin(&self, feature: u32) -> bool {
        self.columns[feature as usize].bins.all_single_valued
    }

    pub(crate) fn n_bins(&self, feature: u32) -> usize {
        self.columns[feature as usize].bins.table.n_bins()
    }

    /// How many bins a column has on average.
    pub(crate) fn mean_bins(&self) -> f64 {
        let n_bins: usize = self.columns.iter().map(|column| column.bins.table.n_bins()).sum();
        n_bins as f64 / self.columns.len() as f64
    }

    /// How many bins a column has on average, but for columns whose bins hold one value each.
    pub(crate) fn mean_bins_to_look_into(&self) -> f64 {
        let columns = self.columns.iter().filter(|column| !column.bins.all_single_valued);
        let n_bins: usize = columns.map(|column| column.bins.table.n_bins()).sum();
        n_bins as f64 / self.columns.len() as f64
    }

    /// The bin to which a value of a feature would belong.
    pub(crate) fn code_of(&self, feature: u32, value: f64) -> u16 {
        self.columns[feature as usize].bins.table.code(value)
    }

    pub(super) fn is_single_valued(&self, feature: u32, bin: usize) -> bool {
        self.columns[feature as usize].bins.single_valued[bin]
    }
}

/// Which values some rows have in the bins of one column.
#[derive(Debug, Clone, Default)]
struct BinValues {
    /// NaN where a bin has none.
    first: Vec<f64>,
    single: Vec<bool>,
}

impl BinValues {
    fn none(n_bins: usize) -> Self {
        Self { first: vec![f64::NAN; n_bins], single: vec![true; n_bins] }
    }

    fn add(&mut self, values: impl Iterator<Item = f64>, codes: &[u16]) {
        for (value, &code) in values.zip(codes) {
            let first = &mut self.first[usize::from(code)];
            if *first != value {
                self.single[usize::from(code)] &= first.is_nan();
                *first = value;
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        for (bin, &value) in other.first.iter().enumerate() {
            let first = &mut self.first[bin];
            self.single[bin] &=
                other.single[bin] && (first.is_nan() || value.is_nan() || *first == value);
            if first.is_nan() {
                *first = value;
            }
        }
    }
}

/// Writes the codes of some rows, and tells the values in the bins of columns that have few.
fn encode(
    training: &Training<'_>,
    tables: &[BinTable],
    rows: Range<usize>,
    mut targets: Vec<&mut [u16]>,
) -> Vec<BinValues> {
    let few = |table: &BinTable| if table.few_values() { table.n_bins() } else { 0 };
    let mut seen: Vec<BinValues> = tables.iter().map(|table| BinValues::none(few(table))).collect();
    let start = rows.start;
    for rows in tiles(rows) {
        let here = rows.start - start..rows.end - start;
        for (feature, table) in tables.iter().enumerate() {
            let column: Column<'_> = training.column(feature as u32);
            let codes = &mut targets[feature][here.clone()];
            table.encode(column.of(rows.clone()), codes);
            if table.few_values() {
                seen[feature].add(column.of(rows.clone()), codes);
            }
        }
    }
    seen
}

fn parts(n_rows: usize, n_parts: usize) -> Vec<Range<usize>> {
    let size = n_rows.div_ceil(n_parts).max(1);
    (0..n_rows).step_by(size).map(|start| start..(start + size).min(n_rows)).collect()
}

fn tiles(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(ROWS_PER_TILE).map(move |start| start..(start + ROWS_PER_TILE).min(end))
}
