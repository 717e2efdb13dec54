//! Do rules say what the walker does? Are the laws of three-valued logic kept?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::numbers::Numbers;
use support::sample::Sample;
use support::{random_tests, soak, strategies, tables};
use ternwood::dataset::FeatureKind;
use ternwood::model::SingleTree;
use ternwood::rules::{Condition, Rule, Rules, Truth};
use ternwood::tree::{Digits, NodeId, Side, Test, TreeBuilder, Zone};
use ternwood::{
    ClassName, Exec, Feature, Matrix, Model, Recipe, Routing, Schema, TreeParams, UNKNOWN,
};

/// A learned model of any routing, and its table.
fn learned() -> impl Strategy<Value = (Sample, Model)> {
    let tables = tables::weighted_tables(60, 6);
    let cases =
        (tables, prop::sample::select(Routing::ALL.to_vec())).prop_flat_map(|(sample, routing)| {
            let zone = strategies::zones(strategies::kinds(sample.n_features()));
            let params = tables::table_params(sample.n_classes);
            (Just(sample), params, zone, Just(routing))
        });
    cases.prop_map(|(sample, params, zone, routing)| {
        let model = sample.fit(&TreeParams { zone, ..params }, routing);
        (sample, model)
    })
}

/// A tree that no data made: full, of the same few features again and again, with any numbers.
fn invented() -> impl Strategy<Value = Model> {
    let tests = prop::collection::vec(random_tests::tests(), 1..14);
    (tests, prop::sample::select(Routing::ALL.to_vec())).prop_map(|(tests, routing)| {
        let features = vec![
            Feature::number("number"),
            Feature::categories("letter", ["a", "b", "c"]),
            Feature::ordered("size", ["s", "m", "l"]),
        ];
        let classes: Vec<ClassName> = vec!["no".into(), "yes".into()];
        let three = routing == Routing::HardMiddle;
        let mut builder =
            if three { TreeBuilder::three_child(3, 2) } else { TreeBuilder::new(3, 2) };
        let n_children = if three { 3 } else { 2 };
        // Splits first, then as many leaves as they leave open: a preorder of some tree.
        let mut open = 1;
        for test in &tests {
            builder.split_by(&test.of(&features, 2));
            builder.show_with(test.digits);
            open += n_children - 1;
        }
        for leaf in 0..open {
            builder.leaf(&[f64::from(leaf % 3), 1.0]);
        }
        let recipe = Recipe { routing, ..Recipe::default() };
        Model::new(builder.finish().unwrap(), Schema::new(features, classes).unwrap(), recipe)
            .unwrap()
    })
}

/// Values on, beside and between all edges of a feature, and what is no value.
fn candidates(model: SingleTree<'_>, feature: usize) -> Vec<f64> {
    let mut values = vec![f64::NAN, UNKNOWN, 0.0, -0.0, 1e308, -1e308, 9_007_199_254_740_993.0];
    let n_names = model.schema().features()[feature].kind.names().len();
    values.extend((0..=n_names).map(|id| id as f64));
    for test in model.tree().tests().filter(|test| test.feature().index() == feature) {
        let Some(zone) = test.zone() else { continue };
        for edge in [zone.lower(), zone.threshold(), zone.upper()] {
            values.extend([edge, edge.next_up(), edge.next_down()]);
        }
    }
    values.push(f64::MAX);
    values.retain(|x| !x.is_infinite());
    // A value of ordered categories is a rank, or nothing that could be read.
    if let FeatureKind::Ordered(names) = &model.schema().features()[feature].kind {
        values.retain(|x| x.is_nan() || (0..names.len()).any(|rank| rank as f64 == *x));
    }
    values
}

/// Rows of such values.
fn probes(model: SingleTree<'_>, seed: u64) -> Vec<Vec<f64>> {
    let mut numbers = Numbers::new(seed);
    let columns: Vec<Vec<f64>> =
        (0..model.schema().n_features()).map(|feature| candidates(model, feature)).collect();
    let mut row = || columns.iter().map(|column| column[numbers.below(column.len())]).collect();
    (0..60).map(|_| row()).collect()
}

/// The truth of a leaf's rule by its definition: the least truth of the tests on its path.
fn truth_by_definition(model: SingleTree<'_>, leaf: NodeId, row: &[f64]) -> Truth {
    let tree = model.tree();
    let parents = tree.parents();
    let (mut truth, mut child) = (Truth::True, leaf);
    while let Some(node) = parents[child.index()] {
        let split = tree.node(node).as_split().unwrap();
        let x = row[split.test.feature().index()];
        let goes_here = |side: Side| Truth::from(split.child(side) == Some(child));
        let of_test = match model.routing() {
            Routing::Crisp if split.test.is_unknown(x) => Truth::Undecided,
            Routing::Crisp => Truth::from(split.crisp_child(x) == child),
            Routing::HardMiddle => goes_here(split.test.side(x)),
            _ if split.test.side(x) == Side::Within => Truth::Undecided,
            _ => goes_here(split.test.side(x)),
        };
        truth = truth.and(of_test);
        child = node;
    }
    truth
}

fn check_laws(model: &Model, rows: &[Vec<f64>]) -> Result<(), TestCaseError> {
    let tree = model.single_tree().unwrap();
    let rules = Rules::of(tree);
    prop_assert_eq!(rules.len(), tree.tree().n_leaves());
    let flat = rows.concat();
    let matrix = Matrix::row_major(&flat, tree.schema().n_features()).unwrap();
    let all = rules.truths(matrix, &Exec::default()).unwrap();
    for (row, truths) in rows.iter().zip(all.chunks_exact(rules.len())) {
        let explained = tree.walker().explain(row);
        let trues = truths.iter().filter(|truth| **truth == Truth::True).count();
        let falses = truths.iter().filter(|truth| **truth == Truth::False).count();
        for (rule, truth) in rules.iter().zip(truths) {
            let expected = truth_by_definition(tree, rule.leaf(), row);
            prop_assert_eq!(*truth, expected, "{:?}: {}", row, rules.describe(rule));
            prop_assert!(*truth != Truth::True || rule.can_be_true());
            let share = explained.leaves.iter().find(|reached| reached.leaf == rule.leaf());
            let has_share = share.is_some_and(|reached| reached.share > 0.0);
            if model.routing() == Routing::Probabilistic {
                prop_assert!(!has_share || *truth != Truth::False, "a leaf with a share");
            }
            prop_assert!(*truth != Truth::True || share.is_some_and(|it| it.share == 1.0));
        }
        if model.routing() == Routing::HardMiddle {
            prop_assert_eq!((trues, falses), (1, rules.len() - 1), "three ways");
        } else if explained.verdict.is_decided() {
            prop_assert_eq!((trues, falses), (1, rules.len() - 1), "a decided row");
        } else {
            prop_assert_eq!(trues, 0, "an undecided row");
        }
    }
    Ok(())
}

/// Some row makes the rule true iff it says so. Conditions are of different features, so each can be
/// asked alone.
fn check_room(tree: SingleTree<'_>, rules: &Rules<'_>, rule: &Rule) -> Result<(), TestCaseError> {
    let fulfilled = |condition: &Condition| {
        let values = candidates(tree, condition.feature().index());
        values.iter().any(|&x| condition.truth(x) == Truth::True)
    };
    let words = rules.describe(rule);
    prop_assert_eq!(rule.can_be_true(), rule.conditions().iter().all(fulfilled), "{}", &words);
    prop_assert_eq!(words.ends_with("never surely"), !rule.can_be_true());
    Ok(())
}

proptest! {
    #![proptest_config(soak::cases(400))]

    #[test]
    fn the_laws_hold_for_learned_trees((sample, model) in learned(), seed: u64) {
        let mut rows = probes(model.single_tree().unwrap(), seed);
        rows.extend(sample.rows);
        check_laws(&model, &rows)?;
    }

    #[test]
    fn the_laws_hold_for_invented_trees(model in invented(), seed: u64) {
        check_laws(&model, &probes(model.single_tree().unwrap(), seed))?;
    }

    #[test]
    fn a_rule_says_whether_it_can_be_true(model in invented()) {
        let tree = model.single_tree().unwrap();
        let rules = Rules::of(tree);
        for rule in &rules {
            check_room(tree, &rules, rule)?;
        }
    }

    #[test]
    fn a_rule_has_one_condition_per_feature(model in invented()) {
        for rule in &Rules::of(model.single_tree().unwrap()) {
            let mut features: Vec<_> = rule.conditions().iter().map(Condition::feature).collect();
            features.sort();
            prop_assert!(features.windows(2).all(|pair| pair[0] < pair[1]), "{features:?}");
        }
    }
}

/// A chain of tests, each with its zone and digits, whose left children are leaves.
fn chain(tests: &[(Test, Option<Digits>)], features: Vec<Feature>) -> Model {
    let mut builder = TreeBuilder::new(features.len(), 2);
    for (test, digits) in tests {
        builder.split_by(test);
        builder.show_with(*digits);
        builder.leaf(&[9.0, 1.0]);
    }
    builder.leaf(&[1.0, 14.0]);
    let classes: Vec<ClassName> = vec!["healthy".into(), "ill".into()];
    let schema = Schema::new(features, classes).unwrap();
    Model::new(builder.finish().unwrap(), schema, Recipe::default()).unwrap()
}

fn test(feature: u32, threshold: f64, half_width: f64, decimals: i16) -> (Test, Option<Digits>) {
    let digits = Digits::new(decimals, [0, 0]).unwrap();
    (Test::new(feature, Zone::new(threshold, half_width).unwrap()), Some(digits))
}

#[test]
fn rules_read_like_sentences() {
    let features = vec![Feature::number("glucose"), Feature::number("pressure")];
    let model = chain(&[test(0, 6.85, 0.12, 2), test(1, 132.0, 1.5, 1)], features);
    let rules = Rules::of(model.single_tree().unwrap());
    let lines = "\
healthy (90 %, 10 rows): glucose below 6.85 (uncertain between 6.73 and 6.97)
healthy (90 %, 10 rows): glucose above 6.85 (uncertain between 6.73 and 6.97), pressure below 132.0 (uncertain between 130.5 and 133.5)
ill (93 %, 15 rows): glucose above 6.85 (uncertain between 6.73 and 6.97), pressure above 132.0 (uncertain between 130.5 and 133.5)
";
    assert_eq!(rules.to_string(), lines);
}

#[test]
fn tests_of_one_feature_merge_into_an_interval() {
    let above = [test(0, 5.0, 0.5, 1), test(0, 5.1, 0.1, 1), test(0, 5.6, 0.0, 1)];
    let model = chain(&above, vec![Feature::number("glucose")]);
    let rules = Rules::of(model.single_tree().unwrap());
    let words: Vec<String> = rules.iter().map(|rule| rules.describe(rule)).collect();
    // (4.5, 5.5] and (5.0, 5.2] above is (5.0, 5.5]; together with below 5.6.
    assert_eq!(
        words[2],
        "healthy (90 %, 10 rows): glucose above 5.5 (unsure from 5.0) and below 5.6"
    );
    // Below (5.0, 5.2] and above (4.5, 5.5]: nothing is surely both.
    assert_eq!(
        words[1],
        "healthy (90 %, 10 rows): glucose above 5.0 (uncertain between 4.5 and 5.5) and below 5.1 (uncertain between 5.0 and 5.2); never surely"
    );
    assert!(!rules.iter().nth(1).unwrap().can_be_true());
    let interval = &rules.iter().nth(2).unwrap().conditions()[0];
    let above = interval.above().unwrap();
    assert_eq!((above.lower.at, above.upper.at), (5.1 - 0.1, 5.5));
    assert_eq!((above.lower.node, above.upper.node), (NodeId(2), NodeId(0)));
}

#[test]
fn missing_values_and_ranks_are_named() {
    use ternwood::tree::Missing;
    let features =
        vec![Feature::number("glucose"), Feature::ordered("education", ["school", "BSc", "MSc"])];
    let (glucose, digits) = test(0, 6.85, 0.12, 2);
    let tests = [
        (glucose.with_missing(Missing::Right), digits),
        (Test::is_present(0), None),
        test(1, 0.5, 0.0, 1),
    ];
    let model = chain(&tests, features);
    let rules = Rules::of(model.single_tree().unwrap());
    let lines = "\
healthy (90 %, 10 rows): glucose below 6.85 (uncertain between 6.73 and 6.97)
healthy (90 %, 10 rows): glucose above 6.85 (uncertain between 6.73 and 6.97)
healthy (90 %, 10 rows): glucose missing, education up to school
ill (93 %, 15 rows): glucose missing, education from BSc on
";
    assert_eq!(rules.to_string(), lines);
}

#[test]
fn a_single_leaf_is_always_true() {
    let model = chain(&[], vec![Feature::number("glucose")]);
    let rules = Rules::of(model.single_tree().unwrap());
    assert_eq!(rules.to_string(), "ill (93 %, 15 rows): always\n");
    assert_eq!(rules.iter().next().unwrap().truth(&[f64::NAN]), Truth::True);
}

#[test]
fn rules_are_data() {
    let model = chain(&[test(0, 6.85, 0.12, 2)], vec![Feature::number("glu\"cose")]);
    let json = Rules::of(model.single_tree().unwrap()).to_json();
    let rules: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(rules[1]["class"], "ill");
    assert_eq!(rules[1]["conditions"][0]["feature"], "glu\"cose");
    assert_eq!(rules[1]["conditions"][0]["above"], serde_json::json!([6.85 - 0.12, 6.85 + 0.12]));
    assert_eq!(rules[1]["conditions"][0]["missing"], "undecided");
}
