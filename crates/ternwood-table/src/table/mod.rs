//! Tables: named columns of numbers or categories, with the place of every row.

pub(crate) mod builder;
mod closest;
mod column;
pub(crate) mod kinds;
mod lines;
mod numbers;
mod rows;
mod unreadable;

pub(crate) use column::number_text;
pub use column::{CategoryCode, CategoryOrigin, Column, DecidedBy, Nominal, Values};
pub(crate) use unreadable::A_NUMBER;
pub use unreadable::{UnreadableCells, UnreadableInColumn};

use crate::error::{Error, ErrorKind, Place, Result, listing};
use crate::warning::Warning;
use lines::RowLines;
use std::collections::HashSet;
use std::sync::Arc;

/// The file of a table, and the position of the table in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableFile {
    pub(crate) name: Arc<str>,
    /// The number of rows of the file before this table.
    pub(crate) first_row: u64,
}

impl TableFile {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.into(), first_row: 0 }
    }

    /// The file as a whole.
    pub(crate) fn place(&self) -> Place {
        Place::file(&*self.name)
    }
}

/// Named columns of equal length.
///
/// ```
/// use ternwood_table::{Column, Table};
///
/// let table = Table::from_columns(vec![
///     Column::numeric("age", vec![31.0, f64::NAN]),
///     Column::text("answer", [Some("no"), Some("yes")]),
/// ])?;
/// assert_eq!((table.n_rows(), table.n_columns(), table.missing_cells()), (2, 2, 1));
/// # Ok::<(), ternwood_table::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub(crate) file: TableFile,
    pub(crate) columns: Vec<Column>,
    /// All columns of the file as they are spelled there, if they are to be kept.
    pub(crate) kept: Vec<Column>,
    pub(crate) n_rows: usize,
    pub(crate) lines: RowLines,
    /// The numbers of the rows in a file without lines, after some were dropped.
    pub(crate) numbers: RowLines,
    pub(crate) unreadable: UnreadableCells,
    pub(crate) warnings: Vec<Warning>,
}

impl Table {
    /// A table of these columns.
    ///
    /// # Errors
    /// Columns of different lengths, or two columns of the same name.
    pub fn from_columns(columns: Vec<Column>) -> Result<Self> {
        let n_rows = columns.first().map_or(0, |column| column.values.len());
        if let Some(column) = columns.iter().find(|column| column.values.len() != n_rows) {
            let (column, found) = (column.name.clone(), column.values.len());
            return Err(ErrorKind::Length { column, expected: n_rows, found }.into());
        }
        check_distinct_names(&Place::default(), columns.iter().map(Column::name))?;
        Ok(Self { n_rows, ..Self::from_columns_of_any_length(columns) })
    }

    /// A table of stand-ins: columns that have every value once, and so have no rows in common.
    pub(crate) fn from_columns_of_any_length(columns: Vec<Column>) -> Self {
        Self {
            file: TableFile::new(""),
            columns,
            kept: Vec::new(),
            n_rows: 0,
            lines: RowLines::default(),
            numbers: RowLines::default(),
            unreadable: UnreadableCells::default(),
            warnings: Vec::new(),
        }
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The number of columns.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.columns.len()
    }

    /// The columns, in file order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Converts the table into its columns.
    #[must_use]
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    /// The names of the columns.
    #[must_use]
    pub fn column_names(&self) -> Vec<&str> {
        self.columns.iter().map(Column::name).collect()
    }

    /// The column of this name.
    ///
    /// # Errors
    /// There is none. The error lists the columns and suggests similar names.
    pub fn column(&self, name: &str) -> Result<&Column> {
        let index = self.column_index(name)?;
        Ok(&self.columns[index])
    }

    /// The index of the column of this name.
    ///
    /// # Errors
    /// As [`Table::column`].
    pub fn column_index(&self, name: &str) -> Result<usize> {
        self.columns
            .iter()
            .position(|column| column.name == name)
            .ok_or_else(|| unknown_column(&self.file.name, name, &self.column_names()))
    }

    /// Removes a column from the table and returns it.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn take_column(&mut self, name: &str) -> Result<Column> {
        let index = self.column_index(name)?;
        Ok(self.columns.remove(index))
    }

    /// The number of missing values in all columns.
    #[must_use]
    pub fn missing_cells(&self) -> usize {
        self.columns.iter().map(|column| column.values.missing()).sum()
    }

    /// The warnings from reading the table.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Removes the columns that were kept as they are spelled in the file; see
    /// [`ReadOptions::keep`](crate::ReadOptions::keep).
    pub fn take_kept(&mut self) -> Vec<Column> {
        std::mem::take(&mut self.kept)
    }

    /// Removes the count of the cells that could not be read.
    pub fn take_unreadable(&mut self) -> UnreadableCells {
        std::mem::take(&mut self.unreadable)
    }

    /// The name of the table's file; empty if there is none.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file.name
    }

    /// The place of a row in its file: the line of a text file, the row number in others.
    #[must_use]
    pub fn place(&self, row: usize) -> Place {
        let line = self.lines.of(row);
        let number = line.is_none().then(|| self.row_number(row));
        Place { line, row: number, ..self.file.place() }
    }

    /// The number of a row in its file, from 1.
    fn row_number(&self, row: usize) -> u64 {
        self.numbers.of(row).unwrap_or(self.file.first_row + row as u64 + 1)
    }
}

/// The error for a column that does not exist.
pub(crate) fn unknown_column<S: AsRef<str>>(file: &str, name: &str, known: &[S]) -> Error {
    let file = if file.is_empty() { "the table" } else { file }.to_owned();
    let closest = closest::closest(name, known.iter().map(AsRef::as_ref));
    let closest = closest.into_iter().map(str::to_owned).collect();
    ErrorKind::UnknownColumn { file, name: name.to_owned(), closest, known: listing(known) }.into()
}

/// Fails if two columns have the same name.
pub(crate) fn check_distinct_names<'a>(
    place: &Place,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<()> {
    let mut seen = HashSet::new();
    match names.into_iter().find(|name| !seen.insert(*name)) {
        Some(name) => Err(ErrorKind::DuplicateName {
            place: place.clone(),
            what: "column name",
            name: name.to_owned(),
        }
        .into()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_an_unknown_column_lists_the_columns() {
        let table = Table::from_columns(vec![
            Column::numeric("Age", vec![1.0]),
            Column::numeric("dose", vec![2.0]),
        ])
        .unwrap();
        let message = table.column("age").unwrap_err().to_string();
        assert_eq!(
            message,
            "the table: there is no column 'age' (did you mean 'Age'?); \
             the columns are: 'Age', 'dose'"
        );
        assert!(!table.column("colour").unwrap_err().to_string().contains("did you mean"));
    }

    #[test]
    fn columns_must_have_equal_lengths_and_distinct_names() {
        let short = vec![Column::numeric("a", vec![1.0]), Column::numeric("b", vec![])];
        assert!(matches!(
            Table::from_columns(short).unwrap_err().kind(),
            ErrorKind::Length { expected: 1, found: 0, .. }
        ));
        let twice = vec![Column::numeric("a", vec![1.0]), Column::numeric("a", vec![1.0])];
        assert!(matches!(
            Table::from_columns(twice).unwrap_err().kind(),
            ErrorKind::DuplicateName { .. }
        ));
    }
}
