//! Results and trees of the published method on small real data sets, from `shared/oracle` beside
//! the project.

#![allow(dead_code, reason = "each user takes what it needs")]

use serde::Deserialize;
use std::path::{Path, PathBuf};
use ternwood::metrics::Rates;
use ternwood_paper::{Collection, PaperData};

/// The published results of one data set.
#[derive(Deserialize)]
pub struct Published {
    pub openml_id: u32,
    pub name: String,
    pub results: Vec<PublishedResult>,
    pub fold_0_trees: std::collections::BTreeMap<String, PublishedNode>,
}

#[derive(Deserialize)]
pub struct PublishedResult {
    pub fold: u8,
    pub zone: String,
    pub routing: String,
    pub accuracy: f64,
    pub undecided_rate: f64,
    pub decided_accuracy: Option<f64>,
    pub decided_f1: Option<f64>,
}

#[derive(Deserialize)]
pub struct PublishedNode {
    pub rows: u32,
    pub feature: Option<u32>,
    pub threshold: Option<f64>,
    pub half_width: Option<f64>,
    pub left: Option<Box<PublishedNode>>,
    pub middle: Option<Box<PublishedNode>>,
    pub right: Option<Box<PublishedNode>>,
    pub distribution: Option<Vec<f64>>,
}

/// The tolerance: results are rounded to 6 decimals, so half a unit of the last.
const ROUNDED: f64 = 0.5e-6 + 1e-9;

impl PublishedResult {
    /// The number of rates compared.
    pub const RATES: usize = 4;

    /// The rates that differ from the published ones.
    pub fn differences(&self, rates: &Rates) -> Vec<String> {
        let pairs: [_; Self::RATES] = [
            ("accuracy", rates.accuracy, Some(self.accuracy)),
            ("undecided_rate", rates.undecided_rate, Some(self.undecided_rate)),
            ("decided_accuracy", rates.decided_accuracy, self.decided_accuracy),
            ("decided_f1", rates.decided_f1, self.decided_f1),
        ];
        let same = |ours: Option<f64>, theirs: Option<f64>| match (ours, theirs) {
            (Some(ours), Some(theirs)) => (ours - theirs).abs() <= ROUNDED,
            (ours, theirs) => ours == theirs,
        };
        let different = pairs.into_iter().filter(|(_, ours, theirs)| !same(*ours, *theirs));
        different
            .map(|(name, ours, theirs)| format!("{name} {ours:?}, published {theirs:?}"))
            .collect()
    }
}

/// All data sets with their published results.
pub fn data_sets() -> Vec<(Published, PaperData)> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let collection = Collection::open(shared.join("openml")).unwrap();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(shared.join("oracle"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let published: Published = serde_json::from_str(&text).unwrap();
        let entry = collection.entry(published.openml_id).unwrap();
        let data = collection.load(entry).unwrap();
        (published, data)
    };
    paths.iter().map(read).collect()
}
