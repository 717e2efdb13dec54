//! Encodes tables as data sets.
//!
//! [`encode`] learns a [`Schema`] from the training table: the features, the ids of their
//! categories, the fill values and the classes. The data set and every model fitted to it hold the
//! schema. Later tables are encoded by it: columns are matched by name, categories get the ids of
//! training, and missing values the medians or modes of training, if it had any.

mod advice;
mod features;
mod learn;
mod target;

use crate::error::{Error, ErrorKind, Place, Result};
use crate::table::{Column, Table};
use crate::warning::Warning;
pub(crate) use advice::{leave_out, many_categories, reason_of};
use features::FeatureCells;
pub use features::{UnseenCategories, UnseenInColumn};
#[cfg(feature = "arrow")]
pub(crate) use learn::feature as learn_column;
pub use learn::{EncodeOptions, MissingPolicy};
pub(crate) use learn::{is_boolean, schema_of_stand_ins};
use std::sync::Arc;
pub(crate) use target::labels;
use ternwood::{ClassName, Columns, Dataset, Feature, Schema};

/// A table encoded as a data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// The data, with the schema for later tables.
    pub dataset: Dataset,
    /// The warnings from reading and from encoding.
    pub warnings: Vec<Warning>,
    /// The features that were not needed and are not there; their values are 0.
    pub absent: Vec<String>,
}

/// The features of a later table.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodedFeatures {
    /// The columns, in the order of the schema.
    pub columns: Columns,
    /// The categories that the schema does not have.
    pub unseen: UnseenCategories,
    absent: Vec<String>,
    unseen_cells: Vec<UnseenCells>,
}

/// The rows of a column whose category the schema does not have.
#[derive(Debug, Clone, PartialEq)]
struct UnseenCells {
    feature: usize,
    column: Column,
    /// Ascending.
    rows: Vec<usize>,
}

/// The rows of a column whose category the training table did not have.
#[cfg(feature = "arrow")]
#[derive(Debug, Clone, PartialEq)]
pub struct UnseenRows {
    column: Option<Column>,
    /// Ascending.
    rows: Vec<usize>,
}

#[cfg(feature = "arrow")]
impl UnseenRows {
    /// The category of a row, if it is one of these.
    #[must_use]
    pub fn name(&self, row: usize) -> Option<String> {
        self.rows.binary_search(&row).ok()?;
        self.column.as_ref()?.text_of(row)
    }

    /// The names of the categories, sorted.
    #[must_use]
    pub fn names(&self) -> std::collections::BTreeSet<String> {
        let name = |&row: &usize| self.column.as_ref()?.text_of(row);
        self.rows.iter().filter_map(name).collect()
    }
}

/// Writes a column, encoded by its feature, to `out`. Returns the rows whose category the feature
/// does not have.
#[cfg(feature = "arrow")]
pub(crate) fn encode_column(
    feature: &Feature,
    column: Column,
    out: &mut [f64],
) -> Result<UnseenRows> {
    let table = Table::from_columns(Vec::new())?;
    let cells = FeatureCells { column: &column, table: &table };
    let rows = features::encode_column(feature, cells, out)?;
    let column = (!rows.is_empty()).then_some(column);
    Ok(UnseenRows { column, rows })
}

impl EncodedFeatures {
    /// The categories of a row that the schema does not have: the index of the feature, and the
    /// name.
    pub fn unseen_in_row(&self, row: usize) -> impl Iterator<Item = (usize, String)> {
        let columns = self.unseen_cells.iter();
        let columns = columns.filter(move |cells| cells.rows.binary_search(&row).is_ok());
        columns.filter_map(move |cells| Some((cells.feature, cells.column.text_of(row)?)))
    }
}

/// Learns the schema of a training table and encodes the table.
///
/// Every column except the target is a feature. A missing value is NaN, unless `options` fill it.
/// Some columns are dropped with a warning, unless the user said what they are: those without any
/// value (unless missing values are errors), and those that look like an identifier of the rows.
///
/// The categories of a feature are those of the rows of positive weight, sorted (as numbers if all
/// are numbers), whatever the file declares; ordered categories are all that are declared, in their
/// order. Booleans are the categories `false` and `true`.
///
/// Classes keep the type of their column and are ordered as follows:
/// - numbers: ascending, `2` before `10`; integers if all are whole numbers, also if a file
///   declares them as categories;
/// - booleans: false, true;
/// - other texts: sorted (as numbers if all of them are numbers, in a column declared nominal).
///
/// ```
/// use ternwood_table::{EncodeOptions, ReadOptions, Source, encode, read_table};
///
/// let csv = *b"age,colour,sick\n31,red,yes\n,blue,no\n55,red,no\n";
/// let table = read_table(&Source::bytes("people.csv", csv), &ReadOptions::new())?;
/// let data = encode(table, "sick", EncodeOptions::default())?.dataset;
/// assert_eq!(data.schema().features()[1].name, "colour");
/// assert_eq!(data.columns().column(1), [1.0, 0.0, 1.0]); // blue = 0, red = 1
/// assert!(data.columns().column(0)[1].is_nan());
/// # Ok::<(), ternwood_table::Error>(())
/// ```
///
/// # Errors
/// There is no such target column, no feature or no row; a row has no class
/// ([`Table::drop_rows_without_class`] drops such rows); or a value is infinite, or is missing and that
/// is an error by `options`.
pub fn encode(table: Table, target: &str, options: EncodeOptions<'_>) -> Result<Encoded> {
    let (schema, more_warnings) = learn::schema(&table, target, options)?;
    let mut warnings = table.warnings.clone();
    warnings.extend(more_warnings);
    if options.missing == MissingPolicy::Error {
        table.check_complete(schema.features())?;
    }
    // Only rows of weight 0 can have unseen categories here, and training does not look at them.
    let (mut dataset, ..) = labelled(table, schema.into(), |_| true)?;
    if let Some(weights) = options.weights {
        dataset = dataset.with_weights(weights)?;
    }
    Ok(Encoded { dataset, warnings, absent: Vec::new() })
}

impl Table {
    /// Removes the features of a schema from the table and encodes them in schema order. Columns
    /// are matched by name. Columns that are not in the schema stay in the table.
    ///
    /// A category that the schema does not have gets the first id that is no category's, which
    /// models take for one that training did not see; in a column of ordered categories it becomes
    /// an unknown number. A missing value is NaN, or what the schema fills in.
    ///
    /// Each column is freed as soon as it is encoded, so a large table and its encoded columns are
    /// never both in memory. After an error some columns are gone.
    ///
    /// # Errors
    /// A feature is absent, or a value is infinite or of the wrong kind.
    pub fn take_features(&mut self, schema: &Schema) -> Result<EncodedFeatures> {
        self.take_needed_features(schema, |_| true)
    }

    /// As [`Table::take_features`]; but features for which `is_needed` is false, given their index,
    /// need no column. If they have none, or one that cannot be encoded, their values are 0, and no
    /// test may look at them. Their new categories are not reported.
    ///
    /// # Errors
    /// A feature that is needed is absent, or a value is infinite or of the wrong kind.
    pub fn take_needed_features(
        &mut self,
        schema: &Schema,
        is_needed: impl Fn(usize) -> bool,
    ) -> Result<EncodedFeatures> {
        let features = schema.features();
        // Check before taking any column, so that the error lists all of them.
        let needed = features.iter().enumerate().filter(|(index, _)| is_needed(*index));
        needed.clone().try_for_each(|(_, feature)| self.column(&feature.name).map(drop))?;
        let mut values = vec![0.0; self.n_rows * features.len()];
        let (mut unseen, mut unseen_cells) = (UnseenCategories::default(), Vec::new());
        let mut absent = Vec::new();
        for (index, feature) in features.iter().enumerate() {
            let is_needed = is_needed(index);
            if !is_needed && self.column(&feature.name).is_err() {
                absent.push(feature.name.clone());
                continue;
            }
            let column = self.take_column(&feature.name)?;
            let cells = FeatureCells { column: &column, table: self };
            let out = &mut values[index * self.n_rows..][..self.n_rows];
            let rows = match features::encode_column(feature, cells, out) {
                Err(_) if !is_needed => {
                    absent.push(feature.name.clone());
                    values[index * self.n_rows..][..self.n_rows].fill(0.0);
                    continue;
                }
                rows => rows?,
            };
            if is_needed && !rows.is_empty() {
                unseen.extend([UnseenInColumn::of(feature, &column, &rows)]);
                unseen_cells.push(UnseenCells { feature: index, column, rows });
            }
        }
        let columns = Columns::from_columns(values, features.len())?;
        Ok(EncodedFeatures { columns, unseen, absent, unseen_cells })
    }

    /// Encodes the features and classes of the table by a schema, to evaluate a model. The warnings
    /// include one for every column with categories that the schema does not have.
    ///
    /// # Errors
    /// As [`Table::take_features`]; or the table has no rows or no target column, or a class is
    /// missing or not in the schema.
    pub fn into_dataset(self, schema: impl Into<Arc<Schema>>) -> Result<Encoded> {
        self.into_dataset_needing(schema, |_| true)
    }

    /// As [`Table::into_dataset`]; features for which `is_needed` is false, given their index, need
    /// no column.
    ///
    /// # Errors
    /// As [`Table::into_dataset`].
    pub fn into_dataset_needing(
        mut self,
        schema: impl Into<Arc<Schema>>,
        is_needed: impl Fn(usize) -> bool,
    ) -> Result<Encoded> {
        let mut warnings = std::mem::take(&mut self.warnings);
        let (dataset, unseen, absent) = labelled(self, schema.into(), is_needed)?;
        warnings.extend(unseen.into_warnings());
        Ok(Encoded { dataset, warnings, absent })
    }

    /// The schema that [`encode`] would learn, and its warnings; without encoding anything.
    ///
    /// # Errors
    /// As [`encode`], except for values that it cannot encode.
    pub fn learn_schema(
        &self,
        target: &str,
        missing: MissingPolicy,
    ) -> Result<(Schema, Vec<Warning>)> {
        learn::schema(self, target, EncodeOptions::missing(missing))
    }

    /// The features that [`encode`] would make of the columns, and what speaks against them or
    /// against the columns it would leave out; without encoding anything.
    ///
    /// # Errors
    /// There is no such target column.
    pub fn learn_features(
        &self,
        target: Option<&str>,
        missing: MissingPolicy,
    ) -> Result<(Vec<Feature>, Vec<Warning>)> {
        let target = target.map(|name| self.column(name)).transpose()?;
        Ok(learn::features(self, target, EncodeOptions::missing(missing)))
    }

    /// The classes of a target column, in the order that [`encode`] documents, and the number of
    /// rows of each.
    ///
    /// # Errors
    /// There is no such column, or a row has no class, or an infinite one.
    pub fn class_counts(&self, target: &str) -> Result<Vec<(ClassName, usize)>> {
        let classes = target::classes(self.column(target)?, self)?;
        let schema = Schema::new(Vec::new(), classes)?.with_target(target)?;
        let mut counts: Vec<(ClassName, usize)> =
            schema.classes().iter().map(|class| (class.clone(), 0)).collect();
        for id in labels(&schema, self)? {
            counts[id as usize].1 += 1;
        }
        Ok(counts)
    }

    /// Drops the rows without a class, with a warning that counts them. The others keep their
    /// places.
    ///
    /// # Errors
    /// There is no such target column, or it is empty.
    pub fn drop_rows_without_class(&mut self, target: &str) -> Result<()> {
        let has_class = self.column(target)?.values.present();
        let rows = has_class.iter().filter(|&&present| !present).count();
        if rows == 0 {
            return Ok(());
        }
        let column = target.to_owned();
        if rows == self.n_rows {
            return Err(ErrorKind::NoClasses { file: self.file().to_owned(), column }.into());
        }
        self.retain_rows(&has_class)?;
        self.warnings.push(Warning::NoClass { column, rows });
        Ok(())
    }

    /// Checks that none of these features has a missing value that it does not fill.
    ///
    /// # Errors
    /// The first such value, by column, with its place; or a feature is absent.
    pub fn check_complete<'a>(
        &self,
        features: impl IntoIterator<Item = &'a Feature>,
    ) -> Result<()> {
        match self.first_gap(features.into_iter().filter(|feature| feature.fill.is_none()))? {
            Some(place) => Err(ErrorKind::MissingValue { place }.into()),
            None => Ok(()),
        }
    }

    /// Checks that no value is missing where the training table had [no gaps](Feature::gaps).
    ///
    /// # Errors
    /// The first such value, by column, with its place; or a feature is absent.
    pub fn check_gaps<'a>(&self, features: impl IntoIterator<Item = &'a Feature>) -> Result<()> {
        let had_none = |feature: &&Feature| !feature.gaps && feature.fill.is_none();
        match self.first_gap(features.into_iter().filter(had_none))? {
            Some(place) => Err(ErrorKind::NewGap { place }.into()),
            None => Ok(()),
        }
    }

    fn first_gap<'a>(&self, features: impl Iterator<Item = &'a Feature>) -> Result<Option<Place>> {
        for feature in features {
            let column = self.column(&feature.name)?;
            if let Some(row) = column.values.first_gap() {
                return Ok(Some(self.place(row).in_column(&column.name)));
            }
        }
        Ok(None)
    }
}

fn labelled(
    mut table: Table,
    schema: Arc<Schema>,
    is_needed: impl Fn(usize) -> bool,
) -> Result<(Dataset, UnseenCategories, Vec<String>)> {
    if table.n_rows == 0 {
        return Err(no_rows(&table));
    }
    let labels = labels(&schema, &table)?;
    let EncodedFeatures { columns, unseen, absent, .. } =
        table.take_needed_features(&schema, is_needed)?;
    Ok((Dataset::with_schema(columns, labels, schema)?, unseen, absent))
}

/// The error for a table without rows.
fn no_rows(table: &Table) -> Error {
    ErrorKind::Empty { file: table.file().to_owned(), what: "rows" }.into()
}
