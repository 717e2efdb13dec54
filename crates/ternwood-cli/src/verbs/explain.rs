//! `ternwood explain`: why a row got its answer.

use super::predict::{Explained, explained};
use crate::cli::Usage;
use crate::model_file::{EditedArgs, ModelFile};
use crate::output::Output;
use crate::reading::{DataArgs, counted};
use crate::session::Session;
use crate::style;
use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use ternwood::export::wrapped;
use ternwood::model::{DecidingValue, Outcome};
use ternwood::{ClassName, Model};
use ternwood_figures::{UnsureTreesFigure, unsure_trees_svg};
use ternwood_table::{
    ChunkReader, EncodedFeatures, Place, Unreadable, UnreadableCells, UnseenCategories,
};

/// Tell why rows got their answers: test by test, or how many trees of a forest are unsure
#[derive(clap::Args)]
#[command(after_help = "\
Rows are counted from 1, the header not among them.

Examples:
  ternwood explain model.json patients.csv --row 17
  ternwood explain model.json patients.csv --row 3,17,20
  ternwood explain model.json patients.csv --row 17 --json
  ternwood explain forest.safetensors patients.csv --row 17 --figure why.svg")]
pub(crate) struct ExplainArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    edited: EditedArgs,
    #[command(flatten)]
    data: DataArgs,
    /// Which rows, counted from 1
    #[arg(long, short, value_name = "N,...", value_delimiter = ',', required = true,
          value_parser = row_number)]
    row: Vec<u64>,
    /// Write prediction, reason and the values that would decide each row as JSON
    #[arg(long, conflicts_with = "figure")]
    json: bool,
    /// Draw the features that make trees of a forest undecided, of one row
    #[arg(long, value_name = "SVG")]
    figure: Option<PathBuf>,
    /// Replace the figure if it exists
    #[arg(long, requires = "figure")]
    force: bool,
}

fn row_number(text: &str) -> Result<u64, &'static str> {
    match text.parse() {
        Ok(0) | Err(_) => Err("rows are counted 1, 2, 3, ..."),
        Ok(row) => Ok(row),
    }
}

pub(crate) fn run(args: &ExplainArgs, session: &Session) -> Result<()> {
    let figure = args.figure.as_ref().map(|path| Output::file(path, args.force)).transpose()?;
    let source = ModelFile::read(&args.model, args.edited)?;
    let model = &source.model;
    args.check_figure(model)?;
    let found = rows(args, &source, session)?;
    if args.json {
        return write_json(args, model, &found);
    }
    let mut out = anstream::stdout().lock();
    let mut legend = BTreeSet::new();
    for (index, wanted) in args.row.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let (place, features) = &found[wanted];
        let explained = explained(model, features, 0)?;
        writeln!(out, "{}", style::heading(format!("row {wanted} ({place})")))?;
        let report = explained.to_string();
        write!(out, "{}", painted(&report))?;
        legend.extend(LEGEND.iter().filter(|(word, _)| report.contains(word)));
    }
    for (index, (_, meaning)) in legend.iter().enumerate() {
        let space = if index == 0 { "\n" } else { "" };
        writeln!(out, "{space}{}", style::dim(meaning))?;
    }
    out.flush()?;
    if let (Some(figure), Some(path), [wanted]) = (figure, &args.figure, &args.row[..]) {
        let (place, features) = &found[wanted];
        if let Explained::Forest(row) = explained(model, features, 0)? {
            let title = Some(format!("Row {wanted} ({place})"));
            figure.complete(unsure_trees_svg(&row, &UnsureTreesFigure { title }))?;
            session.note(format_args!("wrote {}", path.display()));
        }
    }
    Ok(())
}

/// A row for other programs.
#[derive(Serialize)]
struct RowDocument {
    row: u64,
    place: String,
    #[serde(flatten)]
    answer: AnswerDocument,
    sentence: Option<String>,
    would_decide: Vec<DecidingDocument>,
}

#[derive(Serialize)]
struct AnswerDocument {
    prediction: ClassName,
    probabilities: Vec<f64>,
    decided: bool,
}

/// A value of one feature that would decide the row.
#[derive(Serialize)]
struct DecidingDocument {
    feature: String,
    /// A category by its name.
    value: Value,
    nearest: Value,
    /// As people see it.
    text: String,
    #[serde(flatten)]
    answer: AnswerDocument,
}

impl AnswerDocument {
    fn new(model: &Model, Outcome { distribution, class, verdict }: &Outcome) -> Self {
        Self {
            prediction: model.schema().classes()[*class as usize].clone(),
            probabilities: distribution.clone(),
            decided: verdict.is_decided(),
        }
    }
}

impl DecidingDocument {
    fn new(model: &Model, found: &DecidingValue) -> Self {
        let feature = &model.schema().features()[found.feature];
        let value = |x: f64| match feature.kind.names().get(x as usize) {
            Some(name) if !feature.kind.is_number() => Value::from(name.as_str()),
            _ => Value::from(x),
        };
        Self {
            feature: feature.name.clone(),
            value: value(found.value),
            nearest: value(found.nearest),
            text: found.value_in_words(model.schema()),
            answer: AnswerDocument::new(model, &found.outcome),
        }
    }
}

fn write_json(
    args: &ExplainArgs,
    model: &Model,
    found: &BTreeMap<u64, (Place, EncodedFeatures)>,
) -> Result<()> {
    let document = |&row: &u64| -> Result<RowDocument> {
        let (place, features) = &found[&row];
        let explained = explained(model, features, 0)?;
        Ok(RowDocument {
            row,
            place: place.to_string(),
            answer: AnswerDocument::new(model, &explained.outcome()),
            sentence: explained.sentence(),
            would_decide: explained
                .would_decide()
                .iter()
                .map(|found| DecidingDocument::new(model, found))
                .collect(),
        })
    };
    let rows: Vec<RowDocument> = args.row.iter().map(document).collect::<Result<_>>()?;
    writeln!(anstream::stdout().lock(), "{}", serde_json::to_string_pretty(&rows)?)?;
    Ok(())
}

impl ExplainArgs {
    /// A figure is of one row of a forest.
    fn check_figure(&self, model: &Model) -> Result<()> {
        let problem = match (&self.figure, model.ensemble().is_single(), self.row.len()) {
            (None, _, _) | (Some(_), false, 1) => return Ok(()),
            (Some(_), true, _) => {
                "--figure is for forests; of a tree, `ternwood show -o tree.svg` draws the tests"
            }
            (Some(_), false, _) => "--figure draws one row; say --row N",
        };
        Err(Usage(problem.to_owned()).into())
    }
}

/// The requested rows: number, place, features. Other rows are not checked.
fn rows(
    args: &ExplainArgs,
    model: &ModelFile<'_>,
    session: &Session,
) -> Result<BTreeMap<u64, (Place, EncodedFeatures)>> {
    let source = args.data.source()?;
    let options = args.data.layout(model.read_options(session).unreadable(Unreadable::Unknown));
    let progress = session.progress(format!("reading {}", source.name()), None);
    let mut reader = ChunkReader::open(&source, &options)?;
    let wanted: BTreeSet<u64> = args.row.iter().copied().collect();
    let mut found = BTreeMap::new();
    let (mut unseen, mut unreadable) = (UnseenCategories::default(), UnreadableCells::default());
    let mut before = 0;
    for number in wanted {
        before += reader.skip(number - 1 - before)?;
        let mut row = reader.read(1)?;
        if row.n_rows() == 0 {
            let rows = counted(usize::try_from(before)?, "row");
            bail!("{}: there is no row {number}; the table has {rows}", source.name());
        }
        unreadable.add(row.take_unreadable());
        let features = model.take_features(&mut row)?;
        unseen.add(features.unseen.clone());
        found.insert(number, (row.place(0), features));
        before = number;
    }
    drop(progress);
    session.warn(unreadable.into_warnings().chain(unseen.into_warnings()));
    Ok(found)
}

/// The coloured report, wrapped to fit a narrow terminal.
fn painted(report: &str) -> String {
    let mut text = String::new();
    for paragraph in report.lines() {
        let indent = paragraph.len() - paragraph.trim_start().len();
        let unsure =
            paragraph.starts_with("Flagged") || MARKS.iter().any(|mark| paragraph.contains(mark));
        let lines = wrapped(paragraph.trim_start(), style::WIDTH - indent, 2);
        for (index, line) in lines.into_iter().enumerate() {
            let indent = if index == 0 { indent } else { indent + 2 };
            let line = match () {
                () if unsure => style::zone(line).to_string(),
                () if paragraph.starts_with(' ') => line,
                () => style::heading(line).to_string(),
            };
            text += &format!("{:indent$}{line}\n", "");
        }
    }
    text
}

/// What words of the report mean.
const LEGEND: [(&str, &str); 2] = [
    (
        " half-widths from the cut",
        "half-widths: 1 is the edge of a test's zone; a row within it goes both ways",
    ),
    (", weight ", "weight: how much of the answer comes from a leaf"),
];

/// What marks a test that cannot decide.
const MARKS: [&str; 3] = [" is WITHIN ", " is UNSURE", " is UNKNOWN"];
