//! What the texts of a column are: numbers in some notation, dates, or just texts.
//!
//! Only what cannot be misread is taken for granted. Numbers with a decimal comma, thousands
//! separators and dates such as 01/02/2020 could be read in two ways; they stay texts, and a
//! warning says how to read them.

use crate::error::listing;
use crate::notation::{own_seconds, parse, parse_number};
use crate::table::{Column, DecidedBy, Nominal, Table, Values};
use crate::warning::{Suggestion, Warning};
use std::sync::LazyLock;
use ternwood::dataset::notation::{DAY, DatePattern, DecimalMark, Marks, Notation};

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
    fn expect_commas(&self) -> bool {
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

// Settles what the columns of a table are, once all their values are known.

/// Columns of texts that are numbers or dates after all become numbers, and columns of times that
/// are all at midnight become dates. Warns of texts that look like numbers or dates.
pub(crate) fn settle(table: &mut Table, notations: &Notations) {
    let mut columns = std::mem::take(&mut table.columns);
    for column in &mut columns {
        if column.decided_by != DecidedBy::User {
            numbers_from_texts(column, notations);
        }
        days_from_times(column);
    }
    let unasked = columns.iter().filter(|column| column.decided_by == DecidedBy::Values);
    let commas = unasked.filter(|column| column.notation.has_decimal_comma());
    let commas: Vec<&str> = commas.map(Column::name).collect();
    if !commas.is_empty() && !notations.expect_commas() {
        table.warnings.push(Warning::DecimalComma { columns: listing(&commas) });
    }
    let doubts = columns.iter().filter_map(|column| doubt(column, table)).collect::<Vec<_>>();
    table.warnings.extend(doubts);
    table.columns = columns;
}

fn numbers_from_texts(column: &mut Column, notations: &Notations) {
    let Values::Nominal(nominal) = &column.values else { return };
    if nominal.origin.is_fixed() || nominal.categories.is_empty() {
        return;
    }
    let texts = nominal.categories.iter().map(|text| text.trim_ascii().as_bytes());
    let Some(notation) = notations.common(texts.clone()) else { return };
    let numbers: Option<Vec<f64>> = texts.map(|text| parse(&notation, text)).collect();
    let Some(numbers) = numbers else { return };
    let codes = nominal.codes.iter();
    let values = codes.map(|code| code.map_or(f64::NAN, |code| numbers[code.index()])).collect();
    (column.values, column.notation) = (Values::Numeric(values), notation);
}

fn days_from_times(column: &mut Column) {
    let (Notation::Time(pattern), Values::Numeric(values)) = (&column.notation, &mut column.values)
    else {
        return;
    };
    let is_day = |seconds: &f64| seconds.is_nan() || (seconds / DAY).floor() * DAY == *seconds;
    if values.iter().all(is_day) {
        // What is unknown is told by its bits, which arithmetic may change.
        let present = values.iter_mut().filter(|seconds| !seconds.is_nan());
        present.for_each(|seconds| *seconds /= DAY);
        column.notation = Notation::Date(pattern.clone());
    }
}

/// What may be wrong with a column of texts.
fn doubt(column: &Column, table: &Table) -> Option<Warning> {
    let Values::Nominal(nominal) = &column.values else { return None };
    if column.decided_by != DecidedBy::Values {
        return None;
    }
    let texts: Vec<&[u8]> = nominal.categories.iter().map(String::as_bytes).collect();
    if let Some(suggestion) = suggestion(&texts) {
        let (row, value) = first(nominal, |_| true)?;
        let place = table.place(row).in_column(&column.name);
        return Some(Warning::Spelling { place, value: value.to_owned(), suggestion });
    }
    let is_number: Vec<bool> =
        nominal.categories.iter().map(|text| parse_number(text.as_bytes()).is_some()).collect();
    let codes = nominal.codes.iter().flatten();
    let numbers = codes.clone().filter(|code| is_number[code.index()]).count() as u64;
    let words = codes.count() as u64 - numbers;
    if numbers <= words {
        return None;
    }
    let (row, value) = first(nominal, |code| !is_number[code])?;
    let place = table.place(row).in_column(&column.name);
    Some(Warning::MostlyNumeric { place, value: value.to_owned(), numbers, words })
}

/// The first row with a category for which `wanted` is true.
fn first(nominal: &Nominal, wanted: impl Fn(usize) -> bool) -> Option<(usize, &str)> {
    let is_wanted = |row: &usize| nominal.codes[*row].is_some_and(|code| wanted(code.index()));
    let row = (0..nominal.codes.len()).find(is_wanted)?;
    Some((row, nominal.text(row)?))
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
