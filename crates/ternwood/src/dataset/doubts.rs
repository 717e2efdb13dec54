//! Signs that a target or a feature is not what it seems: the rules behind warnings before a fit.
//!
//! Nothing here changes a fit. What to do about a doubt depends on how the library is used, so the words are
//! those of the caller.

use super::matrix::Matrix;
use super::schema::Schema;
use std::collections::HashSet;

/// The fewest values in which anything is doubtful.
pub const FEWEST_VALUES: usize = 20;
/// Up to this many categories or classes are never too many.
const ALWAYS_FEW: usize = 10;
/// Fewer rows per category or class than this are too few to learn from.
const ROWS_EACH: usize = 10;
/// More classes than this are doubtful, however many rows they have.
const MOST_CLASSES: usize = 50;

/// Whether there are more than 10 categories or classes, with fewer than 10 rows each on average.
fn are_many(distinct: usize, rows: usize) -> bool {
    distinct > ALWAYS_FEW && distinct.saturating_mul(ROWS_EACH) > rows
}

/// Whether a column with this many different texts among its values has too many categories: more than 10,
/// with fewer than 10 rows each on average.
///
/// ```
/// use ternwood::dataset::doubts::has_many_categories;
///
/// assert!(has_many_categories(2_973, 12_000));
/// assert!(!has_many_categories(50, 12_000));
/// assert!(!has_many_categories(3, 20));
/// ```
#[must_use]
pub fn has_many_categories(distinct: usize, values: usize) -> bool {
    values >= FEWEST_VALUES && are_many(distinct, values)
}

/// What makes a target doubtful.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetDoubt {
    /// All rows are of this class.
    OneClass(usize),
    /// There are more than 50 classes, or too few rows for this many. The target may be a number.
    ManyClasses,
    /// These classes have a single row.
    SingleRow(Vec<usize>),
}

impl TargetDoubt {
    /// The doubt about a target of which only the number of classes is known.
    #[must_use]
    pub fn of_totals(classes: usize, rows: usize) -> Option<Self> {
        match classes {
            1 => Some(Self::OneClass(0)),
            _ => (classes > MOST_CLASSES || are_many(classes, rows)).then_some(Self::ManyClasses),
        }
    }

    /// The doubt about a target with this many rows of each class.
    #[must_use]
    pub fn of_counts(counts: &[usize]) -> Option<Self> {
        let having = |rows: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..counts.len()).filter(|&class| rows(counts[class])).collect()
        };
        let present = having(&|rows| rows > 0);
        let of_totals = Self::of_totals(present.len(), counts.iter().sum());
        match of_totals {
            Some(Self::OneClass(_)) => Some(Self::OneClass(present[0])),
            Some(doubt) => Some(doubt),
            None => Some(having(&|rows| rows == 1))
                .filter(|single| !single.is_empty())
                .map(Self::SingleRow),
        }
    }
}

/// How whole numbers identify the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowNumbers {
    /// They are consecutive, in any order.
    Consecutive,
    /// They are all different, and the column is named like an identifier.
    Named,
    /// They are all different, and most of those between the smallest and the largest occur: rows
    /// were numbered before some of them were taken out.
    WithGaps,
}

impl RowNumbers {
    /// How these numbers identify the rows, if they do.
    ///
    /// ```
    /// use ternwood::dataset::doubts::RowNumbers;
    ///
    /// let numbers: Vec<f64> = (1..=30).rev().map(f64::from).collect();
    /// assert_eq!(RowNumbers::find(&numbers, "x"), Some(RowNumbers::Consecutive));
    /// ```
    #[must_use]
    pub fn find(numbers: &[f64], name: &str) -> Option<Self> {
        let is_whole = |number: &f64| number.fract() == 0.0 && number.abs() < 9e15;
        if numbers.len() < FEWEST_VALUES || !numbers.iter().all(is_whole) {
            return None;
        }
        let smallest = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (range, rows) = (largest - smallest + 1.0, numbers.len() as f64);
        if range <= rows * MOST_PER_ROW {
            let mut seen = vec![false; range as usize];
            let is_new = |number: &f64| {
                let seen = &mut seen[(number - smallest) as usize];
                !std::mem::replace(seen, true)
            };
            let found = if range == rows { Self::Consecutive } else { Self::WithGaps };
            return numbers.iter().all(is_new).then_some(found);
        }
        let all_differ = || {
            let mut seen = HashSet::with_capacity(numbers.len());
            // Adding 0 turns -0.0 into 0.0.
            numbers.iter().all(|number| seen.insert((number + 0.0).to_bits()))
        };
        (is_name_of_identifier(name) && all_differ()).then_some(Self::Named)
    }
}

/// Numbers with gaps span at most this many numbers per row: a part of 70 % of the rows is recognised.
const MOST_PER_ROW: f64 = 1.5;

/// `id`, `Patient ID`, `case_no`, `customerId`, `row`, but not `acid` or `humid`.
#[must_use]
pub fn is_name_of_identifier(name: &str) -> bool {
    const WORDS: [&str; 12] =
        ["id", "ids", "uid", "uuid", "guid", "key", "index", "idx", "no", "nr", "row", "rowid"];
    let last = name.trim().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let camel = last.ends_with("Id") || (last.ends_with("ID") && last.len() > 2);
    let is_word = WORDS.iter().any(|word| last.eq_ignore_ascii_case(word));
    is_word || camel
}

/// What makes a feature doubtful.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureDoubt {
    /// Its numbers identify the rows.
    RowNumbers(RowNumbers),
    /// It alone tells the class of at least 99.9 % of the rows.
    GivesTargetAway,
    /// It has too many categories for its rows, by [`has_many_categories`].
    ManyCategories,
}

/// The doubts about training data: about its target, and about features by index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Doubts {
    /// What makes the target doubtful.
    pub target: Option<TargetDoubt>,
    /// What makes features doubtful: at most one doubt for each.
    pub features: Vec<(usize, FeatureDoubt)>,
}

impl Doubts {
    /// Looks at all rows that count: those of positive weight. The lengths must be those of the matrix, and
    /// the classes those of the schema.
    ///
    /// # Panics
    /// May panic if they are not.
    #[must_use]
    pub fn of(
        matrix: Matrix<'_>,
        class_ids: &[u32],
        weights: Option<&[f64]>,
        schema: &Schema,
    ) -> Self {
        let counts = |row: usize| weights.is_none_or(|weights| weights[row] > 0.0);
        let rows: Vec<usize> = (0..class_ids.len()).filter(|&row| counts(row)).collect();
        let mut of_class = vec![0; schema.n_classes()];
        rows.iter().for_each(|&row| of_class[class_ids[row] as usize] += 1);
        let target = TargetDoubt::of_counts(&of_class);
        let leaks = LeakSearch::new(rows.iter().map(|&row| Some(class_ids[row])));
        let doubt = |(index, feature): (usize, &super::Feature)| {
            let column = matrix.column(index as u32);
            let value = |at: usize| column.at(rows[at]);
            let n_categories = feature.kind.n_unordered();
            let leak = || leaks.tells(n_categories.is_some(), value);
            let doubt = if let Some(n_categories) = n_categories {
                let many = || {
                    let (distinct, values) = occurring((0..rows.len()).map(value), n_categories);
                    has_many_categories(distinct, values)
                };
                let leak = leak().then_some(FeatureDoubt::GivesTargetAway);
                leak.or_else(|| many().then_some(FeatureDoubt::ManyCategories))
            } else {
                let is_whole = |at: usize| value(at).fract() == 0.0;
                let is_plain = feature.kind.is_number() && (0..rows.len()).all(is_whole);
                let numbers = || (0..rows.len()).map(value).collect::<Vec<f64>>();
                let rows = is_plain.then(|| RowNumbers::find(&numbers(), &feature.name)).flatten();
                let leak = || leak().then_some(FeatureDoubt::GivesTargetAway);
                rows.map(FeatureDoubt::RowNumbers).or_else(leak)
            };
            doubt.map(|doubt| (index, doubt))
        };
        Self { target, features: schema.features().iter().enumerate().filter_map(doubt).collect() }
    }
}

/// The number of categories that occur, and the number of values.
fn occurring(values: impl Iterator<Item = f64>, n_categories: usize) -> (usize, usize) {
    let mut occurs = vec![false; n_categories];
    let mut rows = 0;
    for value in values.filter(|value| !value.is_nan()) {
        rows += 1;
        // A category without a name here is no category of training.
        if let Some(occurs) = occurs.get_mut(value as usize) {
            *occurs = true;
        }
    }
    (occurs.into_iter().filter(|&occurs| occurs).count(), rows)
}

/// Looks for features that give the target away.
#[derive(Debug)]
pub struct LeakSearch {
    class_of: Vec<Option<u32>>,
    /// Rows that clear most features: as many of the largest class as of all others.
    first_look: Vec<usize>,
}

/// With fewer rows a feature may separate the classes by chance.
const FEWEST_ROWS: usize = 50;
/// With fewer rows outside the largest class, too.
const FEWEST_OTHERS: usize = 5;
/// Rare categories and rare classes are separated by chance.
const FEWEST_EACH: usize = 5;
/// At most one row in this many may be told wrong,
const ROWS_PER_ERROR: usize = 1_000;
/// and at most one in this many of those that the largest class alone gets wrong.
const OTHERS_PER_ERROR: usize = 20;
/// Half of the rows looked at before all of them are.
const FIRST_LOOK: usize = 1_000;
/// More errors than one in this many rows of the first look clear a feature.
const CLEARING: usize = 10;

impl LeakSearch {
    /// The search, for rows of these classes. Rows without a class are not looked at.
    pub fn new(classes: impl IntoIterator<Item = Option<u32>>) -> Self {
        let class_of: Vec<Option<u32>> = classes.into_iter().collect();
        let counts = class_counts(class_of.iter().copied().flatten());
        let largest = (0..).zip(&counts).max_by_key(|&(class, count)| (count, !class));
        let largest = largest.map(|(class, _): (u32, _)| class);
        let (mut most, mut others): (Vec<usize>, Vec<usize>) = (0..class_of.len())
            .filter(|&row| class_of[row].is_some())
            .partition(|&row| class_of[row] == largest);
        for rows in [&mut most, &mut others] {
            let step = rows.len().div_ceil(FIRST_LOOK).max(1);
            *rows = rows.iter().copied().step_by(step).collect();
        }
        most.append(&mut others);
        Self { class_of, first_look: most }
    }

    /// Whether a feature alone tells the class of at least 99.9 % of the rows that have a value, and far more
    /// than the largest class does: by its value if values are categories or repeat often, or by as many
    /// intervals as there are classes.
    pub fn tells(&self, is_category: bool, value: impl Fn(usize) -> f64) -> bool {
        let pair = |row: usize| {
            let (value, class) = (value(row), self.class_of[row]?);
            (!value.is_nan()).then_some((value, class))
        };
        if self.class_of.len() < FEWEST_ROWS {
            return false;
        }
        let pairs: Vec<(f64, u32)> = self.first_look.iter().filter_map(|&row| pair(row)).collect();
        let n_rows = pairs.len();
        let told = Told::by(pairs, is_category);
        if told.errors(is_category) * CLEARING > n_rows {
            return false;
        }
        let pairs: Vec<(f64, u32)> = (0..self.class_of.len()).filter_map(pair).collect();
        let counts = class_counts(pairs.iter().map(|&(_, class)| class));
        let n_classes = counts.iter().filter(|&&count| count > 0).count();
        let others = pairs.len() - counts.iter().max().unwrap_or(&0);
        let n_rows = pairs.len();
        if n_rows < FEWEST_ROWS.max(FEWEST_EACH * n_classes) || others < FEWEST_OTHERS {
            return false;
        }
        let errors = Told::by(pairs, is_category).errors(false);
        errors * ROWS_PER_ERROR <= n_rows && errors * OTHERS_PER_ERROR <= others
    }
}

/// The number of rows of each class.
fn class_counts(classes: impl Iterator<Item = u32>) -> Vec<usize> {
    let mut counts = Vec::new();
    for class in classes {
        let class = class as usize;
        if class >= counts.len() {
            counts.resize(class + 1, 0);
        }
        counts[class] += 1;
    }
    counts
}

/// How many rows a feature tells right.
struct Told {
    n_rows: usize,
    n_values: usize,
    /// By the commonest class of each value.
    by_value: usize,
    /// By an interval for each class.
    by_intervals: usize,
}

impl Told {
    fn by(mut pairs: Vec<(f64, u32)>, is_category: bool) -> Self {
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        // Zeros of both signs are one value.
        let values = || pairs.chunk_by(|one, other| one.0 == other.0);
        let n_values = values().count();
        let commonest = |rows: &[(f64, u32)]| {
            rows.chunk_by(|one, other| one.1 == other.1).map(<[_]>::len).max().unwrap_or(0)
        };
        let by_value = values().map(commonest).sum();
        let by_intervals = match is_category {
            true => 0,
            false => told_by_intervals(values(), &in_order(&pairs)),
        };
        Self { n_rows: pairs.len(), n_values, by_value, by_intervals }
    }

    /// The rows told wrong. Values that hardly repeat tell rows by chance, unless `any_values` count.
    fn errors(&self, any_values: bool) -> usize {
        let repeat = any_values || self.n_values * FEWEST_EACH <= self.n_rows;
        self.n_rows - if repeat { self.by_value.max(self.by_intervals) } else { self.by_intervals }
    }
}

/// The place of every class in the order of the classes' medians; `pairs` ascend.
fn in_order(pairs: &[(f64, u32)]) -> Vec<usize> {
    let counts = class_counts(pairs.iter().map(|&(_, class)| class));
    let (mut seen, mut place, mut next) = (vec![0; counts.len()], vec![0; counts.len()], 0);
    for &(_, class) in pairs {
        let class = class as usize;
        seen[class] += 1;
        if seen[class] == counts[class].div_ceil(2) {
            place[class] = next;
            next += 1;
        }
    }
    place
}

/// The most rows that consecutive intervals tell right, one for each class in the given order.
fn told_by_intervals<'a>(values: impl Iterator<Item = &'a [(f64, u32)]>, place: &[usize]) -> usize {
    // The most rows told right so far, if the last interval is this one.
    let mut right = vec![0; place.len()];
    for rows in values {
        for at in 1..right.len() {
            right[at] = right[at].max(right[at - 1]);
        }
        rows.iter().for_each(|&(_, class)| right[place[class as usize]] += 1);
    }
    right.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_identifiers() {
        for name in ["id", "ID", "patient_id", "Case No", "customerId", "rowID", "x.key"] {
            assert!(is_name_of_identifier(name), "{name}");
        }
        for name in ["acid", "humid", "nose", "number of rooms", "income", "idle", ""] {
            assert!(!is_name_of_identifier(name), "{name}");
        }
    }

    fn row_numbers(name: &str, numbers: impl Iterator<Item = u32>) -> Option<RowNumbers> {
        RowNumbers::find(&numbers.map(f64::from).collect::<Vec<_>>(), name)
    }

    #[test]
    fn numbers_that_identify_rows() {
        use RowNumbers::{Consecutive, Named, WithGaps};
        assert_eq!(row_numbers("x", 1..=30), Some(Consecutive));
        assert_eq!(row_numbers("x", (100..130).rev()), Some(Consecutive));
        assert_eq!(row_numbers("patient_id", (0..30).map(|n| n * 7)), Some(Named));
        assert_eq!(row_numbers("dose", (0..30).map(|n| n * 7)), None);
        assert_eq!(row_numbers("patient_id", (0..30).map(|n| n / 2)), None, "not all differ");
        assert_eq!(row_numbers("x", 1..=19), None, "few rows");
        assert_eq!(row_numbers("x", (0..29).chain([0])), None);
        // Seven in ten rows of a numbered table.
        let part = || (0..100).filter(|n| n * 7 % 10 < 7);
        assert_eq!(row_numbers("x", part()), Some(WithGaps));
        assert_eq!(row_numbers("x", part().chain([5])), None, "not all differ");
        assert_eq!(row_numbers("x", (0..50).map(|n| n * 2)), None, "every other number is missing");
    }

    #[test]
    fn doubts_about_classes() {
        let of = TargetDoubt::of_counts;
        assert_eq!(of(&[10, 10]), None);
        assert_eq!(of(&[0, 10]), Some(TargetDoubt::OneClass(1)));
        assert_eq!(of(&[10, 1, 5, 1]), Some(TargetDoubt::SingleRow(vec![1, 3])));
        assert_eq!(of(&[1_000; 50]), None);
        assert_eq!(of(&[1_000; 51]), Some(TargetDoubt::ManyClasses));
        assert_eq!(of(&[10; 11]), None);
        assert_eq!(of(&[9; 11]), Some(TargetDoubt::ManyClasses));
        assert_eq!(of(&[2; 10]), None, "a small table");
    }

    fn tells(is_category: bool, pairs: &[(f64, u32)]) -> bool {
        let search = LeakSearch::new(pairs.iter().map(|&(_, class)| Some(class)));
        search.tells(is_category, |row| pairs[row].0)
    }

    /// Values of a function of the row, and classes.
    fn pairs(
        rows: usize,
        value: impl Fn(usize) -> usize,
        class: impl Fn(usize) -> usize,
    ) -> Vec<(f64, u32)> {
        (0..rows).map(|row| (value(row) as f64, class(row) as u32)).collect()
    }

    #[test]
    fn a_feature_in_one_to_one_correspondence_tells_the_class() {
        for n_classes in [2, 3, 10, 40] {
            let other_names = |row: usize| (row % n_classes) * 7 % 41;
            let copy = pairs(1_000, other_names, |row| row % n_classes);
            assert!(tells(true, &copy), "{n_classes} categories");
            assert!(tells(false, &copy), "{n_classes} numbers in another order");
            let noise = pairs(1_000, |row| row * row % 97 % n_classes, |row| row % n_classes);
            assert!(!tells(true, &noise) && !tells(false, &noise), "{n_classes} classes");
        }
    }

    #[test]
    fn one_error_in_a_thousand_is_allowed() {
        let split = |errors: usize| {
            pairs(
                5_000,
                |row| row,
                move |row| usize::from(row >= 2_500) ^ usize::from(row < errors),
            )
        };
        assert!(tells(false, &split(0)));
        assert!(tells(false, &split(5)));
        assert!(!tells(false, &split(6)));
        assert!(!tells(false, &pairs(5_000, |row| row, |row| row / 1_250 % 2)), "four intervals");
        assert!(tells(false, &pairs(5_000, |row| row, |row| row / 1_250)), "four classes");
    }

    #[test]
    fn rare_classes_do_not_hide_a_leak_nor_make_one() {
        // One row in 500, in a table too large for a single look.
        let rare = |row: usize| usize::from(row.is_multiple_of(500));
        assert!(tells(true, &pairs(50_000, rare, rare)));
        // The largest class alone is right in 99.9 % of the rows.
        let rarer = |row: usize| usize::from(row.is_multiple_of(1_000));
        assert!(!tells(true, &pairs(50_000, |_| 0, rarer)));
        assert!(!tells(true, &pairs(50_000, |row| row % 3, rarer)));
        assert!(!tells(false, &pairs(200, |row| row, |row| usize::from(row < 4))), "4 rows");
    }

    #[test]
    fn values_that_hardly_repeat_tell_nothing() {
        assert!(!tells(true, &pairs(300, |row| row, |row| row * row % 7 % 2)));
        assert!(!tells(false, &pairs(300, |row| row, |row| row * row % 7 % 2)));
        assert!(!tells(false, &pairs(49, |row| row, |row| row / 25)), "few rows");
        let missing: Vec<(f64, u32)> = (0..200).map(|row| (f64::NAN, row % 2)).collect();
        assert!(!tells(false, &missing));
    }
}
