//! The categories of later tables that training did not see.

use crate::error::{clipped, counted};
use crate::table::Column;
use crate::warning::Warning;
use std::collections::BTreeMap;
use std::fmt;
use ternwood::Feature;

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
