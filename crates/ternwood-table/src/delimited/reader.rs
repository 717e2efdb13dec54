//! Reads delimited text into tables.

use super::cells::{Cell, Cells};
use super::infer::infer;
use super::records::Records;
use super::sniff::Layout;
use crate::error::{Error, ErrorKind, Result, clipped, syntax};
use crate::format::Format;
use crate::options::{ReadAs, ReadOptions};
use crate::source::Source;
use crate::table::builder::{ColumnBuilder, TableBuilder};
use crate::table::{CategoryOrigin, Table, TableFile};

/// Reads a delimited text in chunks of rows.
pub(crate) struct DelimitedReader {
    records: Records,
    cells: Cells,
    verbatim: Vec<bool>,
    /// The first decimal mark of every column, if both points and commas are allowed.
    marks: Vec<Option<u8>>,
    builder: TableBuilder,
    /// The number of rows of the file, if known.
    n_rows: Option<usize>,
}

impl DelimitedReader {
    /// Guesses the delimiter and the header, and infers types where the options do not set them.
    pub(crate) fn open(source: &Source, format: Format, options: &ReadOptions) -> Result<Self> {
        let layout = Layout::of(source, format, options)?;
        let cells = Cells::new(&options.missing, layout.delimiter);
        let mut plan = options.plan(source.name(), &layout.names)?;
        let (n_rows, warnings) = if plan.contains(&ReadAs::Infer) {
            let (n_rows, warnings) = infer(source, &layout, &cells, &mut plan)?;
            (Some(n_rows), warnings)
        } else {
            (None, Vec::new())
        };
        let columns = plan.iter().map(|read_as| column(*read_as)).collect();
        let file = TableFile::new(source.name());
        let records = Records::new(source.take_text()?, source.name(), &layout)?;
        let mut builder = TableBuilder::new(file, layout.names, columns);
        builder.warnings = warnings;
        let verbatim: Vec<bool> = plan.iter().map(|read_as| *read_as == ReadAs::Verbatim).collect();
        let marks = vec![None; verbatim.len()];
        Ok(Self { records, cells, verbatim, marks, builder, n_rows })
    }

    /// Reads up to `limit` rows. Returns a table without rows at the end.
    pub(crate) fn read(&mut self, limit: usize) -> Result<Table> {
        self.builder.reserve(limit.min(self.n_rows.unwrap_or(0)));
        while self.builder.n_rows() < limit && self.records.advance()? {
            self.push_record()?;
            self.builder.end_row(self.records.line());
        }
        Ok(self.builder.take())
    }

    /// Skips up to `limit` rows without checking their values. Returns the number skipped.
    pub(crate) fn skip(&mut self, limit: u64) -> Result<u64> {
        let mut skipped = 0;
        while skipped < limit && self.records.advance()? {
            skipped += 1;
        }
        self.builder.skip_rows(skipped);
        Ok(skipped)
    }

    fn push_record(&mut self) -> Result<()> {
        for (index, field) in self.records.fields().enumerate() {
            match &mut self.builder.columns[index] {
                ColumnBuilder::Dropped => {}
                ColumnBuilder::Numeric(values) => match self.cells.parse(field) {
                    Cell::Number(value) => {
                        values.push(value);
                        if let Some(mark) = self.cells.decimal_mark(field)
                            && *self.marks[index].get_or_insert(mark) != mark
                        {
                            return Err(self.mixed_marks(index, field));
                        }
                    }
                    Cell::Missing => values.push(f64::NAN),
                    Cell::Word => return Err(self.not_a_number(index, field)),
                },
                ColumnBuilder::Nominal(nominal) => {
                    let verbatim = self.verbatim[index];
                    let field = if verbatim { field } else { field.trim_ascii() };
                    match std::str::from_utf8(field) {
                        _ if !verbatim && self.cells.is_missing(field) => nominal.push_missing(),
                        Ok(text) => _ = nominal.push(text),
                        Err(_) => return Err(self.not_utf8(index)),
                    }
                }
            }
        }
        Ok(())
    }

    fn not_a_number(&self, index: usize, field: &[u8]) -> Error {
        let Ok(value) = std::str::from_utf8(field) else { return self.not_utf8(index) };
        let place = self.records.place().in_column(&self.builder.names[index]);
        ErrorKind::NotANumber { place, value: clipped(value.trim()) }.into()
    }

    fn mixed_marks(&self, index: usize, field: &[u8]) -> Error {
        let place = self.records.place().in_column(&self.builder.names[index]);
        let value = clipped(&String::from_utf8_lossy(field));
        let problem = format!(
            "'{value}': the column has numbers with a decimal point and numbers with a decimal \
             comma; write all of them in one way"
        );
        syntax(place, problem)
    }

    fn not_utf8(&self, index: usize) -> Error {
        let place = self.records.place().in_column(&self.builder.names[index]);
        ErrorKind::NotUtf8 { place }.into()
    }
}

/// An empty column, after inference. `Infer` now means nominal.
fn column(read_as: ReadAs) -> ColumnBuilder {
    let nominal = ColumnBuilder::nominal;
    match read_as {
        ReadAs::Numeric => ColumnBuilder::numeric(),
        ReadAs::Nominal => nominal(CategoryOrigin::Requested),
        ReadAs::Infer | ReadAs::Verbatim => nominal(CategoryOrigin::Found),
        ReadAs::Drop => ColumnBuilder::Dropped,
    }
}
