//! `ternwood check`: does a model still hold for new rows?

use crate::cli::{Changed, Usage, with_causes};
use crate::model_file::{EditedArgs, ModelFile};
use crate::next_step::NextStep;
use crate::output::OutputArgs;
use crate::reading::{DataArgs, LayoutArgs, UnlabelledArgs, counted};
use crate::session::Session;
use crate::style;
use anyhow::Result;
use serde::Serialize;
use std::path::PathBuf;
use ternwood::Matrix;
use ternwood::check::{RowsCheck, USUAL_LEVEL};

/// See whether a model still holds for new rows: flags, values and promises
#[derive(clap::Args)]
#[command(after_help = "\
Compares new rows with those the model was trained and calibrated on: the share
of flags, uncovered rows, values that training did not have, and, with --target,
what was promised. All comparisons are exact tests, and share the --level of
false alarms.

Exit codes: 0 it holds or, without --fail, the check was made; 1 it could not
be made; 2 wrong arguments; 3 it does not hold, with --fail; 130 interrupted;
143 terminated. With --json, errors are written as JSON too.

Examples:
  ternwood check model.json new.csv
  ternwood check model.json new.csv --target ill
  ternwood check model.json last-night.csv --fail --quiet
  ternwood check model.json new.csv --target ill --json -o check.json")]
pub(crate) struct CheckArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    edited: EditedArgs,
    /// Table with new rows: CSV, TSV or ARFF (also gzipped) or Parquet; `-` means standard input
    #[arg(value_name = "NEW")]
    data: PathBuf,
    /// Column with the classes of the new rows, to see whether answers are still right
    #[arg(long, short, value_name = "COL")]
    target: Option<String>,
    /// How often something may be called changed although nothing has
    #[arg(long, value_name = "SHARE", default_value_t = USUAL_LEVEL)]
    level: f64,
    /// Exit with code 3 if it does not hold: for a nightly job
    #[arg(long)]
    fail: bool,
    /// Write all comparisons as JSON; or the error, if the check cannot be made
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
    // Fail before the work, not after it.
    let output = args.output.create()?;
    let data = DataArgs { data: args.data.clone(), layout: args.layout.clone() };
    let name = data.name();
    let Checked { check, next } = match args.checked(&data, session) {
        Ok(checked) => checked,
        Err(error) => {
            if args.json {
                let document = Failure { data: name, holds: None, error: with_causes(&error) };
                output.complete(serde_json::to_string_pretty(&document)? + "\n")?;
            }
            return Err(error);
        }
    };
    if args.json {
        let document = Document { data: name.clone(), holds: check.holds(), check: &check };
        output.complete(serde_json::to_string_pretty(&document)? + "\n")?;
    } else {
        output.complete_coloured(&described(&check, &name))?;
    }
    if let Some(path) = args.output.file() {
        session.note(format_args!("wrote {}", path.display()));
    }
    if let Some(next) = next {
        session.suggest(&next);
    }
    match check.worst() {
        Some(worst) if args.fail => {
            let more = match check.changed().count() - 1 {
                0 => String::new(),
                more => format!("; and {more} more"),
            };
            Err(Changed(format!("{name}: it does not hold: {worst}{more}")).into())
        }
        _ => Ok(()),
    }
}

/// A check that was made, and the command to run next.
struct Checked {
    check: RowsCheck,
    next: Option<NextStep>,
}

/// A check for other programs.
#[derive(Serialize)]
struct Document<'a> {
    data: String,
    holds: bool,
    #[serde(flatten)]
    check: &'a RowsCheck,
}

/// A check that could not be made, for other programs.
#[derive(Serialize)]
struct Failure {
    data: String,
    /// `null`: nobody knows.
    holds: Option<bool>,
    error: String,
}

impl CheckArgs {
    fn checked(&self, data: &DataArgs, session: &Session) -> Result<Checked> {
        if !(0.0 < self.level && self.level < 1.0) {
            let problem = format!("--level is {}; allowed: a number between 0 and 1", self.level);
            return Err(Usage(problem).into());
        }
        let source = ModelFile::read(&self.model, self.edited)?;
        let (model, exec) = (&source.model, session.exec());
        if let Some(target) = &self.target {
            let rows = source.labelled_rows(data, Some(target), self.unlabelled, session)?;
            let matrix = Matrix::from(rows.columns());
            let seen = model.seen_rows(&rows, exec)?.trained_on();
            session.warn(seen.map(|seen| format!("{}: {}", data.name(), seen.warning())));
            let check = model.check_rows(matrix, Some(rows.labels()), self.level, exec)?;
            return Ok(Checked { check, next: None });
        }
        let (features, has_classes) = source.unlabelled_rows(data, session)?;
        let check = model.check_rows(Matrix::from(&features.columns), None, self.level, exec)?;
        // A stream cannot be read again.
        let is_stream = [&self.data, &self.model].contains(&&PathBuf::from("-"));
        let target = model.schema().target().filter(|_| has_classes && !is_stream);
        let next = target.map(|target| session.next("check").with("target", &target));
        Ok(Checked { check, next })
    }
}

/// The report, with lines that fit the terminal.
fn described(check: &RowsCheck, name: &str) -> String {
    let report = format!("{name}: {}\n{check}", counted(check.rows, "row"));
    report.lines().map(|line| style::paragraph(line) + "\n").collect()
}
