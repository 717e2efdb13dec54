//! Why a forest is unsure of a row: its trees by verdict, and the undecided ones by feature.

use crate::palette::{self, ENTRY, GRID, HEADING, MIXED, NOTE, PAPER, SUBTITLE, TICK, TITLE, ZONE};
use crate::svg::{Anchor, Drawing, Rect, Shape, at};
use crate::text::{fitted, width};
use ternwood::dataset::one_line;
use ternwood::model::ExplainedForestRow;

/// Options for a figure of a forest's undecided trees.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UnsureTreesFigure {
    /// A line above the figure, such as the row.
    pub title: Option<String>,
}

const MARGIN: f64 = 24.0;
const NAMES: f64 = 150.0;
const BARS: f64 = 260.0;
const WORDS: f64 = 250.0;
const GAP: f64 = 12.0;
const LINE: f64 = 26.0;
const BAR: f64 = 14.0;
/// The most features that are drawn.
const MOST: usize = 15;

/// Draws for one row how many trees are decided for each class, how many are undecided, and the features by how
/// many trees they make undecided.
#[must_use]
pub fn unsure_trees_svg(row: &ExplainedForestRow<'_>, options: &UnsureTreesFigure) -> String {
    let (drawing, size) = draw(row, options);
    drawing.finish(size, options.title.as_deref().unwrap_or("Undecided trees"))
}

pub(crate) fn draw(
    row: &ExplainedForestRow<'_>,
    options: &UnsureTreesFigure,
) -> (Drawing, (f64, f64)) {
    let mut drawing = Drawing::default();
    let full = MARGIN + NAMES + GAP + BARS + GAP + WORDS + MARGIN;
    let room = full - 2.0 * MARGIN;
    let mut y = MARGIN;
    let answer = row.answer();
    for (words, font) in [(options.title.as_ref(), TITLE), (Some(&answer), SUBTITLE)] {
        if let Some(words) = words {
            y += 0.8 * font.size;
            drawing.text(at(MARGIN, y), &fitted(words, font, room), font, Anchor::Start);
            y += 9.0;
        }
    }
    y = trees(&mut drawing, row, y + 14.0, room);
    y = features(&mut drawing, row, y + 26.0);
    (drawing, (full, y + MARGIN))
}

/// One bar of all trees: those decided for each class, then the undecided ones, hatched.
fn trees(drawing: &mut Drawing, row: &ExplainedForestRow<'_>, y: f64, room: f64) -> f64 {
    let undecided = row.undecided_trees();
    let heading = match undecided {
        1 => format!("1 of {} trees is undecided", row.n_trees()),
        _ => format!("{undecided} of {} trees are undecided", row.n_trees()),
    };
    drawing.text(at(MARGIN, y + 8.0), &heading, HEADING, Anchor::Start);
    let (top, per_tree) = (y + 18.0, room / row.n_trees() as f64);
    let mut x = MARGIN;
    let classes = row.model().schema().classes();
    let decided =
        row.decided_trees().iter().zip(classes).enumerate().map(|(id, (&trees, class))| {
            (
                trees,
                palette::class(id),
                format!("{trees} decided for {}", one_line(&class.to_string())),
            )
        });
    let parts = decided.chain([(undecided, PAPER, format!("{undecided} undecided"))]);
    for (index, (trees, colour, words)) in parts.enumerate() {
        if trees == 0 {
            continue;
        }
        let area = Rect::new(x, top, per_tree * trees as f64, 20.0);
        drawing.add(&Shape::rect(area).fill(colour).stroke(MIXED, 0.8));
        if index == classes.len() {
            drawing.hatch(area, ZONE);
        }
        if width(&words, NOTE) <= area.w {
            drawing.text(at(area.center_x(), top + 33.0), &words, NOTE, Anchor::Middle);
        }
        x += area.w;
    }
    top + 38.0
}

/// A bar for every feature, as long as it makes trees undecided.
fn features(drawing: &mut Drawing, row: &ExplainedForestRow<'_>, y: f64) -> f64 {
    let reasons = row.reasons();
    let Some(most) = reasons.first().map(|reason| reason.trees) else { return y };
    drawing.text(at(MARGIN, y), "undecided because of", HEADING, Anchor::Start);
    let (left, top) = (MARGIN + NAMES + GAP, y + 12.0);
    let shown = &reasons[..reasons.len().min(MOST)];
    let bottom = top + LINE * shown.len() as f64;
    drawing.add(&Shape::line(at(left, top), at(left, bottom)).stroke(GRID, 1.0));
    for (index, reason) in shown.iter().enumerate() {
        let middle = top + LINE * (index as f64 + 0.5);
        let named = fitted(&row.named(reason), ENTRY, NAMES);
        drawing.text(at(left - GAP, middle + 4.0), &named, ENTRY, Anchor::End);
        // The number stands behind the longest bar.
        let length = (BARS - 30.0) * reason.trees as f64 / most as f64;
        let area = Rect::new(left, middle - BAR / 2.0, length, BAR);
        drawing.add(&Shape::rect(area).fill(PAPER).stroke(MIXED, 0.8));
        drawing.hatch(area, ZONE);
        let number = reason.trees.to_string();
        drawing.text(at(area.right() + 6.0, middle + 3.5), &number, TICK, Anchor::Start);
        let words = row.effect_in_brief(reason).unwrap_or_default();
        let words = fitted(&words, NOTE, WORDS);
        drawing.text(at(left + BARS + GAP, middle + 4.0), &words, NOTE, Anchor::Start);
    }
    let more = reasons.len() - shown.len();
    if more > 0 {
        let words = match more {
            1 => "and 1 more feature, of fewer trees".to_owned(),
            _ => format!("and {more} more features, of fewer trees"),
        };
        drawing.text(at(left, bottom + 14.0), &words, NOTE, Anchor::Start);
        return bottom + 16.0;
    }
    bottom
}
