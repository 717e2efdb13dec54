//! Learns the schema of a training table.

use crate::encode::advice::{self, Leaks};
use crate::encode::features::{boolean, same_boolean};
use crate::encode::{no_rows, target};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::table::builder::sort_categories;
use crate::table::{CategoryCode, CategoryOrigin, Column, Nominal, Table, Values};
use crate::warning::Warning;
use std::collections::BTreeSet;
use ternwood::dataset::doubts::TargetDoubt;
use ternwood::{ClassName, Feature, Schema};

/// What to do with missing feature values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingPolicy {
    /// Leave them to the tree: they become NaN.
    #[default]
    Keep,
    /// Fail, naming line and column.
    Error,
    /// Fill numbers with the median of the training column. Categories have no middle and are
    /// filled as by [`Mode`](Self::Mode).
    Median,
    /// Fill with the most frequent value of the training column. Ties go to the smallest number or
    /// the first category.
    Mode,
}

/// How to encode a training table.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EncodeOptions<'a> {
    /// What to do with missing values.
    pub missing: MissingPolicy,
    /// How much each row counts; `None` if all count 1. Nothing is learnt from rows that count 0.
    pub weights: Option<&'a [f64]>,
}

impl EncodeOptions<'_> {
    /// Options for missing values.
    #[must_use]
    pub fn missing(missing: MissingPolicy) -> Self {
        Self { missing, weights: None }
    }

    /// Picks the values of the rows that count.
    fn that_count<T: Copy>(&self, values: &[T]) -> impl Iterator<Item = T> {
        let counts = |row: usize| {
            let weight = self.weights.and_then(|weights| weights.get(row));
            weight.is_none_or(|&weight| weight > 0.0)
        };
        values.iter().enumerate().filter(move |&(row, _)| counts(row)).map(|(_, &value)| value)
    }
}

/// Learns the schema as documented at [`encode`](super::encode).
pub(super) fn schema(
    table: &Table,
    target: &str,
    options: EncodeOptions<'_>,
) -> Result<(Schema, Vec<Warning>)> {
    let target_column = table.column(target)?;
    if table.n_rows == 0 {
        return Err(no_rows(table));
    }
    let classes = target::classes(target_column, table)?;
    let (features, doubts) = features(table, Some(target_column), options);
    let schema = finished(table, target, (features, classes), &doubts)?;
    let mut rows_of = vec![0; schema.n_classes()];
    let labels = target::labels(&schema, table)?;
    options.that_count(&labels).for_each(|class| rows_of[class as usize] += 1);
    let of_target = advice::of_target(&schema, TargetDoubt::of_counts(&rows_of), table.n_rows);
    Ok((schema, of_target.into_iter().chain(doubts).collect()))
}

/// The same of columns that have every value once, in this many rows, and whatever is to be left out is.
pub(crate) fn schema_of_stand_ins(
    table: &Table,
    target: &str,
    options: EncodeOptions<'_>,
    rows: usize,
) -> Result<(Schema, Vec<Warning>)> {
    let target_column = table.column(target)?;
    if target_column.values.is_empty() {
        let (file, column) = (table.file().to_owned(), target.to_owned());
        return Err(ErrorKind::NoClasses { file, column }.into());
    }
    let classes = target::classes(target_column, table)?;
    let columns = table.columns.iter().filter(|column| column.name != target);
    let features = columns.map(|column| feature(column, options)).collect();
    let schema = finished(table, target, (features, classes), &[])?;
    let doubt = TargetDoubt::of_totals(schema.n_classes(), rows);
    let of_target = advice::of_target(&schema, doubt, rows);
    Ok((schema, of_target.into_iter().collect()))
}

fn finished(
    table: &Table,
    target: &str,
    (features, classes): (Vec<Feature>, Vec<ClassName>),
    doubts: &[Warning],
) -> Result<Schema> {
    if features.is_empty() {
        return Err(nothing_to_learn_from(table, doubts));
    }
    Ok(Schema::new(features, classes)?.with_target(target)?)
}

/// The error for a table without features, with the reasons why its columns are left out.
fn nothing_to_learn_from(table: &Table, warnings: &[Warning]) -> Error {
    ErrorKind::NoFeatures { file: table.file().to_owned(), warnings: warnings.to_vec() }.into()
}

/// The features of a table, and what speaks against them or against the columns left out.
pub(super) fn features(
    table: &Table,
    target: Option<&Column>,
    options: EncodeOptions<'_>,
) -> (Vec<Feature>, Vec<Warning>) {
    let is_target = |column: &Column| target.is_some_and(|target| target.name == column.name);
    let leaks = target.map(Leaks::of);
    let (mut features, mut warnings) = (Vec::new(), Vec::new());
    for column in table.columns.iter().filter(|column| !is_target(column)) {
        let reason = column.reason_to_leave_out(options.missing);
        if reason.is_none() {
            features.push(feature(column, options));
        }
        match reason.or_else(|| advice::doubt(column, leaks.as_ref())) {
            // Numbers or dates in another notation have many texts, and that was said already.
            Some(Warning::Identifier { .. } | Warning::ManyCategories { .. })
                if has_other_spelling(column, table) => {}
            warning => warnings.extend(warning),
        }
    }
    (features, warnings)
}

/// Whether reading found out that the texts of the column look like numbers or dates.
fn has_other_spelling(column: &Column, table: &Table) -> bool {
    let of_column = |place: &Place| place.column.as_deref() == Some(&column.name);
    table.warnings.iter().any(|warning| match warning {
        Warning::Spelling { place, .. } => of_column(place),
        _ => false,
    })
}

pub(crate) fn feature(column: &Column, options: EncodeOptions<'_>) -> Feature {
    match &column.values {
        Values::Numeric(values) => Feature {
            fill: options
                .that_count(values)
                .any(f64::is_nan)
                .then(|| fill_of_numbers(options.that_count(values), options.missing))
                .flatten(),
            ..Feature::number(&column.name).written_as(column.notation.clone())
        },
        Values::Nominal(nominal) => {
            let codes = || options.that_count(nominal.codes());
            let has_gaps = codes().any(|code| code.is_none());
            let common = fill_of_categories(codes(), options.missing).filter(|_| has_gaps);
            let common = common.map(|code| nominal.categories()[code.index()].as_str());
            let feature = match nominal.origin() {
                CategoryOrigin::Ordered => Feature::ordered(&column.name, nominal.categories()),
                CategoryOrigin::Enumerated => {
                    Feature::categories(&column.name, all_sorted(nominal))
                }
                _ => Feature::categories(&column.name, category_names(nominal, codes())),
            };
            // It occurs in a row that counts, so it is known.
            let names = feature.kind.names();
            let id = |name| {
                let same = names.iter().position(|known| known == name);
                same.or_else(|| same_boolean(name, names))
            };
            Feature { fill: common.and_then(id).map(|id| id as f64), ..feature }
        }
    }
}

/// The names of all categories, sorted: data frames number them as they come in a file.
fn all_sorted(nominal: &Nominal) -> Vec<String> {
    let mut names: Vec<(usize, String)> = nominal.categories.iter().cloned().enumerate().collect();
    sort_categories(&mut names);
    names.into_iter().map(|(_, name)| name).collect()
}

/// The names of categories: those that occur, whatever the file declares, so that all formats of
/// a table give the same. Booleans are `false` and `true`, however they are spelled.
fn category_names(
    nominal: &Nominal,
    codes: impl Iterator<Item = Option<CategoryCode>>,
) -> Vec<String> {
    let names = used_categories(nominal, codes);
    match booleans(&names) {
        Some(booleans) => booleans.into_iter().map(str::to_owned).collect(),
        None => names,
    }
}

/// The booleans that names spell, if all of them do.
fn booleans(names: &[String]) -> Option<BTreeSet<&'static str>> {
    names.iter().map(|name| boolean(name)).collect()
}

/// Whether all categories are booleans.
pub(crate) fn is_boolean(nominal: &Nominal) -> bool {
    booleans(&used_categories(nominal, nominal.codes.iter().copied())).is_some()
}

/// The categories of these rows, sorted.
pub(super) fn used_categories(
    nominal: &Nominal,
    codes: impl Iterator<Item = Option<CategoryCode>>,
) -> Vec<String> {
    let mut is_used = vec![false; nominal.categories().len()];
    codes.flatten().for_each(|code| is_used[code.index()] = true);
    let names = nominal.categories().iter().zip(is_used);
    let names = names.filter(|&(_, is_used)| is_used).map(|(name, _)| name.clone());
    let mut names: Vec<(usize, String)> = names.enumerate().collect();
    sort_categories(&mut names);
    names.into_iter().map(|(_, name)| name).collect()
}

// The value that replaces missing ones.

/// The number that fills gaps. `None` if there is no number or the policy does not fill.
fn fill_of_numbers(values: impl Iterator<Item = f64>, policy: MissingPolicy) -> Option<f64> {
    let pick = match policy {
        MissingPolicy::Keep | MissingPolicy::Error => return None,
        MissingPolicy::Median => median,
        MissingPolicy::Mode => mode,
    };
    pick(&mut values.filter(|value| value.is_finite()).collect::<Vec<_>>())
}

/// The category that fills gaps: the commonest, since categories have no middle.
fn fill_of_categories(
    codes: impl Iterator<Item = Option<CategoryCode>>,
    policy: MissingPolicy,
) -> Option<CategoryCode> {
    match policy {
        MissingPolicy::Keep | MissingPolicy::Error => None,
        MissingPolicy::Median | MissingPolicy::Mode => {
            mode(&mut codes.flatten().collect::<Vec<_>>())
        }
    }
}

/// The middle value, or the mean of the two middle ones.
fn median(values: &mut [f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let odd = values.len() % 2 == 1;
    let (lower, &mut upper, _) = values.select_nth_unstable_by(values.len() / 2, f64::total_cmp);
    if odd {
        return Some(upper);
    }
    Some(f64::midpoint(lower.iter().copied().max_by(f64::total_cmp)?, upper))
}

/// The most frequent value. Ties go to the smallest.
fn mode<T: Copy + PartialOrd>(values: &mut [T]) -> Option<T> {
    values.sort_unstable_by(|a, b| a.partial_cmp(b).expect("NaN was left out"));
    let mut best = (0, None);
    for run in values.chunk_by(|a, b| a == b) {
        if run.len() > best.0 {
            best = (run.len(), run.first().copied());
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Nominal;
    use crate::{MissingPolicy, ReadOptions, Remedy, Source, Table, Warning, read_table};
    use ternwood::dataset::notation::{DecimalMark, Marks};

    /// A table of 40 rows with these cells, and a class that nothing tells.
    fn table(header: &str, cells: impl Fn(usize) -> String) -> Table {
        let rows = (0..40).map(|row| format!("{};{}\n", cells(row), ["a", "b"][row % 2]));
        let text = format!("{header};class\n{}", rows.collect::<String>());
        let source = Source::bytes("t.csv", text.into_bytes());
        read_table(&source, &ReadOptions::new()).unwrap()
    }

    #[test]
    fn numbers_in_another_notation_are_not_called_an_identifier() {
        let table = table("price;name", |row| format!("{}.{:03},50;n{row}", row % 9 + 1, row * 7));
        let (features, warnings) = table.learn_features(None, MissingPolicy::Keep).unwrap();
        let names: Vec<&str> = features.iter().map(|feature| &*feature.name).collect();
        assert_eq!(names, ["class"], "both other columns are left out");
        assert_eq!(warnings.iter().filter_map(Warning::column).collect::<Vec<_>>(), ["name"]);
        let of_price = |warning: &&Warning| warning.column() == Some("price");
        let spelling = table.warnings().iter().find(of_price).unwrap();
        let marks = Marks { decimal: DecimalMark::Comma, thousands: Some('.') };
        assert_eq!(spelling.remedies(), [Remedy::Marks(marks)]);
    }

    #[test]
    fn a_table_without_features_says_why() {
        let table = table("id;name", |row| format!("{row};n{row}"));
        let error = table.learn_schema("class", MissingPolicy::Keep).unwrap_err().to_string();
        assert!(error.starts_with("t.csv: there is no column to learn from: column 'id' counts"));
        assert!(error.contains("; column 'name' has 40 different texts"), "{error}");
    }

    #[test]
    fn doubts_about_the_target() {
        let table = table("x;same;id", |row| format!("{};1;{row}", row % 7));
        let doubt = |target| {
            let (_, warnings) = table.learn_schema(target, MissingPolicy::Keep).unwrap();
            warnings.into_iter().find(|warning| warning.column() == Some(target))
        };
        assert_eq!(doubt("class"), None);
        assert!(matches!(doubt("same"), Some(Warning::OneClass { .. })));
        assert!(matches!(doubt("id"), Some(Warning::ManyClasses { classes: 40, .. })));
        let counts = table.class_counts("class").unwrap();
        assert_eq!(counts, [("a".into(), 20), ("b".into(), 20)]);
    }

    #[test]
    fn median_and_mode_ignore_missing_values() {
        let of = |values: &[f64], policy| fill_of_numbers(values.iter().copied(), policy);
        let values = [9.0, f64::NAN, 1.0, 9.0, 2.0];
        assert_eq!(of(&values, MissingPolicy::Median), Some(5.5));
        assert_eq!(of(&values, MissingPolicy::Mode), Some(9.0));
        assert_eq!(of(&values, MissingPolicy::Error), None);
        assert_eq!(of(&values, MissingPolicy::Keep), None);
        assert_eq!(of(&[3.0, 1.0, 2.0], MissingPolicy::Median), Some(2.0));
        assert_eq!(of(&[3.0, 1.0, 2.0], MissingPolicy::Mode), Some(1.0));
        assert_eq!(of(&[f64::NAN], MissingPolicy::Median), None);
        assert_eq!(of(&[f64::MAX, f64::MAX], MissingPolicy::Median), Some(f64::MAX));
    }

    #[test]
    fn categories_are_filled_with_the_commonest_by_either_policy() {
        let texts = [Some("a"), Some("b"), None, Some("c"), Some("b"), Some("c"), Some("c")];
        let values = Nominal::from_texts(texts);
        let of = |policy| fill_of_categories(values.codes().iter().copied(), policy);
        assert_eq!(of(MissingPolicy::Median), CategoryCode::new(2));
        assert_eq!(of(MissingPolicy::Mode), CategoryCode::new(2));
        assert_eq!(of(MissingPolicy::Keep), None);
    }
}
