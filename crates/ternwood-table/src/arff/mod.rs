//! ARFF, dense and sparse, in the dialects of Weka, OpenML and KEEL.
//!
//! | in the file | in the table |
//! |---|---|
//! | `numeric`, `real`, `integer`, `float`, `double`, `continuous` | numbers |
//! | `{a, 'b c', ...}` | the declared categories |
//! | `string`, `text` | texts, unless all are percentages or dates |
//! | `date ["pattern"]` | dates or times; texts if the pattern is unsupported |
//! | `?` or an empty field | a missing value |
//! | omitted from a sparse row | 0, or the first declared category |
//!
//! Keywords are case-insensitive. Names and values may be in single or double quotes, with
//! backslash escapes. Comments start with `%`, on their own line or after white space. Fields are
//! separated by commas, or by white space in lines without a comma. Relational attributes and
//! instance weights are errors.

mod data;
mod date;
mod fields;
mod header;

pub(crate) use data::{ArffReader, read};
