//! Runs one hot loop once, for `make callgrind` to count its instructions.

#[path = "../benches/support/mod.rs"]
mod support;

use std::hint::black_box;
use support::two_normals;
use ternwood::{Dataset, Grower, Routing, Rows, Tree, TreeParams, Walker, Workers, ZoneKind};

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
        _ => eprintln!("no workload '{name}'; benches/instructions.py has their names"),
    }
}

fn params(max_depth: Option<u32>) -> ternwood::CheckedParams {
    TreeParams { max_depth, ..TreeParams::default() }.check().expect("the parameters are fine")
}

// Only what happens inside functions with "measured" in their names is counted.

#[inline(never)]
fn grow_measured(data: &Dataset, max_depth: Option<u32>) {
    let params = params(max_depth);
    let grown = Grower::new(data, &params).and_then(Grower::grow_two_child).expect("it grows");
    black_box(grown.tree());
}

fn zones(kind: &ZoneKind) {
    let (data, params) = (two_normals(100_000, 20, None), params(Some(4)));
    let grown = Grower::new(&data, &params).and_then(Grower::grow_two_child).expect("it grows");
    zones_measured(&grown, kind);
}

#[inline(never)]
fn zones_measured(grown: &ternwood::GrownTree<'_>, kind: &ZoneKind) {
    black_box(grown.with_zones(&kind.clone().into()).expect("it has zones"));
}

fn predict() {
    let (data, params) = (two_normals(100_000, 20, None), params(Some(4)));
    let grown = Grower::new(&data, &params).and_then(Grower::grow_two_child).expect("it grows");
    let tree = grown.with_zones(&ZoneKind::Margin.into()).expect("it has zones");
    predict_measured(&tree, &data);
}

#[inline(never)]
fn predict_measured(tree: &Tree, data: &Dataset) {
    let walker = Walker::new(tree, Routing::Probabilistic).expect("the shape is right");
    black_box(walker.predict(Rows::from(data.columns()), &Workers::single()).expect("finite"));
}
