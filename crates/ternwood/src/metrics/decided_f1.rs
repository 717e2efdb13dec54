//! Macro F1 over the decided rows.

use std::collections::BTreeMap;

/// Counts per class, for macro F1. Ordered by class id, so that the sum is reproducible; a map
/// rather than a table, because ids may be sparse and as large as `u32` allows.
#[derive(Debug, Default)]
pub(super) struct F1Tally {
    by_class: BTreeMap<u32, ClassTally>,
}

#[derive(Debug, Default)]
struct ClassTally {
    hits: usize,
    truths: usize,
    predictions: usize,
}

impl F1Tally {
    pub(super) fn add(&mut self, truth: u32, predicted: u32) {
        let class = self.by_class.entry(truth).or_default();
        class.truths += 1;
        class.hits += usize::from(truth == predicted);
        self.by_class.entry(predicted).or_default().predictions += 1;
    }

    pub(super) fn macro_f1(&self) -> Option<f64> {
        // Every class in the map was seen, so the denominators are at least 1.
        let f1 = self
            .by_class
            .values()
            .map(|class| (2 * class.hits) as f64 / (class.truths + class.predictions) as f64);
        let sum: f64 = f1.sum();
        (!self.by_class.is_empty()).then(|| sum / self.by_class.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use crate::metrics::Evaluation;
    use crate::predict::Verdict::{self, Decided as D, Undecided as U};

    fn decided_f1(truth: &[u32], predicted: &[u32], verdicts: &[Verdict]) -> Option<f64> {
        Evaluation::new(truth, predicted, verdicts).unwrap().rates.decided_f1
    }

    #[test]
    fn three_classes_by_hand() {
        let truth = [0, 0, 0, 1, 1, 2, 2];
        let predicted = [0, 0, 1, 1, 1, 1, 2];
        // Class 0: 2 hits, 3 truths, 2 predictions: 4/5. Class 1: 2 hits, 2 truths, 4
        // predictions: 4/6. Class 2: 1 hit, 2 truths, 1 prediction: 2/3.
        let expected = (4.0 / 5.0 + 4.0 / 6.0 + 2.0 / 3.0) / 3.0;
        assert_eq!(decided_f1(&truth, &predicted, &[D; 7]), Some(expected));
        // Without the last two rows: class 2 is gone, class 1 has 3 predictions: 4/5.
        let verdicts = [D, D, D, D, D, U, U];
        assert_eq!(decided_f1(&truth, &predicted, &verdicts), Some(0.8));
    }

    #[test]
    fn a_class_never_hit_counts_as_zero() {
        // Class 1 is true but never predicted (no precision), class 5 predicted but never true
        // (no recall): both 0. Class 0: 1 hit, 1 truth, 1 prediction: 1.
        assert_eq!(decided_f1(&[0, 1], &[0, 5], &[D, D]), Some(1.0 / 3.0));
    }

    #[test]
    fn no_decided_row_no_figure() {
        assert_eq!(decided_f1(&[0, 1], &[0, 1], &[U, U]), None);
        assert_eq!(decided_f1(&[], &[], &[]), None);
    }

    #[test]
    fn large_ids_cost_no_memory() {
        assert_eq!(decided_f1(&[u32::MAX], &[u32::MAX], &[D]), Some(1.0));
    }
}
