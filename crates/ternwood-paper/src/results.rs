//! The file of raw results: complete at every moment, in a fixed order, and resumable.
//!
//! After every unit, the whole file is written under a temporary name and renamed. A process killed
//! at any moment leaves all finished units, each with all its rows. The order of rows does not
//! depend on when they were computed, so a resumed run ends with the same bytes as an uninterrupted
//! one.

use crate::error::{Error, Result};
use crate::method::Method;
use crate::raw::{RawRow, Unit, read_rows, write_rows};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// All results so far, ordered by data set, fold and method.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    units: BTreeMap<Unit, Vec<RawRow>>,
}

impl Results {
    /// Reads `raw.csv` of a folder.
    ///
    /// # Errors
    /// The file is absent or malformed.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(RAW);
        let text = fs::read_to_string(&path)
            .map_err(|source| Error::Read { path: path.clone(), source })?;
        Ok(Self::from_rows(read_rows(&path, &text)?))
    }

    /// Keeps the units that have every method; the others will be recomputed.
    fn from_rows(rows: Vec<RawRow>) -> Self {
        let mut units: BTreeMap<Unit, Vec<RawRow>> = BTreeMap::new();
        for row in rows {
            units.entry(row.unit.clone()).or_default().push(row);
        }
        let all = Method::all();
        units.retain(|_, rows| {
            rows.sort_by_key(|row| row.method);
            rows.iter().map(|row| row.method).eq(all.iter().copied())
        });
        Self { units }
    }

    /// True if a unit is done.
    #[must_use]
    pub fn has(&self, unit: &Unit) -> bool {
        self.units.contains_key(unit)
    }

    /// Adds the rows of complete units.
    #[must_use]
    pub fn with(self, rows: Vec<RawRow>) -> Self {
        let mut units = self.units;
        units.extend(Self::from_rows(rows).units);
        Self { units }
    }

    /// All rows, in order.
    pub fn rows(&self) -> impl Iterator<Item = &RawRow> {
        self.units.values().flatten()
    }

    /// All units, in order.
    pub fn units(&self) -> impl ExactSizeIterator<Item = &Unit> {
        self.units.keys()
    }
}

/// The name of the file in its folder.
pub const RAW: &str = "raw.csv";

/// Results kept in a folder as they grow.
#[derive(Debug)]
pub struct ResultsFile {
    folder: PathBuf,
    results: Results,
    /// Held but never read: keeps other runs from writing here.
    _lock: Option<File>,
}

impl ResultsFile {
    /// Opens the results of a folder, which is created if absent; `anew` discards existing results.
    ///
    /// # Errors
    /// The folder cannot be created or is in use by another run, or its results are malformed.
    pub fn open(folder: &Path, anew: bool) -> Result<Self> {
        let unusable = |source| Error::Write { path: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(unusable)?;
        let lock = lock(folder)?;
        let results = match Results::read(folder) {
            _ if anew => Results::default(),
            Err(Error::Read { source, .. }) if source.kind() == ErrorKind::NotFound => {
                Results::default()
            }
            read => read?,
        };
        let file = Self { folder: folder.to_owned(), results, _lock: lock };
        // Reports a read-only folder before the work, not after it.
        file.save()?;
        Ok(file)
    }

    /// The results so far.
    #[must_use]
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// Adds the rows of one unit and saves everything.
    ///
    /// # Errors
    /// The file cannot be written; the previous one is still intact.
    pub fn add(&mut self, rows: Vec<RawRow>) -> Result<()> {
        self.results = std::mem::take(&mut self.results).with(rows);
        self.save()
    }

    fn save(&self) -> Result<()> {
        let path = self.folder.join(RAW);
        write_whole(&path, |out| {
            write_rows(out, self.results.rows()).map_err(std::io::Error::other)
        })
    }
}

/// Writes to a temporary file and renames it, so the file is either complete or unchanged. The
/// temporary name is fixed, so a killed run leaves at most one such file.
pub(crate) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<()> {
    let failed = |source| Error::Write { path: path.to_owned(), source };
    let mut beside = path.as_os_str().to_owned();
    beside.push(".partial");
    let written = || {
        let mut out = BufWriter::new(File::create(&beside)?);
        write(&mut out)?;
        out.flush()?;
        drop(out);
        fs::rename(&beside, path)
    };
    written().map_err(|problem| {
        // Clean-up: if removing the partial file fails, that is harmless.
        let _ = fs::remove_file(&beside);
        failed(problem)
    })
}

/// Locks the folder for this process, if the system can lock folders.
fn lock(folder: &Path) -> Result<Option<File>> {
    let Ok(handle) = File::open(folder) else { return Ok(None) };
    match handle.try_lock() {
        Ok(()) => Ok(Some(handle)),
        Err(fs::TryLockError::WouldBlock) => Err(Error::InUse { path: folder.to_owned() }),
        Err(fs::TryLockError::Error(_)) => Ok(None),
    }
}
