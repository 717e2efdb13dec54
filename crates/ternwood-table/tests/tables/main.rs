//! Reading, encoding and writing tables, and the error messages for bad files.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod arff;
mod cells;
mod delimited;
mod encoding;
#[cfg(feature = "parquet")]
mod formats;
mod gaps;
#[cfg(feature = "parquet")]
mod kept;
mod limits;
mod many;
#[cfg(feature = "parquet")]
mod parquet;
mod properties;
mod streams;

use ternwood_table::{ReadOptions, Result, Source, Table, Values, read_table};

/// Reads a text. The extension of the name gives the format.
fn read(name: &str, text: impl AsRef<[u8]>) -> Result<Table> {
    read_with(name, text, &ReadOptions::new())
}

fn read_with(name: &str, text: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Table> {
    read_table(&Source::bytes(name, text.as_ref()), options)
}

/// The error message for a text that cannot be read.
fn error(name: &str, text: impl AsRef<[u8]>) -> String {
    read(name, text).unwrap_err().to_string()
}

/// The numbers of a column, NaN for missing values.
fn numbers<'a>(table: &'a Table, column: &str) -> &'a [f64] {
    match table.column(column).unwrap().values() {
        Values::Numeric(values) => values,
        Values::Nominal(_) => panic!("column '{column}' is nominal"),
    }
}

/// The texts of a column, "-" for missing values.
fn texts(table: &Table, column: &str) -> Vec<String> {
    match table.column(column).unwrap().values() {
        Values::Numeric(_) => panic!("column '{column}' is numeric"),
        Values::Nominal(nominal) => {
            (0..table.n_rows()).map(|row| nominal.text(row).unwrap_or("-").to_owned()).collect()
        }
    }
}

/// The categories of a column, in code order.
fn categories(table: &Table, column: &str) -> Vec<String> {
    match table.column(column).unwrap().values() {
        Values::Numeric(_) => panic!("column '{column}' is numeric"),
        Values::Nominal(nominal) => nominal.categories().to_vec(),
    }
}

/// Compresses bytes with gzip.
fn gzipped(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
