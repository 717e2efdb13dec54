//! The panels of a zone figure: all estimators one below another, and what each one is computed from.

use crate::histogram::{Counted, DENSITY_POINTS, Histogram, Shown, densities};
use crate::palette::{self, GREY, GRID, INK, NOTE, PAPER, RULE, ZONE, tint};
use crate::plot::Frame;
use crate::svg::{Anchor, Drawing, Hatch, Rect, Shape, at, path_through};
use crate::text::{Font, fitted};
use crate::words::{count, significant};
use crate::zone::{DrawnPanel, Scene, display_name};
use ternwood::ZoneKind;
use ternwood::grow::{Candidate, ZoneEstimate};
use ternwood::tree::Zone;

/// The height of one estimator's row.
pub(super) const ESTIMATE_ROW: f64 = 32.0;

const BAND: f64 = 18.0;

pub(super) fn draw_estimates(scene: &Scene, drawing: &mut Drawing, area: Rect) -> DrawnPanel {
    let estimates = &scene.view.estimates;
    let frame = Frame::new(area, scene.range, (0.0, 1.0));
    frame.vertical_grid(drawing);
    for (row, estimate) in estimates.iter().enumerate() {
        let middle = area.y + area.h * (row as f64 + 0.5) / estimates.len() as f64;
        draw_estimate(scene, drawing, &frame, estimate, middle);
    }
    let head = at(area.right() + 12.0, area.y - 4.0);
    drawing.text(head, "half-width", NOTE, Anchor::Start);
    scene.threshold_line(drawing, &frame);
    frame.baseline(drawing);
    DrawnPanel { frame, heading: "Zones", notes: Vec::new() }
}

fn draw_estimate(
    scene: &Scene,
    drawing: &mut Drawing,
    frame: &Frame,
    estimate: &ZoneEstimate,
    middle: f64,
) {
    let area = frame.area;
    let own = estimate.kind.as_str() == scene.own_kind;
    let theta = scene.zone.threshold();
    let lane = Shape::line(at(area.x, middle), at(area.right(), middle));
    drawing.add(&lane.stroke(GRID, 1.0));
    if let Ok(zone) = Zone::new(theta, estimate.half_width)
        && estimate.half_width > 0.0
    {
        let (left, right) = (frame.x.at(zone.lower()), frame.x.at(zone.upper()));
        let widen = (1.5 - (right - left)).max(0.0) / 2.0;
        let rows = (middle - BAND / 2.0, middle + BAND / 2.0);
        let band = Rect::between(left - widen, right + widen, rows);
        let fill = if own { tint("#ec8b23", 0.55) } else { tint(INK, 0.08) };
        drawing.add(&Shape::rect(band).fill(&fill).stroke(if own { INK } else { GREY }, 0.8));
        drawing.hatch(band, ZONE);
    }
    let font = if own { Font::bold(11.5, INK) } else { Font::plain(11.5, INK) };
    let name = fitted(&display_name(estimate.kind.as_str()), font, super::LEFT - 46.0);
    drawing.text(at(super::MARGIN, middle + 4.0), &name, font, Anchor::Start);
    let font = Font { size: 11.0, ..font };
    let place = at(area.right() + 12.0, middle + 4.0);
    let width = scene.shown_half_width(estimate.half_width).unwrap_or_else(|| "0".to_owned());
    let width = fitted(&width, font, 70.0);
    drawing.text(place, &width, font, Anchor::Start);
    let font = Font::plain(10.5, GREY);
    let rows = format!("{} rows", count(estimate.rows_within.into()));
    drawing.text(at(area.right() + super::RIGHT, place.y), &rows, font, Anchor::End);
}

// The gain of all candidate thresholds, and the plateau around the best one.

/// The maximum number of points of a curve. More would fall on the same pixels.
const MAX_POINTS: usize = 900;

pub(super) fn draw_gain(scene: &Scene, drawing: &mut Drawing, area: Rect) -> DrawnPanel {
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

// The rows next to the threshold, and the nearest on the wrong side.

/// The approximate number of rows in the window.
const ROWS_SHOWN: usize = 60;
/// The minimum width of the window on either side, in half-widths.
const MIN_HALF_WIDTHS: f64 = 4.0;

/// Light, so that points stand out.
const PALE_ZONE: Hatch = Hatch { spacing: 6.0, width: 0.7, colour: "#a7afbb" };

pub(super) fn draw_margin(scene: &Scene, drawing: &mut Drawing, area: Rect) -> DrawnPanel {
    let theta = scene.zone.threshold();
    let margins = scene.view.estimates.iter().filter(|e| e.kind == ZoneKind::Margin);
    let half_width = margins.map(|e| e.half_width).next().unwrap_or(0.0);
    let reach = reach(scene, theta, half_width);
    let window = ((theta - reach).max(scene.range.0), (theta + reach).min(scene.range.1));
    let frame = Frame::new(area, window, (0.0, 1.0));
    frame.vertical_grid(drawing);
    let zone = Zone::new(theta, half_width).ok().filter(|zone| zone.half_width() > 0.0);
    if let Some(zone) = zone {
        let (left, right) = (frame.x.at(zone.lower()), frame.x.at(zone.upper()));
        let band = Rect::between(left, right, (area.y, area.bottom()));
        drawing.add(&Shape::rect(band).fill(&tint(INK, 0.05)));
        drawing.hatch(band, PALE_ZONE);
    }
    let on_edge = |value: f64| zone.is_some_and(|zone| (zone.distance(value) - 1.0).abs() <= 1e-9);
    let lane = area.h / scene.classes.n_slots() as f64;
    let inside = |x: f64| (window.0..=window.1).contains(&x);
    for &(value, slot, rows) in scene.values.iter().filter(|value| inside(value.0)) {
        for copy in 0..rows.min(12) {
            // Each class has its own lane; a little vertical jitter separates ties.
            let spread = (0.06 * f64::from(copy) + jitter(value)) % 1.0;
            let y = area.y + lane * (slot as f64 + 0.2 + 0.6 * spread);
            let place = at(frame.x.at(value), y);
            let point = Shape::circle(place, 3.2).fill(palette::class(slot)).stroke(PAPER, 0.7);
            drawing.add(&point);
            if on_edge(value) {
                drawing.add(&Shape::circle(place, 6.0).fill("none").stroke(INK, 1.3));
            }
        }
    }
    scene.threshold_line(drawing, &frame);
    frame.baseline(drawing);
    let notes = match zone.and_then(|zone| scene.shown_half_width(zone.half_width())) {
        Some(width) => vec![format!("{width} to the nearest row on the wrong side")],
        None => vec!["no room around the threshold".to_owned()],
    };
    DrawnPanel { frame, heading: "Margin", notes }
}

/// The distance from the threshold to either end of the window.
fn reach(scene: &Scene, theta: f64, half_width: f64) -> f64 {
    let mut distances: Vec<f64> = scene.values.iter().map(|v| (v.0 - theta).abs()).collect();
    distances.sort_by(f64::total_cmp);
    let near = distances.get(ROWS_SHOWN.min(distances.len().saturating_sub(1)));
    near.copied().unwrap_or(1.0).max(MIN_HALF_WIDTHS * half_width).min(f64::MAX)
}

/// A pseudo-random number in [0, 1), determined by the value.
fn jitter(value: f64) -> f64 {
    let mixed = value.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as f64 / (1u64 << 24) as f64
}

// The best thresholds of resamples of the node.

const BARS: usize = 60;
const COLOUR: &str = "#7a5fb3";

pub(super) fn draw_resamples(scene: &Scene, drawing: &mut Drawing, area: Rect) -> DrawnPanel {
    let thresholds = &scene.view.resampled_thresholds;
    let frame = Frame::new(area, scene.range, (0.0, 1.0));
    frame.vertical_grid(drawing);
    let theta = scene.zone.threshold();
    if thresholds.is_empty() {
        let words = "fewer than 10 rows: no resamples";
        let place = at(area.center_x(), area.center_y());
        drawing.text(place, words, NOTE, Anchor::Middle);
        frame.baseline(drawing);
        return DrawnPanel { frame, heading: "Resamples", notes: Vec::new() };
    }
    let rug = 9.0;
    let width = frame.x.value(1.0) / BARS as f64 - frame.x.value(0.0) / BARS as f64;
    let inside = |&&t: &&f64| frame.x.fraction(t) > 0.0 && frame.x.fraction(t) < 1.0;
    let counted: Vec<Counted> = thresholds.iter().filter(inside).map(|&t| (t, 0, 1)).collect();
    let shown = Shown { low: scene.range.0, high: scene.range.1, beyond: (false, false) };
    let histogram = Histogram::new(&counted, 1, theta + 0.5 * width, shown, BARS);
    let tallest = histogram.tallest() as f64;
    for bar in histogram.bars.iter().filter(|bar| bar.counts[0] > 0) {
        let height = (area.h - rug) * 0.94 * bar.counts[0] as f64 / tallest;
        let (left, right) = (frame.x.at(bar.from), frame.x.at(bar.to));
        let bottom = area.bottom() - rug;
        let shape = Rect::between(left + 0.4, right - 0.4, (bottom - height, bottom));
        drawing.add(&Shape::rect(shape).fill(COLOUR).opacity(0.75));
    }
    for &threshold in thresholds.iter().filter(inside) {
        let x = frame.x.at(threshold);
        let tick = Shape::line(at(x, area.bottom() - rug + 2.0), at(x, area.bottom() - 1.0));
        drawing.add(&tick.stroke(COLOUR, 1.0).opacity(0.55));
    }
    let base = Shape::line(at(area.x, area.bottom() - rug), at(area.right(), area.bottom() - rug));
    drawing.add(&base.stroke(RULE, 1.0));
    scene.threshold_line(drawing, &frame);
    frame.baseline(drawing);
    let lowest = thresholds.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = thresholds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let notes = vec![
        format!("{} best thresholds", thresholds.len()),
        format!("{} to {}", significant(lowest, 4), significant(highest, 4)),
    ];
    DrawnPanel { frame, heading: "Resamples", notes }
}

// The class densities along the feature, and their overlap.

pub(super) fn draw_spread(scene: &Scene, drawing: &mut Drawing, area: Rect) -> DrawnPanel {
    let frame = Frame::new(area, scene.range, (0.0, 1.0));
    let n_slots = scene.classes.n_slots();
    let inside = |value: &&Counted| scene.shown.contains(value.0);
    let values: Vec<Counted> = scene.values.iter().filter(inside).copied().collect();
    let curves = densities(&values, n_slots, frame.x);
    let tallest = curves.iter().flatten().copied().fold(0.0, f64::max).max(1e-9);
    let frame = Frame::new(area, scene.range, (0.0, 1.06 * tallest));
    frame.vertical_grid(drawing);
    let x = |point: usize| area.x + area.w * point as f64 / (DENSITY_POINTS - 1) as f64;
    let outline = |curve: &[f64]| -> String {
        path_through(curve.iter().enumerate().map(|(i, &y)| at(x(i), frame.y.at(y))))
    };
    let closed = |curve: &[f64]| {
        format!(
            "{}L{} {bottom}L{} {bottom}Z",
            outline(curve),
            crate::svg::short(area.right()),
            crate::svg::short(area.x),
            bottom = crate::svg::short(area.bottom())
        )
    };
    let present = |curve: &&(usize, &Vec<f64>)| curve.1.iter().any(|&y| y > 0.0);
    let curves: Vec<(usize, &Vec<f64>)> = curves.iter().enumerate().collect();
    for &(slot, curve) in curves.iter().filter(present) {
        drawing.add(&Shape::path(&closed(curve)).fill(palette::class(slot)).opacity(0.22));
    }
    let overlap = overlap(&curves);
    if overlap.iter().any(|&y| y > 0.0) {
        drawing.add(&Shape::path(&closed(&overlap)).fill(INK).opacity(0.16));
    }
    for &(slot, curve) in curves.iter().filter(present) {
        let line = Shape::path(&outline(curve)).fill("none").stroke(palette::class(slot), 1.8);
        drawing.add(&line.set("stroke-linejoin", "round"));
    }
    scene.threshold_line(drawing, &frame);
    frame.baseline(drawing);
    let notes = vec!["density × class share".to_owned(), "overlap in grey".to_owned()];
    DrawnPanel { frame, heading: "Classes", notes }
}

/// The second largest density at every point: the density shared by two classes.
fn overlap(curves: &[(usize, &Vec<f64>)]) -> Vec<f64> {
    (0..DENSITY_POINTS)
        .map(|point| {
            let mut top = [0.0f64; 2];
            for (_, curve) in curves {
                let y = curve[point];
                top = [top[0].max(y), top[1].max(y.min(top[0]))];
            }
            top[1]
        })
        .collect()
}
