//! Where engines differ: literals, casts, what is no number, and how much they take.

use crate::error::{Result, parameter};
use std::fmt;

/// A dialect of SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// SQLite, from 3.30 on.
    Sqlite,
    /// DuckDB.
    Duckdb,
    /// PostgreSQL, from 12 on.
    Postgres,
    /// What the standard says. Numbers that are not finite count as missing.
    Generic,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 4] = [Self::Sqlite, Self::Duckdb, Self::Postgres, Self::Generic];

    /// The name in options.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Duckdb => "duckdb",
            Self::Postgres => "postgres",
            Self::Generic => "generic",
        }
    }

    /// The dialect with this name.
    ///
    /// # Errors
    /// There is none.
    pub fn named(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|dialect| dialect.as_str() == name);
        found.ok_or_else(|| parameter("dialect", name, "sqlite, duckdb, postgres or generic"))
    }

    /// The most columns of a query.
    #[must_use]
    pub fn most_columns(self) -> usize {
        match self {
            // The engines' own limits.
            Self::Sqlite => 2000,
            Self::Postgres => 1664,
            // DuckDB has none.
            Self::Duckdb => 4000,
            // Of the other engines known to us the least.
            Self::Generic => 1000,
        }
    }

    /// A number that stays a double, to the bit.
    pub(super) fn number(self, x: f64) -> String {
        match self {
            Self::Sqlite => exactly(x),
            Self::Postgres => format!("{x:e}::float8"),
            Self::Duckdb | Self::Generic => format!("{x:e}"),
        }
    }

    /// An identifier, whatever its letters.
    pub(super) fn name(name: &str) -> String {
        format!("\"{}\"", name.replace('"', "\"\""))
    }

    /// A text, whatever its letters.
    pub(super) fn text(text: &str) -> String {
        format!("'{}'", text.replace('\'', "''"))
    }

    /// A column as text, to be compared letter by letter.
    pub(super) fn as_text(self, column: &str) -> String {
        match self {
            Self::Sqlite => format!("CAST({column} AS TEXT) COLLATE BINARY"),
            Self::Postgres => format!("CAST({column} AS TEXT) COLLATE \"C\""),
            Self::Duckdb => format!("CAST({column} AS TEXT)"),
            Self::Generic => format!("CAST({column} AS VARCHAR(1000))"),
        }
    }

    /// A whole number as text.
    pub(super) fn whole_as_text(self, number: &str) -> String {
        let text = if self == Self::Generic { "VARCHAR(20)" } else { "TEXT" };
        format!("CAST({number} AS {text})")
    }

    /// A column as a double: NULL if it is missing or NaN, [`unreadable`](Self::unreadable) if it is
    /// infinite or, in SQLite, no number.
    pub(super) fn as_number(self, column: &str) -> String {
        match self {
            Self::Sqlite => format!(
                "CASE WHEN {column} IS NULL THEN NULL \
                 WHEN typeof({column}) IN ('integer', 'real') AND {column} > -9e999 AND {column} < 9e999 \
                 THEN CAST({column} AS REAL) ELSE 9e999 END"
            ),
            Self::Duckdb => {
                let x = format!("CAST({column} AS DOUBLE)");
                format!(
                    "CASE WHEN isnan({x}) THEN NULL WHEN isinf({x}) THEN CAST('Infinity' AS DOUBLE) ELSE {x} END"
                )
            }
            Self::Postgres => {
                let x = format!("CAST({column} AS float8)");
                format!(
                    "CASE WHEN {x} = 'NaN' THEN NULL WHEN {x} = '-Infinity' THEN 'Infinity' ELSE {x} END"
                )
            }
            Self::Generic => {
                let (x, most) = (format!("CAST({column} AS DOUBLE PRECISION)"), f64::MAX);
                format!("CASE WHEN {x} BETWEEN -{most:e} AND {most:e} THEN {x} END")
            }
        }
    }

    /// What stands for a number that nobody could read; `None` if there is nothing.
    pub(super) fn unreadable(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => Some("9e999"),
            Self::Duckdb => Some("CAST('Infinity' AS DOUBLE)"),
            Self::Postgres => Some("'Infinity'::float8"),
            Self::Generic => None,
        }
    }

    /// A column of dates as days since 1970-01-01, or one of times as seconds since then; otherwise
    /// like [`as_number`](Self::as_number).
    pub(super) fn since_1970(self, column: &str, in_days: bool) -> String {
        let day = if in_days { " / 86400" } else { "" };
        match self {
            // Texts, of which SQLite makes days that end at noon, in whole milliseconds.
            Self::Sqlite => {
                let days = format!("(julianday({column}) - 2440587.5)");
                let seconds = format!("ROUND({days} * 86400000.0) / 1000.0");
                let number = if in_days { days } else { seconds };
                format!("CASE WHEN {column} IS NULL THEN NULL ELSE COALESCE({number}, 9e999) END")
            }
            Self::Duckdb => self.as_number(&format!("(epoch({column}){day})")),
            Self::Postgres | Self::Generic => {
                self.as_number(&format!("(EXTRACT(EPOCH FROM {column}){day})"))
            }
        }
    }

    /// Keeps a step from being merged into the next, which would compute it again and again.
    pub(super) fn barrier(self) -> &'static str {
        match self {
            Self::Sqlite => " LIMIT -1 OFFSET 0",
            Self::Postgres => " OFFSET 0",
            Self::Duckdb | Self::Generic => "",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The largest power of two whose digits SQLite reads exactly.
const STEP: i32 = 62;

/// A double in SQLite, which reads one decimal number in some thousand a last bit beside the truth:
/// whole numbers and powers of two are exact, and so are their quotients.
fn exactly(x: f64) -> String {
    if x.fract() == 0.0 && x.abs() < 1e15 {
        return format!("{x:.1}");
    }
    let bits = x.to_bits();
    let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7ff) as i32);
    let significand = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    let zeros = significand.trailing_zeros() as i32;
    let (significand, mut exponent) = (significand >> zeros, exponent.max(1) - 1075 + zeros);
    let sign = if x < 0.0 { "-" } else { "" };
    let mut text = format!("({sign}{significand}.0");
    while exponent != 0 {
        let step = exponent.clamp(-STEP, STEP);
        let operator = if step < 0 { '/' } else { '*' };
        text += &format!(" {operator} {}", 1u64 << step.unsigned_abs());
        exponent -= step;
    }
    text + ")"
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the text of a number in SQLite means, if whole numbers are read exactly.
    fn value(text: &str) -> f64 {
        let text = text.trim_start_matches('(').trim_end_matches(')');
        let mut words = text.split(' ');
        let mut value: f64 = words.next().unwrap().parse().unwrap();
        while let (Some(operator), Some(number)) = (words.next(), words.next()) {
            let number: f64 = number.parse().unwrap();
            value = if operator == "/" { value / number } else { value * number };
        }
        value
    }

    proptest! {
        #[test]
        fn sqlite_gets_every_bit(x in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
            let text = Dialect::Sqlite.number(x);
            prop_assert_eq!(value(&text), x, "{}", text);
        }
    }

    #[test]
    fn numbers_stay_short_where_they_can() {
        let numbers = [0.0, 127.0, -3.0, 0.5, 6.85].map(|x| Dialect::Sqlite.number(x));
        let expected =
            ["0.0", "127.0", "-3.0", "(1.0 / 2)", "(3856207180935987.0 / 562949953421312)"];
        assert_eq!(numbers, expected);
        assert_eq!(Dialect::Postgres.number(6.85), "6.85e0::float8");
    }

    #[test]
    fn quotes_stay_inside() {
        assert_eq!(Dialect::name("\"; DROP TABLE"), "\"\"\"; DROP TABLE\"");
        assert_eq!(Dialect::text("it's"), "'it''s'");
    }
}
