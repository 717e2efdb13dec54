//! Checks that figures match the model.

use crate::generators::{Table, blobs, dataset, fit, moons};
use crate::tests::{problem, trees};
use crate::words::{CutWords, shown_zone};
use crate::{
    Detail, RiskCoverageFigure, RiskSeries, SurfaceFigure, SurfacePanel, TreeFigure, VerdictReport,
    ZoneFigure, palette, risk_coverage_svg, surface_svg, tree_svg, zone_svg,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use ternwood::Verdict::{self, Decided, Undecided};
use ternwood::grow::SplitView;
use ternwood::metrics::RiskCoveragePoint;
use ternwood::recipe::ZoneParams;
use ternwood::tree::{Digits, NodeId, Test, Zone};
use ternwood::verdict::{
    CalibrationRows, CalibrationSource, ConfidencePolicy, CostMatrix, CostPolicy, Promises,
    VerdictRule,
};
use ternwood::words::ShownTest;
use ternwood::{
    ClassName, Dataset, DatasetView, Exec, Learner, Matrix, Model, Recipe, Routing, TreeParams,
    VerdictPolicy, ZoneKind,
};

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
                let meaning = model.zone_meaning();
                let cut =
                    CutWords::of_threshold(tree.shown_test(*id).unwrap(), model.schema(), meaning)
                        .unwrap();
                // Where a zone is named by its edges, the captions of the edges below have the threshold.
                let named = &cut.phrasings[..cut.phrasings.len().saturating_sub(1).max(1)];
                let is_drawn = |words: &String| svg.contains(&format!(">{words}</text>"));
                assert!(named.iter().any(is_drawn), "{name}: {named:?}");
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

/// The zones of a calibrated model are chosen for smoothing: no picture shows them as errors.
#[test]
fn pictures_of_calibrated_models_have_no_sign_of_an_error() {
    let data = Table::default().dataset();
    let learner = Learner::from_recipe(Recipe::calibrated()).unwrap();
    let model = learner.fit(&data, &Exec::default()).unwrap();
    let tree = model.single_tree().unwrap().tree();
    assert!(tree.tests().any(|test| test.zone().is_some() && test.has_zone()));
    for detail in [Detail::Full, Detail::Compact, Detail::Small] {
        let svg = tree_svg(&model, Some((&data).into()), &whole(detail)).unwrap();
        assert!(!svg.contains('±'), "{svg}");
        assert!(svg.contains(", blended between "), "{svg}");
    }
    for id in tree.ids().filter(|&id| !tree.node(id).is_leaf()) {
        let test = &tree.node(id).as_split().unwrap().test;
        let Ok(svg) = zone_svg(&model, &data, id, &ZoneFigure::default()) else { continue };
        // Of categories, standard errors are shown, and the legend says so.
        let is_named =
            test.categories().is_some() && svg.contains(">± standard error of a category<");
        assert!(is_named || !svg.contains('±'), "{svg}");
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
    let ends = ["leaf", "stub"].map(|kind| svg.matches(&format!("class=\"{kind}\"")).count());
    assert!((2..=20).contains(&ends.iter().sum::<usize>()), "{ends:?}");
}

#[test]
fn every_node_is_in_the_picture_of_some_branch() {
    let data = blobs(3, 900, 5);
    let model = fit(&data, 12, ZoneKind::Margin, Routing::Probabilistic);
    let tree = model.single_tree().unwrap().tree();
    let mut waiting = vec![NodeId::ROOT];
    let mut drawn = BTreeSet::new();
    while let Some(top) = waiting.pop() {
        let options = TreeFigure { top, max_leaves: 6, ..TreeFigure::default() };
        let svg = tree_svg(&model, Some((&data).into()), &options).unwrap();
        let numbers =
            svg.split(" data-node=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        drawn.extend(numbers.map(|number| number.parse::<u32>().unwrap()));
        let left_out = options.left_out(tree);
        assert_eq!(svg.matches("class=\"stub\"").count(), left_out.len());
        waiting.extend(left_out.into_iter().map(|(node, _)| node));
    }
    assert!(tree.n_nodes() > 60 && drawn.len() == tree.n_nodes(), "{}", drawn.len());
}

#[test]
fn leaves_are_as_wide_as_the_names_of_their_classes() {
    let names = ["tested_negative", "tested_positive_again"];
    let data = dataset(vec![1.0, 2.0, 8.0, 9.0], vec![0, 0, 1, 1], &["x"], &names);
    let model = fit(&data, 1, ZoneKind::Margin, Routing::Probabilistic);
    let svg = tree_svg(&model, None, &TreeFigure::default()).unwrap();
    for name in names {
        // In the legend and in its leaf.
        assert_eq!(svg.matches(&format!(">{name}</text>")).count(), 2, "{name}");
    }
}

/// The picture of kept histograms has the same bars as that of the rows, up to rounding.
#[test]
fn a_model_that_kept_histograms_is_drawn_with_them() {
    let data = blobs(3, 400, 1);
    let model = fit(&data, 3, ZoneKind::Margin, Routing::Probabilistic);
    let drawn = |model: &Model, data: Option<&Dataset>| {
        let options = TreeFigure { detail: Detail::Full, ..TreeFigure::default() };
        tree_svg(model, data.map(Into::into), &options).unwrap()
    };
    let size =
        |svg: &str| svg.split("viewBox").nth(1).unwrap().split('"').nth(1).unwrap().to_owned();
    let (bare, full) = (drawn(&model, None), drawn(&model, Some(&data)));
    let kept = drawn(&model.clone().with_histograms(&data).unwrap(), None);
    assert_eq!(size(&kept), size(&full));
    assert_ne!(size(&kept), size(&bare), "without histograms, cards are smaller");
    let bars = |svg: &str| svg.matches("z\" fill=").count();
    assert!(bars(&kept) > 0 && bars(&kept) == bars(&full), "{} {}", bars(&kept), bars(&full));
}

#[test]
fn a_leaf_that_the_policy_flags_is_outlined() {
    let data = dataset(vec![1.0, 2.0, 8.0, 9.0], vec![0, 0, 1, 0], &["x"], &["no", "yes"]);
    let model = fit(&data, 1, ZoneKind::None, Routing::Probabilistic);
    let outlined = |model: &Model| {
        let svg = tree_svg(model, None, &TreeFigure::default()).unwrap();
        (svg.contains("second look</text>"), svg.matches(palette::LOOK).count())
    };
    assert_eq!(outlined(&model), (false, 0), "by zones, leaves flag nothing");
    // One of the two leaves has a row of either class; the legend shows the outline, too.
    let policy = ConfidencePolicy::of_cost_ratio(0.2).unwrap();
    assert_eq!(outlined(&model.with_verdict(policy).unwrap()), (true, 2));
}

#[test]
fn a_split_in_detail_says_when_widths_are_scaled() {
    let data = blobs(2, 200, 3);
    let params = |scale| {
        let zone = ZoneParams { scale, ..ZoneKind::Margin.into() };
        TreeParams { max_depth: Some(2), zone, ..TreeParams::default() }
    };
    let told = |scale: f64| {
        let learner = Learner::new(params(scale), Routing::Probabilistic).unwrap();
        let model = learner.fit(&data, &Exec::default()).unwrap();
        let svg = zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default()).unwrap();
        svg.contains("all widths times 1.6")
    };
    assert!(told(1.6) && !told(1.0));
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
        let test = Test::new(view.test.feature().0, zone);
        let digits = if zone.half_width() != view.test.zone().unwrap().half_width() {
            let values: Vec<f64> = view.values.iter().map(|group| group.value).collect();
            Digits::fewest_for(zone, &values)
        } else {
            model.trees()[0].digits(NodeId::ROOT)
        };
        let width = shown_zone(ShownTest { test: &test, digits }, model.schema())
            .unwrap()
            .half_width
            .unwrap();
        assert!(svg.contains(&format!(">{width}</text>")), "{name}: {width}");
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

// Reports on verdicts: what they say, and that no name breaks the page.

/// 10 healthy: 8 decided rightly, 2 flagged. 5 ill: 3 decided rightly, 1 missed, 1 flagged.
fn rows() -> Vec<(u32, u32, Verdict)> {
    let group = |row, n| std::iter::repeat_n(row, n);
    let healthy = group((0, 0, Decided), 8).chain(group((0, 0, Undecided), 2));
    let ill = group((1, 1, Decided), 3).chain([(1, 0, Decided), (1, 0, Undecided)]);
    healthy.chain(ill).collect()
}

fn page(policy: impl Into<VerdictPolicy>, names: [&str; 2]) -> String {
    let (policy, classes) = (policy.into(), names.map(ClassName::from));
    let html = VerdictReport::new("Patients", &policy, &classes, rows()).unwrap().html();
    assert_eq!(problem(html.strip_prefix("<!DOCTYPE html>").unwrap()), None, "{html}");
    html
}

/// Promises of both kinds, set on 400 rows of which all are answered rightly.
fn promising(names: [&str; 2]) -> ConfidencePolicy {
    let probabilities: Vec<f64> =
        (0..400).flat_map(|row| if row % 2 == 0 { [0.9, 0.1] } else { [0.2, 0.8] }).collect();
    let truth: Vec<u32> = (0..400).map(|row| row % 2).collect();
    let classes = names.map(ClassName::from);
    let rows =
        CalibrationRows::new(&probabilities, &truth, &classes, CalibrationSource::HeldOut).unwrap();
    let promises = Promises {
        precision: vec![Some(0.9), None],
        miss_rate: vec![None, Some(0.05)],
        confidence: 0.9,
    };
    rows.policy(VerdictRule::Promises(promises)).unwrap()
}

#[test]
fn shares_are_counted_with_their_intervals() {
    let html = page(VerdictPolicy::default(), ["healthy", "ill"]);
    for text in [
        "<b>20.0 %</b>3 of 15 rows get a second look",
        "<b>91.7 %</b>11 of 12 decided rows are right",
        "<b>6.7 %</b>1 of 15 rows are decided wrongly",
        // The upper end for 0 of 10 is 1 - 0.025^(1/10) = 30.8 %.
        "0.0 %<small>0.0 to 30.8</small><small>0 of 10</small>",
        "75.0 %<small>19.4 to 99.4</small><small>3 of 4</small>",
        "88.9 %<small>51.8 to 99.7</small><small>8 of 9</small>",
        "It follows from the zones of the tree alone; nothing is promised.",
        "Read and approved",
    ] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
    assert!(!html.contains("What it costs"), "nobody said what anything costs");
}

#[test]
fn promises_stand_beside_what_was_counted() {
    let html = page(promising(["healthy", "ill"]), ["healthy", "ill"]);
    for text in [
        "rule out ill: predicted healthy with",
        "rows decided as healthy that are right</td><td>at least 90 %",
        "200 of 200",
        "not kept, within chance",
        "ill rows decided as another</td><td>at most 5 %",
        "The promise rests on 400 rows given as held out from training. With 90 % confidence:",
    ] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
}

#[test]
fn a_budget_aimed_at_a_class_is_shown_with_its_class() {
    let probabilities: Vec<f64> =
        (0..400).flat_map(|row| if row % 4 == 0 { [0.75, 0.25] } else { [0.9, 0.1] }).collect();
    let truth: Vec<u32> = (0..400).map(|row| u32::from(row % 8 == 0)).collect();
    let classes = ["healthy", "ill"].map(ClassName::from);
    let rows =
        CalibrationRows::new(&probabilities, &truth, &classes, CalibrationSource::HeldOut).unwrap();
    let html = page(rows.catch_policy(1, 0.25).unwrap(), ["healthy", "ill"]);
    for text in [
        "set to catch ill by flagging at most 25 % of the rows",
        "rows that get a second look</td><td>at most 25 %",
        "100 of 400",
        "It was set on 400 rows given as held out from training; nothing is promised beyond them.",
    ] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
}

#[test]
fn costs_are_those_of_the_policy() {
    let html = page(ConfidencePolicy::of_cost_ratio(0.25).unwrap(), ["healthy", "ill"]);
    // Three flags at a quarter, one error; without flags two errors; 15 flags.
    for text in [
        "second looks</td><td>0.75</td><td>0.0500",
        "decided answers</td><td>1.00</td>",
        "<b>together</b></td><td>1.75</td>",
        "without a second look</td><td>2.00</td>",
        "every row got a second look</td><td>3.75</td>",
    ] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
    let costs = CostMatrix::new(vec![vec![0.0, 1.0], vec![5.0, 0.0]], vec![0.5, 0.5]).unwrap();
    let html = page(CostPolicy::new(costs), ["healthy", "ill"]);
    assert!(html.contains("<b>together</b></td><td>6.50</td>"), "{html}");
}

#[test]
fn names_are_text_wherever_they_stand() {
    let hostile = "<script>alert(\"&amp;\")</script>";
    let names = [hostile, "</td></table>\n'"];
    let policy = promising(names).into();
    let classes = names.map(ClassName::from);
    let fact = || vec![(hostile.to_owned(), hostile.to_owned())];
    let report = VerdictReport::new(hostile, &policy, &classes, rows()).unwrap();
    let report = report.with_data(fact()).with_model(fact()).with_notes(vec![hostile.to_owned()]);
    let html = report.html();
    assert!(!html.contains("<script") && !html.contains("&amp;\")"), "{html}");
    assert_eq!(problem(html.strip_prefix("<!DOCTYPE html>").unwrap()), None, "{html}");
    assert_eq!(html, report.clone().html(), "the same bytes");
    let addresses = html.matches("http").count();
    assert_eq!(addresses, html.matches("http://www.w3.org/2000/svg").count(), "nothing to load");
}

#[test]
fn a_report_without_rows_is_a_report() {
    let classes = ["a", "b"].map(ClassName::from);
    let html = VerdictReport::new("", &VerdictPolicy::default(), &classes, []).unwrap().html();
    assert!(!html.contains("NaN") && html.contains("0 of 0"), "{html}");
    assert!(
        VerdictReport::new("", &VerdictPolicy::default(), &classes, [(2, 0, Decided)]).is_err()
    );
}
