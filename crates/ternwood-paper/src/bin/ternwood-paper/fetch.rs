//! `ternwood-paper fetch`: downloads the data sets from OpenML.

use crate::{Session, counted};
use anyhow::{Result, anyhow};
use std::io::Write;
use std::path::PathBuf;
use ternwood_paper::{CollectionName, Failure, Fetch};

/// Download the data sets from OpenML; a download that was stopped goes on where it was
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ternwood-paper fetch --out openml
  ternwood-paper fetch --out openml --collection medical
  ternwood-paper all --data openml")]
pub(crate) struct FetchArgs {
    /// Folder to fill: ARFF files and manifest.tsv; it is made if it does not exist
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// Which collections; all of them if none is named
    #[arg(long, value_enum, value_name = "NAME")]
    collection: Vec<Chosen>,
    /// Another server that answers like OpenML
    #[arg(long, value_name = "URL", default_value = Fetch::OPENML)]
    server: String,
}

#[derive(clap::ValueEnum, Clone, Copy)]
enum Chosen {
    Cc18,
    Breiman,
    Medical,
}

impl Chosen {
    fn name(self) -> CollectionName {
        match self {
            Self::Cc18 => CollectionName::Cc18,
            Self::Breiman => CollectionName::Breiman,
            Self::Medical => CollectionName::Medical,
        }
    }
}

pub(crate) fn run(args: &FetchArgs, session: &Session) -> Result<()> {
    let collections = match args.collection.as_slice() {
        [] => CollectionName::ALL.to_vec(),
        chosen => chosen.iter().map(|chosen| chosen.name()).collect(),
    };
    let fetch = Fetch { server: args.server.clone(), folder: args.out.clone(), collections };
    let mut progress = None;
    let (mut settled, mut wanted) = (0, 0);
    let failures = fetch.run(|how| {
        let bar = progress.get_or_insert_with(|| session.progress("data sets", how.wanted as u64));
        bar.inc((how.settled - settled) as u64);
        (settled, wanted) = (how.settled, how.wanted);
    })?;
    drop(progress);
    let mut out = std::io::stdout().lock();
    let there = counted(wanted - failed_sets(&failures), "data set");
    writeln!(out, "{there} in {}", args.out.display())?;
    for Failure { dataset, error } in &failures {
        writeln!(out, "failed {dataset}: {error}")?;
    }
    out.flush()?;
    match failures.len() {
        0 => Ok(()),
        n => Err(anyhow!("{n} could not be had; run the same command again to try once more")),
    }
}

/// The number of failed data sets. Failed tasks do not count: the total excludes them too.
fn failed_sets(failures: &[Failure]) -> usize {
    failures.iter().filter(|failure| failure.dataset.starts_with("data set")).count()
}
