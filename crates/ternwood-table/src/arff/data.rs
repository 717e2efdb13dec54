//! The data section of an ARFF file.

use super::fields::{Cursor, Field, Separator};
use super::header::{self, Attribute, AttributeType};
use crate::delimited::what;
use crate::error::{Error, ErrorKind, Place, Result, clipped, field_too_long, listing, syntax};
use crate::infer::Notations;
use crate::notation::parse;
use crate::options::{ReadAs, ReadOptions, Unreadable};
use crate::source::{Lines, Source};
use crate::table::builder::{ColumnBuilder, NominalBuilder, TableBuilder};
use crate::table::{CategoryOrigin, DecidedBy, Table, TableFile, kinds};
use ternwood::dataset::notation::Notation;

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
    kinds::settle(&mut table, &Notations::of_typed_texts());
    Ok(table)
}

impl ArffReader {
    /// Reads the header.
    pub(crate) fn open(source: &Source, options: &ReadOptions) -> Result<Self> {
        let mut lines = Lines::open(source, options.max_field)?;
        let attributes = header::read(&mut lines)?;
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
