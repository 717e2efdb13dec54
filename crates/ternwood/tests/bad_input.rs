//! Does bad input give a clear error and never a panic?
//!
//! Every message is spelled out, because it is what users read when something is wrong.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ternwood::grow::Grower;
use ternwood::predict::Walker;
use ternwood::recipe::{ClassWeight, GainKind, MaxFeatures, Resamples, RowCount};
use ternwood::tree::{TreeBuilder, Zone};
use ternwood::{
    ClassName, Columns, Dataset, Exec, Feature, Labels, Learner, Matrix, Model, Recipe, Result,
    Routing, Schema, TreeParams, ZoneKind,
};

fn message<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn columns(values: &[f64], n_features: usize) -> Columns {
    Columns::from_columns(values.to_vec(), n_features).unwrap()
}

fn two_rows() -> Dataset {
    Dataset::new(columns(&[1.0, 2.0], 1), Labels::from_values([0, 1])).unwrap()
}

#[test]
fn infinite_values_are_named_by_row_and_column() {
    for (value, text) in [(f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
        let values = columns(&[1.0, 2.0, 3.0, 4.0, value, 6.0], 2);
        assert_eq!(
            message(Dataset::new(values, Labels::from_values([0, 1, 0]))),
            format!(
                "column 'x1' (index 1), row 1: {text} is not a finite number; \
                 drop the row, or leave the value out if it is unknown"
            )
        );
    }
    assert_eq!(
        message(Labels::from_floats(&[1.0, f64::NAN])),
        "class label of row 1: NaN is not a finite number; drop the row or fill in the label"
    );
    assert_eq!(
        message(Labels::from_ids(vec![0], vec![ClassName::Float(f64::NAN)])),
        "class name is NaN; allowed: a truth value, a finite number or a word"
    );
}

#[test]
fn wrong_shapes_are_errors() {
    let labels = || Labels::from_values([0, 1]);
    let cases = [
        (
            message(Columns::from_columns(vec![], 0)),
            "the data has no feature columns; at least one is needed",
        ),
        (
            message(Dataset::new(columns(&[], 3), Labels::from_values([0; 0]))),
            "the data has no rows; at least one row is needed",
        ),
        (
            message(Columns::from_rows(&[1.0, 2.0, 3.0], 2)),
            "the list of feature values has length 3, but 4 was expected (a multiple of the 2 columns)",
        ),
        (
            message(Dataset::new(columns(&[1.0, 2.0, 3.0], 1), labels())),
            "the list of labels has length 2, but 3 was expected (one per row)",
        ),
        (
            message(two_rows().with_weights([1.0])),
            "the list of sample weights has length 1, but 2 was expected (one per row)",
        ),
        (
            message(two_rows().with_feature_names(["a", "b"])),
            "the list of feature names has length 2, but 1 was expected (one per column)",
        ),
        (
            message(Labels::from_ids(vec![0, 2], vec![ClassName::from("a"), ClassName::from("b")])),
            "class id 2 of row 1 is out of range: 2 classes are named",
        ),
        (
            message(Labels::from_ids(vec![0], vec![ClassName::from("a"), ClassName::from("a")])),
            "the class name 'a' occurs twice; names must be distinct",
        ),
        (
            message(
                Dataset::new(columns(&[1.0, 2.0], 2), Labels::from_values([0]))
                    .unwrap()
                    .with_feature_names(["a", "a"]),
            ),
            "the feature name 'a' occurs twice; names must be distinct",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
}

#[test]
fn invalid_weights_are_errors() {
    let weights = |weights: [f64; 2]| message(two_rows().with_weights(weights));
    let allowed = "weights must be finite and not negative";
    assert_eq!(weights([1.0, -0.5]), format!("sample weight of row 1 is -0.5; {allowed}"));
    assert_eq!(weights([f64::NAN, 1.0]), format!("sample weight of row 0 is NaN; {allowed}"));
    assert_eq!(weights([1.0, f64::INFINITY]), format!("sample weight of row 1 is inf; {allowed}"));
    assert_eq!(weights([0.0, 0.0]), "all 2 sample weights are zero; at least one must be positive");
    // Rows and classes may each have positive weights and still nothing is left: row 1 is in the
    // class of weight 0.
    let data = two_rows().with_weights([0.0, 1.0]).unwrap();
    let class_weight = ClassWeight::Given(vec![1.0, 0.0]);
    let params = TreeParams { class_weight, ..TreeParams::default() };
    let nothing_left = Learner::new(params, Routing::Crisp).unwrap().fit(&data, &Exec::default());
    assert_eq!(
        message(nothing_left),
        "all 2 sample weights are zero; at least one must be positive"
    );
}

/// The message for default parameters after a change.
fn refused(change: impl FnOnce(&mut TreeParams)) -> String {
    let mut params = TreeParams::default();
    change(&mut params);
    message(Learner::new(params, Routing::Probabilistic))
}

const A_WHOLE_NUMBER: &str = "a whole number, or a fraction above 0 and";

#[test]
fn growth_limits_out_of_range_are_errors() {
    assert_eq!(
        refused(|params| params.max_depth = Some(0)),
        "max_depth is 0; allowed: at least 1, or none for no limit"
    );
    assert_eq!(
        refused(|params| params.max_leaf_nodes = Some(1)),
        "max_leaf_nodes is 1; allowed: at least 2, or none for no limit"
    );
    assert_eq!(
        refused(|params| params.min_weight_fraction_leaf = 0.6),
        "min_weight_fraction_leaf is 0.6; allowed: from 0 to 0.5"
    );
    assert_eq!(
        refused(|params| params.min_impurity_decrease = f64::NAN),
        "min_impurity_decrease is NaN; allowed: a finite number, at least 0"
    );
    assert_eq!(
        refused(|params| params.ccp_alpha = f64::INFINITY),
        "ccp_alpha is inf; allowed: a finite number, at least 0"
    );
}

#[test]
fn row_counts_out_of_range_are_errors() {
    let split = |count| refused(|params| params.min_samples_split = count);
    assert_eq!(
        split(RowCount::Count(1)),
        "min_samples_split is 1; allowed: at least 2 rows, or a fraction above 0 and at most 1"
    );
    assert_eq!(
        split(RowCount::Fraction(1.5)),
        format!("min_samples_split is 1.5; allowed: {A_WHOLE_NUMBER} at most 1")
    );
    assert_eq!(
        split(RowCount::Fraction(f64::NAN)),
        format!("min_samples_split is NaN; allowed: {A_WHOLE_NUMBER} at most 1")
    );
    let leaf = |count| refused(|params| params.min_samples_leaf = count);
    assert_eq!(
        leaf(RowCount::Count(0)),
        "min_samples_leaf is 0; allowed: at least 1 row, or a fraction above 0 and below 1"
    );
    assert_eq!(
        leaf(RowCount::Fraction(1.0)),
        format!("min_samples_leaf is 1.0; allowed: {A_WHOLE_NUMBER} below 1")
    );
}

#[test]
fn feature_counts_and_class_weights_out_of_range_are_errors() {
    assert_eq!(
        refused(|params| params.max_features = MaxFeatures::Count(0)),
        "max_features is 0; allowed: at least 1"
    );
    assert_eq!(
        refused(|params| params.max_features = MaxFeatures::Fraction(-0.5)),
        format!("max_features is -0.5; allowed: {A_WHOLE_NUMBER} at most 1")
    );
    assert_eq!(
        refused(|params| params.class_weight = ClassWeight::Given(vec![1.0, -1.0])),
        "class_weight is -1; allowed: 0, or from 1e-100 to 1e100"
    );
}

#[test]
fn zone_parameters_out_of_range_are_errors() {
    assert_eq!(
        refused(|params| params.zone.scale = -1.0),
        "zone_scale is -1; allowed: a finite number, at least 0"
    );
    assert_eq!(
        refused(|params| params.zone.category_error = f64::NAN),
        "category_error is NaN; allowed: from 0 to 1000000000"
    );
    assert_eq!(
        refused(|params| params.min_samples_category = 0),
        "min_samples_category is 0; allowed: at least 1 row"
    );
    assert_eq!(
        refused(|params| params.zone.max_fraction = 1.5),
        "max_zone_fraction is 1.5; allowed: from 0 to 1"
    );
    let kind = |kind| refused(|params| params.zone.kind = kind);
    assert_eq!(
        kind(ZoneKind::QualityPlateau { tolerance: -0.1, connected: false }),
        "plateau_tolerance is -0.1; allowed: from 0 to 1"
    );
    assert_eq!(
        kind(ZoneKind::ClassOverlap { tail: 0.6 }),
        "overlap_tail is 0.6; allowed: from 0 to 0.5"
    );
    assert_eq!(
        kind(ZoneKind::GainRatio { scale: f64::NAN, gain: GainKind::Criterion }),
        "gain_scale is NaN; allowed: a finite number, at least 0"
    );
    assert_eq!(
        kind(ZoneKind::NodeBootstrap { resamples: Resamples::Count(1) }),
        "n_bootstraps is 1; allowed: from 2 to 10000, or auto"
    );
    assert_eq!(
        kind(ZoneKind::Specified { half_widths: vec![0.5, -1.0] }),
        "specified_half_widths is -1; allowed: a finite number, at least 0"
    );
}

#[test]
fn parameters_that_do_not_match_the_data_are_errors() {
    let fit = |params: TreeParams| {
        message(Learner::new(params, Routing::Crisp).unwrap().fit(&two_rows(), &Exec::default()))
    };
    let half_widths = ZoneKind::Specified { half_widths: vec![1.0, 1.0] };
    assert_eq!(
        fit(TreeParams::default().with_zone(half_widths.clone())),
        "specified_half_widths has length 2, but 1 was expected (one per feature)"
    );
    let class_weight = ClassWeight::Given(vec![1.0, 2.0, 3.0]);
    assert_eq!(
        fit(TreeParams { class_weight, ..TreeParams::default() }),
        "class_weight has length 3, but 2 was expected (one per class)"
    );
    let (data, params) = (two_rows(), TreeParams::default().check().unwrap());
    let grown = Grower::new(&data, &params).unwrap().grow_two_child(&Exec::default()).unwrap();
    assert_eq!(
        message(grown.with_zones(&half_widths.into())),
        "specified_half_widths has length 2, but 1 was expected (one per feature)"
    );
}

#[test]
fn one_class_is_a_single_leaf() {
    let data = Dataset::new(columns(&[1.0, 2.0, 3.0], 1), Labels::from_values(["a"; 3])).unwrap();
    for routing in Routing::ALL {
        for kind in ZoneKind::published() {
            let params = TreeParams::default().with_zone(kind);
            let model =
                Learner::new(params, routing).unwrap().fit(&data, &Exec::default()).unwrap();
            assert_eq!(model.trees()[0].n_nodes(), 1);
            let rows = Matrix::row_major(&[-5.0, 9.0], 1).unwrap();
            let predictions = model.predict(rows, &Exec::default()).unwrap();
            assert_eq!(
                (predictions.classes(), predictions.distributions()),
                (&[0, 0][..], &[1.0, 1.0][..])
            );
            assert!(predictions.verdicts().iter().all(|verdict| verdict.is_decided()));
            assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
            assert_eq!(model.trees()[0].importances(), [0.0]);
            assert_eq!(model.trees()[0].pruning_path().alphas, [0.0]);
        }
    }
}

#[test]
fn a_single_row_and_constant_columns_are_single_leaves() {
    let one = Dataset::new(columns(&[7.0], 1), Labels::from_values([3])).unwrap();
    let flat = Dataset::new(columns(&[7.0, 7.0], 1), Labels::from_values([0, 1])).unwrap();
    for data in [one, flat] {
        for routing in Routing::ALL {
            let learner = Learner::new(TreeParams::default(), routing).unwrap();
            assert_eq!(learner.fit(&data, &Exec::default()).unwrap().trees()[0].n_nodes(), 1);
        }
    }
}

#[test]
fn rows_that_do_not_match_the_model_are_errors() {
    let data = two_rows().with_feature_names(["glucose"]).unwrap();
    let model = Learner::new(TreeParams::default(), Routing::Deferred)
        .unwrap()
        .fit(&data, &Exec::default())
        .unwrap();
    let exec = Exec::default();
    let predict =
        |values: &[f64], n| message(model.predict(Matrix::row_major(values, n).unwrap(), &exec));
    assert_eq!(predict(&[1.0, 2.0], 2), "the rows have 2 columns, but the model was trained on 1");
    let remedy = "drop the row, or leave the value out if it is unknown";
    let not_finite =
        format!("column 'glucose' (index 0), row 2: -inf is not a finite number; {remedy}");
    assert_eq!(predict(&[1.0, f64::NAN, f64::NEG_INFINITY], 1), not_finite);
    let rows = Matrix::column_major(&[1.0, f64::NAN, f64::NEG_INFINITY], 1).unwrap();
    assert_eq!(message(model.zone_distances(rows, &exec)), not_finite);
    assert_eq!(message(model.leaves(rows, &exec)), not_finite);
    assert_eq!(message(model.paths(rows)), not_finite);
    assert_eq!(
        message(model.explain(&[1.0, 2.0])),
        "the rows have 2 columns, but the model was trained on 1"
    );
    assert_eq!(
        message(model.explain(&[f64::INFINITY])),
        format!("column 'glucose' (index 0), row 0: inf is not a finite number; {remedy}")
    );
    assert_eq!(
        message(Matrix::row_major(&[1.0, 2.0, 3.0], 2)),
        "the list of feature values has length 3, but 4 was expected (a multiple of the 2 columns)"
    );
    // An empty table is not an error: there is nothing to predict.
    assert_eq!(predict(&[], 1), "no error");
    // Far down in a large table, found by another thread.
    let mut values = vec![1.0; 20_000];
    values[19_998] = f64::INFINITY;
    values[12_345] = f64::INFINITY;
    values[7] = f64::NAN;
    let outcome =
        model.predict(Matrix::row_major(&values, 1).unwrap(), &Exec::with_threads(3).unwrap());
    assert!(message(outcome).starts_with("column 'glucose' (index 0), row 12345: inf"));
}

#[test]
fn undefined_combinations_are_errors() {
    let data = two_rows();
    let fit = |routing| {
        Learner::new(TreeParams::default(), routing).unwrap().fit(&data, &Exec::default()).unwrap()
    };
    let rows = Matrix::row_major(&[1.0], 1).unwrap();
    assert_eq!(
        message(fit(Routing::HardMiddle).zone_distances(rows, &Exec::default())),
        "the zone distance is not defined for hard_middle routing; use probabilistic or deferred routing"
    );
    let two_child = fit(Routing::Crisp);
    assert_eq!(
        message(Walker::new(&two_child.trees()[0], Routing::HardMiddle)),
        "a tree of this shape is not defined for hard_middle routing; grow a three-child tree for it"
    );
    let three_child = fit(Routing::HardMiddle);
    assert_eq!(
        message(Walker::new(&three_child.trees()[0], Routing::Deferred)),
        "a tree of this shape is not defined for deferred routing; grow a two-child tree for it"
    );
}

#[test]
fn inconsistent_models_are_errors() {
    let tree = || {
        let mut builder = TreeBuilder::new(2, 2);
        builder.leaf(&[1.0, 1.0]);
        builder.finish().unwrap()
    };
    let features = |names: &[&str]| names.iter().copied().map(Feature::number).collect::<Vec<_>>();
    let classes = || vec![ClassName::from(0), ClassName::from(1)];
    let model = |features, classes| {
        message(
            Schema::new(features, classes)
                .and_then(|schema| Model::new(tree(), schema, Recipe::default())),
        )
    };
    assert_eq!(
        model(features(&["a"]), classes()),
        "the list of features has length 1, but 2 was expected (the tree's)"
    );
    assert_eq!(
        model(features(&["a", "b"]), vec![ClassName::from(0)]),
        "the list of classes has length 1, but 2 was expected (the tree's)"
    );
    assert_eq!(
        model(features(&["a", "a"]), classes()),
        "the feature name 'a' occurs twice; names must be distinct"
    );
    let twice = vec![Feature::number("a"), Feature::categories("b", ["yes", "no", "yes"])];
    assert_eq!(
        model(twice, classes()),
        "the category name 'yes' occurs twice; names must be distinct"
    );
    let fill = Feature { fill: Some(f64::NAN), ..Feature::number("b") };
    assert_eq!(
        model(vec![Feature::number("a"), fill], classes()),
        "fill is NaN; allowed: a finite number"
    );
    assert_eq!(
        model(features(&["a", "b"]), vec![ClassName::from(0), ClassName::Float(f64::INFINITY)]),
        "class name is inf; allowed: a truth value, a finite number or a word"
    );
    assert_eq!(
        message(Zone::new(f64::NAN, 1.0)),
        "not a zone: the threshold is NaN; it must be finite"
    );
    assert_eq!(
        message(Zone::new(0.0, -1.0)),
        "not a zone: the half-width is -1; it must be finite and not negative"
    );
}
