//! A large tree in a few lines: its rules with the most rows.

use super::text::{columns, wrapped};
use crate::model::SingleTree;
use crate::recipe::READABLE_DEPTH;
use crate::rules::{Rule, Rules};
use crate::tree::Tree;
use crate::words::{class_name, percent_apart};

/// The most leaves of a tree that is printed as a whole, unless all of a larger one is asked for.
pub const READABLE_LEAVES: usize = 1 << READABLE_DEPTH;

/// How many rules a summary has, and how wide it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SummaryOptions {
    /// The number of rules, those with the most training rows first.
    pub n_rules: usize,
    /// Lines longer than this many columns are broken; `None` means never.
    pub width: Option<usize>,
}

impl Default for SummaryOptions {
    fn default() -> Self {
        Self { n_rules: 10, width: Some(80) }
    }
}

/// The least room for conditions, in columns.
const NARROWEST: usize = 30;

/// True if the text of a tree can be read: it has at most [`READABLE_LEAVES`] leaves.
#[must_use]
pub fn is_readable(tree: &Tree) -> bool {
    tree.n_leaves() <= READABLE_LEAVES
}

/// A tree too large to be read, by its rules with the most training rows. Conditions are thresholds, without
/// zones: they lead the training rows to the leaves.
///
/// ```text
/// 134 leaves, depth 10. The 10 rules with the most training rows, 46 % of all:
///
///  rows  class        if
/// 9.1 %  good   94 %  Seniority above 8.5, Income above 128.5
/// 7.4 %  bad    81 %  Seniority below 2.5, Records in {yes}, Income below 102.5, Assets
///                     below 3500
/// ```
#[must_use]
pub fn to_summary(model: SingleTree<'_>, options: SummaryOptions) -> String {
    let tree = model.tree();
    let rules = Rules::by_thresholds(model);
    let mut shown: Vec<&Rule> = rules.iter().collect();
    shown.sort_by_key(|rule| (std::cmp::Reverse(rule.rows()), rule.leaf()));
    shown.truncate(options.n_rules);
    let all: u64 = rules.iter().map(|rule| u64::from(rule.rows())).sum();
    let share = |rows: u64| rows as f64 / all.max(1) as f64;
    let of_shown = share(shown.iter().map(|rule| u64::from(rule.rows())).sum());
    let mut text = format!(
        "{} leaves, depth {}. The {} rules with the most training rows, {} of all:\n\n",
        tree.n_leaves(),
        tree.depth(),
        shown.len(),
        percent_apart(of_shown, &[]),
    );
    let answer = |rule: &Rule| {
        let class = &model.schema().classes()[rule.class() as usize];
        [class_name(class), percent_apart(rule.probability(), &[])]
    };
    let heads = [String::new(), "class".to_owned(), String::new()];
    let lines = shown.iter().map(|rule| {
        let [class, probability] = answer(rule);
        [format!("{:.1} %", 100.0 * share(rule.rows().into())), class, probability]
    });
    let lines: Vec<[String; 3]> = std::iter::once(heads).chain(lines).collect();
    let width = |column: usize| lines.iter().map(|it| columns(&it[column])).max().unwrap_or(0);
    let widths = [width(0).max("rows".len()), width(1), width(2)];
    let indent = " ".repeat(widths.iter().sum::<usize>() + 6);
    for (at, [rows, class, probability]) in lines.iter().enumerate() {
        let (rows, conditions) = match at.checked_sub(1) {
            None => ("rows", "if".to_owned()),
            Some(index) => (rows.as_str(), rules.conditions_in_words(shown[index])),
        };
        let lead = format!(
            "{}{rows}  {class}{}  {}{probability}  ",
            padding(rows, widths[0]),
            padding(class, widths[1]),
            padding(probability, widths[2]),
        );
        let room = options
            .width
            .map_or(usize::MAX, |width| width.saturating_sub(columns(&indent)).max(NARROWEST));
        for (number, line) in wrapped(&conditions, room, 0).iter().enumerate() {
            text += if number == 0 { &lead } else { &indent };
            text += &format!("{line}\n");
        }
    }
    text
}

/// The spaces that make a text as wide as a column.
fn padding(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(columns(text)))
}
