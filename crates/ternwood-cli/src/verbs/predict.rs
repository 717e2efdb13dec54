//! `ternwood predict`: class, probabilities and verdict of every row of a table.

use crate::cli::Usage;
use crate::files::expanded;
use crate::json;
use crate::model_file::{EditedArgs, ModelFile};
use crate::output::{NamedFormat, Output, OutputArgs, STDOUT};
use crate::reading::{DataArgs, LayoutArgs, counted};
use crate::report::percent;
use crate::session::{Progress, Session};
use crate::warnings;
use anyhow::{Result, anyhow, bail};
use clap::ValueEnum;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use ternwood::model::{DecidingValue, ExplainedForestRow, ExplainedRow, NotCovered, Outcome};
use ternwood::verdict::Uncovered;
use ternwood::{ClassName, Columns, Matrix, Model, Predictions, Verdict};
use ternwood_table::{
    ChunkReader, Column, EncodedFeatures, ErrorKind, Format, Table, TableWriter, Unreadable,
    UnreadableCells, UnseenCategories,
};

/// Predict class, probabilities and verdict (decided or not) of every row
#[derive(clap::Args)]
#[command(after_help = "\
Columns are matched by name, in any order; only those that some test of the tree
uses are needed. A row is undecided if the training table says nothing about
it: it has an empty cell where training had none, a category that training
never had, or a cell that cannot be read. `ternwood calibrate --uncovered judge`
changes that.

Examples:
  ternwood predict model.json new.csv
  ternwood predict model.json new.csv --explain --keep -o answers.csv
  ternwood predict model.json new.parquet -o answers.parquet
  ternwood predict model.json january.csv february.csv -o answers.csv
  ternwood predict model.json new.csv -o answers.csv --json
  cat new.csv | ternwood predict model.json - | grep undecided")]
pub(crate) struct PredictArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    edited: EditedArgs,
    /// Tables with the rows: CSV, TSV or ARFF (also gzipped) or Parquet; `-` means standard input, a
    /// folder all its tables, and a pattern like 'part-*.csv' all files like it
    #[arg(value_name = "DATA", required = true)]
    data: Vec<PathBuf>,
    #[command(flatten)]
    layout: LayoutArgs,
    /// A cell that cannot be read is an error, instead of unknown with a warning; so is an empty
    /// cell in a column where the training table had none
    #[arg(long, help_heading = "Reading")]
    strict: bool,
    /// What to do with categories and gaps that the training table did not have
    #[arg(long, value_enum, value_name = "HOW", default_value_t = UnknownCategories::Warn,
          help_heading = "Reading")]
    unknown: UnknownCategories,
    #[command(flatten)]
    output: OutputArgs,
    /// Format of the output [default: by its name; csv on standard output]
    #[arg(long, value_enum)]
    format: Option<OutputFormat>,
    /// Add a column with the reason why a row is undecided
    #[arg(long)]
    explain: bool,
    /// Keep all columns of the table, in front of the answers
    #[arg(long)]
    keep: bool,
    /// Print a summary of the predictions as JSON, or the error if they fail; the predictions go to
    /// the file of --output
    #[arg(long, requires = "output")]
    json: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq)]
enum UnknownCategories {
    /// Rows with them are undecided; a warning counts them
    Warn,
    /// They are an error
    Error,
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
    const UNNAMED: Option<Self> = Some(Self::Csv);
}

/// Rows per chunk.
const CHUNK: usize = 1 << 15;

/// A summary for other programs.
#[derive(Serialize)]
struct Summary {
    output: String,
    rows: usize,
    undecided: usize,
    /// Rows by predicted class, in the order of the model's classes.
    classes: Vec<ClassCount>,
}

#[derive(Serialize)]
struct ClassCount {
    class: ClassName,
    rows: usize,
    undecided: usize,
}

pub(crate) fn run(args: &PredictArgs, session: &Session) -> Result<()> {
    if !args.json {
        return predict(args, session).map(drop);
    }
    if args.output.file().is_none() {
        let problem =
            "--json prints to standard output, where the predictions go; name a file with -o";
        return Err(Usage(problem.to_owned()).into());
    }
    let names: Vec<String> = args.data.iter().map(|data| args.table(data).name()).collect();
    let output = Output::file(Path::new(STDOUT), false)?;
    json::write(output, &names.join(", "), session, predict(args, session))
}

fn predict(args: &PredictArgs, session: &Session) -> Result<Summary> {
    let source = ModelFile::read(&args.model, args.edited)?;
    // Fail before the work, not after it.
    let output = args.output.create()?;
    let mut writer = TableWriter::new(&args.output.name(), output, args.format()?)?;
    let n_classes = source.model.schema().n_classes();
    let mut answered = Answered { classes: vec![(0, 0); n_classes], ..Answered::default() };
    let files = expanded(&args.data)?;
    let many = files.len() > 1;
    for data in files {
        let data = args.table(&data);
        let progress = args.progress(&data, session);
        let names = many.then(|| data.name());
        answer_file(
            args,
            (&source, names),
            &data,
            &mut writer,
            &mut answered,
            (session, &progress),
        )?;
    }
    writer.finish()?.finish()?;
    let Answered { rows, undecided, classes, unseen, unreadable, gaps } = answered;
    session.warn(unreadable.into_warnings().chain(unseen.into_warnings()));
    session.warn(gaps.iter().map(|(&feature, &rows)| new_gaps(&source.model, feature, rows)));
    let share = (rows > 0).then(|| undecided as f64 / rows as f64);
    let to =
        args.output.file().map_or_else(String::new, |path| format!("; wrote {}", path.display()));
    session.note(format_args!(
        "{} predicted, {undecided} undecided ({}){to}",
        counted(rows, "row"),
        percent(share)
    ));
    let names = source.model.schema().classes().iter().cloned();
    let of_class = |(class, (rows, undecided))| ClassCount { class, rows, undecided };
    let classes = names.zip(classes).map(of_class).collect();
    Ok(Summary { output: args.output.name(), rows, undecided, classes })
}

/// What was answered so far.
#[derive(Default)]
struct Answered {
    rows: usize,
    undecided: usize,
    /// Rows, and undecided rows, by predicted class.
    classes: Vec<(usize, usize)>,
    unseen: UnseenCategories,
    unreadable: UnreadableCells,
    /// Rows without a value, by features of which the training table had all.
    gaps: BTreeMap<usize, usize>,
}

impl Answered {
    fn count(&mut self, predictions: &Predictions) {
        for (&class, verdict) in predictions.classes().iter().zip(predictions.verdicts()) {
            let undecided = usize::from(verdict.is_undecided());
            let of_class = &mut self.classes[class as usize];
            *of_class = (of_class.0 + 1, of_class.1 + undecided);
            self.undecided += undecided;
        }
        self.rows += predictions.n_rows();
    }

    fn count_gaps(&mut self, model: &Model, columns: &Columns) {
        for feature in model.coverage().features() {
            let is_gap = |x: &&f64| feature.problem(**x) == Some(NotCovered::Gap);
            let rows = columns.column(feature.index).iter().filter(is_gap).count();
            if rows > 0 {
                *self.gaps.entry(feature.index).or_default() += rows;
            }
        }
    }
}

/// Adds the option that asked for an error.
fn without(error: ternwood_table::Error, option: &str) -> anyhow::Error {
    match error.kind() {
        ErrorKind::NewGap { .. } => anyhow!("{error}; or leave out {option}"),
        _ => error.into(),
    }
}

/// Answers the rows of one file.
fn answer_file(
    args: &PredictArgs,
    (source, name): (&ModelFile<'_>, Option<String>),
    data: &DataArgs,
    writer: &mut TableWriter<Output>,
    answered: &mut Answered,
    (session, progress): (&Session, &Progress),
) -> Result<()> {
    let model = &source.model;
    let mut options = data.layout(source.read_options(session));
    if !args.strict {
        options = options.unreadable(Unreadable::Unknown);
    }
    if args.keep {
        options = options.keep();
    }
    let mut reader = ChunkReader::open(&data.source()?, &options)?;
    let mut is_first = true;
    loop {
        let mut chunk = reader.read(CHUNK)?;
        if chunk.n_rows() == 0 && !is_first {
            return Ok(());
        }
        is_first = false;
        if let Some(option) = args.refuses_gaps() {
            chunk.check_gaps(source.tested_features()).map_err(|error| without(error, option))?;
        }
        let features = source.take_features(&mut chunk)?;
        if args.unknown == UnknownCategories::Error
            && let Some(unseen) = features.unseen.columns().next()
        {
            bail!("{}: {unseen}; correct them, or leave out --unknown error", data.name());
        }
        let predictions = model.predict(Matrix::from(&features.columns), session.exec())?;
        let mut answers = answers(model, &predictions);
        if args.explain {
            answers.push(reasons(&predictions, |row| explained(model, &features, row))?);
        }
        let mut columns = chunk.take_kept();
        if let Some(name) = &name {
            let names = vec![Some(name); predictions.n_rows()];
            columns.insert(0, Column::text("file", names));
        }
        session.warn(warnings::all(chunk.warnings()));
        answered.unreadable.add(chunk.take_unreadable());
        answered.count_gaps(model, &features.columns);
        answered.unseen.add(features.unseen);
        writer.write(&joined(columns, answers)?)?;
        session.warn(warnings::all(&writer.take_warnings()));
        answered.count(&predictions);
        progress.advance(predictions.n_rows() as u64);
    }
}

/// "column 'income': 3 rows have no value, and the training table had no gaps there; they are undecided".
fn new_gaps(model: &Model, feature: usize, rows: usize) -> String {
    let name = &model.schema().features()[feature].name;
    let (have, they) = if rows == 1 { ("has", "it is") } else { ("have", "they are") };
    let verdict = match model.verdict().uncovered() {
        Uncovered::Undecided => "undecided",
        Uncovered::Judge => "judged like all others",
    };
    format!(
        "column '{name}': {} {have} no value, and the training table had no gaps there; {they} {verdict}",
        counted(rows, "row")
    )
}

impl PredictArgs {
    fn table(&self, data: &Path) -> DataArgs {
        DataArgs { data: data.to_owned(), layout: self.layout.clone() }
    }

    /// The option that makes gaps an error where the training table had none, if one is given.
    fn refuses_gaps(&self) -> Option<&'static str> {
        let unknown = (self.unknown == UnknownCategories::Error).then_some("--unknown error");
        self.strict.then_some("--strict").or(unknown)
    }

    /// The progress bar. None if the predictions themselves go to the terminal.
    fn progress(&self, data: &DataArgs, session: &Session) -> Progress {
        let file = data.name();
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
    explain: impl Fn(usize) -> Result<Explained<'m>>,
) -> Result<Column> {
    let reason = |(row, verdict): (usize, &Verdict)| match verdict.is_decided() {
        true => Ok(None),
        false => Ok(explain(row)?.reason()),
    };
    let verdicts = predictions.verdicts().iter().enumerate();
    let reasons: Vec<Option<String>> = verdicts.map(reason).collect::<Result<_>>()?;
    Ok(Column::text("reason", reasons))
}

/// The explanation of a row by a tree or by a forest. Prints as a short report.
pub(crate) enum Explained<'m> {
    Tree(ExplainedRow<'m>),
    Forest(ExplainedForestRow<'m>),
}

impl<'m> Explained<'m> {
    pub(crate) fn new(model: &'m Model, row: &[f64]) -> Result<Self> {
        Ok(match model.ensemble().is_single() {
            true => Self::Tree(model.explain(row)?),
            false => Self::Forest(model.explain_forest(row)?),
        })
    }

    fn with_unseen(self, feature: usize, name: String) -> Self {
        match self {
            Self::Tree(row) => Self::Tree(row.with_unseen(feature, name)),
            Self::Forest(row) => Self::Forest(row.with_unseen(feature, name)),
        }
    }

    fn reason(&self) -> Option<String> {
        match self {
            Self::Tree(row) => row.reason(),
            Self::Forest(row) => row.reason(),
        }
    }

    pub(crate) fn sentence(&self) -> Option<String> {
        match self {
            Self::Tree(row) => row.sentence(),
            Self::Forest(row) => row.sentence(),
        }
    }

    /// What the model answers.
    pub(crate) fn outcome(&self) -> Outcome {
        match self {
            Self::Tree(row) => row.outcome(),
            Self::Forest(row) => row.outcome(),
        }
    }

    /// The values of single features that would decide the row.
    pub(crate) fn would_decide(&self) -> &[DecidingValue] {
        match self {
            Self::Tree(row) => row.would_decide(),
            Self::Forest(row) => row.would_decide(),
        }
    }
}

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tree(row) => row.fmt(f),
            Self::Forest(row) => row.fmt(f),
        }
    }
}

/// A row, explained with the names of its categories, including those that training did not see.
pub(crate) fn explained<'m>(
    model: &'m Model,
    features: &EncodedFeatures,
    row: usize,
) -> Result<Explained<'m>> {
    let explained = Explained::new(model, &features.columns.row(row))?;
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
