//! Sorts many values by the digits of their keys.

use super::binned::ordered_bits;
use std::cmp::Ordering;

/// Below this many items, a plain sort is faster.
const WORTH_DIGITS: usize = 1 << 10;

/// Three digits hold a key of 32 bits; the counts of a digit fit the nearest cache.
const DIGIT_BITS: u32 = 11;
const N_DIGITS: usize = 3;
const KEY_BITS: u32 = 32;

/// Sorts items by `order`, which must compare by `value` first.
pub(crate) fn sort_by_value<T: Copy>(
    items: &mut Vec<T>,
    value: impl Fn(&T) -> f64,
    order: impl Fn(&T, &T) -> Ordering,
) {
    if items.len() < WORTH_DIGITS {
        items.sort_unstable_by(order);
        return;
    }
    let mut sort = DigitSort::default();
    let keyed = sort.sorted(items.iter().map(value));
    *items = keyed.iter().map(|&keyed| items[place_of(keyed)]).collect();
    let mut rest = items.as_mut_slice();
    for run in keyed.chunk_by(same_key) {
        let (same_key, after) = rest.split_at_mut(run.len());
        if run.len() > 1 {
            same_key.sort_unstable_by(&order);
        }
        rest = after;
    }
}

/// The place of a value that was sorted.
pub(crate) fn place_of(keyed: u64) -> usize {
    keyed as u32 as usize
}

/// True if the order of two values is unknown.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "as `chunk_by` wants it")]
pub(crate) fn same_key(a: &u64, b: &u64) -> bool {
    a >> KEY_BITS == b >> KEY_BITS
}

/// Sorts values by digits; its memory can be used again.
#[derive(Debug, Default)]
pub(crate) struct DigitSort {
    keyed: Vec<u64>,
    other: Vec<u64>,
}

impl DigitSort {
    /// Sorts values with their places, by a key that never falls as values rise. Values of the same key are in
    /// input order.
    pub(crate) fn sorted(&mut self, values: impl Iterator<Item = f64>) -> &mut [u64] {
        let keyed = &mut self.keyed;
        keyed.clear();
        keyed.extend(values.map(ordered_bits));
        let low = keyed.iter().copied().fold(u64::MAX, u64::min);
        let high = keyed.iter().copied().fold(0, u64::max);
        // The leading bits of the range in use: equal keys are rare, unless values are equal.
        let shift = (64 - high.saturating_sub(low).leading_zeros()).saturating_sub(KEY_BITS);
        for (place, bits) in (0..).zip(keyed.iter_mut()) {
            *bits = ((*bits - low) >> shift) << KEY_BITS | place;
        }
        self.sort();
        &mut self.keyed
    }

    /// Sorts by key: by the lowest digit first, then by the next, each time keeping the order so far.
    fn sort(&mut self) {
        let Self { keyed, other } = self;
        let digit = |keyed: u64, index: usize| {
            (keyed >> (KEY_BITS + DIGIT_BITS * index as u32)) as usize & ((1 << DIGIT_BITS) - 1)
        };
        let mut next = [[0u32; 1 << DIGIT_BITS]; N_DIGITS];
        for &keyed in &*keyed {
            (0..N_DIGITS).for_each(|index| next[index][digit(keyed, index)] += 1);
        }
        other.resize(keyed.len(), 0);
        for (index, next) in next.iter_mut().enumerate() {
            let mut start = 0;
            for count in next.iter_mut() {
                start += std::mem::replace(count, start);
            }
            for &keyed in &*keyed {
                let place = &mut next[digit(keyed, index)];
                other[*place as usize] = keyed;
                *place += 1;
            }
            std::mem::swap(keyed, other);
        }
    }
}

/// The items grouped by bucket, in input order within each. `starts` is where each bucket starts.
pub(crate) fn scatter<T: Copy>(items: &[T], bucket: impl Fn(T) -> u16, starts: &[u32]) -> Vec<T> {
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
    fn digits_and_plain_sort_agree() {
        let scattered = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) % 30_000) - 15_000.0;
        let columns: [&dyn Fn(u32) -> f64; 5] = [
            &|i| scattered(i).powi(3),
            // Nearly all keys are equal, as one value lies far off.
            &|i| if i == 77 { 1e300 } else { 1.0 + 1e-12 * scattered(i) },
            &|i| 1.7e9 + scattered(i),
            &|i| if i % 2 == 0 { 0.0 } else { -0.0 },
            &|i| [f64::MIN, f64::INFINITY, 5e-324, f64::NEG_INFINITY][i as usize % 4],
        ];
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        for (number, column) in columns.into_iter().enumerate() {
            let items: Vec<(f64, u32)> = (0..10_000).map(|i| (column(i), i * 7 % 3)).collect();
            let mut by_digits = items.clone();
            sort_by_value(&mut by_digits, |item| item.0, order);
            let mut plainly = items;
            plainly.sort_by(order);
            let bits = |items: &[(f64, u32)]| -> Vec<(u64, u32)> {
                items.iter().map(|item| (item.0.to_bits(), item.1)).collect()
            };
            assert!(bits(&by_digits) == bits(&plainly), "column {number}");
        }
    }
}
