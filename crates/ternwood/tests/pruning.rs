//! Is pruning minimal cost-complexity pruning?
//!
//! Compared with weakest-link pruning that recomputes everything at every step, and with the
//! cheapest of all subtrees.

mod support;

use proptest::prelude::*;
use support::sample::Sample;
use support::{soak, strategies, tables};
use ternwood::tree::{NodeId, Test};
use ternwood::{Routing, Tree, TreeParams};

/// The risk of a node as a leaf: its impurity, weighted by its share of the root.
fn own_risk(tree: &Tree, id: NodeId) -> f64 {
    tree.weight(id) / tree.weight(NodeId::ROOT) * tree.impurity(id)
}

/// Risk and number of leaves of the subtree at a node, which ends at the nodes in `cut`.
fn subtree(tree: &Tree, cut: &[bool], id: NodeId) -> (f64, usize) {
    let Some(split) = tree.node(id).as_split().filter(|_| !cut[id.index()]) else {
        return (own_risk(tree, id), 1);
    };
    split.children().fold((0.0, 0), |(risk, leaves), child| {
        let (child_risk, child_leaves) = subtree(tree, cut, child);
        // A middle child without rows repeats its parent's: it adds a leaf but no risk.
        let counted = if tree.stands_in(id, child) { 0.0 } else { child_risk };
        (risk + counted, leaves + child_leaves)
    })
}

/// All remaining splits, in preorder.
fn splits_left(tree: &Tree, cut: &[bool]) -> Vec<NodeId> {
    let mut left = Vec::new();
    let mut waiting = vec![NodeId::ROOT];
    while let Some(id) = waiting.pop() {
        if let Some(split) = tree.node(id).as_split().filter(|_| !cut[id.index()]) {
            left.push(id);
            waiting.extend(split.children());
        }
    }
    left.sort();
    left
}

/// Alphas, impurities and the splits left after each step.
fn weakest_links(tree: &Tree) -> Vec<(f64, f64, Vec<NodeId>)> {
    let mut cut = vec![false; tree.n_nodes()];
    let mut path = vec![(0.0, subtree(tree, &cut, NodeId::ROOT).0, splits_left(tree, &cut))];
    loop {
        let price = |id: NodeId| {
            let (risk, leaves) = subtree(tree, &cut, id);
            (own_risk(tree, id) - risk) / (leaves - 1) as f64
        };
        let links = splits_left(tree, &cut).into_iter().map(|id| (price(id), id));
        let Some((alpha, weakest)) = links.reduce(|a, b| if b.0 < a.0 { b } else { a }) else {
            return path;
        };
        cut[weakest.index()] = true;
        path.push((alpha, subtree(tree, &cut, NodeId::ROOT).0, splits_left(tree, &cut)));
    }
}

/// The lowest `risk + alpha * leaves` of any subtree at a node, and the fewest leaves that reach
/// it.
fn cheapest(tree: &Tree, alpha: f64, id: NodeId) -> (f64, usize) {
    let as_leaf = (own_risk(tree, id) + alpha, 1);
    let Some(split) = tree.node(id).as_split() else { return as_leaf };
    let below = split.children().fold((0.0, 0), |(cost, leaves), child| {
        let (child_cost, child_leaves) = cheapest(tree, alpha, child);
        let stands_in = tree.stands_in(id, child);
        let free = if stands_in { own_risk(tree, child) } else { 0.0 };
        (cost + child_cost - free, leaves + child_leaves)
    });
    if below.0 < as_leaf.0 - 1e-12 { below } else { as_leaf }
}

/// The tests of the remaining splits, in order, which pruning must not change.
fn tests(tree: &Tree) -> Vec<&Test> {
    tree.ids().filter_map(|id| Some(&tree.node(id).as_split()?.test)).collect()
}

/// Every row trains a child, also where values are missing.
fn trees() -> impl Strategy<Value = Tree> {
    let samples = prop_oneof![strategies::weighted_samples(40), tables::weighted_tables(40, 6)];
    let grown = samples.prop_flat_map(|sample: Sample| {
        let zone = strategies::zones(strategies::deterministic_kinds(sample.n_features()));
        let params = strategies::plain_params(sample.n_classes);
        (Just(sample), params, zone, any::<bool>())
    });
    grown.prop_map(|(sample, params, zone, three_child)| {
        let routing = if three_child { Routing::HardMiddle } else { Routing::Probabilistic };
        sample.fit(&TreeParams { zone, ..params }, routing).trees()[0].clone()
    })
}

/// Some rows may train no child.
fn trees_of_tables() -> impl Strategy<Value = Tree> {
    let tables = tables::weighted_tables(40, 6).prop_flat_map(|sample| {
        let zone = strategies::zones(strategies::deterministic_kinds(sample.n_features()));
        let params = tables::table_params(sample.n_classes);
        (Just(sample), params, zone, any::<bool>())
    });
    tables.prop_map(|(sample, params, zone, three_child)| {
        let routing = if three_child { Routing::HardMiddle } else { Routing::Probabilistic };
        sample.fit(&TreeParams { zone, ..params }, routing).trees()[0].clone()
    })
}

proptest! {
    #![proptest_config(soak::cases(400))]

    #[test]
    fn the_path_is_that_of_the_weakest_links(tree in trees()) {
        let (path, naive) = (tree.pruning_path(), weakest_links(&tree));
        prop_assert_eq!(path.alphas.len(), path.impurities.len());
        prop_assert!(path.alphas.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", path.alphas);
        prop_assert_eq!(path.alphas[0], 0.0);
        let ends = [path.impurities[0], *path.impurities.last().unwrap()];
        prop_assert!((ends[0] - subtree(&tree, &vec![false; tree.n_nodes()], NodeId::ROOT).0).abs() < 1e-12);
        prop_assert!((ends[1] - tree.impurity(NodeId::ROOT)).abs() < 1e-12);
        // Rounding may reorder links of equal alpha; so compare where alpha has clearly risen.
        let steps = |alphas: &[f64], impurities: &[f64]| {
            let mut steps: Vec<(f64, f64)> = Vec::new();
            for (&alpha, &impurity) in alphas.iter().zip(impurities) {
                match steps.last_mut() {
                    Some(last) if alpha - last.0 < 1e-12 => last.1 = impurity,
                    _ => steps.push((alpha, impurity)),
                }
            }
            steps
        };
        let naive_alphas: Vec<f64> = naive.iter().map(|step| step.0).collect();
        let naive_impurities: Vec<f64> = naive.iter().map(|step| step.1).collect();
        let (engine, naive) = (steps(&path.alphas, &path.impurities), steps(&naive_alphas, &naive_impurities));
        prop_assert_eq!(engine.len(), naive.len());
        for (a, b) in engine.iter().zip(&naive) {
            prop_assert!((a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12, "{a:?} {b:?}");
        }
    }

    #[test]
    fn pruned_trees_are_the_cheapest_and_nested(tree in trees()) {
        let path = tree.pruning_path();
        let naive = weakest_links(&tree);
        let mut previous = tree.clone();
        for (step, &alpha) in path.alphas.iter().enumerate() {
            // An alpha clearly between this step's and the next.
            let next = path.alphas.get(step + 1).copied().unwrap_or(alpha + 1.0);
            if next - alpha < 1e-9 {
                continue;
            }
            let price = (alpha + next) / 2.0;
            let pruned = tree.pruned(price);
            // The cheapest of all subtrees, and the smallest of those.
            let whole = vec![false; pruned.n_nodes()];
            let (risk, leaves) = subtree(&pruned, &whole, NodeId::ROOT);
            let (cost, fewest) = cheapest(&tree, price, NodeId::ROOT);
            prop_assert!((risk + price * leaves as f64 - cost).abs() < 1e-9, "{risk} {leaves} {cost}");
            prop_assert_eq!((leaves, pruned.n_leaves()), (fewest, fewest));
            prop_assert!((risk - path.impurities[step]).abs() < 1e-12);
            // The same splits as the naive pruning leaves, each with its own statistics.
            let kept = naive.iter().rfind(|naive| naive.0 <= price).unwrap();
            prop_assert_eq!(pruned.ids().filter(|&id| !pruned.node(id).is_leaf()).count(), kept.2.len());
            for (id, &original) in pruned.ids().filter(|&id| !pruned.node(id).is_leaf()).zip(&kept.2) {
                prop_assert_eq!(pruned.class_weights(id), tree.class_weights(original));
                prop_assert_eq!(pruned.rows_within(id), tree.rows_within(original));
                let [a, b] = [pruned.node(id), tree.node(original)].map(|node| node.as_split().unwrap());
                prop_assert_eq!((&a.test, a.middle.is_some()), (&b.test, b.middle.is_some()));
            }
            // Nested: what is left is part of what was left before, in the same order.
            let mut before = tests(&previous).into_iter();
            prop_assert!(tests(&pruned).iter().all(|test| before.any(|other| other == *test)));
            previous = pruned;
        }
        prop_assert_eq!(tree.pruned(f64::MAX).n_nodes(), 1);
    }

    /// With missing values that train neither child, or whose side is learned: alphas never fall,
    /// every step cuts leaves off, and importances are shares of the features that are tested.
    #[test]
    fn trees_of_tables_are_pruned_step_by_step(tree in trees_of_tables()) {
        let path = tree.pruning_path();
        prop_assert!(path.alphas.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", path.alphas);
        prop_assert!(path.alphas[0] == 0.0 && path.alphas.iter().all(|alpha| alpha.is_finite()));
        let last = *path.impurities.last().unwrap();
        prop_assert!((last - tree.impurity(NodeId::ROOT)).abs() < 1e-12);
        let mut previous = tree.clone();
        for &alpha in path.alphas.iter().filter(|alpha| **alpha > 0.0) {
            let pruned = tree.pruned(alpha);
            prop_assert!(pruned.n_leaves() <= previous.n_leaves());
            let mut before = tests(&previous).into_iter();
            prop_assert!(tests(&pruned).iter().all(|test| before.any(|other| other == *test)));
            previous = pruned;
        }
        prop_assert_eq!(tree.pruned(f64::MAX).n_nodes(), 1);
        let importances = tree.importances();
        prop_assert!(importances.iter().all(|share| (0.0..=1.0).contains(share)), "{:?}", importances);
        let sum: f64 = importances.iter().sum();
        prop_assert!(sum == 0.0 || (sum - 1.0).abs() < 1e-12, "{}", sum);
        for (feature, share) in importances.iter().enumerate() {
            let is_tested = tests(&tree).iter().any(|test| test.feature().index() == feature);
            prop_assert!(is_tested || *share == 0.0);
        }
    }

    /// Fitting with `ccp_alpha` equals pruning after growing.
    #[test]
    fn growing_with_a_price_is_growing_and_pruning(
        (sample, params) in strategies::samples(40)
            .prop_flat_map(|sample| (Just(sample.clone()), strategies::plain_params(sample.n_classes))),
        alpha in 0.0..0.1f64,
    ) {
        for routing in [Routing::Probabilistic, Routing::HardMiddle] {
            let whole = sample.fit(&params, routing);
            let priced = sample.fit(&TreeParams { ccp_alpha: alpha, ..params.clone() }, routing);
            if alpha > 0.0 {
                prop_assert_eq!(&priced.trees()[0], &whole.trees()[0].pruned(alpha));
            }
        }
    }
}
