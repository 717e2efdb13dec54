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

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use ternwood::dataset::notation::{DatePattern, DecimalMark, Marks, Notation};
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
            bail!("{name}: not a schema file: {problem}; {HINT}");
        }
        parse(&name, &text)
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

// Parses a schema file. Every error names the file, the column, the value and the remedy.

const HINT: &str = "`ternwood look DATA --write-schema FILE` writes one";

/// The fields of the file, and those of a column.
const FILE_FIELDS: [&str; 3] = ["ternwood_schema", "target", "columns"];
const COLUMN_FIELDS: [&str; 7] =
    ["name", "kind", "decimal", "thousands", "format", "categories", "use"];

/// Parses the text of a file of this name.
fn parse(file: &str, text: &str) -> Result<SchemaFile> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with('{') {
        bail!("{file}: not a schema file: it does not begin with a brace; {HINT}");
    }
    let value: Value = serde_json::from_str(text).map_err(|problem| {
        let (line, column) = (problem.line(), problem.column());
        let problem = problem.to_string();
        let what = problem.split(" at line ").next().unwrap_or(&problem);
        anyhow!("{file}, line {line}, character {column}: not JSON: {what}")
    })?;
    let Some(fields) = value.as_object() else { bail!("{file}: not a schema file; {HINT}") };
    let Some(version) = fields.get("ternwood_schema") else {
        bail!("{file}: not a schema file: it has no \"ternwood_schema\": {VERSION}; {HINT}");
    };
    if version.as_u64() != Some(VERSION) {
        bail!(
            "{file}: \"ternwood_schema\" is {version}; this version of ternwood reads {VERSION} only"
        );
    }
    known(fields, &FILE_FIELDS).map_err(|problem| anyhow!("{file}: {problem}"))?;
    let target = match fields.get("target") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => Some(name.clone()),
        Some(other) => bail!("{file}: \"target\" is {other}; it must be the name of a column"),
    };
    let columns = match fields.get("columns") {
        None => &Vec::new(),
        Some(Value::Array(columns)) => columns,
        Some(_) => bail!("{file}: \"columns\" must be a list, such as {EXAMPLE}"),
    };
    let mut schema = SchemaFile { target, columns: Vec::new() };
    let mut names = HashSet::new();
    for (index, value) in columns.iter().enumerate() {
        let (name, fields) = named(value).ok_or_else(|| {
            let number = index + 1;
            anyhow!("{file}: entry {number} of \"columns\" has no \"name\"; expected {EXAMPLE}")
        })?;
        let refuse = |problem: String| anyhow!("{file}, column '{name}': {problem}");
        if !names.insert(name) {
            return Err(refuse("it is listed twice; leave one out".to_owned()));
        }
        let column = column(name, fields).map_err(refuse)?;
        if !column.is_used && schema.target.as_deref() == Some(name) {
            return Err(refuse("it is the target, so \"use\" cannot be false".to_owned()));
        }
        schema.columns.push(column);
    }
    Ok(schema)
}

const EXAMPLE: &str = "{\"name\": \"age\", \"kind\": \"number\"}";

fn named(value: &Value) -> Option<(&str, &Map<String, Value>)> {
    let fields = value.as_object()?;
    Some((fields.get("name")?.as_str()?, fields))
}

/// Refuses fields that are not known.
fn known(fields: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    match fields.keys().find(|field| !known.contains(&field.as_str())) {
        Some(field) => Err(format!("unknown field \"{field}\"; known are {}", listed(known))),
        None => Ok(()),
    }
}

fn listed(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    words.join(", ")
}

fn column(name: &str, fields: &Map<String, Value>) -> Result<SchemaColumn, String> {
    known(fields, &COLUMN_FIELDS)?;
    let is_used = match fields.get("use") {
        None => true,
        Some(Value::Bool(is_used)) => *is_used,
        Some(other) => return Err(format!("\"use\" is {other}; it must be true or false")),
    };
    let name = name.to_owned();
    let Some(kind) = fields.get("kind") else {
        return match is_used {
            true => Err(format!("it has no \"kind\"; the kinds are {}", kinds())),
            false => Ok(SchemaColumn { name, kind: None, is_used }),
        };
    };
    let is_named = |known: &ColumnKind| kind.as_str() == Some(known.as_str());
    let Some(kind) = ColumnKind::ALL.into_iter().find(is_named) else {
        return Err(format!("unknown kind {kind}; the kinds are {}", kinds()));
    };
    let kind = ColumnFields { kind, fields }.parse()?;
    if is_used && matches!(kind, SchemaKind::Text | SchemaKind::Empty) {
        return Err(format!(
            "nothing can be learnt from the kind \"{}\"; say \"use\": false, or another kind such \
             as \"categories\"",
            fields["kind"].as_str().unwrap_or_default()
        ));
    }
    Ok(SchemaColumn { name, kind: Some(kind), is_used })
}

fn kinds() -> String {
    listed(&ColumnKind::ALL.map(ColumnKind::as_str))
}

/// The fields of a column of some kind.
struct ColumnFields<'a> {
    kind: ColumnKind,
    fields: &'a Map<String, Value>,
}

impl ColumnFields<'_> {
    fn parse(&self) -> Result<SchemaKind, String> {
        use ColumnKind::{Date, Number, Ordered, Percent, Time};
        let allowed: &[(&str, &[ColumnKind])] = &[
            ("decimal", &[Number, Percent]),
            ("thousands", &[Number, Percent]),
            ("format", &[Date, Time]),
            ("categories", &[Ordered]),
        ];
        for (field, kinds) in allowed {
            if self.fields.contains_key(*field) && !kinds.contains(&self.kind) {
                let kinds: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
                return Err(format!(
                    "\"{field}\" is for columns of the kind {}, but this one is \"{}\"; take it out",
                    listed(&kinds).replace(", ", " or "),
                    self.kind
                ));
            }
        }
        Ok(match self.kind {
            Number => SchemaKind::Number(self.marks()?),
            Percent => SchemaKind::Percent(self.marks()?.unwrap_or_default()),
            Date => SchemaKind::Date(self.format()?),
            Time => SchemaKind::Time(self.format()?),
            ColumnKind::Boolean => SchemaKind::Boolean,
            ColumnKind::Categories => SchemaKind::Categories,
            Ordered => SchemaKind::Ordered(self.categories()?),
            ColumnKind::Text => SchemaKind::Text,
            ColumnKind::Empty => SchemaKind::Empty,
        })
    }

    /// The decimal mark and the thousands separator, if one of them is given.
    fn marks(&self) -> Result<Option<Marks>, String> {
        let (decimal, thousands) = (self.fields.get("decimal"), self.fields.get("thousands"));
        if decimal.is_none() && thousands.is_none() {
            return Ok(None);
        }
        let decimal = match decimal.map(Value::as_str) {
            None | Some(Some(".")) => DecimalMark::Point,
            Some(Some(",")) => DecimalMark::Comma,
            _ => return Err(self.wrong("decimal", "\".\" or \",\"")),
        };
        let mut mark = thousands.and_then(Value::as_str).unwrap_or_default().chars();
        let thousands = match (thousands, mark.next(), mark.next()) {
            (None, ..) => None,
            (Some(_), Some(mark), None) => Some(mark),
            _ => return Err(self.wrong("thousands", "one character, such as \".\"")),
        };
        let marks = Marks { decimal, thousands };
        match marks.check() {
            Ok(()) => Ok(Some(marks)),
            Err(_) => Err(self.wrong("thousands", "another character than the decimal mark")),
        }
    }

    fn format(&self) -> Result<DatePattern, String> {
        let Some(format) = self.fields.get("format") else { return Ok(DatePattern::iso()) };
        let pattern = format.as_str().and_then(|text| DatePattern::new(text).ok());
        pattern.ok_or_else(|| {
            self.wrong("format", "year, month and day in some order, such as \"%d.%m.%Y\"")
        })
    }

    fn categories(&self) -> Result<Vec<String>, String> {
        let Some(list) = self.fields.get("categories") else {
            return Err("it is ordered, so it needs \"categories\", lowest first".to_owned());
        };
        let names = list.as_array().map(Vec::as_slice).unwrap_or_default().iter();
        let names: Option<Vec<String>> =
            names.map(|name| Some(name.as_str()?.to_owned())).collect();
        let distinct = |names: &Vec<String>| names.iter().collect::<HashSet<_>>().len();
        names.filter(|names| names.len() > 1 && distinct(names) == names.len()).ok_or_else(|| {
            self.wrong("categories", "two different texts or more, such as [\"low\", \"high\"]")
        })
    }

    fn wrong(&self, field: &str, expected: &str) -> String {
        format!("\"{field}\" is {}; it must be {expected}", self.fields[field])
    }
}

// Writes a schema file, one line per column.

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

#[cfg(test)]
mod tests {
    use super::*;

    /// The file with one column that has these fields besides its name.
    fn with(fields: &str) -> String {
        format!(r#"{{"ternwood_schema": 1, "columns": [{{"name": "a", {fields}}}]}}"#)
    }

    fn all_kinds() -> SchemaFile {
        let used = |name: &str, kind| SchemaColumn {
            name: name.to_owned(),
            kind: Some(kind),
            is_used: true,
        };
        let comma = Marks { decimal: DecimalMark::Comma, thousands: Some('.') };
        let spaces = Marks { decimal: DecimalMark::Point, thousands: Some(' ') };
        let german = DatePattern::new("%d.%m.%Y").unwrap();
        SchemaFile {
            target: Some("it \"is\"\nill".to_owned()),
            columns: vec![
                used("age", SchemaKind::Number(None)),
                used("price", SchemaKind::Number(Some(comma))),
                used("sales", SchemaKind::Number(Some(spaces))),
                used("share", SchemaKind::Percent(Marks::default())),
                used("rate", SchemaKind::Percent(comma)),
                used("start", SchemaKind::Date(german)),
                used("when", SchemaKind::Time(DatePattern::iso())),
                used("member", SchemaKind::Boolean),
                used("ward", SchemaKind::Categories),
                used("size", SchemaKind::Ordered(vec!["S".to_owned(), "L".to_owned()])),
                SchemaColumn { is_used: false, ..used("id", SchemaKind::Text) },
                SchemaColumn { is_used: false, ..used("notes", SchemaKind::Empty) },
                SchemaColumn { name: "x".to_owned(), kind: None, is_used: false },
            ],
        }
    }

    #[test]
    fn a_schema_survives_being_written() {
        let schema = all_kinds();
        assert_eq!(parse("s.json", &schema.to_json()).unwrap(), schema);
        let empty = SchemaFile::default();
        assert_eq!(parse("s.json", &empty.to_json()).unwrap(), empty);
    }

    #[test]
    fn one_line_per_column() {
        let text = all_kinds().to_json();
        let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap().trim();
        assert_eq!(line("\"age\""), r#"{"name":"age","kind":"number"},"#);
        assert_eq!(line("\"start\""), r#"{"name":"start","kind":"date","format":"%d.%m.%Y"},"#);
        assert_eq!(line("\"id\""), r#"{"name":"id","kind":"text","use":false},"#);
        assert_eq!(text.lines().count(), 13 + 6);
    }

    #[test]
    fn errors_name_file_column_value_and_remedy() {
        for (text, expected) in [
            ("{\n  nonsense", "s.json, line 2, character 3: not JSON: key must be a string"),
            ("[]", "s.json: not a schema file: it does not begin with a brace; `ternwood look"),
            ("{}", "s.json: not a schema file: it has no \"ternwood_schema\": 1; `ternwood look"),
            (r#"{"ternwood_schema": 2}"#, "\"ternwood_schema\" is 2; this version of ternwood"),
            (
                r#"{"ternwood_schema": 1, "colums": []}"#,
                "s.json: unknown field \"colums\"; known are \"ternwood_schema\", \"target\"",
            ),
            (r#"{"ternwood_schema": 1, "target": 5}"#, "\"target\" is 5; it must be the name"),
            (r#"{"ternwood_schema": 1, "columns": {}}"#, "\"columns\" must be a list"),
            (
                r#"{"ternwood_schema": 1, "columns": [{"name": "a", "use": false}, {}]}"#,
                "entry 2 of \"columns\" has no \"name\"; expected {\"name\": \"age\"",
            ),
            (
                r#"{"ternwood_schema": 1, "target": "a", "columns": [{"name": "a", "use": false}]}"#,
                "s.json, column 'a': it is the target, so \"use\" cannot be false",
            ),
            (&with(r#""use": true"#), "column 'a': it has no \"kind\"; the kinds are \"number\""),
            (&with(r#""kind": "numbr""#), "unknown kind \"numbr\"; the kinds are \"number\""),
            (&with(r#""kind": "number", "formt": 1"#), "unknown field \"formt\"; known are"),
            (
                &with(r#""kind": "number", "format": "%Y""#),
                "\"format\" is for columns of the kind \"date\" or \"time\", but this one is \
             \"number\"; take it out",
            ),
            (&with(r#""kind": "date", "format": "%Y""#), "\"format\" is \"%Y\"; it must be year"),
            (&with(r#""kind": "number", "decimal": ";""#), "\"decimal\" is \";\"; it must be"),
            (
                &with(r#""kind": "number", "thousands": """#),
                "\"thousands\" is \"\"; it must be one",
            ),
            (&with(r#""kind": "ordered""#), "so it needs \"categories\", lowest first"),
            (&with(r#""kind": "ordered", "categories": ["a", 1]"#), "is [\"a\",1]; it must be two"),
            (&with(r#""kind": "ordered", "categories": ["a", "a"]"#), "it must be two different"),
            (&with(r#""kind": "text""#), "nothing can be learnt from the kind \"text\"; say"),
            (&with(r#""kind": "number", "use": "no""#), "\"use\" is \"no\"; it must be true or"),
        ] {
            let error = parse("s.json", text).unwrap_err().to_string();
            assert!(error.starts_with("s.json") && error.contains(expected), "{text}: {error}");
        }
        let twice = r#"{"ternwood_schema": 1, "columns": [{"name": "a", "kind": "number"},
                   {"name": "a", "kind": "date"}]}"#;
        let error = parse("s.json", twice).unwrap_err().to_string();
        assert_eq!(error, "s.json, column 'a': it is listed twice; leave one out");
    }
}
