//! Hashes of some of the rows, from which two sets of rows can be compared.

use serde::{Deserialize, Serialize};

/// The smallest hashes of whole rows (class included), with the number of rows that have each.
///
/// Equal rows have equal hashes; others have different ones, up to a chance of 1 in 2^40. There are
/// at most [`SIZE`](Self::SIZE) hashes. All rows up to the largest of them are known, so sketches of
/// parts [merge](Self::merged) to the sketch of the whole, and the order of rows does not matter.
///
/// In a model file hashes are written as the gaps between them, and counts above 1 with their
/// position.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct RowSketch {
    /// Hashes and counts, ascending by hash.
    entries: Vec<Entry>,
}

/// The number of rows with one hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) hash: u64,
    pub(super) count: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a sketch of training rows")]
struct Written {
    gaps: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    counts: Vec<(u32, u64)>,
}

impl RowSketch {
    /// The most hashes in a sketch.
    pub const SIZE: usize = 4096;
    /// The number of bits of a hash: few digits in a model file, and every program that reads JSON
    /// takes them exactly.
    pub(super) const BITS: u32 = 40;

    /// The number of distinct hashes.
    #[must_use]
    pub fn n_hashes(&self) -> usize {
        self.entries.len()
    }

    /// True if it covers all rows, not only those with small hashes.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.entries.len() < Self::SIZE
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The number of rows that it covers.
    pub(super) fn n_rows(&self) -> u64 {
        self.entries.iter().fold(0, |sum, entry| sum.saturating_add(entry.count))
    }

    /// The sketch of the rows of both.
    #[must_use]
    pub fn merged(mut self, other: &Self) -> Self {
        self.entries.extend_from_slice(&other.entries);
        Self { entries: smallest(self.entries) }
    }
}

/// Equal hashes together, and only the smallest.
fn smallest(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_unstable_by_key(|entry| entry.hash);
    entries.dedup_by(|next, kept| {
        let same = next.hash == kept.hash;
        if same {
            kept.count = kept.count.saturating_add(next.count);
        }
        same
    });
    entries.truncate(RowSketch::SIZE);
    entries
}

/// Collects the smallest hashes of many.
pub(super) struct SketchBuilder {
    entries: Vec<Entry>,
    /// Larger hashes are not among the smallest.
    limit: u64,
}

impl SketchBuilder {
    /// Sorting seldom is cheaper than a heap.
    const ROOM: usize = 4 * RowSketch::SIZE;

    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), limit: u64::MAX }
    }

    #[inline]
    pub(super) fn add(&mut self, hash: u64, count: u64) {
        if hash > self.limit {
            return;
        }
        self.entries.push(Entry { hash, count });
        if self.entries.len() == Self::ROOM {
            self.compact();
        }
    }

    #[cold]
    fn compact(&mut self) {
        self.entries = smallest(std::mem::take(&mut self.entries));
        self.entries.reserve_exact(Self::ROOM - self.entries.len());
        if let Some(last) = self.entries.get(RowSketch::SIZE - 1) {
            self.limit = last.hash;
        }
    }

    pub(super) fn finish(self) -> RowSketch {
        let mut entries = smallest(self.entries);
        entries.shrink_to_fit();
        RowSketch { entries }
    }
}

impl From<RowSketch> for Written {
    fn from(sketch: RowSketch) -> Self {
        let mut last = 0;
        let mut gap = |entry: &Entry| entry.hash - std::mem::replace(&mut last, entry.hash);
        let gaps = sketch.entries.iter().map(&mut gap).collect();
        let numbered = (0..).zip(&sketch.entries).filter(|(_, entry)| entry.count != 1);
        Self { gaps, counts: numbered.map(|(index, entry)| (index, entry.count)).collect() }
    }
}

impl TryFrom<Written> for RowSketch {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written { gaps, counts } = written;
        if gaps.len() > Self::SIZE {
            let (found, most) = (gaps.len(), Self::SIZE);
            return Err(format!("the sketch has {found} hashes, and {most} are the most"));
        }
        let mut entries = Vec::with_capacity(gaps.len());
        let mut hash: u64 = 0;
        for (index, gap) in gaps.into_iter().enumerate() {
            // Only the first hash may be 0.
            let ascends = gap > 0 || index == 0;
            let next = hash.checked_add(gap).filter(|next| ascends && next >> Self::BITS == 0);
            hash = next.ok_or_else(|| format!("gap {index} of the sketch is {gap}"))?;
            entries.push(Entry { hash, count: 1 });
        }
        let mut last = None;
        for (index, count) in counts {
            let in_order = last < Some(index) && count > 1;
            let entry = entries.get_mut(index as usize).filter(|_| in_order);
            let Some(entry) = entry else {
                return Err(format!("count {count} of hash {index} of the sketch is out of place"));
            };
            entry.count = count;
            last = Some(index);
        }
        Ok(Self { entries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sketch(hashes: &[u64]) -> RowSketch {
        let mut builder = SketchBuilder::new();
        hashes.iter().for_each(|&hash| builder.add(hash, 1));
        builder.finish()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        /// More rows than fit, with many duplicates, against a sorted list.
        #[test]
        fn it_has_the_smallest_hashes_with_their_counts(
            hashes in prop::collection::vec(0_u64..9000, 20_000..30_000),
        ) {
            let mut sorted = hashes.clone();
            sorted.sort_unstable();
            let runs = sorted.chunk_by(|a, b| a == b);
            let expected: Vec<Entry> = runs
                .map(|run| Entry { hash: run[0], count: run.len() as u64 })
                .take(RowSketch::SIZE)
                .collect();
            prop_assert_eq!(sketch(&hashes).entries, expected);
        }

        #[test]
        fn sketches_of_parts_merge_to_that_of_the_whole(
            hashes in prop::collection::vec(0_u64..9000, 0..20_000),
            at in any::<prop::sample::Index>(),
        ) {
            let (one, other) = hashes.split_at(at.index(hashes.len() + 1));
            prop_assert_eq!(sketch(one).merged(&sketch(other)), sketch(&hashes));
        }

        #[test]
        fn it_is_read_as_it_was_written(
            hashes in prop::collection::vec(0_u64..1 << RowSketch::BITS, 0..200),
            twice in 0_usize..100,
        ) {
            let all: Vec<u64> = hashes.iter().chain(hashes.iter().take(twice)).copied().collect();
            let sketch = sketch(&all);
            let text = serde_json::to_string(&sketch).unwrap();
            prop_assert_eq!(serde_json::from_str::<RowSketch>(&text).unwrap(), sketch);
        }
    }

    #[test]
    fn a_full_sketch_is_short() {
        // Evenly spread over all hashes: the widest gaps.
        let step = (1 << RowSketch::BITS) / RowSketch::SIZE as u64;
        let hashes: Vec<u64> = (0..RowSketch::SIZE as u64).map(|i| i * step + i % 7).collect();
        let text = serde_json::to_string(&sketch(&hashes)).unwrap();
        assert!(text.len() < 50_000, "{} bytes", text.len());
    }
}
