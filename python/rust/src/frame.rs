//! Data frames, read through Arrow's PyCapsule interface.

use crate::matrix;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, LargeStringArray,
    PrimitiveArray, RecordBatchReader, make_array,
};
use arrow_schema::{ArrowError, DataType, Field, TimeUnit};
use numpy::ndarray::{Array2, ShapeBuilder};
use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use ternwood::Schema;
use ternwood::dataset::notation::Notation;
use ternwood_table::{
    CategoryOrigin, Dictionary, EncodeOptions, FrameColumn, FrameError, MissingPolicy, Nominal,
    ReadAs, ReadNote, UnseenRows, Values as TableValues,
};

/// What to do about a column that cannot be read.
const REMEDY: &str = "every value of the argument must be a string, a boolean, a number or a date, \
    or be missing, and a column must not mix them; convert the column to one of these, or leave it \
    out";

/// A data frame. Its columns are where they were; one at a time is copied when it is read.
#[pyclass(frozen, module = "ternwood._ternwood")]
pub(crate) struct Frame {
    frame: ternwood_table::Frame,
    /// By column, its type as the caller knows it.
    dtypes: Vec<String>,
}

/// A column that is in no Arrow array.
#[derive(FromPyObject)]
pub(crate) enum Loose<'py> {
    Values(Values<'py>),
    /// Codes, -1 where missing; the values that they stand for; and what these are: the distinct
    /// "texts" of a column of strings, or "all" categories of a type, or its "ordered" ones.
    Coded((Codes<'py>, Values<'py>, String)),
}

#[derive(FromPyObject)]
pub(crate) enum Values<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Integers(PyReadonlyArray1<'py, i64>),
    Booleans(PyReadonlyArray1<'py, bool>),
    /// Moments ("M") or durations ("m") in a unit such as "us"; the least number where missing.
    Times((PyReadonlyArray1<'py, i64>, String, String)),
    Texts(Vec<Option<String>>),
}

#[derive(FromPyObject)]
pub(crate) enum Codes<'py> {
    Int8(PyReadonlyArray1<'py, i8>),
    Int16(PyReadonlyArray1<'py, i16>),
    Int32(PyReadonlyArray1<'py, i32>),
    Int64(PyReadonlyArray1<'py, i64>),
}

/// What the numbers of a column mean: its categories unless they are numbers, whether these are
/// ordered, whether a type or the caller says that they are categories, and the notation of numbers.
type Kind = (Option<Vec<String>>, bool, bool, Option<String>);
/// The position of a column, the kind of a note, a text of the column, and more texts.
type Note = (usize, &'static str, String, Vec<String>);
type Matrix<'py> = Bound<'py, PyArray2<f64>>;
/// Codes, names, whether the categories are those of the type, and whether they are ordered.
type Coded<'py> = (Bound<'py, PyArray1<i64>>, Vec<String>, bool, bool);

#[derive(IntoPyObject)]
pub(crate) enum Column<'py> {
    Numbers(Bound<'py, PyArray1<f64>>),
    Codes(Coded<'py>),
}

/// Categories of rows that a model does not know.
#[pyclass(frozen, module = "ternwood._ternwood")]
pub(crate) struct Unseen(Vec<UnseenRows>);

#[pymethods]
impl Frame {
    /// Reads an object with `__arrow_c_stream__`, if it is not None. `loose` adds columns, each with its
    /// position among all columns. Columns of `enumerated` list all their categories.
    #[new]
    #[pyo3(signature = (stream, dtypes, *, enumerated=HashSet::new(), loose=Vec::new()))]
    fn new(
        stream: Option<Bound<'_, PyAny>>,
        dtypes: Vec<String>,
        enumerated: HashSet<String>,
        loose: Vec<(usize, String, Loose<'_>)>,
    ) -> PyResult<Self> {
        let mut columns = stream.as_ref().map(read).transpose()?.unwrap_or_default();
        for column in &mut columns {
            if enumerated.contains(column.name()) {
                *column = column.clone().with_dictionary(Dictionary::AllCategories);
            }
        }
        for (index, name, values) in loose {
            columns.insert(index.min(columns.len()), values.into_column(name)?);
        }
        Ok(Self { frame: ternwood_table::Frame::new(columns), dtypes })
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.frame.n_rows()
    }

    /// The names of the columns.
    fn names(&self) -> Vec<&str> {
        self.frame.columns().iter().map(FrameColumn::name).collect()
    }

    /// Column, position and type, to start a sentence with.
    fn called(&self, index: usize) -> String {
        let column = &self.frame.columns()[index];
        let found = || column.data_type().to_string();
        let dtype = self.dtypes.get(index).cloned().unwrap_or_else(found);
        format!("column '{}' (index {index}, dtype {dtype})", column.name())
    }

    /// Whether a column holds dates or times by its type.
    fn is_date(&self, index: usize) -> bool {
        self.frame.columns()[index].is_date()
    }

    /// A column by its type: numbers, or codes of categories. Texts are categories.
    fn column<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        read_as: &str,
        remedy: &str,
    ) -> PyResult<Column<'py>> {
        let column = py.detach(|| self.frame.column(index, &how_to_read(read_as)));
        let column = column.map_err(|error| self.error(index, error, Some(remedy)))?;
        Ok(match column.values() {
            TableValues::Numeric(values) => Column::Numbers(PyArray1::from_slice(py, values)),
            TableValues::Nominal(nominal) => {
                let code = |code: &Option<ternwood_table::CategoryCode>| {
                    code.map_or(-1, |code| code.index() as i64)
                };
                let codes: Vec<i64> = nominal.codes().iter().map(code).collect();
                let (origin, names) = (nominal.origin(), nominal.categories().to_vec());
                let is_declared =
                    !matches!(origin, CategoryOrigin::Found | CategoryOrigin::Declared);
                let is_ordered = origin == CategoryOrigin::Ordered;
                Column::Codes((codes.into_pyarray(py), names, is_declared, is_ordered))
            }
        })
    }

    /// The numbers of training rows, what those of each column mean, and what was noted. `read_as` has
    /// "infer", "number" or "categories" for each column; `remedy` is for texts that are no numbers.
    fn learn<'py>(
        &self,
        py: Python<'py>,
        read_as: Vec<String>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
        remedy: Vec<String>,
        threads: usize,
    ) -> PyResult<(Matrix<'py>, Vec<Kind>, Vec<Note>)> {
        let read_as: Vec<ReadAs> = read_as.iter().map(|how| how_to_read(how)).collect();
        let weights = weights.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        let options = EncodeOptions { missing: MissingPolicy::Keep, weights };
        let threads = matrix::threads_for(self.size(), threads);
        let learned = py.detach(|| self.frame.learn(&read_as, options, threads));
        let learned = learned.map_err(|(index, error)| {
            self.error(index, error, remedy.get(index).map(String::as_str))
        })?;
        let kinds = learned.features.iter().zip(&learned.confirmed);
        let kinds = kinds.map(|(feature, &is_confirmed)| {
            let categories = (!feature.kind.is_number()).then(|| feature.kind.names().to_vec());
            let notation = (!feature.notation.is_plain()).then(|| to_json(&feature.notation));
            Ok((categories, feature.kind.is_ordered(), is_confirmed, notation.transpose()?))
        });
        let kinds = kinds.collect::<PyResult<Vec<Kind>>>()?;
        let notes = learned.notes.into_iter().filter_map(|(index, note)| of_note(index, note));
        let notes = notes.collect();
        Ok((self.matrix(py, learned.values)?, kinds, notes))
    }
}

impl Frame {
    fn size(&self) -> usize {
        self.frame.n_rows() * self.frame.columns().len()
    }

    /// The rows as a model expects them, and their categories that it does not know.
    pub(crate) fn encode<'py>(
        &self,
        py: Python<'py>,
        schema: &Schema,
        threads: usize,
    ) -> PyResult<(Matrix<'py>, Unseen)> {
        let threads = matrix::threads_for(self.size(), threads);
        let encoded = py.detach(|| self.frame.encode(schema, threads));
        let (values, unseen) = encoded.map_err(|(index, error)| self.error(index, error, None))?;
        Ok((self.matrix(py, values)?, Unseen(unseen)))
    }

    fn matrix<'py>(&self, py: Python<'py>, values: Vec<f64>) -> PyResult<Matrix<'py>> {
        let shape = (self.frame.n_rows(), self.frame.columns().len());
        let matrix = Array2::from_shape_vec(shape.f(), values);
        let matrix = matrix.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(matrix.into_pyarray(py))
    }

    /// The error of a column; the remedy is for training rows.
    fn error(&self, index: usize, error: FrameError, remedy: Option<&str>) -> PyErr {
        let called = self.called(index);
        match (error, remedy) {
            (FrameError::UnsupportedType, _) => {
                PyTypeError::new_err(format!("{called} cannot be read: {REMEDY}"))
            }
            (FrameError::NotANumber { value, .. }, Some(remedy)) => PyValueError::new_err(format!(
                "{called} holds '{value}', which is no number; {remedy} to use it as categories, or \
                 convert it to numbers"
            )),
            (FrameError::NotANumber { value, date: Some(pattern) }, None) => {
                PyValueError::new_err(format!(
                    "{called} held dates in training, but now it holds '{value}', which is not \
                     written as {pattern}; pass dates, and None where they are missing"
                ))
            }
            (FrameError::NotANumber { value, date: None }, None) => PyValueError::new_err(format!(
                "{called} was a number in training, but now it holds '{value}'; pass numbers, and \
                 None or NaN where they are missing"
            )),
            (FrameError::NumbersForCategories { value, category }, _) => {
                PyValueError::new_err(format!(
                    "{called} had categories in training, such as '{category}', but now it holds \
                     numbers, such as {value}; pass the categories, not codes"
                ))
            }
            (FrameError::Infinite { row }, _) => PyValueError::new_err(format!(
                "Input X contains infinity or a value too large for dtype('float64').\nThe first is \
                 in row {row}, column '{}' (index {index}); drop such rows, or replace the values by \
                 NaN if they are unknown",
                self.frame.columns()[index].name()
            )),
            (FrameError::Other(error), _) => PyValueError::new_err(format!("{called}: {error}")),
            (error, _) => PyValueError::new_err(format!("{called}: {error:?}")),
        }
    }
}

#[pymethods]
impl Unseen {
    /// The categories of a row, by feature.
    fn in_row(&self, row: usize) -> BTreeMap<usize, String> {
        let columns = self.0.iter().enumerate();
        columns.filter_map(|(index, unseen)| Some((index, unseen.name(row)?))).collect()
    }

    /// The sorted names of all categories, by feature.
    fn names(&self) -> BTreeMap<usize, Vec<String>> {
        let columns = self.0.iter().enumerate();
        let names = columns.map(|(index, unseen)| (index, unseen.names().into_iter().collect()));
        names.filter(|(_, names): &(usize, Vec<String>)| !names.is_empty()).collect()
    }
}

/// Makes the array of a column.
type Load = dyn Fn() -> Result<ArrayRef, FrameError> + Send + Sync;

impl Loose<'_> {
    fn into_column(self, name: String) -> PyResult<FrameColumn> {
        match self {
            Self::Values(values) => {
                let (data_type, n_rows) = (values.data_type()?, values.len());
                let load = values.deferred(data_type.clone());
                Ok(FrameColumn::deferred(name, data_type, n_rows, load))
            }
            Self::Coded((codes, values, what)) => {
                let dictionary = match what.as_str() {
                    "texts" => Dictionary::Texts,
                    "ordered" => Dictionary::OrderedCategories,
                    _ => Dictionary::AllCategories,
                };
                let data_type = values.data_type()?;
                let values = values.deferred(data_type)();
                let values = values.map_err(|_| PyValueError::new_err("no such values"))?;
                let column = match codes {
                    Codes::Int8(codes) => coded::<Int8Type>(name, &codes, values),
                    Codes::Int16(codes) => coded::<Int16Type>(name, &codes, values),
                    Codes::Int32(codes) => coded::<Int32Type>(name, &codes, values),
                    Codes::Int64(codes) => coded::<Int64Type>(name, &codes, values),
                };
                Ok(column.with_dictionary(dictionary))
            }
        }
    }
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.as_array().len(),
            Self::Integers(values) | Self::Times((values, ..)) => values.as_array().len(),
            Self::Booleans(values) => values.as_array().len(),
            Self::Texts(values) => values.len(),
        }
    }

    fn data_type(&self) -> PyResult<DataType> {
        Ok(match self {
            Self::Numbers(_) => DataType::Float64,
            Self::Integers(_) => DataType::Int64,
            Self::Booleans(_) => DataType::Boolean,
            Self::Texts(_) => DataType::LargeUtf8,
            Self::Times((_, kind, unit)) => {
                let unit = match unit.as_str() {
                    "s" => TimeUnit::Second,
                    "ms" => TimeUnit::Millisecond,
                    "us" => TimeUnit::Microsecond,
                    "ns" => TimeUnit::Nanosecond,
                    _ => return Err(PyValueError::new_err(format!("no unit of times: {unit}"))),
                };
                match kind.as_str() {
                    "M" => DataType::Timestamp(unit, None),
                    _ => DataType::Duration(unit),
                }
            }
        })
    }

    /// Makes the array of this type: later, so that few columns are copied at the same time.
    fn deferred(self, data_type: DataType) -> Box<Load> {
        match self {
            Self::Numbers(values) => {
                let values = (*values).clone().unbind();
                Box::new(move || Ok(Arc::new(Float64Array::from(copied(&values)))))
            }
            Self::Integers(values) => {
                let values = (*values).clone().unbind();
                Box::new(move || Ok(Arc::new(Int64Array::from(copied(&values)))))
            }
            Self::Booleans(values) => {
                let values = (*values).clone().unbind();
                Box::new(move || Ok(Arc::new(BooleanArray::from(copied(&values)))))
            }
            Self::Times((values, ..)) => {
                let values = (*values).clone().unbind();
                Box::new(move || {
                    let counts = without_gaps::<Int64Type>(copied(&values), |&it| it != i64::MIN);
                    let data = counts.into_data().into_builder().data_type(data_type.clone());
                    Ok(make_array(data.build().map_err(|_| FrameError::UnsupportedType)?))
                })
            }
            Self::Texts(values) => {
                let texts: ArrayRef = Arc::new(LargeStringArray::from(values));
                Box::new(move || Ok(Arc::clone(&texts)))
            }
        }
    }
}

/// A column of codes, -1 where missing.
fn coded<T>(name: String, codes: &PyReadonlyArray1<'_, T::Native>, values: ArrayRef) -> FrameColumn
where
    T: ArrowDictionaryKeyType,
    T::Native: Element + Default + PartialOrd,
{
    let (n_rows, codes) = (codes.as_array().len(), (**codes).clone().unbind());
    let key = Box::new(T::DATA_TYPE);
    let data_type = DataType::Dictionary(key, Box::new(values.data_type().clone()));
    FrameColumn::deferred(name, data_type, n_rows, move || {
        let keys = without_gaps::<T>(copied(&codes), |code| *code >= T::Native::default());
        let array = DictionaryArray::try_new(keys, Arc::clone(&values));
        Ok(Arc::new(array.map_err(|_| FrameError::UnsupportedType)?))
    })
}

fn copied<T: Element + Copy>(values: &Py<PyArray1<T>>) -> Vec<T> {
    Python::attach(|py| {
        let values = values.bind(py).readonly();
        match values.as_slice() {
            Ok(values) => values.to_vec(),
            Err(_) => values.as_array().iter().copied().collect(),
        }
    })
}

/// An array that is null where values are not present.
fn without_gaps<T: ArrowPrimitiveType>(
    values: Vec<T::Native>,
    is_present: impl Fn(&T::Native) -> bool,
) -> PrimitiveArray<T> {
    if values.iter().all(&is_present) {
        return PrimitiveArray::new(values.into(), None);
    }
    values.into_iter().map(|value| is_present(&value).then_some(value)).collect()
}

fn how_to_read(how: &str) -> ReadAs {
    match how {
        "number" => ReadAs::Number,
        "categories" => ReadAs::Nominal,
        _ => ReadAs::Infer,
    }
}

/// What the texts of a column would be read as: "numbers", "percentages" or "dates"; None if they are
/// categories.
#[pyfunction]
pub(crate) fn texts_are(texts: Vec<String>) -> Option<&'static str> {
    let notation = ternwood_table::Frame::notation_of_texts(texts.iter().map(String::as_str))?;
    Some(what_is(&notation))
}

/// The names of categories in their order: by number if all are numbers.
#[pyfunction]
pub(crate) fn sorted_categories(names: Vec<String>) -> Vec<String> {
    Nominal::from_texts(names.into_iter().map(Some)).categories().to_vec()
}

fn what_is(notation: &Notation) -> &'static str {
    match notation {
        Notation::Number(_) => "numbers",
        Notation::Percent(_) => "percentages",
        Notation::Date(_) | Notation::Time(_) => "dates",
    }
}

/// Reads all columns of an object with `__arrow_c_stream__`.
fn read(object: &Bound<'_, PyAny>) -> PyResult<Vec<FrameColumn>> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let stream = stream_of(capsule.cast::<PyCapsule>()?)?;
    let reader = RecordBatchStreamReader::try_new(stream).map_err(unreadable)?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    let column = |(index, field): (usize, &Arc<Field>)| {
        let arrays = batches.iter().map(|batch| Arc::clone(batch.column(index))).collect();
        // The storage of an extension type says nothing about what it means.
        let is_extension = field.metadata().contains_key("ARROW:extension:name");
        let data_type = if is_extension { DataType::Binary } else { field.data_type().clone() };
        let column = FrameColumn::new(field.name(), data_type, arrays);
        let is_dictionary = matches!(field.data_type(), DataType::Dictionary(..));
        match field.dict_is_ordered() {
            Some(true) if is_dictionary => column.with_dictionary(Dictionary::OrderedCategories),
            _ => column,
        }
    };
    Ok(schema.fields().iter().enumerate().map(column).collect())
}

/// Takes the stream out of a capsule.
#[expect(
    unsafe_code,
    reason = "the pointer in the capsule is what its name says: so Arrow defines it"
)]
fn stream_of(capsule: &Bound<'_, PyCapsule>) -> PyResult<FFI_ArrowArrayStream> {
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name holds a valid stream, which nobody else reads while the capsule
    // is borrowed. It is replaced by an empty one, so that the capsule does not release it, too.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(pointer.cast().as_ptr()) })
}

fn unreadable(error: ArrowError) -> PyErr {
    PyTypeError::new_err(format!("X cannot be read as an Arrow stream: {error}"))
}

fn of_note(index: usize, note: ReadNote) -> Option<Note> {
    Some(match note {
        ReadNote::ReadAs(notation) => (index, what_is(&notation), String::new(), Vec::new()),
        ReadNote::Missing(value) => (index, "missing", value, Vec::new()),
        ReadNote::MostlyNumbers(value) => (index, "mostly_numbers", value, Vec::new()),
        ReadNote::MostlyDates(value) => (index, "mostly_dates", value, Vec::new()),
        ReadNote::LikeDates { value, patterns } => (index, "like_dates", value, patterns),
        ReadNote::LikeNumbers(value) => (index, "like_numbers", value, Vec::new()),
        _ => return None,
    })
}

fn to_json(notation: &Notation) -> PyResult<String> {
    serde_json::to_string(notation).map_err(|error| PyValueError::new_err(error.to_string()))
}
