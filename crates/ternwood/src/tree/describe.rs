//! A test in words.

use super::category_words::{cut_in_percent, listed, named};
use super::test::{Cut, Missing, Test};
use super::zone::Side;
use super::zone_meaning::ZoneMeaning;
use crate::dataset::{Feature, FeatureKind, Schema, one_line};

/// The categories of a test, by the side they go to. Those with the most rows come first;
/// ordered categories are in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CategorySides {
    /// Those on the left of the cut.
    pub left: Vec<u32>,
    /// Those that cannot be told from the cut. They are on one of its sides as well.
    pub unsure: Vec<u32>,
    /// Those on the right of the cut.
    pub right: Vec<u32>,
}

/// Puts the names of some categories into one list.
pub(crate) type ListCategories = fn(&Feature, &[u32]) -> String;

impl Test {
    /// "glucose 127.5 ± 1.1", "glucose 127.5, blended between 126.4 and 128.6", "education <= Bachelors", "job, cut
    /// at 41 % ill" or "glucose is present".
    #[must_use]
    pub fn describe(&self, schema: &Schema, meaning: ZoneMeaning) -> String {
        let feature = self.feature_of(schema);
        let name = one_line(&feature.name);
        match self.cut() {
            Cut::Threshold { zone, .. } => match last_on_left(feature, zone.threshold()) {
                Some((last, _)) => format!("{name} <= {last}"),
                None => self
                    .shown_zone(schema)
                    .map_or(String::new(), |zone| format!("{name} {}", zone.in_words(meaning))),
            },
            Cut::Categories(cut) => format!("{name}, cut at {}", cut_in_percent(cut, schema)),
            Cut::Present => format!("{name} is present"),
        }
    }

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
            Cut::Threshold { zone, .. } => {
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

    /// The categories on each side; none for a test of numbers, or whether there is a value.
    #[must_use]
    pub fn category_sides(&self, schema: &Schema) -> CategorySides {
        let ids: Vec<u32> = match (self.cut(), &self.feature_of(schema).kind) {
            (Cut::Categories(cut), _) => {
                let mut places: Vec<_> = cut.places().iter().collect();
                places.sort_by_key(|place| (std::cmp::Reverse(place.rows), place.category));
                places.iter().map(|place| place.category).collect()
            }
            (Cut::Threshold { .. }, FeatureKind::Ordered(names)) => {
                (0..names.len() as u32).collect()
            }
            _ => Vec::new(),
        };
        let mut sides = CategorySides::default();
        for id in ids {
            let value = f64::from(id);
            if self.side(value) == Side::Within {
                sides.unsure.push(id);
            }
            if self.goes_left(value) { &mut sides.left } else { &mut sides.right }.push(id);
        }
        sides
    }

    pub(super) fn feature_of<'s>(&self, schema: &'s Schema) -> &'s Feature {
        &schema.features()[self.feature().index()]
    }
}

/// The ordered categories on both sides of a threshold, next to it; `None` for other features, and
/// where all categories are on one side.
pub(super) fn last_on_left(feature: &Feature, threshold: f64) -> Option<(String, String)> {
    let FeatureKind::Ordered(names) = &feature.kind else { return None };
    let last = threshold.floor();
    if !(0.0..names.len() as f64 - 1.0).contains(&last) {
        return None;
    }
    Some((named(feature, last as u32), named(feature, last as u32 + 1)))
}
