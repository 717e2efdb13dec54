//! Tables: named columns of numbers or categories, with the place of every row.

pub(crate) mod builder;
mod column;

use crate::error::{Error, ErrorKind, Place, Result, listing};
use crate::warning::Warning;
use builder::RowLines;
pub(crate) use column::{A_NUMBER, number_text};
pub use column::{
    CategoryCode, CategoryOrigin, Column, DecidedBy, Nominal, UnreadableCells, UnreadableInColumn,
    Values,
};
use std::collections::HashSet;
use std::sync::Arc;
use strsim::generic_levenshtein;

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
    let closest = closest(name, known.iter().map(AsRef::as_ref));
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

// Drops rows of a table.

impl Table {
    /// Drops the rows that are not to be kept. The others keep their places.
    pub(crate) fn retain_rows(&mut self, keep: &[bool]) -> Result<()> {
        let kept_rows = || (0..self.n_rows).filter(|&row| keep[row]);
        let (mut lines, mut numbers) = (RowLines::default(), RowLines::default());
        for (new, old) in kept_rows().enumerate() {
            match self.lines.of(old) {
                Some(line) => lines.push(new, line),
                None => numbers.push(new, self.row_number(old)),
            }
        }
        let n_rows = kept_rows().count();
        for column in self.columns.iter_mut().chain(&mut self.kept) {
            column.retain_rows(keep, &self.file.name)?;
        }
        (self.n_rows, self.lines, self.numbers) = (n_rows, lines, numbers);
        Ok(())
    }
}

impl Table {
    /// Adds the rows of a table that was read by the same options. Their places are no longer known.
    ///
    /// # Errors
    /// A column is absent there, or of another kind.
    pub fn append(&mut self, mut other: Self) -> Result<()> {
        for column in &mut self.columns {
            column.append(other.take_column(&column.name)?, &other.file.name)?;
        }
        self.kept.clear();
        self.n_rows += other.n_rows;
        self.unreadable.add(other.unreadable);
        self.warnings.extend(other.warnings);
        Ok(())
    }
}

impl Column {
    fn append(&mut self, other: Self, file: &str) -> Result<()> {
        match (&mut self.values, other.values) {
            (Values::Numeric(values), Values::Numeric(more)) => values.extend(more),
            (Values::Nominal(nominal), Values::Nominal(more)) => {
                let code =
                    |name: &String| nominal.categories.iter().position(|known| known == name);
                let known: Option<Vec<usize>> = more.categories.iter().map(code).collect();
                if let Some(known) = known {
                    let codes = more.codes.iter();
                    let codes = codes.map(|code| CategoryCode::new(known[(*code)?.index()]));
                    nominal.codes.extend(codes);
                } else {
                    let texts = (0..nominal.codes.len()).map(|row| nominal.text(row));
                    let texts = texts.chain((0..more.codes.len()).map(|row| more.text(row)));
                    *nominal = Nominal::from_texts(texts);
                }
            }
            _ => {
                let problem = format!("{file}: column '{}' is of another kind there", self.name);
                let remedy = "give all tables the same columns";
                return Err(ErrorKind::Options { problem, remedy: remedy.into() }.into());
            }
        }
        Ok(())
    }

    fn retain_rows(&mut self, keep: &[bool], file: &str) -> Result<()> {
        match &mut self.values {
            Values::Numeric(values) => retain(values, keep),
            Values::Nominal(nominal) => retain(&mut nominal.codes, keep),
        }
        #[cfg(feature = "parquet")]
        if let Some(kept) = &self.kept {
            self.kept = Some(kept.retaining(keep, file)?);
        }
        #[cfg(not(feature = "parquet"))]
        let _ = file;
        Ok(())
    }
}

fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    values.retain(|_| keep.next().is_some_and(|&keep| keep));
}

// Suggestions for misspelled column names.

/// The names closest to `wanted`: equal except for case and separators, with at most a third of the
/// letters different, or longer or shorter by less than a half at the end ("churn", "churned").
/// Empty if too many names are equally close.
fn closest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    const SUGGESTED: usize = 3;
    let letters = simplified(wanted);
    let spelling = spelled(wanted);
    let allowed = (letters.len() / 3).max(1);
    let mut best = (usize::MAX, usize::MAX);
    let mut closest = Vec::new();
    for name in names {
        let other = simplified(name);
        let distance = generic_levenshtein(&letters, &other);
        let is_close =
            distance <= allowed || is_most_of(&letters, &other) || is_most_of(&other, &letters);
        if !is_close || distance >= letters.len().max(1) {
            continue;
        }
        // Break ties by case and separators.
        let distance = (distance, generic_levenshtein(&spelling, &spelled(name)));
        if distance < best {
            best = distance;
            closest.clear();
        }
        if distance == best {
            closest.push(name);
        }
    }
    if closest.len() > SUGGESTED { Vec::new() } else { closest }
}

/// True if a name begins with `part`, and is less than twice as long.
fn is_most_of(part: &[char], name: &[char]) -> bool {
    name.starts_with(part) && 2 * part.len() > name.len()
}

/// The characters of a name, clipped so that no input is slow.
fn spelled(name: &str) -> Vec<char> {
    name.chars().take(64).collect()
}

/// The letters and digits of a name, in lower case.
fn simplified(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).take(64).collect()
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

    #[test]
    fn tables_are_joined_row_by_row() {
        let table = |numbers: Vec<f64>, texts: &[Option<&str>]| {
            let columns = vec![Column::numeric("x", numbers), Column::text("t", texts.to_vec())];
            Table::from_columns(columns).unwrap()
        };
        let mut all = table(vec![1.0, 2.0], &[Some("b"), None]);
        all.append(table(vec![3.0], &[Some("b")])).unwrap();
        all.append(table(vec![4.0, 5.0], &[Some("a"), Some("c")])).unwrap();
        assert_eq!(
            all,
            table(
                vec![1.0, 2.0, 3.0, 4.0, 5.0],
                &[Some("b"), None, Some("b"), Some("a"), Some("c"),]
            )
        );
        let other = vec![Column::numeric("x", vec![1.0]), Column::numeric("t", vec![1.0])];
        let problem = all.append(Table::from_columns(other).unwrap()).unwrap_err().to_string();
        assert!(problem.contains("column 't' is of another kind there"), "{problem}");
    }

    #[test]
    fn rows_that_stay_keep_their_numbers() {
        let columns = || {
            let texts = ["a", "b", "c", "d", "e"].map(Some);
            vec![Column::numeric("x", vec![0.0, 1.0, 2.0, 3.0, 4.0]), Column::text("t", texts)]
        };
        let mut table = Table::from_columns(columns()).unwrap();
        table.retain_rows(&[false, true, true, false, true]).unwrap();
        assert_eq!(table.n_rows(), 3);
        assert_eq!(table.columns()[0].values(), &Values::Numeric(vec![1.0, 2.0, 4.0]));
        let places = [0, 1, 2].map(|row| table.place(row).row);
        assert_eq!(places, [Some(2), Some(3), Some(5)]);
        table.retain_rows(&[true, false, true]).unwrap();
        assert_eq!([0, 1].map(|row| table.place(row).row), [Some(2), Some(5)]);
        let Values::Nominal(texts) = table.columns()[1].values() else { panic!() };
        assert_eq!([0, 1].map(|row| texts.text(row)), [Some("b"), Some("e")]);
    }

    #[test]
    fn typos_are_recognised_and_unrelated_names_are_not() {
        let names = ["species", "petal_length", "petal_width"];
        assert_eq!(closest("Species", names), ["species"]);
        assert_eq!(closest("specis", names), ["species"]);
        assert_eq!(closest("petal.width", names), ["petal_width"]);
        assert_eq!(closest("churn", ["churned", "plan"]), ["churned"], "the end is missing");
        assert_eq!(closest("outcomes_2020", ["id", "outcomes"]), ["outcomes"]);
        let none: [&str; 0] = [];
        assert_eq!(closest("class", names), none);
        assert_eq!(closest("", names), none);
        assert_eq!(closest("x", ["y"]), none);
    }

    #[test]
    fn equally_close_names_are_all_suggested_unless_there_are_many() {
        assert_eq!(closest("petal_x", ["petal_a", "petal_b"]), ["petal_a", "petal_b"]);
        assert_eq!(closest("AGE", ["age", "Age"]), ["Age"], "fewer letters differ in case");
        let many = ["col1", "col2", "col3", "col4"];
        assert!(closest("col9", many).is_empty());
    }
}
