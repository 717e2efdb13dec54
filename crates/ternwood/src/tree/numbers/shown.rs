//! The numbers of a feature as text. Every threshold, half-width and value that people see is
//! written here.

use super::dates::{date_text, days_text, seconds_text, time_text};
use super::decimal::Decimal;
use super::digits::{Digits, Printed};
use super::shares::plain_number;
use crate::dataset::notation::Notation;
use crate::dataset::{Feature, Schema};
use crate::tree::{Cut, Test, Zone};

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

impl Test {
    /// The threshold and its zone as people see them, if the test compares numbers.
    #[must_use]
    pub fn shown_zone(&self, schema: &Schema) -> Option<ShownZone> {
        let (zone, digits) = self.threshold_and_digits()?;
        Some(Printed::new(zone, digits).shown(zone, self.feature_of(schema)))
    }

    /// A value of the tested feature as people see it, and the zone beside it: with the digits that
    /// tell on which side the value is. The zone is `None` if the test has no threshold.
    #[must_use]
    pub fn shown_value(&self, x: f64, schema: &Schema) -> (String, Option<ShownZone>) {
        let feature = self.feature_of(schema);
        match self.threshold_and_digits() {
            Some((zone, digits)) if x.is_finite() => {
                let (printed, value) = Printed::beside(zone, digits, x);
                (number(feature, value, is_extreme(x)), Some(printed.shown(zone, feature)))
            }
            _ => (exact_number(feature, x), None),
        }
    }

    fn threshold_and_digits(&self) -> Option<(Zone, Option<Digits>)> {
        match self.cut() {
            Cut::Threshold { zone, digits } => Some((*zone, *digits)),
            Cut::Categories(_) | Cut::Present => None,
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
pub(crate) fn written_number(feature: &Feature, x: f64) -> String {
    match &feature.notation {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::notation::{DatePattern, Marks};

    #[test]
    fn a_value_by_itself_is_written_as_in_the_table() {
        let day = Feature::number("day").written_as(Notation::Date(DatePattern::iso()));
        assert_eq!(written_number(&day, 19783.0), "2024-03-01");
        let share = Feature::number("share").written_as(Notation::Percent(Marks::default()));
        assert_eq!(written_number(&share, 12.5), "12.5 %");
        assert_eq!(written_number(&Feature::number("x"), 4.2), "4.2");
    }
}
