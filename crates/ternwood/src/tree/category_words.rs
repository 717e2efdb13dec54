//! Categories in words: their names, and their place on the axis of a cut in percent.

use super::category_cut::{Axis, CategoryCut, CategoryPlace};
use super::numbers::{percent_between, percent_numbers, plain_number};
use super::zone::Zone;
use crate::dataset::{Feature, Schema, one_line};

/// The most characters of a list of names, and of one name.
const LIST: usize = 60;
const NAME: usize = 40;

impl Axis {
    /// How far a position lies along the axis: 0 where all rows are of the class at its low end, 1
    /// where all are of the class at its high end. A class share is its own answer.
    #[must_use]
    pub fn along(&self, position: f64) -> f64 {
        let [low, _] = self.ends();
        (0.5 * position - 0.5 * low) / self.half_length()
    }

    /// The classes at the low and at the high end. The share of a class has no low end: there it
    /// does not matter which other classes the rows are of.
    #[must_use]
    pub fn classes_at_ends(&self) -> (Option<u32>, u32) {
        match self {
            Self::ClassShare(class) => (None, *class),
            Self::Direction(u) => {
                let mut ends = (0, 0);
                for (class, coordinate) in u.iter().enumerate() {
                    if *coordinate < u[ends.0] {
                        ends.0 = class;
                    }
                    if *coordinate > u[ends.1] {
                        ends.1 = class;
                    }
                }
                (Some(ends.0 as u32), ends.1 as u32)
            }
        }
    }

    /// What a percentage of the axis means, to be put after it: "ill", "of class 1" or "of the way
    /// from setosa to virginica".
    #[must_use]
    pub fn describe(&self, schema: &Schema) -> String {
        match self.classes_at_ends() {
            (None, class) => match shown_name(&name_of(schema, class)) {
                (class, true) => class,
                (class, false) => format!("of class {class}"),
            },
            (Some(low), high) => {
                let [low, high] = [low, high].map(|class| class_in_words(schema, class));
                format!("of the way from {low} to {high}")
            }
        }
    }

    /// Half the distance between the ends: the distance itself may be too large for a number. 1/2 for
    /// an axis without length, on which nothing can be cut.
    fn half_length(&self) -> f64 {
        let [low, high] = self.ends();
        let half = 0.5 * high - 0.5 * low;
        if half > 0.0 { half } else { 0.5 }
    }
}

impl CategoryCut {
    /// The zone of a category [along the axis](Axis::along).
    #[must_use]
    pub fn zone_along(&self, place: &CategoryPlace) -> Zone {
        let zone = self.zone(place);
        let half_width = 0.5 * zone.half_width() / self.axis().half_length();
        // Only hostile files have numbers so large that this fails.
        Zone::new(self.axis().along(zone.threshold()), half_width).unwrap_or(zone)
    }

    /// The cut in percent of the axis, with as few decimals as keep it between its neighbours: "41".
    #[must_use]
    pub fn percent(&self) -> String {
        let positions = || self.places().iter().map(|place| place.position);
        let left = positions().filter(|x| *x <= self.threshold()).fold(f64::NEG_INFINITY, f64::max);
        let right = positions().filter(|x| *x > self.threshold()).fold(f64::INFINITY, f64::min);
        percent_between([left, self.threshold(), right].map(|x| self.axis().along(x)))
    }

    /// The standard error of a category's position [along the axis](Axis::along).
    #[must_use]
    pub fn standard_error_along(&self, place: &CategoryPlace) -> f64 {
        let along = 0.5 * place.standard_error / self.axis().half_length();
        if along.is_finite() { along } else { place.standard_error }
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
pub(super) fn cut_in_percent(cut: &CategoryCut, schema: &Schema) -> String {
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
        let rows =
            if place.rows == 1 { "1 row".to_owned() } else { format!("{} rows", place.rows) };
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

/// A class in a sentence: "ill", or "class 1".
#[must_use]
pub fn class_in_words(schema: &Schema, class: u32) -> String {
    class_words(&name_of(schema, class))
}

/// The same, by the name of the class.
pub(crate) fn class_words(name: &str) -> String {
    match shown_name(name) {
        (name, true) => name,
        (name, false) => format!("class {name}"),
    }
}

fn name_of(schema: &Schema, class: u32) -> String {
    schema.classes().get(class as usize).map(ToString::to_string).unwrap_or_default()
}

/// The name of a class, and true if it reads as a word.
fn shown_name(name: &str) -> (String, bool) {
    let is_word = name.starts_with(char::is_alphabetic);
    (clipped(&one_line(name)), is_word)
}

/// The name of a category, cut short; its number if it has none.
pub(super) fn named(feature: &Feature, category: u32) -> String {
    clipped(&whole_name(feature, category))
}

fn whole_name(feature: &Feature, category: u32) -> String {
    match feature.kind.names().get(category as usize) {
        Some(name) => one_line(name).into_owned(),
        None => category.to_string(),
    }
}

/// The names of categories, as many as fit: "clerk, nurse and 12 more".
pub(crate) fn listed(feature: &Feature, categories: &[u32]) -> String {
    let mut list = String::new();
    for (index, &category) in categories.iter().enumerate() {
        let name = in_list(named(feature, category));
        let left = categories.len() - index;
        if index > 0 && list.chars().count() + name.chars().count() > LIST {
            return format!("{list} and {left} more");
        }
        if index > 0 {
            list.push_str(", ");
        }
        list.push_str(&name);
    }
    list
}

/// The names of all categories, none of them cut short.
pub(crate) fn all_listed(feature: &Feature, categories: &[u32]) -> String {
    let names = categories.iter().map(|&category| in_list(whole_name(feature, category)));
    names.collect::<Vec<_>>().join(", ")
}

/// Quoted if it could be taken for something else than one name.
fn in_list(name: String) -> String {
    let plain =
        !name.is_empty() && name.trim() == name && !name.contains([',', '{', '}', '\'', ':']);
    if plain { name } else { format!("'{name}'") }
}

/// At most [`NAME`] characters.
pub(crate) fn clipped(name: &str) -> String {
    if name.chars().count() <= NAME {
        return name.to_owned();
    }
    let start: String = name.chars().take(NAME - 1).collect();
    format!("{}…", start.trim_end())
}
