//! A named column of numbers or categories.

use crate::error::{Place, clipped};
use crate::notation::shortest_number;
use crate::warning::Warning;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::num::NonZeroU32;
use ternwood::dataset::notation::Notation;
use ternwood::is_unknown_value;
use ternwood::words::{date_text, time_text};

/// The index of a category in the categories of its column.
///
/// `Option<CategoryCode>` takes four bytes: a missing value needs neither extra space nor a
/// reserved code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CategoryCode(NonZeroU32);

impl CategoryCode {
    /// The code of the category at `index`. `None` from 2^32 - 1 on.
    #[must_use]
    #[inline]
    pub fn new(index: usize) -> Option<Self> {
        let number = u32::try_from(index).ok()?.checked_add(1)?;
        NonZeroU32::new(number).map(Self)
    }

    /// The index of the category.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Where the categories of a nominal column come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CategoryOrigin {
    /// The values found in the column, sorted.
    Found,
    /// Declared by the file, without an order of its own (ARFF).
    Declared,
    /// Declared by the file or the user, in ascending order.
    Ordered,
    /// The booleans `false` and `true` of a typed file (Parquet).
    Boolean,
    /// Declared by a type that lists all categories there are, in an order without meaning.
    Enumerated,
}

impl CategoryOrigin {
    /// Whether the categories and their order are given, with or without rows.
    pub(crate) fn is_fixed(self) -> bool {
        self != Self::Found
    }
}

/// Who decided what the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DecidedBy {
    /// The values themselves.
    #[default]
    Values,
    /// The file, which declares the types of its columns.
    File,
    /// The user.
    User,
}

/// A nominal column: a code per row and a name per code.
#[derive(Debug, Clone, PartialEq)]
pub struct Nominal {
    pub(crate) codes: Vec<Option<CategoryCode>>,
    pub(crate) categories: Vec<String>,
    pub(crate) origin: CategoryOrigin,
}

impl Nominal {
    /// A column of texts. Categories are the distinct texts, sorted.
    pub fn from_texts<S: AsRef<str>>(texts: impl IntoIterator<Item = Option<S>>) -> Self {
        let mut builder = super::builder::NominalBuilder::found();
        for text in texts {
            match text {
                Some(text) => _ = builder.push(text.as_ref()),
                None => builder.push_missing(),
            }
        }
        builder.take()
    }

    /// The code of every row, `None` for a missing value.
    #[must_use]
    pub fn codes(&self) -> &[Option<CategoryCode>] {
        &self.codes
    }

    /// The name of every category, by code.
    #[must_use]
    pub fn categories(&self) -> &[String] {
        &self.categories
    }

    /// The origin of the categories.
    #[must_use]
    pub fn origin(&self) -> CategoryOrigin {
        self.origin
    }

    /// The category of a row, `None` for a missing value.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn text(&self, row: usize) -> Option<&str> {
        self.codes[row].map(|code| self.categories[code.index()].as_str())
    }
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Numbers, NaN for missing values.
    Numeric(Vec<f64>),
    /// Categories.
    Nominal(Nominal),
}

impl Values {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Numeric(values) => values.len(),
            Self::Nominal(nominal) => nominal.codes.len(),
        }
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `"numeric"` or `"nominal"`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Numeric(_) => "numeric",
            Self::Nominal(_) => "nominal",
        }
    }

    /// The number of missing values.
    #[must_use]
    pub fn missing(&self) -> usize {
        match self {
            Self::Numeric(values) => values.iter().filter(|value| value.is_nan()).count(),
            Self::Nominal(nominal) => nominal.codes.iter().filter(|code| code.is_none()).count(),
        }
    }

    /// The first row without a value; one that could not be read is no gap.
    pub(crate) fn first_gap(&self) -> Option<usize> {
        match self {
            Self::Numeric(values) => {
                values.iter().position(|value| value.is_nan() && !is_unknown_value(*value))
            }
            Self::Nominal(nominal) => nominal.codes.iter().position(Option::is_none),
        }
    }

    /// Which rows have a value.
    pub(crate) fn present(&self) -> Vec<bool> {
        match self {
            Self::Numeric(values) => values.iter().map(|value| !value.is_nan()).collect(),
            Self::Nominal(nominal) => nominal.codes.iter().map(Option::is_some).collect(),
        }
    }
}

/// A named column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub(crate) name: String,
    pub(crate) values: Values,
    /// How texts spell the numbers.
    pub(crate) notation: Notation,
    pub(crate) decided_by: DecidedBy,
    /// The Arrow array of a column to copy.
    #[cfg(feature = "parquet")]
    pub(crate) kept: Option<crate::parquet::Kept>,
}

impl Column {
    /// A column of numbers, NaN for missing values.
    pub fn numeric(name: impl Into<String>, values: Vec<f64>) -> Self {
        Self::new(name.into(), Values::Numeric(values))
    }

    /// A column of texts, `None` for missing values.
    pub fn text<S: AsRef<str>>(
        name: impl Into<String>,
        texts: impl IntoIterator<Item = Option<S>>,
    ) -> Self {
        Self::new(name.into(), Values::Nominal(Nominal::from_texts(texts)))
    }

    pub(crate) fn new(name: String, values: Values) -> Self {
        Self {
            name,
            values,
            notation: Notation::default(),
            decided_by: DecidedBy::default(),
            #[cfg(feature = "parquet")]
            kept: None,
        }
    }

    /// The value of a row as text, `None` if it is missing.
    #[must_use]
    pub fn text_of(&self, row: usize) -> Option<String> {
        match &self.values {
            Values::Numeric(values) => {
                (!values[row].is_nan()).then(|| number_text(values[row], &self.notation))
            }
            Values::Nominal(nominal) => nominal.text(row).map(str::to_owned),
        }
    }

    /// A key that equals and orders like the value of a row. `None` if it is missing.
    #[inline]
    pub(crate) fn key(&self, row: usize) -> Option<u64> {
        match &self.values {
            Values::Nominal(nominal) => nominal.codes[row].map(|code| code.index() as u64),
            Values::Numeric(values) if values[row].is_nan() => None,
            Values::Numeric(values) => {
                // Adding 0 turns -0.0 into 0.0.
                let bits = (values[row] + 0.0).to_bits();
                Some(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 })
            }
        }
    }

    /// How texts spell the numbers of the column.
    #[must_use]
    pub fn notation(&self) -> &Notation {
        &self.notation
    }

    /// The same column of numbers in another notation.
    #[must_use]
    pub fn written_as(mut self, notation: Notation) -> Self {
        self.notation = notation;
        self
    }

    /// Who decided what the values are.
    #[must_use]
    pub fn decided_by(&self) -> DecidedBy {
        self.decided_by
    }

    /// The type of a column that has no text form. Only Parquet files can hold it.
    pub(crate) fn type_without_text(&self) -> Option<String> {
        #[cfg(feature = "parquet")]
        return self.kept.as_ref()?.type_without_text();
        #[cfg(not(feature = "parquet"))]
        None
    }

    /// The name of the column.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The values of the column.
    #[must_use]
    pub fn values(&self) -> &Values {
        &self.values
    }
}

/// A number as files and people write it: `12.5`, `12.5%`, `2020-12-31`.
pub(crate) fn number_text(value: f64, notation: &Notation) -> String {
    match notation {
        Notation::Number(_) => shortest_number(value),
        Notation::Percent(_) => format!("{}%", shortest_number(value)),
        Notation::Date(_) => date_text(value),
        Notation::Time(_) => time_text(value),
    }
}

// Cells that could not be read.

/// What a cell of plain numbers should be.
pub(crate) const A_NUMBER: &str = "a number";

/// The cells of numeric columns that are no numbers, by column. Those of several chunks of a table
/// can be [added](Self::add) up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnreadableCells(BTreeMap<String, UnreadableInColumn>);

/// The cells of one column that could not be read.
///
/// Prints as a warning: `people.csv, line 7, column 'age': 'n.d.' is not a number; so are 3 cells
/// of the column, which count as unknown`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableInColumn {
    cells: u64,
    first: String,
    place: Place,
    expected: &'static str,
}

impl UnreadableCells {
    /// Counts a cell. `expected` says what it should be.
    pub(crate) fn push(&mut self, place: Place, text: &str, expected: &'static str) {
        let column = place.column.clone().unwrap_or_default();
        let new = || UnreadableInColumn { cells: 0, first: clipped(text), place, expected };
        self.0.entry(column).or_insert_with(new).cells += 1;
    }

    /// Adds those of later rows.
    pub fn add(&mut self, later: Self) {
        for (column, more) in later.0 {
            match self.0.entry(column) {
                Entry::Occupied(mut known) => known.get_mut().add(&more),
                Entry::Vacant(new) => _ = new.insert(more),
            }
        }
    }

    /// The same cells, whose lines were counted from 0, at lines counted from `line`.
    pub(crate) fn moved_to(mut self, line: u64) -> Self {
        for column in self.0.values_mut() {
            column.place.line = column.place.line.map(|relative| relative + line);
        }
        self
    }

    /// Those of a column.
    pub(crate) fn of(&self, column: &str) -> Option<UnreadableInColumn> {
        self.0.get(column).cloned()
    }

    /// One warning for every column.
    pub fn into_warnings(self) -> impl Iterator<Item = Warning> {
        self.0.into_values().map(Warning::Unreadable)
    }
}

impl UnreadableInColumn {
    /// The number of cells.
    #[must_use]
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Adds those of later rows.
    pub(crate) fn add(&mut self, later: &Self) {
        self.cells += later.cells;
    }

    /// The warning of these cells in a column of `numbers`, if those are the most.
    pub(crate) fn among_numbers(&self, numbers: u64) -> Option<Warning> {
        let Self { cells, first, place, expected } = self;
        let doubtful = *expected == A_NUMBER && numbers > *cells;
        doubtful.then(|| Warning::MostlyNumeric {
            place: place.clone(),
            value: first.clone(),
            numbers,
            words: *cells,
        })
    }
}

impl fmt::Display for UnreadableInColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cells, first, place, expected } = self;
        write!(f, "{place}: '{first}' is not {expected}; ")?;
        match cells {
            1 => write!(f, "the cell counts as unknown"),
            more => write!(f, "{more} such cells of the column count as unknown"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_code_takes_no_extra_space() {
        assert_eq!(size_of::<Option<CategoryCode>>(), 4);
        assert_eq!(CategoryCode::new(0).unwrap().index(), 0);
        assert_eq!(CategoryCode::new(u32::MAX as usize), None);
    }

    #[test]
    fn texts_become_sorted_categories() {
        let column = Nominal::from_texts([Some("pear"), None, Some("apple"), Some("pear")]);
        assert_eq!(column.categories(), ["apple", "pear"]);
        let texts: Vec<_> = (0..4).map(|row| column.text(row)).collect();
        assert_eq!(texts, [Some("pear"), None, Some("apple"), Some("pear")]);
    }

    #[test]
    fn categories_that_are_numbers_sort_as_numbers() {
        let column = Nominal::from_texts(["10", "9", "-1"].map(Some));
        assert_eq!(column.categories(), ["-1", "9", "10"]);
        let mixed = Nominal::from_texts(["10", "9", "x"].map(Some));
        assert_eq!(mixed.categories(), ["10", "9", "x"]);
    }
}
