//! Rules in words: "ill (93 %, 15 rows): glucose above 6.85 ± 0.12, pressure above 132.0 ± 1.5".

use super::Rules;
use super::condition::{Bound, Condition, Edge, Truth};
use super::rule::Rule;
use crate::dataset::{Feature, FeatureKind, one_line};
use crate::model::SingleTree;
use crate::tree::Zone;
use crate::words::{ShownZone, counted, listed, percent_apart};
use std::fmt;

impl Rules<'_> {
    /// A rule in words.
    #[must_use]
    pub fn describe(&self, rule: &Rule) -> String {
        let class = self.model.schema().classes()[rule.class() as usize].to_string();
        let rows = match rule.rows() {
            0 => "no rows".to_owned(),
            rows => counted(rows as usize, "row"),
        };
        let conditions = self.conditions_in_words(rule);
        let probability = percent_apart(rule.probability(), &[]);
        format!("{} ({probability}, {rows}): {conditions}", one_line(&class))
    }

    /// All conditions of a rule in words: "glucose above 6.85 ± 0.12, pressure above 132.0 ± 1.5".
    #[must_use]
    pub fn conditions_in_words(&self, rule: &Rule) -> String {
        let conditions = rule.conditions().iter().map(|it| self.describe_condition(it));
        let mut conditions = conditions.collect::<Vec<_>>().join(", ");
        if conditions.is_empty() {
            conditions += "always";
        }
        if !rule.can_be_true() {
            conditions += "; never surely";
        }
        conditions
    }

    /// A condition in words: "glucose above 6.85 ± 0.12", "glucose above 6.85 (blended between 6.73 and 6.97)", "job in {clerk, nurse} (unsure: pilot)",
    /// "education from Masters on", "glucose below 7.1 or missing", "glucose missing".
    #[must_use]
    pub fn describe_condition(&self, condition: &Condition) -> String {
        let feature = &self.model.schema().features()[condition.feature().index()];
        let name = one_line(&feature.name);
        let values = match &feature.kind {
            _ if condition.present() == Truth::False => None,
            FeatureKind::Number => numbers(self.model, condition),
            FeatureKind::Categories(_) if condition.categories().is_none() => None,
            FeatureKind::Categories(names) => Some(categories(feature, names.len(), condition)),
            FeatureKind::Ordered(names) => ranks(feature, names.len(), condition),
        };
        match (values, condition.missing()) {
            (Some(values), Truth::True) => format!("{name} {values} or missing"),
            (Some(values), _) => format!("{name} {values}"),
            (None, Truth::True) => format!("{name} missing"),
            (None, _) => format!("{name} present"),
        }
    }
}

/// One line per rule.
impl fmt::Display for Rules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|rule| writeln!(f, "{}", self.describe(rule)))
    }
}

/// "above 6.85 ± 0.12 and below 7.40"; `None` without bounds.
fn numbers(model: SingleTree<'_>, condition: &Condition) -> Option<String> {
    let above = condition.above().map(|bound| match BoundWords::of(model, bound) {
        BoundWords::Zone(zone) => format!("above {zone}"),
        BoundWords::Edges([lower, upper]) => format!("above {upper} (unsure from {lower})"),
    });
    let below = condition.below().map(|bound| match BoundWords::of(model, bound) {
        BoundWords::Zone(zone) => format!("below {zone}"),
        BoundWords::Edges([lower, upper]) => format!("below {lower} (unsure up to {upper})"),
    });
    match (above, below) {
        (Some(above), Some(below)) => Some(format!("{above} and {below}")),
        (above, below) => above.or(below),
    }
}

/// A bound as people see it.
enum BoundWords {
    /// "6.85 ± 0.12", "6.85 (blended between 6.73 and 6.97)", or "6.85" without a zone.
    Zone(String),
    /// The edges of a bound that is no test's own.
    Edges([String; 2]),
}

impl BoundWords {
    fn of(model: SingleTree<'_>, bound: Bound) -> Self {
        let Bound { lower, upper } = bound;
        let (Some((zone, shown)), [low, high]) =
            (shown_zone(model, lower), [lower, upper].map(|edge| shown_edge(model, edge)))
        else {
            return Self::Edges([lower, upper].map(|edge| edge.at.to_string()));
        };
        if lower.node == upper.node && [lower.at, upper.at] == [zone.lower(), zone.upper()] {
            return Self::Zone(shown.in_a_clause(model.zone_meaning()));
        }
        if lower.at == upper.at { Self::Zone(low) } else { Self::Edges([low, high]) }
    }
}

fn shown_zone(model: SingleTree<'_>, edge: Edge) -> Option<(Zone, ShownZone)> {
    let test = model.tree().shown_test(edge.node)?;
    Some((test.test.zone()?, test.zone(model.schema())?))
}

/// An edge with the digits of the test it is from.
fn shown_edge(model: SingleTree<'_>, edge: Edge) -> String {
    match shown_zone(model, edge) {
        Some((zone, shown)) if edge.at == zone.threshold() => shown.threshold,
        Some((zone, shown)) if edge.at == zone.lower() => shown.lower,
        Some((_, shown)) => shown.upper,
        None => edge.at.to_string(),
    }
}

/// "in {clerk, nurse} (unsure: pilot)".
fn categories(feature: &Feature, n_categories: usize, condition: &Condition) -> String {
    let [sure, unsure] = ids(n_categories, condition);
    match (sure.as_slice(), unsure.as_slice()) {
        ([], []) => "in {}".to_owned(),
        ([], unsure) => format!("unsure {{{}}}", listed(feature, unsure)),
        (sure, unsure) => format!("in {{{}}}", listed(feature, sure)) + &doubts(feature, unsure),
    }
}

/// "from Masters on (unsure: Bachelors)"; `None` if all ranks fulfil it.
fn ranks(feature: &Feature, n_ranks: usize, condition: &Condition) -> Option<String> {
    let [sure, unsure] = ids(n_ranks, condition);
    let named = |id: u32| listed(feature, &[id]);
    let (Some(&first), Some(&last)) = (sure.first(), sure.last()) else {
        return Some(categories(feature, n_ranks, condition));
    };
    let sure = match (first == 0, last as usize + 1 == n_ranks) {
        (true, true) => return None,
        (true, false) => format!("up to {}", named(last)),
        (false, true) => format!("from {} on", named(first)),
        (false, false) if first == last => named(first),
        (false, false) => format!("from {} to {}", named(first), named(last)),
    };
    Some(sure + &doubts(feature, &unsure))
}

fn doubts(feature: &Feature, unsure: &[u32]) -> String {
    match unsure {
        [] => String::new(),
        unsure => format!(" (unsure: {})", listed(feature, unsure)),
    }
}

/// The categories that surely fulfil a condition, and those that may.
fn ids(n_categories: usize, condition: &Condition) -> [Vec<u32>; 2] {
    [Truth::True, Truth::Undecided].map(|wanted| {
        let fulfils = |&id: &u32| condition.truth(f64::from(id)) == wanted;
        (0..n_categories as u32).filter(fulfils).collect()
    })
}
