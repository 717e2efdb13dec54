//! Does "±" stand before errors only, and is every error that people read the true one?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use std::collections::BTreeMap;
use support::soak;
use ternwood::export::sql::{Dialect, SqlOptions, to_sql};
use ternwood::export::{SummaryOptions, TextOptions, to_dot, to_summary, to_text};
use ternwood::model::ZoneMeaning;
use ternwood::recipe::{DepthChoice, ZoneParams};
use ternwood::rules::Rules;
use ternwood::tree::{Axis, Cut, NodeId, Side, TreeBuilder};
use ternwood::{
    ClassName, Columns, Dataset, Exec, Feature, Learner, Model, Recipe, Routing, Schema,
    TreeParams, ZoneKind,
};

const JOBS: [&str; 5] = ["clerk", "cook", "miner", "nurse", "pilot"];
const RANKS: [&str; 4] = ["school", "Bachelors", "Masters", "PhD"];

/// A number, a category and a rank for every row, which tell something of its class.
fn table(rows: &[(f64, u32, u32, bool)]) -> Dataset {
    let columns = [
        rows.iter().map(|row| row.0).collect::<Vec<f64>>(),
        rows.iter().map(|row| f64::from(row.1)).collect(),
        rows.iter().map(|row| f64::from(row.2)).collect(),
    ];
    let class = |row: &(f64, u32, u32, bool)| {
        u32::from(row.3 || row.0 + f64::from(row.1) + f64::from(row.2) > 8.0)
    };
    let features = vec![
        Feature::number("glucose"),
        Feature::categories("job", JOBS),
        Feature::ordered("education", RANKS),
    ];
    let schema = Schema::new(features, vec!["healthy".into(), "ill".into()]).unwrap();
    let columns = Columns::from_columns(columns.concat(), 3).unwrap();
    Dataset::with_schema(columns, rows.iter().map(class).collect(), schema).unwrap()
}

fn tables(n_rows: std::ops::Range<usize>) -> impl Strategy<Value = Dataset> {
    let row = (0..100u32, 0..5u32, 0..4u32, prop::bool::weighted(0.2));
    let row = row.prop_map(|(x, job, rank, noise)| (f64::from(x) / 10.0, job, rank, noise));
    prop::collection::vec(row, n_rows).prop_map(|rows| table(&rows))
}

fn fit(recipe: Recipe, data: &Dataset) -> Model {
    Learner::from_recipe(recipe).unwrap().fit(data, &Exec::default()).unwrap()
}

/// Everything that people read of a model and of some rows.
fn texts(model: &Model, data: &Dataset) -> Vec<String> {
    let tree = model.single_tree().unwrap();
    let mut texts = vec![
        to_text(tree, TextOptions::default()),
        to_dot(tree),
        to_summary(tree, SummaryOptions::default()),
        Rules::of(tree).to_string(),
        Rules::by_thresholds(tree).to_string(),
    ];
    texts.push(to_sql(model, &SqlOptions::new("patients", Dialect::Postgres)).unwrap());
    for row in 0..data.n_rows() {
        texts.push(model.explain(&data.columns().row(row)).unwrap().to_string());
    }
    texts
}

/// Every "±" of a text is followed by a number, perhaps with a unit, and "(standard error)".
fn errors_are_named(text: &str) -> bool {
    text.split(" ± ").skip(1).all(|after| {
        after.split_once(' ').is_some_and(|(_, rest)| rest.starts_with("(standard error)"))
    })
}

proptest! {
    #![proptest_config(soak::cases(24))]

    #[test]
    fn no_text_of_a_calibrated_model_has_the_sign_of_an_error(data in tables(20..60)) {
        let auto = ternwood::recipe::Auto { zone_scale: true, max_depth: Some(DepthChoice::Auto) };
        for recipe in [Recipe::calibrated(), Recipe { auto, ..Recipe::default() }] {
            let model = fit(recipe, &data);
            prop_assert_eq!(model.zone_meaning(), ZoneMeaning::Blended);
            for text in texts(&model, &data) {
                prop_assert!(!text.contains('±'), "{}", text);
            }
        }
    }

    /// Whatever the recipe, the sign stands before a measurement error as given, or before a standard error.
    #[test]
    fn the_sign_of_an_error_stands_before_errors_only(
        data in tables(12..40),
        kind in prop::sample::select(ZoneKind::all().to_vec()),
        scale in prop::sample::select(vec![0.5, 1.0]),
        routing in prop::sample::select(Routing::ALL.to_vec()),
    ) {
        let kind = match kind {
            ZoneKind::Specified { .. } => ZoneKind::Specified { half_widths: vec![0.7, 0.0, 0.5] },
            ZoneKind::CostOptimal { .. } if routing == Routing::HardMiddle => ZoneKind::Margin,
            kind => kind,
        };
        let zone = ZoneParams { scale, ..kind.clone().into() };
        let params = TreeParams { max_depth: Some(3), zone, ..TreeParams::default() };
        let model = fit(Recipe { params, routing, ..Recipe::default() }, &data);
        for text in texts(&model, &data) {
            match (&kind, scale) {
                (ZoneKind::Specified { .. }, 1.0) => {
                    // With as many digits as the zone needs to be true of all training rows.
                    for after in text.split(" ± ").skip(1) {
                        let end = after.find(|c: char| !c.is_ascii_digit() && c != '.');
                        let number = after[..end.unwrap_or(after.len())].trim_end_matches('.');
                        let decimals = number.split_once('.').map_or(0, |(_, places)| places.len());
                        let read: f64 = number.parse().unwrap();
                        let last_digit = 10f64.powi(-(decimals as i32));
                        prop_assert!((read - 0.7).abs() < 1.5 * last_digit, "{}", text);
                    }
                }
                (ZoneKind::NodeBootstrap { .. }, 1.0) => prop_assert!(errors_are_named(&text), "{}", text),
                _ => prop_assert!(!text.contains('±'), "{}", text),
            }
        }
    }

    /// METHOD's formula for two classes without class weights, from the rows of the root alone.
    #[test]
    fn the_error_of_a_category_is_its_standard_error(
        data in tables(12..80), error in prop::sample::select(vec![0.5, 1.0, 2.0, 8.0]),
    ) {
        let zone = ZoneParams { category_error: error, ..ZoneParams::default() };
        let params = TreeParams { max_depth: Some(1), zone, ..TreeParams::default() };
        // Only the job may be tested.
        let jobs = data.columns().column(1).to_vec();
        let schema = Schema::new(
            vec![Feature::categories("job", JOBS)],
            vec![ClassName::from("healthy"), ClassName::from("ill")],
        );
        let columns = Columns::from_columns(jobs.clone(), 1).unwrap();
        let one = Dataset::with_schema(columns, data.labels().to_vec(), schema.unwrap()).unwrap();
        let model = fit(Recipe { params, ..Recipe::default() }, &one);
        let tree = model.single_tree().unwrap().tree();
        let Some(split) = tree.node(NodeId::ROOT).as_split() else { return Ok(()) };
        let Cut::Categories(cut) = split.test.cut() else { return Ok(()) };
        prop_assert_eq!(cut.axis(), &Axis::ClassShare(1));
        let mut counts = BTreeMap::<u32, [f64; 2]>::new();
        for (job, class) in jobs.iter().zip(data.labels()) {
            counts.entry(*job as u32).or_default()[*class as usize] += 1.0;
        }
        for place in cut.places() {
            let [healthy, ill] = counts[&place.category];
            let n = healthy + ill;
            let q = (ill + 0.5) / (n + 1.0);
            let expected = 100.0 * (q * (1.0 - q) / (n + 1.0)).sqrt();
            let [_, _, shown] = cut.percents(place);
            let decimals = shown.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
            let rounding = 0.5 * 10f64.powi(-decimals) + 1e-9;
            let read: f64 = shown.parse().unwrap();
            prop_assert!((read - expected).abs() <= rounding, "{} is not {}", shown, expected);
            let report = model.explain(&[f64::from(place.category)]).unwrap().to_string();
            prop_assert!(report.contains(&format!("standard error {shown} %")), "{}", report);
            if split.test.side(f64::from(place.category)) == Side::Within {
                let errors = if error == 1.0 { "1 standard error" } else { &format!("{error} standard errors") };
                prop_assert!(report.contains(&format!("lies within {errors} of the cut at ")), "{}", report);
            }
        }
    }
}

#[test]
fn the_meaning_of_a_zone_follows_from_the_recipe() {
    let meaning = |recipe: Recipe| {
        let mut builder = match recipe.routing {
            Routing::HardMiddle => TreeBuilder::three_child(1, 2),
            _ => TreeBuilder::new(1, 2),
        };
        builder.leaf(&[1.0, 1.0]);
        let schema = Schema::new(vec![Feature::number("x")], vec!["a".into(), "b".into()]);
        Model::new(builder.finish().unwrap(), schema.unwrap(), recipe).unwrap().zone_meaning()
    };
    let recipe = |kind: ZoneKind, scale: f64, routing: Routing| {
        let zone = ZoneParams { scale, ..kind.into() };
        Recipe {
            params: TreeParams { zone, ..TreeParams::default() },
            routing,
            ..Recipe::default()
        }
    };
    let given = || ZoneKind::Specified { half_widths: vec![1.0] };
    for routing in Routing::ALL {
        let of = |kind, scale| meaning(recipe(kind, scale, routing));
        assert_eq!(of(given(), 1.0), ZoneMeaning::MeasurementError);
        assert_eq!(of(ZoneKind::node_bootstrap(), 1.0), ZoneMeaning::StandardError);
        assert_eq!(of(ZoneKind::Margin, 1.0), ZoneMeaning::Uncertain);
        let blends = matches!(routing, Routing::Probabilistic | Routing::Deferred);
        let of_range = if blends { ZoneMeaning::Blended } else { ZoneMeaning::Uncertain };
        for kind in [given(), ZoneKind::node_bootstrap(), ZoneKind::Margin] {
            assert_eq!(of(kind, 2.0), of_range);
        }
        assert_eq!(of(ZoneKind::Spread, 1.0), of_range);
    }
    let mut chosen = recipe(given(), 1.0, Routing::Probabilistic);
    chosen.auto.zone_scale = true;
    assert_eq!(meaning(chosen), ZoneMeaning::Blended, "1 was chosen for smoothing");
}
