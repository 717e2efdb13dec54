//! What a verdict does to rows: how many it flags, and how good the others are.

use crate::reading::counted;
use crate::report::percent;
use anyhow::Result;
use std::fmt;
use ternwood::metrics::ClassTally;
use ternwood::verdict::{Advice, CalibrationSource, VerdictRecord};
use ternwood::{Dataset, Exec, Matrix, Model};

/// What the verdict of a model does to rows that are at hand.
pub(crate) struct Effect {
    /// Which rows, in words.
    rows: String,
    tallies: Vec<ClassTally>,
}

impl Effect {
    /// What the model itself knows: what its verdict did to the rows that it was set with.
    pub(crate) fn known(model: &Model) -> Option<Self> {
        let achieved = model.verdict().achieved()?;
        let n_rows = counted(achieved.total().rows as usize, "row");
        let rows = match achieved.source() {
            CalibrationSource::HeldOut => format!("{n_rows} held out"),
            source @ CalibrationSource::HeldOutUntested => format!("{n_rows} ({source})"),
            CalibrationSource::CrossFitted => {
                format!("{n_rows} of training, each answered by a tree that has not seen it")
            }
            CalibrationSource::OutOfBag => format!(
                "{n_rows} of training (out of bag, approximate: each answered by the trees that have \
                 not seen it)"
            ),
        };
        Some(Self { rows, tallies: achieved.classes().to_vec() })
    }

    /// The same, or else what happens to the training rows.
    pub(crate) fn after_fit(model: &Model, data: &Dataset, exec: &Exec) -> Result<Self> {
        if let Some(known) = Self::known(model) {
            return Ok(known);
        }
        let found = model.predict(Matrix::from(data.columns()), exec)?;
        let (classes, verdicts) = (found.classes(), found.verdicts());
        let tallies = ClassTally::count(data.labels(), classes, verdicts, data.n_classes())?;
        let n_rows = counted(data.n_rows(), "row");
        let trees = if !model.ensemble().is_single() { "trees have" } else { "tree has" };
        let rows = format!("{n_rows} of training, which the {trees} seen (optimistic)");
        Ok(Self { rows, tallies })
    }

    /// What speaks against the verdict.
    pub(crate) fn advice(&self, model: &Model) -> Vec<Advice> {
        advice(model, &self.tallies)
    }
}

/// What speaks against the verdict of a model, given what it did to some rows.
pub(crate) fn advice(model: &Model, tallies: &[ClassTally]) -> Vec<Advice> {
    let (recipe, classes) = (Some(model.recipe()), model.schema().classes());
    VerdictRecord { policy: model.verdict(), recipe, classes, tallies }.advice()
}

/// "on 48 rows of training, ...: 18.8 % are flagged, 92.3 % of the others are right; 85.4 % of all".
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = ClassTally::sum(&self.tallies).unwrap_or_default();
        let right = (total.rows > 0).then(|| total.right as f64 / total.rows as f64);
        write!(f, "on {}: {}", self.rows, effect(total.flag_rate(), total.recall(), right))
    }
}

/// From the share of flagged rows, and the shares of right ones among the others and among all:
/// "18.8 % are flagged, 92.3 % of the others are right; 85.4 % of all".
pub(crate) fn effect(flagged: Option<f64>, decided: Option<f64>, all: Option<f64>) -> String {
    let all = percent(all);
    match (flagged, decided) {
        (Some(0.0), _) => format!("none are flagged; {all} are right"),
        (_, None) => format!("all are flagged; {all} are right"),
        _ => format!(
            "{} are flagged, {} of the others are right; {all} of all",
            percent(flagged),
            percent(decided)
        ),
    }
}
