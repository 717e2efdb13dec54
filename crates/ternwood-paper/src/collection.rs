//! A folder of data sets, listed in `manifest.tsv`, with folds in `folds.tsv.gz`.

use crate::error::{Error, Result};
use crate::method::SEED;
use crate::preprocess::{Encoding, PaperData};
use flate2::read::GzDecoder;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use ternwood::Resampler;
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
        self.folds.get(&entry.openml_id).map_or(FOLDS, |folds| fold_count(folds))
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

// The paper's folds: one digit per row of each data set, the fold in which it is a test row.

/// The number of folds of data sets without given ones.
pub(crate) const FOLDS: u8 = 5;

/// The number of folds.
pub(crate) fn fold_count(of_rows: &[u8]) -> u8 {
    of_rows.iter().copied().max().map_or(0, |fold| fold + 1)
}

/// Our own folds, for data sets that have none of the paper's.
pub(crate) fn own_folds(classes: &[u32]) -> Result<Vec<u8>> {
    let folds = Resampler::of_classes(classes).folds(u32::from(FOLDS), SEED)?;
    Ok(folds.of_rows().iter().map(|&fold| fold as u8).collect())
}

/// Reads `folds.tsv.gz`; an absent file means no folds.
fn read_folds(path: &Path) -> Result<HashMap<u32, Vec<u8>>> {
    let unreadable = |source| Error::Read { path: path.to_owned(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(HashMap::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).map_err(unreadable)?;
    let complaint = |line, problem: &str| Error::Line {
        path: path.to_owned(),
        line,
        problem: problem.to_owned(),
    };
    let mut folds = HashMap::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        let (id, digits) =
            line.split_once('\t').ok_or_else(|| complaint(index + 1, "there is no tab"))?;
        let id = id.parse().map_err(|_| complaint(index + 1, "the id is not a number"))?;
        let of_rows: Option<Vec<u8>> =
            digits.bytes().map(|digit| digit.is_ascii_digit().then(|| digit - b'0')).collect();
        folds.insert(id, of_rows.ok_or_else(|| complaint(index + 1, "a fold is not a digit"))?);
    }
    Ok(folds)
}

// The data sets of the paper's collections, so that a summary can list the missing ones.

/// The data sets of a collection that a folder does not list, by OpenML id and name.
#[must_use]
pub fn not_listed(collection: &Collection, name: CollectionName) -> Vec<(u32, &'static str)> {
    let expected = expected(name).iter().copied();
    expected.filter(|&(openml_id, _)| collection.entry(openml_id).is_none()).collect()
}

/// The data sets of one of the paper's collections, by OpenML id and name.
#[must_use]
pub fn expected(name: CollectionName) -> &'static [(u32, &'static str)] {
    match name {
        CollectionName::Cc18 => &CC18,
        CollectionName::Breiman => &BREIMAN,
        CollectionName::Medical => &MEDICAL,
    }
}

const BREIMAN: [(u32, &str); 3] = [(60, "waveform-5000"), (1496, "ringnorm"), (1507, "twonorm")];

const MEDICAL: [(u32, &str); 4] =
    [(31, "credit-g"), (37, "diabetes"), (53, "heart-statlog"), (310, "mammography")];

/// OpenML's suite 99 without CIFAR_10 (40927), which the paper omits.
const CC18: [(u32, &str); 71] = [
    (3, "kr-vs-kp"),
    (6, "letter"),
    (11, "balance-scale"),
    (12, "mfeat-factors"),
    (14, "mfeat-fourier"),
    (15, "breast-w"),
    (16, "mfeat-karhunen"),
    (18, "mfeat-morphological"),
    (22, "mfeat-zernike"),
    (23, "cmc"),
    (28, "optdigits"),
    (29, "credit-approval"),
    (31, "credit-g"),
    (32, "pendigits"),
    (37, "diabetes"),
    (38, "sick"),
    (44, "spambase"),
    (46, "splice"),
    (50, "tic-tac-toe"),
    (54, "vehicle"),
    (151, "electricity"),
    (182, "satimage"),
    (188, "eucalyptus"),
    (300, "isolet"),
    (307, "vowel"),
    (458, "analcatdata_authorship"),
    (469, "analcatdata_dmft"),
    (554, "mnist_784"),
    (1049, "pc4"),
    (1050, "pc3"),
    (1053, "jm1"),
    (1063, "kc2"),
    (1067, "kc1"),
    (1068, "pc1"),
    (1461, "bank-marketing"),
    (1462, "banknote-authentication"),
    (1464, "blood-transfusion-service-center"),
    (1468, "cnae-9"),
    (1475, "first-order-theorem-proving"),
    (1478, "har"),
    (1480, "ilpd"),
    (1485, "madelon"),
    (1486, "nomao"),
    (1487, "ozone-level-8hr"),
    (1489, "phoneme"),
    (1494, "qsar-biodeg"),
    (1497, "wall-robot-navigation"),
    (1501, "semeion"),
    (1510, "wdbc"),
    (1590, "adult"),
    (4134, "Bioresponse"),
    (4534, "PhishingWebsites"),
    (4538, "GesturePhaseSegmentationProcessed"),
    (6332, "cylinder-bands"),
    (23381, "dresses-sales"),
    (23517, "numerai28.6"),
    (40499, "texture"),
    (40668, "connect-4"),
    (40670, "dna"),
    (40701, "churn"),
    (40923, "Devnagari-Script"),
    (40966, "MiceProtein"),
    (40975, "car"),
    (40978, "Internet-Advertisements"),
    (40979, "mfeat-pixel"),
    (40982, "steel-plates-fault"),
    (40983, "wilt"),
    (40984, "segment"),
    (40994, "climate-model-simulation-crashes"),
    (40996, "Fashion-MNIST"),
    (41027, "jungle_chess_2pcs_raw_endgame_complete"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_listed_once() {
        for name in CollectionName::ALL {
            assert!(expected(name).is_sorted_by(|a, b| a.0 < b.0), "{name:?}");
        }
    }
}
