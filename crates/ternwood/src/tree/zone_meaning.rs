//! What the width of a zone stands for, and how a zone reads because of it.
//!
//! The sign "±" belongs to errors alone. The width of any other zone is a choice, so its edges are named.

use super::numbers::ShownZone;

/// What the width of a zone stands for. [`Model::zone_meaning`](crate::Model::zone_meaning) tells it of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ZoneMeaning {
    /// A known measurement error, as given: "127.0 ± 1.1".
    MeasurementError,
    /// The standard error of the threshold: "127.0 ± 1.1 (standard error)".
    StandardError,
    /// The range in which the answers of both sides are blended: "127.0, blended between 125.9 and 128.1".
    Blended,
    /// The range in which the side of a value is uncertain: "127.0, uncertain between 125.9 and 128.1".
    Uncertain,
}

impl ZoneMeaning {
    /// True if the width is an error, so that "±" may stand before it.
    #[must_use]
    pub fn is_error(self) -> bool {
        matches!(self, Self::MeasurementError | Self::StandardError)
    }

    /// What values within the zone are; `None` for errors, whose zones are written with "±".
    #[must_use]
    pub fn of_range(self) -> Option<&'static str> {
        match self {
            Self::MeasurementError | Self::StandardError => None,
            Self::Blended => Some("blended"),
            Self::Uncertain => Some("uncertain"),
        }
    }

    /// The name in documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MeasurementError => "measurement_error",
            Self::StandardError => "standard_error",
            Self::Blended => "blended",
            Self::Uncertain => "uncertain",
        }
    }

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
