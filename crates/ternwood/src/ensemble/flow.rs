//! Rows flow through a tree, divided by its zones.
//!
//! Nodes are visited in preorder, each with the parts of rows that reach it: what a node knows is read once for all of
//! them, and no memory is searched. A part that a zone divides goes on as two. A leaf gives its values to the parts that
//! arrive. In the end divisions are undone, from the last to the first, so that answers are blended from the leaves up.

use super::soft_tree::{
    ColumnBlock, Place, SoftNode, SoftTree, Walk, far_value, right_sides_first,
};
use crate::blend::LeastShare;
use crate::tree::{NodeId, most_probable};
use std::hint::select_unpredictable;
use std::ops::Range;

/// What one tree says of the rows of a block is added here, once per row.
pub(crate) struct Targets<'a> {
    pub(crate) n_classes: usize,
    /// Sums of distributions, row by row.
    pub(crate) sums: &'a mut [f64],
    /// By row and class, the number of trees that are decided for it.
    pub(crate) decided: &'a mut [u32],
}

/// Memory reused from tree to tree.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    /// The parts to which zones matter, at all nodes still to be visited.
    free: Vec<Part>,
    /// The numbers of all other parts: they follow thresholds alone.
    bound: Vec<u32>,
    /// The values of the parts of a node.
    values: Vec<f64>,
    /// What a zone does to the parts of a node.
    divided: Divided,
    numbering: Numbering,
    /// By number of the part.
    shares: Vec<f64>,
    /// By row.
    n_parts: Vec<u32>,
    /// A division comes after those that it depends on.
    divisions: Vec<Division>,
    /// By number of the part, the values of the leaf where it ended.
    answers: Vec<f64>,
    /// Nodes still to be visited.
    open: Vec<OpenNode>,
}

/// What a zone does to the parts of a node. The lists only grow: what is beyond their counts means nothing.
#[derive(Debug, Clone, Default)]
struct Divided {
    /// Which free parts the zone may divide.
    near: Vec<u32>,
    /// Which of them are not free any more.
    gone: Vec<u32>,
    /// New free parts, and where they go, as values.
    free: Vec<Part>,
    free_sides: Vec<f64>,
    /// New bound parts, and where they go, as values.
    bound: Vec<u32>,
    bound_sides: Vec<f64>,
    n_bound: usize,
}

/// A node, and where its parts are.
#[derive(Debug, Clone)]
struct OpenNode {
    node: u32,
    free: Range<usize>,
    bound: Range<usize>,
}

/// A zone has divided a part.
#[derive(Debug, Clone, Copy)]
struct Division {
    /// The number of the part that kept it, and that of the new one.
    parts: [u32; 2],
    /// How much the answers of both count.
    weights: [f64; 2],
}

/// How parts are numbered: first the rows, each of which is a part at first, then the second parts of all rows, and so
/// on. So shares of neighbours lie close together. Holds the room for each, a power of two.
#[derive(Debug, Clone, Copy, Default)]
struct Numbering(u32);

impl Numbering {
    fn new(n_rows: usize) -> Self {
        Self((n_rows as u32).next_power_of_two())
    }

    /// The first number that no part has, if a row has at most this many.
    fn end(self, most_parts: usize) -> usize {
        self.0 as usize * most_parts
    }

    #[inline(always)]
    fn row(self, number: u32) -> usize {
        (number & (self.0 - 1)) as usize
    }

    /// The next part of a row that has some.
    #[inline(always)]
    fn next(self, row: usize, n_parts: u32) -> u32 {
        row as u32 + n_parts * self.0
    }
}

/// A part of a row to which zones still matter: its share and its number. Both in one, because parts are moved all
/// the time: the share, with the part's number in place of its last digits.
#[derive(Debug, Clone, Copy, Default)]
struct Part(u64);

impl Part {
    fn new(number: u32, share: f64) -> Self {
        Self(share.to_bits() >> 32 << 32 | u64::from(number))
    }

    /// A row that has met no zone. To meet one matters, even at its edge, where nothing is divided: so the share
    /// is larger than that of any part.
    fn sure(row: u32) -> Self {
        Self::new(row, 1e30)
    }

    #[inline(always)]
    fn is_sure(self) -> bool {
        self.rounded_share() > 2.0
    }

    #[inline(always)]
    fn number(self) -> u32 {
        self.0 as u32
    }

    /// To a millionth of it.
    #[inline(always)]
    fn rounded_share(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// A threshold and the edges of its zone.
struct Edges {
    threshold: f64,
    half_width: f64,
    lower: f64,
    upper: f64,
    width: f64,
}

/// How far beyond its edges a zone is searched for parts, in half-widths: more than is lost by rounding. Parts
/// that are found are placed exactly.
const ROUNDED: f64 = 1e-4;

/// Of zones narrower than this multiple of their threshold, rounding moves the edges by more than [`ROUNDED`].
const NARROWEST: f64 = 1e-9;

impl Edges {
    fn new(threshold: f64, half_width: f64) -> Self {
        let (lower, upper) = (threshold - half_width, threshold + half_width);
        Self { threshold, half_width, lower, upper, width: 2.0 * half_width }
    }

    /// True if distances from the threshold tell which parts the zone may divide. Rounded edges of very narrow
    /// zones lie elsewhere; and what is no number has no distance.
    fn can_tell_near(&self) -> bool {
        self.half_width == 0.0 && !self.threshold.is_nan()
            || self.half_width > NARROWEST * self.threshold.abs()
    }

    /// Writes which of the parts, with these values, the zone may divide or make unsure; returns their number.
    ///
    /// A part must have the least share on both sides. At a distance `d` from the threshold of a zone of half-width
    /// `h`, the smaller side of a share `s` is `s (h - d) / (2 h)`.
    fn find_near(
        &self,
        values: &[f64],
        parts: &[Part],
        least_share: LeastShare,
        near: &mut [u32],
    ) -> usize {
        let (reach, least) = (self.half_width * (1.0 + ROUNDED), self.width * least_share.get());
        let near = &mut near[..values.len()];
        let mut n_near = 0;
        // Every part is written, but only those near are kept: no branch to mispredict.
        for (at, (&x, part)) in values.iter().zip(parts).enumerate() {
            near[n_near] = at as u32;
            let inside = reach - (x - self.threshold).abs();
            n_near += usize::from(inside * part.rounded_share() >= least);
        }
        n_near
    }

    /// The share is [`Zone::left_weight`](crate::tree::Zone::left_weight), and means nothing outside of the zone.
    #[inline(always)]
    fn place(&self, x: f64) -> Place {
        Place {
            left_share: ((self.upper - x) / self.width).min(1.0),
            goes_left: x <= self.threshold,
            is_unsure: (x > self.lower) & (x <= self.upper),
        }
    }
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
        let wanted = (0..block.n_rows() as u32).filter(|&row| is_wanted(row as usize));
        memory.begin(wanted, block.n_rows(), is_crisp);
        let n_outputs = walk.tree.n_outputs();
        if !is_crisp {
            let most_parts = walk.least_share().most_parts(self.n_leaves());
            memory.make_room(most_parts, block.n_rows(), n_outputs);
        }
        while let Some(OpenNode { mut node, mut free, mut bound }) = memory.open.pop() {
            memory.free.truncate(free.end);
            memory.bound.truncate(bound.end);
            // Down the left side; right children wait.
            while !(free.is_empty() && bound.is_empty()) {
                let right = self.node(node).right;
                if right == node {
                    let values = walk.tree.values(NodeId(node));
                    let (free, bound) = (&memory.free[free], &memory.bound[bound]);
                    if is_crisp {
                        targets.add_rows(values, bound);
                    } else {
                        targets.count_sure(values, free, memory.numbering);
                        put(values, free.iter().map(|part| part.number()), &mut memory.answers);
                        put(values, bound.iter().copied(), &mut memory.answers);
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
        let Parts { free, values, .. } = memory;
        start + right_sides_first(&mut free[start..], values, self.node(node).pivot())
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
        let Parts { bound, values, divided, numbering, .. } = memory;
        let split = self.node(node);
        let SoftNode { threshold, feature, .. } = split;
        let old = bound[start..].iter();
        block.gather(feature, old.map(|&number| numbering.row(number)), values);
        if !block.is_complete() || threshold.is_nan() {
            for x in values.iter_mut().filter(|x| x.is_nan() || threshold.is_nan()) {
                *x = far_value(walk.rare(node, *x).goes_left);
            }
        }
        let n_new = std::mem::take(&mut divided.n_bound);
        bound.extend_from_slice(&divided.bound[..n_new]);
        values.extend_from_slice(&divided.bound_sides[..n_new]);
        start + right_sides_first(&mut bound[start..], values, split.pivot())
    }

    /// Divides the free parts of a node, which begin at `start`, as its zone says. Free parts that are new come last in
    /// their list, bound ones are in `divided`. `values` tell where the free parts go.
    fn divide(
        &self,
        walk: Walk<'_>,
        node: u32,
        block: ColumnBlock<'_>,
        start: usize,
        memory: &mut Parts,
    ) {
        let SoftNode { threshold, feature, .. } = self.node(node);
        let edges = Edges::new(threshold, self.width(walk, node));
        let Parts { free, values, divided, numbering, shares, n_parts, divisions, .. } = memory;
        let least_share = walk.least_share();
        let parts = &mut free[start..];
        block.gather(feature, parts.iter().map(|part| numbering.row(part.number())), values);
        divided.make_room(parts.len());
        let Divided { near, gone, free: new_free, free_sides, bound, bound_sides, .. } = divided;
        let n_near = if block.is_complete() && edges.can_tell_near() {
            edges.find_near(values, parts, least_share, near)
        } else {
            near.iter_mut().zip(0..parts.len() as u32).for_each(|(near, at)| *near = at);
            parts.len()
        };
        let (mut n_free, mut n_bound, mut n_gone) = (0, 0, 0);
        // Every part is written wherever it could go, but counts only where it belongs: no branch to mispredict.
        for &near in &near[..n_near] {
            let at = near as usize;
            let (part, x) = (parts[at], values[at]);
            let is_rare = x.is_nan() | threshold.is_nan();
            let Place { left_share, goes_left, is_unsure } =
                if is_rare { walk.rare(node, x) } else { edges.place(x) };
            if !is_unsure {
                values[at] = far_value(goes_left);
                continue;
            }
            let number = part.number();
            let share = shares[number as usize];
            let left = share * left_share;
            let right = share - left;
            if !least_share.allows(left, right) {
                parts[at] = Part::new(number, share);
                values[at] = far_value(goes_left);
                continue;
            }
            // The larger of two parts takes the place of the one that is divided.
            let is_left_kept = left >= right;
            let here = select_unpredictable(is_left_kept, far_value(true), far_value(false));
            // As integers, positive numbers have the same order, and processors choose without a branch.
            let (left, right) = (left.to_bits(), right.to_bits());
            let (kept, sent) = (f64::from_bits(left.max(right)), f64::from_bits(left.min(right)));
            let row = numbering.row(number);
            let other = numbering.next(row, n_parts[row]);
            n_parts[row] += 1;
            let right_share = 1.0 - left_share;
            divisions.push(Division {
                parts: [number, other],
                weights: [
                    select_unpredictable(is_left_kept, left_share, right_share),
                    select_unpredictable(is_left_kept, right_share, left_share),
                ],
            });
            shares[number as usize] = kept;
            shares[other as usize] = sent;
            parts[at] = Part::new(number, kept);
            values[at] = here;
            gone[n_gone] = near;
            n_gone += usize::from(least_share.binds(kept));
            bound[n_bound] = number;
            bound_sides[n_bound] = here;
            n_bound += usize::from(least_share.binds(kept));
            bound[n_bound] = other;
            bound_sides[n_bound] = -here;
            n_bound += usize::from(least_share.binds(sent));
            new_free[n_free] = Part::new(other, sent);
            free_sides[n_free] = -here;
            n_free += usize::from(!least_share.binds(sent));
        }
        free.extend_from_slice(&new_free[..n_free]);
        values.extend_from_slice(&free_sides[..n_free]);
        // From the end, so that what takes the place of a part that goes is not one of them.
        for &at in gone[..n_gone].iter().rev() {
            free.swap_remove(start + at as usize);
            values.swap_remove(at as usize);
        }
        divided.n_bound = n_bound;
    }
}

impl Divided {
    /// Makes room for what may become of this many parts, and for one more that is written in vain.
    fn make_room(&mut self, n_parts: usize) {
        if self.near.len() > n_parts {
            return;
        }
        let n = n_parts + 1;
        self.near.resize(n, 0);
        self.gone.resize(n, 0);
        self.free.resize(n, Part::default());
        self.free_sides.resize(n, 0.0);
        self.bound.resize(2 * n, 0);
        self.bound_sides.resize(2 * n, 0.0);
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

impl Targets<'_> {
    /// Adds the distribution of a leaf to rows, which are decided there.
    fn add_rows(&mut self, distribution: &[f64], rows: &[u32]) {
        let class = most_probable(distribution) as usize;
        for &row in rows {
            let row = row as usize;
            self.add(distribution, row);
            self.decided[row * self.n_classes + class] += 1;
        }
    }

    /// Counts the rows that are decided at a leaf: those that met no zone.
    fn count_sure(&mut self, distribution: &[f64], free: &[Part], numbering: Numbering) {
        let class = most_probable(distribution) as usize;
        for part in free {
            let row = numbering.row(part.number());
            self.decided[row * self.n_classes + class] += u32::from(part.is_sure());
        }
    }

    /// Adds the answers for all rows: those of their first parts, once all divisions are undone.
    fn add_answers(&mut self, answers: &[f64]) {
        self.sums.iter_mut().zip(answers).for_each(|(sum, answer)| *sum += answer);
    }

    #[inline(always)]
    fn add(&mut self, distribution: &[f64], row: usize) {
        // Two classes are most common, and need no loop.
        if let [a, b] = distribution {
            let sums = &mut self.sums.as_chunks_mut::<2>().0[row];
            sums[0] += a;
            sums[1] += b;
            return;
        }
        let sums = &mut self.sums[row * self.n_classes..][..self.n_classes];
        sums.iter_mut().zip(distribution).for_each(|(sum, p)| *sum += p);
    }
}

/// Writes down what parts answer.
fn put(values: &[f64], parts: impl Iterator<Item = u32>, answers: &mut [f64]) {
    // Two classes are most common, and need no loop.
    if let [a, b] = *values {
        let answers = answers.as_chunks_mut::<2>().0;
        parts.for_each(|part| answers[part as usize] = [a, b]);
        return;
    }
    let n = values.len();
    parts.for_each(|part| answers[part as usize * n..][..n].copy_from_slice(values));
}

/// Undoes divisions, from the last to the first: a part that was divided answers with both of its parts, as
/// [`blended`](crate::blend::blended) says.
fn blend(divisions: &[Division], answers: &mut [f64], n_outputs: usize) {
    let both = |weights: [f64; 2], kept: f64, sent: f64| weights[0] * kept + weights[1] * sent;
    if n_outputs == 2 {
        let answers = answers.as_chunks_mut::<2>().0;
        for &Division { parts, weights } in divisions.iter().rev() {
            let [[a, b], [c, d]] = parts.map(|part| answers[part as usize]);
            answers[parts[0] as usize] = [both(weights, a, c), both(weights, b, d)];
        }
        return;
    }
    for &Division { parts, weights } in divisions.iter().rev() {
        let [kept, sent] = parts.map(|part| part as usize * n_outputs);
        for output in 0..n_outputs {
            answers[kept + output] = both(weights, answers[kept + output], answers[sent + output]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_unsure_is_found_near() {
        let mut n_told = 0;
        for threshold in [0.0, 1.0, -1e7, 1e13] {
            for half_width in [0.0, 0.4, 0.5001, 0.7, 1.3, 1e4 / 3.0, 1e5 / 3.0] {
                let edges = Edges::new(threshold, half_width);
                let Edges { lower, upper, .. } = edges;
                let values = [lower.next_up(), threshold, upper.next_down(), upper];
                let is_unsure = |x: &&f64| edges.place(**x).is_unsure;
                let unsure: Vec<f64> = values.iter().filter(is_unsure).copied().collect();
                if edges.can_tell_near() {
                    let mut near = [0; 4];
                    let parts = [Part::sure(0); 4];
                    let parts = &parts[..unsure.len()];
                    let least_share = LeastShare::new(0.25);
                    let n_near = edges.find_near(&unsure, parts, least_share, &mut near);
                    assert_eq!(n_near, unsure.len(), "{threshold} ± {half_width}: {unsure:?}");
                    n_told += 1;
                }
            }
        }
        assert_eq!(n_told, 7 + 7 + 7 + 2, "beside 1e13, only the widest zone and none can be told");
    }
}
