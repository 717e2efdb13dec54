//! The file of raw results: complete at every moment, in one order, and resumable.
//!
//! After every unit the whole file is written anew beside itself and renamed. A process killed
//! at any moment leaves the units finished before, each with all its rows; and since rows
//! stand in an order that does not depend on when they were computed, a resumed run ends with
//! the same bytes as an unbroken one.

use crate::error::{Error, Result};
use crate::method::Method;
use crate::raw::{RawRow, Unit, read_rows, write_rows};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Everything computed so far, in the order of data set, fold and method.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Results {
    units: BTreeMap<Unit, Vec<RawRow>>,
}

impl Results {
    /// Reads `raw.csv` of a folder.
    ///
    /// # Errors
    /// The file is not there, or makes no sense.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(RAW);
        let text = fs::read_to_string(&path)
            .map_err(|source| Error::Read { path: path.clone(), source })?;
        Ok(Self::from_rows(read_rows(&path, &text)?))
    }

    /// Keeps the units that have every method; the others will be computed again.
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

    /// Whether a unit is done.
    #[must_use]
    pub fn has(&self, unit: &Unit) -> bool {
        self.units.contains_key(unit)
    }

    /// Adds the rows of units that are complete.
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

/// Results that are kept in a folder while they grow.
#[derive(Debug)]
pub struct ResultsFile {
    folder: PathBuf,
    results: Results,
    /// Held, not read: while it is open no other run writes here.
    _lock: Option<File>,
}

impl ResultsFile {
    /// Opens the results of a folder, which is made if it does not exist; `anew` forgets what
    /// is there.
    ///
    /// # Errors
    /// The folder cannot be made or is in use by another run, or its results make no sense.
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
        // Told before the work, not after it: the folder cannot be written to.
        file.save()?;
        Ok(file)
    }

    /// What is there.
    #[must_use]
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// Adds the rows of one unit and saves all.
    ///
    /// # Errors
    /// The file cannot be written; what was there before still is.
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

/// Writes a file beside its place and renames it: it is complete or what it was before. The
/// name beside is always the same, so that a killed run leaves no more than one such file.
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
        // A partial file is removed. That this may fail too does not matter.
        let _ = fs::remove_file(&beside);
        failed(problem)
    })
}

/// Takes the folder for this process, where the system can lock folders.
fn lock(folder: &Path) -> Result<Option<File>> {
    let Ok(handle) = File::open(folder) else { return Ok(None) };
    match handle.try_lock() {
        Ok(()) => Ok(Some(handle)),
        Err(fs::TryLockError::WouldBlock) => Err(Error::InUse { path: folder.to_owned() }),
        Err(fs::TryLockError::Error(_)) => Ok(None),
    }
}
