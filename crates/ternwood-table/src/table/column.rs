//! One named column: numbers, or codes of named categories.

use std::num::NonZeroU32;

/// A category of a nominal column, by its index in the list of categories.
///
/// `Option<CategoryCode>` is four bytes wide: a missing value costs nothing and needs no
/// reserved number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CategoryCode(NonZeroU32);

impl CategoryCode {
    /// The code of the category at `index`; `None` past the four billionth.
    #[must_use]
    #[inline]
    pub fn new(index: usize) -> Option<Self> {
        let number = u32::try_from(index).ok()?.checked_add(1)?;
        NonZeroU32::new(number).map(Self)
    }

    /// The index of the category.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Where the list of categories of a nominal column comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CategoryOrigin {
    /// The file declares them, in an order of its own (ARFF).
    Declared,
    /// The user declared the column nominal; the categories are the values found, sorted.
    Requested,
    /// They are the texts found in the column, sorted.
    Found,
    /// The truth values `false` and `true` of a typed file (Parquet).
    Boolean,
}

/// A nominal column: one code per row, one name per code.
#[derive(Debug, Clone, PartialEq)]
pub struct Nominal {
    pub(crate) codes: Vec<Option<CategoryCode>>,
    pub(crate) categories: Vec<String>,
    pub(crate) origin: CategoryOrigin,
}

impl Nominal {
    /// The texts of a column; categories are numbered in sorted order.
    pub fn from_texts<S: AsRef<str>>(texts: impl IntoIterator<Item = Option<S>>) -> Self {
        let mut builder = super::builder::NominalBuilder::found(CategoryOrigin::Found);
        for text in texts {
            match text {
                Some(text) => _ = builder.push(text.as_ref()),
                None => builder.push_missing(),
            }
        }
        builder.take()
    }

    /// The code of every row; `None` where the value is missing.
    #[must_use]
    pub fn codes(&self) -> &[Option<CategoryCode>] {
        &self.codes
    }

    /// The name of every category, by code.
    #[must_use]
    pub fn categories(&self) -> &[String] {
        &self.categories
    }

    /// Where the categories come from.
    #[must_use]
    pub fn origin(&self) -> CategoryOrigin {
        self.origin
    }

    /// The category of a row; `None` where the value is missing.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn text(&self, row: usize) -> Option<&str> {
        self.codes[row].map(|code| self.categories[code.index()].as_str())
    }
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Numbers; NaN where the value is missing.
    Numeric(Vec<f64>),
    /// Categories.
    Nominal(Nominal),
}

impl Values {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Numeric(values) => values.len(),
            Self::Nominal(nominal) => nominal.codes.len(),
        }
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `"numeric"` or `"nominal"`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Numeric(_) => "numeric",
            Self::Nominal(_) => "nominal",
        }
    }

    /// How many values are missing.
    #[must_use]
    pub fn missing(&self) -> usize {
        match self {
            Self::Numeric(values) => values.iter().filter(|value| value.is_nan()).count(),
            Self::Nominal(nominal) => nominal.codes.iter().filter(|code| code.is_none()).count(),
        }
    }
}

/// One named column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub(crate) name: String,
    pub(crate) values: Values,
    /// The values as a typed file has them, if they are to be written again.
    #[cfg(feature = "parquet")]
    pub(crate) kept: Option<crate::parquet::Kept>,
}

impl Column {
    /// A column of numbers; NaN stands for a missing value.
    pub fn numeric(name: impl Into<String>, values: Vec<f64>) -> Self {
        Self::new(name.into(), Values::Numeric(values))
    }

    /// A column of texts; `None` stands for a missing value.
    pub fn text<S: AsRef<str>>(
        name: impl Into<String>,
        texts: impl IntoIterator<Item = Option<S>>,
    ) -> Self {
        Self::new(name.into(), Values::Nominal(Nominal::from_texts(texts)))
    }

    pub(crate) fn new(name: String, values: Values) -> Self {
        Self {
            name,
            values,
            #[cfg(feature = "parquet")]
            kept: None,
        }
    }

    /// The type of a column that can be written to a Parquet file only.
    pub(crate) fn type_without_text(&self) -> Option<String> {
        #[cfg(feature = "parquet")]
        return self.kept.as_ref()?.type_without_text();
        #[cfg(not(feature = "parquet"))]
        None
    }

    /// What the column is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its values.
    #[must_use]
    pub fn values(&self) -> &Values {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_code_costs_nothing() {
        assert_eq!(size_of::<Option<CategoryCode>>(), 4);
        assert_eq!(CategoryCode::new(0).unwrap().index(), 0);
        assert_eq!(CategoryCode::new(u32::MAX as usize), None);
    }

    #[test]
    fn texts_become_sorted_categories() {
        let column = Nominal::from_texts([Some("pear"), None, Some("apple"), Some("pear")]);
        assert_eq!(column.categories(), ["apple", "pear"]);
        let texts: Vec<_> = (0..4).map(|row| column.text(row)).collect();
        assert_eq!(texts, [Some("pear"), None, Some("apple"), Some("pear")]);
    }

    #[test]
    fn categories_that_are_numbers_sort_as_numbers() {
        let column = Nominal::from_texts(["10", "9", "-1"].map(Some));
        assert_eq!(column.categories(), ["-1", "9", "10"]);
        let mixed = Nominal::from_texts(["10", "9", "x"].map(Some));
        assert_eq!(mixed.categories(), ["10", "9", "x"]);
    }
}
