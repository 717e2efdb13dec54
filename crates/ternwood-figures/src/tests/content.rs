//! Checks that figures match the model.

use super::trees;
use crate::generators::{blobs, fit, moons};
use crate::number::shown_zone;
use crate::{
    Detail, RiskCoverageFigure, RiskSeries, SurfaceFigure, SurfacePanel, TreeFigure, ZoneFigure,
    risk_coverage_svg, surface_svg, tree_svg, zone_svg,
};
use std::sync::Arc;
use ternwood::grow::SplitView;
use ternwood::metrics::RiskCoveragePoint;
use ternwood::tree::{NodeId, Test, Zone};
use ternwood::verdict::ConfidencePolicy;
use ternwood::{DatasetView, Exec, Matrix, Model, Routing, ZoneKind};

fn whole(detail: Detail) -> TreeFigure {
    TreeFigure { max_leaves: usize::MAX, detail, ..TreeFigure::default() }
}

#[test]
fn every_split_shows_its_threshold_and_its_zone() {
    for (name, data, model) in trees() {
        let tree = model.single_tree().unwrap().tree();
        let splits: Vec<_> =
            tree.ids().filter_map(|id| tree.node(id).as_split().map(|split| (id, split))).collect();
        for (detail, data) in [(Detail::Full, Some(&data)), (Detail::Full, None)] {
            let svg = tree_svg(&model, data.map(Into::into), &whole(detail)).unwrap();
            for (id, split) in &splits {
                let words = shown_zone(&split.test, model.schema()).unwrap().to_string();
                assert!(svg.contains(&format!(">{words}</text>")), "{name}: {words}");
                if split.test.has_zone() {
                    let within = tree.rows_within(*id);
                    assert!(svg.contains(&format!(">{within} of ")), "{name}: {within} rows");
                }
            }
            // One hatched band per zone, plus one swatch in the legend if there is any.
            let zones = splits.iter().filter(|(_, split)| split.test.has_zone()).count();
            let hatched = svg.matches("class=\"hatch\"").count();
            assert_eq!(hatched, zones + usize::from(zones > 0), "{name}");
            // One edge per child, dashed for a middle child.
            let middles = splits.iter().filter(|(_, split)| split.middle.is_some()).count();
            let edges = svg.lines().filter(|line| line.contains("class=\"edge\""));
            let dashed = edges.clone().filter(|line| line.contains("stroke-dasharray")).count();
            assert_eq!((edges.count(), dashed), (tree.n_nodes() - 1, middles), "{name}");
        }
    }
}

#[test]
fn without_zones_nothing_is_hatched() {
    let data = blobs(3, 400, 1);
    let model = fit(&data, 4, ZoneKind::None, Routing::Crisp);
    let svg = tree_svg(&model, Some((&data).into()), &TreeFigure::default()).unwrap();
    assert!(!svg.contains("hatch"));
    assert!(!svg.contains(">undecided<"));
}

#[test]
fn a_zone_is_called_undecided_only_where_zones_set_the_verdict() {
    let model = fit(&blobs(3, 400, 1), 4, ZoneKind::Margin, Routing::Probabilistic);
    let svg = tree_svg(&model, None, &TreeFigure::default()).unwrap();
    assert!(svg.contains(">undecided<") && !svg.contains(">goes both ways<"));
    let by_cost = model.with_verdict(ConfidencePolicy::of_cost_ratio(0.2).unwrap()).unwrap();
    let svg = tree_svg(&by_cost, None, &TreeFigure::default()).unwrap();
    assert!(!svg.contains(">undecided<") && svg.contains(">goes both ways<"));
}

#[test]
fn omitted_nodes_are_counted() {
    let data = blobs(10, 2000, 3);
    let model = fit(&data, 8, ZoneKind::Margin, Routing::Probabilistic);
    for depth in 0..4 {
        let options =
            TreeFigure { max_depth: Some(depth), detail: Detail::Full, ..TreeFigure::default() };
        let svg = tree_svg(&model, None, &options).unwrap();
        let drawn = svg.matches("<g class=").count();
        let hidden: usize = svg
            .lines()
            .filter_map(|line| line.split_once(" more").map(|(before, _)| before))
            .filter_map(|before| before.rsplit('>').next()?.parse::<usize>().ok())
            .sum();
        assert_eq!(drawn + hidden, model.single_tree().unwrap().tree().n_nodes(), "depth {depth}");
    }
    // Without a depth limit, the figure respects the maximum number of leaves.
    let options = TreeFigure { max_leaves: 20, ..TreeFigure::default() };
    let svg = tree_svg(&model, None, &options).unwrap();
    assert!((2..=20).contains(&svg.matches("class=\"leaf\"").count()));
}

#[test]
fn at_most_ten_classes_are_named() {
    let data = blobs(14, 1400, 2);
    let model = fit(&data, 3, ZoneKind::Margin, Routing::Probabilistic);
    let svg = tree_svg(&model, Some((&data).into()), &TreeFigure::default()).unwrap();
    assert!(svg.contains(">4 others</text>"));
}

#[test]
fn a_split_in_detail_shows_every_estimator() {
    let data = moons(300, 0.25, 1);
    let model = fit(&data, 2, ZoneKind::Margin, Routing::Probabilistic);
    let params = &model.recipe().params;
    let view =
        SplitView::new(model.single_tree().unwrap().tree(), &data, params, NodeId::ROOT).unwrap();
    let svg = zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default()).unwrap();
    for estimate in &view.estimates {
        let name = estimate.kind.as_str().replace('_', " ");
        assert!(svg.contains(&format!(">{name}</text>")), "{name}");
        let threshold = view.test.zone().unwrap().threshold();
        let zone = Zone::new(threshold, estimate.half_width).unwrap();
        let mut test = Test::new(view.test.feature().0, zone);
        if zone.half_width() != view.test.zone().unwrap().half_width() {
            let values: Vec<f64> = view.values.iter().map(|group| group.value).collect();
            test = test.with_digits_for(&values);
        } else {
            test = view.test.clone();
        }
        let width = shown_zone(&test, model.schema()).unwrap().half_width.unwrap();
        assert!(svg.contains(&format!(">± {width}</text>")), "{name}: {width}");
        assert!(svg.contains(&format!(">{} rows</text>", estimate.rows_within)));
    }
    assert_eq!(svg.matches("class=\"hatch\"").count(), 5);
    assert!(svg.contains(&format!(">{} candidates</text>", view.candidates.len())));
}

#[test]
fn surfaces_are_hatched_where_rows_are_undecided() {
    let data = moons(300, 0.25, 1);
    let cart = fit(&data, 3, ZoneKind::None, Routing::Crisp);
    let ternary = fit(&data, 3, ZoneKind::class_overlap(), Routing::Probabilistic);
    let hatched = |model| {
        let panels = [SurfacePanel { title: "panel".to_owned(), model }];
        let svg = surface_svg(&panels, &data, &SurfaceFigure::default()).unwrap();
        svg.matches("class=\"hatch\"").count() - 1 // the legend's
    };
    assert_eq!((hatched(&cart), hatched(&ternary)), (0, 1));
}

#[test]
fn curves_and_marks_are_drawn() {
    let point = |coverage, risk| RiskCoveragePoint { coverage, risk, threshold: 0.5 };
    let series = RiskSeries {
        name: "blended".to_owned(),
        curve: vec![point(0.5, 0.0), point(1.0, 0.2)],
        marks: vec![(0.7, 0.1)],
        aurc: Some(0.0625),
    };
    let svg = risk_coverage_svg(&[series], &RiskCoverageFigure::default());
    assert!(svg.contains(">blended</text>") && svg.contains(">area 0.0625</text>"));
    assert_eq!(svg.matches("class=\"mark\"").count(), 1);
}

/// All figures of one model, concatenated.
fn all_figures(model: &Model, data: &DatasetView<'_>) -> String {
    let tree = tree_svg(model, Some(data.clone()), &TreeFigure::default()).unwrap();
    let zone = zone_svg(model, data, NodeId::ROOT, &ZoneFigure::default()).unwrap();
    let panels = [SurfacePanel { title: String::new(), model }];
    tree + &zone + &surface_svg(&panels, data, &SurfaceFigure::default()).unwrap()
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let data = blobs(3, 400, 1);
    let draw = || {
        let model = fit(&data, 4, ZoneKind::node_bootstrap(), Routing::HardMiddle);
        all_figures(&model, &(&data).into())
    };
    assert_eq!(draw(), draw());
}

#[test]
fn either_memory_order_gives_the_same_figures() {
    let data = blobs(3, 400, 1);
    let model = fit(&data, 4, ZoneKind::Margin, Routing::Probabilistic);
    let values: Vec<f64> = (0..data.n_rows()).flat_map(|row| data.columns().row(row)).collect();
    let matrix = Matrix::row_major(&values, data.n_features()).unwrap();
    let schema = Arc::clone(data.schema());
    let view = DatasetView::new(matrix, data.labels(), schema, &Exec::default()).unwrap();
    assert_eq!(all_figures(&model, &view), all_figures(&model, &(&data).into()));
}
