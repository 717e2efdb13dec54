//! Guesses the delimiter, and whether there is a header, from the first lines.

use crate::delimited::blocks::is_too_long;
use crate::delimited::cursor::{BadField, Cursor, End};
use crate::delimited::parse::MissingSpellings;
use crate::error::{ErrorKind, Place, Result, field_too_long, io, row_too_long};
use crate::format::Format;
use crate::infer::Notations;
use crate::options::{ReadOptions, max_row};
use crate::source::{Source, fill};
use crate::table::check_distinct_names;
use memchr::memrchr;
use std::borrow::Cow;

/// The fields of a record.
pub(super) type Record = Vec<Vec<u8>>;

const SAMPLE_BYTES: usize = 1 << 16;
const SAMPLE_RECORDS: usize = 100;
/// More columns are refused: a small compressed file can hold a header whose names take the memory of the machine.
const MOST_COLUMNS: usize = 1_000_000;
/// In order of preference.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// The layout of a text, which the parser of records needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) delimiter: u8,
    pub(super) header: bool,
    pub(super) names: Vec<String>,
    /// Whether a delimiter without a name follows the last name of the header.
    pub(super) trailing_delimiter: bool,
}

/// The first records of a text, without the header.
pub(super) struct Sample {
    pub(super) records: Vec<Record>,
    /// The bytes that they and the header take.
    pub(super) bytes: usize,
}

impl Layout {
    /// The layout from the options, guessed where they leave it open; and the sample it was
    /// guessed from.
    pub(super) fn of(
        source: &Source,
        format: Format,
        options: &ReadOptions,
        missing: &MissingSpellings,
    ) -> Result<(Self, Sample)> {
        let known = options.delimiter.or((format == Format::Tsv).then_some(b'\t'));
        let sample = sample(source, known, options.max_field)?;
        let delimiter = known.unwrap_or_else(|| delimiter(&sample, options.max_field));
        check_delimiter(delimiter)?;
        check_first_record(source, &sample, delimiter, options)?;
        let mut records = records(&sample, delimiter, options.max_field, usize::MAX);
        let Some((first, rest)) = records.split_first() else {
            let (file, problem) = (source.name().to_owned(), "the file is empty: it has no rows");
            let remedy = "check how it was written";
            return Err(ErrorKind::Format { file, problem: problem.to_owned(), remedy }.into());
        };
        let header = options.header.unwrap_or_else(|| {
            is_header(
                first,
                &rest[..rest.len().min(SAMPLE_RECORDS)],
                &Cells::new(options, delimiter, missing),
            )
        });
        let place = Place::file(source.name()).at_line(1);
        let mut names = if header { names(first, &place)? } else { default_names(first.len()) };
        let trailing_delimiter = header
            && names.len() > 1
            && first.last().is_some_and(|name| name.trim_ascii().is_empty());
        if trailing_delimiter {
            names.pop();
        }
        check_distinct_names(&place, names.iter().map(String::as_str))?;
        if header {
            records.remove(0);
        }
        let layout = Self { delimiter, header, names, trailing_delimiter };
        Ok((layout, Sample { records, bytes: sample.len() }))
    }
}

fn check_delimiter(delimiter: u8) -> Result<()> {
    if delimiter.is_ascii() && !matches!(delimiter, b'"' | b'\n' | b'\r' | 4) {
        return Ok(());
    }
    let problem = format!("{:?} cannot be a delimiter", char::from(delimiter));
    Err(ErrorKind::Options {
        problem,
        remedy: "use a comma, a semicolon, a tab or the like".into(),
    }
    .into())
}

/// Refuses a header, or a first row, that is too long: it was not read to its end.
fn check_first_record(
    source: &Source,
    sample: &[u8],
    delimiter: u8,
    options: &ReadOptions,
) -> Result<()> {
    let mut cursor = Cursor::new(sample, delimiter, options.max_field);
    cursor.next_record();
    let (place, start) = (Place::file(source.name()).at_line(cursor.line() + 1), cursor.consumed());
    let mut n_columns = 0;
    while n_columns < MOST_COLUMNS {
        match cursor.field() {
            Err(BadField::TooLong) => {
                let place = place.in_column(default_name(n_columns));
                return Err(field_too_long(place, options.max_field));
            }
            Err(BadField::OpenQuote) => break,
            Ok(_) if cursor.end_field() == End::Record => break,
            Ok(_) => n_columns += 1,
        }
    }
    if cursor.consumed() - start > max_row(options.max_field) {
        return Err(row_too_long(place, options.max_field));
    }
    if n_columns == MOST_COLUMNS {
        let (file, problem) = (source.name().to_owned(), "it has more than 1,000,000 columns");
        let remedy = "split it, or write its columns as rows";
        return Err(ErrorKind::Format { file, problem: problem.to_owned(), remedy }.into());
    }
    Ok(())
}

/// The first lines of the text: as many as fit into the sample size, at least one; or the start of a first line that
/// is too long, whichever delimiter it may have.
fn sample(source: &Source, delimiter: Option<u8>, max_field: usize) -> Result<Vec<u8>> {
    let delimiters = delimiter.map_or(DELIMITERS.to_vec(), |delimiter| vec![delimiter]);
    let mut text = source.open_text()?;
    let mut sample = Vec::new();
    loop {
        let wanted = SAMPLE_BYTES.max(2 * sample.len());
        let filled = fill(&mut text, &mut sample, wanted);
        if !filled.map_err(|problem| io(source.name(), problem))? {
            return Ok(sample);
        }
        if let Some(end) = memrchr(b'\n', &sample) {
            sample.truncate(end + 1);
            return Ok(sample);
        }
        // A very long first line.
        if delimiters.iter().all(|&delimiter| is_too_long(&sample, delimiter, max_field)) {
            return Ok(sample);
        }
    }
}

/// At most `most` records of a sample, and none after twice as many fields as there may be columns.
fn records(sample: &[u8], delimiter: u8, max_field: usize, most: usize) -> Vec<Record> {
    let mut records = vec![Record::new()];
    let mut n_fields = 0;
    walk(sample, delimiter, max_field, most, |field, end| {
        if let Some(record) = records.last_mut() {
            record.push(field.into_owned());
        }
        if end == End::Record {
            records.push(Record::new());
        }
        n_fields += 1;
        n_fields < 2 * MOST_COLUMNS
    });
    // The last one is empty, or was not read to its end.
    records.pop();
    records
}

/// The number of fields in each of at most [`SAMPLE_RECORDS`] records.
fn field_counts(sample: &[u8], delimiter: u8, max_field: usize) -> Vec<usize> {
    let (mut counts, mut n_fields) = (Vec::new(), 0);
    walk(sample, delimiter, max_field, SAMPLE_RECORDS, |_, end| {
        n_fields += 1;
        if end == End::Record {
            counts.push(std::mem::take(&mut n_fields));
        }
        true
    });
    counts
}

/// Passes the fields of at most `most` records to `take`, until it returns false.
fn walk<'a>(
    sample: &'a [u8],
    delimiter: u8,
    max_field: usize,
    most: usize,
    mut take: impl FnMut(Cow<'a, [u8]>, End) -> bool,
) {
    let mut cursor = Cursor::new(sample, delimiter, max_field);
    for _ in 0..most {
        if !cursor.next_record() {
            return;
        }
        loop {
            // The parser reports a quote that is not closed, and a field that is too long.
            let Ok(field) = cursor.field() else { return };
            let end = cursor.end_field();
            if !take(field, end) {
                return;
            }
            if end == End::Record {
                break;
            }
        }
    }
}

/// The delimiter that gives the largest share of records the same number of fields (more than
/// one). Ties go to the delimiter that gives more fields.
fn delimiter(sample: &[u8], max_field: usize) -> u8 {
    let mut best = ((0, 0), DELIMITERS[0]);
    for delimiter in DELIMITERS {
        let mut lengths = field_counts(sample, delimiter, max_field);
        lengths.sort_unstable();
        let runs = lengths.chunk_by(|a, b| a == b).filter(|run| run[0] > 1);
        // In thousandths of the records, whose number depends on the delimiter through quoting.
        let score = runs.map(|run| (1000 * run.len() / lengths.len(), run[0])).max();
        if let Some(score) = score.filter(|score| *score > best.0) {
            best = (score, delimiter);
        }
    }
    best.1
}

/// Tells numbers, words and missing values apart.
struct Cells<'a> {
    notations: Notations,
    missing: &'a MissingSpellings,
}

impl<'a> Cells<'a> {
    fn new(options: &ReadOptions, delimiter: u8, missing: &'a MissingSpellings) -> Self {
        Self { notations: Notations::of_text(options.marks, delimiter != b','), missing }
    }

    fn is_number(&self, field: &[u8]) -> bool {
        let field = field.trim_ascii();
        !self.missing.contains(field) && self.notations.common([field].into_iter()).is_some()
    }

    fn is_word(&self, field: &[u8]) -> bool {
        !self.missing.contains(field.trim_ascii()) && !self.is_number(field)
    }
}

/// Whether the first record is a header. It is if none of its fields is a number, if a word heads a
/// column of numbers, or if its numbers are the column indices (a data frame without names).
fn is_header(first: &Record, rest: &[Record], cells: &Cells<'_>) -> bool {
    if !first.iter().any(|field| cells.is_number(field)) {
        return first.iter().any(|field| cells.is_word(field));
    }
    let numbers_below = |column: usize| {
        let mut below = rest.iter().filter_map(|record| record.get(column));
        below.clone().any(|field| cells.is_number(field))
            && !below.any(|field| cells.is_word(field))
    };
    let heads_numbers =
        |(column, field): (usize, &Vec<u8>)| cells.is_word(field) && numbers_below(column);
    if first.iter().enumerate().any(heads_numbers) {
        return true;
    }
    [0, 1].iter().any(|offset| {
        let is_index = |(column, field): (usize, &Vec<u8>)| {
            column.checked_sub(*offset).is_some_and(|i| *field == i.to_string().into_bytes())
        };
        let indices = first.iter().enumerate().filter(|cell| is_index(*cell)).count();
        indices >= 4 && first.iter().filter(|field| cells.is_number(field)).count() == indices
    })
}

fn names(header: &Record, place: &Place) -> Result<Vec<String>> {
    let name = |(index, field): (usize, &Vec<u8>)| match std::str::from_utf8(field.trim_ascii()) {
        Ok("") => Ok(default_name(index)),
        Ok(name) => Ok(name.to_owned()),
        Err(_) => Err(ErrorKind::NotUtf8 { place: place.clone() }.into()),
    };
    header.iter().enumerate().map(name).collect()
}

fn default_names(n_columns: usize) -> Vec<String> {
    (0..n_columns).map(default_name).collect()
}

fn default_name(index: usize) -> String {
    format!("x{index}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        let missing = MissingSpellings::new(&ReadOptions::new().missing);
        let source = Source::bytes("t.csv", text.as_bytes());
        Layout::of(&source, Format::Csv, &ReadOptions::new(), &missing).unwrap().0
    }

    #[test]
    fn delimiters_are_guessed() {
        for (text, delimiter) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n3,5;4,5\n", b';'),
            ("a\tb c,d\n1\t2\n", b'\t'),
            ("a|b\n1|2\n", b'|'),
            ("a,b\n\"x;y;z\",2\n\"u;v;w\",3\n", b','),
            ("alone\n1\n2\n", b','),
        ] {
            assert_eq!(layout(text).delimiter, delimiter, "{text}");
        }
    }

    #[test]
    fn headers_are_guessed() {
        for (text, header) in [
            ("a,b\n1,2\n", true),
            ("1,2\n3,4\n", false),
            ("1,yes\n2,no\n", false),
            ("2019,name\n1,2\n", true),      // a word above numbers
            (",a,b\n0,1,2\n", true),         // a data frame's index
            ("name,town\nann,rome\n", true), // ambiguous: most files have a header
            ("0,1,2,3,y\n.1,.2,.3,.4,no\n", true),
            ("0,1,2\n.1,.2,.3\n", false),
            ("?,1\n2,3\n", false),
            ("0\n1\n0\n", false),
            ("2020-01-02,5%\n2020-01-03,6%\n", false),
        ] {
            assert_eq!(layout(text).header, header, "{text}");
        }
    }

    #[test]
    fn names_are_trimmed_and_empty_ones_replaced() {
        assert_eq!(layout("a , ,\"b c\"\n1,2,3\n").names, ["a", "x1", "b c"]);
        assert_eq!(layout("1,2\n").names, ["x0", "x1"]);
    }

    #[test]
    fn a_quote_that_is_not_closed_ends_the_sample_before_its_record() {
        let sample = b"a,b\n1,2\n3,\"x\n";
        let of = |most| records(sample, b',', 1 << 20, most);
        let (header, row) =
            (vec![b"a".to_vec(), b"b".to_vec()], vec![b"1".to_vec(), b"2".to_vec()]);
        assert_eq!(of(1), std::slice::from_ref(&header));
        assert_eq!(of(9), [header, row]);
        assert_eq!(field_counts(sample, b',', 1 << 20), [2, 2]);
        assert_eq!(field_counts(b"a\n1,2", b',', 1 << 20), [1, 2]);
    }

    #[test]
    fn a_first_line_longer_than_the_sample_is_read_whole() {
        let names: Vec<String> = (0..30_000).map(|i| format!("c{i}")).collect();
        assert_eq!(layout(&format!("{}\n", names.join(","))).names.len(), 30_000);
    }
}
