//! A small SVG writer: shapes, text, groups with tooltips; points and rectangles in pixels.
//!
//! There are no definitions and no references by id, so a page can contain any number of figures:
//! hatching is drawn line by line (and continues from one rectangle into the next). Numbers have at
//! most two decimals, so the bytes do not depend on the last bit of a sum.

use crate::palette::PAPER;
use crate::text::{self, Font};
use ternwood::tree::NodeId;

/// The font stack, in order of preference.
const FONTS: &str = "Helvetica Neue, Helvetica, Arial, Liberation Sans, Nimbus Sans, sans-serif";

/// A figure under construction.
///
/// It records the position of every piece of text: later labels avoid it, and tests check it.
#[derive(Debug, Default)]
pub(crate) struct Drawing {
    body: String,
    open_groups: usize,
    pub(crate) labels: Vec<Label>,
}

/// A piece of text and its bounding box.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Label {
    pub(crate) rect: Rect,
    pub(crate) text: String,
}

/// The alignment of text relative to its position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// One element with its attributes.
#[derive(Debug, Clone)]
pub(crate) struct Shape(String);

impl Drawing {
    pub(crate) fn add(&mut self, shape: &Shape) {
        self.body.push_str(&shape.0);
        self.body.push_str("/>\n");
    }

    /// Writes text with its baseline at `place`.
    pub(crate) fn text(&mut self, place: Point, words: &str, font: Font, anchor: Anchor) {
        if words.is_empty() {
            return;
        }
        let width = text::width(words, font);
        let (left, name) = match anchor {
            Anchor::Start => (place.x, "start"),
            Anchor::Middle => (place.x - width / 2.0, "middle"),
            Anchor::End => (place.x - width, "end"),
        };
        let rect = Rect::new(left, place.y - 0.76 * font.size, width, 0.98 * font.size);
        self.labels.push(Label { rect, text: words.to_owned() });
        let mut tag = Shape::new("text").num("x", place.x).num("y", place.y);
        tag = tag.num("font-size", font.size).fill(font.colour);
        if anchor != Anchor::Start {
            tag = tag.set("text-anchor", name);
        }
        if font.bold {
            tag = tag.set("font-weight", "600");
        }
        if font.italic {
            tag = tag.set("font-style", "italic");
        }
        self.body.push_str(&format!("{}>{}</text>\n", tag.0, escaped(words)));
    }

    /// Writes text rotated upwards, centred on `place`.
    pub(crate) fn vertical_text(&mut self, place: Point, words: &str, font: Font) {
        let (w, h) = (0.98 * font.size, text::width(words, font));
        let rect = Rect::new(place.x - 0.76 * font.size, place.y - h / 2.0, w, h);
        self.labels.push(Label { rect, text: words.to_owned() });
        let turn = format!("translate({} {}) rotate(-90)", short(place.x), short(place.y));
        let tag = Shape::new("text").set("transform", &turn).set("text-anchor", "middle");
        let tag = tag.num("font-size", font.size).fill(font.colour);
        self.body.push_str(&format!("{}>{}</text>\n", tag.0, escaped(words)));
    }

    /// A white rim for text centred on `place`, drawn before the text.
    pub(crate) fn halo(&mut self, place: Point, words: &str, font: Font) {
        let tag = Shape::new("text").num("x", place.x).num("y", place.y);
        let tag = tag.num("font-size", font.size).set("text-anchor", "middle");
        let tag = tag.fill("none").stroke(PAPER, 3.0).set("stroke-linejoin", "round");
        let tag = tag.set("aria-hidden", "true");
        self.body.push_str(&format!("{}>{}</text>\n", tag.0, escaped(words)));
    }

    /// Opens a group that shows `tooltip` on hover.
    pub(crate) fn open(&mut self, class: &str, tooltip: &str) {
        self.open_tag(&Shape::new("g").set("class", class), tooltip);
    }

    /// Opens the group of a node of a tree. Scripts of a page find it by its number.
    pub(crate) fn open_node(&mut self, class: &str, node: NodeId, tooltip: &str) {
        let tag = Shape::new("g").set("class", class).set("data-node", &node.to_string());
        self.open_tag(&tag, tooltip);
    }

    fn open_tag(&mut self, tag: &Shape, tooltip: &str) {
        self.open_groups += 1;
        self.body.push_str(&format!("{}>\n", tag.0));
        if !tooltip.is_empty() {
            self.body.push_str(&format!("<title>{}</title>\n", escaped(tooltip)));
        }
    }

    pub(crate) fn close(&mut self) {
        if self.open_groups > 0 {
            self.open_groups -= 1;
            self.body.push_str("</g>\n");
        }
    }

    /// Fills a rectangle with diagonal lines. The lines of adjacent rectangles meet at the edge.
    pub(crate) fn hatch(&mut self, area: Rect, style: Hatch) {
        self.hatch_all(&[area], style);
    }

    /// Fills many rectangles with diagonal lines, as one element.
    pub(crate) fn hatch_all(&mut self, areas: &[Rect], style: Hatch) {
        let path: String = areas.iter().map(|&area| hatch_lines(area, style.spacing)).collect();
        if !path.is_empty() {
            let lines = Shape::path(&path).fill("none").stroke(style.colour, style.width);
            self.add(&lines.set("class", "hatch"));
        }
    }

    /// The finished document.
    pub(crate) fn finish(mut self, size: (f64, f64), title: &str) -> String {
        while self.open_groups > 0 {
            self.close();
        }
        let (w, h) = (short(size.0.ceil()), short(size.1.ceil()));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" \
             viewBox=\"0 0 {w} {h}\" role=\"img\" font-family=\"{FONTS}\">\n\
             <title>{}</title>\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            escaped(title),
            self.body
        )
    }
}

/// The style of hatching.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hatch {
    pub(crate) spacing: f64,
    pub(crate) width: f64,
    pub(crate) colour: &'static str,
}

impl Shape {
    pub(crate) fn new(name: &str) -> Self {
        Self(format!("<{name}"))
    }

    pub(crate) fn rect(rect: Rect) -> Self {
        let Rect { x, y, w, h } = rect;
        Self::new("rect").num("x", x).num("y", y).num("width", w.max(0.0)).num("height", h.max(0.0))
    }

    pub(crate) fn line(from: Point, to: Point) -> Self {
        Self::new("line").num("x1", from.x).num("y1", from.y).num("x2", to.x).num("y2", to.y)
    }

    pub(crate) fn circle(center: Point, radius: f64) -> Self {
        Self::new("circle").num("cx", center.x).num("cy", center.y).num("r", radius)
    }

    pub(crate) fn path(data: &str) -> Self {
        Self::new("path").set("d", data)
    }

    /// A polyline through points.
    pub(crate) fn polyline(points: impl IntoIterator<Item = Point>) -> Self {
        Self::path(&path_through(points)).fill("none").set("stroke-linejoin", "round")
    }

    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.0.push_str(&format!(" {name}=\"{}\"", escaped(value)));
        self
    }

    fn num(self, name: &str, value: f64) -> Self {
        self.set(name, &short(value))
    }

    pub(crate) fn fill(self, colour: &str) -> Self {
        self.set("fill", colour)
    }

    pub(crate) fn stroke(self, colour: &str, width: f64) -> Self {
        self.set("stroke", colour).num("stroke-width", width)
    }

    pub(crate) fn rounded(self, radius: f64) -> Self {
        self.num("rx", radius)
    }

    pub(crate) fn dashed(self, pattern: &str) -> Self {
        self.set("stroke-dasharray", pattern)
    }

    /// Lets the ground shine through the inside, not through the outline.
    pub(crate) fn fill_opacity(self, opacity: f64) -> Self {
        self.num("fill-opacity", opacity)
    }

    pub(crate) fn opacity(self, opacity: f64) -> Self {
        self.num("opacity", opacity)
    }
}

/// Path data through points.
pub(crate) fn path_through(points: impl IntoIterator<Item = Point>) -> String {
    let mut data = String::new();
    for point in points {
        data.push(if data.is_empty() { 'M' } else { 'L' });
        data.push_str(&format!("{} {}", short(point.x), short(point.y)));
    }
    data
}

/// The parts inside `area` of the lines `x + y = k * spacing`, for all integers `k`.
fn hatch_lines(area: Rect, spacing: f64) -> String {
    let first = ((area.x + area.y) / spacing).ceil();
    let last = ((area.right() + area.bottom()) / spacing).floor();
    let mut data = String::new();
    let mut k = first;
    while k <= last {
        let sum = k * spacing;
        let left = area.x.max(sum - area.bottom());
        let right = area.right().min(sum - area.y);
        if right > left {
            let ends = [at(left, sum - left), at(right, sum - right)];
            data.push_str(&path_through(ends));
        }
        k += 1.0;
    }
    data
}

/// A number with at most two decimals, clamped to ±1e6; 0 if it is not finite.
pub(crate) fn short(x: f64) -> String {
    let x = if x.is_finite() { x.clamp(-1e6, 1e6) } else { 0.0 };
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Escapes text for tags and attributes; replaces characters that XML does not allow.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(character),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

// Points and rectangles, in pixels; y grows downwards.

/// A point on the canvas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// A rectangle with its upper left corner at `(x, y)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) w: f64,
    pub(crate) h: f64,
}

pub(crate) fn at(x: f64, y: f64) -> Point {
    Point { x, y }
}

impl Rect {
    pub(crate) fn new(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self { x, y, w, h }
    }

    /// The rectangle between two vertical edges, given in either order.
    pub(crate) fn between(left: f64, right: f64, rows: (f64, f64)) -> Self {
        Self::new(left.min(right), rows.0, (right - left).abs(), rows.1 - rows.0)
    }

    pub(crate) fn right(self) -> f64 {
        self.x + self.w
    }

    pub(crate) fn bottom(self) -> f64 {
        self.y + self.h
    }

    pub(crate) fn center_x(self) -> f64 {
        self.x + self.w / 2.0
    }

    pub(crate) fn center_y(self) -> f64 {
        self.y + self.h / 2.0
    }

    /// True if the two share more than an edge.
    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    /// True if `other` lies inside.
    #[cfg(test)]
    pub(crate) fn contains(self, other: Self) -> bool {
        self.x <= other.x
            && self.y <= other.y
            && other.right() <= self.right()
            && other.bottom() <= self.bottom()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [(1.0, "1"), (0.126, "0.13"), (-0.001, "0"), (2.50, "2.5"), (f64::NAN, "0")];
        for (x, text) in cases {
            assert_eq!(short(x), text);
        }
        assert_eq!(short(1e300), "1000000");
    }

    #[test]
    fn text_is_escaped_and_controls_are_replaced() {
        assert_eq!(escaped("<a & 'b'>\u{0}"), "&lt;a &amp; &#39;b&#39;&gt;\u{fffd}");
    }

    #[test]
    fn hatching_stays_inside_and_meets_at_the_seam() {
        // x + y = 4 and 8 cross the square from (0, 0) to (6, 6); 12 only touches its corner.
        assert_eq!(hatch_lines(Rect::new(0.0, 0.0, 6.0, 6.0), 4.0), "M0 4L4 0M2 6L6 2");
        // The square to its right continues the line x + y = 8 at (6, 2).
        assert!(hatch_lines(Rect::new(6.0, 0.0, 6.0, 6.0), 4.0).starts_with("M6 2"));
        assert_eq!(hatch_lines(Rect::new(1.0, 1.0, 0.0, 5.0), 4.0), "");
    }
}
