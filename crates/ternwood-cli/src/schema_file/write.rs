//! Writes a schema file, one line per column.

use super::{SchemaColumn, SchemaFile, SchemaKind, VERSION};
use serde::Serialize;
use ternwood::dataset::notation::{DatePattern, DecimalMark, Marks};
use ternwood_table::ColumnKind;

/// The fields of a column, in the order in which they are written.
#[derive(Serialize, Clone, Copy)]
struct Fields<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decimal: Option<DecimalMark>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thousands: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a DatePattern>,
    #[serde(skip_serializing_if = "Option::is_none")]
    categories: Option<&'a [String]>,
    #[serde(rename = "use", skip_serializing_if = "Option::is_none")]
    is_used: Option<bool>,
}

impl SchemaFile {
    /// The text of the file.
    pub(crate) fn to_json(&self) -> String {
        let target = self.target.as_ref();
        let target = target.map(|name| format!("  \"target\": {},\n", json(name)));
        let columns: Vec<String> =
            self.columns.iter().map(|column| format!("    {}", json(&fields(column)))).collect();
        format!(
            "{{\n  \"ternwood_schema\": {VERSION},\n{}  \"columns\": [\n{}\n  ]\n}}\n",
            target.unwrap_or_default(),
            columns.join(",\n")
        )
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data is always JSON")
}

fn fields(column: &SchemaColumn) -> Fields<'_> {
    let plain = Fields {
        name: &column.name,
        kind: None,
        decimal: None,
        thousands: None,
        format: None,
        categories: None,
        is_used: (!column.is_used).then_some(false),
    };
    let of = |kind: ColumnKind| Fields { kind: Some(kind.as_str()), ..plain };
    let with = |fields, marks: Marks| Fields {
        decimal: (marks != Marks::default()).then_some(marks.decimal),
        thousands: marks.thousands,
        ..fields
    };
    match &column.kind {
        None => plain,
        Some(SchemaKind::Number(None)) => of(ColumnKind::Number),
        Some(SchemaKind::Number(Some(marks))) => with(of(ColumnKind::Number), *marks),
        Some(SchemaKind::Percent(marks)) => with(of(ColumnKind::Percent), *marks),
        Some(SchemaKind::Date(pattern)) => Fields { format: Some(pattern), ..of(ColumnKind::Date) },
        Some(SchemaKind::Time(pattern)) => Fields { format: Some(pattern), ..of(ColumnKind::Time) },
        Some(SchemaKind::Boolean) => of(ColumnKind::Boolean),
        Some(SchemaKind::Categories) => of(ColumnKind::Categories),
        Some(SchemaKind::Ordered(names)) => {
            Fields { categories: Some(names), ..of(ColumnKind::Ordered) }
        }
        Some(SchemaKind::Text) => of(ColumnKind::Text),
        Some(SchemaKind::Empty) => of(ColumnKind::Empty),
    }
}
