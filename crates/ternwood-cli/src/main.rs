//! The `ternwood` command: from a data file to verdicts.
//!
//! One file per verb in [`verbs`]; what they share:
//!
//! - [`cli`]: the options of all verbs, and what happens to errors;
//! - [`reading`] and [`growing`]: options that say how to read a table and which tree to grow;
//! - [`session`]: threads, messages on standard error, progress;
//! - [`output`]: files that appear complete or not at all;
//! - [`evaluation`] and [`report`]: figures of predictions, and tables of them;
//! - [`style`]: colours.

mod cli;
mod evaluation;
mod growing;
mod output;
mod reading;
mod report;
mod session;
mod style;
mod verbs;

fn main() -> std::process::ExitCode {
    cli::main()
}
