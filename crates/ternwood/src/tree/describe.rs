//! A test in words.

use super::numbers::zone_numbers;
use super::test::{Cut, Test};
use crate::dataset::{FeatureKind, Schema, one_line};

impl Test {
    /// "glucose 127.5 ± 1.1".
    #[must_use]
    pub fn describe(&self, schema: &Schema) -> String {
        let Cut::Threshold { zone, .. } = self.cut();
        let [_, threshold, half_width] = zone_numbers(zone.threshold(), *zone);
        let name = one_line(&schema.features()[self.feature().index()].name);
        if self.has_zone() {
            format!("{name} {threshold} ± {half_width}")
        } else {
            format!("{name} {threshold}")
        }
    }

    /// The cut, printed next to a value: "127.5 ± 1.1", or "127.5" where zones are ignored.
    #[must_use]
    pub(crate) fn describe_cut(&self, value: f64, use_zones: bool) -> String {
        let Cut::Threshold { zone, .. } = self.cut();
        let [_, threshold, half_width] = zone_numbers(value, *zone);
        if use_zones && self.has_zone() {
            format!("{threshold} ± {half_width}")
        } else {
            threshold
        }
    }

    /// A value of the tested feature: "glucose 126.4", or "smoker yes (code 1)".
    #[must_use]
    pub fn describe_value(&self, value: f64, schema: &Schema) -> String {
        let Cut::Threshold { zone, .. } = self.cut();
        let [number, ..] = zone_numbers(value, *zone);
        let feature = &schema.features()[self.feature().index()];
        let name = one_line(&feature.name);
        let category = match &feature.kind {
            FeatureKind::Categories(categories) if value >= 0.0 && value.fract() == 0.0 => {
                categories.get(value as usize)
            }
            _ => None,
        };
        match category {
            Some(category) => format!("{name} {} (code {number})", one_line(category)),
            None => format!("{name} {number}"),
        }
    }

    /// Why a value is undecided: "glucose 126.4 lies within 127.0 ± 1.1".
    #[must_use]
    pub fn describe_doubt(&self, value: f64, schema: &Schema) -> String {
        let value_named = self.describe_value(value, schema);
        format!("{value_named} lies within {}", self.describe_cut(value, true))
    }
}
