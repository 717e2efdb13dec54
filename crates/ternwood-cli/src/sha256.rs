//! SHA-256, by which people compare files (`sha256sum`).

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::path::Path;

/// The hash of bytes, in hexadecimal digits.
pub(crate) fn of_bytes(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The hash of a file.
pub(crate) fn of_file(path: &Path) -> Result<String> {
    Ok(of_bytes(std::fs::read(path).with_context(|| path.display().to_string())?))
}
