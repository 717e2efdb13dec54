//! Numbers for people. Every threshold, half-width, value and share that people see is written here.

use crate::dataset::notation::{DAY, Notation};
use crate::dataset::{Feature, Schema};
use crate::model::ZoneMeaning;
use crate::tree::{Decimal, Digits, NodeId, Printed, Reading, Test, Tree, Zone};

/// A number with up to six significant digits.
#[must_use]
pub fn plain_number(x: f64) -> String {
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
fn in_percent(share: f64) -> f64 {
    (100.0 * share).clamp(f64::MIN, f64::MAX)
}

/// 0.1234 as "12.3 %".
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// The same, or "-" for a share of nothing.
#[must_use]
pub fn percent_or_dash(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), percent)
}

/// 0.95 as "95 %", 0.125 as "12.5 %".
#[must_use]
pub fn short_percent(share: f64) -> String {
    format!("{} %", plain_number(100.0 * share))
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
    let percents = [share, zone.threshold(), standard_error].map(in_percent);
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
    let [left, cut, right] = [left, cut, right].map(in_percent);
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

/// Days in 400 years.
const DAYS_PER_ERA: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;

/// The year, month and day that many days after 1970-01-01.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_TO_1970;
    let (era, day_of_era) = (days.div_euclid(DAYS_PER_ERA), days.rem_euclid(DAYS_PER_ERA));
    let leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

/// Dates beyond these have no four-digit year; they are shown as numbers.
const SHOWN_DAYS: std::ops::Range<f64> = -719_528.0..2_932_897.0;

/// A number of days since 1970-01-01 as a date; with the time of day if it is a fraction.
/// `2020-12-31`, `2020-12-31 12:00`.
#[must_use]
pub fn date_text(days: f64) -> String {
    if !SHOWN_DAYS.contains(&days) {
        return format!("day {days}");
    }
    let (year, month, day) = date(days.floor() as i64);
    let text = format!("{year:04}-{month:02}-{day:02}");
    match (days - days.floor()) * DAY {
        0.0 => text,
        seconds => format!("{text} {}", clock(seconds)),
    }
}

/// A number of seconds since 1970-01-01 00:00:00 as date and time: `2020-12-31 14:30`,
/// `2020-12-31 14:30:05.25`.
#[must_use]
pub fn time_text(seconds: f64) -> String {
    let days = (seconds / DAY).floor();
    if !SHOWN_DAYS.contains(&days) {
        return format!("second {seconds}");
    }
    format!("{} {}", date_text(days), clock(seconds - days * DAY))
}

/// A number of days: `1 day`, `2.5 days`.
fn days_text(days: &str) -> String {
    if days == "1" { "1 day".to_owned() } else { format!("{days} days") }
}

/// A number of seconds in the largest unit of which it is a multiple: `36 h`, `90 min`, `0.5 s`.
fn seconds_text(seconds: f64) -> String {
    let is_multiple = |unit: f64| seconds >= unit && seconds % unit == 0.0;
    if is_multiple(DAY) {
        days_text(&(seconds / DAY).to_string())
    } else if is_multiple(3600.0) {
        format!("{} h", seconds / 3600.0)
    } else if is_multiple(60.0) {
        format!("{} min", seconds / 60.0)
    } else {
        format!("{seconds} s")
    }
}

/// A time of day: `14:30`, `14:30:05`, `14:30:05.25`.
fn clock(seconds: f64) -> String {
    let whole = seconds.floor();
    let (hours, minutes) = ((whole / 3600.0).floor(), (whole / 60.0).floor() % 60.0);
    let fraction = seconds - whole;
    let text = format!("{hours:02}:{minutes:02}");
    if whole % 60.0 == 0.0 && fraction == 0.0 {
        return text;
    }
    let digits = format!("{fraction:.6}");
    let digits = digits.trim_start_matches('0').trim_end_matches('0').trim_end_matches('.');
    format!("{text}:{:02}{}", whole % 60.0, if digits.starts_with('.') { digits } else { "" })
}

/// A threshold and its zone, with the digits that people see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownZone {
    /// The threshold.
    pub threshold: String,
    /// The half-width; `None` if there is no zone.
    pub half_width: Option<String>,
    /// The lower edge of the zone.
    pub lower: String,
    /// The upper edge of the zone.
    pub upper: String,
}

/// A test, and the digits that people see of its threshold and half-width.
#[derive(Debug, Clone, Copy)]
pub struct ShownTest<'a> {
    /// The test.
    pub test: &'a Test,
    /// The digits; `None` for all digits. Only thresholds have digits.
    pub digits: Option<Digits>,
}

impl Tree {
    /// The test of a split as people see it; `None` for a leaf.
    #[must_use]
    pub fn shown_test(&self, id: NodeId) -> Option<ShownTest<'_>> {
        let split = self.node(id).as_split()?;
        Some(ShownTest { test: &split.test, digits: self.digits(id) })
    }
}

impl ShownTest<'_> {
    /// The threshold and its zone as people see them, if the test compares numbers.
    #[must_use]
    pub fn zone(&self, schema: &Schema) -> Option<ShownZone> {
        let zone = self.test.zone()?;
        Some(Printed::new(zone, self.digits).shown(zone, self.test.feature_of(schema)))
    }

    /// A value of the tested feature as people see it, and the zone beside it: with the digits that
    /// tell on which side the value is. The zone is `None` if the test has no threshold.
    #[must_use]
    pub fn value(&self, x: f64, schema: &Schema) -> (String, Option<ShownZone>) {
        let feature = self.test.feature_of(schema);
        match self.test.zone() {
            Some(zone) if x.is_finite() => {
                let (printed, value) = Printed::beside(zone, self.digits, x);
                (number(feature, value, is_extreme(x)), Some(printed.shown(zone, feature)))
            }
            _ => (exact_number(feature, x), None),
        }
    }
}

impl Printed {
    fn shown(self, zone: Zone, feature: &Feature) -> ShownZone {
        let Self { threshold, half_width: width } = self;
        let largest = zone.threshold().abs().max(zone.half_width());
        // Numbers with the same decimals have the same notation, too.
        let extreme =
            |x: f64| is_extreme(if threshold.places() == width.places() { largest } else { x });
        let has_zone = zone.half_width() > 0.0;
        ShownZone {
            threshold: number(feature, threshold, extreme(zone.threshold())),
            half_width: has_zone.then(|| half_width(feature, width, extreme(zone.half_width()))),
            lower: number(feature, self.lower(), extreme(zone.lower())),
            upper: number(feature, self.upper(), extreme(zone.upper())),
        }
    }
}

/// A value or a threshold of a feature: dates as dates, percentages with their sign.
fn number(feature: &Feature, x: Decimal, extreme: bool) -> String {
    match &feature.notation {
        Notation::Number(_) => digits(x, extreme),
        Notation::Percent(_) => format!("{} %", digits(x, extreme)),
        Notation::Date(_) => date_text(x.near()),
        Notation::Time(_) => time_text(x.near()),
    }
}

/// A value of a feature by itself, with at most six digits: dates as dates, percentages with their
/// sign.
pub(super) fn written_number(notation: &Notation, x: f64) -> String {
    match notation {
        Notation::Number(_) => plain_number(x),
        Notation::Percent(_) => format!("{} %", plain_number(x)),
        Notation::Date(_) => date_text(x),
        Notation::Time(_) => time_text(x),
    }
}

/// A value of a feature by itself, with all of its digits: dates as dates, percentages with their sign.
pub(crate) fn exact_number(feature: &Feature, x: f64) -> String {
    number(feature, Decimal::shortest(x), is_extreme(x))
}

/// A half-width: a difference of two values of a feature.
fn half_width(feature: &Feature, width: Decimal, extreme: bool) -> String {
    match &feature.notation {
        Notation::Number(_) => digits(width, extreme),
        Notation::Percent(_) => format!("{} %", digits(width, extreme)),
        Notation::Date(_) => days_text(&digits(width, extreme)),
        Notation::Time(_) => seconds_text(width.near()),
    }
}

fn digits(x: Decimal, extreme: bool) -> String {
    if extreme { x.scientific() } else { x.plain() }
}

/// True for numbers that are easier to read in scientific notation.
fn is_extreme(x: f64) -> bool {
    x != 0.0 && !(1e-4..1e15).contains(&x.abs())
}

impl ZoneMeaning {
    /// A half-width as an error: "± 1.1", "± 1.1 (standard error)"; `None` if it is none.
    #[must_use]
    pub fn error_in_words(self, half_width: &str) -> Option<String> {
        match self {
            Self::MeasurementError => Some(format!("± {half_width}")),
            Self::StandardError => Some(format!("± {half_width} (standard error)")),
            Self::Blended | Self::Uncertain => None,
        }
    }
}

impl ShownZone {
    /// The threshold and its zone: "127.0 ± 1.1", "127.0, blended between 125.9 and 128.1", or "127.0" without a
    /// zone.
    #[must_use]
    pub fn in_words(&self, meaning: ZoneMeaning) -> String {
        let Self { threshold, half_width, .. } = self;
        let Some(half_width) = half_width else { return threshold.clone() };
        match meaning.error_in_words(half_width) {
            Some(error) => format!("{threshold} {error}"),
            None => format!("{threshold}, {}", self.range_in_words(meaning)),
        }
    }

    /// The zone as a place where values lie: "127.0 ± 1.1", "the blending zone from 125.9 to 128.1".
    pub(crate) fn as_place(&self, meaning: ZoneMeaning) -> String {
        let zone = match meaning {
            _ if self.half_width.is_none() => return self.threshold.clone(),
            ZoneMeaning::MeasurementError | ZoneMeaning::StandardError => {
                return self.in_words(meaning);
            }
            ZoneMeaning::Blended => "blending zone",
            ZoneMeaning::Uncertain => "uncertainty zone",
        };
        format!("the {zone} from {} to {}", self.lower, self.upper)
    }

    /// The same within a clause, where commas separate other things: "127.0 ± 1.1", "127.0 (blended between 125.9 and
    /// 128.1)".
    pub(crate) fn in_a_clause(&self, meaning: ZoneMeaning) -> String {
        match self.half_width.is_none() || meaning.is_error() {
            true => self.in_words(meaning),
            false => format!("{} ({})", self.threshold, self.range_in_words(meaning)),
        }
    }

    /// What holds for a value in the zone, in few words: "within 127.0 ± 1.1", "blended between 125.9 and 128.1".
    pub(super) fn in_brief(&self, meaning: ZoneMeaning) -> String {
        match meaning.is_error() {
            true => format!("within {}", self.in_words(meaning)),
            false => self.range_in_words(meaning),
        }
    }

    fn range_in_words(&self, meaning: ZoneMeaning) -> String {
        let of_range = meaning.of_range().unwrap_or("within");
        format!("{of_range} between {} and {}", self.lower, self.upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::notation::{DatePattern, Marks};

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

    #[test]
    fn texts() {
        assert_eq!(date_text(11_016.0), "2000-02-29");
        assert_eq!(date_text(11_016.5), "2000-02-29 12:00");
        assert_eq!(time_text(-1.0), "1969-12-31 23:59:59");
        assert_eq!(time_text(86_400.25), "1970-01-02 00:00:00.25");
        assert_eq!(time_text(52_200.0), "1970-01-01 14:30");
        assert_eq!(date_text(1e300), format!("day {}", 1e300));
        assert_eq!(date_text(2_932_896.0), "9999-12-31");
        let durations = [86_400.0, 129_600.0, 5400.0, 0.5, 259_200.0].map(seconds_text);
        assert_eq!(durations, ["1 day", "36 h", "90 min", "0.5 s", "3 days"]);
    }

    #[test]
    fn a_value_by_itself_is_written_as_in_the_table() {
        let day = Feature::number("day").written_as(Notation::Date(DatePattern::iso()));
        assert_eq!(written_number(&day.notation, 19783.0), "2024-03-01");
        let share = Feature::number("share").written_as(Notation::Percent(Marks::default()));
        assert_eq!(written_number(&share.notation, 12.5), "12.5 %");
        assert_eq!(written_number(&Feature::number("x").notation, 4.2), "4.2");
    }

    fn shown(half_width: Option<&str>) -> ShownZone {
        let [threshold, lower, upper] = ["127.0", "125.9", "128.1"].map(str::to_owned);
        ShownZone { threshold, half_width: half_width.map(str::to_owned), lower, upper }
    }

    #[test]
    fn only_errors_have_the_sign() {
        let zone = shown(Some("1.1"));
        let words =
            |meaning| [zone.in_words(meaning), zone.as_place(meaning), zone.in_brief(meaning)];
        assert_eq!(
            words(ZoneMeaning::MeasurementError),
            ["127.0 ± 1.1", "127.0 ± 1.1", "within 127.0 ± 1.1"]
        );
        let error = "127.0 ± 1.1 (standard error)";
        assert_eq!(words(ZoneMeaning::StandardError), [error, error, &format!("within {error}")]);
        assert_eq!(
            words(ZoneMeaning::Blended),
            [
                "127.0, blended between 125.9 and 128.1",
                "the blending zone from 125.9 to 128.1",
                "blended between 125.9 and 128.1"
            ]
        );
        assert_eq!(
            words(ZoneMeaning::Uncertain),
            [
                "127.0, uncertain between 125.9 and 128.1",
                "the uncertainty zone from 125.9 to 128.1",
                "uncertain between 125.9 and 128.1"
            ]
        );
    }

    #[test]
    fn a_threshold_without_a_zone_is_a_number() {
        for meaning in [ZoneMeaning::MeasurementError, ZoneMeaning::Blended] {
            let zone = shown(None);
            assert_eq!([zone.in_words(meaning), zone.as_place(meaning)], ["127.0", "127.0"]);
        }
    }
}
