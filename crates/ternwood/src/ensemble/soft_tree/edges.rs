//! Where a test sends values.

use super::part::Part;
use crate::blend::LeastShare;

/// Where a test sends a value.
pub(super) struct Place {
    /// The share that goes left, if the test cannot place the value.
    pub(super) left_share: f64,
    /// Whether it goes left, if it is not divided.
    pub(super) goes_left: bool,
    /// True if the test cannot place it.
    pub(super) is_unsure: bool,
}

/// A threshold and the edges of its zone.
pub(super) struct Edges {
    threshold: f64,
    half_width: f64,
    lower: f64,
    upper: f64,
    width: f64,
}

/// How far beyond its edges a zone is searched for parts, in half-widths: more than is lost by rounding. Parts
/// that are found are placed exactly.
const ROUNDED: f64 = 1e-4;

/// Of zones narrower than this multiple of their threshold, rounding moves the edges by more than [`ROUNDED`].
const NARROWEST: f64 = 1e-9;

impl Edges {
    pub(super) fn new(threshold: f64, half_width: f64) -> Self {
        let (lower, upper) = (threshold - half_width, threshold + half_width);
        Self { threshold, half_width, lower, upper, width: 2.0 * half_width }
    }

    /// True if distances from the threshold tell which parts the zone may divide. Rounded edges of very narrow
    /// zones lie elsewhere; and what is no number has no distance.
    pub(super) fn can_tell_near(&self) -> bool {
        self.half_width == 0.0 && !self.threshold.is_nan()
            || self.half_width > NARROWEST * self.threshold.abs()
    }

    /// Writes which of the parts, with these values, the zone may divide or make unsure; returns their number.
    ///
    /// A part must have the least share on both sides. At a distance `d` from the threshold of a zone of half-width
    /// `h`, the smaller side of a share `s` is `s (h - d) / (2 h)`.
    pub(super) fn find_near(
        &self,
        values: &[f64],
        parts: &[Part],
        least_share: LeastShare,
        near: &mut [u32],
    ) -> usize {
        let (reach, least) = (self.half_width * (1.0 + ROUNDED), self.width * least_share.get());
        let near = &mut near[..values.len()];
        let mut n_near = 0;
        // Every part is written, but only those near are kept: no branch to mispredict.
        for (at, (&x, part)) in values.iter().zip(parts).enumerate() {
            near[n_near] = at as u32;
            let inside = reach - (x - self.threshold).abs();
            n_near += usize::from(inside * part.rounded_share() >= least);
        }
        n_near
    }

    /// The share is [`Zone::left_weight`](crate::tree::Zone::left_weight), and means nothing outside of the zone.
    #[inline(always)]
    pub(super) fn place(&self, x: f64) -> Place {
        Place {
            left_share: ((self.upper - x) / self.width).min(1.0),
            goes_left: x <= self.threshold,
            is_unsure: (x > self.lower) & (x <= self.upper),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_unsure_is_found_near() {
        let mut n_told = 0;
        for threshold in [0.0, 1.0, -1e7, 1e13] {
            for half_width in [0.0, 0.4, 0.5001, 0.7, 1.3, 1e4 / 3.0, 1e5 / 3.0] {
                let edges = Edges::new(threshold, half_width);
                let Edges { lower, upper, .. } = edges;
                let values = [lower.next_up(), threshold, upper.next_down(), upper];
                let is_unsure = |x: &&f64| edges.place(**x).is_unsure;
                let unsure: Vec<f64> = values.iter().filter(is_unsure).copied().collect();
                if edges.can_tell_near() {
                    let mut near = [0; 4];
                    let parts = [Part::sure(0); 4];
                    let parts = &parts[..unsure.len()];
                    let least_share = LeastShare::new(0.25);
                    let n_near = edges.find_near(&unsure, parts, least_share, &mut near);
                    assert_eq!(n_near, unsure.len(), "{threshold} ± {half_width}: {unsure:?}");
                    n_told += 1;
                }
            }
        }
        assert_eq!(n_told, 7 + 7 + 7 + 2, "beside 1e13, only the widest zone and none can be told");
    }
}
