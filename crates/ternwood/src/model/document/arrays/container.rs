//! The file around the arrays: the length of a header, the header in JSON, and the arrays one after the other.
//!
//! The format is safetensors', and so is the check of its header. The length is read here, because the crate
//! adds up what a hostile header says without a look at the sum; and so are the names, because it does not mind
//! a name that occurs twice.

use crate::error::Result;
use crate::model::document::header::Sha;
use crate::model::document::unusable;
use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::marker::PhantomData;

/// Where safetensors keeps texts.
const TEXTS: &str = "__metadata__";

/// The name of our text among them.
const OURS: &str = "ternwood";

/// The length of the length of the header.
const LENGTH: usize = size_of::<u64>();

/// A number that stands in arrays.
pub(super) trait Number: Copy {
    const DTYPE: Dtype;
    const SIZE: usize;
    fn push_to(self, bytes: &mut Vec<u8>);
    /// Reads a number from its `SIZE` bytes.
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($number:ty: $dtype:ident),*) => {$(
        impl Number for $number {
            const DTYPE: Dtype = Dtype::$dtype;
            const SIZE: usize = size_of::<Self>();
            fn push_to(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
            fn read(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<Self>()];
                own.copy_from_slice(bytes);
                Self::from_le_bytes(own)
            }
        }
    )*};
}

numbers!(f64: F64, u32: U32, i32: I32, i16: I16, u8: U8, i8: I8);

/// An array to be written.
pub(super) struct Array {
    name: &'static str,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Array {
    /// An array of one number per row, or of several if they have a `width`.
    pub(super) fn new<T: Number>(name: &'static str, width: Option<usize>, numbers: &[T]) -> Self {
        let mut bytes = Vec::with_capacity(numbers.len() * T::SIZE);
        numbers.iter().for_each(|number| number.push_to(&mut bytes));
        let shape = match width {
            None => vec![numbers.len()],
            Some(width) => vec![numbers.len() / width, width],
        };
        Self { name, dtype: T::DTYPE, shape, bytes }
    }
}

/// The arrays of a file, in their order.
pub(super) struct Arrays(Vec<Array>);

impl Arrays {
    /// Wide numbers come first, so that all are aligned.
    pub(super) fn new(mut arrays: Vec<Array>) -> Self {
        arrays.sort_by_key(|array| (std::cmp::Reverse(array.dtype.bitsize()), array.name));
        Self(arrays)
    }

    /// The file with this header.
    pub(super) fn file(&self, header: String) -> Vec<u8> {
        let mut file = self.start(header);
        file.reserve_exact(self.0.iter().map(|array| array.bytes.len()).sum());
        self.0.iter().for_each(|array| file.extend_from_slice(&array.bytes));
        file
    }

    /// The SHA-256 of the file with this header.
    pub(super) fn sha256(&self, header: String) -> String {
        let mut sha = Sha::new();
        sha.put(self.start(header));
        self.0.iter().for_each(|array| sha.put(&array.bytes));
        sha.hex()
    }

    /// All that stands before the arrays.
    fn start(&self, header: String) -> Vec<u8> {
        let mut end = 0;
        let described = self.0.iter().map(|array| {
            let start = end;
            end += array.bytes.len();
            let info = TensorInfo {
                dtype: array.dtype,
                shape: array.shape.clone(),
                data_offsets: (start, end),
            };
            (array.name.to_owned(), info)
        });
        let described = described.collect();
        let texts = [(OURS.to_owned(), header)].into_iter().collect();
        let described = Metadata::new(Some(texts), described).expect("arrays follow one another");
        let mut described = serde_json::to_vec(&described).expect("plain data is always JSON");
        described.resize(described.len().next_multiple_of(LENGTH), b' ');
        [&(described.len() as u64).to_le_bytes(), described.as_slice()].concat()
    }
}

/// A file that was read. Arrays are taken out of it; none may be left.
pub(super) struct Container<'a> {
    pub(super) header: String,
    arrays: BTreeMap<String, TensorInfo>,
    data: &'a [u8],
}

/// Numbers of an array, as they lie in the file.
#[derive(Clone, Copy)]
pub(super) struct Column<'a, T> {
    bytes: &'a [u8],
    numbers: PhantomData<T>,
}

impl<'a> Container<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self> {
        let cut_short = || unusable("it ends within its header; is the file complete?".to_owned());
        let (length, rest) = bytes.split_first_chunk::<LENGTH>().ok_or_else(cut_short)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut_short())?;
        let (described, data) = rest.split_at_checked(length).ok_or_else(cut_short)?;
        let described: Described = serde_json::from_slice(described)
            .map_err(|error| unusable(format!("its header says: {error}")))?;
        let Described { texts, arrays } = described;
        let header = match texts.map(|texts| texts.0) {
            Some(mut texts) if texts.len() == 1 => texts.remove(OURS),
            _ => None,
        };
        let header = header.ok_or_else(|| {
            unusable(format!(
                "its {TEXTS} must have one text, \"{OURS}\": no other program's file will do"
            ))
        })?;
        let mut in_order: Vec<(String, TensorInfo)> = arrays.clone().into_iter().collect();
        in_order.sort_by_key(|(_, info)| info.data_offsets);
        let checked = Metadata::new(None, in_order);
        let checked = checked.map_err(|error| unusable(format!("its header: {error}")))?;
        if checked.data_len() != data.len() {
            let (wanted, found) = (checked.data_len(), data.len());
            return Err(unusable(format!(
                "its arrays take {wanted} bytes, and it has {found}; is the file complete?"
            )));
        }
        Ok(Self { header, arrays, data })
    }

    /// The array of this name, of one number per row or of `width`.
    pub(super) fn take<T: Number>(
        &mut self,
        name: &str,
        width: Option<usize>,
    ) -> Result<Column<'a, T>> {
        let missing = || unusable(format!("it has no array \"{name}\""));
        self.take_if_any(name, width)?.ok_or_else(missing)
    }

    /// The same; `None` if there is no such array.
    pub(super) fn take_if_any<T: Number>(
        &mut self,
        name: &str,
        width: Option<usize>,
    ) -> Result<Option<Column<'a, T>>> {
        let Some(info) = self.arrays.remove(name) else { return Ok(None) };
        let fits = match (info.shape.as_slice(), width) {
            ([_], None) => true,
            ([_, found], Some(width)) => *found == width,
            _ => false,
        };
        if info.dtype != T::DTYPE || !fits {
            let width = width.map_or(String::new(), |width| format!(", {width}"));
            return Err(unusable(format!(
                "its array \"{name}\" is of {} with shape {:?}; it must be of {} with shape [n{width}]",
                info.dtype,
                info.shape,
                T::DTYPE,
            )));
        }
        let (start, end) = info.data_offsets;
        Ok(Some(Column { bytes: &self.data[start..end], numbers: PhantomData }))
    }

    /// True if there is such an array, and of such numbers.
    pub(super) fn has<T: Number>(&self, name: &str) -> bool {
        self.arrays.get(name).is_some_and(|info| info.dtype == T::DTYPE)
    }

    /// Refuses arrays that nobody took.
    pub(super) fn finish(&self) -> Result<()> {
        match self.arrays.keys().next() {
            None => Ok(()),
            Some(name) => {
                Err(unusable(format!("unknown array \"{name}\"; did a newer ternwood write it?")))
            }
        }
    }
}

impl<'a, T: Number> Column<'a, T> {
    pub(super) fn len(self) -> usize {
        self.bytes.len() / T::SIZE
    }

    pub(super) fn iter(self) -> impl Iterator<Item = T> + use<'a, T> {
        self.bytes.chunks_exact(T::SIZE).map(T::read)
    }

    /// Takes the next number.
    ///
    /// # Panics
    /// If there is none: the length must have been checked.
    pub(super) fn next(&mut self) -> T {
        let (number, rest) = self.bytes.split_at(T::SIZE);
        self.bytes = rest;
        T::read(number)
    }

    /// Takes the next numbers; otherwise like [`next`](Self::next).
    pub(super) fn next_many(&mut self, n: usize) -> Vec<T> {
        (0..n).map(|_| self.next()).collect()
    }

    /// The same column, if it has this many numbers.
    pub(super) fn of_length(self, name: &str, expected: usize, why: &str) -> Result<Self> {
        match self.len() {
            found if found == expected => Ok(self),
            found => Err(unusable(format!(
                "its array \"{name}\" has {found} numbers, and {why} need {expected}"
            ))),
        }
    }
}

/// A header. Names that occur twice are refused.
#[derive(Default)]
struct Described {
    texts: Option<Texts>,
    arrays: BTreeMap<String, TensorInfo>,
}

struct Texts(BTreeMap<String, String>);

/// An array in the header.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "an array")]
struct ArrayDocument {
    dtype: Dtype,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl<'de> Deserialize<'de> for Described {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Described;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object that describes arrays")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Described, A::Error> {
                let mut described = Described::default();
                while let Some(name) = map.next_key::<String>()? {
                    if name == TEXTS {
                        if described.texts.replace(map.next_value()?).is_some() {
                            return Err(twice(&name));
                        }
                        continue;
                    }
                    let ArrayDocument { dtype, shape, data_offsets } = map.next_value()?;
                    let info = TensorInfo { dtype, shape, data_offsets };
                    insert_once(&mut described.arrays, name, info)?;
                }
                Ok(described)
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Texts;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of texts")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Texts, A::Error> {
                let mut texts = BTreeMap::new();
                while let Some((name, text)) = map.next_entry()? {
                    insert_once(&mut texts, name, text)?;
                }
                Ok(Texts(texts))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

fn insert_once<T, E: de::Error>(
    map: &mut BTreeMap<String, T>,
    name: String,
    value: T,
) -> Result<(), E> {
    match map.entry(name) {
        Entry::Occupied(entry) => Err(twice(entry.key())),
        Entry::Vacant(entry) => {
            entry.insert(value);
            Ok(())
        }
    }
}

fn twice<E: de::Error>(name: &str) -> E {
    E::custom(format_args!("\"{name}\" occurs twice"))
}
