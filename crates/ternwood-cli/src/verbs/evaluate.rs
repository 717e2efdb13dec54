//! `ternwood evaluate`: the quality of predictions and verdicts.

use crate::cli::Usage;
use crate::columns::{ColumnArgs, Names, Training, names};
use crate::effect::{Subgroups, effect};
use crate::evaluation::{CrossValidation, Measured, OnNewRows};
use crate::files::expanded;
use crate::growing::{ForestArgs, TreeArgs, ZoneArgs, ZoneName, adapted, recipe};
use crate::model_file::{EditedArgs, LabelledRows, ModelFile};
use crate::next_step::{NextStep, new_file};
use crate::output::{Output, OutputArgs, check_figure, check_page};
use crate::reading::{DataArgs, TrainingTable, UnlabelledArgs, described};
use crate::report::{GroupTable, Prices, Report, SignedReport, TableFormat};
use crate::session::Session;
use crate::wish::{Goal, Wish, WishArgs, matrix_of};
use crate::{style, warnings};
use anyhow::{Result, bail};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use ternwood::bayes_error::BayesError;
use ternwood::recipe::{DepthChoice, Leaves};
use ternwood::verdict::{CostMatrix, USUAL_COST_RATIO};
use ternwood::{ClassName, Recipe, Resampler, VerdictPolicy};

/// Measure a model on new rows, or by cross-validation what `fit` makes of a table
#[derive(clap::Args)]
#[command(after_help = "\
The table sets the trees of `fit` beside plain CART, an ordinary decision tree,
and their flags (undecided rows) beside those of Chow's rule: as many rows, but
those whose answers have the lowest probability. A legend explains the columns.
A promise or a budget is set in every fold with its training rows. With --zones
and --model, --costs only adds the cost per row.

Examples:
  ternwood evaluate patients.csv -t ill --cv 5
  ternwood evaluate patients.csv -t ill --cv 5 --zones all --max-depth 4
  ternwood evaluate test.csv --model model.json
  ternwood evaluate test.csv --model model.json --report report.html
  ternwood evaluate 'test-*.csv' --model model.json
  ternwood evaluate patients.csv -t ill --cv 5 --accuracy 0.9 --by sex,ward
  ternwood evaluate patients.csv -t ill --cv 10 --figure risk.svg
  ternwood evaluate patients.csv -t ill --cv 10 -o table.md")]
#[command(group = clap::ArgGroup::new("what").required(true).args(["model", "cv"]))]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    data: DataArgs,
    /// More tables with the same columns, for --model. A folder means all its tables, and a pattern like
    /// 'part-*.csv' all files like it
    #[arg(value_name = "DATA", conflicts_with = "cv")]
    more: Vec<PathBuf>,
    /// Column with the classes [default with --model: the one it was trained on]
    #[arg(long, short, value_name = "COL")]
    target: Option<String>,
    /// Measure this model
    #[arg(long, value_name = "MODEL",
          conflicts_with_all = RECIPE)]
    model: Option<PathBuf>,
    #[command(flatten)]
    edited: EditedArgs,
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
    /// Show what the verdict does to subgroups: the rows with the same values in these columns; say
    /// it again for another division
    #[arg(long, value_name = "COL,...", value_parser = names)]
    by: Vec<Names>,
    /// Estimate from nearest neighbours how many errors nobody can avoid (the Bayes error): adds
    /// flags per unavoidable error (slow beyond some 10,000 rows)
    #[arg(long)]
    bayes: bool,
    #[command(flatten)]
    output: OutputArgs,
    /// With --zones and with --model, costs only add the cost per row.
    #[command(flatten)]
    wish: WishArgs,
    #[command(flatten)]
    unlabelled: UnlabelledArgs,
    #[command(flatten)]
    learning: ColumnArgs,
    #[command(flatten)]
    forest: ForestArgs,
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
const RECIPE: [&str; 41] = [
    "zones",
    "forest",
    "max_samples",
    "no_bootstrap",
    "exponent",
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
    "uncovered",
];

pub(crate) fn run(args: &EvaluateArgs, session: &Session) -> Result<()> {
    args.tree.check()?;
    args.check_wish()?;
    if args.cv.is_some() {
        args.forest.check()?;
        args.zone.check(args.zone_names().as_deref(), args.forest.forest.is_some())?;
    }
    args.check_outputs()?;
    let format = args.output.format(args.format)?;
    if format == TableFormat::Csv && !args.by.is_empty() {
        let problem = "--by needs more tables than a CSV file has; write text, json or markdown";
        return Err(Usage(problem.to_owned()).into());
    }
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
    let report = Report {
        title: outcome.title.clone(),
        methods: &outcome.methods,
        prices: Prices {
            costs: args.wish.prices(),
            matrix: outcome.matrix.clone(),
            bayes_error: outcome.bayes_error,
        },
        classes: &outcome.classes,
        groups: outcome.measured_groups()?,
        spoken_of: outcome.spoken_of(),
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
    groups: Vec<Subgroups>,
    bayes_error: Option<BayesError>,
    /// What every answer and flag costs, if a file says so.
    matrix: Option<CostMatrix>,
    /// The report to sign, if one is wanted.
    signed: Option<String>,
    /// True if the model was trained on these rows.
    trained_on: bool,
}

impl Outcome {
    /// The method of which to tell more: of those with zones, the one with the best probabilities.
    fn spoken_of(&self) -> usize {
        let loss = |at: &usize| self.methods[*at].figures.log_loss.unwrap_or(f64::INFINITY);
        let with_zones =
            (0..self.methods.len()).filter(|&at| self.methods[at].method.zone() != "none");
        with_zones.min_by(|one, other| loss(one).total_cmp(&loss(other))).unwrap_or(0)
    }

    /// What its verdict does to subgroups.
    fn measured_groups(&self) -> Result<Vec<GroupTable>> {
        let judged = &self.methods[self.spoken_of()].judged;
        let measured = |groups: &Subgroups| {
            let columns = groups.columns.clone();
            Ok(GroupTable { columns, groups: groups.measured(judged, &self.classes)? })
        };
        self.groups.iter().map(measured).collect()
    }
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

    /// Refuses a promise for a model, which has its verdict.
    fn check_wish(&self) -> Result<()> {
        if let (Some(model), true) = (&self.model, self.wish.needs_rows()) {
            let problem = format!(
                "a model has its verdict, and this asks for another; calibrate {} first, or leave \
                 the promise out",
                model.display()
            );
            return Err(Usage(problem).into());
        }
        self.wish.check(self.zone.cost_ratio.filter(|_| self.zones.is_none()))
    }

    /// What the verdicts of cross-validated trees are for; if nothing is said, zones have their own.
    fn wish(&self, classes: &[ClassName]) -> Result<Option<Wish>> {
        if self.zones.is_some() && !self.wish.needs_rows() {
            return Ok(None);
        }
        let wish = self.wish.wish(self.zone.cost_ratio, classes)?;
        Ok(Some(wish.unwrap_or_else(|| self.wish.by_cost_ratio(USUAL_COST_RATIO))))
    }

    /// The outcome on these rows, with the optional figures.
    fn outcome(
        &self,
        of: &str,
        mut methods: Vec<Measured>,
        rows: LabelledRows,
        matrix: Option<CostMatrix>,
        session: &Session,
    ) -> Result<Outcome> {
        let data = &rows.dataset;
        let bayes_error = self.bayes.then(|| BayesError::of(data, session.exec())).transpose()?;
        let more = match self.more.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let title = format!("{of}\n{}{more}: {}", self.data.name(), described(data));
        let classes = data.schema().classes().to_vec();
        if let Some(matrix) = &matrix {
            for measured in &mut methods {
                measured.figures.cost = measured.judged.mean_cost(matrix);
            }
        }
        let (groups, signed, trained_on) = (rows.groups, None, false);
        Ok(Outcome { title, methods, classes, groups, bayes_error, matrix, signed, trained_on })
    }

    /// The requested zones; `None` for calibrated ones.
    fn zone_names(&self) -> Option<Vec<ZoneName>> {
        self.zones.as_deref().map(zone_names)
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
    let source = ModelFile::read(path, args.edited)?;
    let target = args.target.as_deref();
    let names = [std::slice::from_ref(&args.data.data), &args.more].concat();
    let layout = |data| DataArgs { data, layout: args.data.layout.clone() };
    let tables: Vec<DataArgs> = expanded(&names)?.into_iter().map(layout).collect();
    let rows = source.labelled_groups(&tables, target, args.unlabelled, &args.by, session)?;
    let model = &source.model;
    let seen = model.seen_rows(&rows.dataset, session.exec())?;
    let warning = seen.trained_on().map(|compared| compared.warning());
    let trained_on = warning.is_some();
    session.warn(warning.iter().map(|warning| format!("{}: {warning}", args.data.name())));
    let matrix = args.wish.cost_file(model.schema().classes())?;
    let costs = args.wish.prices();
    let progress = session.progress("measuring", None);
    let methods =
        OnNewRows { model, data: &rows.dataset, costs: costs.as_ref() }.run(session.exec())?;
    drop(progress);
    let policy = model.verdict().described(model.schema().classes());
    let mut of = format!("{}\n{policy}", path.display());
    if let Some(warning) = warning {
        of += &format!("\n{warning}");
    }
    if model.trees()[0].is_three_child() {
        session.note(
            "no row for plain CART: a tree with middle subtrees contains none; to set it beside \
             one, grow both with --cv",
        );
    }
    let signed = match (&args.report, methods.last()) {
        (Some(_), Some(own)) => {
            let (table, data) = (args.data.name(), &rows.dataset);
            let costs = match (&matrix, costs) {
                (None, Some(prices)) => Some(matrix_of(prices, data.n_classes())?),
                _ => matrix.clone(),
            };
            let report = SignedReport { source: &source, data, table, costs, seen };
            Some(report.html(own, session.exec())?)
        }
        _ => None,
    };
    Ok(Outcome { signed, trained_on, ..args.outcome(&of, methods, rows, matrix, session)? })
}

fn cross_validate(args: &EvaluateArgs, n_folds: u32, session: &Session) -> Result<Outcome> {
    let table = TrainingTable {
        data: &args.data,
        target: args.target.as_deref(),
        unlabelled: args.unlabelled,
        missing: args.tree.missing.in_the_table(),
        by: &args.by,
    };
    let Training { encoded, groups, .. } = args.learning.read(&table, session)?;
    let see_all = args.data.look_at_all();
    session.warn(warnings::cut(&encoded.warnings, &see_all));
    let rows = LabelledRows { dataset: encoded.dataset, groups, absent: encoded.absent };
    let data = &rows.dataset;
    let recipe_of = |kind| {
        let recipe = match args.forest.recipe() {
            None => recipe(kind, &args.tree, &args.zone, data.schema())?,
            Some(base) => adapted(base, kind, &args.tree, &args.zone, data.schema())?,
        };
        args.forest.check_recipe(&recipe)?;
        Ok(recipe)
    };
    let names = args.zone_names();
    let base = recipe_of(names.as_ref().map(|_| ZoneName::None))?;
    let recipes: Vec<Recipe> = match &names {
        None => vec![base.clone()],
        Some(names) => names.iter().map(|&name| recipe_of(Some(name))).collect::<Result<_>>()?,
    };
    let classes = data.schema().classes();
    let wish = args.wish(classes)?;
    let costs = args.wish.prices();
    let matrix = match &wish {
        Some(Wish { goal: Goal::Costs(costs), .. }) => Some(costs.clone()),
        _ => args.wish.cost_file(classes)?,
    };
    let validation = CrossValidation {
        data,
        folds: &Resampler::new(data).folds(n_folds, args.tree.seed)?,
        base: &base,
        recipes: &recipes,
        of_zones: &VerdictPolicy::Zones { uncovered: args.wish.uncovered() },
        wish: wish.as_ref(),
        costs: costs.as_ref(),
    };
    let progress = session.progress("folds", Some(u64::from(n_folds)));
    let methods = validation.run(session.exec(), || progress.advance(1))?;
    drop(progress);
    let verdict = match wish {
        None => validation.of_zones.to_string(),
        Some(wish) => wish.described(classes),
    };
    let of = format!("{n_folds}-fold cross-validation, {}\n{verdict}", described_recipe(&base));
    args.outcome(&of, methods, rows, matrix, session)
}

/// "probabilistic routing, em leaves, automatic scale and depth".
fn described_recipe(recipe: &Recipe) -> String {
    let leaves = match recipe.leaves {
        Leaves::Counts => String::new(),
        Leaves::Smoothed => ", smoothed leaves".to_owned(),
        Leaves::Em => ", em leaves (smoothed in CART)".to_owned(),
    };
    let depth = recipe.auto.max_depth.map(|depth| match depth {
        DepthChoice::Auto => "depth",
        DepthChoice::Best => "best depth",
    });
    let auto = match (recipe.auto.zone_scale, depth) {
        (true, Some(depth)) => format!(", automatic scale and {depth}"),
        (true, None) => ", automatic scale".to_owned(),
        (false, Some(depth)) => format!(", automatic {depth}"),
        (false, None) => String::new(),
    };
    let forest =
        recipe.ensemble.forest().map(|forest| format!("forests of {} trees, ", forest.n_trees));
    format!("{}{} routing{leaves}{auto}", forest.unwrap_or_default(), recipe.routing)
}

// Which zones to measure.

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

/// The requested zones, without duplicates.
fn zone_names(requested: &[Zones]) -> Vec<ZoneName> {
    let mut names = Vec::new();
    for zones in requested {
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

// What the figures say, and what to do next.

impl EvaluateArgs {
    /// Says what the verdict of the best method does, what speaks against it, and what comes next.
    fn conclude(&self, outcome: &Outcome, session: &Session) {
        let with_zones = outcome.methods.iter().filter(|measured| measured.method.zone() != "none");
        let best = &outcome.methods[outcome.spoken_of()];
        let zone = best.method.zone();
        let of = match with_zones.count() {
            0 => return,
            1 => zone.to_owned(),
            _ => format!("{zone} (the best probabilities)"),
        };
        let rates = &best.figures.rates;
        let found = effect(rates.undecided_rate, rates.decided_accuracy, rates.accuracy);
        let said = format!("{of}: {found}");
        session.note(style::paragraph(&said));
        session.warn(best.record(&outcome.classes).advice());
        if let Some(step) = self.next_step(outcome, session) {
            session.suggest(&step);
        }
    }

    /// After cross-validation the model is to be fitted; a model is to be calibrated on the rows it
    /// was measured with, and then used. A stream cannot be read again.
    fn next_step(&self, outcome: &Outcome, session: &Session) -> Option<NextStep> {
        let best = &outcome.methods[outcome.spoken_of()];
        if [Some(self.data.data.as_path()), self.model.as_deref()].contains(&Some(Path::new("-"))) {
            return None;
        }
        Some(match (&self.model, &self.zones, &best.method.policy) {
            (None, zones, _) => {
                let ending = if self.forest.forest.is_some() { "safetensors" } else { "json" };
                let mut step = session.next("fit").with("output", &new_file("model", ending));
                if zones.is_some() {
                    // Here, costs only priced the flags of the zones.
                    step = step.with("zone", &best.method.zone()).without("costs");
                }
                // A forest has rows out of bag.
                if self.wish.needs_rows() && !self.forest.has_out_of_bag() {
                    step = step.with("hold_out", &HOLD_OUT);
                }
                step
            }
            // Rows it was trained on do not show what a verdict does.
            (Some(_), _, VerdictPolicy::Zones { .. }) if outcome.trained_on => return None,
            (Some(_), _, VerdictPolicy::Zones { .. }) => {
                let step =
                    session.next("calibrate").with("output", &new_file("calibrated", "json"));
                if self.wish.has_costs() { step } else { step.with("flag_rate", &0.1) }
            }
            (
                Some(_),
                _,
                VerdictPolicy::Confidence(_) | VerdictPolicy::Catch(_) | VerdictPolicy::Costs(_),
            ) => session.next("predict").with("output", &new_file("answers", "csv")),
        })
    }
}

/// The share of rows that a suggested fit sets aside for its promise.
const HOLD_OUT: f64 = 0.3;

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command};

    #[test]
    fn every_growing_option_conflicts_with_a_model() {
        let recipe = ColumnArgs::augment_args(Command::new("recipe"));
        let recipe =
            ForestArgs::augment_args(ZoneArgs::augment_args(TreeArgs::augment_args(recipe)));
        let mut ids: Vec<&str> = recipe.get_arguments().map(|arg| arg.get_id().as_str()).collect();
        // How the verdict is set conflicts too: a model has its own.
        ids.extend(["zones", "uncovered"]);
        ids.sort_unstable();
        let mut known = RECIPE;
        known.sort_unstable();
        assert_eq!(ids, known);
    }
}
