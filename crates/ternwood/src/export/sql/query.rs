//! A query in steps, each of which reads the one before.

use super::dialect::Dialect;
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
