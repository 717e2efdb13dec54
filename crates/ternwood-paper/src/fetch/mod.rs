//! Downloading the collections from OpenML.
//!
//! Suite 99 lists tasks, a task names its data set and target, a data set its ARFF file and the
//! file's MD5. A file is kept, compressed, only if its MD5 is right; then its line goes into the
//! manifest. Data sets that are in the manifest are not downloaded again, so that a
//! download that was stopped goes on where it was.

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

/// What to download, from where, and where to.
#[derive(Debug, Clone)]
pub struct Fetch {
    /// The server, such as [`Fetch::OPENML`].
    pub server: String,
    /// The folder to fill; it is made if it does not exist.
    pub folder: PathBuf,
    /// The collections wanted.
    pub collections: Vec<CollectionName>,
}

/// How a download is going.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Data sets settled, there or failed.
    pub settled: usize,
    /// Data sets wanted.
    pub wanted: usize,
}

/// What is wanted of a data set.
#[derive(Default)]
struct Wanted {
    collections: Vec<CollectionName>,
    /// The target a task names; without one, the data set's own default.
    target: Option<String>,
}

/// OpenML's suite of CC18.
const SUITE: u32 = 99;
/// CIFAR_10: in the suite, but left out by the paper.
const LEFT_OUT: u32 = 40_927;

impl Fetch {
    /// OpenML itself.
    pub const OPENML: &str = "https://www.openml.org";

    /// Downloads what is not there yet; `step` is called with the progress. Data sets that cannot be
    /// had come back; the others are there.
    ///
    /// # Errors
    /// The list of data sets cannot be had, or the folder cannot be written to.
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

    /// The data sets of the collections, by OpenML's number, and the tasks that could not be
    /// asked for theirs.
    fn wanted(&self, server: &OpenMl) -> Result<(BTreeMap<u32, Wanted>, Vec<Failure>)> {
        let mut wanted: BTreeMap<u32, Wanted> = BTreeMap::new();
        let mut failures = Vec::new();
        for &name in &self.collections {
            if name == CollectionName::Cc18 {
                for task in server.suite(SUITE)? {
                    match server.task(task) {
                        Ok(task) if task.data_set == LEFT_OUT => {}
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
            // A broken file is removed. That this may fail too does not matter.
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

/// Letters, digits and `.-_` stay; everything else could be a path.
fn file_name(name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
    name.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect()
}
