//! `ternwood demo`: a tree, a promise, and who gets the second look, on invented patients.

use crate::evaluation::CrossValidation;
use crate::output::Output;
use crate::reading::{counted, described};
use crate::report::{Prices, Report, TableFormat, percent};
use crate::session::Session;
use crate::summary::Summary;
use crate::verbs::predict::{Explained, answers, reasons};
use crate::{files, style};
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use ternwood::export::{TextOptions, to_text, wrapped};
use ternwood::recipe::RowCount;
use ternwood::tree::NodeId;
use ternwood::verdict::VerdictRule;
use ternwood::{
    Dataset, Exec, Learner, Matrix, Model, Predictions, Recipe, Resampler, Routing, Schema,
    TreeParams, Verdict, VerdictPolicy, ZoneKind,
};
use ternwood_figures::{
    SurfaceFigure, SurfacePanel, TreeFigure, ZoneFigure, surface_svg, tree_svg, zone_svg,
};
use ternwood_page::Page;
use ternwood_synthetic::{CHECK_UP_TARGET, check_up, two_moons};
use ternwood_table::{Column, Format, Table, TableWriter};

/// See all of it on embedded data: no files, no network needed
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ternwood demo
  ternwood demo --zones all
  ternwood demo --out somewhere --force
  ternwood demo --seed 7")]
pub(crate) struct DemoArgs {
    /// Folder for page, model, predictions and pictures; it is made if it does not exist
    #[arg(long, short, value_name = "DIR", default_value = "ternwood-demo")]
    out: PathBuf,
    /// Replace files that exist there
    #[arg(long)]
    force: bool,
    /// Seed for the invented patients
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,
    /// Compare the five zones of the paper, too
    #[arg(long, value_name = "WHICH", value_parser = ["all"])]
    zones: Option<String>,
}

/// Rows to learn from, to make the promise with, and to see whether it holds.
const TRAINING: Range<usize> = 0..600;
const HELD_OUT: Range<usize> = 600..1200;
const NEW: Range<usize> = 1200..2200;
const DEPTH: u32 = 3;
const PROMISE: VerdictRule = VerdictRule::Guarantee { accuracy: 0.95, confidence: 0.95 };
const TITLE: &str = "A medical check-up (invented data)";

const FILES: [(&str, &str); 7] = [
    ("page.html", "the tree, to be asked in a browser: open it first"),
    ("train.csv", "the patients to learn from"),
    ("held-out.csv", "the patients of the promise"),
    ("new.csv", "the next patients"),
    ("model.json", "the model, with its promise"),
    ("predictions.csv", "class, probabilities, verdict and reason of the next patients"),
    ("tree.svg", "the tree, with the zone of every split"),
];

pub(crate) fn run(args: &DemoArgs, session: &Session) -> Result<()> {
    let with_zones = args.zones.is_some();
    let more = if with_zones { &ZONE_FILES[..] } else { &[] };
    let names = [&FILES[..], more].concat();
    let files = Files::new(&args.out, args.force, &names)?;
    let patients = Patients::new(args.seed, session.exec())?;
    let mut out = anstream::stdout().lock();
    patients.introduce(&mut out)?;
    patients.show_tree(&mut out)?;
    patients.promise(&mut out)?;
    let predictions = patients.next_ones(&mut out, session)?;
    if with_zones {
        let (all, fitted) = (&patients.all, (&patients.model, &patients.training));
        let pictures = compare(&mut out, all, fitted, DEPTH, args.seed, session)?;
        for ((name, _), picture) in ZONE_FILES.iter().zip(pictures) {
            files.write(name, &picture)?;
        }
    }
    files.write_table("train.csv", data_columns(&patients.training, CHECK_UP_TARGET))?;
    files.write_table("held-out.csv", data_columns(&patients.held_out, CHECK_UP_TARGET))?;
    files.write_table("new.csv", data_columns(&patients.new, CHECK_UP_TARGET))?;
    files.write("model.json", &patients.model.to_json())?;
    files.write_table("predictions.csv", patients.answers(&predictions)?)?;
    files.write("tree.svg", &patients.tree_picture()?)?;
    files.write("page.html", &patients.page(session)?)?;
    files.list(&mut out, &names)?;
    let folder = args.out.display();
    writeln!(out, "\n{} {folder}/page.html", style::heading("Open this first:"))?;
    writeln!(out, "\nThen go on from here:")?;
    writeln!(out, "  ternwood explain {folder}/model.json {folder}/new.csv --row 1")?;
    writeln!(out, "  ternwood evaluate {folder}/new.csv --model {folder}/model.json")?;
    writeln!(out, "  ternwood fit {folder}/train.csv --target {CHECK_UP_TARGET} -o mine.json")?;
    Ok(out.flush()?)
}

/// Invented patients, a model trained on some of them with a promise from others.
struct Patients {
    all: Dataset,
    training: Dataset,
    held_out: Dataset,
    new: Dataset,
    model: Model,
    /// An ordinary tree of the same rows.
    cart: Model,
}

impl Patients {
    fn new(seed: u64, exec: &Exec) -> Result<Self> {
        let all = check_up(NEW.end, seed);
        let schema = Schema::clone(all.schema()).with_target(CHECK_UP_TARGET)?;
        let all = Dataset::with_schema(all.columns().clone(), all.labels().to_vec(), schema)?;
        let part = |rows: Range<usize>| all.select(&rows.collect::<Vec<_>>());
        let (training, held_out, new) = (part(TRAINING)?, part(HELD_OUT)?, part(NEW)?);
        let model = Learner::from_recipe(recipe())?.fit(&training, exec)?;
        // With another seed the patients may not support the promise: then nothing is promised.
        let promised = model.calibration_rows(&held_out, exec)?.policy(PROMISE);
        let model = match promised {
            Ok(policy) => model.with_verdict(policy)?,
            Err(_) => model,
        };
        let params = TreeParams { max_depth: Some(DEPTH), ..TreeParams::default() };
        let params = params.with_zone(ZoneKind::None);
        let cart = Learner::from_recipe(Recipe { params, ..Recipe::default() })?;
        let cart = cart.fit(&training, exec)?;
        Ok(Self { all, training, held_out, new, model, cart })
    }

    fn introduce(&self, out: &mut impl Write) -> Result<()> {
        writeln!(out, "{}", style::heading(TITLE))?;
        writeln!(out, "{}", described(&self.all))?;
        writeln!(
            out,
            "{} rows to learn from, {} to make a promise with, {} to see whether it holds",
            self.training.n_rows(),
            self.held_out.n_rows(),
            self.new.n_rows()
        )?;
        Ok(())
    }

    fn show_tree(&self, out: &mut impl Write) -> Result<()> {
        writeln!(out, "\n{}", style::heading("What was learned"))?;
        let text = to_text(self.model.single_tree()?, TextOptions::default());
        write!(out, "{}", style::tree(&text))?;
        writeln!(out, "\n{}", style::dim(READING))?;
        Ok(())
    }

    fn promise(&self, out: &mut impl Write) -> Result<()> {
        let policy = self.model.verdict().as_confidence();
        let title = match policy.is_some_and(|policy| *policy.rule() == PROMISE) {
            true => "What is promised",
            false => "What makes a row undecided: these patients support no promise",
        };
        writeln!(out, "\n{}", style::heading(title))?;
        write!(out, "{}", Summary::of_verdict(&self.model).text())?;
        Ok(())
    }

    /// What becomes of the next patients, and why those least certain get a second look.
    fn next_ones(&self, out: &mut impl Write, session: &Session) -> Result<Predictions> {
        let rows = Matrix::from(self.new.columns());
        let predictions = self.model.predict(rows, session.exec())?;
        let verdicts = predictions.verdicts();
        let (n, truth) = (self.new.n_rows(), self.new.labels());
        let is_right = |row: &usize| predictions.classes()[*row] == truth[*row];
        let decided: Vec<usize> = (0..n).filter(|&row| verdicts[row].is_decided()).collect();
        let right = decided.iter().copied().filter(is_right).count();
        let title = format!("The next {}: does it hold?", counted(n, "patient"));
        writeln!(out, "\n{}", style::heading(title))?;
        let cart = self.cart.predict(rows, session.exec())?;
        let cart_right = cart.classes().iter().zip(truth).filter(|(class, truth)| class == truth);
        let cart_right = cart_right.count();
        let share =
            |part: usize, whole: usize| percent((whole > 0).then(|| part as f64 / whole as f64));
        let lines = [
            format!(
                "An ordinary tree is right for {cart_right} of {n} ({}), and cannot say for which.",
                share(cart_right, n)
            ),
            format!(
                "This one decides {} of them, and is right for {right} ({}). The other {} are \
                 answered too, but flagged for a second look: {} of those answers are right.",
                decided.len(),
                share(right, decided.len()),
                n - decided.len(),
                share((0..n).filter(is_right).count() - right, n - decided.len()),
            ),
        ];
        for line in lines {
            writeln!(out, "{}", style::paragraph(&line))?;
        }
        self.second_looks(out, &predictions)?;
        Ok(predictions)
    }

    fn second_looks(&self, out: &mut impl Write, predictions: &Predictions) -> Result<()> {
        let classes = self.model.schema().classes();
        let confidences = predictions.confidences();
        let mut undecided: Vec<usize> = (0..predictions.n_rows())
            .filter(|&row| predictions.verdicts()[row] == Verdict::Undecided)
            .collect();
        undecided.sort_by(|&a, &b| confidences[a].total_cmp(&confidences[b]));
        writeln!(out, "\n{}", style::heading("Who gets the second look, and why"))?;
        for &row in undecided.iter().take(3) {
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
        Ok(())
    }

    fn tree_picture(&self) -> Result<String> {
        let options = TreeFigure { title: Some(TITLE.to_owned()), ..TreeFigure::default() };
        Ok(tree_svg(&self.model, Some((&self.training).into()), &options)?)
    }

    fn page(&self, session: &Session) -> Result<String> {
        let facts = vec![
            ("file".to_owned(), "model.json".to_owned()),
            ("SHA-256".to_owned(), files::sha256_of_bytes(self.model.to_json())),
            ("evaluated on".to_owned(), format!("new.csv: {} rows", self.new.n_rows())),
        ];
        let page = Page::new(&self.model)?.with_title(TITLE).with_facts(facts);
        Ok(page.with_evaluation((&self.new).into(), session.exec())?.html()?)
    }

    fn answers(&self, predictions: &Predictions) -> Result<Vec<Column>> {
        let mut answers = answers(&self.model, predictions);
        let explain = |row| Explained::new(&self.model, &self.new.columns().row(row));
        answers.push(reasons(predictions, explain)?);
        Ok(answers)
    }
}

const READING: &str = "\
Each line is a test: feature, threshold, and the zone in which both sides are
blended. A row within the zone goes both ways, in shares. It is flagged as
undecided if its answer is too unsure for the promise below.";

/// What `ternwood fit --max-depth 3` grows.
fn recipe() -> Recipe {
    let mut recipe = Recipe::calibrated();
    recipe.params.max_depth = Some(DEPTH);
    recipe.auto.max_depth = None;
    recipe
}

// The folder that the demo writes.

/// A folder, and whether files in it may be replaced.
struct Files<'a> {
    folder: &'a Path,
    force: bool,
}

impl<'a> Files<'a> {
    /// Makes the folder; none of the files may be there, unless they may be replaced.
    fn new(folder: &'a Path, force: bool, names: &[(&str, &str)]) -> Result<Self> {
        if folder.is_file() {
            bail!("{}: this is a file; name a folder", folder.display());
        }
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        if let Some((name, _)) = names.iter().find(|(name, _)| folder.join(name).exists())
            && !force
        {
            let path = folder.join(name);
            bail!("{} exists already; use --force to replace it, or another --out", path.display());
        }
        Ok(Self { folder, force })
    }

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

    /// What was written.
    fn list(&self, out: &mut impl Write, names: &[(&str, &str)]) -> Result<()> {
        let folder = self.folder.display();
        writeln!(out, "\n{}", style::heading(format!("Written to {folder}")))?;
        for (name, what) in names {
            writeln!(out, "  {name:<18} {}", style::dim(what))?;
        }
        Ok(())
    }
}

/// A data set as a table of features and classes.
fn data_columns(data: &Dataset, target: &str) -> Vec<Column> {
    let schema = data.schema();
    let values = |index| data.columns().column(index).to_vec();
    let features = schema.features().iter().enumerate();
    let mut columns: Vec<Column> =
        features.map(|(index, feature)| Column::numeric(&feature.name, values(index))).collect();
    let class = |&id: &u32| Some(schema.classes()[id as usize].to_string());
    columns.push(Column::text(target, data.labels().iter().map(class)));
    columns
}

// `demo --zones all`: the five zones of the paper on the same patients.

/// The files, and what they are.
const ZONE_FILES: [(&str, &str); 3] = [
    ("zone.svg", "the first test in detail: its zone by every estimator"),
    ("risk-coverage.svg", "how the error grows with the share of rows decided, zone by zone"),
    ("two-moons.svg", "two moons: CART beside a tree with zones"),
];

/// Prints how the zones do in cross-validation, and returns the pictures, in the order of [`ZONE_FILES`].
fn compare(
    out: &mut impl Write,
    all: &Dataset,
    (model, training): (&Model, &Dataset),
    depth: u32,
    seed: u64,
    session: &Session,
) -> Result<[String; 3]> {
    let folds = Resampler::new(all).folds(5, 0)?;
    let recipes: Vec<Recipe> = kinds().into_iter().map(|kind| zone_recipe(kind, depth)).collect();
    let base = zone_recipe(ZoneKind::None, depth);
    let validation = CrossValidation {
        data: all,
        folds: &folds,
        base: &base,
        recipes: &recipes,
        of_zones: &VerdictPolicy::default(),
        wish: None,
        costs: None,
    };
    let methods = validation.run(session.exec(), || ())?;
    let rows = counted(all.n_rows(), "row");
    let mut report = Report {
        title: format!("The zones of the paper: 5-fold cross-validation on {rows}"),
        methods: &methods,
        prices: Prices::default(),
        classes: all.schema().classes(),
        groups: Vec::new(),
        spoken_of: 1,
    };
    write!(out, "\n{}", report.written(TableFormat::Text))?;
    report.title = format!("a medical check-up (invented data), {rows}, 5-fold cross-validation");
    let zone = zone_svg(model, training, NodeId::ROOT, &ZoneFigure::default())?;
    Ok([zone, report.risk_coverage(), moons_picture(seed)?])
}

fn kinds() -> [ZoneKind; 5] {
    [
        ZoneKind::Margin,
        ZoneKind::quality_plateau(),
        ZoneKind::class_overlap(),
        ZoneKind::gain_ratio(),
        ZoneKind::node_bootstrap(),
    ]
}

/// The paper's method with one kind of zone.
fn zone_recipe(kind: ZoneKind, depth: u32) -> Recipe {
    let params = TreeParams { max_depth: Some(depth), ..TreeParams::default() };
    Recipe { params: params.with_zone(kind), ..Recipe::default() }
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
