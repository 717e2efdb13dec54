//! `ternwood fit`: from a table to a model file.

use crate::column_table;
use crate::columns::{ColumnArgs, Training};
use crate::effect::Effect;
use crate::growing::{TreeArgs, ZoneArgs, ZoneName, recipe};
use crate::next_step::NextStep;
use crate::output::{Output, STDOUT};
use crate::reading::{DataArgs, TrainingTable, UnlabelledArgs, described};
use crate::report::percent;
use crate::session::Session;
use crate::summary::{Summary, legend};
use crate::{style, warnings};
use anyhow::Result;
use std::io::Write;
use std::path::{Path, PathBuf};
use ternwood::bayes_error::{BayesError, ZoneScale, zone_scale_for_flag_rate};
use ternwood::export::{TextOptions, to_text};
use ternwood::fit::cross_fitted_rows;
use ternwood::verdict::{USUAL_COST_RATIO, VerdictRule};
use ternwood::{Dataset, Learner, Model};

/// Learn a tree with uncertainty zones from a table
///
/// Cross-validation chooses the depth of the tree and the width of its zones, for the best
/// probabilities. Rows are flagged where a second look is cheaper than the risk of a wrong answer.
/// With --zone it is the paper's method instead: zones of that kind around the splits of an ordinary
/// decision tree, which flag every row within them.
#[derive(clap::Args)]
#[command(override_usage = "ternwood fit [OPTIONS] --target <COL> --output <MODEL> <DATA>")]
#[command(after_help = "\
Examples:
  ternwood fit patients.csv --target ill -o model.json
  ternwood fit patients.csv -t ill -o model.json --max-depth 4
  ternwood fit patients.csv -t ill -o model.json --cost-ratio 0.1
  ternwood fit patients.csv -t ill -o model.json --zone margin --max-depth 4
  ternwood fit people.csv -t ill -o m.json --zone specified --half-width age=1
  ternwood fit survey.arff.gz -t answer -o m.json --missing unknown --drop id")]
pub(crate) struct FitArgs {
    #[command(flatten)]
    data: DataArgs,
    /// Column with the classes to predict [default: that of the --schema]
    #[arg(long, short, value_name = "COL", required_unless_present = "schema")]
    target: Option<String>,
    /// Model file to write; `-` means standard output
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,
    /// Replace the model file if it exists
    #[arg(long)]
    force: bool,
    /// Leave hashes of training rows out of the model: `calibrate` and `evaluate` then cannot tell
    /// whether rows were trained on
    #[arg(long)]
    no_sketch: bool,
    #[command(flatten)]
    unlabelled: UnlabelledArgs,
    #[command(flatten)]
    learning: ColumnArgs,
    #[command(flatten)]
    tree: TreeArgs,
    /// Grow the paper's tree, whose zones reach so far to both sides of a threshold, and flag every
    /// row within one [default: zones as wide as probabilities need; flag by --cost-ratio]
    #[arg(long, value_enum, help_heading = "Zones")]
    zone: Option<ZoneName>,
    #[command(flatten)]
    zones: ZoneArgs,
    /// Scale all zones so that as many training rows are undecided as errors are unavoidable (the
    /// Bayes error; a lower bound from nearest neighbours, slow beyond some 10,000 rows)
    #[arg(long, help_heading = "Zones", requires = "zone", conflicts_with = "zone_scale")]
    bayes_scale: bool,
}

pub(crate) fn run(args: &FitArgs, session: &Session) -> Result<()> {
    args.tree.check()?;
    args.zones.check(args.zone.as_ref().map(std::slice::from_ref))?;
    // Fail before the work, not after it.
    let file = Output::file(&args.output, args.force)?;
    let table = TrainingTable {
        data: &args.data,
        target: args.target.as_deref(),
        unlabelled: args.unlabelled,
        missing: args.tree.missing.in_the_table(),
    };
    let Training { encoded, glimpses } = args.learning.read(&table, session)?;
    let see_all = args.data.look_at_all();
    session.warn(warnings::cut(&encoded.warnings, &see_all));
    let data = &encoded.dataset;
    let mut recipe = recipe(args.zone, &args.tree, &args.zones, data.schema())?;
    let fit = |recipe| Learner::from_recipe(recipe)?.fit(data, session.exec());
    let progress = session.progress("growing the tree", None);
    let mut model = fit(recipe.clone())?;
    let bayes = args.bayes_scale.then(|| bayes_scale(&model, data, session)).transpose()?;
    if let Some((_, scale)) = bayes {
        recipe.params.zone.scale = scale.factor;
        recipe.params.zone.category_error *= scale.factor;
        model = fit(recipe)?;
    }
    if args.zone.is_none() {
        let cost_ratio = args.zones.cost_ratio.unwrap_or(USUAL_COST_RATIO);
        model = by_cost(model, cost_ratio, data, session)?;
    }
    let effect = Effect::after_fit(&model, data, session.exec())?;
    drop(progress);
    if args.no_sketch {
        model = model.without_sketch();
    }
    file.complete(model.to_json())?;
    let is_told = args.output != Path::new(STDOUT);
    if is_told && !session.is_quiet() {
        let mut out = anstream::stdout().lock();
        let rows = format!("{}: {}", args.data.name(), described(data));
        writeln!(out, "{}", style::paragraph(&rows))?;
        write!(out, "\n{}", column_table::short(glimpses.iter()))?;
        let more = data.n_features() - glimpses.len();
        if more > 0 {
            let more = format!("... and {more} more; see all with {see_all}");
            writeln!(out, "{}", style::dim(more))?;
        }
        writeln!(out)?;
        if let Some((bayes, scale)) = bayes {
            let rate = percent(Some(scale.flag_rate));
            writeln!(
                out,
                "Bayes error (unavoidable errors): {} to {}; {rate} are to be undecided",
                percent(Some(bayes.lower)),
                percent(Some(bayes.upper))
            )?;
        }
        write!(out, "{}", Summary::of_fit(&model).text())?;
        writeln!(out, "{}", style::paragraph(&effect.to_string()))?;
        tree_preview(&mut out, &model, &args.output)?;
        out.flush()?;
    }
    session.warn(effect.advice(&model));
    if is_told {
        session.suggest(&args.next_step(&model, data.n_rows(), session));
    }
    Ok(())
}

impl FitArgs {
    /// What was fitted is to be measured on rows that trees have not seen; where that cannot be,
    /// because the table is a stream or too small, it is to be looked at.
    fn next_step(&self, model: &Model, n_rows: usize, session: &Session) -> NextStep {
        if self.data.data == Path::new(STDOUT) || n_rows < FOLDS {
            return session.next("show").with("model", &self.output.display());
        }
        let mut step = session.next("evaluate").with("cv", &FOLDS);
        if let Some(zone) = self.zone {
            step = step.with("zones", &zone);
        }
        if self.bayes_scale {
            let zone = &model.recipe().params.zone;
            step = step.with("zone_scale", &zone.scale);
            step = step.with("category_error", &zone.category_error);
        }
        step
    }
}

/// The folds of a suggested cross-validation.
const FOLDS: usize = 5;

/// The model with a verdict by cost, and what it does to training rows that trees have not seen.
fn by_cost(model: Model, cost_ratio: f64, data: &Dataset, session: &Session) -> Result<Model> {
    let rule = VerdictRule::Cost { cost_ratio };
    if model.verdict().as_confidence().is_some_and(|policy| *policy.rule() == rule) {
        return Ok(model);
    }
    let rows = cross_fitted_rows(&model, data, session.exec())?;
    Ok(model.with_verdict(rows.policy(rule)?)?)
}

/// The Bayes error, and the scale that flags a share of the training rows equal to its bound.
fn bayes_scale(
    model: &Model,
    data: &Dataset,
    session: &Session,
) -> Result<(BayesError, ZoneScale)> {
    let bayes = BayesError::of(data, session.exec())?;
    let scale = zone_scale_for_flag_rate(model, data, bayes.lower, session.exec())?;
    Ok((bayes, scale))
}

/// The depth of the tree preview.
const DEPTH_SHOWN: usize = 3;

fn tree_preview(out: &mut impl Write, model: &Model, path: &Path) -> Result<()> {
    let options = TextOptions { max_depth: DEPTH_SHOWN, ..TextOptions::default() };
    let text = to_text(model, options);
    write!(out, "\n{}{}\n", style::tree(&text), style::notes(&legend(model)))?;
    let path = path.display();
    writeln!(out, "wrote {path}")?;
    let is_cut = text != to_text(model, TextOptions { all_categories: true, ..options });
    if is_cut || model.tree().depth() > DEPTH_SHOWN {
        let full = if is_cut { " --full" } else { "" };
        writeln!(out, "see all of it with `ternwood show {path}{full}`")?;
    }
    Ok(())
}
