//! The paper's published numbers, read from a folder of tables beside the data.

use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The published tables found in the folder.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Published {
    tables: BTreeMap<&'static str, Vec<BTreeMap<String, String>>>,
}

/// Table 1: methods over CC18.
pub(crate) const SUMMARY: &str = "table1_cc18_summary";
/// Table 3: medical data sets.
pub(crate) const MEDICAL: &str = "table3_medical";
/// Breiman's tasks.
pub(crate) const BREIMAN: &str = "table_breiman";
/// CC18, every estimator and routing.
pub(crate) const COMBINATIONS: &str = "table_cc18_all_combinations";
/// CC18, every data set.
pub(crate) const PER_SET: &str = "table_cc18_per_dataset";
/// Medical data sets, every estimator and routing.
pub(crate) const MEDICAL_COMBINATIONS: &str = "table_medical_all_combinations";

const FILES: [&str; 6] = [SUMMARY, MEDICAL, BREIMAN, COMBINATIONS, PER_SET, MEDICAL_COMBINATIONS];

impl Published {
    /// Reads the tab-separated tables of a folder, each with a header.
    ///
    /// # Errors
    /// None of the tables is there, or one cannot be read.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut tables = BTreeMap::new();
        for name in FILES {
            let path = folder.join(format!("{name}.tsv"));
            match fs::read_to_string(&path) {
                Ok(text) => {
                    tables.insert(name, rows(&text));
                }
                Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => {}
                Err(source) => return Err(Error::Read { path, source }),
            }
        }
        if tables.is_empty() {
            return Err(Error::NoPublished { path: folder.to_owned(), expected: FILES[0] });
        }
        Ok(Self { tables })
    }

    /// True if there is nothing to compare with.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// The rows of a table; empty if the table is absent.
    pub(crate) fn rows(&self, table: &str) -> &[BTreeMap<String, String>] {
        self.tables.get(table).map_or(&[], Vec::as_slice)
    }

    /// One cell, from the first row with these fields.
    pub(crate) fn cell(&self, table: &str, row: &[(&str, &str)], column: &str) -> Option<String> {
        let matches = |fields: &&BTreeMap<String, String>| {
            row.iter().all(|(name, value)| fields.get(*name).is_some_and(|field| field == value))
        };
        self.rows(table).iter().find(matches)?.get(column).cloned()
    }
}

fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let row = |line: &str| {
        let fields = line.split('\t').map(str::to_owned);
        header.iter().map(|&name| name.to_owned()).zip(fields).collect()
    };
    lines.filter(|line| !line.is_empty()).map(row).collect()
}
