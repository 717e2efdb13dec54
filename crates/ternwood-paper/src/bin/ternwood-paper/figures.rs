//! `ternwood-paper figures`: the paper's figures, and one more.

use crate::counted;
use anyhow::Result;
use std::io::Write;
use std::path::{Path, PathBuf};
use ternwood_paper::{Collection, RAW, Results, figures, make_folder, write_file};

/// The figures of the paper, as SVG
#[derive(clap::Args)]
pub(crate) struct FiguresArgs {
    /// Folder of data sets; without it the figures that need none are drawn
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Folder with the results, where the figures go too
    #[arg(long, short, value_name = "DIR", default_value = "results")]
    out: PathBuf,
}

/// The folder for figures within the results folder.
const FIGURES: &str = "figures";

pub(crate) fn run(args: &FiguresArgs) -> Result<()> {
    let collection = args.data.as_ref().map(Collection::open).transpose()?;
    let results =
        if args.out.join(RAW).is_file() { Results::read(&args.out)? } else { Results::default() };
    let mut out = std::io::stdout().lock();
    draw(&mut out, &args.out, &results, collection.as_ref())?;
    Ok(out.flush()?)
}

/// Draws every figure that the data allows, and prints the folder.
pub(crate) fn draw(
    out: &mut impl Write,
    folder: &Path,
    results: &Results,
    collection: Option<&Collection>,
) -> Result<()> {
    let into = folder.join(FIGURES);
    make_folder(&into)?;
    let figures = figures(results, collection)?;
    for figure in &figures {
        write_file(&into.join(format!("{}.svg", figure.name)), &figure.svg)?;
    }
    writeln!(out, "wrote {} to {}", counted(figures.len(), "figure"), into.display())?;
    Ok(())
}
