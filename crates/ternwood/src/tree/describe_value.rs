//! A value at a test, in words.

use super::category_words::{PlaceWords, clipped, listed};
use super::describe::last_on_left;
use super::numbers::ShownZone;
use super::test::{Cut, Test};
use super::zone::{Side, Zone};
use super::zone_meaning::ZoneMeaning;
use crate::dataset::{FeatureKind, Schema, is_unknown_value, one_line};

/// A value of the tested feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TestedValue<'a> {
    pub(crate) test: &'a Test,
    pub(crate) schema: &'a Schema,
    /// What the widths of zones stand for.
    pub(crate) meaning: ZoneMeaning,
    pub(crate) value: f64,
    /// The value's text, if it is a category that the schema does not have, or could not be read.
    pub(crate) unseen: Option<&'a str>,
    /// The number of training rows of the test.
    pub(crate) rows: u32,
    /// The fewest of them that a category needs to be known to the test.
    pub(crate) fewest_rows: u32,
    /// True if tests learn from missing values where they meet some.
    pub(crate) learns_missing: bool,
}

impl TestedValue<'_> {
    /// The feature and its value: "glucose 126.4", "job 'pilot'", "the category of ward" if nobody
    /// knows its name; only the feature if the value is missing.
    pub(crate) fn named(&self) -> String {
        let feature = self.test.feature_of(self.schema);
        let name = one_line(&feature.name);
        let category = match (self.unseen, &feature.kind) {
            (Some(unseen), _) => Some(unseen),
            (None, FeatureKind::Number) => None,
            (None, FeatureKind::Categories(names) | FeatureKind::Ordered(names)) => {
                let is_id = self.value >= 0.0 && self.value.fract() == 0.0;
                let known = is_id.then(|| names.get(self.value as usize)).flatten();
                known.map(String::as_str)
            }
        };
        match category {
            Some(category) => format!("{name} '{}'", clipped(&one_line(category))),
            None if self.value.is_nan() => name.into_owned(),
            None if matches!(feature.kind, FeatureKind::Categories(_)) => {
                format!("the category of {name}")
            }
            None => {
                let (number, _) = self.test.shown_value(self.value, self.schema);
                format!("{name} {number}")
            }
        }
    }

    /// Why the value is undecided.
    ///
    /// - "glucose 126.4 lies within 127.0 ± 1.1"
    /// - "glucose 126.4 lies within the blending zone from 125.9 to 128.1"
    /// - "education 'Masters' lies within 1.5 ranks of the cut between Bachelors and Masters"
    /// - "job 'pilot' (3 rows, 33 % ill, standard error 24 %) lies within 2 standard errors of the cut at 41 %"
    /// - "glucose is missing, and this test never saw a missing value"
    /// - "ward 'K9' did not occur among the 212 training rows of this test"
    /// - "glucose '12?5' could not be read"
    /// - "education 'PhD' has no rank among school, Bachelors, Masters"
    pub(crate) fn doubt(&self) -> String {
        let named = self.named();
        match self.test.cut() {
            _ if is_unknown_value(self.value) => self.why_unreadable(),
            _ if self.value.is_nan() => {
                let reason = if self.learns_missing {
                    "this test never saw a missing value"
                } else {
                    "this tree learned nothing from missing values"
                };
                format!("{named} is missing, and {reason}")
            }
            Cut::Categories(cut) => match cut.place(self.value) {
                Some(place) => {
                    let PlaceWords { place, near, .. } = PlaceWords::new(cut, place, self.schema);
                    format!("{named} ({place}) lies {near}")
                }
                None => self.did_not_occur(),
            },
            Cut::Threshold { zone, .. } => format!("{named} lies within {}", self.near(*zone)),
            Cut::Present => format!("{named} is present"),
        }
    }

    /// Why many tests of the feature are unsure of the value, of which this one is typical; to be put after the
    /// name of the feature.
    ///
    /// - "lies near the cut"
    /// - "is missing", "could not be read", "did not occur in training"
    pub(crate) fn doubt_of_many(&self) -> &'static str {
        let is_category =
            matches!(self.test.feature_of(self.schema).kind, FeatureKind::Categories(_));
        match self.test.cut() {
            _ if is_unknown_value(self.value) => match self.unseen.is_some() && is_category {
                true => "did not occur in training",
                false => "could not be read",
            },
            _ if self.value.is_nan() => "is missing",
            Cut::Categories(cut) if cut.place(self.value).is_none() => "did not occur in training",
            Cut::Categories(_) | Cut::Threshold { .. } => "lies near the cut",
            Cut::Present => "is present",
        }
    }

    /// Why a value is unknown that is there.
    fn why_unreadable(&self) -> String {
        let (named, feature) = (self.named(), self.test.feature_of(self.schema));
        match (&feature.kind, self.unseen) {
            (FeatureKind::Ordered(names), Some(_)) => {
                let ranks: Vec<u32> = (0..names.len() as u32).collect();
                format!("{named} has no rank among {}", listed(feature, &ranks))
            }
            (FeatureKind::Categories(_), Some(_)) => self.did_not_occur(),
            _ => format!("{named} could not be read"),
        }
    }

    fn did_not_occur(&self) -> String {
        let Self { rows, fewest_rows, .. } = *self;
        let often = match fewest_rows {
            0 | 1 => String::new(),
            fewest => format!(" {fewest} times"),
        };
        let named = self.named();
        format!("{named} did not occur{often} among the {rows} training rows of this test")
    }

    /// The same in few words, to be put beside the [name](Self::named) in parentheses.
    ///
    /// - "within 127.0 ± 1.1", "blended between 125.9 and 128.1"
    /// - "3 rows, 33 % ill, standard error 24 %, within 2 standard errors of the cut at 41 %"
    /// - "missing"
    /// - "not among the 212 training rows of this test"
    pub(crate) fn doubt_in_brief(&self) -> String {
        let feature = self.test.feature_of(self.schema);
        let unreadable = is_unknown_value(self.value);
        match (self.test.cut(), &feature.kind) {
            (_, FeatureKind::Ordered(_)) if unreadable && self.unseen.is_some() => {
                "without a rank".to_owned()
            }
            (_, FeatureKind::Categories(_)) if unreadable && self.unseen.is_some() => {
                self.not_among()
            }
            _ if unreadable => "could not be read".to_owned(),
            _ if self.value.is_nan() => "missing".to_owned(),
            (Cut::Categories(cut), _) => match cut.place(self.value) {
                Some(place) => {
                    let PlaceWords { place, near, .. } = PlaceWords::new(cut, place, self.schema);
                    format!("{place}, {near}")
                }
                None => self.not_among(),
            },
            (Cut::Threshold { zone, .. }, _) => {
                match (self.categories_at(*zone), self.shown_zone()) {
                    (None, Some(shown)) => shown.in_brief(self.meaning),
                    _ => format!("within {}", self.near(*zone)),
                }
            }
            (Cut::Present, _) => "present".to_owned(),
        }
    }

    fn not_among(&self) -> String {
        let Self { rows, fewest_rows, .. } = *self;
        match fewest_rows {
            0 | 1 => format!("not among the {rows} training rows of this test"),
            fewest => format!("fewer than {fewest} of the {rows} training rows of this test"),
        }
    }

    /// Where a value stands at the test.
    ///
    /// - "glucose 126.4 is WITHIN 127.0 ± 1.1", "glucose 126.4 is left of 127.0"
    /// - "glucose 130.2 is above the blending zone from 125.9 to 128.1"
    /// - "education 'Masters' is above the cut between Bachelors and Masters"
    /// - "job 'pilot' is UNSURE: 3 rows, 33 % ill, standard error 24 %, cut at 41 %"
    /// - "glucose is missing, which goes right here"
    pub(crate) fn standing(&self, use_zones: bool) -> String {
        let named = self.named();
        let (side, goes_left) = (self.test.side(self.value), self.test.goes_left(self.value));
        let goes = if goes_left { "left" } else { "right" };
        match self.test.cut() {
            _ if self.value.is_nan() => {
                format!("{named} is missing, which goes {goes} here")
            }
            Cut::Threshold { zone, .. } => {
                let (side, cut) = match side {
                    _ if !use_zones => (format!("{goes} of"), self.cut(*zone, false)),
                    Side::Within => ("WITHIN".to_owned(), self.near(*zone)),
                    Side::Below | Side::Above => (side.as_str().to_owned(), self.cut(*zone, true)),
                };
                format!("{named} is {side} {cut}")
            }
            Cut::Categories(cut) => {
                let unsure = use_zones && side == Side::Within;
                let side = if unsure { "UNSURE".to_owned() } else { format!("on the {goes}") };
                let place = cut.place(self.value).map(|place| {
                    let PlaceWords { place, cut, .. } = PlaceWords::new(cut, place, self.schema);
                    format!(": {place}, cut at {cut}")
                });
                format!("{named} is {side}{}", place.unwrap_or_default())
            }
            Cut::Present => format!("{named} is present, which goes left here"),
        }
    }

    /// A threshold: "127.0 ± 1.1", "the blending zone from 125.9 to 128.1", "127.0" where zones are ignored, or
    /// "the cut between Bachelors and Masters".
    fn cut(&self, zone: Zone, use_zones: bool) -> String {
        if let Some((last, next)) = self.categories_at(zone) {
            return format!("the cut between {last} and {next}");
        }
        match self.shown_zone() {
            Some(zone) if use_zones => zone.as_place(self.meaning),
            zone => zone.map(|zone| zone.threshold).unwrap_or_default(),
        }
    }

    /// The zone around a threshold: "127.0 ± 1.1", "the blending zone from 125.9 to 128.1", or "1.5 ranks of the
    /// cut between Bachelors and Masters".
    fn near(&self, zone: Zone) -> String {
        if self.categories_at(zone).is_none() {
            return self.cut(zone, true);
        }
        let width = self.shown_zone().and_then(|zone| zone.half_width).unwrap_or_default();
        let ranks = match width.trim_end_matches('0').trim_end_matches('.') {
            "1" => "1 rank".to_owned(),
            width => format!("{width} ranks"),
        };
        format!("{ranks} of {}", self.cut(zone, false))
    }

    /// The ordered categories next to a threshold, if the feature has such.
    fn categories_at(&self, zone: Zone) -> Option<(String, String)> {
        last_on_left(self.test.feature_of(self.schema), zone.threshold())
    }

    /// The zone, with digits that suit the value.
    fn shown_zone(&self) -> Option<ShownZone> {
        self.test.shown_value(self.value, self.schema).1
    }
}
