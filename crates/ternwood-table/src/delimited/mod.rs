//! CSV, TSV and their relatives.
//!
//! - The delimiter is the one of `,` tab `;` `|` that cuts the first lines into the most
//!   equal pieces; in a `.tsv` file it is the tab.
//! - The first line is a header unless one of its fields is a number (see
//!   [`sniff`](self::sniff)); without a header the columns are called `x0`, `x1`, ...
//! - Fields may be quoted with `"`, doubled inside; white space around a field is not part of
//!   it. Blank lines are skipped. A row with too many or too few fields is an error.
//! - A column is numeric if all its values are numbers (what Rust and Python read as a float,
//!   with a decimal point; where semicolons are the delimiters, also with a decimal comma) or
//!   missing; otherwise it is nominal. The whole file is looked at.
//! - The spellings in [`MISSING_SPELLINGS`](crate::MISSING_SPELLINGS) are missing values.

mod cells;
mod infer;
mod reader;
mod records;
mod sniff;
mod write;

pub(crate) use reader::DelimitedReader;
pub(crate) use write::DelimitedWriter;
