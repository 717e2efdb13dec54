//! `ternwood annotate`: records a model's name, version, owner and notes in its file.

use crate::cli::Usage;
use crate::files;
use crate::model_file::{EditedArgs, ModelFile, to_bytes};
use crate::output::{Output, STDOUT};
use crate::session::Session;
use anyhow::Result;
use std::path::{Path, PathBuf};
use ternwood::Model;
use ternwood::model::Metadata;

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

// Options that record what a model is: its name, version, owner, notes, and fields of one's own.

/// What is recorded in the model file about the model. It changes no prediction.
#[derive(clap::Args)]
#[command(next_help_heading = "Metadata")]
struct MetadataArgs {
    /// Name of the model, recorded in its file
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Version of the model, such as 2.1
    #[arg(long, value_name = "TEXT")]
    model_version: Option<String>,
    /// Person or team responsible for the model
    #[arg(long, value_name = "TEXT")]
    owner: Option<String>,
    /// Notes about the model, such as its intended use
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
    /// Another field, such as ticket=QA-17; may be given several times
    #[arg(long, value_name = "FIELD=TEXT", value_parser = field)]
    meta: Vec<(String, String)>,
}

fn field(text: &str) -> Result<(String, String), String> {
    let (name, text) = text.split_once('=').ok_or("a field and its text, such as ticket=QA-17")?;
    Ok((name.to_owned(), text.to_owned()))
}

impl MetadataArgs {
    /// True if no field is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.fields().next().is_none()
    }

    /// These metadata with the fields that are given; an empty text removes a field.
    fn applied_to(&self, mut metadata: Metadata) -> Result<Metadata> {
        for (name, text) in self.fields() {
            metadata.set(name, text).map_err(|error| Usage(error.to_string()))?;
        }
        Ok(metadata)
    }

    fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        let Self { name, model_version, owner, notes, meta } = self;
        let standard = [name, model_version, owner, notes].map(Option::as_deref);
        let standard = Metadata::STANDARD_FIELDS.into_iter().zip(standard);
        let standard = standard.filter_map(|(name, text)| Some((name, text?)));
        standard.chain(meta.iter().map(|(name, text)| (name.as_str(), text.as_str())))
    }
}

/// What `fit` records.
#[derive(clap::Args)]
#[command(next_help_heading = "Metadata")]
pub(crate) struct RecordArgs {
    #[command(flatten)]
    metadata: MetadataArgs,
    /// Record the SHA-256 of the table's file, or of all files one after the other
    #[arg(long, conflicts_with = "private")]
    record_input: bool,
}

impl RecordArgs {
    /// The metadata of a model that is fitted to these files.
    pub(crate) fn of(&self, files: &[PathBuf]) -> Result<Metadata> {
        let mut metadata = self.metadata.applied_to(Metadata::default())?;
        if self.record_input {
            if let Some(stream) = files.iter().find(|file| !file.is_file()) {
                let name = stream.display();
                let problem = format!(
                    "--record-input reads the table twice, and '{name}' is not a regular file; save the table \
                     to a file, or leave out --record-input"
                );
                return Err(Usage(problem).into());
            }
            metadata.set(Metadata::INPUT_SHA256, &files::sha256_of_files(files)?)?;
        }
        Ok(metadata)
    }
}

/// The model with other metadata.
fn annotated(model: Model, args: &MetadataArgs) -> Result<Model> {
    let metadata = args.applied_to(model.metadata().clone())?;
    Ok(model.with_metadata(metadata))
}
