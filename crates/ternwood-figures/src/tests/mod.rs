//! Checks that figures are correct and legible.

mod categories;
mod content;
mod odd_input;
mod overlap;
mod printed;
mod unsure_trees;
mod verdict_report;
mod xml;

use crate::generators::{Table, blobs, fit};
use ternwood::{Dataset, Model, Routing, ZoneKind};

/// Trees with two and with three children per split, depth 1 to 6, few and many classes.
fn trees() -> Vec<(String, Dataset, Model)> {
    let mut trees = Vec::new();
    for n_classes in [2, 3, 10, 12] {
        let data = blobs(n_classes, 700, 11 + n_classes as u64);
        for depth in 1..=6 {
            for routing in [Routing::Probabilistic, Routing::HardMiddle] {
                let model = fit(&data, depth, ZoneKind::quality_plateau(), routing);
                let name = format!("{n_classes} classes, depth {depth}, {routing}");
                trees.push((name, data.clone(), model));
            }
        }
    }
    trees
}

/// Trees of tables with categories and missing values: few and many categories, short and long
/// names, two and more classes.
fn table_trees() -> Vec<(String, Dataset, Model)> {
    let tables = [
        Table { categories: 2, ..Table::default() },
        Table::default(),
        Table { missing: 0.0, ..Table::default() },
        Table { categories: 100, rows: 2000, seed: 2, ..Table::default() },
        Table { categories: 300, rows: 2000, missing: 0.0, seed: 3, ..Table::default() },
        Table { long_names: true, seed: 4, ..Table::default() },
        Table { classes: 3, seed: 5, ..Table::default() },
        Table { classes: 12, categories: 30, rows: 1500, long_names: true, ..Table::default() },
    ];
    let mut trees = Vec::new();
    for table in tables {
        let data = table.dataset();
        for depth in [1, 3, 5] {
            for routing in [Routing::Probabilistic, Routing::HardMiddle] {
                let model = fit(&data, depth, ZoneKind::Margin, routing);
                trees.push((format!("{table:?}, depth {depth}, {routing}"), data.clone(), model));
            }
        }
    }
    trees
}
