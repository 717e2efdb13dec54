//! Do missing values and numbers that are no category give clear errors, where they are errors?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ternwood::recipe::MissingValues;
use ternwood::{
    ClassName, Columns, Dataset, Exec, Feature, Learner, Matrix, Recipe, Result, Routing, Schema,
    TreeParams,
};

fn message<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// A number, a missing value among them, and the category of a ward.
fn with_a_ward(ward: f64) -> Dataset {
    let values = vec![1.0, f64::NAN, 3.0, 4.0, 0.0, ward, 1.0, 0.0];
    let columns = Columns::from_columns(values, 2).unwrap();
    let features = vec![Feature::number("glucose"), Feature::categories("ward", ["A", "B"])];
    let classes = vec![ClassName::from(0), ClassName::from(1)];
    let schema = Schema::new(features, classes).unwrap();
    Dataset::with_schema(columns, vec![0, 1, 0, 1], schema).unwrap()
}

#[test]
fn missing_values_are_errors_only_if_they_are_to_be() {
    let missing = "column 'glucose' (index 0), row 1: the value is missing; \
                   fill it in, drop the row, or set 'missing' to learn";
    let exec = Exec::default();
    for routing in Routing::ALL {
        let learner = |missing| {
            Learner::new(TreeParams { missing, ..TreeParams::default() }, routing).unwrap()
        };
        let data = with_a_ward(1.0);
        assert_eq!(message(learner(MissingValues::Error).fit(&data, &exec)), missing);
        for meaning in [MissingValues::Learn, MissingValues::Unknown] {
            let model = learner(meaning).fit(&data, &exec).unwrap();
            assert!(model.explain(&[f64::NAN, f64::NAN]).is_ok());
        }
        let complete = data.select(&[0, 2, 3]).unwrap();
        let model = learner(MissingValues::Error).fit(&complete, &exec).unwrap();
        let rows = [1.0, 0.0, f64::NAN, 0.0];
        let rows = Matrix::row_major(&rows, 2).unwrap();
        assert_eq!(message(model.predict(rows, &exec)), missing);
        assert_eq!(message(model.leaves(rows, &exec)), missing);
        assert_eq!(message(model.paths(rows)), missing);
        assert_eq!(message(model.explain(&[f64::NAN, 0.0])), missing.replace("row 1", "row 0"));
    }
}

/// Such a row is no part of the data: not of a tree, nor of what inner folds choose.
#[test]
fn a_missing_value_in_a_row_of_weight_0_is_no_error() {
    let params = TreeParams { missing: MissingValues::Error, ..TreeParams::default() };
    for recipe in [Recipe::default(), Recipe::calibrated()] {
        let learner = Learner::from_recipe(Recipe { params: params.clone(), ..recipe }).unwrap();
        let fit = |data: Dataset| learner.fit(&data, &Exec::default());
        let with = fit(with_a_ward(1.0).with_weights(vec![1.0, 0.0, 1.0, 1.0]).unwrap());
        let without = fit(with_a_ward(1.0).select(&[0, 2, 3]).unwrap());
        assert_eq!(with.unwrap().to_json(), without.unwrap().to_json());
        let little = fit(with_a_ward(1.0).with_weights(vec![1.0, 0.1, 1.0, 1.0]).unwrap());
        assert!(message(little).starts_with("column 'glucose' (index 0), row 1: "));
    }
}

#[test]
fn numbers_that_are_no_categories_are_errors_in_training() {
    let exec = Exec::default();
    let learner = || Learner::new(TreeParams::default(), Routing::Probabilistic).unwrap();
    for (ward, text) in [(2.0, "2"), (0.5, "0.5"), (-1.0, "-1"), (4_294_967_296.0, "4294967296")] {
        let expected = format!(
            "column 'ward', row 1: {text} is not one of its 2 categories, which are numbered from 0"
        );
        assert_eq!(message(learner().fit(&with_a_ward(ward), &exec)), expected);
        // At prediction it is a category that nobody has seen.
        let model = learner().fit(&with_a_ward(1.0), &exec).unwrap();
        assert!(model.explain(&[1.0, ward]).is_ok());
    }
}
