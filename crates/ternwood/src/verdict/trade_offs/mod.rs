//! What harder and harder promises, and cheaper and cheaper flags, do to the same rows.

mod at_work;
#[cfg(test)]
mod tests;

use super::achieved::CalibrationSource;
use super::calibration_rows::CalibrationRows;
use super::cost_policy::CostMatrix;
use super::policy::VerdictPolicy;
use super::promises::Promises;
use super::rule::{VerdictRule, check_share};
use crate::dataset::ClassName;
use crate::error::{Error, ErrorKind, Result};
use crate::verdict::USUAL_COST_RATIO;
pub use at_work::{AtWork, Share};

/// From easy to hard.
const ACCURACIES: [f64; 8] = [0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995];
/// A rare class may be worth ruling in with half of the answers right.
const PRECISIONS: [f64; 8] = [0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995];
const MISS_RATES: [f64; 6] = [0.2, 0.1, 0.05, 0.02, 0.01, 0.005];
const FLAG_RATES: [f64; 6] = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3];
const COST_RATIOS: [f64; 6] = [0.5, 0.3, 0.2, 0.1, 0.05, 0.02];

/// What one line of [`TradeOffs`] asks of the verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    /// A promised decided accuracy.
    Accuracy(f64),
    /// A promised precision of one class.
    Precision {
        /// Its id.
        class: usize,
        /// The least share of rows decided as the class that are of it.
        share: f64,
    },
    /// A promised miss rate of one class.
    MissRate {
        /// Its id.
        class: usize,
        /// The largest share of rows of the class that are decided as another.
        share: f64,
    },
    /// A budget of flags for the rows least sure.
    FlagRate(f64),
    /// A budget of flags aimed at one class.
    Catch {
        /// Its id.
        class: usize,
        /// The largest share of flagged rows.
        flag_rate: f64,
    },
    /// The least cost, if a flag costs this share of a wrong answer.
    CostRatio(f64),
    /// The least expected cost, with the costs that were given.
    GivenCosts,
}

/// One line of [`TradeOffs`].
#[derive(Debug, Clone, PartialEq)]
pub struct TradeOff {
    /// What is asked of the verdict.
    pub aim: Aim,
    /// True if nobody asked for this share: it is the best that these rows can carry of a promise
    /// that they cannot.
    pub is_best: bool,
    /// What the verdict then does to these rows, or why they do not carry the promise.
    pub outcome: Result<AtWork>,
}

/// Promises and costs from easy to hard, and what each does to the same calibration rows.
///
/// Every line is a promise of its own. Whoever chooses among them by what this table shows has
/// looked at the rows before promising: the promise chosen is kept less surely than its confidence
/// says. Choose with other rows, or before looking.
///
/// Prints as a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TradeOffs {
    /// The lines: accuracies, then precision and miss rate of every class, then budgets of flags,
    /// also aimed at every class, then costs.
    pub lines: Vec<TradeOff>,
    pub(crate) classes: Vec<ClassName>,
    pub(crate) rows: usize,
    pub(crate) source: CalibrationSource,
    pub(crate) confidence: f64,
    costs: CostMatrix,
    pub(crate) costs_given: bool,
}

impl CalibrationRows {
    /// What promises from easy to hard would do to these rows: decided accuracies, the precision
    /// and the miss rate of every class; budgets of flags, for the rows least sure and aimed at
    /// every class; and flags from dear to cheap. Each by itself, with this confidence, which is
    /// also that of the intervals.
    ///
    /// `costs` sets the column of costs, and adds the line of the least expected one. By default a
    /// flag costs [`USUAL_COST_RATIO`] of a wrong answer.
    ///
    /// # Errors
    /// A confidence that is not between 0 and 1, or costs for another number of classes. A promise
    /// that the rows cannot carry is a line, not an error.
    pub fn trade_offs(&self, confidence: f64, costs: Option<&CostMatrix>) -> Result<TradeOffs> {
        check_share("confidence", confidence)?;
        let costs_given = costs.is_some();
        let costs = match costs {
            Some(costs) => costs.clone(),
            None => CostMatrix::of_ratio(self.n_classes(), USUAL_COST_RATIO)?,
        };
        // Refuses costs for other classes, whatever the lines are.
        self.cost_policy(costs.clone())?;
        let mut lines = Vec::new();
        let mut section = |aims: Vec<Aim>| -> Result<()> {
            lines.extend(self.section(aims, confidence, &costs)?);
            Ok(())
        };
        section(ACCURACIES.map(Aim::Accuracy).to_vec())?;
        for class in 0..self.n_classes() {
            section(PRECISIONS.map(|share| Aim::Precision { class, share }).to_vec())?;
            section(MISS_RATES.map(|share| Aim::MissRate { class, share }).to_vec())?;
        }
        section(FLAG_RATES.map(Aim::FlagRate).to_vec())?;
        for class in 0..self.n_classes() {
            section(FLAG_RATES.map(|flag_rate| Aim::Catch { class, flag_rate }).to_vec())?;
        }
        section(COST_RATIOS.map(Aim::CostRatio).to_vec())?;
        if costs_given {
            section(vec![Aim::GivenCosts])?;
        }
        Ok(TradeOffs {
            lines,
            classes: self.classes().to_vec(),
            rows: self.n_rows(),
            source: self.source(),
            confidence,
            costs,
            costs_given,
        })
    }

    /// What a policy does to these rows, and what that costs; with intervals of this confidence.
    ///
    /// # Errors
    /// A policy or costs for other classes, or a confidence that is not between 0 and 1.
    pub fn at_work(
        &self,
        policy: VerdictPolicy,
        costs: &CostMatrix,
        confidence: f64,
    ) -> Result<AtWork> {
        check_share("confidence", confidence)?;
        policy.check(self.n_classes())?;
        self.cost_policy(costs.clone())?;
        AtWork::new(policy, self, costs, confidence)
    }

    /// The lines of aims of one kind, and the best that these rows can carry of the first they
    /// cannot.
    fn section(
        &self,
        aims: Vec<Aim>,
        confidence: f64,
        costs: &CostMatrix,
    ) -> Result<Vec<TradeOff>> {
        let line = |aim: Aim, is_best: bool| -> Result<TradeOff> {
            let outcome = match aim.policy(self, confidence, costs) {
                Ok(policy) => Ok(AtWork::new(policy, self, costs, confidence)?),
                Err(refusal) if best_of(&refusal).is_some() => Err(refusal),
                Err(error) => return Err(error),
            };
            Ok(TradeOff { aim, is_best, outcome })
        };
        let mut lines = aims.into_iter().map(|aim| line(aim, false)).collect::<Result<Vec<_>>>()?;
        let first_refused = lines.iter().position(|line| line.outcome.is_err());
        let Some(place) = first_refused else { return Ok(lines) };
        let best = lines[place].outcome.as_ref().err().and_then(best_of).flatten();
        if let Some(aim) = best.map(|share| lines[place].aim.with_share(share))
            && lines.iter().all(|line| line.aim != aim)
        {
            lines.insert(place, line(aim, true)?);
        }
        Ok(lines)
    }
}

/// What rows can carry instead of what they cannot; `None` if the error is something else.
fn best_of(error: &Error) -> Option<Option<f64>> {
    match error.kind() {
        ErrorKind::TooFewRows { best, .. }
        | ErrorKind::NoGuarantee { best, .. }
        | ErrorKind::TooManyMissed { best, .. } => Some(*best),
        ErrorKind::BudgetUncovered { .. } => Some(None),
        _ => None,
    }
}

impl Aim {
    fn policy(
        self,
        rows: &CalibrationRows,
        confidence: f64,
        costs: &CostMatrix,
    ) -> Result<VerdictPolicy> {
        let of_class = |class: usize, share: f64| {
            let mut list = vec![None; rows.n_classes()];
            list[class] = Some(share);
            list
        };
        let promises = |precision, miss_rate| {
            VerdictRule::Promises(Promises { precision, miss_rate, confidence })
        };
        let rule = match self {
            Self::Accuracy(accuracy) => VerdictRule::Guarantee { accuracy, confidence },
            Self::Precision { class, share } => promises(of_class(class, share), vec![]),
            Self::MissRate { class, share } => promises(vec![], of_class(class, share)),
            Self::FlagRate(flag_rate) => VerdictRule::Budget { flag_rate },
            Self::Catch { class, flag_rate } => {
                return Ok(rows.catch_policy(class as u32, flag_rate)?.into());
            }
            Self::CostRatio(cost_ratio) => VerdictRule::Cost { cost_ratio },
            Self::GivenCosts => return Ok(rows.cost_policy(costs.clone())?.into()),
        };
        Ok(rows.policy(rule)?.into())
    }

    /// The share or ratio that is asked for; `None` for given costs.
    #[must_use]
    pub fn share(self) -> Option<f64> {
        match self {
            Self::Accuracy(share)
            | Self::Precision { share, .. }
            | Self::MissRate { share, .. }
            | Self::FlagRate(share)
            | Self::Catch { flag_rate: share, .. }
            | Self::CostRatio(share) => Some(share),
            Self::GivenCosts => None,
        }
    }

    /// The class of which something is promised, or that is to be caught, if it is one.
    #[must_use]
    pub fn class(self) -> Option<usize> {
        match self {
            Self::Precision { class, .. }
            | Self::MissRate { class, .. }
            | Self::Catch { class, .. } => Some(class),
            Self::Accuracy(_) | Self::FlagRate(_) | Self::CostRatio(_) | Self::GivenCosts => None,
        }
    }

    /// What the command and Python call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Accuracy(_) => "accuracy",
            Self::Precision { .. } => "precision",
            Self::MissRate { .. } => "miss_rate",
            Self::FlagRate(_) => "flag_rate",
            Self::Catch { .. } => "catch",
            Self::CostRatio(_) => "cost_ratio",
            Self::GivenCosts => "cost_matrix",
        }
    }

    fn with_share(self, share: f64) -> Self {
        match self {
            Self::Accuracy(_) => Self::Accuracy(share),
            Self::Precision { class, .. } => Self::Precision { class, share },
            Self::MissRate { class, .. } => Self::MissRate { class, share },
            Self::FlagRate(_) => Self::FlagRate(share),
            Self::Catch { class, .. } => Self::Catch { class, flag_rate: share },
            Self::CostRatio(_) => Self::CostRatio(share),
            Self::GivenCosts => self,
        }
    }
}
