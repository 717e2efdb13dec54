//! Texts to numbers and back.

use ternwood::dataset::notation::{DAY, DatePattern, DecimalMark, Marks, Notation};
use ternwood::words::{date_text, time_text};
use ternwood_table::notation::{parse, parse_number, seconds, shortest_number};

/// Checks a pattern of dates, up to the first line break, and a text that follows it.
pub fn check(data: &[u8]) {
    let mut parts = data.splitn(2, |&byte| byte == b'\n');
    let pattern = parts.next().unwrap_or_default();
    let text = parts.next().unwrap_or(pattern);
    check_numbers(text);
    check_marks(text);
    let own = std::str::from_utf8(pattern).ok().and_then(|text| DatePattern::new(text).ok());
    for pattern in own.into_iter().chain([DatePattern::iso()]) {
        assert_eq!(DatePattern::new(pattern.as_str()).unwrap(), pattern);
        if let Some(moment) = seconds(&pattern, text) {
            check_dates(moment);
        }
    }
}

fn check_numbers(text: &[u8]) {
    let expected: Option<f64> = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    assert_eq!(parse_number(text).map(f64::to_bits), expected.map(f64::to_bits));
    if let Some(number) = expected.filter(|number| !number.is_nan()) {
        let again = parse_number(shortest_number(number).as_bytes());
        assert_eq!(again.map(f64::to_bits), Some(number.to_bits()));
    }
}

/// A number with marks is the number without separators and with a point.
fn check_marks(text: &[u8]) {
    for (decimal, mark) in [(DecimalMark::Point, '.'), (DecimalMark::Comma, ',')] {
        for thousands in [None, Some('.'), Some(','), Some(' '), Some('\u{a0}')] {
            if thousands == Some(mark) {
                continue;
            }
            let marks = Marks { decimal, thousands };
            let Some(number) = parse(&Notation::Number(marks), text) else { continue };
            let text = std::str::from_utf8(text).expect("a number is text");
            let plain = thousands.map_or(text.to_owned(), |mark| text.replace(mark, ""));
            let expected: f64 = plain.replace(mark, ".").parse().expect("it was parsed");
            assert_eq!(number.to_bits(), expected.to_bits());
        }
    }
}

/// Dates are as exact as floats of seconds can be; their texts have microseconds.
fn check_dates(moment: f64) {
    assert!(moment.is_finite());
    let iso = DatePattern::iso();
    let again = seconds(&iso, time_text(moment).as_bytes()).expect("a date");
    assert!((again - moment).abs() <= 1e-5, "{moment} {again}");
    let day = (moment / DAY).floor();
    assert_eq!(seconds(&iso, date_text(day).as_bytes()), Some(day * DAY));
}
