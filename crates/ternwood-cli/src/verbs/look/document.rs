//! What `look` finds, for other programs.

use super::Look;
use crate::column_table::{Role, decided_by};
use serde::Serialize;
use ternwood::ClassName;
use ternwood_table::{Format, Profile};

#[derive(Serialize)]
pub(super) struct LookDocument {
    format: &'static str,
    /// What separates the fields of a text table.
    delimiter: Option<char>,
    /// Whether the first line of a text table has the names.
    header: Option<bool>,
    rows: usize,
    columns: Vec<ColumnDocument>,
    target: Option<String>,
    /// The classes of the target, with their rows.
    classes: Vec<ClassRows>,
    /// Why `fit` would refuse the table; `null` if it would not.
    refusal: Option<String>,
}

#[derive(Serialize)]
struct ColumnDocument {
    name: String,
    kind: &'static str,
    /// Who says so: `data`, `file` or `you`.
    by: &'static str,
    /// What `fit` does with it.
    fit: &'static str,
    missing: usize,
    /// The number of different values; at least this many unless `is_exact`.
    distinct: usize,
    is_exact: bool,
    /// The number of rows with the commonest value.
    commonest: Option<usize>,
    /// Some values, the commonest first.
    values: Vec<String>,
}

#[derive(Serialize)]
struct ClassRows {
    class: ClassName,
    rows: usize,
}

impl ColumnDocument {
    fn new(profile: Profile, role: Role) -> Self {
        Self {
            kind: profile.kind.as_str(),
            by: decided_by(profile.decided_by),
            fit: role.word(),
            missing: profile.missing,
            distinct: profile.distinct,
            is_exact: profile.is_exact,
            commonest: profile.commonest,
            values: profile.examples,
            name: profile.name,
        }
    }
}

impl Look {
    pub(super) fn into_document(self) -> LookDocument {
        let columns = self.columns.into_iter();
        let classes = self.classes.into_iter();
        LookDocument {
            format: match self.layout.format {
                Format::Csv | Format::Tsv => "text",
                Format::Arff => "arff",
                Format::Parquet => "parquet",
            },
            delimiter: self.layout.text.map(|text| text.delimiter),
            header: self.layout.text.map(|text| text.header),
            rows: self.rows,
            columns: columns.map(|(profile, role)| ColumnDocument::new(profile, role)).collect(),
            target: self.schema.target,
            classes: classes.map(|(class, rows)| ClassRows { class, rows }).collect(),
            refusal: self.refusal,
        }
    }
}
