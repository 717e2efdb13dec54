//! Every way to split a node, in the order in which ties fall.

use super::Naive;
use super::categories::NaivePlace;
use std::collections::BTreeMap;
use ternwood::recipe::MissingValues;
use ternwood::tree::{Axis, Missing, Side};

#[derive(Debug, Clone)]
pub struct NaiveSplit {
    pub feature: usize,
    pub cut: NaiveCut,
    pub missing: Missing,
    pub gain: f64,
    /// Whether a split by another feature has the same gain.
    pub tied: bool,
    /// How many rows of the node are within the zone, or unknown.
    pub within: usize,
    /// Left, perhaps middle, right.
    pub children: Vec<usize>,
}

#[derive(Debug, Clone)]
pub enum NaiveCut {
    Threshold {
        threshold: f64,
        half_width: f64,
    },
    Categories {
        axis: Axis,
        threshold: f64,
        /// The number of standard errors in a category's half-width.
        error: f64,
        places: BTreeMap<u32, NaivePlace>,
    },
    Present,
}

/// Where a value stands before it is compared with anything.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Standing {
    At { position: f64, threshold: f64, half_width: f64 },
    Missing,
    Present,
    Unknown,
}

impl NaiveSplit {
    fn standing(&self, x: f64) -> Standing {
        if x.is_nan() {
            return if self.missing == Missing::Unknown {
                Standing::Unknown
            } else {
                Standing::Missing
            };
        }
        match &self.cut {
            &NaiveCut::Threshold { threshold, half_width, .. } => {
                Standing::At { position: x, threshold, half_width }
            }
            NaiveCut::Categories { threshold, error, places, .. } => {
                match places.get(&(x as u32)).filter(|_| x.fract() == 0.0 && x >= 0.0) {
                    None => Standing::Unknown,
                    Some(place) => Standing::At {
                        position: place.position,
                        threshold: *threshold,
                        half_width: error * place.standard_error,
                    },
                }
            }
            NaiveCut::Present => Standing::Present,
        }
    }

    /// The side of a value; an unknown one is within.
    pub fn side(&self, x: f64) -> Side {
        match self.standing(x) {
            Standing::At { position, threshold, half_width } => {
                if position <= threshold - half_width {
                    Side::Below
                } else if position <= threshold + half_width {
                    Side::Within
                } else {
                    Side::Above
                }
            }
            Standing::Present => Side::Below,
            Standing::Missing if self.missing == Missing::Left => Side::Below,
            Standing::Missing => Side::Above,
            Standing::Unknown => Side::Within,
        }
    }

    /// Whether a value goes left where zones do not count; `None` if it is unknown.
    pub fn goes_left(&self, x: f64) -> Option<bool> {
        match self.standing(x) {
            Standing::At { position, threshold, .. } => Some(position <= threshold),
            Standing::Present => Some(true),
            Standing::Missing => Some(self.missing == Missing::Left),
            Standing::Unknown => None,
        }
    }
}

impl Naive<'_> {
    /// The rows left and right of a split whose zone does not count, without those whose value is
    /// unknown.
    pub fn cut(&self, rows: &[usize], split: &NaiveSplit) -> (Vec<usize>, Vec<usize>) {
        let of = |side: bool| {
            let here = |row: &&usize| {
                split.goes_left(self.sample.rows[**row][split.feature]) == Some(side)
            };
            rows.iter().filter(here).copied().collect()
        };
        (of(true), of(false))
    }

    /// The rows that have a value of the feature.
    pub fn present(&self, rows: &[usize], feature: usize) -> Vec<usize> {
        let present = |row: &&usize| !self.sample.rows[**row][feature].is_nan();
        rows.iter().filter(present).copied().collect()
    }

    /// The values of a feature, ascending.
    pub fn values(&self, rows: &[usize], feature: usize) -> Vec<f64> {
        let mut values: Vec<f64> = rows.iter().map(|&row| self.sample.rows[row][feature]).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// All legal splits of a node by a feature: by axis, thresholds before "present | missing",
    /// by threshold, missing values left before right.
    pub fn candidates(&self, rows: &[usize], feature: usize) -> Vec<NaiveSplit> {
        let present = self.present(rows, feature);
        let some_missing = present.len() < rows.len();
        let learns = some_missing && self.params.missing == MissingValues::Learn;
        let sides: &[Missing] =
            if learns { &[Missing::Left, Missing::Right] } else { &[Missing::Unknown] };
        let axes = if self.sample.n_categories(feature).is_some() {
            self.cuts_of_categories(&present, feature)
        } else {
            vec![self.cuts_of_numbers(&present, feature)]
        };
        let mut candidates = Vec::new();
        for axis in 0..axes.len().max(1) {
            for cut in axes.get(axis).into_iter().flatten() {
                for &missing in sides {
                    candidates.extend(self.candidate(rows, feature, cut.clone(), missing));
                }
            }
            // It has no axis of its own, and stands with the first.
            if learns && axis == 0 {
                candidates.extend(self.candidate(rows, feature, NaiveCut::Present, Missing::Right));
            }
        }
        candidates
    }

    fn candidate(
        &self,
        rows: &[usize],
        feature: usize,
        cut: NaiveCut,
        missing: Missing,
    ) -> Option<NaiveSplit> {
        let mut split = NaiveSplit {
            feature,
            cut,
            missing,
            gain: 0.0,
            tied: false,
            within: 0,
            children: Vec::new(),
        };
        let (left, right) = self.cut(rows, &split);
        split.gain = match &split.cut {
            NaiveCut::Categories { .. } => self.category_gain_at(rows, &left, &right, feature),
            _ => self.gain_at(rows, &left, &right),
        };
        (self.legal(&left) && self.legal(&right)).then_some(split)
    }

    fn cuts_of_numbers(&self, present: &[usize], feature: usize) -> Vec<NaiveCut> {
        let cut = |threshold| NaiveCut::Threshold { threshold, half_width: 0.0 };
        thresholds(self.values(present, feature)).into_iter().map(cut).collect()
    }

    /// Axis by axis.
    fn cuts_of_categories(&self, present: &[usize], feature: usize) -> Vec<Vec<NaiveCut>> {
        let of_axis = |axis: Axis| {
            let places = self.places(present, feature, &axis);
            let mut positions: Vec<f64> = places.values().map(|place| place.position).collect();
            positions.sort_by(f64::total_cmp);
            let cut = |threshold| NaiveCut::Categories {
                axis: axis.clone(),
                threshold,
                error: 0.0,
                places: places.clone(),
            };
            thresholds(positions).into_iter().map(cut).collect()
        };
        self.axes(present, feature).into_iter().map(of_axis).collect()
    }
}

/// The midpoints of consecutive distinct values.
fn thresholds(mut sorted: Vec<f64>) -> Vec<f64> {
    sorted.dedup();
    let between = |pair: &[f64]| {
        let middle = (pair[0] + pair[1]) / 2.0;
        if middle >= pair[1] { pair[0] } else { middle }
    };
    sorted.windows(2).map(between).collect()
}
