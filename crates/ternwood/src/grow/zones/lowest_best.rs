//! The lowest of the best splits of a resample.

/// Finds the lowest place whose score equals the best up to rounding.
pub(super) struct LowestBest {
    rounding: f64,
    best: f64,
    /// Places tied with the best, unless a lower place scores at least as well. So a column of
    /// nothing but ties keeps one.
    places: Vec<(usize, f64)>,
}

impl LowestBest {
    /// For scores that sum over a weight of `total`: they are accurate to a few last bits of it.
    pub(super) fn among(total: f64) -> Self {
        Self { rounding: 1e-12 * total, best: f64::NEG_INFINITY, places: Vec::new() }
    }

    /// Scores below this cannot win.
    #[inline]
    pub(super) fn floor(&self) -> f64 {
        self.best - self.rounding
    }

    /// Adds a place, in any order.
    #[inline]
    pub(super) fn enter(&mut self, place: usize, score: f64) {
        if score >= self.floor() {
            self.keep(place, score);
        }
    }

    #[cold]
    fn keep(&mut self, place: usize, score: f64) {
        if self.places.iter().any(|&(lower, other)| lower < place && other >= score) {
            return;
        }
        self.best = self.best.max(score);
        let floor = self.floor();
        self.places
            .retain(|&(higher, other)| other >= floor && !(higher > place && other <= score));
        self.places.push((place, score));
    }

    /// The lowest place tied with the best.
    pub(super) fn place(&self) -> Option<usize> {
        self.places.iter().map(|&(place, _)| place).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_order_the_lowest_of_the_best_wins() {
        let scores = [(7, 0.5), (3, 1.0), (9, 1.0 + 1e-14), (5, 1.0 - 1e-14), (1, 1.0 - 1e-9)];
        for turn in 0..scores.len() {
            let mut best = LowestBest::among(1.0);
            let turned = scores.iter().cycle().skip(turn).take(scores.len());
            turned.for_each(|&(place, score)| best.enter(place, score));
            assert_eq!(best.place(), Some(3));
        }
        assert_eq!(LowestBest::among(1.0).place(), None);
    }

    /// As in a resample of one class: keeping them all would cost the square of their number.
    #[test]
    fn of_many_ties_one_is_kept() {
        for reversed in [false, true] {
            let mut best = LowestBest::among(1.0);
            (0..1000).for_each(|i| best.enter(if reversed { 999 - i } else { i }, 0.5));
            assert_eq!((best.place(), best.places.len()), (Some(0), 1));
        }
    }
}
