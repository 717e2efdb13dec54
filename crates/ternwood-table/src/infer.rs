//! What the texts of a column are: numbers in some notation, dates, or just texts.
//!
//! Only what cannot be misread is taken for granted. Numbers with a decimal comma, thousands
//! separators and dates such as 01/02/2020 could be read in two ways; they stay texts, and a
//! warning says how to read them.

use crate::notation::{own_seconds, parse};
use crate::warning::Suggestion;
use std::sync::LazyLock;
use ternwood::dataset::notation::{DatePattern, DecimalMark, Marks, Notation};

/// Dates that are read without being asked for, if all texts fit one and only one of these.
static DATES: LazyLock<Vec<DatePattern>> = LazyLock::new(|| patterns(&DATE_TEXTS));
const DATE_TEXTS: [&str; 9] = [
    "%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d %b %Y",
    "%d-%b-%Y",
];

/// Dates whose century must be guessed.
static SHORT_DATES: LazyLock<Vec<DatePattern>> = LazyLock::new(|| patterns(&SHORT_DATE_TEXTS));
const SHORT_DATE_TEXTS: [&str; 4] = ["%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%y-%m-%d"];

/// How texts may spell numbers.
#[derive(Debug, Clone)]
pub(crate) struct Notations {
    numbers: Vec<Notation>,
}

impl Notations {
    /// Those of a text table: the marks asked for, or else plain numbers, with a decimal comma
    /// too if commas do not separate the fields (`decimal_comma`).
    pub(crate) fn of_text(marks: Option<Marks>, decimal_comma: bool) -> Self {
        let plain = Marks::default();
        let comma = Marks { decimal: DecimalMark::Comma, thousands: None };
        let marks = match marks {
            Some(marks) => vec![marks],
            None if decimal_comma => vec![plain, comma],
            None => vec![plain],
        };
        let numbers = marks.iter().map(|marks| Notation::Number(*marks));
        let percents = marks.iter().map(|marks| Notation::Percent(*marks));
        Self { numbers: numbers.chain(percents).collect() }
    }

    /// Whether the decimal comma was asked for.
    pub(crate) fn expect_commas(&self) -> bool {
        self.numbers.first().is_some_and(Notation::has_decimal_comma)
    }

    /// Those of the texts of a typed file, where a text is no number by declaration.
    pub(crate) fn of_typed_texts() -> Self {
        Self { numbers: vec![Notation::Percent(Marks::default())] }
    }

    /// The notation of all these texts, none of which is missing. `None` if they have no common
    /// one, or if dates could be read in two ways. Dates have the notation of times.
    pub(crate) fn common<'a>(&self, texts: impl Iterator<Item = &'a [u8]>) -> Option<Notation> {
        let mut numbers: Vec<&Notation> = self.numbers.iter().collect();
        let mut dates: Vec<&DatePattern> = DATES.iter().collect();
        for text in texts {
            numbers.retain(|notation| parse(notation, text).is_some());
            dates.retain(|pattern| own_seconds(pattern, text).is_some());
            if numbers.is_empty() && dates.is_empty() {
                return None;
            }
        }
        match (numbers.first(), dates.as_slice()) {
            (Some(&notation), _) => Some(notation.clone()),
            (None, [pattern]) => Some(Notation::Time((*pattern).clone())),
            _ => None,
        }
    }
}

fn patterns(texts: &[&str]) -> Vec<DatePattern> {
    texts.iter().filter_map(|text| DatePattern::new(text).ok()).collect()
}

/// How texts that stay texts could be read if asked for: the notation of all of them, or several.
pub(crate) fn suggestion(texts: &[&[u8]]) -> Option<Suggestion> {
    texts.first()?;
    let fits_all = |parses: &dyn Fn(&[u8]) -> bool| texts.iter().all(|text| parses(text));
    // Texts that are numbers as they stand are codes of a typed file.
    if fits_all(&|text| parse(&Notation::default(), text).is_some()) {
        return None;
    }
    let dates = DATES.iter().chain(SHORT_DATES.iter());
    let dates: Vec<String> = dates
        .filter(|pattern| fits_all(&|text| own_seconds(pattern, text).is_some()))
        .map(|pattern| pattern.as_str().to_owned())
        .collect();
    if !dates.is_empty() {
        return Some(Suggestion::Dates(dates));
    }
    let marks = |decimal, thousands| Marks { decimal, thousands };
    let (point, comma) = (DecimalMark::Point, DecimalMark::Comma);
    let all = [
        marks(comma, None),
        marks(point, Some(',')),
        marks(comma, Some('.')),
        marks(point, Some(' ')),
        marks(comma, Some(' ')),
        marks(point, Some('\'')),
    ];
    let fits = |percent: bool| -> Vec<Marks> {
        let notation = |marks| match percent {
            true => Notation::Percent(marks),
            false => Notation::Number(marks),
        };
        let fits = |marks: &Marks| fits_all(&|text| parse(&notation(*marks), text).is_some());
        all.into_iter().filter(fits).collect()
    };
    let found = Some(fits(false)).filter(|found| !found.is_empty()).unwrap_or_else(|| fits(true));
    // Without any separator, the notation with one adds nothing.
    let without = found.iter().find(|marks| marks.thousands.is_none()).copied();
    let found = match (without, found.as_slice()) {
        (_, []) => return fits_all(&is_point_or_comma).then_some(Suggestion::OneMark),
        (Some(comma), [_, Marks { decimal: DecimalMark::Point, thousands: Some(',') }, ..]) => {
            vec![comma, marks(point, Some(','))]
        }
        (Some(comma), _) => vec![comma],
        (None, [first, ..]) => vec![*first],
    };
    Some(Suggestion::Marks(found))
}

fn is_point_or_comma(text: &[u8]) -> bool {
    let comma = Marks { decimal: DecimalMark::Comma, thousands: None };
    [Marks::default(), comma].iter().any(|marks| parse(&Notation::Number(*marks), text).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remedy::Remedy;

    fn common(texts: &[&str]) -> Option<Notation> {
        Notations::of_text(None, false).common(texts.iter().map(|text| text.as_bytes()))
    }

    fn time(pattern: &str) -> Option<Notation> {
        Some(Notation::Time(DatePattern::new(pattern).unwrap()))
    }

    #[test]
    fn what_cannot_be_misread() {
        assert_eq!(common(&["1", "2.5", "-1e3"]), Some(Notation::default()));
        assert_eq!(common(&["1%", "2.5 %"]), Some(Notation::Percent(Marks::default())));
        assert_eq!(common(&["2020-01-02", "2020-01-03 10:00"]), time("%Y-%m-%d"));
        assert_eq!(common(&["1.2.2020", "31.12.2020"]), time("%d.%m.%Y"));
        assert_eq!(common(&["01/02/2020", "13/02/2020"]), time("%d/%m/%Y"));
        assert_eq!(common(&["01/02/2020", "02/13/2020"]), time("%m/%d/%Y"));
        assert_eq!(common(&["3 Mar 2020"]), time("%d %b %Y"));
    }

    #[test]
    fn what_could_be_misread() {
        for texts in [
            &["01/02/2020", "03/04/2020"][..],
            &["1,5", "2,5"],
            &["1,234", "5,678"],
            &["1.234,56"],
            &["12%", "0.12"],
            &["31.12.20"],
            &["2020-01-02", "soon"],
        ] {
            assert_eq!(common(texts), None, "{texts:?}");
        }
    }

    #[test]
    fn a_comma_may_be_the_decimal_mark_where_it_separates_nothing() {
        let semicolons = Notations::of_text(None, true);
        let comma = Marks { decimal: DecimalMark::Comma, thousands: None };
        let common = |texts: &[&str]| semicolons.common(texts.iter().map(|text| text.as_bytes()));
        assert_eq!(common(&["1", "2"]), Some(Notation::default()));
        assert_eq!(common(&["1", "2,5"]), Some(Notation::Number(comma)));
        assert_eq!(common(&["1.5", "2,5"]), None);
    }

    #[test]
    fn suggestions_name_all_readings() {
        let of = |texts: &[&str]| {
            let texts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
            suggestion(&texts).map(|found| found.remedies("day"))
        };
        let marks = |decimal, thousands| Remedy::Marks(Marks { decimal, thousands });
        let (comma, point) = (DecimalMark::Comma, DecimalMark::Point);
        assert_eq!(of(&["1,5", "2,75"]), Some(vec![marks(comma, None)]));
        let two = of(&["1,234", "5,678"]).unwrap();
        assert!(
            two.contains(&marks(comma, None)) && two.contains(&marks(point, Some(','))),
            "{two:?}"
        );
        assert_eq!(of(&["1.234,56"]), Some(vec![marks(comma, Some('.'))]));
        assert_eq!(of(&["1,234.56"]), Some(vec![marks(point, Some(','))]));
        let two = of(&["01/02/2020"]).unwrap();
        let date =
            |pattern: &str| Remedy::Date { column: "day".to_owned(), pattern: pattern.to_owned() };
        assert!(two.contains(&date("%d/%m/%Y")) && two.contains(&date("%m/%d/%Y")), "{two:?}");
        assert_eq!(of(&["1.5", "2,5"]), Some(Vec::new()), "they must be written in one way");
        assert_eq!(of(&["a", "b"]), None);
        assert_eq!(of(&[]), None);
    }
}
