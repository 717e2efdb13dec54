//! Reads all of a Parquet file, some columns at a time, on several threads.

use super::file::ParquetFile;
use super::ordered;
use super::read::{ParquetReader, wanted_columns};
use crate::error::Result;
use crate::infer::Notations;
use crate::options::{ReadAs, ReadOptions};
use crate::parallel;
use crate::source::Source;
use crate::table::{Column, DecidedBy, Table, kinds};
use std::collections::BTreeMap;

/// Columns are read in this many groups, or fewer. As many for any number of threads, so that
/// neither the table nor the first error depends on it.
const GROUPS: usize = 16;

/// Reads a whole Parquet file.
pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    let file = ParquetFile::open(source)?;
    let ordered = ordered::columns(&file, options)?;
    let options = &ordered.iter().fold(options.clone(), |options, (name, names)| {
        options.column(name, ReadAs::Ordered(names.clone()))
    });
    let wanted = wanted_columns(&file, options)?;
    let groups: Vec<&[usize]> = wanted.chunks(wanted.len().div_ceil(GROUPS).max(1)).collect();
    let read_group =
        |group: usize| ParquetReader::new(&file, options, groups[group])?.read(usize::MAX);
    let parts = parallel::map(groups.len(), options.threads, read_group);
    // A table without rows, for the warnings and the name.
    let mut table = ParquetReader::new(&file, options, &[])?.read(0)?;
    table.n_rows = file.n_rows();
    for part in parts {
        let part = part?;
        table.n_rows = part.n_rows;
        table.columns.extend(part.columns);
        table.kept.extend(part.kept);
        table.unreadable.add(part.unreadable);
    }
    let by_file = |column: &&mut Column| ordered.iter().any(|(name, _)| *name == column.name);
    for column in table.columns.iter_mut().filter(by_file) {
        column.decided_by = DecidedBy::File;
    }
    kinds::settle(&mut table, &Notations::of_typed_texts());
    Ok(table)
}

/// The orders of categories that a file declares.
pub(crate) fn orders(
    source: &Source,
    options: &ReadOptions,
) -> Result<BTreeMap<String, Vec<String>>> {
    let file = ParquetFile::open(source)?;
    Ok(ordered::columns(&file, options)?.into_iter().collect())
}
