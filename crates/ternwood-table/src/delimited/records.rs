//! The records of a delimited text, with their line numbers.

use super::sniff::Layout;
use crate::error::{Error, ErrorKind, Place, Result, io, syntax};
use crate::source::TextReader;
use csv::ByteRecord;
use std::io::{Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An end marker appended to the file as an extra record.
///
/// The line break before it makes every record of the file end with one, which line counting needs.
/// If a quote is never closed, the record that swallows the rest of the file also ends with the
/// marker, which reveals it. The same bytes within the file are data.
const END: &[u8] = b"\x04\x04\x04\x04\x04\x04\x04\x04";
const END_AFTER_LF: &[u8] = b"\n\x04\x04\x04\x04\x04\x04\x04\x04";
const END_AFTER_CRLF: &[u8] = b"\r\n\x04\x04\x04\x04\x04\x04\x04\x04";

/// A cursor over the records after the header.
pub(super) struct Records {
    csv: csv::Reader<std::io::Chain<Counted, Cursor<&'static [u8]>>>,
    /// Bytes of the file read so far.
    bytes: Arc<AtomicU64>,
    end: &'static [u8],
    record: ByteRecord,
    file: String,
    n_columns: usize,
    crlf: bool,
}

impl Records {
    /// The records of a text. Error messages call it `file`.
    pub(super) fn new(text: TextReader, file: &str, layout: &Layout) -> Result<Self> {
        let end = if layout.crlf { END_AFTER_CRLF } else { END_AFTER_LF };
        let bytes = Arc::new(AtomicU64::new(0));
        let counted = Counted { text, bytes: Arc::clone(&bytes) };
        let mut records = Self {
            csv: csv_reader(counted.chain(Cursor::new(end)), layout.delimiter),
            bytes,
            end,
            record: ByteRecord::new(),
            file: file.to_owned(),
            n_columns: layout.names.len(),
            crlf: layout.crlf,
        };
        if layout.header {
            records.advance()?;
        }
        Ok(records)
    }

    /// Moves to the next record. Returns false at the end.
    ///
    /// # Errors
    /// The record has too many or too few fields, or a quote is never closed.
    pub(super) fn advance(&mut self) -> Result<bool> {
        let more = self.csv.read_byte_record(&mut self.record);
        if !more.map_err(|error| csv_error(&self.file, error))? {
            return Ok(false);
        }
        if self.record.as_slice().ends_with(END) && self.is_past_the_end() {
            if self.record.as_slice() == END {
                return Ok(false);
            }
            // This record ends without a line break.
            let line = self.csv.position().line() - self.inner_line_breaks();
            let place = Place::file(&*self.file).at_line(line);
            return Err(syntax(place, "a quote is opened in this row and never closed"));
        }
        if self.record.len() != self.n_columns {
            return Err(self.ragged());
        }
        Ok(true)
    }

    /// Whether the parser has consumed the file and the end marker.
    fn is_past_the_end(&self) -> bool {
        let all = self.bytes.load(Ordering::Relaxed) + self.end.len() as u64;
        self.csv.position().byte() == all
    }

    /// The fields of the record.
    pub(super) fn fields(&self) -> impl Iterator<Item = &[u8]> {
        self.record.iter()
    }

    /// The line on which the record starts.
    ///
    /// The parser counts `\n`, but sees that of a `\r\n` only when it reads the next record.
    pub(super) fn line(&self) -> u64 {
        let seen = self.csv.position().line() - u64::from(!self.crlf);
        let start = self.record.position().map_or(1, csv::Position::line);
        seen.saturating_sub(self.inner_line_breaks()).max(start)
    }

    fn inner_line_breaks(&self) -> u64 {
        self.record.as_slice().iter().filter(|&&byte| byte == b'\n').count() as u64
    }

    /// The place of the record.
    pub(super) fn place(&self) -> Place {
        Place::file(&*self.file).at_line(self.line())
    }

    fn ragged(&self) -> Error {
        let hint = match self.inner_line_breaks() {
            0 => String::new(),
            breaks => format!(
                ", or for a quote that is not closed (the row goes on to line {})",
                self.line() + breaks
            ),
        };
        let (expected, found) = (self.n_columns, self.record.len());
        ErrorKind::Ragged { place: self.place(), expected, found, hint }.into()
    }
}

/// Counts the bytes read from a text.
struct Counted {
    text: TextReader,
    bytes: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.text.read(buffer)?;
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A CSV parser without a header that accepts records of any length.
pub(super) fn csv_reader<R: Read>(reader: R, delimiter: u8) -> csv::Reader<R> {
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .buffer_capacity(1 << 17)
        .from_reader(reader)
}

/// Converts an error of the csv crate. Only I/O errors can occur here.
pub(super) fn csv_error(file: &str, error: csv::Error) -> Error {
    let message = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(problem) => io(file, problem),
        _ => syntax(Place::file(file), message),
    }
}
