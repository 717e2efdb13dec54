//! Running the collections.

use crate::tables::{self, PublishedArgs};
use crate::{Session, counted, figures, refuse};
use anyhow::{Result, anyhow};
use std::io::Write;
use std::path::PathBuf;
use ternwood_paper::{
    Collection, CollectionName, Failure, Generated, RAW, ResultsFile, Run, Subject, expected,
    not_listed, write_tables,
};

#[derive(clap::Args)]
pub(crate) struct ExperimentArgs {
    /// Folder of data sets: ARFF files, manifest.tsv and, if there is one, folds.tsv.gz
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Folder for results; it is made if it does not exist
    #[arg(long, short, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Start over instead of going on with the results that are there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    published: PublishedArgs,
}

pub(crate) fn run(
    names: &[CollectionName],
    args: &ExperimentArgs,
    session: &Session,
) -> Result<()> {
    let collection = args.collection(names)?;
    let subjects = subjects(names, collection.as_ref());
    let mut file = ResultsFile::open(&args.out, args.force)?;
    let experiment = Run { subjects, threads: session.exec.threads() };
    let before = file.results().units().len();
    let left = experiment.units_left(&file) as u64;
    let progress = session.progress("folds", left);
    let failures = experiment.run(&mut file, |units| progress.inc(units))?;
    drop(progress);
    let published = args.published.read(args.data.as_deref())?;
    let (tables, agreement) = write_tables(&args.out, file.results(), &published)?;
    let mut out = std::io::stdout().lock();
    tables::show(&mut out, &tables, session)?;
    writeln!(out, "What was run")?;
    let sets = counted(experiment.subjects.len() - failed_sets(&failures), "data set");
    let there = file.results().units().len();
    let now = counted(there - before, "fold");
    writeln!(out, "{sets}; {now} computed now, {there} in all")?;
    for name in names {
        missing(&mut out, *name, collection.as_ref())?;
    }
    for Failure { dataset, error } in &failures {
        writeln!(out, "failed {dataset}: {error}")?;
    }
    writeln!(out, "wrote {}", args.out.join(RAW).display())?;
    tables::print_summary(&mut out, &args.out, &tables, &agreement)?;
    if names == CollectionName::ALL {
        figures::draw(&mut out, &args.out, file.results(), collection.as_ref())?;
    }
    out.flush()?;
    match failed_sets(&failures) {
        0 => Ok(()),
        n => {
            Err(anyhow!("{} of the manifest could not be used; see above", counted(n, "data set")))
        }
    }
}

impl ExperimentArgs {
    fn collection(&self, names: &[CollectionName]) -> Result<Option<Collection>> {
        match &self.data {
            Some(folder) => Ok(Some(Collection::open(folder)?)),
            None if names == [CollectionName::Breiman] => Ok(None),
            None => refuse(
                "--data DIR is needed: a folder of data sets; `ternwood-paper fetch --out DIR` \
                 makes one, and `ternwood-paper breiman` needs none",
            ),
        }
    }
}

fn subjects<'a>(names: &[CollectionName], collection: Option<&'a Collection>) -> Vec<Subject<'a>> {
    let mut subjects = Vec::new();
    if let Some(collection) = collection {
        let entries = collection.entries().iter();
        let wanted = entries.filter(|entry| entry.collections.iter().any(|c| names.contains(c)));
        subjects.extend(wanted.map(|entry| Subject::Stored { collection, entry }));
    }
    if names.contains(&CollectionName::Breiman) {
        subjects.extend(Generated::ALL.map(Subject::Generated));
    }
    subjects
}

fn failed_sets(failures: &[Failure]) -> usize {
    let mut names: Vec<&str> =
        failures.iter().map(|f| f.dataset.split(", fold ").next().unwrap_or_default()).collect();
    names.dedup();
    names.len()
}

/// The most absent data sets to name.
const SHOWN: usize = 6;

/// Prints which data sets of a collection the manifest lacks.
fn missing(
    out: &mut impl Write,
    name: CollectionName,
    collection: Option<&Collection>,
) -> Result<()> {
    let Some(collection) = collection else { return Ok(()) };
    let missing = not_listed(collection, name);
    let (all, there) = (expected(name).len(), expected(name).len() - missing.len());
    write!(out, "{}: {there} of {all} data sets are in the manifest", name.as_str())?;
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().take(SHOWN).map(|(_, name)| *name).collect();
        write!(out, "; not there: {}", names.join(", "))?;
        if missing.len() > SHOWN {
            write!(out, " and {} more", missing.len() - SHOWN)?;
        }
    }
    Ok(writeln!(out)?)
}
