//! Class labels: one id per row, one name per class.

use super::check_distinct;
use crate::error::{ErrorKind, Result, parameter};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

/// The name of a class, with the type of the user's label.
///
/// The type is kept so that a model returns the labels it was trained on: `1` is not `"1"`,
/// neither in Python nor in a model file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a class name is a truth value, a number or a word")]
pub enum ClassName {
    /// A Boolean.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Text(String),
}

impl fmt::Display for ClassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            // Debug keeps the ".0" that tells 1.0 from 1.
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(value) => value.fmt(f),
        }
    }
}

impl From<bool> for ClassName {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for ClassName {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<i32> for ClassName {
    fn from(value: i32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<u32> for ClassName {
    fn from(value: u32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<f64> for ClassName {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for ClassName {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for ClassName {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

/// Checks that names differ when printed, and that numbers are finite: JSON has no others.
pub(crate) fn check_class_names(names: &[ClassName]) -> Result<()> {
    for name in names {
        if let ClassName::Float(value) = name
            && !value.is_finite()
        {
            return Err(parameter("class name", value, "a truth value, a finite number or a word"));
        }
    }
    // `Box<str>` takes less memory in the set than `String`.
    check_distinct("class", names.iter().map(|name| name.to_string().into_boxed_str()))
}

/// Checks that every id is below `n_classes`.
pub(crate) fn check_class_ids(ids: &[u32], n_classes: usize) -> Result<()> {
    match ids.iter().position(|&id| id as usize >= n_classes) {
        Some(row) => Err(ErrorKind::ClassId { row, id: ids[row], classes: n_classes }.into()),
        None => Ok(()),
    }
}

/// The class of every row: ids `0..n_classes`, and the name of each class.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    ids: Vec<u32>,
    names: Vec<ClassName>,
}

impl Labels {
    /// Labels of any ordered type; classes are numbered in sorted order.
    ///
    /// Floating-point labels are not `Ord`: for them see [`Labels::from_floats`].
    pub fn from_values<T>(values: impl IntoIterator<Item = T>) -> Self
    where
        T: Ord + Clone + Into<ClassName>,
    {
        let values: Vec<T> = values.into_iter().collect();
        let distinct: BTreeSet<&T> = values.iter().collect();
        let distinct: Vec<&T> = distinct.into_iter().collect();
        let id_of = |value: &T| distinct.partition_point(|other| *other < value) as u32;
        let ids = values.iter().map(id_of).collect();
        let names = distinct.into_iter().map(|value| value.clone().into()).collect();
        Self { ids, names }
    }

    /// Floating-point labels; classes are numbered in ascending order.
    ///
    /// # Errors
    /// A label that is NaN or infinite.
    pub fn from_floats(values: &[f64]) -> Result<Self> {
        if let Some(row) = values.iter().position(|value| !value.is_finite()) {
            return Err(ErrorKind::LabelNotFinite { row, value: values[row] }.into());
        }
        // Adding 0 turns -0.0 into 0.0, so that both are one class.
        let mut distinct: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let id_of = |value: &f64| distinct.partition_point(|other| other < value) as u32;
        let ids = values.iter().map(id_of).collect();
        Ok(Self { ids, names: distinct.into_iter().map(ClassName::Float).collect() })
    }

    /// Existing class ids, with the name of each class.
    ///
    /// # Errors
    /// An id that has no name, a name given twice, or a name that is NaN or infinite.
    pub fn from_ids(ids: Vec<u32>, names: Vec<ClassName>) -> Result<Self> {
        check_class_ids(&ids, names.len())?;
        check_class_names(&names)?;
        Ok(Self { ids, names })
    }

    /// The ids and the names.
    #[must_use]
    pub fn into_parts(self) -> (Vec<u32>, Vec<ClassName>) {
        (self.ids, self.names)
    }
}

/// A name on one line: line breaks and other control characters are escaped, like `\n`.
///
/// ```
/// assert_eq!(ternwood::dataset::one_line("two\nlines"), "two\\nlines");
/// ```
#[must_use]
pub fn one_line(name: &str) -> Cow<'_, str> {
    if !name.contains(breaks) {
        return Cow::Borrowed(name);
    }
    let escaped = name.chars().fold(String::new(), |mut text, c| {
        if breaks(c) {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
        text
    });
    Cow::Owned(escaped)
}

/// Control characters, and Unicode's line and paragraph separators.
fn breaks(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_numbered_in_sorted_order() {
        let labels = Labels::from_values(["pear", "apple", "pear", "fig"]);
        let (ids, names) = labels.into_parts();
        assert_eq!(ids, [2, 0, 2, 1]);
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["apple", "fig", "pear"]);
    }

    #[test]
    fn float_labels_sort_as_numbers_and_zero_has_no_sign() {
        let labels = Labels::from_floats(&[10.0, -0.0, 2.5, 0.0]).unwrap();
        let (ids, names) = labels.into_parts();
        assert_eq!(ids, [2, 0, 1, 0]);
        assert_eq!(names[1], ClassName::Float(2.5));
    }

    #[test]
    fn a_nan_label_is_refused_by_row() {
        let error = Labels::from_floats(&[1.0, f64::NAN]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::LabelNotFinite { row: 1, .. }), "{error}");
    }

    #[test]
    fn ids_must_have_names_and_names_must_differ() {
        let error = Labels::from_ids(vec![0, 2], vec!["a".into(), "b".into()]).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::ClassId { row: 1, id: 2, classes: 2 }),
            "{error}"
        );
        let error = Labels::from_ids(vec![0], vec!["a".into(), "a".into()]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::DuplicateName { .. }), "{error}");
    }

    #[test]
    fn class_names_keep_their_type_in_json() {
        let names: Vec<ClassName> = vec![true.into(), 1.into(), 1.0.into(), "1".into()];
        let text = serde_json::to_string(&names).unwrap();
        assert_eq!(text, r#"[true,1,1.0,"1"]"#);
        assert_eq!(serde_json::from_str::<Vec<ClassName>>(&text).unwrap(), names);
    }

    #[test]
    fn only_what_breaks_lines_is_spelled_out() {
        assert_eq!(one_line("Größe, \"cm\""), "Größe, \"cm\"");
        assert_eq!(one_line("a\r\nb\u{1b}[1m\u{2028}"), "a\\r\\nb\\u{1b}[1m\\u{2028}");
    }
}
