//! Columns to copy to the output: the original Arrow array, and its text.

use super::guarded;
use crate::arrow::texts;
use crate::error::Result;
use arrow_array::{Array, ArrayRef, BooleanArray};
use arrow_schema::{ArrowError, FieldRef};
use arrow_select::concat::concat;
use arrow_select::filter::filter;
use std::sync::Arc;

/// The Arrow array of a column to copy.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(super) field: FieldRef,
    pub(super) array: ArrayRef,
    has_text: bool,
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.field == other.field && *self.array == *other.array
    }
}

impl Kept {
    /// Keeps an array and returns the text of its values, `None` if the type has no text form.
    pub(super) fn new(field: &FieldRef, array: ArrayRef) -> (Self, Option<Vec<Option<String>>>) {
        let texts = texts(&array);
        let field = Arc::new(field.as_ref().clone().with_nullable(true));
        (Self { field, array, has_text: texts.is_some() }, texts)
    }

    /// Concatenates pieces. `None` if there are none.
    pub(super) fn joined(pieces: &[Self]) -> Result<Option<Self>, ArrowError> {
        let Some(first) = pieces.first() else { return Ok(None) };
        let arrays: Vec<&dyn Array> = pieces.iter().map(|piece| &*piece.array).collect();
        let array = if arrays.len() == 1 { Arc::clone(&first.array) } else { concat(&arrays)? };
        Ok(Some(Self { field: Arc::clone(&first.field), array, has_text: first.has_text }))
    }

    /// The rows to keep.
    pub(crate) fn retaining(&self, keep: &[bool], file: &str) -> Result<Self> {
        let array = guarded(file, || Ok(filter(&self.array, &BooleanArray::from(keep.to_vec()))?))?;
        Ok(Self { array, field: Arc::clone(&self.field), has_text: self.has_text })
    }

    /// The type, if it has no text form.
    pub(crate) fn type_without_text(&self) -> Option<String> {
        (!self.has_text).then(|| self.field.data_type().to_string())
    }
}
