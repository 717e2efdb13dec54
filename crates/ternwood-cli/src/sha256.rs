//! SHA-256, by which people compare files (`sha256sum`).

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The hash of bytes, in hexadecimal digits.
pub(crate) fn of_bytes(bytes: impl AsRef<[u8]>) -> String {
    hex(Sha256::new().chain_update(bytes))
}

/// The hash of a file.
pub(crate) fn of_file(path: &Path) -> Result<String> {
    of_files(&[path])
}

/// The hash of all files, one after the other. They need not fit into memory.
pub(crate) fn of_files(paths: &[impl AsRef<Path>]) -> Result<String> {
    const AT_ONCE: usize = 1 << 16;
    let mut sha = Sha256::new();
    let mut buffer = vec![0; AT_ONCE];
    for path in paths.iter().map(AsRef::as_ref) {
        let name = || path.display().to_string();
        let mut file = File::open(path).with_context(name)?;
        loop {
            match file.read(&mut buffer).with_context(name)? {
                0 => break,
                n => sha.update(&buffer[..n]),
            }
        }
    }
    Ok(hex(sha))
}

fn hex(sha: Sha256) -> String {
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
