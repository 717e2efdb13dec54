//! What the fuzz targets check.
//!
//! - [`tables`]: a reader gives a table or an error, the same one however the bytes come;
//! - [`learning`]: the laws of the method hold for any small data and any parameters.

pub mod learning;
pub mod notations;
pub mod tables;
