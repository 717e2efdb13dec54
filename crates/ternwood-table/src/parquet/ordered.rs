//! Ordered categories that a data frame has written.
//!
//! The file says only *that* the categories of a column are ordered. Their order is that of the
//! dictionary, which Arrow's C++ library (pandas, pyarrow, R) writes whole and in order; other
//! writers make their own, in the order of the rows.

use super::guarded;
use super::kept::texts;
use super::read::Input;
use crate::error::{Result, io};
use crate::options::{ReadAs, ReadOptions};
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use parquet::file::reader::ChunkReader;
use std::fs::File;

const KEEPS_ORDER: &str = "parquet-cpp-arrow";

/// The columns to infer that have ordered categories: name and categories.
pub(super) fn columns(
    input: &Input,
    file: &str,
    options: &ReadOptions,
) -> Result<Vec<(String, Vec<String>)>> {
    match input {
        Input::File(path) => {
            let open = || File::open(path).map_err(|problem| io(file, problem));
            find(open, file, options)
        }
        Input::Bytes(bytes) => find(|| Ok(bytes.clone()), file, options),
    }
}

fn find<I: ChunkReader + 'static>(
    open: impl Fn() -> Result<I>,
    file: &str,
    options: &ReadOptions,
) -> Result<Vec<(String, Vec<String>)>> {
    let builder = |input: I| {
        // Types that contradict the file order nothing.
        guarded(file, || Ok(ParquetRecordBatchReaderBuilder::try_new(input).ok()))
    };
    let Some(reader) = builder(open()?)? else { return Ok(Vec::new()) };
    let created_by = reader.metadata().file_metadata().created_by().unwrap_or_default();
    if !created_by.starts_with(KEEPS_ORDER) {
        return Ok(Vec::new());
    }
    let fields = reader.schema().fields();
    let names: Vec<&String> = fields.iter().map(|field| field.name()).collect();
    let plan = options.plan(file, &names)?;
    let mut columns = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        if field.dict_is_ordered() != Some(true) || plan[index] != ReadAs::Infer {
            continue;
        }
        // Every row group has a dictionary of its own, which should be the same.
        let mut common: Option<Vec<String>> = None;
        let mut is_common = true;
        for group in 0..reader.metadata().num_row_groups() {
            let Some(reader) = builder(open()?)? else { continue };
            let mask = ProjectionMask::roots(reader.parquet_schema(), [index]);
            let batches = reader.with_projection(mask).with_row_groups(vec![group]).build();
            let found = guarded(file, || first_dictionary(batches?))?;
            is_common &= found.is_some() && (common.is_none() || common == found);
            common = common.or(found);
        }
        columns.extend(common.filter(|_| is_common).map(|names| (field.name().clone(), names)));
    }
    Ok(columns)
}

/// The categories of a row group.
fn first_dictionary(
    mut batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
) -> Result<Option<Vec<String>>, ParquetError> {
    let batch = batches.next().transpose()?;
    Ok(batch.and_then(|batch| dictionary(batch.column(0))))
}

fn dictionary(array: &ArrayRef) -> Option<Vec<String>> {
    let values = array.as_any_dictionary_opt()?.values();
    texts(values)?.into_iter().collect()
}
