//! Exact tests of two samples: Fisher's, by the hypergeometric distribution, and one of ranges.

/// Fisher's exact test: the probability of a table as unlikely as this one or less, if the rows of
/// both samples come from the same source.
pub(crate) fn fisher(new: [u64; 2], before: [u64; 2]) -> f64 {
    let table = Hypergeometric::new(new, before);
    let found = table.logarithms[table.at] + 1e-7;
    table.sum(|index| table.logarithms[index] <= found)
}

/// Fisher's exact test to one side: the probability of this many of the new rows or more.
pub(crate) fn fisher_more(new: [u64; 2], before: [u64; 2]) -> f64 {
    let table = Hypergeometric::new(new, before);
    table.sum(|index| index >= table.at)
}

/// How many of the new rows are among those that have it, given how many there are in all.
struct Hypergeometric {
    /// Logarithms of probabilities, up to a constant, from the least possible number on.
    logarithms: Vec<f64>,
    /// Where the number that was found is.
    at: usize,
}

impl Hypergeometric {
    fn new([part, whole]: [u64; 2], [before_part, before_whole]: [u64; 2]) -> Self {
        // A model file may claim any number of rows.
        let having = part.saturating_add(before_part);
        let others = (whole - part).saturating_add(before_whole - before_part);
        let (least, most) = (whole.saturating_sub(others), whole.min(having));
        let mut logarithms = vec![0.0];
        for number in least..most {
            let up = (having - number) as f64 * (whole - number) as f64;
            let down = (number + 1) as f64 * (others as f64 + (number + 1) as f64 - whole as f64);
            logarithms.push(logarithms[logarithms.len() - 1] + (up / down).ln());
        }
        Self { logarithms, at: (part - least) as usize }
    }

    fn sum(&self, counts: impl Fn(usize) -> bool) -> f64 {
        let largest = self.logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weight = |logarithm: &f64| (logarithm - largest).exp();
        let all: f64 = self.logarithms.iter().map(weight).sum();
        let counted = self.logarithms.iter().enumerate().filter(|(index, _)| counts(*index));
        (counted.map(|(_, logarithm)| weight(logarithm)).sum::<f64>() / all).min(1.0)
    }
}

/// The probability that `outside` or more of `new` rows are outside the range of `before` others
/// from the same source.
///
/// If no two values are equal, every order of all of them is as likely. The new ones fall into the
/// `before + 1` gaps between and around the others, of which two are outside. Equal values make it
/// less likely.
pub(crate) fn outside_range(outside: usize, new: usize, before: u64) -> f64 {
    if outside == 0 || before < 2 {
        return 1.0;
    }
    let (mut weight, mut all, mut tail) = (1.0, 0.0, 0.0);
    for number in 0..=new {
        all += weight;
        if number >= outside {
            tail += weight;
        }
        let (rest, n) = ((new - number) as f64, number as f64);
        weight *= (n + 2.0) / (n + 1.0) * rest / (rest + (before - 2) as f64);
    }
    tail / all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn fishers_tea() {
        // 3 of 4 cups against 1 of 4: (16 + 1) / 70; both sides: 34 / 70.
        close(fisher_more([3, 4], [1, 4]), 17.0 / 70.0);
        close(fisher([3, 4], [1, 4]), 34.0 / 70.0);
        close(fisher([4, 4], [0, 4]), 2.0 / 70.0);
        close(fisher_more([0, 4], [3, 4]), 1.0);
    }

    #[test]
    fn large_tables_neither_overflow_nor_vanish() {
        close(fisher_more([0, 1_000_000], [5, 10]), 1.0);
        assert!(fisher([500_000, 1_000_000], [500_000, 1_000_000]) > 0.99);
        assert!(fisher([3, 10], [u64::MAX / 2, u64::MAX]) > 0.1);
        assert_eq!(fisher_more([10, 10], [u64::MAX, u64::MAX]), 1.0);
        let far = fisher([9_000, 10_000], [1_000, 10_000]);
        assert!((0.0..1e-200).contains(&far), "{far}");
    }

    #[test]
    fn the_ends_of_a_range() {
        // One new value among 3 others: outside with 2 of 4.
        close(outside_range(1, 1, 3), 0.5);
        // Two new values among 2 others, both outside: not one inside. Of the 6 orders of new and
        // old ones, nnoo, noon and oonn.
        close(outside_range(2, 2, 2), 0.5);
        close(outside_range(1, 2, 2), 5.0 / 6.0);
        close(outside_range(0, 9, 5), 1.0);
        close(outside_range(3, 9, 1), 1.0);
        assert!(outside_range(20, 1000, 1000) < 1e-4);
    }
}
