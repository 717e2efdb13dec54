//! Encodes a feature column as numbers.

use crate::encode::target::key;
use crate::error::{ErrorKind, Place, Result, clipped, counted};
use crate::notation::{parse, parse_number};
use crate::table::{CategoryCode, Column, Nominal, Table, Values};
use crate::warning::Warning;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use ternwood::dataset::FeatureKind;
use ternwood::dataset::notation::{DAY, Notation};
use ternwood::{Feature, UNKNOWN, is_unknown_value};

/// A column, and the table with the places of its rows.
#[derive(Clone, Copy)]
pub(super) struct FeatureCells<'a> {
    pub(super) column: &'a Column,
    pub(super) table: &'a Table,
}

impl FeatureCells<'_> {
    fn place(&self, row: usize) -> Place {
        self.table.place(row).in_column(&self.column.name)
    }
}

/// Writes the encoded column to `out`, which has a number per row, and returns the rows whose category
/// the feature does not have.
pub(super) fn encode_column(
    feature: &Feature,
    cells: FeatureCells<'_>,
    out: &mut [f64],
) -> Result<Vec<usize>> {
    match (&feature.kind, &cells.column.values) {
        (FeatureKind::Number, Values::Numeric(values)) => {
            numbers(feature, values, cells, out)?;
        }
        (FeatureKind::Number, Values::Nominal(nominal)) => {
            // The table was read without the schema, so the error must name the value.
            let values = parse_texts(nominal, feature).map_err(|row| ErrorKind::NotANumber {
                place: cells.place(row),
                value: clipped(nominal.text(row).unwrap_or_default()),
            })?;
            numbers(feature, &values, cells, out)?;
        }
        (_, Values::Nominal(nominal)) => {
            return Ok(Ids::new(feature).of_texts(nominal, out));
        }
        (_, Values::Numeric(values)) => {
            return Ok(Ids::new(feature).of_numbers(values, out));
        }
    }
    Ok(Vec::new())
}

/// Writes numbers. Where training had days, the table may have seconds, and the other way round.
fn numbers(
    feature: &Feature,
    values: &[f64],
    cells: FeatureCells<'_>,
    out: &mut [f64],
) -> Result<()> {
    let filled = feature.fill.unwrap_or(f64::NAN);
    match (&feature.notation, &cells.column.notation) {
        (Notation::Date(_), Notation::Time(_)) => convert(values, out, |s| s / DAY),
        (Notation::Time(_), Notation::Date(_)) => convert(values, out, |d| d * DAY),
        _ => out.copy_from_slice(values),
    }
    for (row, value) in out.iter_mut().enumerate() {
        if value.is_nan() {
            // An unknown value stays unknown.
            *value = if is_unknown_value(*value) { *value } else { filled };
        } else if value.is_infinite() {
            return Err(ErrorKind::NotFinite { place: cells.place(row), value: *value }.into());
        }
    }
    Ok(())
}

/// Numbers in another unit. Missing and unknown ones are told by their bits, which would not survive.
fn convert(values: &[f64], out: &mut [f64], unit: impl Fn(f64) -> f64) {
    let converted = |&value: &f64| if value.is_nan() { value } else { unit(value) };
    out.iter_mut().zip(values).for_each(|(out, value)| *out = converted(value));
}

/// Parses texts as numbers. The error is the row of the first text that is not a number.
fn parse_texts(nominal: &Nominal, feature: &Feature) -> Result<Vec<f64>, usize> {
    let number = |name: &String| parse(&feature.notation, name.as_bytes());
    let number_of: Vec<Option<f64>> = nominal.categories().iter().map(number).collect();
    let number = |(row, code): (usize, &Option<CategoryCode>)| match code {
        Some(code) => number_of[code.index()].ok_or(row),
        None => Ok(f64::NAN),
    };
    nominal.codes().iter().enumerate().map(number).collect()
}

/// The ids of a feature's categories.
struct Ids<'a> {
    names: &'a [String],
    /// Stands for a missing value.
    missing: f64,
    /// Stands for a category that the feature does not have: an id that none has, or an unknown
    /// rank.
    unseen: f64,
    /// Categories that no training row had, by ascending id.
    absent: &'a [u32],
}

impl<'a> Ids<'a> {
    fn new(feature: &'a Feature) -> Self {
        let missing = feature.fill.unwrap_or(f64::NAN);
        let names = feature.kind.names();
        let unseen = if feature.kind.is_ordered() { UNKNOWN } else { names.len() as f64 };
        Self { names, missing, unseen, absent: &feature.absent }
    }

    fn of_texts(&self, nominal: &Nominal, out: &mut [f64]) -> Vec<usize> {
        let by_name: HashMap<&str, usize> =
            self.names.iter().enumerate().map(|(id, name)| (name.as_str(), id)).collect();
        let by_number = self.by_number(|name| !is_padded(name));
        let same_number = |name: &str| {
            let number = parse_number(name.as_bytes()).filter(|_| !is_padded(name))?;
            by_number.get(&key(number)?).copied()
        };
        let id = |name: &String| {
            let same = by_name.get(name.as_str()).copied();
            same.or_else(|| same_boolean(name, self.names)).or_else(|| same_number(name))
        };
        let place = |name: &String| self.place(id(name));
        let places: Vec<(f64, bool)> = nominal.categories().iter().map(place).collect();
        let missing = (self.missing, false);
        let place = |code: &Option<CategoryCode>| code.map_or(missing, |it| places[it.index()]);
        let codes = out.iter_mut().zip(nominal.codes());
        codes.for_each(|(out, code)| *out = place(code).0);
        if !places.iter().any(|(_, is_unseen)| *is_unseen) {
            return Vec::new();
        }
        let codes = nominal.codes().iter().enumerate();
        codes.filter(|(_, code)| place(code).1).map(|(row, _)| row).collect()
    }

    /// Categories that were read as numbers because the table was read without the schema.
    fn of_numbers(&self, values: &[f64], out: &mut [f64]) -> Vec<usize> {
        let by_number = self.by_number(|_| true);
        let mut unseen_rows = Vec::new();
        for (row, (value, out)) in values.iter().zip(out).enumerate() {
            let id = || key(*value).and_then(|key| by_number.get(&key).copied());
            let (value, is_unseen) =
                if value.is_nan() { (self.missing, false) } else { self.place(id()) };
            *out = value;
            if is_unseen {
                unseen_rows.push(row);
            }
        }
        unseen_rows
    }

    /// The ids of the wanted names that are numbers, by number.
    fn by_number(&self, wanted: impl Fn(&str) -> bool) -> HashMap<u64, usize> {
        let ids = self.names.iter().enumerate().filter(|(_, name)| wanted(name));
        // Among names of the same number, the first has it.
        ids.rev()
            .filter_map(|(id, name)| Some((key(parse_number(name.as_bytes())?)?, id)))
            .collect()
    }

    /// The number of a category, given its id if it has one, and whether no training row had it.
    fn place(&self, id: Option<usize>) -> (f64, bool) {
        match id {
            Some(id) => (id as f64, self.absent.iter().any(|absent| *absent as usize == id)),
            None => (self.unseen, true),
        }
    }
}

/// Whether a number is written with leading zeros or a plus, as codes are: `007` is a name.
fn is_padded(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    digits.first() == Some(&b'+')
        || digits.first() == Some(&b'0') && digits.get(1).is_some_and(u8::is_ascii_digit)
}

/// The boolean that a text spells, ignoring case: formats and languages write `True`, `true` or
/// `TRUE`.
pub(super) fn boolean(text: &str) -> Option<&'static str> {
    ["false", "true"].into_iter().find(|word| text.eq_ignore_ascii_case(word))
}

/// The index of the name that is the same boolean.
pub(super) fn same_boolean(text: &str, names: &[String]) -> Option<usize> {
    let word = boolean(text)?;
    names.iter().position(|name| name.eq_ignore_ascii_case(word))
}

// The categories of later tables that training did not see.

/// The categories that training did not see, by column. Those of several chunks of a table can be
/// [added](Self::add) up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnseenCategories(Vec<UnseenInColumn>);

/// The categories of one column that training did not see.
///
/// Prints as a warning: `column 'ward': 3 rows have categories that training did not see: 'K9' (2),
/// 'Z1' (1); tests of 'ward' cannot place them`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnseenInColumn {
    column: String,
    rows: u64,
    by_name: BTreeMap<String, u64>,
    /// The bytes of these names.
    bytes: usize,
    /// Rows of names beyond the limits.
    unnamed_rows: u64,
}

/// The most names remembered: a column of identifiers may have one in every row.
const NAMES: usize = 1000;
/// No more names are remembered once they take this many bytes.
const BYTES: usize = 1 << 16;
/// The most names in a message.
const SHOWN: usize = 5;

impl UnseenCategories {
    /// One entry for every column that has such categories.
    pub fn columns(&self) -> impl Iterator<Item = &UnseenInColumn> {
        self.0.iter()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds those of more rows.
    pub fn add(&mut self, others: Self) {
        self.extend(others.0);
    }

    /// One warning for every column.
    pub fn into_warnings(self) -> impl Iterator<Item = Warning> {
        self.0.into_iter().map(Warning::UnseenCategories)
    }
}

impl Extend<UnseenInColumn> for UnseenCategories {
    fn extend<I: IntoIterator<Item = UnseenInColumn>>(&mut self, columns: I) {
        for new in columns {
            match self.0.iter_mut().find(|known| known.column == new.column) {
                Some(known) => known.add(&new),
                None => self.0.push(new),
            }
        }
    }
}

impl UnseenInColumn {
    /// The categories of these rows of a column.
    pub(super) fn of(feature: &Feature, column: &Column, rows: &[usize]) -> Self {
        let mut unseen = Self::new(feature);
        for name in rows.iter().filter_map(|&row| column.text_of(row)) {
            unseen.count(&name, 1);
        }
        unseen
    }

    fn new(feature: &Feature) -> Self {
        let (column, by_name) = (feature.name.clone(), BTreeMap::new());
        Self { column, rows: 0, by_name, bytes: 0, unnamed_rows: 0 }
    }

    /// Counts rows of a category.
    fn count(&mut self, name: &str, rows: u64) {
        self.rows += rows;
        let is_full = self.by_name.len() >= NAMES || self.bytes >= BYTES;
        match self.by_name.get_mut(name) {
            Some(known) => *known += rows,
            None if is_full => self.unnamed_rows += rows,
            None => {
                self.bytes += name.len();
                self.by_name.insert(name.to_owned(), rows);
            }
        }
    }

    fn add(&mut self, other: &Self) {
        other.by_name.iter().for_each(|(name, &rows)| self.count(name, rows));
        self.rows += other.unnamed_rows;
        self.unnamed_rows += other.unnamed_rows;
    }

    /// The name of the column.
    #[must_use]
    pub fn column(&self) -> &str {
        &self.column
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The names with their numbers of rows, the most frequent first. At most the first thousand
    /// names found, and fewer if they are long.
    #[must_use]
    pub fn names(&self) -> Vec<(&str, u64)> {
        let mut names: Vec<_> =
            self.by_name.iter().map(|(name, &rows)| (name.as_str(), rows)).collect();
        names.sort_by_key(|&(_, rows)| std::cmp::Reverse(rows)); // stable: ties stay sorted by name
        names
    }
}

impl fmt::Display for UnseenInColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { column, rows, .. } = self;
        let names = self.names();
        let shown: Vec<String> = (names.iter().take(SHOWN))
            .map(|(name, rows)| format!("'{}' ({rows})", clipped(name)))
            .collect();
        let more = match names.len().saturating_sub(SHOWN) {
            _ if self.unnamed_rows > 0 => " and many more".to_owned(),
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let have = match rows {
            1 => "1 row has a category".to_owned(),
            _ => format!("{} have categories", counted(*rows as usize, "row")),
        };
        write!(
            f,
            "column '{column}': {have} that training did not see: {}{more}; ",
            shown.join(", ")
        )?;
        match rows {
            1 => write!(f, "tests of '{column}' cannot place it"),
            _ => write!(f, "tests of '{column}' cannot place them"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted_in(feature: &Feature, names: &[(&str, u64)]) -> UnseenCategories {
        let mut column = UnseenInColumn::new(feature);
        names.iter().for_each(|&(name, rows)| column.count(name, rows));
        let mut all = UnseenCategories::default();
        all.extend((column.rows > 0).then_some(column));
        all
    }

    fn ward() -> Feature {
        Feature::categories("ward", ["A"])
    }

    fn warnings(unseen: UnseenCategories) -> Vec<String> {
        unseen.into_warnings().map(|warning| warning.to_string()).collect()
    }

    #[test]
    fn chunks_of_a_table_give_one_warning_for_a_column() {
        let mut unseen = counted_in(&ward(), &[("Z1", 1)]);
        unseen.add(counted_in(&ward(), &[("K9", 2)]));
        unseen.add(counted_in(&ward(), &[]));
        unseen.add(counted_in(&Feature::ordered("grade", ["low", "high"]), &[("top", 1)]));
        assert_eq!(
            warnings(unseen),
            [
                "column 'ward': 3 rows have categories that training did not see: 'K9' (2), \
             'Z1' (1); tests of 'ward' cannot place them",
                "column 'grade': 1 row has a category that training did not see: 'top' (1); \
             tests of 'grade' cannot place it",
            ]
        );
        assert!(counted_in(&ward(), &[]).is_empty());
    }

    #[test]
    fn long_lists_are_shortened_and_the_rows_of_all_names_counted() {
        let names: Vec<String> = (0..1500).map(|name| format!("n{name:04}")).collect();
        let names: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 2)).collect();
        let few = &warnings(counted_in(&ward(), &names[..7]))[0];
        assert!(few.contains("14 rows") && few.contains("'n0004' (2) and 2 more;"), "{few}");
        let mut many = counted_in(&ward(), &names[..1200]);
        many.add(counted_in(&ward(), &names));
        let column = many.columns().next().unwrap();
        assert_eq!((column.rows(), column.names().len()), (5400, 1000));
        assert!(
            warnings(many)[0].contains("5400 rows")
                && warnings(counted_in(&ward(), &names))[0].contains("and many more;")
        );
    }

    #[test]
    fn long_names_are_not_remembered_without_limit() {
        let names: Vec<String> =
            (0..50).map(|name| format!("{name:02}{}", "x".repeat(BYTES / 2))).collect();
        let names: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 2)).collect();
        let column = &counted_in(&ward(), &names).0[0];
        assert_eq!((column.rows(), column.names().len()), (100, 2));
        let text = column.to_string();
        assert!(
            text.contains("100 rows have categories") && text.contains("' (2) and many more;"),
            "{text}"
        );
        let (one, huge) = ("y".repeat(3 * BYTES), "z".repeat(3 * BYTES));
        let column = &counted_in(&ward(), &[(&one, 1), (&huge, 1)]).0[0];
        assert_eq!(column.names(), [(one.as_str(), 1)], "one is, however long");
    }
}
