//! The `ternwood` command: from a data file to verdicts.
//!
//! One file per verb in [`verbs`]; what they share:
//!
//! - [`cli`] has the options of all verbs, and what happens to errors;
//! - [`reading`] says how to read a table, [`model_file`] how to read a model, [`growing`] which
//!   tree to grow, [`recipe`] what the data is to decide;
//! - [`session`] keeps threads and progress, and speaks on standard error;
//! - [`output`] writes files that appear complete or not at all;
//! - [`evaluation`] measures predictions, [`report`] makes tables of it;
//! - [`style`] has the colours.

mod cli;
mod evaluation;
mod growing;
mod model_file;
mod output;
mod reading;
mod recipe;
mod report;
mod session;
mod style;
mod verbs;

fn main() -> std::process::ExitCode {
    cli::main()
}
