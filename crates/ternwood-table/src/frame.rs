//! Data frames: columns of Arrow arrays, read and encoded one by one.
//!
//! | in the frame | in the data set |
//! |---|---|
//! | integers, floats, decimals, durations (seconds) | numbers |
//! | dates and timestamps | dates, or times if some are not at midnight |
//! | booleans | the categories `false` and `true` |
//! | dictionaries | categories; ordered ones as ranks |
//! | strings | as the cells of a text file: numbers, percentages or dates if all are, else categories |
//! | null, NaN, and among strings the [spellings](crate::MISSING_SPELLINGS) of missing values | missing |
//!
//! Only one column at a time is in memory besides the frame and the encoded matrix.

use crate::arrow::{Kind, numbers, parallel_map, texts};
use crate::encode::{EncodeOptions, UnseenRows, encode_column, learn_column};
use crate::error::clipped;
use crate::infer::{Notations, settle, suggestion};
use crate::notation::{parse, parse_number};
use crate::options::{MISSING_SPELLINGS, ReadAs, as_in_training};
use crate::table::{CategoryCode, CategoryOrigin, Column, DecidedBy, Nominal, Table, Values};
use crate::warning::{Suggestion, Warning};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{AnyDictionaryArray, Array, ArrayRef, BooleanArray};
use arrow_schema::DataType;
use indexmap::IndexSet;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use ternwood::dataset::notation::{DatePattern, Notation};
use ternwood::{Feature, Schema};

/// A column of a data frame, in any number of pieces.
#[derive(Debug, Clone)]
pub struct FrameColumn {
    name: String,
    data_type: DataType,
    dictionary: Dictionary,
    n_rows: usize,
    pieces: Pieces,
}

/// Makes the array of a column.
type Load = dyn Fn() -> Result<ArrayRef, FrameError> + Send + Sync;

#[derive(Clone)]
enum Pieces {
    Arrays(Vec<ArrayRef>),
    Deferred(Arc<Load>),
}

impl fmt::Debug for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arrays(arrays) => arrays.fmt(f),
            Self::Deferred(_) => f.write_str("Deferred"),
        }
    }
}

/// What the dictionary of a column lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dictionary {
    /// Categories. Those without rows mean nothing.
    #[default]
    Categories,
    /// All categories there are, with or without rows, in an order without meaning.
    AllCategories,
    /// All categories there are, in ascending order.
    OrderedCategories,
    /// The distinct texts of a column of strings.
    Texts,
}

impl FrameColumn {
    /// A column of these pieces, all of this type.
    pub fn new(name: impl Into<String>, data_type: DataType, arrays: Vec<ArrayRef>) -> Self {
        let n_rows = arrays.iter().map(Array::len).sum();
        let (name, dictionary) = (name.into(), Dictionary::default());
        Self { name, data_type, dictionary, n_rows, pieces: Pieces::Arrays(arrays) }
    }

    /// A column of this many values, whose array of this type is made when it is read, and then freed.
    pub fn deferred(
        name: impl Into<String>,
        data_type: DataType,
        n_rows: usize,
        load: impl Fn() -> Result<ArrayRef, FrameError> + Send + Sync + 'static,
    ) -> Self {
        let (name, dictionary) = (name.into(), Dictionary::default());
        Self { name, data_type, dictionary, n_rows, pieces: Pieces::Deferred(Arc::new(load)) }
    }

    /// The same column, whose dictionary lists this.
    #[must_use]
    pub fn with_dictionary(mut self, dictionary: Dictionary) -> Self {
        self.dictionary = dictionary;
        self
    }

    /// The name of the column.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The Arrow type of the column.
    #[must_use]
    pub fn data_type(&self) -> &DataType {
        &self.data_type
    }

    /// Whether the type is that of dates or times.
    #[must_use]
    pub fn is_date(&self) -> bool {
        matches!(Kind::of(&self.data_type), Kind::Date | Kind::Time)
    }

    /// Whether the values are strings, which may be numbers or dates in writing.
    fn is_text(&self) -> bool {
        let is_dictionary = matches!(self.data_type, DataType::Dictionary(..));
        Kind::of(&self.data_type) == Kind::Text
            && (!is_dictionary || self.dictionary == Dictionary::Texts)
    }

    fn arrays(&self) -> Result<Cow<'_, [ArrayRef]>, FrameError> {
        Ok(match &self.pieces {
            Pieces::Arrays(arrays) => Cow::Borrowed(arrays),
            Pieces::Deferred(load) => Cow::Owned(vec![load()?]),
        })
    }
}

/// Why a column of a frame cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum FrameError {
    /// Its type is neither numbers, dates, categories nor texts.
    UnsupportedType,
    /// It should be numbers, or was in training, but holds this text.
    NotANumber {
        /// The text.
        value: String,
        /// The notation it should have, if it is to be dates.
        date: Option<String>,
    },
    /// It had categories in training that are no numbers, but holds numbers.
    NumbersForCategories {
        /// A number of the column.
        value: String,
        /// A category of the training table.
        category: String,
    },
    /// A value is infinite.
    Infinite {
        /// Its row, from 0.
        row: usize,
    },
    /// Any other error of this crate.
    Other(crate::Error),
}

impl From<crate::Error> for FrameError {
    fn from(error: crate::Error) -> Self {
        Self::Other(error)
    }
}

/// What a reader of a column of texts should know.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ReadNote {
    /// All texts are numbers or dates, and were read as those.
    ReadAs(Notation),
    /// This text, which is not empty, was read as a missing value.
    Missing(String),
    /// Most texts are numbers, but this one is not, so all are categories.
    MostlyNumbers(String),
    /// The texts look like dates of these patterns, but stay categories.
    LikeDates {
        /// One of the texts.
        value: String,
        /// The patterns that fit all of them.
        patterns: Vec<String>,
    },
    /// Most texts look like dates, but this one does not, so all are categories.
    MostlyDates(String),
    /// The texts look like numbers with other marks, such as a decimal comma, but stay categories.
    LikeNumbers(String),
}

/// A training frame, encoded.
#[derive(Debug, Clone)]
pub struct LearnedFrame {
    /// The values, column by column.
    pub values: Vec<f64>,
    /// The features, one for each column.
    pub features: Vec<Feature>,
    /// By column, whether the caller says that it holds categories.
    pub confirmed: Vec<bool>,
    /// What was noted while reading: the position of the column, and the note.
    pub notes: Vec<(usize, ReadNote)>,
}

/// A data frame.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    columns: Vec<FrameColumn>,
}

/// A column that was read, but not encoded.
struct Read {
    column: Column,
    notes: Vec<ReadNote>,
}

/// The position of a column, and what is wrong with it.
type InColumn<E> = (usize, E);

impl Frame {
    /// A frame of these columns.
    #[must_use]
    pub fn new(columns: Vec<FrameColumn>) -> Self {
        Self { columns }
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &[FrameColumn] {
        &self.columns
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.n_rows)
    }

    /// Encodes the frame as training rows: every column is a feature, however doubtful it is.
    /// `read_as` says how to read each column; no result depends on `threads`.
    ///
    /// # Errors
    /// The first column that cannot be read, and why.
    pub fn learn(
        &self,
        read_as: &[ReadAs],
        options: EncodeOptions<'_>,
        threads: usize,
    ) -> Result<LearnedFrame, InColumn<FrameError>> {
        let (values, learned) = self.encoded(threads, |index, out| {
            let Read { column, notes } = self.read(index, &read_as[index], None)?;
            let is_listed = column.decided_by() == DecidedBy::User;
            let confirmed = is_listed && matches!(column.values(), Values::Nominal(_));
            let feature = learn_column(&column, options);
            encode_column(&feature, column, out).map_err(infinite)?;
            Ok((feature, confirmed, notes))
        })?;
        let (mut features, mut confirmed, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (feature, is_confirmed, of_column)) in learned.into_iter().enumerate() {
            features.push(feature);
            confirmed.push(is_confirmed);
            notes.extend(of_column.into_iter().map(|note| (index, note)));
        }
        Ok(LearnedFrame { values, features, confirmed, notes })
    }

    /// Encodes the frame as rows for a model. Columns are matched by position; their names were
    /// compared before. Returns the values, column by column, and the rows of every column whose
    /// category the training table did not have.
    ///
    /// # Errors
    /// The first column that cannot be read, and why.
    pub fn encode(
        &self,
        schema: &Schema,
        threads: usize,
    ) -> Result<(Vec<f64>, Vec<UnseenRows>), InColumn<FrameError>> {
        self.encoded(threads, |index, out| {
            let feature = &schema.features()[index];
            let read = self.read(index, &as_in_training(feature), Some(feature))?;
            encode_column(feature, read.column, out).map_err(infinite)
        })
    }

    /// Reads a column as it is typed: strings are categories, whatever they look like, unless they
    /// should be numbers.
    ///
    /// # Errors
    /// Its type is neither numbers, dates, categories nor texts, or it cannot be read as asked for.
    pub fn column(&self, index: usize, read_as: &ReadAs) -> Result<Column, FrameError> {
        let column = self.typed(&self.columns[index], read_as, None)?.column;
        Ok(match (column.values(), read_as) {
            (Values::Nominal(nominal), ReadAs::Number) => {
                let numbers = numbers_of_categories(nominal, read_as)?;
                Column::new(column.name().to_owned(), Values::Numeric(numbers))
            }
            _ => column,
        })
    }

    /// The notation that the texts of a column of strings have in common, if these are numbers or
    /// dates, as [`Frame::learn`] would find it.
    #[must_use]
    pub fn notation_of_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<Notation> {
        let texts: Vec<&[u8]> =
            texts.into_iter().map(|text| text.trim_ascii().as_bytes()).collect();
        texts.first()?;
        Notations::of_text(None, false).common(texts.into_iter())
    }

    /// Encodes all columns; `f` writes the values of a column, and returns what else is to be known of it.
    fn encoded<T: Send>(
        &self,
        threads: usize,
        f: impl Fn(usize, &mut [f64]) -> Result<T, FrameError> + Sync,
    ) -> Result<(Vec<f64>, Vec<T>), InColumn<FrameError>> {
        let n_rows = self.n_rows();
        let mut values = vec![0.0; n_rows * self.columns.len()];
        let slots: Vec<_> = values.chunks_mut(n_rows.max(1)).map(Some).collect();
        let slots = Mutex::new(slots);
        let found = parallel_map(self.columns.len(), threads, |index| {
            let mut free = slots.lock().unwrap_or_else(PoisonError::into_inner);
            let slot = free.get_mut(index).and_then(Option::take).unwrap_or_default();
            drop(free);
            f(index, slot).map_err(|error| (index, error))
        });
        let found = found.into_iter().collect::<Result<Vec<T>, _>>()?;
        Ok((values, found))
    }

    /// Reads a column, and settles what its texts are.
    fn read(
        &self,
        index: usize,
        read_as: &ReadAs,
        feature: Option<&Feature>,
    ) -> Result<Read, FrameError> {
        let of_frame = &self.columns[index];
        let Read { mut column, mut notes } = self.typed(of_frame, read_as, feature)?;
        if !of_frame.is_text() || matches!(read_as, ReadAs::Nominal | ReadAs::Written(_)) {
            if matches!(column.notation(), Notation::Time(_)) && feature.is_none() {
                column = settled(column)?.0;
            }
            return Ok(Read { column, notes: Vec::new() });
        }
        let before = column.values().kind();
        let (column, warnings) = settled(column)?;
        match column.values() {
            Values::Numeric(_) if before == "nominal" => {
                notes.push(ReadNote::ReadAs(column.notation().clone()));
            }
            Values::Nominal(nominal) if *read_as == ReadAs::Number => {
                let no_number = |text: &&String| parse_number(text.as_bytes()).is_none();
                if let Some(value) = nominal.categories().iter().find(no_number) {
                    return Err(FrameError::NotANumber { value: clipped(value), date: None });
                }
            }
            Values::Nominal(nominal) => {
                let doubt = warnings.into_iter().find_map(note_of);
                let dates = || mostly_dates(nominal).map(ReadNote::MostlyDates);
                notes.extend(doubt.or_else(dates));
            }
            Values::Numeric(_) => {}
        }
        Ok(Read { column, notes })
    }

    /// Reads a column by its type.
    fn typed(
        &self,
        column: &FrameColumn,
        read_as: &ReadAs,
        feature: Option<&Feature>,
    ) -> Result<Read, FrameError> {
        let mut notes = Vec::new();
        let as_numbers = matches!(read_as, ReadAs::Number | ReadAs::Written(_));
        let as_categories = matches!(read_as, ReadAs::Nominal);
        let (kind, arrays) = (Kind::of(&column.data_type), column.arrays()?);
        let values = match kind {
            Kind::Unsupported => return Err(FrameError::UnsupportedType),
            _ if column.is_text() => {
                let known = feature.map_or(&[][..], |feature| feature.kind.names());
                let (nominal, missing) = from_texts(&arrays, known);
                notes.extend(missing.map(ReadNote::Missing));
                match read_as {
                    ReadAs::Written(_) => {
                        Values::Numeric(numbers_of_categories(&nominal, read_as)?)
                    }
                    _ => Values::Nominal(nominal),
                }
            }
            _ if matches!(column.data_type, DataType::Dictionary(..)) => {
                let nominal = from_dictionaries(&arrays, column)?;
                match as_numbers {
                    true => Values::Numeric(numbers_of_categories(&nominal, read_as)?),
                    false => Values::Nominal(nominal),
                }
            }
            Kind::Boolean if !as_numbers => Values::Nominal(from_booleans(&arrays)),
            _ if column.data_type == DataType::Null && !as_numbers => {
                Values::Nominal(Nominal::from_texts(vec![None::<&str>; column.n_rows]))
            }
            _ if as_categories => {
                if let Some(feature) = feature {
                    check_categories(&arrays, feature)?;
                }
                Values::Nominal(by_value(&arrays)?)
            }
            _ => Values::Numeric(all_numbers(arrays.into_owned())?),
        };
        let notation = match (&values, kind, read_as) {
            (Values::Numeric(_), Kind::Date, _) => Notation::Date(DatePattern::iso()),
            (Values::Numeric(_), Kind::Time, _) => Notation::Time(DatePattern::iso()),
            (Values::Numeric(_), Kind::Text, ReadAs::Written(notation)) => notation.clone(),
            _ => Notation::default(),
        };
        let mut found = Column::new(column.name.clone(), values).written_as(notation);
        found.decided_by = match read_as {
            ReadAs::Infer | ReadAs::Number if column.is_text() => DecidedBy::Values,
            _ => read_as.decided_by(DecidedBy::File),
        };
        Ok(Read { column: found, notes })
    }
}

/// What settling a table of one column finds out.
fn settled(column: Column) -> Result<(Column, Vec<Warning>), FrameError> {
    let mut table = Table::from_columns(vec![column])?;
    settle(&mut table, &Notations::of_text(None, false));
    let warnings = std::mem::take(&mut table.warnings);
    let column = table.into_columns().pop();
    column.map(|column| (column, warnings)).ok_or(FrameError::UnsupportedType)
}

fn note_of(warning: Warning) -> Option<ReadNote> {
    match warning {
        Warning::MostlyNumeric { value, .. } => Some(ReadNote::MostlyNumbers(clipped(&value))),
        Warning::Spelling { value, suggestion, .. } => Some(match suggestion {
            Suggestion::Dates(patterns) => ReadNote::LikeDates { value: clipped(&value), patterns },
            Suggestion::Marks(_) | Suggestion::OneMark => ReadNote::LikeNumbers(clipped(&value)),
        }),
        _ => None,
    }
}

/// The first text that is no date among texts of which most are.
fn mostly_dates(nominal: &Nominal) -> Option<String> {
    let mut is_date = Vec::with_capacity(nominal.categories().len());
    for text in nominal.categories() {
        is_date.push(matches!(suggestion(&[text.as_bytes()]), Some(Suggestion::Dates(_))));
    }
    let codes = || nominal.codes().iter().flatten().map(|code| code.index());
    let first = codes().find(|&code| !is_date[code])?;
    let dates = codes().filter(|&code| is_date[code]).count();
    (2 * dates > codes().count()).then(|| clipped(&nominal.categories()[first]))
}

/// Whether a trimmed text stands for a missing value; a category of that name is none.
fn is_missing(text: &str, known: &[String]) -> bool {
    MISSING_SPELLINGS.contains(&text) && !known.iter().any(|name| name == text)
}

/// Texts, trimmed as the cells of a file; spellings of missing values are missing. Returns the first
/// of these that is not empty, too.
fn from_texts(arrays: &[ArrayRef], known: &[String]) -> (Nominal, Option<String>) {
    let mut cells = Interned::default();
    for array in arrays {
        let first = cells.codes.len();
        each_str(words_of(array), |text| cells.push(text));
        if let Some(dictionary) = array.as_any_dictionary_opt() {
            let codes = cells.codes.split_off(first);
            cells.codes.extend(by_key(dictionary, &codes));
        }
    }
    let (mut found, mut missing) = (Interned::default(), None);
    let mut code = |cell: &str| {
        let text = if has_name(cell, known) { cell } else { cell.trim_ascii() };
        if !is_missing(text, known) {
            return found.code(text);
        }
        if missing.is_none() && !text.is_empty() {
            missing = Some(text.to_owned());
        }
        None
    };
    let codes: Vec<Option<CategoryCode>> = cells.names.iter().map(|cell| code(cell)).collect();
    let codes = cells.codes.into_iter().map(|cell| cell.and_then(|cell| codes[cell.index()]));
    found.codes = codes.collect();
    (found.finished(), missing)
}

/// The distinct texts of an array, or all.
fn words_of(array: &ArrayRef) -> &ArrayRef {
    array.as_any_dictionary_opt().map_or(array, |dictionary| dictionary.values())
}

/// The code of every row of a dictionary, from those of its values.
fn by_key(
    dictionary: &dyn AnyDictionaryArray,
    codes: &[Option<CategoryCode>],
) -> Vec<Option<CategoryCode>> {
    let keys = dictionary.keys();
    let found = match keys.data_type() {
        DataType::Int8 => by_keys::<Int8Type>(keys, codes),
        DataType::Int16 => by_keys::<Int16Type>(keys, codes),
        DataType::Int32 => by_keys::<Int32Type>(keys, codes),
        DataType::Int64 => by_keys::<Int64Type>(keys, codes),
        DataType::UInt8 => by_keys::<UInt8Type>(keys, codes),
        DataType::UInt16 => by_keys::<UInt16Type>(keys, codes),
        DataType::UInt32 => by_keys::<UInt32Type>(keys, codes),
        DataType::UInt64 => by_keys::<UInt64Type>(keys, codes),
        _ => None,
    };
    found.unwrap_or_else(|| vec![None; dictionary.len()])
}

fn by_keys<K: ArrowPrimitiveType>(
    keys: &dyn Array,
    codes: &[Option<CategoryCode>],
) -> Option<Vec<Option<CategoryCode>>>
where
    K::Native: TryInto<usize>,
{
    let keys = keys.as_primitive_opt::<K>()?;
    let code = |key: K::Native| codes.get(key.try_into().ok()?).copied().flatten();
    Some(match keys.null_count() {
        0 => keys.values().iter().map(|&key| code(key)).collect(),
        _ => keys.iter().map(|key| key.and_then(code)).collect(),
    })
}

fn has_name(text: &str, known: &[String]) -> bool {
    text.trim_ascii().len() != text.len() && known.iter().any(|name| name == text)
}

/// Categories in the order of appearance, before they are sorted.
#[derive(Default)]
struct Interned {
    codes: Vec<Option<CategoryCode>>,
    names: IndexSet<Box<str>, foldhash::fast::FixedState>,
}

impl Interned {
    fn code(&mut self, name: &str) -> Option<CategoryCode> {
        let index = match self.names.get_index_of(name) {
            Some(index) => index,
            None => self.names.insert_full(name.into()).0,
        };
        CategoryCode::new(index)
    }

    fn push(&mut self, name: Option<&str>) {
        let code = name.and_then(|name| self.code(name));
        self.codes.push(code);
    }

    /// The column, with its categories sorted.
    fn finished(self) -> Nominal {
        let texts = self.names.iter().map(|name| Some(&**name));
        let sorted = Nominal::from_texts(texts);
        let code = |code: Option<CategoryCode>| code.and_then(|code| sorted.codes()[code.index()]);
        let codes = self.codes.into_iter().map(code).collect();
        Nominal { codes, ..sorted }
    }

    /// The column, with its categories as they are.
    fn declared(self, origin: CategoryOrigin) -> Nominal {
        let categories = self.names.into_iter().map(String::from).collect();
        Nominal { codes: self.codes, categories, origin }
    }
}

/// Calls `f` with every text of an array of strings.
fn each_str(array: &ArrayRef, mut f: impl FnMut(Option<&str>)) {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().for_each(&mut f),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().for_each(&mut f),
        DataType::Utf8View => array.as_string_view().iter().for_each(&mut f),
        _ => (0..array.len()).for_each(|_| f(None)),
    }
}

/// The categories of dictionaries, which may differ from piece to piece.
fn from_dictionaries(arrays: &[ArrayRef], column: &FrameColumn) -> Result<Nominal, FrameError> {
    let mut found = Interned::default();
    for array in arrays {
        let dictionary = array.as_any_dictionary_opt().ok_or(FrameError::UnsupportedType)?;
        let names = texts(dictionary.values()).ok_or(FrameError::UnsupportedType)?;
        let missing = |name: &Option<String>| name.as_deref().is_none_or(|name| name == "NaN");
        let is_number = Kind::of(dictionary.values().data_type()) == Kind::Number;
        let codes: Vec<Option<CategoryCode>> = names
            .iter()
            .map(|name| match name {
                name if is_number && missing(name) => None,
                Some(name) => found.code(name),
                None => None,
            })
            .collect();
        found.codes.extend(by_key(dictionary, &codes));
    }
    let origin = match column.dictionary {
        Dictionary::OrderedCategories => CategoryOrigin::Ordered,
        Dictionary::AllCategories => CategoryOrigin::Enumerated,
        _ => CategoryOrigin::Declared,
    };
    let is_boolean = matches!(&column.data_type,
        DataType::Dictionary(_, values) if **values == DataType::Boolean);
    Ok(match is_boolean && origin != CategoryOrigin::Ordered {
        true => {
            let nominal = found.declared(CategoryOrigin::Boolean);
            let is_true = |code: &Option<CategoryCode>| {
                code.map(|code| nominal.categories()[code.index()] == "true")
            };
            booleans(nominal.codes().iter().map(is_true))
        }
        false => found.declared(origin),
    })
}

fn from_booleans(arrays: &[ArrayRef]) -> Nominal {
    let arrays = arrays.iter().filter_map(|array| array.as_boolean_opt());
    booleans(arrays.flat_map(BooleanArray::iter))
}

fn booleans(values: impl Iterator<Item = Option<bool>>) -> Nominal {
    let code = |value: Option<bool>| value.and_then(|value| CategoryCode::new(value.into()));
    let categories = ["false", "true"].map(str::to_owned).to_vec();
    Nominal { codes: values.map(code).collect(), categories, origin: CategoryOrigin::Boolean }
}

fn all_numbers(mut arrays: Vec<ArrayRef>) -> Result<Vec<f64>, FrameError> {
    if arrays.len() > 1 {
        let of_arrays =
            arrays.iter().map(|array| numbers(array).ok_or(FrameError::UnsupportedType));
        return Ok(of_arrays.collect::<Result<Vec<_>, _>>()?.concat());
    }
    let Some(array) = arrays.pop() else { return Ok(Vec::new()) };
    let plain = array.as_primitive_opt::<Float64Type>().filter(|it| it.null_count() == 0);
    match plain.map(|array| array.values().clone().into_inner()) {
        // Memory that nobody else reads is not copied.
        Some(buffer) => {
            drop(array);
            Ok(buffer.into_vec().unwrap_or_else(|shared| shared.typed_data().to_vec()))
        }
        None => numbers(&array).ok_or(FrameError::UnsupportedType),
    }
}

/// Numbers and dates as categories, by what they are as text.
fn by_value(arrays: &[ArrayRef]) -> Result<Nominal, FrameError> {
    let mut found = Interned::default();
    for array in arrays {
        let values = numbers(array).ok_or(FrameError::UnsupportedType)?;
        if let Some(row) = values.iter().position(|value| value.is_infinite()) {
            return Err(FrameError::Infinite { row: found.codes.len() + row });
        }
        let names = texts(array).ok_or(FrameError::UnsupportedType)?;
        for (name, value) in names.iter().zip(values) {
            found.push(name.as_deref().filter(|_| !value.is_nan()));
        }
    }
    Ok(found.finished())
}

/// Numbers cannot be found among categories that are all words.
fn check_categories(arrays: &[ArrayRef], feature: &Feature) -> Result<(), FrameError> {
    let names = feature.kind.names();
    let is_number = |name: &String| parse_number(name.as_bytes()).is_some();
    let (Some(category), false) = (names.first(), names.iter().any(is_number)) else {
        return Ok(());
    };
    let found = by_value(arrays)?;
    match found.categories().first() {
        Some(value) => Err(FrameError::NumbersForCategories {
            value: value.clone(),
            category: category.clone(),
        }),
        None => Ok(()),
    }
}

/// The numbers that categories spell.
fn numbers_of_categories(nominal: &Nominal, read_as: &ReadAs) -> Result<Vec<f64>, FrameError> {
    let plain = Notation::default();
    let notation = if let ReadAs::Written(notation) = read_as { notation } else { &plain };
    let used: HashSet<usize> = nominal.codes().iter().flatten().map(|code| code.index()).collect();
    let mut numbers = vec![f64::NAN; nominal.categories().len()];
    for (index, name) in nominal.categories().iter().enumerate() {
        match parse(notation, name.trim_ascii().as_bytes()) {
            Some(number) => numbers[index] = number,
            None if !used.contains(&index) => {}
            None => {
                let date = match notation {
                    Notation::Date(pattern) | Notation::Time(pattern) => {
                        Some(pattern.as_str().to_owned())
                    }
                    _ => None,
                };
                return Err(FrameError::NotANumber { value: clipped(name), date });
            }
        }
    }
    let number = |code: &Option<CategoryCode>| code.map_or(f64::NAN, |code| numbers[code.index()]);
    Ok(nominal.codes().iter().map(number).collect())
}

/// An infinite number is an error of a frame, with the row from 0.
fn infinite(error: crate::Error) -> FrameError {
    match error.kind() {
        crate::ErrorKind::NotFinite { place, .. } => {
            let row = place.row.unwrap_or(1).saturating_sub(1);
            FrameError::Infinite { row: usize::try_from(row).unwrap_or(0) }
        }
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, Source, encode, read_table};
    use arrow_array::{
        Date32Array, DictionaryArray, DurationMillisecondArray, Float64Array, Int64Array,
        StringArray, StringViewArray, TimestampMicrosecondArray,
    };

    fn column(name: &str, array: impl Array + 'static) -> FrameColumn {
        FrameColumn::new(name, array.data_type().clone(), vec![Arc::new(array)])
    }

    fn learned(columns: Vec<FrameColumn>) -> LearnedFrame {
        let read_as = vec![ReadAs::Infer; columns.len()];
        Frame::new(columns).learn(&read_as, EncodeOptions::default(), 2).unwrap()
    }

    fn schema(learned: &LearnedFrame) -> Schema {
        let features = learned.features.iter().enumerate();
        let named = features.map(|(n, it)| Feature { name: format!("x{n}"), ..it.clone() });
        Schema::new(named.collect(), vec!["a".into(), "b".into()]).unwrap()
    }

    fn texts_of(words: &[&str]) -> FrameColumn {
        column("x", words.iter().map(|word| Some(*word)).collect::<StringViewArray>())
    }

    #[test]
    fn texts_are_read_as_in_a_file() {
        let columns: [(&str, [&str; 4]); 8] = [
            ("number", ["1", " 2.5", "NA", "007"]),
            ("percent", ["1%", "2.5 %", "", "3%"]),
            ("day", ["2020-01-02", "1970-01-01", "?", "2021-12-31"]),
            ("german", ["31.12.2020", "01.01.1970", "02.03.2004", ""]),
            ("time", ["2020-01-02 10:00", "2020-01-02", "", "2020-01-02T00:00:01Z"]),
            ("boolean", ["True", "false", "TRUE", "False"]),
            ("word", ["b ", "a", "None", "b"]),
            ("unclear", ["01/02/2020", "03/04/2020", "", "05/06/2020"]),
        ];
        let header: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let mut csv = format!("{},class\n", header.join(","));
        for (row, class) in ["a", "b", "a", "b"].iter().enumerate() {
            let cells: Vec<&str> = columns.iter().map(|(_, cells)| cells[row]).collect();
            csv += &format!("{},{class}\n", cells.join(","));
        }
        let table = read_table(&Source::bytes("t.csv", csv.into_bytes()), &ReadOptions::new());
        let of_file = encode(table.unwrap(), "class", EncodeOptions::default()).unwrap().dataset;
        let frame = columns.map(|(name, cells)| {
            column(name, cells.iter().map(|cell| Some(*cell)).collect::<StringArray>())
        });
        let of_frame = learned(frame.into());
        assert_eq!(of_frame.features, of_file.schema().features());
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        for (index, values) in of_frame.values.chunks(4).enumerate() {
            assert_eq!(bits(values), bits(of_file.columns().column(index)), "{}", header[index]);
        }
        let kinds: Vec<usize> = of_frame.notes.iter().map(|(index, _)| *index).collect();
        assert_eq!(kinds, [0, 0, 1, 2, 2, 3, 4, 6, 7]);
    }

    #[test]
    fn types_mean_what_texts_of_them_mean() {
        let days = column("x", Date32Array::from(vec![Some(18_263), None]));
        let midnights = TimestampMicrosecondArray::from(vec![Some(18_263 * 86_400_000_000), None]);
        let of_texts = learned(vec![texts_of(&["2020-01-02", ""])]);
        let zoned = midnights.clone().with_timezone("Europe/Berlin");
        for typed in [days, column("x", midnights), column("x", zoned)] {
            let of_type = learned(vec![typed]);
            assert_eq!(of_type.features, of_texts.features);
            assert_eq!(of_type.values[0], of_texts.values[0]);
            assert!(of_type.values[1].is_nan() && of_type.notes.is_empty());
        }
        let seconds = learned(vec![column("x", DurationMillisecondArray::from(vec![1500, -1]))]);
        assert_eq!(
            (seconds.values, seconds.features),
            (vec![1.5, -0.001], vec![Feature::number("x")])
        );
        let booleans = learned(vec![column("x", BooleanArray::from(vec![true, true]))]);
        assert_eq!(booleans.features, learned(vec![texts_of(&["TRUE", "true"])]).features);
    }

    #[test]
    fn dictionaries_are_joined_by_name() {
        let piece = |words: &[&str]| -> ArrayRef {
            let words = words.iter().copied();
            Arc::new(words.collect::<DictionaryArray<Int8Type>>())
        };
        let pieces = || vec![piece(&["b", "NA"]), piece(&["a", "b"])];
        let new = || FrameColumn::new("x", pieces()[0].data_type().clone(), pieces());
        let joined = learned(vec![new()]);
        assert_eq!(joined.features[0].kind.names(), ["NA", "a", "b"], "a declared NA is no gap");
        assert_eq!(joined.values, [2.0, 0.0, 1.0, 2.0]);
        let declared = learned(vec![
            new().with_dictionary(Dictionary::AllCategories),
            new().with_dictionary(Dictionary::OrderedCategories),
        ]);
        assert_eq!(declared.features[0], Feature::categories("x", ["NA", "a", "b"]));
        assert_eq!(declared.features[1], Feature::ordered("x", ["b", "NA", "a"]));
        assert_eq!((joined.confirmed, declared.confirmed), (vec![false], vec![false; 2]));
    }

    #[test]
    fn later_rows_are_read_as_in_training() {
        let training = learned(vec![texts_of(&["1", "10", "x"]), texts_of(&["1", "2", "3"])]);
        let later = |first: FrameColumn, second: FrameColumn| {
            Frame::new(vec![first, second]).encode(&schema(&training), 1)
        };
        let numbers = || column("x", Float64Array::from(vec![10.0, 1.0, 7.0]));
        let (values, unseen) = later(numbers(), texts_of(&["3", "", "1"])).unwrap();
        assert_eq!(values[..4], [1.0, 0.0, 3.0, 3.0]);
        assert!(values[4].is_nan());
        assert_eq!((unseen[0].name(2).as_deref(), unseen[0].name(0)), (Some("7"), None));
        let words = later(numbers(), texts_of(&["3", "old", "1"]));
        assert!(matches!(words, Err((1, FrameError::NotANumber { value, .. })) if value == "old"));
        let infinite =
            later(numbers(), column("x", Float64Array::from(vec![0.0, f64::INFINITY, 0.0])));
        assert!(matches!(infinite, Err((1, FrameError::Infinite { row: 1 }))));
        let of_words = learned(vec![texts_of(&["a", "b"])]);
        let codes = Frame::new(vec![column("x", Int64Array::from(vec![0, 1]))]);
        let refused = codes.encode(&schema(&of_words), 1).unwrap_err();
        assert!(matches!(refused, (0, FrameError::NumbersForCategories { .. })));
    }

    #[test]
    fn doubts_about_texts_are_noted() {
        let note =
            |words: &[&str]| learned(vec![texts_of(words)]).notes.pop().map(|(_, note)| note);
        assert_eq!(note(&["1", "2", "n.d."]), Some(ReadNote::MostlyNumbers("n.d.".to_owned())));
        let soon = note(&["2020-01-01", "2020-01-02", "soon"]);
        assert_eq!(soon, Some(ReadNote::MostlyDates("soon".to_owned())));
        assert_eq!(note(&["1,5", "2,5"]), Some(ReadNote::LikeNumbers("1,5".to_owned())));
        assert_eq!(note(&["a", "b"]), None);
    }
}
