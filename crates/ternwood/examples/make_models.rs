//! Writes the model files in `testdata/models/v1`, each with the predictions it must give for
//! ever. Files that exist are left alone: a model that was saved once must load in every
//! version to come, so they are made once and never again.
//!
//! ```text
//! cargo run -p ternwood --example make_models
//! ```

use serde_json::json;
use std::error::Error;
use std::fs;
use std::path::Path;
use ternwood::calibrate::CalibrationRows;
use ternwood::{
    ClassWeight, Columns, ConfidencePolicy, Criterion, Dataset, Feature, Labels, Learner, Leaves,
    MaxFeatures, Model, Recipe, Resamples, Routing, Rows, TreeParams, VerdictRule, Workers,
    ZoneKind, ZoneParams,
};

/// 60 rows of three features, by a rule that needs no random numbers.
fn rows() -> Vec<f64> {
    let row = |i: i32| {
        let wave = f64::from(i * 37 % 60) / 7.0;
        [wave, f64::from(i * i % 11), f64::from(i % 3)]
    };
    (0..60).flat_map(row).collect()
}

fn class(i: i32) -> i32 {
    let side = i32::from(i * 37 % 60 > 27) + i32::from(i * i % 11 > 6);
    if i % 9 == 4 { (side + 1) % 3 } else { side }
}

fn data(labels: Labels) -> Result<Dataset, Box<dyn Error>> {
    let data = Dataset::new(Columns::from_rows(&rows(), 3)?, labels)?;
    Ok(data.with_feature_names(["wave", "square", "kind"])?)
}

/// The model, undecided by the rule. Its own rows must do for calibration: the file is to be
/// read, not to be believed.
fn calibrated(model: Model, labels: Labels, rule: VerdictRule) -> Result<Model, Box<dyn Error>> {
    let rows = CalibrationRows::held_out(&model, &data(labels)?, &Workers::single())?;
    Ok(model.with_verdict(rows.policy(rule)?)?)
}

fn fit(labels: Labels, params: TreeParams, routing: Routing) -> Result<Model, Box<dyn Error>> {
    let data = data(labels)?;
    let weights: Vec<f64> = (0..60).map(|i| f64::from(1 + i % 4) / 3.0).collect();
    let weighted = params.class_weight != ClassWeight::Uniform;
    let data = if weighted { data.with_weights(weights)? } else { data };
    Ok(Learner::new(params, routing)?.fit(&data)?)
}

fn models() -> Result<Vec<(&'static str, Model)>, Box<dyn Error>> {
    let base = || TreeParams { max_depth: Some(4), ..TreeParams::default() };
    let integers = Labels::from_values((0..60).map(class));
    let words = Labels::from_values((0..60).map(|i| ["low", "mid", "top"][class(i) as usize]));
    let floats: Vec<f64> = (0..60).map(|i| f64::from(class(i)) / 2.0).collect();
    let plateau = ZoneKind::QualityPlateau { tolerance: 0.1, connected: true };
    let wide = ZoneParams { scale: 1.5, ..ZoneParams::from(ZoneKind::class_overlap()) };
    let bootstrap = TreeParams {
        criterion: Criterion::Entropy,
        class_weight: ClassWeight::Balanced,
        max_features: MaxFeatures::Sqrt,
        max_leaf_nodes: Some(7),
        seed: u64::MAX,
        ..base().with_zone(ZoneKind::NodeBootstrap { resamples: Resamples::Count(12) })
    };
    let described = vec![
        Feature { fill: Some(4.5), ..Feature::numeric("wave") },
        Feature::numeric("square"),
        Feature::nominal("kind", ["red", "green", "blue"]),
    ];
    let budget = VerdictRule::Budget { flag_rate: 0.25 };
    let guarantee = VerdictRule::Guarantee { accuracy: 0.7, confidence: 0.9 };
    let follow = |recipe| -> Result<Model, Box<dyn Error>> {
        Ok(Learner::from_recipe(recipe)?.fit(&data(integers.clone())?)?)
    };
    let costs = Recipe {
        params: base().with_zone(ZoneKind::CostOptimal { cost_ratio: 0.3 }),
        routing: Routing::Deferred,
        leaves: Leaves::Smoothed,
        ..Recipe::default()
    };
    let spread = |zone| fit(integers.clone(), base().with_zone(zone), Routing::Probabilistic);
    Ok(vec![
        (
            "verdict_by_cost",
            spread(ZoneKind::class_overlap())?
                .with_verdict(ConfidencePolicy::of_cost_ratio(0.3)?)?,
        ),
        ("verdict_by_budget", calibrated(spread(ZoneKind::Margin)?, integers.clone(), budget)?),
        (
            "verdict_by_guarantee",
            calibrated(spread(ZoneKind::class_overlap())?, integers.clone(), guarantee)?,
        ),
        ("calibrated", follow(Recipe::calibrated())?),
        ("cost_optimal_smoothed", follow(costs)?),
        ("margin_probabilistic", fit(integers.clone(), base(), Routing::Probabilistic)?),
        ("plateau_hard_middle", fit(words, base().with_zone(plateau), Routing::HardMiddle)?),
        (
            "overlap_deferred_described",
            fit(integers, TreeParams { zone: wide, ..base() }, Routing::Deferred)?
                .with_features(described)?,
        ),
        (
            "bootstrap_weighted",
            fit(Labels::from_floats(&floats)?, bootstrap, Routing::Probabilistic)?,
        ),
        ("single_leaf", fit(Labels::from_values([true; 60]), base(), Routing::Crisp)?),
    ])
}

/// What the model answers on rows in and around its zones.
fn answers(model: &Model) -> Result<String, Box<dyn Error>> {
    let probes: Vec<f64> = (0..40)
        .flat_map(|i| [f64::from(i) / 4.0 - 0.5, f64::from(i % 12), f64::from(i % 3)])
        .collect();
    let predictions = model.predict(Rows::row_major(&probes, 3)?, &Workers::single())?;
    let verdicts: Vec<&str> = predictions.verdicts().iter().map(|v| v.as_str()).collect();
    let rows: Vec<_> = (0..predictions.n_rows())
        .map(|row| {
            let values = &probes[3 * row..3 * row + 3];
            let answer = json!({
                "row": values,
                "class": predictions.classes()[row],
                "distribution": predictions.distribution(row),
                "verdict": verdicts[row],
            });
            format!("  {answer}")
        })
        .collect();
    Ok(format!("[\n{}\n]\n", rows.join(",\n")))
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
