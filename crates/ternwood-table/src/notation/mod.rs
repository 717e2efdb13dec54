//! Texts read as numbers, in the notation that a schema describes.

mod date;
mod number;

pub(crate) use date::own_seconds;
pub use date::seconds;
pub use number::{parse_number, shortest_number};

use ternwood::dataset::notation::{DAY, Notation};

/// The number that a text without white space around it stands for; `None` if it is not written
/// like this. Dates may also be written as in ISO 8601, whatever their pattern.
///
/// ```
/// use ternwood::dataset::notation::{DatePattern, Notation};
/// use ternwood_table::notation::parse;
///
/// assert_eq!(parse(&Notation::default(), b"12.5"), Some(12.5));
/// assert_eq!(parse(&Notation::Percent(Default::default()), b"12.5 %"), Some(12.5));
/// let german = Notation::Date(DatePattern::new("%d.%m.%Y")?);
/// assert_eq!(parse(&german, b"31.12.1970"), Some(364.0));
/// # Ok::<(), ternwood::Error>(())
/// ```
#[must_use]
#[inline]
pub fn parse(notation: &Notation, text: &[u8]) -> Option<f64> {
    match notation {
        Notation::Number(marks) => number::parse_with(*marks, text),
        Notation::Percent(marks) => {
            number::parse_with(*marks, text.strip_suffix(b"%")?.trim_ascii_end())
        }
        Notation::Date(pattern) => seconds(pattern, text).map(|seconds| seconds / DAY),
        Notation::Time(pattern) => seconds(pattern, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ternwood::dataset::notation::Marks;

    #[test]
    fn percentages_need_their_sign() {
        let percent = Notation::Percent(Marks::default());
        assert_eq!(parse(&percent, b"-3%"), Some(-3.0));
        assert_eq!(parse(&percent, b"7 %"), Some(7.0));
        for text in [&b"7"[..], b"%", b"7%%", b"x%"] {
            assert_eq!(parse(&percent, text), None);
        }
    }
}
