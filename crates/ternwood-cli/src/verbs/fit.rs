//! `ternwood fit`: from a table to a model file.

use crate::column_table;
use crate::columns::{ColumnArgs, Training};
use crate::growing::{TreeArgs, ZoneArgs, ZoneName};
use crate::output::{Output, STDOUT};
use crate::reading::{DataArgs, TrainingTable, UnlabelledArgs, described};
use crate::recipe::RecipeArgs;
use crate::report::{fixed, percent};
use crate::session::Session;
use crate::summary::{Summary, legend};
use crate::{style, warnings};
use anyhow::Result;
use std::io::Write;
use std::path::{Path, PathBuf};
use ternwood::bayes_error::{BayesError, ZoneScale, zone_scale_for_flag_rate};
use ternwood::export::{TextOptions, to_text};
use ternwood::metrics::Evaluation;
use ternwood::{Dataset, Learner, Matrix, Model, Recipe};

/// Learn a tree with uncertainty zones from a table
#[derive(clap::Args)]
#[command(override_usage = "ternwood fit [OPTIONS] --target <COL> --output <MODEL> <DATA>")]
#[command(after_help = "\
Examples:
  ternwood fit patients.csv --target ill -o model.json
  ternwood fit patients.csv -t ill -o model.json --max-depth 4
  ternwood fit patients.csv -t ill -o model.json --calibrated
  ternwood fit patients.csv -t ill -o model.json --zone quality_plateau
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
    #[command(flatten)]
    unlabelled: UnlabelledArgs,
    #[command(flatten)]
    learning: ColumnArgs,
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
    /// How far zones reach to both sides of a threshold [default: margin; with --calibrated: spread]
    #[arg(long, value_enum, help_heading = "Zones")]
    zone: Option<ZoneName>,
    #[command(flatten)]
    zones: ZoneArgs,
    /// Scale all zones so that as many training rows are undecided as errors are unavoidable (the
    /// Bayes error; a lower bound from nearest neighbours, slow beyond some 10,000 rows)
    #[arg(long, help_heading = "Zones", conflicts_with_all = ["zone_scale", "calibrated"])]
    bayes_scale: bool,
}

pub(crate) fn run(args: &FitArgs, session: &Session) -> Result<()> {
    args.tree.check()?;
    let zone = args.zone.unwrap_or(args.recipe.default_zone());
    args.zones.check(&[zone])?;
    args.recipe.check(&args.tree, &args.zones)?;
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
    let zone = args.zones.params(zone, data.schema())?;
    let params = args.tree.params(zone, data.schema())?;
    let (routing, leaves) = (args.zones.routing(), args.recipe.leaves());
    let auto = args.recipe.auto(&args.tree, &args.zones);
    let fit = |params| {
        let recipe = Recipe { params, routing, leaves, auto };
        Learner::from_recipe(recipe)?.fit(data, session.exec())
    };
    let progress = session.progress("growing the tree", None);
    let mut model = fit(params)?;
    let bayes = args.bayes_scale.then(|| bayes_scale(&model, data, session)).transpose()?;
    if let Some((_, scale)) = bayes {
        let mut params = model.recipe().params.clone();
        params.zone.scale = scale.factor;
        params.zone.category_error *= scale.factor;
        model = fit(params)?;
    }
    drop(progress);
    file.complete(model.to_json())?;
    if session.is_quiet() || args.output == Path::new(STDOUT) {
        return Ok(());
    }
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
    summarise(&mut out, &model, data, session)?;
    tree_preview(&mut out, &model, &args.output)?;
    Ok(out.flush()?)
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

fn summarise(out: &mut impl Write, model: &Model, data: &Dataset, session: &Session) -> Result<()> {
    let predictions = model.predict(Matrix::from(data.columns()), session.exec())?;
    let evaluation = Evaluation::new(data.labels(), predictions.classes(), predictions.verdicts())?;
    let rates = evaluation.rates;
    write!(out, "{}", Summary::of_fit(model).text())?;
    writeln!(
        out,
        "on the training rows: accuracy {}; {} undecided, {} on the others",
        fixed(rates.accuracy),
        percent(rates.undecided_rate),
        fixed(rates.decided_accuracy),
    )?;
    Ok(())
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
