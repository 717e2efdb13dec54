//! Promises class by class and costs on two of the paper's data sets, with its folds: what they
//! decide, how precise it is, and what they miss. Writes a table:
//!
//! ```text
//! cargo run -p ternwood-paper --example rule_in_rule_out -- ../shared/openml runs/choosing
//! ```
//!
//! In every fold a calibrated tree is grown on the training rows, its verdict is set with the same
//! rows, cross-fitted, and the test rows of the folds are counted together.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use ternwood::fit::cross_fitted_rows;
use ternwood::metrics::ClassTally;
use ternwood::stats::exact_interval;
use ternwood::verdict::{CalibrationRows, CostMatrix, CostPolicy, Promises, VerdictRule};
use ternwood::{ErrorKind, Exec, Learner, Matrix, Recipe, Verdict, VerdictPolicy};
use ternwood_paper::Collection;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// How surely all promises of a line hold together, and the level of the intervals.
const CONFIDENCE: f64 = 0.95;

/// What a verdict is asked for.
enum Wish {
    /// Precisions of the condition and of the other class, and the miss rate of the condition.
    Promises { precision: [Option<f64>; 2], missed: Option<f64> },
    /// A flag costs this much.
    Costs { flag: f64 },
    /// A flag costs this share of a wrong answer, whatever the class: with 0.5 there are none.
    CostRatio(f64),
}

struct Set {
    openml_id: u32,
    /// What the condition, which must not be missed, and the other class are called.
    classes: [&'static str; 2],
    /// What missing the condition costs, and what the opposite error costs.
    costs: [f64; 2],
    wishes: Vec<(String, Wish)>,
}

fn promises(of_condition: Option<f64>, of_other: Option<f64>, missed: Option<f64>) -> Wish {
    Wish::Promises { precision: [of_condition, of_other], missed }
}

fn named(wishes: Vec<(&str, Wish)>) -> Vec<(String, Wish)> {
    wishes.into_iter().map(|(name, wish)| (name.to_owned(), wish)).collect()
}

fn sets() -> [Set; 2] {
    let mammography = vec![
        ("no flags", Wish::CostRatio(0.5)),
        ("cost ratio 0.2", Wish::CostRatio(0.2)),
        ("precision of healthy at least 99 %", promises(None, Some(0.99), None)),
        ("precision of healthy at least 99.5 %", promises(None, Some(0.995), None)),
        ("at most 10 % of cancer missed", promises(None, None, Some(0.1))),
        ("at most 5 % of cancer missed", promises(None, None, Some(0.05))),
        ("precision of cancer at least 70 %", promises(Some(0.7), None, None)),
        (
            "at most 10 % of cancer missed, precision of cancer at least 70 %",
            promises(Some(0.7), None, Some(0.1)),
        ),
        (
            "precision of healthy at least 99.5 %, of cancer at least 70 %",
            promises(Some(0.7), Some(0.995), None),
        ),
    ];
    let credit = vec![
        ("no flags", Wish::CostRatio(0.5)),
        ("cost ratio 0.2", Wish::CostRatio(0.2)),
        ("precision of good at least 85 %", promises(None, Some(0.85), None)),
        ("precision of bad at least 60 %", promises(Some(0.6), None, None)),
        (
            "precision of good at least 85 %, of bad at least 60 %",
            promises(Some(0.6), Some(0.85), None),
        ),
        ("at most 10 % of bad missed", promises(None, None, Some(0.1))),
        ("costs 5 : 1, a flag 0.5", Wish::Costs { flag: 0.5 }),
        ("costs 5 : 1, no flags", Wish::Costs { flag: 1e9 }),
    ];
    [
        Set {
            openml_id: 310,
            classes: ["cancer", "healthy"],
            costs: [1.0, 1.0],
            wishes: named(mammography),
        },
        Set { openml_id: 31, classes: ["bad", "good"], costs: [5.0, 1.0], wishes: named(credit) },
    ]
}

/// Class ids of the condition, the rarer class of both data sets, and of the other.
const CONDITION: usize = 1;
const OTHER: usize = 0;

impl Set {
    fn costs(&self, flag: f64) -> Outcome<CostMatrix> {
        let mut answer = vec![vec![0.0; 2]; 2];
        answer[CONDITION][OTHER] = self.costs[0];
        answer[OTHER][CONDITION] = self.costs[1];
        Ok(CostMatrix::new(answer, vec![flag; 2])?)
    }

    fn policy(
        &self,
        wish: &Wish,
        rows: &CalibrationRows,
    ) -> Outcome<ternwood::Result<VerdictPolicy>> {
        let rule = match *wish {
            Wish::Promises { precision, missed } => {
                let mut list = vec![None; 2];
                [list[CONDITION], list[OTHER]] = precision;
                let mut miss_rate = vec![None; 2];
                miss_rate[CONDITION] = missed;
                VerdictRule::Promises(Promises {
                    precision: list,
                    miss_rate,
                    confidence: CONFIDENCE,
                })
            }
            Wish::CostRatio(cost_ratio) => VerdictRule::Cost { cost_ratio },
            Wish::Costs { flag } => {
                return Ok(Ok(CostPolicy::new(self.costs(flag)?).into()));
            }
        };
        Ok(rows.policy(rule).map(VerdictPolicy::from))
    }
}

fn check_rarer(labels: &[u32]) -> Outcome<()> {
    let rows = labels.iter().filter(|&&label| label as usize == CONDITION).count();
    if 2 * rows < labels.len() {
        Ok(())
    } else {
        Err("the condition is not the rarer class".into())
    }
}

/// What became of all test rows whose fold could carry the promise.
#[derive(Default)]
struct Counted {
    of_folds: Vec<Vec<ClassTally>>,
    /// What the refusing folds could carry, if they could carry anything.
    refused: Vec<Option<f64>>,
}

impl Counted {
    fn line(&self, name: &str, set: &Set, flag: f64) -> String {
        let refused = match self.refused.len() {
            0 => String::new(),
            folds => format!(" (refused in {folds} of 5 folds{})", best(&self.refused)),
        };
        if self.of_folds.is_empty() {
            return format!("| {name}{refused} | | | | | |");
        }
        let tallies = ClassTally::sum_by_class(&self.of_folds);
        let total = ClassTally::sum(&tallies).unwrap_or_default();
        let precision = |class: usize| {
            let tally = &tallies[class];
            share(tally.decided_right, tally.decided_for)
        };
        let missed = tallies[CONDITION].missed();
        let wrongly_called = tallies[OTHER].missed();
        let flagged = total.rows - total.decided;
        let cost = (set.costs[0] * missed as f64
            + set.costs[1] * wrongly_called as f64
            + flag * flagged as f64)
            / total.rows as f64;
        let cells = [
            share(flagged, total.rows),
            precision(CONDITION),
            precision(OTHER),
            share(missed, tallies[CONDITION].rows),
            format!("{cost:.3}"),
        ];
        format!("| {name}{refused} | {} |", cells.join(" | "))
    }
}

/// "; there 0.62 to 0.66 could be promised"
fn best(refused: &[Option<f64>]) -> String {
    let mut shares: Vec<f64> = refused.iter().flatten().copied().collect();
    shares.sort_by(f64::total_cmp);
    shares.dedup();
    match shares[..] {
        [] => String::new(),
        [one] => format!("; there {one} could be promised"),
        [first, .., last] => format!("; there {first} to {last} could be promised"),
    }
}

/// "31 of 40: 77.5 % (61.5 to 89.2)"
fn share(part: u64, whole: u64) -> String {
    let Some(interval) = exact_interval(part as usize, whole as usize, CONFIDENCE) else {
        return "none".to_owned();
    };
    let [value, low, high] =
        [part as f64 / whole as f64, interval[0], interval[1]].map(|share| 100.0 * share);
    format!("{part} of {whole}: {value:.1} % ({low:.1} to {high:.1})")
}

/// What the first promise that a fold refuses could be instead.
fn carried(error: &ternwood::Error) -> Option<f64> {
    match error.kind() {
        ErrorKind::TooFewRows { best, .. }
        | ErrorKind::NoGuarantee { best, .. }
        | ErrorKind::TooManyMissed { best, .. } => *best,
        _ => None,
    }
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let (Some(data), Some(target)) = (arguments.next(), arguments.next()) else {
        return Err("say where the data sets are, and where the run goes to".into());
    };
    let exec = Exec::with_threads(0)?;
    let collection = Collection::open(data)?;
    let mut page = Vec::new();
    for set in sets() {
        let entry = collection.entry(set.openml_id).ok_or("a data set is not in the collection")?;
        let data = collection.load(entry)?;
        let mut counted: Vec<Counted> = set.wishes.iter().map(|_| Counted::default()).collect();
        for fold in 0..data.n_folds() {
            let part = data.fold(fold)?;
            check_rarer(part.train.labels())?;
            let model = Learner::from_recipe(Recipe::calibrated())?.fit(&part.train, &exec)?;
            let rows = cross_fitted_rows(&model, &part.train, &exec)?;
            for ((_, wish), counted) in set.wishes.iter().zip(&mut counted) {
                match set.policy(wish, &rows)? {
                    Ok(policy) => {
                        let model = model.clone().with_verdict(policy)?;
                        let found = model.predict(Matrix::from(part.test.columns()), &exec)?;
                        let verdicts: Vec<Verdict> = found.verdicts().to_vec();
                        let truth = part.test.labels();
                        counted.of_folds.push(ClassTally::count(
                            truth,
                            found.classes(),
                            &verdicts,
                            2,
                        )?);
                    }
                    Err(refusal) => counted.refused.push(carried(&refusal)),
                }
            }
        }
        let [condition, other] = set.classes;
        // What a flag costs in the last column, in wrong answers of the cheaper kind.
        let flag = if set.costs[0] > set.costs[1] { 0.5 } else { 0.2 };
        page.push(format!(
            "| {}: verdict | flagged | precision of {condition} | precision of {other} | {condition} \
             decided as {other} | cost per row, a flag at {flag} |",
            data.name()
        ));
        page.push("|---|---:|---:|---:|---:|---:|".to_owned());
        for ((name, _), counted) in set.wishes.iter().zip(&counted) {
            page.push(counted.line(name, &set, flag));
        }
        page.push(String::new());
    }
    fs::write(target.join("rule_in_rule_out.md"), page.join("\n"))?;
    Ok(())
}
