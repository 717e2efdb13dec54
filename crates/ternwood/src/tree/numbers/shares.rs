//! Percentages and probabilities.

use super::decimal::Decimal;
use super::digits::{Printed, Reading};
use crate::tree::Zone;

/// A number with up to six significant digits.
pub(crate) fn plain_number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let magnitude = x.abs().log10().floor();
    if !(-4.0..7.0).contains(&magnitude) {
        return format!("{x:.3e}");
    }
    let decimals = (5.0 - magnitude).max(0.0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Percentages from here on are not written out. Only hostile files have them.
const LARGE_PERCENT: f64 = 1e9;

/// A share in percent, kept finite.
fn percent(share: f64) -> f64 {
    (100.0 * share).clamp(f64::MIN, f64::MAX)
}

/// A share, a cut and the standard error of the share in percent, with the same number of decimals: one
/// significant digit of the error, or more if rounding would move the share across the cut or an edge of
/// `zone`, which reaches `factor` standard errors to both sides of the cut.
pub(crate) fn percent_numbers(
    share: f64,
    zone: Zone,
    standard_error: f64,
    factor: f64,
) -> [String; 3] {
    let percents = [share, zone.threshold(), standard_error].map(percent);
    if percents.iter().any(|x| x.abs() >= LARGE_PERCENT) {
        return percents.map(|x| format!("{x:e}"));
    }
    let magnitude = percents[2].log10().floor();
    let fewest = if magnitude.is_finite() { (-magnitude).clamp(0.0, 9.0) as i32 } else { 0 };
    for decimals in fewest..fewest + 6 {
        let rounded = percents.map(|x| Decimal::rounded(x, decimals));
        let [Some(value), Some(threshold), Some(error)] = rounded else { continue };
        let half_width = Decimal::shortest((factor * error.near()).min(f64::MAX));
        if (Printed { threshold, half_width }).keep(zone, &[Reading::of(share, value)]) {
            return [value, threshold, error].map(Decimal::plain);
        }
    }
    percents.map(|x| x.to_string())
}

/// A cut in percent, given between the nearest share on its left and the nearest on its right,
/// with as few decimals as keep it there.
pub(crate) fn percent_between([left, cut, right]: [f64; 3]) -> String {
    let [left, cut, right] = [left, cut, right].map(percent);
    if cut.abs() >= LARGE_PERCENT {
        return format!("{cut:e}");
    }
    let mut texts = (0..9).filter_map(|places| Some(Decimal::rounded(cut, places)?.plain()));
    let keeps = |text: &String| text.parse().is_ok_and(|x: f64| left <= x && x < right);
    texts.find(keeps).unwrap_or_else(|| cut.to_string())
}

/// Two probabilities with enough decimals to tell them apart if they differ: at least two if
/// that prints the second one exactly, else at least three.
pub(crate) fn told_apart(first: f64, second: f64) -> [String; 2] {
    let fewest = if format!("{second:.2}").parse() == Ok(second) { 2 } else { 3 };
    for decimals in fewest..17 {
        let texts = [first, second].map(|x| format!("{x:.decimals$}"));
        if texts[0] != texts[1] || first == second {
            return texts;
        }
    }
    [first, second].map(|x| x.to_string())
}

/// Two probabilities in percent, told apart likewise: "68 %" and "80 %", or "79.6 %" and "80.0 %".
/// What ten decimals cannot tell apart is "just under 80 %".
pub(crate) fn percents_told_apart(first: f64, second: f64) -> [String; 2] {
    let whole = (100.0 * second).round() / 100.0 == second;
    let fewest = usize::from(!whole);
    for decimals in fewest..10 {
        let texts = [first, second].map(|share| percent_text(share, decimals));
        if texts[0] != texts[1] || first == second {
            return texts;
        }
    }
    let second_text = percent_text(second, fewest);
    let just = if first < second { "just under" } else { "just over" };
    [format!("{just} {second_text}"), second_text]
}

/// A probability in percent, with as few decimals as tell it from each of `others`; up to two if
/// that keeps what is nearly certain from being called certain.
pub(crate) fn percent_apart(share: f64, others: &[f64]) -> String {
    let told = |decimals: usize, others: &[f64]| {
        let text = percent_text(share, decimals);
        others.iter().all(|&other| other == share || percent_text(other, decimals) != text)
    };
    let uncertain = (0..3).find(|&d| told(d, others) && told(d, &[0.0, 1.0]));
    let decimals = uncertain.or_else(|| (0..14).find(|&d| told(d, others)));
    percent_text(share, decimals.unwrap_or(14))
}

fn percent_text(share: f64, decimals: usize) -> String {
    format!("{:.decimals$} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (127.5, "127.5"),
            (-0.125, "-0.125"),
            (1234567.0, "1234567"),
            (1.0 / 3.0, "0.333333"),
            (1e300, "1.000e300"),
            (2.5e-7, "2.500e-7"),
        ];
        for (x, text) in cases {
            assert_eq!(plain_number(x), text);
        }
    }

    #[test]
    fn numbers_that_differ_look_different() {
        assert_eq!(told_apart(0.62, 0.8), ["0.62", "0.80"]);
        assert_eq!(told_apart(0.7961, 0.8), ["0.796", "0.800"]);
        assert_eq!(told_apart(0.62, 0.875), ["0.620", "0.875"]);
        assert_eq!(told_apart(0.8, 0.8), ["0.80", "0.80"]);
        let [first, second] = told_apart(0.8f64.next_down(), 0.8);
        assert!(first.parse::<f64>().unwrap() < second.parse().unwrap(), "{first} {second}");
    }

    #[test]
    fn percents_that_differ_look_different() {
        assert_eq!(percents_told_apart(0.6789, 0.8), ["68 %", "80 %"]);
        assert_eq!(percents_told_apart(0.7961, 0.8), ["79.6 %", "80.0 %"]);
        assert_eq!(percents_told_apart(0.62, 0.875), ["62.0 %", "87.5 %"]);
        assert_eq!(percents_told_apart(0.8, 0.8), ["80 %", "80 %"]);
        assert_eq!(percents_told_apart(0.8f64.next_down(), 0.8), ["just under 80 %", "80 %"]);
        assert_eq!(percent_apart(0.906, &[0.8, 0.55]), "91 %");
        assert_eq!(percent_apart(0.7961, &[0.8]), "79.6 %");
        assert_eq!(percent_apart(0.8, &[0.8]), "80 %");
        assert_eq!(percent_apart(0.998, &[]), "99.8 %");
        assert_eq!(percent_apart(0.99996, &[]), "100 %", "all but certain");
        assert_eq!(percent_apart(1.0, &[]), "100 %");
    }

    #[test]
    fn percents_have_no_needless_decimals() {
        let texts = |share, cut, half_width| {
            percent_numbers(share, Zone::new(cut, half_width).unwrap(), half_width, 1.0).join(" ")
        };
        assert_eq!(texts(1.0 / 3.0, 0.4137, 0.4841), "33 41 48");
        assert_eq!(texts(0.1234, 0.41, 0.0481), "12 41 5");
        assert_eq!(texts(0.0012, 0.0054, 0.0007), "0.12 0.54 0.07");
        assert_eq!(texts(0.25, 0.5, 0.0), "25 50 0");
        // 41.4 is right of 41.2, and 33.4 not left of 41.2 - 8.4: whole percents would hide it.
        assert_eq!(texts(0.414, 0.412, 0.05), "41.4 41.2 5.0");
        assert_eq!(texts(0.334, 0.412, 0.084), "33.4 41.2 8.4");
        assert_eq!(texts(1e300, 0.5, 0.1), "1e302 5e1 1e1");
        // 33.48 is within 8 times 1 of 41.4, but 33 is not within 8 times 1 of 41: that takes another decimal.
        let zone = Zone::new(0.414, 0.08).unwrap();
        assert_eq!(percent_numbers(0.3348, zone, 0.01, 8.0).join(" "), "33.5 41.4 1.0");
    }

    #[test]
    fn a_cut_stays_between_its_neighbours() {
        assert_eq!(percent_between([0.406, 0.4095, 0.413]), "41");
        assert_eq!(percent_between([0.002, 0.004, 0.006]), "0.4");
        assert_eq!(percent_between([0.0, 1.0 / 6.0, 1.0 / 3.0]), "17");
        assert_eq!(percent_between([f64::NAN, 0.5, 0.5]), "50");
    }
}
