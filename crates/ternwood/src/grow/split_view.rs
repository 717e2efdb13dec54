//! One split of a finished tree in detail.

use super::classes::ClassTraining;
use super::evidence::{Candidate, EvidenceRules, SplitEvidence};
use super::search::{NO_GAIN, NodeToSplit, SplitChoice};
use super::stream::NodeKey;
use super::zones::node_bootstrap;
use crate::dataset::{DatasetView, check_length};
use crate::error::{ErrorKind, Result};
use crate::recipe::{Resamples, TreeParams, ZoneKind, ZoneParams};
use crate::tree::{NodeId, Side, Split, Test, Tree, Zone};

/// The data behind the zone of one split, and the zone that each estimator gives it.
///
/// With the data and parameters of the fit, this is exactly what the fit saw, random resamples
/// included.
///
/// ```
/// use ternwood::grow::SplitView;
/// use ternwood::tree::NodeId;
/// use ternwood::{Columns, Dataset, Exec, Labels, Learner, Routing, TreeParams};
///
/// let columns = Columns::from_columns((0..8).map(f64::from).collect(), 1)?;
/// let data = Dataset::new(columns, Labels::from_values([0, 0, 0, 1, 0, 1, 1, 1]))?;
/// let learner = Learner::new(TreeParams::default(), Routing::Probabilistic)?;
/// let model = learner.fit(&data, &Exec::default())?;
///
/// let view = SplitView::new(&model.trees()[0], &data, &model.recipe().params, NodeId::ROOT)?;
/// assert_eq!(view.candidates.len(), 7);
/// assert_eq!(view.estimates.len(), 5);
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SplitView {
    /// The test.
    pub test: Test,
    /// The gain of the split.
    pub gain: f64,
    /// The feature's values at the node, ascending, with their classes.
    pub values: Vec<ValueGroup>,
    /// All legal candidate thresholds with their gains, ascending.
    pub candidates: Vec<Candidate>,
    /// The best threshold of each usable `node_bootstrap` resample, in the order drawn; empty for
    /// nodes of fewer than 10 rows.
    pub resampled_thresholds: Vec<f64>,
    /// The zone of each estimator: the paper's five, then the tree's own kind if it is not one of
    /// them. The tree's own kind keeps its parameters.
    pub estimates: Vec<ZoneEstimate>,
}

/// All rows of a node with the same value and class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueGroup {
    /// The value.
    pub value: f64,
    /// The class id.
    pub class: u32,
    /// The number of rows.
    pub rows: u32,
    /// Their total weight, class weights included.
    pub weight: f64,
}

/// The zone that one estimator gives a split.
#[derive(Debug, Clone, PartialEq)]
pub struct ZoneEstimate {
    /// The estimator.
    pub kind: ZoneKind,
    /// The half-width, clamped and scaled by the tree's parameters.
    pub half_width: f64,
    /// The number of the node's rows within the zone.
    pub rows_within: u32,
}

impl SplitView {
    /// The split `node` of `tree`, with the rows of `data` that reach it.
    ///
    /// # Errors
    /// A node that is not a split or that no row reaches, data whose columns or classes do not
    /// match the tree, or invalid parameters.
    pub fn new<'a>(
        tree: &Tree,
        data: impl Into<DatasetView<'a>>,
        params: &TreeParams,
        node: NodeId,
    ) -> Result<Self> {
        let (data, params) = (data.into(), params.clone().check()?);
        check_length("the list of columns", data.n_features(), tree.n_features(), "the tree's")?;
        check_length("the list of classes", data.n_classes(), tree.n_classes(), "the tree's")?;
        params.zone.check_features(data.n_features())?;
        let split = split_at(tree, node)?;
        let training = ClassTraining::of(data, &params)?;
        let (rows, key) = rows_at(tree, &training, node);
        if rows.is_empty() {
            return Err(node_error(node, "no row of the data reaches it"));
        }
        let tally = training.tally(&rows);
        let to_split = NodeToSplit { rows: &rows, tally: &tally, key };
        let rules = EvidenceRules::new(&training, &params);
        let test = split.test.clone().with_half_width(0.0);
        let mut choice = SplitChoice { test, gain: 0.0 };
        let evidence = SplitEvidence::new(&training, rules, to_split, choice.clone());
        choice.gain = evidence.score(rules.criterion).gain;
        if params.zero_gain_splits && choice.gain < NO_GAIN {
            choice.gain = 0.0;
        }
        let evidence = SplitEvidence::new(&training, rules, to_split, choice);
        Ok(Self::of(&evidence, split, &params.zone))
    }

    fn of(evidence: &SplitEvidence<'_>, split: &Split, own: &ZoneParams) -> Self {
        let values = evidence.entries().iter().map(|entry| ValueGroup {
            value: entry.value,
            class: entry.class,
            rows: entry.rows,
            weight: evidence.weight(entry),
        });
        let resamples = match own.kind {
            ZoneKind::NodeBootstrap { resamples } => resamples,
            _ => Resamples::Auto,
        };
        let estimates = kinds(&own.kind).into_iter().map(|kind| {
            let half_width = if kind.needs_predictions() {
                split.test.zone().map_or(0.0, Zone::half_width)
            } else {
                ZoneParams { kind: kind.clone(), ..own.clone() }.half_width(evidence)
            };
            let rows_within = evidence.rows_within(&split.test.clone().with_half_width(half_width));
            ZoneEstimate { kind, half_width, rows_within }
        });
        Self {
            test: split.test.clone(),
            gain: evidence.gain(),
            values: values.collect(),
            candidates: evidence.candidates(),
            resampled_thresholds: node_bootstrap::thresholds(evidence, resamples),
            estimates: estimates.collect(),
        }
    }
}

/// The published kinds. `own` replaces the one of its name, or comes last.
fn kinds(own: &ZoneKind) -> Vec<ZoneKind> {
    let mut kinds = ZoneKind::published().to_vec();
    match kinds.iter_mut().find(|kind| kind.as_str() == own.as_str()) {
        Some(kind) => *kind = own.clone(),
        None if *own != ZoneKind::None => kinds.push(own.clone()),
        None => {}
    }
    kinds
}

fn split_at(tree: &Tree, node: NodeId) -> Result<&Split> {
    if node.index() >= tree.n_nodes() {
        return Err(node_error(node, &format!("the tree has only {} nodes", tree.n_nodes())));
    }
    let split = tree.node(node).as_split();
    let split = split.ok_or_else(|| node_error(node, "it is a leaf; it has no zone"))?;
    match split.test.zone() {
        Some(_) => Ok(split),
        None => Err(node_error(node, "it has no threshold, and so no zone around one")),
    }
}

/// The rows that reach a node, and the node's key.
fn rows_at(tree: &Tree, training: &ClassTraining<'_>, node: NodeId) -> (Vec<u32>, NodeKey) {
    let parents = tree.parents();
    let mut path = vec![node];
    while let Some(parent) = parents[path[path.len() - 1].index()] {
        path.push(parent);
    }
    path.reverse();
    let mut rows = training.rows().to_vec();
    let mut key = NodeKey::root();
    for step in path.windows(2) {
        let Some(split) = tree.node(step[0]).as_split() else { break };
        let column = training.column(split.test.feature().0);
        let use_zones = split.middle.is_some();
        let sides = [Side::Below, Side::Within, Side::Above];
        let position = sides.iter().position(|&side| split.child(side) == Some(step[1]));
        let position = position.unwrap_or_default();
        rows.retain(|&row| {
            split.test.training_side(column.at(row as usize), use_zones) == sides[position]
        });
        key = key.child(position as u64);
    }
    (rows, key)
}

fn node_error(node: NodeId, problem: &str) -> crate::error::Error {
    ErrorKind::Tree { node: node.index(), problem: problem.to_owned() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Columns, Dataset, Labels};
    use crate::exec::Exec;
    use crate::grow::Grower;
    use crate::recipe::CheckedParams;

    /// Two features; the class depends on both, with rows on the wrong side.
    fn data() -> Dataset {
        let a = (0..60).map(|i| f64::from(i * 37 % 60));
        let b = (0..60).map(|i| f64::from(i * 23 % 60));
        let columns = Columns::from_columns(a.chain(b).collect(), 2).unwrap();
        let class = |i: i32| i32::from((i * 37 % 60) + (i * 23 % 60) / 2 + (i % 7) * 4 > 55);
        Dataset::new(columns, Labels::from_values((0..60).map(class))).unwrap()
    }

    fn params(kind: ZoneKind) -> CheckedParams {
        TreeParams { max_depth: Some(3), zone: kind.into(), seed: 5, ..TreeParams::default() }
            .check()
            .unwrap()
    }

    #[test]
    fn a_view_sees_what_learning_saw() {
        let data = data();
        for kind in ZoneKind::published() {
            let params = params(kind.clone());
            let grower = || Grower::new(&data, &params).unwrap();
            let exec = Exec::default();
            let two = grower().grow_two_child(&exec).unwrap().with_zones(&params.zone).unwrap();
            let three = grower().grow_three_child(&exec).unwrap();
            for tree in [two, three] {
                let mut splits = 0;
                for id in tree.ids().filter(|&id| !tree.node(id).is_leaf()) {
                    splits += 1;
                    let view = SplitView::new(&tree, &data, &params, id).unwrap();
                    let own = view.estimates.iter().find(|e| e.kind == kind).unwrap();
                    assert_eq!(
                        own.half_width,
                        view.test.zone().unwrap().half_width(),
                        "node {id}, {kind:?}"
                    );
                    assert_eq!(own.rows_within, tree.rows_within(id));
                    assert_eq!(view.values.iter().map(|v| v.rows).sum::<u32>(), tree.rows(id));
                    let best = view.candidates.iter().map(|c| c.gain).fold(0.0, f64::max);
                    assert_eq!(view.gain, best);
                }
                assert!(splits > 1);
            }
        }
    }

    #[test]
    fn an_own_kind_is_listed_with_its_knobs() {
        assert_eq!(kinds(&ZoneKind::None), ZoneKind::published());
        let own = ZoneKind::ClassOverlap { tail: 0.2 };
        assert_eq!(kinds(&own)[1], own);
        let own = ZoneKind::Specified { half_widths: vec![1.0] };
        assert_eq!(kinds(&own)[5], own);
    }

    #[test]
    fn only_splits_that_rows_reach_can_be_viewed() {
        let data = data();
        let params = params(ZoneKind::Margin);
        let grower = Grower::new(&data, &params).unwrap();
        let tree = grower.grow_two_child(&Exec::default()).unwrap().tree();
        let problem = |node| SplitView::new(&tree, &data, &params, node).unwrap_err().to_string();
        let leaf = tree.ids().find(|&id| tree.node(id).is_leaf()).unwrap();
        assert!(problem(leaf).ends_with("it is a leaf; it has no zone"));
        assert!(problem(NodeId(999)).starts_with("node 999: the tree has only"));
        let far = Columns::from_columns(vec![1e9; 4], 2).unwrap();
        let far = Dataset::new(far, Labels::from_values([0, 1])).unwrap();
        let left = tree.node(NodeId::ROOT).as_split().unwrap().left;
        assert!(!tree.node(left).is_leaf());
        let error = SplitView::new(&tree, &far, &params, left).unwrap_err();
        assert!(error.to_string().ends_with("no row of the data reaches it"), "{error}");
    }
}
