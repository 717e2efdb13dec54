//! Odd input may give an odd figure, but never a broken document or a panic.

use crate::generators::{blobs, dataset, fit, moons};
use crate::tests::{problem, table_trees, trees};
use crate::{
    Detail, RiskCoverageFigure, RiskSeries, SurfaceFigure, SurfacePanel, TradeOffFigure,
    TradeOffPoint, TreeFigure, ZoneFigure, risk_coverage_svg, surface_svg, trade_off_svg, tree_svg,
    zone_svg,
};
use ternwood::metrics::RiskCoveragePoint;
use ternwood::tree::{NodeId, TreeBuilder, Zone};
use ternwood::{Dataset, Model, Recipe, Routing, Schema, ZoneKind};

#[track_caller]
fn check(svg: &str) {
    assert_eq!(problem(svg), None);
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
}

/// Checks all figures of a model and its data.
fn check_all(model: &Model, data: &Dataset) {
    for detail in [Detail::Full, Detail::Compact, Detail::Small] {
        for data in [Some(data), None] {
            let options = TreeFigure { detail, ..TreeFigure::default() };
            check(&tree_svg(model, data.map(Into::into), &options).unwrap());
        }
    }
    let tree = model.single_tree().unwrap().tree();
    for node in tree.ids() {
        for options in [ZoneFigure::default(), ZoneFigure::four_views()] {
            let svg = zone_svg(model, data, node, &options);
            assert_eq!(svg.is_err(), tree.node(node).is_leaf());
            if let Ok(svg) = svg {
                check(&svg);
            }
        }
    }
    let features = (0, data.n_features() - 1);
    let panels = [SurfacePanel { title: String::new(), model }];
    let options = SurfaceFigure { features, ..SurfaceFigure::default() };
    check(&surface_svg(&panels, data, &options).unwrap());
}

#[test]
fn ordinary_figures_are_well_formed() {
    for (_, data, model) in trees().into_iter().chain(table_trees()) {
        check(&tree_svg(&model, Some((&data).into()), &TreeFigure::default()).unwrap());
    }
    let data = moons(200, 0.3, 1);
    check_all(&fit(&data, 2, ZoneKind::node_bootstrap(), Routing::HardMiddle), &data);
}

#[test]
fn a_single_leaf_can_be_drawn() {
    let data = dataset(vec![1.0, 2.0, 3.0], vec![0, 0, 0], &["x"], &["only"]);
    check_all(&fit(&data, 3, ZoneKind::Margin, Routing::Probabilistic), &data);
}

#[test]
fn names_may_be_anything() {
    let names = ["", "<script>alert('&')</script>", "日本語の特徴量の名前です", "a\u{0}b\u{1b}\"c"];
    let classes = ["", "<b>&amp;</b>", "ünïcödé \u{202e}"];
    let plain = blobs(3, 200, 6);
    let columns = (0..4).flat_map(|j| plain.columns().column(j).to_vec()).collect();
    let data = dataset(columns, plain.labels().to_vec(), &names, &classes);
    for routing in [Routing::Probabilistic, Routing::HardMiddle] {
        check_all(&fit(&data, 3, ZoneKind::quality_plateau(), routing), &data);
    }
}

#[test]
fn values_may_be_extreme() {
    let huge = vec![-1.7e308, -1.6e308, -1e308, 0.0, 1e-300, 1e308, 1.5e308, 1.7e308];
    let tiny = vec![0.0, 5e-324, 1e-323, 2e-323, 3e-323, 1e-322, 2e-322, 4e-322];
    let close: Vec<f64> = (0..8).map(|i| f64::from_bits(1f64.to_bits() + i)).collect();
    let far: Vec<f64> = vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1e12];
    for values in [huge, tiny, close, far] {
        for kind in ZoneKind::published() {
            let ids = vec![0, 0, 1, 0, 1, 1, 0, 1];
            let columns = [values.clone(), vec![1.0; 8]].concat();
            let data = dataset(columns, ids, &["x", "constant"], &["a", "b"]);
            for routing in [Routing::Probabilistic, Routing::HardMiddle] {
                check_all(&fit(&data, 3, kind.clone(), routing), &data);
            }
        }
    }
}

#[test]
fn deep_trees_do_not_overflow_the_stack() {
    let n = 20_000;
    let mut builder = TreeBuilder::new(1, 2);
    for level in 0..n {
        builder.split(0, Zone::new(f64::from(level), 0.25).unwrap());
        builder.leaf(&[1.0, 0.0]);
    }
    builder.leaf(&[0.0, 1.0]);
    let tree = builder.finish().unwrap();
    let schema = Schema::unnamed(1, vec!["a".into(), "b".into()]).unwrap();
    let model = Model::new(tree, schema, Recipe::default()).unwrap();
    check(&tree_svg(&model, None, &TreeFigure::default()).unwrap());
    let options = TreeFigure { max_depth: Some(3000), ..TreeFigure::default() };
    check(&tree_svg(&model, None, &options).unwrap());
}

#[test]
fn data_may_differ_from_the_training_data() {
    let data = blobs(3, 300, 6);
    let model = fit(&data, 3, ZoneKind::Margin, Routing::Probabilistic);
    // Two of three classes, in a different order: matched by name.
    let few: Vec<u32> = data.labels().iter().map(|id| u32::from(*id == 0)).collect();
    let columns: Vec<f64> = (0..5).flat_map(|j| data.columns().column(j).to_vec()).collect();
    let names = ["a", "b", "c", "d", "e"];
    let other = dataset(columns.clone(), few.clone(), &names, &["ill", "healthy"]);
    check_all(&model, &other);
    // No row reaches most splits.
    let far = dataset(vec![1e9; 5], vec![0], &names, &["ill"]);
    check(&tree_svg(&model, Some((&far).into()), &TreeFigure::default()).unwrap());
    // A class or a number of columns unknown to the model.
    let unknown = dataset(columns, few, &names, &["ill", "gone"]);
    assert!(tree_svg(&model, Some((&unknown).into()), &TreeFigure::default()).is_err());
    let narrow = dataset(vec![1.0], vec![0], &["a"], &["ill"]);
    let error = tree_svg(&model, Some((&narrow).into()), &TreeFigure::default()).unwrap_err();
    assert!(error.to_string().contains("columns has length 1, but 5"), "{error}");
    assert!(zone_svg(&model, &narrow, NodeId::ROOT, &ZoneFigure::default()).is_err());
    let options = SurfaceFigure { features: (0, 9), ..SurfaceFigure::default() };
    let panels = [SurfacePanel { title: String::new(), model: &model }];
    assert!(surface_svg(&panels, &data, &options).is_err());
}

#[test]
fn results_may_be_missing_or_odd() {
    check(&risk_coverage_svg(&[], &RiskCoverageFigure::default()));
    let point = RiskCoveragePoint { coverage: f64::NAN, risk: f64::INFINITY, threshold: 0.0 };
    let series = RiskSeries {
        name: "<&>".to_owned(),
        curve: vec![point; 3],
        marks: vec![(f64::NAN, -1e308), (2.0, f64::NEG_INFINITY)],
        aurc: Some(f64::NAN),
    };
    check(&risk_coverage_svg(&[series], &RiskCoverageFigure::default()));
    for (undecided_rate, decided_accuracy) in [(f64::NAN, 0.5), (0.0, 0.8), (1e308, -1e308)] {
        let (name, series) = (String::new(), "<&>".to_owned());
        let points = [TradeOffPoint { name, series, undecided_rate, decided_accuracy }];
        for cart in [0.8, f64::NAN, 1e308] {
            check(&trade_off_svg(&points, &TradeOffFigure::new(cart)));
        }
    }
}
