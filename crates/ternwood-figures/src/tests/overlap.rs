//! Checks that all labels are legible.

use crate::generators::{Table, blobs, fit, moons, normals, skewed};
use crate::svg::{Drawing, Rect};
use crate::tests::{problem, table_trees, trees};
use crate::tree::{self, Detail, TreeFigure};
use crate::unsure_trees::draw;
use crate::{UnsureTreesFigure, risk_coverage, surface, trade_off, unsure_trees_svg, zone};
use ternwood::recipe::{ForestParams, Resamples};
use ternwood::tree::Cut;
use ternwood::{Dataset, Exec, Learner, Model, Recipe, Routing, ZoneKind};

/// Every label lies on the canvas, and no two share a pixel.
#[track_caller]
fn check_labels(name: &str, drawing: &Drawing, size: (f64, f64)) {
    let canvas = Rect::new(0.0, 0.0, size.0, size.1);
    assert!(!drawing.labels.is_empty(), "{name}: no labels");
    for (index, label) in drawing.labels.iter().enumerate() {
        assert!(canvas.contains(label.rect), "{name}: '{}' leaves the canvas", label.text);
        for other in &drawing.labels[index + 1..] {
            let both = (&label.text, &other.text);
            assert!(!label.rect.overlaps(other.rect), "{name}: {both:?} overlap");
        }
    }
}

#[test]
fn labels_and_boxes_of_trees_never_overlap() {
    for (name, data, model) in trees().into_iter().chain(table_trees()) {
        for detail in [Detail::Auto, Detail::Full, Detail::Compact, Detail::Small] {
            for data in [Some(&data), None] {
                let options =
                    TreeFigure { detail, title: Some(name.clone()), ..Default::default() };
                let picture = tree::draw(&model, data.map(Into::into), &options).unwrap();
                check_labels(&name, &picture.drawing, picture.size);
                for (index, area) in picture.boxes.iter().enumerate() {
                    for other in &picture.boxes[index + 1..] {
                        assert!(!area.overlaps(*other), "{name}: boxes overlap");
                    }
                }
                // A label is inside one box or, like captions and headings, outside all of them.
                for label in &picture.drawing.labels {
                    let touched = picture.boxes.iter().filter(|area| area.overlaps(label.rect));
                    for area in touched {
                        assert!(
                            area.contains(label.rect),
                            "{name}: '{}' leaves its box",
                            label.text
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_check_finds_an_overlap() {
    let mut drawing = Drawing::default();
    let font = crate::palette::ENTRY;
    for x in [20.0, 60.0] {
        let place = crate::svg::at(x, 20.0);
        drawing.text(place, "a label of some length", font, crate::svg::Anchor::Start);
    }
    let found = std::panic::catch_unwind(|| check_labels("two", &drawing, (500.0, 50.0)));
    assert!(found.is_err());
}

#[test]
fn labels_of_zones_never_overlap() {
    let kind = ZoneKind::NodeBootstrap { resamples: Resamples::Count(300) };
    for data in [normals(300, 4), moons(400, 0.3, 2), blobs(12, 900, 5), skewed(500, 1)] {
        for routing in [Routing::Probabilistic, Routing::HardMiddle] {
            let model = fit(&data, 3, kind.clone(), routing);
            let tree = model.single_tree().unwrap().tree();
            for node in tree.ids().filter(|&id| !tree.node(id).is_leaf()) {
                for options in [zone::ZoneFigure::default(), zone::ZoneFigure::four_views()] {
                    let (drawing, size) = zone::draw(&model, &data, node, &options).unwrap();
                    check_labels(&format!("node {node}"), &drawing, size);
                }
            }
        }
    }
}

#[test]
fn labels_of_splits_of_tables_never_overlap() {
    for (name, data, model) in table_trees() {
        let tree = model.single_tree().unwrap().tree();
        for node in tree.ids() {
            let split = tree.node(node).as_split();
            let has_zone = split.is_some_and(|split| *split.test.cut() != Cut::Present);
            for options in [zone::ZoneFigure::default(), zone::ZoneFigure::four_views()] {
                let drawn = zone::draw(&model, &data, node, &options);
                assert_eq!(drawn.is_ok(), has_zone, "{name}, node {node}");
                if let Ok((drawing, size)) = drawn {
                    check_labels(&format!("{name}, node {node}"), &drawing, size);
                }
            }
        }
    }
}

#[test]
fn labels_of_surfaces_of_tables_never_overlap() {
    let data = Table::default().dataset();
    let model = fit(&data, 4, ZoneKind::Margin, Routing::Probabilistic);
    let panels = [surface::SurfacePanel { title: "A title".to_owned(), model: &model }];
    for features in [(1, 2), (2, 3)] {
        let options = surface::SurfaceFigure { features, ..Default::default() };
        let (drawing, size) = surface::draw(&panels, &data, &options).unwrap();
        check_labels(&format!("{features:?}"), &drawing, size);
        let missing = |row: usize| {
            let value = |feature| data.columns().column(feature)[row];
            value(features.0).is_nan() || value(features.1).is_nan()
        };
        let missing = (0..data.n_rows()).filter(|&row| missing(row)).count();
        let note = format!("Not drawn: {missing} rows with a missing value");
        assert!(drawing.labels.iter().any(|label| label.text == note), "{note}");
    }
}

#[test]
fn labels_of_surfaces_never_overlap() {
    let data = blobs(3, 300, 5);
    let model = fit(&data, 4, ZoneKind::class_overlap(), Routing::Probabilistic);
    let panel = |title: &str| surface::SurfacePanel { title: title.to_owned(), model: &model };
    for features in [(0, 1), (2, 3), (4, 4)] {
        for n_panels in 1..=3 {
            let panels =
                vec![
                    panel("A title that is much longer than the panel is wide, so it is cut");
                    n_panels
                ];
            let options = surface::SurfaceFigure { features, ..Default::default() };
            let (drawing, size) = surface::draw(&panels, &data, &options).unwrap();
            check_labels(&format!("{features:?}"), &drawing, size);
        }
    }
}

#[test]
fn labels_of_results_never_overlap() {
    let long = "a name that is longer than the room there is for the names of curves";
    let series: Vec<risk_coverage::RiskSeries> = (0..12)
        .map(|i| risk_coverage::RiskSeries {
            name: format!("{i}: {long}"),
            curve: Vec::new(),
            marks: vec![(0.5, 0.1)],
            aurc: None,
        })
        .collect();
    let title = Some(format!("{long} {long}"));
    let options = risk_coverage::RiskCoverageFigure { title: title.clone(), subtitle: title };
    let (drawing, size) = risk_coverage::draw(&series, &options);
    check_labels("risk", &drawing, size);

    let mut random = crate::generators::Random::new(3);
    for n_points in [0, 1, 5, 20, 60] {
        let points: Vec<trade_off::TradeOffPoint> = (0..n_points)
            .map(|i| trade_off::TradeOffPoint {
                name: format!("method {i}"),
                series: format!("series {}", i % 3),
                undecided_rate: 0.3 * random.unit(),
                decided_accuracy: 0.8 + 0.1 * random.unit(),
            })
            .collect();
        let options = trade_off::TradeOffFigure::new(0.8);
        let (drawing, size) = trade_off::draw(&points, &options);
        check_labels(&format!("{n_points} points"), &drawing, size);
    }
}

// The picture of a forest's undecided trees says what the explanation says, legibly.

fn forest(data: &Dataset, n_trees: u32, routing: Routing) -> Model {
    let forest = ForestParams { n_trees, ..ForestParams::default() };
    let recipe = Recipe { ensemble: forest.into(), routing, ..Recipe::forest() };
    Learner::from_recipe(recipe).unwrap().fit(data, &Exec::default()).unwrap()
}

#[test]
fn every_reason_has_a_bar_its_number_and_its_words() {
    let tables = [
        Table::default(),
        Table { long_names: true, seed: 4, ..Table::default() },
        Table { classes: 12, categories: 30, rows: 1500, long_names: true, ..Table::default() },
    ];
    let mut data: Vec<Dataset> = tables.iter().map(Table::dataset).collect();
    data.extend([2, 12].map(|n_classes| blobs(n_classes, 300, 5)));
    let (mut bars, mut sure) = (0, 0);
    for (data, routing) in data.iter().zip([Routing::Probabilistic, Routing::Crisp].iter().cycle())
    {
        for n_trees in [1, 30] {
            let model = forest(data, n_trees, *routing);
            for row in 0..20 {
                let row = model.explain_forest(&data.columns().row(row)).unwrap();
                let title = Some("A row with a title that is rather long".to_owned());
                let options = UnsureTreesFigure { title };
                let (drawing, size) = draw(&row, &options);
                check_labels("a forest", &drawing, size);
                let svg = unsure_trees_svg(&row, &options);
                assert_eq!(problem(&svg), None);
                let has = |text: &str| drawing.labels.iter().any(|label| label.text == text);
                assert!(has(&row.answer()));
                let hatched = svg.matches("class=\"hatch\"").count();
                assert_eq!(
                    hatched,
                    row.reasons().len().min(15) + usize::from(row.undecided_trees() > 0)
                );
                for reason in row.reasons().iter().take(15) {
                    assert!(has(&reason.trees.to_string()));
                }
                bars += row.reasons().len();
                sure += usize::from(row.reasons().is_empty());
            }
        }
    }
    assert!(bars > 100 && sure > 10, "{bars} bars, {sure} rows without");
}
