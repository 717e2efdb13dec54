//! Small data and parameters of any kind, and the laws that hold for all of them.

use arbitrary::{Arbitrary, Result, Unstructured};
use ternwood::export::{TextOptions, to_dot, to_table, to_text};
use ternwood::grow::{Grower, Search};
use ternwood::predict::Walker;
use ternwood::recipe::{
    ClassWeight, Criterion, GainKind, MaxFeatures, MissingValues, Resamples, RowCount, ZoneParams,
};
use ternwood::{
    ClassName, Columns, Dataset, Exec, Feature, Learner, Matrix, Model, Predictions, Routing,
    Schema, TreeParams, ZoneKind,
};

/// A question: data, parameters and rows to predict.
#[derive(Debug)]
pub struct Case {
    data: Dataset,
    params: TreeParams,
    routing: Routing,
    rows: Vec<f64>,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy)]
struct ColumnKind {
    /// The number of categories; 0 for numbers.
    categories: u8,
    palette: u8,
    /// How many of 8 values are missing.
    missing: u8,
}

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let n_features = u.int_in_range(1..=4)?;
        let n_rows = u.int_in_range(1..=40)?;
        let n_classes: u32 = u.int_in_range(1..=9)?;
        let params = params(u, n_features, n_classes)?;
        let may_miss = params.missing != MissingValues::Error;
        let kinds: Vec<ColumnKind> =
            (0..n_features).map(|_| ColumnKind::new(u, may_miss)).collect::<Result<_>>()?;
        let mut values = Vec::new();
        for kind in &kinds {
            for _ in 0..n_rows {
                values.push(kind.value(u)?);
            }
        }
        let ids: Vec<u32> =
            (0..n_rows).map(|_| u.int_in_range(0..=n_classes - 1)).collect::<Result<_>>()?;
        let names = (0..n_classes).map(|id| ClassName::Integer(i64::from(id))).collect();
        let features = kinds.iter().enumerate().map(|(at, kind)| kind.feature(at)).collect();
        let schema = Schema::new(features, names).expect("names are distinct");
        let columns = Columns::from_columns(values, n_features).expect("the shape fits");
        let data = Dataset::with_schema(columns, ids, schema);
        let mut data = data.expect("values are finite or missing");
        if u.arbitrary()? {
            let weights: Vec<f64> = (0..n_rows).map(|_| weight(u)).collect::<Result<_>>()?;
            // All weights may be 0: then the data stays as it is.
            data = data.clone().with_weights(weights).unwrap_or(data);
        }
        let routing = *u.choose(&[
            Routing::Crisp,
            Routing::Probabilistic,
            Routing::Deferred,
            Routing::HardMiddle,
        ])?;
        let mut rows = Vec::new();
        for _ in 0..u.int_in_range(1..=8)? {
            for kind in &kinds {
                rows.push(kind.new_value(u, may_miss)?);
            }
        }
        Ok(Self { data, params, routing, rows })
    }
}

impl ColumnKind {
    fn new(u: &mut Unstructured<'_>, may_miss: bool) -> Result<Self> {
        Ok(Self {
            categories: if u.arbitrary()? { u.int_in_range(1..=7)? } else { 0 },
            palette: u.int_in_range(0..=4)?,
            missing: if may_miss { *u.choose(&[0, 0, 1, 4, 8])? } else { 0 },
        })
    }

    fn feature(self, at: usize) -> Feature {
        match self.categories {
            0 => Feature::number(format!("f{at}")),
            n => Feature::categories(format!("f{at}"), (0..n).map(|id| format!("c{id}"))),
        }
    }

    fn value(self, u: &mut Unstructured<'_>) -> Result<f64> {
        if self.missing > 0 && u.int_in_range(1..=8)? <= self.missing {
            return Ok(f64::NAN);
        }
        match self.categories {
            0 => value(u, self.palette),
            n => Ok(f64::from(u.int_in_range(0..=n - 1)?)),
        }
    }

    /// A value that training may not have seen.
    fn new_value(self, u: &mut Unstructured<'_>, may_miss: bool) -> Result<f64> {
        match u.int_in_range(0..=7u8)? {
            0 if may_miss => Ok(f64::NAN),
            1 => value(u, 4),
            2 => Ok(f64::from(u.int_in_range(0..=9u8)?)),
            _ => self.value(u),
        }
    }
}

/// Numbers of one kind, so that a column has ties, neighbours or extremes.
fn value(u: &mut Unstructured<'_>, palette: u8) -> Result<f64> {
    Ok(match palette {
        0 => f64::from(u.int_in_range(-4..=4i8)?),
        1 => f64::from(u.arbitrary::<i16>()?) / 64.0,
        // Neighbours in the order of floats.
        2 => f64::from_bits(1f64.to_bits() + u64::from(u.arbitrary::<u8>()? % 8)),
        3 => *u.choose(&[
            0.0,
            -0.0,
            f64::MIN_POSITIVE,
            5e-324,
            -5e-324,
            1e-310,
            f64::MAX,
            f64::MIN,
            1e308,
            -1e308,
            1.0,
        ])?,
        _ => {
            let any: f64 = u.arbitrary()?;
            if any.is_finite() { any } else { 0.5 }
        }
    })
}

fn weight(u: &mut Unstructured<'_>) -> Result<f64> {
    Ok(match u.int_in_range(0..=3u8)? {
        0 => f64::from(u.int_in_range(0..=3u8)?),
        1 => f64::from(u.arbitrary::<u16>()?) / 7.0,
        2 => *u.choose(&[1e-300, 1e300, 1.0, 2_147_483_648.0])?,
        _ => 1.0,
    })
}

fn share(u: &mut Unstructured<'_>) -> Result<f64> {
    Ok(f64::from(u.arbitrary::<u8>()?) / 255.0)
}

fn row_count(u: &mut Unstructured<'_>, least: u32) -> Result<RowCount> {
    Ok(match u.arbitrary()? {
        true => RowCount::Count(u.int_in_range(least..=9)?),
        false => RowCount::Fraction((share(u)? / 2.0).max(0.01)),
    })
}

fn params(u: &mut Unstructured<'_>, n_features: usize, n_classes: u32) -> Result<TreeParams> {
    let criterion = *u.choose(&[Criterion::Gini, Criterion::Entropy])?;
    let max_features = match u.int_in_range(0..=4u8)? {
        0 => MaxFeatures::Sqrt,
        1 => MaxFeatures::Log2,
        2 => MaxFeatures::Fraction(share(u)?.max(0.01)),
        _ => MaxFeatures::All,
    };
    let class_weight = match u.int_in_range(0..=3u8)? {
        0 => ClassWeight::Balanced,
        1 => {
            ClassWeight::Given((0..n_classes).map(|_| Ok(share(u)? * 3.0)).collect::<Result<_>>()?)
        }
        _ => ClassWeight::Uniform,
    };
    let optional = |u: &mut Unstructured<'_>, least| -> Result<Option<u32>> {
        Ok(if u.arbitrary()? { Some(u.int_in_range(least..=12)?) } else { None })
    };
    let (max_depth, max_leaf_nodes) = (optional(u, 1)?, optional(u, 2)?);
    Ok(TreeParams {
        criterion,
        max_depth,
        min_samples_split: row_count(u, 2)?,
        min_samples_leaf: row_count(u, 1)?,
        min_weight_fraction_leaf: if u.arbitrary()? { share(u)? / 2.0 } else { 0.0 },
        min_samples_middle: u.int_in_range(0..=9)?,
        max_leaf_nodes,
        max_features,
        zero_gain_splits: u.arbitrary()?,
        min_impurity_decrease: if u.arbitrary()? { share(u)? / 4.0 } else { 0.0 },
        ccp_alpha: if u.arbitrary()? { share(u)? / 4.0 } else { 0.0 },
        class_weight,
        missing: *u.choose(&[
            MissingValues::Learn,
            MissingValues::Learn,
            MissingValues::Unknown,
            MissingValues::Error,
        ])?,
        min_samples_category: *u.choose(&[1, 1, 2, 5])?,
        zone: zone(u, n_features)?,
        seed: u.arbitrary()?,
    })
}

fn zone(u: &mut Unstructured<'_>, n_features: usize) -> Result<ZoneParams> {
    let kind = match u.int_in_range(0..=7u8)? {
        0 => ZoneKind::None,
        1 => ZoneKind::Specified {
            half_widths: (0..n_features)
                .map(|_| Ok(value(u, 0)?.abs() / 2.0))
                .collect::<Result<_>>()?,
        },
        2 => ZoneKind::QualityPlateau { tolerance: share(u)?, connected: u.arbitrary()? },
        3 => ZoneKind::ClassOverlap { tail: share(u)? / 2.0 },
        4 => ZoneKind::GainRatio {
            scale: share(u)?,
            gain: *u.choose(&[GainKind::Criterion, GainKind::Information])?,
        },
        5 => ZoneKind::NodeBootstrap { resamples: Resamples::Count(u.int_in_range(2..=9)?) },
        6 => ZoneKind::Spread,
        _ => ZoneKind::Margin,
    };
    let scale = if u.arbitrary()? { 1.0 } else { share(u)? * 4.0 };
    let category_error = *u.choose(&[0.0, 1.0, 2.0, 2.0, 8.0, 1e9])?;
    Ok(ZoneParams { kind, max_fraction: share(u)?, scale, category_error })
}

/// Fits, predicts, and checks what must hold.
pub fn check(case: &Case) {
    let Case { data, params, routing, rows } = case;
    let Ok(checked) = params.clone().check() else { return };
    let Ok(learner) = Learner::new(params.clone(), *routing) else { return };
    let exec = Exec::default();
    let Ok(model) = learner.fit(data, &exec) else { return };
    let rows = Matrix::row_major(rows, data.n_features()).expect("the shape fits");
    let answers = model.predict(rows, &exec).expect("values are finite or may be missing");
    are_probabilities(&answers, data.n_classes());
    verdicts_have_reasons(&model, case, &answers);
    unknown_values_are_undecided(&model, case, &answers);
    can_be_shown(&model);
    if !routing.needs_three_children() {
        decided_rows_are_carts(&model, rows, &answers);
    }
    let sorted = Grower::new(data, &checked)
        .and_then(|grower| grower.search(Search::Sorted).grow(*routing, &exec));
    assert_eq!(&sorted.expect("it grew before"), &model.trees()[0]);
    let json = model.to_json();
    let again = Model::from_json(&json).expect("what was written is read");
    assert_eq!(again, model);
    assert_eq!(again.to_json(), json);
    let two = Exec::with_threads(2).expect("two threads");
    assert_eq!(learner.fit(data, &two).expect("it was fitted before").to_json(), json);
}

fn are_probabilities(answers: &Predictions, n_classes: usize) {
    for row in 0..answers.n_rows() {
        let distribution = answers.distribution(row);
        assert_eq!(distribution.len(), n_classes);
        assert!(distribution.iter().all(|p| (0.0..=1.0).contains(p)), "{distribution:?}");
        let sum: f64 = distribution.iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{distribution:?}");
        let best = distribution[answers.classes()[row] as usize];
        assert!(distribution.iter().all(|p| *p <= best));
    }
}

fn verdicts_have_reasons(model: &Model, case: &Case, answers: &Predictions) {
    for (row, values) in case.rows.chunks(case.data.n_features()).enumerate() {
        let explained = model.explain(values).expect("values are finite");
        let explanation = explained.explanation();
        assert_eq!(explanation.distribution, answers.distribution(row));
        assert_eq!(explanation.verdict, answers.verdicts()[row]);
        assert_eq!(explained.sentence().is_some(), answers.verdicts()[row].is_undecided());
    }
}

/// A value that is unknown to a test on the row's way makes it undecided under every routing.
fn unknown_values_are_undecided(model: &Model, case: &Case, answers: &Predictions) {
    for (row, values) in case.rows.chunks(case.data.n_features()).enumerate() {
        let explained = model.explain(values).expect("values are finite or may be missing");
        let is_unknown = explained.explanation().steps.iter().any(|step| step.is_unknown());
        assert!(!is_unknown || answers.verdicts()[row].is_undecided());
    }
}

fn can_be_shown(model: &Model) {
    let tree = model.single_tree().expect("a single tree was grown");
    assert!(!to_text(tree, TextOptions::default()).is_empty());
    assert!(to_dot(tree).ends_with("}\n"));
    assert_eq!(to_table(tree).lines().count(), tree.tree().n_nodes() + 1);
    let importances: f64 = tree.tree().importances().iter().sum();
    assert!(importances == 0.0 || (importances - 1.0).abs() < 1e-9, "{importances}");
    _ = tree.tree().pruning_path();
}

fn decided_rows_are_carts(model: &Model, rows: Matrix<'_>, answers: &Predictions) {
    let cart = Walker::new(&model.trees()[0], Routing::Crisp).expect("crisp is always possible");
    let cart = cart.predict(rows, &Exec::default()).expect("values are finite");
    for row in 0..answers.n_rows() {
        if answers.verdicts()[row].is_decided() {
            assert_eq!(answers.distribution(row), cart.distribution(row));
            assert_eq!(answers.classes()[row], cart.classes()[row]);
        }
    }
}
