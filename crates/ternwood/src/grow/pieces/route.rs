//! The tree so far, as it is sent along with questions, and as it is saved.

use crate::error::{ErrorKind, Result};
use crate::tree::{Axis, CategoryCut, CategoryPlace, Cut, Missing, Test, Zone};
use serde::{Deserialize, Serialize};

/// A node of the tree so far. Children come after their parents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Route {
    /// Rows stay here.
    Leaf,
    /// Rows go on to one of two children.
    Split { test: TestRecord, left: u32, right: u32 },
}

/// A test as plain data, to the last bit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TestRecord {
    feature: u32,
    /// Whether missing values go left; `None` where they are unknown.
    missing_left: Option<bool>,
    cut: CutRecord,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum CutRecord {
    Threshold { threshold: f64, half_width: f64 },
    Categories { axis: AxisRecord, threshold: f64, error: f64, places: Vec<(u32, u32, f64, f64)> },
    Present,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum AxisRecord {
    ClassShare(u32),
    Direction(Vec<f64>),
}

impl From<&Test> for TestRecord {
    fn from(test: &Test) -> Self {
        let cut = match test.cut() {
            Cut::Threshold { zone, .. } => {
                CutRecord::Threshold { threshold: zone.threshold(), half_width: zone.half_width() }
            }
            Cut::Categories(cut) => CutRecord::Categories {
                axis: match cut.axis() {
                    Axis::ClassShare(class) => AxisRecord::ClassShare(*class),
                    Axis::Direction(direction) => AxisRecord::Direction(direction.clone()),
                },
                threshold: cut.threshold(),
                error: cut.error(),
                places: cut
                    .places()
                    .iter()
                    .map(|place| (place.category, place.rows, place.position, place.standard_error))
                    .collect(),
            },
            Cut::Present => CutRecord::Present,
        };
        let missing_left = match test.missing() {
            Missing::Unknown => None,
            side => Some(side == Missing::Left),
        };
        Self { feature: test.feature().0, missing_left, cut }
    }
}

impl TestRecord {
    /// The test.
    ///
    /// # Errors
    /// Numbers that no test has.
    pub(crate) fn test(&self, n_features: usize) -> Result<Test> {
        if self.feature as usize >= n_features {
            let problem = format!("a test of feature {} of {n_features}", self.feature);
            return Err(ErrorKind::Pieces { problem }.into());
        }
        let test = match &self.cut {
            CutRecord::Threshold { threshold, half_width } => {
                Test::new(self.feature, Zone::new(*threshold, *half_width)?)
            }
            CutRecord::Categories { axis, threshold, error, places } => {
                let axis = match axis {
                    AxisRecord::ClassShare(class) => Axis::ClassShare(*class),
                    AxisRecord::Direction(direction) => Axis::Direction(direction.clone()),
                };
                let place = |&(category, rows, position, standard_error): &(_, _, _, _)| {
                    CategoryPlace { category, rows, position, standard_error }
                };
                let places = places.iter().map(place).collect();
                let cut = CategoryCut::new(axis, *threshold, *error, places)?;
                Test::of_categories(self.feature, cut)
            }
            CutRecord::Present => Test::is_present(self.feature),
        };
        Ok(test.with_missing(match self.missing_left {
            None => Missing::Unknown,
            Some(true) => Missing::Left,
            Some(false) => Missing::Right,
        }))
    }
}
