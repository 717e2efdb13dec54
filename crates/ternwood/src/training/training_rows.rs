//! What a model knows of its training rows.

use super::feature_values::FeatureValues;
use super::row_filter::{RowFilter, Written};
use super::row_notes::{RowNotes, Twins};
use crate::dataset::{DatasetView, Schema, check_length};
use crate::error::{ErrorKind, Result};
use crate::exec::Exec;
use serde::{Deserialize, Serialize};

/// What a model knows of its training rows: how many there were, the range of every feature, how many
/// rows have a twin, and a [filter](RowFilter) by which it recognises them.
///
/// A row of whole weight k counts as k copies, a row of any other weight once. Nothing depends on the order
/// of the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Document", into = "Document")]
pub struct TrainingRows {
    rows: u64,
    features: Vec<FeatureValues>,
    twins: Option<Twins>,
    filter: Option<RowFilter>,
    is_private: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "training rows")]
struct Document {
    rows: u64,
    features: Vec<FeatureValues>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    twins: Option<Twins>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    filter: Option<Written>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    private: bool,
}

impl From<TrainingRows> for Document {
    fn from(known: TrainingRows) -> Self {
        let TrainingRows { rows, features, twins, filter, is_private: private } = known;
        Self { rows, features, twins, filter: filter.as_ref().map(RowFilter::written), private }
    }
}

impl TryFrom<Document> for TrainingRows {
    type Error = String;

    fn try_from(document: Document) -> std::result::Result<Self, String> {
        let Document { rows, features, twins, filter, private: is_private } = document;
        let read = |written| RowFilter::read(&written, rows);
        let filter = filter.map(read).transpose();
        let filter = filter.map_err(|problem| format!("the filter of training rows: {problem}"))?;
        Ok(Self { rows, features, twins, filter, is_private })
    }
}

impl TrainingRows {
    pub(super) fn new(
        rows: u64,
        features: Vec<FeatureValues>,
        twins: Twins,
        filter: Option<RowFilter>,
    ) -> Self {
        Self { rows, features, twins: Some(twins), filter, is_private: false }
    }

    /// What a model fitted to `data` would know of them; rows without weight do not count.
    ///
    /// ```
    /// use ternwood::training::TrainingRows;
    /// use ternwood::{Columns, Dataset, Exec, Labels};
    ///
    /// let exec = Exec::default();
    /// let rows = |values: std::ops::Range<i32>| -> ternwood::Result<Dataset> {
    ///     let columns = Columns::from_columns(values.clone().map(f64::from).collect(), 1)?;
    ///     Dataset::new(columns, Labels::from_values(values.map(|i| i % 2)))
    /// };
    /// let training = TrainingRows::of(&rows(1..500)?, &exec)?;
    /// assert_eq!(training.features()[0].range(), Some([0.0, 500.0]));
    /// // Of 200 rows, 100 are among those of training.
    /// assert!(training.seen(&rows(400..600)?, &exec)?.are_trained_on());
    /// assert!(!training.seen(&rows(500..700)?, &exec)?.are_trained_on());
    /// # Ok::<(), ternwood::Error>(())
    /// ```
    ///
    /// # Errors
    /// Cancellation.
    pub fn of<'a>(data: impl Into<DatasetView<'a>>, exec: &Exec) -> Result<Self> {
        Self::of_classes(&data.into(), &|_| true, exec)
    }

    /// The same of the rows whose class is `counted`.
    pub(crate) fn of_classes(
        data: &DatasetView<'_>,
        counted: &(dyn Fn(u32) -> bool + Sync),
        exec: &Exec,
    ) -> Result<Self> {
        let (notes, hashes) = RowNotes::of(data, counted, exec)?;
        let filter = notes.plan().map(|plan| RowFilter::of(plan, &hashes));
        Ok(notes.finish(data.schema(), filter))
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// What is known of every feature.
    #[must_use]
    pub fn features(&self) -> &[FeatureValues] {
        &self.features
    }

    /// How many rows have a twin, another row with the same features; `None` if that was left out.
    #[must_use]
    pub fn twins(&self) -> Option<Twins> {
        self.twins
    }

    /// The bits by which rows are recognised; `None` if they were left out, or if too many rows have twins.
    #[must_use]
    pub fn filter(&self) -> Option<&RowFilter> {
        self.filter.as_ref()
    }

    /// True if it was made [private](Self::private).
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.is_private
    }

    /// The same without anything about single rows: no filter, no number of twins, and no counts of
    /// categories with fewer than ten rows.
    #[must_use]
    pub fn private(self) -> Self {
        let features = self.features.into_iter().map(FeatureValues::private).collect();
        Self { rows: self.rows, features, twins: None, filter: None, is_private: true }
    }

    /// Checks that other rows are these; false if nobody can tell.
    ///
    /// # Errors
    /// [`ErrorKind::NotTrainedOn`], or cancellation.
    #[cfg(feature = "learn")]
    pub(crate) fn check_same(
        &self,
        data: &DatasetView<'_>,
        counted: &(dyn Fn(u32) -> bool + Sync),
        exec: &Exec,
    ) -> Result<bool> {
        let Some(filter) = &self.filter else { return Ok(false) };
        let (notes, hashes) = RowNotes::of(data, counted, exec)?;
        // The salt is made of all rows.
        if notes.plan().is_some_and(|plan| filter.follows(plan)) {
            return Ok(true);
        }
        let new = hashes.iter().filter(|&&hash| filter.matches(hash) == Some(false)).count();
        let (training, given) = (self.rows, notes.rows());
        Err(ErrorKind::NotTrainedOn { training, given, new: new as u64 }.into())
    }

    /// Checks what a file says.
    pub(crate) fn check(&self, schema: &Schema) -> Result<()> {
        let what = "the list of features of the training rows";
        check_length(what, self.features.len(), schema.n_features(), "the model's")?;
        let unusable = |problem: String| Err(ErrorKind::ModelFile { problem }.into());
        for (values, feature) in self.features.iter().zip(schema.features()) {
            if let Some(problem) = values.problem(self.rows, &feature.kind, self.is_private) {
                return unusable(format!("training rows, feature '{}': {problem}", feature.name));
            }
        }
        let has_filter = self.filter.is_some();
        match self.twins {
            Some(Twins { part, whole }) if part > whole || part == 1 || whole > self.rows => {
                let rows = self.rows;
                unusable(format!("{part} of {whole} of its {rows} training rows have twins"))
            }
            Some(_) if self.is_private => unusable("a private model has no twins".to_owned()),
            Some(twins) if has_filter && twins.are_too_many() => {
                let Twins { part, whole } = twins;
                let problem = "and a filter is for fewer";
                unusable(format!("{part} of {whole} training rows have twins, {problem}"))
            }
            None if has_filter => unusable("a filter needs the number of twins".to_owned()),
            _ => Ok(()),
        }
    }
}
