//! Drawing of a node: a split with its plot and words, a leaf with its distribution.

use super::rows::ValuesAtSplit;
use super::style::Style;
use super::visible::{Drawn, Kind};
use super::words::{cut_words, row_phrasings};
use crate::categories::Categories;
use crate::classes::Classes;
use crate::geometry::{Rect, at};
use crate::histogram::{Counted, Histogram, Shown};
use crate::number::{count, percent, shown_value};
use crate::palette::{self, FINE_ZONE, GREY, INK, LOOK, PAPER, RULE, tint};
use crate::svg::{Anchor, Drawing, Shape, short};
use crate::text::{Font, first_fitting, fitted, shrunk, width};
use ternwood::Verdict;
use ternwood::dataset::one_line;
use ternwood::model::SingleTree;
use ternwood::tree::{NodeId, Zone};
use ternwood::words::ShownTest;

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
