//! CSV, TSV and other delimited text.
//!
//! - The delimiter is the one of `,` tab `;` `|` that gives the most consistent number of fields in
//!   the first lines. In a `.tsv` file it is the tab.
//! - The first line is a header unless one of its fields is a number; for the exceptions see
//!   [`sniff`](self::sniff). Without a header the columns are called `x0`, `x1`, ...
//! - Fields may be quoted with `"`, doubled inside. White space around a field is trimmed. Blank
//!   lines are skipped, and so is an empty field after the last column. Otherwise a row with too
//!   many or too few fields is an error.
//! - What a column is, all its values in the whole file decide: see [`infer`](crate::infer).
//! - The spellings in [`MISSING_SPELLINGS`](crate::MISSING_SPELLINGS) are missing values.
//!
//! A text is cut into [`blocks`](self::blocks) of whole records, which are
//! [parsed](self::parse) on several threads and put together [in order](self::blocks::parse_all).

mod blocks;
mod cursor;
mod parse;
mod sniff;

use crate::error::{Error, ErrorKind, Result};
use crate::format::Format;
use crate::infer::{self, Notations};
use crate::options::{ReadAs, ReadOptions};
use crate::profile::TextLayout;
use crate::remedy::Remedy;
use crate::source::Source;
use crate::table::builder::{ColumnBuilder, TableBuilder};
use crate::table::{DecidedBy, Table};
use blocks::{BLOCK_BYTES, Blocks, parse_all};
pub(crate) use parse::what;
use parse::{FieldPlan, MissingSpellings, NotANumber, Parsed, Parser, RecordError};
use sniff::{Layout, Sample};
use ternwood::dataset::notation::{DecimalMark, Marks, Notation};

/// A text whose layout is known.
struct Text<'a> {
    source: &'a Source,
    options: &'a ReadOptions,
    layout: Layout,
    sample: Sample,
    plan: Vec<ReadAs>,
    notations: Notations,
}

impl<'a> Text<'a> {
    fn open(source: &'a Source, format: Format, options: &'a ReadOptions) -> Result<Self> {
        options.marks.map_or(Ok(()), check_marks)?;
        let missing = MissingSpellings::new(&options.missing);
        let (layout, sample) = Layout::of(source, format, options, &missing)?;
        let plan = options.plan(source.name(), &layout.names)?;
        let notations = Notations::of_text(options.marks, layout.delimiter == b';');
        Ok(Self { source, options, layout, sample, plan, notations })
    }

    fn parser(&self, fields: Vec<FieldPlan>, keep: bool) -> Parser {
        Parser {
            file: self.source.name().to_owned(),
            layout: self.layout.clone(),
            missing: MissingSpellings::new(&self.options.missing),
            fields,
            keep,
            max_field: self.options.max_field,
        }
    }

    /// What to do with the fields of each column.
    fn field_plans(&self) -> Vec<FieldPlan> {
        let missing = MissingSpellings::new(&self.options.missing);
        let not_a_number =
            |index: usize| self.options.unreadable_in(&self.layout.names[index]).into();
        let plan = |(index, read_as): (usize, &ReadAs)| match read_as {
            ReadAs::Drop => FieldPlan::Skip,
            ReadAs::Nominal => FieldPlan::Text,
            ReadAs::Ordered(names) => FieldPlan::Ordered(names.clone()),
            ReadAs::Written(notation) => {
                FieldPlan::Number(self.with_marks(notation.clone()), not_a_number(index))
            }
            ReadAs::Number => {
                let usual = Notation::Number(self.options.marks.unwrap_or_default());
                let notation = self.guess(index, &missing).unwrap_or(usual);
                FieldPlan::Number(notation, not_a_number(index))
            }
            ReadAs::Infer => match self.guess(index, &missing) {
                Some(notation) => FieldPlan::Number(notation, NotANumber::Misjudged),
                None => FieldPlan::Text,
            },
        };
        self.plan.iter().enumerate().map(plan).collect()
    }

    /// A notation with the marks that were asked for: a later table may have others than training.
    fn with_marks(&self, notation: Notation) -> Notation {
        match (notation, self.options.marks) {
            (Notation::Number(_), Some(marks)) => Notation::Number(marks),
            (Notation::Percent(_), Some(marks)) => Notation::Percent(marks),
            (notation, _) => notation,
        }
    }

    /// The notation of the column in the sample. `None` if it has none.
    fn guess(&self, index: usize, missing: &MissingSpellings) -> Option<Notation> {
        let fields = self.sample.records.iter().filter_map(|record| record.get(index));
        let present = fields.map(|field| field.trim_ascii());
        self.notations.common(present.filter(|field| !missing.contains(field)))
    }

    /// A little more rows than there are likely to be.
    fn likely_rows(&self) -> usize {
        let Some(bytes) = self.source.text_bytes() else { return 0 };
        let records = self.sample.records.len() as f64 + 1.0;
        let rows = 1.05 * bytes as f64 * records / (self.sample.bytes as f64).max(1.0);
        // Every field takes a byte at least.
        (rows as usize).min(bytes / self.layout.names.len() + 1)
    }

    /// Parses all records.
    fn parse(&self, fields: Vec<FieldPlan>, keep: bool) -> Result<TableBuilder> {
        let parser = self.parser(fields, keep);
        let mut table = parser.builder();
        table.reserve(self.likely_rows());
        let (text, threads) = (self.source.open_text()?, self.options.threads);
        let limits = (self.layout.delimiter, self.options.max_field);
        let blocks = Blocks::new(text, self.source.name(), limits, BLOCK_BYTES);
        parse_all(blocks, &parser, table, threads)
    }
}

/// The notation of the columns that are to be inferred, as far as the first records tell; `None` for texts.
pub(crate) fn guess(
    source: &Source,
    format: Format,
    options: &ReadOptions,
) -> Result<Vec<(String, Option<Notation>)>> {
    let text = Text::open(source, format, options)?;
    let missing = MissingSpellings::new(&options.missing);
    let columns = text.layout.names.iter().zip(&text.plan).enumerate();
    let open = columns.filter(|(_, (_, plan))| matches!(plan, ReadAs::Infer | ReadAs::Number));
    let guessed = open.map(|(index, (name, plan))| {
        let usual = Notation::Number(options.marks.unwrap_or_default());
        let notation = text.guess(index, &missing);
        (name.clone(), if *plan == ReadAs::Number { notation.or(Some(usual)) } else { notation })
    });
    Ok(guessed.collect())
}

/// How a text is laid out.
pub(crate) fn layout(source: &Source, format: Format, options: &ReadOptions) -> Result<TextLayout> {
    let missing = MissingSpellings::new(&options.missing);
    let (Layout { delimiter, header, .. }, _) = Layout::of(source, format, options, &missing)?;
    Ok(TextLayout { delimiter: delimiter.into(), header })
}

/// Refuses marks with which a number could be read in two ways.
fn check_marks(marks: Marks) -> Result<()> {
    marks.check().map_err(|problem| {
        let other = Marks { decimal: DecimalMark::Comma, thousands: Some('.') };
        ErrorKind::Options { problem: problem.to_string(), remedy: Remedy::Marks(other) }.into()
    })
}

/// Reads a whole text. Types that the options do not set are guessed from the first records and
/// checked in all of them: columns that were misjudged are read again as text.
pub(crate) fn read(source: &Source, format: Format, options: &ReadOptions) -> Result<Table> {
    let text = Text::open(source, format, options)?;
    let mut table = text.parse(text.field_plans(), options.keep)?;
    let misjudged = |column: &ColumnBuilder| matches!(column, ColumnBuilder::Misjudged);
    if table.columns.iter().any(misjudged) {
        let again = table.columns.iter().map(|column| match misjudged(column) {
            true => FieldPlan::Text,
            false => FieldPlan::Skip,
        });
        let mut again = text.parse(again.collect(), false)?;
        for (index, column) in table.columns.iter_mut().enumerate() {
            if misjudged(column) {
                *column = std::mem::replace(&mut again.columns[index], ColumnBuilder::Dropped);
                table.notations[index] = Notation::default();
            }
        }
    }
    for (decided_by, read_as) in table.decided_by.iter_mut().zip(&text.plan) {
        *decided_by = read_as.decided_by(DecidedBy::Values);
    }
    source.close();
    let mut table = table.take();
    infer::settle(&mut table, &text.notations);
    Ok(table)
}

/// Reads a delimited text of known types in chunks of rows.
pub(crate) struct DelimitedReader {
    parser: Parser,
    blocks: Blocks,
    block: Vec<u8>,
    /// The bytes of the block that were parsed.
    parsed: usize,
    /// Lines before them.
    lines: u64,
    is_first: bool,
    builder: TableBuilder,
    part: TableBuilder,
}

impl DelimitedReader {
    /// Guesses the delimiter and the header.
    pub(crate) fn open(source: &Source, format: Format, options: &ReadOptions) -> Result<Self> {
        let text = Text::open(source, format, options)?;
        let is_open = |read_as: &ReadAs| matches!(read_as, ReadAs::Infer | ReadAs::Number);
        if let Some(index) = text.plan.iter().position(is_open) {
            return Err(kind_unknown(source.name(), &text.layout.names[index]));
        }
        let parser = text.parser(text.field_plans(), options.keep);
        let (builder, part) = (parser.builder(), parser.builder());
        let text = source.take_text()?;
        let limits = (parser.layout.delimiter, parser.max_field);
        let blocks = Blocks::new(text, &parser.file, limits, CHUNK_BYTES);
        let block = Vec::new();
        Ok(Self { parser, blocks, block, parsed: 0, lines: 0, is_first: true, builder, part })
    }

    /// Reads up to `limit` rows, and none after those that take at least `bytes`. Returns a table without rows at
    /// the end.
    pub(crate) fn read(&mut self, limit: usize, bytes: usize) -> Result<Table> {
        let mut read = 0;
        while self.builder.n_rows() < limit && read < bytes && self.has_more()? {
            let (block, rest) = (&self.block[self.parsed..], limit - self.builder.n_rows());
            let parsed = self.parser.parse(block, self.is_first, rest, &mut self.part);
            let lines = self.lines;
            read += self.advance(parsed)?;
            self.builder.append(&mut self.part, lines + 1);
        }
        Ok(self.builder.take())
    }

    /// Skips up to `limit` rows without checking their values. Returns the number skipped.
    pub(crate) fn skip(&mut self, limit: u64) -> Result<u64> {
        let mut skipped = 0;
        while skipped < limit && self.has_more()? {
            let (block, rest) = (&self.block[self.parsed..], limit - skipped);
            let parsed = self.parser.skip(block, self.is_first, rest, &mut skipped);
            self.advance(parsed)?;
        }
        self.builder.skip_rows(skipped);
        Ok(skipped)
    }

    /// Reads the next block if all of this one is parsed. Returns false at the end.
    fn has_more(&mut self) -> Result<bool> {
        if self.parsed < self.block.len() {
            return Ok(true);
        }
        self.parsed = 0;
        self.blocks.next(&mut self.block)
    }

    /// Moves to where parsing ended. Returns the number of bytes parsed.
    fn advance(&mut self, parsed: Result<Parsed, RecordError>) -> Result<usize> {
        let parsed = parsed.map_err(|error| self.parser.error(error, self.lines))?;
        self.parsed += parsed.bytes;
        self.lines += parsed.lines;
        self.is_first = false;
        Ok(parsed.bytes)
    }
}

/// The error for a column to infer in a table that is read in chunks.
fn kind_unknown(file: &str, column: &str) -> Error {
    ErrorKind::Options {
        problem: format!("{file}: what column '{column}' is, is known only when all of it is read"),
        remedy: "read the whole table, or say what the column is".into(),
    }
    .into()
}

/// The bytes of a block of a text that is read in chunks.
const CHUNK_BYTES: usize = 1 << 17;
