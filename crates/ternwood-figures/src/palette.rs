//! Colours that are distinct for colour-blind readers and in greyscale, inks for text and lines,
//! and the hatching of zones.

use crate::svg::Hatch;
use crate::text::Font;

/// Class colours, the most distinct first (after Okabe and Ito).
const CLASSES: [&str; 10] = [
    "#2f6fb0", "#ec8b23", "#1f9b78", "#c2569b", "#62b5e8", "#d8b21a", "#c4462f", "#7a5fb3",
    "#8d6b4b", "#7f8a99",
];

/// The colour shared by all classes beyond the named ones.
pub(crate) const OTHERS: &str = "#c7ccd4";

/// The maximum number of classes that a legend names.
pub(crate) const NAMED: usize = CLASSES.len();

pub(crate) const INK: &str = "#1d2733";
pub(crate) const GREY: &str = "#667080";
pub(crate) const RULE: &str = "#c3cad4";
pub(crate) const GRID: &str = "#e8ebf0";
pub(crate) const FLOW: &str = "#cfd7e2";
/// Outlines of what gets a second look.
pub(crate) const LOOK: &str = "#b36b00";
/// Bars that stand for no single class.
pub(crate) const MIXED: &str = "#9aa6b6";
pub(crate) const PAPER: &str = "#ffffff";

pub(crate) const TITLE: Font = Font::bold(15.0, INK);
pub(crate) const SUBTITLE: Font = Font::plain(11.0, GREY);
pub(crate) const HEADING: Font = Font::bold(12.0, INK);
pub(crate) const NOTE: Font = Font::plain(10.5, GREY);
pub(crate) const TICK: Font = Font::plain(10.0, GREY);
pub(crate) const ENTRY: Font = Font::plain(11.0, INK);

/// The hatching of zones in figures of ordinary size.
pub(crate) const ZONE: Hatch = Hatch { spacing: 5.0, width: 0.9, colour: INK };

/// The hatching of zones in small figures.
pub(crate) const FINE_ZONE: Hatch = Hatch { spacing: 4.0, width: 0.7, colour: INK };

/// The colour of a class.
pub(crate) fn class(id: usize) -> &'static str {
    CLASSES.get(id).copied().unwrap_or(OTHERS)
}

/// The colour of a named series.
pub(crate) fn series(index: usize) -> &'static str {
    CLASSES[index % CLASSES.len()]
}

/// The colour mixed with white: 0 is white, 1 the colour itself.
pub(crate) fn tint(colour: &str, strength: f64) -> String {
    let channel = |from: usize| {
        let value = colour.get(from..from + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let value = f64::from(value.unwrap_or(128));
        (255.0 - (255.0 - value) * strength.clamp(0.0, 1.0)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(1), channel(3), channel(5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tints_run_from_white_to_the_colour() {
        assert_eq!(tint("#204060", 0.0), "#ffffff");
        assert_eq!(tint("#204060", 1.0), "#204060");
        assert_eq!(tint("#000000", 0.5), "#808080");
    }

    #[test]
    fn every_class_has_a_colour() {
        assert_eq!(class(10), OTHERS);
        assert_eq!(class(usize::MAX), OTHERS);
    }
}
