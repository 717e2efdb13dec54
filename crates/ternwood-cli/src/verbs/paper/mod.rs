//! `ternwood paper`: reruns the paper's experiments and compares with the published numbers.
//!
//! One file per subcommand.

mod beyond;
mod experiments;
#[cfg(feature = "fetch")]
mod fetch;
mod figures;
mod tables;

use crate::session::Session;
use anyhow::Result;
use clap::Subcommand;
use ternwood_paper::CollectionName;

/// Run the experiments of the paper behind ternwood again
///
/// Every kind of zone under every routing (what a row within a zone does), and plain CART (an
/// ordinary decision tree), by 5-fold cross-validation of trees of depth 4. Results go to DIR/raw.csv fold by fold; a run that was stopped goes on where it
/// was, and ends with the same bytes as one that was not.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ternwood paper breiman                        no data needed
  ternwood paper fetch --out openml             download the data sets
  ternwood paper all --data openml --out results
  ternwood paper tables --out results           tables again, nothing computed")]
pub(crate) struct PaperArgs {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Subcommand)]
enum Experiment {
    /// All collections, then tables and figures
    All(experiments::ExperimentArgs),
    /// OpenML-CC18: 71 data sets of all kinds
    Cc18(experiments::ExperimentArgs),
    /// Waveform, twonorm and ringnorm; generated if there is no --data
    Breiman(experiments::ExperimentArgs),
    /// Four medical and financial data sets
    Medical(experiments::ExperimentArgs),
    /// Calibrated trees against CART of the same depth, on data sets of at most 12,000 rows; or,
    /// with --tables, on tables as they are against tables of numbers, with categories coded and
    /// gaps filled; with --depths, readable trees against the best depth
    Beyond(beyond::BeyondArgs),
    Tables(tables::TablesArgs),
    Figures(figures::FiguresArgs),
    #[cfg(feature = "fetch")]
    Fetch(fetch::FetchArgs),
}

pub(crate) fn run(args: &PaperArgs, session: &Session) -> Result<()> {
    use CollectionName::{Breiman, Cc18, Medical};
    match &args.experiment {
        Experiment::All(args) => experiments::run(&CollectionName::ALL, args, session),
        Experiment::Cc18(args) => experiments::run(&[Cc18], args, session),
        Experiment::Breiman(args) => experiments::run(&[Breiman], args, session),
        Experiment::Medical(args) => experiments::run(&[Medical], args, session),
        Experiment::Beyond(args) => beyond::run(args, session),
        #[cfg(feature = "fetch")]
        Experiment::Fetch(args) => fetch::run(args, session),
        Experiment::Figures(args) => figures::run(args),
        Experiment::Tables(args) => tables::run(args, session),
    }
}
