//! What a model keeps of its training rows for pictures: counts that add up, on the right side of every threshold.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ternwood::model::CELLS;
use ternwood::tree::{NodeId, Side};
use ternwood::{
    Columns, Dataset, Exec, Labels, Learner, Model, Recipe, Routing, TreeParams, ZoneKind,
};

/// Two features, one of whole numbers, with gaps in the first.
fn data() -> Dataset {
    let rows = 0..900usize;
    let wave = |row: usize| match row % 17 {
        0 => f64::NAN,
        _ => ((row * 7919) % 1000) as f64 / 7.0 - 30.0,
    };
    let values = rows.clone().map(wave).chain(rows.clone().map(|row| (row * 31 % 12) as f64));
    let columns = Columns::from_columns(values.collect(), 2).unwrap();
    let class = |row: usize| match () {
        () if wave(row) > 40.0 => "high",
        () if row * 31 % 12 > 7 => "low",
        () => ["high", "low"][row % 3 / 2],
    };
    Dataset::new(columns, Labels::from_values(rows.map(class))).unwrap()
}

fn fitted(data: &Dataset, routing: Routing) -> Model {
    let params = TreeParams { max_depth: Some(4), ..TreeParams::default() };
    let params = params.with_zone(ZoneKind::quality_plateau());
    Learner::new(params, routing).unwrap().fit(data, &Exec::default()).unwrap()
}

#[test]
fn rows_add_up_and_stay_on_their_side() {
    let data = data();
    for routing in [Routing::Probabilistic, Routing::HardMiddle] {
        let model = fitted(&data, routing).with_histograms(&data).unwrap();
        let tree = model.single_tree().unwrap().tree();
        for id in tree.ids() {
            let kept = model.histograms().unwrap().of_node(id.0);
            let split = tree.node(id).as_split().filter(|split| split.test.zone().is_some());
            // Nodes of few rows have none.
            assert!(kept.is_none() || split.is_some(), "node {id}");
            assert!(kept.is_some() || split.is_none() || tree.rows(id) < 30, "node {id}");
            let (Some(kept), Some(split)) = (kept, split) else { continue };
            let present: u32 = kept.values.iter().map(|value| value.2).sum();
            assert_eq!(present + kept.missing, tree.rows(id), "node {id}");
            // No end is that of a single row.
            let ends = [kept.values.first(), kept.values.last()].map(|end| end.unwrap().0);
            let at_end = |end: f64| kept.values.iter().filter(move |v| v.0 == end).map(|v| v.2);
            let threshold = split.test.zone().unwrap().threshold();
            for end in ends.into_iter().filter(|&end| (end - threshold).abs() > 1e-9) {
                assert!(at_end(end).sum::<u32>() >= 10, "node {id}, end {end}");
            }
            // Rounding moves no row across the threshold.
            let left: u32 =
                kept.values.iter().filter(|v| split.test.goes_left(v.0)).map(|v| v.2).sum();
            if routing == Routing::Probabilistic {
                let side = split.test.missing();
                let missing = u32::from(side == ternwood::tree::Missing::Left) * kept.missing;
                assert_eq!(left + missing, tree.rows(split.left), "node {id}");
            }
            let mut values: Vec<f64> = kept.values.iter().map(|value| value.0).collect();
            values.dedup();
            assert!(values.len() <= CELLS + 1, "{} values", values.len());
            assert!(split.test.side(f64::MIN) == Side::Below);
        }
    }
}

#[test]
fn they_are_kept_on_request_only_and_survive_the_file() {
    let data = data();
    let plain = fitted(&data, Routing::Probabilistic);
    assert!(plain.histograms().is_none() && !plain.to_json().contains("histograms"));
    let model = plain.with_histograms(&data).unwrap();
    assert_eq!(Model::from_json(&model.to_json()).unwrap(), model);
    assert_eq!(Model::from_safetensors(&model.to_safetensors()).unwrap(), model);
}

#[test]
fn whole_numbers_are_as_they_were() {
    let data = data();
    let model = fitted(&data, Routing::Probabilistic).with_histograms(&data).unwrap();
    let tree = model.single_tree().unwrap().tree();
    let of_second = |id: &NodeId| {
        tree.node(*id).as_split().is_some_and(|split| split.test.feature().index() == 1)
    };
    let id = tree.ids().find(of_second).expect("some test is of the second feature");
    let kept = model.histograms().unwrap().of_node(id.0).unwrap();
    assert!(kept.values.iter().all(|value| value.0.fract() == 0.0), "{kept:?}");
}

#[test]
fn a_forest_and_too_many_rows_are_refused() {
    let data = data();
    let few = data.select(&(0..300).collect::<Vec<_>>()).unwrap();
    let error = fitted(&few, Routing::Probabilistic).with_histograms(&data).unwrap_err();
    assert!(error.to_string().contains("more rows than the node"), "{error}");
    let mut recipe = Recipe::forest();
    recipe.ensemble.forest_mut().unwrap().n_trees = 2;
    let forest = Learner::from_recipe(recipe).unwrap().fit(&data, &Exec::default()).unwrap();
    assert!(forest.with_histograms(&data).is_err());
}
