//! A query in steps, each of which reads the one before. The first has the tested columns as numbers, or as ids of
//! categories.

use super::dialect::Dialect;
use super::{Writer, key_name};
use crate::dataset::notation::Notation;
use crate::dataset::{Feature, FeatureKind};
use crate::error::{ErrorKind, Result};

/// A query that grows step by step.
pub(super) struct Query {
    pub(super) dialect: Dialect,
    /// Distinguishes the steps from the user's tables.
    prefix: String,
    source: String,
    steps: Vec<String>,
}

/// The columns of a step.
#[derive(Default)]
pub(super) struct Columns {
    names: Vec<String>,
    lines: Vec<String>,
    /// Columns taken over as they are share a line.
    carried: bool,
}

/// The width of a line of columns that are taken over.
const LINE: usize = 96;

impl Columns {
    /// Takes a column over.
    pub(super) fn carry(&mut self, name: &str) {
        self.names.push(name.to_owned());
        match self.lines.last_mut() {
            Some(line) if self.carried && line.len() + name.len() < LINE => {
                *line += ", ";
                *line += name;
            }
            _ => self.lines.push(name.to_owned()),
        }
        self.carried = true;
    }

    /// Computes a column.
    pub(super) fn add(&mut self, name: &str, expression: &str) {
        self.names.push(name.to_owned());
        let line =
            if name == expression { name.to_owned() } else { format!("{expression} AS {name}") };
        self.lines.push(line);
        self.carried = false;
    }

    fn text(&self) -> String {
        let lines =
            if self.lines.is_empty() { "1 AS one".to_owned() } else { self.lines.join(",\n    ") };
        format!("  SELECT\n    {lines}\n")
    }
}

impl Query {
    /// A query that begins with the table of these parts.
    pub(super) fn new(dialect: Dialect, table: &[String]) -> Self {
        let mut prefix = "ternwood".to_owned();
        while table.iter().any(|part| part.to_lowercase().starts_with(&prefix)) {
            prefix.push('_');
        }
        let parts: Vec<String> = table.iter().map(|part| Dialect::name(part)).collect();
        Self { dialect, prefix, source: format!("{} AS t", parts.join(".")), steps: Vec::new() }
    }

    /// Adds a step that reads the one before.
    pub(super) fn step(&mut self, name: &str, columns: &Columns) -> Result<()> {
        self.check(columns)?;
        let name = format!("{}_{name}", self.prefix);
        let (text, source, barrier) = (columns.text(), &self.source, self.dialect.barrier());
        self.steps.push(format!("{name} AS (\n{text}  FROM {source}{barrier}\n)"));
        self.source = name;
        Ok(())
    }

    /// The whole query, which ends with these columns.
    pub(super) fn finish(self, columns: &Columns) -> Result<String> {
        self.check(columns)?;
        let (steps, text, source) = (self.steps.join(",\n"), columns.text(), self.source);
        Ok(format!("WITH {steps}\n{}FROM {source}\n", text.replace("\n    ", "\n  ").trim_start()))
    }

    fn check(&self, columns: &Columns) -> Result<()> {
        let (needed, most) = (columns.names.len(), self.dialect.most_columns());
        if needed <= most {
            return Ok(());
        }
        let what = format!("it needs {needed} columns, and {} takes {most}", self.dialect);
        Err(ErrorKind::Export { format: "SQL", what, remedy: "export a smaller tree, or ONNX" }
            .into())
    }
}

/// The id of a category that the feature does not have.
pub(super) const UNSEEN: i32 = -1;

/// The name of a feature's column between the first step and the shares.
pub(super) fn input_name(feature: usize) -> String {
    format!("x{feature}")
}

impl Writer<'_> {
    pub(super) fn input(self, query: &mut Query) -> Result<()> {
        let mut columns = Columns::default();
        for (key, name) in self.options.keys.iter().enumerate() {
            columns.add(&key_name(key), &format!("t.{}", Dialect::name(name)));
        }
        for feature in self.model.tested_features() {
            columns.add(&input_name(feature), &self.input_value(feature));
        }
        query.step("input", &columns)
    }

    fn input_value(self, index: usize) -> String {
        let feature = &self.model.schema().features()[index];
        let name = self.options.columns.as_ref().map_or(&feature.name, |columns| &columns[index]);
        let column = format!("t.{}", Dialect::name(name));
        let value = match &feature.kind {
            FeatureKind::Number => self.number_of(feature, &column),
            FeatureKind::Categories(names) | FeatureKind::Ordered(names) => {
                self.id_of(names, &column)
            }
        };
        match (&feature.kind, feature.fill) {
            (_, None) => value,
            (FeatureKind::Number, Some(fill)) => {
                format!("COALESCE({value}, {})", self.number(fill))
            }
            (_, Some(fill)) => format!("COALESCE({value}, {fill})"),
        }
    }

    fn number_of(self, feature: &Feature, column: &str) -> String {
        let dialect = self.options.dialect;
        match &feature.notation {
            Notation::Number(_) | Notation::Percent(_) => dialect.as_number(column),
            Notation::Date(_) => dialect.since_1970(column, true),
            Notation::Time(_) => dialect.since_1970(column, false),
        }
    }

    /// The id of a category by its name; a boolean by any spelling of it.
    fn id_of(self, names: &[String], column: &str) -> String {
        let is_boolean =
            names.iter().all(|name| ["true", "false"].contains(&name.to_lowercase().as_str()));
        let mut text = self.options.dialect.as_text(column);
        let mut id = String::new();
        for (index, name) in names.iter().enumerate() {
            if is_boolean {
                let lower = name.to_lowercase();
                let digit = if lower == "true" { 1 } else { 0 };
                id += &format!(" WHEN '{lower}' THEN {index} WHEN '{digit}' THEN {index}");
            } else {
                id += &format!(" WHEN {} THEN {index}", Dialect::text(name));
            }
        }
        if is_boolean {
            text = format!("LOWER({text})");
        }
        let unseen = format!("CASE WHEN {column} IS NOT NULL THEN {UNSEEN} END");
        match names {
            [] => unseen,
            _ => format!("COALESCE(CASE {text}{id} END, {unseen})"),
        }
    }
}
