//! Fast monotone maps from values to a few thousand slots.
//!
//! Bins are unions of neighbouring slots, so finding a value's bin is one table lookup. Any
//! monotone map is correct; a good one spreads the values evenly.

use serde::{Deserialize, Serialize};

/// The number of slots: few enough that a table stays in the cache.
const N_SLOTS: usize = 1 << 13;

/// A monotone map from values to slots.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum SlotOf {
    /// Slots of equal width.
    Linear { low: f64, per_unit: f64 },
    /// Slots of equal width in the bits of a float: about equal ratios, for skewed columns.
    Bits { low: u64, shift: u32 },
}

/// The lookup table from values to bins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub(crate) struct BinTable {
    slot_of: SlotOf,
    bin_of_slot: Vec<u16>,
    n_bins: usize,
    /// The value of each bin, if the sample had few enough values for one bin each.
    only_values: Option<Vec<f64>>,
}

/// A table as it is sent: the slot at which each bin but the first begins.
#[derive(Serialize, Deserialize)]
struct Written {
    slot_of: SlotOf,
    starts: Vec<u16>,
    only_values: Option<Vec<f64>>,
}

impl From<BinTable> for Written {
    fn from(table: BinTable) -> Self {
        let slots = (1..).zip(table.bin_of_slot.windows(2));
        let starts = slots.filter(|(_, bins)| bins[0] != bins[1]).map(|(slot, _)| slot).collect();
        Self { slot_of: table.slot_of, starts, only_values: table.only_values }
    }
}

impl TryFrom<Written> for BinTable {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let Written { slot_of, starts, only_values } = written;
        let n_bins = starts.len() + 1;
        let in_order = starts.windows(2).all(|pair| pair[0] < pair[1]);
        let are_slots = starts.iter().all(|&slot| slot > 0 && usize::from(slot) < N_SLOTS);
        let is_shift = !matches!(slot_of, SlotOf::Bits { shift, .. } if shift >= u64::BITS);
        let as_many = only_values.as_ref().is_none_or(|values| values.len() == n_bins);
        if !(in_order && are_slots && is_shift && as_many) {
            return Err("its bins are not ranges of values");
        }
        let mut bin_of_slot = vec![0; N_SLOTS];
        for &start in &starts {
            bin_of_slot[usize::from(start)] = 1;
        }
        let mut bin = 0;
        for slot in &mut bin_of_slot {
            bin += *slot;
            *slot = bin;
        }
        Ok(Self { slot_of, bin_of_slot, n_bins, only_values })
    }
}

impl SlotOf {
    /// One slot per integer. The slots used are adjacent, so table reads stay local.
    fn whole_numbers(low: f64, high: f64) -> Option<Self> {
        (low.fract() == 0.0 && high - low < N_SLOTS as f64)
            .then_some(Self::Linear { low, per_unit: 1.0 })
    }

    fn linear(low: f64, high: f64) -> Option<Self> {
        let per_unit = (N_SLOTS - 1) as f64 / (high - low);
        per_unit.is_normal().then_some(Self::Linear { low, per_unit })
    }

    fn bits(low: f64, high: f64) -> Self {
        let (low, high) = (ordered_bits(low), ordered_bits(high));
        let width = 64 - (high - low).leading_zeros();
        Self::Bits { low, shift: width.saturating_sub(N_SLOTS.trailing_zeros()) }
    }

    #[inline]
    fn slot(self, value: f64) -> usize {
        match self {
            Self::Linear { low, per_unit } => linear_slot(low, per_unit, value),
            Self::Bits { low, shift } => bits_slot(low, shift, value),
        }
    }
}

#[inline]
fn linear_slot(low: f64, per_unit: f64, value: f64) -> usize {
    // Via i32: that conversion is a single instruction.
    (((value - low) * per_unit) as i32).clamp(0, N_SLOTS as i32 - 1) as usize
}

#[inline]
fn bits_slot(low: u64, shift: u32, value: f64) -> usize {
    ((ordered_bits(value).saturating_sub(low) >> shift) as usize).min(N_SLOTS - 1)
}

/// Bits in the same order as the floats they encode (both zeros alike).
#[inline]
pub(in crate::grow::search) fn ordered_bits(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    bits ^ (((bits as i64 >> 63) as u64) | (1 << 63))
}

/// The smallest and the largest value, in eight lanes.
fn extremes(column: &[f64]) -> (f64, f64) {
    let (blocks, rest) = column.as_chunks::<8>();
    let (mut low, mut high) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8]);
    for block in blocks {
        for lane in 0..8 {
            low[lane] = if block[lane] < low[lane] { block[lane] } else { low[lane] };
            high[lane] = if block[lane] > high[lane] { block[lane] } else { high[lane] };
        }
    }
    let low = low.iter().chain(rest).copied().fold(f64::INFINITY, f64::min);
    let high = high.iter().chain(rest).copied().fold(f64::NEG_INFINITY, f64::max);
    (low, high)
}

impl BinTable {
    /// Chooses bins for values distributed like `sample`. Values outside its range belong to the
    /// outermost bins.
    pub(super) fn new(sample: &[f64], max_bins: usize) -> Self {
        let (low, high) = extremes(sample);
        let bits = || Self::with(SlotOf::bits(low, high), sample, max_bins);
        let are_whole = || sample.iter().all(|value| value.fract() == 0.0);
        let whole_numbers = SlotOf::whole_numbers(low, high).filter(|_| are_whole());
        let Some(linear) = whole_numbers.or_else(|| SlotOf::linear(low, high)) else {
            return bits().0;
        };
        let (table, largest) = Self::with(linear, sample, max_bins);
        // Evenly filled bins would hold a share of 1 / max_bins each.
        if table.has_few_values() || largest * max_bins <= 8 * sample.len() {
            return table;
        }
        let (other, largest_other) = bits();
        if largest_other < largest { other } else { table }
    }

    /// The table for one map, and the number of sample values in its largest bin.
    fn with(slot_of: SlotOf, sample: &[f64], max_bins: usize) -> (Self, usize) {
        let mut filled = vec![0usize; N_SLOTS];
        for &value in sample {
            filled[slot_of.slot(value)] += 1;
        }
        let n_filled = filled.iter().filter(|&&count| count > 0).count();
        // A bin ends at the slot that fills its share; with few values, at each non-empty slot.
        let share = if n_filled <= max_bins { 1 } else { sample.len().div_ceil(max_bins) };
        let (mut bin, mut in_bin, mut largest) = (0u16, 0, 0);
        let mut bin_of_slot = vec![0; N_SLOTS];
        for (slot, &count) in filled.iter().enumerate() {
            if in_bin >= share && count > 0 && usize::from(bin) + 1 < max_bins {
                bin += 1;
                in_bin = 0;
            }
            in_bin += count;
            largest = largest.max(in_bin);
            bin_of_slot[slot] = bin;
        }
        let n_bins = usize::from(bin) + 1;
        let mut table = Self { slot_of, bin_of_slot, n_bins, only_values: None };
        if n_filled <= max_bins {
            table.only_values = table.only_values_in(sample);
        }
        (table, largest)
    }

    /// The value of each bin, if no bin has two.
    fn only_values_in(&self, sample: &[f64]) -> Option<Vec<f64>> {
        let mut only_values = vec![f64::NAN; self.n_bins];
        for &value in sample {
            let only_value = &mut only_values[usize::from(self.code(value))];
            if only_value.is_nan() {
                *only_value = value;
            } else if *only_value != value {
                return None;
            }
        }
        Some(only_values)
    }

    pub(super) fn n_bins(&self) -> usize {
        self.n_bins
    }

    /// True if each bin is meant for one value.
    pub(super) fn has_few_values(&self) -> bool {
        self.only_values.is_some()
    }

    /// The bin of a value.
    pub(super) fn code(&self, value: f64) -> u16 {
        self.bin_of_slot[self.slot_of.slot(value)]
    }

    /// The bin of every value.
    pub(crate) fn codes(&self, values: &[f64]) -> Vec<u16> {
        let mut codes = vec![0; values.len()];
        self.encode(values.iter().copied(), &mut codes);
        codes
    }

    /// Writes the bin of every value.
    pub(super) fn encode(&self, values: impl Iterator<Item = f64>, codes: &mut [u16]) {
        self.encode_with(values, codes, |_, code| code);
    }

    /// Writes the bin of every value, and clears `single_valued` for bins with a second value.
    pub(super) fn encode_checked(
        &self,
        values: impl Iterator<Item = f64>,
        codes: &mut [u16],
        single_valued: &mut [bool],
    ) {
        let Some(only_values) = &self.only_values else {
            return self.encode(values, codes);
        };
        self.encode_with(values, codes, |value, code| {
            if only_values[usize::from(code)] != value {
                single_valued[usize::from(code)] = false;
            }
            code
        });
    }

    /// Like [`encode_checked`](Self::encode_checked), with a bin after all others for missing
    /// values.
    pub(super) fn encode_with_missing(
        &self,
        values: impl Iterator<Item = f64>,
        codes: &mut [u16],
        single_valued: &mut [bool],
    ) {
        let missing = self.n_bins as u16;
        let Some(only_values) = &self.only_values else {
            let or_missing = |value: f64, code| if value.is_nan() { missing } else { code };
            return self.encode_with(values, codes, or_missing);
        };
        self.encode_with(values, codes, |value, code| {
            if value.is_nan() {
                return missing;
            }
            if only_values[usize::from(code)] != value {
                single_valued[usize::from(code)] = false;
            }
            code
        });
    }

    // A function of its own has enough registers.
    #[inline(never)]
    fn encode_with(
        &self,
        values: impl Iterator<Item = f64>,
        codes: &mut [u16],
        mut code_of: impl FnMut(f64, u16) -> u16,
    ) {
        let table = &self.bin_of_slot[..N_SLOTS];
        match self.slot_of {
            SlotOf::Linear { low, per_unit } => {
                for (target, value) in codes.iter_mut().zip(values) {
                    let code = table[linear_slot(low, per_unit, value)];
                    *target = code_of(value, code);
                }
            }
            SlotOf::Bits { low, shift } => {
                for (target, value) in codes.iter_mut().zip(values) {
                    let code = table[bits_slot(low, shift, value)];
                    *target = code_of(value, code);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn codes_of(values: &[f64], max_bins: usize) -> Vec<u16> {
        // Every second value: the others may lie beyond.
        let sample: Vec<f64> = values.iter().copied().step_by(2).collect();
        BinTable::new(&sample, max_bins).codes(values)
    }

    #[test]
    fn few_values_get_a_bin_each() {
        let values: Vec<f64> = (0..1000).map(|i| f64::from(i % 7)).collect();
        let codes = codes_of(&values, 256);
        assert!(values.iter().zip(&codes).all(|(value, &code)| f64::from(code) == *value));
    }

    #[test]
    fn skewed_columns_are_spread_too() {
        let values: Vec<f64> = (0..20_000).map(|i| (f64::from(i) / 1000.0).exp()).collect();
        let mut in_bin = [0; 256];
        codes_of(&values, 256).iter().for_each(|&code| in_bin[usize::from(code)] += 1);
        assert!(in_bin.iter().all(|&count| count < 8 * 20_000 / 256), "{in_bin:?}");
    }

    proptest! {
        #[test]
        fn codes_never_fall_as_values_rise(
            mut values in prop::collection::vec(any::<f64>().prop_filter("finite", |x| x.is_finite()), 1..200),
            small in prop::collection::vec(-1.0..1.0f64, 0..200),
            max_bins in 1..40usize,
        ) {
            values.extend(small);
            values.sort_by(f64::total_cmp);
            let codes = codes_of(&values, max_bins);
            prop_assert!(codes.is_sorted());
            prop_assert!(codes.iter().all(|&code| usize::from(code) < max_bins));
            for (pair, codes) in values.windows(2).zip(codes.windows(2)) {
                prop_assert!(pair[0] != pair[1] || codes[0] == codes[1]);
            }
        }
    }
}
