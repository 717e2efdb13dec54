//! `ternwood check`: does a model still hold for new rows?

use crate::cli::Usage;
use crate::model_file::ModelFile;
use crate::output::OutputArgs;
use crate::reading::{DataArgs, LayoutArgs, UnlabelledArgs, counted};
use crate::session::Session;
use crate::style;
use anyhow::{Result, anyhow};
use serde::Serialize;
use std::path::PathBuf;
use ternwood::Matrix;
use ternwood::check::{RowsCheck, USUAL_LEVEL};
use ternwood::training::SeenRows;

/// See whether a model still holds for new rows: flags, values and promises
#[derive(clap::Args)]
#[command(after_help = "\
Compares new rows with those the model was trained and calibrated on: the share
of flags, values that training did not have, and, with --target, what was
promised. All comparisons are exact tests, and share the --level of false alarms.

Exit codes: 0 the check was made; 1 it could not be made, or, with --fail, it
does not hold; 2 wrong arguments.

Examples:
  ternwood check model.json new.csv
  ternwood check model.json new.csv --target ill
  ternwood check model.json last-night.csv --fail --quiet
  ternwood check model.json new.csv --target ill --json -o check.json")]
pub(crate) struct CheckArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Table with new rows: CSV, TSV or ARFF (also gzipped) or Parquet; `-` means standard input
    #[arg(value_name = "NEW")]
    data: PathBuf,
    /// Column with the classes of the new rows, to see whether answers are still right
    #[arg(long, short, value_name = "COL")]
    target: Option<String>,
    /// How often something may be called changed although nothing has
    #[arg(long, value_name = "SHARE", default_value_t = USUAL_LEVEL)]
    level: f64,
    /// Exit with code 1 if it does not hold: for a nightly job
    #[arg(long)]
    fail: bool,
    /// Write all comparisons as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    layout: LayoutArgs,
    #[command(flatten)]
    unlabelled: UnlabelledArgs,
}

pub(crate) fn run(args: &CheckArgs, session: &Session) -> Result<()> {
    if !(0.0 < args.level && args.level < 1.0) {
        let problem = format!("--level is {}; allowed: a number between 0 and 1", args.level);
        return Err(Usage(problem).into());
    }
    // Fail before the work, not after it.
    let output = args.output.create()?;
    let source = ModelFile::read(&args.model)?;
    let data = DataArgs { data: args.data.clone(), layout: args.layout.clone() };
    let (check, has_classes) = args.checked(&source, &data, session)?;
    if args.json {
        let holds = check.holds();
        let document = Document { data: data.name(), holds, check: &check };
        output.complete(serde_json::to_string_pretty(&document)? + "\n")?;
    } else {
        output.complete_coloured(&described(&check, &data.name()))?;
    }
    if let Some(path) = args.output.file() {
        session.note(format_args!("wrote {}", path.display()));
    }
    // A stream cannot be read again.
    if let Some(target) = source.model.schema().target()
        && has_classes
        && ![&args.data, &args.model].contains(&&PathBuf::from("-"))
    {
        session.suggest(&session.next("check").with("target", &target));
    }
    match check.worst() {
        Some(worst) if args.fail => {
            let more = match check.changed().count() - 1 {
                0 => String::new(),
                more => format!("; and {more} more"),
            };
            Err(anyhow!("{}: it does not hold: {worst}{more}", data.name()))
        }
        _ => Ok(()),
    }
}

/// A check for other programs.
#[derive(Serialize)]
struct Document<'a> {
    data: String,
    holds: bool,
    #[serde(flatten)]
    check: &'a RowsCheck,
}

impl CheckArgs {
    /// The check, and whether the table has classes that it did not look at.
    fn checked(
        &self,
        source: &ModelFile<'_>,
        data: &DataArgs,
        session: &Session,
    ) -> Result<(RowsCheck, bool)> {
        let (model, exec) = (&source.model, session.exec());
        if let Some(target) = &self.target {
            let rows = source.labelled_rows(data, Some(target), self.unlabelled, session)?;
            let matrix = Matrix::from(rows.columns());
            let seen = model.seen_rows(&rows, exec)?.filter(SeenRows::are_trained_on);
            session.warn(seen.map(|seen| format!("{}: {}", data.name(), seen.warning())));
            return Ok((model.check_rows(matrix, Some(rows.labels()), self.level, exec)?, false));
        }
        let (features, has_classes) = source.unlabelled_rows(data, session)?;
        let matrix = Matrix::from(&features.columns);
        Ok((model.check_rows(matrix, None, self.level, exec)?, has_classes))
    }
}

/// The report, with lines that fit the terminal.
fn described(check: &RowsCheck, name: &str) -> String {
    let report = format!("{name}: {}\n{check}", counted(check.rows, "row"));
    report.lines().map(|line| style::paragraph(line) + "\n").collect()
}
