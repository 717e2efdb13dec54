//! Schema files: what the columns of a table are, in a file that people can edit.
//!
//! ```json
//! {
//!   "ternwood_schema": 1,
//!   "target": "ill",
//!   "columns": [
//!     {"name": "price", "kind": "number", "decimal": ",", "thousands": "."},
//!     {"name": "start", "kind": "date", "format": "%d.%m.%Y"},
//!     {"name": "size", "kind": "ordered", "categories": ["S", "M", "L"]},
//!     {"name": "id", "kind": "text", "use": false}
//!   ]
//! }
//! ```
//!
//! `look --write-schema` [writes](self::write) one, `--schema` [reads](self::parse) it. Columns
//! that it does not list are looked at as usual.

mod parse;
mod write;

use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use ternwood::dataset::notation::{DatePattern, Marks, Notation};
use ternwood_table::{Column, ColumnKind, ReadAs, Values};

/// The version of the format.
const VERSION: u64 = 1;

/// A schema file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SchemaFile {
    /// The column with the classes.
    pub(crate) target: Option<String>,
    pub(crate) columns: Vec<SchemaColumn>,
}

/// What a schema file says about a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SchemaColumn {
    pub(crate) name: String,
    /// What its values are. May be open if the column is not used.
    pub(crate) kind: Option<SchemaKind>,
    /// Whether to learn from it.
    pub(crate) is_used: bool,
}

/// What the values of a column are, and how they are written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SchemaKind {
    /// Numbers, with the marks that the values have unless given.
    Number(Option<Marks>),
    Percent(Marks),
    Date(DatePattern),
    Time(DatePattern),
    Boolean,
    Categories,
    Ordered(Vec<String>),
    /// Not to be learnt from.
    Text,
    /// Not to be learnt from.
    Empty,
}

/// No schema that people edit is larger.
const MAX_BYTES: u64 = 64 << 20;

impl SchemaFile {
    /// Reads a schema file.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let mut text = String::new();
        let file = File::open(path).with_context(|| name.clone())?;
        let read = file.take(MAX_BYTES).read_to_string(&mut text);
        if let Err(problem) = read {
            bail!("{name}: not a schema file: {problem}; {}", parse::HINT);
        }
        parse::parse(&name, &text)
    }
}

impl SchemaColumn {
    /// What a file says about a column of a table.
    pub(crate) fn of(column: &Column, is_used: bool) -> Self {
        let kind = match SchemaKind::of(column) {
            // Nobody needs to know how the numbers are written.
            SchemaKind::Number(_) if !is_used => SchemaKind::Number(None),
            kind => kind,
        };
        Self { name: column.name().to_owned(), kind: Some(kind), is_used }
    }

    /// How to read the column. `marks_given` if the command line has the marks of numbers.
    pub(crate) fn read_as(&self, marks_given: bool) -> ReadAs {
        let Some(kind) = self.kind.as_ref().filter(|_| self.is_used) else { return ReadAs::Drop };
        match kind {
            SchemaKind::Number(Some(marks)) if !marks_given => {
                ReadAs::Written(Notation::Number(*marks))
            }
            SchemaKind::Number(_) => ReadAs::Number,
            SchemaKind::Percent(_) if marks_given => ReadAs::Number,
            SchemaKind::Percent(marks) => ReadAs::Written(Notation::Percent(*marks)),
            SchemaKind::Date(pattern) => ReadAs::Written(Notation::Date(pattern.clone())),
            SchemaKind::Time(pattern) => ReadAs::Written(Notation::Time(pattern.clone())),
            SchemaKind::Boolean | SchemaKind::Categories => ReadAs::Nominal,
            SchemaKind::Ordered(names) => ReadAs::Ordered(names.clone()),
            SchemaKind::Text | SchemaKind::Empty => ReadAs::Drop,
        }
    }

    /// How to read the column if it is the target. Whether its classes are booleans is seen by
    /// their values.
    pub(crate) fn read_as_target(&self, marks_given: bool) -> ReadAs {
        match self.read_as(marks_given) {
            _ if self.kind == Some(SchemaKind::Boolean) => ReadAs::Infer,
            ReadAs::Drop => ReadAs::Infer,
            read_as => read_as,
        }
    }
}

impl SchemaKind {
    fn of(column: &Column) -> Self {
        match (ColumnKind::of(column), column.values()) {
            (ColumnKind::Empty, _) => Self::Empty,
            (_, Values::Numeric(_)) => match column.notation() {
                Notation::Number(marks) => {
                    Self::Number((*marks != Marks::default()).then_some(*marks))
                }
                Notation::Percent(marks) => Self::Percent(*marks),
                Notation::Date(pattern) => Self::Date(pattern.clone()),
                Notation::Time(pattern) => Self::Time(pattern.clone()),
            },
            (ColumnKind::Boolean, _) => Self::Boolean,
            (ColumnKind::Text, _) => Self::Text,
            (ColumnKind::Ordered, Values::Nominal(nominal)) => {
                Self::Ordered(nominal.categories().to_vec())
            }
            (_, Values::Nominal(_)) => Self::Categories,
        }
    }
}
