//! CSV, TSV and other delimited text.
//!
//! - The delimiter is the one of `,` tab `;` `|` that gives the most consistent number of fields in
//!   the first lines. In a `.tsv` file it is the tab.
//! - The first line is a header unless one of its fields is a number; for the exceptions see
//!   [`sniff`](self::sniff). Without a header the columns are called `x0`, `x1`, ...
//! - Fields may be quoted with `"`, doubled inside. White space around a field is trimmed. Blank
//!   lines are skipped. A row with too many or too few fields is an error.
//! - A column is numeric if all its values in the whole file are numbers or missing, and nominal
//!   otherwise. Numbers are what Rust and Python parse as a float and, if the delimiter is a
//!   semicolon, numbers with a decimal comma.
//! - The spellings in [`MISSING_SPELLINGS`](crate::MISSING_SPELLINGS) are missing values.

mod cells;
mod infer;
mod reader;
mod records;
mod sniff;
mod write;

pub(crate) use reader::DelimitedReader;
pub(crate) use write::DelimitedWriter;
