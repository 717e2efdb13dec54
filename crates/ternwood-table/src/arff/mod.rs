//! ARFF, dense and sparse, in the dialects of Weka, OpenML and KEEL.
//!
//! | in the file | in the table |
//! |---|---|
//! | `numeric`, `real`, `integer`, `float`, `double`, `continuous` | numbers |
//! | `{a, 'b c', ...}` | the declared categories |
//! | `string`, `text` | texts, unless all are percentages or dates |
//! | `date ["pattern"]` | dates or times; texts if the pattern is unsupported |
//! | `?` or an empty field | a missing value |
//! | omitted from a sparse row | 0, or the first declared category |
//!
//! Keywords are case-insensitive. Names and values may be in single or double quotes, with
//! backslash escapes. Comments start with `%`, on their own line or after white space. Fields are
//! separated by commas, or by white space in lines without a comma. Relational attributes and
//! instance weights are errors.

mod fields;

use crate::delimited::what;
use crate::error::{Error, ErrorKind, Place, Result, clipped, field_too_long, listing, syntax};
use crate::infer::{self, Notations};
use crate::notation::parse;
use crate::options::{ReadAs, ReadOptions, Unreadable};
use crate::source::{Lines, Source};
use crate::table::builder::{ColumnBuilder, NominalBuilder, TableBuilder};
use crate::table::{CategoryOrigin, DecidedBy, Table, TableFile, check_distinct_names};
use fields::{Cursor, Field, Separator};
use indexmap::IndexSet;
use ternwood::dataset::notation::{DatePattern, Notation};

// The header of an ARFF file: `@relation`, `@attribute ...`, `@data`.

/// The declared type of an attribute.
#[derive(Debug, PartialEq)]
enum AttributeType {
    Numeric,
    Nominal(IndexSet<Box<str>>),
    Text,
    Date(DatePattern),
}

/// One declared column.
#[derive(Debug, PartialEq)]
struct Attribute {
    name: String,
    kind: AttributeType,
}

/// Reads up to and including the line `@data`.
fn read_header(lines: &mut Lines) -> Result<Vec<Attribute>> {
    let mut attributes = Vec::new();
    loop {
        if !lines.advance()? {
            let problem = "the file ends before @data; is it complete, and is it ARFF?";
            return Err(syntax(lines.place(), problem));
        }
        let line = lines.line();
        lines.check_length()?;
        if line.is_empty() || line.starts_with(b"%") {
            continue;
        }
        let mut cursor = Cursor::new(line);
        let keyword = cursor.word(b"{").map_err(|problem| syntax(lines.place(), problem))?;
        match keyword.bytes().to_ascii_lowercase().as_slice() {
            b"@data" => break,
            b"@attribute" => attributes.push(attribute(cursor, lines)?),
            // KEEL files repeat the column names in these lines.
            b"@relation" | b"@input" | b"@inputs" | b"@output" | b"@outputs" => {}
            _ => {
                let found = clipped(&String::from_utf8_lossy(line));
                let problem = format!("expected @attribute or @data, found '{found}'");
                return Err(syntax(lines.place(), problem));
            }
        }
    }
    let names = attributes.iter().map(|attribute| attribute.name.as_str());
    check_distinct_names(&lines.place(), names)?;
    if attributes.is_empty() {
        let file = lines.place().file;
        return Err(ErrorKind::Empty { file, what: "columns" }.into());
    }
    Ok(attributes)
}

/// Parses the rest of an `@attribute` line.
fn attribute(mut cursor: Cursor<'_>, lines: &Lines) -> Result<Attribute> {
    let (place, max_field) = (&lines.place(), lines.max_field());
    let fail = |problem: &str| syntax(place.clone(), problem);
    let name = cursor.word(b"{").map_err(fail)?;
    let name = text(&name, place, max_field)?;
    if name.is_empty() {
        return Err(fail("@attribute without a name"));
    }
    let place = place.clone().in_column(&name);
    let kind = if cursor.skip(b'{') {
        AttributeType::Nominal(categories(&mut cursor, &place, max_field)?)
    } else {
        simple_type(&mut cursor, &place, max_field)?
    };
    Ok(Attribute { name, kind })
}

/// Parses the categories up to the closing brace. The opening one is already consumed.
fn categories(
    cursor: &mut Cursor<'_>,
    place: &Place,
    max_field: usize,
) -> Result<IndexSet<Box<str>>> {
    let fail = |problem: &str| syntax(place.clone(), problem);
    let not_closed = "the list of categories has no closing brace";
    let mut categories = IndexSet::new();
    while !cursor.skip(b'}') {
        if cursor.is_done() {
            return Err(fail(not_closed));
        }
        let category = cursor.field(Separator::Comma, Some(b'}')).map_err(fail)?;
        if !matches!(category, Field::Bare(b"")) {
            categories.insert(text(&category, place, max_field)?.into_boxed_str());
        }
    }
    if cursor.is_done() { Ok(categories) } else { Err(fail("text after the closing brace")) }
}

fn simple_type(cursor: &mut Cursor<'_>, place: &Place, max_field: usize) -> Result<AttributeType> {
    let fail = |problem: &str| syntax(place.clone(), problem);
    // KEEL files have a range after the type: real [0.0, 1.0].
    let word = cursor.word(b"[%").map_err(fail)?;
    match word.bytes().to_ascii_lowercase().as_slice() {
        b"numeric" | b"real" | b"integer" | b"float" | b"double" | b"continuous" => {
            Ok(AttributeType::Numeric)
        }
        b"string" | b"text" => Ok(AttributeType::Text),
        b"date" if cursor.is_done() => Ok(AttributeType::Date(DatePattern::iso())),
        b"date" => {
            let pattern = text(&cursor.word(b"").map_err(fail)?, place, max_field)?;
            Ok(date_pattern(&pattern).map_or(AttributeType::Text, AttributeType::Date))
        }
        b"" => Err(fail("@attribute without a type")),
        b"relational" => Err(fail("relational attributes cannot be read; flatten the table")),
        other => {
            let found = clipped(&String::from_utf8_lossy(other));
            let expected = "expected numeric, real, integer, string, date or {categories}";
            Err(fail(&format!("unknown attribute type '{found}'; {expected}")))
        }
    }
}

/// The text of a field of at most `max_field` bytes.
fn text(field: &Field<'_>, place: &Place, max_field: usize) -> Result<String> {
    if field.bytes().len() > max_field {
        return Err(field_too_long(place.clone(), max_field));
    }
    match std::str::from_utf8(field.bytes()) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(Error::from(ErrorKind::NotUtf8 { place: place.clone() })),
    }
}

// The data section of an ARFF file.

/// Reads an ARFF file in chunks of rows.
pub(crate) struct ArffReader {
    lines: Lines,
    attributes: Vec<Attribute>,
    builder: TableBuilder,
    /// By column.
    unreadable: Vec<Unreadable>,
}

/// Reads a whole ARFF file.
pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    let mut table = ArffReader::open(source, options)?.read(usize::MAX, usize::MAX)?;
    infer::settle(&mut table, &Notations::of_typed_texts());
    Ok(table)
}

impl ArffReader {
    /// Reads the header.
    pub(crate) fn open(source: &Source, options: &ReadOptions) -> Result<Self> {
        let mut lines = Lines::open(source, options.max_field)?;
        let attributes = read_header(&mut lines)?;
        let names: Vec<String> = attributes.iter().map(|a| a.name.clone()).collect();
        let plan = options.plan(source.name(), &names)?;
        let unreadable = names.iter().map(|name| options.unreadable_in(name)).collect();
        let columns = attributes.iter().zip(&plan).map(|(a, plan)| column(a, plan)).collect();
        let mut builder = TableBuilder::new(TableFile::new(source.name()), names, columns);
        builder.notations =
            attributes.iter().zip(&plan).map(|(a, plan)| notation(a, plan)).collect();
        builder.decided_by = (attributes.iter().zip(&plan))
            .map(|(attribute, plan)| match attribute.kind {
                AttributeType::Text => plan.decided_by(DecidedBy::Values),
                _ => plan.decided_by(DecidedBy::File),
            })
            .collect();
        if options.keep {
            builder.kept = attributes.iter().map(|_| NominalBuilder::found()).collect();
        }
        Ok(Self { lines, attributes, builder, unreadable })
    }

    /// Reads up to `limit` rows, and none after those that take at least `bytes`. Returns a table without rows at
    /// the end.
    pub(crate) fn read(&mut self, limit: usize, bytes: usize) -> Result<Table> {
        let mut read = 0_usize;
        while self.builder.n_rows() < limit && read < bytes && self.lines.advance()? {
            let line = self.lines.line();
            // A sparse row omits values.
            read = read.saturating_add(line.len().max(self.attributes.len()));
            if line.is_empty() || line.starts_with(b"%") {
                self.lines.check_length()?;
                continue;
            }
            let mut row = Row {
                cursor: Cursor::new(line),
                attributes: &self.attributes,
                builder: &mut self.builder,
                line: self.lines.number(),
                max_field: self.lines.max_field(),
                unreadable: &self.unreadable,
            };
            let filled = if row.cursor.skip(b'{') { row.sparse() } else { row.dense() };
            match filled {
                Ok(()) => self.lines.check_length()?,
                Err(problem) => return Err(self.locate(problem)),
            }
            self.builder.end_row(self.lines.number());
        }
        Ok(self.builder.take())
    }

    /// Skips up to `limit` rows without checking their values. Returns the number skipped.
    pub(crate) fn skip(&mut self, limit: u64) -> Result<u64> {
        let mut skipped = 0;
        while skipped < limit && self.lines.advance()? {
            self.lines.check_length()?;
            let line = self.lines.line();
            skipped += u64::from(!line.is_empty() && !line.starts_with(b"%"));
        }
        self.builder.skip_rows(skipped);
        Ok(skipped)
    }

    fn locate(&self, problem: RowProblem) -> Error {
        let place = self.lines.place();
        let column = |index: usize| place.clone().in_column(&self.attributes[index].name);
        if let RowProblem::TooLong(index) = problem {
            let place = self.attributes.get(index).map_or(place.clone(), |_| column(index));
            return field_too_long(place, self.lines.max_field());
        }
        // The end of a line that is too long was not read.
        if let Err(error) = self.lines.check_length() {
            return error;
        }
        match problem {
            RowProblem::Syntax(problem) => syntax(place, problem),
            RowProblem::FieldCount(found) => {
                let expected = self.attributes.len();
                ErrorKind::Ragged { place, expected, found, hint: String::new() }.into()
            }
            RowProblem::Value(index, value) => self.bad_value(index, value, column(index)),
            RowProblem::TooLong(_) => field_too_long(place, self.lines.max_field()),
        }
    }

    fn bad_value(&self, index: usize, value: Vec<u8>, place: Place) -> Error {
        let Ok(value) = String::from_utf8(value) else {
            return ErrorKind::NotUtf8 { place }.into();
        };
        let value = clipped(&value);
        match &self.builder.columns[index] {
            ColumnBuilder::Nominal(nominal) => match self.attributes[index].kind {
                AttributeType::Nominal(_) => {
                    let known = listing(&nominal.categories());
                    ErrorKind::UndeclaredCategory { place, value, known }.into()
                }
                _ => {
                    let known = nominal.categories().join(" < ");
                    ErrorKind::NoRank { place, value, known }.into()
                }
            },
            _ => match &self.builder.notations[index] {
                Notation::Date(pattern) | Notation::Time(pattern) => {
                    ErrorKind::NotADate { place, value, pattern: pattern.as_str().to_owned() }
                        .into()
                }
                _ => ErrorKind::NotANumber { place, value }.into(),
            },
        }
    }
}

/// An empty column for an attribute that is read as `plan`.
fn column(attribute: &Attribute, plan: &ReadAs) -> ColumnBuilder {
    match (plan, &attribute.kind) {
        (ReadAs::Drop, _) => ColumnBuilder::Dropped,
        (ReadAs::Number | ReadAs::Written(_), _) => ColumnBuilder::numeric(),
        (ReadAs::Ordered(names), _) => ColumnBuilder::ordered(names),
        (ReadAs::Infer | ReadAs::Nominal, AttributeType::Nominal(categories)) => {
            let categories = categories.iter().map(|name| &**name);
            let declared = NominalBuilder::declared(categories, CategoryOrigin::Declared);
            ColumnBuilder::Nominal(declared)
        }
        (ReadAs::Nominal, _) | (ReadAs::Infer, AttributeType::Text) => ColumnBuilder::nominal(),
        (ReadAs::Infer, AttributeType::Numeric | AttributeType::Date(_)) => {
            ColumnBuilder::numeric()
        }
    }
}

/// How the numbers of an attribute are written.
fn notation(attribute: &Attribute, plan: &ReadAs) -> Notation {
    match (&attribute.kind, plan) {
        (AttributeType::Date(pattern), _) => Notation::Time(pattern.clone()),
        (AttributeType::Text | AttributeType::Nominal(_), ReadAs::Written(notation)) => {
            notation.clone()
        }
        _ => Notation::default(),
    }
}

/// An error in a row. The reader adds the place.
enum RowProblem {
    Syntax(&'static str),
    /// The number of fields found.
    FieldCount(usize),
    /// The index of a column, and a value it does not accept.
    Value(usize, Vec<u8>),
    /// The index of a column with a field that is too long.
    TooLong(usize),
}

impl From<&'static str> for RowProblem {
    fn from(problem: &'static str) -> Self {
        Self::Syntax(problem)
    }
}

/// A row to parse into the columns.
struct Row<'a> {
    cursor: Cursor<'a>,
    attributes: &'a [Attribute],
    builder: &'a mut TableBuilder,
    line: u64,
    max_field: usize,
    unreadable: &'a [Unreadable],
}

impl<'a> Row<'a> {
    fn dense(&mut self) -> Result<(), RowProblem> {
        let comma = self.attributes.len() == 1 || self.cursor.rest().contains(&b',');
        let separator = if comma { Separator::Comma } else { Separator::Blank };
        for index in 0..self.attributes.len() {
            if self.cursor.is_done() {
                return Err(RowProblem::FieldCount(index));
            }
            let field = self.field(index, separator, None)?;
            self.push(index, &field)?;
        }
        if self.cursor.is_done() {
            return Ok(());
        }
        if self.cursor.rest().starts_with(b"{") {
            return Err("instance weights ({...} after a row) cannot be read; remove them".into());
        }
        let mut found = self.attributes.len();
        while !self.cursor.is_done() {
            self.field(found, separator, None)?;
            found += 1;
        }
        Err(RowProblem::FieldCount(found))
    }

    fn sparse(&mut self) -> Result<(), RowProblem> {
        let mut next = 0;
        while !self.cursor.skip(b'}') {
            if self.cursor.is_done() {
                return Err("a sparse row has no closing brace".into());
            }
            let index = self.cursor.word(b",}")?;
            let index = std::str::from_utf8(index.bytes()).ok().and_then(|text| text.parse().ok());
            let Some(index) = index else {
                return Err("expected the number of a column in a sparse row".into());
            };
            if index < next || index >= self.attributes.len() {
                return Err("column numbers of a sparse row must ascend and exist".into());
            }
            self.push_defaults(next..index)?;
            let value = self.field(index, Separator::Comma, Some(b'}'))?;
            self.push(index, &value)?;
            next = index + 1;
        }
        if !self.cursor.is_done() {
            return Err("text after the closing brace of a sparse row".into());
        }
        self.push_defaults(next..self.attributes.len())
    }

    /// Reads the field of a column, unless it is too long.
    #[inline]
    fn field(
        &mut self,
        index: usize,
        separator: Separator,
        close: Option<u8>,
    ) -> Result<Field<'a>, RowProblem> {
        let before = self.cursor.remaining();
        let field = self.cursor.field(separator, close);
        // A quote that is not closed takes all of the line.
        let taken = before - if field.is_ok() { self.cursor.remaining() } else { 0 };
        if taken > self.max_field {
            return Err(RowProblem::TooLong(index));
        }
        Ok(field?)
    }

    /// Adds the values that a sparse row omits: 0, or the first declared category.
    fn push_defaults(&mut self, range: std::ops::Range<usize>) -> Result<(), RowProblem> {
        let attributes = self.attributes;
        for index in range {
            match (&attributes[index].kind, &mut self.builder.columns[index]) {
                (_, ColumnBuilder::Dropped) => {}
                (AttributeType::Numeric | AttributeType::Date(_), ColumnBuilder::Numeric(v)) => {
                    v.push(0.0);
                }
                (AttributeType::Numeric, _) => self.push(index, &Field::Bare(b"0"))?,
                (AttributeType::Nominal(categories), _) if !categories.is_empty() => {
                    self.push(index, &Field::Quoted(categories[0].as_bytes().into()))?;
                }
                _ => self.push(index, &Field::Bare(b"?"))?,
            }
        }
        Ok(())
    }

    #[inline]
    fn push(&mut self, index: usize, field: &Field<'_>) -> Result<(), RowProblem> {
        let refused = || RowProblem::Value(index, field.bytes().to_vec());
        if let Some(kept) = self.builder.kept.get_mut(index) {
            match str::from_utf8(field.bytes()) {
                Ok(text) => _ = kept.push(text),
                Err(_) => return Err(refused()),
            }
        }
        let accepted = match &mut self.builder.columns[index] {
            ColumnBuilder::Dropped | ColumnBuilder::Misjudged => true,
            ColumnBuilder::Numeric(values) => {
                let notation = &self.builder.notations[index];
                let value = match field.is_missing() {
                    true => Some(f64::NAN),
                    false => parse(notation, field.bytes()),
                };
                values.push(value.unwrap_or(ternwood::UNKNOWN));
                if value.is_none() && self.unreadable[index] == Unreadable::Unknown {
                    let place = self.builder.file.place().at_line(self.line);
                    let place = place.in_column(&self.attributes[index].name);
                    let text = String::from_utf8_lossy(field.bytes());
                    self.builder.unreadable.push(place, &text, what(notation));
                    return Ok(());
                }
                value.is_some()
            }
            ColumnBuilder::Nominal(nominal) if field.is_missing() => {
                nominal.push_missing();
                true
            }
            ColumnBuilder::Nominal(nominal) => {
                str::from_utf8(field.bytes()).is_ok_and(|text| nominal.push(text))
            }
        };
        if accepted { Ok(()) } else { Err(refused()) }
    }
}

// Patterns of dates in ARFF files, which are those of Java.

/// The same pattern with the codes of `strptime`. `None` if it has letters without such a code
/// (days of the week, time zones, ...), or not a whole date.
fn date_pattern(java: &str) -> Option<DatePattern> {
    let mut pattern = String::new();
    let mut rest = java;
    while let Some(letter) = rest.chars().next() {
        let run = rest.len() - rest.trim_start_matches(letter).len();
        if letter == '\'' {
            let (literal, after) = rest[1..].split_once('\'')?;
            pattern += literal;
            rest = after;
            continue;
        }
        let code = match (letter, run) {
            ('y', 4) => "%Y",
            ('y', 2) => "%y",
            ('M', 1 | 2) => "%m",
            ('M', 3..) => "%b",
            ('d', _) => "%d",
            ('H', _) => "%H",
            ('h', _) => "%I",
            ('a', _) => "%p",
            ('m', _) => "%M",
            ('s', _) => "%S",
            ('S', _) => "%f",
            _ if letter.is_ascii_alphabetic() => return None,
            _ => &rest[..run],
        };
        pattern += code;
        rest = &rest[run..];
    }
    DatePattern::new(&pattern).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_java() {
        let translated = |java| date_pattern(java).map(|pattern| pattern.as_str().to_owned());
        for (java, expected) in [
            ("yyyy-MM-dd'T'HH:mm:ss", Some("%Y-%m-%d")),
            ("yyyy-MM-dd HH:mm:ss", Some("%Y-%m-%d")),
            ("dd.MM.yyyy", Some("%d.%m.%Y")),
            ("yyyyMMdd", Some("%Y%m%d")),
            ("dd MMM yyyy", Some("%d %b %Y")),
            ("EEE", None),
            ("yyyy-MM-dd'T", None),
            ("HH:mm", None),
        ] {
            assert_eq!(translated(java).as_deref(), expected, "{java}");
        }
    }
}
