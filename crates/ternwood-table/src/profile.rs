//! What a column looks like, for people who have not seen it yet.

use crate::delimited;
use crate::encode::{MissingPolicy, is_boolean};
use crate::error::Result;
use crate::format::Format;
use crate::options::ReadOptions;
use crate::source::Source;
use crate::table::{CategoryOrigin, Column, DecidedBy, Values};
use crate::warning::Warning;
use std::collections::HashSet;
use std::fmt;
use ternwood::dataset::notation::Notation;

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColumnKind {
    /// Numbers.
    Number,
    /// Numbers with a percent sign.
    Percent,
    /// Dates.
    Date,
    /// Dates with times of day.
    Time,
    /// The categories `false` and `true`.
    Boolean,
    /// Categories without an order.
    Categories,
    /// Categories in ascending order.
    Ordered,
    /// Texts so different that they are no categories.
    Text,
    /// No value at all.
    Empty,
}

impl ColumnKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Number,
        Self::Percent,
        Self::Date,
        Self::Time,
        Self::Boolean,
        Self::Categories,
        Self::Ordered,
        Self::Text,
        Self::Empty,
    ];

    /// The kind of a column.
    #[must_use]
    pub fn of(column: &Column) -> Self {
        if column.values.missing() == column.values.len() {
            return Self::Empty;
        }
        match (&column.values, &column.notation) {
            (Values::Numeric(_), Notation::Number(_)) => Self::Number,
            (Values::Numeric(_), Notation::Percent(_)) => Self::Percent,
            (Values::Numeric(_), Notation::Date(_)) => Self::Date,
            (Values::Numeric(_), Notation::Time(_)) => Self::Time,
            (Values::Nominal(nominal), _) => match nominal.origin {
                CategoryOrigin::Ordered => Self::Ordered,
                CategoryOrigin::Boolean => Self::Boolean,
                _ if is_boolean(nominal) => Self::Boolean,
                _ if is_text(column) => Self::Text,
                _ => Self::Categories,
            },
        }
    }

    /// The kind in a word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Percent => "percent",
            Self::Date => "date",
            Self::Time => "time",
            Self::Boolean => "boolean",
            Self::Categories => "categories",
            Self::Ordered => "ordered",
            Self::Text => "text",
            Self::Empty => "empty",
        }
    }
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Whether a column of texts is left out because almost every text is different.
fn is_text(column: &Column) -> bool {
    matches!(column.reason_to_leave_out(MissingPolicy::Keep), Some(Warning::Identifier { .. }))
}

/// What a column looks like.
///
/// ```
/// use ternwood_table::{Column, ColumnKind, Profile};
///
/// let smoker = Column::text("smoker", ["never", "daily", "never"].map(Some));
/// let profile = Profile::of(&smoker);
/// assert_eq!((profile.kind, profile.distinct), (ColumnKind::Categories, 2));
/// assert_eq!(profile.examples, ["never", "daily"]);
/// assert_eq!(profile.commonest_share(), Some(2.0 / 3.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Name of the column.
    pub name: String,
    /// What its values are.
    pub kind: ColumnKind,
    /// How texts spell its numbers.
    pub notation: Notation,
    /// Who decided that.
    pub decided_by: DecidedBy,
    /// The number of rows.
    pub rows: usize,
    /// The number of rows without a value.
    pub missing: usize,
    /// The number of different values; at least as many if it is not exact.
    pub distinct: usize,
    /// Whether all values were counted.
    pub is_exact: bool,
    /// The number of rows with the commonest value, if all values were counted.
    pub commonest: Option<usize>,
    /// Different values as people write them: the commonest first if all values were counted, then
    /// in the order of the file.
    pub examples: Vec<String>,
}

/// The most examples of a profile.
const EXAMPLES: usize = 8;

/// A glimpse counts no more different values, and looks for them in no more rows.
const GLIMPSED_VALUES: usize = 1_000;
const GLIMPSED_ROWS: usize = 1_000_000;

/// Keys of values.
type Keys = HashSet<u64, foldhash::fast::FixedState>;

impl Profile {
    /// All about a column. Takes a copy of it and sorts it.
    #[must_use]
    pub fn of(column: &Column) -> Self {
        let rows = column.values.len();
        let mut keys: Vec<u64> = (0..rows).filter_map(|row| column.key(row)).collect();
        keys.sort_unstable();
        let runs = || keys.chunk_by(|a, b| a == b);
        let commonest = runs().map(<[u64]>::len).max();
        // Of several, the first in the file.
        let are_commonest: Vec<u64> =
            runs().filter(|run| Some(run.len()) == commonest).map(|run| run[0]).collect();
        let is_commonest = |row: &usize| {
            column.key(*row).is_some_and(|key| are_commonest.binary_search(&key).is_ok())
        };
        let first = (0..rows).find(is_commonest);
        Self {
            distinct: runs().count(),
            is_exact: true,
            commonest,
            examples: examples(column, first.into_iter().chain(0..rows)),
            ..Self::without_values(column)
        }
    }

    /// What can be told without looking at every value: the number of different values may be
    /// larger, and which one is the commonest is not known.
    #[must_use]
    pub fn glimpse(column: &Column) -> Self {
        let rows = column.values.len();
        let mut seen = Keys::default();
        let looked_at = (0..rows.min(GLIMPSED_ROWS)).find(|&row| {
            seen.extend(column.key(row));
            seen.len() == GLIMPSED_VALUES
        });
        Self {
            distinct: seen.len(),
            is_exact: looked_at.is_none() && rows <= GLIMPSED_ROWS,
            examples: examples(column, 0..rows.min(GLIMPSED_ROWS)),
            ..Self::without_values(column)
        }
    }

    fn without_values(column: &Column) -> Self {
        Self {
            name: column.name.clone(),
            kind: ColumnKind::of(column),
            notation: column.notation.clone(),
            decided_by: column.decided_by,
            rows: column.values.len(),
            missing: column.values.missing(),
            distinct: 0,
            is_exact: false,
            commonest: None,
            examples: Vec::new(),
        }
    }

    /// The share of the commonest value among the rows that have one.
    #[must_use]
    pub fn commonest_share(&self) -> Option<f64> {
        Some(self.commonest? as f64 / (self.rows - self.missing) as f64)
    }

    /// The share of rows without a value; 0 if there are no rows.
    #[must_use]
    pub fn missing_share(&self) -> f64 {
        self.missing as f64 / self.rows.max(1) as f64
    }
}

/// The first different values of these rows.
fn examples(column: &Column, rows: impl Iterator<Item = usize>) -> Vec<String> {
    let mut seen = Keys::default();
    let is_new = |row: &usize| column.key(*row).is_some_and(|key| seen.insert(key));
    rows.filter(is_new).take(EXAMPLES).filter_map(|row| column.text_of(row)).collect()
}

// How a file is laid out, as far as it was guessed.

/// How a file is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLayout {
    /// Its format.
    pub format: Format,
    /// What separates the fields of a text table, and whether the first line has their names.
    pub text: Option<TextLayout>,
}

/// How a delimited text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLayout {
    /// The character between fields.
    pub delimiter: char,
    /// Whether the first line has the names of the columns.
    pub header: bool,
}

impl FileLayout {
    /// The layout of a file, as [`read_table`](crate::read_table) takes it to be with the same
    /// options. Looks at the first lines only.
    ///
    /// # Errors
    /// The file cannot be read, or is malformed there.
    pub fn of(source: &Source, options: &ReadOptions) -> Result<Self> {
        let format = options.format.map_or_else(|| Format::detect(source), Ok)?;
        let text = match format {
            Format::Csv | Format::Tsv => Some(delimited::layout(source, format, options)?),
            Format::Arff | Format::Parquet => None,
        };
        Ok(Self { format, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ternwood::dataset::notation::DatePattern;

    #[test]
    fn numbers() {
        let values = vec![3.0, f64::NAN, 2.0, 0.0, 2.0, -0.0, 5.5];
        let profile = Profile::of(&Column::numeric("x", values));
        assert_eq!((profile.rows, profile.missing, profile.distinct), (7, 1, 4));
        assert_eq!(profile.commonest, Some(2));
        assert_eq!(profile.examples, ["2", "3", "0", "5.5"], "2 is as common as 0, and before it");
        assert_eq!(profile.commonest_share(), Some(2.0 / 6.0));
        assert_eq!(profile.kind, ColumnKind::Number);
    }

    #[test]
    fn dates_are_shown_as_dates() {
        let day = Column::numeric("day", vec![0.0, 364.0]);
        let profile = Profile::of(&day.written_as(Notation::Date(DatePattern::iso())));
        assert_eq!(profile.kind, ColumnKind::Date);
        assert_eq!(profile.examples, ["1970-01-01", "1970-12-31"]);
    }

    #[test]
    fn columns_without_values() {
        for column in [Column::numeric("x", vec![f64::NAN; 3]), Column::numeric("x", vec![])] {
            let profile = Profile::of(&column);
            assert_eq!((profile.kind, profile.distinct), (ColumnKind::Empty, 0));
            assert_eq!((profile.commonest_share(), profile.examples.len()), (None, 0));
        }
    }

    #[test]
    fn kinds_of_texts() {
        let kind = |texts: &[&str]| ColumnKind::of(&Column::text("x", texts.iter().map(Some)));
        assert_eq!(kind(&["True", "FALSE", "true"]), ColumnKind::Boolean);
        assert_eq!(kind(&["true", "no"]), ColumnKind::Categories);
        let names: Vec<String> = (0..30).map(|i| format!("name {i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(kind(&names), ColumnKind::Text);
        assert_eq!(kind(&names[..10]), ColumnKind::Categories, "too few to tell");
    }

    #[test]
    fn a_glimpse_stops_counting() {
        let many = Column::numeric("x", (0..5_000).map(f64::from).collect());
        let glimpse = Profile::glimpse(&many);
        assert_eq!((glimpse.distinct, glimpse.is_exact), (GLIMPSED_VALUES, false));
        assert_eq!(glimpse.examples[..2], ["0", "1"]);
        let few = Column::numeric("x", (0..5_000).map(|n| f64::from(n % 7)).collect());
        let glimpse = Profile::glimpse(&few);
        assert_eq!((glimpse.distinct, glimpse.is_exact, glimpse.commonest), (7, true, None));
        let long = Column::numeric("x", vec![1.0; GLIMPSED_ROWS + 1]);
        assert!(!Profile::glimpse(&long).is_exact, "the last row was not looked at");
    }

    fn layout(name: &str, text: &str) -> FileLayout {
        let source = Source::bytes(name, text.as_bytes());
        FileLayout::of(&source, &ReadOptions::new()).unwrap()
    }

    #[test]
    fn what_was_guessed_is_told() {
        let semicolons = TextLayout { delimiter: ';', header: true };
        let expected = FileLayout { format: Format::Csv, text: Some(semicolons) };
        assert_eq!(layout("t.csv", "a;b\n1,5;2\n"), expected);
        let tabs = TextLayout { delimiter: '\t', header: false };
        let expected = FileLayout { format: Format::Tsv, text: Some(tabs) };
        assert_eq!(layout("t.tsv", "1\t2\n3\t4\n"), expected);
        let arff = layout("t.csv", "@relation r\n@attribute x real\n@data\n1\n");
        assert_eq!(arff, FileLayout { format: Format::Arff, text: None });
    }
}
