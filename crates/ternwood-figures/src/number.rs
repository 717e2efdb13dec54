//! Number formatting.

use ternwood::tree::Zone;

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

/// Threshold and half-width with matching digits: the half-width has two significant ones.
pub(crate) fn zone_texts(zone: Zone) -> (String, Option<String>) {
    let (threshold, half_width) = (zone.threshold(), zone.half_width());
    if half_width == 0.0 {
        return (significant(threshold, 5), None);
    }
    let magnitude = half_width.log10().floor();
    if !(-6.0..7.0).contains(&magnitude) || threshold.abs() >= 1e9 {
        let far = threshold.abs().log10().floor() - magnitude;
        let digits = if far.is_finite() { far.clamp(1.0, 6.0) as usize } else { 1 };
        return (scientific(threshold, digits), Some(scientific(half_width, 1)));
    }
    let decimals = (1.0 - magnitude).max(0.0) as usize;
    (fixed(threshold, decimals), Some(fixed(half_width, decimals)))
}

/// `threshold ± half-width`, or only the threshold if there is no zone.
pub(crate) fn zone_text(zone: Zone) -> String {
    match zone_texts(zone) {
        (threshold, Some(half_width)) => format!("{threshold} ± {half_width}"),
        (threshold, None) => threshold,
    }
}

/// The edges of a zone, with as many digits as its half-width justifies.
pub(crate) fn edge_texts(zone: Zone) -> (String, String) {
    let decimals = match zone_texts(zone).1 {
        Some(half_width) if !half_width.contains('e') => {
            half_width.find('.').map_or(0, |point| half_width.len() - point - 1)
        }
        _ => return (significant(zone.lower(), 5), significant(zone.upper(), 5)),
    };
    (fixed(zone.lower(), decimals), fixed(zone.upper(), decimals))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(threshold: f64, half_width: f64) -> Zone {
        Zone::new(threshold, half_width).unwrap()
    }

    #[test]
    fn digits_follow_the_half_width() {
        assert_eq!(zone_text(zone(127.04, 1.1)), "127.0 ± 1.1");
        assert_eq!(zone_text(zone(-0.4029, 0.0123)), "−0.403 ± 0.012");
        assert_eq!(zone_text(zone(1234.5678, 120.0)), "1235 ± 120");
        assert_eq!(zone_text(zone(2.5, 0.0)), "2.5");
        assert_eq!(zone_text(zone(1.5e308, 1e307)), "1.5e308 ± 1e307");
        assert_eq!(zone_text(zone(0.25, 1e-9)), "2.5e−1 ± 1e−9");
        assert_eq!(edge_texts(zone(127.04, 1.1)), ("125.9".to_owned(), "128.1".to_owned()));
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
