//! `ternwood calibrate`: chooses what makes a row undecided.

use crate::cli::Usage;
use crate::effect::advice;
use crate::model_file::ModelFile;
use crate::next_step::{NextStep, new_file};
use crate::output::{Output, STDOUT};
use crate::reading::{DataArgs, LayoutArgs, UnlabelledArgs, described};
use crate::session::Session;
use crate::style;
use crate::summary::Summary;
use anyhow::{Result, anyhow, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use ternwood::fit::cross_fitted_rows;
use ternwood::verdict::{ConfidencePolicy, VerdictRule};
use ternwood::{Dataset, ErrorKind, Model, VerdictPolicy};

/// Choose what makes a row undecided (flagged): a cost, a budget, or a promise
#[derive(clap::Args)]
#[command(after_help = "\
DATA must be rows that the model was not trained on; or, with --cross-fit, the
very rows it was trained on. The classes and probabilities of the model stay as
they are; only its verdicts change.

Examples:
  ternwood calibrate model.json held-out.csv --accuracy 0.95 -o sure.json
  ternwood calibrate m.json rest.csv --accuracy 0.9 --confidence 0.99 -o n.json
  ternwood calibrate model.json held-out.csv --flag-rate 0.1 -o budget.json
  ternwood calibrate model.json --cost-ratio 0.2 -o cheap.json
  ternwood calibrate sure.json --zone -o as-it-was.json")]
#[command(group = clap::ArgGroup::new("policy").required(true)
    .args(["accuracy", "flag_rate", "cost_ratio", "zone"]))]
pub(crate) struct CalibrateArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Table with rows that were kept from training; not needed with --cost-ratio and --zone
    #[arg(value_name = "DATA", required_unless_present_any = ["cost_ratio", "zone"],
          conflicts_with = "zone")]
    data: Option<PathBuf>,
    /// Promise that decided rows are right with at least this probability
    #[arg(long, value_name = "SHARE")]
    accuracy: Option<f64>,
    /// How surely to promise it: with 0.95, at most 5 of 100 such promises are broken
    #[arg(long, value_name = "SHARE", default_value_t = 0.95,
          conflicts_with_all = ["flag_rate", "cost_ratio", "zone"])]
    confidence: f64,
    /// Flag (mark as undecided) at most this share of the rows of DATA
    #[arg(long, value_name = "SHARE")]
    flag_rate: Option<f64>,
    /// Flag a row where that is cheaper than the risk of a wrong answer, if a flag (a second look)
    /// costs this share of one
    #[arg(long, value_name = "RATIO")]
    cost_ratio: Option<f64>,
    /// Undecided within zones, as after `fit --zone`
    #[arg(long)]
    zone: bool,
    /// DATA are the rows the model was trained on: each is answered by a tree that has not seen
    /// it. The result is approximate
    #[arg(long, requires = "data", conflicts_with = "zone")]
    cross_fit: bool,
    /// Column with the classes [default: the one the model was trained on]
    #[arg(long, short, value_name = "COL")]
    target: Option<String>,
    /// Model file to write; `-` means standard output
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,
    /// Replace the model file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    layout: LayoutArgs,
    #[command(flatten)]
    unlabelled: UnlabelledArgs,
}

pub(crate) fn run(args: &CalibrateArgs, session: &Session) -> Result<()> {
    if let Some(rule) = args.rule() {
        rule.check().map_err(|error| Usage(error.to_string()))?;
    }
    // Fail before the work, not after it.
    let file = Output::file(&args.output, args.force)?;
    let source = ModelFile::read(&args.model)?;
    let data = args.rows(&source, session)?;
    let policy = args.policy(&source.model, data.as_ref(), session)?;
    let model = source.model.with_verdict(policy)?;
    file.complete(model.to_json())?;
    let is_told = args.output != Path::new(STDOUT);
    if is_told && !session.is_quiet() {
        let mut out = anstream::stdout().lock();
        if let (Some(path), Some(data)) = (&args.data, &data) {
            let rows = format!("{}: {}", path.display(), described(data));
            writeln!(out, "{}", style::paragraph(&rows))?;
        }
        write!(out, "{}", Summary::of_verdict(&model).text())?;
        writeln!(out, "wrote {}", args.output.display())?;
        out.flush()?;
    }
    let achieved = model.verdict().achieved();
    session.warn(advice(&model, achieved.map_or(&[], |achieved| achieved.classes())));
    if is_told {
        session.suggest(&args.next_step(session));
    }
    Ok(())
}

impl CalibrateArgs {
    /// The requested rule. `None` if the zones decide.
    fn rule(&self) -> Option<VerdictRule> {
        let confidence = self.confidence;
        let guarantee =
            self.accuracy.map(|accuracy| VerdictRule::Guarantee { accuracy, confidence });
        let budget = self.flag_rate.map(|flag_rate| VerdictRule::Budget { flag_rate });
        let cost = self.cost_ratio.map(|cost_ratio| VerdictRule::Cost { cost_ratio });
        guarantee.or(budget).or(cost)
    }

    /// A calibrated model is to be used; where there are no rows to answer, to be looked at.
    fn next_step(&self, session: &Session) -> NextStep {
        let model = self.output.display();
        let step = match self.data.as_deref() {
            Some(data) if data != Path::new("-") => {
                session.next("predict").with("output", &new_file("answers", "csv"))
            }
            _ => session.next("show"),
        };
        step.with("model", &model)
    }

    fn rows(&self, source: &ModelFile<'_>, session: &Session) -> Result<Option<Dataset>> {
        let Some(data) = self.data.clone() else { return Ok(None) };
        let data = DataArgs { data, layout: self.layout.clone() };
        let target = self.target.as_deref();
        let rows = match self.cross_fit {
            true => source.labelled_rows(&data, target, self.unlabelled, session),
            false => source.held_out_rows(&data, target, self.unlabelled, session),
        };
        rows.map(Some)
    }

    fn policy(
        &self,
        model: &Model,
        data: Option<&Dataset>,
        session: &Session,
    ) -> Result<VerdictPolicy> {
        Ok(match (self.rule(), data) {
            (None, _) => VerdictPolicy::Zones,
            (Some(rule), Some(data)) => {
                let rows = if self.cross_fit {
                    cross_fitted_rows(model, data, session.exec())?
                } else {
                    model.calibration_rows(data, session.exec()).map_err(cross_fit_instead)?
                };
                rows.policy(rule)?.into()
            }
            (Some(VerdictRule::Cost { cost_ratio }), None) => {
                ConfidencePolicy::of_cost_ratio(cost_ratio)?.into()
            }
            (Some(_), None) => bail!("only a cost can do without rows"),
        })
    }
}

/// Adds the option to the remedy that the library names.
fn cross_fit_instead(error: ternwood::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::TrainedOn { .. } => anyhow!("{error} with --cross-fit"),
        _ => error.into(),
    }
}
