//! The cuts of one feature, and the values next to them.

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
