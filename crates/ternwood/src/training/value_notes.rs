//! Notes on the values of a column, block by block.

use super::feature_values::FeatureValues;
use crate::dataset::FeatureKind;

/// The range of the numbers so far, or the counts of the categories; and the gaps.
pub(super) struct ValueNotes<'a> {
    kind: &'a FeatureKind,
    has_gaps: bool,
    range: [f64; 2],
    counts: Vec<u64>,
    missing: u64,
}

impl<'a> ValueNotes<'a> {
    pub(super) fn new(kind: &'a FeatureKind, has_gaps: bool) -> Self {
        let range = [f64::INFINITY, f64::NEG_INFINITY];
        Self { kind, has_gaps, range, counts: vec![0; kind.names().len()], missing: 0 }
    }

    /// Adds cells, and how often each of them counts; `None` if all count once.
    pub(super) fn add(&mut self, cells: &[f64], counts: Option<&[u64]>) {
        match counts {
            None if self.kind.is_number() && !self.has_gaps => self.widen(cells),
            None => cells.iter().for_each(|&cell| self.add_cell(cell, 1)),
            Some(counts) => {
                cells.iter().zip(counts).for_each(|(&cell, &count)| self.add_cell(cell, count));
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

    fn add_cell(&mut self, cell: f64, count: u64) {
        if count == 0 {
            return;
        }
        if cell.is_nan() {
            self.missing = self.missing.saturating_add(count);
        } else if self.kind.is_number() {
            self.range = [self.range[0].min(cell), self.range[1].max(cell)];
        } else if let Some(sum) = self.counts.get_mut(cell as usize).filter(|_| cell >= 0.0) {
            // A category that nobody knows has no count.
            *sum = sum.saturating_add(count);
        }
    }

    pub(super) fn finish(self) -> FeatureValues {
        if !self.kind.is_number() {
            return FeatureValues::of_categories(self.counts, self.missing);
        }
        // Zero without a sign: which of two it was depends on the order.
        let range = self.range.map(|end| end + 0.0);
        FeatureValues::of_numbers((range[0] <= range[1]).then_some(range), self.missing)
    }
}
