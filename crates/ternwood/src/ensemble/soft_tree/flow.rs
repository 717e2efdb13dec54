//! Rows flow through a tree, divided by its zones.
//!
//! Nodes are passed in preorder, each with the parts of rows that reach it: what a node knows is read once
//! for all of them, and no memory is searched. A part that a zone divides goes on as two.

use super::lists::{beyond, part};
use super::part::{Numbering, Part};
use super::targets::{blend, put};
use super::{ColumnBlock, SoftNode, SoftTree, Targets, Walk};
use crate::tree::NodeId;
use std::ops::Range;

/// Memory reused from tree to tree.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    /// The parts to which zones matter, at all nodes still to be passed.
    pub(super) free: Vec<Part>,
    /// The numbers of all other parts: they follow thresholds alone.
    pub(super) bound: Vec<u32>,
    /// The values of the parts of a node.
    pub(super) values: Vec<f64>,
    /// Which free parts of a node its zone may divide, and which of them are not free any more.
    pub(super) near: Vec<u32>,
    pub(super) gone: Vec<u32>,
    /// Where the bound parts that are new at a node go, as values: they come last in its list.
    pub(super) sides: Vec<f64>,
    pub(super) numbering: Numbering,
    /// By number of the part.
    pub(super) shares: Vec<f64>,
    /// By row.
    pub(super) n_parts: Vec<u32>,
    /// A division comes after those that it depends on.
    pub(super) divisions: Vec<Division>,
    /// By number of the part, the values of the leaf where it ended.
    pub(super) answers: Vec<f64>,
    /// Nodes still to be passed.
    open: Vec<OpenNode>,
}

/// A zone has divided a part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Division {
    /// The number of the part that kept it, and that of the new one.
    pub(super) parts: [u32; 2],
    /// How much the answers of both count.
    pub(super) weights: [f64; 2],
}

/// A node, and where its parts are.
#[derive(Debug, Clone)]
struct OpenNode {
    node: u32,
    free: Range<usize>,
    bound: Range<usize>,
}

impl SoftTree {
    /// Adds what the tree says of the wanted rows of a block.
    pub(crate) fn add(
        &self,
        walk: Walk<'_>,
        block: ColumnBlock<'_>,
        is_wanted: impl Fn(usize) -> bool,
        memory: &mut Parts,
        targets: &mut Targets<'_>,
    ) {
        let is_crisp = self.is_crisp(walk, block);
        let wanted = (0..block.n_rows as u32).filter(|&row| is_wanted(row as usize));
        memory.begin(wanted, block.n_rows, is_crisp);
        let n_outputs = walk.tree.n_outputs();
        if !is_crisp {
            let most_parts = walk.least_share().most_parts(self.n_leaves());
            memory.make_room(most_parts, block.n_rows, n_outputs);
        }
        while let Some(OpenNode { mut node, mut free, mut bound }) = memory.open.pop() {
            memory.free.truncate(free.end);
            memory.bound.truncate(bound.end);
            // Down the left side; right children wait.
            while !(free.is_empty() && bound.is_empty()) {
                let right = self.nodes[node as usize].right;
                if right == node {
                    let distribution = walk.tree.values(NodeId(node));
                    let (free, bound) = (&memory.free[free], &memory.bound[bound]);
                    if is_crisp {
                        targets.add_rows(distribution, bound);
                    } else {
                        let Parts { numbering, answers, .. } = memory;
                        targets.count_sure(distribution, free, *numbering);
                        put(distribution, free.iter().map(|part| part.number()), answers);
                        put(distribution, bound.iter().copied(), answers);
                    }
                    break;
                }
                let left_free = self.split_free(walk, node, block, free.start, memory);
                let left_bound = self.split_bound(walk, node, block, bound.start, memory);
                let (free_right, bound_right) = (free.start..left_free, bound.start..left_bound);
                memory.open.push(OpenNode { node: right, free: free_right, bound: bound_right });
                (free, bound) = (left_free..memory.free.len(), left_bound..memory.bound.len());
                node += 1;
            }
        }
        if !is_crisp {
            blend(&memory.divisions, &mut memory.answers, n_outputs);
            targets.add_answers(&memory.answers);
        }
    }

    /// True if every row of a block follows thresholds alone, all the way.
    fn is_crisp(&self, walk: Walk<'_>, block: ColumnBlock<'_>) -> bool {
        let no_zones = walk.crisp || walk.scale == 0.0 || !self.has_zones;
        no_zones && self.has_numbers_only && block.is_complete
    }

    /// The half-width of the zone of a node.
    pub(super) fn width(&self, walk: Walk<'_>, node: u32) -> f64 {
        if walk.crisp { 0.0 } else { self.half_widths[node as usize] * walk.scale }
    }

    /// Splits the free parts of a node, which begin at `start`: those of the right child take their place, those
    /// of the left one come after them. Returns where they begin.
    fn split_free(
        &self,
        walk: Walk<'_>,
        node: u32,
        block: ColumnBlock<'_>,
        start: usize,
        memory: &mut Parts,
    ) -> usize {
        if start == memory.free.len() {
            return start;
        }
        self.divide(walk, node, block, start, memory);
        start + part(&mut memory.free[start..], &memory.values, self.nodes[node as usize].pivot())
    }

    /// The same for the bound parts. Some of the free ones have just become so.
    fn split_bound(
        &self,
        walk: Walk<'_>,
        node: u32,
        block: ColumnBlock<'_>,
        start: usize,
        memory: &mut Parts,
    ) -> usize {
        let Parts { bound, values, sides, numbering, .. } = memory;
        let split = self.nodes[node as usize];
        let SoftNode { threshold, feature, .. } = split;
        let old = start..bound.len() - sides.len();
        block.gather(feature, bound[old].iter().map(|&number| numbering.row(number)), values);
        if !block.is_complete || threshold.is_nan() {
            for x in values.iter_mut().filter(|x| x.is_nan() || threshold.is_nan()) {
                *x = beyond(walk.rare(node, *x).goes_left);
            }
        }
        values.append(sides);
        start + part(&mut bound[start..], values, split.pivot())
    }
}

impl Parts {
    /// Some rows are at the root, and none of them has met a zone.
    fn begin(&mut self, rows: impl Iterator<Item = u32>, n_rows: usize, is_crisp: bool) {
        self.free.clear();
        self.bound.clear();
        self.divisions.clear();
        self.numbering = Numbering::new(n_rows);
        if is_crisp {
            self.bound.extend(rows);
        } else {
            self.free.extend(rows.map(Part::sure));
            self.n_parts.clear();
            self.n_parts.resize(n_rows, 1);
        }
        let (free, bound) = (0..self.free.len(), 0..self.bound.len());
        self.open.clear();
        self.open.push(OpenNode { node: 0, free, bound });
    }

    /// Makes room for the shares and answers of all parts. Every row is whole.
    fn make_room(&mut self, most_parts: usize, n_rows: usize, n_outputs: usize) {
        let n_parts = self.numbering.end(most_parts);
        self.shares.resize(n_parts, 0.0);
        self.shares[..n_rows].fill(1.0);
        self.answers.resize(n_parts * n_outputs, 0.0);
        if self.free.len() < n_rows {
            // The tree has no answer for the others.
            self.answers[..n_rows * n_outputs].fill(0.0);
        }
    }
}
