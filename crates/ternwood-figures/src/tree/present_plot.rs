//! A split that asks whether there is a value: the classes of the rows that have one, and of those
//! that have none.

use super::card::Cards;
use crate::geometry::{Rect, at};
use crate::palette::GREY;
use crate::svg::{Anchor, Drawing};
use crate::text::{Font, width};
use ternwood::tree::Split;

const LABEL: Font = Font::plain(8.5, GREY);

impl Cards<'_> {
    pub(super) fn present_or_missing(&self, drawing: &mut Drawing, area: Rect, split: &Split) {
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
