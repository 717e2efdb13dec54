//! What `docs/choosing.md` shows: zones, leaves and verdicts on a few data sets of the paper, with
//! its folds. Writes pictures and tables:
//!
//! ```text
//! cargo run -p ternwood-paper --example choosing -- ../shared/openml runs/choosing
//! ```

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use ternwood::calibrate::CalibrationRows;
use ternwood::metrics::{
    ClassTally, ConfidenceRanking, Costs, DEFAULT_CLIP, VerdictCounts, correctness, log_loss,
};
use ternwood::{
    CancelToken, Dataset, Learner, Leaves, Model, Recipe, Routing, Rows, TreeParams, Verdict,
    VerdictPolicy, VerdictRule, Workers, ZoneKind,
};
use ternwood_figures::{RiskCoverageFigure, RiskSeries, risk_coverage_svg};
use ternwood_paper::Collection;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// OpenML numbers of diabetes, credit-g, waveform-5000 and mammography, and the decided accuracy
/// that is promised there.
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
    calibrated.auto.max_depth = false;
    let plain = Recipe { routing: Routing::Crisp, ..base(ZoneKind::None, Leaves::Smoothed) };
    vec![
        ("plain CART", plain),
        ("margin zones", base(ZoneKind::Margin, Leaves::Counts)),
        ("node-bootstrap zones", base(ZoneKind::node_bootstrap(), Leaves::Counts)),
        ("calibrated", calibrated),
        ("calibrated, any depth", Recipe::calibrated()),
    ]
}

/// What verdicts are for, with names.
fn wishes(promise: f64) -> [(String, Option<VerdictRule>); 4] {
    let guarantee = VerdictRule::Guarantee { accuracy: promise, confidence: 0.95 };
    [
        ("zone".to_owned(), None),
        ("cost 0.2".to_owned(), Some(VerdictRule::Cost { cost_ratio: 0.2 })),
        ("budget 10 %".to_owned(), Some(VerdictRule::Budget { flag_rate: 0.1 })),
        (format!("promise {:.0} %", 100.0 * promise), Some(guarantee)),
    ]
}

/// All test rows of a data set, answered by one recipe.
#[derive(Default)]
struct Answers {
    truth: Vec<u32>,
    classes: Vec<u32>,
    distributions: Vec<f64>,
    verdicts: Vec<Verdict>,
}

impl Answers {
    fn add(&mut self, model: &Model, test: &Dataset, workers: &Workers) -> Outcome<()> {
        let predictions = model.predict(Rows::from(test.columns()), workers)?;
        let (classes, distributions, verdicts) = predictions.into_parts();
        self.truth.extend(test.labels().ids());
        self.classes.extend(classes);
        self.distributions.extend(distributions);
        self.verdicts.extend(verdicts);
        Ok(())
    }

    fn n_classes(&self) -> usize {
        self.distributions.len() / self.truth.len()
    }

    fn counts(&self) -> Outcome<VerdictCounts> {
        Ok(VerdictCounts::new(&self.truth, &self.classes, &self.verdicts)?)
    }

    fn ranking(&self) -> Outcome<ConfidenceRanking> {
        let rows = self.distributions.chunks_exact(self.n_classes());
        let confidences: Vec<f64> =
            rows.map(|row| row.iter().copied().fold(0.0, f64::max)).collect();
        let correct = correctness(&self.truth, &self.classes)?;
        Ok(ConfidenceRanking::new(&confidences, &correct)?)
    }
}

fn shown(figure: Option<f64>) -> String {
    figure.map_or_else(|| "–".to_owned(), |figure| format!("{figure:.3}"))
}

/// The curve of a recipe, and a mark for its zone verdict.
fn series(name: &str, answers: &Answers) -> Outcome<RiskSeries> {
    let (ranking, counts) = (answers.ranking()?, answers.counts()?);
    let mark = match (counts.coverage(), counts.decided_accuracy()) {
        (Some(coverage), Some(accuracy)) if coverage < 1.0 => vec![(coverage, 1.0 - accuracy)],
        _ => Vec::new(),
    };
    let (curve, aurc) = (ranking.curve(), ranking.aurc());
    Ok(RiskSeries { name: name.to_owned(), curve, marks: mark, aurc })
}

fn recipe_line(set: &str, name: &str, answers: &Answers) -> Outcome<String> {
    let counts = answers.counts()?;
    let loss = log_loss(&answers.truth, &answers.distributions, answers.n_classes(), DEFAULT_CLIP)?;
    let cells = [
        counts.accuracy(),
        answers.ranking()?.aurc(),
        loss,
        counts.undecided_rate(),
        counts.decided_accuracy(),
    ];
    Ok(format!("| {set} | {name} | {} |", cells.map(shown).join(" | ")))
}

/// A verdict policy on all folds.
struct Tried {
    name: String,
    rule: Option<VerdictRule>,
    answers: Answers,
    /// In how many folds the training rows could not make the promise.
    refused: usize,
}

impl Tried {
    fn line(&self, set: &str) -> Outcome<String> {
        let Self { name, answers, refused, .. } = self;
        if answers.truth.is_empty() {
            return Ok(format!("| {set} | {name} | refused in all folds | | | |"));
        }
        let counts = answers.counts()?;
        let cost = Costs::new(0.2, 1.0)?.of(&counts);
        let (truth, classes) = (&answers.truth, &answers.classes);
        let tallies = ClassTally::count(truth, classes, &answers.verdicts, answers.n_classes())?;
        let recalls: Vec<String> = tallies.iter().map(|tally| shown(tally.recall())).collect();
        let refused = match refused {
            0 => String::new(),
            folds => format!(" (refused in {folds} of 5 folds)"),
        };
        Ok(format!(
            "| {set} | {name}{refused} | {} | {} | {} | {} |",
            shown(counts.undecided_rate()),
            shown(counts.decided_accuracy()),
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
    let workers = Workers::new(0)?;
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
            let mut answers = Answers::default();
            let mut verdicts = wishes(promise).map(|(name, rule)| Tried {
                name,
                rule,
                answers: Answers::default(),
                refused: 0,
            });
            for fold in 0..data.n_folds() {
                let part = data.fold(fold)?;
                let learner = Learner::from_recipe(recipe.clone())?.workers(&workers);
                let model = learner.fit(&part.train)?;
                answers.add(&model, &part.test, &workers)?;
                if name == "calibrated" {
                    try_verdicts(&model, (&part.train, &part.test), &mut verdicts, &workers)?;
                }
            }
            recipe_table.push(recipe_line(data.name(), name, &answers)?);
            pictures.push(series(name, &answers)?);
            if name == "calibrated" {
                for tried in &verdicts {
                    verdict_table.push(tried.line(data.name())?);
                }
            }
        }
        let rows = data.labels().ids().len();
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

/// Sets every policy with the training rows of a fold, and tries it on the test rows.
fn try_verdicts(
    model: &Model,
    (training, test): (&Dataset, &Dataset),
    verdicts: &mut [Tried],
    workers: &Workers,
) -> Outcome<()> {
    let rows = CalibrationRows::cross_fitted(model, training, (workers, &CancelToken::new()))?;
    for tried in verdicts {
        let policy = match tried.rule {
            None => Ok(VerdictPolicy::Zone),
            Some(rule) => rows.policy(rule).map(VerdictPolicy::from),
        };
        match policy {
            Ok(policy) => {
                tried.answers.add(&model.clone().with_verdict(policy)?, test, workers)?;
            }
            Err(_) => tried.refused += 1,
        }
    }
    Ok(())
}
