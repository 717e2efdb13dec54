//! The value of a field: a number, a word or missing.

use crate::number;

/// The value of a field, whatever the type of its column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell {
    Missing,
    /// NaN for a spelling of NaN that is not listed as missing.
    Number(f64),
    Word,
}

/// Parses fields: the spellings of missing values and of numbers.
#[derive(Debug)]
pub(super) struct Cells {
    missing: Vec<Vec<u8>>,
    longest: usize,
    /// Whether a spelling of a missing value is a number, like -999.
    numbers_missing: bool,
    /// Whether `1,5` is a number: only if the delimiter is a semicolon.
    decimal_comma: bool,
}

impl Cells {
    pub(super) fn new(missing: &[String], delimiter: u8) -> Self {
        let missing: Vec<Vec<u8>> = missing.iter().map(|text| text.clone().into_bytes()).collect();
        let longest = missing.iter().map(Vec::len).max().unwrap_or(0);
        let is_number = |text: &Vec<u8>| number::parse(text).is_some_and(|value| !value.is_nan());
        let numbers_missing = missing.iter().any(is_number);
        Self { missing, longest, numbers_missing, decimal_comma: delimiter == b';' }
    }

    /// Parses a field, ignoring white space around it.
    #[inline]
    pub(super) fn parse(&self, field: &[u8]) -> Cell {
        let field = field.trim_ascii();
        match number::parse(field) {
            Some(value) if !value.is_nan() && !self.numbers_missing => Cell::Number(value),
            _ if self.is_missing(field) => Cell::Missing,
            Some(value) => Cell::Number(value),
            None if self.decimal_comma => {
                number::parse_decimal_comma(field).map_or(Cell::Word, Cell::Number)
            }
            None => Cell::Word,
        }
    }

    /// The decimal mark of a number, if both a point and a comma are allowed.
    #[inline]
    pub(super) fn decimal_mark(&self, field: &[u8]) -> Option<u8> {
        let is_mark = |byte: &u8| matches!(byte, b'.' | b',');
        if self.decimal_comma { field.iter().copied().find(is_mark) } else { None }
    }

    /// Whether a trimmed field is missing.
    #[inline]
    pub(super) fn is_missing(&self, field: &[u8]) -> bool {
        field.len() <= self.longest && self.missing.iter().any(|spelling| spelling == field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::MISSING_SPELLINGS;

    #[test]
    fn missing_numbers_and_words() {
        let cells = Cells::new(&MISSING_SPELLINGS.map(str::to_owned), b',');
        for text in ["", "  ", "?", " NA ", "nan", "null", "#N/A"] {
            assert_eq!(cells.parse(text.as_bytes()), Cell::Missing, "{text:?}");
        }
        assert_eq!(cells.parse(b" 1.5 "), Cell::Number(1.5));
        assert_eq!(cells.parse(b"-999"), Cell::Number(-999.0));
        assert_eq!(cells.parse(b"none at all"), Cell::Word);
        assert_eq!(cells.parse(b"1,5"), Cell::Word);
        let cells = Cells::new(&["-999".to_owned()], b',');
        assert_eq!(cells.parse(b"-999"), Cell::Missing);
        assert_eq!(cells.parse(b"-998"), Cell::Number(-998.0));
        assert_eq!(cells.parse(b""), Cell::Word);
        let cells = Cells::new(&[], b';');
        assert_eq!(cells.parse(b" 1,5 "), Cell::Number(1.5));
        assert_eq!(cells.parse(b"1,5,0"), Cell::Word);
    }
}
