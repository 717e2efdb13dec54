//! Decimal numbers, compared and added as people do: without the rounding of binary fractions, for
//! which 2.65 + 0.05 is less than 2.7.

use std::cmp::Ordering;

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
    use proptest::prelude::*;

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
