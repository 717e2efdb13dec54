//! The zones of all estimators, one below another.

use super::{DrawnPanel, Scene, display_name};
use crate::geometry::{Rect, at};
use crate::number::count;
use crate::palette::{GREY, GRID, INK, NOTE, ZONE, tint};
use crate::plot::Frame;
use crate::svg::{Anchor, Drawing, Shape};
use crate::text::{Font, fitted};
use ternwood::grow::ZoneEstimate;
use ternwood::tree::Zone;

/// The height of one estimator's row.
pub(super) const ROW: f64 = 32.0;

const BAND: f64 = 18.0;

pub(super) fn draw(scene: &Scene, drawing: &mut Drawing, area: Rect) -> DrawnPanel {
    let estimates = &scene.view.estimates;
    let frame = Frame::new(area, scene.range, (0.0, 1.0));
    frame.vertical_grid(drawing);
    for (row, estimate) in estimates.iter().enumerate() {
        let middle = area.y + area.h * (row as f64 + 0.5) / estimates.len() as f64;
        draw_one(scene, drawing, &frame, estimate, middle);
    }
    let head = at(area.right() + 12.0, area.y - 4.0);
    drawing.text(head, "half-width", NOTE, Anchor::Start);
    scene.threshold_line(drawing, &frame);
    frame.baseline(drawing);
    DrawnPanel { frame, heading: "Zones", notes: Vec::new() }
}

fn draw_one(
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
