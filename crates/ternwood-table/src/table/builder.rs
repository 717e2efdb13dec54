//! Builds a table row by row.

use crate::notation::parse_number;
use crate::table::column::{
    CategoryCode, CategoryOrigin, Column, DecidedBy, Nominal, UnreadableCells, Values,
};
use crate::table::{Table, TableFile};
use crate::warning::Warning;
use indexmap::IndexSet;
use ternwood::dataset::notation::Notation;

/// A nominal column under construction.
#[derive(Debug)]
pub(crate) struct NominalBuilder {
    codes: Vec<Option<CategoryCode>>,
    categories: IndexSet<Box<str>, foldhash::fast::FixedState>,
    origin: CategoryOrigin,
}

impl NominalBuilder {
    /// A column that accepts every category.
    pub(crate) fn found() -> Self {
        Self { codes: Vec::new(), categories: IndexSet::default(), origin: CategoryOrigin::Found }
    }

    /// A column that accepts only these categories.
    pub(crate) fn declared<S: Into<Box<str>>>(
        categories: impl IntoIterator<Item = S>,
        origin: CategoryOrigin,
    ) -> Self {
        let categories = categories.into_iter().map(Into::into).collect();
        Self { codes: Vec::new(), categories, origin }
    }

    /// Moves the rows of another builder here.
    fn append(&mut self, other: &mut Self) {
        let of_category = |name: Box<str>| CategoryCode::new(self.categories.insert_full(name).0);
        let found = if self.origin.is_fixed() {
            (0..other.categories.len()).map(CategoryCode::new).collect()
        } else {
            other.categories.drain(..).map(of_category).collect::<Vec<_>>()
        };
        let codes = other.codes.drain(..);
        self.codes.extend(codes.map(|code| code.and_then(|code| found[code.index()])));
    }

    /// A column of booleans.
    #[cfg(feature = "parquet")]
    pub(crate) fn boolean() -> Self {
        Self::declared(["false", "true"], CategoryOrigin::Boolean)
    }

    /// Adds a row. Returns false, and adds nothing, if the category is not declared.
    #[inline]
    pub(crate) fn push(&mut self, text: &str) -> bool {
        let index = match self.categories.get_index_of(text) {
            Some(index) => index,
            None if self.origin.is_fixed() => return false,
            None => self.categories.insert_full(text.into()).0,
        };
        let code = CategoryCode::new(index);
        self.codes.push(code);
        code.is_some()
    }

    /// Adds a row with a missing value.
    #[inline]
    pub(crate) fn push_missing(&mut self) {
        self.codes.push(None);
    }

    /// The declared categories, or those found so far.
    pub(crate) fn categories(&self) -> Vec<&str> {
        self.categories.iter().map(AsRef::as_ref).collect()
    }

    /// Takes the rows so far and leaves the builder empty. Found categories are sorted; declared
    /// ones keep their order.
    pub(crate) fn take(&mut self) -> Nominal {
        let mut codes = std::mem::take(&mut self.codes);
        codes.shrink_to_fit();
        if self.origin.is_fixed() {
            let categories = self.categories.iter().map(|name| String::from(&**name)).collect();
            return Nominal { codes, categories, origin: self.origin };
        }
        let found = std::mem::take(&mut self.categories);
        let mut named: Vec<(usize, Box<str>)> = found.into_iter().enumerate().collect();
        sort_categories(&mut named);
        let mut new_code = vec![None; named.len()];
        for (new, (old, _)) in named.iter().enumerate() {
            new_code[*old] = CategoryCode::new(new);
        }
        for code in &mut codes {
            *code = code.and_then(|code| new_code[code.index()]);
        }
        let categories = named.into_iter().map(|(_, name)| name.into_string()).collect();
        Nominal { codes, categories, origin: self.origin }
    }
}

/// Sorts categories: as numbers if all of them are numbers, otherwise by code point.
pub(crate) fn sort_categories<S: AsRef<str> + Ord>(named: &mut [(usize, S)]) {
    let numbers: Option<Vec<f64>> =
        named.iter().map(|(_, name)| parse_number(name.as_ref().as_bytes())).collect();
    let by_text = |a: &(usize, S), b: &(usize, S)| a.1.cmp(&b.1);
    match numbers {
        Some(numbers) => {
            named.sort_by(|a, b| numbers[a.0].total_cmp(&numbers[b.0]).then(by_text(a, b)));
        }
        None => named.sort_by(by_text),
    }
}

/// A column under construction.
#[derive(Debug)]
pub(crate) enum ColumnBuilder {
    /// Numbers, NaN for missing values.
    Numeric(NumericBuilder),
    /// Categories.
    Nominal(NominalBuilder),
    /// A column to skip.
    Dropped,
    /// A column that turned out not to be what it was taken for.
    Misjudged,
}

impl ColumnBuilder {
    /// An empty column of numbers.
    pub(crate) fn numeric() -> Self {
        Self::Numeric(NumericBuilder::default())
    }

    /// An empty column that accepts every category.
    pub(crate) fn nominal() -> Self {
        Self::Nominal(NominalBuilder::found())
    }

    /// An empty column of these categories, in ascending order.
    pub(crate) fn ordered(names: &[String]) -> Self {
        let names = names.iter().map(String::as_str);
        Self::Nominal(NominalBuilder::declared(names, CategoryOrigin::Ordered))
    }

    /// Moves the rows of another builder here.
    fn append(&mut self, other: &mut Self) {
        match (&mut *self, other) {
            (Self::Numeric(values), Self::Numeric(more)) => values.append(more),
            (Self::Nominal(values), Self::Nominal(more)) => values.append(more),
            (_, Self::Misjudged) => *self = Self::Misjudged,
            _ => {}
        }
    }
}

/// A table under construction. Rows are added to the columns, and taken in chunks.
#[derive(Debug)]
pub(crate) struct TableBuilder {
    pub(crate) file: TableFile,
    pub(crate) names: Vec<String>,
    pub(crate) columns: Vec<ColumnBuilder>,
    /// The notation of every column.
    pub(crate) notations: Vec<Notation>,
    pub(crate) decided_by: Vec<DecidedBy>,
    /// The texts of all columns, if they are to be kept; otherwise empty.
    pub(crate) kept: Vec<NominalBuilder>,
    pub(crate) unreadable: UnreadableCells,
    pub(crate) warnings: Vec<Warning>,
    lines: RowLines,
    n_rows: usize,
}

impl TableBuilder {
    /// A table without rows.
    pub(crate) fn new(file: TableFile, names: Vec<String>, columns: Vec<ColumnBuilder>) -> Self {
        Self {
            file,
            notations: vec![Notation::default(); names.len()],
            decided_by: vec![DecidedBy::default(); names.len()],
            names,
            columns,
            kept: Vec::new(),
            unreadable: UnreadableCells::default(),
            warnings: Vec::new(),
            lines: RowLines::default(),
            n_rows: 0,
        }
    }

    /// Records the line of a row. Every column must have its value by now.
    #[inline]
    pub(crate) fn end_row(&mut self, line: u64) {
        self.lines.push(self.n_rows, line);
        self.n_rows += 1;
    }

    /// Counts rows of a file without lines. Every column must have their values by now.
    #[cfg(feature = "parquet")]
    pub(crate) fn end_rows(&mut self, rows: usize) {
        self.n_rows += rows;
    }

    /// Counts skipped rows. The builder must be empty.
    pub(crate) fn skip_rows(&mut self, rows: u64) {
        self.file.first_row += rows;
    }

    /// Moves the rows of another builder of the same columns here. Its lines are counted from
    /// `line`.
    pub(crate) fn append(&mut self, other: &mut Self, line: u64) {
        for (column, more) in self.columns.iter_mut().zip(&mut other.columns) {
            column.append(more);
        }
        for (column, more) in self.kept.iter_mut().zip(&mut other.kept) {
            column.append(more);
        }
        self.unreadable.add(std::mem::take(&mut other.unreadable).moved_to(line));
        self.lines.append(&mut other.lines, self.n_rows, line);
        self.n_rows += std::mem::take(&mut other.n_rows);
    }

    /// The same builder with only these columns, given by ascending indices.
    #[cfg(feature = "parquet")]
    pub(crate) fn select(mut self, columns: &[usize]) -> Self {
        fn picked<T>(items: Vec<T>, columns: &[usize]) -> Vec<T> {
            let is_picked = |index: &usize| columns.binary_search(index).is_ok();
            let items = items.into_iter().enumerate().filter(|(index, _)| is_picked(index));
            items.map(|(_, item)| item).collect()
        }
        self.names = picked(self.names, columns);
        self.columns = picked(self.columns, columns);
        self.notations = picked(self.notations, columns);
        self.decided_by = picked(self.decided_by, columns);
        self.kept = picked(self.kept, columns);
        self
    }

    /// Reserves space in numeric columns, so that they need not be reallocated.
    pub(crate) fn reserve(&mut self, rows: usize) {
        for column in &mut self.columns {
            if let ColumnBuilder::Numeric(values) = column {
                values.reserve(rows);
            }
        }
    }

    /// The number of rows not taken yet.
    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Takes the rows so far and leaves the builder empty.
    pub(crate) fn take(&mut self) -> Table {
        let mut columns = Vec::with_capacity(self.columns.len());
        let parts = self.names.iter().zip(&mut self.columns);
        for ((name, builder), (notation, &decided_by)) in
            parts.zip(self.notations.iter().zip(&self.decided_by))
        {
            let values = match builder {
                ColumnBuilder::Numeric(values) => Values::Numeric(values.take()),
                ColumnBuilder::Nominal(nominal) => Values::Nominal(nominal.take()),
                ColumnBuilder::Dropped | ColumnBuilder::Misjudged => continue,
            };
            let column = Column::new(name.clone(), values).written_as(notation.clone());
            columns.push(Column { decided_by, ..column });
        }
        let kept = self.names.iter().zip(&mut self.kept);
        let kept =
            kept.map(|(name, texts)| Column::new(name.clone(), Values::Nominal(texts.take())));
        let table = Table {
            file: self.file.clone(),
            columns,
            kept: kept.collect(),
            n_rows: self.n_rows,
            lines: std::mem::take(&mut self.lines),
            numbers: RowLines::default(),
            unreadable: std::mem::take(&mut self.unreadable),
            warnings: std::mem::take(&mut self.warnings),
        };
        self.file.first_row += self.n_rows as u64;
        self.n_rows = 0;
        table
    }
}

// A numeric column under construction.

const STAGED: usize = 16;

/// Numbers, staged in a small buffer before they are appended to the column.
///
/// A file is read row by row, and the ends of its columns tend to be at the same offset within a
/// page. With many columns, direct writes would evict each other from the cache. The stages are
/// next to each other in memory.
#[derive(Debug, Default)]
pub(crate) struct NumericBuilder {
    stage: [f64; STAGED],
    staged: usize,
    values: Vec<f64>,
}

impl NumericBuilder {
    /// Adds a row, NaN for a missing value.
    #[inline]
    pub(crate) fn push(&mut self, value: f64) {
        if self.staged == STAGED {
            self.flush();
        }
        self.stage[self.staged] = value;
        self.staged += 1;
    }

    /// Adds rows.
    #[cfg(feature = "parquet")]
    pub(crate) fn extend(&mut self, values: &[f64]) {
        self.flush();
        self.values.extend_from_slice(values);
    }

    /// Moves the rows of another builder here.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.flush();
        other.flush();
        self.values.extend_from_slice(&other.values);
        other.values.clear();
    }

    /// Reserves space for more rows.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.values.reserve_exact(rows);
    }

    /// Takes the rows so far and leaves the builder empty.
    pub(crate) fn take(&mut self) -> Vec<f64> {
        self.flush();
        let mut values = std::mem::take(&mut self.values);
        values.shrink_to_fit();
        values
    }

    #[inline(never)]
    fn flush(&mut self) {
        self.values.extend_from_slice(&self.stage[..self.staged]);
        self.staged = 0;
    }
}

// The line of every row.

/// The line of every row of a text file, as runs of consecutive lines.
///
/// Almost every row is one line below the previous one. Only the exceptions (comments, blank lines,
/// quoted line breaks) are stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowLines {
    /// `(first row, its line)` of every run, both ascending.
    runs: Vec<(usize, u64)>,
}

impl RowLines {
    /// Records the line of the next row. `row` counts up from 0.
    #[inline]
    pub(crate) fn push(&mut self, row: usize, line: u64) {
        if self.of(row) != Some(line) {
            self.runs.push((row, line));
        }
    }

    /// Moves the lines of another builder here: that of its first row is `row` here, and its lines
    /// are counted from `line`.
    pub(crate) fn append(&mut self, other: &mut Self, row: usize, line: u64) {
        for (first, at) in other.runs.drain(..) {
            self.push(row + first, line + at);
        }
    }

    /// The line of a row. `None` for tables that are not from a text file.
    pub(crate) fn of(&self, row: usize) -> Option<u64> {
        // A shortcut for building a table, where the row is in the last run.
        let after = match self.runs.last() {
            Some(&(first, _)) if first <= row => self.runs.len(),
            _ => self.runs.partition_point(|&(first, _)| first <= row),
        };
        let &(first, line) = self.runs.get(after.checked_sub(1)?)?;
        Some(line + (row - first) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn take_returns_all_values_in_order() {
        let mut builder = NumericBuilder::default();
        for n in [0, 1, 15, 16, 17, 32, 100] {
            let values: Vec<f64> = (0..n).map(f64::from).collect();
            values.iter().for_each(|value| builder.push(*value));
            assert_eq!(builder.take(), values);
        }
    }

    #[test]
    fn lines_with_gaps() {
        let lines = [3, 4, 5, 9, 10, 12, 20];
        let mut stored = RowLines::default();
        for (row, &line) in lines.iter().enumerate() {
            stored.push(row, line);
        }
        assert_eq!(stored.runs.len(), 4);
        for (row, &line) in lines.iter().enumerate() {
            assert_eq!(stored.of(row), Some(line));
        }
        assert_eq!(RowLines::default().of(0), None);
    }
}
