//! `ternwood explain`: why a row got its answer.

use crate::reading::{DataArgs, read_model, remedy};
use crate::style;
use anyhow::{Result, bail};
use std::io::Write;
use std::path::PathBuf;
use ternwood::Model;
use ternwood_table::{ChunkReader, Place, ReadAs, Schema};

/// Tell why rows got their answers, test by test
#[derive(clap::Args)]
#[command(after_help = "\
Rows are counted from 1, the header not among them.

Examples:
  ternwood explain model.json patients.csv --row 17
  ternwood explain model.json patients.csv --row 3,17,20")]
pub(crate) struct ExplainArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// Which rows, counted from 1
    #[arg(long, short, value_name = "N,...", value_delimiter = ',', required = true,
          value_parser = row_number)]
    row: Vec<u64>,
}

fn row_number(text: &str) -> Result<u64, &'static str> {
    match text.parse() {
        Ok(0) | Err(_) => Err("rows are counted 1, 2, 3, ..."),
        Ok(row) => Ok(row),
    }
}

pub(crate) fn run(args: &ExplainArgs) -> Result<()> {
    let model = read_model(&args.model)?;
    let found = rows(args, &model)?;
    let mut out = anstream::stdout().lock();
    for (index, wanted) in args.row.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let (_, place, row) = found.iter().find(|(number, ..)| number == wanted).expect("found");
        let explained = model.explain(row)?;
        writeln!(out, "{}", style::heading(format!("row {wanted} ({place})")))?;
        write!(out, "{}", painted(&explained.to_string()))?;
    }
    Ok(out.flush()?)
}

/// The wanted rows: number, place, values.
fn rows(args: &ExplainArgs, model: &Model) -> Result<Vec<(u64, Place, Vec<f64>)>> {
    let source = args.data.source()?;
    let schema = Schema::of_model(model);
    let options = args.data.layout(schema.read_options(ReadAs::Drop));
    let mut reader = ChunkReader::open(&source, &options)?;
    let last = args.row.iter().copied().max().unwrap_or(1);
    let mut found = Vec::new();
    let mut before = 0;
    while before < last {
        let limit = (last - before).min(CHUNK) as usize;
        let chunk = reader.read(limit)?;
        if chunk.n_rows() == 0 {
            bail!("{}: there is no row {last}; the table has {before} rows", source.name());
        }
        let wanted: Vec<u64> = (args.row.iter().copied())
            .filter(|row| (before + 1..=before + chunk.n_rows() as u64).contains(row))
            .collect();
        if !wanted.is_empty() {
            let columns = schema.columns(&chunk).map_err(|error| remedy(error.into()))?;
            for row in wanted {
                let index = (row - before - 1) as usize;
                found.push((row, chunk.place(index), columns.row(index)));
            }
        }
        before += chunk.n_rows() as u64;
    }
    Ok(found)
}

/// Rows are read in pieces of this size.
const CHUNK: u64 = 1 << 14;

/// The report in lines that fit a narrow terminal, in colours.
fn painted(report: &str) -> String {
    let mut text = String::new();
    for paragraph in report.lines() {
        let indent = paragraph.len() - paragraph.trim_start().len();
        let unsure = paragraph.starts_with("Flagged") || paragraph.contains(" is WITHIN ");
        for (index, line) in style::wrapped(paragraph, WIDTH - 4).into_iter().enumerate() {
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

/// As wide as a terminal may be expected to be.
const WIDTH: usize = 80;
