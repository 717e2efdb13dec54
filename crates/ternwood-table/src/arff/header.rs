//! The header of an ARFF file: `@relation`, `@attribute ...`, `@data`.

use super::date::date_pattern;
use super::fields::{Cursor, Field, Separator};
use crate::error::{Error, ErrorKind, Place, Result, clipped, field_too_long, syntax};
use crate::source::Lines;
use crate::table::check_distinct_names;
use indexmap::IndexSet;
use ternwood::dataset::notation::DatePattern;

/// The declared type of an attribute.
#[derive(Debug, PartialEq)]
pub(super) enum AttributeType {
    Numeric,
    Nominal(IndexSet<Box<str>>),
    Text,
    Date(DatePattern),
}

/// One declared column.
#[derive(Debug, PartialEq)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) kind: AttributeType,
}

/// Reads up to and including the line `@data`.
pub(super) fn read(lines: &mut Lines) -> Result<Vec<Attribute>> {
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
