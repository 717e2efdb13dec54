//! What leaves answer, and how it becomes the answers for rows.

use super::flow::Division;
use super::part::{Numbering, Part};
use crate::blend::blended;
use crate::tree::{NodeId, Tree, most_probable};

/// What one tree says of the rows of a block is added here, once per row.
pub(crate) struct Targets<'a> {
    pub(crate) n_classes: usize,
    /// Sums of distributions, row by row.
    pub(crate) sums: &'a mut [f64],
    /// By row and class, the number of trees that are decided for it.
    pub(crate) decided: &'a mut [u32],
}

/// Where parts of rows ended, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Ends {
    /// The leaf; or, with the bit [`BLENDED`], where `blended` has the answer.
    ends: Vec<u32>,
    /// Distributions of parts that were divided again.
    blended: Vec<f64>,
}

/// Trees have fewer nodes.
const BLENDED: u32 = 1 << 31;

impl Targets<'_> {
    /// Adds the distribution of a leaf to rows, which are decided there.
    pub(super) fn add_rows(&mut self, distribution: &[f64], rows: &[u32]) {
        let class = most_probable(distribution) as usize;
        for &row in rows {
            let row = row as usize;
            self.add(distribution, row, 1.0);
            self.decided[row * self.n_classes + class] += 1;
        }
    }

    /// Adds the distribution of a leaf to rows that no zone has divided.
    pub(super) fn add_whole(&mut self, distribution: &[f64], free: &[Part], numbering: Numbering) {
        let class = most_probable(distribution) as usize;
        for part in free {
            let row = numbering.row(part.number());
            // To add 0 changes nothing, and needs no branch.
            self.add(distribution, row, f64::from(u8::from(part.is_whole())));
            self.decided[row * self.n_classes + class] += u32::from(part.is_sure());
        }
    }

    #[inline(always)]
    fn add(&mut self, distribution: &[f64], row: usize, factor: f64) {
        // Two classes are most common, and need no loop.
        if let [a, b] = distribution {
            let sums = &mut self.sums.as_chunks_mut::<2>().0[row];
            sums[0] += factor * a;
            sums[1] += factor * b;
            return;
        }
        let sums = &mut self.sums[row * self.n_classes..][..self.n_classes];
        sums.iter_mut().zip(distribution).for_each(|(sum, p)| *sum += factor * p);
    }
}

impl Ends {
    /// Makes room for this many parts.
    pub(super) fn resize(&mut self, n_parts: usize) {
        self.ends.resize(n_parts, 0);
    }

    /// Parts have ended at a leaf.
    pub(super) fn put(&mut self, leaf: u32, free: &[Part], bound: &[u32]) {
        free.iter().for_each(|part| self.ends[part.number() as usize] = leaf);
        bound.iter().for_each(|&number| self.ends[number as usize] = leaf);
    }

    /// Blends the answers for all parts, from the last division to the first, and adds them to those for their rows.
    pub(super) fn blend(
        &mut self,
        divisions: &[Division],
        tree: &Tree,
        numbering: Numbering,
        targets: &mut Targets<'_>,
    ) {
        let n_classes = targets.n_classes;
        self.blended.clear();
        for &Division { parts: [left, right], left_weight } in divisions.iter().rev() {
            let Self { ends, blended: memory } = self;
            let (kept, sent) = (left.min(right), left.max(right));
            let [left, right] = [left, right].map(|part| ends[part as usize]);
            if numbering.is_second(sent) {
                let [left, right] = [left, right].map(|end| answer(end, tree, memory));
                let sums = &mut targets.sums[kept as usize * n_classes..][..n_classes];
                for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
                    *sum += blended(left_weight, *left, *right);
                }
            } else {
                ends[kept as usize] = BLENDED | (memory.len() / n_classes) as u32;
                for class in 0..n_classes {
                    let [left, right] = [left, right].map(|end| answer(end, tree, memory)[class]);
                    memory.push(blended(left_weight, left, right));
                }
            }
        }
    }
}

/// The distribution of the parts with this end.
#[inline(always)]
fn answer<'a>(end: u32, tree: &'a Tree, blended: &'a [f64]) -> &'a [f64] {
    let n_classes = tree.n_outputs();
    if end & BLENDED == 0 {
        tree.values(NodeId(end))
    } else {
        &blended[(end - BLENDED) as usize * n_classes..][..n_classes]
    }
}
