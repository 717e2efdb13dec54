//! Questions, answers and saved coordinators as bytes.
//!
//! The encoding is postcard's: counts, most of which are small, take a byte or two each, and there are
//! no field names, which would be most of the bytes. Both sides are of the same version of this library,
//! so nothing else is needed; a version that differs is an error.

use crate::error::{ErrorKind, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Raised with every change of what is sent.
const VERSION: u8 = 2;

/// The bytes of `message`, which begin with its kind.
pub(super) fn to_bytes(kind: &str, message: &impl Serialize) -> Vec<u8> {
    let mut bytes = kind.as_bytes().to_vec();
    bytes.push(VERSION);
    postcard::to_extend(message, bytes).expect("plain data can be written")
}

/// Reads what [`to_bytes`] wrote.
pub(super) fn from_bytes<T: DeserializeOwned>(kind: &str, bytes: &[u8]) -> Result<T> {
    let problem = match bytes.strip_prefix(kind.as_bytes()) {
        None => format!("these bytes are no {kind}"),
        Some([VERSION, rest @ ..]) => match postcard::take_from_bytes(rest) {
            Ok((message, [])) => return Ok(message),
            Ok((_, rest)) => format!("the {kind} has {} bytes too many", rest.len()),
            Err(error) => format!("the {kind} is broken: {error}"),
        },
        Some([version, ..]) => format!(
            "the {kind} is of version {version}, and this library speaks version {VERSION}; \
             use the same ternwood everywhere"
        ),
        Some([]) => format!("the {kind} is empty"),
    };
    Err(ErrorKind::Pieces { problem }.into())
}
