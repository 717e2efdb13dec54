//! How long the hot loops take: growing, estimating zones, predicting.

mod support;

use divan::Bencher;
use support::two_normals;
use ternwood::grow::{Grower, GrownTree};
use ternwood::predict::{Scratch, Walker};
use ternwood::recipe::CheckedParams;
use ternwood::{Dataset, Exec, Matrix, Routing, TreeParams, ZoneKind};

fn main() {
    divan::main();
}

fn params(max_depth: Option<u32>) -> CheckedParams {
    TreeParams { max_depth, ..TreeParams::default() }.check().expect("the parameters are fine")
}

fn grow<'a>(data: &'a Dataset, params: &'a CheckedParams) -> GrownTree<'a> {
    let grower = Grower::new(data, params).expect("the parameters fit");
    grower.grow_two_child(&Exec::default()).expect("it grows")
}

/// Depth 4 on 100,000 rows: binning, histograms, bounds.
#[divan::bench]
fn grow_depth_4(bencher: Bencher<'_, '_>) {
    let (data, params) = (two_normals(100_000, 20, None), params(Some(4)));
    bencher.bench(|| grow(&data, &params).tree());
}

/// To the end on 20,000 rows: sorted blocks.
#[divan::bench]
fn grow_to_the_end(bencher: Bencher<'_, '_>) {
    let (data, params) = (two_normals(20_000, 20, None), params(None));
    bencher.bench(|| grow(&data, &params).tree());
}

/// The zones of a depth-4 tree on 100,000 rows.
#[divan::bench(args = ["margin", "gain_ratio", "quality_plateau", "class_overlap", "node_bootstrap"])]
fn zones(bencher: Bencher<'_, '_>, name: &str) {
    let (data, params) = (two_normals(100_000, 20, None), params(Some(4)));
    let grown = grow(&data, &params);
    let kind = ZoneKind::published().into_iter().find(|kind| kind.as_str() == name);
    let zone = kind.expect("the name is right").into();
    bencher.bench(|| grown.with_zones(&zone));
}

/// Class, distribution and verdict of 100,000 rows.
#[divan::bench]
fn predict(bencher: Bencher<'_, '_>) {
    let (data, params) = (two_normals(100_000, 20, None), params(Some(4)));
    let grown = grow(&data, &params);
    let tree = grown.with_zones(&ZoneKind::Margin.into()).expect("it has zones");
    let walker = Walker::new(&tree, Routing::Probabilistic).expect("the shape is right");
    bencher.bench(|| walker.predict(Matrix::from(data.columns()), &Exec::default()));
}

/// One row, nothing else.
#[divan::bench]
fn predict_one_row(bencher: Bencher<'_, '_>) {
    let (data, params) = (two_normals(100_000, 20, None), params(Some(4)));
    let grown = grow(&data, &params);
    let tree = grown.with_zones(&ZoneKind::Margin.into()).expect("it has zones");
    let walker = Walker::new(&tree, Routing::Probabilistic).expect("the shape is right");
    let row = data.columns().row(17);
    let (mut scratch, mut out) = (Scratch::default(), [0.0; 2]);
    bencher.bench_local(|| walker.distribution(divan::black_box(&row), &mut scratch, &mut out));
}
