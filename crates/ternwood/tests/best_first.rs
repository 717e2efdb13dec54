//! With a limit on leaves, does growth make the best splits first?

mod support;

use proptest::prelude::*;
use support::naive::{Naive, NaiveTree};
use support::sample::Sample;
use support::{soak, strategies, tables};
use ternwood::{Routing, TreeParams};

/// Repeatedly makes the split anywhere in the tree that removes the most impurity; ties go to the
/// node that was made first.
fn grow(naive: &Naive<'_>, max_leaves: usize) -> NaiveTree {
    let mut nodes = vec![naive.root()];
    let arity = if naive.three_child { 3 } else { 2 };
    let mut leaves = 1;
    while leaves + arity - 1 <= max_leaves {
        let mut best = None;
        let mut most = f64::NEG_INFINITY;
        for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.split.is_none()) {
            let Some(split) = naive.best_split(node) else { continue };
            let improvement = naive.improvement(node, &split);
            if improvement > most {
                (best, most) = (Some((at, split)), improvement);
            }
        }
        let Some((at, split)) = best else { break };
        naive.make(&mut nodes, at, split);
        leaves += arity - 1;
    }
    NaiveTree { nodes }
}

fn cases() -> impl Strategy<Value = (Sample, TreeParams, u32)> {
    // Two classes in tables: rounding never decides about an axis.
    let tables = tables::weighted_tables(40, 6).prop_map(|mut sample| {
        sample.n_classes = 2;
        sample.classes.iter_mut().for_each(|class| *class %= 2);
        sample
    });
    prop_oneof![strategies::weighted_samples(40), tables].prop_flat_map(|sample| {
        let zone = strategies::zones(strategies::deterministic_kinds(sample.n_features()));
        let params = (tables::table_params(sample.n_classes), zone);
        (Just(sample.clone()), params, 2..12u32).prop_map(|(sample, (params, zone), most)| {
            (sample, TreeParams { zone, max_leaf_nodes: Some(most), ..params }, most)
        })
    })
}

proptest! {
    #![proptest_config(soak::cases(400))]

    #[test]
    fn the_most_useful_splits_are_made((sample, params, most) in cases()) {
        for (three_child, routing) in [(false, Routing::Crisp), (true, Routing::HardMiddle)] {
            let naive = Naive::new(&sample, &params, three_child);
            let model = sample.fit(&params, routing);
            prop_assert!(model.trees()[0].n_leaves() <= most as usize);
            let outcome = grow(&naive, most as usize).compare(&naive, &model.trees()[0]);
            // Crisp routing still estimates the zones; the naive tree has them too.
            prop_assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
        }
    }

    /// A limit that is never reached changes nothing.
    #[test]
    fn enough_leaves_are_no_limit((sample, params, _) in cases()) {
        let unlimited = TreeParams { max_leaf_nodes: None, ..params.clone() };
        let generous = TreeParams { max_leaf_nodes: Some(10_000), ..params };
        for routing in [Routing::Probabilistic, Routing::HardMiddle] {
            let [unlimited, generous] =
                [&unlimited, &generous].map(|params| sample.fit(params, routing));
            prop_assert_eq!(&unlimited.trees()[0], &generous.trees()[0]);
        }
    }
}

/// Both halves of this sample have the same best split, with the same gain: 0 0 1 1 | 2 2 3 3 in
/// the first feature, told apart by the second.
#[test]
fn ties_go_to_the_node_made_first() {
    let rows = (0..8).map(|i| vec![f64::from(i / 4), f64::from(i / 2 % 2)]).collect();
    let classes = vec![0, 0, 1, 1, 2, 2, 3, 3];
    let sample = Sample { rows, classes, n_classes: 4, ..Sample::default() };
    let params = TreeParams { max_leaf_nodes: Some(3), ..TreeParams::default() };
    let model = sample.fit(&params, Routing::Crisp);
    // The root, its left child with two leaves, and the right half unsplit.
    let is_leaf: Vec<bool> =
        model.trees()[0].ids().map(|id| model.trees()[0].node(id).is_leaf()).collect();
    assert_eq!(is_leaf, [false, false, true, true, true]);
}
