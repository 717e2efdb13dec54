//! The side that grows the tree, and knows no rows. Saved, it is what has been decided; what is on its way begins again.

use super::holder::Setup;
use super::messages::{Ask, Reply, Route, TestRecord, mismatch};
use super::tasks::Task;
use super::zone_task::ZoneTask;
use crate::dataset::{Matrix, RowWeights, Schema};
use crate::error::{ErrorKind, Result};
use crate::exec::Exec;
use crate::grow::classes::{ClassTraining, Classes, Tally, TrainingPart, class_factors_of};
use crate::grow::evidence::EvidenceRules;
use crate::grow::grown::tree_of;
use crate::grow::neighbours;
use crate::grow::node_loop::rules::GrowRules;
use crate::grow::nodes::{GrownNode, GrownSplit, graft, preorder};
use crate::grow::search::SplitChoice;
use crate::grow::search::binned::{BinKind, BinnedColumns};
use crate::grow::stream::NodeKey;
use crate::grow::training::ColumnKind;
use crate::recipe::{CheckedParams, Criterion};
use crate::tree::{Test, Tree};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How much is asked at once, and when a node is small. The tree does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Limits {
    /// Nodes of at most so many rows are fetched and finished in one place.
    pub(crate) fetched_rows: u32,
    /// About the most bytes of an answer.
    pub(crate) answer_bytes: u64,
    /// The most bins of a feature.
    pub(crate) bins: u16,
}

/// A tree that grows from answers.
#[derive(Debug)]
pub(crate) struct Growth {
    pub(super) params: CheckedParams,
    pub(super) setup: Arc<Setup>,
    pub(super) single_valued: Vec<Vec<bool>>,
    /// The classes of all rows.
    pub(super) whole: Tally,
    pub(super) class_factors: Vec<f64>,
    pub(super) columns: Arc<[ColumnKind]>,
    pub(super) bins: BinnedColumns,
    pub(super) limits: Limits,
    /// In the order in which they were made. The rows of a node are a range of imagined places.
    pub(super) nodes: Vec<GrownNode<Classes>>,
    /// The test of every split with its zone, and the rows within, once they are known.
    pub(super) zones: Vec<Option<ZonedTest>>,
    /// The subtrees of nodes that were fetched.
    pub(super) finished: BTreeMap<usize, Finished>,
    pub(super) tasks: Vec<Task>,
}

/// A test with its zone, and the number of rows within.
pub(super) type ZonedTest = (Test, u32);

/// The subtree of a node, and the tests of its splits with their zones.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) nodes: Vec<GrownNode<Classes>>,
    pub(super) zones: Vec<Option<ZonedTest>>,
}

/// What is known about the rows before the first split.
pub(super) struct Facts<'a> {
    pub(super) params: CheckedParams,
    pub(super) setup: Arc<Setup>,
    pub(super) schema: &'a Schema,
    pub(super) single_valued: Vec<Vec<bool>>,
    pub(super) whole: Tally,
    pub(super) limits: Limits,
}

impl Growth {
    /// What is asked before there is a tree.
    pub(crate) fn first_asks() -> Vec<Ask> {
        vec![Ask::SingleValued, Ask::Count { node: 0 }]
    }

    /// Begins with the replies to [`first_asks`](Self::first_asks).
    ///
    /// # Errors
    /// Replies to something else, no rows that count, or cancelled.
    pub(crate) fn new(
        params: CheckedParams,
        setup: Arc<Setup>,
        schema: &Schema,
        limits: Limits,
        replies: Vec<Reply>,
        exec: &Exec,
    ) -> Result<Self> {
        let Ok([Reply::SingleValued(single_valued), Reply::Counts(counts)]) =
            <[Reply; 2]>::try_from(replies)
        else {
            return Err(mismatch("it does not count the rows"));
        };
        let cells = counts.first().map(|counts| counts.cells(setup.weights.unit()));
        let whole = Tally::of_cells(&cells.unwrap_or_default(), schema.n_classes());
        if whole.n_rows() == 0 {
            return Err(ErrorKind::WeightsAllZero { rows: 0 }.into());
        }
        let facts = Facts { params, setup, schema, single_valued, whole, limits };
        let mut growth = Self::from_facts(facts)?;
        let root = growth.with_rules(exec, |rules| {
            let n_rows = growth.whole.n_rows();
            rules.node(0..n_rows, growth.whole.clone(), 0, NodeKey::root())
        });
        growth.nodes.push(root);
        growth.zones.push(None);
        if growth.with_rules(exec, |rules| !rules.must_be_leaf(&growth.nodes[0])) {
            growth.enter(0, counts, exec)?;
        }
        Ok(growth)
    }

    pub(super) fn from_facts(facts: Facts<'_>) -> Result<Self> {
        let Facts { params, setup, schema, single_valued, whole, limits } = facts;
        let class_factors =
            class_factors_of(&params.class_weight, schema.n_classes(), || whole.counts.clone())?;
        let columns = ColumnKind::of(schema, |feature| setup.missing[feature as usize]);
        let n_bins = setup.bins.iter().map(BinKind::n_bins);
        if !single_valued.iter().map(Vec::len).eq(n_bins) {
            return Err(mismatch("it has other bins"));
        }
        let nothing = nowhere(&columns, &class_factors, params.criterion);
        let bins =
            BinnedColumns::of_rows_elsewhere(&nothing, setup.bins.clone(), single_valued.clone());
        drop(nothing);
        Ok(Self {
            params,
            setup,
            single_valued,
            whole,
            class_factors,
            columns,
            bins,
            limits,
            nodes: Vec::new(),
            zones: Vec::new(),
            finished: BTreeMap::new(),
            tasks: Vec::new(),
        })
    }

    /// A training set with these columns and classes, and without rows.
    pub(super) fn nowhere(&self) -> ClassTraining<'_> {
        nowhere(&self.columns, &self.class_factors, self.params.criterion)
    }

    /// Does something with the growing rules.
    pub(super) fn with_rules<T>(
        &self,
        exec: &Exec,
        f: impl FnOnce(&GrowRules<'_, Classes>) -> T,
    ) -> T {
        let training = self.nowhere();
        f(&GrowRules::new(&training, &self.whole, &self.params, None, exec))
    }

    pub(super) fn evidence_rules(&self, training: &ClassTraining<'_>) -> EvidenceRules {
        EvidenceRules::of_whole(&self.whole, training, &self.params)
    }

    /// The tree so far, for pieces to send their rows through.
    pub(crate) fn routes(&self) -> Vec<Route> {
        let route = |node: &GrownNode<Classes>| match &node.split {
            None => Route::Leaf,
            Some(split) => Route::Split {
                test: TestRecord::from(&split.test),
                left: split.left as u32,
                right: split.right as u32,
            },
        };
        self.nodes.iter().map(route).collect()
    }

    /// What to ask now; nothing if the tree is grown. Tasks that would make the answer too large wait.
    pub(crate) fn asks(&self) -> Vec<Ask> {
        self.tasks[..self.n_now()].iter().flat_map(|task| task.asks(self)).collect()
    }

    /// The number of tasks whose asks fit into one question.
    fn n_now(&self) -> usize {
        let mut bytes = 0;
        let fits = |task: &&Task| {
            let fits = bytes == 0 || bytes + task.reply_bytes(self) <= self.limits.answer_bytes;
            bytes += task.reply_bytes(self);
            fits
        };
        self.tasks.iter().take_while(fits).count()
    }

    /// Goes on with the replies to [`asks`](Self::asks).
    ///
    /// # Errors
    /// Replies to something else, or cancelled: nothing has changed then that matters to `asks`.
    pub(crate) fn take(&mut self, replies: Vec<Reply>, exec: &Exec) -> Result<()> {
        if replies.len() != self.asks().len() {
            return Err(mismatch("it has another number of replies"));
        }
        let mut replies = replies.into_iter();
        let waiting = self.tasks.split_off(self.n_now());
        for task in std::mem::take(&mut self.tasks) {
            let n_asks = task.asks(self).len();
            let own = replies.by_ref().take(n_asks).collect();
            task.advance(self, own, exec)?;
            // A search that was cancelled has ended with any split.
            exec.check()?;
        }
        // Those that waited come first: what they keep is needed longest.
        let new = std::mem::replace(&mut self.tasks, waiting);
        self.tasks.extend(new);
        Ok(())
    }

    /// The number of rows in nodes that are not finished, and the number of nodes so far.
    pub(crate) fn progress(&self) -> (u64, usize) {
        let open = self.tasks.iter().flat_map(Task::growing);
        let rows = open.map(|node| self.nodes[node].tally.n_rows() as u64).sum();
        let below = self.finished.values().map(|finished| finished.nodes.len() - 1);
        (rows, self.nodes.len() + below.sum::<usize>())
    }

    /// The grown tree with its zones, still without digits.
    pub(crate) fn tree(&self) -> Tree {
        let (mut nodes, mut zones) = (self.nodes.clone(), self.zones.clone());
        for (&root, Finished { nodes: subtree, zones: tests }) in &self.finished {
            graft(&mut nodes, root, subtree.clone());
            zones[root].clone_from(&tests[0]);
            zones.extend_from_slice(&tests[1..]);
        }
        let tree = tree_of(&nodes, &self.nowhere());
        let tests = preorder(&nodes).into_iter().map(|node| zones[node].clone()).collect();
        let tree = tree.with_tests(tests);
        match self.params.ccp_alpha {
            alpha if alpha > 0.0 => tree.pruned(alpha),
            _ => tree,
        }
    }

    /// What all pieces have in common.
    pub(crate) fn setup(&self) -> Arc<Setup> {
        Arc::clone(&self.setup)
    }

    /// The weight of each class, class weights included.
    pub(crate) fn class_weights(&self) -> Vec<f64> {
        self.nowhere().weighted(&self.whole.counts)
    }

    /// What to ask for the digits of a finished tree.
    pub(crate) fn asks_for_digits(tree: &Tree) -> Vec<Ask> {
        let cuts = (0..).zip(neighbours::cuts_of(tree));
        let cuts = cuts.filter(|(_, cuts)| !cuts.is_empty());
        cuts.map(|(feature, cuts)| Ask::Neighbours { feature, cuts }).collect()
    }

    /// The tree with digits, from the replies to [`asks_for_digits`](Self::asks_for_digits).
    ///
    /// # Errors
    /// Replies to something else, or cancelled.
    pub(crate) fn with_digits(tree: Tree, replies: Vec<Reply>, exec: &Exec) -> Result<Tree> {
        let mut replies = replies.into_iter();
        let mut next_to = Vec::new();
        for cuts in neighbours::cuts_of(&tree) {
            next_to.push(match (cuts.is_empty(), replies.as_slice()) {
                (true, _) => Vec::new(),
                (false, [Reply::Neighbours(found), ..]) if found.len() == cuts.len() => {
                    let found = found.clone();
                    replies.next();
                    found
                }
                _ => return Err(mismatch("it does not say what lies next to the cuts")),
            });
        }
        neighbours::with_digits_next_to(tree, &next_to, exec)
    }
}

fn nowhere<'a>(
    columns: &Arc<[ColumnKind]>,
    class_factors: &[f64],
    criterion: Criterion,
) -> ClassTraining<'a> {
    ClassTraining::from(TrainingPart {
        matrix: Matrix::empty(columns.len()),
        classes: &[],
        weights: Arc::new(RowWeights::Unit),
        class_factors: class_factors.to_vec(),
        criterion,
        columns: Arc::clone(columns),
        rows: Vec::new(),
    })
}

/// A growth between two rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedGrowth {
    setup: Setup,
    single_valued: Vec<Vec<bool>>,
    whole: Tally,
    limits: Limits,
    nodes: Vec<SavedNode>,
    finished: Vec<(u32, Vec<SavedNode>)>,
    /// Nodes that are not finished.
    growing: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SavedNode {
    tally: Tally,
    depth: u32,
    key: NodeKey,
    split: Option<SavedSplit>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SavedSplit {
    /// Without a zone.
    test: TestRecord,
    gain: f64,
    left: u32,
    right: u32,
    /// With its zone, if that is known, and the rows within.
    zoned: Option<(TestRecord, u32)>,
}

impl Growth {
    pub(crate) fn save(&self) -> SavedGrowth {
        let finished = self
            .finished
            .iter()
            .map(|(&node, Finished { nodes, zones })| (node as u32, saved_nodes(nodes, zones)));
        let growing = self.tasks.iter().flat_map(Task::growing);
        SavedGrowth {
            setup: Setup::clone(&self.setup),
            single_valued: self.single_valued.clone(),
            whole: self.whole.clone(),
            limits: self.limits,
            nodes: saved_nodes(&self.nodes, &self.zones),
            finished: finished.collect(),
            growing: growing.map(|node| node as u32).collect(),
        }
    }
}

impl SavedGrowth {
    /// Goes on where it was saved.
    ///
    /// # Errors
    /// A growth that never was.
    pub(crate) fn restore(
        self,
        params: CheckedParams,
        schema: &Schema,
        exec: &Exec,
    ) -> Result<Growth> {
        self.setup.check(schema)?;
        let facts = Facts {
            params,
            setup: Arc::new(self.setup),
            schema,
            single_valued: self.single_valued,
            whole: self.whole,
            limits: self.limits,
        };
        let mut growth = Growth::from_facts(facts)?;
        (growth.nodes, growth.zones) = restored(&growth, self.nodes, exec)?;
        for (node, nodes) in self.finished {
            let (nodes, zones) = restored(&growth, nodes, exec)?;
            growth.finished.insert(node as usize, Finished { nodes, zones });
        }
        let n_nodes = growth.nodes.len();
        let of_tree = self.growing.iter().all(|&node| (node as usize) < n_nodes);
        if n_nodes == 0 || !of_tree || growth.finished.keys().any(|&node| node >= n_nodes) {
            return Err(mismatch("the saved tree is broken"));
        }
        for node in self.growing.into_iter().map(|node| node as usize) {
            let is_small = growth.is_small(node);
            growth.tasks.push(if is_small { Task::Fetch { node } } else { Task::Count { node } });
        }
        for node in 0..n_nodes {
            if growth.nodes[node].split.is_some() && growth.zones[node].is_none() {
                growth.tasks.push(Task::Zone(ZoneTask::new(node)));
            }
        }
        Ok(growth)
    }
}

fn saved_nodes(nodes: &[GrownNode<Classes>], zones: &[Option<ZonedTest>]) -> Vec<SavedNode> {
    let saved = |(node, zone): (&GrownNode<Classes>, &Option<ZonedTest>)| SavedNode {
        tally: node.tally.clone(),
        depth: node.depth,
        key: node.key,
        split: node.split.as_ref().map(|split| SavedSplit {
            test: TestRecord::from(&split.choice.test),
            gain: split.choice.gain,
            left: split.left as u32,
            right: split.right as u32,
            zoned: zone.as_ref().map(|(test, rows)| (TestRecord::from(test), *rows)),
        }),
    };
    nodes.iter().zip(zones).map(saved).collect()
}

type Restored = (Vec<GrownNode<Classes>>, Vec<Option<ZonedTest>>);

fn restored(growth: &Growth, saved: Vec<SavedNode>, exec: &Exec) -> Result<Restored> {
    let (n_nodes, n_features) = (saved.len(), growth.columns.len());
    let n_classes = growth.class_factors.len();
    let (mut nodes, mut zones) = (Vec::with_capacity(n_nodes), Vec::with_capacity(n_nodes));
    for (index, SavedNode { tally, depth, key, split }) in saved.into_iter().enumerate() {
        if tally.rows.len() != n_classes || tally.counts.len() != n_classes {
            return Err(mismatch("the saved tree has other classes"));
        }
        // Where rows are is of no importance, only how many they are.
        let mut node =
            growth.with_rules(exec, |rules| rules.node(0..tally.n_rows(), tally, depth, key));
        let mut zone = None;
        if let Some(SavedSplit { test, gain, left, right, zoned }) = split {
            let [left, right] = [left as usize, right as usize];
            if left <= index || right <= index || left.max(right) >= n_nodes {
                return Err(mismatch("the saved tree is broken"));
            }
            let test = test.test(n_features)?;
            let choice = SplitChoice { test: test.clone(), gain };
            node.split =
                Some(GrownSplit { choice, test, left, middle: None, right, summary: None });
            if let Some((test, rows)) = zoned {
                zone = Some((test.test(n_features)?, rows));
            }
        }
        nodes.push(node);
        zones.push(zone);
    }
    Ok((nodes, zones))
}
