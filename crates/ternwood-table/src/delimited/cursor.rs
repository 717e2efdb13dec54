//! Splits delimited text into records and fields.
//!
//! A field that begins with `"` is quoted: it goes on to the next `"` that is not doubled, and may
//! hold delimiters and line breaks. Elsewhere a `"` is an ordinary character. A record ends with
//! `\n`, `\r` or `\r\n`; empty lines are skipped.

use crate::notation::parse_number;
use memchr::{memchr, memchr3};
use std::borrow::Cow;

/// What follows a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Field,
    Record,
}

/// Why a field cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadField {
    /// A quote is never closed.
    OpenQuote,
    /// It takes more bytes than a field may.
    TooLong,
}

/// A position in a text that begins with a record.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    delimiter: u8,
    max_field: usize,
    /// Line breaks before the position.
    line: u64,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a [u8], delimiter: u8, max_field: usize) -> Self {
        Self { text, at: 0, delimiter, max_field, line: 0 }
    }

    /// The line of the position, from 0.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// The bytes before the position.
    pub(super) fn consumed(&self) -> usize {
        self.at
    }

    /// Moves to the next record. Returns false at the end.
    #[inline]
    pub(super) fn next_record(&mut self) -> bool {
        while let Some(&byte @ (b'\n' | b'\r')) = self.text.get(self.at) {
            self.line += u64::from(byte == b'\n');
            self.at += 1;
        }
        self.at < self.text.len()
    }

    /// Reads the field at the position as a number, if it is the text of one and nothing else. If
    /// not, stays there.
    #[inline]
    pub(super) fn number(&mut self) -> Option<f64> {
        let text = &self.text[self.at..];
        let start = usize::from(text.first() == Some(&b'-'));
        let (mut mantissa, mut end) = digits(text, start, 0);
        let mut n_digits = end - start;
        let mut decimals = 0;
        if text.get(end) == Some(&b'.') {
            let fraction = end + 1;
            (mantissa, end) = digits(text, fraction, mantissa);
            decimals = end - fraction;
            n_digits += decimals;
        }
        let is_end = |byte: &u8| *byte == self.delimiter || matches!(byte, b'\n' | b'\r');
        if n_digits == 0 || !text.get(end).is_none_or(is_end) {
            return None;
        }
        // An integer below 2^53 and a power of ten up to 10^22 are exact, so that one division
        // rounds correctly. Up to 19 digits the integer cannot overflow.
        let value = if n_digits <= 19 && mantissa <= 1 << 53 && decimals < POWERS.len() {
            let magnitude = mantissa as f64 / POWERS[decimals];
            if start == 1 { -magnitude } else { magnitude }
        } else if end > self.max_field {
            return None;
        } else {
            parse_number(&text[..end])?
        };
        self.at += end;
        Some(value)
    }

    /// Reads the field at the position.
    #[inline]
    pub(super) fn field(&mut self) -> Result<Cow<'a, [u8]>, BadField> {
        if self.text.get(self.at) == Some(&b'"') {
            return self.quoted();
        }
        match self.rest_of_field() {
            rest if rest.len() > self.max_field => Err(BadField::TooLong),
            rest => Ok(Cow::Borrowed(rest)),
        }
    }

    /// Moves past the end of the field at the position.
    #[inline]
    pub(super) fn end_field(&mut self) -> End {
        match self.text.get(self.at) {
            Some(&byte) if byte == self.delimiter => {
                self.at += 1;
                return End::Field;
            }
            Some(b'\n') => {
                self.at += 1;
                self.line += 1;
            }
            Some(_) => {
                // A carriage return, perhaps with a line feed.
                let both = self.text.get(self.at + 1) == Some(&b'\n');
                self.at += 1 + usize::from(both);
                self.line += u64::from(both);
            }
            None => {}
        }
        End::Record
    }

    /// The text up to the end of an unquoted field.
    #[inline]
    fn rest_of_field(&mut self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        let end = memchr3(self.delimiter, b'\n', b'\r', rest).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn quoted(&mut self) -> Result<Cow<'a, [u8]>, BadField> {
        let start = self.at;
        let mut field: Cow<'a, [u8]> = Cow::Borrowed(&[]);
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let Some(quote) = memchr(b'"', rest) else {
                let is_too_long = self.text.len() - start > self.max_field;
                return Err(if is_too_long { BadField::TooLong } else { BadField::OpenQuote });
            };
            let is_doubled = rest.get(quote + 1) == Some(&b'"');
            // A doubled quote stands for one.
            let piece = &rest[..quote + usize::from(is_doubled)];
            self.line += memchr::memchr_iter(b'\n', piece).count() as u64;
            append(&mut field, piece);
            self.at += quote + 1 + usize::from(is_doubled);
            if !is_doubled {
                break;
            }
        }
        // Text after the closing quote belongs to the field.
        let rest = self.rest_of_field();
        if self.at - start > self.max_field {
            return Err(BadField::TooLong);
        }
        append(&mut field, rest);
        Ok(field)
    }
}

fn append<'a>(field: &mut Cow<'a, [u8]>, piece: &'a [u8]) {
    if field.is_empty() {
        *field = Cow::Borrowed(piece);
    } else if !piece.is_empty() {
        field.to_mut().extend_from_slice(piece);
    }
}

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Appends the digits from a position on to a number. Returns it and the position after them.
#[inline(always)]
fn digits(text: &[u8], from: usize, number: u64) -> (u64, usize) {
    let (mut number, mut at) = (number, from);
    while let Some(eight) = text.get(at..at + 8).and_then(eight_digits) {
        number = number.wrapping_mul(100_000_000).wrapping_add(eight);
        at += 8;
    }
    while let Some(&byte) = text.get(at)
        && byte.is_ascii_digit()
    {
        number = number.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
        at += 1;
    }
    (number, at)
}

/// The number of eight digits, all of them at once: first pairs of digits are added up, then
/// pairs of pairs, then their pairs.
#[inline(always)]
fn eight_digits(text: &[u8]) -> Option<u64> {
    let word = u64::from_le_bytes(text.try_into().ok()?);
    // A digit is 0x30 to 0x39: its upper half is 3, also after adding 6.
    let upper = 0xf0f0_f0f0_f0f0_f0f0;
    let is_digits = word & upper == 0x3030_3030_3030_3030
        && word.wrapping_add(0x0606_0606_0606_0606) & upper == 0x3030_3030_3030_3030;
    if !is_digits {
        return None;
    }
    let ones = word & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = (ones * 10 + (ones >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours * 10_000 + (fours >> 32)) & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The records of a text, or the error at its end.
    fn records(text: &[u8], delimiter: u8) -> Result<Vec<Vec<Vec<u8>>>, BadField> {
        let mut cursor = Cursor::new(text, delimiter, usize::MAX);
        let mut records = Vec::new();
        while cursor.next_record() {
            let mut fields = Vec::new();
            loop {
                fields.push(cursor.field()?.into_owned());
                if cursor.end_field() == End::Record {
                    break;
                }
            }
            records.push(fields);
        }
        assert_eq!(cursor.consumed(), text.len());
        assert_eq!(cursor.line(), text.iter().filter(|&&byte| byte == b'\n').count() as u64);
        Ok(records)
    }

    /// As the csv crate reads them.
    fn reference(text: &[u8], delimiter: u8) -> Vec<Vec<Vec<u8>>> {
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter);
        let records = builder.from_reader(text).into_byte_records();
        records.map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn records_are_those_of_the_csv_crate(
            pieces in prop::collection::vec(
                prop::sample::select(vec!["a", "1", ",", ";", "\"", "\"\"", "\n", "\r", "\r\n", " "]),
                0..24,
            ),
        ) {
            let text = pieces.concat();
            for delimiter in [b',', b';'] {
                if let Ok(records) = records(text.as_bytes(), delimiter) {
                    prop_assert_eq!(records, reference(text.as_bytes(), delimiter));
                }
            }
        }

        #[test]
        fn numbers_are_those_of_the_standard_library(
            text in "-?[0-9]{0,24}[.]?[0-9]{0,24}",
            after in prop::sample::select(vec!["", ",", "\n", "\r\n", "e5", " ", "x"]),
        ) {
            let both = format!("{text}{after}");
            let mut cursor = Cursor::new(both.as_bytes(), b',', usize::MAX);
            let expected: Option<f64> = text.parse().ok();
            let ends = after.is_empty() || [",", "\n", "\r\n"].contains(&after);
            let expected = expected.filter(|_| ends);
            prop_assert_eq!(cursor.number().map(f64::to_bits), expected.map(f64::to_bits));
            prop_assert_eq!(cursor.consumed(), if expected.is_some() { text.len() } else { 0 });
        }
    }

    #[test]
    fn a_quote_that_is_never_closed() {
        assert_eq!(records(b"a,\"b\nc,d\n", b','), Err(BadField::OpenQuote));
        assert_eq!(records(b"a,b\"\n", b',').unwrap(), [[b"a".to_vec(), b"b\"".to_vec()]]);
    }
}
