//! What leaves add to the answers for rows.

use super::part::{Numbering, Part};
use crate::tree::most_probable;

/// What one tree says of the rows of a block is added here.
pub(crate) struct Targets<'a> {
    pub(crate) n_classes: usize,
    /// Sums of distributions, row by row.
    pub(crate) sums: &'a mut [f64],
    /// By row and class, the number of trees that are decided for it.
    pub(crate) decided: &'a mut [u32],
}

impl Targets<'_> {
    /// Adds the distribution of a leaf to whole rows, which are decided there.
    pub(super) fn add_rows(&mut self, distribution: &[f64], rows: &[u32]) {
        let class = most_probable(distribution) as usize;
        for &row in rows {
            let row = row as usize;
            self.add(distribution, row, 1.0);
            self.decided[row * self.n_classes + class] += 1;
        }
    }

    /// Adds the distribution of a leaf to the rows that have parts there.
    pub(super) fn add_parts(
        &mut self,
        distribution: &[f64],
        free: &[Part],
        bound: &[u32],
        numbering: Numbering,
        shares: &[f64],
    ) {
        let class = most_probable(distribution) as usize;
        for part in free {
            let (row, share) = (numbering.row(part.number()), shares[part.number() as usize]);
            self.add(distribution, row, share);
            // A row that met no zone has no other leaf.
            self.decided[row * self.n_classes + class] += u32::from(part.is_sure());
        }
        for &number in bound {
            self.add(distribution, numbering.row(number), shares[number as usize]);
        }
    }

    #[inline(always)]
    fn add(&mut self, distribution: &[f64], row: usize, share: f64) {
        // Two classes are most common, and need no loop.
        if let [a, b] = distribution {
            let sums = &mut self.sums.as_chunks_mut::<2>().0[row];
            sums[0] += share * a;
            sums[1] += share * b;
            return;
        }
        let sums = &mut self.sums[row * self.n_classes..][..self.n_classes];
        sums.iter_mut().zip(distribution).for_each(|(sum, p)| *sum += share * p);
    }
}
