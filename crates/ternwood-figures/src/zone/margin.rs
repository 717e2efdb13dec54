//! The rows next to the threshold, and the nearest on the wrong side.

use super::{DrawnPanel, Scene};
use crate::geometry::{Rect, at};
use crate::palette::{self, INK, PAPER, tint};
use crate::plot::Frame;
use crate::svg::{Drawing, Hatch, Shape};
use ternwood::ZoneKind;
use ternwood::tree::Zone;

/// The approximate number of rows in the window.
const ROWS_SHOWN: usize = 60;
/// The minimum width of the window on either side, in half-widths.
const MIN_HALF_WIDTHS: f64 = 4.0;

/// Light, so that points stand out.
const PALE_ZONE: Hatch = Hatch { spacing: 6.0, width: 0.7, colour: "#a7afbb" };

pub(super) fn draw(scene: &Scene, drawing: &mut Drawing, area: Rect) -> DrawnPanel {
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
