//! The classes in figures: names, colours and legend.

use crate::palette::{self, ENTRY, FINE_ZONE, FLOW, INK, LOOK, NAMED, tint};
use crate::svg::{Anchor, Drawing, Point, Rect, Shape, at};
use crate::text;
use ternwood::tree::NodeId;
use ternwood::{Model, Schema};

/// The colour *slot* of each class. With many classes, the largest get one each and the rest share
/// the last.
#[derive(Debug, Clone)]
pub(crate) struct Classes {
    names: Vec<String>,
    slots: Vec<usize>,
}

impl Classes {
    /// The classes of a model, ranked by their training rows if there are many.
    pub(crate) fn of(model: &Model) -> Self {
        let names = class_names(model.schema());
        let rows = |class: usize| -> u64 {
            model.trees().iter().map(|tree| u64::from(tree.class_rows(NodeId::ROOT)[class])).sum()
        };
        let mut slots: Vec<usize> = (0..names.len()).collect();
        if names.len() > NAMED {
            let mut ranked = slots.clone();
            ranked.sort_by_cached_key(|&class| (std::cmp::Reverse(rows(class)), class));
            // The named classes keep the model's order.
            ranked.truncate(NAMED);
            ranked.sort_unstable();
            slots.fill(NAMED);
            for (slot, class) in ranked.into_iter().enumerate() {
                slots[class] = slot;
            }
        }
        Self { names, slots }
    }

    pub(crate) fn name(&self, class: usize) -> &str {
        &self.names[class]
    }

    /// The colour slot of a class.
    pub(crate) fn slot(&self, class: usize) -> usize {
        self.slots[class]
    }

    /// The number of slots.
    pub(crate) fn n_slots(&self) -> usize {
        self.names.len().min(NAMED + 1)
    }

    pub(crate) fn colour(&self, class: usize) -> &'static str {
        palette::class(self.slots[class])
    }

    /// The legend entry of each slot.
    pub(crate) fn legend(&self) -> Vec<(String, &'static str)> {
        let mut entries: Vec<(String, &'static str)> = (0..self.names.len())
            .filter(|&class| self.slots[class] < NAMED)
            .map(|class| (self.names[class].clone(), self.colour(class)))
            .collect();
        let others = self.names.len().saturating_sub(NAMED);
        if others > 0 {
            entries.push((format!("{others} others"), palette::OTHERS));
        }
        entries
    }

    /// Sums per slot of numbers per class.
    pub(crate) fn by_slot(&self, per_class: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.n_slots()];
        for (&number, &slot) in per_class.iter().zip(&self.slots) {
            sums[slot] += number;
        }
        sums
    }
}

/// The colour of every class of a model, as in its figures.
#[must_use]
pub fn class_colours(model: &Model) -> Vec<&'static str> {
    let classes = Classes::of(model);
    (0..classes.names.len()).map(|class| classes.colour(class)).collect()
}

/// The class names, as printed.
pub(crate) fn class_names(schema: &Schema) -> Vec<String> {
    schema.classes().iter().map(ToString::to_string).collect()
}

// The legend of a figure: swatches and labels, on as many lines as needed.

/// The symbol before the label of an entry.
#[derive(Debug, Clone)]
pub(crate) enum Swatch {
    Colour(&'static str),
    Zone,
    Threshold,
    Cut,
    Error,
    Dashed,
    Look,
}

#[derive(Debug, Clone)]
pub(crate) struct Legend {
    entries: Vec<(Swatch, String)>,
}

const LINE: f64 = 18.0;
const SIDE: f64 = 11.0;
const LABEL_OFFSET: f64 = 16.0;
const ENTRY_GAP: f64 = 16.0;
const MAX_NAME_WIDTH: f64 = 160.0;

impl Legend {
    pub(crate) fn new(classes: Vec<(String, &'static str)>) -> Self {
        let entry = |(name, colour): (String, _)| {
            (Swatch::Colour(colour), text::fitted(&name, ENTRY, MAX_NAME_WIDTH))
        };
        Self { entries: classes.into_iter().map(entry).collect() }
    }

    pub(crate) fn with(mut self, swatch: Swatch, words: &str) -> Self {
        self.entries.push((swatch, words.to_owned()));
        self
    }

    /// The width of all entries on one line.
    pub(crate) fn width(&self) -> f64 {
        self.entries.iter().map(|(_, words)| entry_width(words)).sum::<f64>() - ENTRY_GAP
    }

    /// The position of each entry relative to `(0, 0)`, and the total height.
    fn places(&self, room: f64) -> (Vec<Point>, f64) {
        let mut place = at(0.0, 0.0);
        let mut places = Vec::with_capacity(self.entries.len());
        for (_, words) in &self.entries {
            let width = entry_width(words);
            if place.x > 0.0 && place.x + width - ENTRY_GAP > room {
                place = at(0.0, place.y + LINE);
            }
            places.push(place);
            place.x += width;
        }
        (places, place.y + LINE)
    }

    pub(crate) fn height(&self, room: f64) -> f64 {
        self.places(room).1
    }

    /// Draws the entries below and to the right of `corner`.
    pub(crate) fn draw(&self, drawing: &mut Drawing, corner: Point, room: f64) {
        let (places, _) = self.places(room);
        for ((swatch, words), place) in self.entries.iter().zip(places) {
            let (x, y) = (corner.x + place.x, corner.y + place.y);
            draw_swatch(drawing, swatch, Rect::new(x, y, SIDE, SIDE));
            drawing.text(at(x + LABEL_OFFSET, y + SIDE - 1.5), words, ENTRY, Anchor::Start);
        }
    }
}

fn entry_width(words: &str) -> f64 {
    LABEL_OFFSET + text::width(words, ENTRY) + ENTRY_GAP
}

fn draw_swatch(drawing: &mut Drawing, swatch: &Swatch, square: Rect) {
    match swatch {
        Swatch::Colour(colour) => drawing.add(&Shape::rect(square).fill(colour).rounded(2.0)),
        Swatch::Zone => {
            drawing.add(&Shape::rect(square).fill(&tint(INK, 0.08)));
            drawing.hatch(square, FINE_ZONE);
        }
        Swatch::Threshold => {
            let x = square.center_x();
            drawing.add(&Shape::line(at(x, square.y), at(x, square.bottom())).stroke(INK, 1.5));
        }
        Swatch::Cut => {
            let y = square.center_y();
            drawing.add(&Shape::line(at(square.x, y), at(square.right(), y)).stroke(INK, 1.5));
        }
        Swatch::Error => {
            let (x, half) = (square.center_x(), 2.5);
            let ends = [square.y, square.bottom()].map(|y| (at(x - half, y), at(x + half, y)));
            let line = (at(x, square.y), at(x, square.bottom()));
            for (from, to) in ends.into_iter().chain([line]) {
                drawing.add(&Shape::line(from, to).stroke(INK, 1.0));
            }
        }
        Swatch::Look => {
            let outline = Shape::rect(square).rounded(2.0).fill("none");
            drawing.add(&outline.stroke(LOOK, 1.4));
        }
        Swatch::Dashed => {
            let y = square.center_y();
            let line = Shape::line(at(square.x, y), at(square.right(), y)).stroke(FLOW, 5.0);
            drawing.add(&line.dashed("3 1.5"));
        }
    }
}
