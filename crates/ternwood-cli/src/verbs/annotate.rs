//! `ternwood annotate`: records a model's name, version, owner and notes in its file.

use crate::cli::Usage;
use crate::metadata::{MetadataArgs, annotated};
use crate::model_file::{EditedArgs, ModelFile, to_bytes};
use crate::output::{Output, STDOUT};
use crate::session::Session;
use anyhow::Result;
use std::path::{Path, PathBuf};

/// Record name, version, owner and notes in a model file, without fitting again
#[derive(clap::Args)]
#[command(after_help = "\
Nothing else in the model changes. An empty text removes a field.
`ternwood show` prints the metadata; pages, reports and ONNX files have them.

Examples:
  ternwood annotate model.json --name Readmission --model-version 2.1 -o m.json
  ternwood annotate model.json --owner 'Risk team' -o model.json --force
  ternwood annotate model.json --meta ticket=QA-17 --notes '' -o m.json")]
pub(crate) struct AnnotateArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    edited: EditedArgs,
    /// Model file to write; `-` means standard output
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,
    /// Replace the output if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    metadata: MetadataArgs,
}

pub(crate) fn run(args: &AnnotateArgs, session: &Session) -> Result<()> {
    if args.metadata.is_empty() {
        let problem =
            "there is nothing to record; say --name, --model-version, --owner, --notes or --meta";
        return Err(Usage(problem.to_owned()).into());
    }
    let file = Output::file(&args.output, args.force)?;
    let model = annotated(ModelFile::read(&args.model, args.edited)?.model, &args.metadata)?;
    file.complete(to_bytes(&model, &args.output))?;
    if args.output != Path::new(STDOUT) {
        session.note(format_args!("wrote {}", args.output.display()));
    }
    Ok(())
}
