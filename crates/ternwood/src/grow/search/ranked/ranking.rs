//! From the values of a column to ranks.

use super::super::bucket_sort::{DigitSort, place_of, same_key};

/// Memory reused from column to column.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    /// Known values with their ranks: side by side, because they are reached in an order that no cache likes.
    ranked: Vec<(f64, u32)>,
    is_known: Vec<bool>,
    sort: DigitSort,
    distinct: Vec<f64>,
}

impl Ranking {
    /// The rank of every value among the distinct ones, and those, ascending. What is missing has the rank after
    /// the last.
    pub(super) fn of(&mut self, values: impl Iterator<Item = f64>) -> (Vec<u32>, Vec<f64>) {
        let Self { ranked, is_known, sort, distinct } = self;
        is_known.clear();
        ranked.clear();
        let known = values.filter(|x| {
            is_known.push(!x.is_nan());
            !x.is_nan()
        });
        ranked.extend(known.map(|value| (value, 0)));
        distinct.clear();
        for run in sort.sorted(ranked.iter().map(|&(value, _)| value)).chunk_by_mut(same_key) {
            if run.len() > 1 {
                let value = |keyed: u64| ranked[place_of(keyed)].0;
                run.sort_unstable_by(|&a, &b| value(a).total_cmp(&value(b)));
            }
            for &keyed in &*run {
                let (value, rank) = &mut ranked[place_of(keyed)];
                // Both zeros are one value.
                if distinct.last().is_none_or(|last| last < value) {
                    distinct.push(*value);
                }
                *rank = distinct.len() as u32 - 1;
            }
        }
        let missing = distinct.len() as u32;
        let mut ranks = ranked.iter().map(|&(_, rank)| rank);
        let rank =
            |&is_known: &bool| if is_known { ranks.next().unwrap_or(missing) } else { missing };
        (is_known.iter().map(rank).collect(), distinct.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_a_rank_and_missing_ones_come_last() {
        let mut ranking = Ranking::default();
        let (ranks, values) = ranking.of([3.0, f64::NAN, -0.0, 1e300, 0.0, 3.0].into_iter());
        assert_eq!((ranks, values), (vec![1, 3, 0, 2, 0, 1], vec![0.0, 3.0, 1e300]));
        // The memory of the column before does not show.
        let (ranks, values) = ranking.of([2.0, 1.0].into_iter());
        assert_eq!((ranks, values), (vec![1, 0], vec![1.0, 2.0]));
        assert_eq!(ranking.of([f64::NAN].into_iter()), (vec![0], vec![]));
    }

    #[test]
    fn values_of_the_same_key_are_ranked_too() {
        // One value lies so far off that the keys of all others are equal.
        let near = |i: u32| 1.0 + 1e-12 * f64::from(i.wrapping_mul(2_654_435_761) % 500);
        let values: Vec<f64> = (0..1000).map(near).chain([1e300]).collect();
        let mut distinct = values.clone();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let expected: Vec<u32> =
            values.iter().map(|x| distinct.partition_point(|value| value < x) as u32).collect();
        assert_eq!(Ranking::default().of(values.into_iter()), (expected, distinct));
    }
}
