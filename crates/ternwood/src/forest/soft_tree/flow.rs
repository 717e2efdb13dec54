//! Rows flow through a tree, divided by its zones.
//!
//! Nodes are passed in preorder, each with the parts of rows that reach it: what a node knows is read once
//! for all of them, and no memory is searched. A part that a zone divides goes on as two.

use super::{ColumnBlock, SoftNode, SoftTree, Walk};
use crate::tree::{NodeId, most_probable};
use std::ops::Range;

/// A zone divides a row, or a part of it, only if both parts are at least this share of the row; else the
/// threshold alone tells where all of it goes. Without that, a row in the middle of many zones would visit a
/// good part of a deep tree, for little that shows.
pub(crate) const LEAST_SHARE: f64 = 1.0 / 8.0;

/// The most parts of a row.
const MOST_PARTS: u32 = 8;
const _: () = assert!(MOST_PARTS as f64 * LEAST_SHARE == 1.0);

/// A part of a row: its number, and what it can reach. Further from a threshold than so many half-widths, the
/// zone means nothing to the part. Both in one number, because parts are moved all the time.
#[derive(Debug, Clone, Copy, Default)]
struct Part(u64);

impl Part {
    fn new(number: u32, reach: f64) -> Self {
        Self(u64::from((reach as f32 + ROUNDED).to_bits()) << 32 | u64::from(number))
    }

    /// A row that has met no zone: whether it meets one matters.
    fn sure(row: u32) -> Self {
        Self::new(row * MOST_PARTS, 1.0)
    }

    /// A part of a row that has met a zone: only another division matters. It needs [`LEAST_SHARE`] on both
    /// sides, so the value must be this near to the middle of the zone.
    fn unsure(number: u32, share: f64) -> Self {
        Self::new(number, 1.0 - 2.0 * LEAST_SHARE / share)
    }

    #[inline(always)]
    fn number(self) -> usize {
        self.0 as u32 as usize
    }

    #[inline(always)]
    fn row(self) -> usize {
        self.number() / MOST_PARTS as usize
    }

    #[inline(always)]
    fn reach(self) -> f64 {
        f64::from(f32::from_bits((self.0 >> 32) as u32))
    }
}

/// Added to what a part can reach: more than is lost by rounding. Parts within reach are tested exactly.
const ROUNDED: f32 = 1e-4;

/// Of zones narrower than this multiple of their threshold, rounding moves the edges by more than [`ROUNDED`].
const NARROWEST: f64 = 1e-9;

/// Memory reused from tree to tree.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    /// The parts at all nodes still to be passed; what lies between them is stale.
    parts: Vec<Part>,
    /// Those of a node that its zone may divide.
    near: Vec<Part>,
    /// The values of those of a node.
    pub(super) values: Vec<f64>,
    /// Nodes still to be passed.
    pub(super) open: Vec<OpenNode>,
    /// By number of the part.
    shares: Vec<f64>,
    /// By row, the number of its parts so far.
    n_parts: Vec<u8>,
    /// Which rows have met a zone.
    undecided: Vec<bool>,
    /// Where no zone divides rows, these take the place of parts.
    pub(super) rows: Vec<u32>,
}

/// A node, and where its parts are.
#[derive(Debug, Clone)]
pub(super) struct OpenNode {
    pub(super) node: u32,
    pub(super) parts: Range<usize>,
}

/// What one tree says of the rows of a block is added here.
pub(crate) struct Targets<'a> {
    pub(crate) n_classes: usize,
    /// Sums of distributions, row by row.
    pub(crate) sums: &'a mut [f64],
    /// By row and class, the number of trees that are decided for it.
    pub(crate) decided: &'a mut [u32],
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
        let wanted = (0..block.n_rows as u32).filter(|&row| is_wanted(row as usize));
        if self.is_crisp(walk, block) {
            self.add_crisp(walk.tree, block, wanted, memory, targets);
            return;
        }
        memory.parts.clear();
        memory.parts.extend(wanted.map(Part::sure));
        memory.shares.clear();
        memory.shares.resize(block.n_rows * MOST_PARTS as usize, 1.0);
        memory.n_parts.clear();
        memory.n_parts.resize(block.n_rows, 1);
        memory.undecided.clear();
        memory.undecided.resize(block.n_rows, false);
        memory.open.clear();
        memory.open.push(OpenNode { node: 0, parts: 0..memory.parts.len() });
        while let Some(OpenNode { mut node, parts: mut here }) = memory.open.pop() {
            // Down the left side; right children wait.
            while !here.is_empty() {
                let right = self.nodes[node as usize].right;
                if right == node {
                    let shares = walk.tree.distribution(NodeId(node));
                    add_leaf(shares, here, memory, targets);
                    break;
                }
                let (left, of_right) = self.split(walk, node, block, here, memory);
                memory.open.push(OpenNode { node: right, parts: of_right });
                (node, here) = (node + 1, left);
            }
        }
    }

    /// The half-width of the zone of a node.
    fn width(&self, walk: Walk<'_>, node: u32) -> f64 {
        if walk.crisp { 0.0 } else { self.half_widths[node as usize] * walk.scale }
    }

    /// Divides the parts at a split. Those of the right child take the place of the node's; those of the
    /// left child come after them.
    fn split(
        &self,
        walk: Walk<'_>,
        node: u32,
        block: ColumnBlock<'_>,
        here: Range<usize>,
        memory: &mut Parts,
    ) -> (Range<usize>, Range<usize>) {
        let SoftNode { threshold, feature, .. } = self.nodes[node as usize];
        let column = block.column(feature);
        let edges = Edges::new(threshold, self.width(walk, node));
        let Range { start, end } = here;
        let n_here = end - start;
        let Parts { parts, near, values, shares, n_parts, undecided, .. } = memory;
        if parts.len() < end + n_here {
            parts.resize(end + n_here, Part::default());
        }
        let (before, after) = parts.split_at_mut(end);
        let (rights, lefts) = (&mut before[start..], &mut after[..n_here]);
        let mut sides = Sides { lefts, rights, n_left: 0, n_right: 0 };
        near.clear();
        if block.is_complete && edges.can_tell_reach() {
            // A loop of its own, so that many values are on their way from memory at once.
            values.clear();
            values.extend(sides.rights.iter().map(|part| column[part.row()]));
            sides.part(values, &edges, near);
        } else {
            near.extend_from_slice(sides.rights);
        }
        for &(mut part) in near.iter() {
            let (row, x) = (part.row(), column[part.row()]);
            let Place { left_share, goes_left, is_unsure } =
                if x.is_nan() | threshold.is_nan() { walk.rare(node, x) } else { edges.place(x) };
            if is_unsure {
                undecided[row] = true;
                let share = shares[part.number()];
                let left = share * left_share;
                let right = share - left;
                if (left >= LEAST_SHARE) & (right >= LEAST_SHARE) {
                    let other = row as u32 * MOST_PARTS + u32::from(n_parts[row]);
                    n_parts[row] += 1;
                    shares[part.number()] = left;
                    shares[other as usize] = right;
                    sides.add_left(Part::unsure(part.number() as u32, left));
                    sides.add_right(Part::unsure(other, right));
                    continue;
                }
                part = Part::unsure(part.number() as u32, share);
            }
            if goes_left { sides.add_left(part) } else { sides.add_right(part) }
        }
        (end..end + sides.n_left, start..start + sides.n_right)
    }
}

/// The parts of both children of a node. Those of the right child take the place of the node's.
struct Sides<'a> {
    lefts: &'a mut [Part],
    rights: &'a mut [Part],
    n_left: usize,
    n_right: usize,
}

impl Sides<'_> {
    /// Puts the parts of a node, with these values, on their sides, but for those that its zone may divide:
    /// they are written to `near`.
    fn part(&mut self, values: &[f64], edges: &Edges, near: &mut Vec<Part>) {
        let n = values.len();
        near.resize(n, Part::default());
        let (lefts, rights, nears) = (&mut self.lefts[..n], &mut self.rights[..n], &mut near[..n]);
        let (mut n_left, mut n_right, mut n_near) = (0, 0, 0);
        // Every part is written to all lists, but advances only one: no branch to mispredict.
        for (at, &x) in values.iter().enumerate() {
            let part = rights[at];
            let away = x - edges.threshold;
            let is_near = away.abs() <= part.reach() * edges.half_width;
            let goes_left = away <= 0.0;
            lefts[n_left] = part;
            rights[n_right] = part;
            nears[n_near] = part;
            n_left += usize::from(goes_left & !is_near);
            n_right += usize::from(!goes_left & !is_near);
            n_near += usize::from(is_near);
        }
        (self.n_left, self.n_right) = (n_left, n_right);
        near.truncate(n_near);
    }

    fn add_left(&mut self, part: Part) {
        self.lefts[self.n_left] = part;
        self.n_left += 1;
    }

    fn add_right(&mut self, part: Part) {
        self.rights[self.n_right] = part;
        self.n_right += 1;
    }
}

/// Where a test sends a value.
pub(super) struct Place {
    /// The share that goes left, if the test cannot place the value.
    pub(super) left_share: f64,
    /// Whether it goes left, if it is not.
    pub(super) goes_left: bool,
    /// True if the test cannot place it.
    pub(super) is_unsure: bool,
}

/// A threshold and the edges of its zone.
struct Edges {
    threshold: f64,
    half_width: f64,
    lower: f64,
    upper: f64,
    /// Of the zone; 0 if there is none, so that nothing is divided.
    per_width: f64,
}

impl Edges {
    fn new(threshold: f64, half_width: f64) -> Self {
        let per_width = if half_width > 0.0 { 1.0 / (2.0 * half_width) } else { 0.0 };
        let (lower, upper) = (threshold - half_width, threshold + half_width);
        Self { threshold, half_width, lower, upper, per_width }
    }

    /// True if distances from the threshold tell which parts the zone may divide. Rounded edges of very narrow
    /// zones lie elsewhere; and what is no number has no distance.
    fn can_tell_reach(&self) -> bool {
        self.half_width == 0.0 && !self.threshold.is_nan()
            || self.half_width > NARROWEST * self.threshold.abs()
    }

    /// The share means nothing outside of the zone.
    #[inline(always)]
    fn place(&self, x: f64) -> Place {
        Place {
            left_share: (self.upper - x) * self.per_width,
            goes_left: x <= self.threshold,
            is_unsure: (x > self.lower) & (x <= self.upper),
        }
    }
}

/// Adds the distribution of a leaf to the rows that have parts there.
fn add_leaf(shares: &[f64], here: Range<usize>, memory: &Parts, targets: &mut Targets<'_>) {
    let n_classes = targets.n_classes;
    let class = most_probable(shares) as usize;
    for part in &memory.parts[here] {
        let at = part.row() * n_classes;
        let share = memory.shares[part.number()];
        let sums = &mut targets.sums[at..at + n_classes];
        sums.iter_mut().zip(shares).for_each(|(sum, p)| *sum += share * p);
        // A row that met no zone has no other leaf.
        targets.decided[at + class] += u32::from(!memory.undecided[part.row()]);
    }
}
