//! `ternwood demo`: the whole workflow on synthetic data.

use super::predict::{Explained, answers, reasons};
use crate::effect::Effect;
use crate::evaluation::CrossValidation;
use crate::output::Output;
use crate::reading::{counted, described};
use crate::report::{Prices, Report, TableFormat, percent};
use crate::session::Session;
use crate::style;
use crate::summary::Summary;
use crate::wish::Wish;
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use ternwood::export::{TextOptions, to_text, wrapped};
use ternwood::recipe::RowCount;
use ternwood::tree::NodeId;
use ternwood::verdict::USUAL_COST_RATIO;
use ternwood::{
    Dataset, Exec, Folds, Learner, Matrix, Model, Predictions, Recipe, Routing, Schema, TreeParams,
    Verdict, ZoneKind,
};
use ternwood_figures::{
    SurfaceFigure, SurfacePanel, TreeFigure, ZoneFigure, surface_svg, tree_svg, zone_svg,
};
use ternwood_synthetic::{CHECK_UP_TARGET, check_up, two_moons};
use ternwood_table::{Column, Format, Table, TableWriter};

/// See all of it on embedded data: no files, no network needed
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ternwood demo
  ternwood demo --out somewhere --force
  ternwood demo --seed 7")]
pub(crate) struct DemoArgs {
    /// Folder for model, predictions and pictures; it is made if it does not exist
    #[arg(long, short, value_name = "DIR", default_value = "ternwood-demo")]
    out: PathBuf,
    /// Replace files that exist there
    #[arg(long)]
    force: bool,
    /// Seed for the invented patients
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,
}

const PATIENTS: usize = 900;
/// The number of training rows. The rest are held out for prediction.
const TRAINING: usize = 600;
const DEPTH: u32 = 3;

const FILES: [(&str, &str); 8] = [
    ("train.csv", "the patients to learn from"),
    ("new.csv", "the patients held back"),
    ("model.json", "the model"),
    ("predictions.csv", "class, probabilities, verdict and reason of those held back"),
    ("tree.svg", "the tree, with the zone of every split"),
    ("zone.svg", "the first test in detail, its zone beside those of the paper"),
    ("risk-coverage.svg", "how the error grows with the share of rows decided"),
    ("two-moons.svg", "two moons: CART beside a tree with zones"),
];

pub(crate) fn run(args: &DemoArgs, session: &Session) -> Result<()> {
    if args.out.is_file() {
        bail!("{}: this is a file; name a folder", args.out.display());
    }
    std::fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    if let Some((name, _)) = FILES.iter().find(|(name, _)| args.out.join(name).exists())
        && !args.force
    {
        let path = args.out.join(name);
        bail!("{} exists already; use --force to replace it, or another --out", path.display());
    }
    let patients = Patients::new(args.seed)?;
    let mut out = anstream::stdout().lock();
    patients.introduce(&mut out)?;
    patients.show_tree(&mut out)?;
    let curves = patients.compare(&mut out, session)?;
    let predictions = patients.predict(&mut out, session)?;
    let pictures = [
        ("tree.svg", patients.tree_picture()?),
        ("zone.svg", patients.zone_picture()?),
        ("risk-coverage.svg", curves),
        ("two-moons.svg", moons_picture(args.seed)?),
    ];
    let files = Files { folder: &args.out, force: args.force };
    files.write_table("train.csv", data_columns(&patients.training))?;
    files.write_table("new.csv", data_columns(&patients.new))?;
    files.write("model.json", &patients.model.to_json())?;
    files.write_table("predictions.csv", patients.answers(&predictions)?)?;
    for (name, picture) in pictures {
        files.write(name, &picture)?;
    }
    files.list(&mut out)?;
    Ok(out.flush()?)
}

/// Synthetic patients, and a model trained on some of them.
struct Patients {
    all: Dataset,
    training: Dataset,
    new: Dataset,
    model: Model,
}

impl Patients {
    fn new(seed: u64) -> Result<Self> {
        let all = check_up(PATIENTS, seed);
        let schema = Schema::clone(all.schema()).with_target(CHECK_UP_TARGET)?;
        let all = Dataset::with_schema(all.columns().clone(), all.labels().to_vec(), schema)?;
        let training = all.select(&(0..TRAINING).collect::<Vec<_>>())?;
        let new = all.select(&(TRAINING..PATIENTS).collect::<Vec<_>>())?;
        let model = Learner::from_recipe(recipe())?.fit(&training, &Exec::default())?;
        Ok(Self { all, training, new, model })
    }

    fn introduce(&self, out: &mut impl Write) -> Result<()> {
        writeln!(out, "{}", style::heading("A medical check-up (invented data)"))?;
        writeln!(out, "{}", described(&self.all))?;
        writeln!(out, "{TRAINING} rows to learn from, {} held back", self.new.n_rows())?;
        Ok(())
    }

    fn show_tree(&self, out: &mut impl Write) -> Result<()> {
        writeln!(out, "\n{}", style::heading("What was learned"))?;
        write!(out, "{}", Summary::of_fit(&self.model).text())?;
        if let Some(effect) = Effect::known(&self.model) {
            writeln!(out, "{}", style::paragraph(&effect.to_string()))?;
        }
        let text = to_text(self.model.single_tree()?, TextOptions::default());
        write!(out, "\n{}", style::tree(&text))?;
        writeln!(out, "\n{}", style::dim(READING))?;
        Ok(())
    }

    /// Prints the metric table and returns the risk-coverage curves.
    fn compare(&self, out: &mut impl Write, session: &Session) -> Result<String> {
        let folds = Folds::stratified(self.all.labels(), 5, 0)?;
        let validation = CrossValidation {
            data: &self.all,
            folds: &folds,
            base: &recipe(),
            recipes: &[recipe()],
            wish: Some(&Wish::cost_ratio(USUAL_COST_RATIO)),
            costs: None,
        };
        let methods = validation.run(session.exec(), || ())?;
        let rows = counted(self.all.n_rows(), "row");
        let title = format!("How good is it? 5-fold cross-validation on {rows}");
        let mut report = Report {
            title,
            methods: &methods,
            prices: Prices::default(),
            classes: self.all.schema().classes(),
            groups: Vec::new(),
            spoken_of: 1,
        };
        write!(out, "\n{}", report.written(TableFormat::Text))?;
        report.title =
            format!("a medical check-up (invented data), {rows}, 5-fold cross-validation");
        Ok(report.risk_coverage())
    }

    /// Predicts the held-out patients and explains the least certain ones.
    fn predict(&self, out: &mut impl Write, session: &Session) -> Result<Predictions> {
        let rows = Matrix::from(self.new.columns());
        let predictions = self.model.predict(rows, session.exec())?;
        let classes = self.model.schema().classes();
        let confidences = predictions.confidences();
        let mut undecided: Vec<usize> = (0..predictions.n_rows())
            .filter(|&row| predictions.verdicts()[row] == Verdict::Undecided)
            .collect();
        let share = undecided.len() as f64 / predictions.n_rows() as f64;
        undecided.sort_by(|&a, &b| confidences[a].total_cmp(&confidences[b]));
        let title = format!(
            "The patients held back: {} of {} undecided ({})",
            undecided.len(),
            predictions.n_rows(),
            percent(Some(share))
        );
        writeln!(out, "\n{}", style::heading(title))?;
        writeln!(out, "The least certain of them:\n")?;
        for &row in undecided.iter().take(5) {
            let class = &classes[predictions.classes()[row] as usize];
            let truth = &classes[self.new.labels()[row] as usize];
            let explained = self.model.explain(&self.new.columns().row(row))?;
            writeln!(
                out,
                "row {}: {class} with probability {:.3} {}",
                row + 1,
                confidences[row],
                style::dim(format!("(in truth {truth})"))
            )?;
            let sentence = explained.sentence().unwrap_or_default();
            for line in wrapped(&sentence, style::WIDTH - 2, 0) {
                writeln!(out, "  {}", style::zone(line))?;
            }
        }
        Ok(predictions)
    }

    fn tree_picture(&self) -> Result<String> {
        let title = Some("A medical check-up (invented data)".to_owned());
        let options = TreeFigure { title, ..TreeFigure::default() };
        Ok(tree_svg(&self.model, Some((&self.training).into()), &options)?)
    }

    fn zone_picture(&self) -> Result<String> {
        Ok(zone_svg(&self.model, &self.training, NodeId::ROOT, &ZoneFigure::default())?)
    }

    fn answers(&self, predictions: &Predictions) -> Result<Vec<Column>> {
        let mut answers = answers(&self.model, predictions);
        let explain = |row| Explained::new(&self.model, &self.new.columns().row(row));
        answers.push(reasons(predictions, explain)?);
        Ok(answers)
    }
}

const READING: &str = "\
Each line is a test: feature, threshold ± half-width of its uncertainty zone.
A row within the zone goes both ways, in shares. It is flagged as undecided if
its answer is too unsure: if a second look costs less than the risk of an error.";

/// What `ternwood fit --max-depth 3` grows.
fn recipe() -> Recipe {
    let mut recipe = Recipe::calibrated();
    recipe.params.max_depth = Some(DEPTH);
    recipe.auto.max_depth = false;
    recipe
}

fn moons_picture(seed: u64) -> Result<String> {
    let moons = two_moons(400, 0.22, seed);
    let min_samples_leaf = RowCount::Count(10);
    let params = TreeParams { max_depth: Some(4), min_samples_leaf, ..TreeParams::default() };
    let fit = |kind| {
        let params = params.clone().with_zone(kind);
        Learner::new(params, Routing::Probabilistic)?.fit(&moons, &Exec::default())
    };
    let (cart, ternary) = (fit(ZoneKind::None)?, fit(ZoneKind::quality_plateau())?);
    let panels = [
        SurfacePanel { title: "CART: every row is decided".to_owned(), model: &cart },
        SurfacePanel { title: "with quality-plateau zones".to_owned(), model: &ternary },
    ];
    let title = Some("Two moons".to_owned());
    Ok(surface_svg(&panels, &moons, &SurfaceFigure { title, ..SurfaceFigure::default() })?)
}

/// A data set as a table of features and classes.
fn data_columns(data: &Dataset) -> Vec<Column> {
    let schema = data.schema();
    let values = |index| data.columns().column(index).to_vec();
    let features = schema.features().iter().enumerate();
    let mut columns: Vec<Column> =
        features.map(|(index, feature)| Column::numeric(&feature.name, values(index))).collect();
    let class = |&id: &u32| Some(schema.classes()[id as usize].to_string());
    columns.push(Column::text(CHECK_UP_TARGET, data.labels().iter().map(class)));
    columns
}

/// The output folder.
struct Files<'a> {
    folder: &'a Path,
    force: bool,
}

impl Files<'_> {
    fn create(&self, name: &str) -> Result<Output> {
        Output::file(&self.folder.join(name), self.force)
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        self.create(name)?.complete(text)
    }

    fn write_table(&self, name: &str, columns: Vec<Column>) -> Result<()> {
        let mut writer = TableWriter::new(name, self.create(name)?, Format::Csv)?;
        writer.write(&Table::from_columns(columns)?)?;
        writer.finish()?.finish()
    }

    fn list(&self, out: &mut impl Write) -> Result<()> {
        let folder = self.folder.display();
        writeln!(out, "\n{}", style::heading(format!("Written to {folder}")))?;
        for (name, what) in FILES {
            writeln!(out, "  {name:<18} {}", style::dim(what))?;
        }
        writeln!(out, "\nGo on from here:")?;
        writeln!(out, "  ternwood explain {folder}/model.json {folder}/new.csv --row 1")?;
        writeln!(out, "  ternwood evaluate {folder}/new.csv --model {folder}/model.json")?;
        writeln!(out, "  ternwood fit {folder}/train.csv --target {CHECK_UP_TARGET} -o mine.json")?;
        Ok(())
    }
}
