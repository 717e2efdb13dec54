//! Models as arrays in a [safetensors](https://github.com/huggingface/safetensors) file: for forests, whose
//! millions of nodes would be slow and large in JSON.
//!
//! The header holds what a JSON document says besides its trees. Every array has one field of the nodes, or of
//! the splits, of all trees, one tree after the other, each in preorder.

mod container;
mod from_arrays;
mod to_arrays;

use super::header::{self, Document};
use super::{Checksum, checked, in_file, json};
use crate::error::Result;
use crate::model::Model;
use container::{Arrays, Container};
use to_arrays::Columns;

/// What a split tests.
const THRESHOLD: u8 = 0;
const CATEGORIES: u8 = 1;
const PRESENT: u8 = 2;

/// Where missing values go.
const MISSING_UNKNOWN: u8 = 0;
const MISSING_LEFT: u8 = 1;
const MISSING_RIGHT: u8 = 2;

/// The feature of a leaf.
const LEAF: i32 = -1;

/// The axis of a cut that has a direction.
const DIRECTION: i32 = -1;

/// The decimals of a test that is shown with all its digits.
const ALL_DIGITS: i16 = i16::MIN;

impl Model {
    /// The model as a safetensors file: `docs/model-format.md` describes its arrays.
    ///
    /// ```
    /// use ternwood::{Columns, Dataset, Exec, Labels, Learner, Model, Recipe};
    ///
    /// let columns = Columns::from_columns((0..60).map(f64::from).collect(), 1)?;
    /// let data = Dataset::new(columns, Labels::from_values((0..60).map(|i| (i + i % 7) / 31)))?;
    /// let model = Learner::from_recipe(Recipe::forest())?.fit(&data, &Exec::default())?;
    /// let bytes = model.to_safetensors();
    /// assert_eq!(Model::from_bytes(&bytes)?, model);
    /// # Ok::<(), ternwood::Error>(())
    /// ```
    #[must_use]
    pub fn to_safetensors(&self) -> Vec<u8> {
        let arrays = Arrays::new(Columns::of(self.trees()).to_arrays());
        let sha256 = arrays.sha256(header(self, None));
        arrays.file(header(self, Some(&sha256)))
    }

    /// Reads a safetensors file. Everything in it is checked; time and memory are proportional to its length,
    /// whatever it says.
    ///
    /// # Errors
    /// The bytes are no such file, cut short, of another version, contradict themselves, or were damaged or edited
    /// ([`ErrorKind::Checksum`](crate::ErrorKind::Checksum)).
    pub fn from_safetensors(bytes: &[u8]) -> Result<Self> {
        checked(read(bytes)?)
    }
}

/// The model and the checksum of a safetensors file.
pub(super) fn read(bytes: &[u8]) -> Result<(Model, Checksum)> {
    let mut container = Container::read(bytes)?;
    let mut document = Document::read(&container.header)?;
    let stored = document.take_checksum()?;
    let trees = from_arrays::trees(&mut container, &document.schema)?;
    container.finish()?;
    drop(container);
    let model = in_file(document.into_model(Some(trees)))?;
    let computed = Arrays::new(Columns::of(model.trees()).to_arrays()).sha256(header(&model, None));
    Ok((model, Checksum::new(stored, computed)))
}

/// The document without its trees, in one line.
fn header(model: &Model, sha256: Option<&str>) -> String {
    let kind = [("format", json(header::FORMAT)), ("version", json(&header::VERSION))];
    let checksum = sha256.map(|sha256| (header::FIELD, json(sha256)));
    let parts = kind.into_iter().chain(checksum).chain(header::parts(model));
    let parts: Vec<String> = parts.map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", parts.join(","))
}
