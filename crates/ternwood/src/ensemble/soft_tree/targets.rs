//! What leaves answer, and how it becomes the answers for rows.

use super::flow::Division;
use super::part::{Numbering, Part};
use crate::tree::most_probable;

/// What one tree says of the rows of a block is added here, once per row.
pub(crate) struct Targets<'a> {
    pub(crate) n_classes: usize,
    /// Sums of distributions, row by row.
    pub(crate) sums: &'a mut [f64],
    /// By row and class, the number of trees that are decided for it.
    pub(crate) decided: &'a mut [u32],
}

impl Targets<'_> {
    /// Adds the distribution of a leaf to rows, which are decided there.
    pub(super) fn add_rows(&mut self, distribution: &[f64], rows: &[u32]) {
        let class = most_probable(distribution) as usize;
        for &row in rows {
            let row = row as usize;
            self.add(distribution, row);
            self.decided[row * self.n_classes + class] += 1;
        }
    }

    /// Counts the rows that are decided at a leaf: those that met no zone.
    pub(super) fn count_sure(&mut self, distribution: &[f64], free: &[Part], numbering: Numbering) {
        let class = most_probable(distribution) as usize;
        for part in free {
            let row = numbering.row(part.number());
            self.decided[row * self.n_classes + class] += u32::from(part.is_sure());
        }
    }

    /// Adds the answers for all rows: those of their first parts, once all divisions are undone.
    pub(super) fn add_answers(&mut self, answers: &[f64]) {
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
pub(super) fn put(values: &[f64], parts: impl Iterator<Item = u32>, answers: &mut [f64]) {
    // Two classes are most common, and need no loop.
    if let [a, b] = *values {
        let answers = answers.as_chunks_mut::<2>().0;
        parts.for_each(|part| answers[part as usize] = [a, b]);
        return;
    }
    let n = values.len();
    parts.for_each(|part| answers[part as usize * n..][..n].copy_from_slice(values));
}

/// Undoes divisions, from the last to the first: a part that was divided answers with both of its parts.
pub(super) fn blend(divisions: &[Division], answers: &mut [f64], n_outputs: usize) {
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
