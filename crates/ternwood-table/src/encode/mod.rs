//! Tables to data sets: which columns are features, what their categories are numbered, what
//! stands in for missing values, and what the classes are called.
//!
//! All of it is learnt from the training table once, as a [`Schema`], and applied by column
//! name to every later table, so that prediction fills in training medians and numbers
//! categories as training did.

mod features;
mod fill;
mod schema;
mod target;

pub use schema::{EncodeOptions, MissingPolicy, Schema, UnknownPolicy};

use crate::error::{ErrorKind, Result};
use crate::table::Table;
use crate::warning::Warning;
use ternwood::{Columns, Dataset, Labels};

/// What [`encode`] makes of a training table.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// The data to learn from.
    pub dataset: Dataset,
    /// How it was made, to be applied to later tables.
    pub schema: Schema,
    /// What was decided on the user's behalf, while reading and while encoding.
    pub warnings: Vec<Warning>,
}

/// Learns the [`Schema`] of a training table and makes the data set, freeing each column of
/// the table as soon as it is encoded.
///
/// ```
/// use ternwood_table::{EncodeOptions, ReadOptions, Source, encode, read_table};
///
/// let csv = *b"age,colour,sick\n31,red,yes\n42,blue,no\n55,red,no\n";
/// let table = read_table(&Source::bytes("people.csv", csv), &ReadOptions::new())?;
/// let encoded = encode(table, "sick", EncodeOptions::default())?;
/// assert_eq!(encoded.dataset.feature_names(), ["age", "colour"]);
/// assert_eq!(encoded.dataset.columns().column(1), [1.0, 0.0, 1.0]); // blue = 0, red = 1
/// # Ok::<(), ternwood_table::Error>(())
/// ```
///
/// # Errors
/// There is no such target column, no feature or no row; a value is missing, unknown or
/// infinite and `options` do not say what to do about it.
pub fn encode(table: Table, target: &str, options: EncodeOptions) -> Result<Encoded> {
    let (schema, learnt) = Schema::learn(&table, target, options)?;
    let mut warnings = table.warnings.clone();
    warnings.extend(learnt);
    let labels = schema.labels(&table)?;
    let dataset = dataset(&schema, schema.take_columns(table)?, labels)?;
    Ok(Encoded { dataset, schema, warnings })
}

fn check_rows(table: &Table) -> Result<()> {
    if table.n_rows > 0 {
        return Ok(());
    }
    Err(ErrorKind::Empty { file: table.file().to_owned(), what: "rows" }.into())
}

/// Joins columns and labels under the names of the schema.
fn dataset(schema: &Schema, columns: Columns, labels: Labels) -> Result<Dataset> {
    let names = schema.features.iter().map(|feature| feature.name.clone());
    Ok(Dataset::new(columns, labels)?.with_feature_names(names)?)
}

impl Schema {
    /// The feature columns of a table, in the order of the schema; columns are matched by
    /// name, and others are not looked at.
    ///
    /// # Errors
    /// A feature is not there; a value is missing, unknown, infinite or of the wrong kind.
    pub fn columns(&self, table: &Table) -> Result<Columns> {
        let mut values = Vec::with_capacity(table.n_rows * self.features.len());
        for feature in &self.features {
            let column = table.column(&feature.name)?;
            features::encode(feature, features::Cells { column, table }, &mut values)?;
        }
        Ok(Columns::from_columns(values, self.features.len())?)
    }

    /// [`Schema::columns`], freeing each column as soon as it is encoded: a big table and its
    /// encoded columns need not be in memory together.
    fn take_columns(&self, mut table: Table) -> Result<Columns> {
        let mut values = Vec::with_capacity(table.n_rows * self.features.len());
        for feature in &self.features {
            let column = &table.take_column(&feature.name)?;
            let cells = features::Cells { column, table: &table };
            features::encode(feature, cells, &mut values)?;
        }
        Ok(Columns::from_columns(values, self.features.len())?)
    }

    /// The classes of a table's rows, numbered as in training.
    ///
    /// # Errors
    /// There is no target column; a class is missing or was never seen in training.
    pub fn labels(&self, table: &Table) -> Result<Labels> {
        target::labels(self, table)
    }

    /// The columns and labels of a table as a data set, to evaluate on.
    ///
    /// # Errors
    /// As [`Schema::columns`] and [`Schema::labels`]; or the table has no rows.
    pub fn dataset(&self, table: &Table) -> Result<Dataset> {
        check_rows(table)?;
        dataset(self, self.columns(table)?, self.labels(table)?)
    }

    /// [`Schema::dataset`] of a table that nobody needs afterwards: the table and the data are
    /// not in memory together.
    ///
    /// # Errors
    /// As [`Schema::dataset`].
    pub fn take_dataset(&self, table: Table) -> Result<Dataset> {
        check_rows(&table)?;
        let labels = self.labels(&table)?;
        dataset(self, self.take_columns(table)?, labels)
    }
}
