//! The side that grows the tree, and knows no rows.

use super::ask::Ask;
use super::holder::Setup;
use super::reply::{Reply, mismatch};
use super::route::{Route, TestRecord};
use super::tasks::Task;
use crate::dataset::{Matrix, RowWeights, Schema};
use crate::error::{ErrorKind, Result};
use crate::exec::Exec;
use crate::grow::classes::{ClassTraining, Classes, Tally, TrainingPart, class_factors_of};
use crate::grow::evidence::EvidenceRules;
use crate::grow::grown::tree_of;
use crate::grow::neighbours;
use crate::grow::node_loop::rules::GrowRules;
use crate::grow::nodes::{GrownNode, graft, preorder};
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
