//! Real tables give the same schema, model bytes and predictions, whatever the format of their file.

#![expect(clippy::unwrap_used, reason = "a test: what cannot be read shall fail it")]

use std::path::Path;
use ternwood::recipe::{Routing, TreeParams};
use ternwood::{Exec, Learner, Matrix};
use ternwood_table::{
    EncodeOptions, Encoded, Format, ReadOptions, Source, TableWriter, encode, read_table,
};

fn encoded(source: &Source) -> Encoded {
    let table = read_table(source, &ReadOptions::new().threads(2)).unwrap();
    let target = table.columns().last().unwrap().name().to_owned();
    encode(table, &target, EncodeOptions::default()).unwrap()
}

/// The model file of a tree, and its answers for the training rows.
fn fitted(source: &Source) -> (String, String) {
    let data = encoded(source).dataset;
    let learner = Learner::new(TreeParams::default(), Routing::Probabilistic).unwrap();
    let model = learner.fit(&data, &Exec::default()).unwrap();
    let answers = model.predict(Matrix::from(data.columns()), &Exec::default()).unwrap();
    (model.to_json(), format!("{answers:?}"))
}

#[test]
#[cfg_attr(not(has_shared_data), ignore = "needs ../shared/openml; see CONTRIBUTING.md")]
fn credit_and_adult_are_the_same_in_every_format() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/openml");
    for file in ["31_credit-g.arff.gz", "1590_adult.arff.gz"] {
        let arff = Source::file(folder.join(file));
        let table = read_table(&arff, &ReadOptions::new()).unwrap();
        let expected = fitted(&arff);
        for (name, format) in
            [("t.csv", Format::Csv), ("t.tsv", Format::Tsv), ("t.parquet", Format::Parquet)]
        {
            let mut writer = TableWriter::new(name, Vec::new(), format).unwrap();
            writer.write(&table).unwrap();
            let copy = Source::bytes(name, writer.finish().unwrap());
            assert!(fitted(&copy) == expected, "{file} as {name}");
        }
    }
}
