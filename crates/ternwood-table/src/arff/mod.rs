//! ARFF, dense and sparse, in the dialects of Weka, OpenML and KEEL.
//!
//! | in the file | in the table |
//! |---|---|
//! | `numeric`, `real`, `integer`, `float`, `double`, `continuous` | numbers |
//! | `{a, 'b c', ...}` | categories, in the declared order |
//! | `string`, `text` | the categories found, sorted |
//! | `date ["pattern"]` | seconds since 1970-01-01 UTC; categories if the pattern is unsupported |
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

pub(crate) use data::ArffReader;
