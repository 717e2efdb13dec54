//! Runs one hot loop once, for `make callgrind` to count its instructions.

#[path = "../benches/support/mod.rs"]
mod support;

use std::hint::black_box;
use support::two_normals;
use ternwood::grow::{Grower, GrownTree};
use ternwood::predict::Walker;
use ternwood::recipe::{CheckedParams, ForestParams};
use ternwood::training::TrainingRows;
use ternwood::{
    Dataset, Exec, Learner, Matrix, Model, Recipe, Routing, Tree, TreeParams, ZoneKind,
};

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    match name.as_str() {
        "grow-depth-4" => grow_measured(&two_normals(100_000, 20, None), Some(4)),
        "grow-to-the-end" => grow_measured(&two_normals(20_000, 20, None), None),
        "grow-few-values" => grow_measured(&two_normals(50_000, 40, Some(1)), Some(8)),
        "zone-margin" => zones(&ZoneKind::Margin),
        "zone-plateau" => zones(&ZoneKind::quality_plateau()),
        "zone-overlap" => zones(&ZoneKind::class_overlap()),
        "zone-bootstrap" => zones(&ZoneKind::node_bootstrap()),
        "predict" => predict(),
        "predict-forest" => predict_forest(ZoneKind::Spread),
        "predict-forest-crisp" => predict_forest(ZoneKind::None),
        "training-rows" => training_rows_measured(&two_normals(100_000, 20, None)),
        _ => eprintln!("no workload '{name}'; benches/instructions.py has their names"),
    }
}

fn params(max_depth: Option<u32>) -> CheckedParams {
    TreeParams { max_depth, ..TreeParams::default() }.check().expect("the parameters are fine")
}

fn grow<'a>(data: &'a Dataset, params: &'a CheckedParams) -> GrownTree<'a> {
    let grower = Grower::new(data, params).expect("the parameters fit");
    grower.grow_two_child(&Exec::default()).expect("it grows")
}

// Only what happens inside functions with "measured" in their names is counted.

#[inline(never)]
fn grow_measured(data: &Dataset, max_depth: Option<u32>) {
    let params = params(max_depth);
    black_box(grow(data, &params).tree());
}

fn zones(kind: &ZoneKind) {
    let (data, params) = (two_normals(100_000, 20, None), params(Some(4)));
    let grown = grow(&data, &params);
    zones_measured(&grown, kind);
}

#[inline(never)]
fn zones_measured(grown: &GrownTree<'_>, kind: &ZoneKind) {
    black_box(grown.with_zones(&kind.clone().into()).expect("it has zones"));
}

fn predict() {
    let (data, params) = (two_normals(100_000, 20, None), params(Some(4)));
    let grown = grow(&data, &params);
    let tree = grown.with_zones(&ZoneKind::Margin.into()).expect("it has zones");
    predict_measured(&tree, &data);
}

#[inline(never)]
fn predict_measured(tree: &Tree, data: &Dataset) {
    let walker = Walker::new(tree, Routing::Probabilistic).expect("the shape is right");
    black_box(walker.predict(Matrix::from(data.columns()), &Exec::default()).expect("finite"));
}

fn predict_forest(zone: ZoneKind) {
    let data = two_normals(4_000, 20, None);
    let mut recipe = Recipe::forest();
    if zone == ZoneKind::None {
        recipe = recipe.decided();
    }
    recipe.params = recipe.params.with_zone(zone);
    recipe.ensemble = ForestParams { n_trees: 20, ..ForestParams::default() }.into();
    let learner = Learner::from_recipe(recipe).expect("the recipe is fine");
    let model = learner.fit(&data, &Exec::default()).expect("it grows");
    predict_forest_measured(&model, &data);
}

#[inline(never)]
fn predict_forest_measured(model: &Model, data: &Dataset) {
    let predictions = model.predict(Matrix::from(data.columns()), &Exec::default());
    black_box(predictions.expect("finite"));
}

/// What every fit records of its rows.
#[inline(never)]
fn training_rows_measured(data: &Dataset) {
    black_box(TrainingRows::of(data, &Exec::default()).expect("nobody cancels it"));
}
