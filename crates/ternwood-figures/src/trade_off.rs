//! The trade-off: decided accuracy against the share of undecided rows.

use crate::classes::Legend;
use crate::palette::{self, GREY, INK, NOTE, PAPER, TITLE};
use crate::plot::Frame;
use crate::svg::{Anchor, Drawing, Point, Rect, Shape, at};
use crate::text::{Font, fitted, width};
use crate::words::significant;

/// A method and its results.
#[derive(Debug, Clone, PartialEq)]
pub struct TradeOffPoint {
    /// The name of the method, written beside its point.
    pub name: String,
    /// The series. Its points share a colour.
    pub series: String,
    /// The share of rows left undecided.
    pub undecided_rate: f64,
    /// The accuracy on the decided rows.
    pub decided_accuracy: f64,
}

/// Options for the figure of the trade-off.
#[derive(Debug, Clone, PartialEq)]
pub struct TradeOffFigure {
    /// A line above the figure.
    pub title: Option<String>,
    /// The accuracy of plain CART, which decides every row. Isolines start here.
    pub cart_accuracy: f64,
    /// The efficiencies to draw isolines for. Isolines that leave the figure at once are omitted.
    pub efficiencies: Vec<f64>,
}

impl TradeOffFigure {
    /// Options with isolines at round efficiencies.
    #[must_use]
    pub fn new(cart_accuracy: f64) -> Self {
        let efficiencies = vec![0.02, 0.05, 0.1, 0.2, 0.5, 1.0];
        Self { title: None, cart_accuracy, efficiencies }
    }
}

const MARGIN: f64 = 24.0;
const PLOT: (f64, f64) = (600.0, 380.0);
const LABEL: Font = Font::plain(11.0, INK);
const LINE: Font = Font::italic(10.0, GREY);

/// Draws the trade-off. Omits points with numbers that are not finite.
#[must_use]
pub fn trade_off_svg(points: &[TradeOffPoint], options: &TradeOffFigure) -> String {
    let (drawing, size) = draw(points, options);
    drawing.finish(size, options.title.as_deref().unwrap_or("Accuracy and coverage"))
}

pub(crate) fn draw(points: &[TradeOffPoint], options: &TradeOffFigure) -> (Drawing, (f64, f64)) {
    let finite =
        |p: &&TradeOffPoint| p.undecided_rate.is_finite() && p.decided_accuracy.is_finite();
    let points: Vec<&TradeOffPoint> = points.iter().filter(finite).collect();
    let series = distinct(points.iter().map(|point| point.series.as_str()));
    let mut drawing = Drawing::default();
    let size_x = MARGIN + 44.0 + PLOT.0 + 66.0 + MARGIN;
    let mut y = MARGIN;
    if let Some(title) = &options.title {
        y += 0.8 * TITLE.size;
        let title = fitted(title, TITLE, size_x - 2.0 * MARGIN);
        drawing.text(at(MARGIN, y), &title, TITLE, Anchor::Start);
        y += 12.0;
    }
    if series.len() > 1 {
        let entries = series.iter().enumerate();
        let entries = entries.map(|(i, name)| ((*name).to_owned(), palette::series(i))).collect();
        let legend = Legend::new(entries);
        legend.draw(&mut drawing, at(MARGIN, y), size_x - 2.0 * MARGIN);
        y += legend.height(size_x - 2.0 * MARGIN);
    }
    y += 34.0;
    drawing.text(at(MARGIN, y - 14.0), "accuracy on decided rows", NOTE, Anchor::Start);
    let area = Rect::new(MARGIN + 44.0, y, PLOT.0, PLOT.1);
    let frame = frame(area, &points, options.cart_accuracy);
    frame.vertical_grid(&mut drawing);
    frame.horizontal_grid(&mut drawing, 6);
    frame.baseline(&mut drawing);
    frame.x_axis(&mut drawing, "share of rows left undecided");
    isolines(&mut drawing, &frame, options);
    scatter(&mut drawing, &frame, &points, &series, options.cart_accuracy);
    (drawing, (size_x, area.bottom() + 50.0))
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

fn frame(area: Rect, points: &[&TradeOffPoint], cart: f64) -> Frame {
    let cart = if cart.is_finite() { cart } else { 0.0 };
    let widest = points.iter().map(|p| p.undecided_rate).fold(0.0, f64::max);
    let accuracies = points.iter().map(|p| p.decided_accuracy).chain([cart]);
    let low = accuracies.clone().fold(f64::INFINITY, f64::min);
    let high = accuracies.fold(f64::NEG_INFINITY, f64::max);
    let room = 0.12 * (high - low).max(0.02);
    let right = if widest > 0.0 { 1.12 * widest } else { 0.1 };
    Frame::new(area, (0.0, right), (low - room, high + room))
}

/// Lines of equal efficiency that start at plain CART, labelled where they leave the frame.
fn isolines(drawing: &mut Drawing, frame: &Frame, options: &TradeOffFigure) {
    let (area, cart) = (frame.area, options.cart_accuracy);
    let (right, top) = (frame.x.ends().1, frame.y.ends().1);
    let start = at(frame.x.at(0.0), frame.y.at(cart));
    for &efficiency in options.efficiencies.iter().filter(|e| e.is_finite() && **e > 0.0) {
        let leaves_right = cart + efficiency * right <= top;
        let rate = if leaves_right { right } else { (top - cart) / efficiency };
        let end = at(frame.x.at(rate), frame.y.at(cart + efficiency * rate));
        let label = format!("η {}", significant(efficiency, 2));
        let half = width(&label, LINE) / 2.0;
        let (place, anchor) = if leaves_right {
            (at(area.right() + 6.0, end.y + 3.5), Anchor::Start)
        } else {
            (at(end.x, area.y - 5.0), Anchor::Middle)
        };
        let steep = !leaves_right && end.x - half < start.x + 4.0;
        let taken = Rect::new(place.x - half, place.y - 8.0, 2.0 * half, 10.0);
        if steep || drawing.labels.iter().any(|other| other.rect.overlaps(taken)) {
            continue;
        }
        drawing.add(&Shape::line(start, end).stroke("#b3bbc7", 1.0).dashed("5 4"));
        drawing.text(place, &label, LINE, anchor);
    }
    let zero = Shape::line(start, at(area.right(), start.y));
    drawing.add(&zero.stroke(GREY, 1.0));
}

fn scatter(
    drawing: &mut Drawing,
    frame: &Frame,
    points: &[&TradeOffPoint],
    series: &[&str],
    cart: f64,
) {
    let pixel =
        |p: &TradeOffPoint| at(frame.x.at(p.undecided_rate), frame.y.at(p.decided_accuracy));
    let origin = at(frame.x.at(0.0), frame.y.at(cart));
    let mut dots: Vec<Point> = points.iter().map(|point| pixel(point)).collect();
    dots.push(origin);
    drawing.add(&Shape::circle(origin, 5.0).fill(INK).stroke(PAPER, 1.2));
    let below = at(origin.x + 8.0, origin.y + 16.0);
    drawing.text(below, "CART", LABEL, Anchor::Start);
    for point in points {
        let index = series.iter().position(|name| *name == point.series).unwrap_or(0);
        let dot = Shape::circle(pixel(point), 5.0).fill(palette::series(index));
        drawing.add(&dot.stroke(PAPER, 1.2).set("class", "point"));
    }
    for point in points {
        place_label(drawing, frame.area, pixel(point), &point.name, &dots);
    }
}

/// Writes a name beside its point where it covers no point and no other label. If there is no such
/// place, the name appears only in the tooltip.
fn place_label(drawing: &mut Drawing, area: Rect, dot: Point, name: &str, dots: &[Point]) {
    let name = fitted(name, LABEL, 150.0);
    let w = width(&name, LABEL);
    let beside = [(9.0, 4.0), (-9.0 - w, 4.0), (-w / 2.0, -9.0), (-w / 2.0, 17.0)];
    let diagonal = [(7.0, -7.0), (7.0, 15.0), (-7.0 - w, -7.0), (-7.0 - w, 15.0)];
    let far = [(9.0, 18.0), (9.0, -14.0), (-9.0 - w, 18.0), (-9.0 - w, -14.0)];
    for (dx, dy) in beside.into_iter().chain(diagonal).chain(far) {
        let place = at(dot.x + dx, dot.y + dy);
        let taken = Rect::new(place.x - 1.0, place.y - 9.5, w + 2.0, 12.5);
        let inside = taken.x >= area.x - 2.0 && taken.right() <= area.right() + 40.0;
        let covers = |p: &Point| taken.overlaps(Rect::new(p.x - 5.0, p.y - 5.0, 10.0, 10.0));
        let crowded = drawing.labels.iter().any(|other| other.rect.overlaps(taken));
        if inside && !crowded && !dots.iter().any(covers) {
            drawing.halo(at(place.x + w / 2.0, place.y), &name, LABEL);
            return drawing.text(place, &name, LABEL, Anchor::Start);
        }
    }
    drawing.open("unplaced", &name);
    drawing.add(&Shape::circle(dot, 5.0).fill("none"));
    drawing.close();
}
