//! A test in words, and a value at a test.

use super::names::{
    ListCategories, category_name, class_in_words, clipped, counted, listed, share_of_class,
};
use super::numbers::{ShownTest, ShownZone, percent_between, percent_numbers, plain_number};
use crate::dataset::{Feature, FeatureKind, Schema, is_unknown_value, one_line};
use crate::model::ZoneMeaning;
use crate::tree::{
    Axis, CategoryCut, CategoryPlace, CategorySides, Cut, Missing, Side, Test, Zone,
};

impl ShownTest<'_> {
    /// "glucose 127.5 ± 1.1", "glucose 127.5, blended between 126.4 and 128.6", "education <= Bachelors", "job, cut
    /// at 41 % ill" or "glucose is present".
    #[must_use]
    pub fn describe(&self, schema: &Schema, meaning: ZoneMeaning) -> String {
        let feature = self.test.feature_of(schema);
        let name = one_line(&feature.name);
        match self.test.cut() {
            Cut::Threshold { zone } => match last_on_left(feature, zone.threshold()) {
                Some((last, _)) => format!("{name} <= {last}"),
                None => self
                    .zone(schema)
                    .map_or(String::new(), |zone| format!("{name} {}", zone.in_words(meaning))),
            },
            Cut::Categories(cut) => format!("{name}, cut at {}", cut_in_percent(cut, schema)),
            Cut::Present => format!("{name} is present"),
        }
    }
}

impl Test {
    /// Which values go to a child: "below", "> Bachelors", "in {clerk, nurse and 12 more}",
    /// "unsure {pilot}" or "missing". Of three children, the middle one has the unsure categories.
    #[must_use]
    pub fn describe_branch(&self, side: Side, three_children: bool, schema: &Schema) -> String {
        self.branch_in_words(side, three_children, schema, listed)
    }

    /// The same with another way to list categories.
    pub(crate) fn branch_in_words(
        &self,
        side: Side,
        three_children: bool,
        schema: &Schema,
        listed: ListCategories,
    ) -> String {
        let feature = self.feature_of(schema);
        match self.cut() {
            Cut::Threshold { zone } => {
                let edge = match side {
                    _ if !three_children => zone.threshold(),
                    Side::Below => zone.lower(),
                    Side::Within | Side::Above => zone.upper(),
                };
                match (side, last_on_left(feature, edge)) {
                    (Side::Below, Some((last, _))) => format!("<= {last}"),
                    (Side::Above, Some((last, _))) => format!("> {last}"),
                    _ => side.as_str().to_owned(),
                }
            }
            Cut::Categories(_) => {
                let CategorySides { mut left, unsure, mut right } = self.category_sides(schema);
                if three_children {
                    let is_sure = |id: &u32| self.side(f64::from(*id)) != Side::Within;
                    left.retain(is_sure);
                    right.retain(is_sure);
                }
                match side {
                    Side::Below => format!("in {{{}}}", listed(feature, &left)),
                    Side::Within if unsure.is_empty() => "unsure".to_owned(),
                    Side::Within => format!("unsure {{{}}}", listed(feature, &unsure)),
                    Side::Above => format!("in {{{}}}", listed(feature, &right)),
                }
            }
            Cut::Present => match side {
                Side::Below => "present".to_owned(),
                Side::Within => "unsure".to_owned(),
                Side::Above => "missing".to_owned(),
            },
        }
    }

    /// How many training rows cannot be told from the cut, and their categories: "15 within", "23
    /// unsure: pilot, nurse". `None` if the test has no zone.
    #[must_use]
    pub fn describe_unsure(&self, rows: u32, schema: &Schema) -> Option<String> {
        self.unsure_in_words(rows, schema, listed)
    }

    /// The same with another way to list categories.
    pub(crate) fn unsure_in_words(
        &self,
        rows: u32,
        schema: &Schema,
        listed: ListCategories,
    ) -> Option<String> {
        let word = if self.categories().is_some() { "unsure" } else { "within" };
        let unsure = self.category_sides(schema).unsure;
        self.has_zone().then(|| match unsure.as_slice() {
            [] => format!("{rows} {word}"),
            ids => format!("{rows} {word}: {}", listed(self.feature_of(schema), ids)),
        })
    }

    /// Where missing values go, if the test has learned it and tests something else.
    #[must_use]
    pub fn describe_missing(&self) -> Option<&'static str> {
        match (self.cut(), self.missing()) {
            (Cut::Present, _) | (_, Missing::Unknown) => None,
            (_, Missing::Left) => Some("missing goes left"),
            (_, Missing::Right) => Some("missing goes right"),
        }
    }
}

/// The ordered categories on both sides of a threshold, next to it; `None` for other features, and
/// where all categories are on one side.
fn last_on_left(feature: &Feature, threshold: f64) -> Option<(String, String)> {
    let FeatureKind::Ordered(names) = &feature.kind else { return None };
    let last = threshold.floor();
    if !(0.0..names.len() as f64 - 1.0).contains(&last) {
        return None;
    }
    Some((category_name(feature, last as u32), category_name(feature, last as u32 + 1)))
}

impl Axis {
    /// What a percentage of the axis means, to be put after it: "ill", "of class 1" or "of the way
    /// from setosa to virginica".
    #[must_use]
    pub fn describe(&self, schema: &Schema) -> String {
        match self.classes_at_ends() {
            (None, class) => share_of_class(schema, class),
            (Some(low), high) => {
                let [low, high] = [low, high].map(|class| class_in_words(schema, class));
                format!("of the way from {low} to {high}")
            }
        }
    }
}

impl CategoryCut {
    /// The cut in percent of the axis, with as few decimals as keep it between its neighbours: "41".
    #[must_use]
    pub fn percent(&self) -> String {
        let positions = || self.places().iter().map(|place| place.position);
        let left = positions().filter(|x| *x <= self.threshold()).fold(f64::NEG_INFINITY, f64::max);
        let right = positions().filter(|x| *x > self.threshold()).fold(f64::INFINITY, f64::min);
        percent_between([left, self.threshold(), right].map(|x| self.axis().along(x)))
    }

    /// A category's position, the cut and the standard error of the position in percent of the axis, with as few
    /// decimals as tell its side truly: `["33", "41", "24"]`. Its zone reaches [`error`](Self::error) standard errors.
    #[must_use]
    pub fn percents(&self, place: &CategoryPlace) -> [String; 3] {
        let share = self.axis().along(place.position);
        percent_numbers(
            share,
            self.zone_along(place),
            self.standard_error_along(place),
            self.error(),
        )
    }

    /// How near to the cut a category must be to be undecided: "within 2 standard errors of the cut".
    #[must_use]
    pub fn near_in_words(&self) -> String {
        match plain_number(self.error()).as_str() {
            "1" => "within 1 standard error of the cut".to_owned(),
            errors => format!("within {errors} standard errors of the cut"),
        }
    }
}

/// The cut in words: "41 % ill".
fn cut_in_percent(cut: &CategoryCut, schema: &Schema) -> String {
    format!("{} % {}", cut.percent(), cut.axis().describe(schema))
}

/// A category at a cut, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceWords {
    /// Its rows, its place and the standard error of the place: "3 rows, 33 % ill, standard error 24 %". Without a
    /// zone no error matters, and none is named.
    pub place: String,
    /// The cut: "41 %".
    pub cut: String,
    /// Where it is if it is undecided: "within 2 standard errors of the cut at 41 %".
    pub near: String,
}

impl PlaceWords {
    /// The words for one category of a cut.
    #[must_use]
    pub fn new(cut: &CategoryCut, place: &CategoryPlace, schema: &Schema) -> Self {
        let rows = counted(place.rows as usize, "row");
        let [position, threshold, standard_error] = cut.percents(place);
        let axis = cut.axis().describe(schema);
        let error = match cut.zone(place).half_width() > 0.0 {
            true => format!(", standard error {standard_error} %"),
            false => String::new(),
        };
        Self {
            place: format!("{rows}, {position} % {axis}{error}"),
            cut: format!("{threshold} %"),
            near: format!("{} at {threshold} %", cut.near_in_words()),
        }
    }
}

/// A value of the tested feature.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestedValue<'a> {
    pub(super) shown: ShownTest<'a>,
    pub(super) schema: &'a Schema,
    /// What the widths of zones stand for.
    pub(super) meaning: ZoneMeaning,
    pub(super) value: f64,
    /// The value's text, if it is a category that the schema does not have, or could not be read.
    pub(super) unseen: Option<&'a str>,
    /// The number of training rows of the test.
    pub(super) rows: u32,
    /// The fewest of them that a category needs to be known to the test.
    pub(super) fewest_rows: u32,
    /// True if tests learn from missing values where they meet some.
    pub(super) learns_missing: bool,
}

impl TestedValue<'_> {
    fn test(&self) -> &Test {
        self.shown.test
    }

    /// The feature and its value: "glucose 126.4", "job 'pilot'", "the category of ward" if nobody
    /// knows its name; only the feature if the value is missing.
    pub(super) fn named(&self) -> String {
        let feature = self.test().feature_of(self.schema);
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
                let (number, _) = self.shown.value(self.value, self.schema);
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
    pub(super) fn doubt(&self) -> String {
        let named = self.named();
        match self.test().cut() {
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
            Cut::Threshold { zone } => format!("{named} lies within {}", self.near(*zone)),
            Cut::Present => format!("{named} is present"),
        }
    }

    /// Why many tests of the feature are unsure of the value, of which this one is typical; to be put after the
    /// name of the feature.
    ///
    /// - "lies near the cut"
    /// - "is missing", "could not be read", "did not occur in training"
    pub(super) fn doubt_of_many(&self) -> &'static str {
        let is_category =
            matches!(self.test().feature_of(self.schema).kind, FeatureKind::Categories(_));
        match self.test().cut() {
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
        let (named, feature) = (self.named(), self.test().feature_of(self.schema));
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
    pub(super) fn doubt_in_brief(&self) -> String {
        let feature = self.test().feature_of(self.schema);
        let unreadable = is_unknown_value(self.value);
        match (self.test().cut(), &feature.kind) {
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
            (Cut::Threshold { zone }, _) => match (self.categories_at(*zone), self.shown_zone()) {
                (None, Some(shown)) => shown.in_brief(self.meaning),
                _ => format!("within {}", self.near(*zone)),
            },
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
    pub(super) fn standing(&self, use_zones: bool) -> String {
        let named = self.named();
        let (side, goes_left) = (self.test().side(self.value), self.test().goes_left(self.value));
        let goes = if goes_left { "left" } else { "right" };
        match self.test().cut() {
            _ if self.value.is_nan() => {
                format!("{named} is missing, which goes {goes} here")
            }
            Cut::Threshold { zone } => {
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
        last_on_left(self.test().feature_of(self.schema), zone.threshold())
    }

    /// The zone, with digits that suit the value.
    fn shown_zone(&self) -> Option<ShownZone> {
        self.shown.value(self.value, self.schema).1
    }
}
