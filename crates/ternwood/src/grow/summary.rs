//! Statistics of a node's split from one pass over its rows.

use crate::tree::Test;

/// What zone estimators need to know about a split.
#[derive(Debug, Clone)]
pub(crate) struct Summary<S> {
    /// The smallest and the largest value.
    pub(crate) extremes: (f64, f64),
    /// Each group's nearest value left of the threshold, and right of it; infinite if there is
    /// none.
    pub(crate) nearest_left: Vec<f64>,
    pub(crate) nearest_right: Vec<f64>,
    /// The sums left and right of the threshold.
    pub(crate) left_sums: Vec<S>,
    pub(crate) right_sums: Vec<S>,
    /// The weighted standard deviation, if growing had the values at hand.
    pub(crate) deviation: Option<f64>,
}

impl<S: Clone> Summary<S> {
    /// Of no rows, whose sums are `nothing`.
    pub(crate) fn empty(n_groups: usize, nothing: &[S]) -> Self {
        Self {
            extremes: (f64::INFINITY, f64::NEG_INFINITY),
            nearest_left: vec![f64::NEG_INFINITY; n_groups],
            nearest_right: vec![f64::INFINITY; n_groups],
            left_sums: nothing.to_vec(),
            right_sums: nothing.to_vec(),
            deviation: None,
        }
    }

    /// Only what the spread asks for: extremes and standard deviation.
    pub(crate) fn of_spread(extremes: (f64, f64), deviation: f64) -> Self {
        Self { extremes, deviation: Some(deviation), ..Self::empty(0, &[]) }
    }

    /// False if it knows only what the spread asks for.
    pub(crate) fn is_whole(&self) -> bool {
        !self.left_sums.is_empty()
    }

    /// Widens extremes and finds nearest values. Returns the sums of the row's side.
    #[inline]
    pub(crate) fn see(&mut self, value: f64, group: u32, test: &Test) -> &mut [S] {
        let (group, (min, max)) = (group as usize, self.extremes);
        self.extremes = (min.min(value), max.max(value));
        if test.goes_left(value) {
            self.nearest_left[group] = self.nearest_left[group].max(value);
            &mut self.left_sums
        } else {
            self.nearest_right[group] = self.nearest_right[group].min(value);
            &mut self.right_sums
        }
    }
}
