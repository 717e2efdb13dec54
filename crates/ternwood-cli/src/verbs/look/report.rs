//! The report of `look`, for terminals of 80 columns.

use super::{Look, LookArgs};
use crate::column_table::{self, Role, share};
use crate::reading::counted;
use crate::shell::quoted;
use crate::style::{self, WIDTH, one_line};
use crate::warnings;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use ternwood::ClassName;
use ternwood_table::{ColumnKind, Format, Warning};

/// Tables with more columns are cut to this many lines, and that of the target.
const MANY: usize = 40;
const SHOWN: usize = 20;

const LEGEND: &str = "\
by: who says what the column is: its data, the file that declares it, or you.
most: the share of the commonest value, which comes first among the values.
";

impl Look {
    pub(super) fn report(&self, args: &LookArgs) -> String {
        let head = style::heading(self.head(args));
        let mut text = format!("{head}\n\n{}", self.table(args.all));
        text += &format!("\n{}", style::dim(LEGEND));
        text += &self.classes_or_hint().map_or_else(String::new, |text| hanging(&text));
        // What the classes say already is not said again.
        let is_new = |warning: &&Warning| !matches!(warning, Warning::NoClass { .. });
        let news: Vec<Warning> = self.warnings.iter().filter(is_new).cloned().collect();
        let mut lines = if args.all { warnings::all(&news) } else { warnings::cut(&news, "--all") };
        let refusal = self.refusal.iter();
        lines.extend(refusal.map(|why| format!("`fit` refuses this table: {}", one_line(why))));
        if !lines.is_empty() {
            text.push('\n');
        }
        text + &lines.iter().map(|line| warnings::paragraph(line, WIDTH)).collect::<String>()
    }

    /// "patients.csv: 48 rows, 5 columns; text separated by commas".
    fn head(&self, args: &LookArgs) -> String {
        let format = match (self.layout.format, self.layout.text) {
            (Format::Arff, _) => "ARFF".to_owned(),
            (Format::Parquet, _) => "Parquet".to_owned(),
            (_, Some(text)) if self.columns.len() > 1 => match text.delimiter {
                '\t' => "text separated by tabs".to_owned(),
                ',' => "text separated by commas".to_owned(),
                ';' => "text separated by semicolons".to_owned(),
                other => format!("text separated by '{other}'"),
            },
            _ => "text".to_owned(),
        };
        let without_names = self.layout.text.is_some_and(|text| !text.header);
        format!(
            "{}: {}, {}; {format}{}",
            args.data.name(),
            counted(self.rows, "row"),
            counted(self.columns.len(), "column"),
            if without_names { ", without a line of names" } else { "" }
        )
    }

    /// The columns; the first ones if there are many.
    fn table(&self, all: bool) -> String {
        let is_shown = |(index, (_, role)): &(usize, &(_, Role))| {
            all || self.columns.len() <= MANY || *index < SHOWN || *role == Role::Target
        };
        let (shown, cut): (Vec<_>, Vec<_>) = self.columns.iter().enumerate().partition(is_shown);
        let shown = shown.into_iter().map(|(_, (profile, role))| (profile, *role));
        let mut text = column_table::full(shown);
        if !cut.is_empty() {
            let kinds = counts(cut.iter().map(|(_, (profile, _))| profile.kind));
            let line = format!("... and {} more columns ({kinds}); see all with --all", cut.len());
            text += &format!("{}\n", style::dim(line));
        }
        text
    }

    fn classes_or_hint(&self) -> Option<String> {
        let Some(target) = &self.schema.target else {
            let hint = "Say --target COL to see its classes, and whether a column gives them away.";
            return Some(hint.to_owned());
        };
        if self.classes.is_empty() {
            return None;
        }
        let unlabelled = self.warnings.iter().find_map(|warning| match warning {
            Warning::NoClass { rows: 1, .. } => Some("; 1 row has none and is left out".to_owned()),
            Warning::NoClass { rows, .. } => {
                Some(format!("; {rows} rows have none and are left out"))
            }
            _ => None,
        });
        Some(described(&one_line(target), &self.classes) + &unlabelled.unwrap_or_default())
    }

    /// What to do with the schema file.
    pub(super) fn after_writing(&self, args: &LookArgs, path: &Path) -> String {
        let path = quoted(&path.display().to_string());
        let data = quoted(&args.data.data.display().to_string());
        let target = if self.schema.target.is_some() { "" } else { " --target COL" };
        format!(
            "wrote {path}; edit it if need be, then: ternwood fit {data}{target} --schema {path} \
             -o model.json"
        )
    }
}

/// "classes of 'ill': no 29 (60 %), yes 19 (40 %)"; only the extremes if there are many.
fn described(target: &str, classes: &[(ClassName, usize)]) -> String {
    const LISTED: usize = 12;
    const EXTREMES: usize = 3;
    let rows: usize = classes.iter().map(|(_, rows)| rows).sum();
    let class = |(name, count): &(ClassName, usize)| {
        let share = share(*count as f64 / rows as f64);
        // No line is broken before the share.
        format!("{} {count}\u{a0}({share})", one_line(&name.to_string()))
    };
    let list = |classes: &[(ClassName, usize)]| -> String {
        classes.iter().map(class).collect::<Vec<_>>().join(", ")
    };
    if classes.len() <= LISTED {
        return format!("classes of '{target}': {}", list(classes));
    }
    let mut sorted = classes.to_vec();
    // Classes of the same size keep their order.
    sorted.sort_by_key(|(_, rows)| Reverse(*rows));
    format!(
        "{} classes of '{target}': the largest are {}; the smallest are {}",
        classes.len(),
        list(&sorted[..EXTREMES]),
        list(&sorted[sorted.len() - EXTREMES..])
    )
}

/// A paragraph whose later lines are indented.
fn hanging(text: &str) -> String {
    format!("\n{}\n", style::paragraph(text).replace('\u{a0}', " "))
}

/// "number 12, date 3".
fn counts(kinds: impl Iterator<Item = ColumnKind>) -> String {
    let mut counts: BTreeMap<ColumnKind, usize> = BTreeMap::new();
    kinds.for_each(|kind| *counts.entry(kind).or_default() += 1);
    let counts: Vec<String> =
        counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    counts.join(", ")
}
