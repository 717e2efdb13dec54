//! What a user can do about a warning or an error, as data.

use std::fmt;
use ternwood::dataset::notation::{DecimalMark, Marks};

/// What a user can do about a warning or an error.
///
/// Messages say it in general words. A program that has a name for it, such as an option or a parameter, passes that
/// to [`Warning::in_words`](crate::Warning::in_words) and [`Error::in_words`](crate::Error::in_words).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Leave this column out.
    LeaveOut(String),
    /// Read this column as categories.
    Categories(String),
    /// Read this column as numbers.
    Number(String),
    /// Say whether this column has categories or numbers.
    CategoriesOrNumber(String),
    /// Give the order of the categories of this column.
    Order(String),
    /// Read a column as dates.
    Date {
        /// Name of the column.
        column: String,
        /// The pattern of its dates.
        pattern: String,
    },
    /// Read numbers with these marks.
    Marks(Marks),
    /// Read numbers with this decimal mark.
    DecimalMark(DecimalMark),
    /// Name another target.
    Target,
    /// Leave missing values to the tree.
    LearnMissing,
    /// Something that no program has a name for.
    Other(&'static str),
}

/// What a program calls a remedy, such as `--drop age`; `None` if it has no name for it.
pub(crate) type Name<'a> = &'a dyn Fn(&Remedy) -> Option<String>;

/// In general words, such as "leave it out".
impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeaveOut(_) => f.write_str("leave it out"),
            Self::Categories(_) => f.write_str("read it as categories"),
            Self::Number(_) => f.write_str("read it as a number"),
            Self::CategoriesOrNumber(_) => f.write_str("say whether it has categories or numbers"),
            Self::Order(_) => f.write_str("give it"),
            Self::Date { pattern, .. } => write!(f, "dates like {pattern}"),
            Self::Marks(marks) => {
                Self::DecimalMark(marks.decimal).fmt(f)?;
                match marks.thousands {
                    Some(mark) => write!(f, " and '{mark}' between thousands"),
                    None => Ok(()),
                }
            }
            Self::DecimalMark(DecimalMark::Point) => f.write_str("a decimal point"),
            Self::DecimalMark(DecimalMark::Comma) => f.write_str("a decimal comma"),
            Self::Target => f.write_str("name another target"),
            Self::LearnMissing => f.write_str("leave missing values to the tree"),
            Self::Other(words) => f.write_str(words),
        }
    }
}

impl Remedy {
    /// In general words, with the name that a program has for it: "leave it out with --drop age",
    /// "for numbers like 1.234,5 say --decimal , --thousands .".
    pub(crate) fn with_name(&self, name: Name<'_>) -> String {
        let Self::Marks(marks) = self else { return self.doing(&self.to_string(), name) };
        let thousands = marks.thousands.map_or_else(String::new, String::from);
        let decimal = if marks.decimal == DecimalMark::Comma { ',' } else { '.' };
        let remedy =
            name(self).map_or_else(|| format!("ask for {self}"), |name| format!("say {name}"));
        format!("for numbers like 1{thousands}234{decimal}5 {remedy}")
    }

    /// The same in these words.
    pub(crate) fn doing(&self, words: &str, name: Name<'_>) -> String {
        match name(self) {
            Some(name) => format!("{words} with {name}"),
            None => words.to_owned(),
        }
    }
}

impl From<&'static str> for Remedy {
    fn from(words: &'static str) -> Self {
        Self::Other(words)
    }
}
