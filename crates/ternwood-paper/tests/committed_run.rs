//! Do the committed tables follow from the committed raw results?
//!
//! `docs/reproduction.md` is written from the tables in `runs/paper` (and
//! `scripts/reproduction.py --check` says so); here the tables are made again from `raw.csv`. Those
//! with published numbers need `shared/paper` beside the project.

use std::fs;
use std::path::Path;
use ternwood_paper::{Agreement, Basis, Published, Results, tables};

/// Nothing in them is published.
const OWN: [&str; 6] = [
    "all_methods",
    "all_methods_to_20000_rows",
    "equal_coverage",
    "advice_by_rows",
    "findings",
    "breiman_generated",
];

#[test]
fn committed_tables_are_those_of_the_committed_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let run = root.join("runs/paper");
    let results = Results::read(&run).unwrap();
    let paper = root.join("../shared/paper");
    let published = Published::read(&paper).unwrap_or_default();
    if published.is_empty() {
        println!("skipped in part: {} is absent", paper.display());
    }
    let tables = tables(&results, &published);
    let mut compared = 0;
    for table in &tables {
        if published.is_empty() && !OWN.contains(&table.name) {
            continue;
        }
        for (ending, ours) in [("csv", table.csv()), ("md", table.markdown())] {
            let path = run.join(format!("tables/{}.{ending}", table.name));
            let committed = fs::read_to_string(&path).unwrap();
            assert!(ours == committed, "{} is not what raw.csv gives", path.display());
        }
        compared += 1;
    }
    assert!(compared >= OWN.len(), "only {compared} tables were compared");
    if published.is_empty() {
        return;
    }
    // The claims of docs/reproduction.md, in numbers: the same data and method agree to the
    // printed digits but for seven cells of two data sets.
    let agreement = Agreement::of(&tables);
    let (cells, agree) = agreement.total(Basis::Same);
    assert_eq!((cells, agree), (592, 585));
    let same = agreement.disagreements.iter().filter(|d| d.basis == Basis::Same);
    assert!(same.clone().all(|d| ["mfeat-pixel", "isolet"].contains(&d.row.as_str())));
}
