//! The categories of a split as bars in the order of their class shares, with their errors and the
//! cut.

use super::card::Cards;
use crate::axis::Scale;
use crate::categories::{Categories, CategoryBar};
use crate::geometry::{Rect, at};
use crate::number::count;
use crate::palette::{FINE_ZONE, GREY, INK, PAPER};
use crate::svg::{Anchor, Drawing, Shape, short};
use crate::text::{Font, fitted, width};

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
