//! The classes in figures: names and colours.

use crate::palette::{self, NAMED};
use ternwood::tree::NodeId;
use ternwood::{Model, Schema};

/// The colour *slot* of each class. With many classes, the largest get one each and the rest share
/// the last.
#[derive(Debug, Clone)]
pub(crate) struct Classes {
    names: Vec<String>,
    slots: Vec<usize>,
}

impl Classes {
    /// The classes of a model, ranked by their training rows if there are many.
    pub(crate) fn of(model: &Model) -> Self {
        let names = class_names(model.schema());
        let rows = |class: usize| -> u64 {
            model.trees().iter().map(|tree| u64::from(tree.class_rows(NodeId::ROOT)[class])).sum()
        };
        let mut slots: Vec<usize> = (0..names.len()).collect();
        if names.len() > NAMED {
            let mut ranked = slots.clone();
            ranked.sort_by_cached_key(|&class| (std::cmp::Reverse(rows(class)), class));
            // The named classes keep the model's order.
            ranked.truncate(NAMED);
            ranked.sort_unstable();
            slots.fill(NAMED);
            for (slot, class) in ranked.into_iter().enumerate() {
                slots[class] = slot;
            }
        }
        Self { names, slots }
    }

    pub(crate) fn name(&self, class: usize) -> &str {
        &self.names[class]
    }

    /// The colour slot of a class.
    pub(crate) fn slot(&self, class: usize) -> usize {
        self.slots[class]
    }

    /// The number of slots.
    pub(crate) fn n_slots(&self) -> usize {
        self.names.len().min(NAMED + 1)
    }

    pub(crate) fn colour(&self, class: usize) -> &'static str {
        palette::class(self.slots[class])
    }

    /// The legend entry of each slot.
    pub(crate) fn legend(&self) -> Vec<(String, &'static str)> {
        let mut entries: Vec<(String, &'static str)> = (0..self.names.len())
            .filter(|&class| self.slots[class] < NAMED)
            .map(|class| (self.names[class].clone(), self.colour(class)))
            .collect();
        let others = self.names.len().saturating_sub(NAMED);
        if others > 0 {
            entries.push((format!("{others} others"), palette::OTHERS));
        }
        entries
    }

    /// Sums per slot of numbers per class.
    pub(crate) fn by_slot(&self, per_class: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.n_slots()];
        for (&number, &slot) in per_class.iter().zip(&self.slots) {
            sums[slot] += number;
        }
        sums
    }
}

/// The colour of every class of a model, as in its figures.
#[must_use]
pub fn class_colours(model: &Model) -> Vec<&'static str> {
    let classes = Classes::of(model);
    (0..classes.names.len()).map(|class| classes.colour(class)).collect()
}

/// The class names, as printed.
pub(crate) fn class_names(schema: &Schema) -> Vec<String> {
    schema.classes().iter().map(ToString::to_string).collect()
}
