//! `ternwood calibrate`: chooses what makes a row undecided.

use crate::effect::advice;
use crate::model_file::{EditedArgs, ModelFile, to_bytes};
use crate::next_step::NextStep;
use crate::output::{Output, STDOUT};
use crate::reading::{DataArgs, LayoutArgs, UnlabelledArgs, described};
use crate::report::Grid;
use crate::session::Session;
use crate::style;
use crate::summary::Summary;
use crate::wish::{Goal, WishArgs, treated};
use anyhow::{Result, anyhow};
use std::io::Write;
use std::path::{Path, PathBuf};
use ternwood::dataset::one_line;
use ternwood::fit::{cross_fitted_rows, out_of_bag};
use ternwood::verdict::{AtWork, CalibrationRows, CalibrationSource};
use ternwood::{Dataset, ErrorKind, Model, Promised, VerdictPolicy};

/// Choose what makes a row undecided (flagged): a promise, a budget, or costs
#[derive(clap::Args)]
#[command(
    override_usage = "ternwood calibrate [OPTIONS] <MODEL> [DATA] --output <MODEL>
       ternwood calibrate [OPTIONS] <MODEL> <DATA> --table
       ternwood calibrate [OPTIONS] --rows-needed",
    after_help = "\
DATA must be rows that the model was not trained on; or, with --cross-fit, the
very rows it was trained on. The probabilities of the model stay as they are;
its verdicts change, and with a table of --costs its answers.

Examples:
  ternwood calibrate model.json held-out.csv --accuracy 0.95 -o sure.json
  ternwood calibrate m.json h.csv --precision ill=0.9 --miss ill=0.01 -o n.json
  ternwood calibrate model.json held-out.csv --table
  ternwood calibrate --rows-needed --miss ill=0.01 --confidence 0.9
  ternwood calibrate model.json held-out.csv --flag-rate 0.1 -o budget.json
  ternwood calibrate m.json held-out.csv --flag-rate 0.15 --catch bad -o c.json
  ternwood calibrate model.json --cost-ratio 0.2 -o cheap.json
  ternwood calibrate model.json --costs costs.csv -o cheapest.json
  ternwood calibrate sure.json --zone -o as-it-was.json"
)]
#[command(group = clap::ArgGroup::new("policy").required(true).multiple(true)
    .args(["accuracy", "precision", "miss", "flag_rate", "cost_ratio", "costs", "zone", "table"]))]
pub(crate) struct CalibrateArgs {
    /// Model file
    #[arg(value_name = "MODEL", required_unless_present = "rows_needed")]
    model: Option<PathBuf>,
    #[command(flatten)]
    edited: EditedArgs,
    /// Table with rows that were kept from training; not needed with --cost-ratio, --costs and
    /// --zone
    #[arg(value_name = "DATA", conflicts_with = "zone",
          required_unless_present_any = ["cost_ratio", "costs", "zone", "rows_needed"])]
    data: Option<PathBuf>,
    /// Only show what promises from easy to hard, and flags from dear to cheap, would do to DATA;
    /// write no model
    #[arg(long, requires = "data", conflicts_with_all = ["accuracy", "precision", "miss",
          "flag_rate", "cost_ratio", "zone", "output", "force"])]
    table: bool,
    /// Only say how many rows the promise needs; no model, no data, no output
    #[arg(long, conflicts_with_all = ["model", "data", "zone", "table", "output",
          "cross_fit", "force", "flag_rate", "cost_ratio", "costs"])]
    rows_needed: bool,
    /// With --rows-needed: the rows are out of bag, as those of `fit --forest`. Promises are then
    /// tested with half of the risk
    #[arg(long, requires = "rows_needed")]
    out_of_bag: bool,
    /// DATA are the rows the model was trained on: each is answered by a tree that has not seen
    /// it, in a forest by those of its trees (out of bag). The result is approximate
    #[arg(long, requires = "data", conflicts_with = "zone")]
    cross_fit: bool,
    /// Do not compare DATA with the training rows: you know that the model was not trained on them.
    /// The verdict records it
    #[arg(long, requires = "data", conflicts_with = "cross_fit")]
    allow_training_rows: bool,
    /// Write nothing about single training rows into the new model file
    #[arg(long, conflicts_with = "table")]
    private: bool,
    /// Column with the classes [default: the one the model was trained on]
    #[arg(long, short, value_name = "COL")]
    target: Option<String>,
    /// Model file to write; `-` means standard output
    #[arg(long, short, value_name = "MODEL",
          required_unless_present_any = ["rows_needed", "table"])]
    output: Option<PathBuf>,
    /// Replace the model file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    wish: WishArgs,
    /// Flag a row where that is cheaper than the risk of a wrong answer, if a flag (a second look)
    /// costs this share of one
    #[arg(long, value_name = "RATIO", help_heading = "Verdict", conflicts_with = "costs")]
    cost_ratio: Option<f64>,
    /// Undecided within zones, as after `fit --zone`
    #[arg(long, help_heading = "Verdict", conflicts_with_all =
          ["accuracy", "precision", "miss", "confidence", "flag_rate", "cost_ratio", "costs"])]
    zone: bool,
    #[command(flatten)]
    layout: LayoutArgs,
    #[command(flatten)]
    unlabelled: UnlabelledArgs,
}

pub(crate) fn run(args: &CalibrateArgs, session: &Session) -> Result<()> {
    args.wish.check(args.cost_ratio)?;
    match (&args.model, &args.output) {
        (Some(model), Some(output)) => calibrate(args, model, output, session),
        (Some(model), None) => show_trade_offs(args, model, session),
        (None, _) if args.out_of_bag => print_rows_needed(&args.wish, CalibrationSource::OutOfBag),
        (None, _) => print_rows_needed(&args.wish, CalibrationSource::HeldOut),
    }
}

fn show_trade_offs(args: &CalibrateArgs, path: &Path, session: &Session) -> Result<()> {
    let source = ModelFile::read(path, args.edited)?;
    let model = &source.model;
    let costs = args.wish.cost_matrix(model.schema().classes())?;
    let data = args.rows(&source, session)?.ok_or_else(|| anyhow!("a table needs rows"))?;
    let rows = treated(args.calibration_rows(model, &data, session)?, args.wish.uncovered());
    let table = rows.trade_offs(args.wish.confidence(), costs.as_ref())?;
    let mut out = anstream::stdout().lock();
    write!(out, "{table}")?;
    Ok(out.flush()?)
}

fn calibrate(args: &CalibrateArgs, path: &Path, output: &Path, session: &Session) -> Result<()> {
    // Fail before the work, not after it.
    let file = Output::file(output, args.force)?;
    let source = ModelFile::read(path, args.edited)?;
    let wish = args.wish.wish(args.cost_ratio, source.model.schema().classes())?;
    let data = args.rows(&source, session)?;
    let rows = data.as_ref().map(|data| args.calibration_rows(&source.model, data, session));
    let rows = rows.transpose()?;
    let policy = match (wish, &rows) {
        (None, _) => VerdictPolicy::Zones { uncovered: args.wish.uncovered() },
        (Some(wish), Some(rows)) => wish.policy(rows.clone())?,
        (Some(wish), None) => {
            wish.policy_without_rows()?.ok_or_else(|| anyhow!("only costs can do without rows"))?
        }
    };
    let model = source.model.with_verdict(policy)?;
    let model = if args.private { model.private() } else { model };
    file.complete(to_bytes(&model, output))?;
    let is_told = output != Path::new(STDOUT);
    if is_told && !session.is_quiet() {
        let mut out = anstream::stdout().lock();
        if let (Some(path), Some(data)) = (&args.data, &data) {
            let rows = format!("{}: {}", path.display(), described(data));
            writeln!(out, "{}", style::paragraph(&rows))?;
        }
        write!(out, "{}", Summary::of_verdict(&model).text())?;
        if let (VerdictPolicy::Costs(policy), Some(rows)) = (model.verdict(), &rows) {
            let at_work = rows.at_work(model.verdict().clone(), policy.costs(), INTERVAL)?;
            writeln!(out, "{}", style::paragraph(&costs_in_words(&at_work)))?;
        }
        writeln!(out, "wrote {}", output.display())?;
        out.flush()?;
    }
    let achieved = model.verdict().achieved();
    session.warn(advice(&model, achieved.map_or(&[], |achieved| achieved.classes())));
    if is_told {
        session.suggest(&next_step(output, session));
    }
    Ok(())
}

/// How sure the interval of a cost is.
const INTERVAL: f64 = 0.95;

fn costs_in_words(at_work: &AtWork) -> String {
    let AtWork { cost, cost_interval: [low, high], cost_of_flags, .. } = at_work;
    format!(
        "cost per row: {cost:.3} ({low:.3} to {high:.3} with 95 % confidence); if every row were \
         flagged: {cost_of_flags:.3}"
    )
}

/// A calibrated model is to be looked at. The rows at hand are those it was calibrated on: to
/// predict them proves nothing.
fn next_step(output: &Path, session: &Session) -> NextStep {
    session.next("show").with("model", &output.display()).without("accept_edited")
}

impl CalibrateArgs {
    fn rows(&self, source: &ModelFile<'_>, session: &Session) -> Result<Option<Dataset>> {
        let Some(data) = self.data.clone() else { return Ok(None) };
        let data = DataArgs { data, layout: self.layout.clone() };
        let target = self.target.as_deref();
        let rows = match self.cross_fit || self.allow_training_rows {
            true => source.labelled_rows(&data, target, self.unlabelled, session),
            false => source.held_out_rows(&data, target, self.unlabelled, session),
        };
        rows.map(Some)
    }

    fn calibration_rows(
        &self,
        model: &Model,
        data: &Dataset,
        session: &Session,
    ) -> Result<CalibrationRows> {
        let exec = session.exec();
        if self.allow_training_rows {
            let source = CalibrationSource::HeldOutUntested;
            return Ok(model.calibration_rows_from(data, source, exec)?);
        }
        if !self.cross_fit {
            return model.calibration_rows(data, exec).map_err(with_options);
        }
        if !model.check_trained_on(data, exec)? {
            session
                .warn(["could not check that these are the rows that the model was trained on: \
                           it has nothing to recognise them by"]);
        }
        Ok(match model.ensemble().is_single() {
            false => {
                let unseen = out_of_bag(model, data, exec)?;
                unseen.calibration_rows(data.labels(), model.schema().classes())?
            }
            true => cross_fitted_rows(model, data, exec)?,
        })
    }
}

/// Adds the options to the remedies that the library names.
fn with_options(error: ternwood::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::TrainedOn { .. } => anyhow!(
            "{error} with --cross-fit; if you know that they are new, --allow-training-rows skips this test"
        ),
        _ => error.into(),
    }
}

// "How many rows do I need for this promise?"

/// Prints how many rows each promise needs: at the best, and with half as many errors as it allows.
fn print_rows_needed(wish: &WishArgs, source: CalibrationSource) -> Result<()> {
    let classes = wish.named_classes();
    let wish = wish.wish(None, &classes)?;
    let Some(Goal::Rule(rule)) = wish.map(|wish| wish.goal) else { return Ok(()) };
    let [none, half] = [0.0, 0.5].map(|errors| rule.rows_needed(&classes, errors, source));
    let mut grid =
        Grid::new(&["promise", "rows to count", "no error", "half of the errors allowed"])
            .words(&[1]);
    let number = |rows: Option<usize>| rows.map_or_else(|| "-".to_owned(), |rows| rows.to_string());
    for (none, half) in none?.into_iter().zip(half?) {
        let counted = match &none.promised {
            Promised::Accuracy(_) => "decided".to_owned(),
            Promised::Precision { class, .. } => format!("decided as {}", one_line(class)),
            Promised::MissRate { class, .. } => format!("of class {}", one_line(class)),
        };
        grid.row(vec![none.promised.to_string(), counted, number(none.rows), number(half.rows)]);
    }
    let mut out = anstream::stdout().lock();
    writeln!(out, "{}\n", style::paragraph(&rule.described(&classes)))?;
    let assumed = match source {
        CalibrationSource::OutOfBag => "out of bag: tested with half of the risk",
        _ => "held out or cross-fitted; out of bag it takes more: --out-of-bag",
    };
    write!(
        out,
        "{}\n{}",
        grid.text(),
        style::dim(format_args!("{LEGEND}rows           {assumed}\n"))
    )?;
    Ok(out.flush()?)
}

const LEGEND: &str = "\
rows to count  calibration rows of this kind; undecided rows come on top
no error       if none of them is wrong or missed: `calibrate` refuses fewer
half           if exactly half of the errors allowed are made
";
