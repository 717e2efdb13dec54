//! What new rows say of a model: the report of a check, and whether they were trained on.

use super::numbers::{percent, plain_number, written_number};
use crate::check::{Before, Compared, Comparison, Outcome, RowsCheck, Untold};
use crate::error::{Promised, about};
use crate::model::UncoveredRows;
use crate::training::{ComparedRows, NotCompared, SeenRows};
use std::fmt;

/// A feature is named if the test of it alone would be surprising, although one of many is not.
const WORTH_NAMING: f64 = 0.05;

/// A probability to two digits.
fn probability(p: f64) -> String {
    match p {
        ..1e-99 => "p < 1e-99".to_owned(),
        ..0.001 => format!("p = {p:.0e}"),
        ..0.1 => format!("p = {p:.3}"),
        _ => format!("p = {p:.2}"),
    }
}

/// One line, without the name of what was compared where a promise says it.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, whole, .. } = self;
        let [low, high] = self.interval.unwrap_or([0.0, 1.0]).map(|end| 100.0 * end);
        let share = format!("{} of {whole} ({low:.1} to {high:.1} %)", percent(self.share()));
        let before = match self.before {
            Before::Rows { part, whole } => {
                let share = if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
                format!("{} of {whole}", percent(share))
            }
            Before::AtMost(share) => format!("at most {} %", plain_number(100.0 * share)),
        };
        match &self.of {
            Compared::Flagged => write!(f, "flagged: {share}; in calibration {before}")?,
            Compared::Uncovered => write!(f, "uncovered: {share}; in calibration {before}")?,
            Compared::WrongOfDecided => {
                write!(f, "wrong, of decided rows: {share}; in calibration {before}")?;
            }
            Compared::Missed { class } => {
                write!(f, "missed, of rows of '{class}': {share}; in calibration {before}")?;
            }
            Compared::Promise(Promised::Accuracy(_)) => {
                write!(f, "wrong, of decided rows: {share}; promised: {before}")?;
            }
            Compared::Promise(Promised::Precision { class, .. }) => {
                write!(f, "wrong, of rows decided as '{class}': {share}; promised: {before}")?;
            }
            Compared::Promise(Promised::MissRate { class, .. }) => {
                write!(f, "missed, of rows of '{class}': {share}; promised: {before}")?;
            }
            Compared::Unknown { feature } => {
                write!(f, "{feature}: {part} of {whole} values are unknown")?;
            }
            Compared::Outside { feature, range, notation } => {
                let [low, high] = range.map(|end| written_number(notation, end));
                write!(f, "{feature}: {part} of {whole} values are outside {low} to {high}")?;
            }
            Compared::Missing { feature } => {
                write!(f, "{feature}: {part} of {whole} values are missing; in training {before}")?;
            }
        }
        let p = probability(self.adjusted);
        match (self.outcome, &self.of) {
            (_, Compared::Promise(_)) if *whole == 0 => write!(f, ": there are none to tell"),
            (Outcome::Changed, Compared::Promise(_)) => write!(f, ": broken, {p}"),
            (Outcome::Changed, _) => write!(f, ": changed, {p}"),
            (Outcome::Confirmed, _) => write!(f, ": these rows alone confirm it"),
            (Outcome::Unchanged, Compared::Promise(_)) => {
                write!(f, ": not contradicted, {p}")?;
                match self.rows_to_tell {
                    Some(rows) => write!(f, "; at this share {rows} such rows would tell"),
                    None => Ok(()),
                }
            }
            (
                Outcome::Unchanged,
                Compared::Flagged
                | Compared::Uncovered
                | Compared::WrongOfDecided
                | Compared::Missed { .. },
            ) => {
                write!(f, ": no change, {p}")
            }
            (Outcome::Unchanged, _) => write!(f, ": perhaps chance, {p}"),
        }
    }
}

impl fmt::Display for Untold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoCalibrationRows => {
                "whether more rows are flagged than before: the model was not calibrated"
            }
            Self::ApproximateFlags => {
                "whether more rows are flagged than before: that is known of training rows only, \
                 roughly; calibrate on rows kept from training"
            }
            Self::NoTrainingRows => {
                "whether values are those of training: the model does not know its training rows"
            }
            Self::NoLabels => "whether answers are right: no true classes are given",
            Self::NothingPromised => {
                "whether answers are as good as before: the model was not calibrated"
            }
        })
    }
}

/// Flags, uncovered rows and promises, features worth naming, what could not be told, and a conclusion.
impl fmt::Display for RowsCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (of_features, others): (Vec<_>, Vec<_>) =
            self.comparisons.iter().partition(|comparison| comparison.is_of_feature());
        for comparison in &others {
            writeln!(f, "{comparison}")?;
        }
        if let Some(uncovered) = &self.uncovered {
            let is_compared = others.iter().any(|comparison| comparison.of == Compared::Uncovered);
            if !is_compared {
                let UncoveredRows { part, whole, .. } = uncovered;
                writeln!(f, "uncovered: {part} of {whole} rows")?;
            }
            if uncovered.part > 0 {
                writeln!(f, "uncovered because of: {uncovered}")?;
            }
        }
        let named = of_features.iter().filter(|c| c.has_changed() || c.p_value < WORTH_NAMING);
        for comparison in named.clone() {
            writeln!(f, "{comparison}")?;
        }
        if !of_features.is_empty() && named.count() == 0 {
            writeln!(f, "tested features: no value is out of range, unknown or newly missing")?;
        }
        for untold in &self.untold {
            writeln!(f, "cannot tell {untold}")?;
        }
        let changed = self.changed().count();
        let (tests, level) = (self.comparisons.len(), plain_number(100.0 * self.level));
        match (changed, tests) {
            (_, 0) => write!(f, "nothing could be compared"),
            (0, 1) => write!(f, "it holds: the only test does not fail at a level of {level} %"),
            (0, _) => write!(f, "it holds: none of {tests} tests fails at a level of {level} %"),
            _ => {
                let fail = if changed == 1 { "fails" } else { "fail" };
                write!(
                    f,
                    "it does not hold: {changed} of {tests} tests {fail} at a level of {level} %"
                )
            }
        }
    }
}

/// In one line, such as "not trained on, as far as can be told: about 9 % would show".
impl fmt::Display for SeenRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TrainedOn(compared) => f.write_str(&compared.warning()),
            Self::New(compared) => {
                f.write_str("not trained on, as far as can be told")?;
                match compared.detectable() {
                    Some(share) => write!(f, ": {} would show", about(share)),
                    None => Ok(()),
                }
            }
            Self::Unknown(why) => write!(f, "cannot tell whether they were trained on: {why}"),
        }
    }
}

impl fmt::Display for NotCompared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFilter => {
                f.write_str("the model has nothing to recognise its training rows by")
            }
            Self::TwinsInTraining(share) => {
                write!(
                    f,
                    "{} of the training rows have the same features as another",
                    about(*share)
                )
            }
            Self::Twins(share) => {
                write!(f, "{} of these rows have the same features as another", about(*share))
            }
            Self::TooFew(rows) => {
                write!(
                    f,
                    "{rows} distinct rows can be compared, and that takes {}",
                    SeenRows::FEWEST
                )
            }
        }
    }
}

impl ComparedRows {
    /// One sentence on what that means for figures from these rows.
    #[must_use]
    pub fn warning(&self) -> String {
        let (share, rows) = (about(self.share()), self.rows);
        format!("{share} of these {rows} rows were trained on: what follows is too good")
    }
}
