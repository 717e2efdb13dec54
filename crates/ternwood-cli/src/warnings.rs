//! Warnings about tables, short enough to be read.

use crate::shell::{list_option, option};
use crate::style::{self, one_line};
use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};
use ternwood::dataset::notation::{DecimalMark, Marks};
use ternwood::export::wrapped;
use ternwood_table::{Remedy, Warning};

/// A warning, with the options that help.
pub(crate) fn in_words(warning: &Warning) -> String {
    warning.in_words(&named)
}

/// What the command calls a remedy.
pub(crate) fn named(remedy: &Remedy) -> Option<String> {
    Some(match remedy {
        Remedy::LeaveOut(column) => list_option("--drop", column),
        Remedy::Categories(column) => list_option("--nominal", column),
        Remedy::Number(column) => list_option("--number", column),
        Remedy::CategoriesOrNumber(_) => "--nominal or --number".to_owned(),
        Remedy::Order(_) => "--ordered".to_owned(),
        Remedy::Date { column, pattern } => option("--date", &format!("{column}={pattern}")),
        Remedy::Marks(Marks { decimal, thousands }) => {
            let comma = *decimal == DecimalMark::Comma;
            let decimal = comma.then(|| option("--decimal", ","));
            let thousands = thousands.map(|mark| option("--thousands", &mark.to_string()));
            decimal.into_iter().chain(thousands).collect::<Vec<_>>().join(" ")
        }
        Remedy::DecimalMark(DecimalMark::Comma) => option("--decimal", ","),
        Remedy::DecimalMark(DecimalMark::Point) => option("--decimal", "."),
        Remedy::Target => "--target".to_owned(),
        Remedy::LearnMissing => "--missing learn".to_owned(),
        _ => return None,
    })
}

/// As many of one kind are shown before the others are only counted.
const SHOWN: usize = 3;

/// The warnings, one line each. Those about many columns for the same reason are cut short, with
/// the command that shows all.
pub(crate) fn cut(warnings: &[Warning], see_all: &str) -> Vec<String> {
    let mut by_reason: HashMap<Discriminant<Warning>, Vec<&Warning>> = HashMap::new();
    for warning in warnings {
        by_reason.entry(discriminant(warning)).or_default().push(warning);
    }
    let mut told: HashMap<Discriminant<Warning>, usize> = HashMap::new();
    let mut lines = Vec::new();
    for warning in warnings {
        let before = told.entry(discriminant(warning)).or_default();
        let rest = &by_reason[&discriminant(warning)][*before..];
        *before += 1;
        match rest {
            // A line about a single one would be no shorter.
            _ if *before <= SHOWN || rest.len() == 1 && *before == SHOWN + 1 => {
                lines.push(one_line(&in_words(warning)));
            }
            rest if *before == SHOWN + 1 => lines.push(and_more(rest, see_all)),
            _ => {}
        }
    }
    lines
}

fn and_more(rest: &[&Warning], see_all: &str) -> String {
    let names = rest.iter().filter_map(|warning| warning.column()).take(SHOWN);
    let names: Vec<String> = names.map(|name| format!("'{name}'")).collect();
    let (more, names) = (rest.len(), one_line(&names.join(", ")));
    format!("the same is true of {more} more columns ({names}, ...); see all with {see_all}")
}

/// All warnings, one line each.
pub(crate) fn all(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(|warning| one_line(&in_words(warning))).collect()
}

/// A warning as a paragraph of a report.
pub(crate) fn paragraph(warning: &str, width: usize) -> String {
    let text = format!("warning: {}", whole_options(warning));
    let text = wrapped(&text, width, 2).join("\n  ").replace('\u{a0}', " ");
    let text = text.strip_prefix("warning: ").unwrap_or(&text);
    format!("{}: {text}\n", style::warning("warning"))
}

/// The text with spaces at which no line is broken between options and their values.
fn whole_options(text: &str) -> String {
    let mut words = text.split(' ').peekable();
    let mut whole = String::new();
    while let Some(word) = words.next() {
        whole += word;
        if words.peek().is_some() {
            whole.push(if word.starts_with("--") { '\u{a0}' } else { ' ' });
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_reason_is_not_given_a_hundred_times() {
        let constant =
            |index: usize| Warning::Constant { column: format!("c{index}"), value: "0".to_owned() };
        let mut warnings: Vec<Warning> = (0..100).map(constant).collect();
        warnings.insert(50, Warning::EmptyColumn { column: "notes".to_owned() });
        let lines = cut(&warnings, "`ternwood look t.csv --all`");
        assert_eq!(lines.len(), 5, "{lines:#?}");
        assert_eq!(
            lines[3],
            "the same is true of 97 more columns ('c3', 'c4', 'c5', ...); see all with \
             `ternwood look t.csv --all`"
        );
        assert!(lines[4].contains("'notes'"));
        assert_eq!(cut(&warnings[..4], "").len(), 4, "the last one takes no more room");
        assert_eq!(all(&warnings).len(), 101);
    }

    #[test]
    fn paragraphs_hang() {
        let text = anstream::adapter::strip_str(&paragraph("one two three", 16)).to_string();
        assert_eq!(text, "warning: one two\n  three\n");
        let text = anstream::adapter::strip_str(&paragraph("please say --drop x", 23)).to_string();
        assert_eq!(text, "warning: please say\n  --drop x\n", "options stay whole");
    }
}
