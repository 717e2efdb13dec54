//! Does a person who applies the tests in a picture to a training row come out where the tree does?

#[path = "../../../ternwood/tests/support/as_read.rs"]
mod as_read;

use crate::generators::{Random, fit};
use crate::{Detail, TreeFigure, ZoneFigure, tree_svg, zone_svg};
use as_read::{AsRead, ReadZone};
use ternwood::tree::{NodeId, Zone};
use ternwood::{Columns, Dataset, Feature, Model, Routing, Schema, ZoneKind};

/// A column of whole numbers, decimals of few digits, or floats.
fn column(n_rows: usize, random: &mut Random) -> Vec<f64> {
    let places = (5.0 * random.unit()) as usize;
    let mut value = || match places {
        4 => 2.0 * random.unit() - 1.0,
        places => format!("{:.places$}", 60.0 * random.unit() - 30.0).parse().unwrap(),
    };
    (0..n_rows).map(|_| value()).collect()
}

/// Random tables of two numbers.
fn tables() -> impl Iterator<Item = Dataset> {
    (0..100).map(|seed| {
        let mut random = Random::new(seed);
        let n_rows = 8 + (50.0 * random.unit()) as usize;
        let values = [column(n_rows, &mut random), column(n_rows, &mut random)].concat();
        let classes = (0..n_rows).map(|_| u32::from(random.unit() < 0.5)).collect();
        let features = ["x", "y"].map(Feature::number).to_vec();
        let schema = Schema::new(features, vec!["a".into(), "b".into()]).unwrap();
        Dataset::with_schema(Columns::from_columns(values, 2).unwrap(), classes, schema).unwrap()
    })
}

/// True where the engine has found digits with which everything is true.
fn has_digits(model: &Model, id: NodeId) -> bool {
    model.single_tree().unwrap().tree().digits(id).is_some()
}

/// The texts of a picture, and the first line of the tooltip, of every split in preorder.
fn splits(svg: &str) -> Vec<(String, Vec<String>)> {
    let groups = svg.split("<g class=\"split\" ").skip(1);
    let groups = groups.map(|group| {
        let group = group.split("</g>").next().unwrap();
        let title = group.split("<title>").nth(1).unwrap().split('\n').next().unwrap().to_owned();
        let texts =
            group.split("</text>").filter_map(|text| Some(text.rsplit_once('>')?.1.to_owned()));
        (title, texts.collect())
    });
    groups.collect()
}

/// Checks every training value of a feature against a printed zone.
fn check(data: &Dataset, feature: usize, zone: Zone, text: &str) {
    let printed = ReadZone::parse(text).unwrap_or_else(|| panic!("'{text}' is no zone"));
    for &value in data.columns().column(feature) {
        let is_true = printed.tells_the_truth(zone, value, &AsRead::of(value));
        assert!(is_true, "{zone:?} is drawn as {text}, which is not true of {value}");
    }
}

/// Checks the captions of the edges below a split, which tell where rows go.
fn check_captions(svg: &str, data: &Dataset, model: &Model, id: NodeId) {
    let split = model.single_tree().unwrap().tree().node(id).as_split().unwrap();
    let (zone, shown) = (
        split.test.zone().unwrap(),
        model.trees()[0].shown_test(id).unwrap().zone(model.schema()).unwrap(),
    );
    let cuts = match split.middle {
        Some(_) => [(shown.lower, zone.lower()), (shown.upper, zone.upper())],
        None => [shown.threshold.clone(), shown.threshold].map(|text| (text, zone.threshold())),
    };
    for (sign, (text, cut)) in ["≤", "&gt;"].into_iter().zip(cuts) {
        let caption = format!(">{sign} {}</text>", text.replace('-', "−"));
        // Without room, the sign stands alone.
        assert!(svg.contains(&caption) || text.len() > 8, "{caption}");
        let read = AsRead::parse(&text).unwrap();
        for &value in data.columns().column(split.test.feature().index()) {
            assert_eq!(AsRead::of(value) <= read, value <= cut, "{caption} of {value}");
        }
    }
}

#[test]
fn cards_tooltips_and_edges_are_true_of_all_training_rows() {
    let mut n_checked = 0;
    for (data, kind) in tables().zip(ZoneKind::published().into_iter().cycle()) {
        for routing in [Routing::Probabilistic, Routing::HardMiddle] {
            let model = fit(&data, 3, kind.clone(), routing);
            let tree = model.single_tree().unwrap().tree();
            let options = TreeFigure { detail: Detail::Full, ..TreeFigure::default() };
            let svg = tree_svg(&model, Some((&data).into()), &options).unwrap();
            let ids: Vec<NodeId> = tree.ids().filter(|&id| !tree.node(id).is_leaf()).collect();
            let drawn = splits(&svg);
            assert_eq!(drawn.len(), ids.len());
            for (id, (title, texts)) in ids.into_iter().zip(drawn) {
                if !has_digits(&model, id) {
                    continue;
                }
                n_checked += 1;
                let test = &tree.node(id).as_split().unwrap().test;
                let (_, cut) = title.split_once(": ").unwrap();
                check(&data, test.feature().index(), test.zone().unwrap(), cut);
                // The card has the same numbers, or the threshold alone if it has no room.
                let printed = ReadZone::parse(cut).unwrap();
                let is_same = |text: &String| {
                    ReadZone::parse(text).is_some_and(|on_card| {
                        (on_card.threshold.is_none() || on_card.threshold == printed.threshold)
                            && (on_card.edges.is_none() || on_card.edges == printed.edges)
                    })
                };
                assert!(texts.iter().any(is_same), "{cut}: {texts:?}");
                check_captions(&svg, &data, &model, id);
            }
        }
    }
    assert!(n_checked > 500, "{n_checked}");
}

#[test]
fn a_split_in_detail_is_titled_with_what_is_true() {
    let mut n_checked = 0;
    for data in tables() {
        let model = fit(&data, 1, ZoneKind::Margin, Routing::Probabilistic);
        let Some(split) = model.single_tree().unwrap().tree().node(NodeId::ROOT).as_split() else {
            continue;
        };
        let svg = zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default()).unwrap();
        if has_digits(&model, NodeId::ROOT) {
            n_checked += 1;
            let feature = split.test.feature().index();
            let before = format!(">{} ≤ ", ["x", "y"][feature]);
            let title = svg.split(&before).nth(1).unwrap().split('<').next().unwrap();
            check(&data, feature, split.test.zone().unwrap(), title);
        }
    }
    assert!(n_checked > 50, "{n_checked}");
}
