//! The `ternwood` command: from a data file to verdicts.
//!
//! One file per verb in [`verbs`]; what they share:
//!
//! - [`cli`] has the common options and reports errors;
//! - [`reading`] reads tables, [`model_file`] models; [`columns`] and [`schema_file`] say what
//!   columns are; [`growing`] has the options for trees and zones, [`wish`] those for verdicts;
//! - [`pieces`] fits tables larger than memory;
//! - [`column_table`] and [`warnings`] describe a table;
//! - [`json`] writes what a verb did, and what a model is, for other programs;
//! - [`shell`] writes options into messages;
//! - [`session`] has the threads, progress bars and messages on standard error;
//! - [`output`] writes files that appear complete or not at all, in the format that their names tell;
//! - [`files`] expands patterns and folders, and hashes files;
//! - [`evaluation`] measures predictions, [`report`] and [`signed_report`] present the figures;
//! - [`effect`] says what a verdict does to rows and to subgroups of them, [`next_step`] which
//!   command to run next;
//! - [`summary`] describes a model in a few lines;
//! - [`style`] has the colours and the width of lines, [`grid`] aligns tables.

#![forbid(unsafe_code)]

mod cli;
mod column_table;
mod columns;
mod effect;
mod evaluation;
mod files;
mod grid;
mod growing;
mod json;
mod model_file;
mod next_step;
mod output;
mod pieces;
mod reading;
mod report;
mod schema_file;
mod session;
mod shell;
mod signed_report;
mod style;
mod summary;
mod verbs;
mod warnings;
mod wish;

fn main() -> std::process::ExitCode {
    cli::main()
}
