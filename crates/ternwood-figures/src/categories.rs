//! The categories of a split, as figures show them.

use crate::classes::Classes;
use crate::palette::MIXED;
use ternwood::Model;
use ternwood::dataset::one_line;
use ternwood::tree::{CategoryCut, CategoryPlace, Side, Split};

/// The categories of a split in ascending order of their place along the axis of the cut.
#[derive(Debug, Clone)]
pub(crate) struct Categories {
    pub(crate) bars: Vec<CategoryBar>,
    /// The place of the cut along the axis.
    pub(crate) cut: f64,
    /// The cut in percent.
    pub(crate) percent: String,
    /// What a percentage means: "ill", or "of the way from setosa to virginica".
    pub(crate) axis: String,
    /// The names of the classes at both ends of the axis, if it lies between two.
    pub(crate) ends: Option<(String, String)>,
    /// The colour of the class whose share it is; neutral between two classes.
    pub(crate) colour: &'static str,
}

/// One category.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CategoryBar {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) rows: u32,
    /// Its place along the axis, and the standard error of the place; 0 if it has no zone.
    pub(crate) share: f64,
    pub(crate) error: f64,
    /// How far its zone reaches to both sides: a number of standard errors.
    pub(crate) reach: f64,
    pub(crate) on_left: bool,
    pub(crate) unsure: bool,
    /// Its place and its standard error in percent; no error where it has no zone.
    pub(crate) percents: (String, Option<String>),
}

impl Categories {
    /// The categories of a split; `None` if it tests something else.
    pub(crate) fn of(model: &Model, classes: &Classes, split: &Split) -> Option<Self> {
        let cut = split.test.categories()?;
        let names = model.schema().features()[split.test.feature().index()].kind.names();
        let bar = |place: &CategoryPlace| {
            let id = place.category;
            let name = names.get(id as usize).map_or_else(|| id.to_string(), Clone::clone);
            let unsure = split.test.side(id.into()) == Side::Within;
            CategoryBar { unsure, ..CategoryBar::new(cut, place, one_line(&name).into_owned()) }
        };
        let mut bars: Vec<CategoryBar> = cut.places().iter().map(bar).collect();
        let rarer_first = |bar: &CategoryBar| (bar.rows, bar.id);
        bars.sort_by(|a, b| {
            a.share.total_cmp(&b.share).then_with(|| rarer_first(a).cmp(&rarer_first(b)))
        });
        let name = |class: u32| one_line(classes.name(class as usize)).into_owned();
        let (ends, colour) = match cut.axis().classes_at_ends() {
            (None, class) => (None, classes.colour(class as usize)),
            (Some(low), high) => (Some((name(low), name(high))), MIXED),
        };
        Some(Self {
            bars,
            cut: cut.axis().along(cut.threshold()),
            percent: cut.percent(),
            axis: cut.axis().describe(model.schema()),
            ends,
            colour,
        })
    }

    /// All of them; if there are more than `most`, so many at equal distances in the order.
    pub(crate) fn spread(&self, most: usize) -> Vec<&CategoryBar> {
        let n = self.bars.len();
        let shown = n.min(most.max(1));
        (0..shown).map(|index| &self.bars[index * n / shown]).collect()
    }

    /// The `most` with the most rows, in the same order.
    pub(crate) fn largest(&self, most: usize) -> Vec<&CategoryBar> {
        let mut ranked: Vec<usize> = (0..self.bars.len()).collect();
        ranked.sort_by_key(|&index| (std::cmp::Reverse(self.bars[index].rows), index));
        ranked.truncate(most);
        ranked.sort_unstable();
        ranked.into_iter().map(|index| &self.bars[index]).collect()
    }

    /// The upper end of an axis from 0 on which all places and the cut can be seen.
    pub(crate) fn top(&self) -> f64 {
        let highest = self.bars.iter().map(|bar| bar.share).fold(self.cut, f64::max);
        if highest > 0.0 { (1.15 * highest).min(highest.max(1.0)) } else { 1.0 }
    }
}

impl CategoryBar {
    fn new(cut: &CategoryCut, place: &CategoryPlace, name: String) -> Self {
        let zone = cut.zone_along(place);
        let [percent, _, error] = cut.percents(place);
        let has_error = zone.half_width() > 0.0;
        Self {
            id: place.category,
            name,
            rows: place.rows,
            share: cut.axis().along(place.position),
            error: if has_error { cut.standard_error_along(place) } else { 0.0 },
            reach: zone.half_width(),
            on_left: place.position <= cut.threshold(),
            unsure: false,
            percents: (percent, has_error.then_some(error)),
        }
    }

    /// One standard error below its place and above.
    pub(crate) fn ends_of_error(&self) -> (f64, f64) {
        (self.share - self.error, self.share + self.error)
    }

    /// The ends of its zone.
    pub(crate) fn ends_of_zone(&self) -> (f64, f64) {
        (self.share - self.reach, self.share + self.reach)
    }

    /// Its place and its standard error: "33 % ± 24 %".
    pub(crate) fn percent_text(&self) -> String {
        match &self.percents {
            (percent, Some(error)) => format!("{percent} % ± {error} %"),
            (percent, None) => format!("{percent} %"),
        }
    }
}
