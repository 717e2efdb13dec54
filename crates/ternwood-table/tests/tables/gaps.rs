//! Missing values, categories that training did not see, and rows without a class.

use crate::{read, read_with};
use std::sync::Arc;
use ternwood::{Columns, Exec, Feature, Learner, Model, Routing, Schema, TreeParams};
use ternwood_table::{
    EncodeOptions, Encoded, ErrorKind, MissingPolicy, ReadOptions, Result, Warning, encode,
};

const TRAINING: &str = "size,colour,kind\n1,red,b\n2,blue,a\n5,red,b\n,green,a\n9,,a\n";

fn encoded(text: &str, missing: MissingPolicy) -> Result<Encoded> {
    encode(read("t.csv", text)?, "kind", EncodeOptions::missing(missing))
}

fn schema(text: &str) -> Arc<Schema> {
    Arc::clone(encoded(text, MissingPolicy::Keep).unwrap().dataset.schema())
}

/// The column as text: NaN is not equal to itself.
fn shown(columns: &Columns, column: usize) -> String {
    format!("{:?}", columns.column(column))
}

fn warnings(text: &str, schema: &Schema) -> Vec<String> {
    let unseen = read("l.csv", text).unwrap().take_features(schema).unwrap().unseen;
    unseen.into_warnings().map(|warning| warning.to_string()).collect()
}

#[test]
fn missing_values_are_left_to_the_tree() {
    let encoded = encoded(TRAINING, MissingPolicy::Keep).unwrap();
    let columns = encoded.dataset.columns();
    assert_eq!(shown(columns, 0), "[1.0, 2.0, 5.0, NaN, 9.0]");
    assert_eq!(shown(columns, 1), "[2.0, 0.0, 2.0, 1.0, NaN]");
    let features = encoded.dataset.schema().features();
    assert!(features.iter().all(|feature| feature.fill.is_none()));
    assert_eq!(features[1], Feature::categories("colour", ["blue", "green", "red"]));
    assert_eq!(encoded.warnings, []);
}

#[test]
fn a_missing_value_that_is_an_error_is_named_with_its_place() {
    let refuse = |text: &str| encoded(text, MissingPolicy::Error).unwrap_err().to_string();
    assert!(refuse(TRAINING).starts_with("t.csv, line 5, column 'size': the value is missing"));
    let missing = refuse("c,kind\nx,a\n,b\n");
    assert!(missing.starts_with("t.csv, line 3, column 'c': the value is missing"), "{missing}");
    let complete = "size,colour,kind\n1,red,b\n2,blue,a\n";
    assert!(encoded(complete, MissingPolicy::Error).is_ok());

    let (schema, later) = (schema(complete), read("l.csv", "size,colour\n1,red\n2,?\n").unwrap());
    let error = later.check_complete(schema.features()).unwrap_err().to_string();
    assert!(error.starts_with("l.csv, line 3, column 'colour': the value is missing"), "{error}");
    let filled = schema.features().iter().map(|feature| feature.clone().filled_with(0.0));
    let filled = Schema::new(filled.collect(), schema.classes().to_vec()).unwrap();
    assert!(later.check_complete(filled.features()).is_ok(), "a gap that will be filled is none");
}

#[test]
fn infinity_is_an_error_under_every_policy() {
    use MissingPolicy::{Error, Keep, Median, Mode};
    for missing in [Keep, Error, Median, Mode] {
        let error = encoded("c,kind\n1,a\ninf,b\n", missing).unwrap_err().to_string();
        assert!(error.starts_with("t.csv, line 3, column 'c': inf is not a finite"), "{error}");
    }
}

#[test]
fn later_tables_are_filled_with_medians_and_commonest_categories() {
    let encoded = encoded(TRAINING, MissingPolicy::Median).unwrap();
    assert_eq!(encoded.dataset.columns().column(0), [1.0, 2.0, 5.0, 3.5, 9.0]);
    assert_eq!(encoded.dataset.columns().column(1), [2.0, 0.0, 2.0, 1.0, 2.0]);
    assert_eq!(encoded.dataset.labels(), [1, 0, 1, 0, 0]);

    // The model file holds the schema.
    let learner = Learner::new(TreeParams::default(), Routing::Probabilistic).unwrap();
    let model = learner.fit(&encoded.dataset, &Exec::default()).unwrap();
    let model = Model::from_json(&model.to_json()).unwrap();
    let schema = model.schema();
    assert_eq!(schema, encoded.dataset.schema());
    assert_eq!(schema.target(), Some("kind"));
    // Columns in another order, an extra column, missing values and a category nobody knows: it
    // is not missing, so it is not filled.
    let later = "id,colour,size\n1,?,100\n2,pink,?\n3,green,-1\n";
    let columns = read("l.csv", later).unwrap().take_features(schema).unwrap().columns;
    assert_eq!(columns.column(0), [100.0, 3.5, -1.0]);
    assert_eq!(columns.column(1), [2.0, 3.0, 1.0]);
}

#[test]
fn missing_values_are_filled_with_modes() {
    let encoded = encoded(TRAINING, MissingPolicy::Mode).unwrap();
    assert_eq!(encoded.dataset.columns().column(0)[3], 1.0);
    assert_eq!(encoded.dataset.columns().column(1)[4], 2.0);
}

#[test]
fn unseen_categories_are_counted_by_name() {
    let schema = schema("ward,zip,kind\nA,1,a\nB,2,b\n");
    let later = "ward,zip\nK9,1\nA,7\nZ1,2\n?,1\nK9,2\n";
    assert_eq!(
        warnings(later, &schema),
        ["column 'ward': 3 rows have categories that training did not see: 'K9' (2), 'Z1' (1); \
          tests of 'ward' cannot place them"]
    );
    let features = read("l.csv", later).unwrap().take_features(&schema).unwrap();
    assert_eq!(shown(&features.columns, 0), "[2.0, 0.0, 2.0, NaN, 2.0]");
    let in_row = |row| features.unseen_in_row(row).collect::<Vec<_>>();
    assert_eq!(in_row(2), [(0, "Z1".to_owned())]);
    assert_eq!([in_row(1), in_row(3)], [[], []], "a known category and a missing value");
    // Only booleans match in another case.
    assert_eq!(warnings("ward,zip\na,1\n", &schema).len(), 1);
    assert_eq!(warnings("ward,zip\nA,1\nB,1\n?,1\n", &schema), [""; 0]);
}

#[test]
fn categories_that_are_numbers_are_unseen_by_value() {
    let options = ReadOptions::new().nominal(["zip"]);
    let table = read_with("t.csv", "zip,kind\n007,a\n9,b\n", &options).unwrap();
    let encoded = encode(table, "kind", EncodeOptions::default()).unwrap();
    let schema = encoded.dataset.schema();
    // Read without the schema, the column is numeric.
    let warning = warnings("zip\n7\n8\n8\n9\n", schema).concat();
    assert!(warning.contains("2 rows have categories") && warning.contains("'8' (2)"), "{warning}");
}

#[test]
fn ordered_categories_are_matched_by_name_and_unseen_ones_are_unknown() {
    let grade = Feature::ordered("grade", ["low", "mid", "high"]);
    let classes = || vec!["a".into(), "b".into()];
    let schema = Schema::new(vec![grade.clone()], classes()).unwrap();
    let read = || read_with("l.csv", "grade\nhigh\nlow\ntop\n?\n", &ReadOptions::new()).unwrap();
    let columns = read().take_features(&schema).unwrap().columns;
    assert_eq!(shown(&columns, 0), "[2.0, 0.0, NaN, NaN]");
    let warning = warnings("grade\ntop\n", &schema).concat();
    assert!(warning.contains("'top' (1); tests of 'grade' cannot place it"), "{warning}");
    let filled = Schema::new(vec![grade.filled_with(1.0)], classes()).unwrap();
    let columns = read().take_features(&filled).unwrap().columns;
    assert_eq!(shown(&columns, 0), "[2.0, 0.0, NaN, 1.0]", "only a missing value is filled");
}

#[test]
fn evaluation_data_may_have_unseen_categories_and_training_data_may_not() {
    let schema = schema("ward,kind\nA,a\nB,b\nA,a\n");
    let later = read("l.csv", "ward,kind\nA,a\nK9,b\n").unwrap().into_dataset(schema).unwrap();
    assert_eq!(later.dataset.columns().column(0), [0.0, 2.0]);
    assert_eq!(later.warnings.len(), 1);
    let learner = Learner::new(TreeParams::default(), Routing::Probabilistic).unwrap();
    let error = learner.fit(&later.dataset, &Exec::default()).unwrap_err().to_string();
    assert!(error.starts_with("column 'ward', row 1: 2 is not one of its 2 categories"), "{error}");
}

#[test]
fn nothing_is_learnt_from_rows_of_weight_0() {
    let text = "ward,size,kind\nA,1,a\nZ,100,b\n?,?,a\nB,3,b\nZ,50,a\n";
    let weights = [1.0, 0.0, 1.0, 2.0, 0.0];
    let options = EncodeOptions { missing: MissingPolicy::Median, weights: Some(&weights) };
    let encoded = encode(read("t.csv", text).unwrap(), "kind", options).unwrap();
    let single = Warning::SingleRowClasses { column: "kind".into(), classes: vec!["b".into()] };
    assert_eq!(encoded.warnings, [single]);
    let data = &encoded.dataset;
    assert_eq!(data.schema().features()[0].kind.names(), ["A", "B"]);
    assert_eq!(data.columns().column(0), [0.0, 2.0, 0.0, 1.0, 2.0]);
    assert_eq!(data.columns().column(1), [1.0, 100.0, 2.0, 3.0, 50.0]);
    assert_eq!(data.weights(), Some(&weights[..]));
    let learner = Learner::new(TreeParams::default(), Routing::Probabilistic).unwrap();
    assert!(learner.fit(data, &Exec::default()).is_ok());
}

#[test]
fn a_column_with_one_category_stays_and_declared_categories_need_rows() {
    let data = encoded("c,kind\nx,a\nx,b\n", MissingPolicy::Keep).unwrap().dataset;
    assert_eq!(data.schema().features(), [Feature::categories("c", ["x"])]);
    let arff = "@relation r\n@attribute c {p,q,r}\n@attribute kind {a,b}\n@data\nr,a\np,b\n?,b\n";
    let table = read("t.arff", arff).unwrap();
    let data = encode(table, "kind", EncodeOptions::default()).unwrap().dataset;
    // As from a format that declares nothing.
    assert_eq!(data.schema().features()[0].kind.names(), ["p", "r"]);
    assert_eq!(shown(data.columns(), 0), "[1.0, 0.0, NaN]");
}

#[test]
fn rows_without_a_class_are_an_error_unless_they_are_dropped() {
    let text = "c,x,kind\np,1,a\nq,2,?\np,inf,b\n";
    let error = encoded(text, MissingPolicy::Keep).unwrap_err().to_string();
    assert!(error.starts_with("t.csv, line 3, column 'kind': the value is missing; every row"));
    let mut table = read("t.csv", text).unwrap();
    table.drop_rows_without_class("kind").unwrap();
    assert_eq!(table.n_rows(), 2);
    assert_eq!(table.warnings(), [Warning::NoClass { column: "kind".to_owned(), rows: 1 }]);
    let warning = table.warnings()[0].to_string();
    assert_eq!(warning, "dropped 1 row without a class in column 'kind'");
    // The remaining rows keep their lines.
    let error = encode(table, "kind", EncodeOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("t.csv, line 4, column 'x': inf"), "{error}");

    let mut table = read("t.csv", "c,kind\np,a\np,a\nq,?\np,b\np,b\n").unwrap();
    table.drop_rows_without_class("kind").unwrap();
    let encoded = encode(table, "kind", EncodeOptions::default()).unwrap();
    let constant = Warning::Constant { column: "c".to_owned(), value: "p".to_owned() };
    assert!(encoded.warnings.len() == 2 && encoded.warnings.contains(&constant));
    let names = encoded.dataset.schema().features()[0].kind.names();
    assert_eq!(names, ["p"], "a category that only dropped rows had is not known");
}

#[test]
fn a_target_without_any_value_is_an_error() {
    let mut table = read("t.csv", "x,kind\n1,?\n2,\n").unwrap();
    let error = table.drop_rows_without_class("kind").unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoClasses { .. }));
    assert_eq!(
        error.to_string(),
        "t.csv: the target column 'kind' has no value at all, so no row has a class; \
         name another target"
    );
    assert!(
        table.drop_rows_without_class("Kind").unwrap_err().to_string().contains("did you mean")
    );
}
