//! Risk-coverage curves: the error as a function of the share of decided rows.

use crate::palette::{self, ENTRY, NOTE, PAPER, SUBTITLE, TITLE};
use crate::plot::Frame;
use crate::svg::{Anchor, Drawing, Point, Rect, Shape, at};
use crate::text::fitted;
use crate::words::{count, significant};
use ternwood::metrics::RiskCoveragePoint;

/// A named risk-coverage curve.
#[derive(Debug, Clone, PartialEq)]
pub struct RiskSeries {
    /// The name of the curve.
    pub name: String,
    /// Its points, by increasing coverage.
    pub curve: Vec<RiskCoveragePoint>,
    /// Single points on or off the curve, for verdicts without a parameter to vary.
    pub marks: Vec<(f64, f64)>,
    /// The area under the curve, if it is to be shown.
    pub aurc: Option<f64>,
}

/// Options for a figure of risk-coverage curves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RiskCoverageFigure {
    /// A line above the figure.
    pub title: Option<String>,
    /// A line in grey below it, such as the data set and its number of rows.
    pub subtitle: Option<String>,
}

const MARGIN: f64 = 24.0;
const PLOT: (f64, f64) = (470.0, 300.0);
const NAMES: f64 = 216.0;
/// The minimum coverage at which the risk sets the scale. Below it, a few rows decide the risk.
const MIN_COVERAGE: f64 = 0.1;

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
    frame.vertical_grid(&mut drawing);
    frame.horizontal_grid(&mut drawing, 5);
    frame.baseline(&mut drawing);
    frame.x_axis(&mut drawing, "coverage: share of rows decided");
    let place = at(MARGIN, y - 12.0);
    drawing.text(place, "risk: share of errors among them", NOTE, Anchor::Start);
    for (index, entry) in series.iter().enumerate().rev() {
        curve(&mut drawing, &frame, (entry, palette::series(index)));
    }
    for (index, entry) in series.iter().enumerate() {
        let place = at(area.right() + 24.0, area.y + 12.0 + 34.0 * index as f64);
        name(&mut drawing, place, (entry, palette::series(index)));
    }
    let names = area.y + 34.0 * series.len() as f64;
    (drawing, (width, names.max(area.bottom() + 48.0)))
}

fn highest(series: &[RiskSeries]) -> f64 {
    let steady = |coverage: f64| coverage >= MIN_COVERAGE;
    let curves = series.iter().flat_map(|entry| &entry.curve);
    let curves = curves.filter(|point| steady(point.coverage)).map(|point| point.risk);
    let marks = series.iter().flat_map(|entry| &entry.marks).map(|mark| mark.1);
    let highest = curves.chain(marks).filter(|risk| risk.is_finite()).fold(0.0, f64::max);
    if highest > 0.0 { highest.min(1.0) } else { 0.1 }
}

fn curve(drawing: &mut Drawing, frame: &Frame, (entry, colour): (&RiskSeries, &str)) {
    let pixel = |coverage: f64, risk: f64| at(frame.x.at(coverage), frame.y.at(risk));
    let points = thinned(entry.curve.iter().map(|point| pixel(point.coverage, point.risk)));
    if points.len() > 1 {
        drawing.add(&Shape::polyline(points).stroke(colour, 2.0));
    }
    for &(coverage, risk) in &entry.marks {
        let mark = Shape::circle(pixel(coverage, risk), 4.5).fill(colour);
        drawing.add(&mark.stroke(PAPER, 1.5).set("class", "mark"));
    }
}

/// Drops points that fall on the same pixel as the one before, except the last.
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

/// The legend entry of a curve: colour, name, and its area, first mark or number of points.
fn name(drawing: &mut Drawing, place: Point, (entry, colour): (&RiskSeries, &str)) {
    let stroke = Shape::line(at(place.x, place.y - 4.0), at(place.x + 18.0, place.y - 4.0));
    drawing.add(&stroke.stroke(colour, if entry.curve.is_empty() { 0.0 } else { 2.5 }));
    if !entry.marks.is_empty() {
        let mark = Shape::circle(at(place.x + 9.0, place.y - 4.0), 4.0).fill(colour);
        drawing.add(&mark.stroke(PAPER, 1.2));
    }
    let room = NAMES - 26.0;
    let words = fitted(&entry.name, ENTRY, room);
    drawing.text(at(place.x + 26.0, place.y), &words, ENTRY, Anchor::Start);
    let note = match (entry.aurc, entry.marks.first()) {
        (Some(area), _) => format!("area {}", significant(area, 3)),
        (None, Some(mark)) => {
            let (coverage, risk) = (significant(mark.0, 3), significant(mark.1, 3));
            format!("coverage {coverage}, risk {risk}")
        }
        (None, None) => format!("{} points", count(entry.curve.len() as u64)),
    };
    let note = fitted(&note, NOTE, room);
    drawing.text(at(place.x + 26.0, place.y + 13.0), &note, NOTE, Anchor::Start);
}
