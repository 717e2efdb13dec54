//! `demo --zones all`: the five zones of the paper on the same patients.

use crate::evaluation::CrossValidation;
use crate::reading::counted;
use crate::report::{Prices, Report, TableFormat};
use crate::session::Session;
use anyhow::Result;
use std::io::Write;
use ternwood::recipe::RowCount;
use ternwood::tree::NodeId;
use ternwood::{
    Dataset, Exec, Learner, Model, Recipe, Resampler, Routing, TreeParams, VerdictPolicy, ZoneKind,
};
use ternwood_figures::{SurfaceFigure, SurfacePanel, ZoneFigure, surface_svg, zone_svg};
use ternwood_synthetic::two_moons;

/// The files, and what they are.
pub(super) const FILES: [(&str, &str); 3] = [
    ("zone.svg", "the first test in detail: its zone by every estimator"),
    ("risk-coverage.svg", "how the error grows with the share of rows decided, zone by zone"),
    ("two-moons.svg", "two moons: CART beside a tree with zones"),
];

/// Prints how the zones do in cross-validation, and returns the pictures, in the order of [`FILES`].
pub(super) fn compare(
    out: &mut impl Write,
    all: &Dataset,
    (model, training): (&Model, &Dataset),
    depth: u32,
    seed: u64,
    session: &Session,
) -> Result<[String; 3]> {
    let folds = Resampler::new(all).folds(5, 0)?;
    let recipes: Vec<Recipe> = kinds().into_iter().map(|kind| recipe(kind, depth)).collect();
    let base = recipe(ZoneKind::None, depth);
    let validation = CrossValidation {
        data: all,
        folds: &folds,
        base: &base,
        recipes: &recipes,
        of_zones: &VerdictPolicy::default(),
        wish: None,
        costs: None,
    };
    let methods = validation.run(session.exec(), || ())?;
    let rows = counted(all.n_rows(), "row");
    let mut report = Report {
        title: format!("The zones of the paper: 5-fold cross-validation on {rows}"),
        methods: &methods,
        prices: Prices::default(),
        classes: all.schema().classes(),
        groups: Vec::new(),
        spoken_of: 1,
    };
    write!(out, "\n{}", report.written(TableFormat::Text))?;
    report.title = format!("a medical check-up (invented data), {rows}, 5-fold cross-validation");
    let zone = zone_svg(model, training, NodeId::ROOT, &ZoneFigure::default())?;
    Ok([zone, report.risk_coverage(), moons_picture(seed)?])
}

fn kinds() -> [ZoneKind; 5] {
    [
        ZoneKind::Margin,
        ZoneKind::quality_plateau(),
        ZoneKind::class_overlap(),
        ZoneKind::gain_ratio(),
        ZoneKind::node_bootstrap(),
    ]
}

/// The paper's method with one kind of zone.
fn recipe(kind: ZoneKind, depth: u32) -> Recipe {
    let params = TreeParams { max_depth: Some(depth), ..TreeParams::default() };
    Recipe { params: params.with_zone(kind), ..Recipe::default() }
}

fn moons_picture(seed: u64) -> Result<String> {
    let moons = two_moons(400, 0.22, seed);
    let min_samples_leaf = RowCount::Count(10);
    let params = TreeParams { max_depth: Some(4), min_samples_leaf, ..TreeParams::default() };
    let fit = |kind| {
        let params = params.clone().with_zone(kind);
        Learner::new(params, Routing::Probabilistic)?.fit(&moons, &Exec::default())
    };
    let (cart, ternary) = (fit(ZoneKind::None)?, fit(ZoneKind::quality_plateau())?);
    let panels = [
        SurfacePanel { title: "CART: every row is decided".to_owned(), model: &cart },
        SurfacePanel { title: "with quality-plateau zones".to_owned(), model: &ternary },
    ];
    let title = Some("Two moons".to_owned());
    Ok(surface_svg(&panels, &moons, &SurfaceFigure { title, ..SurfaceFigure::default() })?)
}
