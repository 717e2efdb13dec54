//! A folder of data sets, listed in `manifest.tsv`, with folds in `folds.tsv.gz`.

use crate::error::{Error, Result};
use crate::folds::{self, read_folds};
use crate::preprocess::{Encoding, PaperData};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use ternwood_table::{ReadOptions, Source, Table, read_table};

/// The data sets of a folder.
#[derive(Debug, Clone)]
pub struct Collection {
    folder: PathBuf,
    entries: Vec<Entry>,
    folds: HashMap<u32, Vec<u8>>,
}

/// One line of the manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// OpenML id of the data set.
    pub openml_id: u32,
    /// OpenML name.
    pub name: String,
    /// The file in the folder.
    pub file: String,
    /// The paper's collections that contain it.
    pub collections: Vec<CollectionName>,
    /// The Bayes error, if known.
    pub bayes_error: Option<f64>,
    /// The name in the paper, if it differs.
    pub name_in_paper: Option<String>,
    /// The class column; the last one if not given.
    pub target: Option<String>,
    /// Columns that are not features.
    pub dropped: Vec<String>,
}

/// The paper's collections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CollectionName {
    /// OpenML's curated classification benchmark (suite 99) without CIFAR_10.
    Cc18,
    /// Waveform, twonorm, ringnorm.
    Breiman,
    /// Four medical and financial data sets.
    Medical,
}

impl CollectionName {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Cc18, Self::Breiman, Self::Medical];

    /// The name in manifests and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cc18 => "cc18",
            Self::Breiman => "breiman",
            Self::Medical => "medical",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|collection| collection.as_str() == name)
    }
}

impl Collection {
    /// Reads the manifest and the folds of a folder.
    ///
    /// # Errors
    /// The manifest or the folds cannot be read or are malformed. A folder without folds is fine.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref().to_owned();
        let path = folder.join("manifest.tsv");
        let text = fs::read_to_string(&path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                Error::NoCollection { path: folder.clone() }
            }
            _ => Error::Read { path: path.clone(), source },
        })?;
        let entries = parse_manifest(&path, &text)?;
        let folds = read_folds(&folder.join("folds.tsv.gz"))?;
        Ok(Self { folder, entries, folds })
    }

    /// The data sets listed.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The data set with this OpenML id.
    #[must_use]
    pub fn entry(&self, openml_id: u32) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.openml_id == openml_id)
    }

    /// The number of rows of a data set, if its folds are known.
    #[must_use]
    pub fn n_rows(&self, entry: &Entry) -> Option<usize> {
        self.folds.get(&entry.openml_id).map(Vec::len)
    }

    /// Reads a data set and preprocesses it as published.
    ///
    /// # Errors
    /// The file cannot be read or does not match its folds.
    pub fn load(&self, entry: &Entry) -> Result<PaperData> {
        self.encode(entry, self.read(entry)?, Encoding::Published)
    }

    /// The table of a data set, the target last.
    pub(crate) fn read(&self, entry: &Entry) -> Result<Table> {
        let options = ReadOptions::new().drop(&entry.dropped);
        let table = read_table(&Source::file(self.folder.join(&entry.file)), &options)?;
        with_target_last(table, entry.target.as_deref())
    }

    /// Turns the table of a data set into numbers.
    pub(crate) fn encode(
        &self,
        entry: &Entry,
        table: Table,
        encoding: Encoding,
    ) -> Result<PaperData> {
        let folds = self.folds.get(&entry.openml_id).cloned();
        PaperData::new(&entry.name, table, folds, encoding)
    }

    /// The number of folds of a data set.
    pub(crate) fn n_folds(&self, entry: &Entry) -> u8 {
        self.folds.get(&entry.openml_id).map_or(folds::COUNT, |folds| folds::count(folds))
    }

    /// The size of a data set's file in bytes; 0 if it is absent.
    pub(crate) fn file_size(&self, entry: &Entry) -> u64 {
        fs::metadata(self.folder.join(&entry.file)).map_or(0, |file| file.len())
    }
}

/// Moves the class column to the end of the table.
fn with_target_last(mut table: Table, target: Option<&str>) -> Result<Table> {
    let Some(target) = target else { return Ok(table) };
    let column = table.take_column(target)?;
    let mut columns = table.into_columns();
    columns.push(column);
    Ok(Table::from_columns(columns)?)
}

fn parse_manifest(path: &Path, text: &str) -> Result<Vec<Entry>> {
    let complaint = |line, problem| Error::Line { path: path.to_owned(), line, problem };
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> = lines.next().map_or(Vec::new(), |(_, line)| line.split('\t').collect());
    let position = |name: &str| {
        header
            .iter()
            .position(|field| *field == name)
            .ok_or_else(|| complaint(1, format!("there is no column '{name}'")))
    };
    let [id, name, file, collections] =
        [position("openml_id")?, position("name")?, position("file")?, position("collections")?];
    let [bayes_error, name_in_paper, target, dropped] =
        ["bayes_error", "name_in_paper", "target", "dropped"]
            .map(|name| header.iter().position(|field| *field == name));
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            let fields: Vec<&str> = line.split('\t').collect();
            let field = |position: usize| {
                fields.get(position).ok_or_else(|| {
                    complaint(index + 1, format!("it has only {} fields", fields.len()))
                })
            };
            let openml_id = field(id)?
                .parse()
                .map_err(|_| complaint(index + 1, format!("'{}' is not a number", fields[id])))?;
            let optional = |position: Option<usize>| {
                position.and_then(|at| fields.get(at)).filter(|field| !field.is_empty())
            };
            let bayes_error = match optional(bayes_error) {
                Some(text) => Some(text.parse().map_err(|_| {
                    complaint(index + 1, format!("the Bayes error '{text}' is not a number"))
                })?),
                None => None,
            };
            // Unknown collections are skipped.
            let collections = field(collections)?.split(['+', ',']);
            Ok(Entry {
                openml_id,
                name: (*field(name)?).to_owned(),
                file: (*field(file)?).to_owned(),
                collections: collections.filter_map(CollectionName::named).collect(),
                bayes_error,
                name_in_paper: optional(name_in_paper).map(|&name| name.to_owned()),
                target: optional(target).map(|&name| name.to_owned()),
                dropped: optional(dropped)
                    .map_or(Vec::new(), |names| names.split('|').map(str::to_owned).collect()),
            })
        })
        .collect()
}
