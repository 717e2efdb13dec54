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
    #[inline(always)]
    pub(super) fn add(&mut self, bin: &[u32]) -> usize {
        let in_bin: u32 = bin.iter().sum();
        if in_bin == 0 {
            return 0;
        }
        let (mut growth, mut products) = (0.0, 0.0);
        // With c of n rows of a class in the bin, and l before it, the square l^2 grows by
        // c (2 l + c), and (n - l)^2 by as much less 2 c n.
        let mut go_past = |left: &mut f64, all: f64, count: u32| {
            let count = f64::from(count);
            growth += count * (2.0 * *left + count);
            products += count * all;
            *left += count;
        };
        match (self.counts.as_mut_slice(), self.node_counts, bin) {
            // For two classes a loop would cost more than its body.
            ([left0, left1], &[all0, all1], &[count0, count1]) => {
                go_past(left0, all0, count0);
                go_past(left1, all1, count1);
            }
            (left, all, bin) => {
                for ((left, &all), &count) in left.iter_mut().zip(all).zip(bin) {
                    go_past(left, all, count);
                }
            }
        }
        if let Some(squares) = &mut self.edge.squares {
            squares[0] += growth;
            squares[1] += growth - 2.0 * products;
        }
        self.edge.rows += in_bin as usize;
        in_bin as usize
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
        self.may_reach_between(earlier, self.edge, floor)
    }

    /// The same for any two edges.
    #[inline]
    pub(super) fn may_reach_between(&self, earlier: Edge, later: Edge, floor: f64) -> bool {
        let (Some([left_squares, _]), Some([_, right_squares])) = (later.squares, earlier.squares)
        else {
            return true;
        };
        let left_rows = earlier.rows as f64;
        let right_rows = (self.n_rows - later.rows) as f64;
        let highest = left_squares * right_rows + right_squares * left_rows;
        let demanded = (floor - self.slack) * (left_rows * right_rows);
        // With no row on a side, or no floor yet, there is nothing to compare.
        demanded.is_nan() || highest >= demanded
    }
}
