//! `ternwood predict`: class, probabilities and verdict of every row of a table.

use crate::model_file::ModelFile;
use crate::output::OutputArgs;
use crate::output_format::NamedFormat;
use crate::reading::{DataArgs, counted, remedy};
use crate::report::percent;
use crate::session::{Progress, Session};
use anyhow::{Result, bail};
use clap::ValueEnum;
use std::io::IsTerminal;
use std::path::PathBuf;
use ternwood::model::ExplainedRow;
use ternwood::{ClassName, Matrix, Model, Predictions, Verdict};
use ternwood_table::{
    ChunkReader, Column, EncodedFeatures, Format, ReadAs, ReadOptions, Table, TableWriter,
    UnseenCategories,
};

/// Predict class, probabilities and verdict (decided or not) of every row
#[derive(clap::Args)]
#[command(after_help = "\
Columns are matched by name; columns the model does not know are not looked at.

Examples:
  ternwood predict model.json new.csv
  ternwood predict model.json new.csv --explain --keep -o answers.csv
  ternwood predict model.json new.parquet -o answers.parquet
  cat new.csv | ternwood predict model.json - | grep undecided")]
pub(crate) struct PredictArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Format of the output [default: by its name; csv on standard output]
    #[arg(long, value_enum)]
    format: Option<OutputFormat>,
    /// Add a column with the reason why a row is undecided
    #[arg(long)]
    explain: bool,
    /// Pass through the columns that the model does not use, such as an id
    #[arg(long)]
    keep: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq)]
enum OutputFormat {
    /// Comma-separated values
    Csv,
    /// Tab-separated values
    Tsv,
    /// Apache Parquet
    Parquet,
}

impl NamedFormat for OutputFormat {
    const ENDINGS: &[(&str, Self)] = &[
        ("csv", Self::Csv),
        ("tsv", Self::Tsv),
        ("tab", Self::Tsv),
        ("parquet", Self::Parquet),
        ("pq", Self::Parquet),
    ];
    const UNNAMED: Self = Self::Csv;
}

/// Rows per chunk.
const CHUNK: usize = 1 << 15;

pub(crate) fn run(args: &PredictArgs, session: &Session) -> Result<()> {
    let source = ModelFile::read(&args.model)?;
    let model = &source.model;
    let others = if args.keep { ReadAs::Verbatim } else { ReadAs::Drop };
    let options = args.data.layout(ReadOptions::for_schema(model.schema(), others));
    // Fail before the work, not after it.
    let output = args.output.create()?;
    let mut writer = TableWriter::new(&args.output.name(), output, args.format()?)?;
    let progress = args.progress(session);
    let mut reader = ChunkReader::open(&args.data.source()?, &options)?;
    let (mut rows, mut undecided) = (0, 0);
    let mut unseen = UnseenCategories::default();
    loop {
        let mut chunk = reader.read(CHUNK)?;
        if chunk.n_rows() == 0 && rows > 0 {
            break;
        }
        source.check_missing(&chunk)?;
        let features = chunk.take_features(model.schema()).map_err(remedy)?;
        let predictions = model.predict(Matrix::from(&features.columns), session.exec())?;
        let mut answers = answers(model, &predictions);
        if args.explain {
            answers.push(reasons(&predictions, |row| explained(model, &features, row))?);
        }
        unseen.add(features.unseen);
        session.warn(chunk.warnings());
        // Columns that the model does not use pass through.
        let kept = if args.keep { chunk.into_columns() } else { Vec::new() };
        writer.write(&joined(kept, answers)?)?;
        session.warn(writer.take_warnings());
        rows += predictions.n_rows();
        undecided += predictions.verdicts().iter().filter(|v| v.is_undecided()).count();
        progress.advance(predictions.n_rows() as u64);
        if predictions.n_rows() == 0 {
            break;
        }
    }
    drop(progress);
    writer.finish()?.finish()?;
    session.warn(unseen.into_warnings());
    let share = (rows > 0).then(|| undecided as f64 / rows as f64);
    let to =
        args.output.file().map_or_else(String::new, |path| format!("; wrote {}", path.display()));
    session.note(format_args!(
        "{} predicted, {undecided} undecided ({}){to}",
        counted(rows, "row"),
        percent(share)
    ));
    Ok(())
}

impl PredictArgs {
    /// The progress bar. None if the predictions themselves go to the terminal.
    fn progress(&self, session: &Session) -> Progress {
        let file = &self.data.name();
        if self.output.file().is_none() && std::io::stdout().is_terminal() {
            return Progress::none();
        }
        session.progress(format!("predicting {file}"), None)
    }

    fn format(&self) -> Result<Format> {
        Ok(match self.output.format(self.format)? {
            OutputFormat::Csv => Format::Csv,
            OutputFormat::Tsv => Format::Tsv,
            OutputFormat::Parquet => Format::Parquet,
        })
    }
}

fn joined(mut kept: Vec<Column>, answers: Vec<Column>) -> Result<Table> {
    if let Some(clash) = answers.iter().find(|a| kept.iter().any(|k| k.name() == a.name())) {
        bail!(
            "the table has a column '{}' already, and it cannot be kept beside the predicted one; \
             rename it, or leave out --keep",
            clash.name()
        );
    }
    kept.extend(answers);
    Ok(Table::from_columns(kept)?)
}

/// The prediction columns.
pub(crate) fn answers(model: &Model, predictions: &Predictions) -> Vec<Column> {
    let rows = 0..predictions.n_rows();
    let mut answers = vec![classes(model, predictions)];
    for (class, name) in model.schema().classes().iter().enumerate() {
        let probabilities = rows.clone().map(|row| predictions.distribution(row)[class]).collect();
        answers.push(Column::numeric(format!("probability_{name}"), probabilities));
    }
    let verdicts = predictions.verdicts().iter().map(|verdict| Some(verdict.to_string()));
    answers.push(Column::text("verdict", verdicts));
    answers
}

/// A column that says why rows are undecided.
pub(crate) fn reasons<'m>(
    predictions: &Predictions,
    explain: impl Fn(usize) -> Result<ExplainedRow<'m>>,
) -> Result<Column> {
    let reason = |(row, verdict): (usize, &Verdict)| match verdict.is_decided() {
        true => Ok(None),
        false => Ok(explain(row)?.sentence()),
    };
    let verdicts = predictions.verdicts().iter().enumerate();
    let reasons: Vec<Option<String>> = verdicts.map(reason).collect::<Result<_>>()?;
    Ok(Column::text("reason", reasons))
}

/// A row, explained with the names of its categories, including those that training did not see.
pub(crate) fn explained<'m>(
    model: &'m Model,
    features: &EncodedFeatures,
    row: usize,
) -> Result<ExplainedRow<'m>> {
    let explained = model.explain(&features.columns.row(row))?;
    let unseen = features.unseen_in_row(row);
    Ok(unseen.fold(explained, |explained, (feature, name)| explained.with_unseen(feature, name)))
}

/// Whole numbers up to here are exact as floats.
const LARGEST_EXACT: u64 = 1 << 53;

/// The predicted classes, as numbers if all classes are numbers.
fn classes(model: &Model, predictions: &Predictions) -> Column {
    let number = |class: &ClassName| match class {
        // Large integers may be inexact as floats, so they are written as text.
        ClassName::Integer(value) if value.unsigned_abs() > LARGEST_EXACT => None,
        ClassName::Integer(value) => Some(*value as f64),
        ClassName::Float(value) => Some(*value),
        ClassName::Boolean(_) | ClassName::Text(_) => None,
    };
    let numbers: Option<Vec<f64>> = model.schema().classes().iter().map(number).collect();
    let ids = predictions.classes().iter().map(|&id| id as usize);
    match numbers {
        Some(numbers) => Column::numeric("prediction", ids.map(|id| numbers[id]).collect()),
        None => {
            let names: Vec<String> =
                model.schema().classes().iter().map(ToString::to_string).collect();
            Column::text("prediction", ids.map(|id| Some(names[id].as_str())))
        }
    }
}
