//! The paper's experiments, run again and compared with the published numbers.
//!
//! One file per subcommand.

mod beyond;
mod experiments;
#[cfg(feature = "fetch")]
mod fetch;
mod figures;
mod tables;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use std::process::ExitCode;
use ternwood::Exec;
use ternwood_paper::CollectionName::{self, Breiman, Cc18, Medical};

/// Run the experiments of the paper behind ternwood again
///
/// Every kind of zone under every routing (what a row within a zone does), and plain CART (an
/// ordinary decision tree), by 5-fold cross-validation of trees of depth 4. Results go to
/// DIR/raw.csv fold by fold. An interrupted run resumes, and ends with the same bytes as one that
/// was not interrupted.
#[derive(Parser)]
#[command(
    name = "ternwood-paper",
    max_term_width = 100,
    after_help = "\
Examples:
  ternwood-paper breiman                        no data needed
  ternwood-paper fetch --out openml             download the data sets
  ternwood-paper all --data openml --out results
  ternwood-paper tables --out results           tables again, nothing computed"
)]
struct Cli {
    #[command(flatten)]
    common: CommonArgs,
    #[command(subcommand)]
    experiment: Experiment,
}

/// Options of every subcommand.
#[derive(clap::Args)]
struct CommonArgs {
    /// Suppress progress and the main tables
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Threads to use; 0 means one per core. No result depends on it
    #[arg(long, global = true, value_name = "N", default_value_t = 0, hide_default_value = true)]
    threads: usize,
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

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<()> {
    let session =
        Session { quiet: cli.common.quiet, exec: Exec::with_threads(cli.common.threads)? };
    match &cli.experiment {
        Experiment::All(args) => experiments::run(&CollectionName::ALL, args, &session),
        Experiment::Cc18(args) => experiments::run(&[Cc18], args, &session),
        Experiment::Breiman(args) => experiments::run(&[Breiman], args, &session),
        Experiment::Medical(args) => experiments::run(&[Medical], args, &session),
        Experiment::Beyond(args) => beyond::run(args, &session),
        #[cfg(feature = "fetch")]
        Experiment::Fetch(args) => fetch::run(args, &session),
        Experiment::Figures(args) => figures::run(args),
        Experiment::Tables(args) => tables::run(args, &session),
    }
}

/// Verbosity and threads.
struct Session {
    quiet: bool,
    exec: Exec,
}

impl Session {
    /// A progress bar on standard error, if that is a terminal.
    fn progress(&self, what: &'static str, total: u64) -> ProgressBar {
        if self.quiet {
            return ProgressBar::hidden();
        }
        let template = "{msg} [{bar:30}] {human_pos}/{human_len}, {eta} left";
        let style = ProgressStyle::with_template(template).expect("the template is valid");
        ProgressBar::new(total)
            .with_style(style.progress_chars("━━╌"))
            .with_message(what)
            .with_finish(ProgressFinish::AndClear)
    }
}

/// Ends the process with a usage error.
fn refuse(problem: &str) -> ! {
    Cli::command().error(ErrorKind::ValueValidation, problem).exit()
}

/// "1 data set", "2 data sets".
fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}
