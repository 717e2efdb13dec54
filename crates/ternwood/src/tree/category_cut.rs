//! The cut of a categorical test: categories as points on an axis, each with an error of its own.

use super::zone::Zone;
use crate::error::{ErrorKind, Result};

/// Separates categories by their place on an axis of class shares.
///
/// Category `c` lies at `v_c = u . p_c`, where `p_c` are its class shares among the training rows
/// of the node and `u` is the axis. It goes left if `v_c` is at most the threshold, and is
/// undecided if the threshold is within `error` standard errors of it. A category that the node
/// did not see has no place.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryCut {
    axis: Axis,
    threshold: f64,
    error: f64,
    places: Vec<CategoryPlace>,
}

/// A direction in class space.
#[derive(Debug, Clone, PartialEq)]
pub enum Axis {
    /// The share of one class.
    ClassShare(u32),
    /// One coordinate per class.
    Direction(Vec<f64>),
}

impl Axis {
    /// The least and the greatest position that class shares can have.
    pub(super) fn ends(&self) -> [f64; 2] {
        match self {
            Self::ClassShare(_) => [0.0, 1.0],
            Self::Direction(direction) => [
                direction.iter().copied().fold(f64::INFINITY, f64::min),
                direction.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            ],
        }
    }

    /// How far a position lies along the axis: 0 where all rows are of the class at its low end, 1
    /// where all are of the class at its high end. A class share is its own answer.
    #[must_use]
    pub fn along(&self, position: f64) -> f64 {
        let [low, _] = self.ends();
        (0.5 * position - 0.5 * low) / self.half_length()
    }

    /// The classes at the low and at the high end. The share of a class has no low end: there it
    /// does not matter which other classes the rows are of.
    #[must_use]
    pub fn classes_at_ends(&self) -> (Option<u32>, u32) {
        match self {
            Self::ClassShare(class) => (None, *class),
            Self::Direction(u) => {
                let mut ends = (0, 0);
                for (class, coordinate) in u.iter().enumerate() {
                    if *coordinate < u[ends.0] {
                        ends.0 = class;
                    }
                    if *coordinate > u[ends.1] {
                        ends.1 = class;
                    }
                }
                (Some(ends.0 as u32), ends.1 as u32)
            }
        }
    }

    /// Half the distance between the ends: the distance itself may be too large for a number. 1/2 for
    /// an axis without length, on which nothing can be cut.
    fn half_length(&self) -> f64 {
        let [low, high] = self.ends();
        let half = 0.5 * high - 0.5 * low;
        if half > 0.0 { half } else { 0.5 }
    }
}

/// One category on the axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CategoryPlace {
    /// The category's id: its index among the feature's categories.
    pub category: u32,
    /// The number of its training rows at the node.
    pub rows: u32,
    /// Its position on the axis.
    pub position: f64,
    /// The standard error of the position.
    pub standard_error: f64,
}

impl CategoryCut {
    /// Places categories on an axis and cuts it at `threshold`; `error` is the number of standard
    /// errors that make a category's zone.
    ///
    /// # Errors
    /// Numbers that are not finite, negative errors, categories that are not ascending, or a side
    /// without a category.
    pub fn new(axis: Axis, threshold: f64, error: f64, places: Vec<CategoryPlace>) -> Result<Self> {
        let cut = Self { axis, threshold, error, places };
        match cut.problem() {
            Some(problem) => Err(ErrorKind::Zone { problem }.into()),
            None => Ok(cut),
        }
    }

    fn problem(&self) -> Option<String> {
        let not_negative = |x: f64| x.is_finite() && x >= 0.0;
        if !self.threshold.is_finite() {
            return Some(format!("the threshold is {}; it must be finite", self.threshold));
        }
        if !not_negative(self.error) {
            return Some(format!(
                "the error is {}; it must be finite and not negative",
                self.error
            ));
        }
        if let Axis::Direction(direction) = &self.axis
            && let Some(u) = direction.iter().find(|u| !u.is_finite())
        {
            return Some(format!("a coordinate of the axis is {u}; it must be finite"));
        }
        if self.axis == Axis::Direction(Vec::new()) {
            return Some("its axis has no coordinates".to_owned());
        }
        let [low, high] = self.axis.ends();
        for CategoryPlace { category, position, standard_error, .. } in &self.places {
            // Rounding may put a category a hair beyond the end.
            let slack = 1e-9 * (high - low);
            if !(low - slack..=high + slack).contains(position) {
                return Some(format!(
                    "category {category} lies at {position}; the axis goes from {low} to {high}"
                ));
            }
            if !not_negative(*standard_error) || !(self.error * standard_error).is_finite() {
                return Some(format!(
                    "the standard error of category {category} is {standard_error:?}; \
                     the zone it makes must be finite and not negative"
                ));
            }
        }
        if let Some(pair) = self.places.windows(2).find(|pair| pair[0].category >= pair[1].category)
        {
            let [before, after] = [pair[0].category, pair[1].category];
            return Some(format!("category {after} comes after {before}; ids must ascend"));
        }
        let on_left = self.places.iter().filter(|place| place.position <= self.threshold).count();
        if on_left == 0 || on_left == self.places.len() {
            return Some("all its categories are on one side of the cut".to_owned());
        }
        None
    }

    /// The bytes that the cut takes in memory.
    pub(super) fn n_bytes(&self) -> usize {
        let axis = match &self.axis {
            Axis::ClassShare(_) => 0,
            Axis::Direction(direction) => size_of_val(direction.as_slice()),
        };
        size_of::<Self>() + axis + size_of_val(self.places.as_slice())
    }

    /// Checks ids of categories and classes against their numbers.
    pub(super) fn check_sizes(&self, n_categories: usize, n_classes: usize) -> Result<(), String> {
        match &self.axis {
            Axis::ClassShare(class) if *class as usize >= n_classes => {
                return Err(format!(
                    "its axis is class {class}, but there are {n_classes} classes"
                ));
            }
            Axis::Direction(direction) if direction.len() != n_classes => {
                let found = direction.len();
                return Err(format!("its axis has {found} numbers for {n_classes} classes"));
            }
            _ => {}
        }
        match self.places.last() {
            Some(last) if last.category as usize >= n_categories => Err(format!(
                "category {} is out of range: the feature has {n_categories}",
                last.category
            )),
            _ => Ok(()),
        }
    }

    /// The axis.
    #[must_use]
    pub fn axis(&self) -> &Axis {
        &self.axis
    }

    /// Positions up to the threshold go left.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The number of standard errors that make a category's zone.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The categories that the node saw, by ascending id.
    #[must_use]
    pub fn places(&self) -> &[CategoryPlace] {
        &self.places
    }

    /// The length of a table with an entry for every id up to the last that has a place.
    pub(crate) fn n_ids(&self) -> usize {
        self.places.last().map_or(0, |place| place.category as usize + 1)
    }

    /// The place of a category; `None` if the node did not see it. Any number may be asked for.
    #[must_use]
    pub fn place(&self, category: f64) -> Option<&CategoryPlace> {
        let id = category as u32;
        if f64::from(id) != category {
            return None;
        }
        // If no id is left out, it is the index.
        match self.places.get(id as usize) {
            Some(place) if place.category == id => Some(place),
            _ => {
                let at = self.places.binary_search_by_key(&id, |place| place.category).ok()?;
                Some(&self.places[at])
            }
        }
    }

    /// The zone of a category: the cut, give or take the error of the category's position.
    #[must_use]
    pub fn zone(&self, place: &CategoryPlace) -> Zone {
        Zone::from_checked(self.threshold, self.error * place.standard_error)
    }

    /// The zone of a category [along the axis](Axis::along).
    #[must_use]
    pub fn zone_along(&self, place: &CategoryPlace) -> Zone {
        let zone = self.zone(place);
        let half_width = 0.5 * zone.half_width() / self.axis().half_length();
        // Only hostile files have numbers so large that this fails.
        Zone::new(self.axis().along(zone.threshold()), half_width).unwrap_or(zone)
    }

    /// The standard error of a category's position [along the axis](Axis::along).
    #[must_use]
    pub fn standard_error_along(&self, place: &CategoryPlace) -> f64 {
        let along = 0.5 * place.standard_error / self.axis().half_length();
        if along.is_finite() { along } else { place.standard_error }
    }

    /// True if some category may be undecided at this cut.
    #[must_use]
    pub fn has_zone(&self) -> bool {
        self.error > 0.0 && self.places.iter().any(|place| place.standard_error > 0.0)
    }

    /// The same cut with another number of standard errors.
    #[must_use]
    pub(crate) fn with_error(&self, error: f64) -> Self {
        Self { error, ..self.clone() }
    }
}
