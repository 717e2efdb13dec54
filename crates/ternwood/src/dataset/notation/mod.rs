//! How texts spell the numbers of a feature: decimal marks, percentages, dates and times.
//!
//! A schema holds the notation of every numeric feature, so that a model reads later tables as it
//! read the training table. The tree itself sees only numbers.

mod calendar;
mod date_pattern;
mod marks;
mod number;

pub use calendar::{date_text, time_text};
pub(crate) use calendar::{days_text, seconds_text};
pub use date_pattern::DatePattern;
pub use marks::{DecimalMark, Marks};
pub use number::{parse_number, shortest_number};

use crate::error::Result;
use serde::{Deserialize, Serialize};

/// How the numbers of a feature are written.
///
/// ```
/// use ternwood::dataset::notation::{DatePattern, Notation};
///
/// assert_eq!(Notation::default().parse(b"12.5"), Some(12.5));
/// assert_eq!(Notation::Percent(Default::default()).parse(b"12.5 %"), Some(12.5));
/// let german = Notation::Date(DatePattern::new("%d.%m.%Y")?);
/// assert_eq!(german.parse(b"31.12.1970"), Some(364.0));
/// # Ok::<(), ternwood::Error>(())
/// ```
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
    /// The number that a text without white space around it stands for; `None` if it is not
    /// written like this. Dates may also be written as in ISO 8601, whatever their pattern.
    #[must_use]
    #[inline]
    pub fn parse(&self, text: &[u8]) -> Option<f64> {
        match self {
            Self::Number(marks) => marks.parse(text),
            Self::Percent(marks) => marks.parse(text.strip_suffix(b"%")?.trim_ascii_end()),
            Self::Date(pattern) => pattern.seconds(text).map(|seconds| seconds / DAY),
            Self::Time(pattern) => pattern.seconds(text),
        }
    }

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
    fn percentages_need_their_sign() {
        let percent = Notation::Percent(Marks::default());
        assert_eq!(percent.parse(b"-3%"), Some(-3.0));
        assert_eq!(percent.parse(b"7 %"), Some(7.0));
        for text in [&b"7"[..], b"%", b"7%%", b"x%"] {
            assert_eq!(percent.parse(text), None);
        }
    }
}
