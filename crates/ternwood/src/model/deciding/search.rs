//! The number nearest to a row's that decides it.
//!
//! Branch and bound, from the row's value outwards: an interval on which bounds of the probabilities allow
//! no decision is left out, any other is split, first at the edges of zones, then in the middle. Between
//! edges the bounds close in with the square of the width, so few intervals are needed.

use super::super::{Model, Outcome, RowScratch};
use crate::blend::LeastShare;
use crate::error::Result;
use crate::predict::{CurveMemory, ResponseBounds, ResponseCurve};
use crate::verdict::Along;

/// Margins smaller than this are a matter of rounding.
const SLACK: f64 = 1e-12;

/// The most intervals of one search.
const MOST_INTERVALS: usize = 20_000;

/// What a model answers for a row along one of its features.
pub(super) struct Search<'m> {
    model: &'m Model,
    /// The row, with any value of the feature.
    row: Vec<f64>,
    feature: usize,
    value: f64,
    curves: Vec<ResponseCurve<'m>>,
    /// In ascending order.
    cuts: Vec<f64>,
    memory: CurveMemory,
    scratch: RowScratch,
}

/// An interval: its nearer and its farther end, and the answers there.
struct Span {
    ends: [f64; 2],
    answers: [Outcome; 2],
}

impl<'m> Search<'m> {
    pub(super) fn new(model: &'m Model, row: &[f64], feature: usize) -> Self {
        let least_share = LeastShare::new(model.recipe.least_share);
        let curve = |tree| ResponseCurve::new(tree, model.routing(), row, feature, least_share);
        let curves: Vec<ResponseCurve<'_>> = model.trees().iter().map(curve).collect();
        let mut cuts: Vec<f64> = curves.iter().flat_map(ResponseCurve::cuts).collect();
        cuts.sort_unstable_by(f64::total_cmp);
        cuts.dedup();
        Self {
            model,
            row: row.to_vec(),
            feature,
            value: row[feature],
            curves,
            cuts,
            memory: CurveMemory::default(),
            scratch: RowScratch::default(),
        }
    }

    /// Where the search starts: the row's value; if it has none the (lower) median of the first thresholds, or 0
    /// where no number is compared with any.
    pub(super) fn start(&self) -> f64 {
        if !self.value.is_nan() {
            return self.value;
        }
        let mut firsts: Vec<f64> =
            self.curves.iter().filter_map(ResponseCurve::first_threshold).collect();
        firsts.sort_unstable_by(f64::total_cmp);
        firsts.get(firsts.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
    }

    /// The nearest numbers that decide: below the row's and above.
    pub(super) fn nearest(&mut self) -> Result<Vec<f64>> {
        let start = self.start();
        if self.answer(start)?.verdict.is_decided() {
            return Ok(vec![start]);
        }
        let [Some(&lowest), Some(&highest)] = [self.cuts.first(), self.cuts.last()] else {
            return Ok(Vec::new());
        };
        // Beyond the outermost cuts nothing changes any more.
        let ends = [lowest.max(f64::MIN), highest.next_up().min(f64::MAX)];
        let beyond = [ends[0] < start, ends[1] > start];
        let mut found = Vec::new();
        for (end, is_beyond) in ends.into_iter().zip(beyond) {
            if is_beyond {
                found.extend(self.nearest_towards([start, end])?);
            }
        }
        Ok(found)
    }

    /// What the model answers with another value of the feature.
    pub(super) fn answer(&mut self, value: f64) -> Result<Outcome> {
        self.row[self.feature] = value;
        let mut distribution = vec![0.0; self.model.schema.n_classes()];
        let (class, verdict) =
            self.model.predict_row(&self.row, &mut self.scratch, &mut distribution)?;
        Ok(Outcome { distribution, class, verdict })
    }

    fn nearest_towards(&mut self, ends: [f64; 2]) -> Result<Option<f64>> {
        let answers = [self.answer(ends[0])?, self.answer(ends[1])?];
        let mut waiting = vec![Span { ends, answers }];
        let mut left = MOST_INTERVALS;
        while let Some(span) = waiting.pop() {
            let [near, far] = span.ends;
            let [at_near, at_far] = [&span.answers[0], &span.answers[1]];
            if at_near.verdict.is_decided() {
                return Ok(Some(near));
            }
            if left == 0 {
                return Ok(None);
            }
            left -= 1;
            let (bounds, margin) = self.margin(&span);
            if margin < -SLACK {
                continue;
            }
            let varies = bounds.votes_vary && self.model.verdict().is_by_zones();
            let cut = self.middle_cut([near.min(far), near.max(far)]);
            let middle = middle(near, far);
            let is_split = cut.is_some() || (middle != near && middle != far);
            if !is_split || (cut.is_none() && !bounds.jumps && !varies && margin <= SLACK) {
                if at_far.verdict.is_decided() {
                    return self.bisected([near, far]).map(Some);
                }
                continue;
            }
            // A cut belongs to the values below it.
            let [first, second] = match cut {
                Some(cut) if near < far => [cut, cut.next_up()],
                Some(cut) => [cut.next_up(), cut],
                None => [middle, middle],
            };
            let at_first = self.answer(first)?;
            let at_second = if first == second { at_first.clone() } else { self.answer(second)? };
            let [at_near, at_far] = span.answers;
            waiting.push(Span { ends: [second, far], answers: [at_second, at_far] });
            waiting.push(Span { ends: [near, first], answers: [at_near, at_first] });
        }
        Ok(None)
    }

    /// The bounds of an interval, and the largest margin that they allow.
    fn margin(&mut self, span: &Span) -> (ResponseBounds, f64) {
        let [near, far] = span.ends;
        let (from, to) = (near.min(far), near.max(far));
        let trees = self.curves.len();
        let mut bounds = ResponseBounds::new(self.model.schema.n_classes());
        for curve in &self.curves {
            curve.add_bounds([from, to], &mut self.memory, &mut bounds);
        }
        bounds.divide(trees);
        if let Some(sharpening) = self.model.ensemble.sharpening() {
            sharpening.apply_to_bounds(&mut bounds);
        }
        let [mut first, mut last] = [&span.answers[0], &span.answers[1]];
        if near > far {
            (first, last) = (last, first);
        }
        let ends = [&first.distribution[..], &last.distribution[..]];
        let along = Along { bounds: &bounds, ends, width: to - from, trees };
        let margin = self.model.verdict().largest_margin(&along);
        (bounds, margin)
    }

    /// The middle one of the cuts that separate values of an interval.
    fn middle_cut(&self, [from, to]: [f64; 2]) -> Option<f64> {
        let first = self.cuts.partition_point(|&cut| cut < from);
        let end = self.cuts.partition_point(|&cut| cut < to);
        self.cuts[first..end].get((end - first) / 2).copied()
    }

    /// The nearest number that decides, between one that does not and one that does.
    fn bisected(&mut self, [mut near, mut far]: [f64; 2]) -> Result<f64> {
        loop {
            let middle = middle(near, far);
            if middle == near || middle == far {
                return Ok(far);
            }
            if self.answer(middle)?.verdict.is_decided() {
                far = middle;
            } else {
                near = middle;
            }
        }
    }
}

/// A number between two others, or one of them if there is none.
fn middle(near: f64, far: f64) -> f64 {
    let middle = near + 0.5 * (far - near);
    if middle.is_finite() { middle } else { 0.5 * near + 0.5 * far }
}
