//! The rows next to the threshold, and the nearest on the wrong side.

use super::{Described, Scene};
use crate::geometry::{Rect, at};
use crate::number::zone_texts;
use crate::palette::{self, INK, PAPER, tint};
use crate::plot::Frame;
use crate::svg::{Drawing, Hatch, Shape};
use ternwood::ZoneKind;
use ternwood::tree::Zone;

/// Rows in the window, about.
const ROWS_SHOWN: usize = 60;
/// The least half-widths that the window shows to either side.
const HALF_WIDTHS: f64 = 4.0;

/// Light enough that points stand out.
const PALE_ZONE: Hatch = Hatch { spacing: 6.0, width: 0.7, colour: "#a7afbb" };

pub(super) fn draw(scene: &Scene, drawing: &mut Drawing, area: Rect) -> Described {
    let theta = scene.zone.threshold();
    let margins = scene.view.estimates.iter().filter(|e| e.kind == ZoneKind::Margin);
    let half_width = margins.map(|e| e.half_width).next().unwrap_or(0.0);
    let reach = reach(scene, theta, half_width);
    let window = ((theta - reach).max(scene.range.0), (theta + reach).min(scene.range.1));
    let frame = Frame::new(area, window, (0.0, 1.0));
    frame.columns(drawing);
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
            // Rows of one class lie in one lane, spread a little so that ties can be seen.
            let spread = (0.06 * f64::from(copy) + scatter(value)) % 1.0;
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
    frame.foot(drawing);
    let notes = match zone.and_then(|zone| zone_texts(zone).1) {
        Some(width) => vec![format!("± {width}: the nearest row on the wrong side")],
        None => vec!["no room around the threshold".to_owned()],
    };
    Described { frame, heading: "Margin", notes }
}

/// How far the window reaches to either side of the threshold.
fn reach(scene: &Scene, theta: f64, half_width: f64) -> f64 {
    let mut distances: Vec<f64> = scene.values.iter().map(|v| (v.0 - theta).abs()).collect();
    distances.sort_by(f64::total_cmp);
    let near = distances.get(ROWS_SHOWN.min(distances.len().saturating_sub(1)));
    near.copied().unwrap_or(1.0).max(HALF_WIDTHS * half_width).min(f64::MAX)
}

/// A number in [0, 1) that looks random but belongs to the value.
fn scatter(value: f64) -> f64 {
    let mixed = value.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as f64 / (1u64 << 24) as f64
}
