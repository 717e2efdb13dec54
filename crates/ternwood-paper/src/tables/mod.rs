//! The paper's tables with our numbers, beside the published ones.

mod advice;
mod agreement;
mod breiman;
mod cc18;
mod cell;
mod coverage;
mod efficiency;
mod findings;
mod medical;
mod methods;
mod render;

pub use agreement::{Agreement, Disagreement};
pub use cell::{Basis, Cell, Value};

use crate::published::Published;
use crate::results::Results;
use crate::statistics::SetFigures;

/// A table: labelled rows of cells in named columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The name of its files, without extension.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// The names of the label columns.
    pub labels: Vec<&'static str>,
    /// The names of the cell columns.
    pub columns: Vec<&'static str>,
    /// The labels and the cells of each row.
    pub rows: Vec<(Vec<String>, Vec<Cell>)>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// All tables of these results: the paper's seven, then our additions. Empty tables are omitted.
#[must_use]
pub fn tables(results: &Results, published: &Published) -> Vec<Table> {
    let sets = SetFigures::all(results);
    let cc18 = cc18::Cc18::new(results, &sets, published);
    let mut tables = vec![
        cc18.summary(),
        breiman::table(&sets, published),
        medical::table(&sets, published),
        cc18.per_set(),
        cc18.combinations(),
        medical::combinations(&sets, published),
        cc18.efficiency(),
        breiman::generated(&sets),
    ];
    tables.extend(methods::table(&cc18));
    tables.push(coverage::table(&cc18));
    tables.push(advice::table(&sets));
    tables.push(findings::table(results, &sets, &cc18));
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// The data set with this OpenML id.
fn by_id(sets: &[SetFigures], openml_id: u32) -> Option<&SetFigures> {
    sets.iter().find(|set| set.openml_id == openml_id)
}
