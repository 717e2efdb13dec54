//! Classes as figures show them: a name, and one of a few colours.

use crate::palette::{self, NAMED};
use std::borrow::Cow;
use ternwood::{Dataset, Error, ErrorKind, Labels, Model, NodeId};

/// Which class has which colour. With many classes the largest have one each, and the rest
/// share the last *slot*.
#[derive(Debug, Clone)]
pub(crate) struct Classes {
    names: Vec<String>,
    slots: Vec<usize>,
}

impl Classes {
    /// The classes of a model, ranked by their training rows if there are many.
    pub(crate) fn of(model: &Model) -> Self {
        let names: Vec<String> = model.classes().iter().map(ToString::to_string).collect();
        let rows = model.tree().class_rows(NodeId::ROOT);
        let mut slots: Vec<usize> = (0..names.len()).collect();
        if names.len() > NAMED {
            let mut ranked = slots.clone();
            ranked.sort_by_key(|&class| (std::cmp::Reverse(rows[class]), class));
            // The named classes keep the order they have in the model.
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

    /// The place of a class among the colours.
    pub(crate) fn slot(&self, class: usize) -> usize {
        self.slots[class]
    }

    /// How many slots there are.
    pub(crate) fn n_slots(&self) -> usize {
        self.names.len().min(NAMED + 1)
    }

    pub(crate) fn colour(&self, class: usize) -> &'static str {
        palette::class(self.slots[class])
    }

    /// What a legend says of each slot.
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

    /// Numbers per class added up per slot.
    pub(crate) fn by_slot(&self, per_class: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.n_slots()];
        for (&number, &slot) in per_class.iter().zip(&self.slots) {
            sums[slot] += number;
        }
        sums
    }
}

/// The data with the model's classes under the model's ids.
///
/// # Errors
/// Another number of columns than the model's, or a class the model does not know.
pub(crate) fn aligned<'a>(data: &'a Dataset, model: &Model) -> Result<Cow<'a, Dataset>, Error> {
    let (found, expected) = (data.n_features(), model.features().len());
    if found != expected {
        let (what, reason) = ("the list of columns".to_owned(), "the model's".to_owned());
        return Err(ErrorKind::Length { what, expected, found, reason }.into());
    }
    if data.labels().names() == model.classes() {
        return Ok(Cow::Borrowed(data));
    }
    let known: Vec<String> = model.classes().iter().map(ToString::to_string).collect();
    let of_name = |name: String| known.iter().position(|other| *other == name);
    let ids: Vec<Option<usize>> =
        data.labels().names().iter().map(|name| of_name(name.to_string())).collect();
    let mut renamed = Vec::with_capacity(data.n_rows());
    for (row, &id) in data.labels().ids().iter().enumerate() {
        let Some(class) = ids[id as usize] else {
            return Err(ErrorKind::ClassId { row, id, classes: known.len() }.into());
        };
        renamed.push(class as u32);
    }
    let labels = Labels::from_ids(renamed, model.classes().to_vec())?;
    let mut aligned = Dataset::new(data.columns().clone(), labels)?;
    if let Some(weights) = data.weights() {
        aligned = aligned.with_weights(weights)?;
    }
    Ok(Cow::Owned(aligned))
}
