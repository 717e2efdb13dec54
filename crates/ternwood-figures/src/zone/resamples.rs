//! The best thresholds of resamples of the node.

use super::{DrawnPanel, Scene};
use crate::geometry::{Rect, at};
use crate::histogram::{Counted, Histogram, Shown};
use crate::number::significant;
use crate::palette::{NOTE, RULE};
use crate::plot::Frame;
use crate::svg::{Anchor, Drawing, Shape};

const BARS: usize = 60;
const COLOUR: &str = "#7a5fb3";

pub(super) fn draw(scene: &Scene, drawing: &mut Drawing, area: Rect) -> DrawnPanel {
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
