//! What speaks against learning from a column.

use super::learn::MissingPolicy;
use crate::table::{CategoryOrigin, Column, DecidedBy, Values};
use crate::warning::Warning;
use std::collections::HashMap;
use ternwood::Schema;
use ternwood::dataset::doubts::{
    FEWEST_VALUES, LeakSearch, RowNumbers, TargetDoubt, has_many_categories,
};
use ternwood::dataset::notation::Notation;

impl Column {
    /// Why [`encode`](crate::encode) leaves the column out, if it does. A column of which the user
    /// has said what it is stays, unless it is empty.
    #[must_use]
    pub fn reason_to_leave_out(&self, missing: MissingPolicy) -> Option<Warning> {
        let values = self.values.len() - self.values.missing();
        let rule = |distinct, reason: &dyn Fn() -> Option<&'static str>| {
            leave_out(&self.name, values, self.decided_by, missing, distinct, reason)
        };
        match &self.values {
            Values::Nominal(_) => rule(self.n_texts(), &|| None),
            Values::Numeric(_) => rule(None, &|| reason_of(self.row_numbers()?)),
        }
    }

    /// The number of different texts, unless a file or the user declares the categories.
    fn n_texts(&self) -> Option<usize> {
        match &self.values {
            Values::Nominal(nominal) if nominal.origin == CategoryOrigin::Found => {
                Some(nominal.categories.len())
            }
            _ => None,
        }
    }

    /// The number of different categories without an order.
    fn n_unordered(&self) -> Option<usize> {
        match &self.values {
            Values::Nominal(nominal) if nominal.origin == CategoryOrigin::Declared => {
                let mut occurs = vec![false; nominal.categories.len()];
                nominal.codes.iter().flatten().for_each(|code| occurs[code.index()] = true);
                Some(occurs.into_iter().filter(|&occurs| occurs).count())
            }
            _ => self.n_texts(),
        }
    }

    /// How plain numbers without gaps identify the rows, if they do.
    fn row_numbers(&self) -> Option<RowNumbers> {
        let is_number = matches!(self.notation, Notation::Number(_));
        match &self.values {
            Values::Numeric(numbers) if is_number => RowNumbers::find(numbers, &self.name),
            _ => None,
        }
    }
}

/// Why a column with so many values is left out, if it is: `distinct` is the number of different texts,
/// and `reason` tells why numbers identify the rows.
pub(crate) fn leave_out(
    name: &str,
    values: usize,
    decided_by: DecidedBy,
    missing: MissingPolicy,
    distinct: Option<usize>,
    reason: &dyn Fn() -> Option<&'static str>,
) -> Option<Warning> {
    let column = || name.to_owned();
    if values == 0 && missing != MissingPolicy::Error {
        return Some(Warning::EmptyColumn { column: column() });
    }
    if values < FEWEST_VALUES || decided_by == DecidedBy::User {
        return None;
    }
    match distinct {
        Some(distinct) if 2 * distinct > values => {
            Some(Warning::Identifier { column: column(), distinct, values })
        }
        Some(_) => None,
        None => reason().map(|reason| Warning::NumericIdentifier { column: column(), reason }),
    }
}

/// Why a column of such numbers is left out. One with gaps may be a measurement, and stays.
pub(crate) fn reason_of(numbers: RowNumbers) -> Option<&'static str> {
    match numbers {
        RowNumbers::Consecutive => Some("counts the rows"),
        RowNumbers::Named => Some("is named like an identifier and different in every row"),
        RowNumbers::WithGaps => None,
    }
}

/// The warning of a column with many different categories, unless the user has said that it is one of categories.
pub(crate) fn many_categories(
    name: &str,
    values: usize,
    decided_by: DecidedBy,
    distinct: Option<usize>,
) -> Option<Warning> {
    let distinct = distinct.filter(|_| decided_by != DecidedBy::User)?;
    let warning = || Warning::ManyCategories { column: name.to_owned(), distinct, values };
    has_many_categories(distinct, values).then(warning)
}

/// The warning for a doubt about the target of a schema.
pub(super) fn of_target(
    schema: &Schema,
    doubt: Option<TargetDoubt>,
    rows: usize,
) -> Option<Warning> {
    let (column, classes) = (schema.target()?.to_owned(), schema.classes());
    let name = |class: usize| classes[class].to_string();
    match doubt? {
        TargetDoubt::OneClass(class) => Some(Warning::OneClass { column, class: name(class) }),
        TargetDoubt::ManyClasses => {
            Some(Warning::ManyClasses { column, classes: classes.len(), rows })
        }
        TargetDoubt::SingleRow(of) => {
            let classes = of.into_iter().map(name).collect();
            Some(Warning::SingleRowClasses { column, classes })
        }
    }
}

/// A target, and the search for columns that give it away.
pub(super) struct Leaks<'a> {
    target: &'a Column,
    search: LeakSearch,
}

impl<'a> Leaks<'a> {
    pub(super) fn of(target: &'a Column) -> Self {
        let mut numbers = HashMap::new();
        let class = |row| {
            let next = numbers.len() as u32;
            Some(*numbers.entry(target.key(row)?).or_insert(next))
        };
        let search = LeakSearch::new((0..target.values.len()).map(class));
        Self { target, search }
    }

    /// Whether the column alone tells the classes.
    fn give_away(&self, column: &Column) -> bool {
        match &column.values {
            Values::Numeric(numbers) => self.search.tells(false, |row| numbers[row]),
            Values::Nominal(nominal) => self
                .search
                .tells(true, |row| nominal.codes[row].map_or(f64::NAN, |code| code.index() as f64)),
        }
    }
}

/// Columns with a larger share of missing values are doubtful.
const NEARLY_ALL: f64 = 0.95;

/// What a column makes one wonder about, though it is used: the gravest doubt, if there are several.
pub(super) fn doubt(column: &Column, leaks: Option<&Leaks<'_>>) -> Option<Warning> {
    let name = || column.name.clone();
    let (rows, missing) = (column.values.len(), column.values.missing());
    if column.decided_by != DecidedBy::User && column.row_numbers() == Some(RowNumbers::WithGaps) {
        return Some(Warning::RowNumbers { column: name() });
    }
    if let Some(leaks) = leaks.filter(|leaks| leaks.give_away(column)) {
        let target = leaks.target.name.clone();
        return Some(Warning::GivesTargetAway { column: name(), target });
    }
    if missing == 0 && rows >= 2 && is_constant(column) {
        let value = column.text_of(0).unwrap_or_default();
        return Some(Warning::Constant { column: name(), value });
    }
    if missing as f64 > NEARLY_ALL * rows as f64 {
        return Some(Warning::NearlyAllMissing { column: name(), missing, rows });
    }
    many_categories(&column.name, rows - missing, column.decided_by, column.n_unordered())
}

fn is_constant(column: &Column) -> bool {
    match &column.values {
        Values::Numeric(values) => values.iter().all(|value| value == &values[0]),
        Values::Nominal(nominal) => nominal.codes.iter().all(|code| code == &nominal.codes[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dropped(name: &str, numbers: impl Iterator<Item = u32>) -> bool {
        let column = Column::numeric(name, numbers.map(f64::from).collect());
        column.reason_to_leave_out(MissingPolicy::Keep).is_some()
    }

    #[test]
    fn numbers_that_identify_rows_are_left_out() {
        assert!(dropped("x", (100..130).rev()), "in any order");
        assert!(dropped("patient_id", (0..30).map(|n| n * 7)));
        assert!(!dropped("dose", (0..30).map(|n| n * 7)));
        assert!(!dropped("x", 1..=19), "few rows");
    }

    #[test]
    fn row_numbers_with_gaps_stay_with_a_warning() {
        let numbers = (0..100).filter(|n| n * 7 % 10 < 7).map(f64::from).collect();
        let mut column = Column::numeric("x", numbers);
        assert_eq!(column.reason_to_leave_out(MissingPolicy::Keep), None);
        assert!(matches!(doubt(&column, None), Some(Warning::RowNumbers { .. })));
        column.decided_by = DecidedBy::User;
        assert_eq!(doubt(&column, None), None);
    }

    #[test]
    fn many_categories_are_doubtful_unless_the_user_wants_them() {
        let texts = |distinct: usize| {
            Column::text("t", (0..200).map(|row| Some(format!("c{}", row % distinct))))
        };
        assert_eq!(doubt(&texts(20), None), None, "10 rows each");
        let many = Warning::ManyCategories { column: "t".to_owned(), distinct: 21, values: 200 };
        assert_eq!(doubt(&texts(21), None), Some(many));
        // A column that is left out has no second warning.
        let left_out = texts(101).reason_to_leave_out(MissingPolicy::Keep);
        assert!(matches!(left_out, Some(Warning::Identifier { .. })));
        let mut column = texts(21);
        column.decided_by = DecidedBy::User;
        assert_eq!(doubt(&column, None), None);
        // Those that a file declares stay, however many.
        let declared = |distinct: usize| {
            let mut column = texts(distinct);
            column.decided_by = DecidedBy::File;
            let Values::Nominal(nominal) = &mut column.values else { panic!("texts") };
            nominal.origin = CategoryOrigin::Declared;
            nominal.categories.extend((0..50).map(|unused| format!("u{unused}")));
            assert_eq!(column.reason_to_leave_out(MissingPolicy::Keep), None);
            doubt(&column, None)
        };
        assert_eq!(declared(20), None, "only those that occur count");
        assert!(matches!(declared(101), Some(Warning::ManyCategories { distinct: 101, .. })));
    }

    #[test]
    fn features_that_give_the_target_away() {
        let words =
            |f: &dyn Fn(usize) -> &'static str| Column::text("t", (0..90).map(|n| Some(f(n))));
        let target = words(&|n| ["a", "b", "c"][n / 30]);
        let leaks = Leaks::of(&target);
        assert!(leaks.give_away(&words(&|n| ["x", "y", "z"][n / 30])));
        let numbers = |f: &dyn Fn(usize) -> f64| Column::numeric("n", (0..90).map(f).collect());
        assert!(leaks.give_away(&numbers(&|n| n as f64)));
        assert!(!leaks.give_away(&numbers(&|n| (n % 40) as f64)));
        assert!(!leaks.give_away(&words(&|n| ["x", "y"][n / 45])));
    }
}
