//! Draws figures of many kinds and sizes into a folder, for visual inspection.
//!
//! `cargo run -p ternwood-figures --example gallery -- target/gallery`

#[path = "../tests/generators/mod.rs"]
mod generators;

use generators::{Table, blobs, fit, moons, normals, skewed};
use std::path::Path;
use ternwood::metrics::{ConfidenceRanking, Evaluation, correctness};
use ternwood::recipe::Resamples;
use ternwood::tree::NodeId;
use ternwood::{Exec, Learner, Matrix, Recipe, Routing, ZoneKind};
use ternwood_figures::{
    RiskCoverageFigure, RiskSeries, SurfaceFigure, SurfacePanel, TradeOffFigure, TradeOffPoint,
    TreeFigure, UnsureTreesFigure, ZoneFigure, risk_coverage_svg, surface_svg, trade_off_svg,
    tree_svg, unsure_trees_svg, zone_svg,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "target/gallery".to_owned());
    std::fs::create_dir_all(&folder)?;
    let save = |name: &str, svg: &str| std::fs::write(Path::new(&folder).join(name), svg);

    for depth in [1, 2, 3, 4, 6] {
        for (routing, word) in [(Routing::Probabilistic, "two"), (Routing::HardMiddle, "three")] {
            let data = blobs(3, 600, 7);
            let model = fit(&data, depth, ZoneKind::quality_plateau(), routing);
            let title = Some(format!("Three classes, depth {depth}"));
            let options = TreeFigure { title, ..TreeFigure::default() };
            save(
                &format!("tree-{word}-{depth}.svg"),
                &tree_svg(&model, Some((&data).into()), &options)?,
            )?;
        }
    }
    let data = blobs(10, 2000, 3);
    let model = fit(&data, 4, ZoneKind::Margin, Routing::Probabilistic);
    save("tree-ten-classes.svg", &tree_svg(&model, Some((&data).into()), &TreeFigure::default())?)?;
    let model = fit(&data, 8, ZoneKind::Margin, Routing::Probabilistic);
    let options = TreeFigure { max_depth: Some(3), ..TreeFigure::default() };
    save("tree-stubs.svg", &tree_svg(&model, Some((&data).into()), &options)?)?;
    let data = moons(500, 0.25, 1);
    let model = fit(&data, 3, ZoneKind::class_overlap(), Routing::Probabilistic);
    save("tree-moons.svg", &tree_svg(&model, Some((&data).into()), &TreeFigure::default())?)?;
    save("tree-moons-plain.svg", &tree_svg(&model, None, &TreeFigure::default())?)?;
    save("zone-moons.svg", &zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default())?)?;
    let data = blobs(3, 600, 7);
    let model = fit(&data, 3, ZoneKind::Margin, Routing::HardMiddle);
    save("zone-blobs.svg", &zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default())?)?;
    let data = normals(300, 4);
    let kind = ZoneKind::NodeBootstrap { resamples: Resamples::Count(300) };
    let model = fit(&data, 1, kind, Routing::Probabilistic);
    save("zone-four.svg", &zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::four_views())?)?;
    save("zone-normals.svg", &zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default())?)?;
    let data = skewed(600, 5);
    let model = fit(&data, 2, ZoneKind::quality_plateau(), Routing::Probabilistic);
    save("tree-skewed.svg", &tree_svg(&model, Some((&data).into()), &TreeFigure::default())?)?;
    save("zone-skewed.svg", &zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default())?)?;
    for (name, table, depth) in [
        ("2", Table { categories: 2, ..Table::default() }, 2),
        ("4", Table { categories: 4, ..Table::default() }, 2),
        ("12", Table::default(), 2),
        ("100", Table { categories: 100, rows: 3000, ..Table::default() }, 2),
        ("700", Table { categories: 700, rows: 6000, missing: 0.0, ..Table::default() }, 1),
        ("long-names", Table { long_names: true, ..Table::default() }, 2),
        ("three-classes", Table { classes: 3, rows: 1500, ..Table::default() }, 3),
        ("five-classes", Table { classes: 5, categories: 30, rows: 2500, ..Table::default() }, 3),
        ("complete", Table { missing: 0.0, ..Table::default() }, 3),
        ("deep", Table { rows: 4000, categories: 40, ..Table::default() }, 5),
    ] {
        let data = table.dataset();
        for (routing, word) in [(Routing::Probabilistic, "two"), (Routing::HardMiddle, "three")] {
            let model = fit(&data, depth, ZoneKind::Margin, routing);
            let title = Some(format!("Categories: {name}"));
            let options = TreeFigure { title, ..TreeFigure::default() };
            let svg = tree_svg(&model, Some((&data).into()), &options)?;
            save(&format!("categories-{name}-{word}.svg"), &svg)?;
            save(
                &format!("categories-{name}-{word}-plain.svg"),
                &tree_svg(&model, None, &options)?,
            )?;
            for node in model.single_tree()?.tree().ids() {
                if let Ok(svg) = zone_svg(&model, &data, node, &ZoneFigure::default()) {
                    save(&format!("zone-categories-{name}-{word}-{node}.svg"), &svg)?;
                }
            }
        }
    }
    for (name, table) in [
        ("4", Table { categories: 4, rows: 300, ..Table::default() }),
        ("long-names", Table { long_names: true, classes: 3, ..Table::default() }),
    ] {
        let data = table.dataset();
        let model = Learner::from_recipe(Recipe::forest())?.fit(&data, &Exec::default())?;
        for row in [0, 1] {
            let explained = model.explain_forest(&data.columns().row(row))?;
            let options = UnsureTreesFigure { title: Some(format!("Row {row}")) };
            save(&format!("forest-{name}-{row}.svg"), &unsure_trees_svg(&explained, &options))?;
        }
    }
    save("surface.svg", &surface()?)?;
    save("risk-coverage.svg", &risk_coverage()?)?;
    save("trade-off.svg", &trade_off())?;
    Ok(())
}

fn surface() -> Result<String, ternwood::Error> {
    let data = moons(500, 0.25, 1);
    let cart = fit(&data, 3, ZoneKind::None, Routing::Crisp);
    let ternary = fit(&data, 3, ZoneKind::quality_plateau(), Routing::Probabilistic);
    let panels = [
        SurfacePanel { title: "CART".to_owned(), model: &cart },
        SurfacePanel { title: "Ternary, quality plateau".to_owned(), model: &ternary },
    ];
    let title = Some("Two moons, depth 3".to_owned());
    surface_svg(&panels, &data, &SurfaceFigure { title, ..SurfaceFigure::default() })
}

fn risk_coverage() -> Result<String, ternwood::Error> {
    let (data, test) = (moons(500, 0.35, 1), moons(3000, 0.35, 2));
    let truth = test.labels();
    let predict = |kind: ZoneKind, routing| {
        let model = fit(&data, 4, kind, routing);
        model.predict(Matrix::from(test.columns()), &Exec::default())
    };
    let mut series = Vec::new();
    for (name, kind, routing) in [
        ("CART, leaf confidence", ZoneKind::None, Routing::Crisp),
        ("Blended confidence, class overlap", ZoneKind::class_overlap(), Routing::Probabilistic),
    ] {
        let predictions = predict(kind, routing)?;
        let correct = correctness(truth, predictions.classes())?;
        let ranking = ConfidenceRanking::new(&predictions.confidences(), &correct)?;
        let (curve, aurc) = (ranking.curve(), ranking.aurc());
        series.push(RiskSeries { name: name.to_owned(), curve, marks: Vec::new(), aurc });
    }
    for kind in ZoneKind::published() {
        let name = format!("Zone verdict, {}", kind.as_str().replace('_', " "));
        let predictions = predict(kind, Routing::Probabilistic)?;
        let evaluation = Evaluation::new(truth, predictions.classes(), predictions.verdicts())?;
        let (rate, accuracy) = (evaluation.rates.undecided_rate, evaluation.rates.decided_accuracy);
        let marks = rate.zip(accuracy).map(|(rate, accuracy)| (1.0 - rate, 1.0 - accuracy));
        let marks = marks.into_iter().collect();
        series.push(RiskSeries { name, curve: Vec::new(), marks, aurc: None });
    }
    let title = Some("Two moons, depth 4".to_owned());
    let subtitle = Some("500 training rows, 3,000 test rows".to_owned());
    Ok(risk_coverage_svg(&series, &RiskCoverageFigure { title, subtitle }))
}

/// Made-up numbers: only the look of the figure matters here.
fn trade_off() -> String {
    let numbers = [
        ("quality plateau", "probabilistic", 0.21, 0.742),
        ("class overlap", "probabilistic", 0.43, 0.761),
        ("gain ratio", "probabilistic", 0.38, 0.752),
        ("node bootstrap", "probabilistic", 0.19, 0.737),
        ("margin", "probabilistic", 0.13, 0.735),
        ("quality plateau", "hard middle", 0.21, 0.731),
        ("class overlap", "hard middle", 0.42, 0.752),
        ("gain ratio", "hard middle", 0.37, 0.741),
        ("node bootstrap", "hard middle", 0.18, 0.743),
        ("margin", "hard middle", 0.13, 0.718),
    ];
    let points = numbers.map(|(name, series, undecided_rate, decided_accuracy)| TradeOffPoint {
        name: name.to_owned(),
        series: series.to_owned(),
        undecided_rate,
        decided_accuracy,
    });
    let title = Some("What undecided rows buy (invented numbers)".to_owned());
    trade_off_svg(&points, &TradeOffFigure { title, ..TradeOffFigure::new(0.7217) })
}
