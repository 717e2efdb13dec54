//! Ordered categories that a data frame has written.
//!
//! The file says only *that* the categories of a column are ordered. Their order is that of the
//! dictionary, which Arrow's C++ library (pandas, pyarrow, R) writes whole and in order; other
//! writers make their own, in the order of the rows.

use super::file::ParquetFile;
use super::guarded;
use crate::arrow::texts;
use crate::error::Result;
use crate::options::{ReadAs, ReadOptions};
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;

const KEEPS_ORDER: &str = "parquet-cpp-arrow";

/// The columns to infer that have ordered categories: name and categories.
pub(super) fn columns(
    file: &ParquetFile,
    options: &ReadOptions,
) -> Result<Vec<(String, Vec<String>)>> {
    let Some(typed) = file.typed() else { return Ok(Vec::new()) };
    let created_by = typed.metadata().file_metadata().created_by().unwrap_or_default();
    if !created_by.starts_with(KEEPS_ORDER) {
        return Ok(Vec::new());
    }
    let fields = typed.schema().fields();
    let names: Vec<&String> = fields.iter().map(|field| field.name()).collect();
    let plan = options.plan(&file.name, &names)?;
    let mut columns = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        if field.dict_is_ordered() == Some(true) && plan[index] == ReadAs::Infer {
            let categories = common_dictionary(file, typed, index)?;
            columns.extend(categories.map(|names| (field.name().clone(), names)));
        }
    }
    Ok(columns)
}

/// The categories of a column. Every row group has a dictionary of its own; `None` if they are not
/// the same.
fn common_dictionary(
    file: &ParquetFile,
    typed: &ArrowReaderMetadata,
    column: usize,
) -> Result<Option<Vec<String>>> {
    let mut common: Option<Vec<String>> = None;
    for group in 0..typed.metadata().num_row_groups() {
        let mut batches = file.batches(typed, &[column], Some(group))?;
        let batch = guarded(&file.name, || Ok(batches.next().transpose()?))?;
        let found = batch.and_then(|batch| dictionary(batch.column(0)));
        if found.is_none() || common.as_ref().is_some_and(|common| Some(common) != found.as_ref()) {
            return Ok(None);
        }
        common = found;
    }
    Ok(common)
}

fn dictionary(array: &ArrayRef) -> Option<Vec<String>> {
    let values = array.as_any_dictionary_opt()?.values();
    texts(values)?.into_iter().collect()
}
