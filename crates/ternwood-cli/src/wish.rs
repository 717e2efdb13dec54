//! What a verdict is wanted for: a promise, a budget, or costs.

use crate::cli::Usage;
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use ternwood::dataset::one_line;
use ternwood::metrics::Costs;
use ternwood::verdict::{
    CalibrationRows, ConfidencePolicy, CostMatrix, CostPolicy, Promises, Uncovered, VerdictRule,
};
use ternwood::{ClassName, VerdictPolicy};
use ternwood_table::{Column, ReadOptions, Source, read_table};

/// What the verdict is to achieve. `--cost-ratio` belongs to it too, but means more where zones
/// are grown.
#[derive(clap::Args)]
#[command(next_help_heading = "Verdict")]
pub(crate) struct WishArgs {
    /// Promise that decided rows are right with at least this probability
    #[arg(long, value_name = "SHARE", value_parser = share,
          conflicts_with_all = ["precision", "miss", "flag_rate", "cost_ratio", "costs"])]
    accuracy: Option<f64>,
    /// Promise that at least this share of the rows decided as a class are of it (its predictive
    /// value); once per class
    #[arg(long, value_name = "CLASS=SHARE",
          conflicts_with_all = ["flag_rate", "cost_ratio", "costs"])]
    precision: Vec<ClassShare>,
    /// Promise that at most this share of the rows of a class are decided as another; once per
    /// class, also together with --precision
    #[arg(long, value_name = "CLASS=SHARE",
          conflicts_with_all = ["flag_rate", "cost_ratio", "costs"])]
    miss: Vec<ClassShare>,
    /// How surely to promise it: with 0.95, at most 5 of 100 calibrations promise something untrue
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, value_parser = share,
          conflicts_with_all = ["flag_rate", "cost_ratio"])]
    confidence: f64,
    /// Flag (mark as undecided) at most this share of the rows that set the verdict, and about as
    /// many of new rows
    #[arg(long, value_name = "SHARE", conflicts_with_all = ["cost_ratio", "costs"])]
    flag_rate: Option<f64>,
    /// Spend the flags of --flag-rate on the rows most likely to be missed rows of this class: rows
    /// predicted as another class, the largest probabilities of this one first
    #[arg(long, value_name = "CLASS", requires = "flag_rate")]
    catch: Option<String>,
    /// What a flag (a second look) and a wrong answer cost, such as 1,5; or a table with a line per
    /// true class, a column per answer and a column `flag`. The answer is the cheapest one
    #[arg(long, value_name = "FLAG,ERROR|FILE")]
    costs: Option<GivenCosts>,
    /// What becomes of rows with gaps or categories that the training table did not have
    #[arg(long, value_enum, value_name = "HOW", default_value_t = UncoveredName::Undecided)]
    uncovered: UncoveredName,
}

/// `--uncovered`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum UncoveredName {
    /// They are undecided, whatever their probabilities
    Undecided,
    /// They are judged like all other rows
    Judge,
}

/// A share of 90 % is 0.9.
fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| format!("'{text}' is not a number"))?;
    if 0.0 < share && share < 1.0 {
        return Ok(share);
    }
    Err(format!("{share} is not between 0 and 1, both excluded; a share of 90 % is 0.9"))
}

/// `ill=0.9`.
#[derive(Clone, Debug)]
struct ClassShare {
    class: String,
    share: f64,
}

impl FromStr for ClassShare {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (class, number) = text
            .rsplit_once('=')
            .ok_or_else(|| format!("'{text}' has no '='; write CLASS=SHARE, such as ill=0.9"))?;
        Ok(Self { class: class.trim().to_owned(), share: share(number.trim())? })
    }
}

/// Two prices, or the name of a file with a cost matrix.
#[derive(Clone, Debug)]
enum GivenCosts {
    Prices(Costs),
    File(PathBuf),
}

impl FromStr for GivenCosts {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Vec<f64> =
            text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
        match numbers[..] {
            [flag, error] => {
                Costs::new(flag, error).map(Self::Prices).map_err(|error| error.to_string())
            }
            [] => Ok(Self::File(PathBuf::from(text))),
            _ => Err("two numbers, such as 1,5, or the name of a file".to_owned()),
        }
    }
}

/// The matrix of prices that are the same for all classes.
pub(crate) fn matrix_of(prices: Costs, n_classes: usize) -> ternwood::Result<CostMatrix> {
    CostMatrix::same_for_all(n_classes, prices.decided_error(), prices.undecided())
}

/// What a verdict is wanted for, and what becomes of uncovered rows.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    pub(crate) goal: Goal,
    pub(crate) uncovered: Uncovered,
}

/// Calibration rows, uncovered ones treated like this.
pub(crate) fn treated(rows: CalibrationRows, uncovered: Uncovered) -> CalibrationRows {
    match uncovered {
        Uncovered::Undecided => rows,
        Uncovered::Judge => rows.judging_uncovered(),
    }
}

/// What a verdict is wanted for.
#[derive(Clone, Debug)]
pub(crate) enum Goal {
    Rule(VerdictRule),
    Costs(CostMatrix),
    /// A budget of flags aimed at one class.
    Catch {
        class: u32,
        flag_rate: f64,
    },
}

impl Wish {
    /// The policy that these rows give.
    pub(crate) fn policy(&self, rows: CalibrationRows) -> ternwood::Result<VerdictPolicy> {
        let rows = treated(rows, self.uncovered);
        Ok(match &self.goal {
            Goal::Rule(rule) => rows.policy(rule.clone())?.into(),
            Goal::Costs(costs) => rows.cost_policy(costs.clone())?.into(),
            Goal::Catch { class, flag_rate } => rows.catch_policy(*class, *flag_rate)?.into(),
        })
    }

    /// True if it takes rows to find the policy.
    pub(crate) fn needs_rows(&self) -> bool {
        !matches!(self.goal, Goal::Costs(_) | Goal::Rule(VerdictRule::Cost { .. }))
    }

    /// The policy without rows, which only costs have.
    pub(crate) fn policy_without_rows(&self) -> ternwood::Result<Option<VerdictPolicy>> {
        let policy: VerdictPolicy = match &self.goal {
            &Goal::Rule(VerdictRule::Cost { cost_ratio }) => {
                ConfidencePolicy::of_cost_ratio(cost_ratio)?.into()
            }
            Goal::Rule(_) | Goal::Catch { .. } => return Ok(None),
            Goal::Costs(costs) => CostPolicy::new(costs.clone()).into(),
        };
        policy.with_uncovered(self.uncovered).map(Some)
    }

    /// In words, for a title.
    pub(crate) fn described(&self, classes: &[ClassName]) -> String {
        match &self.goal {
            Goal::Rule(rule) => rule.described(classes),
            Goal::Costs(costs) => CostPolicy::new(costs.clone()).to_string(),
            Goal::Catch { class, flag_rate } => {
                let budget = VerdictRule::Budget { flag_rate: *flag_rate };
                let class = classes.get(*class as usize).map(ToString::to_string);
                format!("{budget}, to catch {}", one_line(&class.unwrap_or_default()))
            }
        }
    }
}

impl WishArgs {
    /// True if costs are given.
    pub(crate) fn has_costs(&self) -> bool {
        self.costs.is_some()
    }

    /// The prices, if they are the same for all classes.
    pub(crate) fn prices(&self) -> Option<Costs> {
        match self.costs {
            Some(GivenCosts::Prices(prices)) => Some(prices),
            _ => None,
        }
    }

    /// The costs of a file, by true class.
    pub(crate) fn cost_file(&self, classes: &[ClassName]) -> Result<Option<CostMatrix>> {
        match &self.costs {
            Some(GivenCosts::File(path)) => read_costs(path, classes).map(Some),
            _ => Ok(None),
        }
    }

    /// What becomes of uncovered rows.
    pub(crate) fn uncovered(&self) -> Uncovered {
        match self.uncovered {
            UncoveredName::Undecided => Uncovered::Undecided,
            UncoveredName::Judge => Uncovered::Judge,
        }
    }

    /// A flag costs this share of a wrong answer.
    pub(crate) fn by_cost_ratio(&self, cost_ratio: f64) -> Wish {
        let goal = Goal::Rule(VerdictRule::Cost { cost_ratio });
        Wish { goal, uncovered: self.uncovered() }
    }

    /// How surely promises are to be kept.
    pub(crate) fn confidence(&self) -> f64 {
        self.confidence
    }

    /// The costs that were given, by true class.
    pub(crate) fn cost_matrix(&self, classes: &[ClassName]) -> Result<Option<CostMatrix>> {
        match self.prices() {
            Some(prices) => Ok(Some(matrix_of(prices, classes.len())?)),
            None => self.cost_file(classes),
        }
    }

    /// True if rows are needed to find out what can be had.
    pub(crate) fn needs_rows(&self) -> bool {
        let promises =
            self.accuracy.is_some() || !(self.precision.is_empty() && self.miss.is_empty());
        promises || self.flag_rate.is_some()
    }

    /// The names of the classes of which something is promised or that are to be caught, each once.
    pub(crate) fn named_classes(&self) -> Vec<ClassName> {
        let mut names: Vec<&str> = Vec::new();
        let promised = self.precision.iter().chain(&self.miss).map(|promise| &promise.class);
        for class in promised.chain(&self.catch) {
            if !names.contains(&class.as_str()) {
                names.push(class);
            }
        }
        names.into_iter().map(ClassName::from).collect()
    }

    /// Checks what can be checked before anything is read.
    pub(crate) fn check(&self, cost_ratio: Option<f64>) -> Result<()> {
        if self.costs.is_some() && cost_ratio.is_some() {
            let problem = "--costs and --cost-ratio both say what a flag costs; leave one out";
            return Err(Usage(problem.to_owned()).into());
        }
        if matches!(self.costs, Some(GivenCosts::File(_))) {
            return Ok(());
        }
        let wish = self.wish(cost_ratio, &self.named_classes())?;
        if let Some(Goal::Rule(rule)) = wish.map(|wish| wish.goal) {
            rule.check().map_err(|error| Usage(error.to_string()))?;
        }
        Ok(())
    }

    /// What is wanted, if anything is.
    pub(crate) fn wish(
        &self,
        cost_ratio: Option<f64>,
        classes: &[ClassName],
    ) -> Result<Option<Wish>> {
        let confidence = self.confidence;
        let rule = if let Some(accuracy) = self.accuracy {
            VerdictRule::Guarantee { accuracy, confidence }
        } else if !(self.precision.is_empty() && self.miss.is_empty()) {
            let precision = by_class("--precision", &self.precision, classes)?;
            let miss_rate = by_class("--miss", &self.miss, classes)?;
            VerdictRule::Promises(Promises { precision, miss_rate, confidence })
        } else if let Some(flag_rate) = self.flag_rate {
            let rule = VerdictRule::Budget { flag_rate };
            let Some(name) = &self.catch else { return self.wish_for(Goal::Rule(rule)) };
            // Refuses a share out of range before anything is read.
            rule.check().map_err(|error| Usage(error.to_string()))?;
            let id =
                class_id(name, classes).map_err(|problem| anyhow!("--catch {name}: {problem}"))?;
            return self.wish_for(Goal::Catch { class: id as u32, flag_rate });
        } else if let Some(cost_ratio) = cost_ratio {
            VerdictRule::Cost { cost_ratio }
        } else if let Some(costs) = &self.costs {
            match costs {
                GivenCosts::Prices(costs) => VerdictRule::Cost { cost_ratio: ratio(*costs)? },
                GivenCosts::File(path) => {
                    return self.wish_for(Goal::Costs(read_costs(path, classes)?));
                }
            }
        } else {
            return Ok(None);
        };
        self.wish_for(Goal::Rule(rule))
    }

    fn wish_for(&self, goal: Goal) -> Result<Option<Wish>> {
        Ok(Some(Wish { goal, uncovered: self.uncovered() }))
    }
}

/// What a flag costs, in wrong answers.
fn ratio(costs: Costs) -> Result<f64> {
    let (flag, error) = (costs.undecided(), costs.decided_error());
    if 0.0 < flag && flag < error {
        return Ok(flag / error);
    }
    let problem = format!(
        "--costs {flag},{error}: a flag must cost something, and less than a wrong answer; write \
         FLAG,ERROR, such as 1,5"
    );
    Err(Usage(problem).into())
}

/// The shares by class; empty if none are given.
fn by_class(option: &str, given: &[ClassShare], classes: &[ClassName]) -> Result<Vec<Option<f64>>> {
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let mut shares = vec![None; classes.len()];
    for ClassShare { class, share } in given {
        let id = class_id(class, classes)
            .map_err(|problem| anyhow!("{option} {class}={share}: {problem}"))?;
        if shares[id].replace(*share).is_some() {
            let problem = format!("{option} speaks of the class '{class}' twice; leave one out");
            return Err(Usage(problem).into());
        }
    }
    Ok(shares)
}

/// The class of this name, or a problem that lists the names there are.
fn class_id(name: &str, classes: &[ClassName]) -> Result<usize, String> {
    classes.iter().position(|class| class.to_string() == name).ok_or_else(|| {
        const SHOWN: usize = 12;
        let known: Vec<String> = classes.iter().take(SHOWN).map(|c| format!("'{c}'")).collect();
        let tail = if classes.len() > SHOWN { ", ..." } else { "" };
        format!("there is no class '{name}'; the classes are {}{tail}", known.join(", "))
    })
}

// A cost matrix from a table.
//
// ```text
// truth,good,bad,flag
// good,0,1,0.5
// bad,5,0,0.5
// ```

const SHAPE: &str = "a cost matrix has a line per true class and a column per answer, both named \
                     like the classes, and a column 'flag': what a flag costs";

/// Reads what every answer and a flag cost, by true class.
fn read_costs(path: &Path, classes: &[ClassName]) -> Result<CostMatrix> {
    let name = path.display();
    let table = read_table(&Source::file(path), &ReadOptions::new())
        .map_err(|error| anyhow!("{error}; --costs takes two numbers, such as 1,5, or a table"))?;
    let Some((truths, answers)) = table.columns().split_first() else {
        bail!("{name}: the table is empty; {SHAPE}");
    };
    let mut lines = vec![None; classes.len()];
    for row in 0..table.n_rows() {
        let class = truths.text_of(row).unwrap_or_default();
        let id = class_id(&class, classes)
            .map_err(|problem| anyhow!("{name}: line of '{class}': {problem}"))?;
        if lines[id].replace(row).is_some() {
            bail!("{name}: there are two lines of the class '{class}'; leave one out");
        }
    }
    let lines: Vec<usize> = lines
        .into_iter()
        .zip(classes)
        .map(|(line, class)| {
            line.ok_or_else(|| anyhow!("{name}: there is no line of the class '{class}'; {SHAPE}"))
        })
        .collect::<Result<_>>()?;
    let of_column = |column: &Column| -> Result<Vec<f64>> {
        lines
            .iter()
            .zip(classes)
            .map(|(&row, class)| {
                let text = column.text_of(row).unwrap_or_default();
                text.parse().map_err(|_| {
                    let place = format!("{name}: line of '{class}', column '{}'", column.name());
                    anyhow!("{place}: '{text}' is not a number; write what it costs")
                })
            })
            .collect()
    };
    let mut by_answer = vec![None; classes.len()];
    let mut flag = None;
    for column in answers {
        let costs = of_column(column)?;
        let slot = match class_id(column.name(), classes) {
            Ok(id) => &mut by_answer[id],
            // Unless a class has this name.
            Err(_) if ["flag", "undecided"].contains(&column.name()) => &mut flag,
            Err(problem) => bail!("{name}: column '{}': {problem}, and 'flag'", column.name()),
        };
        if slot.replace(costs).is_some() {
            bail!("{name}: there are two columns '{}'; leave one out", column.name());
        }
    }
    let flag =
        flag.ok_or_else(|| anyhow!("{name}: there is no column 'flag' (or 'undecided'); {SHAPE}"))?;
    let by_answer: Vec<Vec<f64>> = by_answer
        .into_iter()
        .zip(classes)
        .map(|(costs, class)| {
            costs.ok_or_else(|| {
                anyhow!("{name}: there is no column of the class '{class}'; {SHAPE}")
            })
        })
        .collect::<Result<_>>()?;
    let transposed = (0..classes.len())
        .map(|truth| by_answer.iter().map(|costs| costs[truth]).collect())
        .collect();
    CostMatrix::new(transposed, flag).with_context(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<CostMatrix> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("costs.csv");
        std::fs::write(&path, text)?;
        read_costs(&path, &["good", "bad"].map(ClassName::from))
    }

    #[test]
    fn lines_and_columns_go_by_name() {
        let expected = CostMatrix::new(vec![vec![0.0, 1.0], vec![5.0, 0.0]], vec![0.5, 0.25]);
        for text in [
            "truth,good,bad,flag\ngood,0,1,0.5\nbad,5,0,0.25\n",
            "is,flag,bad,good\nbad,0.25,0,5\ngood,0.5,1,0\n",
        ] {
            assert_eq!(read(text).unwrap(), expected.clone().unwrap());
        }
    }

    #[test]
    fn other_shapes_are_refused() {
        for (text, expected) in [
            ("truth,good,bad,flag\ngood,0,1,0.5\n", "there is no line of the class 'bad'"),
            ("truth,good,flag\ngood,0,1\nbad,1,1\n", "there is no column of the class 'bad'"),
            ("truth,good,bad\ngood,0,1\nbad,5,0\n", "there is no column 'flag'"),
            ("truth,good,bad,flag\ngood,0,1,1\nugly,5,0,1\n", "there is no class 'ugly'"),
            ("truth,good,bad,ugly\ngood,0,1,1\nbad,5,0,1\n", "column 'ugly': there is no class"),
            ("truth,good,bad,flag\ngood,0,x,1\nbad,5,0,1\n", "column 'bad': 'x' is not a number"),
            ("truth,good,bad,flag\ngood,0,,1\nbad,5,0,1\n", "column 'bad': '' is not a number"),
            ("t,good,bad,flag\ngood,0,1,1\nbad,5,0,1\nbad,5,0,1\n", "two lines of the class 'bad'"),
        ] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
    }
}
