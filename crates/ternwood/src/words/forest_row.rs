//! Why a forest is unsure of a row: how many trees are undecided, and because of which features.

use super::names::{class_in_words, counted, listed};
use super::numbers::{ShownTest, exact_number, percent_apart};
use super::row::{Judged, change_in_words, not_covered};
use super::test::TestedValue;
use crate::dataset::{Feature, FeatureKind, one_line};
use crate::model::{Alternative, ExplainedForestRow, UnsureFeature};
use crate::recipe::MissingValues;
use crate::tree::{Digits, Test};
use crate::verdict::VerdictPolicy;
use std::fmt;

/// The most features that a sentence names.
const NAMED: usize = 3;

/// The most features that a report lists.
const LISTED: usize = 12;

impl ExplainedForestRow<'_> {
    /// The answer in words: "healthy with probability 0.620, undecided".
    #[must_use]
    pub fn answer(&self) -> String {
        let class = self.model.schema().classes()[self.class as usize].to_string();
        let probability = self.distribution[self.class as usize];
        format!("{} with probability {probability:.3}, {}", one_line(&class), self.verdict)
    }

    /// The reason in words: "2 of 3 thresholds lie above glucose 126.4", "glucose is missing".
    #[must_use]
    pub fn in_words(&self, reason: &UnsureFeature) -> String {
        let named = self.named(reason);
        match (reason.thresholds_above, reason.thresholds) {
            (_, 0) => format!("{named} {}", self.tested(reason).doubt_of_many()),
            (1, 1) => format!("the threshold lies above {named}"),
            (_, 1) => format!("the threshold does not lie above {named}"),
            (above, all) => format!("{above} of {all} thresholds lie above {named}"),
        }
    }

    /// Which way a feature pulls, and how far: "the probability of healthy would rise to 75 % at 124.5 and fall to
    /// 61 % at 129.4". `None` without [`alternatives`](Self::alternatives).
    #[must_use]
    pub fn effect(&self, reason: &UnsureFeature) -> Option<String> {
        let changes = self.changes(reason, None)?;
        let class = class_in_words(self.model.schema(), self.class);
        Some(format!("the probability of {class} would {changes}"))
    }

    /// The same in few words: "healthy 75 % at 124.5, 61 % at 129.4".
    #[must_use]
    pub fn effect_in_brief(&self, reason: &UnsureFeature) -> Option<String> {
        let feature = &self.model.schema().features()[reason.feature];
        let at = if feature.kind.is_number() { "at" } else { "with" };
        let in_brief = |it: &Alternative| {
            let probability = percent_apart(it.distribution[self.class as usize], &[]);
            format!("{probability} {at} {}", value_in_words(feature, it.value))
        };
        let alternatives: Vec<String> = self.alternatives(reason).iter().map(in_brief).collect();
        let class = class_in_words(self.model.schema(), self.class);
        (!alternatives.is_empty()).then(|| format!("{class} {}", alternatives.join(", ")))
    }

    /// "rise to 75 % at 124.5 and fall to 61 % at 129.4"; with a name "rise to 75 % with glucose 124.5 and ...".
    fn changes(&self, reason: &UnsureFeature, name: Option<&str>) -> Option<String> {
        let class = self.class as usize;
        let alternatives = self.alternatives(reason);
        let then = alternatives.iter().map(|it| (it.value, it.distribution[class]));
        let feature = &self.model.schema().features()[reason.feature];
        let words = changes_in_words(feature, self.distribution[class], then, name);
        (!alternatives.is_empty()).then_some(words)
    }

    /// The feature and the row's value: "glucose 126.4".
    #[must_use]
    pub fn named(&self, reason: &UnsureFeature) -> String {
        let with = |shown| TestedValue { shown, ..self.tested(reason) }.named();
        let as_given = Test::is_present(reason.feature as u32);
        let as_given = with(ShownTest { test: &as_given, digits: None });
        let Some(half_width) = reason.half_width else { return as_given };
        // Nobody needs more digits than this to see where it lies.
        let digits = Digits::of_half_width(half_width, 3);
        let rounded = with(ShownTest { test: &reason.typical, digits });
        if rounded.len() < as_given.len() { rounded } else { as_given }
    }

    /// Why the row is undecided, and what would decide it; or why it is decided although some trees are not. `None`
    /// for a decided row of which all trees are decided.
    ///
    /// - "Flagged as not covered: the training table had no gaps in income."
    /// - "Flagged: 62 % sure, below 80 %. 37 of 100 trees are undecided: 21 because of glucose 126.4, 9 because of
    ///   age 50. The probability of healthy (62 %) would rise to 71 % with glucose 121 and fall to 48 % with glucose
    ///   133; rise to 65 % with age 41 and fall to 60 % with age 69. A single change would decide it: glucose 115 (healthy)."
    /// - "Flagged: could still be ill: 23 %, above 18 %. 37 of 100 trees are undecided: ..."
    /// - "Decided: 93 % sure, not below 80 %. 4 of 100 trees are undecided: 4 because of glucose 126.4. ..."
    /// - "Flagged: 41 of 100 trees are decided for healthy, and it takes more than half. ..."
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let parts = [Some(self.reason()?), self.change()];
        Some(parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }

    /// The [sentence](Self::sentence) without what would decide the row, which takes longer to find.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        if let Some(why) = self.not_covered() {
            return Some(format!("Flagged as not covered: {why}."));
        }
        let is_told = self.verdict.is_undecided() || self.undecided > 0;
        is_told.then(|| format!("{} {}", self.judgement(), self.of_trees()))
    }

    /// What would decide an undecided row.
    fn change(&self) -> Option<String> {
        let reasons: Vec<usize> = self.reasons.iter().map(|reason| reason.feature).collect();
        let schema = self.model.schema();
        let change = || change_in_words(schema, self.would_decide(), &reasons);
        self.verdict.is_undecided().then(change)
    }

    /// Why the policy does not cover the row: "the training table had no gaps in income". `None` if
    /// it does, or if it judges such rows like all others.
    #[must_use]
    pub fn not_covered(&self) -> Option<String> {
        not_covered(self.model, &self.row, &self.unseen)
    }

    /// How many trees are undecided and because of what, which way these features pull, and how far: "37 of 100 trees
    /// are undecided: 21 because of glucose 126.4, 9 because age is missing. The probability of healthy (62 %) would
    /// rise to 71 % with glucose 121 and fall to 48 % with glucose 133."
    #[must_use]
    pub fn of_trees(&self) -> String {
        let effect = |reason: &UnsureFeature| {
            let name = one_line(&self.model.schema().features()[reason.feature].name);
            self.changes(reason, Some(&name))
        };
        let effects: Vec<String> = self.reasons.iter().take(NAMED).filter_map(effect).collect();
        let counted = self.counted_trees();
        if effects.is_empty() {
            return counted;
        }
        let class = class_in_words(self.model.schema(), self.class);
        let now = percent_apart(self.distribution[self.class as usize], &[]);
        format!("{counted} The probability of {class} ({now}) would {}.", effects.join("; "))
    }

    /// "37 of 100 trees are undecided: 21 because of glucose 126.4, 9 because age is missing."
    fn counted_trees(&self) -> String {
        let (undecided, trees) = (self.undecided, self.n_trees());
        let undecided = match undecided {
            0 => return format!("None of {trees} trees is undecided."),
            1 => format!("1 of {trees} trees is undecided"),
            _ => format!("{undecided} of {trees} trees are undecided"),
        };
        let because = |reason: &UnsureFeature| match reason.thresholds {
            0 => format!("{} because {}", reason.trees, self.in_words(reason)),
            _ => format!("{} because of {}", reason.trees, self.named(reason)),
        };
        let mut because: Vec<String> = self.reasons.iter().take(NAMED).map(because).collect();
        match self.reasons.len().saturating_sub(NAMED) {
            0 => {}
            1 => because.push("some because of 1 more feature".to_owned()),
            more => because.push(format!("some because of {more} more features")),
        }
        format!("{undecided}: {}.", because.join(", "))
    }

    /// What the policy says: "Flagged: 62 % sure, below 80 %."
    fn judgement(&self) -> String {
        let Self { model, distribution, class, verdict, .. } = self;
        if let Some(why) = self.not_covered() {
            return format!("Flagged as not covered: {why}.");
        }
        let judged = Judged { model, distribution, class: *class };
        match (model.verdict(), verdict.is_decided()) {
            (VerdictPolicy::Zones { .. }, decided) => {
                let (votes, trees) = (self.decided[*class as usize], self.n_trees());
                let class = class_in_words(model.schema(), *class);
                let of_trees = format!("{votes} of {trees} trees are decided for {class}");
                match decided {
                    true => format!("Decided: {of_trees}, more than half."),
                    false => format!("Flagged: {of_trees}, and it takes more than half."),
                }
            }
            (_, false) => judged.flagged(),
            (_, true) => {
                let (ruling, because) = judged.why_decided();
                format!("{ruling}: {because}.")
            }
        }
    }

    fn tested<'a>(&'a self, reason: &'a UnsureFeature) -> TestedValue<'a> {
        let params = &self.model.recipe().params;
        TestedValue {
            shown: ShownTest { test: &reason.typical, digits: reason.digits },
            schema: self.model.schema(),
            meaning: self.model.zone_meaning(),
            value: self.row[reason.feature],
            unseen: self.unseen.get(&reason.feature).map(String::as_str),
            rows: 0,
            fewest_rows: params.min_samples_category,
            learns_missing: params.missing != MissingValues::Unknown,
        }
    }
}

impl fmt::Display for ExplainedForestRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let classes = self.model.schema().classes();
        writeln!(f, "{}", self.answer())?;
        writeln!(f, "{}", self.judgement())?;
        writeln!(f, "{}", self.counted_trees())?;
        if let Some(change) = self.change() {
            writeln!(f, "{change}")?;
        }
        for reason in self.reasons.iter().take(LISTED) {
            let trees = counted(reason.trees, "tree");
            let effect = self.effect(reason).map_or(String::new(), |effect| format!("; {effect}"));
            writeln!(f, "  {trees}: {}{effect}", self.in_words(reason))?;
        }
        if let Some(more) = self.reasons.get(LISTED..).filter(|more| !more.is_empty()) {
            let features = if more.len() == 1 { "feature" } else { "features" };
            let most = counted(more[0].trees, "tree");
            writeln!(f, "  {} more {features}, of at most {most} each", more.len())?;
        }
        write!(f, "  trees that are decided:")?;
        let mut votes: Vec<(usize, &usize)> = self.decided.iter().enumerate().collect();
        votes.sort_by_key(|(_, votes)| std::cmp::Reverse(**votes));
        let votes: Vec<String> = votes
            .into_iter()
            .filter(|(_, votes)| **votes > 0)
            .map(|(class, votes)| format!("{votes} for {}", one_line(&classes[class].to_string())))
            .collect();
        match votes.is_empty() {
            true => writeln!(f, " none"),
            false => writeln!(f, " {}", votes.join(", ")),
        }
    }
}

/// What becomes of a probability: "rise to 74 % at 4.5 and fall to 50 % at 8.1", or with the name of the feature "rise to
/// 74 % with glucose 4.5 and ...".
fn changes_in_words(
    feature: &Feature,
    now: f64,
    then: impl Iterator<Item = (f64, f64)>,
    name: Option<&str>,
) -> String {
    let shown_now = percent_apart(now, &[]);
    let change = |(value, then): (f64, f64)| {
        let shown = percent_apart(then, &[]);
        let verb = match () {
            () if shown == shown_now => "stay at",
            () if then > now => "rise to",
            () => "fall to",
        };
        let value = value_in_words(feature, value);
        match name {
            Some(name) => format!("{verb} {shown} with {name} {value}"),
            None if feature.kind.is_number() => format!("{verb} {shown} at {value}"),
            None => format!("{verb} {shown} with {value}"),
        }
    };
    then.map(change).collect::<Vec<_>>().join(" and ")
}

/// A number, or the name of a category.
fn value_in_words(feature: &Feature, value: f64) -> String {
    match feature.kind {
        FeatureKind::Number => exact_number(feature, value),
        FeatureKind::Categories(_) | FeatureKind::Ordered(_) => listed(feature, &[value as u32]),
    }
}
