//! Sorts many values: first into buckets, then within each.

use super::binned::BinTable;
use std::cmp::Ordering;

/// Below this many items, a plain sort is faster.
const WORTH_BUCKETS: usize = 1 << 15;

/// Sorts items by `order`, which must compare by `value` first.
pub(in crate::grow) fn sort_by_value<T: Copy>(
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
    let starts = bucket_starts(codes.iter().copied());
    let coded: Vec<(T, u16)> = items.iter().copied().zip(codes).collect();
    let scattered = scatter(&coded, |(_, code)| code, &starts);
    items.iter_mut().zip(scattered).for_each(|(item, (sorted, _))| *item = sorted);
    for bucket in starts.windows(2) {
        items[bucket[0] as usize..bucket[1] as usize].sort_unstable_by(&order);
    }
}

/// The items grouped by bucket, in input order within each. `starts` is where each bucket starts.
pub(in crate::grow) fn scatter<T: Copy>(
    items: &[T],
    bucket: impl Fn(T) -> u16,
    starts: &[u32],
) -> Vec<T> {
    let Some(&first) = items.first() else { return Vec::new() };
    let mut next = starts.to_vec();
    let mut scattered = vec![first; items.len()];
    for &item in items {
        let place = &mut next[usize::from(bucket(item))];
        scattered[*place as usize] = item;
        *place += 1;
    }
    scattered
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
