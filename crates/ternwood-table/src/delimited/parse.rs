//! Parses a block of records into columns.

use crate::delimited::cursor::{BadField, Cursor, End};
use crate::delimited::sniff::Layout;
use crate::error::{Error, ErrorKind, Place, clipped, field_too_long, row_too_long, syntax};
use crate::notation::{parse, parse_number};
use crate::options::{Unreadable, max_row};
use crate::table::builder::{ColumnBuilder, NominalBuilder, TableBuilder};
use crate::table::{A_NUMBER, TableFile};
use ternwood::dataset::notation::Notation;

/// What to do with a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FieldPlan {
    Skip,
    /// A number, and what to do if it is none.
    Number(Notation, NotANumber),
    /// A text.
    Text,
    /// One of these texts.
    Ordered(Vec<String>),
}

/// What to do with a field that is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotANumber {
    Error,
    Unknown,
    /// The column was only guessed to be numeric: read it again as text.
    Misjudged,
}

impl From<Unreadable> for NotANumber {
    fn from(unreadable: Unreadable) -> Self {
        match unreadable {
            Unreadable::Error => Self::Error,
            Unreadable::Unknown => Self::Unknown,
        }
    }
}

/// How to parse the blocks of a text.
#[derive(Debug)]
pub(super) struct Parser {
    pub(super) file: String,
    pub(super) layout: Layout,
    pub(super) missing: MissingSpellings,
    pub(super) fields: Vec<FieldPlan>,
    pub(super) keep: bool,
    pub(super) max_field: usize,
}

/// How far a block was parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) bytes: usize,
    pub(super) lines: u64,
}

/// An error in a record, at a line counted from the start of the block.
pub(super) struct RecordError {
    line: u64,
    problem: Problem,
}

enum Problem {
    OpenQuote,
    /// The column of a field.
    FieldTooLong(usize),
    RowTooLong,
    /// The number of fields, and of line breaks within them.
    Ragged(usize, u64),
    NotANumber(usize, String),
    NoRank(usize, String),
    NotUtf8(usize),
}

impl Parser {
    /// A table without rows, to parse blocks into.
    pub(super) fn builder(&self) -> TableBuilder {
        let columns = self.fields.iter().map(|plan| match plan {
            FieldPlan::Skip => ColumnBuilder::Dropped,
            FieldPlan::Number(..) => ColumnBuilder::numeric(),
            FieldPlan::Text => ColumnBuilder::nominal(),
            FieldPlan::Ordered(names) => ColumnBuilder::ordered(names),
        });
        let names = self.layout.names.clone();
        let mut builder = TableBuilder::new(TableFile::new(&self.file), names, columns.collect());
        for (notation, plan) in builder.notations.iter_mut().zip(&self.fields) {
            if let FieldPlan::Number(of_column, _) = plan {
                *notation = of_column.clone();
            }
        }
        if self.keep {
            builder.kept = self.fields.iter().map(|_| NominalBuilder::found()).collect();
        }
        builder
    }

    /// Parses up to `limit` records at the start of a block and appends them to the part. The
    /// first block begins with the header, if there is one.
    pub(super) fn parse(
        &self,
        block: &[u8],
        is_first: bool,
        limit: usize,
        part: &mut TableBuilder,
    ) -> Result<Parsed, RecordError> {
        let end = part.n_rows().saturating_add(limit);
        self.each_record(block, is_first, |cursor, line| {
            if part.n_rows() == end {
                return Ok(false);
            }
            self.record(cursor, part)?;
            part.end_row(line);
            Ok(true)
        })
    }

    /// Skips up to `limit` records at the start of a block and counts them, without looking at
    /// their values.
    pub(super) fn skip(
        &self,
        block: &[u8],
        is_first: bool,
        limit: u64,
        skipped: &mut u64,
    ) -> Result<Parsed, RecordError> {
        let end = skipped.saturating_add(limit);
        self.each_record(block, is_first, |cursor, line| {
            if *skipped == end {
                return Ok(false);
            }
            for index in 1.. {
                cursor.field().map_err(|problem| problem.in_column(index - 1))?;
                let breaks = cursor.line() - line;
                match cursor.end_field() {
                    End::Field if index == self.fields.len() => self.extra_fields(cursor, line)?,
                    End::Field => continue,
                    End::Record if index < self.fields.len() => {
                        return Err(Problem::Ragged(index, breaks));
                    }
                    End::Record => {}
                }
                break;
            }
            *skipped += 1;
            Ok(true)
        })
    }

    /// Calls `f` at the start of every record, with its line, until it returns false.
    #[inline]
    fn each_record<'a>(
        &self,
        block: &'a [u8],
        is_first: bool,
        mut f: impl FnMut(&mut Cursor<'a>, u64) -> Result<bool, Problem>,
    ) -> Result<Parsed, RecordError> {
        let mut cursor = Cursor::new(block, self.layout.delimiter, self.max_field);
        if is_first && self.layout.header && cursor.next_record() {
            let line = cursor.line();
            skip_record(&mut cursor).map_err(|problem| RecordError { line, problem })?;
        }
        while cursor.next_record() {
            let (line, start) = (cursor.line(), cursor.consumed());
            let read = f(&mut cursor, line);
            let is_too_long = cursor.consumed() - start > max_row(self.max_field);
            let problem = match read {
                // Of a row that is too long, the fields may have been cut off.
                Ok(true) | Err(Problem::Ragged(..)) if is_too_long => Problem::RowTooLong,
                Ok(true) => continue,
                Ok(false) => break,
                Err(problem) => problem,
            };
            return Err(RecordError { line, problem });
        }
        Ok(Parsed { bytes: cursor.consumed(), lines: cursor.line() })
    }

    #[inline]
    fn record(&self, cursor: &mut Cursor<'_>, part: &mut TableBuilder) -> Result<(), Problem> {
        let line = cursor.line();
        let last = self.fields.len() - 1;
        for (index, plan) in self.fields.iter().enumerate() {
            self.field(index, plan, cursor, part)?;
            let breaks = cursor.line() - line;
            match cursor.end_field() {
                End::Record if index < last => return Err(Problem::Ragged(index + 1, breaks)),
                End::Field if index == last => return self.extra_fields(cursor, line),
                _ => {}
            }
        }
        Ok(())
    }

    /// The fields after the last column: an empty one, after a trailing delimiter, is ignored.
    fn extra_fields(&self, cursor: &mut Cursor<'_>, line: u64) -> Result<(), Problem> {
        let mut found = self.fields.len();
        let mut all_empty = true;
        let breaks = loop {
            found += 1;
            let field = cursor.field().map_err(|problem| problem.in_column(found - 1))?;
            all_empty &= field.trim_ascii().is_empty();
            let breaks = cursor.line() - line;
            if cursor.end_field() == End::Record {
                break breaks;
            }
        };
        if found == self.fields.len() + 1 && all_empty {
            return Ok(());
        }
        Err(Problem::Ragged(found, breaks))
    }

    #[inline(always)]
    fn field(
        &self,
        index: usize,
        plan: &FieldPlan,
        cursor: &mut Cursor<'_>,
        part: &mut TableBuilder,
    ) -> Result<(), Problem> {
        if let (FieldPlan::Number(notation, _), ColumnBuilder::Numeric(values)) =
            (plan, &mut part.columns[index])
            && !self.keep
            && notation.is_plain()
            && !self.missing.has_numbers()
            && let Some(value) = cursor.number()
        {
            values.push(value);
            return Ok(());
        }
        self.any_field(index, plan, cursor, part)
    }

    /// A field that is not plainly a number.
    fn any_field(
        &self,
        index: usize,
        plan: &FieldPlan,
        cursor: &mut Cursor<'_>,
        part: &mut TableBuilder,
    ) -> Result<(), Problem> {
        let line = cursor.line();
        let whole = cursor.field().map_err(|problem| problem.in_column(index))?;
        let utf8 = |bytes| str::from_utf8(bytes).map_err(|_| Problem::NotUtf8(index));
        if let Some(kept) = part.kept.get_mut(index) {
            kept.push(utf8(&whole)?);
        }
        let field = whole.trim_ascii();
        match &mut part.columns[index] {
            ColumnBuilder::Dropped | ColumnBuilder::Misjudged => {}
            ColumnBuilder::Numeric(values) => {
                let FieldPlan::Number(notation, otherwise) = plan else { return Ok(()) };
                if self.missing.contains(field) {
                    values.push(f64::NAN);
                } else if let Some(value) = parse(notation, field) {
                    values.push(value);
                } else {
                    match otherwise {
                        NotANumber::Misjudged => part.columns[index] = ColumnBuilder::Misjudged,
                        NotANumber::Error => {
                            return Err(Problem::NotANumber(index, utf8(field)?.to_owned()));
                        }
                        NotANumber::Unknown => {
                            values.push(ternwood::UNKNOWN);
                            let place = Place::file(&*self.file)
                                .at_line(line)
                                .in_column(&self.layout.names[index]);
                            let text = String::from_utf8_lossy(field);
                            part.unreadable.push(place, &text, what(notation));
                        }
                    }
                }
            }
            ColumnBuilder::Nominal(nominal) => {
                if self.missing.contains(field) {
                    nominal.push_missing();
                } else if !nominal.push(utf8(field)?) {
                    return Err(Problem::NoRank(index, utf8(field)?.to_owned()));
                }
            }
        }
        Ok(())
    }

    /// The error, given the number of lines before the block.
    pub(super) fn error(&self, error: RecordError, lines_before: u64) -> Error {
        let RecordError { line, problem } = error;
        let line = lines_before + line + 1;
        let place = Place::file(&*self.file).at_line(line);
        let in_column = |index: usize| match self.layout.names.get(index) {
            Some(name) => place.clone().in_column(name),
            None => place.clone(),
        };
        match problem {
            Problem::FieldTooLong(index) => field_too_long(in_column(index), self.max_field),
            Problem::RowTooLong => row_too_long(place, self.max_field),
            Problem::OpenQuote => syntax(place, "a quote is opened in this row and never closed"),
            Problem::NotUtf8(index) => ErrorKind::NotUtf8 { place: in_column(index) }.into(),
            Problem::NotANumber(index, value) => {
                self.not_a_number(index, clipped(&value), in_column(index))
            }
            Problem::NoRank(index, value) => ErrorKind::NoRank {
                place: in_column(index),
                value: clipped(&value),
                known: match &self.fields[index] {
                    FieldPlan::Ordered(names) => names.join(" < "),
                    _ => String::new(),
                },
            }
            .into(),
            Problem::Ragged(found, breaks) => {
                let hint = match breaks {
                    0 if self.layout.trailing_delimiter && found == self.fields.len() + 1 => {
                        ", or give the last column, which has no name, one".to_owned()
                    }
                    0 => String::new(),
                    breaks => format!(
                        ", or for a quote that is not closed (the row goes on to line {})",
                        line + breaks
                    ),
                };
                ErrorKind::Ragged { place, expected: self.fields.len(), found, hint }.into()
            }
        }
    }

    fn not_a_number(&self, index: usize, value: String, place: Place) -> Error {
        match &self.fields[index] {
            FieldPlan::Number(Notation::Date(pattern) | Notation::Time(pattern), _) => {
                ErrorKind::NotADate { place, value, pattern: pattern.as_str().to_owned() }.into()
            }
            _ => ErrorKind::NotANumber { place, value }.into(),
        }
    }
}

fn skip_record(cursor: &mut Cursor<'_>) -> Result<(), Problem> {
    for index in 0.. {
        cursor.field().map_err(|problem| problem.in_column(index))?;
        if cursor.end_field() == End::Record {
            break;
        }
    }
    Ok(())
}

impl BadField {
    fn in_column(self, index: usize) -> Problem {
        match self {
            Self::OpenQuote => Problem::OpenQuote,
            Self::TooLong => Problem::FieldTooLong(index),
        }
    }
}

/// What a cell of this notation should be.
pub(crate) fn what(notation: &Notation) -> &'static str {
    match notation {
        Notation::Number(_) => A_NUMBER,
        Notation::Percent(_) => "a percentage",
        Notation::Date(_) | Notation::Time(_) => "a date",
    }
}

/// Whether a field is a number without white space around it, in a plain notation.
pub(super) fn is_number(field: &[u8]) -> bool {
    parse_number(field).is_some_and(|number| !number.is_nan())
}

// The spellings of missing values.

/// The spellings of missing values.
#[derive(Debug)]
pub(super) struct MissingSpellings {
    spellings: Vec<Vec<u8>>,
    longest: usize,
    has_numbers: bool,
}

impl MissingSpellings {
    pub(super) fn new(spellings: &[String]) -> Self {
        let spellings: Vec<Vec<u8>> =
            spellings.iter().map(|text| text.clone().into_bytes()).collect();
        let longest = spellings.iter().map(Vec::len).max().unwrap_or(0);
        let has_numbers = spellings.iter().any(|text| is_number(text));
        Self { spellings, longest, has_numbers }
    }

    /// Whether a trimmed field is missing.
    #[inline]
    pub(super) fn contains(&self, field: &[u8]) -> bool {
        field.len() <= self.longest && self.spellings.iter().any(|spelling| spelling == field)
    }

    /// Whether a number stands for a missing value, like -999.
    #[inline]
    fn has_numbers(&self) -> bool {
        self.has_numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::MISSING_SPELLINGS;

    #[test]
    fn spellings() {
        let usual = MissingSpellings::new(&MISSING_SPELLINGS.map(str::to_owned));
        for text in ["", "?", "NA", "nan", "null", "#N/A"] {
            assert!(usual.contains(text.as_bytes()), "{text:?}");
        }
        assert!(!usual.contains(b"none at all") && !usual.has_numbers());
        let own = MissingSpellings::new(&["-999".to_owned()]);
        assert!(own.contains(b"-999") && own.has_numbers() && !own.contains(b""));
    }
}
