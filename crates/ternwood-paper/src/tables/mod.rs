//! The paper's tables, filled with our numbers and set beside the published ones.

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

/// A table: rows with labels, and cells in named columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The name of its files.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// The names of the columns of labels.
    pub labels: Vec<&'static str>,
    /// The names of the columns of cells.
    pub columns: Vec<&'static str>,
    /// Labels and cells of each row.
    pub rows: Vec<(Vec<String>, Vec<Cell>)>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// All tables of these results: the paper's seven, then what it lacks. Tables without any row
/// are left out.
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

/// The paper's four medical sets and so on are known by OpenML's numbers.
fn by_id(sets: &[SetFigures], openml_id: u32) -> Option<&SetFigures> {
    sets.iter().find(|set| set.openml_id == openml_id)
}
