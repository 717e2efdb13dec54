//! Some of the rows, and their answers.

use crate::dataset::{
    Columns, DatasetView, Matrix, RowWeights, Schema, WeightNotes, check_weights, mix,
};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::pieces::{Blob, Holder, PieceRows, Setup, mismatch};
use crate::partitions::messages::{self, Answer, Asked, Found, Question};
use crate::training::{FilterPlan, RowFilter, RowNotes};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Some of the rows of a training set; maybe none.
///
/// It remembers the codes of its rows and where they went, and makes both again where they are not what a
/// question needs. So it may be made again from its rows at any time.
#[derive(Debug)]
pub struct Partition {
    schema: Arc<Schema>,
    columns: Columns,
    labels: Vec<u32>,
    weights: Option<Vec<f64>>,
    held: Option<(Setup, Holder)>,
}

/// A partition as bytes.
#[derive(Serialize, Deserialize)]
struct Written {
    schema: String,
    /// Column by column.
    values: Blob,
    labels: Vec<u32>,
    weights: Option<Blob>,
}

const KIND: &str = "partition";

impl Partition {
    /// Combines values, class ids and weights, if rows have any. The schema is that of the whole: all
    /// partitions name the same classes and categories, whether or not they have rows of them.
    ///
    /// # Errors
    /// As [`Dataset::with_schema`](crate::Dataset::with_schema), except that there may be no rows; weights
    /// that are negative or not finite.
    pub fn new(
        columns: Columns,
        labels: Vec<u32>,
        weights: Option<Vec<f64>>,
        schema: impl Into<Arc<Schema>>,
        exec: &Exec,
    ) -> Result<Self> {
        let schema = schema.into();
        let partition = Self { schema, columns, labels, weights, held: None };
        if let Some(weights) = &partition.weights {
            check_weights(weights, partition.n_rows())?;
        }
        if partition.n_rows() > 0 {
            partition.view(exec)?;
        } else if partition.columns.n_features() != partition.schema.n_features()
            || !partition.labels.is_empty()
        {
            return Err(mismatch("an empty partition has other columns, or labels"));
        }
        Ok(partition)
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.columns.n_rows()
    }

    /// The bytes of its rows; with codes, about a quarter more.
    #[must_use]
    pub fn n_bytes(&self) -> usize {
        let per_row = 8 * self.columns.n_features() + 4 + self.weights.as_ref().map_or(0, |_| 8);
        self.n_rows() * per_row
    }

    /// The values, class ids and weights that it was made from.
    #[must_use]
    pub fn into_rows(self) -> (Columns, Vec<u32>, Option<Vec<f64>>) {
        (self.columns, self.labels, self.weights)
    }

    /// The rows and the schema as bytes, for wherever they must go.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let bytes = |values: &[f64]| Blob(values.iter().flat_map(|x| x.to_le_bytes()).collect());
        let written = Written {
            schema: serde_json::to_string(&*self.schema).expect("plain data is always JSON"),
            values: bytes(self.columns.values()),
            labels: self.labels.clone(),
            weights: self.weights.as_deref().map(bytes),
        };
        messages::to_bytes(KIND, &written)
    }

    /// Reads the bytes of a partition.
    ///
    /// # Errors
    /// Bytes of something else, or as [`new`](Self::new).
    pub fn from_bytes(bytes: &[u8], exec: &Exec) -> Result<Self> {
        let Written { schema, values, labels, weights } = messages::from_bytes(KIND, bytes)?;
        let schema: Schema =
            serde_json::from_str(&schema).map_err(|error| mismatch(&error.to_string()))?;
        let numbers = |Blob(bytes): Blob| -> Vec<f64> {
            bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
        };
        let columns = Columns::from_columns(numbers(values), schema.n_features())?;
        Self::new(columns, labels, weights.map(numbers), schema, exec)
    }

    /// What its rows answer to a question.
    ///
    /// # Errors
    /// A question about other features or classes, a row that training refuses, or cancelled.
    pub fn answer(&mut self, question: &Question, exec: &Exec) -> Result<Answer> {
        Ok(Answer(match &question.0 {
            Asked::Describe { counted, complete, sample } => {
                let described = self.describe(counted, *complete, *sample, exec)?;
                Found::Described(Box::new(described))
            }
            Asked::Filter { counted, plan } => Found::Filter(self.filter(counted, *plan, exec)?),
            Asked::Weigh(notes) => Found::Weighed(match &self.weights {
                Some(weights) => notes.total(weights),
                None => notes.total(&vec![1.0; self.n_rows()]),
            }),
            Asked::Nodes { setup, routes, asks } => {
                let mut holder = match self.held.take() {
                    Some((held, holder)) if held == *setup => holder,
                    _ => {
                        setup.check(&self.schema)?;
                        Holder::new(self.piece(), setup, exec)?
                    }
                };
                let replies = holder.answer(self.piece(), routes, asks, exec)?;
                self.held = Some((setup.clone(), holder));
                Found::Replies(replies)
            }
        }))
    }

    /// Forgets the codes: memory for time.
    pub fn forget(&mut self) {
        self.held = None;
    }

    fn describe(
        &self,
        counted: &[bool],
        complete: bool,
        sample: u32,
        exec: &Exec,
    ) -> Result<Described> {
        let is_counted = self.counted(counted)?;
        if self.n_rows() == 0 {
            return Ok(Described::nothing(&self.schema, sample));
        }
        let data = self.view(exec)?;
        let rows = self.training_rows(counted);
        data.matrix().check_categories(&self.schema, &rows)?;
        if complete {
            data.check_complete(&rows)?;
        }
        Described::new(&data, &is_counted, sample, exec)
    }

    /// The bits of its rows.
    fn filter(&self, counted: &[bool], plan: FilterPlan, exec: &Exec) -> Result<RowFilter> {
        let is_counted = self.counted(counted)?;
        let hashes = match self.n_rows() {
            0 => Vec::new(),
            _ => RowNotes::of(&self.view(exec)?, &is_counted, exec)?.1,
        };
        Ok(RowFilter::of(plan, &hashes))
    }

    /// Whether the rows of a class count.
    fn counted<'a>(&self, counted: &'a [bool]) -> Result<impl Fn(u32) -> bool + Sync + use<'a>> {
        if counted.len() != self.schema.n_classes() {
            return Err(mismatch("its classes are not those of the partition"));
        }
        Ok(|class: u32| counted.get(class as usize).copied().unwrap_or(false))
    }

    /// The rows that count, as far as one partition knows.
    fn training_rows(&self, counted: &[bool]) -> Vec<u32> {
        let weights = RowWeights::new(self.weights.as_deref());
        let counts = |row: usize| weights.of(row) > 0.0 && counted[self.labels[row] as usize];
        (0..self.n_rows()).filter(|&row| counts(row)).map(|row| row as u32).collect()
    }

    fn piece(&self) -> PieceRows<'_> {
        PieceRows {
            matrix: Matrix::from(&self.columns),
            classes: &self.labels,
            weights: self.weights.as_deref(),
            schema: &self.schema,
        }
    }

    fn view(&self, exec: &Exec) -> Result<DatasetView<'_>> {
        let matrix = Matrix::from(&self.columns);
        let view = DatasetView::new(matrix, &self.labels, Arc::clone(&self.schema), exec)?;
        Ok(match &self.weights {
            Some(weights) => view.with_weights_of_part(weights),
            None => view,
        })
    }
}

// What the rows of a partition are like.

/// What is known of some rows before the tree begins. Parts merge to the whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Described {
    pub(super) rows: u64,
    /// Of every feature, whether some value is missing.
    pub(super) missing: Vec<bool>,
    pub(super) weights: WeightNotes,
    /// What the model will know of them, before the filter of training rows is filled.
    pub(super) notes: RowNotes,
    /// The rows with the smallest hashes.
    sample: Vec<SampledRow>,
    /// The most rows of the sample that one partition sends.
    most: u32,
}

/// A sample of several partitions has up to so many times the rows of one.
const SAMPLES: usize = 4;

/// A row of a sample from which bins are chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SampledRow {
    hash: u64,
    values: Vec<f64>,
}

impl Described {
    /// Of no rows.
    pub(super) fn nothing(schema: &Schema, most: u32) -> Self {
        Self {
            rows: 0,
            missing: vec![false; schema.n_features()],
            weights: WeightNotes::of(None, 0),
            notes: RowNotes::nothing(schema),
            sample: Vec::new(),
            most,
        }
    }

    /// Of the rows of a partition, of which the classes that are `counted` count.
    ///
    /// # Errors
    /// Cancelled.
    pub(super) fn new(
        data: &DatasetView<'_>,
        counted: &(dyn Fn(u32) -> bool + Sync),
        most: u32,
        exec: &Exec,
    ) -> Result<Self> {
        let (notes, _) = RowNotes::of(data, counted, exec)?;
        let n_features = data.n_features() as u32;
        Ok(Self {
            rows: data.n_rows() as u64,
            missing: (0..n_features).map(|feature| data.has_missing(feature)).collect(),
            weights: WeightNotes::of(data.weights(), data.n_rows()),
            notes,
            sample: sample(data, most),
            most,
        })
    }

    pub(super) fn merged(mut self, mut other: Self) -> Result<Self> {
        if self.missing.len() != other.missing.len()
            || self.notes.n_features() != other.notes.n_features()
            || self.most != other.most
        {
            return Err(mismatch("two partitions described different features"));
        }
        self.rows = self.rows.saturating_add(other.rows);
        self.missing.iter_mut().zip(&other.missing).for_each(|(one, other)| *one |= other);
        self.weights = self.weights.merged(other.weights);
        self.notes = self.notes.merged(&other.notes);
        self.sample.append(&mut other.sample);
        keep_smallest(&mut self.sample, SAMPLES * self.most as usize);
        Ok(self)
    }

    /// The sampled values of a feature.
    pub(super) fn sampled(&self, feature: usize) -> Vec<f64> {
        self.sample.iter().filter_map(|row| row.values.get(feature).copied()).collect()
    }
}

/// The rows with the smallest hashes of place and first value: any sample will do, and this one can be
/// merged.
fn sample(data: &DatasetView<'_>, most: u32) -> Vec<SampledRow> {
    let (matrix, n_rows) = (data.matrix(), data.n_rows());
    let first = matrix.column(0);
    let hash = |row: usize| mix(mix(row as u64) ^ first.at(row).to_bits());
    let mut hashes: Vec<(u64, usize)> = (0..n_rows).map(|row| (hash(row), row)).collect();
    let most = (most as usize).min(n_rows);
    if most < n_rows {
        hashes.select_nth_unstable(most);
        hashes.truncate(most);
    }
    let row = |(hash, row): (u64, usize)| SampledRow { hash, values: matrix.trained_row(row) };
    let mut sample: Vec<SampledRow> = hashes.into_iter().map(row).collect();
    keep_smallest(&mut sample, most);
    sample
}

fn keep_smallest(sample: &mut Vec<SampledRow>, most: usize) {
    let values = |row: &SampledRow| row.values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    // Of equal hashes, the order must not depend on who came first.
    sample.sort_unstable_by(|a, b| a.hash.cmp(&b.hash).then_with(|| values(a).cmp(&values(b))));
    sample.truncate(most);
}
