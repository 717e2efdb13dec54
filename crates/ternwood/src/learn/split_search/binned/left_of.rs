//! What stands left of an edge, and a first look at whether a split there could win.

use super::super::candidate::Contest;
use crate::learn::criterion::Criterion;

/// The rows left of an edge, as one goes from bin to bin.
#[derive(Debug)]
pub(super) struct LeftOf<'a> {
    pub(super) counts: Vec<f64>,
    pub(super) edge: Edge,
    node_counts: &'a [f64],
    n_rows: usize,
    /// More than what rounding could make of a purity.
    slack: f64,
}

/// How many rows stand left of an edge, and how they mix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) rows: usize,
    /// Sums of squared class counts on both sides, kept where Gini counts rows: with them a
    /// first look needs no division.
    squares: Option<[f64; 2]>,
}

impl<'a> LeftOf<'a> {
    /// Nothing, yet.
    pub(super) fn first_bin(contest: Contest<'a>) -> Self {
        let node_counts = contest.counts;
        let counts_rows = contest.purity.criterion == Criterion::Gini
            && contest.purity.class_factors.iter().all(|&factor| factor == 1.0);
        Self {
            counts: vec![0.0; node_counts.len()],
            edge: Edge {
                rows: 0,
                squares: counts_rows.then(|| [0.0, node_counts.iter().map(|n| n * n).sum()]),
            },
            node_counts,
            n_rows: contest.n_rows,
            slack: contest.purity.tolerance(node_counts),
        }
    }

    /// Goes past a bin with these class counts; tells how many rows it has.
    #[inline]
    pub(super) fn add(&mut self, bin: &[u32]) -> usize {
        let in_bin = bin.iter().map(|&count| count as usize).sum();
        if in_bin == 0 {
            return 0;
        }
        let mut change = [0.0; 2];
        for ((left, &all), &count) in self.counts.iter_mut().zip(self.node_counts).zip(bin) {
            let count = f64::from(count);
            change[0] += count * (2.0 * *left + count);
            change[1] -= count * (2.0 * (all - *left) - count);
            *left += count;
        }
        if let Some(squares) = &mut self.edge.squares {
            squares[0] += change[0];
            squares[1] += change[1];
        }
        self.edge.rows += in_bin;
        in_bin
    }

    /// False if a split here has a purity below `floor`.
    #[inline]
    pub(super) fn may_reach(&self, floor: f64) -> bool {
        self.may_reach_since(self.edge, floor)
    }

    /// False if every split between an earlier edge and here has a purity below `floor`: no side
    /// has fewer rows, nor larger squares, than at one of the ends.
    #[inline]
    pub(super) fn may_reach_since(&self, earlier: Edge, floor: f64) -> bool {
        let (Some([left_squares, _]), Some([_, right_squares])) =
            (self.edge.squares, earlier.squares)
        else {
            return true;
        };
        let left_rows = earlier.rows as f64;
        let right_rows = (self.n_rows - self.edge.rows) as f64;
        let highest = left_squares * right_rows + right_squares * left_rows;
        let demanded = (floor - self.slack) * (left_rows * right_rows);
        // With no row on a side, or no floor yet, there is nothing to compare.
        demanded.is_nan() || highest >= demanded
    }
}
