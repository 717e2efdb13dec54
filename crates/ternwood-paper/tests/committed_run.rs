//! The committed tables follow from the committed raw results.
//!
//! `docs/reproduction.md` is written from the tables in `runs/paper`, which
//! `scripts/reproduction.py --check` verifies. Here the tables are remade from `raw.csv`. Those
//! with published numbers need `shared/paper` beside the project.

#![expect(clippy::unwrap_used, reason = "a test: what cannot be read shall fail it")]

use std::fs;
use std::path::{Path, PathBuf};
use ternwood_paper::{Agreement, Basis, Published, Results, Table, tables};

/// Tables without published numbers.
const OWN: [&str; 6] = [
    "all_methods",
    "all_methods_to_20000_rows",
    "equal_coverage",
    "advice_by_rows",
    "findings",
    "breiman_generated",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run() -> PathBuf {
    root().join("runs/paper")
}

fn tables_beside(published: &Published) -> Vec<Table> {
    tables(&Results::read(&run()).unwrap(), published)
}

fn assert_committed(table: &Table) {
    for (ending, ours) in [("csv", table.csv()), ("md", table.markdown())] {
        let path = run().join(format!("tables/{}.{ending}", table.name));
        let committed = fs::read_to_string(&path).unwrap();
        assert!(ours == committed, "{} is not what raw.csv gives", path.display());
    }
}

#[test]
fn committed_tables_without_published_numbers_match_the_raw_results() {
    let tables = tables_beside(&Published::default());
    for name in OWN {
        assert_committed(tables.iter().find(|table| table.name == name).unwrap());
    }
}

#[test]
#[cfg_attr(not(has_shared_data), ignore = "needs ../shared/paper; see CONTRIBUTING.md")]
fn all_committed_tables_match_the_raw_results() {
    let published = Published::read(&root().join("../shared/paper")).unwrap();
    let tables = tables_beside(&published);
    assert!(tables.len() > OWN.len(), "only {} tables were compared", tables.len());
    for table in &tables {
        assert_committed(table);
    }
    // The claims of docs/reproduction.md in numbers: with the same data and method, all printed
    // digits agree except in seven cells of two data sets.
    let agreement = Agreement::of(&tables);
    let (cells, agree) = agreement.total(Basis::Same);
    assert_eq!((cells, agree), (592, 585));
    let same = agreement.disagreements.iter().filter(|d| d.basis == Basis::Same);
    assert!(same.clone().all(|d| ["mfeat-pixel", "isolet"].contains(&d.row.as_str())));
}
