//! Checks that figures of categories and missing values match the model.

use crate::categories::{Categories, CategoryBar};
use crate::classes::Classes;
use crate::generators::{Table, fit};
use crate::tests::{problem, table_trees};
use crate::words::count;
use crate::{
    Detail, SurfaceFigure, SurfacePanel, TreeFigure, ZoneFigure, surface_svg, tree_svg, zone_svg,
};
use ternwood::recipe::MissingValues;
use ternwood::tree::{
    Axis, CategoryCut, CategoryPlace, Cut, Missing, NodeId, Split, Test, TreeBuilder,
};
use ternwood::{
    Columns, Dataset, Exec, Feature, Learner, Model, Recipe, Routing, Schema, TreeParams, ZoneKind,
};

fn whole(detail: Detail) -> TreeFigure {
    TreeFigure { max_leaves: usize::MAX, detail, ..TreeFigure::default() }
}

fn splits(model: &Model) -> Vec<(NodeId, &Split)> {
    let tree = model.single_tree().unwrap().tree();
    tree.ids().filter_map(|id| Some((id, tree.node(id).as_split()?))).collect()
}

#[test]
fn every_split_shows_its_cut_and_the_way_of_missing_values() {
    let (mut categorical, mut present, mut learned) = (0, 0, 0);
    for (name, data, model) in table_trees() {
        for data in [Some(&data), None] {
            let svg = tree_svg(&model, data.map(Into::into), &whole(Detail::Full)).unwrap();
            let (mut cuts, mut missing) = (0, 0);
            for (id, split) in splits(&model) {
                missing += usize::from(split.test.describe_missing().is_some());
                match split.test.cut() {
                    Cut::Categories(cut) => {
                        cuts += 1;
                        let percent = cut.percent();
                        assert!(svg.contains(&format!("{percent} %")), "{name}: {percent}");
                        let unsure = model.single_tree().unwrap().tree().rows_within(id);
                        let words = if split.test.has_zone() {
                            format!(">{} of ", count(unsure.into()))
                        } else {
                            " rows</text>".to_owned()
                        };
                        assert!(svg.contains(&words), "{name}: {unsure} rows");
                    }
                    Cut::Present => {
                        present += 1;
                        assert!(svg.contains(">present | missing</text>"), "{name}");
                        assert!(svg.contains(">present</text>") && svg.contains(">missing</text>"));
                    }
                    Cut::Threshold { .. } => {}
                }
            }
            assert_eq!(svg.matches("class=\"cut\"").count(), cuts, "{name}");
            assert_eq!(svg.matches(">or missing</text>").count(), 2 * missing, "{name}");
            (categorical, learned) = (categorical + cuts, learned + missing);
        }
    }
    assert!(categorical > 50 && present > 5 && learned > 50, "{categorical} {present} {learned}");
}

/// A stump that cuts four categories: two sure, one unsure on each side.
fn stump(names: [&str; 4], routing: Routing) -> Model {
    let place = |category, position, standard_error| CategoryPlace {
        category,
        rows: 40 - category,
        position,
        standard_error,
    };
    let places =
        vec![place(0, 0.9, 0.05), place(1, 0.35, 0.1), place(2, 0.1, 0.05), place(3, 0.5, 0.1)];
    let cut = CategoryCut::new(Axis::ClassShare(1), 0.41, 2.0, places).unwrap();
    let mut builder = match routing {
        Routing::HardMiddle => TreeBuilder::three_child(1, 2),
        _ => TreeBuilder::new(1, 2),
    };
    builder.split_by(&Test::of_categories(0, cut).with_missing(Missing::Right));
    builder.leaf(&[60.0, 16.0]);
    if routing == Routing::HardMiddle {
        builder.leaf(&[30.0, 30.0]);
    }
    builder.leaf(&[20.0, 58.0]);
    let features = vec![Feature::categories("job", names)];
    let schema = Schema::new(features, vec!["healthy".into(), "ill".into()]).unwrap();
    let recipe = Recipe { routing, ..Recipe::default() };
    Model::new(builder.finish().unwrap(), schema, recipe).unwrap()
}

#[test]
fn bars_stand_in_the_order_of_their_shares() {
    let model = stump(["miner", "pilot", "clerk", "cook"], Routing::Probabilistic);
    let split = model.single_tree().unwrap().tree().node(NodeId::ROOT).as_split().unwrap();
    let categories = Categories::of(&model, &Classes::of(&model), split).unwrap();
    let bars: Vec<_> =
        categories.bars.iter().map(|bar| (bar.name.as_str(), bar.on_left, bar.unsure)).collect();
    let expected = [
        ("clerk", true, false),
        ("pilot", true, true),
        ("cook", false, true),
        ("miner", false, false),
    ];
    assert_eq!(bars, expected);
    assert_eq!(categories.bars[1].percent_text(), "35 % ± 10 %");
    assert_eq!((categories.percent.as_str(), categories.axis.as_str()), ("41", "ill"));
    let ids = |bars: Vec<&CategoryBar>| bars.iter().map(|bar| bar.id).collect::<Vec<u32>>();
    // 0 has the most rows, then 1; in the order of shares 2, 1, 3, 0.
    assert_eq!(ids(categories.largest(2)), [1, 0]);
    assert_eq!(ids(categories.spread(2)), [2, 3]);
    assert_eq!(ids(categories.spread(9)), [2, 1, 3, 0]);
}

#[test]
fn edges_name_their_categories() {
    let names = ["miner", "pilot", "clerk", "cook"];
    let two = stump(names, Routing::Probabilistic);
    let svg = tree_svg(&two, None, &TreeFigure::default()).unwrap();
    // Those with the most rows come first.
    assert!(svg.contains(">pilot, clerk</text>") && svg.contains(">miner, cook</text>"), "{svg}");
    assert!(svg.contains(">or missing</text>") && svg.contains("missing goes right"));
    // 76 of 154 rows go left.
    assert!(svg.contains("an unknown category goes both ways, undecided (49 % left)"));
    assert_eq!(svg.matches("class=\"errors\"").count(), 1);
    let three = stump(names, Routing::HardMiddle);
    let svg = tree_svg(&three, None, &TreeFigure::default()).unwrap();
    for words in [">clerk</text>", ">unsure: pilot, cook</text>", ">miner</text>"] {
        assert!(svg.contains(words), "{words} is not in {svg}");
    }
    assert!(svg.contains("an unknown category goes to the middle, undecided"));
}

#[test]
fn a_split_in_detail_shows_every_category() {
    let model = stump(["miner", "pilot", "clerk", "cook"], Routing::Probabilistic);
    let columns = Columns::from_columns(vec![0.0, 1.0, 2.0, f64::NAN], 1).unwrap();
    let data = Dataset::with_schema(columns, vec![0, 1, 0, 1], (**model.schema()).clone()).unwrap();
    let svg = zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default()).unwrap();
    for words in [
        "job: cut at 41 % ill",
        "miner",
        "90 % ± 5 %",
        "pilot",
        "35 % ± 10 %",
        "39",
        "Left · 2 categories · 77 rows",
        "Right · 2 categories · 77 rows",
    ] {
        assert!(svg.contains(&format!(">{words}</text>")), "{words} is not in {svg}");
    }
    assert!(svg.contains("1 of the data without a value · missing goes right"));
    // Two unsure categories, and the legend's.
    assert_eq!(svg.matches("class=\"hatch\"").count(), 3);
    assert_eq!(svg.matches("class=\"errors\"").count(), 4);
}

#[test]
fn categories_that_do_not_fit_are_counted() {
    let table = Table { categories: 300, rows: 3000, missing: 0.0, ..Table::default() };
    let data = table.dataset();
    let model = fit(&data, 1, ZoneKind::Margin, Routing::Probabilistic);
    let split = model.single_tree().unwrap().tree().node(NodeId::ROOT).as_split().unwrap();
    let n = split.test.categories().unwrap().places().len();
    let svg = zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default()).unwrap();
    let drawn = svg.matches("<g class=\"category\">").count();
    let more: usize = svg
        .lines()
        .filter_map(|line| {
            line.split_once(">and ")?.1.split_once(" more, ")?.0.parse::<usize>().ok()
        })
        .sum();
    assert_eq!((drawn, drawn + more), (40, n));
    let svg = tree_svg(&model, None, &TreeFigure::default()).unwrap();
    assert!(svg.contains(&format!(">{n} categories</text>")));
}

#[test]
fn a_split_that_asks_for_presence_has_no_zone_to_draw() {
    let (_, data, model) = table_trees()
        .into_iter()
        .find(|(_, _, model)| splits(model).iter().any(|s| *s.1.test.cut() == Cut::Present))
        .unwrap();
    let of_presence = splits(&model).into_iter().find(|s| *s.1.test.cut() == Cut::Present);
    let (node, split) = of_presence.unwrap();
    let error = zone_svg(&model, &data, node, &ZoneFigure::default()).unwrap_err().to_string();
    let name = &model.schema().features()[split.test.feature().index()].name;
    let expected = format!("node {node}: it asks whether '{name}' has a value");
    assert!(error.starts_with(&expected), "{error}");
}

#[test]
fn a_histogram_tells_how_many_values_are_missing() {
    let data = Table { seed: 9, ..Table::default() }.dataset();
    let params =
        TreeParams { max_depth: Some(3), missing: MissingValues::Unknown, ..TreeParams::default() };
    let learner = Learner::new(params, Routing::Probabilistic).unwrap();
    let model = learner.fit(&data, &Exec::default()).unwrap();
    let tree = model.single_tree().unwrap().tree();
    // No child is trained by the rows that are missing at its parent.
    let (id, split) = splits(&model)
        .into_iter()
        .find(|(_, split)| split.test.zone().is_some())
        .expect("a test of numbers");
    let left_out = tree.rows(id) - tree.rows(split.left) - tree.rows(split.right);
    assert!(left_out > 0);
    let svg = tree_svg(&model, Some((&data).into()), &whole(Detail::Full)).unwrap();
    assert!(svg.contains(&format!(", {left_out} missing</text>")), "{left_out}");
    assert!(svg.contains("missing goes both ways, undecided ("));
}

#[test]
fn names_of_categories_may_be_anything() {
    let names = ["", "<script>alert('&')</script>", "two\nlines\u{0}", "日本語の\"名前\" | {x}"];
    for routing in [Routing::Probabilistic, Routing::HardMiddle] {
        let model = stump(names, routing);
        let columns = Columns::from_columns(vec![0.0, 1.0, 2.0, 3.0], 1).unwrap();
        let schema = (**model.schema()).clone();
        let data = Dataset::with_schema(columns, vec![0, 1, 0, 1], schema).unwrap();
        for detail in [Detail::Full, Detail::Compact, Detail::Small] {
            for data in [Some(&data), None] {
                let svg = tree_svg(&model, data.map(Into::into), &whole(detail)).unwrap();
                assert_eq!(problem(&svg), None);
            }
        }
        let svg = zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default()).unwrap();
        assert_eq!(problem(&svg), None);
    }
}

#[test]
fn numbers_of_a_cut_may_be_extreme() {
    let place = |category, position, standard_error| CategoryPlace {
        category,
        rows: u32::MAX,
        position,
        standard_error,
    };
    let direction = |u: [f64; 2]| Axis::Direction(u.to_vec());
    for (axis, positions, cut) in [
        (Axis::ClassShare(0), [0.2, 0.7], 0.5),
        (Axis::ClassShare(0), [0.0, 5e-324], 0.0),
        (direction([1e308, -1e308]), [-1e308, 1e308], 0.0),
        (direction([5e-324, 0.0]), [0.0, 5e-324], 0.0),
    ] {
        for error in [0.0, 1e-300, 0.3, 1e308] {
            let places = vec![place(0, positions[0], error), place(1, positions[1], error)];
            let cut = CategoryCut::new(axis.clone(), cut, 1.0, places).unwrap();
            let mut builder = TreeBuilder::new(1, 2);
            builder.split_by(&Test::of_categories(0, cut));
            builder.leaf(&[3.0, 1.0]);
            builder.leaf(&[1.0, 3.0]);
            let features = vec![Feature::categories("c", ["a", "b"])];
            let schema = Schema::new(features, vec!["x".into(), "y".into()]).unwrap();
            let columns = Columns::from_columns(vec![0.0, 1.0], 1).unwrap();
            let data = Dataset::with_schema(columns, vec![0, 1], schema.clone()).unwrap();
            let tree = builder.finish().unwrap();
            let model = Model::new(tree, schema, Recipe::default()).unwrap();
            let tree = tree_svg(&model, None, &TreeFigure::default()).unwrap();
            let zone = zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default()).unwrap();
            assert_eq!((problem(&tree), problem(&zone)), (None, None));
            assert!(!tree.contains("inf") && !zone.contains("inf"));
        }
    }
}

#[test]
fn surfaces_need_an_axis() {
    let data = Table::default().dataset();
    let model = fit(&data, 3, ZoneKind::Margin, Routing::Probabilistic);
    let draw = |features| {
        let panels = [SurfacePanel { title: String::new(), model: &model }];
        surface_svg(&panels, &data, &SurfaceFigure { features, ..SurfaceFigure::default() })
    };
    let error = draw((2, 0)).unwrap_err().to_string();
    assert_eq!(
        error,
        "features is 0 ('job'); allowed: features of numbers or ordered categories; those of 'job' \
         have no order, and so no place along an axis"
    );
    assert_eq!(problem(&draw((1, 2)).unwrap()), None);
}

/// The ids of categories depend on the table they come from; their names do not.
#[test]
fn categories_of_the_data_are_matched_by_name() {
    let data = Table { categories: 5, rows: 300, ..Table::default() }.dataset();
    let model = fit(&data, 3, ZoneKind::Margin, Routing::Probabilistic);
    let mut columns = (0..4).map(|j| data.columns().column(j).to_vec()).collect::<Vec<_>>();
    for id in &mut columns[0] {
        *id = 4.0 - *id;
    }
    let mut features = data.schema().features().to_vec();
    let names: Vec<String> = features[0].kind.names().iter().rev().cloned().collect();
    features[0] = Feature::categories("job", names);
    let schema = Schema::new(features, data.schema().classes().to_vec()).unwrap();
    let columns = Columns::from_columns(columns.concat(), 4).unwrap();
    let reversed = Dataset::with_schema(columns, data.labels().to_vec(), schema).unwrap();
    let draw = |data: &Dataset| tree_svg(&model, Some(data.into()), &whole(Detail::Full)).unwrap();
    assert!(draw(&reversed) == draw(&data));
}
