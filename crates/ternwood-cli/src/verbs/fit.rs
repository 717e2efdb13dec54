//! `ternwood fit`: from a table to a model file.

use crate::cli::Usage;
use crate::columns::{ColumnArgs, Training};
use crate::effect::Effect;
use crate::files::{expanded, is_many};
use crate::growing::{ForestArgs, TreeArgs, ZoneArgs, ZoneName, adapted, recipe};
use crate::json::{self, ModelDocument};
use crate::model_file::to_bytes;
use crate::next_step::NextStep;
use crate::output::{Output, STDOUT};
use crate::pieces::{PiecesArgs, shown_bytes};
use crate::reading::{DataArgs, TrainingTable, UnlabelledArgs, described, described_rows, remedy};
use crate::report::percent;
use crate::session::Session;
use crate::summary::{Summary, legend};
use crate::verbs::annotate::RecordArgs;
use crate::wish::{Goal, Wish, WishArgs};
use crate::{column_table, style, warnings};
use anyhow::{Result, anyhow, bail};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use ternwood::bayes_error::{BayesError, ZoneScale, zone_scale_for_flag_rate};
use ternwood::export::{TextOptions, is_readable, to_text};
use ternwood::fit::{Fit, OutOfBag, cross_fitted_rows};
use ternwood::model::{Metadata, SingleTree};
use ternwood::tree::NodeId;
use ternwood::verdict::{CalibrationSource, USUAL_COST_RATIO, VerdictRule};
use ternwood::{ClassName, Columns, Dataset, ErrorKind, Learner, Model, Recipe, Resampler, Schema};
use ternwood_table::{Encoded, ManyLearned, ManyTables, Source};

/// Learn a tree with uncertainty zones, or a forest of them, from a table
///
/// Cross-validation chooses the depth of the tree and the width of its zones, for the best
/// probabilities. Rows are flagged where a second look is cheaper than the risk of a wrong answer.
/// With --zone it is the paper's method instead: zones of that kind around the splits of an ordinary
/// decision tree, which flag every row within them. With --forest many trees answer together.
#[derive(clap::Args)]
#[command(override_usage = "ternwood fit [OPTIONS] --target <COL> --output <MODEL> <DATA>...")]
#[command(after_help = "\
Examples:
  ternwood fit patients.csv --target ill -o model.json
  ternwood fit patients.csv -t ill -o model.json --max-depth 4
  ternwood fit patients.csv -t ill -o model.json --cost-ratio 0.1
  ternwood fit patients.csv -t ill -o m.json --hold-out 0.3 --accuracy 0.9
  ternwood fit patients.csv -t ill -o model.json --zone margin --max-depth 4
  ternwood fit patients.csv -t ill -o forest.safetensors --forest 100
  ternwood fit people.csv -t ill -o m.json --zone specified --half-width age=1
  ternwood fit 'data/part-*.parquet' -t y -o m.json --zone margin --memory 2GB
  ternwood fit patients.csv -t ill -o m.json --name Readmission --owner QA
  ternwood fit survey.arff.gz -t answer -o m.json --missing unknown --drop id")]
pub(crate) struct FitArgs {
    #[command(flatten)]
    data: DataArgs,
    /// More tables with the same columns. A folder means all its tables, and a pattern like
    /// 'part-*.csv' all files like it
    #[arg(value_name = "DATA")]
    more: Vec<PathBuf>,
    /// Column with the classes to predict [default: that of the --schema]
    #[arg(long, short, value_name = "COL", required_unless_present = "schema")]
    target: Option<String>,
    /// Model file to write: JSON, for a forest safetensors unless its name ends in .json; `-` means
    /// standard output
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,
    /// Replace the model file if it exists
    #[arg(long)]
    force: bool,
    /// Write nothing about single rows into the model: no bits by which `calibrate` and `evaluate`
    /// recognise training rows, no counts of rare categories
    #[arg(long)]
    private: bool,
    /// Print a summary of the fit as JSON, or the error if it fails
    #[arg(long)]
    json: bool,
    /// Keep in the model how the training rows lie along every test, by class and rounded value, so
    /// that pictures and pages of it have histograms
    #[arg(long, conflicts_with_all = ["forest", "private"])]
    histograms: bool,
    /// Set this share of the rows aside, and set the verdict with them: they are not learnt from
    #[arg(long, value_name = "SHARE", help_heading = "Verdict")]
    hold_out: Option<f64>,
    /// Set the share aside of every class, not of the whole
    #[arg(long, help_heading = "Verdict", requires = "hold_out")]
    stratify: bool,
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
    /// Grow the paper's tree, whose zones reach so far to both sides of a threshold, and flag every
    /// row within one; in a forest, only how wide zones are before they are scaled [default: zones as
    /// wide as probabilities need; flag by --cost-ratio]
    #[arg(long, value_enum, help_heading = "Zones")]
    zone: Option<ZoneName>,
    #[command(flatten)]
    zones: ZoneArgs,
    /// Scale all zones so that as many training rows are undecided as errors are unavoidable (the
    /// Bayes error; a lower bound from nearest neighbours, slow beyond some 10,000 rows)
    #[arg(long, help_heading = "Zones", requires = "zone",
          conflicts_with_all = ["zone_scale", "forest"])]
    bayes_scale: bool,
    #[command(flatten)]
    record: RecordArgs,
    #[command(flatten)]
    pieces: PiecesArgs,
}

/// A fit for other programs.
#[derive(Serialize)]
struct Fitted {
    /// The model file.
    output: String,
    /// The rows that have a class.
    rows: u64,
    /// Those of them that were set aside for the verdict.
    held_out_rows: Option<u64>,
    model: ModelDocument,
}

impl Fitted {
    fn new(args: &FitArgs, model: &Model, rows: u64, held_out: Option<&Dataset>) -> Result<Self> {
        Ok(Self {
            output: args.output.display().to_string(),
            rows,
            held_out_rows: held_out.map(|rows| rows.n_rows() as u64),
            model: ModelDocument::new(model)?,
        })
    }
}

pub(crate) fn run(args: &FitArgs, session: &Session) -> Result<()> {
    if !args.json {
        return fit(args, session).map(drop);
    }
    if args.output == Path::new(STDOUT) {
        let problem = "--json prints to standard output, where the model goes; name a file with -o";
        return Err(Usage(problem.to_owned()).into());
    }
    let output = Output::file(Path::new(STDOUT), false)?;
    json::write(output, &args.name_of_data(), session, fit(args, session))
}

fn fit(args: &FitArgs, session: &Session) -> Result<Fitted> {
    args.tree.check()?;
    args.forest.check()?;
    let in_forest = args.forest.forest.is_some();
    args.zones.check(args.zone.as_ref().map(std::slice::from_ref), in_forest)?;
    args.check_wish()?;
    if args.is_many() {
        return run_many(args, session);
    }
    // Fail before the work, not after it.
    let file = Output::file(&args.output, args.force)?;
    let table = TrainingTable {
        data: &args.data,
        target: args.target.as_deref(),
        unlabelled: args.unlabelled,
        missing: args.tree.missing.in_the_table(),
        by: &[],
    };
    let metadata = args.record.of(std::slice::from_ref(&args.data.data))?;
    let training = args.learning.read(&table, session)?;
    fit_in_memory(args, training, metadata, file, session)
}

/// Fits to rows that are in memory, and says what came of it.
fn fit_in_memory(
    args: &FitArgs,
    training: Training,
    metadata: Metadata,
    file: Output,
    session: &Session,
) -> Result<Fitted> {
    let Training { encoded, glimpses, .. } = training;
    let see_all = args.data.look_at_all();
    session.warn(warnings::cut(&encoded.warnings, &see_all));
    let all = &encoded.dataset;
    let mut recipe = args.recipe(all.schema())?;
    let wish = args.wish(all.schema().classes())?;
    let parts = args.parts(all)?;
    let (data, held_out) = match &parts {
        None => (all, None),
        Some([training, held_out]) => (training, Some(held_out)),
    };
    let progress = session.progress("growing the tree", None);
    let fit = |recipe| {
        let learner = Learner::from_recipe(recipe)?;
        learner.fit_watched(data, session.exec(), &|event| progress.of_fit(event))
    };
    let Fit { mut model, out_of_bag } = fit(recipe.clone())?;
    let bayes = args.bayes_scale.then(|| bayes_scale(&model, data, session)).transpose()?;
    if let Some((_, scale)) = bayes {
        recipe.params.zone.scale = scale.factor;
        recipe.params.zone.category_error *= scale.factor;
        model = fit(recipe)?.model;
    }
    progress.begin("measuring the verdict", None);
    if let Some(wish) = wish {
        model = with_verdict(model, &wish, (data, out_of_bag.as_ref()), held_out, session)?;
    }
    // The verdict of zones, and one that the choice of scale and depth has set.
    let policy = model.verdict().clone().with_uncovered(args.wish.uncovered())?;
    model = model.with_verdict(policy)?;
    let effect = Effect::after_fit(&model, data, session.exec())?;
    drop(progress);
    model = model.with_metadata(metadata);
    if args.private {
        model = model.private();
    }
    if args.histograms {
        model = model.with_histograms(data)?;
    }
    file.complete(to_bytes(&model, &args.output))?;
    let is_told = args.output != Path::new(STDOUT);
    if is_told && !session.is_quiet() && !args.json {
        let mut out = anstream::stdout().lock();
        let mut rows = format!("{}: {}", args.name_of_data(), described(all));
        if let Some(held_out) = held_out {
            rows += &format!("; {} of them set aside", held_out.n_rows());
        }
        writeln!(out, "{}", style::paragraph(&rows))?;
        if !glimpses.is_empty() {
            write!(out, "\n{}", column_table::short(glimpses.iter()))?;
        }
        let more = all.n_features() - glimpses.len();
        if more > 0 && !glimpses.is_empty() {
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
        match held_out {
            None => writeln!(out, "{}", style::paragraph(&effect.to_string()))?,
            Some(_) => write!(out, "{}", Summary::achieved(&model))?,
        }
        match model.single_tree() {
            Ok(tree) => tree_preview(&mut out, tree, &args.output)?,
            Err(_) => writeln!(out, "wrote {}", args.output.display())?,
        }
        out.flush()?;
    }
    session.warn(effect.advice(&model));
    if is_told {
        session.suggest(&args.next_step(&model, data.n_rows(), session));
    }
    Fitted::new(args, &model, all.n_rows() as u64, held_out)
}

impl FitArgs {
    /// A promise rests on rows that the tree has not seen, and rows set aside are for a verdict.
    fn check_wish(&self) -> Result<()> {
        let has_rows = self.hold_out.is_some() || self.forest.has_out_of_bag();
        if self.wish.needs_rows() && !has_rows {
            let mut problem =
                "the verdict needs rows to rest on; set some aside with --hold-out 0.3, \
                               or fit first, and then calibrate with rows kept from training"
                    .to_owned();
            if self.forest.forest.is_none() {
                problem += " or, approximately, with these rows and --cross-fit";
            }
            return Err(Usage(problem).into());
        }
        let is_wish = self.wish.needs_rows() || self.wish.has_costs();
        if self.hold_out.is_some() && self.zones_decide() && !is_wish {
            let problem = "with --zone, rows are flagged within zones, and none need to be held \
                           out; say what the verdict is for, such as --accuracy 0.9";
            return Err(Usage(problem.to_owned()).into());
        }
        self.wish.check(self.verdict_cost_ratio())
    }

    /// The recipe that the options make, for this data.
    fn recipe(&self, schema: &Schema) -> Result<Recipe> {
        let Self { forest, zone, tree, zones, .. } = self;
        let recipe = match forest.recipe() {
            None => recipe(*zone, tree, zones, schema)?,
            Some(base) => adapted(base, *zone, tree, zones, schema)?,
        };
        forest.check_recipe(&recipe)?;
        Ok(recipe)
    }

    /// True if there are several tables, or one that may be larger than memory.
    fn is_many(&self) -> bool {
        let PiecesArgs { memory, resume, .. } = &self.pieces;
        !self.more.is_empty() || is_many(&self.data.data) || memory.is_some() || resume.is_some()
    }

    /// What the rows come from.
    fn name_of_data(&self) -> String {
        match self.more.as_slice() {
            [] => self.data.name(),
            more => format!("{} and {} more", self.data.name(), more.len()),
        }
    }

    /// True for the paper's trees.
    fn zones_decide(&self) -> bool {
        self.zone.is_some() && self.forest.forest.is_none()
    }

    /// The cost ratio of the verdict; with --zone it is one of the zones.
    fn verdict_cost_ratio(&self) -> Option<f64> {
        self.zones.cost_ratio.filter(|_| !self.zones_decide())
    }

    /// What the verdict is for. `None` if the zones decide.
    fn wish(&self, classes: &[ClassName]) -> Result<Option<Wish>> {
        let wish = self.wish.wish(self.verdict_cost_ratio(), classes)?;
        let usual = (!self.zones_decide()).then(|| self.wish.by_cost_ratio(USUAL_COST_RATIO));
        Ok(wish.or(usual))
    }

    /// The rows to learn from and those set aside, if any are.
    fn parts(&self, data: &Dataset) -> Result<Option<[Dataset; 2]>> {
        let Some(share) = self.hold_out else { return Ok(None) };
        let parts = match self.stratify {
            true => Resampler::new(data).hold_out(share, self.tree.seed)?,
            false => Resampler::new(data).hold_out_at_random(share, self.tree.seed)?,
        };
        Ok(Some([data.select(&parts.training)?, data.select(&parts.held_out)?]))
    }

    /// What was fitted is to be measured on rows that trees have not seen; where that cannot be,
    /// because the table is a stream or too small, it is to be looked at.
    fn next_step(&self, model: &Model, n_rows: usize, session: &Session) -> NextStep {
        let is_measured = !model.ensemble().is_single();
        if is_measured || self.data.data == Path::new(STDOUT) || self.is_many() || n_rows < FOLDS {
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

/// The model with the verdict that is wanted, and what it does to rows that trees have not seen:
/// those held out, those out of bag, or else training rows in turn.
fn with_verdict(
    model: Model,
    wish: &Wish,
    (data, out_of_bag): (&Dataset, Option<&OutOfBag>),
    held_out: Option<&Dataset>,
    session: &Session,
) -> Result<Model> {
    let is_so = |rule: &VerdictRule| {
        model.verdict().as_confidence().is_some_and(|policy| policy.rule() == rule)
    };
    let rows = match (held_out, &wish.goal) {
        // They were set aside just now: equal rows are chance.
        (Some(held_out), _) => {
            model.calibration_rows_from(held_out, CalibrationSource::HeldOut, session.exec())?
        }
        // The choice of scale and depth has seen to it.
        (None, Goal::Rule(rule)) if is_so(rule) => return Ok(model),
        (None, _) if !model.ensemble().is_single() => {
            match (out_of_bag, wish.policy_without_rows()?) {
                (Some(unseen), _) => {
                    unseen.calibration_rows(data.labels(), model.schema().classes())?
                }
                (None, Some(policy)) => return Ok(model.with_verdict(policy)?),
                (None, None) => return Ok(model),
            }
        }
        (None, _) => cross_fitted_rows(&model, data, session.exec())?,
    };
    Ok(model.with_verdict(wish.policy(rows)?)?)
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

fn tree_preview(out: &mut impl Write, model: SingleTree<'_>, path: &Path) -> Result<()> {
    let options = TextOptions { max_depth: DEPTH_SHOWN, ..TextOptions::default() };
    let text = to_text(model, options);
    write!(out, "\n{}{}\n", style::tree(&text), style::notes(&legend(model)))?;
    let path = path.display();
    writeln!(out, "wrote {path}")?;
    let is_cut = text != to_text(model, TextOptions { all_categories: true, ..options });
    if is_cut || model.tree().depth() > DEPTH_SHOWN {
        let full = if is_cut || !is_readable(model.tree()) { " --full" } else { "" };
        writeln!(out, "see all of it with `ternwood show {path}{full}`")?;
    }
    Ok(())
}

// Fitting several tables, or one that may be larger than memory.

fn run_many(args: &FitArgs, session: &Session) -> Result<Fitted> {
    // Fail before the work, not after it; and leave nothing behind if it is killed meanwhile.
    drop(Output::file(&args.output, args.force)?);
    let files = expanded(&[std::slice::from_ref(&args.data.data), &args.more].concat())?;
    let metadata = args.record.of(&files)?;
    let many = tables(args, files, session)?;
    let learned = {
        let progress = session.progress("looking at the tables", None);
        let learned = many.learn(args.tree.missing.in_the_table(), |rows| progress.advance(rows));
        learned.map_err(remedy)?
    };
    let needed = bytes_needed(&learned);
    if needed <= args.pieces.limit() && args.pieces.resume.is_none() {
        let encoded = in_memory(&many, &learned)?;
        let file = Output::file(&args.output, args.force)?;
        let training = Training { encoded, glimpses: Vec::new(), groups: Vec::new() };
        return fit_in_memory(args, training, metadata, file, session);
    }
    session.warn(warnings::cut(&learned.warnings, &args.data.look_at_all()));
    let model = in_pieces(args, &many, &learned, needed, session)?;
    let policy = model.verdict().clone().with_uncovered(args.wish.uncovered())?;
    let model = model.with_verdict(policy)?.with_metadata(metadata);
    let model = if args.private { model.private() } else { model };
    Output::file(&args.output, args.force)?.complete(to_bytes(&model, &args.output))?;
    if let Some(state) = &args.pieces.resume {
        // It may never have been written, if the tree was grown in one go.
        let _ = std::fs::remove_file(state);
    }
    tell(args, &model, &learned, session)?;
    Fitted::new(args, &model, learned.rows, None)
}

/// The tables of these files.
fn tables(args: &FitArgs, files: Vec<PathBuf>, session: &Session) -> Result<ManyTables> {
    let plan = args.learning.plan(&args.data, args.target.as_deref())?;
    let target = plan.target.clone().ok_or_else(|| plan.no_target())?;
    if plan.is_dropped(&target) {
        bail!("the column '{target}' cannot be the target and be dropped; take it out of --drop");
    }
    let sources = files.into_iter().map(|data| {
        if data == Path::new(STDOUT) {
            let problem = "standard input can be read only once; save it as a file first, or leave out \
                           the other tables, --memory and --resume";
            return Err(Usage(problem.to_owned()).into());
        }
        DataArgs { data, layout: args.data.layout.clone() }.source()
    });
    let sources = sources.collect::<Result<Vec<Source>>>()?;
    let options = plan.read_options(&args.data, Clone::clone).threads(session.exec().threads());
    let many = ManyTables::new(sources, options, target, plan.weights.clone());
    Ok(many.dropping_unlabelled(args.unlabelled.are_dropped()))
}

/// About how many bytes a fit takes that has all rows in memory.
fn bytes_needed(learned: &ManyLearned) -> u64 {
    // Values while they are put together, and codes; labels, weights and row numbers.
    learned.rows * (18 * learned.schema.n_features() as u64 + 40)
}

/// All rows in memory.
fn in_memory(many: &ManyTables, learned: &ManyLearned) -> Result<Encoded> {
    const ROWS_AT_ONCE: usize = 1 << 16;
    let n_features = learned.schema.n_features();
    let mut columns = vec![Vec::with_capacity(learned.rows as usize); n_features];
    let (mut labels, mut weights) = (Vec::new(), Vec::new());
    for chunk in many.chunks(learned, ROWS_AT_ONCE) {
        let chunk = chunk.map_err(remedy)?;
        for (feature, column) in columns.iter_mut().enumerate() {
            column.extend_from_slice(chunk.columns.column(feature));
        }
        labels.extend(chunk.labels);
        weights.extend(chunk.weights.into_iter().flatten());
    }
    let columns = Columns::from_columns(columns.concat(), n_features)?;
    let mut dataset = Dataset::with_schema(columns, labels, Arc::new(learned.schema.clone()))?;
    if !weights.is_empty() {
        dataset = dataset.with_weights(weights)?;
    }
    Ok(Encoded { dataset, warnings: learned.warnings.clone(), absent: Vec::new() })
}

/// The model of rows that do not fit into memory.
fn in_pieces(
    args: &FitArgs,
    many: &ManyTables,
    learned: &ManyLearned,
    needed: u64,
    session: &Session,
) -> Result<Model> {
    let limit = args.pieces.limit();
    let (why, otherwise) = match needed <= limit {
        true => ("--resume fits in pieces".to_owned(), "leave out --resume"),
        false => {
            let (needed, limit) = (shown_bytes(needed), shown_bytes(limit));
            let why = format!("the rows take about {needed} of memory, and {limit} may be used");
            (why, "raise --memory")
        }
    };
    if args.hold_out.is_some()
        || args.wish.needs_rows()
        || args.wish.has_costs()
        || args.bayes_scale
    {
        bail!(
            "{why}: in pieces, and the verdict is set afterwards; leave --hold-out and what the verdict is for \
             out here, and then say `ternwood calibrate` with rows kept from training; or {otherwise}"
        );
    }
    let recipe = args.recipe(&learned.schema)?;
    args.pieces.fit(many, learned, recipe, session).map_err(|error| {
        match error.downcast_ref::<ternwood::Error>().map(ternwood::Error::kind) {
            Some(ErrorKind::NotInPartitions { .. }) => anyhow!(
                "{why}: {error}. The paper's trees can be had, for instance by --zone margin --max-depth 8; \
                 or {otherwise}"
            ),
            _ => error,
        }
    })
}

fn tell(args: &FitArgs, model: &Model, learned: &ManyLearned, session: &Session) -> Result<()> {
    let is_told = args.output != Path::new(STDOUT);
    if is_told && !session.is_quiet() && !args.json {
        let mut out = anstream::stdout().lock();
        let tree = &model.trees()[0];
        let counts: Vec<u64> =
            tree.class_rows(NodeId::ROOT).iter().map(|&rows| u64::from(rows)).collect();
        let rows = described_rows(&learned.schema, learned.rows as usize, &counts);
        let rows = format!("{}: {rows}, in pieces", args.name_of_data());
        writeln!(out, "{}\n", style::paragraph(&rows))?;
        write!(out, "{}", Summary::of_fit(model).text())?;
        tree_preview(&mut out, model.single_tree()?, &args.output)?;
        out.flush()?;
    }
    if is_told {
        session.suggest(&session.next("show").with("model", &args.output.display()));
    }
    Ok(())
}
