//! ARFF, dense and sparse, in Weka's and OpenML's (and KEEL's) dialects.
//!
//! | in the file | in the table |
//! |---|---|
//! | `numeric`, `real`, `integer` (and `float`, `double`) | numbers |
//! | `{a, 'b c', ...}` | categories, in the declared order |
//! | `string` | categories found, in sorted order |
//! | `date ["pattern"]` | seconds since 1970-01-01 00:00:00 UTC; categories if the pattern is unusual |
//! | `?` or nothing between two commas | a missing value |
//! | left out of a sparse row | 0, or the first declared category |
//!
//! Keywords are case-insensitive. Names and values may be quoted, singly or doubly, with
//! backslash escapes. Comments begin with `%`, on lines of their own or after white space.
//! Fields are separated by commas, or by white space in lines without a comma. Relational
//! attributes and instance weights are refused, not ignored.

mod data;
mod date;
mod fields;
mod header;

pub(crate) use data::ArffReader;
