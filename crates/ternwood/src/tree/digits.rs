//! Decimal numbers as people read them, and the digits of a threshold and its half-width: the fewest with which a
//! reader of the printed numbers finds every training value on its side.

use super::zone::Zone;
use crate::error::{Result, parameter};
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::slice;

/// The display precision of a threshold and its half-width.
///
/// Both are rounded to the same number of decimals. Rarely no rounding tells the truth: where a
/// training value lies on an edge that binary fractions put a last bit beside it. Then the last
/// digits of both numbers may be moved by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digits {
    decimals: i16,
    nudges: [i8; 2],
}

/// The numbers of decimals that printing any number may need.
const DECIMALS: std::ops::RangeInclusive<i16> = -308..=400;

/// What may be added to the last digits, the least change first.
const NUDGES: [[i8; 2]; 8] = [[0, -1], [0, 1], [-1, 0], [1, 0], [-1, -1], [-1, 1], [1, -1], [1, 1]];

/// So many further decimals are preferred to a nudge.
const RATHER_THAN_NUDGES: i32 = 3;

/// Larger numbers may end in zeros that are not known.
const LARGE: f64 = 1e15;

impl Digits {
    /// A number of decimals, negative for numbers that end in zeros, and what is added to the last
    /// digits of threshold and half-width.
    ///
    /// # Errors
    /// Decimals that no number needs, or last digits moved by more than one.
    pub fn new(decimals: i16, nudges: [i8; 2]) -> Result<Self> {
        if !DECIMALS.contains(&decimals) {
            return Err(parameter("decimals", decimals, "-308 to 400"));
        }
        if let Some(nudge) = nudges.into_iter().find(|nudge| !(-1..=1).contains(nudge)) {
            return Err(parameter("a nudge", nudge, "-1, 0 or 1"));
        }
        Ok(Self { decimals, nudges })
    }

    /// So many significant digits of a half-width; `None` without a width.
    pub(crate) fn of_half_width(half_width: f64, significant: i16) -> Option<Self> {
        let magnitude = half_width.log10().floor();
        let decimals = magnitude.is_finite().then(|| significant - 1 - magnitude as i16)?;
        Self::new(decimals, [0, 0]).ok()
    }

    /// The number of decimals.
    #[must_use]
    pub fn decimals(self) -> i16 {
        self.decimals
    }

    /// What is added to the last digits of threshold and half-width.
    #[must_use]
    pub fn nudges(self) -> [i8; 2] {
        self.nudges
    }

    /// The fewest digits with which people find each of these values on its side of the threshold and of the
    /// zone's edges; `None` for all digits.
    #[must_use]
    pub fn fewest_for(zone: Zone, values: &[f64]) -> Option<Self> {
        // Values further away are on the side of these.
        let next_to = |cut: f64| {
            let values = values.iter().copied().filter(|value| !value.is_nan());
            let left = values.clone().filter(|&value| value <= cut).reduce(f64::max);
            let right = values.filter(|&value| value > cut).reduce(f64::min);
            [left, right]
        };
        let next = zone.cuts().into_iter().flat_map(next_to).flatten().collect::<Vec<_>>();
        Self::fewest(zone, &next)
    }

    /// The fewest digits with which all finite `values` are read on their sides. It is enough to
    /// give those next to the threshold and to the edges. `None` if no digits do: where values lie
    /// on both edges and others a last bit beside them, or where it would take too many digits.
    pub(crate) fn fewest(zone: Zone, values: &[f64]) -> Option<Self> {
        Self::fewest_from(first_decimals(zone), zone, values)
    }

    fn fewest_from(first: i32, zone: Zone, values: &[f64]) -> Option<Self> {
        let values = values.iter().copied().filter(|value| value.is_finite());
        let values: Vec<Reading> = values.map(Reading::shortest).collect();
        let keep_all = |digits: &Self| {
            let printed = Printed::with(zone, *digits);
            printed.is_some_and(|printed| printed.keep(zone, &values))
        };
        let with = |decimals: i32, nudges| Self { decimals: decimals as i16, nudges };
        let last = last_decimals(zone).max(first);
        let rounded = (first..=last).map(|decimals| with(decimals, [0, 0])).find(keep_all);
        // Nudges must save some decimals, and not change much.
        let worth_it =
            rounded.map_or(last + 1, |digits| i32::from(digits.decimals) - RATHER_THAN_NUDGES);
        let places = (first..worth_it).filter(|&decimals| has_two_digits(zone, decimals));
        let mut nudged = places.flat_map(|decimals| NUDGES.map(|nudges| with(decimals, nudges)));
        nudged.find(keep_all).or(rounded)
    }
}

/// The first number of decimals worth trying.
fn first_decimals(zone: Zone) -> i32 {
    let (threshold, half_width) = (zone.threshold().abs(), zone.half_width());
    let largest = threshold.max(half_width);
    let fewest = if largest < LARGE { 0 } else { -exponent(largest) };
    // With fewer the half-width would be 0.
    if half_width > 0.0 { fewest.max(-exponent(half_width) - 1) } else { fewest }
}

/// Beyond it the numbers are what they are: no `f64` has more than 17 digits.
fn last_decimals(zone: Zone) -> i32 {
    let needed = |x: f64| 17 - exponent(x);
    needed(zone.threshold()).max(needed(zone.half_width())) + RATHER_THAN_NUDGES
}

/// The decimal exponent of a number, or one more; 0 for 0.
fn exponent(x: f64) -> i32 {
    let exponent = (x.abs() * (1.0 + 1e-9)).log10().floor();
    if exponent.is_finite() { exponent as i32 } else { 0 }
}

/// True if the half-width has at least two digits, or the threshold if there is no zone.
fn has_two_digits(zone: Zone, decimals: i32) -> bool {
    let number = if zone.half_width() > 0.0 { zone.half_width() } else { zone.threshold() };
    Decimal::rounded(number, decimals).is_some_and(Decimal::has_two_digits)
}

/// A value as people read it.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    /// The value it stands for.
    x: f64,
    /// About what is read.
    near: f64,
    /// What is read, if it was needed.
    exact: OnceCell<Decimal>,
}

impl Reading {
    /// All digits.
    fn shortest(x: f64) -> Self {
        Self { x, near: x, exact: OnceCell::new() }
    }

    /// A number that stands for `x`.
    pub(crate) fn of(x: f64, read: Decimal) -> Self {
        Self { x, near: read.near(), exact: OnceCell::from(read) }
    }

    fn decimal(&self) -> Decimal {
        *self.exact.get_or_init(|| Decimal::shortest(self.x))
    }

    /// The order of this value and a number, which is `near` give or take `error`.
    fn compare(&self, near: f64, error: f64, number: impl FnOnce() -> Decimal) -> Ordering {
        let gap = self.near - near;
        // Not so if one is NaN.
        if gap.abs() > error + 1e-12 * self.near.abs() {
            return if gap > 0.0 { Ordering::Greater } else { Ordering::Less };
        }
        self.decimal().compare(number())
    }
}

/// A threshold and its half-width as people read them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printed {
    pub(crate) threshold: Decimal,
    pub(crate) half_width: Decimal,
}

impl Printed {
    /// With the given digits, or with all there are.
    pub(crate) fn new(zone: Zone, digits: Option<Digits>) -> Self {
        digits.and_then(|digits| Self::with(zone, digits)).unwrap_or_else(|| Self {
            threshold: Decimal::shortest(zone.threshold()),
            half_width: Decimal::shortest(zone.half_width()),
        })
    }

    /// `None` if these digits are too many, or so few that there seems to be no zone.
    fn with(zone: Zone, digits: Digits) -> Option<Self> {
        let Digits { decimals, nudges } = digits;
        let rounded = |x: f64| Decimal::rounded(x, decimals.into());
        let threshold = rounded(zone.threshold())?.nudged(nudges[0]);
        if zone.half_width() == 0.0 {
            return Some(Self { threshold, half_width: Decimal::ZERO });
        }
        let half_width = rounded(zone.half_width())?.nudged(nudges[1]);
        half_width.is_positive().then_some(Self { threshold, half_width })
    }

    /// A zone and a value beside it, with digits that tell the value's side: those given, if they
    /// do.
    pub(crate) fn beside(zone: Zone, digits: Option<Digits>, x: f64) -> (Self, Decimal) {
        let printed = Self::new(zone, digits);
        if let Some(value) = printed.value(zone, x) {
            return (printed, value);
        }
        // The value lies between a true edge and the printed one.
        let printed = Self::new(zone, Digits::fewest_from(printed.places(), zone, &[x]));
        (printed, printed.value(zone, x).unwrap_or_else(|| Decimal::shortest(x)))
    }

    /// A value with the fewest decimals that tell its side, but no fewer than the threshold has;
    /// or all its digits, if those are fewer.
    fn value(self, zone: Zone, x: f64) -> Option<Decimal> {
        let shortest = Reading::shortest(x);
        let places = self.places()..shortest.decimal().places();
        let rounded =
            places.filter_map(|places| Some(Reading::of(x, Decimal::rounded(x, places)?)));
        let mut readings = rounded.chain([shortest]);
        let kept = readings.find(|reading| self.keep(zone, slice::from_ref(reading)))?;
        Some(kept.decimal())
    }

    fn places(self) -> i32 {
        self.threshold.places().max(self.half_width.places())
    }

    pub(crate) fn lower(self) -> Decimal {
        self.threshold.plus(self.half_width.negated())
    }

    pub(crate) fn upper(self) -> Decimal {
        self.threshold.plus(self.half_width)
    }

    /// True if all values are found on the sides of the threshold and of the edges on which they
    /// truly are. Only the threshold itself may look like it: nobody knows whether 127 is "below
    /// 127".
    pub(crate) fn keep(self, zone: Zone, values: &[Reading]) -> bool {
        let (threshold, half_width) = (self.threshold.near(), self.half_width.near());
        let error = 1e-12 * (threshold.abs() + half_width);
        let is_kept = |value: &Reading| {
            let is_above = |near: f64, cut: fn(Self) -> Decimal| {
                value.compare(near, error, || cut(self)) == Ordering::Greater
            };
            let at_threshold = match value.compare(threshold, error, || self.threshold) {
                Ordering::Less => value.x <= zone.threshold(),
                Ordering::Equal => value.x == zone.threshold(),
                Ordering::Greater => value.x > zone.threshold(),
            };
            at_threshold
                && is_above(threshold - half_width, Self::lower) == (value.x > zone.lower())
                && is_above(threshold + half_width, Self::upper) == (value.x > zone.upper())
        };
        values.iter().all(is_kept)
    }
}

/// A decimal number: `units * 10^-places`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimal {
    units: i128,
    places: i32,
}

/// The powers of ten that are exact.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The most digits of a rounded number. Sums and differences of two such numbers fit an `i128`.
const MAX_DIGITS: i32 = 36;

impl Decimal {
    pub(crate) const ZERO: Self = Self { units: 0, places: 0 };

    /// The shortest number that is read back as `x`, which is finite.
    pub(crate) fn shortest(x: f64) -> Self {
        Self::parse(&format!("{x:e}"))
    }

    /// The multiple of `10^-places` nearest to `x`; `None` if it has too many digits.
    pub(crate) fn rounded(x: f64, places: i32) -> Option<Self> {
        quickly_rounded(x, places).or_else(|| Self::surely_rounded(x, places))
    }

    fn surely_rounded(x: f64, places: i32) -> Option<Self> {
        let mut exponent = decimal_exponent(x);
        // Written in full, some numbers begin one digit further right than in their shortest form.
        for _ in 0..2 {
            let digits_after_first = exponent + places;
            if digits_after_first >= MAX_DIGITS {
                return None;
            }
            if digits_after_first < 0 {
                let half: f64 = format!("5e{}", -places - 1).parse().unwrap_or(f64::INFINITY);
                let units = if x.abs() <= half { 0 } else { x.signum() as i128 };
                return Some(Self { units, places });
            }
            let digits = digits_after_first as usize;
            let rounded = Self::parse(&format!("{x:.digits$e}"));
            if rounded.places <= places {
                return Some(Self { units: rounded.units_at(places), places });
            }
            exponent -= 1;
        }
        None
    }

    /// Reads what `{:e}` writes: "-1.25e-7".
    fn parse(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
        let digits = mantissa.bytes().filter(u8::is_ascii_digit);
        let units = digits.fold(0, |units, digit| 10 * units + i128::from(digit - b'0'));
        let exponent: i32 = exponent.parse().unwrap_or_default();
        let units = if mantissa.starts_with('-') { -units } else { units };
        Self { units, places: decimals - exponent }
    }

    pub(crate) fn places(self) -> i32 {
        self.places
    }

    pub(crate) fn is_positive(self) -> bool {
        self.units > 0
    }

    /// True if the number has at least two digits.
    pub(crate) fn has_two_digits(self) -> bool {
        self.units.abs() >= 10
    }

    /// The number with its last digit moved by `steps`.
    pub(crate) fn nudged(self, steps: i8) -> Self {
        Self { units: self.units + i128::from(steps), ..self }
    }

    /// The multiple of `10^-places`, at least as fine as the number itself; the largest number there
    /// is if it is too large, which still compares as it should.
    fn units_at(self, places: i32) -> i128 {
        let finer = (places - self.places).max(0) as u32;
        let factor = 10i128.checked_pow(finer).unwrap_or(i128::MAX);
        self.units.saturating_mul(factor)
    }

    /// The sum; meaningless, but no panic, if it has too many digits.
    pub(crate) fn plus(self, other: Self) -> Self {
        if other.units == 0 {
            return self;
        }
        let places = self.places.max(other.places);
        let units = self.units_at(places).saturating_add(other.units_at(places));
        Self { units, places }
    }

    pub(crate) fn negated(self) -> Self {
        Self { units: -self.units, ..self }
    }

    /// About this number, give or take a part in 10^13; NaN for extremely large or small ones.
    pub(crate) fn near(self) -> f64 {
        // Conversion from 64 bits is much faster.
        let units = i64::try_from(self.units).map_or(self.units as f64, |units| units as f64);
        match self.places {
            0..=22 => units / POWERS[self.places as usize],
            -200..=200 => units / 10f64.powi(self.places),
            _ => f64::NAN,
        }
    }

    pub(crate) fn compare(self, other: Self) -> Ordering {
        let places = self.places.max(other.places);
        self.units_at(places).cmp(&other.units_at(places))
    }

    /// "-0.0125", or "1200" if places are negative.
    pub(crate) fn plain(self) -> String {
        let sign = if self.units < 0 { "-" } else { "" };
        let digits = self.units.unsigned_abs().to_string();
        let Ok(places) = usize::try_from(self.places) else {
            let zeros = if self.units == 0 { 0 } else { self.places.unsigned_abs() as usize };
            return format!("{sign}{digits}{}", "0".repeat(zeros));
        };
        if places == 0 {
            return format!("{sign}{digits}");
        }
        let digits = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        format!("{sign}{whole}.{fraction}")
    }

    /// "-1.25e-2", with the same digits.
    pub(crate) fn scientific(self) -> String {
        if self.units == 0 {
            return "0".to_owned();
        }
        let sign = if self.units < 0 { "-" } else { "" };
        let digits = self.units.unsigned_abs().to_string();
        let (first, rest) = digits.split_at(1);
        let exponent = rest.len() as i32 - self.places;
        let point = if rest.is_empty() { "" } else { "." };
        format!("{sign}{first}{point}{rest}e{exponent}")
    }
}

/// The multiple of `10^-places` nearest to `x`, if floating-point numbers leave no doubt.
fn quickly_rounded(x: f64, places: i32) -> Option<Decimal> {
    let product = x * POWERS.get(usize::try_from(places).ok()?)?;
    // The product has one rounding error, of at most 2^-13.
    if product.abs() >= (1u64 << 40) as f64 {
        return None;
    }
    let units = product.round();
    let clear = (product - units).abs() < 0.499;
    clear.then_some(Decimal { units: i128::from(units as i64), places })
}

/// The exponent of the shortest scientific form of a number; 0 for 0.
fn decimal_exponent(x: f64) -> i32 {
    let text = format!("{x:e}");
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Side;
    use proptest::prelude::*;

    /// "T ± H" with the fewest digits for these values.
    fn printed(threshold: f64, half_width: f64, values: &[f64]) -> String {
        let zone = Zone::new(threshold, half_width).unwrap();
        let digits = Digits::fewest(zone, values);
        let Printed { threshold, half_width } = Printed::new(zone, digits);
        match half_width.is_positive() {
            true => format!("{} ± {}", threshold.plain(), half_width.plain()),
            false => threshold.plain(),
        }
    }

    #[test]
    fn neighbouring_values_decide_about_the_digits() {
        assert_eq!(printed(123.5, 0.0, &[123.0, 124.0]), "123.5");
        // 122 is left of 122.5, and nobody would know it from "below 122".
        assert_eq!(printed(122.5, 0.0, &[122.0, 123.0]), "122.5");
        assert_eq!(printed(122.5, 0.0, &[121.0, 124.0]), "122");
        assert_eq!(printed(-0.40291413660142533, 0.0, &[-0.403, -0.4027]), "-0.4029");
        // A value that is the threshold may look like it.
        assert_eq!(printed(122.5, 0.0, &[122.5, 122.6]), "122.5");
        assert_eq!(printed(1.0 / 3.0, 0.0, &[]), "0");
    }

    #[test]
    fn edges_are_cuts_like_the_threshold() {
        assert_eq!(printed(127.04, 1.1, &[125.0, 126.5, 127.5, 128.5]), "127 ± 1");
        assert_eq!(printed(127.04, 1.1, &[125.9, 126.5, 127.5, 128.12]), "127.04 ± 1.10");
        // However far the next values are, a zone has a width.
        assert_eq!(printed(127.04, 0.00123, &[]), "127.040 ± 0.001");
    }

    #[test]
    fn a_value_on_an_edge_is_told_by_the_last_digit() {
        // 2.65 + 0.05 is 2.7 on paper, and less in binary fractions: there 2.7 is above.
        assert_eq!(Zone::new(2.65, 0.05).unwrap().side(2.7), Side::Above);
        assert_eq!(printed(2.65, 0.05, &[2.6, 2.7]), "2.650 ± 0.049");
        // Here it is within, as on paper.
        assert_eq!(printed(2.6500000000000004, 0.04999999999999982, &[2.7]), "2.65 ± 0.05");
        // 0.1 is right of this threshold, which no rounding tells.
        assert_eq!(printed(0.09999999999999999, 0.0, &[-0.1, 0.1]), "0");
        assert_eq!(printed(0.09999999999999999, 0.0, &[0.0, 0.1]), "0.09");
    }

    #[test]
    fn extreme_numbers_have_few_digits_too() {
        let zone = Zone::new(1.5e308, 1e307).unwrap();
        assert_eq!(Digits::fewest(zone, &[]).unwrap(), Digits::new(-307, [0, 0]).unwrap());
        let zone = Zone::new(2.4e-310, 0.0).unwrap();
        let digits = Digits::fewest(zone, &[1e-310, 4e-310]).unwrap();
        assert_eq!(
            (digits, Printed::new(zone, Some(digits)).threshold.scientific().as_str()),
            (Digits::new(310, [0, 0]).unwrap(), "2e-310",)
        );
        // That would take 40 digits.
        assert_eq!(Digits::fewest(Zone::new(1e20, 1e-20).unwrap(), &[]), None);
    }

    #[test]
    fn a_value_is_printed_on_its_side() {
        let zone = Zone::new(127.04, 1.1).unwrap();
        let beside = |digits: Option<Digits>, x: f64| {
            let (Printed { threshold, half_width }, value) = Printed::beside(zone, digits, x);
            [value, threshold, half_width].map(Decimal::plain).join(" ")
        };
        let one = Some(Digits::new(1, [0, 0]).unwrap());
        assert_eq!(beside(one, 126.4), "126.4 127.0 1.1");
        assert_eq!(beside(one, 126.41), "126.4 127.0 1.1");
        assert_eq!(beside(one, 126.0), "126 127.0 1.1");
        // 128.1 would be within.
        assert_eq!(beside(one, 128.1405), "128.14 127.0 1.1");
        // Between 127.0 and the threshold: it takes another threshold.
        assert_eq!(beside(one, 127.02), "127.02 127.04 1.10");
        assert_eq!(beside(None, 127.03999), "127.03999 127.04 1.1");
    }

    #[test]
    fn digits_that_cannot_be_are_refused_or_ignored() {
        assert!(Digits::new(-309, [0, 0]).is_err() && Digits::new(401, [0, 0]).is_err());
        assert!(Digits::new(0, [0, 2]).is_err() && Digits::new(0, [-2, 0]).is_err());
        // Too many for these numbers, and too few to show the zone.
        let zone = Zone::new(127.04, 0.1).unwrap();
        for decimals in [400, 0, -300] {
            let printed = Printed::new(zone, Some(Digits::new(decimals, [0, 0]).unwrap()));
            assert_eq!(printed.threshold.plain(), "127.04");
            assert_eq!(printed.half_width.plain(), "0.1");
        }
    }

    fn any_finite() -> impl Strategy<Value = f64> {
        prop_oneof![-1e6..1e6f64, any::<f64>().prop_filter("finite", |x| x.is_finite())]
    }

    #[test]
    fn numbers_are_written_as_they_are_rounded() {
        let cases = [
            (127.04, 1, "127.0", "1.270e2"),
            (-0.0125, 4, "-0.0125", "-1.25e-2"),
            (-0.001, 2, "0.00", "0"),
            (9.96, 1, "10.0", "1.00e1"),
            (0.96, 0, "1", "1e0"),
            (0.4, 0, "0", "0"),
            (0.5, 0, "0", "0"),
            (1234.5, -2, "1200", "1.2e3"),
            (1.5e308, -307, &format!("15{}", "0".repeat(307)), "1.5e308"),
            // In full it is 99999999999999991611392.
            (1e23, -22, "100000000000000000000000", "1.0e23"),
            (1e23, 0, "99999999999999991611392", "9.9999999999999991611392e22"),
        ];
        for (x, places, plain, scientific) in cases {
            let rounded = Decimal::rounded(x, places).unwrap();
            assert_eq!((rounded.plain().as_str(), rounded.places()), (plain, places));
            assert_eq!(rounded.scientific(), scientific);
        }
        assert!(Decimal::rounded(1e20, 20).is_none());
    }

    proptest! {
        #[test]
        fn the_shortest_form_is_read_back(x in any_finite()) {
            let shortest = Decimal::shortest(x);
            prop_assert_eq!(shortest.scientific().parse::<f64>().unwrap(), x);
            prop_assert_eq!(shortest.plain().parse::<f64>().unwrap(), x);
        }

        #[test]
        fn the_order_is_that_of_the_numbers(x in any_finite(), y in any_finite()) {
            let order = Decimal::shortest(x).compare(Decimal::shortest(y));
            prop_assert_eq!(Some(order), x.partial_cmp(&y));
        }

        #[test]
        fn rounding_is_that_of_the_formatter(x in -1e6..1e6f64, places in 0..12i32) {
            let rounded = Decimal::rounded(x, places).unwrap().plain();
            let expected = format!("{x:.0$}", places as usize);
            prop_assert_eq!(rounded.parse::<f64>().unwrap(), expected.parse::<f64>().unwrap());
            prop_assert_eq!(rounded.trim_start_matches('-'), expected.trim_start_matches('-'));
        }
    }
}
