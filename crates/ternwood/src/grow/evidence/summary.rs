//! Statistics of a node's split from one pass over its rows.

use super::rows_by_bin::ClassedValue;
use crate::tree::Test;

/// What zone estimators need to know about a split.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    /// The smallest and the largest value.
    pub(crate) extremes: (f64, f64),
    /// Each class's nearest value left of the threshold, and right of it; infinite if there is
    /// none.
    pub(crate) nearest_left: Vec<f64>,
    pub(crate) nearest_right: Vec<f64>,
    /// Class counts left and right of the threshold, before class weights.
    pub(crate) left_counts: Vec<f64>,
    pub(crate) right_counts: Vec<f64>,
    /// The weighted standard deviation, if growing had the values at hand.
    pub(crate) deviation: Option<f64>,
}

impl Summary {
    pub(crate) fn empty(n_classes: usize) -> Self {
        Self {
            extremes: (f64::INFINITY, f64::NEG_INFINITY),
            nearest_left: vec![f64::NEG_INFINITY; n_classes],
            nearest_right: vec![f64::INFINITY; n_classes],
            left_counts: vec![0.0; n_classes],
            right_counts: vec![0.0; n_classes],
            deviation: None,
        }
    }

    /// Only what the spread asks for: extremes and standard deviation.
    pub(crate) fn of_spread(extremes: (f64, f64), deviation: f64) -> Self {
        Self { extremes, deviation: Some(deviation), ..Self::empty(0) }
    }

    /// False if it knows only what the spread asks for.
    pub(crate) fn is_whole(&self) -> bool {
        !self.left_counts.is_empty()
    }

    #[inline]
    pub(crate) fn add(&mut self, (value, class): ClassedValue, weight: f64, test: &Test) {
        let (class, (min, max)) = (class as usize, self.extremes);
        self.extremes = (min.min(value), max.max(value));
        if test.goes_left(value) {
            self.nearest_left[class] = self.nearest_left[class].max(value);
            self.left_counts[class] += weight;
        } else {
            self.nearest_right[class] = self.nearest_right[class].min(value);
            self.right_counts[class] += weight;
        }
    }
}
