//! What speaks against learning from a column.

use super::learn::MissingPolicy;
use crate::table::{CategoryOrigin, Column, DecidedBy, Values};
use crate::warning::Warning;
use std::collections::{HashMap, HashSet};
use ternwood::dataset::notation::Notation;

/// The fewest values of a column that can be an identifier.
const IDENTIFIER_ROWS: usize = 20;

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
            Values::Nominal(nominal) => {
                let is_found = nominal.origin == CategoryOrigin::Found;
                rule(is_found.then_some(nominal.categories.len()), &|| None)
            }
            Values::Numeric(numbers) => {
                let is_number = matches!(self.notation, Notation::Number(_));
                let counts = is_number && values == numbers.len();
                rule(None, &|| counts.then(|| identifying(numbers, &self.name)).flatten())
            }
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
    if values < IDENTIFIER_ROWS || decided_by == DecidedBy::User {
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

/// Why numbers identify the rows: all are different whole numbers, and they run consecutively or
/// are named like an identifier.
fn identifying(numbers: &[f64], name: &str) -> Option<&'static str> {
    if !numbers.iter().all(|number| number.fract() == 0.0 && number.abs() < 9e15) {
        return None;
    }
    let smallest = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest - smallest == numbers.len() as f64 - 1.0 {
        let mut seen = vec![false; numbers.len()];
        numbers.iter().for_each(|number| seen[(number - smallest) as usize] = true);
        return seen.into_iter().all(|seen| seen).then_some("counts the rows");
    }
    let all_differ = || {
        let mut seen = HashSet::with_capacity(numbers.len());
        numbers.iter().all(|number| seen.insert(number.to_bits()))
    };
    (identifying_name(name) && all_differ())
        .then_some("is named like an identifier and different in every row")
}

/// `id`, `Patient ID`, `case_no`, `customerId`, `row`, but not `acid` or `humid`.
pub(crate) fn identifying_name(name: &str) -> bool {
    const WORDS: [&str; 12] =
        ["id", "ids", "uid", "uuid", "guid", "key", "index", "idx", "no", "nr", "row", "rowid"];
    let last = name.trim().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let camel = last.ends_with("Id") || (last.ends_with("ID") && last.len() > 2);
    let is_word = WORDS.iter().any(|word| last.eq_ignore_ascii_case(word));
    is_word || camel
}

/// The doubt about a target with suspiciously many classes, or only one.
pub(crate) fn doubt_of_target(target: &Column, classes: usize) -> Option<Warning> {
    const MANY: usize = 20;
    let (column, rows) = (target.name.clone(), target.values.len());
    match classes {
        1 => Some(Warning::OneClass { column, class: target.text_of(0).unwrap_or_default() }),
        many if many > MANY && 2 * many > rows => {
            Some(Warning::ManyClasses { column, classes, rows })
        }
        _ => None,
    }
}

/// Columns with a larger share of missing values are doubtful.
const NEARLY_ALL: f64 = 0.95;

/// What a column makes one wonder about, though it is used.
pub(crate) fn doubts(column: &Column, target: Option<&Column>) -> Vec<Warning> {
    let name = || column.name.clone();
    let (rows, missing) = (column.values.len(), column.values.missing());
    let mut doubts = Vec::new();
    if missing == 0 && rows >= 2 && is_constant(column) {
        doubts.push(Warning::Constant {
            column: name(),
            value: column.text_of(0).unwrap_or_default(),
        });
    }
    if missing as f64 > NEARLY_ALL * rows as f64 {
        doubts.push(Warning::NearlyAllMissing { column: name(), missing, rows });
    }
    if let Some(target) = target.filter(|target| gives_away(column, target)) {
        doubts.push(Warning::GivesTargetAway { column: name(), target: target.name.clone() });
    }
    doubts
}

fn is_constant(column: &Column) -> bool {
    match &column.values {
        Values::Numeric(values) => values.iter().all(|value| value == &values[0]),
        Values::Nominal(nominal) => nominal.codes.iter().all(|code| code == &nominal.codes[0]),
    }
}

/// With fewer rows a feature may separate the classes by chance.
const FEWEST_ROWS: usize = 50;
/// Rows looked at before all of them are.
const FIRST_LOOK: usize = 2_000;

/// Whether the feature alone tells the class of every row: by its category, or by as many
/// intervals as there are classes.
fn gives_away(column: &Column, target: &Column) -> bool {
    let rows = column.values.len();
    if rows < FEWEST_ROWS {
        return false;
    }
    // Most features are cleared by a few rows.
    let step = rows.div_ceil(FIRST_LOOK);
    let separates = |step: usize| {
        let rows = (0..rows).step_by(step);
        let pairs = rows.filter_map(|row| Some((column.key(row)?, target.key(row)?)));
        separates_classes(column, pairs.collect())
    };
    separates(step) && (step == 1 || separates(1))
}

fn separates_classes(column: &Column, mut pairs: Vec<(u64, u64)>) -> bool {
    let classes: HashSet<u64> = pairs.iter().map(|&(_, class)| class).collect();
    // Rare classes are separated by chance.
    if classes.len() < 2 || pairs.len() < FEWEST_ROWS.max(5 * classes.len()) {
        return false;
    }
    match &column.values {
        Values::Nominal(_) => {
            let mut class_of = HashMap::new();
            let pure = pairs
                .iter()
                .all(|&(value, class)| *class_of.entry(value).or_insert(class) == class);
            // Rare categories are pure by chance.
            pure && class_of.len() * 5 <= pairs.len()
        }
        Values::Numeric(_) => {
            pairs.sort_unstable();
            let changes = pairs.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
            let mixed =
                pairs.windows(2).any(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1);
            !mixed && changes + 1 == classes.len()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_identifiers() {
        for name in ["id", "ID", "patient_id", "Case No", "customerId", "rowID", "x.key"] {
            assert!(identifying_name(name), "{name}");
        }
        for name in ["acid", "humid", "nose", "number of rooms", "income", "idle", ""] {
            assert!(!identifying_name(name), "{name}");
        }
    }

    fn dropped(name: &str, numbers: impl Iterator<Item = u32>) -> bool {
        let column = Column::numeric(name, numbers.map(f64::from).collect());
        column.reason_to_leave_out(MissingPolicy::Keep).is_some()
    }

    #[test]
    fn numbers_that_identify_rows() {
        assert!(dropped("x", 1..=30), "consecutive");
        assert!(dropped("x", (100..130).rev()), "in any order");
        assert!(dropped("patient_id", (0..30).map(|n| n * 7)));
        assert!(!dropped("dose", (0..30).map(|n| n * 7)));
        assert!(!dropped("patient_id", (0..30).map(|n| n / 2)), "not all differ");
        assert!(!dropped("x", 1..=19), "few rows");
        assert!(!dropped("x", (0..29).chain([0])));
    }

    #[test]
    fn features_that_give_the_target_away() {
        let words =
            |f: &dyn Fn(usize) -> &'static str| Column::text("t", (0..90).map(|n| Some(f(n))));
        let target = words(&|n| ["a", "b", "c"][n / 30]);
        let copy = words(&|n| ["x", "y", "z"][n / 30]);
        assert!(gives_away(&copy, &target));
        let numbers = |f: &dyn Fn(usize) -> f64| Column::numeric("n", (0..90).map(f).collect());
        assert!(gives_away(&numbers(&|n| n as f64), &target));
        assert!(!gives_away(&numbers(&|n| (n % 40) as f64), &target));
        assert!(!gives_away(&words(&|n| ["x", "y"][n / 45]), &target));
    }
}
