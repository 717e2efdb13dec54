//! The results in `docs/choosing.md`: zones, leaves and verdicts on a few of the paper's data sets,
//! with its folds. Writes figures and tables:
//!
//! ```text
//! cargo run -p ternwood-paper --example choosing -- ../shared/openml runs/choosing
//! ```

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use ternwood::fit::cross_fitted_rows;
use ternwood::metrics::{Answers, ClassTally, ConfidenceRanking, Costs, Figures, correctness};
use ternwood::recipe::{DepthChoice, Leaves};
use ternwood::verdict::VerdictRule;
use ternwood::{
    Dataset, Exec, Learner, Matrix, Model, Recipe, Routing, TreeParams, Verdict, VerdictPolicy,
    ZoneKind,
};
use ternwood_figures::{RiskCoverageFigure, RiskSeries, risk_coverage_svg};
use ternwood_paper::{Collection, FoldData};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// OpenML ids of diabetes, credit-g, waveform-5000 and mammography, and the decided accuracy
/// promised for each.
const SETS: [(u32, f64); 4] = [(37, 0.8), (31, 0.8), (60, 0.85), (310, 0.99)];

const DEPTH: u32 = 4;

/// The recipes compared, with their names.
fn recipes() -> Vec<(&'static str, Recipe)> {
    let base = |kind, leaves| Recipe {
        params: TreeParams { max_depth: Some(DEPTH), ..TreeParams::default() }.with_zone(kind),
        leaves,
        ..Recipe::default()
    };
    let mut calibrated = Recipe::calibrated();
    calibrated.params.max_depth = Some(DEPTH);
    calibrated.auto.max_depth = None;
    let mut any_depth = Recipe::calibrated();
    any_depth.auto.max_depth = Some(DepthChoice::Best);
    let plain = Recipe { routing: Routing::Crisp, ..base(ZoneKind::None, Leaves::Smoothed) };
    vec![
        ("plain CART", plain),
        ("margin zones", base(ZoneKind::Margin, Leaves::Counts)),
        ("node-bootstrap zones", base(ZoneKind::node_bootstrap(), Leaves::Counts)),
        ("calibrated", calibrated),
        ("calibrated, any depth", any_depth),
    ]
}

/// The verdict policies compared.
fn policies(promise: f64) -> [PolicyResult; 4] {
    let guarantee = VerdictRule::Guarantee { accuracy: promise, confidence: 0.95 };
    [
        ("zone".to_owned(), None),
        ("cost 0.2".to_owned(), Some(VerdictRule::Cost { cost_ratio: 0.2 })),
        ("budget 10 %".to_owned(), Some(VerdictRule::Budget { flag_rate: 0.1 })),
        (format!("promise {:.0} %", 100.0 * promise), Some(guarantee)),
    ]
    .map(|(name, rule)| PolicyResult { name, rule, rows: Pooled::default(), refused: 0 })
}

/// All test rows of a data set, predicted by one recipe.
#[derive(Default)]
struct Pooled {
    truth: Vec<u32>,
    classes: Vec<u32>,
    distributions: Vec<f64>,
    confidences: Vec<f64>,
    verdicts: Vec<Verdict>,
}

impl Pooled {
    fn add(&mut self, model: &Model, test: &Dataset, exec: &Exec) -> Outcome<()> {
        let predictions = model.predict(Matrix::from(test.columns()), exec)?;
        self.truth.extend(test.labels());
        self.classes.extend(predictions.classes());
        self.distributions.extend(predictions.distributions());
        self.confidences.extend(predictions.confidences());
        self.verdicts.extend(predictions.verdicts());
        Ok(())
    }

    /// All figures. A flag costs a fifth of an error.
    fn figures(&self) -> Outcome<Figures> {
        let answers = Answers {
            classes: &self.classes,
            verdicts: &self.verdicts,
            confidences: Some(&self.confidences),
            distributions: Some(&self.distributions),
            zone_distances: None,
        };
        Ok(Figures::new(&self.truth, &answers, None, Some(&Costs::new(0.2, 1.0)?))?)
    }
}

fn shown(figure: Option<f64>) -> String {
    figure.map_or_else(|| "–".to_owned(), |figure| format!("{figure:.3}"))
}

/// The curve of a recipe, and a mark for its zone verdict.
fn series(name: &str, rows: &Pooled) -> Outcome<RiskSeries> {
    let Figures { counts, aurc, .. } = rows.figures()?;
    let marks = match (counts.coverage(), counts.decided_accuracy()) {
        (Some(coverage), Some(accuracy)) if coverage < 1.0 => vec![(coverage, 1.0 - accuracy)],
        _ => Vec::new(),
    };
    let correct = correctness(&rows.truth, &rows.classes)?;
    let curve = ConfidenceRanking::new(&rows.confidences, &correct)?.curve();
    Ok(RiskSeries { name: name.to_owned(), curve, marks, aurc })
}

fn recipe_line(set: &str, name: &str, rows: &Pooled) -> Outcome<String> {
    let Figures { rates, aurc, log_loss, .. } = rows.figures()?;
    let cells = [rates.accuracy, aurc, log_loss, rates.undecided_rate, rates.decided_accuracy];
    Ok(format!("| {set} | {name} | {} |", cells.map(shown).join(" | ")))
}

/// A verdict policy and its results over all folds.
struct PolicyResult {
    name: String,
    rule: Option<VerdictRule>,
    rows: Pooled,
    /// The number of folds whose training rows could not support the promise.
    refused: usize,
}

impl PolicyResult {
    fn line(&self, set: &str) -> Outcome<String> {
        let Self { name, rows, refused, .. } = self;
        if rows.truth.is_empty() {
            return Ok(format!("| {set} | {name} | refused in all folds | | | |"));
        }
        let Figures { rates, cost, .. } = rows.figures()?;
        let n_classes = rows.distributions.len() / rows.truth.len();
        let tallies = ClassTally::count(&rows.truth, &rows.classes, &rows.verdicts, n_classes)?;
        let recalls: Vec<String> = tallies.iter().map(|tally| shown(tally.recall())).collect();
        let refused = match refused {
            0 => String::new(),
            folds => format!(" (refused in {folds} of 5 folds)"),
        };
        Ok(format!(
            "| {set} | {name}{refused} | {} | {} | {} | {} |",
            shown(rates.undecided_rate),
            shown(rates.decided_accuracy),
            recalls.join(", "),
            shown(cost)
        ))
    }
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let (Some(data), Some(target)) = (arguments.next(), arguments.next()) else {
        return Err("say where the data sets are, and where the run goes to".into());
    };
    let exec = Exec::with_threads(0)?;
    let collection = Collection::open(data)?;
    let mut recipe_table = vec![
        "| data | tree | accuracy | AURC | log-loss | flagged within zones | decided accuracy |"
            .to_owned(),
        "|---|---|---:|---:|---:|---:|---:|".to_owned(),
    ];
    let mut verdict_table = vec![
        "| data | verdict | flagged | decided accuracy | decided recall per class | cost per row |"
            .to_owned(),
        "|---|---|---:|---:|---|---:|".to_owned(),
    ];
    for (id, promise) in SETS {
        let entry = collection.entry(id).ok_or("a data set is not in the collection")?;
        let data = collection.load(entry)?;
        let mut pictures = Vec::new();
        for (name, recipe) in recipes() {
            let mut rows = Pooled::default();
            let mut verdicts = policies(promise);
            for fold in 0..data.n_folds() {
                let part = data.fold(fold)?;
                let model = Learner::from_recipe(recipe.clone())?.fit(&part.train, &exec)?;
                // The table and the points are about zones, whatever the usual verdict is.
                rows.add(
                    &model.clone().with_verdict(VerdictPolicy::default())?,
                    &part.test,
                    &exec,
                )?;
                if name == "calibrated" {
                    try_verdicts(&model, &part, &mut verdicts, &exec)?;
                }
            }
            recipe_table.push(recipe_line(data.name(), name, &rows)?);
            pictures.push(series(name, &rows)?);
            if name == "calibrated" {
                for tried in &verdicts {
                    verdict_table.push(tried.line(data.name())?);
                }
            }
        }
        let rows = data.dataset().n_rows();
        let options = RiskCoverageFigure {
            title: Some(format!("{}: curves by confidence, points by zones", data.name())),
            subtitle: Some(format!(
                "{rows} rows, 5-fold cross-validation, trees of depth {DEPTH} unless it says otherwise"
            )),
        };
        let picture = risk_coverage_svg(&pictures, &options);
        fs::write(target.join(format!("{}.svg", data.name())), picture)?;
    }
    fs::write(target.join("trees.md"), recipe_table.join("\n") + "\n")?;
    fs::write(target.join("verdicts.md"), verdict_table.join("\n") + "\n")?;
    Ok(())
}

/// Tunes every policy on the training rows of a fold and applies it to the test rows.
fn try_verdicts(
    model: &Model,
    part: &FoldData,
    verdicts: &mut [PolicyResult],
    exec: &Exec,
) -> Outcome<()> {
    let rows = cross_fitted_rows(model, &part.train, exec)?;
    for tried in verdicts {
        let policy = match &tried.rule {
            None => Ok(VerdictPolicy::default()),
            Some(rule) => rows.policy(rule.clone()).map(VerdictPolicy::from),
        };
        match policy {
            Ok(policy) => {
                tried.rows.add(&model.clone().with_verdict(policy)?, &part.test, exec)?;
            }
            Err(_) => tried.refused += 1,
        }
    }
    Ok(())
}
