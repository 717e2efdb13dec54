//! One cell of a table: our number, the published one, and their difference.

use crate::method::Method;

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// What we measured.
    pub ours: Value,
    /// The number printed in the paper.
    pub published: Option<String>,
    /// The agreement to expect.
    pub basis: Basis,
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number, and the decimals to show.
    Number(f64, usize),
    /// Text, compared letter by letter.
    Words(String),
    /// Not defined, or not measured.
    Missing,
}

/// What a cell of ours has in common with the published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// The same data and the same method, random numbers included: all digits should agree.
    Same,
    /// The same, with published figures for missing data sets.
    Filled,
    /// Plain CART, where scikit-learn breaks ties differently.
    Cart,
    /// A mean over fewer data sets than the published one.
    FewerSets,
    /// Nothing is published.
    Own,
}

impl Basis {
    /// The agreement to expect from a method on the paper's data.
    pub(crate) fn of(method: Method) -> Self {
        if method == Method::CART { Self::Cart } else { Self::Same }
    }

    /// A description.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Same => "same data, same method",
            Self::Filled => "absent data sets filled in as published",
            Self::Cart => "CART, where scikit-learn's ties fall differently",
            Self::FewerSets => "means over fewer data sets than the published ones",
            Self::Own => "nothing published",
        }
    }
}

impl Cell {
    /// A number without a published one.
    pub(crate) fn number(ours: Option<f64>, decimals: usize, basis: Basis) -> Self {
        let ours = ours.map_or(Value::Missing, |ours| Value::Number(ours, decimals));
        Self { ours, published: None, basis }
    }

    pub(crate) fn words(ours: String, basis: Basis) -> Self {
        Self { ours: Value::Words(ours), published: None, basis }
    }

    /// Adds the published text, unless it is missing or a dash.
    pub(crate) fn beside(mut self, published: Option<String>) -> Self {
        self.published = published.filter(|text| text != "--");
        self
    }

    /// Our value as printed.
    #[must_use]
    pub fn printed(&self) -> String {
        match &self.ours {
            Value::Number(value, decimals) => format!("{value:.decimals$}"),
            Value::Words(words) => words.clone(),
            Value::Missing => "--".to_owned(),
        }
    }

    /// True if our number rounds to the published digits; missing if there is nothing to compare.
    #[must_use]
    pub fn agrees(&self) -> Option<bool> {
        let published = self.published.as_deref()?;
        Some(match &self.ours {
            Value::Missing => false,
            Value::Words(words) => words == published,
            Value::Number(value, _) => published
                .parse::<f64>()
                .is_ok_and(|printed| same_digits(*value, printed, unit(published))),
        })
    }

    /// Ours minus the published number.
    #[must_use]
    pub fn difference(&self) -> Option<f64> {
        match (&self.ours, self.published.as_deref()?.parse::<f64>()) {
            (Value::Number(value, _), Ok(published)) => Some(value - published),
            _ => None,
        }
    }

    /// The difference as text: `=` if the printed digits agree.
    #[must_use]
    pub fn told_difference(&self) -> Option<String> {
        let agrees = self.agrees()?;
        Some(match (agrees, self.difference(), &self.ours) {
            (true, ..) => "=".to_owned(),
            (false, Some(difference), Value::Number(_, decimals)) => {
                format!("{difference:+.decimals$}")
            }
            _ => "differs".to_owned(),
        })
    }
}

/// True if `value` may be printed as `printed`, whose last digit is worth `unit`.
///
/// A number halfway between two printed ones may be printed as either. Published rates were rounded
/// to four decimals before being printed with three, so a number that is halfway after that
/// rounding counts too: 0.07651 is stored as 0.0765 and printed as 0.076.
fn same_digits(value: f64, printed: f64, unit: f64) -> bool {
    const KEPT: f64 = 1e-4;
    let kept = (value / KEPT).round() * KEPT;
    let near = |value: f64| (value - printed).abs() <= 0.5 * unit * (1.0 + 1e-9) + 1e-12;
    near(value) || (unit > 0.5e-3 && unit < 2e-3 && near(kept))
}

/// The value of one unit in the last decimal of a printed number.
fn unit(printed: &str) -> f64 {
    let decimals = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    10f64.powi(-(decimals as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(ours: f64, published: &str) -> Cell {
        Cell::number(Some(ours), 4, Basis::Same).beside(Some(published.to_owned()))
    }

    #[test]
    fn agreement_is_judged_by_the_printed_digits() {
        assert_eq!(cell(0.73969, "0.7397").agrees(), Some(true));
        assert_eq!(cell(0.73964, "0.7397").agrees(), Some(false));
        // 0.0765 is printed as 0.076 or 0.077, depending on how halves are rounded.
        assert_eq!(cell(0.0765, "0.076").agrees(), Some(true));
        assert_eq!(cell(0.0765, "0.077").agrees(), Some(true));
        assert_eq!(cell(0.07653, "0.076").agrees(), Some(true));
        assert_eq!(cell(0.07656, "0.076").agrees(), Some(false));
        assert_eq!(cell(0.5, "--").agrees(), None);
        assert_eq!(Cell::words("1/2/3".into(), Basis::Same).agrees(), None);
        let missing = Cell::number(None, 4, Basis::Same).beside(Some("0.5".to_owned()));
        assert_eq!(missing.agrees(), Some(false));
    }

    #[test]
    fn differences_are_shown() {
        assert_eq!(cell(0.75, "0.7397").told_difference().unwrap(), "+0.0103");
        assert_eq!(cell(0.7397, "0.7397").told_difference().unwrap(), "=");
        let words = Cell::words("1/2/3".into(), Basis::Same).beside(Some("1/2/4".into()));
        assert_eq!(words.told_difference().unwrap(), "differs");
    }
}
