//! A split of categories in detail: the rows, class share and error of each, and the cut.

use crate::categories::{Categories, CategoryBar};
use crate::classes::{Classes, Legend, Swatch};
use crate::drawn_rows::DrawnRows;
use crate::palette::{self, GREY, GRID, HEADING, INK, NOTE, PAPER, RULE, SUBTITLE, TITLE, ZONE};
use crate::plot::Frame;
use crate::svg::{Anchor, Drawing, Point, Rect, Shape, at, short};
use crate::text::{Font, first_fitting, fitted};
use crate::tree::{ValuesAtSplit, values_at, within_a_zone};
use crate::words::{count, significant};
use crate::zone::{MARGIN, ZoneFigure};
use std::collections::BTreeMap;
use ternwood::model::SingleTree;
use ternwood::tree::{NodeId, Split};

/// The most categories shown: those with the most rows.
const MOST: usize = 40;

const NAMES: f64 = 160.0;
const ROWS: f64 = 62.0;
const CLASSES: f64 = 92.0;
const PLOT: f64 = 390.0;
const PERCENTS: f64 = 118.0;
const ROW: f64 = 20.0;
const BAR: f64 = 11.0;
const GROUP: f64 = 30.0;

/// Draws the figure and returns its size.
pub(super) fn draw(
    drawing: &mut Drawing,
    model: SingleTree<'_>,
    data: &DrawnRows<'_>,
    (node, split): (NodeId, &Split),
    categories: &Categories,
    options: &ZoneFigure,
) -> (f64, f64) {
    let classes = Classes::of(&model);
    let values = values_at(model.tree(), data, node, &classes);
    // With two classes the bars show the shares already.
    let shares = (classes.n_slots() > 2).then(|| shares_by_category(&values, classes.n_slots()));
    let left = MARGIN + NAMES + ROWS + if shares.is_some() { CLASSES } else { 0.0 };
    let width = left + PLOT + PERCENTS + MARGIN;
    let shown = categories.largest(MOST);
    let mut figure = Figure { model, node, split, categories, classes, values, width };
    let top = figure.header(drawing, options);

    let groups = [true, false].map(|on_left| Group::new(categories, &shown, on_left));
    let height: f64 = groups.iter().map(Group::height).sum();
    let reach = categories.bars.iter().map(|bar| bar.share + bar.error).fold(0.0, f64::max);
    let end = 100.0 * reach.min(1.0).max(categories.top());
    let area = Rect::new(left, top, PLOT, height);
    let frame = Frame::new(area, (0.0, end), (0.0, 1.0));
    frame.vertical_grid(drawing);
    let mut y = top;
    for group in &groups {
        y = group.draw(drawing, &mut figure, shares.as_ref(), &frame, y);
    }
    let x = frame.x.at(100.0 * categories.cut);
    let line = Shape::line(at(x, area.y), at(x, area.bottom()));
    drawing.add(&line.stroke(INK, 1.3).set("class", "cut"));
    frame.baseline(drawing);
    frame.x_axis(drawing, &format!("% {}", categories.axis));
    (width, y + 56.0)
}

/// The rows of the data by category and class slot.
fn shares_by_category(values: &ValuesAtSplit, n_slots: usize) -> BTreeMap<u32, Vec<f64>> {
    let mut rows: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for &(value, slot, n) in &values.present {
        rows.entry(value as u32).or_insert_with(|| vec![0.0; n_slots])[slot] += f64::from(n);
    }
    rows
}

struct Figure<'a> {
    model: SingleTree<'a>,
    node: NodeId,
    split: &'a Split,
    categories: &'a Categories,
    classes: Classes,
    values: ValuesAtSplit,
    width: f64,
}

impl Figure<'_> {
    /// Title, subtitle and legend. Returns where the categories begin.
    fn header(&self, drawing: &mut Drawing, options: &ZoneFigure) -> f64 {
        let room = self.width - 2.0 * MARGIN;
        let Categories { percent, axis, .. } = self.categories;
        let name = &self.model.schema().features()[self.split.test.feature().index()].name;
        let title = options.title.clone().unwrap_or_else(|| {
            format!("{}: cut at {percent} % {axis}", fitted(name, TITLE, room / 2.0))
        });
        let mut y = MARGIN + 0.8 * TITLE.size;
        drawing.text(at(MARGIN, y), &fitted(&title, TITLE, room), TITLE, Anchor::Start);
        y += 18.0;
        let facts = self.facts().join(" · ");
        drawing.text(at(MARGIN, y), &fitted(&facts, SUBTITLE, room), SUBTITLE, Anchor::Start);
        y += 12.0;
        let mut legend = Legend::new(self.classes.legend()).with(Swatch::Threshold, "cut");
        if self.split.test.has_zone() {
            legend = legend.with(Swatch::Error, "± standard error of a category");
            legend = legend.with(Swatch::Zone, within_a_zone(self.model));
        }
        legend.draw(drawing, at(MARGIN, y), room);
        y + legend.height(room) + 14.0
    }

    fn facts(&self) -> Vec<String> {
        let tree = self.model.tree();
        let mut facts = vec![format!("{} rows", count(tree.rows(self.node).into()))];
        if let Some(cut) = self.split.test.categories()
            && self.split.test.has_zone()
        {
            let unsure = count(tree.rows_within(self.node).into());
            let errors = significant(cut.error(), 3);
            facts.push(format!("{unsure} of them within {errors} standard errors of the cut"));
        }
        let missing = self.split.test.describe_missing();
        if self.values.missing > 0 {
            facts.push(format!("{} of the data without a value", count(self.values.missing)));
        }
        facts.extend(missing.map(str::to_owned));
        facts
    }
}

/// The categories on one side of the cut.
struct Group<'a> {
    on_left: bool,
    all: Vec<&'a CategoryBar>,
    shown: Vec<&'a CategoryBar>,
}

impl<'a> Group<'a> {
    fn new(categories: &'a Categories, shown: &[&'a CategoryBar], on_left: bool) -> Self {
        let of_side = |bar: &&CategoryBar| bar.on_left == on_left;
        let all = categories.bars.iter().filter(of_side).collect();
        Self { on_left, all, shown: shown.iter().copied().filter(of_side).collect() }
    }

    fn height(&self) -> f64 {
        let lines = self.shown.len() + usize::from(self.left_out().is_some());
        GROUP + ROW * lines as f64
    }

    /// What is not shown.
    fn left_out(&self) -> Option<String> {
        let n = self.all.len() - self.shown.len();
        let unsure = |bars: &[&CategoryBar]| bars.iter().filter(|bar| bar.unsure).count();
        let unsure = unsure(&self.all) - unsure(&self.shown);
        match (n, unsure) {
            (0, _) => None,
            (n, 0) => Some(format!("and {n} more, none unsure")),
            (n, unsure) => Some(format!("and {n} more, {unsure} unsure")),
        }
    }

    /// Draws the group below `y` and returns where it ends.
    fn draw(
        &self,
        drawing: &mut Drawing,
        figure: &mut Figure<'_>,
        shares: Option<&BTreeMap<u32, Vec<f64>>>,
        frame: &Frame,
        y: f64,
    ) -> f64 {
        let rows: u64 = self.all.iter().map(|bar| u64::from(bar.rows)).sum();
        let side = if self.on_left { "Left" } else { "Right" };
        let categories = match self.all.len() {
            1 => "1 category".to_owned(),
            n => format!("{} categories", count(n as u64)),
        };
        let phrasings = [
            format!("{side} · {categories} · {} rows", count(rows)),
            format!("{side} · {categories}"),
        ];
        let heading = first_fitting(&phrasings, HEADING, frame.area.x - MARGIN - 8.0);
        drawing.text(at(MARGIN, y + 19.0), &heading, HEADING, Anchor::Start);
        if !self.on_left {
            let rule = Shape::line(at(MARGIN, y + 3.0), at(figure.width - MARGIN, y + 3.0));
            drawing.add(&rule.stroke(RULE, 1.0));
        }
        let mut y = y + GROUP;
        for bar in &self.shown {
            let own = shares.map(|shares| shares.get(&bar.id).map_or(&[][..], Vec::as_slice));
            draw_one(drawing, figure.categories, bar, own, frame, y);
            y += ROW;
        }
        self.note(drawing, y)
    }

    fn note(&self, drawing: &mut Drawing, y: f64) -> f64 {
        let Some(words) = self.left_out() else { return y };
        let font = Font::italic(NOTE.size, GREY);
        let words = fitted(&words, font, NAMES + ROWS - 8.0);
        drawing.text(at(MARGIN, y + 14.0), &words, font, Anchor::Start);
        y + ROW
    }
}

fn draw_one(
    drawing: &mut Drawing,
    categories: &Categories,
    bar: &CategoryBar,
    classes: Option<&[f64]>,
    frame: &Frame,
    y: f64,
) {
    let (area, middle) = (frame.area, y + ROW / 2.0);
    let font = if bar.unsure { Font::bold(11.0, INK) } else { Font::plain(11.0, INK) };
    let of_error = if bar.error > 0.0 { " (standard error)" } else { "" };
    let words = format!("{}\n{} rows, {}{of_error}", bar.name, bar.rows, bar.percent_text());
    drawing.open("category", &words);
    let name = fitted(&bar.name, font, NAMES - 6.0);
    drawing.text(at(MARGIN, middle + 4.0), &name, font, Anchor::Start);
    let rows = at(MARGIN + NAMES + ROWS - 14.0, middle + 4.0);
    drawing.text(rows, &count(bar.rows.into()), NOTE, Anchor::End);
    if let Some(classes) = classes {
        let place = at(area.x - CLASSES, middle - BAR / 2.0);
        stacked(drawing, classes, place);
    }
    let lane = Shape::line(at(area.x, middle), at(area.right(), middle));
    drawing.add(&lane.stroke(GRID, 1.0));
    let x = |share: f64| frame.x.at(100.0 * share);
    let lane = (middle - BAR / 2.0, middle + BAR / 2.0);
    let shape = Rect::between(x(0.0), x(bar.share), lane);
    drawing.add(&Shape::rect(shape).fill(categories.colour));
    if bar.unsure {
        let (low, high) = bar.ends_of_zone();
        let (low, high) = (x(low), x(high));
        let band = Rect::between(low, high, lane);
        drawing.add(&Shape::rect(band).fill(PAPER).opacity(0.55));
        drawing.hatch(band, ZONE);
    }
    if bar.error > 0.0 {
        let (low, high) = bar.ends_of_error();
        let (low, high) = (x(low), x(high));
        let mut path = format!("M{} {}H{}", short(low), short(middle), short(high));
        for end in [low, high] {
            path.push_str(&format!("M{} {}v8", short(end), short(middle - 4.0)));
        }
        drawing.add(&Shape::path(&path).fill("none").stroke(INK, 1.1).set("class", "errors"));
    }
    let font = Font { size: 10.5, ..font };
    let percents = fitted(&bar.percent_text(), font, PERCENTS - 14.0);
    drawing.text(at(area.right() + 14.0, middle + 4.0), &percents, font, Anchor::Start);
    drawing.close();
}

/// The classes of a category's rows as one stacked bar.
fn stacked(drawing: &mut Drawing, rows: &[f64], corner: Point) {
    let total: f64 = rows.iter().sum();
    let mut x = corner.x;
    for (slot, n) in rows.iter().enumerate().filter(|(_, n)| **n > 0.0) {
        let w = (CLASSES - 20.0) * n / total;
        let part = Rect::new(x, corner.y, w, BAR);
        drawing.add(&Shape::rect(part).fill(palette::class(slot)));
        x += w;
    }
}
