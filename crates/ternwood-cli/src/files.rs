//! Which files are meant: by name, by pattern, or all tables of a folder.

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The endings of tables in a folder.
const ENDINGS: [&str; 7] = ["csv", "tsv", "tab", "arff", "parquet", "pq", "gz"];

/// The files that these names mean. A folder means all its tables, and a pattern with `*` or `?` in the
/// last part of the name all files like it, both in the order of their names.
pub(crate) fn expanded(names: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for name in names {
        match pattern(name) {
            Some(pattern) => {
                let found = in_folder(folder(name), |file| matches(pattern, file))?;
                if found.is_empty() {
                    bail!("{}: there is no file like this", name.display());
                }
                files.extend(found);
            }
            None if name.is_dir() => {
                let found = in_folder(name, |file| {
                    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
                    !file.starts_with('.') && ENDINGS.iter().any(|e| ending.eq_ignore_ascii_case(e))
                })?;
                if found.is_empty() {
                    bail!(
                        "{}: there is no CSV, TSV, ARFF or Parquet file in this folder",
                        name.display()
                    );
                }
                files.extend(found);
            }
            None => files.push(name.clone()),
        }
    }
    Ok(files)
}

/// True if the name means more than itself.
pub(crate) fn is_many(name: &Path) -> bool {
    pattern(name).is_some() || name.is_dir()
}

/// The last part of a name, if it is a pattern and no file.
fn pattern(name: &Path) -> Option<&str> {
    let last = name.file_name()?.to_str()?;
    (last.contains(['*', '?']) && !name.exists()).then_some(last)
}

fn folder(name: &Path) -> &Path {
    name.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

fn in_folder(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    let name = || folder.display().to_string();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(name)? {
        let path = entry.with_context(name)?.path();
        let file = path.file_name().and_then(|file| file.to_str());
        if file.is_some_and(&is_wanted) && path.is_file() {
            // As people write it: without a folder that nobody named.
            files.push(path.strip_prefix("./").map_or(path.clone(), Path::to_owned));
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a name is like a pattern: `*` is any text, `?` any character.
fn matches(pattern: &str, name: &str) -> bool {
    let mut pattern_chars = pattern.chars();
    match pattern_chars.next() {
        None => name.is_empty(),
        Some('*') => {
            let rest = pattern_chars.as_str();
            let starts = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            starts.into_iter().any(|at| matches(rest, &name[at..]))
        }
        Some(wanted) => {
            let mut name_chars = name.chars();
            let is_same = name_chars.next().is_some_and(|found| wanted == '?' || wanted == found);
            is_same && matches(pattern_chars.as_str(), name_chars.as_str())
        }
    }
}

// SHA-256, by which people compare files (`sha256sum`).

/// The hash of bytes, in hexadecimal digits.
pub(crate) fn sha256_of_bytes(bytes: impl AsRef<[u8]>) -> String {
    hex(Sha256::new().chain_update(bytes))
}

/// The hash of a file.
pub(crate) fn sha256_of_file(path: &Path) -> Result<String> {
    sha256_of_files(&[path])
}

/// The hash of all files, one after the other. They need not fit into memory.
pub(crate) fn sha256_of_files(paths: &[impl AsRef<Path>]) -> Result<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_the_shell() {
        for (pattern, name, is_like) in [
            ("part-*.csv", "part-01.csv", true),
            ("part-*.csv", "part-.csv", true),
            ("part-*.csv", "part-01.csv.gz", false),
            ("a?c*", "abc", true),
            ("a?c", "ac", false),
            ("*ü*", "müde", true),
        ] {
            assert_eq!(matches(pattern, name), is_like, "{pattern} {name}");
        }
    }
}
