//! CSV, TSV and other delimited text.
//!
//! - The delimiter is the one of `,` tab `;` `|` that gives the most consistent number of fields in
//!   the first lines. In a `.tsv` file it is the tab.
//! - The first line is a header unless one of its fields is a number; for the exceptions see
//!   [`sniff`](self::sniff). Without a header the columns are called `x0`, `x1`, ...
//! - Fields may be quoted with `"`, doubled inside. White space around a field is trimmed. Blank
//!   lines are skipped, and so is an empty field after the last column. Otherwise a row with too
//!   many or too few fields is an error.
//! - What a column is, all its values in the whole file decide: see [`infer`](crate::infer).
//! - The spellings in [`MISSING_SPELLINGS`](crate::MISSING_SPELLINGS) are missing values.
//!
//! A text is cut into [`blocks`](self::blocks) of whole records, which are
//! [parsed](self::parse) on several threads and put together [in order](self::in_order).

mod blocks;
mod cursor;
mod in_order;
mod missing;
mod parse;
mod reader;
mod sniff;
mod write;

pub(crate) use parse::what;
pub(crate) use reader::{DelimitedReader, guess, layout, read};
pub(crate) use write::DelimitedWriter;
