//! Drawing of a node: a split with its plot and words, a leaf with its distribution.

use crate::categories::{Categories, CategoryBar};
use crate::classes::Classes;
use crate::histogram::{Counted, Histogram, Shown};
use crate::palette::{self, FINE_ZONE, GREY, INK, LOOK, NAMED, PAPER, RULE, tint};
use crate::plot::Scale;
use crate::svg::{Anchor, Drawing, Rect, Shape, at, short};
use crate::text::{Font, first_fitting, fitted, shrunk, width};
use crate::tree::Style;
use crate::tree::layout::{Drawn, Kind, ValuesAtSplit};
use crate::tree::words::{cut_words, row_phrasings};
use crate::words::{count, percent, shown_value};
use ternwood::dataset::one_line;
use ternwood::model::SingleTree;
use ternwood::recipe::MissingValues;
use ternwood::tree::{Cut, Missing, NodeId, Side, Split, Zone};
use ternwood::words::ShownTest;
use ternwood::{Verdict, VerdictPolicy};

/// Draws the nodes of one model.
pub(super) struct Cards<'a> {
    pub(super) model: SingleTree<'a>,
    pub(super) classes: &'a Classes,
    pub(super) style: Style,
}

impl Cards<'_> {
    /// Draws a split. `values` are those of the rows that reach it, if data was given.
    pub(super) fn split(
        &self,
        drawing: &mut Drawing,
        id: NodeId,
        area: Rect,
        values: Option<&ValuesAtSplit>,
    ) {
        let (style, schema) = (&self.style, self.model.schema());
        let Some(split) = self.model.tree().node(id).as_split() else { return };
        let categories = Categories::of(&self.model, self.classes, split);
        let cut = cut_words(self.model, (id, split), categories.as_ref());
        drawing.open_node("split", id, &self.split_tooltip(id, split, &cut.full));
        let card = Shape::rect(area).rounded(6.0).fill(PAPER);
        drawing.add(&card.stroke(RULE, 1.0));
        let inner = Rect::new(area.x + style.pad, area.y, area.w - 2.0 * style.pad, area.h);
        let mut y = area.y + style.pad + 0.8 * style.name;
        let name = &schema.features()[split.test.feature().index()].name;
        let title = fitted(name, style.name_font(), inner.w);
        drawing.text(at(inner.x, y), &title, style.name_font(), Anchor::Start);
        y += style.below_name();
        let plot = style.plot(&split.test);
        if let Some(height) = plot {
            let area = Rect::new(inner.x, y, inner.w, height);
            match (split.test.zone(), &categories, values) {
                (Some(zone), _, Some(values)) => {
                    let test =
                        ShownTest { test: &split.test, digits: self.model.tree().digits(id) };
                    self.histogram(drawing, test, zone, area, &values.present);
                }
                (_, Some(categories), _) => self.categories(drawing, area, categories),
                _ => self.present_or_missing(drawing, area, split),
            }
            y += height + style.range;
        } else {
            self.bar(drawing, id, Rect::new(inner.x, y, inner.w, style.bar));
            y += style.bar;
        }
        y += 1.3 * style.name;
        let marked = split.test.has_zone() && plot.is_none();
        let room = if marked { inner.w - style.name } else { inner.w };
        let longest = cut.phrasings.first().map_or("", String::as_str);
        let font = shrunk(longest, style.zone_font(), room);
        let words = first_fitting(&cut.phrasings, font, room);
        drawing.text(at(inner.x, y), &words, font, Anchor::Start);
        if marked {
            // Without a plot, a hatched square marks a split that has a zone.
            let side = 0.75 * style.name;
            drawing.hatch(Rect::new(inner.right() - side, y - side, side, side), FINE_ZONE);
        }
        y += 1.4 * style.small;
        let missing = values.map_or(0, |values| values.missing);
        let words = row_phrasings(self.model, id, split, missing);
        let words = first_fitting(&words, style.small_font(), inner.w);
        drawing.text(at(inner.x, y), &words, style.small_font(), Anchor::Start);
        drawing.close();
    }

    fn histogram(
        &self,
        drawing: &mut Drawing,
        test: ShownTest<'_>,
        zone: Zone,
        area: Rect,
        values: &[Counted],
    ) {
        let shown = Shown::of(values, zone);
        let (n_slots, n_bars) = (self.classes.n_slots(), self.n_bars(values.len()));
        let histogram = Histogram::new(values, n_slots, zone.threshold(), shown, n_bars);
        let across = histogram.scale((area.x, area.right()));
        let unit = area.h * 0.94 / histogram.tallest() as f64;
        for slot in 0..n_slots {
            let mut bars = String::new();
            for bar in &histogram.bars {
                let below: u64 = bar.counts[..slot].iter().sum();
                let height = bar.counts[slot] as f64 * unit;
                if height > 0.0 {
                    let (left, right) = (across.at(bar.from), across.at(bar.to));
                    let gap = if right - left > 4.0 { 0.8 } else { 0.0 };
                    let bottom = area.bottom() - below as f64 * unit;
                    bars.push_str(&format!(
                        "M{} {}h{}v{}h{}z",
                        short(left + gap / 2.0),
                        short(bottom),
                        short(right - left - gap),
                        short(-height),
                        short(left + gap - right)
                    ));
                }
            }
            if !bars.is_empty() {
                drawing.add(&Shape::path(&bars).fill(palette::class(slot)));
            }
        }
        let foot = Shape::line(at(area.x, area.bottom()), at(area.right(), area.bottom()));
        drawing.add(&foot.stroke(GREY, 0.8));
        if zone.half_width() > 0.0 {
            let (left, right) = (across.at(zone.lower()), across.at(zone.upper()));
            let widen = (1.5 - (right - left)).max(0.0) / 2.0;
            let band = Rect::between(left - widen, right + widen, (area.y, area.bottom()));
            drawing.add(&Shape::rect(band).fill(PAPER).opacity(0.55));
            drawing.hatch(band, FINE_ZONE);
        }
        let x = across.at(zone.threshold());
        let line = Shape::line(at(x, area.y - 2.0), at(x, area.bottom() + 2.5));
        drawing.add(&line.stroke(INK, 1.4));
        if self.style.range > 0.0 {
            self.range(drawing, test, shown, area);
        }
    }

    /// Fewer bars for fewer rows.
    fn n_bars(&self, rows: usize) -> usize {
        let enough = (2.0 * (rows as f64).sqrt()) as usize;
        enough.clamp(8, self.style.max_bars.max(8))
    }

    /// The lowest and the highest value, below the ends of the histogram, marked if the bar at that
    /// end includes values from further out.
    fn range(&self, drawing: &mut Drawing, test: ShownTest<'_>, shown: Shown, area: Rect) {
        // Ranks of ordered categories have names.
        let schema = self.model.schema();
        let names = schema.features()[test.test.feature().index()].kind.names();
        let text = |x: f64| match names.get(x.max(0.0) as usize) {
            Some(name) if x >= 0.0 && x.fract() == 0.0 => one_line(name).into_owned(),
            _ => shown_value(test, x, schema),
        };
        let font = Font::plain(8.5, GREY);
        let y = area.bottom() + 10.0;
        let room = area.w / 2.0 - 6.0;
        let sign = |beyond: bool, sign: &'static str| if beyond { sign } else { "" };
        let low = format!("{}{}", sign(shown.beyond.0, "≤ "), text(shown.low));
        let high = format!("{}{}", sign(shown.beyond.1, "≥ "), text(shown.high));
        let (low, high) = (fitted(&low, font, room), fitted(&high, font, room));
        drawing.text(at(area.x, y), &low, font, Anchor::Start);
        drawing.text(at(area.right(), y), &high, font, Anchor::End);
    }

    /// Draws a leaf, or a stub for an omitted subtree.
    pub(super) fn leaf(&self, drawing: &mut Drawing, node: &Drawn, area: Rect) {
        let style = &self.style;
        let Drawn { id, kind, stands_in, .. } = *node;
        let tree = self.model.tree();
        let class = tree.majority_class(id) as usize;
        let kind_of_card = if matches!(kind, Kind::Stub(_)) { "stub" } else { "leaf" };
        drawing.open_node(kind_of_card, id, &self.leaf_tooltip(id, stands_in));
        let card = Shape::rect(area).rounded(6.0);
        let colour = self.classes.colour(class);
        drawing.add(&match kind {
            Kind::Stub(_) => card.fill(PAPER).stroke(RULE, 1.0).dashed("2 3"),
            _ if stands_in => card.fill(PAPER).stroke(&tint(colour, 0.5), 1.0),
            // Translucent, so that it suits a dark page as well.
            _ if self.is_flagged(id) => card.fill(colour).fill_opacity(0.13).stroke(LOOK, 1.4),
            _ => card.fill(colour).fill_opacity(0.13),
        });
        let inner = Rect::new(area.x + style.pad, area.y, area.w - 2.0 * style.pad, area.h);
        let mut y = area.y + style.pad + 0.8 * style.name;
        let title = match kind {
            Kind::Stub(hidden) => first_fitting(
                &[format!("{} more nodes", count(hidden as u64)), format!("{hidden} more")],
                style.name_font(),
                inner.w,
            ),
            _ => self.classes.name(class).to_owned(),
        };
        let font = shrunk(&title, style.name_font(), inner.w);
        drawing.text(at(inner.x, y), &fitted(&title, font, inner.w), font, Anchor::Start);
        y += style.below_name();
        self.bar(drawing, id, Rect::new(inner.x, y, inner.w, style.bar));
        y += style.bar + 1.4 * style.small;
        self.leaf_words(drawing, node, inner, y);
        drawing.close();
    }

    /// True if the policy flags the answer of a leaf, however sure the tests are that lead to it.
    pub(super) fn is_flagged(&self, leaf: NodeId) -> bool {
        let answer = self.model.tree().values(leaf);
        self.model.verdict().judge(answer, Verdict::Decided).1.is_undecided()
    }

    /// The number of rows on the right; the share of the class on the left if there is room.
    fn leaf_words(&self, drawing: &mut Drawing, node: &Drawn, inner: Rect, y: f64) {
        let tree = self.model.tree();
        let font = self.style.small_font();
        if node.stands_in {
            let font = Font::italic(font.size, GREY);
            let words = first_fitting(&["no rows yet", "no rows", "0"], font, inner.w);
            return drawing.text(at(inner.x, y), &words, font, Anchor::Start);
        }
        let rows = count(tree.rows(node.id).into());
        let share = percent(tree.values(node.id)[tree.majority_class(node.id) as usize]);
        let room = inner.w - width(&share, font) - 4.0;
        let phrasings = [format!("n = {rows}"), rows.clone()];
        let words = match phrasings.iter().find(|phrasing| width(phrasing, font) <= room) {
            Some(words) => {
                drawing.text(at(inner.x, y), &share, font, Anchor::Start);
                words.clone()
            }
            None => fitted(&rows, font, inner.w),
        };
        drawing.text(at(inner.right(), y), &words, font, Anchor::End);
    }

    /// The class distribution of a node, as one stacked bar.
    pub(super) fn bar(&self, drawing: &mut Drawing, id: NodeId, area: Rect) {
        let shares = self.classes.by_slot(self.model.tree().values(id));
        let mut x = area.x;
        for (slot, share) in shares.iter().enumerate() {
            let w = area.w * share;
            if w > 0.0 {
                let part = Rect::new(x, area.y, w, area.h);
                drawing.add(&Shape::rect(part).fill(palette::class(slot)));
            }
            x += w;
        }
    }
}

// What a node tells when the mouse is over it.

impl Cards<'_> {
    fn split_tooltip(&self, id: NodeId, split: &Split, cut: &str) -> String {
        let (tree, schema) = (self.model.tree(), self.model.schema());
        let name = &schema.features()[split.test.feature().index()].name;
        let (rows, within) = (tree.rows(id), tree.rows_within(id));
        let mut lines = vec![format!("{name}: {cut}")];
        let three = split.middle.is_some();
        let branch = |side| split.test.describe_branch(side, three, schema);
        match split.test.cut() {
            Cut::Threshold { .. } => lines.push(format!("{rows} rows, {within} in the zone")),
            Cut::Categories(_) => {
                lines.push(format!("left: {}", branch(Side::Below)));
                lines.push(format!("right: {}", branch(Side::Above)));
                let unsure = split.test.describe_unsure(within, schema);
                lines.push(format!("{rows} rows, {}", unsure.as_deref().unwrap_or("0 unsure")));
            }
            Cut::Present => {
                let [present, missing] = [split.left, split.right].map(|child| tree.rows(child));
                lines.push(format!("{rows} rows: {present} present, {missing} missing"));
            }
        }
        lines.extend(self.unknown_lines(split));
        lines.push(self.class_lines(id));
        lines.join("\n")
    }

    /// Where missing values and unseen categories go.
    fn unknown_lines(&self, split: &Split) -> Vec<String> {
        let undecided = match self.model.verdict() {
            VerdictPolicy::Zones { .. } => ", undecided",
            VerdictPolicy::Confidence(_) | VerdictPolicy::Catch(_) | VerdictPolicy::Costs(_) => "",
        };
        let both_ways = match split.middle {
            Some(_) => format!("goes to the middle{undecided}"),
            None => {
                let left = percent(split.test.unknown_left());
                format!("goes both ways{undecided} ({left} left)")
            }
        };
        let refused = self.model.recipe().params.missing == MissingValues::Error;
        let mut lines = Vec::new();
        match (split.test.cut(), split.test.missing()) {
            (Cut::Present, _) => {}
            (_, Missing::Unknown) if refused => {}
            (_, Missing::Unknown) => lines.push(format!("missing {both_ways}")),
            _ => lines.extend(split.test.describe_missing().map(str::to_owned)),
        }
        if split.test.categories().is_some() {
            lines.push(format!("an unknown category {both_ways}"));
        }
        lines
    }

    fn leaf_tooltip(&self, id: NodeId, stands_in: bool) -> String {
        let rows = if stands_in { 0 } else { self.model.tree().rows(id) };
        format!("{rows} rows\n{}", self.class_lines(id))
    }

    fn class_lines(&self, id: NodeId) -> String {
        let shares = self.model.tree().values(id).iter().enumerate();
        let mut shares: Vec<(usize, f64)> = shares.map(|(c, &p)| (c, p)).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        let lines = shares.iter().take(NAMED).filter(|(_, share)| *share > 0.0);
        let lines = lines.map(|&(c, p)| format!("{}: {p:.3}", self.classes.name(c)));
        lines.collect::<Vec<_>>().join("\n")
    }
}

// The categories of a split as bars in the order of their class shares, with their errors and the
// cut.

/// The narrowest room for a bar. If there are too many, some stand for their neighbours.
const NARROWEST: f64 = 1.5;
/// The widest bar.
const WIDEST: f64 = 30.0;
/// Bars with more room have a gap between them, and whiskers.
const ROOMY: f64 = 7.0;
/// The least height of hatching.
const LOWEST: f64 = 7.0;
/// The least room for a name below its bar.
const ROOM_FOR_NAME: f64 = 26.0;

const NAME: Font = Font::plain(8.5, GREY);

impl Cards<'_> {
    pub(super) fn categories(&self, drawing: &mut Drawing, area: Rect, all: &Categories) {
        let bars = all.spread((area.w / NARROWEST) as usize);
        let pitch = area.w / bars.len().max(1) as f64;
        let roomy = pitch > ROOMY;
        let bar_width = (if roomy { pitch - 1.2 } else { pitch }).min(WIDEST);
        let up = Scale::new((0.0, all.top()), (area.bottom(), area.y));
        let column = |index: usize, (low, high): (f64, f64)| {
            let left = area.x + (index as f64 + 0.5) * pitch - bar_width / 2.0;
            Rect::new(left, up.at(high), bar_width, up.at(low) - up.at(high))
        };
        let columns = || bars.iter().enumerate();
        let own = columns().map(|(index, bar)| column(index, (0.0, bar.share)));
        drawing.add(&Shape::path(&rects(own)).fill(all.colour));
        if !roomy && bars.iter().any(|bar| bar.error > 0.0) {
            // Whiskers side by side would be a thicket: errors are shaded.
            let errors = columns().map(|(index, bar)| column(index, bar.ends_of_error()));
            let shade = Shape::path(&rects(errors)).fill(INK).opacity(0.13);
            drawing.add(&shade.set("class", "errors"));
        }
        let unsure = columns().filter(|(_, bar)| bar.unsure);
        let unsure: Vec<Rect> = unsure
            .map(|(index, bar)| {
                column(index, if roomy { bar.ends_of_zone() } else { (0.0, bar.share) })
            })
            .map(|band| at_least(LOWEST, band, area))
            .collect();
        if !unsure.is_empty() {
            let pale = Shape::path(&rects(unsure.iter().copied())).fill(PAPER);
            drawing.add(&pale.opacity(0.55));
            drawing.hatch_all(&unsure, FINE_ZONE);
        }
        if roomy && bars.iter().any(|bar| bar.error > 0.0) {
            let lines: String = columns()
                .map(|(index, bar)| whisker(bar, column(index, bar.ends_of_error()), &up))
                .collect();
            let lines = Shape::path(&lines).fill("none").stroke(INK, 1.0);
            drawing.add(&lines.set("class", "errors"));
        }
        let foot = Shape::line(at(area.x, area.bottom()), at(area.right(), area.bottom()));
        drawing.add(&foot.stroke(GREY, 0.8));
        let y = up.at(all.cut);
        let cut = Shape::line(at(area.x - 2.0, y), at(area.right() + 2.0, y));
        drawing.add(&cut.stroke(INK, 1.4).set("class", "cut"));
        if self.style.range > 0.0 {
            names(drawing, area, all, &bars, pitch);
        }
    }
}

/// The band, made taller if it could be overlooked.
fn at_least(height: f64, band: Rect, area: Rect) -> Rect {
    let add = (height - band.h).max(0.0);
    let y = (band.y - add / 2.0).clamp(area.y, (area.bottom() - band.h - add).max(area.y));
    Rect { y, h: band.h + add, ..band }
}

/// Path data of rectangles.
fn rects(areas: impl Iterator<Item = Rect>) -> String {
    let path = areas.map(|Rect { x, y, w, h }| {
        format!("M{} {}h{}v{}h{}z", short(x), short(y), short(w), short(h), short(-w))
    });
    path.collect()
}

/// A line from the lower to the upper end of the error. Ends that are on the plot have caps.
fn whisker(bar: &CategoryBar, area: Rect, up: &Scale) -> String {
    if bar.error == 0.0 {
        return String::new();
    }
    let x = area.center_x();
    let mut path = format!("M{} {}V{}", short(x), short(area.bottom()), short(area.y));
    let cap = (0.5 * area.w).min(6.0);
    let (low, high) = bar.ends_of_error();
    for (value, y) in [(low, area.bottom()), (high, area.y)] {
        if value >= up.ends().0 && value <= up.ends().1 {
            path.push_str(&format!("M{} {}h{}", short(x - cap / 2.0), short(y), short(cap)));
        }
    }
    path
}

/// Every name below its bar if there is room, else the first and the last.
fn names(drawing: &mut Drawing, area: Rect, all: &Categories, bars: &[&CategoryBar], pitch: f64) {
    let y = area.bottom() + 10.0;
    if pitch >= ROOM_FOR_NAME {
        for (index, bar) in bars.iter().enumerate() {
            let x = area.x + (index as f64 + 0.5) * pitch;
            let name = fitted(&bar.name, NAME, pitch - 4.0);
            drawing.text(at(x, y), &name, NAME, Anchor::Middle);
        }
        return;
    }
    let (Some(first), Some(last)) = (bars.first(), bars.last()) else { return };
    let many = format!("{} categories", count(all.bars.len() as u64));
    let room = (area.w - width(&many, NAME)) / 2.0 - 6.0;
    drawing.text(at(area.x, y), &fitted(&first.name, NAME, room), NAME, Anchor::Start);
    let middle = at(area.center_x(), y);
    drawing.text(middle, &many, Font::italic(8.5, GREY), Anchor::Middle);
    drawing.text(at(area.right(), y), &fitted(&last.name, NAME, room), NAME, Anchor::End);
}

// A split that asks whether there is a value: the classes of the rows that have one, and of those
// that have none.

const LABEL: Font = Font::plain(8.5, GREY);

impl Cards<'_> {
    fn present_or_missing(&self, drawing: &mut Drawing, area: Rect, split: &Split) {
        let lane = area.h / 2.0;
        let indent = width("present", LABEL) + 6.0;
        for (index, (label, child)) in
            [("present", split.left), ("missing", split.right)].into_iter().enumerate()
        {
            let middle = area.y + lane * (index as f64 + 0.5);
            drawing.text(at(area.x, middle + 3.0), label, LABEL, Anchor::Start);
            let height = (0.6 * lane).min(14.0);
            let bar = Rect::new(area.x + indent, middle - height / 2.0, area.w - indent, height);
            self.bar(drawing, child, bar);
        }
    }
}
