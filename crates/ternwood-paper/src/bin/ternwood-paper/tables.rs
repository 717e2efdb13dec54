//! `ternwood-paper tables`: tables from existing results.

use crate::{Session, counted};
use anyhow::{Result, anyhow, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use ternwood_paper::{
    Agreement, Basis, Published, RAW, Results, SUMMARY, TABLES, Table, write_tables,
};

/// Tables of the results in a folder; nothing is computed anew
#[derive(clap::Args)]
pub(crate) struct TablesArgs {
    /// Folder with the results, where the tables go too
    #[arg(long, short, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    #[command(flatten)]
    published: PublishedArgs,
}

/// Where the paper's own numbers are.
#[derive(clap::Args)]
pub(crate) struct PublishedArgs {
    /// Folder with the published tables (TSV), to compare with
    /// [default: a folder `paper` next to --data, if it has such tables]
    #[arg(long, value_name = "DIR")]
    published: Option<PathBuf>,
}

impl PublishedArgs {
    /// The published numbers, if found.
    pub(crate) fn read(&self, data: Option<&Path>) -> Result<Published> {
        if let Some(folder) = &self.published {
            return Ok(Published::read(folder)?);
        }
        let beside = data.map(|data| data.join("../paper"));
        Ok(beside.and_then(|folder| Published::read(&folder).ok()).unwrap_or_default())
    }
}

pub(crate) fn run(args: &TablesArgs, session: &Session) -> Result<()> {
    let path = args.out.join(RAW);
    if !path.is_file() {
        bail!(
            "{}: there are no results; `ternwood-paper all --data DIR --out {}` makes them",
            path.display(),
            args.out.display()
        );
    }
    let results = Results::read(&args.out)?;
    if results.units().len() == 0 {
        return Err(anyhow!("{}: no fold is complete in it", path.display()));
    }
    let (tables, agreement) = write_tables(&args.out, &results, &args.published.read(None)?)?;
    let mut out = std::io::stdout().lock();
    show(&mut out, &tables, session)?;
    print_summary(&mut out, &args.out, &tables, &agreement)?;
    Ok(out.flush()?)
}

/// The main tables.
const SHOWN: [&str; 4] =
    ["table1_cc18_summary", "table2_breiman", "table3_medical", "breiman_generated"];

/// Prints some tables.
pub(crate) fn show(out: &mut impl Write, tables: &[Table], session: &Session) -> Result<()> {
    if session.quiet {
        return Ok(());
    }
    let shown: Vec<&Table> = tables.iter().filter(|t| SHOWN.contains(&t.name)).collect();
    for table in &shown {
        writeln!(out, "{}\n\n{}", table.title, table.text())?;
    }
    if !shown.is_empty() {
        writeln!(out, "{LEGEND}")?;
    }
    Ok(())
}

const LEGEND: &str = "\
decided accuracy  share of right answers among the decided rows: those outside
                  of all zones
undecided rate    share of the other rows
ub                undecided rate / Bayes error: flags per unavoidable error
accuracy all      share of right answers among all rows
chow cart         decided accuracy if as many rows are undecided, but those with
                  the lowest probability in plain CART (Chow's rule)
chow own          the same with the probabilities of the tree itself
";

/// Prints the extent of agreement, and the paths of the tables.
pub(crate) fn print_summary(
    out: &mut impl Write,
    folder: &Path,
    tables: &[Table],
    agreement: &Agreement,
) -> Result<()> {
    for basis in [Basis::Same, Basis::Filled, Basis::Cart, Basis::FewerSets] {
        let (cells, agree) = agreement.total(basis);
        if cells > 0 {
            writeln!(
                out,
                "{agree} of {cells} published numbers agree in every digit: {}",
                basis.describe()
            )?;
        }
    }
    let folder = folder.display();
    writeln!(
        out,
        "wrote {folder}/{SUMMARY} and {} to {folder}/{TABLES}",
        counted(tables.len(), "table")
    )?;
    Ok(())
}
