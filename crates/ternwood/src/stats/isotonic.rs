//! Non-increasing isotonic regression.

/// A weighted observation at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Observation {
    pub(crate) at: f64,
    /// The observed value times the weight.
    pub(crate) sum: f64,
    pub(crate) weight: f64,
}

/// An interval on which the fit is constant.
///
/// It keeps sums, not their quotient: sums of integers are exact, so the value depends neither on
/// the order of observations nor on weight k or k copies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Level {
    pub(crate) from: f64,
    pub(crate) to: f64,
    sum: f64,
    weight: f64,
}

/// The non-increasing least-squares fit, by pooling adjacent violators: O(n log n).
///
/// Observations at the same point are merged first, in an order of their own: sums of real numbers
/// must not depend on that in which observations come.
pub(crate) fn non_increasing(mut observations: Vec<Observation>) -> Vec<Level> {
    observations.sort_unstable_by(|a, b| {
        let by_sum = || a.sum.total_cmp(&b.sum).then(a.weight.total_cmp(&b.weight));
        a.at.total_cmp(&b.at).then_with(by_sum)
    });
    let mut levels: Vec<Level> = Vec::new();
    for Observation { at, sum, weight } in observations {
        match levels.last_mut() {
            Some(last) if last.from == at => last.absorb(Level { from: at, to: at, sum, weight }),
            _ => levels.push(Level { from: at, to: at, sum, weight }),
        }
    }
    let mut pooled: Vec<Level> = Vec::with_capacity(levels.len());
    for mut level in levels {
        while let Some(before) = pooled.pop_if(|before| before.value() <= level.value()) {
            let after = level;
            level = before;
            level.absorb(after);
        }
        pooled.push(level);
    }
    pooled
}

impl Level {
    pub(crate) fn value(&self) -> f64 {
        self.sum / self.weight
    }

    /// Merges the next level into this one.
    fn absorb(&mut self, after: Self) {
        self.sum += after.sum;
        self.weight += after.weight;
        self.to = after.to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(values: &[(f64, f64)]) -> Vec<(f64, f64, f64)> {
        let observations =
            values.iter().map(|&(at, value)| Observation { at, sum: value, weight: 1.0 }).collect();
        non_increasing(observations).iter().map(|l| (l.from, l.to, l.value())).collect()
    }

    #[test]
    fn violators_are_pooled() {
        // 1 0 1 1 0 0: the 0 at 2 is followed by ones; 0 1 1 pool to 2/3, which is below 1.
        let errors = [(1.0, 1.0), (2.0, 0.0), (3.0, 1.0), (4.0, 1.0), (5.0, 0.0), (6.0, 0.0)];
        assert_eq!(fit(&errors), [(1.0, 1.0, 1.0), (2.0, 4.0, 2.0 / 3.0), (5.0, 6.0, 0.0)]);
    }

    #[test]
    fn places_come_in_any_order_and_ties_are_one_place() {
        // At 1: mean of 1 and 0. At 2: 1, higher than before: all pool to 2/3.
        assert_eq!(fit(&[(2.0, 1.0), (1.0, 0.0), (1.0, 1.0)]), [(1.0, 2.0, 2.0 / 3.0)]);
        assert_eq!(fit(&[]), []);
    }

    #[test]
    fn weights_count() {
        let observe = |at, value, weight| Observation { at, sum: value * weight, weight };
        let levels = non_increasing(vec![observe(1.0, 0.0, 3.0), observe(2.0, 1.0, 1.0)]);
        assert_eq!(levels.len(), 1);
        assert_eq!(levels[0].value(), 0.25);
    }

    #[test]
    fn copies_are_weights_to_the_bit() {
        // One of 49 rows: 49 additions of 1/49 would not make 1.
        let copies = (0..49).map(|i| Observation {
            at: 1.0,
            sum: f64::from(u8::from(i == 20)),
            weight: 1.0,
        });
        let levels = non_increasing(copies.collect());
        assert_eq!(levels, non_increasing(vec![Observation { at: 1.0, sum: 1.0, weight: 49.0 }]));
        assert_eq!(levels[0].value(), 1.0 / 49.0);
    }
}
