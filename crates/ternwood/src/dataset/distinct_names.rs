//! Deserialises lists of names, all of which must differ.
//!
//! Duplicates are rejected while reading. Checked only at the end, a long list of equal names
//! would take many times the memory of its text.

use super::ClassName;
use crate::error::{Error, ErrorKind};
use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

/// For serde: distinct class names.
pub(super) fn distinct_classes<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<ClassName>, D::Error> {
    deserializer.deserialize_seq(Names { what: "class", names: PhantomData })
}

/// For serde: distinct category names.
pub(super) fn distinct_categories<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    deserializer.deserialize_seq(Names { what: "category", names: PhantomData })
}

struct Names<T> {
    what: &'static str,
    names: PhantomData<T>,
}

impl<'de, T: Deserialize<'de> + ToString> Visitor<'de> for Names<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of {} names", self.what)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let (mut names, mut seen) = (Vec::new(), HashSet::new());
        while let Some(name) = list.next_element::<T>()? {
            let printed = name.to_string().into_boxed_str();
            if seen.contains(&printed) {
                let (what, name) = (self.what, printed.into());
                return Err(A::Error::custom(Error::from(ErrorKind::DuplicateName { what, name })));
            }
            seen.insert(printed);
            if names.len() == names.capacity() {
                // Grow by half: while a vector that doubles moves, it takes three times the memory.
                names.reserve_exact(names.len() / 2 + 8);
            }
            names.push(name);
        }
        Ok(names)
    }
}
