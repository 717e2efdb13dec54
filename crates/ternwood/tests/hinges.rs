//! Are the figures of a reason those of the tree with the test's node replaced by its child, and does
//! it name the tests that matter most?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use std::collections::BTreeMap;
use support::numbers::Numbers;
use support::policies::catching;
use support::sample::Sample;
use support::{soak, strategies, tables};
use ternwood::model::{Hinge, Outcome};
use ternwood::tree::{FeatureId, NodeId, NodeRecord, NodeRows, Side, TreeBuilder, Zone};
use ternwood::verdict::{ConfidencePolicy, CostMatrix, CostPolicy, Uncovered};
use ternwood::{
    ClassName, Exec, Feature, Matrix, Model, Recipe, Routing, Schema, Tree, TreeParams, UNKNOWN,
    VerdictPolicy,
};

fn cases() -> impl Strategy<Value = (Sample, TreeParams)> {
    tables::weighted_tables(50, 6).prop_flat_map(|sample| {
        let zone = strategies::zones(strategies::kinds(sample.n_features()));
        (Just(sample.clone()), tables::table_params(sample.n_classes), zone)
            .prop_map(|(sample, params, zone)| (sample, TreeParams { zone, ..params }))
    })
}

/// Rows of a table with some values missing, unreadable, or of no known category.
fn probes(sample: &Sample, seed: u64) -> Vec<Vec<f64>> {
    let mut numbers = Numbers::new(seed);
    let probe = |_| {
        let mut values = sample.rows[numbers.below(sample.rows.len())].clone();
        for (feature, value) in values.iter_mut().enumerate() {
            let beyond = sample.n_categories(feature).unwrap_or(0) as f64;
            let other = sample.rows[numbers.below(sample.rows.len())][feature];
            *value = [*value, *value, other, f64::NAN, UNKNOWN, beyond][numbers.below(6)];
        }
        values
    };
    (0..12).map(probe).collect()
}

/// The tree with one child of a split in the place of the split: the counts of the split stay, on
/// which the way of unknown values above it depends.
fn replaced(tree: &Tree, node: NodeId, child: NodeId) -> Tree {
    let (n_features, n_classes) = (tree.n_features(), tree.n_classes());
    let mut builder = match tree.is_three_child() {
        true => TreeBuilder::three_child(n_features, n_classes),
        false => TreeBuilder::new(n_features, n_classes),
    };
    let mut waiting = vec![NodeId::ROOT];
    while let Some(counted) = waiting.pop() {
        let id = if counted == node { child } else { counted };
        let split = tree.node(id).as_split();
        builder.push(&NodeRecord {
            test: split.map(|split| &split.test),
            rows: NodeRows::OfClasses {
                rows: tree.class_rows(counted),
                weights: tree.class_weights(counted),
            },
            values: tree.values(id),
            impurity: tree.impurity(counted),
            rows_within: tree.rows_within(id),
        });
        let children = split.map(|split| split.children().collect::<Vec<_>>()).unwrap_or_default();
        waiting.extend(children.into_iter().rev());
    }
    builder.finish().unwrap()
}

/// What a model answers with another tree.
fn answer(model: &Model, tree: Tree, row: &[f64]) -> Outcome {
    let verdict = model.verdict().clone();
    let model = Model::new(tree, model.schema().clone(), model.recipe().clone()).unwrap();
    let model = model.with_verdict(verdict).unwrap();
    let rows = Matrix::row_major(row, row.len()).unwrap();
    let answers = model.predict(rows, &Exec::default()).unwrap();
    Outcome {
        distribution: answers.distributions().to_vec(),
        class: answers.classes()[0],
        verdict: answers.verdicts()[0],
    }
}

/// How sure an answer of `class` is: its probability, how improbable the class to catch is, or by
/// how much it is cheaper than a flag.
fn sureness(policy: &VerdictPolicy, distribution: &[f64], class: u32) -> f64 {
    let policy = match policy {
        VerdictPolicy::Costs(policy) => policy,
        VerdictPolicy::Catch(policy) if policy.class() != class => {
            return 1.0 - distribution[policy.class() as usize];
        }
        _ => return distribution[class as usize],
    };
    let saved = |(truth, p): (usize, &f64)| {
        p * (policy.costs().of_flag(truth) - policy.costs().of_answer(truth, class as usize))
    };
    distribution.iter().enumerate().map(saved).sum()
}

fn check(model: &Model, row: &[f64]) -> Result<(), TestCaseError> {
    let explained = model.explain(row).unwrap();
    let (tree, explanation) = (&model.trees()[0], explained.explanation());
    let sure = |distribution: &[f64]| sureness(model.verdict(), distribution, explained.class());
    let on_sides = |node: NodeId| {
        let split = tree.node(node).as_split().unwrap();
        [split.left, split.right].map(|child| answer(model, replaced(tree, node, child), row))
    };
    let now = sure(&explanation.distribution);
    let mut by_feature: BTreeMap<FeatureId, f64> = BTreeMap::new();
    for step in explanation.reasons() {
        let change = on_sides(step.node).map(|it| (sure(&it.distribution) - now).abs());
        let strongest = by_feature.entry(step.test.feature()).or_default();
        *strongest = strongest.max(change[0]).max(change[1]);
    }
    let mut expected: Vec<f64> = by_feature.values().copied().collect();
    expected.sort_by(|a, b| b.total_cmp(a));
    expected.truncate(3);
    let hinges = explained.hinges();
    prop_assert_eq!(hinges.len(), expected.len());
    for (Hinge { step, below, above }, strongest) in hinges.iter().zip(expected) {
        let step = &explanation.steps[*step];
        prop_assert!(step.is_unsure());
        let mut change = 0.0f64;
        for (outcome, expected) in [below, above].into_iter().zip(on_sides(step.node)) {
            for (p, q) in outcome.distribution.iter().zip(&expected.distribution) {
                prop_assert!((p - q).abs() < 1e-12, "{p} is not {q} at {}", step.node);
            }
            change = change.max((sure(&outcome.distribution) - now).abs());
            // Rounding may turn ties between classes.
            match model.verdict() {
                VerdictPolicy::Zones { .. } => prop_assert_eq!(outcome.verdict, expected.verdict),
                policy => {
                    let judged = policy.judge(&outcome.distribution, expected.verdict);
                    prop_assert_eq!((outcome.class, outcome.verdict), judged);
                }
            }
        }
        // They are compared in single precision.
        let close = 1e-12 + f64::from(f32::EPSILON) * strongest;
        prop_assert!((change - strongest).abs() < close, "{change} is not {strongest}");
    }
    Ok(())
}

fn policies(n_classes: usize, seed: u64) -> Vec<VerdictPolicy> {
    let mut numbers = Numbers::new(seed);
    let mut row = || (0..n_classes).map(|_| numbers.below(9) as f64).collect::<Vec<_>>();
    let answers = (0..n_classes).map(|_| row()).collect();
    let costs = CostMatrix::new(answers, row()).unwrap();
    let policies = [
        VerdictPolicy::default(),
        ConfidencePolicy::of_cost_ratio(0.2).unwrap().into(),
        CostPolicy::new(costs).into(),
        catching(seed as usize % n_classes, 0.1, n_classes),
    ];
    // So that rows with values that training did not have are judged, too.
    let judging = |policy: VerdictPolicy| policy.with_uncovered(Uncovered::Judge).unwrap();
    policies.map(judging).to_vec()
}

proptest! {
    #![proptest_config(soak::cases(150))]

    /// All kinds of tests, all routings, all policies.
    #[test]
    fn figures_are_those_of_the_tree_with_the_node_replaced(
        (sample, params) in cases(), seed: u64, three: bool,
    ) {
        let shape = if three { Routing::HardMiddle } else { Routing::Probabilistic };
        let grown = sample.fit(&params, shape);
        let both = [Routing::Probabilistic, Routing::Deferred, Routing::Crisp];
        let routings = if three { &[Routing::HardMiddle, Routing::Crisp][..] } else { &both };
        for &routing in routings {
            let recipe = Recipe { routing, ..grown.recipe().clone() };
            for policy in policies(sample.n_classes as usize, seed) {
                let tree = grown.trees()[0].clone();
                let model = Model::new(tree, grown.schema().clone(), recipe.clone()).unwrap();
                let model = model.with_verdict(policy).unwrap();
                for row in probes(&sample, seed) {
                    check(&model, &row)?;
                }
            }
        }
    }
}

/// A row in the middle of every zone of a tree 50,000 levels deep: time in proportion to the square
/// of the depth would not end.
#[test]
fn deep_trees_are_explained_in_time() {
    let levels = 50_000;
    for routing in Routing::ALL {
        let three = routing == Routing::HardMiddle;
        let mut builder =
            if three { TreeBuilder::three_child(1, 2) } else { TreeBuilder::new(1, 2) };
        for _ in 0..levels {
            builder.split(0, Zone::new(0.0, 2.0).unwrap());
            builder.leaf(&[1.0, 3.0]);
            if three {
                builder.leaf(&[3.0, 1.0]);
            }
        }
        builder.leaf(&[9.0, 1.0]);
        let classes = ["no", "yes"].map(ClassName::from).to_vec();
        let schema = Schema::new(vec![Feature::number("x")], classes).unwrap();
        let recipe = Recipe { routing, ..Recipe::default() };
        let model = Model::new(builder.finish().unwrap(), schema, recipe).unwrap();
        let model = model.with_verdict(ConfidencePolicy::of_cost_ratio(0.2).unwrap()).unwrap();
        for x in [0.0, 2.0, UNKNOWN] {
            let explained = model.explain(&[x]).unwrap();
            let unsure = explained.explanation().reasons().next().is_some();
            assert_eq!(explained.hinges().len(), usize::from(unsure), "{routing} {x}");
            // The class, the sentence, 20 tests, 8 leaves, and the others counted.
            let report = explained.to_string();
            assert!(report.lines().count() <= 32, "{report}");
        }
    }
}

#[test]
fn a_side_without_a_child_changes_nothing() {
    let mut builder = TreeBuilder::new(1, 2);
    builder.split(0, Zone::new(5.0, 2.0).unwrap());
    builder.leaf(&[3.0, 1.0]);
    builder.leaf(&[0.0, 1.0]);
    let tree = builder.finish().unwrap();
    let walker = ternwood::predict::Walker::new(&tree, Routing::Probabilistic).unwrap();
    let on = |node, side| walker.clearly_on(&[5.0], NodeId(node), side).0;
    assert_eq!(on(0, Side::Below), [0.75, 0.25]);
    assert_eq!(on(0, Side::Above), [0.0, 1.0]);
    assert_eq!(on(0, Side::Within), [0.375, 0.625]);
    assert_eq!(on(1, Side::Below), [0.375, 0.625], "a leaf");
}
