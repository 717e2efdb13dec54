//! What is known of the values of a feature: gaps, categories, and ranges that hide the values they come from.

use crate::dataset::FeatureKind;
use serde::{Deserialize, Serialize};

/// A range around a feature's numbers, or how often each of its categories occurs; and how many values are
/// missing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the values of a feature")]
pub struct FeatureValues {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
    #[serde(default, skip_serializing_if = "<[u64]>::is_empty")]
    counts: Box<[u64]>,
    #[serde(default, skip_serializing_if = "is_zero")]
    missing: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Private counts are multiples of this.
const PRIVATE_UNIT: u64 = 10;

impl FeatureValues {
    pub(super) fn of_numbers(range: Option<[f64; 2]>, missing: u64) -> Self {
        Self { range, counts: Box::default(), missing }
    }

    pub(super) fn of_categories(counts: Vec<u64>, missing: u64) -> Self {
        Self { range: None, counts: counts.into(), missing }
    }

    /// A range that contains all numbers; `None` for categories, and if all are missing. Its ends are
    /// rounded outward to two significant digits of its width, or to one if the numbers themselves have no
    /// more: they do not tell the smallest and the largest number, unless there are ten possible numbers or fewer.
    #[must_use]
    pub fn range(&self) -> Option<[f64; 2]> {
        self.range
    }

    /// How many rows have each category, by id; empty for numbers. In a private model counts are rounded
    /// down to tens, so that fewer than ten rows are 0.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many rows have no value.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// The same without small counts. The others are rounded, or else a single small one would be the
    /// difference to the number of rows.
    pub(super) fn private(mut self) -> Self {
        self.counts.iter_mut().for_each(|count| *count -= *count % PRIVATE_UNIT);
        self
    }

    /// What is wrong with what a file says of `rows` rows.
    pub(super) fn problem(
        &self,
        rows: u64,
        kind: &FeatureKind,
        is_private: bool,
    ) -> Option<String> {
        let present = self.counts.iter().fold(0_u64, |sum, &count| sum.saturating_add(count));
        let (missing, categories) = (self.missing, kind.names().len());
        let all = present.saturating_add(missing);
        match self.range {
            _ if missing > rows => Some(format!("{missing} of {rows} values are missing")),
            Some(_) if !kind.is_number() => Some("categories have no range".to_owned()),
            Some([low, high]) if !(low.is_finite() && high.is_finite() && low <= high) => {
                Some(format!("its values are from {low} to {high}"))
            }
            _ if self.counts.len() != categories => {
                Some(format!("{} counts of its {categories} categories", self.counts.len()))
            }
            _ if !kind.is_number() && (all > rows || all < rows && !is_private) => {
                Some(format!("{present} values and {missing} missing ones of {rows} rows"))
            }
            _ if is_private => {
                let exact = self.counts.iter().find(|&&count| count % PRIVATE_UNIT != 0)?;
                Some(format!("the count {exact} of a private model is not rounded to tens"))
            }
            _ => None,
        }
    }
}

/// The range of the numbers so far, or the counts of the categories; and the gaps. These are exact, and
/// stay where the rows are: a model has them [rounded](Self::finish).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ValueNotes {
    range: [f64; 2],
    lattice: Lattice,
    /// Empty for numbers.
    counts: Vec<u64>,
    missing: u64,
}

impl ValueNotes {
    pub(super) fn new(kind: &FeatureKind) -> Self {
        let range = [f64::INFINITY, f64::NEG_INFINITY];
        let counts = vec![0; kind.names().len()];
        Self { range, lattice: Lattice::default(), counts, missing: 0 }
    }

    /// Adds cells of a feature, and how often each of them counts; `None` if all count once.
    pub(super) fn add(&mut self, kind: &FeatureKind, cells: &[f64], counts: Option<&[u64]>) {
        match counts {
            None if kind.is_number() && !cells.iter().any(|cell| cell.is_nan()) => {
                self.widen(cells);
                self.lattice.refine(cells);
            }
            None => cells.iter().for_each(|&cell| self.add_cell(kind, cell, 1)),
            Some(counts) => {
                let counted = cells.iter().zip(counts);
                counted.for_each(|(&cell, &count)| self.add_cell(kind, cell, count));
            }
        }
    }

    /// Widens the range to numbers that all count. Eight at a time: the compiler uses vectors.
    fn widen(&mut self, cells: &[f64]) {
        let [mut low, mut high] = self.range.map(|end| [end; 8]);
        let (eights, rest) = cells.as_chunks::<8>();
        for eight in eights {
            let lows = low.iter_mut().zip(eight);
            lows.for_each(|(low, &cell)| *low = if cell < *low { cell } else { *low });
            let highs = high.iter_mut().zip(eight);
            highs.for_each(|(high, &cell)| *high = if cell > *high { cell } else { *high });
        }
        self.range = [
            low.iter().chain(rest).copied().fold(f64::INFINITY, f64::min),
            high.iter().chain(rest).copied().fold(f64::NEG_INFINITY, f64::max),
        ];
    }

    fn add_cell(&mut self, kind: &FeatureKind, cell: f64, count: u64) {
        if count == 0 {
            return;
        }
        if cell.is_nan() {
            self.missing = self.missing.saturating_add(count);
        } else if kind.is_number() {
            self.range = [self.range[0].min(cell), self.range[1].max(cell)];
            self.lattice.refine(&[cell]);
        } else if let Some(sum) = self.counts.get_mut(cell as usize).filter(|_| cell >= 0.0) {
            // A category that nobody knows has no count.
            *sum = sum.saturating_add(count);
        }
    }

    /// Those of two sets of rows together.
    pub(super) fn merged(mut self, other: &Self) -> Self {
        let ([low, high], [other_low, other_high]) = (self.range, other.range);
        self.range = [low.min(other_low), high.max(other_high)];
        self.lattice = self.lattice.merged(other.lattice);
        let counts = self.counts.iter_mut().zip(&other.counts);
        counts.for_each(|(one, other)| *one = one.saturating_add(*other));
        self.missing = self.missing.saturating_add(other.missing);
        self
    }

    /// What a model stores of them.
    pub(super) fn finish(self, kind: &FeatureKind) -> FeatureValues {
        if !kind.is_number() {
            return FeatureValues::of_categories(self.counts, self.missing);
        }
        let has_range = self.range[0] <= self.range[1];
        let range = has_range.then(|| rounded_outward(self.range, self.lattice));
        FeatureValues::of_numbers(range, self.missing)
    }
}

/// The coarsest power of ten of which numbers are multiples: ages are multiples of 1, incomes may be of
/// 1,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Lattice {
    exponent: i8,
}

impl Default for Lattice {
    fn default() -> Self {
        Self { exponent: Self::COARSEST }
    }
}

impl Lattice {
    const COARSEST: i8 = 12;
    /// Finer numbers count as multiples of nothing.
    const FINEST: i8 = -6;

    /// That of these and further numbers. Those that are not a number do not count.
    pub(super) fn refine(&mut self, numbers: &[f64]) {
        let mut power = self.power();
        for &number in numbers {
            while self.exponent >= Self::FINEST && !self.has(number, power) {
                self.exponent -= 1;
                power = self.power();
            }
            if self.exponent < Self::FINEST {
                return;
            }
        }
    }

    pub(super) fn merged(self, other: Self) -> Self {
        Self { exponent: self.exponent.min(other.exponent) }
    }

    fn power(self) -> f64 {
        10_f64.powi(i32::from(self.exponent).abs())
    }

    /// True for a multiple of 10^exponent, whose absolute exponent gives `power`; decimals are rarely exact in
    /// binary.
    #[inline]
    fn has(self, number: f64, power: f64) -> bool {
        let ratio = if self.exponent < 0 { number * power } else { number / power };
        if ratio.abs() < 1e15 {
            let rest = (ratio - (ratio as i64) as f64).abs();
            return rest.min(1.0 - rest) <= 4.0 * f64::EPSILON * ratio.abs();
        }
        // Larger numbers are whole.
        true
    }

    /// True if hardly any two multiples of 10^`exponent` have another possible number between them.
    fn is_as_coarse_as(self, exponent: i32) -> bool {
        self.exponent >= Self::FINEST && i32::from(self.exponent) >= exponent
    }
}

/// A range around `[low, high]`, with ends rounded outward to two significant digits of its width; to one
/// where two would hide nothing, because all numbers are that coarse.
pub(super) fn rounded_outward([low, high]: [f64; 2], lattice: Lattice) -> [f64; 2] {
    // All equal: as if the width were the number itself.
    let width = if low < high { high - low } else { high.abs() };
    if width == 0.0 || !width.is_finite() {
        return [low, high];
    }
    let mut exponent = width.log10().floor() as i32 - 1;
    if lattice.is_as_coarse_as(exponent) {
        exponent += 1;
    }
    let power = 10_f64.powi(exponent.abs());
    if !power.is_finite() {
        return [low, high];
    }
    let outward = |end: f64, round: fn(f64) -> f64| match exponent {
        ..0 => round(end * power) / power,
        _ => round(end / power) * power,
    };
    // An end too large to be rounded stays, and so does one that rounding would move inward. Adding zero
    // takes its sign away.
    let (down, up) = (outward(low, f64::floor), outward(high, f64::ceil));
    let down = if down.is_finite() { down.min(low) } else { low };
    let up = if up.is_finite() { up.max(high) } else { high };
    [down + 0.0, up + 0.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rounded(numbers: &[f64]) -> [f64; 2] {
        let mut lattice = Lattice::default();
        lattice.refine(numbers);
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        rounded_outward([low, high], lattice)
    }

    #[test]
    fn ranges_by_hand() {
        // Three decimals in a range of 2.342: tenths.
        assert_eq!(rounded(&[0.078, 0.5, 2.42]), [0.0, 2.5]);
        assert_eq!(rounded(&[-1234.5, 8765.25]), [-1300.0, 8800.0]);
        // Whole numbers in a range of 60: ones would be the ages themselves.
        assert_eq!(rounded(&[21.0, 81.0]), [20.0, 90.0]);
        assert_eq!(rounded(&[36.1, 38.0, 41.2]), [36.0, 42.0]);
        assert_eq!(rounded(&[12_000.0, 97_000.0]), [10_000.0, 100_000.0]);
        // Few possible numbers.
        assert_eq!(rounded(&[0.0, 1.0]), [0.0, 1.0]);
        assert_eq!(rounded(&[1.0, 5.0]), [1.0, 5.0]);
        assert_eq!(rounded(&[37.25]), [37.0, 38.0]);
        assert_eq!(rounded(&[0.0]), [0.0, 0.0]);
    }

    #[test]
    fn numbers_at_the_ends_of_what_there_is() {
        assert_eq!(rounded(&[-f64::MAX, f64::MAX]), [-f64::MAX, f64::MAX]);
        let tiny = f64::from_bits(1);
        assert_eq!(rounded(&[0.0, tiny]), [0.0, tiny]);
        let [low, high] = rounded(&[-1.7e308, 1e306]);
        assert!(low.is_finite() && high.is_finite());
    }

    proptest! {
        #[test]
        fn ends_contain_the_numbers_and_do_not_depend_on_their_order(
            numbers in prop::collection::vec(prop_oneof![-1e6..1e6, (-90..90).prop_map(f64::from)], 1..20),
            by in any::<prop::sample::Index>(),
        ) {
            let [low, high] = rounded(&numbers);
            prop_assert!(numbers.iter().all(|&x| low <= x && x <= high));
            let width = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max)
                - numbers.iter().copied().fold(f64::INFINITY, f64::min);
            if width > 0.0 {
                prop_assert!(high - low <= 3.0 * width * (1.0 + 1e-9));
            }
            let mut others = numbers.clone();
            others.rotate_left(by.index(numbers.len()));
            prop_assert_eq!(rounded(&others), [low, high]);
        }

        /// Of 1,000 numbers without a lattice, no end is one of them.
        #[test]
        fn an_end_is_no_training_value(numbers in prop::collection::vec(0.0..1e3, 50..100)) {
            let [low, high] = rounded(&numbers);
            prop_assert!(numbers.iter().all(|&x| low < x && x < high));
        }
    }
}
