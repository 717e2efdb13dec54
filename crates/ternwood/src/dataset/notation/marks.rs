//! Decimal marks and thousands separators.

use super::number::parse_number;
use crate::error::{Result, parameter};
use serde::{Deserialize, Serialize};

/// The mark before the fraction of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DecimalMark {
    /// `1.5`
    #[default]
    #[serde(rename = ".")]
    Point,
    /// `1,5`
    #[serde(rename = ",")]
    Comma,
}

/// The marks within a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// The mark before the fraction.
    #[serde(default)]
    pub decimal: DecimalMark,
    /// What may separate groups of three digits before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thousands: Option<char>,
}

/// No number that people write with separators is longer.
const LONGEST: usize = 64;

impl Marks {
    /// Checks that a number can be read in one way only.
    ///
    /// # Errors
    /// A thousands separator that is also the decimal mark, or that is a digit, a letter or a sign.
    pub fn check(self) -> Result<()> {
        let decimal = match self.decimal {
            DecimalMark::Point => '.',
            DecimalMark::Comma => ',',
        };
        match self.thousands {
            Some(mark) if mark == decimal || mark.is_alphanumeric() || "+-%".contains(mark) => {
                let allowed =
                    format!("neither the decimal mark '{decimal}' nor a digit, a letter or a sign");
                Err(parameter("thousands", format!("'{mark}'"), allowed))
            }
            _ => Ok(()),
        }
    }

    /// Parses a number with these marks.
    #[inline]
    pub(super) fn parse(self, text: &[u8]) -> Option<f64> {
        match self {
            Self { decimal: DecimalMark::Point, thousands: None } => parse_number(text),
            _ => self.parse_marked(text),
        }
    }

    /// Rewrites the number with a point and without separators.
    fn parse_marked(self, text: &[u8]) -> Option<f64> {
        if text.len() > LONGEST {
            return None;
        }
        let point = match self.decimal {
            DecimalMark::Point => b'.',
            DecimalMark::Comma => b',',
        };
        let whole = text.iter().position(|&byte| byte == point).unwrap_or(text.len());
        let (whole, fraction) = text.split_at(whole);
        let mut plain = Vec::with_capacity(text.len());
        self.push_whole(whole, &mut plain)?;
        // A point that is not the decimal mark would be taken for one.
        if plain.contains(&b'.') {
            return None;
        }
        if let [_, digits @ ..] = fraction {
            plain.push(b'.');
            plain.extend_from_slice(digits);
        }
        parse_number(&plain)
    }

    /// The digits before the decimal mark, without separators. With some, every group but the
    /// first must have three digits.
    fn push_whole(self, whole: &[u8], plain: &mut Vec<u8>) -> Option<()> {
        let mut utf8 = [0; 4];
        let separator = self.thousands.map(|mark| mark.encode_utf8(&mut utf8).as_bytes());
        let Some(separator) = separator.filter(|mark| contains(whole, mark)) else {
            plain.extend_from_slice(whole);
            return Some(());
        };
        let (sign, digits) = match whole {
            [sign @ (b'-' | b'+'), digits @ ..] => (Some(*sign), digits),
            digits => (None, digits),
        };
        plain.extend(sign);
        for (index, group) in split(digits, separator).enumerate() {
            let fits = if index == 0 { (1..=3).contains(&group.len()) } else { group.len() == 3 };
            if !fits || !group.iter().all(u8::is_ascii_digit) {
                return None;
            }
            plain.extend_from_slice(group);
        }
        Some(())
    }
}

fn contains(text: &[u8], mark: &[u8]) -> bool {
    text.windows(mark.len()).any(|window| window == mark)
}

/// The pieces between marks.
fn split<'a>(mut text: &'a [u8], mark: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut done = false;
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let at = text.windows(mark.len()).position(|window| window == mark);
        let piece = &text[..at.unwrap_or(text.len())];
        text = at.map_or(&[], |at| &text[at + mark.len()..]);
        done = at.is_none();
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(decimal: DecimalMark, thousands: Option<char>, text: &str) -> Option<f64> {
        Marks { decimal, thousands }.parse(text.as_bytes())
    }

    #[test]
    fn decimal_commas() {
        let comma = |text| parse(DecimalMark::Comma, None, text);
        for (text, value) in
            [("1,5", 1.5), ("-0,25", -0.25), ("1,5e3", 1500.0), (",5", 0.5), ("7", 7.0)]
        {
            assert_eq!(comma(text), Some(value), "{text}");
        }
        for text in ["1.5", "1,2,3", "1.000,5", "a,b", ",", "in,f", ""] {
            assert_eq!(comma(text), None, "{text}");
        }
    }

    #[test]
    fn a_separator_is_nothing_else() {
        let check = |decimal, mark| Marks { decimal, thousands: Some(mark) }.check();
        for mark in [',', ' ', '\'', '\u{a0}', '_'] {
            assert!(check(DecimalMark::Point, mark).is_ok(), "{mark:?}");
        }
        for mark in ['.', '5', 'e', '-'] {
            let error = check(DecimalMark::Point, mark).unwrap_err().to_string();
            assert!(error.contains(&format!("'{mark}'")), "{error}");
        }
        assert!(check(DecimalMark::Comma, ',').is_err());
    }

    #[test]
    fn thousands_stand_in_groups_of_three() {
        let german = |text| parse(DecimalMark::Comma, Some('.'), text);
        assert_eq!(german("1.234,56"), Some(1234.56));
        assert_eq!(german("-12.345.678"), Some(-12_345_678.0));
        assert_eq!(german("1234,5"), Some(1234.5));
        for text in ["1.23,4", "1.2345", ".123", "1..234", "1.234.", "1,5.0", "12.34"] {
            assert_eq!(german(text), None, "{text}");
        }
        assert_eq!(parse(DecimalMark::Point, Some(','), "1,234.5"), Some(1234.5));
        assert_eq!(parse(DecimalMark::Point, Some('\u{a0}'), "1\u{a0}234"), Some(1234.0));
        assert_eq!(parse(DecimalMark::Point, Some('\''), "1'234'567.25"), Some(1_234_567.25));
        assert_eq!(parse(DecimalMark::Point, Some(','), "1,5"), None);
    }
}
