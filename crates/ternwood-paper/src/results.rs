//! The file of raw results: complete at every moment, in a fixed order, and resumable.
//!
//! After every unit, the whole file is written under a temporary name and renamed. A process killed
//! at any moment leaves all finished units, each with all its rows. The order of rows does not
//! depend on when they were computed, so a resumed run ends with the same bytes as an uninterrupted
//! one.

use crate::error::{Error, Result};
use crate::method::Method;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use ternwood::metrics::Figures;

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

// The raw results: one row per data set, fold and method.

/// The results of one method on the test part of one fold.
#[derive(Debug, Clone, PartialEq)]
pub struct RawRow {
    /// The fold and its data set.
    pub unit: Unit,
    /// The method.
    pub method: Method,
    /// The number of test rows.
    pub rows: usize,
    /// The number of training rows.
    pub training_rows: usize,
    /// The results. When read from a file, only those that the file has.
    pub figures: Figures,
}

/// The unit of work: one fold of one data set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit {
    /// OpenML id of the data set; 0 for generated data.
    pub openml_id: u32,
    /// Its name.
    pub dataset: String,
    /// The fold.
    pub fold: u8,
}

/// The columns of `raw.csv`.
pub const COLUMNS: [&str; 16] = [
    "openml_id",
    "dataset",
    "fold",
    "zone",
    "routing",
    "rows",
    "undecided_rate",
    "decided_accuracy",
    "undecided_accuracy",
    "accuracy",
    "decided_f1",
    "training_rows",
    "chow_cart_accuracy",
    "chow_own_accuracy",
    "aurc",
    "log_loss",
];

/// Writes rows with a header. Numbers are as short as possible without losing a bit; undefined ones
/// are empty.
fn write_rows<'a>(out: impl Write, rows: impl IntoIterator<Item = &'a RawRow>) -> csv::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for row in rows {
        writer.write_record(row.fields())?;
    }
    Ok(writer.flush()?)
}

/// Reads rows back.
pub(crate) fn read_rows(path: &Path, text: &str) -> Result<Vec<RawRow>> {
    let complaint = |line, problem| Error::Line { path: path.to_owned(), line, problem };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| complaint(1, error.to_string()))?;
    if header.iter().ne(COLUMNS) {
        let problem = "these are not the columns of raw.csv; was it written by another version?";
        return Err(complaint(1, problem.to_owned()));
    }
    reader
        .records()
        .enumerate()
        .map(|(index, record)| {
            let record = record.map_err(|error| complaint(index + 2, error.to_string()))?;
            let field = |column: usize| record.get(column).unwrap_or_default();
            RawRow::from_fields(field).map_err(|problem| complaint(index + 2, problem))
        })
        .collect()
}

impl RawRow {
    /// The key of the data set.
    pub(crate) fn set(&self) -> (u32, &str) {
        (self.unit.openml_id, &self.unit.dataset)
    }

    fn fields(&self) -> [String; COLUMNS.len()] {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let Self { unit, method, rows, training_rows, figures } = self;
        let rates = figures.rates;
        [
            unit.openml_id.to_string(),
            unit.dataset.clone(),
            unit.fold.to_string(),
            method.zone_name().to_owned(),
            method.routing.as_str().to_owned(),
            rows.to_string(),
            number(rates.undecided_rate),
            number(rates.decided_accuracy),
            number(rates.undecided_accuracy),
            number(rates.accuracy),
            number(rates.decided_f1),
            training_rows.to_string(),
            number(figures.chow_cart),
            number(figures.chow),
            number(figures.aurc),
            number(figures.log_loss),
        ]
    }

    fn from_fields<'t>(field: impl Fn(usize) -> &'t str) -> Result<Self, String> {
        fn whole<T: std::str::FromStr>(column: usize, text: &str) -> Result<T, String> {
            text.parse().map_err(|_| format!("{} is '{text}', no whole number", COLUMNS[column]))
        }
        let number = |column: usize| match field(column) {
            "" => Ok(None),
            text => {
                let parsed: Option<f64> = text.parse().ok().filter(|value: &f64| value.is_finite());
                parsed.map(Some).ok_or_else(|| format!("{} is '{text}'", COLUMNS[column]))
            }
        };
        let method = Method::named(field(3), field(4))
            .ok_or_else(|| format!("there is no method '{},{}'", field(3), field(4)))?;
        let mut figures = Figures::default();
        figures.rates.undecided_rate = number(6)?;
        figures.rates.decided_accuracy = number(7)?;
        figures.rates.undecided_accuracy = number(8)?;
        figures.rates.accuracy = number(9)?;
        figures.rates.decided_f1 = number(10)?;
        figures.chow_cart = number(12)?;
        figures.chow = number(13)?;
        figures.aurc = number(14)?;
        figures.log_loss = number(15)?;
        Ok(Self {
            unit: Unit {
                openml_id: whole(0, field(0))?,
                dataset: field(1).to_owned(),
                fold: whole(2, field(2))?,
            },
            method,
            rows: whole(5, field(5))?,
            training_rows: whole(11, field(11))?,
            figures,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Estimator;

    fn row(dataset: &str, accuracy: f64) -> RawRow {
        let mut figures = Figures::default();
        figures.rates.accuracy = Some(accuracy);
        figures.rates.undecided_rate = Some(1.0 / 3.0);
        figures.aurc = Some(1e-7);
        let unit = Unit { openml_id: 7, dataset: dataset.to_owned(), fold: 2 };
        let method = Method::probabilistic(Estimator::Margin);
        RawRow { unit, method, rows: 9, training_rows: 36, figures }
    }

    #[test]
    fn written_rows_are_read_back_bit_for_bit() {
        let rows = [row("a, \"strange\" name", 0.1 + 0.2), row("plain", 1.0)];
        let mut written = Vec::new();
        write_rows(&mut written, &rows).unwrap();
        let text = String::from_utf8(written).unwrap();
        assert!(text.starts_with(
            "openml_id,dataset,fold,zone,routing,rows,undecided_rate,decided_accuracy,\
         undecided_accuracy,accuracy,decided_f1,"
        ));
        assert!(text.contains("\n7,plain,2,margin,probabilistic,9,0.3333333333333333,,,1,,36,"));
        assert_eq!(read_rows(Path::new("raw.csv"), &text).unwrap(), rows);
    }

    #[test]
    fn malformed_lines_are_reported_by_number() {
        let mut written = Vec::new();
        write_rows(&mut written, &[row("plain", 1.0)]).unwrap();
        let text = String::from_utf8(written).unwrap();
        let error = |text: &str| read_rows(Path::new("raw.csv"), text).unwrap_err().to_string();
        let wrong = error(&text.replace("probabilistic", "crisp"));
        assert_eq!(wrong, "raw.csv line 2: there is no method 'margin,crisp'");
        let wrong = error(&text.replace("0.3333333333333333", "NaN"));
        assert_eq!(wrong, "raw.csv line 2: undecided_rate is 'NaN'");
        assert!(error(&text[..text.len() - 12]).contains("line 2"), "a torn row");
        assert!(error("a,b\n1,2\n").contains("not the columns of raw.csv"));
    }
}
