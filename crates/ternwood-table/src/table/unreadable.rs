//! Cells that could not be read.

use crate::error::{Place, clipped};
use crate::warning::Warning;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

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
