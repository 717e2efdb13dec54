//! Arrow arrays, from Parquet files and from data frames.

mod arrays;
mod texts;

pub(crate) use arrays::{Kind, numbers};
#[cfg(feature = "parquet")]
pub(crate) use arrays::{each_text, longer_text};
pub(crate) use texts::texts;
