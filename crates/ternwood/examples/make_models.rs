//! Writes the model files in `testdata/models/v1`, each with the answers it must give for ever.
//!
//! Forests are in its folder `forests`, in both kinds of file.
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
use ternwood::dataset::notation::{DatePattern, DecimalMark, Marks, Notation};
use ternwood::fit::cross_fitted_rows;
use ternwood::model::Metadata;
use ternwood::recipe::{
    ClassWeight, Criterion, Exponent, ForestParams, GainKind, Leaves, MaxFeatures, MissingValues,
    Resamples, RowCount, ZoneParams,
};
use ternwood::tree::{Axis, CategoryCut, CategoryPlace, Digits, Missing, Test, TreeBuilder, Zone};
use ternwood::verdict::{
    CalibrationRows, CalibrationSource, ConfidencePolicy, CostMatrix, Promises, Uncovered,
    VerdictRule,
};
use ternwood::{
    ClassName, Columns, Dataset, Exec, Feature, Labels, Learner, Matrix, Model, Recipe, Routing,
    Schema, TreeParams, VerdictPolicy, ZoneKind,
};

/// 60 rows of three features, by a rule that needs no random numbers.
fn columns() -> ternwood::Result<Columns> {
    let row = |i: i32| {
        let wave = f64::from(i * 37 % 60) / 7.0;
        [wave, f64::from(i * i % 11), f64::from(i % 3)]
    };
    Columns::from_rows(&(0..60).flat_map(row).collect::<Vec<_>>(), 3)
}

/// Standard fields and others.
fn metadata() -> ternwood::Result<Metadata> {
    let mut metadata = Metadata::default();
    metadata.set("name", "Waves & squares")?;
    metadata.set("version", "2.1")?;
    metadata.set("owner", "Größe \u{2028} <b>")?;
    metadata.set("notes", "two\nlines")?;
    metadata.set("ticket", "QA-17")?;
    metadata.set(Metadata::INPUT_SHA256, &"0123456789abcdef".repeat(4))?;
    Ok(metadata)
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

/// A target, and numbers to fill in for missing values.
fn described() -> ternwood::Result<Dataset> {
    let kinds = Feature::ordered("kind", ["red", "green", "blue"]);
    let features = vec![
        Feature::number("wave").filled_with(4.5),
        Feature::number("square"),
        kinds.filled_with(1.0),
    ];
    let (ids, classes) = integers().into_parts();
    let schema = Schema::new(features, classes)?.with_target("size")?;
    Dataset::with_schema(columns()?, ids, schema)
}

/// Features that tables write in other ways than as plain numbers.
fn written(labels: Labels) -> ternwood::Result<Dataset> {
    let comma = Marks { decimal: DecimalMark::Comma, thousands: Some('.') };
    let features = vec![
        Feature::number("price").written_as(Notation::Number(comma)),
        Feature::number("share").written_as(Notation::Percent(Marks::default())),
        Feature::number("day").written_as(Notation::Date(DatePattern::new("%d.%m.%Y")?)),
    ];
    let (ids, classes) = labels.into_parts();
    Dataset::with_schema(columns()?, ids, Schema::new(features, classes)?)
}

/// A number that is missing in places, an ordered category, and a category that is missing at times:
/// 'pilot' and 'monk' are rare, 'nun' does not occur.
fn table(labels: Labels) -> ternwood::Result<Dataset> {
    let row = |i: i32| {
        let wave = f64::from(i * 37 % 60) / 7.0;
        let job = match i {
            _ if i % 10 == 7 => f64::NAN,
            5 | 40 => 3.0,
            23 => 4.0,
            _ => f64::from((i * 37 % 60 / 20 + i % 2) % 3),
        };
        [if i % 8 == 3 { f64::NAN } else { wave }, f64::from(i * i % 11 / 4), job]
    };
    let columns = Columns::from_rows(&(0..60).flat_map(row).collect::<Vec<_>>(), 3)?;
    let features = vec![
        Feature::number("wave"),
        Feature::ordered("grade", ["low", "mid", "high"]),
        Feature::categories("job", ["cook", "clerk", "nurse", "pilot", "monk", "nun"]),
    ];
    let (ids, classes) = labels.into_parts();
    Dataset::with_schema(columns, ids, Schema::new(features, classes)?.with_target("size")?)
}

fn complete_table(labels: Labels) -> ternwood::Result<Dataset> {
    let table = table(labels)?;
    let is_complete = |row: &usize| table.columns().row(*row).iter().all(|x| !x.is_nan());
    table.select(&(0..table.n_rows()).filter(is_complete).collect::<Vec<_>>())
}

fn two_classes() -> Labels {
    Labels::from_values((0..60).map(|i| ["well", "ill"][usize::from(class(i) > 0)]))
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
    let (data, source) = (named(integers())?, CalibrationSource::HeldOut);
    let rows = model.calibration_rows_from(&data, source, &Exec::default())?;
    model.with_verdict(rows.policy(rule)?)
}

/// The model with a threshold for every class, one of which is never decided.
fn promised(model: Model) -> ternwood::Result<Model> {
    // Class, distribution and number of rows. Rows of class 1 are missed at up to 0.9, above all
    // rows that are predicted as class 0.
    let groups = [
        (0, [0.75, 0.125, 0.125], 40),
        (1, [0.125, 0.75, 0.125], 90),
        (1, [0.0625, 0.0625, 0.875], 4),
        (2, [0.0625, 0.0, 0.9375], 60),
    ];
    let rows = groups.iter().flat_map(|&(class, p, n)| std::iter::repeat_n((class, p), n));
    let truth: Vec<u32> = rows.clone().map(|(class, _)| class).collect();
    let distributions: Vec<f64> = rows.flat_map(|(_, p)| p).collect();
    let (classes, source) = (model.schema().classes(), CalibrationSource::HeldOut);
    let rows = CalibrationRows::new(&distributions, &truth, classes, source)?;
    let promises = Promises {
        precision: vec![Some(0.875), None, Some(0.75)],
        miss_rate: vec![None, Some(0.0625), None],
        confidence: 0.9,
    };
    model.with_verdict(rows.policy(VerdictRule::Promises(promises))?)
}

/// The model with the answers of the least cost: the last class is dear to miss.
fn by_costs(model: Model) -> ternwood::Result<Model> {
    let answer = vec![vec![0.0, 1.0, 1.0], vec![2.0, 0.0, 1.0], vec![8.0, 4.0, -0.5]];
    let costs = CostMatrix::new(answer, vec![0.5, 0.5, 0.25])?;
    let (data, source) = (named(integers())?, CalibrationSource::HeldOutUntested);
    let rows = model.calibration_rows_from(&data, source, &Exec::default())?;
    model.with_verdict(rows.cost_policy(costs)?)
}

/// The model with a budget aimed at class 1.
fn catching(model: Model) -> ternwood::Result<Model> {
    let (data, source) = (named(integers())?, CalibrationSource::HeldOut);
    let rows = model.calibration_rows_from(&data, source, &Exec::default())?;
    model.with_verdict(rows.catch_policy(1, 0.25)?)
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

/// Every kind of test, with every side for missing values.
fn tests_by_hand() -> ternwood::Result<Model> {
    let place = |category, rows, position, standard_error| CategoryPlace {
        category,
        rows,
        position,
        standard_error,
    };
    let places = vec![
        place(0, 9, -0.5, 0.1),
        place(1, 7, 0.0, 0.25),
        place(2, 5, 0.75, 0.0),
        place(4, 2, 0.5, 0.5),
    ];
    let jobs = CategoryCut::new(Axis::Direction(vec![-0.6, 0.8]), 0.25, 1.0, places.clone())?;
    let mut builder = TreeBuilder::new(3, 2);
    builder.split_by(&Test::of_categories(2, jobs.clone()));
    let wave = Test::new(0, Zone::new(4.0, 1.5)?).with_missing(Missing::Left);
    builder.split_by(&wave);
    builder.show_with(Some(Digits::new(2, [0, -1])?));
    builder.leaf(&[7.5, 0.25]);
    builder.split_by(&Test::new(1, Zone::crisp(0.5)?).with_missing(Missing::Right));
    builder.leaf(&[3.0, 2.0]);
    builder.leaf(&[1.0, 1.5]);
    builder.split_by(&Test::is_present(0));
    builder.split_by(&Test::of_categories(2, jobs).with_missing(Missing::Right));
    builder.leaf(&[1.0, 1.0]);
    builder.leaf(&[0.0, 4.0]);
    builder.leaf(&[2.0, 9.0]);
    let schema = Schema::clone(table(two_classes())?.schema());
    Model::new(builder.finish()?, schema, Recipe::default())
}

/// Zones are narrow if they shape the tree: wider ones would leave too few rows outside.
fn of_table(missing: MissingValues, routing: Routing) -> ternwood::Result<Model> {
    let mut params = TreeParams { missing, ..params() };
    if routing.needs_three_children() {
        params.zone = ZoneParams { scale: 0.5, category_error: 0.5, ..params.zone };
    }
    fit(&table(words())?, params, routing)
}

/// Nothing is missing, and nothing may be; rare categories count as unseen.
fn rare_categories() -> ternwood::Result<Model> {
    let zone = ZoneParams { category_error: 1.0, ..ZoneParams::default() };
    let missing = MissingValues::Error;
    let params = TreeParams { missing, min_samples_category: 3, zone, ..params() };
    fit(&complete_table(two_classes())?, params, Routing::Deferred)
}

fn calibrated_table() -> ternwood::Result<Model> {
    Learner::from_recipe(Recipe::calibrated())?.fit(&table(two_classes())?, &Exec::default())
}

/// Rows with gaps and categories that training did not have are judged like all others.
fn judging_uncovered() -> ternwood::Result<Model> {
    let model = fit(&complete_table(two_classes())?, params(), Routing::Probabilistic)?;
    model.with_verdict(VerdictPolicy::Zones { uncovered: Uncovered::Judge })
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

/// A checkerboard of the first two features: its first split gains nothing.
fn zero_gain_splits() -> ternwood::Result<Model> {
    let cell = |i: i32| [f64::from(i / 8), f64::from(i % 8), 0.0];
    let columns = Columns::from_rows(&(0..64).flat_map(cell).collect::<Vec<_>>(), 3)?;
    let labels = Labels::from_values((0..64).map(|i| (i / 32 + i % 8 / 4) % 2));
    let params = TreeParams { zero_gain_splits: true, ..params() };
    fit(&Dataset::new(columns, labels)?, params, Routing::Probabilistic)
}

fn of_notations() -> ternwood::Result<Model> {
    fit(&written(words())?, params(), Routing::Probabilistic)
}

/// A forest of small trees; on a table with weights, and without zones.
fn forests() -> ternwood::Result<Vec<(&'static str, Model)>> {
    let fit = |data: &Dataset, n_trees: u32, recipe: Recipe| {
        let params = TreeParams { max_depth: Some(4), ..recipe.params };
        let mut recipe = Recipe { params, ..recipe };
        recipe.ensemble.forest_mut().expect("a forest").n_trees = n_trees;
        Learner::from_recipe(recipe)?.fit(data, &Exec::default())
    };
    let plain = ForestParams { exponent: Exponent::Off, ..ForestParams::default() };
    let plain = Recipe { routing: Routing::Crisp, ensemble: plain.into(), ..Recipe::forest() };
    let weighted = table(words())?.with_weights(weights())?;
    Ok(vec![
        ("numbers", fit(&named(integers())?, 5, Recipe::forest())?),
        ("table", fit(&table(two_classes())?, 4, Recipe::forest())?),
        ("table_weighted_crisp", fit(&weighted, 3, plain)?),
    ])
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
        ("notations", of_notations()?),
        ("zero_gain_splits", zero_gain_splits()?),
        ("single_leaf", fit(&named(truth)?, params(), Routing::Crisp)?),
        (
            "none_crisp_unnamed",
            fit(&unnamed(words())?, params().with_zone(ZoneKind::None), Routing::Crisp)?,
        ),
        ("margin_probabilistic", probabilistic(ZoneKind::Margin)?),
        ("margin_private", probabilistic(ZoneKind::Margin)?.private()),
        ("margin_with_metadata", probabilistic(ZoneKind::Margin)?.with_metadata(metadata()?)),
        (
            "margin_with_histograms",
            probabilistic(ZoneKind::Margin)?.with_histograms(&named(integers())?)?,
        ),
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
        ("verdict_by_budget", calibrated(probabilistic(ZoneKind::Margin)?, budget.clone())?),
        ("verdict_by_guarantee", calibrated(probabilistic(ZoneKind::class_overlap())?, guarantee)?),
        ("verdict_cross_fitted", cross_fitted(probabilistic(ZoneKind::Spread)?, budget)?),
        ("verdict_by_promises", promised(probabilistic(ZoneKind::class_overlap())?)?),
        ("verdict_by_costs", by_costs(probabilistic(ZoneKind::class_overlap())?)?),
        ("verdict_catching", catching(probabilistic(ZoneKind::class_overlap())?)?),
        ("tests_by_hand", tests_by_hand()?),
        ("table_learn", of_table(MissingValues::Learn, Routing::Probabilistic)?),
        ("table_learn_hard_middle", of_table(MissingValues::Learn, Routing::HardMiddle)?),
        ("table_unknown", of_table(MissingValues::Unknown, Routing::Deferred)?),
        ("table_unknown_hard_middle", of_table(MissingValues::Unknown, Routing::HardMiddle)?),
        ("table_crisp", of_table(MissingValues::Learn, Routing::Crisp)?),
        ("table_rare_categories", rare_categories()?),
        ("table_calibrated", calibrated_table()?),
        ("table_judging_uncovered", judging_uncovered()?),
    ])
}

/// What the model answers on rows in and around its zones; unless that is an error, also on rows
/// with missing values, and on numbers that are no category.
fn answers(model: &Model) -> ternwood::Result<String> {
    let mut probes: Vec<f64> = (0..40)
        .flat_map(|i| [f64::from(i) / 4.0 - 0.5, f64::from(i % 12), f64::from(i % 3)])
        .collect();
    for i in 0..24 {
        let job = [3.0, 4.0, 5.0, 9.0, 0.5, -1.0][i % 6];
        let mut row = [i as f64 / 3.0, (i % 4) as f64, if i < 12 { job } else { (i % 3) as f64 }];
        if model.recipe().params.missing != MissingValues::Error && i % 4 > 0 {
            row[i % 4 - 1] = f64::NAN;
        }
        probes.extend(row);
    }
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
    let folder = folder.join("forests");
    fs::create_dir_all(&folder)?;
    for (name, model) in forests()? {
        let file = folder.join(format!("{name}.safetensors"));
        if !file.exists() {
            fs::write(&file, model.to_safetensors())?;
            fs::write(folder.join(format!("{name}.json")), model.to_json())?;
            fs::write(folder.join(format!("{name}.answers.json")), answers(&model)?)?;
        }
    }
    Ok(())
}
