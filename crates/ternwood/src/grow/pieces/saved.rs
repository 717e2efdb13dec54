//! A growth as plain data: what has been decided. What is on its way begins again.

use super::growth::{Facts, Finished, Growth, Limits, ZonedTest};
use super::holder::Setup;
use super::reply::mismatch;
use super::route::TestRecord;
use super::tasks::Task;
use super::zone_task::ZoneTask;
use crate::dataset::Schema;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::classes::{Classes, Tally};
use crate::grow::nodes::{GrownNode, GrownSplit};
use crate::grow::search::SplitChoice;
use crate::grow::stream::NodeKey;
use crate::recipe::CheckedParams;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
