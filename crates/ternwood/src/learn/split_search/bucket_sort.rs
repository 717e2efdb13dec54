//! Sorting many values: first into buckets, then within each.

use super::binned::BinTable;
use std::cmp::Ordering;

/// With fewer items a plain sort is quicker.
const WORTH_BUCKETS: usize = 1 << 15;

/// Sorts items by a value and whatever else `order` compares after it.
pub(in crate::learn) fn sort_by_value<T: Copy>(
    items: &mut [T],
    value: impl Fn(&T) -> f64,
    order: impl Fn(&T, &T) -> Ordering,
) {
    if items.len() < WORTH_BUCKETS {
        items.sort_unstable_by(order);
        return;
    }
    let values: Vec<f64> = items.iter().map(value).collect();
    let codes = BinTable::for_sorting(&values).codes(&values);
    let unsorted = items.to_vec();
    let starts = bucket_starts(codes.iter().copied());
    let mut next = starts.clone();
    for (item, &code) in unsorted.iter().zip(&codes) {
        let place = &mut next[usize::from(code)];
        items[*place as usize] = *item;
        *place += 1;
    }
    for bucket in starts.windows(2) {
        items[bucket[0] as usize..bucket[1] as usize].sort_unstable_by(&order);
    }
}

/// Where each bucket starts, and where the last one ends.
pub(super) fn bucket_starts(codes: impl Iterator<Item = u16> + Clone) -> Vec<u32> {
    let n_buckets = codes.clone().max().map_or(0, |code| usize::from(code) + 1);
    let mut starts = vec![0; n_buckets + 1];
    for code in codes {
        starts[usize::from(code) + 1] += 1;
    }
    for bucket in 1..starts.len() {
        starts[bucket] += starts[bucket - 1];
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_and_plain_sort_agree() {
        let items: Vec<(f64, u32)> = (0..100_000u32)
            .map(|i| (f64::from(i.wrapping_mul(2_654_435_761) % 30_000).powi(3), i % 3))
            .collect();
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let mut by_buckets = items.clone();
        sort_by_value(&mut by_buckets, |item| item.0, order);
        let mut plainly = items;
        plainly.sort_by(order);
        assert_eq!(by_buckets, plainly);
    }
}
