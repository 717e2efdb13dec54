//! The training values next to the thresholds and zone edges of a finished tree, so that no printed
//! number lies on the other side of one.
//!
//! All rows count, not only those of a node: a reader applies a printed test to any row. One pass
//! over each tested feature finds the neighbours of all its cuts, without sorting.

use super::search::binned::BinnedColumns;
use super::target::Target;
use super::training::Training;
use crate::error::Result;
use crate::exec::Exec;
use crate::tree::{Digits, Tree, Zone};
use std::cmp::Reverse;

/// Rows whose bins are looked up before their values are read.
const ROWS_AT_ONCE: usize = 1024;

/// So many rows show which bins hold values.
const SAMPLE: usize = 1 << 14;

/// The same tree, with the digits that people see of its thresholds and zones.
///
/// # Errors
/// Only if cancelled.
pub(crate) fn with_digits<T: Target>(
    tree: Tree,
    training: &Training<'_, T>,
    bins: Option<&BinnedColumns>,
    exec: &Exec,
) -> Result<Tree> {
    let features = exec.map((0..).zip(cuts_of(&tree)).collect(), |(feature, cuts)| {
        exec.check()?;
        Ok(next_to(cuts, training, feature, bins))
    });
    let neighbours: Vec<Neighbours> = features.into_iter().collect::<Result<_>>()?;
    with_digits_next_to(tree, &neighbours, exec)
}

/// The cuts of every feature whose neighbours matter, ascending.
pub(super) fn cuts_of(tree: &Tree) -> Vec<Vec<f64>> {
    let mut cuts: Vec<Vec<f64>> = vec![Vec::new(); tree.n_features()];
    let tests = tree.tests().zip(largest_splits(tree)).filter(|(_, is_shortened)| *is_shortened);
    for (test, _) in tests {
        cuts[test.feature().index()].extend(test.zone().into_iter().flat_map(Zone::cuts));
    }
    cuts.into_iter().map(|cuts| FeatureCuts::new(cuts).iter().collect()).collect()
}

/// The values next to some cuts of a feature. Those of parts of the rows make those of the whole: the
/// largest on the left, the smallest on the right.
pub(super) fn next_to<T: Target>(
    cuts: Vec<f64>,
    training: &Training<'_, T>,
    feature: u32,
    bins: Option<&BinnedColumns>,
) -> Neighbours {
    let mut cuts = FeatureCuts::new(cuts);
    match bins {
        _ if cuts.is_empty() => {}
        None => read_all(&mut cuts, training, feature),
        Some(bins) => read_near(&mut cuts, training, feature, bins),
    }
    cuts.neighbours()
}

/// The same tree with digits, from the values next to the [cuts](cuts_of) of every feature.
pub(super) fn with_digits_next_to(
    tree: Tree,
    neighbours: &[Neighbours],
    exec: &Exec,
) -> Result<Tree> {
    let cuts: Vec<FeatureCuts> = cuts_of(&tree).into_iter().map(FeatureCuts::new).collect();
    let tests = tree.tests().zip(largest_splits(&tree)).collect();
    let digits = exec.map(tests, |(test, is_shortened)| {
        if !is_shortened {
            return None;
        }
        let (zone, feature) = (test.zone()?, test.feature().index());
        let next_to = zone.cuts().map(|cut| neighbours[feature][cuts[feature].index(cut)]);
        Digits::fewest(zone, next_to.as_flattened())
    });
    exec.check()?;
    Ok(tree.with_digits(digits))
}

/// Splits whose digits are shortened. A larger tree has cuts in every bin, so that all values would
/// have to be read, and nobody reads it: its smaller splits are printed with all their digits.
const MOST_SPLITS: usize = 1000;

/// For every split in preorder, whether it is one of those with the most rows.
fn largest_splits(tree: &Tree) -> Vec<bool> {
    let splits = tree.ids().filter(|&id| !tree.node(id).is_leaf());
    let mut rows: Vec<(Reverse<u32>, usize)> =
        splits.enumerate().map(|(index, id)| (Reverse(tree.rows(id)), index)).collect();
    let mut is_largest = vec![true; rows.len()];
    if rows.len() > MOST_SPLITS {
        // Of splits with as many rows, the first in preorder.
        rows.select_nth_unstable(MOST_SPLITS);
        rows[MOST_SPLITS..].iter().for_each(|&(_, index)| is_largest[index] = false);
    }
    is_largest
}

fn read_all<T: Target>(cuts: &mut FeatureCuts, training: &Training<'_, T>, feature: u32) {
    let column = training.column(feature);
    let values = training.rows().iter().map(|&row| column.at(row as usize));
    values.filter(|value| !value.is_nan()).for_each(|value| cuts.add(value));
}

/// Reads the values in the bins of the cuts; where a cut has no neighbour in its own bin, also
/// those in the bins beside it.
fn read_near<T: Target>(
    cuts: &mut FeatureCuts,
    training: &Training<'_, T>,
    feature: u32,
    bins: &BinnedColumns,
) {
    let bin_of = |value: f64| usize::from(bins.code_of(feature, value));
    let n_bins = bins.n_present_bins(feature);
    // One more for missing values.
    let mut wanted = vec![false; n_bins + 1];
    cuts.iter().for_each(|cut| wanted[bin_of(cut)] = true);
    read_bins(cuts, training, feature, bins, wanted);
    let mut has_values = vec![false; n_bins + 1];
    let codes = bins.codes(feature);
    let sample = training.rows().iter().take(SAMPLE);
    sample.for_each(|&row| has_values[usize::from(codes[row as usize])] = true);
    let mut wanted = vec![false; n_bins + 1];
    for (cut, [left, right]) in cuts.iter().zip(cuts.neighbours()) {
        let bin = bin_of(cut);
        // Bins in which the sample has no value may still have one: they are read, too.
        if left.is_infinite() || bin_of(left) < bin {
            let below = (0..bin).rev().find(|&bin| has_values[bin]).unwrap_or(0);
            wanted[below..bin].fill(true);
        }
        if right.is_infinite() || bin_of(right) > bin {
            let above = (bin + 1..n_bins).find(|&bin| has_values[bin]).unwrap_or(n_bins - 1);
            wanted[bin..=above].fill(true);
        }
    }
    if wanted.contains(&true) {
        read_bins(cuts, training, feature, bins, wanted);
    }
}

fn read_bins<T: Target>(
    cuts: &mut FeatureCuts,
    training: &Training<'_, T>,
    feature: u32,
    bins: &BinnedColumns,
    mut wanted: Vec<bool>,
) {
    let (column, codes) = (training.column(feature), bins.codes(feature));
    let bin_of = |row: u32| usize::from(codes[row as usize]);
    let (mut near, mut values) = ([0; ROWS_AT_ONCE], [0.0; ROWS_AT_ONCE]);
    for rows in training.rows().chunks(ROWS_AT_ONCE) {
        let mut n_near = 0;
        for &row in rows {
            // Without a branch that could be mispredicted.
            near[n_near] = row;
            n_near += usize::from(wanted[bin_of(row)]);
        }
        let near = &near[..n_near];
        // In a loop of their own, values that are far apart in memory are fetched at the same time.
        values.iter_mut().zip(near).for_each(|(value, &row)| *value = column.at(row as usize));
        values[..n_near].iter().for_each(|&value| cuts.add(value));
        if bins.has_few_values(feature) {
            // If a bin has one value, its other rows need not be read.
            let read = near.iter().map(|&row| bin_of(row));
            read.for_each(|bin| wanted[bin] = !bins.is_single_valued(feature, bin));
        }
    }
}

impl<T: Target> Training<'_, T> {
    /// The same tree, with the digits that people see of its thresholds and zones.
    ///
    /// # Errors
    /// Only if cancelled.
    pub(crate) fn with_digits(&self, tree: Tree, exec: &Exec) -> Result<Tree> {
        with_digits(tree, self, None, exec)
    }
}

/// The thresholds and zone edges of one feature in all tests of a tree.
pub(super) struct FeatureCuts {
    /// Ascending.
    cuts: Vec<f64>,
    /// Of the interval up to each cut, and of the one above all cuts.
    intervals: Vec<Extremes>,
    /// The range of the cuts is divided into slots of equal width: its low end, slots per unit, and
    /// how many cuts come before each slot.
    low: f64,
    slots_per_unit: f64,
    first_cut: Vec<u32>,
}

/// The values next to each cut, on its left and on its right; infinite if there are none.
pub(super) type Neighbours = Vec<[f64; 2]>;

/// The smallest and the largest value of an interval.
#[derive(Debug, Clone, Copy)]
struct Extremes {
    smallest: f64,
    largest: f64,
}

/// So many that few slots have two cuts.
const SLOTS_PER_CUT: usize = 4;

impl FeatureCuts {
    pub(super) fn new(mut cuts: Vec<f64>) -> Self {
        cuts.sort_unstable_by(f64::total_cmp);
        cuts.dedup();
        let finite = |cut: Option<&f64>| cut.map_or(0.0, |cut| cut.clamp(f64::MIN, f64::MAX));
        let (low, high) = (finite(cuts.first()), finite(cuts.last()));
        let n_slots = (SLOTS_PER_CUT * cuts.len()).max(1);
        // Without a range, and where it overflows, all cuts are in the first slot.
        let slots_per_unit = Some(n_slots as f64 / (high - low)).filter(|x| x.is_normal());
        let nothing = Extremes { smallest: f64::INFINITY, largest: f64::NEG_INFINITY };
        let mut new = Self {
            intervals: vec![nothing; cuts.len() + 1],
            cuts,
            low,
            slots_per_unit: slots_per_unit.unwrap_or(0.0),
            first_cut: vec![0; n_slots + 1],
        };
        for at in 0..new.cuts.len() {
            let slot = new.slot(new.cuts[at]);
            new.first_cut[slot + 1] += 1;
        }
        (0..n_slots).for_each(|slot| new.first_cut[slot + 1] += new.first_cut[slot]);
        new
    }

    pub(super) fn is_empty(&self) -> bool {
        self.cuts.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = f64> {
        self.cuts.iter().copied()
    }

    /// Adds a value.
    #[inline(always)]
    pub(super) fn add(&mut self, value: f64) {
        let index = self.index(value);
        let Extremes { smallest, largest } = &mut self.intervals[index];
        // Both are written, for want of a branch that could be mispredicted.
        *smallest = if value < *smallest { value } else { *smallest };
        *largest = if value > *largest { value } else { *largest };
    }

    #[inline]
    fn slot(&self, value: f64) -> usize {
        // Via i32: that conversion is a single instruction.
        let slot = ((value - self.low) * self.slots_per_unit) as i32;
        slot.clamp(0, self.first_cut.len() as i32 - 2) as usize
    }

    /// The first cut that is not below a value; as many as there are cuts if all are.
    #[inline]
    pub(super) fn index(&self, value: f64) -> usize {
        let slot = self.slot(value);
        let [first, end] = [slot, slot + 1].map(|slot| self.first_cut[slot] as usize);
        if end - first > 1 {
            return first + self.cuts[first..end].partition_point(|&cut| cut < value);
        }
        // Mostly there is one cut or none.
        first + usize::from(self.cuts.get(first).is_some_and(|&cut| cut < value))
    }

    /// The values next to each cut. They may lie beyond other cuts.
    pub(super) fn neighbours(&self) -> Neighbours {
        let mut neighbours = vec![[f64::NEG_INFINITY, f64::INFINITY]; self.cuts.len()];
        let mut largest = f64::NEG_INFINITY;
        for (next_to, interval) in neighbours.iter_mut().zip(&self.intervals) {
            largest = largest.max(interval.largest);
            next_to[0] = largest;
        }
        let mut smallest = f64::INFINITY;
        for (next_to, interval) in neighbours.iter_mut().zip(&self.intervals[1..]).rev() {
            smallest = smallest.min(interval.smallest);
            next_to[1] = smallest;
        }
        neighbours
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f64> {
        let far = vec![f64::NEG_INFINITY, f64::INFINITY, 1e300, -1e308, 1e-300];
        prop_oneof![
            4 => (-9..9).prop_map(f64::from),
            4 => -1.0..1.0f64,
            1 => prop::sample::select(far),
        ]
    }

    proptest! {
        #[test]
        fn cuts_know_the_values_next_to_them(
            cuts in prop::collection::vec(number(), 1..40),
            values in prop::collection::vec(number(), 0..40),
        ) {
            let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
            let mut found = FeatureCuts::new(cuts);
            for &value in &values {
                let below = found.iter().filter(|&cut| cut < value).count();
                prop_assert_eq!(found.index(value), below);
                found.add(value);
            }
            for (cut, next) in found.iter().zip(found.neighbours()) {
                let (left, right): (Vec<f64>, Vec<f64>) =
                    values.iter().partition(|&&value| value <= cut);
                let largest = left.into_iter().fold(f64::NEG_INFINITY, f64::max);
                let smallest = right.into_iter().fold(f64::INFINITY, f64::min);
                prop_assert_eq!(next, [largest, smallest]);
            }
        }
    }
}
