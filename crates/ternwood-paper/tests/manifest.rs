//! Every file of the shared OpenML collection is read with the rows, features, nominal features,
//! missing cells and classes stated in its manifest.

#![expect(clippy::unwrap_used, reason = "a test: what cannot be read shall fail it")]

use std::path::{Path, PathBuf};
use ternwood_table::{
    EncodeOptions, MissingPolicy, ReadOptions, Source, Values, Warning, encode, read_table,
};

fn collection() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/openml")
}

/// The manifest as one list of `(column, value)` per data set.
fn manifest(folder: &Path) -> Vec<Vec<(String, String)>> {
    let text = std::fs::read_to_string(folder.join("manifest.tsv")).unwrap();
    let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned));
    let header: Vec<String> = lines.next().unwrap().collect();
    lines.map(|fields| header.iter().cloned().zip(fields).collect()).collect()
}

fn field<'a>(entry: &'a [(String, String)], name: &str) -> &'a str {
    &entry.iter().find(|(key, _)| key == name).unwrap().1
}

/// Rows, features, nominal features, missing cells, classes.
fn measured(path: &Path) -> [usize; 5] {
    let table = read_table(&Source::file(path), &ReadOptions::new()).unwrap();
    let (target, features) = table.columns().split_last().unwrap();
    let nominal = features.iter().filter(|f| matches!(f.values(), Values::Nominal(_))).count();
    let missing = features.iter().map(|feature| feature.values().missing()).sum();
    let counts = [table.n_rows(), features.len(), nominal, missing];

    let target = target.name().to_owned();
    let options = EncodeOptions { missing: MissingPolicy::Median, ..EncodeOptions::default() };
    let encoded = encode(table, &target, options).unwrap();
    assert_eq!(encoded.dataset.n_rows(), counts[0]);
    // Constant columns stay. The only column that counts the rows is a phone number.
    let is_dropped = |warning: &&Warning| match warning {
        Warning::Constant { .. } => false,
        // Columns of many categories stay too.
        Warning::ManyCategories { .. } => false,
        Warning::NumericIdentifier { column, .. } => {
            assert_eq!(column, "phone number");
            true
        }
        Warning::EmptyColumn { .. } => true,
        other => panic!("{other}"),
    };
    let dropped = encoded.warnings.iter().filter(is_dropped).count();
    assert_eq!(encoded.dataset.n_features() + dropped, counts[1]);
    let [rows, features, nominal, missing] = counts;
    [rows, features, nominal, missing, encoded.dataset.n_classes()]
}

#[test]
#[cfg_attr(not(has_shared_data), ignore = "needs ../shared/openml; see CONTRIBUTING.md")]
fn every_data_set_is_read_as_its_manifest_says() {
    let folder = collection();
    let entries = manifest(&folder);
    assert_eq!(entries.len(), 72);
    for entry in &entries {
        let file = field(entry, "file");
        let stated = ["rows", "features", "nominal_features", "missing_cells", "classes"]
            .map(|name| field(entry, name).parse::<usize>().unwrap());
        assert_eq!(measured(&folder.join(file)), stated, "{file}");
    }
}

#[test]
#[cfg_attr(not(has_shared_data), ignore = "needs ../shared/openml; see CONTRIBUTING.md")]
fn the_empty_column_of_sick_is_dropped_with_a_warning() {
    let folder = collection();
    let source = Source::file(folder.join("38_sick.arff.gz"));
    let table = read_table(&source, &ReadOptions::new()).unwrap();
    let target = table.columns().last().unwrap().name().to_owned();
    let options = EncodeOptions { missing: MissingPolicy::Median, ..EncodeOptions::default() };
    let encoded = encode(table, &target, options).unwrap();
    assert!(encoded.warnings.contains(&Warning::EmptyColumn { column: "TBG".to_owned() }));
    let features = encoded.dataset.schema().features();
    assert!(features.iter().all(|feature| feature.name != "TBG"));
}
