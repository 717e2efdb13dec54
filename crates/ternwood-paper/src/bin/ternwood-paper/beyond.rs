//! Calibrated trees against CART of the same depth, on tables as they are, and of the best depth; forests
//! against scikit-learn's.

use crate::{Session, counted};
use anyhow::Result;
use std::io::Write;
use std::path::{Path, PathBuf};
use ternwood_paper::beyond::{
    BeyondFile, BeyondRow, BeyondRun, Experiment, depths_page, forests_page, page, tables_page,
};
use ternwood_paper::{Collection, make_folder, write_file};

/// Files in the results folder: raw figures, those of another library's forest, and the page.
const RAW: &str = "raw.csv";
const FOREST: &str = "forest.csv";
const SCIKIT_LEARN: &str = "scikit-learn.csv";
const PAGE: &str = "README.md";

#[derive(clap::Args)]
pub(crate) struct BeyondArgs {
    /// Folder of data sets: ARFF files, manifest.tsv and folds.tsv.gz
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Folder for raw.csv and README.md; forest.csv beside them is shown too
    /// [default: beyond, tables with --tables, depths with --depths, forests with --forest]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Compare calibrated trees on tables as they are with those on tables of numbers (categories
    /// as codes, gaps filled with medians), on the data sets with categories or missing values (at
    /// most 20,000 rows of each)
    #[arg(long)]
    tables: bool,
    /// Compare the readable tree (`fit --max-depth auto`) with the best depth (`fit --max-depth best`) on all
    /// data sets (at most 20,000 rows of each)
    #[arg(long, conflicts_with = "tables")]
    depths: bool,
    /// Compare forests of ternary trees with those of scikit-learn, on the data sets of at most 20,000
    /// rows; what scikit-learn does is read from scikit-learn.csv in the results folder
    #[arg(long, conflicts_with_all = ["tables", "depths"])]
    forest: bool,
}

pub(crate) fn run(args: &BeyondArgs, session: &Session) -> Result<()> {
    let collection = Collection::open(&args.data)?;
    let (experiment, default) = match args {
        BeyondArgs { tables: true, .. } => (Experiment::Tables, "tables"),
        BeyondArgs { depths: true, .. } => (Experiment::Depths, "depths"),
        BeyondArgs { forest: true, .. } => (Experiment::Forests, "forests"),
        _ => (Experiment::Calibrated, "beyond"),
    };
    let folder = args.out.as_deref().unwrap_or(Path::new(default));
    make_folder(folder)?;
    let mut file = BeyondFile::open(&folder.join(RAW))?;
    let before = file.n_folds();
    let run = BeyondRun::new(experiment, &collection);
    let progress = session.progress("data sets", run.n_data_sets() as u64);
    run.run(&mut file, &session.exec, || progress.inc(1))?;
    // The page also shows what others did.
    let with_file = |name| -> Result<Vec<BeyondRow>> {
        let mut rows = file.rows();
        rows.extend(BeyondFile::open(&folder.join(name))?.rows());
        Ok(rows)
    };
    let (title, text) = match experiment {
        Experiment::Tables => {
            ("Tables as they are against codes and medians", tables_page(&file.rows()))
        }
        Experiment::Depths => {
            ("The readable tree against the best depth", depths_page(&file.rows()))
        }
        Experiment::Forests => (
            "Forests of ternary trees against scikit-learn's",
            forests_page(&with_file(SCIKIT_LEARN)?),
        ),
        Experiment::Calibrated => {
            ("Calibrated trees against CART of the same depth", page(&with_file(FOREST)?))
        }
    };
    let written = folder.join(PAGE);
    write_file(&written, &text)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{title}")?;
    let sets = counted(file.n_data_sets(), "data set");
    writeln!(out, "{sets}; {} computed now", counted(file.n_folds() - before, "fold"))?;
    writeln!(out, "wrote {}", written.display())?;
    Ok(out.flush()?)
}
