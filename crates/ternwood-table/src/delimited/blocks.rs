//! Cuts a text into blocks of whole records, to be parsed independently of each other.

use crate::delimited::cursor::{BadField, Cursor, End};
use crate::delimited::parse::Parser;
use crate::error::{Error, Result, io};
use crate::options::max_row;
use crate::source::{TextReader, fill};
use crate::table::builder::TableBuilder;
use memchr::{memchr, memrchr};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The bytes of a block, unless one record is longer.
pub(super) const BLOCK_BYTES: usize = 1 << 20;

/// Reads blocks one after the other.
pub(super) struct Blocks {
    text: TextReader,
    file: String,
    delimiter: u8,
    max_field: usize,
    /// The start of the next block.
    rest: Vec<u8>,
    size: usize,
    at_end: bool,
}

impl Blocks {
    /// Blocks of a text, of about `size` bytes each. Error messages call it `file`.
    pub(super) fn new(
        text: TextReader,
        file: &str,
        (delimiter, max_field): (u8, usize),
        size: usize,
    ) -> Self {
        let (file, rest) = (file.to_owned(), Vec::new());
        Self { text, file, delimiter, max_field, rest, size, at_end: false }
    }

    /// Replaces the bytes in `block` with the next block. Returns false at the end.
    ///
    /// A record that is too long, or has a field that is, ends the last block, which has enough of it for the parser to
    /// see what is wrong.
    pub(super) fn next(&mut self, block: &mut Vec<u8>) -> Result<bool> {
        block.clear();
        block.append(&mut self.rest);
        let mut wanted = self.size;
        while !self.at_end {
            let filled = fill(&mut self.text, block, wanted);
            self.at_end = !filled.map_err(|problem| io(&self.file, problem))?;
            if self.at_end {
                break;
            }
            if let Some(end) = last_record_end(block, self.delimiter) {
                self.rest.extend_from_slice(&block[end..]);
                block.truncate(end);
                break;
            }
            // A very long record.
            self.at_end = is_too_long(block, self.delimiter, self.max_field);
            wanted = block.len().saturating_mul(2);
        }
        Ok(!block.is_empty())
    }
}

/// True of the start of a record that is too long, or has a field that is.
pub(super) fn is_too_long(record: &[u8], delimiter: u8, max_field: usize) -> bool {
    if record.len() <= max_field {
        return false;
    }
    let mut cursor = Cursor::new(record, delimiter, max_field);
    cursor.next_record();
    let too_long = loop {
        match cursor.field() {
            Err(problem) => break problem == BadField::TooLong,
            Ok(_) if cursor.end_field() == End::Record => break false,
            Ok(_) => {}
        }
    };
    too_long || record.len() > max_row(max_field)
}

/// The position after the last line feed that ends a record, in a text that begins with a record.
/// If no record ends with a line feed, after the last carriage return that does.
fn last_record_end(text: &[u8], delimiter: u8) -> Option<usize> {
    let mut ends = RecordEnds::default();
    let mut unquoted = 0;
    let mut search = 0;
    while let Some(found) = memchr(b'"', &text[search..]) {
        let quote = search + found;
        let opens = match quote.checked_sub(1) {
            None => true,
            Some(before) => text[before] == delimiter || matches!(text[before], b'\n' | b'\r'),
        };
        search = quote + 1;
        if !opens {
            continue;
        }
        ends.note(text, unquoted, quote);
        match closing_quote(text, search) {
            Some(close) => (unquoted, search) = (close + 1, close + 1),
            None => return ends.last(),
        }
    }
    // The last byte may be half of a line break.
    ends.note(text, unquoted, text.len().saturating_sub(1).max(unquoted));
    if text.last() == Some(&b'\n') && unquoted < text.len() {
        return Some(text.len());
    }
    ends.last()
}

/// The closing quote of a quoted field whose content begins at a position.
fn closing_quote(text: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let quote = from + memchr(b'"', &text[from..])?;
        if text.get(quote + 1) != Some(&b'"') {
            return Some(quote);
        }
        from = quote + 2;
    }
}

#[derive(Default)]
struct RecordEnds {
    line_feed: Option<usize>,
    carriage_return: Option<usize>,
}

impl RecordEnds {
    /// Notes the last ends of records in an unquoted part of the text.
    fn note(&mut self, text: &[u8], from: usize, to: usize) {
        let after = |byte| memrchr(byte, &text[from..to]).map(|found| from + found + 1);
        self.line_feed = after(b'\n').or(self.line_feed);
        if self.line_feed.is_none() {
            self.carriage_return = after(b'\r').or(self.carriage_return);
        }
    }

    fn last(&self) -> Option<usize> {
        self.line_feed.or(self.carriage_return)
    }
}

// Parses blocks on several threads and appends their rows in the order of the file.

/// Parses all blocks into a table. Neither the table nor an error depends on the number of
/// threads.
pub(super) fn parse_all(
    blocks: Blocks,
    parser: &Parser,
    table: TableBuilder,
    threads: usize,
) -> Result<TableBuilder> {
    let work = Work {
        parser,
        blocks: Mutex::new((blocks, 0)),
        collected: Mutex::new(Collected { table, lines: 0, next: 0, error: None }),
        turn: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| work.run());
        }
        work.run();
    });
    let Collected { table, error, .. } =
        work.collected.into_inner().unwrap_or_else(PoisonError::into_inner);
    error.map_or(Ok(table), Err)
}

/// What the threads share.
struct Work<'a> {
    parser: &'a Parser,
    /// The blocks, and the number of the next one.
    blocks: Mutex<(Blocks, usize)>,
    collected: Mutex<Collected>,
    /// Signalled when the next block may be appended.
    turn: Condvar,
}

struct Collected {
    table: TableBuilder,
    /// Lines before the next block.
    lines: u64,
    next: usize,
    /// The first error of the file.
    error: Option<Error>,
}

impl Work<'_> {
    /// Parses blocks until there are none.
    fn run(&self) {
        // Both keep their memory from block to block.
        let (mut block, mut part) = (Vec::new(), self.parser.builder());
        loop {
            let (number, read) = {
                let (blocks, next) = &mut *locked(&self.blocks);
                *next += 1;
                (*next - 1, blocks.next(&mut block))
            };
            let parsed = match read {
                Ok(false) => return,
                Ok(true) => Ok(self.parser.parse(&block, number == 0, usize::MAX, &mut part)),
                Err(error) => Err(error),
            };
            let mut collected = locked(&self.collected);
            while collected.next != number && collected.error.is_none() {
                collected = self.turn.wait(collected).unwrap_or_else(PoisonError::into_inner);
            }
            if collected.error.is_some() {
                return;
            }
            let lines = collected.lines;
            match parsed {
                Ok(Ok(parsed)) => {
                    collected.table.append(&mut part, lines + 1);
                    collected.lines += parsed.lines;
                    collected.next += 1;
                }
                Ok(Err(error)) => collected.error = Some(self.parser.error(error, lines)),
                Err(error) => collected.error = Some(error),
            }
            drop(collected);
            self.turn.notify_all();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::MAX_FIELD;
    use proptest::prelude::*;
    use std::io::Cursor;

    fn blocks(text: &[u8], size: usize) -> Vec<Vec<u8>> {
        let text: TextReader = Box::new(Cursor::new(text.to_vec()));
        let mut reader = Blocks::new(text, "t.csv", (b',', MAX_FIELD), size);
        let (mut blocks, mut block) = (Vec::new(), Vec::new());
        while reader.next(&mut block).unwrap() {
            blocks.push(block.clone());
        }
        blocks
    }

    /// The records of a text, as the csv crate reads them.
    fn records(text: &[u8]) -> Vec<csv::ByteRecord> {
        let mut builder = csv::ReaderBuilder::new();
        let reader = builder.has_headers(false).flexible(true).from_reader(text);
        reader.into_byte_records().map(Result::unwrap).collect()
    }

    #[test]
    fn blocks_end_where_records_do() {
        let of = |text: &str, size| -> Vec<String> {
            let texts = blocks(text.as_bytes(), size).into_iter();
            texts.map(|block| String::from_utf8(block).unwrap()).collect()
        };
        assert_eq!(of("a,b\n1,2\n3,4", 5), ["a,b\n", "1,2\n", "3,4"]);
        assert_eq!(of("a,\"x\ny\"\n1,2\n", 5), ["a,\"x\ny\"\n", "1,2\n"]);
        assert_eq!(of("a\r\nb\r\n", 2), ["a\r\n", "b\r\n"]);
        assert_eq!(of("a\rb\rc", 3), ["a\r", "b\r", "c"]);
        assert!(of("", 5).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn the_records_of_all_blocks_are_those_of_the_text(
            pieces in prop::collection::vec(
                prop::sample::select(vec!["a", "b", ",", "\"", "\"\"", "\n", "\r", "\r\n"]), 0..30,
            ),
            size in 1usize..12,
        ) {
            let text = pieces.concat();
            let blocks = blocks(text.as_bytes(), size);
            prop_assert_eq!(blocks.concat(), text.as_bytes());
            // An unclosed quote swallows the rest, in the text and in its last block.
            let of_blocks: Vec<_> = blocks.iter().flat_map(|block| records(block)).collect();
            prop_assert_eq!(of_blocks, records(text.as_bytes()));
        }
    }
}
