//! Scales zones so that they flag a given share of the rows.

use crate::dataset::{DatasetView, RowWeights};
use crate::error::{Result, parameter};
use crate::exec::Exec;
use crate::model::Model;

/// A factor on all zone widths, and the share of rows it flags.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ZoneScale {
    /// Factor on the current widths: refit with the model's own scale and category error times
    /// this.
    pub factor: f64,
    /// The share of the rows, by weight, that is then within a zone.
    pub flag_rate: f64,
}

/// The factor on all zone widths for which the share of `data` within a zone is closest to
/// `flag_rate`; the smaller one on ties.
///
/// A row is flagged from its [zone distance](crate::predict::Walker::zone_distance) `s(x)` on, so
/// the distances give the share for every factor. The result lies halfway between the distances
/// of the last row flagged and the first one not flagged, so that no row lies on an edge. Costs
/// O(n (depth + log n)).
///
/// With the training rows and the lower end of [`BayesError`](super::BayesError) it flags about
/// as many rows as there are errors that no classifier can avoid, if that bound is tight.
///
/// # Errors
/// A rate outside of [0, 1], rows that do not fit the model, or `hard_middle` routing, where other
/// widths grow another tree.
pub fn zone_scale_for_flag_rate<'a>(
    model: &Model,
    data: impl Into<DatasetView<'a>>,
    flag_rate: f64,
    exec: &Exec,
) -> Result<ZoneScale> {
    let data = data.into();
    if !(0.0..=1.0).contains(&flag_rate) {
        return Err(parameter("flag_rate", flag_rate, "from 0 to 1"));
    }
    let distances = model.zone_distances(data.matrix(), exec)?;
    let weights = RowWeights::new(data.weights());
    let mut rows: Vec<(f64, f64)> =
        distances.into_iter().enumerate().map(|(row, s)| (s, weights.of(row))).collect();
    rows.retain(|&(_, weight)| weight > 0.0);
    rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    Ok(nearest_rate(&rows, flag_rate))
}

/// `rows`: distance and weight, sorted by distance.
fn nearest_rate(rows: &[(f64, f64)], wanted: f64) -> ZoneScale {
    let total: f64 = rows.iter().map(|&(_, weight)| weight).sum();
    // Unknown values are flagged whatever the zones.
    let mut seen = rows.partition_point(|&(distance, _)| distance == 0.0);
    let mut flagged: f64 = rows[..seen].iter().map(|&(_, weight)| weight).sum();
    let mut best = ZoneScale { factor: 0.0, flag_rate: flagged / total };
    for group in rows[seen..].chunk_by(|a, b| b.0 - a.0 <= NEARLY_EQUAL * a.0) {
        let distance = group[group.len() - 1].0;
        if distance.is_infinite() {
            break;
        }
        seen += group.len();
        flagged += group.iter().map(|&(_, weight)| weight).sum::<f64>();
        let rate = flagged / total;
        if (rate - wanted).abs() < (best.flag_rate - wanted).abs() {
            let next = rows.get(seen).map_or(f64::INFINITY, |&(next, _)| next);
            best = ZoneScale { factor: between(distance, next), flag_rate: rate };
        }
    }
    best
}

/// Relative tolerance within which distances count as equal: rounding may change their last bits.
const NEARLY_EQUAL: f64 = 1e-9;

/// Halfway to the next distance; slightly above `last` if there is none.
fn between(last: f64, next: f64) -> f64 {
    if next.is_finite() { last + (next - last) / 2.0 } else { (last * (1.0 + 1e-9)).min(f64::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(distances: &[f64]) -> Vec<(f64, f64)> {
        distances.iter().map(|&s| (s, 1.0)).collect()
    }

    #[test]
    fn the_nearest_rate_is_met_half_way_between_rows() {
        let rows = unit(&[0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 2.0, f64::INFINITY]);
        let at = |wanted| nearest_rate(&rows, wanted);
        assert_eq!(at(0.0), ZoneScale { factor: 0.0, flag_rate: 0.0 });
        assert_eq!(at(0.25), ZoneScale { factor: 0.75, flag_rate: 0.25 });
        // Half is out of reach, as four rows tie: 2 and 6 of 8 are equally near, the smaller wins.
        assert_eq!(at(0.5).flag_rate, 0.25);
        assert_eq!(at(0.55), ZoneScale { factor: 1.5, flag_rate: 0.75 });
        // The last row is out of reach of any zone.
        let all = at(1.0);
        assert_eq!(all.flag_rate, 0.875);
        assert!(all.factor > 2.0 && all.factor < 2.000_001, "{}", all.factor);
    }

    #[test]
    fn unknown_values_are_flagged_without_zones() {
        let rows = unit(&[0.0, 0.0, 1.0, 2.0]);
        assert_eq!(nearest_rate(&rows, 0.1), ZoneScale { factor: 0.0, flag_rate: 0.5 });
        assert_eq!(nearest_rate(&rows, 0.8), ZoneScale { factor: 1.5, flag_rate: 0.75 });
    }

    #[test]
    fn rows_that_differ_by_rounding_are_flagged_together() {
        let rows = unit(&[1f64.next_down(), 1.0, 1f64.next_up(), 3.0]);
        assert_eq!(nearest_rate(&rows, 0.5).flag_rate, 0.75);
        assert!((nearest_rate(&rows, 0.5).factor - 2.0).abs() < 1e-15);
    }

    #[test]
    fn weights_are_copies() {
        let weighted = [(0.5, 2.0), (1.0, 1.0), (3.0, 1.0)];
        let copies = unit(&[0.5, 0.5, 1.0, 3.0]);
        for wanted in [0.1, 0.3, 0.5, 0.7, 0.9] {
            assert_eq!(nearest_rate(&weighted, wanted), nearest_rate(&copies, wanted));
        }
    }
}
