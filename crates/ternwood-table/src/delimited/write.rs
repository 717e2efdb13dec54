//! Writes tables as delimited text.

use super::records::csv_error;
use crate::error::{Result, io};
use crate::number;
use crate::table::{Column, Table, Values};
use std::io::Write;

/// Writes tables with the same columns under one header. Omits columns that have no text form.
pub(crate) struct DelimitedWriter<W: Write> {
    csv: csv::Writer<W>,
    file: String,
    header_written: bool,
}

impl<W: Write> DelimitedWriter<W> {
    pub(crate) fn new(file: &str, out: W, delimiter: u8) -> Self {
        let csv = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
        Self { csv, file: file.to_owned(), header_written: false }
    }

    pub(crate) fn write(&mut self, table: &Table) -> Result<()> {
        let written = self.write_records(table);
        written.map_err(|error| csv_error(&self.file, error))
    }

    fn write_records(&mut self, table: &Table) -> csv::Result<()> {
        let columns: Vec<&Column> =
            table.columns().iter().filter(|c| c.type_without_text().is_none()).collect();
        if !self.header_written {
            self.csv.write_record(columns.iter().map(|column| column.name()))?;
            self.header_written = true;
        }
        for row in 0..table.n_rows() {
            for column in &columns {
                match column.values() {
                    Values::Numeric(values) => self.csv.write_field(text(values[row]))?,
                    Values::Nominal(nominal) => {
                        self.csv.write_field(nominal.text(row).unwrap_or_default())?;
                    }
                }
            }
            self.csv.write_record(None::<&[u8]>)?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<W> {
        self.csv.flush().map_err(|problem| io(&self.file, problem))?;
        self.csv.into_inner().map_err(|error| io(&self.file, error.into_error()))
    }
}

/// The text of a number; empty for a missing value.
fn text(value: f64) -> String {
    if value.is_nan() { String::new() } else { number::shortest(value) }
}
