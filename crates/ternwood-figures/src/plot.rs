//! The frame of a plot: grid, ticks, titles.

use crate::axis::Scale;
use crate::geometry::{Rect, at};
use crate::palette::{GRID, HEADING, NOTE, RULE, TICK};
use crate::svg::{Anchor, Drawing, Shape};
use crate::text::{fitted, width};

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
