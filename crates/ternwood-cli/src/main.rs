//! The `ternwood` command: from a data file to verdicts.
//!
//! One file per verb in [`verbs`]; what they share:
//!
//! - [`cli`] has the common options and reports errors;
//! - [`reading`] reads tables, [`model_file`] models; [`columns`] and [`schema_file`] say what
//!   columns are; [`growing`] and [`recipe`] have the options for trees;
//! - [`column_table`] and [`warnings`] say what a table looks like;
//! - [`metadata`] has the options that record what a model is;
//! - [`json`] writes what a verb did for other programs, [`model_document`] a model in it;
//! - [`shell`] writes options into messages;
//! - [`session`] has the threads, progress bars and messages on standard error;
//! - [`signals`] ends the process when it is asked to;
//! - [`output`] writes files that appear complete or not at all, [`output_format`] in the format
//!   that their names tell;
//! - [`evaluation`] measures predictions, [`report`] tabulates them;
//! - [`summary`] describes a model in a few lines;
//! - [`style`] has the colours, and the width of lines.

mod bytes;
mod cli;
mod column_table;
mod columns;
mod effect;
mod evaluation;
mod files;
mod growing;
mod json;
mod metadata;
mod model_document;
mod model_file;
mod nameless;
mod names;
mod next_step;
mod output;
mod output_format;
mod pieces;
mod reading;
mod report;
mod rows_needed;
mod schema_file;
mod session;
mod sha256;
mod shell;
mod signals;
mod style;
mod subgroups;
mod summary;
mod summary_of_forest;
mod verbs;
mod warnings;
mod wish;

fn main() -> std::process::ExitCode {
    cli::main()
}
