//! The `ternwood` command: from a data file to verdicts.
//!
//! One file per verb in [`verbs`]; what they share:
//!
//! - [`cli`] has the common options and reports errors;
//! - [`reading`] reads tables, [`model_file`] models; [`growing`] and [`recipe`] have the options
//!   for trees;
//! - [`session`] has the threads, progress bars and messages on standard error;
//! - [`output`] writes files that appear complete or not at all, [`output_format`] in the format
//!   that their names tell;
//! - [`evaluation`] measures predictions, [`report`] tabulates them;
//! - [`summary`] describes a model in a few lines;
//! - [`style`] has the colours, and the width of lines.

mod cli;
mod columns;
mod evaluation;
mod growing;
mod model_file;
mod output;
mod output_format;
mod reading;
mod recipe;
mod report;
mod session;
mod style;
mod summary;
mod verbs;

fn main() -> std::process::ExitCode {
    cli::main()
}
