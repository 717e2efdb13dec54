//! Colours. Print through [`anstream`], which strips them if the output is not a terminal or
//! `NO_COLOR` is set.

use anstyle::{AnsiColor, Style};
use std::fmt;
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

/// Wraps a text at `width` columns of a terminal. Longer words get a line of their own; signs stay with their
/// numbers, as in "26 % ± 4 %".
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let glued = text.replace(" %", "\u{a0}%").replace(" ± ", "\u{a0}±\u{a0}");
    for word in glued.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

/// Colours the lines of a tree: branches and row counts dimmed, zones highlighted.
pub(crate) fn tree(text: &str) -> String {
    text.lines().map(tree_line).collect()
}

fn tree_line(line: &str) -> String {
    let branches = line.find(|c: char| !"│├└─ ".contains(c)).unwrap_or(line.len());
    let (branches, rest) = line.split_at(branches);
    let (node, rows) = rest.rsplit_once(" (").map_or((rest, ""), |(node, rows)| (node, rows));
    let (lead, node) = node.split_once(": ").map_or(("", node), |(lead, node)| (lead, node));
    let mut painted = String::new();
    if !branches.is_empty() {
        painted += &dim(branches).to_string();
    }
    if !lead.is_empty() {
        painted += &dim(format!("{lead}: ")).to_string();
    }
    painted += &match node.split_once(" ± ") {
        Some((condition, half_width)) => {
            format!("{} {}", heading(condition), zone(format!("± {half_width}")))
        }
        None => heading(node).to_string(),
    };
    if !rows.is_empty() {
        painted += &dim(format!(" ({rows}")).to_string();
    }
    painted.push('\n');
    painted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("ä ö ü", 3), ["ä ö", "ü"]);
        assert_eq!(wrapped("overlong a", 3), ["overlong", "a"]);
        assert_eq!(wrapped("about 26 % of it", 9), ["about", "26 % of", "it"]);
        assert_eq!(wrapped("in 6.35 ± 0.15", 9), ["in", "6.35 ± 0.15"]);
    }

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
                    A6, cut at 41 % ill (9 rows, 2 unsure: c), missing goes right\n\
                    ├─ in {a, b: c}: no with 1 (3 rows)\n";
        let stripped = anstream::adapter::strip_str(&tree(text)).to_string();
        assert_eq!(stripped, text);
    }
}
