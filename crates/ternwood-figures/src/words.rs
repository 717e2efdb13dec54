//! Numbers, thresholds and zones as figures print them.

use ternwood::Schema;
use ternwood::model::ZoneMeaning;
use ternwood::tree::{Side, Test};
use ternwood::words::{ShownTest, ShownZone};

/// A number with about `digits` significant digits, in plain or scientific form.
pub(crate) fn significant(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return "∞".to_owned();
    }
    if x == 0.0 {
        return "0".to_owned();
    }
    let magnitude = x.abs().log10().floor();
    if !(-4.0..7.0).contains(&magnitude) {
        return scientific(x, digits.clamp(1, 4) - 1);
    }
    let decimals = (digits as f64 - 1.0 - magnitude).max(0.0) as usize;
    trimmed(&format!("{x:.decimals$}"))
}

/// A threshold and its zone as the library prints them, with real minus signs.
pub(crate) fn shown_zone(test: ShownTest<'_>, schema: &Schema) -> Option<ShownZone> {
    let ShownZone { threshold, half_width, lower, upper } = test.zone(schema)?;
    let [threshold, lower, upper] = [threshold, lower, upper].map(|text| typeset(&text));
    Some(ShownZone { threshold, half_width: half_width.map(|text| typeset(&text)), lower, upper })
}

/// A value as the library prints it beside the threshold of a test.
pub(crate) fn shown_value(test: ShownTest<'_>, x: f64, schema: &Schema) -> String {
    typeset(&test.value(x, schema).0)
}

/// Real minus signs for hyphens, where a number is negative or has a negative exponent.
fn typeset(text: &str) -> String {
    let text = text.strip_prefix('-').map_or(text.to_owned(), |rest| format!("−{rest}"));
    match text.split_once("e-") {
        Some((mantissa, exponent)) if mantissa.ends_with(|c: char| c.is_ascii_digit()) => {
            format!("{mantissa}e−{exponent}")
        }
        _ => text,
    }
}

/// A fixed number of decimals, with a real minus sign.
pub(crate) fn fixed(x: f64, decimals: usize) -> String {
    minus(&format!("{x:.decimals$}"))
}

/// A count, grouped by thousands; abbreviated from a million on.
pub(crate) fn count(n: u64) -> String {
    match n {
        0..1_000_000 => grouped(n),
        1_000_000..1_000_000_000 => significant(n as f64 / 1e6, 4) + "M",
        _ => significant(n as f64 / 1e9, 4) + "G",
    }
}

/// A share as a percentage. Only exact 0 and 1 print as 0 % and 100 %.
pub(crate) fn percent(share: f64) -> String {
    let rounded = (share * 100.0).round();
    match share {
        p if p > 0.0 && rounded == 0.0 => "<1 %".to_owned(),
        p if p < 1.0 && rounded == 100.0 => ">99 %".to_owned(),
        _ => format!("{rounded} %"),
    }
}

fn grouped(n: u64) -> String {
    if n < 1000 {
        return n.to_string();
    }
    format!("{},{:03}", n / 1000, n % 1000)
}

fn scientific(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{}", trimmed(mantissa), minus(exponent))
}

fn trimmed(text: &str) -> String {
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    minus(text)
}

fn minus(text: &str) -> String {
    let all_zero = text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
    match text.strip_prefix('-') {
        Some(rest) if all_zero => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text.to_owned(),
    }
}

// A threshold and its zone, as pictures name them.

/// The words for a cut at a threshold.
pub(crate) struct CutWords {
    /// "127.0 ± 1.1", "127.0, blended between 125.9 and 128.1", "≤ Bachelors, blended within 0.5 ranks".
    pub(crate) full: String,
    /// The same where there is little room, the longest first: "127.0 (125.9 to 128.1)", "125.9 to 128.1", "127.0".
    pub(crate) phrasings: Vec<String>,
}

impl CutWords {
    /// `None` for a test of something else.
    pub(crate) fn of_threshold(
        test: ShownTest<'_>,
        schema: &Schema,
        meaning: ZoneMeaning,
    ) -> Option<Self> {
        let zone = shown_zone(test, schema)?;
        let Some(half_width) = &zone.half_width else {
            let cut = last_on_left(test.test, schema).unwrap_or(zone.threshold);
            return Some(Self { full: cut.clone(), phrasings: vec![cut] });
        };
        if let Some(last) = last_on_left(test.test, schema) {
            let full = match (meaning.error_in_words(half_width), meaning.of_range()) {
                (Some(error), _) => format!("{last} {error}"),
                (None, of_range) => {
                    format!("{last}, {} within {half_width} ranks", of_range.unwrap_or_default())
                }
            };
            return Some(Self { phrasings: vec![full.clone(), last], full });
        }
        let full = zone.in_words(meaning);
        let ShownZone { threshold, lower, upper, .. } = zone;
        let mut phrasings = match meaning.is_error() {
            true => vec![full.clone()],
            false => {
                vec![format!("{threshold} ({lower} to {upper})"), format!("{lower} to {upper}")]
            }
        };
        phrasings.push(threshold);
        Some(Self { full, phrasings })
    }
}

/// "≤ Bachelors", for ordered categories.
fn last_on_left(test: &Test, schema: &Schema) -> Option<String> {
    let words = test.describe_branch(Side::Below, false, schema);
    words.strip_prefix("<= ").map(|last| format!("≤ {last}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphens_become_minus_signs_only_in_numbers() {
        let cases = [
            ("-1.5", "−1.5"),
            ("-1.5e-9", "−1.5e−9"),
            ("2021-03-04", "2021-03-04"),
            ("none-of-these", "none-of-these"),
        ];
        for (text, expected) in cases {
            assert_eq!(typeset(text), expected);
        }
    }

    #[test]
    fn numbers_and_counts_are_short() {
        assert_eq!(significant(1.0 / 3.0, 4), "0.3333");
        assert_eq!(significant(-1e-9, 3), "−1e−9");
        assert_eq!(significant(f64::INFINITY, 3), "∞");
        assert_eq!([count(7), count(12_345), count(2_500_000)], ["7", "12,345", "2.5M"]);
        assert_eq!([percent(0.0), percent(0.001), percent(0.999)], ["0 %", "<1 %", ">99 %"]);
        assert_eq!(fixed(-0.001, 2), "0.00");
    }
}
