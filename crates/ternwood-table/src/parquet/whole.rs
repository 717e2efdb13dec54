//! Reads all of a Parquet file, column by column, on several threads.

use super::ordered;
use super::read::{Input, ParquetReader};
use crate::error::Result;
use crate::infer::Notations;
use crate::options::{ReadAs, ReadOptions};
use crate::parallel;
use crate::source::Source;
use crate::table::{Column, DecidedBy, Table, kinds};

/// Reads a whole Parquet file. Neither the table nor an error depends on the number of threads.
pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    let input = Input::open(source)?;
    let ordered = ordered::columns(&input, source.name(), options)?;
    let options = &ordered.iter().fold(options.clone(), |options, (name, names)| {
        options.column(name, ReadAs::Ordered(names.clone()))
    });
    let mut all = ParquetReader::new(&input, source.name(), options, None)?;
    let wanted = all.wanted().to_vec();
    let read_column = |position: usize| {
        let only = Some(wanted[position]);
        ParquetReader::new(&input, source.name(), options, only)?.read(usize::MAX)
    };
    let columns = parallel::map(wanted.len(), options.threads, read_column);
    let mut table = all.read(0)?;
    (table.columns, table.kept, table.n_rows) = (Vec::new(), Vec::new(), all.n_rows());
    for column in columns {
        let column = column?;
        table.n_rows = column.n_rows;
        table.columns.extend(column.columns);
        table.kept.extend(column.kept);
        table.unreadable.add(column.unreadable);
    }
    let by_file = |column: &&mut Column| ordered.iter().any(|(name, _)| *name == column.name);
    for column in table.columns.iter_mut().filter(by_file) {
        column.decided_by = DecidedBy::File;
    }
    kinds::settle(&mut table, &Notations::of_typed_texts());
    Ok(table)
}
