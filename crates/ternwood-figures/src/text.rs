//! Text widths, and fitting text into a given width.
//!
//! The widths are those of Helvetica, Arial and Liberation Sans, plus a few percent so that a
//! slightly wider substitute still fits.

/// Size, weight and colour of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Font {
    pub(crate) size: f64,
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    pub(crate) colour: &'static str,
}

impl Font {
    pub(crate) const fn plain(size: f64, colour: &'static str) -> Self {
        Self { size, bold: false, italic: false, colour }
    }

    pub(crate) const fn bold(size: f64, colour: &'static str) -> Self {
        Self { size, bold: true, italic: false, colour }
    }

    pub(crate) const fn italic(size: f64, colour: &'static str) -> Self {
        Self { size, bold: false, italic: true, colour }
    }
}

const ELLIPSIS: &str = "…";
const SAFETY: f64 = 1.04;

/// How far a font may shrink: by this factor, and to this size.
const LEAST_SHRINKING: f64 = 0.75;
const LEAST_SIZE: f64 = 7.5;

/// Helvetica's widths of the characters from space to tilde, in thousandths of the size.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // to _
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // to o
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // to ~
];

/// The width of `text` in pixels.
pub(crate) fn width(text: &str, font: Font) -> f64 {
    let units: f64 = text.chars().map(character_width).sum();
    let weight = if font.bold { 1.07 } else { 1.0 };
    units / 1000.0 * font.size * weight * SAFETY
}

fn character_width(character: char) -> f64 {
    match character {
        ' '..='~' => f64::from(WIDTHS[character as usize - 32]),
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' => 0.0,
        '\u{2009}' | '\u{202f}' => 200.0,
        '·' => 333.0,
        '±' | '−' | '×' | '≤' | '≥' => 584.0,
        '…' | '→' => 1000.0,
        '∅' => 850.0,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{ffdc}' | '\u{1f000}'.. => 1050.0,
        _ => 640.0,
    }
}

/// `text`, or as much of its beginning as fits, with an ellipsis; empty if nothing fits.
pub(crate) fn fitted(text: &str, font: Font, room: f64) -> String {
    if width(text, font) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = width(ELLIPSIS, font);
    if used > room {
        return String::new();
    }
    for character in text.chars() {
        used += width(character.encode_utf8(&mut [0; 4]), font);
        if used > room {
            break;
        }
        kept.push(character);
    }
    kept.truncate(kept.trim_end().len());
    kept + ELLIPSIS
}

/// A font in which `text` fits, if one not much smaller will do: numbers are better small than cut.
pub(crate) fn shrunk(text: &str, font: Font, room: f64) -> Font {
    let factor = (room / width(text, font)).clamp(LEAST_SHRINKING, 1.0);
    Font { size: (font.size * factor).max(LEAST_SIZE).min(font.size), ..font }
}

/// The first of several phrasings that fits, or the last one cut short if none does.
pub(crate) fn first_fitting<S: AsRef<str>>(phrasings: &[S], font: Font, room: f64) -> String {
    let fits = phrasings.iter().map(AsRef::as_ref).find(|phrasing| width(phrasing, font) <= room);
    match (fits, phrasings.last()) {
        (Some(phrasing), _) => phrasing.to_owned(),
        (None, Some(last)) => fitted(last.as_ref(), font, room),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FONT: Font = Font::plain(10.0, "#000");

    #[test]
    fn widths_by_hand() {
        // i 222 + W 944 = 1166 thousandths of 10 px.
        assert!((width("iW", FONT) - 11.66 * SAFETY).abs() < 1e-9);
        assert!(width("iW", Font::bold(10.0, "#000")) > width("iW", FONT));
        assert_eq!(width("", FONT), 0.0);
    }

    #[test]
    fn long_text_is_cut_to_fit() {
        let name = "the concavity of the worst nucleus";
        for room in [0.0, 5.0, 11.0, 40.0, 100.0, 400.0] {
            assert!(width(&fitted(name, FONT, room), FONT) <= room);
        }
        assert_eq!(fitted(name, FONT, 400.0), name);
        assert!(fitted(name, FONT, 100.0).ends_with('…'));
        assert_eq!(fitted("日本語の特徴量", FONT, 35.0), "日日…".replace("日日", "日本"));
    }

    #[test]
    fn a_little_too_long_is_printed_smaller() {
        let room = |share: f64| share * width("12.345", FONT);
        assert_eq!(shrunk("12.345", FONT, room(1.5)), FONT);
        assert_eq!(shrunk("12.345", FONT, room(0.8)).size, 8.0);
        assert_eq!(shrunk("12.345", FONT, room(0.2)).size, 7.5);
    }

    #[test]
    fn the_first_phrasing_that_fits_is_used() {
        let phrasings = ["34 of 768 rows in the zone", "34 of 768 in zone", "34"];
        assert_eq!(first_fitting(&phrasings, FONT, 500.0), phrasings[0]);
        assert_eq!(first_fitting(&phrasings, FONT, 90.0), phrasings[1]);
        assert_eq!(first_fitting(&phrasings, FONT, 20.0), phrasings[2]);
        assert_eq!(first_fitting(&phrasings, FONT, 1.0), "");
    }
}
