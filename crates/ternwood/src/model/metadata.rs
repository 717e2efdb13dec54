//! What people record about a model: its name, version, owner, notes, and fields of their own.

use crate::dataset::one_line;
use crate::error::{ErrorKind, Result};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// What people record about a model, as named texts. Predictions do not depend on it.
///
/// [`STANDARD_FIELDS`](Self::STANDARD_FIELDS) come first wherever metadata are shown; any other name is a field of
/// your own.
///
/// ```
/// use ternwood::model::Metadata;
///
/// let mut metadata = Metadata::default();
/// metadata.set("name", "Readmission risk")?;
/// metadata.set("ticket", "QA-17")?;
/// assert_eq!(metadata.get("name"), Some("Readmission risk"));
/// metadata.set("ticket", "")?; // an empty text removes the field
/// assert_eq!(metadata.iter().count(), 1);
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata(BTreeMap<String, String>);

impl Metadata {
    /// The fields that every tool knows, in the order in which they are shown.
    pub const STANDARD_FIELDS: [&'static str; 4] = ["name", "version", "owner", "notes"];

    /// The field with the SHA-256 of the training table's file, in hexadecimal digits.
    pub const INPUT_SHA256: &'static str = "input_sha256";

    /// The maximum number of fields.
    pub const MOST_FIELDS: usize = 100;

    /// The maximum length of a field's name in bytes.
    pub const LONGEST_NAME: usize = 100;

    /// The maximum length of a field's text in bytes.
    pub const LONGEST_TEXT: usize = 16_384;

    /// Sets a field, or removes it if the text is empty.
    ///
    /// # Errors
    /// [`ErrorKind::Metadata`]: a name or text that is too long, a name that is empty, has an equals sign, a control
    /// character or white space around it, too many fields, or an [`INPUT_SHA256`](Self::INPUT_SHA256) that is no
    /// SHA-256.
    pub fn set(&mut self, name: &str, text: &str) -> Result<()> {
        if text.is_empty() {
            check_name(name)?;
            self.0.remove(name);
            return Ok(());
        }
        self.insert(name.to_owned(), text.to_owned())
    }

    /// The text of a field.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// All fields: the [standard ones](Self::STANDARD_FIELDS), then the others by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let standard = Self::STANDARD_FIELDS.into_iter();
        let standard = standard.filter_map(|name| Some((name, self.get(name)?)));
        let is_standard = |name: &str| Self::STANDARD_FIELDS.contains(&name);
        let others = self.0.iter().filter(move |(name, _)| !is_standard(name));
        standard.chain(others.map(|(name, text)| (name.as_str(), text.as_str())))
    }

    /// All fields for people: what each is called, and its text on one line.
    pub fn in_words(&self) -> impl Iterator<Item = (String, String)> {
        self.iter().map(|(name, text)| {
            let called = match name {
                "name" | "version" => format!("model {name}"),
                "owner" | "notes" => name.to_owned(),
                // Whatever it is called, it is not taken for something that the library says.
                other => format!("metadata {other}"),
            };
            (called, one_line(text).into_owned())
        })
    }

    /// True without any field.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same without what is known of the training table.
    #[must_use]
    pub(super) fn private(mut self) -> Self {
        self.0.remove(Self::INPUT_SHA256);
        self
    }

    fn insert(&mut self, name: String, text: String) -> Result<()> {
        check_name(&name)?;
        check_text(&name, &text)?;
        if self.0.len() >= Self::MOST_FIELDS && !self.0.contains_key(&name) {
            let most = Self::MOST_FIELDS;
            return Err(problem(&name, format!("there are {most} fields already; remove one")));
        }
        self.0.insert(name, text);
        Ok(())
    }
}

fn check_name(name: &str) -> Result<()> {
    let longest = Metadata::LONGEST_NAME;
    let wrong = match name {
        "" => "its name is empty; name it".to_owned(),
        _ if name.len() > longest => {
            format!("its name has {} bytes; use at most {longest}", name.len())
        }
        _ if name.trim() != name => "its name begins or ends with a space; remove it".to_owned(),
        _ if name.contains('=') => "its name contains '='; use another character".to_owned(),
        _ if matches!(one_line(name), Cow::Owned(_)) => {
            "its name contains a control character; remove it".to_owned()
        }
        _ => return Ok(()),
    };
    Err(problem(name, wrong))
}

fn check_text(name: &str, text: &str) -> Result<()> {
    let (length, longest) = (text.len(), Metadata::LONGEST_TEXT);
    let is_sha256 = || text.len() == 64 && text.bytes().all(|it| it.is_ascii_hexdigit());
    let wrong = match text {
        "" => "its text is empty; leave the field out".to_owned(),
        _ if length > longest => format!("its text has {length} bytes; use at most {longest}"),
        _ if name == Metadata::INPUT_SHA256 && !is_sha256() => {
            "it is not a SHA-256 of 64 hexadecimal digits".to_owned()
        }
        _ => return Ok(()),
    };
    Err(problem(name, wrong))
}

/// An error about a field. Only the beginning of a long name is repeated.
fn problem(name: &str, problem: String) -> crate::error::Error {
    const SHOWN: usize = 40;
    let mut field: String = name.chars().take(SHOWN).collect();
    if field.len() < name.len() {
        field.push('…');
    }
    ErrorKind::Metadata { field: one_line(&field).into_owned(), problem }.into()
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Metadata;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of texts")
            }
            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Metadata, A::Error> {
                let mut metadata = Metadata::default();
                while let Some((name, text)) = map.next_entry::<String, String>()? {
                    if metadata.0.contains_key(&name) {
                        let twice = problem(&name, "it occurs twice; remove one".to_owned());
                        return Err(de::Error::custom(twice));
                    }
                    metadata.insert(name, text).map_err(de::Error::custom)?;
                }
                Ok(metadata)
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// True for what may stand in a model file as the version of ternwood that fitted the model.
pub(super) fn is_version(text: &str) -> bool {
    const LONGEST: usize = 64;
    let may_occur = |byte: u8| byte.is_ascii_alphanumeric() || b".-+".contains(&byte);
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(may_occur)
}
