//! The bits by which training rows are recognised.

use crate::dataset::mix;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Bits set by training rows: a Bloom filter with a single hash and about as many bits as rows.
///
/// With n rows it has M = min(n, [`MOST_BITS`](Self::MOST_BITS)) bits. The key of a row is a hash of its
/// features (not of its class) and of a salt. If n exceeds M, only rows take part whose key falls into the
/// first M / n of all keys; such rows are *eligible*. An eligible row sets the bit at a place that depends
/// on its key. So a training row finds its bit set, and any other row with a probability of about
/// 1 - 1/e = .63: a match is 1.6 times as likely for a training row as for any other.
///
/// The salt is a hash of the sum of all rows' hashes. Without one of the rows it would be another, and all
/// bits with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowFilter {
    plan: FilterPlan,
    words: Vec<u64>,
}

/// Where rows set bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FilterPlan {
    salt: u64,
    /// The number of rows, at least 1.
    rows: u64,
}

/// A filter in a model file, which has the number of rows elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a filter of training rows")]
pub(super) struct Written {
    salt: String,
    bits: String,
}

impl FilterPlan {
    pub(super) fn new(sum: u128, rows: u64) -> Self {
        // The sum must stay unknown: with that of a model made without one of the rows, it would give the
        // hash of this row.
        let digest = Sha256::new().chain_update("training rows").chain_update(sum.to_le_bytes());
        let digest: [u8; 32] = digest.finalize().into();
        let [salt, ..] = digest.as_chunks().0 else { unreachable!("32 bytes are four times 8") };
        Self { salt: u64::from_le_bytes(*salt), rows }
    }

    fn n_bits(self) -> u64 {
        self.rows.min(RowFilter::MOST_BITS)
    }

    /// The place of a row with this hash; `None` if it is not eligible.
    #[inline]
    fn place(self, hash: u64) -> Option<u64> {
        let key = mix(hash ^ self.salt);
        let below = |share: u64, whole: u64| {
            // key / 2^64 < share / whole
            u128::from(key) * u128::from(whole) < u128::from(share) << 64
        };
        let is_eligible = self.rows <= RowFilter::MOST_BITS || below(self.n_bits(), self.rows);
        // Other bits of the key.
        is_eligible.then(|| ((u128::from(mix(key)) * u128::from(self.n_bits())) >> 64) as u64)
    }
}

impl RowFilter {
    /// The most bits of a filter.
    pub const MOST_BITS: u64 = 1 << 20;

    /// The bits of rows with these hashes.
    pub(crate) fn of(plan: FilterPlan, hashes: &[u64]) -> Self {
        let mut words = vec![0_u64; plan.n_bits().div_ceil(64) as usize];
        for place in hashes.iter().filter_map(|&hash| plan.place(hash)) {
            words[(place / 64) as usize] |= 1 << (place % 64);
        }
        Self { plan, words }
    }

    /// The bits of the rows of both, which have the same plan; `None` if they have not.
    #[cfg(feature = "learn")]
    pub(crate) fn merged(mut self, other: &Self) -> Option<Self> {
        let is_same = self.plan == other.plan && self.words.len() == other.words.len();
        self.words.iter_mut().zip(&other.words).for_each(|(one, other)| *one |= other);
        is_same.then_some(self)
    }

    /// True if its bits are set by this plan, and as many as it says.
    #[cfg(feature = "learn")]
    pub(crate) fn follows(&self, plan: FilterPlan) -> bool {
        self.plan == plan && self.words.len() as u64 == plan.n_bits().div_ceil(64)
    }

    /// The share of bits that are set: how often a row matches that the model was not trained on.
    #[must_use]
    pub fn share_set(&self) -> f64 {
        let set: u64 = self.words.iter().map(|word| u64::from(word.count_ones())).sum();
        set as f64 / self.plan.n_bits() as f64
    }

    /// An estimate of the share of rows that repeat another one, from the number of bits that are set.
    ///
    /// Of n rows with D distinct ones, a bit stays unset with the probability exp(-D / n).
    pub(super) fn share_of_repeats(&self) -> f64 {
        (1.0 + (1.0 - self.share_set()).ln()).max(0.0)
    }

    /// The number of rows that it was filled with.
    pub(super) fn rows(&self) -> u64 {
        self.plan.rows
    }

    /// Whether a row with this hash finds its bit set; `None` if it is not eligible.
    pub(super) fn matches(&self, hash: u64) -> Option<bool> {
        let place = self.plan.place(hash)?;
        Some(self.words[(place / 64) as usize] >> (place % 64) & 1 == 1)
    }

    pub(super) fn written(&self) -> Written {
        let bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let n_bytes = self.plan.n_bits().div_ceil(8) as usize;
        Written { salt: format!("{:016x}", self.plan.salt), bits: encoded(&bytes[..n_bytes]) }
    }

    /// The filter of this many rows that a file describes, or what is wrong with it.
    pub(super) fn read(written: &Written, rows: u64) -> Result<Self, String> {
        let Written { salt, bits } = written;
        let is_hex = |letter: u8| matches!(letter, b'0'..=b'9' | b'a'..=b'f');
        if salt.len() != 16 || !salt.bytes().all(is_hex) {
            return Err("its salt is not 16 hexadecimal digits in lower case".to_owned());
        }
        let salt = u64::from_str_radix(salt, 16).map_err(|error| error.to_string())?;
        let plan = FilterPlan { salt, rows };
        let n_bits = plan.n_bits();
        // Without decoding what is far too long.
        let n_letters = n_bits.div_ceil(24) * 4;
        if bits.len() as u64 != n_letters {
            let found = bits.len();
            return Err(format!(
                "its bits have {found} letters, but {n_bits} bits take {n_letters}"
            ));
        }
        let bytes = decoded(bits).filter(|bytes| bytes.len() as u64 == n_bits.div_ceil(8));
        let bytes = bytes.ok_or_else(|| "its bits are not base64".to_owned())?;
        let word =
            |bytes: &[u8]| (0..).zip(bytes).fold(0, |word, (i, &b)| word | u64::from(b) << (8 * i));
        let words: Vec<u64> = bytes.chunks(8).map(word).collect();
        let beyond = match n_bits % 64 {
            0 => 0,
            used => words.last().map_or(0, |last| last >> used),
        };
        if beyond != 0 {
            return Err(format!("it has bits beyond its {n_bits}"));
        }
        let set: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
        if set == 0 || set > rows {
            return Err(format!("{set} of its bits are set by {rows} rows"));
        }
        Ok(Self { plan, words })
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The text of some bytes.
pub(super) fn encoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let is_padding = place > chunk.len();
            let letter = ALPHABET[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if is_padding { '=' } else { letter.into() });
        }
    }
    text
}

/// The bytes of a text; `None` if [`encoded`] never writes it.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    let (chunks, []) = text.as_bytes().as_chunks::<4>() else { return None };
    let mut bytes = Vec::with_capacity(chunks.len() * 3);
    for (index, chunk) in chunks.iter().enumerate() {
        let letters = match chunk {
            [_, _, b'=', b'='] => 2,
            [_, _, _, b'='] => 3,
            _ => 4,
        };
        if letters < 4 && index + 1 < chunks.len() {
            return None;
        }
        let mut bits = 0;
        for &letter in &chunk[..letters] {
            bits = bits << 6 | value(letter)?;
        }
        bits <<= 6 * (4 - letters);
        let [_, of_chunk @ ..] = u32::to_be_bytes(bits);
        let (kept, rest) = of_chunk.split_at(letters - 1);
        if rest.iter().any(|&byte| byte != 0) {
            return None;
        }
        bytes.extend_from_slice(kept);
    }
    Some(bytes)
}

fn value(letter: u8) -> Option<u32> {
    Some(u32::from(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hashes(rows: u64) -> Vec<u64> {
        (0..rows).map(|row| mix(row ^ 77)).collect()
    }

    #[test]
    fn all_rows_find_their_bits_and_others_about_63_in_100() {
        let filter = RowFilter::of(FilterPlan::new(5, 10_000), &hashes(10_000));
        assert!(hashes(10_000).iter().all(|&hash| filter.matches(hash) == Some(true)));
        let others = (10_000..20_000).map(|row| filter.matches(mix(row ^ 77)));
        let found = others.filter(|found| *found == Some(true)).count() as f64 / 1e4;
        // A standard deviation of .005 each.
        assert!((filter.share_set() - (1.0 - (-1.0_f64).exp())).abs() < 0.015);
        assert!((found - filter.share_set()).abs() < 0.02, "{found}");
    }

    /// With four times as many rows as bits a quarter is eligible, and as many bits are set.
    #[test]
    fn of_more_rows_than_bits_a_share_is_eligible() {
        let rows = 4 * RowFilter::MOST_BITS;
        let filter = RowFilter::of(FilterPlan::new(5, rows), &hashes(rows));
        assert_eq!(filter.words.len() as u64 * 64, RowFilter::MOST_BITS);
        assert!((filter.share_set() - (1.0 - (-1.0_f64).exp())).abs() < 0.002);
        let found: Vec<bool> = hashes(40_000).iter().filter_map(|&h| filter.matches(h)).collect();
        assert!(found.iter().all(|&matches| matches));
        assert!((found.len() as f64 / 40_000.0 - 0.25).abs() < 0.01, "{}", found.len());
    }

    #[test]
    fn repeats_show_in_the_number_of_bits() {
        let repeats = |hashes: &[u64]| {
            let rows = hashes.len() as u64;
            RowFilter::of(FilterPlan::new(5, rows), hashes).share_of_repeats()
        };
        // A standard deviation of .85 / sqrt(40,000).
        assert!(repeats(&hashes(40_000)) < 0.02);
        let with_repeats = [hashes(36_000), vec![mix(7); 4000]].concat();
        assert!((repeats(&with_repeats) - 0.1).abs() < 0.02);
        // All bits set, and one row.
        assert_eq!(repeats(&hashes(1)), 0.0);
    }

    /// Bits of the same rows under two salts agree as often as those of different rows.
    #[test]
    fn another_sum_gives_unrelated_bits() {
        let [one, other] =
            [5, 6].map(|sum| RowFilter::of(FilterPlan::new(sum, 6400), &hashes(6400)));
        let both =
            one.words.iter().zip(&other.words).map(|(one, other)| (one & other).count_ones());
        let both = f64::from(both.sum::<u32>()) / 6400.0;
        assert!((both - one.share_set() * other.share_set()).abs() < 0.02, "{both}");
    }

    proptest! {
        #[test]
        fn a_filter_is_read_as_it_was_written(rows in 1_u64..300, sum in any::<u128>()) {
            let filter = RowFilter::of(FilterPlan::new(sum, rows), &hashes(rows));
            prop_assert_eq!(RowFilter::read(&filter.written(), rows), Ok(filter));
        }

        #[test]
        fn parts_combine_by_or(rows in 1_u64..300, at in any::<prop::sample::Index>()) {
            let (plan, hashes) = (FilterPlan::new(9, rows), hashes(rows));
            let (one, other) = hashes.split_at(at.index(hashes.len() + 1));
            let merged = RowFilter::of(plan, one).merged(&RowFilter::of(plan, other));
            prop_assert_eq!(merged, Some(RowFilter::of(plan, &hashes)));
        }
    }

    #[test]
    fn the_examples_of_the_standard() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")] {
            assert_eq!(encoded(bytes.as_bytes()), text);
            assert_eq!(decoded(text).as_deref(), Some(bytes.as_bytes()));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zg== ", "Zm-v", "Zm\nv"]
        {
            assert_eq!(decoded(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn bytes_survive(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(decoded(&encoded(&bytes)), Some(bytes));
        }

        #[test]
        fn a_text_that_is_read_is_written_again(text in "[A-Za-z0-9+/=]{0,12}") {
            if let Some(bytes) = decoded(&text) {
                prop_assert_eq!(encoded(&bytes), text);
            }
        }
    }
}
