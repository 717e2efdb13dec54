//! Cells that could not be read.

use crate::error::{Place, clipped};
use crate::warning::Warning;
use std::collections::BTreeMap;
use std::fmt;

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
            let cells = more.cells;
            self.0.entry(column).or_insert(UnreadableInColumn { cells: 0, ..more }).cells += cells;
        }
    }

    /// The same cells, whose lines were counted from 0, at lines counted from `line`.
    pub(crate) fn moved_to(mut self, line: u64) -> Self {
        for column in self.0.values_mut() {
            column.place.line = column.place.line.map(|relative| relative + line);
        }
        self
    }

    /// Whether there are such cells in a column.
    pub(crate) fn has(&self, column: &str) -> bool {
        self.0.contains_key(column)
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
