//! Model files, and labelled rows for a model.

use crate::cli::Usage;
use crate::columns::Names;
use crate::effect::Subgroups;
use crate::files;
use crate::reading::{DataArgs, UnlabelledArgs, remedy};
use crate::session::Session;
use crate::warnings;
use anyhow::{Context, Result, anyhow, bail};
use std::fmt::Display;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use ternwood::model::Checksum;
use ternwood::recipe::MissingValues;
use ternwood::training::{NotCompared, SeenRows};
use ternwood::{Dataset, ErrorKind, Feature, Model, Schema};
use ternwood_table::{EncodedFeatures, ReadAs, ReadOptions, Table, Unreadable, read_table};

/// Whether a model may differ from the one that was written.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct EditedArgs {
    /// Read the model although it was edited by hand: its content need not have the SHA-256 that
    /// it states
    #[arg(long, requires = "model")]
    accept_edited: bool,
}

/// A model and its file.
pub(crate) struct ModelFile<'a> {
    pub(crate) path: &'a Path,
    pub(crate) model: Model,
}

/// Rows with their classes, and their subgroups.
pub(crate) struct LabelledRows {
    pub(crate) dataset: Dataset,
    pub(crate) groups: Vec<Subgroups>,
    /// Features that the table does not have.
    pub(crate) absent: Vec<String>,
}

impl<'a> ModelFile<'a> {
    /// Reads a model file; `-` means standard input.
    pub(crate) fn read(path: &'a Path, edited: EditedArgs) -> Result<Self> {
        let (file, checksum) = Self::unchecked(path)?;
        if !edited.accept_edited {
            checksum.check().map_err(accept_instead).with_context(|| name(path))?;
        }
        Ok(file)
    }

    /// Reads a model file that may have been edited.
    pub(crate) fn unchecked(path: &'a Path) -> Result<(Self, Checksum)> {
        let name = name(path);
        let input: Box<dyn Read> = if path == Path::new("-") {
            Box::new(std::io::stdin())
        } else {
            Box::new(std::fs::File::open(path).with_context(|| name.clone())?)
        };
        let refuse =
            |problem: &str| anyhow!("{name}: not a usable model file: {problem}; {MODEL_HINT}");
        let bytes = model_bytes(input, MAX_BYTES).with_context(|| name.clone())?;
        let bytes = bytes.map_err(|problem| refuse(&problem))?;
        let (model, checksum) = Model::from_edited(&bytes).with_context(|| name.clone())?;
        Ok((Self { path, model }, checksum))
    }

    /// The hash of the file, to compare with `sha256sum`. Of standard input, which cannot be read
    /// again, that of the file that `fit` would have written.
    pub(crate) fn sha256(&self) -> Result<String> {
        if self.path == Path::new("-") {
            return Ok(files::sha256_of_bytes(to_bytes(&self.model, self.path)));
        }
        files::sha256_of_file(self.path)
    }

    /// Reads labelled rows, encoded by the model's schema. `target` is the column with the
    /// classes, if it differs from training.
    pub(crate) fn labelled_rows(
        &self,
        data: &DataArgs,
        target: Option<&str>,
        unlabelled: UnlabelledArgs,
        session: &Session,
    ) -> Result<Dataset> {
        let rows =
            self.labelled_groups(std::slice::from_ref(data), target, unlabelled, &[], session)?;
        Ok(rows.dataset)
    }

    /// The same of rows that are to be new to the model. Warns if nobody can tell whether they are.
    pub(crate) fn held_out_rows(
        &self,
        data: &DataArgs,
        target: Option<&str>,
        unlabelled: UnlabelledArgs,
        session: &Session,
    ) -> Result<Dataset> {
        let rows =
            self.labelled_groups(std::slice::from_ref(data), target, unlabelled, &[], session)?;
        let name = data.name();
        let unknown = |reason: &dyn Display| {
            session.warn([format!(
                "cannot tell whether the model was trained on rows of {name}: {reason}; a promise holds \
                 only if it was not"
            )]);
        };
        match (rows.absent.first(), self.model.seen_rows(&rows.dataset, session.exec())?) {
            (Some(column), _) => unknown(&format!("the table has no usable column '{column}'")),
            (None, SeenRows::Unknown(NotCompared::NoFilter)) => unknown(&NotCompared::NoFilter),
            (None, seen @ (SeenRows::New(_) | SeenRows::Unknown(_))) => {
                session.note(format_args!("{name}: {seen}"));
            }
            // An error later.
            (None, SeenRows::TrainedOn(_)) => {}
        }
        Ok(rows.dataset)
    }

    /// Reads the tested features of rows whose classes nobody asks for. Also says whether the table
    /// has them: a column of the model's target.
    pub(crate) fn unlabelled_rows(
        &self,
        data: &DataArgs,
        session: &Session,
    ) -> Result<(EncodedFeatures, bool)> {
        let target = self.model.schema().target();
        let classes = target.map(|target| Feature::categories(target, [""; 0]));
        let options = self.read_options(session).unreadable(Unreadable::Unknown);
        let options = options.optional_features(&classes);
        let progress = session.progress(format!("reading {}", data.name()), None);
        let mut table = read_table(&data.source()?, &data.layout(options))?;
        drop(progress);
        if table.n_rows() == 0 {
            bail!("{}: the table has no rows; at least one is needed", data.name());
        }
        let unreadable = table.take_unreadable();
        let has_classes = target.is_some_and(|target| table.column(target).is_ok());
        let features = self.take_features(&mut table)?;
        session.warn(unreadable.into_warnings().chain(features.unseen.clone().into_warnings()));
        Ok((features, has_classes))
    }

    /// Labelled rows of one table after the other, divided into subgroups by the columns of `by`.
    pub(crate) fn labelled_groups(
        &self,
        data: &[DataArgs],
        target: Option<&str>,
        unlabelled: UnlabelledArgs,
        by: &[Names],
        session: &Session,
    ) -> Result<LabelledRows> {
        let mut schema = Arc::clone(self.model.schema());
        if let Some(target) = target {
            if schema.features().iter().any(|feature| feature.name == target) {
                bail!("the column '{target}' is a feature of the model, and cannot be the target");
            }
            schema = Schema::clone(&schema).with_target(target)?.into();
        }
        let Some(target) = schema.target() else {
            return Err(Usage(format!(
                "{}: the model does not know the name of its target column; say --target COL",
                self.path.display()
            ))
            .into());
        };
        let features = self.model.schema().features();
        // No test looks at the other features, but a row is recognised by all of them.
        let options = self.read_options(session).column(target, ReadAs::Nominal);
        let mut options = options.optional_features(features);
        // Other columns are read as they are written.
        for column in by.iter().flat_map(|Names(columns)| columns) {
            if features.iter().all(|feature| feature.name != *column) {
                options = options.column(column, ReadAs::Nominal);
            }
        }
        let mut all: Option<Table> = None;
        for data in data {
            let _progress = session.progress(format!("reading {}", data.name()), None);
            let mut table = read_table(&data.source()?, &data.layout(options.clone()))?;
            unlabelled.drop_rows(&mut table, target)?;
            self.check_missing(&table)?;
            match &mut all {
                None => all = Some(table),
                Some(all) => all.append(table)?,
            }
        }
        let Some(table) = all else { bail!("there is no table") };
        let groups = by.iter().map(|Names(columns)| Subgroups::of(&table, columns));
        let groups = groups.collect::<Result<_>>()?;
        let needed = self.model.tested_features();
        let is_needed = |index| needed.contains(&index);
        let encoded = table.into_dataset_needing(schema, is_needed).map_err(remedy)?;
        session.warn(warnings::all(&encoded.warnings));
        Ok(LabelledRows { dataset: encoded.dataset, groups, absent: encoded.absent })
    }

    /// The features that some test looks at. Tables need no others.
    pub(crate) fn tested_features(&self) -> impl Iterator<Item = &Feature> {
        let tested = self.model.tested_features().into_iter();
        tested.map(|index| &self.model.schema().features()[index])
    }

    /// How to read the columns that the model needs.
    pub(crate) fn read_options(&self, session: &Session) -> ReadOptions {
        ReadOptions::for_features(self.tested_features()).threads(session.exec().threads())
    }

    /// The tested features of a table.
    pub(crate) fn take_features(&self, table: &mut Table) -> Result<EncodedFeatures> {
        self.check_missing(table)?;
        let tested = self.model.tested_features();
        let is_needed = |index| tested.contains(&index);
        table.take_needed_features(self.model.schema(), is_needed).map_err(remedy)
    }

    /// Refuses missing values for a model that does, with their place in the file.
    fn check_missing(&self, table: &Table) -> Result<()> {
        match self.model.recipe().params.missing {
            MissingValues::Error => table.check_complete(self.tested_features()).map_err(remedy),
            MissingValues::Learn | MissingValues::Unknown => Ok(()),
        }
    }
}

/// The name of a model file in messages.
pub(crate) fn name(path: &Path) -> String {
    match path.to_str() {
        Some("-") => "standard input".to_owned(),
        _ => path.display().to_string(),
    }
}

/// Adds the option to the remedy that the library names.
pub(crate) fn accept_instead(error: ternwood::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Checksum { .. } => anyhow!("{error} with --accept-edited"),
        _ => error.into(),
    }
}

/// The bytes of a model file of this name. Forests are written as safetensors, unless the name asks for JSON;
/// a single tree as JSON, unless it asks for safetensors.
pub(crate) fn to_bytes(model: &Model, path: &Path) -> Vec<u8> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let as_json = match ending.to_ascii_lowercase().as_str() {
        "json" => true,
        "safetensors" => false,
        _ => model.ensemble().is_single(),
    };
    if as_json { model.to_json().into_bytes() } else { model.to_safetensors() }
}

const MODEL_HINT: &str = "model files are what `ternwood fit` writes";

/// The maximum size of a model file. A tree of ten million nodes and two classes takes about a
/// quarter of it.
const MAX_BYTES: u64 = 4 << 30;

/// All bytes of a JSON object or of a safetensors file, or the reason why the input is neither, without
/// reading it all.
fn model_bytes(mut input: impl Read, max: u64) -> std::io::Result<Result<Vec<u8>, String>> {
    const HEAD: u64 = 1 << 10;
    let mut bytes = Vec::new();
    input.by_ref().take(HEAD).read_to_end(&mut bytes)?;
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii_start();
    // A safetensors file begins with the length of its header, which is JSON.
    let is_arrays = bytes.iter().take(8).any(|&byte| byte == 0) && bytes.get(8) == Some(&b'{');
    if !start.starts_with(b"{") && !is_arrays {
        // The head may end within a character.
        let letters = std::str::from_utf8(start).map_or_else(|e| e.error_len().is_none(), |_| true);
        let text = letters && !start.contains(&0);
        return Ok(Err(if text { "it is not JSON" } else { "it is not text" }.to_owned()));
    }
    input.take(max - HEAD + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return Ok(Err(format!("it has more than {max} bytes")));
    }
    Ok(Ok(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_models_are_rejected_early() {
        let read = |input: &mut dyn Read| model_bytes(input, 5000).unwrap();
        // These inputs never end.
        assert_eq!(read(&mut std::io::repeat(0)).unwrap_err(), "it is not text");
        assert_eq!(read(&mut std::io::repeat(b'x')).unwrap_err(), "it is not JSON");
        let mut endless = b"{".chain(std::io::repeat(b' '));
        assert_eq!(read(&mut endless).unwrap_err(), "it has more than 5000 bytes");
        assert_eq!(read(&mut &b"\xef\xbb\xbf {}"[..]).unwrap(), b"\xef\xbb\xbf {}");
        assert_eq!(read(&mut &b""[..]).unwrap_err(), "it is not JSON");
        assert_eq!(read(&mut &b"\x02\0\0\0\0\0\0\0{}"[..]).unwrap().len(), 10);
        let mut longest = b"{".chain(std::io::repeat(b' ').take(4999));
        assert_eq!(read(&mut longest).unwrap().len(), 5000);
    }
}
