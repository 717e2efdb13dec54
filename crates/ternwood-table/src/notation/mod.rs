//! Texts read as numbers, in the notation that a schema describes.

mod date;

pub(crate) use date::own_seconds;
pub use date::seconds;
use ternwood::dataset::notation::{DAY, DecimalMark, Marks, Notation};

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
        Notation::Number(marks) => parse_with(*marks, text),
        Notation::Percent(marks) => parse_with(*marks, text.strip_suffix(b"%")?.trim_ascii_end()),
        Notation::Date(pattern) => seconds(pattern, text).map(|seconds| seconds / DAY),
        Notation::Time(pattern) => seconds(pattern, text),
    }
}

// Numbers as texts: fast, exact parsing and printing, and numbers with other marks.

/// Parses a trimmed field. Accepts what `f64::from_str` accepts, including `1e-3`, `.5`, `+2`,
/// `inf` and `nan`.
///
/// Short decimals, the bulk of any data file, take Clinger's fast path: an integer below 2^53
/// divided by a power of ten up to 10^22 is one correctly rounded operation on two exact numbers,
/// so the result equals that of `f64::from_str` bit for bit.
#[inline]
#[must_use]
pub fn parse_number(field: &[u8]) -> Option<f64> {
    match short_decimal(field) {
        Some(value) => Some(value),
        None => std::str::from_utf8(field).ok()?.parse().ok(),
    }
}

const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// Parses `-?[0-9]*[.]?[0-9]*` with 1 to 15 digits. `None` for anything else.
#[inline(always)]
fn short_decimal(field: &[u8]) -> Option<f64> {
    let (negative, digits) = match field {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut mantissa = 0u64;
    let mut n_digits = 0;
    let mut point = None;
    for (i, &byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa * 10 + u64::from(byte - b'0');
                n_digits += 1;
            }
            b'.' if point.is_none() => point = Some(i),
            _ => return None,
        }
    }
    if n_digits == 0 || n_digits > 15 {
        return None;
    }
    let magnitude = match point {
        None => mantissa as f64,
        Some(i) => mantissa as f64 / POWERS[digits.len() - i - 1],
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// The shortest text that parses back to the same number.
#[must_use]
pub fn shortest_number(value: f64) -> String {
    // Whole numbers without ".0", but very large ones in scientific notation.
    if value.fract() == 0.0 && value.abs() < 1e15 {
        value.to_string()
    } else {
        format!("{value:?}")
    }
}

/// Parses a number with these marks.
#[inline]
fn parse_with(marks: Marks, text: &[u8]) -> Option<f64> {
    match marks {
        Marks { decimal: DecimalMark::Point, thousands: None } => parse_number(text),
        _ => parse_marked(marks, text),
    }
}

/// No number that people write with separators is longer.
const LONGEST: usize = 64;

/// Rewrites the number with a point and without separators.
fn parse_marked(marks: Marks, text: &[u8]) -> Option<f64> {
    if text.len() > LONGEST {
        return None;
    }
    let point = match marks.decimal {
        DecimalMark::Point => b'.',
        DecimalMark::Comma => b',',
    };
    let whole = text.iter().position(|&byte| byte == point).unwrap_or(text.len());
    let (whole, fraction) = text.split_at(whole);
    let mut plain = Vec::with_capacity(text.len());
    push_whole(marks, whole, &mut plain)?;
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
fn push_whole(marks: Marks, whole: &[u8], plain: &mut Vec<u8>) -> Option<()> {
    let mut utf8 = [0; 4];
    let separator = marks.thousands.map(|mark| mark.encode_utf8(&mut utf8).as_bytes());
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
    use proptest::prelude::*;
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

    #[test]
    fn odd_spellings() {
        for (text, value) in [
            ("0", 0.0),
            ("-0", -0.0),
            ("+7", 7.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("-1.25", -1.25),
            ("1e-3", 0.001),
            ("999999999999999", 999_999_999_999_999.0),
            ("9007199254740993", 9_007_199_254_740_992.0),
            ("0.000000000000001", 1e-15),
            ("inf", f64::INFINITY),
        ] {
            assert_eq!(
                parse_number(text.as_bytes()).map(f64::to_bits),
                Some(value.to_bits()),
                "{text}"
            );
        }
        for text in ["", "-", ".", "-.", "1.2.3", "1,5", "0x10", "1 2", "--1", "abc", "1_000"] {
            assert_eq!(parse_number(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn decimals_parse_as_in_the_standard_library(text in "-?[0-9]{0,17}[.]?[0-9]{0,17}") {
            let expected: Option<f64> = text.parse().ok();
            prop_assert_eq!(parse_number(text.as_bytes()).map(f64::to_bits), expected.map(f64::to_bits));
        }
    }

    fn marked(decimal: DecimalMark, thousands: Option<char>, text: &str) -> Option<f64> {
        parse_with(Marks { decimal, thousands }, text.as_bytes())
    }

    #[test]
    fn decimal_commas() {
        let comma = |text| marked(DecimalMark::Comma, None, text);
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
    fn thousands_stand_in_groups_of_three() {
        let german = |text| marked(DecimalMark::Comma, Some('.'), text);
        assert_eq!(german("1.234,56"), Some(1234.56));
        assert_eq!(german("-12.345.678"), Some(-12_345_678.0));
        assert_eq!(german("1234,5"), Some(1234.5));
        for text in ["1.23,4", "1.2345", ".123", "1..234", "1.234.", "1,5.0", "12.34"] {
            assert_eq!(german(text), None, "{text}");
        }
        assert_eq!(marked(DecimalMark::Point, Some(','), "1,234.5"), Some(1234.5));
        assert_eq!(marked(DecimalMark::Point, Some('\u{a0}'), "1\u{a0}234"), Some(1234.0));
        assert_eq!(marked(DecimalMark::Point, Some('\''), "1'234'567.25"), Some(1_234_567.25));
        assert_eq!(marked(DecimalMark::Point, Some(','), "1,5"), None);
    }
}
