//! Calibrated trees against CART of the same depth.

use crate::reading::counted;
use crate::session::Session;
use crate::style;
use anyhow::{Context, Result};
use std::io::Write;
use std::path::PathBuf;
use ternwood_paper::Collection;
use ternwood_paper::beyond::{BeyondFile, BeyondRun, page};

/// Files in the results folder: raw figures, those of another library's forest, and the page.
const RAW: &str = "raw.csv";
const FOREST: &str = "forest.csv";
const PAGE: &str = "README.md";

#[derive(clap::Args)]
pub(crate) struct BeyondArgs {
    /// Folder of data sets: ARFF files, manifest.tsv and folds.tsv.gz
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Folder for raw.csv and README.md; forest.csv beside them is shown too
    #[arg(long, short, value_name = "DIR", default_value = "beyond")]
    out: PathBuf,
}

pub(crate) fn run(args: &BeyondArgs, session: &Session) -> Result<()> {
    let collection = Collection::open(&args.data)?;
    let run = BeyondRun::new(&collection);
    let folder = args.out.display();
    std::fs::create_dir_all(&args.out).with_context(|| format!("cannot make {folder}"))?;
    let mut file = BeyondFile::open(&args.out.join(RAW))?;
    let left = run.folds_left(&file);
    let progress = session.progress("folds", Some(left as u64));
    run.run(&mut file, session.exec(), || progress.advance(1))?;
    drop(progress);
    let mut rows = file.rows();
    rows.extend(BeyondFile::open(&args.out.join(FOREST))?.rows());
    let written = args.out.join(PAGE);
    std::fs::write(&written, page(&rows))
        .with_context(|| format!("cannot write {}", written.display()))?;
    let mut out = anstream::stdout().lock();
    writeln!(out, "{}", style::heading("Calibrated trees against CART of the same depth"))?;
    let sets = counted(run.entries().len(), "data set");
    writeln!(out, "{sets}; {} computed now", counted(left, "fold"))?;
    writeln!(out, "wrote {}", written.display())?;
    Ok(out.flush()?)
}
