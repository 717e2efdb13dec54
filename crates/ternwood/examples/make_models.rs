//! Writes the model files in `testdata/models/v1`, each with the answers it must give for ever.
//!
//! Files that exist are left alone: what a released version once wrote must load in every later
//! one, so a file is made once and never again.
//!
//! ```text
//! cargo run -p ternwood --example make_models
//! ```

use serde_json::json;
use std::error::Error;
use std::fs;
use std::path::Path;
use ternwood::fit::cross_fitted_rows;
use ternwood::recipe::{
    ClassWeight, Criterion, GainKind, Leaves, MaxFeatures, Resamples, RowCount, ZoneParams,
};
use ternwood::tree::{TreeBuilder, Zone};
use ternwood::verdict::{ConfidencePolicy, VerdictRule};
use ternwood::{
    ClassName, Columns, Dataset, Exec, Feature, Labels, Learner, Matrix, Model, Recipe, Routing,
    Schema, TreeParams, ZoneKind,
};

/// 60 rows of three features, by a rule that needs no random numbers.
fn columns() -> ternwood::Result<Columns> {
    let row = |i: i32| {
        let wave = f64::from(i * 37 % 60) / 7.0;
        [wave, f64::from(i * i % 11), f64::from(i % 3)]
    };
    Columns::from_rows(&(0..60).flat_map(row).collect::<Vec<_>>(), 3)
}

fn class(i: i32) -> i32 {
    let side = i32::from(i * 37 % 60 > 27) + i32::from(i * i % 11 > 6);
    if i % 9 == 4 { (side + 1) % 3 } else { side }
}

fn integers() -> Labels {
    Labels::from_values((0..60).map(class))
}

fn words() -> Labels {
    Labels::from_values((0..60).map(|i| ["low", "mid", "top"][class(i) as usize]))
}

fn floats() -> ternwood::Result<Labels> {
    Labels::from_floats(&(0..60).map(|i| f64::from(class(i)) / 2.0).collect::<Vec<_>>())
}

fn weights() -> Vec<f64> {
    (0..60).map(|i| f64::from(1 + i % 4) / 3.0).collect()
}

fn unnamed(labels: Labels) -> ternwood::Result<Dataset> {
    Dataset::new(columns()?, labels)
}

fn named(labels: Labels) -> ternwood::Result<Dataset> {
    unnamed(labels)?.with_feature_names(["wave", "square", "kind"])
}

/// A target, categories, and values for what is missing.
fn described() -> ternwood::Result<Dataset> {
    let kind = Feature::categories("kind", ["red", "green", "blue"]).filled_with(1.0);
    let features = vec![
        Feature::number("wave").filled_with(4.5),
        Feature::number("square"),
        Feature { unknown_as_missing: true, ..kind },
    ];
    let (ids, classes) = integers().into_parts();
    let schema = Schema::new(features, classes)?.with_target("size")?;
    Dataset::with_schema(columns()?, ids, schema)
}

fn params() -> TreeParams {
    TreeParams { max_depth: Some(4), ..TreeParams::default() }
}

fn fit(data: &Dataset, params: TreeParams, routing: Routing) -> ternwood::Result<Model> {
    Learner::new(params, routing)?.fit(data, &Exec::default())
}

fn probabilistic(kind: ZoneKind) -> ternwood::Result<Model> {
    fit(&named(integers())?, params().with_zone(kind), Routing::Probabilistic)
}

fn follow(recipe: Recipe) -> ternwood::Result<Model> {
    Learner::from_recipe(recipe)?.fit(&named(integers())?, &Exec::default())
}

/// The model, undecided by the rule. It is calibrated with its own training rows, as if they had
/// been held out: the file is to be read, not to be believed.
fn calibrated(model: Model, rule: VerdictRule) -> ternwood::Result<Model> {
    let rows = model.calibration_rows(&named(integers())?, &Exec::default())?;
    model.with_verdict(rows.policy(rule)?)
}

fn cross_fitted(model: Model, rule: VerdictRule) -> ternwood::Result<Model> {
    let rows = cross_fitted_rows(&model, &named(integers())?, &Exec::default())?;
    model.with_verdict(rows.policy(rule)?)
}

/// No data, so no neighbours of the thresholds; weights that are no numbers of rows.
fn by_hand() -> ternwood::Result<Model> {
    let mut builder = TreeBuilder::new(3, 2);
    builder.split(0, Zone::new(4.0, 1.5)?);
    builder.split(1, Zone::crisp(2.5)?);
    builder.leaf(&[7.5, 0.25]);
    builder.leaf(&[3.0, 3.0]);
    builder.leaf(&[0.0, 9.0]);
    let features = ["wave", "square", "kind"].map(Feature::number).to_vec();
    let schema = Schema::new(features, vec![ClassName::from("no"), ClassName::from("yes")])?;
    let recipe = Recipe { routing: Routing::Deferred, ..Recipe::default() };
    Model::new(builder.finish()?, schema, recipe)
}

fn bootstrap_weighted() -> ternwood::Result<Model> {
    let params = TreeParams {
        criterion: Criterion::Entropy,
        class_weight: ClassWeight::Balanced,
        max_features: MaxFeatures::Sqrt,
        max_leaf_nodes: Some(7),
        seed: u64::MAX,
        ..params().with_zone(ZoneKind::NodeBootstrap { resamples: Resamples::Count(12) })
    };
    fit(&named(floats()?)?.with_weights(weights())?, params, Routing::Probabilistic)
}

/// The parameters that have several spellings, in those that no other model has.
fn gain_ratio_fractions() -> ternwood::Result<Model> {
    let kind = ZoneKind::GainRatio { scale: 0.2, gain: GainKind::Information };
    let params = TreeParams {
        max_depth: None,
        min_samples_split: RowCount::Fraction(0.1),
        min_samples_leaf: RowCount::Fraction(0.05),
        min_weight_fraction_leaf: 0.01,
        min_impurity_decrease: 0.001,
        ccp_alpha: 0.001,
        max_features: MaxFeatures::Fraction(0.7),
        class_weight: ClassWeight::Given(vec![1.0, 2.5, 0.5]),
        ..params().with_zone(kind)
    };
    fit(&unnamed(words())?, params, Routing::Probabilistic)
}

fn models() -> ternwood::Result<Vec<(&'static str, Model)>> {
    let plateau = ZoneKind::QualityPlateau { tolerance: 0.1, connected: true };
    let wide = ZoneParams { scale: 1.5, ..ZoneParams::from(ZoneKind::class_overlap()) };
    let specified = ZoneKind::Specified { half_widths: vec![0.5, 1.0, 0.0] };
    let cost_optimal = Recipe {
        params: params().with_zone(ZoneKind::CostOptimal { cost_ratio: 0.3 }),
        routing: Routing::Deferred,
        leaves: Leaves::Smoothed,
        ..Recipe::default()
    };
    let cost = ConfidencePolicy::of_cost_ratio(0.3)?;
    let budget = VerdictRule::Budget { flag_rate: 0.25 };
    let guarantee = VerdictRule::Guarantee { accuracy: 0.7, confidence: 0.9 };
    let truth = Labels::from_values([true; 60]);
    Ok(vec![
        ("by_hand", by_hand()?),
        ("single_leaf", fit(&named(truth)?, params(), Routing::Crisp)?),
        (
            "none_crisp_unnamed",
            fit(&unnamed(words())?, params().with_zone(ZoneKind::None), Routing::Crisp)?,
        ),
        ("margin_probabilistic", probabilistic(ZoneKind::Margin)?),
        (
            "plateau_hard_middle",
            fit(&named(words())?, params().with_zone(plateau), Routing::HardMiddle)?,
        ),
        (
            "overlap_deferred_described",
            fit(&described()?, TreeParams { zone: wide, ..params() }, Routing::Deferred)?,
        ),
        (
            "specified_hard_middle",
            fit(&named(words())?, params().with_zone(specified), Routing::HardMiddle)?,
        ),
        ("gain_ratio_fractions", gain_ratio_fractions()?),
        ("bootstrap_weighted", bootstrap_weighted()?),
        ("bootstrap_auto", probabilistic(ZoneKind::NodeBootstrap { resamples: Resamples::Auto })?),
        ("spread_em_calibrated", follow(Recipe::calibrated())?),
        ("cost_optimal_smoothed", follow(cost_optimal)?),
        ("verdict_by_cost", probabilistic(ZoneKind::class_overlap())?.with_verdict(cost)?),
        ("verdict_by_budget", calibrated(probabilistic(ZoneKind::Margin)?, budget)?),
        ("verdict_by_guarantee", calibrated(probabilistic(ZoneKind::class_overlap())?, guarantee)?),
        ("verdict_cross_fitted", cross_fitted(probabilistic(ZoneKind::Spread)?, budget)?),
    ])
}

/// What the model answers on rows in and around its zones.
fn answers(model: &Model) -> ternwood::Result<String> {
    let probes: Vec<f64> = (0..40)
        .flat_map(|i| [f64::from(i) / 4.0 - 0.5, f64::from(i % 12), f64::from(i % 3)])
        .collect();
    let predictions = model.predict(Matrix::row_major(&probes, 3)?, &Exec::default())?;
    let lines: Vec<String> = (0..predictions.n_rows())
        .map(|row| {
            let answer = json!({
                "row": probes[3 * row..3 * row + 3],
                "class": predictions.classes()[row],
                "distribution": predictions.distribution(row),
                "verdict": predictions.verdicts()[row].as_str(),
            });
            format!("  {answer}")
        })
        .collect();
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/models/v1");
    fs::create_dir_all(&folder)?;
    for (name, model) in models()? {
        let file = folder.join(format!("{name}.json"));
        if !file.exists() {
            fs::write(&file, model.to_json())?;
            fs::write(folder.join(format!("{name}.answers.json")), answers(&model)?)?;
        }
    }
    Ok(())
}
