//! Downloading the collections from OpenML.
//!
//! Suite 99 lists tasks, a task names its data set and target, a data set its ARFF file and the
//! file's MD5. A file is kept, compressed, only if its MD5 is right; then its line is added to the
//! manifest. Data sets in the manifest are not downloaded again, so an interrupted download resumes
//! where it stopped.

mod manifest;
mod openml;
mod server;

use crate::collection::CollectionName;
use crate::error::{Error, Result};
use crate::expected::expected;
use crate::run::Failure;
use manifest::{Line, Manifest};
use openml::{OpenMl, complaint};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What to download, and the source and destination.
#[derive(Debug, Clone)]
pub struct Fetch {
    /// The server, such as [`Fetch::OPENML`].
    pub server: String,
    /// The destination folder; created if absent.
    pub folder: PathBuf,
    /// The collections to download.
    pub collections: Vec<CollectionName>,
}

/// The progress of a download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Data sets settled, whether present or failed.
    pub settled: usize,
    /// Data sets requested.
    pub wanted: usize,
}

/// A data set to download.
#[derive(Default)]
struct Wanted {
    collections: Vec<CollectionName>,
    /// The target named by the task; if missing, the data set's default.
    target: Option<String>,
}

/// OpenML's id of the CC18 suite.
const SUITE: u32 = 99;
/// In the suite, but omitted by the paper.
const CIFAR_10: u32 = 40_927;

impl Fetch {
    /// OpenML itself.
    pub const OPENML: &str = "https://www.openml.org";

    /// Downloads what is missing; `step` is called with the progress. Returns the data sets that
    /// could not be downloaded; all others are there.
    ///
    /// # Errors
    /// The list of data sets cannot be downloaded, or the folder cannot be written to.
    pub fn run(&self, mut step: impl FnMut(Fetched)) -> Result<Vec<Failure>> {
        std::fs::create_dir_all(&self.folder)
            .map_err(|source| Error::Write { path: self.folder.clone(), source })?;
        let server = OpenMl::new(&self.server);
        let mut manifest = Manifest::open(&self.folder)?;
        let (data_sets, mut failures) = self.wanted(&server)?;
        for (settled, (&openml_id, wanted)) in data_sets.iter().enumerate() {
            step(Fetched { settled, wanted: data_sets.len() });
            if manifest.has(openml_id) {
                continue;
            }
            match self.download(&server, openml_id, wanted) {
                Ok(line) => manifest.add(&line)?,
                Err(error @ Error::Write { .. }) => return Err(error),
                Err(error) => {
                    let dataset = format!("data set {openml_id}");
                    failures.push(Failure { dataset, error });
                }
            }
        }
        step(Fetched { settled: data_sets.len(), wanted: data_sets.len() });
        Ok(failures)
    }

    /// The data sets of the collections by OpenML id, and the tasks whose data sets could not be
    /// determined.
    fn wanted(&self, server: &OpenMl) -> Result<(BTreeMap<u32, Wanted>, Vec<Failure>)> {
        let mut wanted: BTreeMap<u32, Wanted> = BTreeMap::new();
        let mut failures = Vec::new();
        for &name in &self.collections {
            if name == CollectionName::Cc18 {
                for task in server.suite(SUITE)? {
                    match server.task(task) {
                        Ok(task) if task.data_set == CIFAR_10 => {}
                        Ok(task) => {
                            let entry = wanted.entry(task.data_set).or_default();
                            entry.collections.push(name);
                            entry.target = Some(task.target);
                        }
                        Err(error) => {
                            failures.push(Failure { dataset: format!("task {task}"), error });
                        }
                    }
                }
            } else {
                for &(openml_id, _) in expected(name) {
                    wanted.entry(openml_id).or_default().collections.push(name);
                }
            }
        }
        Ok((wanted, failures))
    }

    fn download(&self, server: &OpenMl, openml_id: u32, wanted: &Wanted) -> Result<Line> {
        let described = server.data_set(openml_id)?;
        let target = wanted.target.clone().or(described.target);
        let target = target.ok_or_else(|| Error::DataSet {
            name: described.name.clone(),
            problem: "neither a task nor OpenML names its target".to_owned(),
        })?;
        let file = format!("{openml_id}_{}.arff.gz", file_name(&described.name));
        let path = self.folder.join(&file);
        let partial = self.folder.join(format!("{file}.partial"));
        let md5 = server.server.download(&described.url, &partial);
        let kept = md5.and_then(|md5| {
            if md5 != described.md5 {
                let problem = format!("the file has MD5 {md5}, but OpenML says {}", described.md5);
                return Err(complaint(&described.url, problem));
            }
            rename(&partial, &path)
        });
        kept.inspect_err(|_| {
            // Clean-up: if removing the broken file fails, that is harmless.
            let _ = std::fs::remove_file(&partial);
        })?;
        Ok(Line {
            openml_id,
            name: described.name,
            file,
            collections: wanted.collections.clone(),
            dropped: described.ignored.into_iter().filter(|name| *name != target).collect(),
            target,
            md5: described.md5,
        })
    }
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    std::fs::rename(from, to).map_err(|source| Error::Write { path: to.to_owned(), source })
}

/// Keeps letters, digits and `.-_`; anything else could form a path.
fn file_name(name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
    name.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect()
}
