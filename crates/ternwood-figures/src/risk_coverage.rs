//! How the error grows with the share of rows that are decided.

use crate::geometry::{Point, Rect, at};
use crate::number::{count, significant};
use crate::palette::{self, ENTRY, NOTE, PAPER, SUBTITLE, TITLE};
use crate::plot::Frame;
use crate::svg::{Anchor, Drawing, Shape};
use crate::text::fitted;
use ternwood::metrics::RiskCoveragePoint;

/// A named risk-coverage curve.
#[derive(Debug, Clone, PartialEq)]
pub struct RiskSeries {
    /// What the curve is called.
    pub name: String,
    /// Its points, in the order of coverage.
    pub curve: Vec<RiskCoveragePoint>,
    /// Single points on or off the curve: what a verdict that has no knob achieves.
    pub marks: Vec<(f64, f64)>,
    /// The area under the curve, if it is to be shown.
    pub aurc: Option<f64>,
}

/// What a picture of risk-coverage curves shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RiskCoverageFigure {
    /// A line above the picture.
    pub title: Option<String>,
    /// A line in grey below it, such as the data set and its number of rows.
    pub subtitle: Option<String>,
}

const MARGIN: f64 = 24.0;
const PLOT: (f64, f64) = (470.0, 300.0);
const NAMES: f64 = 216.0;
/// At lower coverage the risk is that of a few rows; it does not set the scale.
const STEADY: f64 = 0.1;

/// Draws risk-coverage curves. Marks are `(coverage, risk)`.
#[must_use]
pub fn risk_coverage_svg(series: &[RiskSeries], options: &RiskCoverageFigure) -> String {
    let (drawing, size) = draw(series, options);
    drawing.finish(size, options.title.as_deref().unwrap_or("Risk and coverage"))
}

pub(crate) fn draw(series: &[RiskSeries], options: &RiskCoverageFigure) -> (Drawing, (f64, f64)) {
    let mut drawing = Drawing::default();
    let width = MARGIN + 44.0 + PLOT.0 + 24.0 + NAMES + MARGIN;
    let mut y = MARGIN;
    for (words, font) in [(&options.title, TITLE), (&options.subtitle, SUBTITLE)] {
        if let Some(words) = words {
            y += 0.8 * font.size;
            let words = fitted(words, font, width - 2.0 * MARGIN);
            drawing.text(at(MARGIN, y), &words, font, Anchor::Start);
            y += 8.0;
        }
    }
    y += 26.0;
    let area = Rect::new(MARGIN + 44.0, y, PLOT.0, PLOT.1);
    let frame = Frame::new(area, (0.0, 1.0), (0.0, 1.08 * highest(series)));
    frame.columns(&mut drawing);
    frame.rows(&mut drawing, 5);
    frame.foot(&mut drawing);
    frame.x_axis(&mut drawing, "coverage: share of rows decided");
    let place = at(MARGIN, y - 12.0);
    drawing.text(place, "risk: share of errors among them", NOTE, Anchor::Start);
    for (index, one) in series.iter().enumerate().rev() {
        curve(&mut drawing, &frame, (one, palette::series(index)));
    }
    for (index, one) in series.iter().enumerate() {
        let place = at(area.right() + 24.0, area.y + 12.0 + 34.0 * index as f64);
        name(&mut drawing, place, (one, palette::series(index)));
    }
    let names = area.y + 34.0 * series.len() as f64;
    (drawing, (width, names.max(area.bottom() + 48.0)))
}

fn highest(series: &[RiskSeries]) -> f64 {
    let steady = |coverage: f64| coverage >= STEADY;
    let curves = series.iter().flat_map(|one| &one.curve);
    let curves = curves.filter(|point| steady(point.coverage)).map(|point| point.risk);
    let marks = series.iter().flat_map(|one| &one.marks).map(|mark| mark.1);
    let highest = curves.chain(marks).filter(|risk| risk.is_finite()).fold(0.0, f64::max);
    if highest > 0.0 { highest.min(1.0) } else { 0.1 }
}

fn curve(drawing: &mut Drawing, frame: &Frame, (one, colour): (&RiskSeries, &str)) {
    let pixel = |coverage: f64, risk: f64| at(frame.x.at(coverage), frame.y.at(risk));
    let points = thinned(one.curve.iter().map(|point| pixel(point.coverage, point.risk)));
    if points.len() > 1 {
        drawing.add(&Shape::polyline(points).stroke(colour, 2.0));
    }
    for &(coverage, risk) in &one.marks {
        let mark = Shape::circle(pixel(coverage, risk), 4.5).fill(colour);
        drawing.add(&mark.stroke(PAPER, 1.5).set("class", "mark"));
    }
}

/// Leaves out points that fall on the pixel of the one before; the last one stays.
fn thinned(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    let mut last = None;
    for point in points {
        let far = |p: &Point| (p.x - point.x).abs() + (p.y - point.y).abs() > 0.6;
        if kept.last().is_none_or(far) {
            kept.push(point);
            last = None;
        } else {
            last = Some(point);
        }
    }
    kept.extend(last);
    kept
}

/// A stroke in the curve's colour, its name, and its area or the number of its points.
fn name(drawing: &mut Drawing, place: Point, (one, colour): (&RiskSeries, &str)) {
    let stroke = Shape::line(at(place.x, place.y - 4.0), at(place.x + 18.0, place.y - 4.0));
    drawing.add(&stroke.stroke(colour, if one.curve.is_empty() { 0.0 } else { 2.5 }));
    if !one.marks.is_empty() {
        let mark = Shape::circle(at(place.x + 9.0, place.y - 4.0), 4.0).fill(colour);
        drawing.add(&mark.stroke(PAPER, 1.2));
    }
    let room = NAMES - 26.0;
    let words = fitted(&one.name, ENTRY, room);
    drawing.text(at(place.x + 26.0, place.y), &words, ENTRY, Anchor::Start);
    let note = match (one.aurc, one.marks.first()) {
        (Some(area), _) => format!("area {}", significant(area, 3)),
        (None, Some(mark)) => {
            let (coverage, risk) = (significant(mark.0, 3), significant(mark.1, 3));
            format!("coverage {coverage}, risk {risk}")
        }
        (None, None) => format!("{} points", count(one.curve.len() as u64)),
    };
    let note = fitted(&note, NOTE, room);
    drawing.text(at(place.x + 26.0, place.y + 13.0), &note, NOTE, Anchor::Start);
}
