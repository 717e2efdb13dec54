//! What the figures say, and what to do next.

use super::{EvaluateArgs, Outcome};
use crate::effect::effect;
use crate::next_step::{NextStep, new_file};
use crate::session::Session;
use crate::style;
use std::path::Path;
use ternwood::VerdictPolicy;

impl EvaluateArgs {
    /// Says what the verdict of the best method does, what speaks against it, and what comes next.
    pub(super) fn conclude(&self, outcome: &Outcome, session: &Session) {
        let with_zones = outcome.methods.iter().filter(|measured| measured.method.zone() != "none");
        let best = &outcome.methods[outcome.spoken_of()];
        let zone = best.method.zone();
        let of = match with_zones.count() {
            0 => return,
            1 => zone.to_owned(),
            _ => format!("{zone} (the best probabilities)"),
        };
        let rates = &best.figures.rates;
        let found = effect(rates.undecided_rate, rates.decided_accuracy, rates.accuracy);
        let said = format!("{of}: {found}");
        session.note(style::paragraph(&said));
        session.warn(best.record(&outcome.classes).advice());
        if let Some(step) = self.next_step(outcome, session) {
            session.suggest(&step);
        }
    }

    /// After cross-validation the model is to be fitted; a model is to be calibrated on the rows it
    /// was measured with, and then used. A stream cannot be read again.
    fn next_step(&self, outcome: &Outcome, session: &Session) -> Option<NextStep> {
        let best = &outcome.methods[outcome.spoken_of()];
        if [Some(self.data.data.as_path()), self.model.as_deref()].contains(&Some(Path::new("-"))) {
            return None;
        }
        Some(match (&self.model, &self.zones, &best.method.policy) {
            (None, zones, _) => {
                let ending = if self.forest.forest.is_some() { "safetensors" } else { "json" };
                let mut step = session.next("fit").with("output", &new_file("model", ending));
                if zones.is_some() {
                    // Here, costs only priced the flags of the zones.
                    step = step.with("zone", &best.method.zone()).without("costs");
                }
                // A forest has rows out of bag.
                if self.wish.needs_rows() && !self.forest.has_out_of_bag() {
                    step = step.with("hold_out", &HOLD_OUT);
                }
                step
            }
            // Rows it was trained on do not show what a verdict does.
            (Some(_), _, VerdictPolicy::Zones { .. }) if outcome.trained_on => return None,
            (Some(_), _, VerdictPolicy::Zones { .. }) => {
                let step =
                    session.next("calibrate").with("output", &new_file("calibrated", "json"));
                if self.wish.has_costs() { step } else { step.with("flag_rate", &0.1) }
            }
            (
                Some(_),
                _,
                VerdictPolicy::Confidence(_) | VerdictPolicy::Catch(_) | VerdictPolicy::Costs(_),
            ) => session.next("predict").with("output", &new_file("answers", "csv")),
        })
    }
}

/// The share of rows that a suggested fit sets aside for its promise.
const HOLD_OUT: f64 = 0.3;
