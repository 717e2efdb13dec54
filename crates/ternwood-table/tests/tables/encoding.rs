//! Encoding tables as data sets.

use crate::{read, read_with};
use std::sync::Arc;
use ternwood::dataset::FeatureKind;
use ternwood::{ClassName, Columns, Schema};
use ternwood_table::{
    Column, EncodeOptions, ErrorKind, MissingPolicy, ReadAs, ReadOptions, Result, Table, Warning,
    encode,
};

const FILLING: EncodeOptions<'_> = EncodeOptions { missing: MissingPolicy::Median, weights: None };

const TRAINING: &str = "size,colour,kind\n1,red,b\n2,blue,a\n5,red,b\n,green,a\n9,,a\n";

fn learn(text: &str, target: &str, options: EncodeOptions<'_>) -> Arc<Schema> {
    schema_of(read("train.csv", text).unwrap(), target, options)
}

fn schema_of(table: Table, target: &str, options: EncodeOptions<'_>) -> Arc<Schema> {
    Arc::clone(encode(table, target, options).unwrap().dataset.schema())
}

fn names(schema: &Schema) -> Vec<&str> {
    schema.features().iter().map(|feature| feature.name.as_str()).collect()
}

/// The encoded features of a later table.
fn features(schema: &Schema, text: &str) -> Result<Columns> {
    Ok(read("l.csv", text)?.take_features(schema)?.columns)
}

#[test]
fn the_error_for_an_unknown_target_lists_the_columns() {
    let table = read("t.csv", TRAINING).unwrap();
    let error = encode(table, "Kind", EncodeOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "t.csv: there is no column 'Kind' (did you mean 'kind'?); \
         the columns are: 'size', 'colour', 'kind'"
    );
}

#[test]
fn empty_columns_and_identifiers_are_dropped_with_a_warning() {
    let mut text = "id,empty,x,y\n".to_owned();
    for row in 0..30 {
        text.push_str(&format!("p{row},,{},{}\n", row / 2, row % 2));
    }
    for options in [FILLING, EncodeOptions::default()] {
        let encoded = encode(read("t.csv", &text).unwrap(), "y", options).unwrap();
        assert_eq!(names(encoded.dataset.schema()), ["x"]);
        assert_eq!(
            encoded.warnings,
            [
                Warning::Identifier { column: "id".to_owned(), distinct: 30, values: 30 },
                Warning::EmptyColumn { column: "empty".to_owned() },
            ]
        );
    }
    let asked = read_with("t.csv", &text, &ReadOptions::new().nominal(["id"])).unwrap();
    assert_eq!(names(&schema_of(asked, "y", FILLING)), ["id", "x"]);
    let options = EncodeOptions::missing(MissingPolicy::Error);
    let strict = encode(read("t.csv", &text).unwrap(), "y", options);
    assert!(strict.unwrap_err().to_string().contains("line 2, column 'empty'"));
}

#[test]
fn a_target_with_too_many_classes_gives_a_warning() {
    let values: Vec<f64> = (0..60).map(|i| f64::from(i) * 0.5).collect();
    let table = Table::from_columns(vec![
        Column::numeric("x", values.clone()),
        Column::numeric("y", values),
    ]);
    let encoded = encode(table.unwrap(), "y", EncodeOptions::default()).unwrap();
    assert!(matches!(encoded.warnings[..], [Warning::ManyClasses { classes: 60, .. }]));
}

#[test]
fn classes_keep_their_type_and_order() {
    let classes = |name: &str, text: &str| {
        let table = read(name, text).unwrap();
        schema_of(table, "y", EncodeOptions::default()).classes().to_vec()
    };
    let integers = classes("t.csv", "x,y\n1,10\n2,9\n3,-1\n4,9.0\n");
    assert_eq!(integers, [-1, 9, 10].map(ClassName::Integer));
    let floats = classes("t.csv", "x,y\n1,0.5\n2,1\n");
    assert_eq!(floats, [0.5, 1.0].map(ClassName::Float));
    let texts = classes("t.csv", "x,y\n1,b\n2,a\n3,10\n");
    assert_eq!(texts, ["10", "a", "b"].map(ClassName::from));
    // Declared classes are the same as found ones; those without rows are none.
    let arff = "@relation r\n@attribute x real\n@attribute y {20,10,1}\n@data\n1,10\n2,1\n";
    assert_eq!(classes("t.arff", arff), [1, 10].map(ClassName::Integer));
    let percents = classes("t.csv", "x,y\n1,50%\n2,5%\n");
    assert_eq!(percents, ["5%", "50%"].map(ClassName::from));
}

#[test]
fn classes_match_across_formats() {
    let arff = "@relation r\n@attribute x real\n@attribute y {2,1}\n@data\n1,1\n2,2\n";
    let schema = schema_of(read("t.arff", arff).unwrap(), "y", EncodeOptions::default());
    let later = read("l.csv", "x,y\n5,1\n6,2\n7,2.0\n").unwrap();
    let later = later.into_dataset(Arc::clone(&schema)).unwrap().dataset;
    assert_eq!(later.labels(), [0, 1, 1]);
    let error = read("l.csv", "x,y\n5,1\n6,3\n").unwrap().into_dataset(schema).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnknownClass { .. }));
    assert!(error.to_string().starts_with("l.csv, line 3, column 'y': unknown category '3'"));
}

#[test]
fn booleans_match_in_any_case() {
    let schema = learn("a,y\nTrue,False\nFalse,True\n", "y", EncodeOptions::default());
    assert_eq!(schema.classes(), [false, true].map(ClassName::Boolean));
    assert_eq!(schema.features()[0].kind.names(), ["false", "true"]);
    let later = read("l.csv", "a,y\nfalse,TRUE\ntrue,false\n").unwrap();
    let later = later.into_dataset(Arc::clone(&schema)).unwrap().dataset;
    assert_eq!(later.columns().column(0), [0.0, 1.0]);
    assert_eq!(later.labels(), [1, 0]);
    assert_eq!(features(&schema, "a\ntruth\n").unwrap().column(0), [2.0], "not a category");
}

#[test]
fn a_target_read_as_nominal_matches_numeric_classes() {
    let schema = learn("x,y\n1,10\n2,9\n", "y", EncodeOptions::default());
    let options = ReadOptions::for_features(schema.features()).column("y", ReadAs::Nominal);
    let table = read_with("l.csv", "id,y,x\n1,9.0,5\n2,10,6\n", &options).unwrap();
    assert_eq!(table.into_dataset(schema).unwrap().dataset.labels(), [0, 1]);
}

#[test]
fn a_later_file_is_read_with_the_types_of_the_schema() {
    let training = ReadOptions::new().nominal(["zip"]);
    let table = read_with("t.csv", "zip,x,y\n007,1,a\n9,2,b\n", &training).unwrap();
    let schema = schema_of(table, "y", EncodeOptions::default());
    let zip = FeatureKind::Categories(vec!["007".to_owned(), "9".to_owned()]);
    assert_eq!(schema.features()[0].kind, zip);

    let later = "id,x,zip\n 1,5,9\n 2,6,007\n";
    let options = ReadOptions::for_features(schema.features());
    let mut table = read_with("l.csv", later, &options.keep()).unwrap();
    assert_eq!(table.column_names(), ["x", "zip"]);
    let columns = table.take_features(&schema).unwrap().columns;
    assert_eq!(columns.column(0), [1.0, 0.0]);
    assert_eq!(columns.column(1), [5.0, 6.0]);
    let kept = Table::from_columns(table.take_kept()).unwrap();
    assert_eq!(crate::texts(&kept, "id"), [" 1", " 2"]);
    assert_eq!(crate::texts(&kept, "zip"), ["9", "007"]);
    // Numeric categories match even if the table was read without the schema.
    assert_eq!(features(&schema, later).unwrap(), columns);
    let typo = features(&schema, "x,zip\n1,9\no,9\n").unwrap_err();
    assert!(typo.to_string().starts_with("l.csv, line 3, column 'x': 'o' is not a number"));
}

#[test]
fn a_table_needs_rows_and_features() {
    for (text, message) in [("x,y\n", "t.csv: the table has no rows"), ("y\na\n", "no feature")] {
        let error = encode(read("t.csv", text).unwrap(), "y", FILLING).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn classes_too_large_for_a_float_are_not_merged() {
    let text = "x,id\n1,9007199254740992\n2,9007199254740993\n";
    let table = read("t.csv", text).unwrap();
    let message = encode(table, "id", EncodeOptions::default()).unwrap_err().to_string();
    assert_eq!(
        message,
        "t.csv, line 2, column 'id': the class 9007199254740992 is too large a number to be told \
         from its neighbours; declare the column nominal"
    );
    let options = ReadOptions::new().nominal(["id"]);
    let table = read_with("t.csv", text, &options).unwrap();
    let encoded = encode(table, "id", EncodeOptions::default()).unwrap();
    assert_eq!(encoded.dataset.labels(), [0, 1]);
    // A nearby integer is an unknown class.
    let other = read_with("t.csv", "x,id\n1,9007199254740994\n", &options).unwrap();
    assert!(other.into_dataset(Arc::clone(encoded.dataset.schema())).is_err());
}

#[test]
fn the_schema_gives_the_same_data_for_the_training_table() {
    let table = || read("t.csv", TRAINING).unwrap();
    let data = encode(table(), "kind", FILLING).unwrap().dataset;
    let schema = || Arc::clone(data.schema());
    assert_eq!(table().into_dataset(schema()).unwrap().dataset, data);
    let empty = read("t.csv", "size,colour,kind\n").unwrap();
    let message = empty.into_dataset(schema()).unwrap_err().to_string();
    assert!(message.contains("the table has no rows"), "{message}");
}

#[test]
fn the_error_for_an_absent_feature_lists_the_columns() {
    let schema = learn("a,b,y\n1,2,u\n3,4,v\n", "y", EncodeOptions::default());
    let message = features(&schema, "a,B\n1,2\n").unwrap_err().to_string();
    assert!(message.ends_with("the columns are: 'a', 'B'"), "{message}");
}
