//! Checks that figures are correct and legible.

mod content;
mod odd_input;
mod overlap;
mod xml;

use crate::generators::{blobs, fit};
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
