//! The SHA-256 of a model file: of the file as the library writes it, without the field that states it.
//!
//! It is compared after reading, with what the model that was read would be written as. So white space and the
//! order of fields do not matter, but no number, name or array can change unnoticed.

use crate::error::{ErrorKind, Result};
use sha2::{Digest, Sha256};

/// The name of the field.
pub(super) const FIELD: &str = "sha256";

/// The SHA-256 that a model file states, and that of its content. It guards against damage and unnoticed edits, not
/// against forgery: anyone can compute it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checksum {
    stored: Option<String>,
    computed: String,
}

impl Checksum {
    pub(super) fn new(stored: Option<String>, computed: String) -> Self {
        Self { stored, computed }
    }

    /// The SHA-256 that the file states, as hexadecimal digits; `None` if it states none.
    #[must_use]
    pub fn stored(&self) -> Option<&str> {
        self.stored.as_deref()
    }

    /// The SHA-256 of the content, as hexadecimal digits.
    #[must_use]
    pub fn computed(&self) -> &str {
        &self.computed
    }

    /// True if both are equal.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.stored.as_ref() == Some(&self.computed)
    }

    /// Refuses a file whose content is not what it states.
    ///
    /// # Errors
    /// [`ErrorKind::Checksum`].
    pub fn check(&self) -> Result<()> {
        if self.holds() {
            return Ok(());
        }
        let Self { stored, computed } = self.clone();
        Err(ErrorKind::Checksum { stored, computed }.into())
    }
}

/// Computes a SHA-256 piece by piece.
pub(super) struct Sha(Sha256);

impl Sha {
    pub(super) fn new() -> Self {
        Self(Sha256::new())
    }

    pub(super) fn put(&mut self, piece: impl AsRef<[u8]>) {
        self.0.update(piece);
    }

    /// The sum of all pieces, as hexadecimal digits.
    pub(super) fn hex(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// True for what [`Sha::hex`] may return.
pub(super) fn is_hex(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
