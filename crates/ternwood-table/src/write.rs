//! Writes tables, whole or in chunks of rows.

use crate::error::{ErrorKind, Result, io};
use crate::format::Format;
use crate::notation::shortest_number;
#[cfg(feature = "parquet")]
use crate::parquet::ParquetWriter;
use crate::table::{Column, Table, Values};
use crate::warning::Warning;
use std::io::{BufWriter, Write};

/// Writes tables with the same columns to one CSV, TSV or Parquet file.
///
/// ```
/// use ternwood_table::{Column, Format, Table, TableWriter};
///
/// let table = Table::from_columns(vec![
///     Column::text("class", [Some("no"), Some("yes, sir")]),
///     Column::numeric("probability", vec![0.75, f64::NAN]),
/// ])?;
/// let mut writer = TableWriter::new("out.csv", Vec::new(), Format::Csv)?;
/// writer.write(&table)?;
/// assert_eq!(writer.finish()?, b"class,probability\nno,0.75\n\"yes, sir\",\n");
/// # Ok::<(), ternwood_table::Error>(())
/// ```
pub struct TableWriter<W: Write + Send> {
    inner: Inner<W>,
    /// Name and kind of every column of the first table.
    layout: Option<Vec<(String, &'static str)>>,
    warnings: Vec<Warning>,
}

enum Inner<W: Write + Send> {
    Delimited(Box<DelimitedWriter<W>>),
    #[cfg(feature = "parquet")]
    Parquet(ParquetWriter<W>),
}

impl<W: Write + Send> TableWriter<W> {
    /// A writer to `out`. Error messages call it `name`.
    ///
    /// # Errors
    /// The format cannot be written.
    pub fn new(name: &str, out: W, format: Format) -> Result<Self> {
        let inner = match format {
            Format::Csv => Inner::Delimited(Box::new(DelimitedWriter::new(name, out, b','))),
            Format::Tsv => Inner::Delimited(Box::new(DelimitedWriter::new(name, out, b'\t'))),
            #[cfg(feature = "parquet")]
            Format::Parquet => Inner::Parquet(ParquetWriter::new(name, out)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(crate::format::without_parquet(name)),
            Format::Arff => {
                return Err(ErrorKind::Format {
                    file: name.to_owned(),
                    problem: "ARFF files can be read, but not written".to_owned(),
                    remedy: "write CSV or Parquet",
                }
                .into());
            }
        };
        Ok(Self { inner, layout: None, warnings: Vec::new() })
    }

    /// Writes the rows of a table. All tables must have the columns of the first.
    ///
    /// # Errors
    /// The columns differ from those of the first table, or the output cannot be written.
    pub fn write(&mut self, table: &Table) -> Result<()> {
        let layout = table.columns().iter().map(name_and_kind);
        match &self.layout {
            None => {
                self.layout = Some(layout.collect());
                if matches!(self.inner, Inner::Delimited(_)) {
                    self.warnings = table.columns().iter().filter_map(no_text_form).collect();
                }
            }
            Some(first) if layout.clone().eq(first.iter().cloned()) => {}
            Some(_) => {
                return Err(ErrorKind::Options {
                    problem: "a later table has other columns than the first one".to_owned(),
                    remedy: "write tables of one layout".into(),
                }
                .into());
            }
        }
        match &mut self.inner {
            Inner::Delimited(writer) => writer.write(table),
            #[cfg(feature = "parquet")]
            Inner::Parquet(writer) => writer.write(table),
        }
    }

    /// Warnings about columns that were not written. Each is returned once.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Writes the rest and returns the output.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn finish(self) -> Result<W> {
        match self.inner {
            Inner::Delimited(writer) => writer.finish(),
            #[cfg(feature = "parquet")]
            Inner::Parquet(writer) => writer.finish(),
        }
    }
}

fn no_text_form(column: &Column) -> Option<Warning> {
    let column_type = column.type_without_text()?;
    Some(Warning::NoTextForm { column: column.name().to_owned(), column_type })
}

fn name_and_kind(column: &Column) -> (String, &'static str) {
    (column.name().to_owned(), column.values().kind())
}

// Writes tables as delimited text.

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
