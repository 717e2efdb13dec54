//! How a feature's numbers are written in tables: a description that the schema holds.
//!
//! The tree itself sees only numbers; `ternwood-table` reads texts by these descriptions, so that a
//! model reads later tables as it read the training table.

use crate::error::{Error, Result, parameter};
use serde::{Deserialize, Serialize};

/// How the numbers of a feature are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notation {
    /// Plain numbers: `1234.5`, or with other marks `1.234,5`.
    Number(Marks),
    /// Numbers with a percent sign: `12.5%` is 12.5.
    Percent(Marks),
    /// Dates, as days since 1970-01-01. A time of day is a fraction of the day.
    Date(DatePattern),
    /// Dates with times, as seconds since 1970-01-01 00:00:00 UTC.
    Time(DatePattern),
}

impl Default for Notation {
    fn default() -> Self {
        Self::Number(Marks::default())
    }
}

/// Seconds per day.
pub const DAY: f64 = 86_400.0;

impl Notation {
    /// Checks that a text can be read in one way only.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::Number(marks) | Self::Percent(marks) => marks.check(),
            Self::Date(_) | Self::Time(_) => Ok(()),
        }
    }

    /// True for plain numbers with a decimal point.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        matches!(self, Self::Number(marks) if *marks == Marks::default())
    }

    /// True for numbers that are written with a decimal comma.
    #[must_use]
    pub fn has_decimal_comma(&self) -> bool {
        match self {
            Self::Number(marks) | Self::Percent(marks) => marks.decimal == DecimalMark::Comma,
            Self::Date(_) | Self::Time(_) => false,
        }
    }

    /// True for dates, with or without times.
    #[must_use]
    pub fn is_date(&self) -> bool {
        matches!(self, Self::Date(_) | Self::Time(_))
    }
}

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
}

/// How dates are written, with the codes of `strptime`: `%d.%m.%Y` reads `31.12.2020`.
///
/// Known are `%Y` (year), `%y` (its last two digits, 1969 to 2068), `%m` (month), `%b` and `%B`
/// (its English name, short or long), `%d` (day), `%H` (hour), `%I` and `%p` (hour of half a day,
/// AM or PM), `%M` (minute), `%S` (second), `%f` (its fraction), `%z` (`Z` or `+01:00`) and `%%`.
/// A time of day may follow a pattern that has none, separated by a space or a `T`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DatePattern(String);

impl TryFrom<String> for DatePattern {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::new(&text)
    }
}

impl From<DatePattern> for String {
    fn from(pattern: DatePattern) -> Self {
        pattern.0
    }
}

const ISO: &str = "%Y-%m-%d";
const CODES: &[u8] = b"YymbBdHIpMSfz%";
const EXPECTED: &str = "a pattern of dates with year, month and day, such as %Y-%m-%d or %d.%m.%Y";

impl DatePattern {
    /// A pattern.
    ///
    /// # Errors
    /// An unknown code, or a pattern without a year, a month or a day.
    pub fn new(text: &str) -> Result<Self> {
        let refuse = || parameter("date", format!("'{text}'"), EXPECTED);
        let text = without_usual_time(text);
        let mut codes = Vec::new();
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            if byte == b'%' {
                codes.push(bytes.next().filter(|code| CODES.contains(code)).ok_or_else(refuse)?);
            }
        }
        let has = |wanted: &[u8]| codes.iter().any(|code| wanted.contains(code));
        let complete = has(b"Yy") && has(b"mbB") && has(b"d");
        if complete { Ok(Self(text.to_owned())) } else { Err(refuse()) }
    }

    /// `2020-12-31`, as in ISO 8601.
    #[must_use]
    pub fn iso() -> Self {
        Self(ISO.to_owned())
    }

    /// The pattern as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True for the pattern of ISO 8601.
    #[must_use]
    pub fn is_iso(&self) -> bool {
        self.0 == ISO
    }
}

/// The pattern without a time of day that may follow any date.
fn without_usual_time(text: &str) -> &str {
    let rest = ["%z", ".%f", ":%S"]
        .iter()
        .fold(text, |rest, suffix| rest.strip_suffix(suffix).unwrap_or(rest));
    let date = rest.strip_suffix("%H:%M").and_then(|date| date.strip_suffix([' ', 'T']));
    date.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notation_survives_being_written() {
        let comma = Marks { decimal: DecimalMark::Comma, thousands: Some('.') };
        let iso = DatePattern::iso;
        let all = [
            Notation::default(),
            Notation::Number(comma),
            Notation::Percent(comma),
            Notation::Date(iso()),
            Notation::Time(DatePattern::new("%d/%m/%Y").unwrap()),
        ];
        for notation in all {
            let text = serde_json::to_string(&notation).unwrap();
            assert_eq!(serde_json::from_str::<Notation>(&text).unwrap(), notation, "{text}");
        }
        assert!(serde_json::from_str::<Notation>(r#"{"date": "%Q"}"#).is_err());
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
    fn patterns_without_a_whole_date_are_refused() {
        for text in ["", "%Y", "%d.%m", "%Y-%m-%Q", "%Y-%m-%d%", "dd.MM.yyyy"] {
            let error = DatePattern::new(text).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("%d.%m.%Y"), "{error}");
        }
    }
}
