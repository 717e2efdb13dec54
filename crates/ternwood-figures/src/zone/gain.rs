//! The gain of all candidate thresholds, and the plateau around the best one.

use super::{DrawnPanel, Scene};
use crate::geometry::{Rect, at};
use crate::number::significant;
use crate::palette::{INK, tint};
use crate::plot::Frame;
use crate::svg::{Drawing, Shape};
use ternwood::ZoneKind;
use ternwood::grow::Candidate;

/// The maximum number of points of a curve. More would fall on the same pixels.
const MAX_POINTS: usize = 900;

pub(super) fn draw(scene: &Scene, drawing: &mut Drawing, area: Rect) -> DrawnPanel {
    let view = &scene.view;
    let best = view.candidates.iter().map(|c| c.gain).fold(view.gain, f64::max);
    let frame = Frame::new(area, scene.range, (0.0, if best > 0.0 { 1.08 * best } else { 1.0 }));
    frame.vertical_grid(drawing);
    frame.horizontal_grid(drawing, 3);
    let tolerance = tolerance(scene);
    let enough = (1.0 - tolerance) * best;
    let mut good = view.candidates.iter().filter(|c| c.gain >= enough);
    if let Some(first) = good.next() {
        let last = good.next_back().unwrap_or(first);
        let (left, right) = (frame.x.at(first.threshold), frame.x.at(last.threshold));
        let band = Rect::between(left, right, (area.y, area.bottom()));
        drawing.add(&Shape::rect(band).fill(&tint("#1f9b78", 0.22)));
        let y = frame.y.at(enough);
        let line = Shape::line(at(area.x, y), at(area.right(), y));
        drawing.add(&line.stroke("#1f9b78", 1.0).dashed("4 3"));
    }
    let inside = |c: &&Candidate| c.threshold >= scene.range.0 && c.threshold <= scene.range.1;
    let curve: Vec<Candidate> = view.candidates.iter().filter(inside).copied().collect();
    let curve = thinned(&curve);
    let curve = curve.iter().map(|c| at(frame.x.at(c.threshold), frame.y.at(c.gain)));
    drawing.add(&Shape::polyline(curve).stroke(INK, 1.5));
    scene.threshold_line(drawing, &frame);
    let peak = at(frame.x.at(scene.zone.threshold()), frame.y.at(view.gain));
    drawing.add(&Shape::circle(peak, 3.5).fill(INK));
    frame.baseline(drawing);
    let share = significant(100.0 * tolerance, 3);
    let notes = vec![
        format!("best gain {}", significant(view.gain, 3)),
        format!("plateau: within {share} %"),
        format!("{} candidates", view.candidates.len()),
    ];
    DrawnPanel { frame, heading: "Gain", notes }
}

fn tolerance(scene: &Scene) -> f64 {
    let of = |kind: &ZoneKind| match kind {
        ZoneKind::QualityPlateau { tolerance, .. } => Some(*tolerance),
        _ => None,
    };
    scene.view.estimates.iter().find_map(|estimate| of(&estimate.kind)).unwrap_or(0.05)
}

/// Keeps only the worst and the best of each run of neighbouring candidates, in order.
fn thinned(candidates: &[Candidate]) -> Vec<Candidate> {
    let run = (2 * candidates.len()).div_ceil(MAX_POINTS).max(1);
    if run <= 2 {
        return candidates.to_vec();
    }
    let mut kept = Vec::with_capacity(MAX_POINTS + 2);
    for chunk in candidates.chunks(run) {
        let by_gain = |a: &&Candidate, b: &&Candidate| a.gain.total_cmp(&b.gain);
        let ends = chunk.iter().min_by(by_gain).into_iter().chain(chunk.iter().max_by(by_gain));
        let mut ends: Vec<Candidate> = ends.copied().collect();
        ends.sort_by(|a, b| a.threshold.total_cmp(&b.threshold));
        kept.extend(ends);
    }
    kept
}
