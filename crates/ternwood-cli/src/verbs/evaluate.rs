//! `ternwood evaluate`: the quality of predictions and verdicts.

use crate::cli::Usage;
use crate::columns::{ColumnArgs, Training};
use crate::effect::effect;
use crate::evaluation::{CrossValidation, Measured, OnNewRows};
use crate::growing::{TreeArgs, ZoneArgs, ZoneName, recipe};
use crate::model_file::ModelFile;
use crate::next_step::{NextStep, new_file};
use crate::output::{Output, OutputArgs};
use crate::output_format::{check_figure, check_page};
use crate::reading::{DataArgs, TrainingTable, UnlabelledArgs, described};
use crate::report::{Prices, Report, SignedReport, TableFormat};
use crate::session::Session;
use crate::{style, warnings};
use anyhow::{Result, bail};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use ternwood::bayes_error::BayesError;
use ternwood::metrics::Costs;
use ternwood::recipe::Leaves;
use ternwood::verdict::{ConfidencePolicy, USUAL_COST_RATIO};
use ternwood::{ClassName, Dataset, Folds, Recipe, VerdictPolicy};

/// Measure a model on new rows, or by cross-validation what `fit` makes of a table
#[derive(clap::Args)]
#[command(after_help = "\
The table sets the trees of `fit` beside plain CART, an ordinary decision tree,
and their flags (undecided rows) beside those of Chow's rule: as many rows, but
those whose answers have the lowest probability. A legend explains the columns.

Examples:
  ternwood evaluate patients.csv -t ill --cv 5
  ternwood evaluate patients.csv -t ill --cv 5 --zones all --max-depth 4
  ternwood evaluate test.csv --model model.json
  ternwood evaluate test.csv --model model.json --report report.html
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
    /// Write into this HTML file a report on the verdicts to print and sign: second looks, misses
    /// and errors class by class with intervals, the promise, the costs, data and model
    #[arg(long, value_name = "FILE", conflicts_with = "cv")]
    report: Option<PathBuf>,
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
    /// Measure trees of `fit --zone` with these zones; `all` means the paper's five
    /// [default: what `fit` grows without --zone]
    #[arg(long, value_name = "ZONE,...", value_delimiter = ',',
          help_heading = "Zones", value_parser = ZonesParser)]
    zones: Option<Vec<Zones>>,
    #[command(flatten)]
    zone: ZoneArgs,
}

/// Options for growing a tree, which conflict with `--model`. Listed one by one, so that the
/// parser names the option that was given, not all of them.
const RECIPE: [&str; 36] = [
    "zones",
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
    "zero_gain_splits",
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
    args.tree.check()?;
    if args.cv.is_some() {
        args.zone.check(args.zone_names().as_deref())?;
    }
    args.check_outputs()?;
    let format = args.output.format(args.format)?;
    // Fail before the work, not after it.
    let figure = args.figure.as_ref().map(|path| Output::file(path, args.output.force));
    let figure = figure.transpose()?;
    let signed = args.report.as_ref().map(|path| Output::file(path, args.output.force));
    let signed = signed.transpose()?;
    let output = args.output.create()?;
    let outcome = match (&args.model, args.cv) {
        (Some(path), _) => measure_model(args, path, session)?,
        (None, Some(folds)) => cross_validate(args, folds, session)?,
        (None, None) => bail!("neither a model nor a number of folds is given"),
    };
    // Of a single model there is a table of classes.
    let classes = args.model.as_ref().map_or(&[][..], |_| &outcome.classes);
    let report = Report {
        title: outcome.title.clone(),
        methods: &outcome.methods,
        prices: Prices { costs: args.costs, bayes_error: outcome.bayes_error },
        classes,
    };
    if let Some(file) = figure {
        file.complete(report.risk_coverage())?;
    }
    if let (Some(file), Some(page)) = (signed, &outcome.signed) {
        file.complete(page)?;
    }
    output.complete_coloured(&report.written(format))?;
    let written = [args.output.file(), args.figure.as_deref(), args.report.as_deref()];
    for path in written.into_iter().flatten() {
        session.note(format_args!("wrote {}", path.display()));
    }
    args.conclude(&outcome, session);
    Ok(())
}

/// The measurements, and a description of the data.
struct Outcome {
    title: String,
    /// Plain CART first, unless the model contains none.
    methods: Vec<Measured>,
    classes: Vec<ClassName>,
    bayes_error: Option<BayesError>,
    /// The report to sign, if one is wanted.
    signed: Option<String>,
}

impl EvaluateArgs {
    /// Refuses a figure that is no SVG file, a report that is no HTML file, and the same file for
    /// two outputs.
    fn check_outputs(&self) -> Result<()> {
        self.figure.as_deref().map_or(Ok(()), check_figure)?;
        self.report.as_deref().map_or(Ok(()), check_page)?;
        let outputs = [
            ("--output", self.output.file()),
            ("--figure", self.figure.as_deref()),
            ("--report", self.report.as_deref()),
        ];
        for (at, (name, path)) in outputs.iter().enumerate() {
            for (other, other_path) in &outputs[..at] {
                if let (Some(path), Some(other_path)) = (path, other_path)
                    && same_file(path, other_path)
                {
                    let path = path.display();
                    let problem = format!("{other} and {name} are the same file, {path}");
                    return Err(Usage(format!("{problem}; give each its own")).into());
                }
            }
        }
        Ok(())
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
        let classes = data.schema().classes().to_vec();
        Ok(Outcome { title, methods, classes, bayes_error, signed: None })
    }

    /// The requested zones, without duplicates; `None` for calibrated ones.
    fn zone_names(&self) -> Option<Vec<ZoneName>> {
        let mut names = Vec::new();
        for zones in self.zones.as_ref()? {
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
        Some(names)
    }

    /// Says what the verdict of the best method does, what speaks against it, and what comes next.
    fn conclude(&self, outcome: &Outcome, session: &Session) {
        let with_zones = outcome.methods.iter().filter(|measured| measured.method.zone() != "none");
        let loss = |measured: &Measured| measured.figures.log_loss.unwrap_or(f64::INFINITY);
        let best = with_zones.clone().min_by(|one, other| loss(one).total_cmp(&loss(other)));
        let Some(best) = best else { return };
        let zone = best.method.zone();
        let of = match with_zones.count() {
            1 => zone.to_owned(),
            _ => format!("{zone} (the best probabilities)"),
        };
        let rates = &best.figures.rates;
        let found = effect(rates.undecided_rate, rates.decided_accuracy, rates.accuracy);
        let said = format!("{of}: {found}");
        session.note(style::paragraph(&said));
        session.warn(best.record(&outcome.classes).advice());
        if let Some(step) = self.next_step(best, session) {
            session.suggest(&step);
        }
    }

    /// After cross-validation the model is to be fitted; a model is to be calibrated on the rows it
    /// was measured with, and then used. A stream cannot be read again.
    fn next_step(&self, best: &Measured, session: &Session) -> Option<NextStep> {
        if [Some(self.data.data.as_path()), self.model.as_deref()].contains(&Some(Path::new("-"))) {
            return None;
        }
        Some(match (&self.model, &self.zones, &best.method.policy) {
            (None, None, _) => session.next("fit").with("output", &new_file("model", "json")),
            (None, Some(_), _) => {
                let step = session.next("fit").with("zone", &best.method.zone());
                step.with("output", &new_file("model", "json"))
            }
            (Some(_), _, VerdictPolicy::Zones) => {
                let step = session.next("calibrate").with("flag_rate", &0.1);
                step.with("output", &new_file("calibrated", "json"))
            }
            (Some(_), _, VerdictPolicy::Confidence(_) | VerdictPolicy::Costs(_)) => {
                session.next("predict").with("output", &new_file("answers", "csv"))
            }
        })
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
    let of = format!("{}\n{}", path.display(), model.verdict());
    if model.tree().is_three_child() {
        session.note(
            "no row for plain CART: a tree with middle subtrees contains none; to set it beside \
             one, grow both with --cv",
        );
    }
    let signed = match (&args.report, methods.last()) {
        (Some(_), Some(own)) => {
            let table = args.data.name();
            let report = SignedReport { source: &source, data: &data, table, costs: args.costs };
            Some(report.html(own, session.exec())?)
        }
        _ => None,
    };
    Ok(Outcome { signed, ..args.outcome(&of, methods, &data, session)? })
}

fn cross_validate(args: &EvaluateArgs, n_folds: u32, session: &Session) -> Result<Outcome> {
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
    let recipe_of = |kind| recipe(kind, &args.tree, &args.zone, data.schema());
    let names = args.zone_names();
    let base = recipe_of(names.as_ref().map(|_| ZoneName::None))?;
    let (recipes, policy) = match &names {
        None => {
            let cost_ratio = args.zone.cost_ratio.unwrap_or(USUAL_COST_RATIO);
            (vec![base.clone()], ConfidencePolicy::of_cost_ratio(cost_ratio)?.into())
        }
        Some(names) => {
            let recipes = names.iter().map(|&name| recipe_of(Some(name)));
            (recipes.collect::<Result<_>>()?, VerdictPolicy::Zones)
        }
    };
    let validation = CrossValidation {
        data,
        folds: &Folds::stratified(data.labels(), n_folds, args.tree.seed)?,
        base: &base,
        recipes: &recipes,
        policy: &policy,
        costs: args.costs.as_ref(),
    };
    let progress = session.progress("folds", Some(u64::from(n_folds)));
    let methods = validation.run(session.exec(), || progress.advance(1))?;
    drop(progress);
    let of = format!("{n_folds}-fold cross-validation, {}\n{policy}", described_recipe(&base));
    args.outcome(&of, methods, data, session)
}

/// "probabilistic routing, em leaves, automatic scale and depth".
fn described_recipe(recipe: &Recipe) -> String {
    let leaves = match recipe.leaves {
        Leaves::Counts => String::new(),
        Leaves::Smoothed => ", smoothed leaves".to_owned(),
        Leaves::Em => ", em leaves (smoothed in CART)".to_owned(),
    };
    let auto = match (recipe.auto.zone_scale, recipe.auto.max_depth) {
        (true, true) => ", automatic scale and depth",
        (true, false) => ", automatic scale",
        (false, true) => ", automatic depth",
        (false, false) => "",
    };
    format!("{} routing{leaves}{auto}", recipe.routing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command};

    #[test]
    fn every_growing_option_conflicts_with_a_model() {
        let recipe = ColumnArgs::augment_args(Command::new("recipe"));
        let recipe = ZoneArgs::augment_args(TreeArgs::augment_args(recipe));
        let mut ids: Vec<&str> = recipe.get_arguments().map(|arg| arg.get_id().as_str()).collect();
        ids.push("zones");
        ids.sort_unstable();
        let mut known = RECIPE;
        known.sort_unstable();
        assert_eq!(ids, known);
    }
}
