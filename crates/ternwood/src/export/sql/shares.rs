//! At a split: the side of a row, the share of it that goes left, and where it goes by the
//! threshold alone.

use super::Writer;
use super::input::input_name;
use crate::dataset::FeatureKind;
use crate::tree::{NodeId, Outcome, PresentValues, Side, Test, Zone};

/// Sides in a column of their own: below, within, above; and two kinds of unknown values.
pub(super) const BELOW: i32 = -1;
pub(super) const WITHIN: i32 = 0;
pub(super) const ABOVE: i32 = 1;
pub(super) const MISSING: i32 = 2;
pub(super) const UNREADABLE: i32 = 3;

pub(super) fn side_name(node: NodeId) -> String {
    format!("s{node}")
}

pub(super) fn share_name(node: NodeId) -> String {
    format!("w{node}")
}

pub(super) fn left_name(node: NodeId) -> String {
    format!("g{node}")
}

/// The share of a row that arrives at a node.
pub(super) fn part_name(node: NodeId) -> String {
    format!("a{node}")
}

/// One column about a test.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum About {
    Side,
    LeftShare,
    /// 1 if the row goes left by the threshold alone, else 0.
    GoesLeft,
}

impl About {
    pub(super) fn name(self, node: NodeId) -> String {
        match self {
            Self::Side => side_name(node),
            Self::LeftShare => share_name(node),
            Self::GoesLeft => left_name(node),
        }
    }
}

impl Writer<'_> {
    /// What a column says of the row at a test.
    pub(super) fn about(self, test: &Test, about: About) -> String {
        let plain = test.plain();
        let x = input_name(plain.feature);
        let of = |outcome: Outcome, unknown: i32| self.constant(outcome, about, unknown);
        let missing = format!("WHEN {x} IS NULL THEN {}", of(plain.missing, MISSING));
        let kind = &self.model.schema().features()[plain.feature].kind;
        let unseen = match (&plain.present, kind) {
            // A rank that nobody knows cannot be compared.
            (_, FeatureKind::Ordered(_)) => plain.unknown,
            (PresentValues::Categories { unseen, .. }, _) => *unseen,
            (PresentValues::All(outcome), FeatureKind::Categories(_)) => *outcome,
            _ => plain.unknown,
        };
        let unseen = of(unseen, UNREADABLE);
        let outcomes = |n_ids: usize| -> Vec<String> {
            (0..n_ids).map(|id| of(test.outcome(id as f64), UNREADABLE)).collect()
        };
        match (&plain.present, kind) {
            (PresentValues::Numbers(zone), FeatureKind::Number) => {
                let unreadable = self.unreadable(&x, &of(plain.unknown, UNREADABLE));
                format!("CASE {missing}{unreadable}{} END", self.compared(&x, *zone, about))
            }
            (PresentValues::All(outcome), FeatureKind::Number) => {
                let unreadable = self.unreadable(&x, &of(plain.unknown, UNREADABLE));
                format!("CASE {missing}{unreadable} ELSE {} END", of(*outcome, UNREADABLE))
            }
            (_, FeatureKind::Categories(names) | FeatureKind::Ordered(names)) => {
                format!(
                    "CASE {missing}{} ELSE {unseen} END",
                    listed(&x, &outcomes(names.len()), &unseen)
                )
            }
            // Model::new refuses such a test.
            (PresentValues::Categories { .. }, FeatureKind::Number) => {
                format!("CASE {missing} ELSE {unseen} END")
            }
        }
    }

    fn unreadable(self, x: &str, value: &str) -> String {
        let marker = self.options.dialect.unreadable();
        marker.map_or_else(String::new, |marker| format!(" WHEN {x} = {marker} THEN {value}"))
    }

    /// A number and a zone.
    fn compared(self, x: &str, zone: Zone, about: About) -> String {
        let [lower, cut, upper] = [zone.lower(), zone.threshold(), zone.upper()];
        let below = self.reaches(x, "<=", lower);
        let above = self.reaches(x, ">", upper);
        match about {
            About::GoesLeft => format!(" WHEN {x} <= {} THEN 1 ELSE 0", self.number(cut)),
            About::Side => format!("{}{} ELSE {WITHIN}", then(&below, BELOW), then(&above, ABOVE)),
            About::LeftShare => {
                let [one, zero] = [1.0, 0.0].map(|share| self.number(share));
                let sides = format!("{}{}", then(&below, &one), then(&above, &zero));
                match zone.half_width() {
                    0.0 => format!("{sides} ELSE {zero}"),
                    _ => sides + &self.within(x, zone),
                }
            }
        }
    }

    /// A comparison with an edge; `None` if the edge is infinite, and no number is beyond it.
    fn reaches(self, x: &str, operator: &str, edge: f64) -> Option<String> {
        edge.is_finite().then(|| format!("{x} {operator} {}", self.number(edge)))
    }

    /// The share of a number within a zone, as [`Zone::left_weight`] computes it.
    fn within(self, x: &str, zone: Zone) -> String {
        let [lower, upper, width] = [zone.lower(), zone.upper(), 2.0 * zone.half_width()];
        let [zero, half, one] = [0.0, 0.5, 1.0].map(|share| self.number(share));
        let usual = width.is_finite() && (upper - lower.max(f64::MIN)).is_finite();
        if usual {
            let [upper, width] = [upper, width].map(|number| self.number(number));
            // The share of a number next to the lower edge may be rounded to more than 1.
            return format!(
                " WHEN {upper} - {x} >= {width} THEN {one} ELSE ({upper} - {x}) / {width}"
            );
        }
        let (middle, width) = (self.number(0.5 * zone.threshold()), self.number(zone.half_width()));
        let share = format!("{half} + ({middle} - {half} * {x}) / {width}");
        format!(" WHEN {share} >= {one} THEN {one} WHEN {share} <= {zero} THEN {zero} ELSE {share}")
    }

    /// The share of a part that goes left, if a zone divides only into parts that are large enough.
    pub(super) fn divided_share(self, part: &str, node: NodeId) -> String {
        let (share, left) = (share_name(node), left_name(node));
        let least = self.number(self.model.recipe().least_share);
        format!(
            "CASE WHEN {part} * {share} >= {least} AND {part} - {part} * {share} >= {least} THEN {share} ELSE {left} END"
        )
    }

    /// A value that does not depend on the row.
    fn constant(self, outcome: Outcome, about: About, unknown: i32) -> String {
        match about {
            About::Side if outcome.is_unknown => unknown.to_string(),
            About::Side => match outcome.side {
                Side::Below => BELOW.to_string(),
                Side::Within => WITHIN.to_string(),
                Side::Above => ABOVE.to_string(),
            },
            About::LeftShare => self.number(outcome.left_share),
            About::GoesLeft => u8::from(outcome.goes_left).to_string(),
        }
    }
}

fn then(condition: &Option<String>, value: impl std::fmt::Display) -> String {
    condition
        .as_ref()
        .map_or_else(String::new, |condition| format!(" WHEN {condition} THEN {value}"))
}

/// One case for every outcome that differs from that of categories nobody knows.
fn listed(x: &str, outcomes: &[String], unseen: &str) -> String {
    let mut cases: Vec<(&str, Vec<String>)> = Vec::new();
    for (id, outcome) in outcomes.iter().enumerate().filter(|(_, outcome)| *outcome != unseen) {
        match cases.iter_mut().find(|(known, _)| known == outcome) {
            Some((_, ids)) => ids.push(id.to_string()),
            None => cases.push((outcome, vec![id.to_string()])),
        }
    }
    let case = |(outcome, ids): &(&str, Vec<String>)| {
        format!(" WHEN {x} IN ({}) THEN {outcome}", ids.join(", "))
    };
    cases.iter().map(case).collect()
}
