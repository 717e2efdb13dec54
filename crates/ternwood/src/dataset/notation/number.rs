//! Fast, exact parsing and printing of numbers.

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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
}
