//! Trade-offs as a table for people.

use super::names::class_name;
use super::numbers::{plain_number, short_percent};
use crate::error::{Error, ErrorKind};
use crate::verdict::{
    Aim, AtWork, Share, Thresholds, TradeOff, TradeOffs, USUAL_COST_RATIO, VerdictPolicy,
};
use std::fmt;

/// With more classes than this, only the one that is missed most often is shown.
const CLASSES_SHOWN: usize = 3;

/// ```text
/// 1500 rows (held-out); each promise by itself, with 95 % confidence; ...
///                     decided from  flagged                ...
/// decided accuracy
///   0.8               0.5312        4.1 % (3.2 to 5.3)     ...
///   0.953, the best   ...
///   0.97              refused: 5 of the 300 most confident are wrong, at most 3 may be
/// ```
impl fmt::Display for TradeOffs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = short_percent(self.confidence);
        write!(
            f,
            "{} rows ({}); each promise by itself, with {percent} confidence; in brackets \
             intervals of {percent}",
            self.rows, self.source
        )?;
        match self.costs_given {
            true => f.write_str("; costs as given")?,
            false => write!(f, "; a flag costs {USUAL_COST_RATIO} of a wrong answer")?,
        }
        writeln!(f, "; missed: of all rows of a class, those decided as another")?;
        let mut table = vec![self.heading()];
        let mut section = String::new();
        for line in &self.lines {
            let title = self.title(line.aim);
            if title != section {
                table.push(vec![title.clone()]);
                section = title;
            }
            table.push(self.cells(line));
        }
        f.write_str(&aligned(&table))
    }
}

impl TradeOffs {
    fn name(&self, class: usize) -> String {
        class_name(&self.classes[class])
    }

    fn heading(&self) -> Vec<String> {
        let mut cells =
            ["", "decided from", "flagged", "wrong of decided"].map(str::to_owned).to_vec();
        match self.classes.len() {
            n if n <= CLASSES_SHOWN => {
                cells.extend((0..n).map(|class| format!("missed {}", self.name(class))));
            }
            _ => cells.push("missed most".to_owned()),
        }
        cells.push("cost per row".to_owned());
        cells
    }

    fn title(&self, aim: Aim) -> String {
        match aim {
            Aim::Accuracy(_) => "decided accuracy, at least".to_owned(),
            Aim::Precision { class, .. } => {
                format!("precision of rows decided as {}, at least", self.name(class))
            }
            Aim::MissRate { class, .. } => {
                format!("share of {} decided as another, at most", self.name(class))
            }
            Aim::FlagRate(_) => "share of flagged rows, at most".to_owned(),
            Aim::Catch { class, .. } => {
                format!("share of rows flagged to catch {}, at most", self.name(class))
            }
            Aim::CostRatio(_) => "a flag costs, in wrong answers".to_owned(),
            Aim::GivenCosts => "the least expected cost".to_owned(),
        }
    }

    fn cells(&self, line: &TradeOff) -> Vec<String> {
        let share = line.aim.share().map_or_else(|| "costs given".to_owned(), plain_number);
        let best = if line.is_best { ", the best" } else { "" };
        let mut cells = vec![format!("  {share}{best}")];
        match &line.outcome {
            Ok(at_work) => cells.extend(self.figures(at_work, line.aim)),
            Err(refusal) => cells.push(format!("refused: {}", reason(refusal))),
        }
        cells
    }

    fn figures(&self, at_work: &AtWork, aim: Aim) -> Vec<String> {
        let AtWork { policy, flagged, wrong, missed, cost, cost_interval, .. } = at_work;
        let mut from = self.decided_from(policy, aim);
        if let Aim::Precision { class, .. } = aim {
            let Share { part, whole, .. } = at_work.precise[class];
            from += &format!(": {part} of {whole} right");
        }
        let mut cells = vec![from, interval(flagged), interval(wrong)];
        if missed.len() <= CLASSES_SHOWN {
            cells.extend(missed.iter().map(interval));
        } else {
            let rate = |class: &usize| missed[*class].value().unwrap_or(0.0);
            // The first of those that are missed equally often.
            let most = (0..missed.len()).rev().max_by(|a, b| rate(a).total_cmp(&rate(b)));
            let most =
                most.map(|class| format!("{} {}", self.name(class), interval(&missed[class])));
            cells.push(most.unwrap_or_default());
        }
        let [low, high] = cost_interval;
        cells.push(format!("{cost:.3} ({low:.3} to {high:.3})"));
        cells
    }

    /// The thresholds that are above 0.
    fn decided_from(&self, policy: &VerdictPolicy, aim: Aim) -> String {
        let rounded = |threshold: f64| plain_number((1e4 * threshold).round() / 1e4);
        let policy = match policy {
            VerdictPolicy::Confidence(policy) => policy,
            VerdictPolicy::Catch(policy) => {
                let name = self.name(policy.class() as usize);
                return format!("{name} up to {}", rounded(policy.threshold()));
            }
            VerdictPolicy::Zones { .. } | VerdictPolicy::Costs(_) => return "by class".to_owned(),
        };
        let short = |threshold: f64| match threshold {
            0.0 => "always".to_owned(),
            _ => rounded(threshold),
        };
        let of = |class: usize| match policy.thresholds().of(class as u32) {
            Some(threshold) => short(threshold),
            None => "never".to_owned(),
        };
        match (policy.thresholds(), aim) {
            (Thresholds::Same(threshold), _) => short(*threshold),
            (Thresholds::ByClass(_), Aim::MissRate { class, .. }) if self.classes.len() > 2 => {
                // All others have the same.
                let other = usize::from(class == 0);
                format!("not {} {}", self.name(class), of(other))
            }
            (Thresholds::ByClass(_), Aim::MissRate { class, .. }) => {
                format!("{} {}", self.name(1 - class), of(1 - class))
            }
            (Thresholds::ByClass(_), Aim::Precision { class, .. }) => {
                format!("{} {}", self.name(class), of(class))
            }
            (Thresholds::ByClass(_), _) => "by class".to_owned(),
        }
    }
}

/// "4.1 % (3.2 to 5.3)"
fn interval(share: &Share) -> String {
    let (Some(value), Some([low, high])) = (share.value(), share.interval) else {
        return "-".to_owned();
    };
    let [value, low, high] = [value, low, high].map(|share| 100.0 * share);
    format!("{value:.1} % ({low:.1} to {high:.1})")
}

/// Why a promise is refused, in a few words.
fn reason(refusal: &Error) -> String {
    match refusal.kind() {
        ErrorKind::TooFewRows { promised, needed, found, .. } => {
            format!("{found} {}, at least {needed} are needed", promised.rows())
        }
        ErrorKind::NoGuarantee { decided, wrong, allowed, .. } => {
            format!("{wrong} of the {decided} most confident wrong, at most {allowed} may be")
        }
        ErrorKind::TooManyMissed { rows, missed, allowed, .. } => {
            format!("{missed} of {rows} missed even where surest, at most {allowed} may be")
        }
        ErrorKind::BudgetUncovered { rows, uncovered, .. } => {
            format!("{uncovered} of {rows} rows are uncovered, and flagged whatever the budget")
        }
        other => other.to_string(),
    }
}

/// Cells in columns, two spaces apart. The last cell of a line may be longer than its column.
fn aligned(table: &[Vec<String>]) -> String {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let inner = table.iter().filter(|cells| cells.len() > column + 1);
        inner.map(|cells| cells[column].chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |cells: &Vec<String>| {
        let padded = cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        let text = padded.collect::<Vec<String>>().join("  ");
        format!("{}\n", text.trim_end())
    };
    table.iter().map(line).collect()
}
