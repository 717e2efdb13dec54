//! Trade-offs between promises and flags.

use crate::errors::to_python;
use crate::verdicts::{CalibrationRows, costs, named};
use pyo3::prelude::*;
use ternwood::VerdictPolicy;
use ternwood::verdict::{AtWork, CalibrationSource, CostMatrix, Share, TradeOff};

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
