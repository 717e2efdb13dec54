//! Guesses the delimiter, and whether there is a header, from the first lines.

use super::cells::{Cell, Cells};
use super::records::{csv_error, csv_reader};
use crate::error::{ErrorKind, Place, Result, io};
use crate::format::Format;
use crate::options::ReadOptions;
use crate::source::Source;
use crate::table::check_distinct_names;
use csv::ByteRecord;
use std::io::Read;

const SAMPLE_BYTES: u64 = 1 << 16;
const SAMPLE_RECORDS: usize = 100;
/// In order of preference.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// The layout of a text, which the parser of records needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) delimiter: u8,
    pub(super) header: bool,
    pub(super) names: Vec<String>,
    /// Whether lines end with `\r\n`.
    pub(super) crlf: bool,
}

impl Layout {
    /// The layout from the options, guessed where they leave it open.
    pub(super) fn of(source: &Source, format: Format, options: &ReadOptions) -> Result<Self> {
        let sample = sample(source)?;
        let crlf = sample
            .iter()
            .position(|&byte| byte == b'\n')
            .is_some_and(|end| end > 0 && sample[end - 1] == b'\r');
        let delimiter = match options.delimiter {
            Some(delimiter) => delimiter,
            None if format == Format::Tsv => b'\t',
            None => delimiter(&sample),
        };
        check_delimiter(delimiter)?;
        let records = records(&sample, delimiter);
        let Some((first, rest)) = records.split_first() else {
            return Err(ErrorKind::Empty { file: source.name().to_owned(), what: "rows" }.into());
        };
        let cells = Cells::new(&options.missing, delimiter);
        let header = options.header.unwrap_or_else(|| is_header(first, rest, &cells));
        let place = Place::file(source.name()).at_line(1);
        let names = if header { names(first, &place)? } else { default_names(first.len()) };
        check_distinct_names(&place, names.iter().map(String::as_str))?;
        Ok(Self { delimiter, header, names, crlf })
    }
}

fn check_delimiter(delimiter: u8) -> Result<()> {
    if delimiter.is_ascii() && !matches!(delimiter, b'"' | b'\n' | b'\r' | 4) {
        return Ok(());
    }
    let problem = format!("{:?} cannot be a delimiter", char::from(delimiter));
    Err(ErrorKind::Options { problem, remedy: "use a comma, a semicolon, a tab or the like" }
        .into())
}

/// The first lines of the text: as many as fit into the sample size, at least one.
fn sample(source: &Source) -> Result<Vec<u8>> {
    let mut text = source.open_text()?;
    let mut sample = Vec::new();
    let mut limit = SAMPLE_BYTES;
    loop {
        let read = text.by_ref().take(limit).read_to_end(&mut sample);
        let complete = (read.map_err(|problem| io(source.name(), problem))? as u64) < limit;
        if complete {
            return Ok(sample);
        }
        if let Some(end) = sample.iter().rposition(|&byte| byte == b'\n') {
            sample.truncate(end + 1);
            return Ok(sample);
        }
        // A very long first line.
        limit *= 2;
    }
}

fn records(sample: &[u8], delimiter: u8) -> Vec<ByteRecord> {
    let mut reader = csv_reader(sample, delimiter);
    let mut records = Vec::new();
    let mut record = ByteRecord::new();
    // Reading from memory cannot fail.
    while records.len() <= SAMPLE_RECORDS
        && reader.read_byte_record(&mut record).map_err(|e| csv_error("", e)).unwrap_or(false)
    {
        records.push(record.clone());
    }
    records
}

/// The delimiter that gives the largest share of records the same number of fields (more than
/// one). Ties go to the delimiter that gives more fields.
fn delimiter(sample: &[u8]) -> u8 {
    let mut best = ((0, 0), DELIMITERS[0]);
    for delimiter in DELIMITERS {
        let mut lengths: Vec<usize> =
            records(sample, delimiter).iter().map(ByteRecord::len).collect();
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

/// Whether the first record is a header. It is if none of its fields is a number, if a word heads a
/// column of numbers, or if its numbers are the column indices (a data frame without names).
fn is_header(first: &ByteRecord, rest: &[ByteRecord], cells: &Cells) -> bool {
    let is_number = |field: &[u8]| matches!(cells.parse(field), Cell::Number(_));
    let is_word = |field: &[u8]| matches!(cells.parse(field), Cell::Word);
    if !first.iter().any(is_number) {
        return first.iter().any(is_word);
    }
    let numbers_below = |column: usize| {
        let mut below = rest.iter().filter_map(|record| record.get(column));
        below.clone().any(is_number) && !below.any(is_word)
    };
    let heads_numbers = |(column, field): (usize, &[u8])| is_word(field) && numbers_below(column);
    if first.iter().enumerate().any(heads_numbers) {
        return true;
    }
    [0, 1].iter().any(|offset| {
        let is_index = |(column, field): (usize, &[u8])| {
            column.checked_sub(*offset).is_some_and(|i| field == i.to_string().as_bytes())
        };
        let indices = first.iter().enumerate().filter(|cell| is_index(*cell)).count();
        indices >= 4 && first.iter().filter(|field| is_number(field)).count() == indices
    })
}

fn names(header: &ByteRecord, place: &Place) -> Result<Vec<String>> {
    let name = |(index, field): (usize, &[u8])| match std::str::from_utf8(field.trim_ascii()) {
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
        Layout::of(&Source::bytes("t.csv", text.as_bytes()), Format::Csv, &ReadOptions::new())
            .unwrap()
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
    fn a_first_line_longer_than_the_sample_is_read_whole() {
        let names: Vec<String> = (0..30_000).map(|i| format!("c{i}")).collect();
        assert_eq!(layout(&format!("{}\n", names.join(","))).names.len(), 30_000);
    }
}
