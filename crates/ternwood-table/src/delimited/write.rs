//! Writes tables as delimited text.

use crate::error::{Result, io};
use crate::notation::shortest_number;
use crate::table::{Column, Table, Values};
use std::io::{BufWriter, Write};

/// Writes tables with the same columns under one header. Omits columns that have no text form.
pub(crate) struct DelimitedWriter<W: Write> {
    out: BufWriter<W>,
    file: String,
    delimiter: u8,
    header_written: bool,
    record: Vec<u8>,
}

impl<W: Write> DelimitedWriter<W> {
    pub(crate) fn new(file: &str, out: W, delimiter: u8) -> Self {
        let (out, file, record) = (BufWriter::new(out), file.to_owned(), Vec::new());
        Self { out, file, delimiter, header_written: false, record }
    }

    pub(crate) fn write(&mut self, table: &Table) -> Result<()> {
        let written = self.write_records(table);
        written.map_err(|problem| io(&self.file, problem))
    }

    fn write_records(&mut self, table: &Table) -> std::io::Result<()> {
        let columns: Vec<&Column> =
            table.columns().iter().filter(|c| c.type_without_text().is_none()).collect();
        if !self.header_written {
            columns.iter().for_each(|column| self.push(column.name()));
            self.end_record(columns.len())?;
            self.header_written = true;
        }
        for row in 0..table.n_rows() {
            for column in &columns {
                match column.values() {
                    Values::Numeric(values) if values[row].is_nan() => self.push(""),
                    Values::Numeric(values) => self.push(&shortest_number(values[row])),
                    Values::Nominal(nominal) => self.push(nominal.text(row).unwrap_or_default()),
                }
            }
            self.end_record(columns.len())?;
        }
        Ok(())
    }

    /// Appends a field and a delimiter to the record.
    fn push(&mut self, field: &str) {
        let is_special = |byte: u8| byte == self.delimiter || matches!(byte, b'"' | b'\n' | b'\r');
        if field.bytes().any(is_special) {
            self.record.push(b'"');
            self.record.extend_from_slice(field.replace('"', "\"\"").as_bytes());
            self.record.push(b'"');
        } else {
            self.record.extend_from_slice(field.as_bytes());
        }
        self.record.push(self.delimiter);
    }

    fn end_record(&mut self, n_fields: usize) -> std::io::Result<()> {
        self.record.pop();
        // An empty line is no record, so a single empty field is quoted.
        if n_fields == 1 && self.record.is_empty() {
            self.record.extend_from_slice(b"\"\"");
        }
        self.record.push(b'\n');
        self.out.write_all(&self.record)?;
        self.record.clear();
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<W> {
        self.out.flush().map_err(|problem| io(&self.file, problem))?;
        self.out.into_inner().map_err(|error| io(&self.file, error.into_error()))
    }
}
