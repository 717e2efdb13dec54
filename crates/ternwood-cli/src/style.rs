//! Colours. Print through [`anstream`], which strips them if the output is not a terminal or
//! `NO_COLOR` is set.

use anstyle::{AnsiColor, Style};
use std::fmt;
use ternwood::export::wrapped;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The colours of `--help`.
pub(crate) const HELP: clap::builder::Styles = clap::builder::Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const ZONE: Style = AnsiColor::Yellow.on_default();

/// A text in a style.
pub(crate) struct Painted<T>(Style, T);

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.0, self.1, self.0.render_reset())
    }
}

/// The word before an error.
pub(crate) fn error<T>(text: T) -> Painted<T> {
    Painted(ERROR, text)
}

/// The word before a warning.
pub(crate) fn warning<T>(text: T) -> Painted<T> {
    Painted(WARNING, text)
}

/// A heading.
pub(crate) fn heading<T>(text: T) -> Painted<T> {
    Painted(BOLD, text)
}

/// Secondary text.
pub(crate) fn dim<T>(text: T) -> Painted<T> {
    Painted(DIM, text)
}

/// Text about uncertainty.
pub(crate) fn zone<T>(text: T) -> Painted<T> {
    Painted(ZONE, text)
}

/// A name from a file on one line: line breaks and other control characters are escaped.
pub(crate) fn one_line(name: &str) -> String {
    ternwood::dataset::one_line(name).into_owned()
}

/// The width of a narrow terminal, which nearly all lines fit.
pub(crate) const WIDTH: usize = 80;

/// A text in lines that fit a narrow terminal; all but the first are indented, by two more than it.
pub(crate) fn paragraph(text: &str) -> String {
    let own = text.len() - text.trim_start_matches(' ').len();
    let lines = wrapped(text, WIDTH, own + 2);
    lines.join(&format!("\n{}", " ".repeat(own + 2)))
}

/// Notes below something, set apart from it; nothing if there are none.
pub(crate) fn notes(notes: &[String]) -> String {
    let lines = notes.iter().map(|note| format!("{}\n", dim(paragraph(note))));
    let space = if notes.is_empty() { "" } else { "\n" };
    lines.fold(space.to_owned(), |text, line| text + &line)
}

/// A text that fits into `width` columns of a terminal: its beginning and its end, which tell names
/// apart, with an ellipsis between them.
pub(crate) fn clipped(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let Some(room) = width.checked_sub(1) else { return String::new() };
    let from = |letters: &mut dyn Iterator<Item = char>, room: usize| -> Vec<char> {
        let mut taken = 0;
        let fits = |letter: &char| {
            taken += letter.width().unwrap_or(0);
            taken <= room
        };
        letters.take_while(fits).collect()
    };
    let end = from(&mut text.chars().rev(), room / 2);
    let taken: usize = end.iter().filter_map(|letter| letter.width()).sum();
    let start = from(&mut text.chars(), room - taken);
    start.into_iter().chain(['…']).chain(end.into_iter().rev()).collect()
}

/// Colours the lines of a tree: branches and row counts dimmed, zones highlighted.
pub(crate) fn tree(text: &str) -> String {
    let mut lines = text.lines().map(split_at_text).peekable();
    let mut painted = String::new();
    while let Some((branches, first)) = lines.next() {
        // The lines that continue the first one go on in its colours.
        let mut leads = vec![branches];
        let mut node = first.to_owned();
        while let Some((branches, more)) = lines.next_if(|(branches, _)| continues(branches)) {
            leads.push(branches);
            node = format!("{node}\n{more}");
        }
        painted += &tree_node(&leads, &node);
    }
    painted
}

/// The branches at the start of a line, and the rest.
fn split_at_text(line: &str) -> (&str, &str) {
    line.split_at(line.find(|c: char| !"│├└─ ".contains(c)).unwrap_or(line.len()))
}

/// True if no branch leads to the text of the line: it continues the one before.
fn continues(branches: &str) -> bool {
    !branches.is_empty() && !branches.contains(['├', '└'])
}

/// The text of a node, which has one line for each of `leads`.
fn tree_node(leads: &[&str], text: &str) -> String {
    // Line breaks separate words like spaces, and have as many bytes.
    let flat = text.replace('\n', " ");
    let rows = flat.rfind(" (").unwrap_or(text.len());
    let node = flat[..rows].find(": ").map_or(0, |colon| colon + 2);
    let start = |before: &str, zone: &str| {
        let found = flat[node..rows].find(&format!("{before}{zone}"))?;
        Some(node + found + before.len())
    };
    let starts = [(" ", "± "), (", ", "blended between "), (", ", "uncertain between ")];
    let starts = starts.into_iter().filter_map(|(before, zone)| start(before, zone));
    let zone = starts.min().unwrap_or(rows);
    let parts = [(DIM, 0..node), (BOLD, node..zone), (ZONE, zone..rows), (DIM, rows..text.len())];
    let mut leads = leads.iter();
    let mut lead =
        || leads.next().filter(|lead| !lead.is_empty()).map(|lead| dim(lead).to_string());
    let mut painted = lead().unwrap_or_default();
    for (style, range) in parts {
        for (index, part) in text[range].split('\n').enumerate() {
            if index > 0 {
                painted += &format!("\n{}", lead().unwrap_or_default());
            }
            if !part.is_empty() {
                painted += &Painted(style, part).to_string();
            }
        }
    }
    painted + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(clipped("abcdef", 6), "abcdef");
        assert_eq!(clipped("abcdefg", 6), "abc…fg");
        assert_eq!(clipped("血圧の測定値", 7), "血圧…値");
        assert_eq!(clipped("abc", 1), "…");
        assert_eq!(clipped("abc", 0), "");
    }

    #[test]
    fn painting_keeps_the_text() {
        let text = "a (b): c 1 ± 2 (8 rows, 3 within)\n├─ below: no with 1 (3 rows)\n└─ x\n\
                    c 1, blended between 0 and 2 (8 rows, 3 within)\n\
                    A6, cut at 41 % ill (9 rows, 2 unsure: c), missing goes right\n\
                    ├─ in {a, b: c}: no with 1 (3 rows)\n\
                    ├─ in {a,\n│  │    b}: age 3\n│  │    (3\n│  │    rows)\n│  ├─ x\n";
        let painted = tree(text);
        assert_eq!(anstream::adapter::strip_str(&painted).to_string(), text);
        assert!(painted.contains(&format!("{}\n", heading("age 3"))), "{painted}");
        for range in ["± 2", "blended between 0 and 2"] {
            assert!(painted.contains(&zone(range).to_string()), "{painted}");
        }
        assert!(painted.ends_with(&format!(
            "{}\n{}{}\n",
            dim("rows)"),
            dim("│  ├─ "),
            heading("x")
        )));
    }
}
