//! Verdict policies of any classifier.

use crate::errors::to_python;
use crate::labels;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use ternwood::model::{NotCovered, UncoveredRows, UncoveredValues};
use ternwood::verdict::{
    self, Advice, AtWork, CalibrationSource, CostMatrix, FlaggedBy, Share, TradeOff, Uncovered,
    VerdictRecord, VerdictRule,
};
use ternwood::{ClassName, Model, Recipe, Verdict, VerdictPolicy};
use ternwood_figures::VerdictReport;

/// How far the probabilities of any classifier may be from probabilities: some are computed in
/// single precision, with many classes.
const ROUNDING: f64 = 1e-3;

/// What a classifier of any kind says of rows that it has not seen, and the truth: any Python
/// object with these attributes.
#[derive(FromPyObject)]
pub(crate) struct CalibrationRows<'py> {
    /// Where the rows stand in the caller's data, for errors.
    numbers: PyReadonlyArray1<'py, i64>,
    probabilities: PyReadonlyArray2<'py, f64>,
    class_ids: PyReadonlyArray1<'py, u32>,
    covered: PyReadonlyArray1<'py, bool>,
}

impl CalibrationRows<'_> {
    /// The library's form.
    pub(crate) fn checked(
        &self,
        classes: &[ClassName],
        source: CalibrationSource,
    ) -> PyResult<verdict::CalibrationRows> {
        let (numbers, class_ids) = (self.numbers.as_slice()?, self.class_ids.as_slice()?);
        let probabilities = self.probabilities.as_slice()?;
        check_probabilities(probabilities, numbers, classes.len())?;
        let covered = self.covered.as_slice()?.to_vec();
        let rows = verdict::CalibrationRows::new(probabilities, class_ids, classes, source);
        rows.and_then(|rows| rows.covering(covered)).map_err(to_python)
    }
}

/// What sets a verdict.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wish {
    /// A rule, as in a model file.
    Rule(VerdictRule),
    /// Costs, as in a model file.
    Costs(CostMatrix),
    /// A budget of flags aimed at one class, as in a model file.
    Catch { class: u32, flag_rate: f64 },
}

/// Reads what Python wrote.
fn read<T: DeserializeOwned>(json: &Bound<'_, PyAny>, what: &str) -> PyResult<T> {
    serde_json::from_str(&json.extract::<String>()?)
        .map_err(|error| PyValueError::new_err(format!("not {what}: {error}")))
}

fn wish(json: &Bound<'_, PyAny>) -> PyResult<Wish> {
    read(json, "a rule for verdicts")
}

fn rule(json: &Bound<'_, PyAny>) -> PyResult<VerdictRule> {
    read(json, "a rule for verdicts")
}

pub(crate) fn costs(json: &Bound<'_, PyAny>) -> PyResult<CostMatrix> {
    read(json, "costs")
}

/// What becomes of uncovered rows: a word, as in a model file.
pub(crate) fn uncovered(word: &Bound<'_, PyAny>) -> PyResult<Uncovered> {
    Uncovered::named(&word.extract::<String>()?).map_err(to_python)
}

/// The number of rows and of uncovered ones among them, and of those by feature and reason.
pub(crate) type CountedUncovered = (usize, usize, Vec<(String, String, usize)>);

/// The library's form of these counts.
pub(crate) fn uncovered_rows((whole, part, values): CountedUncovered) -> PyResult<UncoveredRows> {
    let values = values.into_iter().map(|(feature, reason, rows)| {
        let reason = NotCovered::named(&reason)
            .ok_or_else(|| PyValueError::new_err(format!("not a reason: '{reason}'")))?;
        Ok(UncoveredValues { feature, reason, rows })
    });
    Ok(UncoveredRows::new(whole, part, values.collect::<PyResult<_>>()?))
}

/// Where calibration rows come from: a word, as in a model file.
fn source(word: &Bound<'_, PyAny>) -> PyResult<CalibrationSource> {
    let word = serde_json::Value::String(word.extract()?);
    serde_json::from_value(word)
        .map_err(|error| PyValueError::new_err(format!("not a source of rows: {error}")))
}

/// A policy, as in a model file.
pub(crate) fn policy(json: &Bound<'_, PyAny>) -> PyResult<VerdictPolicy> {
    read(json, "a verdict policy")
}

pub(crate) fn named(classes: &[Bound<'_, PyAny>]) -> PyResult<Vec<ClassName>> {
    classes.iter().map(labels::from_python).collect()
}

/// A policy in words, as JSON, and what speaks against it: each in general and with figures.
pub(crate) type Described = (String, String, Vec<(String, String)>);

/// The policy of a model.
pub(crate) fn described(model: &Model) -> Described {
    let classes = model.schema().classes();
    describe(model.verdict(), Some(model.recipe()), classes, false)
}

/// What speaks against the verdict of a model about some of its classes, in general.
pub(crate) fn advice_about_classes(model: &Model) -> Vec<String> {
    let policy = model.verdict();
    let tallies = policy.achieved().map_or(&[][..], |achieved| achieved.classes());
    let (recipe, classes) = (Some(model.recipe()), model.schema().classes());
    let advice = VerdictRecord { policy, recipe, classes, tallies }.advice();
    advice.iter().filter(|it| it.is_about_classes()).map(Advice::in_general).collect()
}

/// `weighted` says that a classifier that is not a model has class weights.
fn describe(
    policy: &VerdictPolicy,
    recipe: Option<&Recipe>,
    classes: &[ClassName],
    weighted: bool,
) -> Described {
    let achieved = policy.achieved();
    let report = achieved
        .map(|achieved| achieved.report(classes) + ternwood::words::CLASS_LEGEND)
        .unwrap_or_default();
    let tallies = achieved.map_or(&[][..], |achieved| achieved.classes());
    let record = VerdictRecord { policy, recipe, classes, tallies };
    let mut advice = record.advice();
    let by_cost = matches!(FlaggedBy::from(policy), FlaggedBy::CostRatio | FlaggedBy::CostMatrix);
    if weighted && by_cost {
        advice.push(Advice::ClassWeights);
    }
    let advice = advice.iter().map(|it| (it.in_general(), it.to_string())).collect();
    let words = format!("{}\n{report}", policy.described(classes)).trim_end().to_owned();
    (words, serde_json::to_string(policy).expect("plain data is always JSON"), advice)
}

/// The policy of a classifier that need not be a model, set with `rows`, whose `source` is written as in a
/// model file. `weighted` says that it has class weights, `uncovered` what becomes of uncovered rows.
#[pyfunction]
pub(crate) fn verdict_policy(
    py: Python<'_>,
    rows: CalibrationRows<'_>,
    class_names: Vec<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = wish)] wish: Wish,
    #[pyo3(from_py_with = source)] source: CalibrationSource,
    weighted: bool,
    #[pyo3(from_py_with = uncovered)] uncovered: Uncovered,
) -> PyResult<Described> {
    let classes = named(&class_names)?;
    let mut rows = rows.checked(&classes, source)?;
    if uncovered == Uncovered::Judge {
        rows = rows.judging_uncovered();
    }
    py.detach(|| {
        let policy = match wish {
            Wish::Rule(rule) => rows.policy(rule)?.into(),
            Wish::Costs(costs) => rows.cost_policy(costs)?.into(),
            Wish::Catch { class, flag_rate } => rows.catch_policy(class, flag_rate)?.into(),
        };
        Ok(describe(&policy, None, &classes, weighted))
    })
    .map_err(to_python)
}

type ClassesAndVerdicts<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<bool>>);

/// The class ids and verdicts that a policy gives to probabilities of rows, of which some are covered.
/// There is at least one class.
#[pyfunction]
pub(crate) fn judged<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = policy)] policy: VerdictPolicy,
    probabilities: PyReadonlyArray2<'py, f64>,
    covered: PyReadonlyArray1<'py, bool>,
) -> PyResult<ClassesAndVerdicts<'py>> {
    let judges_all = policy.uncovered() == Uncovered::Judge;
    let n_classes = probabilities.as_array().ncols();
    let rows = probabilities.as_slice()?.chunks_exact(n_classes.max(1));
    let (classes, decided): (Vec<i64>, Vec<bool>) = rows
        .zip(covered.as_slice()?)
        .map(|(row, covered)| (policy.judge(row, Verdict::Undecided), judges_all || *covered))
        .map(|((class, verdict), judged)| (i64::from(class), judged && verdict.is_decided()))
        .unzip();
    Ok((classes.into_pyarray(py), decided.into_pyarray(py)))
}

/// For each promise of a rule, what it is, which rows it needs, and how many: see
/// `VerdictRule::rows_needed`. `source` is where the rows come from, as in a model file.
#[pyfunction]
pub(crate) fn rows_needed(
    #[pyo3(from_py_with = rule)] rule: VerdictRule,
    class_names: Vec<Bound<'_, PyAny>>,
    errors: f64,
    #[pyo3(from_py_with = source)] source: CalibrationSource,
) -> PyResult<Vec<(String, &'static str, Option<usize>)>> {
    let needed = rule.rows_needed(&named(&class_names)?, errors, source).map_err(to_python)?;
    Ok(needed.iter().map(|it| (it.promised.to_string(), it.promised.counted(), it.rows)).collect())
}

/// The library trusts its own probabilities; those of others are checked.
fn check_probabilities(probabilities: &[f64], numbers: &[i64], n_classes: usize) -> PyResult<()> {
    for (row, number) in probabilities.chunks_exact(n_classes.max(1)).zip(numbers) {
        let sum: f64 = row.iter().sum();
        // Written so that NaN is refused too.
        let valid = row.iter().all(|p| (-ROUNDING..=1.0 + ROUNDING).contains(p))
            && (1.0 - ROUNDING..=1.0 + ROUNDING).contains(&sum);
        if !valid {
            return Err(PyValueError::new_err(format!(
                "The class probabilities of row {number} are {}: they must be from 0 to 1 and sum \
                 to 1; look at the predict_proba of the estimator",
                shown(row)
            )));
        }
    }
    Ok(())
}

/// The first few probabilities, and their sum.
fn shown(row: &[f64]) -> String {
    const SHOWN: usize = 5;
    let mut first: Vec<String> = row.iter().take(SHOWN).map(f64::to_string).collect();
    if row.len() > SHOWN {
        first.push("...".to_owned());
    }
    format!("[{}], which sum to {}", first.join(", "), row.iter().sum::<f64>())
}

// The report on verdicts that a person can sign.

/// Answers and verdicts beside the truth: any Python object with these attributes.
#[derive(FromPyObject)]
pub(crate) struct Judged<'py> {
    truth: PyReadonlyArray1<'py, u32>,
    predicted: PyReadonlyArray1<'py, u32>,
    decided: PyReadonlyArray1<'py, bool>,
}

/// Names and values.
type Facts = Vec<(String, String)>;

/// The report as HTML; `set_here` if the verdict was set with these rows. `about` is about the
/// data and the model. `policy` is one as in a model file; `uncovered` is None if the training
/// table is not known.
#[pyfunction]
#[pyo3(signature = (rows, class_names, policy, title, *, about, notes, uncovered, set_here))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn verdict_report(
    rows: Judged<'_>,
    class_names: Vec<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = policy)] policy: VerdictPolicy,
    title: &str,
    about: [Facts; 2],
    notes: Vec<String>,
    uncovered: Option<CountedUncovered>,
    set_here: bool,
) -> PyResult<String> {
    let classes = class_names.iter().map(labels::from_python).collect::<PyResult<Vec<_>>>()?;
    let (truth, predicted) = (rows.truth.as_slice()?, rows.predicted.as_slice()?);
    let verdicts = rows.decided.as_slice()?.iter().map(|&decided| Verdict::decided_if(decided));
    let judged = truth.iter().zip(predicted).zip(verdicts);
    let judged = judged.map(|((&truth, &predicted), verdict)| (truth, predicted, verdict));
    let uncovered = uncovered.map(uncovered_rows).transpose()?;
    let report = VerdictReport::new(title, &policy, &classes, judged).map_err(to_python)?;
    let report = report.with_uncovered(uncovered);
    let report = if set_here { report.set_on_these_rows() } else { report };
    let [data, model] = about;
    Ok(report.with_data(data).with_model(model).with_notes(notes).html())
}

// Trade-offs between promises and flags.

/// A figure and its interval; NaN where there is none.
type Figure = [f64; 3];

const NONE: Figure = [f64::NAN; 3];

/// A line of the table of trade-offs.
#[pyclass(frozen, get_all, module = "ternwood._ternwood")]
pub(crate) struct TradeOffLine {
    aim: &'static str,
    class_id: Option<usize>,
    share: Option<f64>,
    best: bool,
    refusal: Option<String>,
    thresholds: Vec<Option<f64>>,
    flagged: Figure,
    wrong: Figure,
    missed: Vec<Figure>,
    precise: Vec<Figure>,
    cost: Figure,
}

impl TradeOffLine {
    fn new(line: &TradeOff, n_classes: usize) -> Self {
        let found = line.outcome.as_ref().ok();
        let of = |get: fn(&AtWork) -> &Share| found.map_or(NONE, |it| figure(get(it)));
        let by_class = |get: fn(&AtWork) -> &[Share]| {
            found.map_or(vec![NONE; n_classes], |it| get(it).iter().map(figure).collect())
        };
        let threshold = |class| match &found?.policy {
            VerdictPolicy::Confidence(policy) => policy.thresholds().of(class),
            VerdictPolicy::Catch(policy) => (policy.class() == class).then(|| policy.threshold()),
            VerdictPolicy::Zones { .. } | VerdictPolicy::Costs(_) => None,
        };
        Self {
            aim: line.aim.name(),
            class_id: line.aim.class(),
            share: line.aim.share(),
            best: line.is_best,
            refusal: line.outcome.as_ref().err().map(ToString::to_string),
            thresholds: (0..n_classes as u32).map(threshold).collect(),
            flagged: of(|it| &it.flagged),
            wrong: of(|it| &it.wrong),
            missed: by_class(|it| &it.missed),
            precise: by_class(|it| &it.precise),
            cost: found.map_or(NONE, |it| [it.cost, it.cost_interval[0], it.cost_interval[1]]),
        }
    }
}

fn figure(share: &Share) -> Figure {
    match (share.value(), share.interval) {
        (Some(value), Some([low, high])) => [value, low, high],
        _ => NONE,
    }
}

/// What promises from easy to hard do to rows: a table in words, and its lines.
#[pyfunction]
pub(crate) fn trade_offs(
    py: Python<'_>,
    rows: CalibrationRows<'_>,
    class_names: Vec<Bound<'_, PyAny>>,
    confidence: f64,
    priced: Option<Bound<'_, PyAny>>,
) -> PyResult<(String, Vec<TradeOffLine>)> {
    let classes = named(&class_names)?;
    let rows = rows.checked(&classes, CalibrationSource::HeldOut)?;
    let priced: Option<CostMatrix> = priced.as_ref().map(costs).transpose()?;
    let table = py.detach(|| rows.trade_offs(confidence, priced.as_ref())).map_err(to_python)?;
    let lines = table.lines.iter().map(|line| TradeOffLine::new(line, classes.len())).collect();
    Ok((table.to_string(), lines))
}
