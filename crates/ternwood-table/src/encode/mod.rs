//! Tables to data sets.
//!
//! [`encode`] learns a [`Schema`] from the training table: which columns are features, how their
//! categories are numbered, what replaces missing values, and what the classes are. The data set
//! and every model fitted to it hold that schema. Applied to a later table by column name, it
//! fills in training medians and numbers categories as training did.

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

/// What [`encode`] makes of a training table.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// The data to learn from, with the schema to apply to later tables.
    pub dataset: Dataset,
    /// What was decided on the user's behalf, while reading and while encoding.
    pub warnings: Vec<Warning>,
}

/// Learns the schema of a training table and makes the data set.
///
/// Every column but the target is a feature, except, with a warning: a column without any value
/// (where missing values are filled), and a text column in which almost every value is different,
/// unless it was declared nominal.
///
/// Classes are numbered as follows, and keep the type of their column:
/// - numbers ascending: `2` before `10`; integers if all are whole numbers;
/// - categories declared by the file (ARFF): as text, in the declared order, with those that no
///   row has;
/// - other texts: in sorted order (as numbers, if all of them are numbers that the user declared
///   nominal);
/// - truth values (Parquet): false, true.
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
/// There is no such target column, no feature or no row; a value is missing, unknown or infinite
/// and `options` do not say what to do about it.
pub fn encode(table: Table, target: &str, options: EncodeOptions) -> Result<Encoded> {
    let (schema, learnt) = learn::schema(&table, target, options)?;
    let mut warnings = table.warnings.clone();
    warnings.extend(learnt);
    Ok(Encoded { dataset: table.into_dataset(schema)?, warnings })
}

impl Table {
    /// Takes the features of a schema out of the table and encodes them, in the order of the
    /// schema. Columns are matched by name; those that the schema does not know are left.
    ///
    /// Each column is freed as soon as it is encoded, so a big table and its encoded columns are
    /// never in memory together. After an error some columns are gone.
    ///
    /// # Errors
    /// A feature is not there; a value is missing, unknown, infinite or of the wrong kind.
    pub fn take_features(&mut self, schema: &Schema) -> Result<Columns> {
        let features = schema.features();
        // Before any column is gone, so that the error lists all of them.
        features.iter().try_for_each(|feature| self.column(&feature.name).map(drop))?;
        let mut values = Vec::with_capacity(self.n_rows * features.len());
        for feature in features {
            let column = &self.take_column(&feature.name)?;
            features::encode(feature, Cells { column, table: self }, &mut values)?;
        }
        Ok(Columns::from_columns(values, features.len())?)
    }

    /// The features and classes of the table as a data set, to evaluate a model on.
    ///
    /// # Errors
    /// As [`Table::take_features`]; the table has no rows or no target column; a class is missing
    /// or is not in the schema.
    pub fn into_dataset(mut self, schema: impl Into<Arc<Schema>>) -> Result<Dataset> {
        let schema = schema.into();
        if self.n_rows == 0 {
            return Err(empty(&self, "rows"));
        }
        let labels = target::labels(&schema, &self)?;
        Ok(Dataset::with_schema(self.take_features(&schema)?, labels, schema)?)
    }
}

/// The error for a table that lacks what it needs most.
fn empty(table: &Table, what: &'static str) -> Error {
    ErrorKind::Empty { file: table.file().to_owned(), what }.into()
}
