//! Does a person who applies a printed test to a training row come out where the tree does?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::as_read::{AsRead, ReadZone};
use support::soak;
use support::trees::splits;
use ternwood::dataset::Schema;
use ternwood::grow::{Grower, Search};
use ternwood::predict::Step;
use ternwood::recipe::{Recipe, ZoneParams};
use ternwood::tree::{Digits, NodeId, Side, Zone};
use ternwood::words::ShownTest;
use ternwood::{Columns, Dataset, Exec, Feature, Learner, Model, Routing, TreeParams, ZoneKind};

/// False for half-widths so large or small beside their threshold that it takes too many digits to
/// print both; and where values lie on both edges and on the threshold, but for their last bits.
/// With -0.1 below, 0.1 right of the threshold and 0.3 within, `T - H >= -0.1`, `T < 0.1` and
/// `T + H >= 0.3`: no such numbers exist.
fn is_printable(zone: Zone, values: &[f64]) -> bool {
    let (threshold, half_width) = (zone.threshold().abs(), zone.half_width());
    let comparable = half_width < 1e15 * threshold && threshold < 1e15 * half_width;
    let last_bits = 4.0 * f64::EPSILON * (threshold + half_width);
    let is_hit = |cut: f64| values.iter().any(|value| (value - cut).abs() <= last_bits);
    let all_hit = [zone.lower(), zone.threshold(), zone.upper()].into_iter().all(is_hit);
    half_width == 0.0 || (comparable && !all_hit)
}

/// One column: whole numbers, decimals of few digits, floats, floats of very different size (up to
/// `10^power`) and few distinct values.
fn column(n_rows: usize, power: i32) -> impl Strategy<Value = Vec<f64>> {
    let decimals = (0..4i32, -400..400i32).prop_map(|(places, units)| {
        let text = format!("{units}e-{places}");
        text.parse::<f64>().unwrap()
    });
    let any_size = (-1.0..1.0f64, -power..power).prop_map(|(x, power)| x * 10f64.powi(power));
    let same_size = move |(size, numbers): (i32, Vec<f64>)| -> Vec<f64> {
        numbers.into_iter().map(|x| x * 10f64.powi(size)).collect()
    };
    let same_size = (-300..300i32, prop::collection::vec(-1.0..1.0f64, n_rows)).prop_map(same_size);
    let few = prop::sample::select(vec![-0.1, 0.1, 0.2, 0.3, 0.7, 1e6]);
    let of = |value: BoxedStrategy<f64>| prop::collection::vec(value, n_rows);
    prop_oneof![
        3 => of((-30..30).prop_map(f64::from).boxed()),
        4 => of(decimals.boxed()),
        3 => of((-1.0..1.0f64).boxed()),
        1 => of((1e9..2e9f64).boxed()),
        2 => of(any_size.boxed()),
        2 => same_size,
        1 => of(few.boxed()),
    ]
}

/// With the sizes of thresholds and half-widths further apart, not all digits are printed.
const SIZES: i32 = 8;

/// Rows of two numbers and a class, with weights, some of them 0.
fn tables(power: i32) -> impl Strategy<Value = Dataset> {
    (4..60usize).prop_flat_map(move |n_rows| {
        let classes = prop::collection::vec(0..3u32, n_rows);
        let weights = prop::option::of(prop::collection::vec(0..3u32, n_rows));
        (column(n_rows, power), column(n_rows, power), classes, weights).prop_map(
            |(first, second, classes, weights)| {
                let columns = Columns::from_columns([first, second].concat(), 2).unwrap();
                let features = ["x", "y"].map(Feature::number).to_vec();
                let names = ["a", "b", "c"].map(Into::into).to_vec();
                let schema = Schema::new(features, names).unwrap();
                let data = Dataset::with_schema(columns, classes, schema).unwrap();
                match weights.filter(|weights| weights.iter().any(|&weight| weight > 0)) {
                    Some(weights) => {
                        let weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
                        data.with_weights(weights).unwrap()
                    }
                    None => data,
                }
            },
        )
    })
}

fn zones() -> impl Strategy<Value = ZoneParams> {
    let specified = ZoneKind::Specified { half_widths: vec![0.05, 1.5] };
    let kinds = ZoneKind::published().into_iter().chain([ZoneKind::None, ZoneKind::Spread]);
    let kinds: Vec<ZoneKind> = kinds.chain([specified]).collect();
    (prop::sample::select(kinds), prop::sample::select(vec![0.1, 1.0, 3.0]))
        .prop_map(|(kind, scale)| ZoneParams { scale, ..kind.into() })
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let routing = prop::sample::select(Routing::ALL.to_vec());
    (zones(), routing, 1..5u32).prop_map(|(zone, routing, depth)| {
        let params = TreeParams { zone, max_depth: Some(depth), ..TreeParams::default() };
        Recipe { params, routing, ..Recipe::default() }
    })
}

/// The values of a feature in rows that count.
fn values(data: &Dataset, feature: usize) -> Vec<f64> {
    let counts = |row: usize| data.weights().is_none_or(|weights| weights[row] > 0.0);
    let column = data.columns().column(feature).iter().enumerate();
    column.filter(|&(row, _)| counts(row)).map(|(_, &value)| value).collect()
}

/// The first training value that a printed test puts where it is not.
fn misplaced(data: &Dataset, text: &str, zone: Zone, feature: usize) -> Option<f64> {
    let printed = ReadZone::parse(text).unwrap_or_else(|| panic!("'{text}' is no zone"));
    let is_true = |value: &f64| printed.tells_the_truth(zone, *value, &AsRead::of(*value));
    values(data, feature).into_iter().find(|value| !is_true(value))
}

/// What is printed of a test, without the name of the feature.
fn described(id: NodeId, model: &Model) -> String {
    model.trees()[0].shown_test(id).unwrap().describe(model.schema(), model.zone_meaning())[2..]
        .to_owned()
}

fn check_splits(model: &Model, data: &Dataset) -> Result<(), TestCaseError> {
    for (id, split) in splits(&model.trees()[0]) {
        let (zone, feature) = (split.test.zone().unwrap(), split.test.feature().index());
        let text = described(id, model);
        if !is_printable(zone, &values(data, feature)) {
            continue;
        }
        let wrong = misplaced(data, &text, zone, feature);
        prop_assert_eq!(wrong, None, "node {}: {:?} is printed as {}", id, zone, text);
        // With one decimal less, or without nudges, it would not be true.
        let digits =
            model.trees()[0].digits(id).unwrap_or_else(|| panic!("{zone:?} has all digits"));
        let mut shorter = Vec::new();
        if digits.nudges() != [0, 0] {
            shorter.push(digits.decimals());
        }
        if digits.decimals() > 0 {
            shorter.push(digits.decimals() - 1);
        }
        for decimals in shorter {
            let shorter = Digits::new(decimals, [0, 0]).unwrap();
            let test = ShownTest { test: &split.test, digits: Some(shorter) };
            let shown = test.zone(model.schema()).unwrap();
            let shown = shown.in_words(model.zone_meaning());
            let is_wrong = misplaced(data, &shown, zone, feature).is_some();
            // The half-width would be 0, so all digits are printed instead.
            let hides = zone.half_width() > 0.0
                && zone.half_width() <= 0.5 * 10f64.powi(-i32::from(decimals));
            prop_assert!(is_wrong || hides, "{zone:?} is printed as {text}, not as {shown}");
        }
    }
    Ok(())
}

/// Every line of an explanation that names a value and a threshold is true as it is read.
fn check_explanation(model: &Model, data: &Dataset, row: &[f64]) -> Result<(), TestCaseError> {
    let is_printable = |step: &Step| {
        let mut values = values(data, step.test.feature().index());
        values.push(step.value);
        is_printable(step.test.zone().unwrap(), &values)
    };
    let explained = model.explain(row).unwrap();
    let report = explained.to_string();
    let lines = report.lines().filter(|line| line.contains("  node "));
    for (step, line) in explained.explanation().steps.iter().zip(lines) {
        let (_, words) = line.split_once(": ").unwrap();
        let words: Vec<&str> = words.split(' ').collect();
        let [_, value, "is", side, ref rest @ ..] = words[..] else { panic!("{line}") };
        let ends = |word: &&str| *word != "(standard" && (word.starts_with('(') || *word == "with");
        let end = rest.iter().position(ends);
        let rest = rest[..end.unwrap_or(rest.len())].join(" ");
        let (crisp, zone) = (step.test.zone().unwrap(), rest.trim_end_matches(','));
        let value = AsRead::parse(value).unwrap();
        if let Some(threshold) = zone.strip_prefix("of ") {
            let threshold = AsRead::parse(threshold).unwrap();
            prop_assert_eq!(side == "left", value <= threshold, "{}", line);
            prop_assert_eq!(side == "left", crisp.goes_left(step.value), "{}", line);
            continue;
        }
        let printed = ReadZone::parse(zone).unwrap_or_else(|| panic!("{line}"));
        if let Some(threshold) = &printed.threshold {
            prop_assert_eq!(value <= *threshold, crisp.goes_left(step.value), "{}", line);
        }
        if is_printable(step) {
            prop_assert!(printed.tells_the_truth(crisp, step.value, &value), "{crisp:?}: {line}");
        }
        let named = match side {
            "below" => Side::Below,
            "WITHIN" => Side::Within,
            _ => Side::Above,
        };
        prop_assert_eq!(named, crisp.side(step.value), "{}", line);
    }
    if let Some(sentence) = explained.reason() {
        let (_, reasons) = sentence.trim_end_matches('.').split_once(" because ").unwrap();
        let (first, last) = reasons.rsplit_once(" and ").unwrap_or(("", reasons));
        for reason in first.split(", ").chain([last]).filter(|reason| !reason.is_empty()) {
            let (named, zone) = reason.split_once(" lies within ").unwrap();
            let value = AsRead::parse(named.split(' ').nth(1).unwrap()).unwrap();
            let printed = ReadZone::parse(zone).unwrap();
            if explained.explanation().steps.iter().all(is_printable) {
                prop_assert_eq!(printed.side(&value), Side::Within, "{}", sentence);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(soak::cases(400))]

    #[test]
    fn printed_tests_are_true_of_all_training_rows_and_as_short_as_can_be(
        data in tables(SIZES), recipe in recipes(),
    ) {
        let model = Learner::from_recipe(recipe).unwrap().fit(&data, &Exec::default()).unwrap();
        check_splits(&model, &data)?;
    }

    #[test]
    fn explanations_are_true_as_they_are_read(
        data in tables(SIZES), recipe in recipes(), others in prop::collection::vec((-9.0..9.0f64, -9.0..9.0f64), 5),
    ) {
        let model = Learner::from_recipe(recipe).unwrap().fit(&data, &Exec::default()).unwrap();
        for row in 0..data.n_rows() {
            check_explanation(&model, &data, &data.columns().row(row))?;
        }
        // Rows that are not trained on, and rows on and next to thresholds and edges.
        for (x, y) in others {
            check_explanation(&model, &data, &[x, y])?;
        }
        for (_, split) in splits(&model.trees()[0]) {
            let zone = split.test.zone().unwrap();
            for edge in [zone.lower(), zone.threshold(), zone.upper()] {
                for x in [edge.next_down(), edge, edge.next_up()] {
                    if x.is_finite() {
                        check_explanation(&model, &data, &[x, x])?;
                    }
                }
            }
        }
    }

    #[test]
    fn whatever_the_numbers_no_threshold_is_printed_on_the_other_side_of_a_training_value(
        data in tables(300), recipe in recipes(),
    ) {
        let model = Learner::from_recipe(recipe).unwrap().fit(&data, &Exec::default()).unwrap();
        for (id, split) in splits(&model.trees()[0]) {
            let (zone, feature) = (split.test.zone().unwrap(), split.test.feature().index());
            let text = described(id, &model);
            let printed = ReadZone::parse(&text).unwrap().threshold.unwrap();
            for value in values(&data, feature) {
                let on_left = AsRead::of(value) <= printed;
                prop_assert_eq!(on_left, zone.goes_left(value), "node {}: {}, {}", id, value, &text);
            }
        }
    }

    /// The neighbours of a threshold are found in bins as they are by reading every value.
    #[test]
    fn digits_do_not_depend_on_the_search(
        data in tables(SIZES), zone in zones(), bins in 2..9usize, threads in 1..3usize,
    ) {
        let params = TreeParams { zone, max_depth: Some(3), ..TreeParams::default() };
        let params = params.check().unwrap();
        let exec = Exec::with_threads(threads).unwrap();
        for routing in [Routing::Probabilistic, Routing::HardMiddle] {
            let grow = |search| {
                let grower = Grower::new(&data, &params).unwrap().search(search);
                grower.grow(routing, &exec).unwrap()
            };
            prop_assert_eq!(grow(Search::BinsOnly(bins)), grow(Search::Sorted));
        }
    }
}

/// Choosing scale and depth goes another way.
#[test]
fn calibrated_trees_are_printed_as_truly() {
    let glucose: Vec<f64> = (0..300).map(|i| f64::from(i * 7919 % 1000) / 10.0).collect();
    let classes = glucose.iter().enumerate().map(|(i, x)| u32::from(x + (i % 37) as f64 > 70.0));
    let schema = Schema::new(vec![Feature::number("x")], vec!["no".into(), "yes".into()]).unwrap();
    let columns = Columns::from_columns(glucose.clone(), 1).unwrap();
    let data = Dataset::with_schema(columns, classes.collect(), schema).unwrap();
    let model =
        Learner::from_recipe(Recipe::calibrated()).unwrap().fit(&data, &Exec::default()).unwrap();
    assert!(splits(&model.trees()[0]).count() > 1);
    check_splits(&model, &data).unwrap();
}
