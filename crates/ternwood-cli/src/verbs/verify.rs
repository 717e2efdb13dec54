//! `ternwood verify`: is a model file as it was written?

use crate::cli::with_causes;
use crate::model_file::{ModelFile, accept_instead, name};
use anyhow::{Context, Result};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use ternwood::model::Checksum;

/// Verify that a model file is as it was written
#[derive(clap::Args)]
#[command(after_help = "\
A model file states the SHA-256 of its content. `verify` reads the file, checks
everything in it, and compares. Every command that reads a model does the same;
white space and the order of fields do not matter.

It finds damage and edits, not forgery: anyone can compute a SHA-256. Compare
it with one that reached you another way.

Exit codes: 0 it is as it was written; 1 it is not, or is no model file;
2 wrong arguments.

Examples:
  ternwood verify model.json
  ternwood verify forest.safetensors --json
  ternwood export edited.json --accept-edited --to json -o model.json
                                                     state the SHA-256 anew")]
pub(crate) struct VerifyArgs {
    /// Model file; `-` means standard input
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The result for other programs.
#[derive(Serialize)]
struct Document<'a> {
    model: String,
    holds: bool,
    /// What the file states; absent if it states nothing or is no model file.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<&'a str>,
    /// That of the content; absent if the file is no model file.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_sha256: Option<&'a str>,
    /// Absent if it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

pub(crate) fn run(args: &VerifyArgs) -> Result<()> {
    let model = name(&args.model);
    let (checksum, outcome) = match ModelFile::unchecked(&args.model) {
        Ok((_, checksum)) => {
            let outcome = checksum.check().map_err(accept_instead).with_context(|| model.clone());
            (Some(checksum), outcome)
        }
        Err(error) => (None, Err(error)),
    };
    let mut out = anstream::stdout().lock();
    if args.json {
        let sums = checksum.as_ref();
        let document = Document {
            holds: outcome.is_ok(),
            sha256: sums.and_then(Checksum::stored),
            content_sha256: sums.map(Checksum::computed),
            problem: outcome.as_ref().err().map(with_causes),
            model,
        };
        writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
    } else if let (Some(checksum), Ok(())) = (&checksum, &outcome) {
        writeln!(
            out,
            "{model}: as it was written\nSHA-256 of its content: {}",
            checksum.computed()
        )?;
    }
    out.flush()?;
    outcome
}
