//! The frame of a plot: grid, ticks, titles, and the scales of its axes.

use crate::palette::{GRID, HEADING, NOTE, RULE, TICK};
use crate::svg::{Anchor, Drawing, Rect, Shape, at};
use crate::text::{fitted, width};
use crate::words::fixed;

/// The least room for the name of a rank.
const ROOM_FOR_RANK: f64 = 30.0;

/// A plot area with an x and a y scale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) area: Rect,
    pub(crate) x: Scale,
    pub(crate) y: Scale,
}

impl Frame {
    /// A frame with these values from left to right and from bottom to top.
    pub(crate) fn new(area: Rect, x: (f64, f64), y: (f64, f64)) -> Self {
        Self {
            area,
            x: Scale::new(x, (area.x, area.right())),
            y: Scale::new(y, (area.bottom(), area.y)),
        }
    }

    /// Light vertical lines at the ticks, without labels.
    pub(crate) fn vertical_grid(&self, drawing: &mut Drawing) {
        for (value, _) in self.x.ticks(self.wanted_ticks()) {
            let x = self.x.at(value);
            let line = Shape::line(at(x, self.area.y), at(x, self.area.bottom()));
            drawing.add(&line.stroke(GRID, 1.0));
        }
    }

    /// Light horizontal lines, with their values on the left.
    pub(crate) fn horizontal_grid(&self, drawing: &mut Drawing, wanted: usize) {
        for (value, words) in self.y.ticks(wanted) {
            let y = self.y.at(value);
            let line = Shape::line(at(self.area.x, y), at(self.area.right(), y));
            drawing.add(&line.stroke(GRID, 1.0));
            drawing.text(at(self.area.x - 6.0, y + 3.5), &words, TICK, Anchor::End);
        }
    }

    /// The line at the bottom.
    pub(crate) fn baseline(&self, drawing: &mut Drawing) {
        let y = self.area.bottom();
        let line = Shape::line(at(self.area.x, y), at(self.area.right(), y));
        drawing.add(&line.stroke(RULE, 1.0));
    }

    /// Tick labels and a title below the frame. Omits labels that would touch.
    pub(crate) fn x_axis(&self, drawing: &mut Drawing, title: &str) {
        let mut free_from = f64::NEG_INFINITY;
        let y = self.area.bottom() + 15.0;
        for (value, words) in self.x.ticks(self.wanted_ticks()) {
            let x = self.x.at(value);
            let half = width(&words, TICK) / 2.0;
            let tick = Shape::line(at(x, self.area.bottom()), at(x, self.area.bottom() + 4.0));
            drawing.add(&tick.stroke(RULE, 1.0));
            if x - half > free_from {
                drawing.text(at(x, y), &words, TICK, Anchor::Middle);
                free_from = x + half + 6.0;
            }
        }
        let title = fitted(title, NOTE, self.area.w);
        drawing.text(at(self.area.center_x(), y + 17.0), &title, NOTE, Anchor::Middle);
    }

    /// Like [`x_axis`](Self::x_axis), with names in place of the numbers 0, 1, 2, ...
    pub(crate) fn ranks_axis(&self, drawing: &mut Drawing, title: &str, names: &[String]) {
        let room = self.x.at(self.x.value(0.0) + 1.0) - self.area.x - 6.0;
        if room < ROOM_FOR_RANK {
            return self.x_axis(drawing, title);
        }
        let y = self.area.bottom() + 15.0;
        for (rank, name) in names.iter().enumerate() {
            let fraction = self.x.fraction(rank as f64);
            if fraction > 0.0 && fraction < 1.0 {
                let x = self.x.at(rank as f64);
                let name = fitted(name, TICK, room);
                drawing.text(at(x, y), &name, TICK, Anchor::Middle);
            }
        }
        let title = fitted(title, NOTE, self.area.w);
        drawing.text(at(self.area.center_x(), y + 17.0), &title, NOTE, Anchor::Middle);
    }

    /// A heading above the frame, with a note below it in grey.
    pub(crate) fn heading(&self, drawing: &mut Drawing, words: &str, note: &str) {
        let room = self.area.w + 30.0;
        let place = at(self.area.x - 30.0, self.area.y - 24.0);
        drawing.text(place, &fitted(words, HEADING, room), HEADING, Anchor::Start);
        let place = at(self.area.x - 30.0, self.area.y - 10.0);
        drawing.text(place, &fitted(note, NOTE, room), NOTE, Anchor::Start);
    }

    fn wanted_ticks(&self) -> usize {
        ((self.area.w / 62.0) as usize).clamp(2, 10)
    }
}

// Axis scales and round tick values.

/// A linear map from values to pixels. Values outside the range are drawn at the edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    from: (f64, f64),
    to: (f64, f64),
}

impl Scale {
    /// Maps the range `values` to `pixels`. A range of a single value is widened a little.
    pub(crate) fn new(values: (f64, f64), pixels: (f64, f64)) -> Self {
        let (mut low, mut high) = (finite(values.0), finite(values.1));
        if low > high {
            std::mem::swap(&mut low, &mut high);
        }
        if low == high {
            let room = if low == 0.0 { 0.5 } else { 0.05 * low.abs() };
            (low, high) = (finite(low - room), finite(high + room));
        }
        Self { from: (low, high), to: pixels }
    }

    /// The pixel of a value.
    pub(crate) fn at(&self, x: f64) -> f64 {
        let t = self.fraction(x);
        self.to.0 + t * (self.to.1 - self.to.0)
    }

    /// The position of a value between the low end (0) and the high end (1). Halving first keeps
    /// the largest numbers finite.
    pub(crate) fn fraction(&self, x: f64) -> f64 {
        let (low, high) = (0.5 * self.from.0, 0.5 * self.from.1);
        let t = (0.5 * x - low) / (high - low);
        if t.is_nan() { 0.5 } else { t.clamp(0.0, 1.0) }
    }

    /// The value at a position between 0 and 1.
    pub(crate) fn value(&self, fraction: f64) -> f64 {
        self.from.0 * (1.0 - fraction) + self.from.1 * fraction
    }

    pub(crate) fn ends(&self) -> (f64, f64) {
        self.from
    }

    /// About `wanted` round values inside the range, with their labels.
    pub(crate) fn ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        let (low, high) = self.from;
        let step = nice_step((0.5 * high - 0.5 * low) * 2.0 / wanted.max(1) as f64);
        let magnitude = step.log10();
        let far = low.abs().max(high.abs());
        if !step.is_normal() || far >= 1e9 || magnitude < -7.0 {
            return [low, self.value(0.5), high]
                .map(|x| (x, crate::words::significant(x, 3)))
                .to_vec();
        }
        let decimals = (-magnitude - 1e-9).ceil().max(0.0) as usize;
        let first = (low / step - 1e-6).ceil() as i64;
        let last = (high / step + 1e-6).floor() as i64;
        (first..=last.min(first.saturating_add(50)))
            .map(|k| (k as f64 * step, fixed(k as f64 * step, decimals)))
            .collect()
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is not much less than `rough`.
fn nice_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= rough * 0.75);
    step.unwrap_or(10.0) * power
}

fn finite(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(f64::MIN, f64::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(low: f64, high: f64, wanted: usize) -> Vec<String> {
        let ticks = Scale::new((low, high), (0.0, 1.0)).ticks(wanted);
        ticks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(texts(0.0, 1.0, 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(-3.0, 47.0, 5), ["0", "10", "20", "30", "40"]);
        assert_eq!(texts(0.013, 0.021, 4), ["0.014", "0.016", "0.018", "0.020"]);
    }

    #[test]
    fn extreme_ranges_have_ticks_and_positions() {
        for (low, high) in [(-1.7e308, 1.7e308), (5.0, 5.0), (0.0, 0.0), (f64::NAN, f64::INFINITY)]
        {
            let scale = Scale::new((low, high), (10.0, 110.0));
            for x in [low, high, 0.0, -1e308, 1e308, f64::NAN] {
                assert!((10.0..=110.0).contains(&scale.at(x)), "{x} in {low}..{high}");
            }
            assert!((1..=60).contains(&scale.ticks(5).len()));
        }
        assert_eq!(Scale::new((-1.7e308, 1.7e308), (0.0, 100.0)).at(0.0), 50.0);
    }
}
