//! Growing a table row by row.

use super::column::{CategoryCode, CategoryOrigin, Column, Nominal, Values};
use super::lines::RowLines;
use super::numbers::NumericBuilder;
use super::{Table, TableFile};
use crate::number;
use crate::warning::Warning;
use indexmap::IndexSet;

/// A nominal column that grows.
#[derive(Debug)]
pub(crate) struct NominalBuilder {
    codes: Vec<Option<CategoryCode>>,
    categories: IndexSet<Box<str>>,
    origin: CategoryOrigin,
}

impl NominalBuilder {
    /// A column whose categories are whatever comes.
    pub(crate) fn found(origin: CategoryOrigin) -> Self {
        Self { codes: Vec::new(), categories: IndexSet::new(), origin }
    }

    /// A column that takes these categories and no other.
    pub(crate) fn declared(categories: IndexSet<Box<str>>) -> Self {
        Self { codes: Vec::new(), categories, origin: CategoryOrigin::Declared }
    }

    /// A column of truth values.
    #[cfg(feature = "parquet")]
    pub(crate) fn boolean() -> Self {
        let categories = ["false", "true"].into_iter().map(Box::from).collect();
        Self { codes: Vec::new(), categories, origin: CategoryOrigin::Boolean }
    }

    /// Whether the list of categories is complete, and its order settled.
    fn is_fixed(&self) -> bool {
        matches!(self.origin, CategoryOrigin::Declared | CategoryOrigin::Boolean)
    }

    /// Adds a row; refuses (and adds nothing) if the category is not declared.
    #[inline]
    pub(crate) fn push(&mut self, text: &str) -> bool {
        let index = match self.categories.get_index_of(text) {
            Some(index) => index,
            None if self.is_fixed() => return false,
            None => self.categories.insert_full(text.into()).0,
        };
        let code = CategoryCode::new(index);
        self.codes.push(code);
        code.is_some()
    }

    /// Adds a row without a value.
    #[inline]
    pub(crate) fn push_missing(&mut self) {
        self.codes.push(None);
    }

    /// The declared or found categories so far.
    pub(crate) fn categories(&self) -> Vec<&str> {
        self.categories.iter().map(AsRef::as_ref).collect()
    }

    /// Gives the rows so far, and starts again with none. Categories that were found are
    /// put in order; declared ones keep theirs.
    pub(crate) fn take(&mut self) -> Nominal {
        let mut codes = std::mem::take(&mut self.codes);
        codes.shrink_to_fit();
        if self.is_fixed() {
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

/// As numbers if all of them are numbers, else as text, by code point.
fn sort_categories(named: &mut [(usize, Box<str>)]) {
    let numbers: Option<Vec<f64>> =
        named.iter().map(|(_, name)| number::parse(name.as_bytes())).collect();
    let by_text = |a: &(usize, Box<str>), b: &(usize, Box<str>)| a.1.cmp(&b.1);
    match numbers {
        Some(numbers) => {
            named.sort_by(|a, b| numbers[a.0].total_cmp(&numbers[b.0]).then(by_text(a, b)));
        }
        None => named.sort_by(by_text),
    }
}

/// A column that grows.
#[derive(Debug)]
pub(crate) enum ColumnBuilder {
    /// Numbers; NaN for a missing value.
    Numeric(NumericBuilder),
    /// Categories.
    Nominal(NominalBuilder),
    /// The values are not wanted.
    Dropped,
}

impl ColumnBuilder {
    /// A column of numbers without rows.
    pub(crate) fn numeric() -> Self {
        Self::Numeric(NumericBuilder::default())
    }

    /// A column of whatever categories come, without rows.
    pub(crate) fn nominal(origin: CategoryOrigin) -> Self {
        Self::Nominal(NominalBuilder::found(origin))
    }
}

/// A table that grows row by row, and can be taken away in pieces.
#[derive(Debug)]
pub(crate) struct TableBuilder {
    pub(crate) file: TableFile,
    pub(crate) names: Vec<String>,
    pub(crate) columns: Vec<ColumnBuilder>,
    pub(crate) warnings: Vec<Warning>,
    lines: RowLines,
    n_rows: usize,
}

impl TableBuilder {
    /// A table without rows.
    pub(crate) fn new(file: TableFile, names: Vec<String>, columns: Vec<ColumnBuilder>) -> Self {
        let (warnings, lines) = (Vec::new(), RowLines::default());
        Self { file, names, columns, warnings, lines, n_rows: 0 }
    }

    /// Says that every column has got its value of one more row, from this line.
    #[inline]
    pub(crate) fn end_row(&mut self, line: u64) {
        self.lines.push(self.n_rows, line);
        self.n_rows += 1;
    }

    /// Says that every column has got its values of more rows, from a file without lines.
    #[cfg(feature = "parquet")]
    pub(crate) fn end_rows(&mut self, rows: usize) {
        self.n_rows += rows;
    }

    /// Says that rows were passed over. There must be none that are not taken yet.
    pub(crate) fn skip_rows(&mut self, rows: u64) {
        self.file.first_row += rows;
    }

    /// Makes room: numeric columns of the right size from the start need not grow.
    pub(crate) fn reserve(&mut self, rows: usize) {
        for column in &mut self.columns {
            if let ColumnBuilder::Numeric(values) = column {
                values.reserve(rows);
            }
        }
    }

    /// How many rows there are so far.
    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Gives the rows so far as a table, and starts again with none.
    pub(crate) fn take(&mut self) -> Table {
        let mut columns = Vec::with_capacity(self.columns.len());
        for (name, builder) in self.names.iter().zip(&mut self.columns) {
            let values = match builder {
                ColumnBuilder::Numeric(values) => Values::Numeric(values.take()),
                ColumnBuilder::Nominal(nominal) => Values::Nominal(nominal.take()),
                ColumnBuilder::Dropped => continue,
            };
            columns.push(Column::new(name.clone(), values));
        }
        let table = Table {
            file: self.file.clone(),
            columns,
            n_rows: self.n_rows,
            lines: std::mem::take(&mut self.lines),
            warnings: std::mem::take(&mut self.warnings),
        };
        self.file.first_row += self.n_rows as u64;
        self.n_rows = 0;
        table
    }
}
