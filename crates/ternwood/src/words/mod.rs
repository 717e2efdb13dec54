//! Sentences and numbers for people: what data of the other modules reads like.
//!
//! Methods and `Display` of types from other modules are written here, so that those modules hold no sentences.
//! Only [`rules`](crate::rules) and [`export`](crate::export), which print, use this module. It names no options of
//! the command and no parameters of Python: a remedy is said in general words, or carried as data.
//!
//! - `numbers`: thresholds, zones, values, dates and shares;
//! - `names`: classes, categories, counts and lists;
//! - `test`: a test, and a value at a test;
//! - `row`, `tree_row`, `forest_row`: why a row is answered as it is;
//! - `policy`, `advice`, `trade_offs`: verdicts, what speaks against one, and what others would do;
//! - `check`: what new rows say of a model.

mod advice;
mod check;
mod forest_row;
mod names;
mod numbers;
mod policy;
mod row;
mod test;
mod trade_offs;
mod tree_row;

pub(crate) use names::{ListCategories, all_listed, listed};
pub use names::{class_in_words, class_name, clipped, counted};
pub(crate) use numbers::percent_apart;
pub use numbers::{
    ShownTest, ShownZone, date_text, percent, percent_or_dash, plain_number, short_percent,
    time_text,
};
pub use policy::CLASS_LEGEND;
pub use test::PlaceWords;
