//! Rows that zones divide.
//!
//! Several rows descend side by side, as without zones. A row that a zone divides goes left with one part of
//! it; the other parts wait.

use super::block::Block;
use super::{SoftNode, SoftTree, SoftZone, Targets, Walk};
use crate::tree::{NodeId, most_probable};

/// The most parts of a row.
const MOST_PARTS: usize = 8;

/// A zone divides a row, or a part of it, only if both parts are at least this share of the row; else the
/// threshold alone tells where it goes. Without that, a row in the middle of many zones would visit a good
/// part of a deep tree, for nothing that shows.
pub(crate) const LEAST_SHARE: f64 = 1.0 / MOST_PARTS as f64;

/// Rows that descend side by side.
const LANES: usize = 8;

/// A row on its way.
#[derive(Debug, Clone, Copy, Default)]
struct Lane {
    row: u32,
    /// The part at work, and its node.
    share: f64,
    node: u32,
    /// True if the row has met a zone.
    is_unsure: bool,
    /// Parts that wait, and their nodes.
    waiting: [(f64, u32); MOST_PARTS],
    n_waiting: usize,
}

impl SoftTree {
    /// Adds what the tree says of the wanted rows of a block.
    pub(crate) fn add(
        &self,
        walk: Walk<'_>,
        block: Block<'_>,
        is_wanted: impl Fn(usize) -> bool,
        targets: &mut Targets<'_>,
    ) {
        let mut wanted = (0..block.n_rows() as u32).filter(|&row| is_wanted(row as usize));
        if self.is_crisp(walk, block) {
            self.add_crisp(walk.tree, block, wanted, targets);
            return;
        }
        let mut lanes = [Lane::default(); LANES];
        let mut n_lanes = 0;
        for (lane, row) in lanes.iter_mut().zip(&mut wanted) {
            *lane = Lane::new(row);
            n_lanes += 1;
        }
        while n_lanes > 0 {
            let mut at = 0;
            while at < n_lanes {
                let lane = &mut lanes[at];
                if !self.step(walk, block.row(lane.row), lane) {
                    targets.add(walk.tree.distribution(NodeId(lane.node)), lane);
                    if lane.n_waiting > 0 {
                        lane.n_waiting -= 1;
                        (lane.share, lane.node) = lane.waiting[lane.n_waiting];
                    } else if let Some(row) = wanted.next() {
                        *lane = Lane::new(row);
                    } else {
                        // The last lane takes this place.
                        n_lanes -= 1;
                        lanes[at] = lanes[n_lanes];
                        continue;
                    }
                }
                at += 1;
            }
        }
    }

    /// One level down; false at a leaf.
    #[inline(always)]
    fn step(&self, walk: Walk<'_>, row: &[f64], lane: &mut Lane) -> bool {
        let SoftNode { threshold, feature, right } = self.nodes[lane.node as usize];
        if right == lane.node {
            return false;
        }
        let x = row[feature as usize];
        let (left_share, goes_left, is_unsure) = if x.is_nan() | threshold.is_nan() {
            walk.rare(lane.node, x)
        } else if walk.crisp {
            (0.0, x <= threshold, false)
        } else {
            let SoftZone { half_width, per_width } =
                walk.zones.unwrap_or(&self.zones).of_nodes[lane.node as usize];
            let (lower, upper) = (threshold - half_width, threshold + half_width);
            ((upper - x) * per_width, x <= threshold, (x > lower) & (x <= upper))
        };
        lane.is_unsure |= is_unsure;
        let left = lane.share * left_share;
        let rest = lane.share - left;
        if (left >= LEAST_SHARE) & (rest >= LEAST_SHARE) {
            lane.waiting[lane.n_waiting] = (rest, right);
            lane.n_waiting += 1;
            lane.share = left;
            lane.node += 1;
        } else {
            lane.node = if goes_left { lane.node + 1 } else { right };
        }
        true
    }
}

impl Lane {
    fn new(row: u32) -> Self {
        Self { row, share: 1.0, ..Self::default() }
    }
}

impl Targets<'_> {
    /// Adds the distribution of a leaf to a row that has a part there.
    fn add(&mut self, shares: &[f64], lane: &Lane) {
        let at = lane.row as usize * self.n_classes;
        let sums = &mut self.sums[at..at + self.n_classes];
        sums.iter_mut().zip(shares).for_each(|(sum, p)| *sum += lane.share * p);
        if !lane.is_unsure {
            // A row that met no zone has no other leaf.
            self.decided[at + most_probable(shares) as usize] += 1;
        }
    }
}
