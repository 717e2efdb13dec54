//! `ternwood evaluate`: the quality of predictions and verdicts.

use crate::cli::Usage;
use crate::columns::{ColumnArgs, Training};
use crate::evaluation::{CrossValidation, Measured, OnNewRows};
use crate::growing::{TreeArgs, ZoneArgs, ZoneName};
use crate::model_file::ModelFile;
use crate::output::{Output, OutputArgs};
use crate::output_format::check_figure;
use crate::reading::{DataArgs, TrainingTable, UnlabelledArgs, described};
use crate::recipe::RecipeArgs;
use crate::report::{Prices, Report, TableFormat};
use crate::session::Session;
use crate::warnings;
use anyhow::{Result, bail};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use ternwood::bayes_error::BayesError;
use ternwood::metrics::Costs;
use ternwood::recipe::ZoneParams;
use ternwood::{ClassName, Dataset, Folds, Recipe, VerdictPolicy, ZoneKind};

/// Measure a model on new rows, or options for growing one by cross-validation
#[derive(clap::Args)]
#[command(after_help = "\
The table sets trees with zones beside plain CART, an ordinary decision tree,
and their flags (undecided rows) beside those of Chow's rule: as many rows, but
those whose answers have the lowest probability. A legend explains the columns.

Examples:
  ternwood evaluate test.csv --model model.json
  ternwood evaluate patients.csv -t ill --cv 5 --zones all --max-depth 4
  ternwood evaluate patients.csv -t ill --cv 5 --calibrated
  ternwood evaluate patients.csv -t ill --cv 10 --figure risk.svg
  ternwood evaluate patients.csv -t ill --cv 10 -o table.md")]
#[command(group = clap::ArgGroup::new("what").required(true).args(["model", "cv"]))]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    data: DataArgs,
    /// Column with the classes [default with --model: the one it was trained on]
    #[arg(long, short, value_name = "COL")]
    target: Option<String>,
    /// Measure this model
    #[arg(long, value_name = "MODEL",
          conflicts_with_all = RECIPE)]
    model: Option<PathBuf>,
    /// Cross-validate: grow N trees, each without one N-th of the rows, and measure it on those
    #[arg(long, value_name = "N",
          value_parser = clap::value_parser!(u32).range(2..))]
    cv: Option<u32>,
    /// How to write the table [default: by the name of the output; text on standard output]
    #[arg(long, value_enum)]
    format: Option<TableFormat>,
    /// Draw into this SVG file how the error grows with the share of rows decided
    /// (risk-coverage curves)
    #[arg(long, value_name = "FILE")]
    figure: Option<PathBuf>,
    /// What a flag (a second look) and what a wrong answer to a decided row cost: adds the cost
    /// per row
    #[arg(long, value_name = "FLAG,ERROR", value_parser = costs)]
    costs: Option<Costs>,
    /// Estimate from nearest neighbours how many errors nobody can avoid (the Bayes error): adds
    /// flags per unavoidable error (slow beyond some 10,000 rows)
    #[arg(long)]
    bayes: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    unlabelled: UnlabelledArgs,
    #[command(flatten)]
    learning: ColumnArgs,
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
    /// Which zones to compare: names, or `all` for the five of the paper
    /// [default: margin; with --calibrated: spread]
    #[arg(long, value_name = "ZONE,...", value_delimiter = ',',
          help_heading = "Zones", value_parser = ZonesParser)]
    zones: Vec<Zones>,
    #[command(flatten)]
    zone: ZoneArgs,
}

/// Options for growing a tree, which conflict with `--model`. Listed one by one, so that the
/// parser names the option that was given, not all of them.
const RECIPE: [&str; 36] = [
    "zones",
    "calibrated",
    "leaves",
    "schema",
    "nominal",
    "ordered",
    "number",
    "date",
    "drop",
    "weights",
    "missing",
    "criterion",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "min_samples_middle",
    "max_leaf_nodes",
    "max_features",
    "min_impurity_decrease",
    "ccp_alpha",
    "class_weight",
    "min_samples_category",
    "seed",
    "routing",
    "half_width",
    "plateau_tolerance",
    "plateau_connected",
    "overlap_tail",
    "gain_scale",
    "gain",
    "bootstraps",
    "cost_ratio",
    "max_zone_fraction",
    "zone_scale",
    "category_error",
];

fn costs(text: &str) -> Result<Costs, String> {
    let prices: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    let [flag, error] = prices[..] else {
        return Err("two numbers, such as 1,5".to_owned());
    };
    Costs::new(flag, error).map_err(|error| error.to_string())
}

/// A kind of zone, or all estimated kinds.
#[derive(Clone, Copy, Debug)]
enum Zones {
    All,
    One(ZoneName),
}

/// Accepts `all` in addition to the names of zones.
#[derive(Clone)]
struct ZonesParser;

impl clap::builder::TypedValueParser for ZonesParser {
    type Value = Zones;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Zones, clap::Error> {
        let names: Vec<_> = self.possible_values().into_iter().flatten().collect();
        let name =
            clap::builder::PossibleValuesParser::new(names).parse_ref(command, arg, value)?;
        Ok(ZoneName::from_str(&name, false).map_or(Zones::All, Zones::One))
    }

    fn possible_values(
        &self,
    ) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        let all = clap::builder::PossibleValue::new("all").help("The five of the paper");
        let names = ZoneName::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        Some(Box::new(std::iter::once(all).chain(names)))
    }
}

pub(crate) fn run(args: &EvaluateArgs, session: &Session) -> Result<()> {
    let zones = args.zone_names();
    args.tree.check()?;
    if args.cv.is_some() {
        args.zone.check(&zones)?;
        args.recipe.check(&args.tree, &args.zone)?;
    }
    args.check_outputs()?;
    let format = args.output.format(args.format)?;
    // Fail before the work, not after it.
    let figure = args.figure.as_ref().map(|path| Output::file(path, args.output.force));
    let figure = figure.transpose()?;
    let output = args.output.create()?;
    let outcome = match (&args.model, args.cv) {
        (Some(path), _) => measure_model(args, path, session)?,
        (None, Some(folds)) => cross_validate(args, &zones, folds, session)?,
        (None, None) => bail!("neither a model nor a number of folds is given"),
    };
    let report = Report {
        title: outcome.title,
        methods: &outcome.methods,
        prices: Prices { costs: args.costs, bayes_error: outcome.bayes_error },
        classes: &outcome.classes,
    };
    if let Some(file) = figure {
        file.complete(report.risk_coverage())?;
    }
    output.complete_coloured(&report.written(format))?;
    for path in [args.output.file(), args.figure.as_deref()].into_iter().flatten() {
        session.note(format_args!("wrote {}", path.display()));
    }
    Ok(())
}

/// The measurements, and a description of the data.
struct Outcome {
    title: String,
    methods: Vec<Measured>,
    classes: Vec<ClassName>,
    bayes_error: Option<BayesError>,
}

impl EvaluateArgs {
    /// Refuses a figure that is no SVG file, and the same file for two outputs.
    fn check_outputs(&self) -> Result<()> {
        self.figure.as_deref().map_or(Ok(()), check_figure)?;
        match (self.output.file(), &self.figure) {
            (Some(table), Some(figure)) if same_file(table, figure) => Err(Usage(format!(
                "--output and --figure are the same file, {}; give each its own",
                figure.display()
            ))
            .into()),
            _ => Ok(()),
        }
    }

    /// The outcome on these rows, with the optional figures.
    fn outcome(
        &self,
        of: &str,
        methods: Vec<Measured>,
        data: &Dataset,
        session: &Session,
    ) -> Result<Outcome> {
        let bayes_error = self.bayes.then(|| BayesError::of(data, session.exec())).transpose()?;
        let title = format!("{of}\n{}: {}", self.data.name(), described(data));
        Ok(Outcome { title, methods, classes: data.schema().classes().to_vec(), bayes_error })
    }

    /// The requested zones, without duplicates.
    fn zone_names(&self) -> Vec<ZoneName> {
        let mut names = Vec::new();
        let by_default = [Zones::One(self.recipe.default_zone())];
        let zones = if self.zones.is_empty() { &by_default } else { &self.zones[..] };
        for zones in zones {
            let more = match zones {
                Zones::One(name) => vec![*name],
                Zones::All => ZoneName::ESTIMATED.to_vec(),
            };
            for name in more {
                // The table includes plain CART anyway.
                if name != ZoneName::None && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}

/// True if two paths name the same file, which need not exist.
fn same_file(one: &Path, other: &Path) -> bool {
    let resolved = |path: &Path| {
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let beside = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
        path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.to_owned())
    };
    resolved(one) == resolved(other)
}

fn measure_model(args: &EvaluateArgs, path: &Path, session: &Session) -> Result<Outcome> {
    let source = ModelFile::read(path)?;
    let target = args.target.as_deref();
    let data = source.labelled_rows(&args.data, target, args.unlabelled, session)?;
    let model = &source.model;
    let costs = args.costs.as_ref();
    let progress = session.progress("measuring", None);
    let methods = OnNewRows { model, data: &data, costs }.run(session.exec())?;
    drop(progress);
    let of = match model.verdict() {
        VerdictPolicy::Zones => path.display().to_string(),
        policy => format!("{}\n{policy}", path.display()),
    };
    if model.tree().is_three_child() {
        session.note(
            "no row for plain CART: a tree with middle subtrees contains none; to set it beside \
             one, grow both with --cv",
        );
    }
    args.outcome(&of, methods, &data, session)
}

fn cross_validate(
    args: &EvaluateArgs,
    zones: &[ZoneName],
    folds: u32,
    session: &Session,
) -> Result<Outcome> {
    let table = TrainingTable {
        data: &args.data,
        target: args.target.as_deref(),
        unlabelled: args.unlabelled,
        missing: args.tree.missing.in_the_table(),
    };
    let Training { encoded, .. } = args.learning.read(&table, session)?;
    let see_all = args.data.look_at_all();
    session.warn(warnings::cut(&encoded.warnings, &see_all));
    let data = &encoded.dataset;
    let params = args.tree.params(ZoneKind::None.into(), data.schema())?;
    let zones: Vec<ZoneParams> =
        zones.iter().map(|&name| args.zone.params(name, data.schema())).collect::<Result<_>>()?;
    let n_folds = folds;
    let folds = Folds::stratified(data.labels(), n_folds, args.tree.seed)?;
    let routing = args.zone.routing();
    let auto = args.recipe.auto(&args.tree, &args.zone);
    let recipe = Recipe { params, routing, leaves: args.recipe.leaves(), auto };
    let costs = args.costs.as_ref();
    let validation = CrossValidation { data, folds: &folds, recipe: &recipe, zones: &zones, costs };
    let progress = session.progress("folds", Some(u64::from(n_folds)));
    let methods = validation.run(session.exec(), || progress.advance(1))?;
    drop(progress);
    let how = args.recipe.described(auto);
    let of = format!("{n_folds}-fold cross-validation, {routing} routing{how}");
    args.outcome(&of, methods, data, session)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command};

    #[test]
    fn every_growing_option_conflicts_with_a_model() {
        let recipe = ColumnArgs::augment_args(Command::new("recipe"));
        let recipe = ZoneArgs::augment_args(TreeArgs::augment_args(recipe));
        let recipe = RecipeArgs::augment_args(recipe);
        let mut ids: Vec<&str> = recipe.get_arguments().map(|arg| arg.get_id().as_str()).collect();
        ids.push("zones");
        ids.sort_unstable();
        let mut known = RECIPE;
        known.sort_unstable();
        assert_eq!(ids, known);
    }
}
