//! Notes on the values of a column, block by block.

use super::feature_values::FeatureValues;
use super::outward::{Lattice, rounded_outward};
use crate::dataset::FeatureKind;
use serde::{Deserialize, Serialize};

/// The range of the numbers so far, or the counts of the categories; and the gaps. These are exact, and
/// stay where the rows are: a model has them [rounded](Self::finish).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ValueNotes {
    range: [f64; 2],
    lattice: Lattice,
    /// Empty for numbers.
    counts: Vec<u64>,
    missing: u64,
}

impl ValueNotes {
    pub(super) fn new(kind: &FeatureKind) -> Self {
        let range = [f64::INFINITY, f64::NEG_INFINITY];
        let counts = vec![0; kind.names().len()];
        Self { range, lattice: Lattice::default(), counts, missing: 0 }
    }

    /// Adds cells of a feature, and how often each of them counts; `None` if all count once.
    pub(super) fn add(&mut self, kind: &FeatureKind, cells: &[f64], counts: Option<&[u64]>) {
        match counts {
            None if kind.is_number() && !cells.iter().any(|cell| cell.is_nan()) => {
                self.widen(cells);
                self.lattice.refine(cells);
            }
            None => cells.iter().for_each(|&cell| self.add_cell(kind, cell, 1)),
            Some(counts) => {
                let counted = cells.iter().zip(counts);
                counted.for_each(|(&cell, &count)| self.add_cell(kind, cell, count));
            }
        }
    }

    /// Widens the range to numbers that all count. Eight at a time: the compiler uses vectors.
    fn widen(&mut self, cells: &[f64]) {
        let [mut low, mut high] = self.range.map(|end| [end; 8]);
        let (eights, rest) = cells.as_chunks::<8>();
        for eight in eights {
            let lows = low.iter_mut().zip(eight);
            lows.for_each(|(low, &cell)| *low = if cell < *low { cell } else { *low });
            let highs = high.iter_mut().zip(eight);
            highs.for_each(|(high, &cell)| *high = if cell > *high { cell } else { *high });
        }
        self.range = [
            low.iter().chain(rest).copied().fold(f64::INFINITY, f64::min),
            high.iter().chain(rest).copied().fold(f64::NEG_INFINITY, f64::max),
        ];
    }

    fn add_cell(&mut self, kind: &FeatureKind, cell: f64, count: u64) {
        if count == 0 {
            return;
        }
        if cell.is_nan() {
            self.missing = self.missing.saturating_add(count);
        } else if kind.is_number() {
            self.range = [self.range[0].min(cell), self.range[1].max(cell)];
            self.lattice.refine(&[cell]);
        } else if let Some(sum) = self.counts.get_mut(cell as usize).filter(|_| cell >= 0.0) {
            // A category that nobody knows has no count.
            *sum = sum.saturating_add(count);
        }
    }

    /// Those of two sets of rows together.
    pub(super) fn merged(mut self, other: &Self) -> Self {
        let ([low, high], [other_low, other_high]) = (self.range, other.range);
        self.range = [low.min(other_low), high.max(other_high)];
        self.lattice = self.lattice.merged(other.lattice);
        let counts = self.counts.iter_mut().zip(&other.counts);
        counts.for_each(|(one, other)| *one = one.saturating_add(*other));
        self.missing = self.missing.saturating_add(other.missing);
        self
    }

    /// What a model stores of them.
    pub(super) fn finish(self, kind: &FeatureKind) -> FeatureValues {
        if !kind.is_number() {
            return FeatureValues::of_categories(self.counts, self.missing);
        }
        let has_range = self.range[0] <= self.range[1];
        let range = has_range.then(|| rounded_outward(self.range, self.lattice));
        FeatureValues::of_numbers(range, self.missing)
    }
}
