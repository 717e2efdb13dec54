//! Encodes tables as data sets.
//!
//! [`encode`] learns a [`Schema`] from the training table: the features, the codes of their
//! categories, the fill values and the classes. The data set and every model fitted to it hold the
//! schema. Later tables are encoded by it: columns are matched by name, categories get the codes of
//! training, and missing values the medians or modes of training.

mod features;
mod fill;
mod learn;
mod target;

pub use learn::{EncodeOptions, MissingPolicy, UnknownPolicy};

use crate::error::{Error, ErrorKind, Result};
use crate::table::Table;
use crate::warning::Warning;
use features::Cells;
use std::sync::Arc;
use ternwood::{Columns, Dataset, Schema};

/// An encoded training table.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// The data to fit, with the schema for later tables.
    pub dataset: Dataset,
    /// The warnings from reading and from encoding.
    pub warnings: Vec<Warning>,
}

/// Learns the schema of a training table and encodes the table.
///
/// Every column except the target is a feature. Two kinds of column are dropped with a warning:
/// columns without any value (if missing values are filled), and text columns in which almost every
/// value is different, unless declared nominal.
///
/// Classes keep the type of their column and are ordered as follows:
/// - numbers: ascending, `2` before `10`; integers if all are whole numbers;
/// - categories declared by the file (ARFF): texts in the declared order, including those without
///   rows;
/// - other texts: sorted (as numbers if all of them are numbers, in a column declared nominal);
/// - booleans (Parquet): false, true.
///
/// ```
/// use ternwood_table::{EncodeOptions, ReadOptions, Source, encode, read_table};
///
/// let csv = *b"age,colour,sick\n31,red,yes\n42,blue,no\n55,red,no\n";
/// let table = read_table(&Source::bytes("people.csv", csv), &ReadOptions::new())?;
/// let data = encode(table, "sick", EncodeOptions::default())?.dataset;
/// assert_eq!(data.schema().features()[1].name, "colour");
/// assert_eq!(data.columns().column(1), [1.0, 0.0, 1.0]); // blue = 0, red = 1
/// # Ok::<(), ternwood_table::Error>(())
/// ```
///
/// # Errors
/// There is no such target column, no feature or no row; or a value is infinite, or is missing and
/// `options` do not fill it.
pub fn encode(table: Table, target: &str, options: EncodeOptions) -> Result<Encoded> {
    let (schema, more_warnings) = learn::schema(&table, target, options)?;
    let mut warnings = table.warnings.clone();
    warnings.extend(more_warnings);
    Ok(Encoded { dataset: table.into_dataset(schema)?, warnings })
}

impl Table {
    /// Removes the features of a schema from the table and encodes them in schema order. Columns
    /// are matched by name. Columns that are not in the schema stay in the table.
    ///
    /// Each column is freed as soon as it is encoded, so a large table and its encoded columns are
    /// never both in memory. After an error some columns are gone.
    ///
    /// # Errors
    /// A feature is absent, or a value is missing, unknown, infinite or of the wrong kind.
    pub fn take_features(&mut self, schema: &Schema) -> Result<Columns> {
        let features = schema.features();
        // Check before taking any column, so that the error lists all of them.
        features.iter().try_for_each(|feature| self.column(&feature.name).map(drop))?;
        let mut values = Vec::with_capacity(self.n_rows * features.len());
        for feature in features {
            let column = &self.take_column(&feature.name)?;
            features::encode(feature, Cells { column, table: self }, &mut values)?;
        }
        Ok(Columns::from_columns(values, features.len())?)
    }

    /// Encodes the features and classes of the table by a schema, to evaluate a model.
    ///
    /// # Errors
    /// As [`Table::take_features`]; or the table has no rows or no target column, or a class is
    /// missing or not in the schema.
    pub fn into_dataset(mut self, schema: impl Into<Arc<Schema>>) -> Result<Dataset> {
        let schema = schema.into();
        if self.n_rows == 0 {
            return Err(empty(&self, "rows"));
        }
        let labels = target::labels(&schema, &self)?;
        Ok(Dataset::with_schema(self.take_features(&schema)?, labels, schema)?)
    }
}

/// The error for a table without rows or feature columns.
fn empty(table: &Table, what: &'static str) -> Error {
    ErrorKind::Empty { file: table.file().to_owned(), what }.into()
}
