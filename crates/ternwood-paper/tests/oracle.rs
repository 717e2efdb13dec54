//! Does the engine answer like the published method, fold by fold and node by node?
//!
//! `shared/oracle` beside the project has per-fold results of the published method on small
//! real data sets, and the trees of fold 0. The only excuse for a difference is a node where
//! two splits have equal gain to 1e-12: the test proves each one and lists it.

#![expect(clippy::unwrap_used, reason = "a test: what cannot be read shall fail it")]

use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use ternwood::metrics::mean_of_present;
use ternwood::{
    CheckedParams, Dataset, Evaluation, Grower, Node, NodeId, Routing, Rows, Side, Tree,
    TreeParams, Walker, Workers, ZoneKind,
};
use ternwood_paper::{Collection, FoldData};

#[derive(Deserialize)]
struct Oracle {
    openml_id: u32,
    name: String,
    results: Vec<PublishedResult>,
    fold_0_trees: BTreeMap<String, PublishedNode>,
}

#[derive(Deserialize)]
struct PublishedResult {
    fold: u8,
    zone: String,
    routing: String,
    accuracy: f64,
    undecided_rate: f64,
    decided_accuracy: Option<f64>,
    decided_f1: Option<f64>,
}

#[derive(Deserialize)]
struct PublishedNode {
    rows: u32,
    feature: Option<u32>,
    threshold: Option<f64>,
    half_width: Option<f64>,
    left: Option<Box<PublishedNode>>,
    middle: Option<Box<PublishedNode>>,
    right: Option<Box<PublishedNode>>,
    distribution: Option<Vec<f64>>,
}

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

fn oracles(folder: &Path) -> Vec<Oracle> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder.join("oracle"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    let read = |path: &PathBuf| std::fs::read_to_string(path).unwrap();
    paths.iter().map(|path| serde_json::from_str(&read(path)).unwrap()).collect()
}

fn params(zone: ZoneKind) -> CheckedParams {
    let params = TreeParams { max_depth: Some(4), seed: 42, ..TreeParams::default() };
    params.with_zone(zone).check().unwrap()
}

/// The trees of every published zone and routing on one fold.
struct FoldTrees {
    fold: FoldData,
    trees: HashMap<(String, Routing), Tree>,
}

impl FoldTrees {
    fn grow(fold: FoldData) -> Self {
        let mut trees = HashMap::new();
        let plain = params(ZoneKind::None);
        let grown = Grower::new(&fold.train, &plain).unwrap().grow_two_child().unwrap();
        for zone in ZoneKind::published() {
            let name = zone.as_str().to_owned();
            let two = grown.with_zones(&zone.clone().into()).unwrap();
            let three = params(zone);
            let three = Grower::new(&fold.train, &three).unwrap().grow_three_child().unwrap();
            trees.insert((name.clone(), Routing::Probabilistic), two.clone());
            trees.insert((name.clone(), Routing::Deferred), two);
            trees.insert((name, Routing::HardMiddle), three);
        }
        drop(grown);
        Self { fold, trees }
    }

    fn evaluate(&self, zone: &str, routing: Routing) -> Evaluation {
        let tree = &self.trees[&(zone.to_owned(), routing)];
        let walker = Walker::new(tree, routing).unwrap();
        let rows = Rows::from(self.fold.test.columns());
        let predictions = walker.predict(rows, &Workers::single()).unwrap();
        let truth = self.fold.test.labels().ids();
        Evaluation::new(truth, predictions.classes(), predictions.verdicts()).unwrap()
    }
}

/// A node of our tree and the training rows that stand there.
struct Standing {
    id: NodeId,
    rows: Vec<usize>,
}

impl Standing {
    fn root(data: &Dataset) -> Self {
        Self { id: NodeId::ROOT, rows: (0..data.n_rows()).collect() }
    }

    /// The children with their rows, from left to right.
    fn children(&self, tree: &Tree, data: &Dataset) -> Vec<Self> {
        let Node::Split(split) = tree.node(self.id) else { return Vec::new() };
        let column = data.columns().column(split.feature.index());
        let goes_to = |row: usize| {
            let x = column[row];
            match (split.middle, split.zone.side(x)) {
                (Some(middle), Side::Within) => middle,
                (Some(_), Side::Below) => split.left,
                (Some(_), Side::Above) => split.right,
                (None, _) if split.zone.goes_left(x) => split.left,
                (None, _) => split.right,
            }
        };
        let rows_of =
            |child| self.rows.iter().copied().filter(|&row| goes_to(row) == child).collect();
        split.children().map(|id| Self { id, rows: rows_of(id) }).collect()
    }

    /// The published gain of cutting these rows by `x <= threshold`.
    fn gain(&self, data: &Dataset, feature: usize, threshold: f64) -> f64 {
        let column = data.columns().column(feature);
        let mut counts = [vec![0.0; data.n_classes()], vec![0.0; data.n_classes()]];
        for &row in &self.rows {
            let side = usize::from(column[row] > threshold);
            counts[side][data.labels().ids()[row] as usize] += 1.0;
        }
        let both: Vec<f64> = counts[0].iter().zip(&counts[1]).map(|(l, r)| l + r).collect();
        let n: f64 = both.iter().sum();
        let impurity = |counts: &[f64]| {
            let n: f64 = counts.iter().sum();
            1.0 - counts.iter().map(|c| c / n * (c / n)).sum::<f64>()
        };
        let share = |counts: &[f64]| counts.iter().sum::<f64>() / n * impurity(counts);
        impurity(&both) - (share(&counts[0]) + share(&counts[1]))
    }

    /// Another split of the node whose gain equals that of its own to 1e-12.
    fn equal_split(&self, tree: &Tree, data: &Dataset) -> Option<(usize, f64)> {
        let split = tree.node(self.id).as_split()?;
        let own = (split.feature.index(), split.zone.threshold());
        let best = self.gain(data, own.0, own.1);
        for feature in 0..data.n_features() {
            let mut values: Vec<f64> =
                self.rows.iter().map(|&row| data.columns().column(feature)[row]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            for pair in values.windows(2) {
                let threshold = (pair[0] + pair[1]) / 2.0;
                let other = (feature, threshold);
                if other != own && (self.gain(data, feature, threshold) - best).abs() <= TIE {
                    return Some(other);
                }
            }
        }
        None
    }
}

/// Two gains are equal if they differ by no more than this.
const TIE: f64 = 1e-12;

/// A node of the tree that has two equally good splits.
fn some_tie(tree: &Tree, data: &Dataset) -> Option<String> {
    let mut waiting = vec![Standing::root(data)];
    while let Some(standing) = waiting.pop() {
        if let Some((feature, threshold)) = standing.equal_split(tree, data) {
            return Some(format!(
                "node {} could as well test feature {feature} at {threshold}",
                standing.id
            ));
        }
        waiting.extend(standing.children(tree, data));
    }
    None
}

fn close(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() <= 1e-9 * theirs.abs().max(ours.abs())
}

/// Compares node by node; returns how many nodes agree and the ties that excuse differences.
fn compare_trees(
    tree: &Tree,
    data: &Dataset,
    published: &PublishedNode,
) -> Result<(usize, Vec<String>), String> {
    let (mut agree, mut ties) = (0, Vec::new());
    let mut waiting = vec![(Standing::root(data), published)];
    while let Some((standing, published)) = waiting.pop() {
        let id = standing.id;
        if tree.rows(id) != published.rows {
            return Err(format!("node {id}: {} rows, published {}", tree.rows(id), published.rows));
        }
        match (tree.node(id), published) {
            (Node::Leaf, PublishedNode { distribution: Some(theirs), .. }) => {
                let ours = tree.distribution(id);
                if ours.len() != theirs.len()
                    || !ours.iter().zip(theirs).all(|(a, b)| close(*a, *b))
                {
                    return Err(format!("leaf {id}: distribution {ours:?}, published {theirs:?}"));
                }
            }
            (
                Node::Split(split),
                PublishedNode {
                    feature: Some(feature),
                    threshold: Some(threshold),
                    half_width: Some(half_width),
                    ..
                },
            ) => {
                if split.feature.0 != *feature || !close(split.zone.threshold(), *threshold) {
                    let ours = standing.gain(data, split.feature.index(), split.zone.threshold());
                    let theirs = standing.gain(data, *feature as usize, *threshold);
                    if (ours - theirs).abs() > TIE {
                        return Err(format!(
                            "node {id}: feature {} at {}, gain {ours}; published {feature} at {threshold}, gain {theirs}",
                            split.feature,
                            split.zone.threshold()
                        ));
                    }
                    ties.push(format!(
                        "node {id}: features {} and {feature} have equal gain {ours}",
                        split.feature
                    ));
                    continue;
                }
                if !close(split.zone.half_width(), *half_width) {
                    return Err(format!(
                        "node {id}: half-width {}, published {half_width}",
                        split.zone.half_width()
                    ));
                }
                let theirs =
                    [&published.left, &published.middle, &published.right].into_iter().flatten();
                waiting.extend(
                    standing.children(tree, data).into_iter().zip(theirs.map(AsRef::as_ref)),
                );
            }
            _ => return Err(format!("node {id}: one is a leaf, the other a split")),
        }
        agree += 1;
    }
    Ok((agree, ties))
}

#[test]
#[cfg_attr(not(has_shared_data), ignore = "needs ../shared/{openml,oracle}; see CONTRIBUTING.md")]
fn trees_of_fold_0_agree_node_by_node() {
    let folder = shared();
    let collection = Collection::open(folder.join("openml")).unwrap();
    let (mut nodes, mut trees, mut excuses, mut failures) = (0, 0, 0, Vec::new());
    for oracle in oracles(&folder) {
        let data = collection.load(collection.entry(oracle.openml_id).unwrap()).unwrap();
        let grown = FoldTrees::grow(data.fold(0).unwrap());
        for (key, published) in &oracle.fold_0_trees {
            let (zone, routing) = key.split_once('/').unwrap();
            let tree = &grown.trees[&(zone.to_owned(), routing_named(routing))];
            match compare_trees(tree, &grown.fold.train, published) {
                Ok((agree, ties)) => {
                    nodes += agree;
                    trees += 1;
                    excuses += ties.len();
                    for tie in ties {
                        println!("excused: {} {key} {tie}", oracle.name);
                    }
                }
                Err(problem) => failures.push(format!("{} {key} {problem}", oracle.name)),
            }
        }
    }
    println!("{nodes} nodes of {trees} trees agree");
    assert!(failures.is_empty(), "{} trees differ:\n{}", failures.len(), failures.join("\n"));
    assert!(trees >= 100, "only {trees} trees were compared");
    assert_eq!(excuses, 0, "so far no difference needed an excuse; see the list above");
}

fn routing_named(name: &str) -> Routing {
    Routing::ALL.into_iter().find(|routing| routing.as_str() == name).unwrap()
}

/// The results are rounded to 6 decimals, so they may differ by half a unit of the last.
const ROUNDED: f64 = 0.5e-6 + 1e-9;

fn same(ours: Option<f64>, theirs: Option<f64>) -> bool {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => (ours - theirs).abs() <= ROUNDED,
        (None, None) => true,
        _ => false,
    }
}

#[test]
#[cfg_attr(not(has_shared_data), ignore = "needs ../shared/{openml,oracle}; see CONTRIBUTING.md")]
fn metrics_of_the_deterministic_estimators_agree_in_every_fold() {
    let folder = shared();
    let collection = Collection::open(folder.join("openml")).unwrap();
    let (mut cells, mut excused, mut failures) = (0, 0, Vec::new());
    for oracle in oracles(&folder) {
        let data = collection.load(collection.entry(oracle.openml_id).unwrap()).unwrap();
        for fold in 0..data.n_folds() {
            let grown = FoldTrees::grow(data.fold(fold).unwrap());
            let deterministic = |r: &&PublishedResult| {
                r.fold == fold && r.zone != "none" && r.zone != "node_bootstrap"
            };
            for published in oracle.results.iter().filter(deterministic) {
                let routing = routing_named(&published.routing);
                let rates = grown.evaluate(&published.zone, routing).rates;
                let place = format!("{} fold {fold} {} {routing}", oracle.name, published.zone);
                for (metric, ours, theirs) in [
                    ("accuracy", rates.accuracy, Some(published.accuracy)),
                    ("undecided_rate", rates.undecided_rate, Some(published.undecided_rate)),
                    ("decided_accuracy", rates.decided_accuracy, published.decided_accuracy),
                    ("decided_f1", rates.decided_f1, published.decided_f1),
                ] {
                    cells += 1;
                    if same(ours, theirs) {
                        continue;
                    }
                    let difference = format!("{place}: {metric} {ours:?}, published {theirs:?}");
                    let tree = &grown.trees[&(published.zone.clone(), routing)];
                    match some_tie(tree, &grown.fold.train) {
                        Some(tie) => {
                            println!("excused: {difference}; {tie}");
                            excused += 1;
                        }
                        None => failures.push(difference),
                    }
                }
            }
        }
    }
    println!("{cells} metrics compared, {excused} excused by ties");
    assert!(failures.is_empty(), "{} metrics differ:\n{}", failures.len(), failures.join("\n"));
    assert!(cells >= 4000, "only {cells} metrics were compared");
    assert_eq!(excused, 0, "so far no difference needed an excuse; see the list above");
}

/// The stream's origin was picked so that seed 42 passes this (`DESIGN.md`): it guards what users
/// of that seed get. Whether the estimator is right, the next test asks.
#[test]
#[cfg_attr(not(has_shared_data), ignore = "needs ../shared/{openml,oracle}; see CONTRIBUTING.md")]
fn node_bootstrap_agrees_on_average() {
    let folder = shared();
    let collection = Collection::open(folder.join("openml")).unwrap();
    let mut compared = 0;
    for oracle in oracles(&folder) {
        let data = collection.load(collection.entry(oracle.openml_id).unwrap()).unwrap();
        let folds: Vec<FoldTrees> =
            (0..data.n_folds()).map(|fold| FoldTrees::grow(data.fold(fold).unwrap())).collect();
        for routing in [Routing::Probabilistic, Routing::Deferred, Routing::HardMiddle] {
            let published: Vec<&PublishedResult> = oracle
                .results
                .iter()
                .filter(|r| r.zone == "node_bootstrap" && r.routing == routing.as_str())
                .collect();
            assert_eq!(published.len(), folds.len());
            let ours: Vec<_> =
                folds.iter().map(|fold| fold.evaluate("node_bootstrap", routing).rates).collect();
            let mean = |values: Vec<f64>| mean_of_present(values.into_iter().map(Some)).unwrap();
            let rate = mean(ours.iter().filter_map(|r| r.undecided_rate).collect());
            let published_rate = mean(published.iter().map(|r| r.undecided_rate).collect());
            let accuracy = mean(ours.iter().filter_map(|r| r.accuracy).collect());
            let published_accuracy = mean(published.iter().map(|r| r.accuracy).collect());
            println!(
                "{} {routing}: undecided {rate:.3} ({published_rate:.3}), accuracy {accuracy:.3} ({published_accuracy:.3})",
                oracle.name
            );
            assert!(
                (rate - published_rate).abs() <= 0.08,
                "{} {routing}: undecided rate",
                oracle.name
            );
            assert!(
                (accuracy - published_accuracy).abs() <= 0.03,
                "{} {routing}: accuracy",
                oracle.name
            );
            compared += 1;
        }
    }
    assert!(compared >= 30, "only {compared} were compared");
}

/// On seeds that nobody picked, the published flag rate is like one more draw of ours: within
/// three deviations on every set, and the 18 deviations average to about 0 (three times
/// 1 / sqrt(18) = 0.71 would be a bias).
#[test]
#[cfg_attr(not(has_shared_data), ignore = "needs ../shared/{openml,oracle}; see CONTRIBUTING.md")]
fn the_published_bootstrap_could_be_one_of_our_seeds() {
    let folder = shared();
    let collection = Collection::open(folder.join("openml")).unwrap();
    let kind = ZoneKind::node_bootstrap();
    let mut deviations = Vec::new();
    for oracle in oracles(&folder) {
        let data = collection.load(collection.entry(oracle.openml_id).unwrap()).unwrap();
        let folds: Vec<FoldData> = (0..data.n_folds()).map(|f| data.fold(f).unwrap()).collect();
        let rate = |seed: u64| -> f64 {
            let of_fold = |fold: &FoldData| {
                let params = TreeParams { max_depth: Some(4), seed, ..TreeParams::default() };
                let params = params.check().unwrap();
                let grown = Grower::new(&fold.train, &params).unwrap().grow_two_child().unwrap();
                let tree = grown.with_zones(&kind.clone().into()).unwrap();
                let walker = Walker::new(&tree, Routing::Probabilistic).unwrap();
                let rows = Rows::from(fold.test.columns());
                let verdicts = walker.predict(rows, &Workers::single()).unwrap();
                ternwood::metrics::undecided_rate(verdicts.verdicts()).unwrap()
            };
            folds.iter().map(of_fold).sum::<f64>() / folds.len() as f64
        };
        let rates: Vec<f64> = (0..20).map(rate).collect();
        let mean = rates.iter().sum::<f64>() / 20.0;
        let variance = rates.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / 19.0;
        let published: Vec<f64> = oracle
            .results
            .iter()
            .filter(|r| r.zone == "node_bootstrap" && r.routing == "probabilistic")
            .map(|r| r.undecided_rate)
            .collect();
        let published = published.iter().sum::<f64>() / published.len() as f64;
        // A set that is never flagged has no spread; a percent is a row or two per fold.
        let deviation = (published - mean) / variance.sqrt().max(0.01);
        println!(
            "{}: published {published:.3}, ours {mean:.3} ± {:.3}: {deviation:+.2}",
            oracle.name,
            variance.sqrt()
        );
        assert!(deviation.abs() <= 3.0, "{}: {deviation:+.2} deviations", oracle.name);
        deviations.push(deviation);
    }
    let bias = deviations.iter().sum::<f64>() / deviations.len() as f64;
    println!("mean deviation {bias:+.2} over {} sets", deviations.len());
    assert!(bias.abs() <= 0.71, "the published rates lie to one side: {bias:+.2}");
}
