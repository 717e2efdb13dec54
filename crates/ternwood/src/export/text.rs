//! The tree as indented text.

use crate::dataset::one_line;
use crate::model::SingleTree;
use crate::tree::{Node, NodeId, Side, Split};
use crate::words::{ListCategories, all_listed, counted, listed, plain_number};

/// How much of the tree to print, and how wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextOptions {
    /// Subtrees below this depth are summarised in one line.
    ///
    /// Every level indents further, so the text of a chain of n tests has O(n^2) characters.
    pub max_depth: usize,
    /// Lines longer than this many columns are broken; `None` means never. Where the indentation
    /// leaves fewer than 30 columns, lines are longer.
    pub width: Option<usize>,
    /// Lists all categories of a branch, and all letters of their names, however many there are.
    pub all_categories: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { max_depth: 100, width: Some(80), all_categories: false }
    }
}

/// The least room for the text of a node, in columns.
const NARROWEST: usize = 30;

/// The indent of the lines that continue a node's text, with the bar that leads to its children.
const HANG: [&str; 2] = ["     ", "│    "];

/// The tree as indented text: each test with its zone, each leaf with its class.
///
/// ```text
/// glucose 127.5, blended between 126.4 and 128.6 (614 rows, 23 within), missing goes right
/// ├─ below: 0 with 0.87 (402 rows)
/// └─ above: job, cut at 41 % ill (212 rows, 3 unsure: pilot)
///    ├─ in {clerk, nurse, pilot}: 0 with 0.76 (80 rows)
///    └─ in {cook, miner}: 1 with 0.64 (132 rows)
/// ```
#[must_use]
pub fn to_text(model: SingleTree<'_>, options: TextOptions) -> String {
    let mut text = String::new();
    let [lead, name, indent] = [const { String::new() }; 3];
    let mut waiting = vec![Waiting { node: NodeId::ROOT, lead, name, indent, depth: 0 }];
    let parents = model.tree().parents();
    let listed = if options.all_categories { all_listed } else { listed };
    while let Some(next) = waiting.pop() {
        let Waiting { node, ref indent, depth, .. } = next;
        match model.tree().node(node) {
            Node::Leaf => {
                next.print(&leaf(model, parents[node.index()], node), false, options, &mut text);
            }
            Node::Split(_) if depth >= options.max_depth => {
                next.print(&summary(model, node), false, options, &mut text);
            }
            Node::Split(split) => {
                next.print(&test(model, node, split, listed), true, options, &mut text);
                let children = named_children(model, split, listed);
                let last = children.len() - 1;
                for (position, (name, node)) in children.into_iter().enumerate().rev() {
                    let ends =
                        if position < last { ["├─ ", "│  "] } else { ["└─ ", "   "] };
                    let [lead, indent] = ends.map(|end| format!("{indent}{end}"));
                    let name = format!("{name}: ");
                    waiting.push(Waiting { node, lead, name, indent, depth: depth + 1 });
                }
            }
        }
    }
    text
}

/// A node to be printed.
struct Waiting {
    node: NodeId,
    /// The start of its first line.
    lead: String,
    /// Which values go there.
    name: String,
    /// The start of its other lines and of its children's.
    indent: String,
    depth: usize,
}

impl Waiting {
    /// Appends the lines of the node.
    fn print(&self, node: &str, has_children: bool, options: TextOptions, text: &mut String) {
        let line = format!("{}{node}", self.name);
        let Some(width) = options.width else {
            *text += &format!("{}{line}\n", self.lead);
            return;
        };
        let room = width.saturating_sub(columns(&self.indent)).max(NARROWEST);
        let hang = HANG[usize::from(has_children)];
        for (number, line) in wrapped(&line, room, columns(hang)).iter().enumerate() {
            *text += &match number {
                0 => format!("{}{line}\n", self.lead),
                _ => format!("{}{hang}{line}\n", self.indent),
            };
        }
    }
}

/// The children from left to right, each with the values that go there.
pub(super) fn named_children(
    model: SingleTree<'_>,
    split: &Split,
    listed: ListCategories,
) -> Vec<(String, NodeId)> {
    let (three, schema) = (split.middle.is_some(), model.schema());
    let name = |side| split.test.branch_in_words(side, three, schema, listed);
    let sides = [Side::Below, Side::Within, Side::Above].into_iter();
    sides.filter_map(|side| Some((name(side), split.child(side)?))).collect()
}

fn test(model: SingleTree<'_>, node: NodeId, split: &Split, listed: ListCategories) -> String {
    let mut text = format!("{} ({}", split_words(model, node), rows(model, node));
    let rows_within = model.tree().rows_within(node);
    if let Some(unsure) = split.test.unsure_in_words(rows_within, model.schema(), listed) {
        text += &format!(", {unsure}");
    }
    text.push(')');
    if let Some(missing) = split.test.describe_missing() {
        text += &format!(", {missing}");
    }
    text
}

fn split_words(model: SingleTree<'_>, node: NodeId) -> String {
    let test = model.tree().shown_test(node);
    test.map(|test| test.describe(model.schema(), model.zone_meaning())).unwrap_or_default()
}

fn leaf(model: SingleTree<'_>, parent: Option<NodeId>, node: NodeId) -> String {
    let class = model.tree().majority_class(node) as usize;
    let probability = model.tree().values(node)[class];
    let probability = plain_number((probability * 1e3).round() / 1e3);
    let class = model.schema().classes()[class].to_string();
    format!("{} with {probability} ({})", one_line(&class), leaf_rows(model, parent, node))
}

/// "402 rows"; a middle leaf that no row reached says that it predicts like its parent.
pub(super) fn leaf_rows(model: SingleTree<'_>, parent: Option<NodeId>, node: NodeId) -> String {
    match parent {
        Some(parent) if model.tree().stands_in(parent, node) => {
            "no rows, predicts like its parent".to_owned()
        }
        _ => rows(model, node),
    }
}

fn summary(model: SingleTree<'_>, node: NodeId) -> String {
    let test = split_words(model, node);
    format!("{test} ... ({}, more tests below)", rows(model, node))
}

fn rows(model: SingleTree<'_>, node: NodeId) -> String {
    counted(model.tree().rows(node) as usize, "row")
}

/// Breaks a text into lines of at most `width` columns; those after the first are `hang` columns
/// shorter, to leave room for an indent.
///
/// Lines break between words, but a number stays with its signs and with the word after it, as in
/// "26 % ± 4 %" and "12 rows". A word that is longer than a line is broken too.
///
/// ```
/// use ternwood::export::wrapped;
///
/// assert_eq!(wrapped("glucose lies within 6.35 ± 0.15", 24, 2), ["glucose lies within", "6.35 ± 0.15"]);
/// ```
#[must_use]
pub fn wrapped(text: &str, width: usize, hang: usize) -> Vec<String> {
    let mut lines = Lines { done: Vec::new(), line: String::new(), used: 0, room: [width, hang] };
    for (index, part) in parts(text).into_iter().enumerate() {
        if index > 0 {
            if lines.has_room(1 + columns(part)) { lines.push(' ') } else { lines.end_line() }
        }
        part.chars().for_each(|character| lines.push(character));
    }
    lines.end_line();
    lines.done
}

/// Lines being filled.
struct Lines {
    done: Vec<String>,
    line: String,
    /// The columns of `line` in use.
    used: usize,
    /// The width of the first line, and how much shorter the others are.
    room: [usize; 2],
}

impl Lines {
    fn has_room(&self, columns: usize) -> bool {
        let [width, hang] = self.room;
        let room = if self.done.is_empty() { width } else { width.saturating_sub(hang) };
        self.used + columns <= room
    }

    fn push(&mut self, character: char) {
        let columns = columns_of(character);
        // However narrow, a line has at least one character.
        if !self.has_room(columns) && self.used > 0 {
            self.end_line();
        }
        self.line.push(character);
        self.used += columns;
    }

    fn end_line(&mut self) {
        self.done.push(std::mem::take(&mut self.line));
        self.used = 0;
    }
}

/// The parts of a text between which a line may end, without the spaces there.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (space, _) in text.match_indices(' ') {
        let (before, after) = (&text[start..space], &text[space + 1..]);
        let last = before.rsplit(' ').next().unwrap_or_default().trim_start_matches('(');
        let is_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number && last != "±" && !after.starts_with(['±', '%']) {
            parts.push(&text[start..space]);
            start = space + 1;
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The columns that a text takes on a terminal.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Two for most East Asian characters and pictures, none for marks that belong to the character
/// before them.
fn columns_of(character: char) -> usize {
    match character {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff01}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three", 7, 0), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 7, 3), ["one two", "thre", "e"]);
        assert_eq!(wrapped("ä ö ü", 3, 0), ["ä ö", "ü"]);
        assert_eq!(wrapped("a  b", 80, 0), ["a  b"], "spaces stay");
        assert_eq!(wrapped("", 80, 0), [""]);
    }

    #[test]
    fn numbers_stay_with_what_belongs_to_them() {
        assert_eq!(wrapped("about 26 % of it", 9, 0), ["about", "26 % of", "it"]);
        assert_eq!(wrapped("in 6.35 ± 0.15", 11, 0), ["in", "6.35 ± 0.15"]);
        assert_eq!(wrapped("one (12 rows, 5 within)", 9, 0), ["one", "(12 rows,", "5 within)"]);
    }

    #[test]
    fn overlong_words_are_broken() {
        assert_eq!(wrapped("a overlong b", 4, 0), ["a", "over", "long", "b"]);
        assert_eq!(wrapped("日本語", 4, 1), ["日本", "語"], "two columns each");
        assert_eq!(wrapped("日本", 0, 9), ["日", "本"], "too narrow for anything");
        assert_eq!(wrapped("e\u{301}e\u{301}e", 2, 0), ["e\u{301}e\u{301}", "e"]);
    }
}
