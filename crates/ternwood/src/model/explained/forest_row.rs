//! Why a forest is unsure of a row: how many trees are undecided, and because of which features.

use super::Outcome;
use super::alternatives::{Alternative, alternatives, changes_in_words, median, value_in_words};
use super::judged::Judged;
use crate::dataset::{Matrix, one_line};
use crate::ensemble::Doubts;
use crate::error::{ErrorKind, Result};
use crate::exec::Exec;
use crate::model::Model;
use crate::model::deciding::{DecidingValue, change_in_words};
use crate::predict::Verdict;
use crate::recipe::MissingValues;
use crate::tree::{Digits, Test, TestedValue, Zone, class_in_words, percent_apart};
use crate::verdict::VerdictPolicy;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

/// The explanation of a forest's prediction of one row. Prints as a short report.
#[derive(Debug, Clone)]
pub struct ExplainedForestRow<'m> {
    model: &'m Model,
    row: Vec<f64>,
    class: u32,
    distribution: Vec<f64>,
    verdict: Verdict,
    decided: Vec<usize>,
    undecided: usize,
    reasons: Vec<UnsureFeature>,
    /// Names of the row's categories that the model does not know, and what could not be read, by feature.
    unseen: BTreeMap<usize, String>,
    /// Searched for when first needed.
    deciding: OnceLock<Vec<DecidingValue>>,
}

/// A feature whose value some trees cannot place.
#[derive(Debug, Clone, PartialEq)]
pub struct UnsureFeature {
    /// The feature, by index.
    pub feature: usize,
    /// How many trees are undecided because of it: those that have a test of it within whose zone the value
    /// lies, or which does not know the value.
    pub trees: usize,
    /// The row's value.
    pub value: f64,
    /// The median of the thresholds near which the value lies; `None` where none was compared with it.
    pub threshold: Option<f64>,
    /// The median half-width of their zones.
    pub half_width: Option<f64>,
    /// The number of these thresholds, over all trees.
    pub thresholds: usize,
    /// How many of them lie above the value.
    pub thresholds_above: usize,
    /// The zones of the tests that are unsure.
    zones: Vec<Zone>,
    /// A test that is typical of all that are unsure.
    typical: Test,
}

/// The most features that a sentence names.
const NAMED: usize = 3;

/// The most features that a report lists.
const LISTED: usize = 12;

impl<'m> ExplainedForestRow<'m> {
    pub(in crate::model) fn new(model: &'m Model, row: &[f64]) -> Result<Self> {
        let forest = model.forest()?;
        let found = row.len();
        if found != forest.n_features() {
            return Err(ErrorKind::ColumnCount { expected: forest.n_features(), found }.into());
        }
        let answer = model.predict(Matrix::row_major(row, found)?, &Exec::default())?;
        let Doubts { decided, tests } = Doubts::new(model.walkers(), row, forest.n_outputs());
        Ok(Self {
            model,
            row: row.to_vec(),
            class: answer.classes()[0],
            distribution: answer.distribution(0).to_vec(),
            verdict: answer.verdicts()[0],
            undecided: tests.iter().filter(|tests| !tests.is_empty()).count(),
            decided,
            reasons: reasons(&tests, row),
            unseen: BTreeMap::new(),
            deciding: OnceLock::new(),
        })
    }

    /// The same explanation with the name of a category that the model does not know, or the text that could
    /// not be read: a row of numbers cannot have it.
    #[must_use]
    pub fn with_unseen(mut self, feature: usize, name: impl Into<String>) -> Self {
        self.unseen.insert(feature, name.into());
        self
    }

    /// The model that answered.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The answer in words: "healthy with probability 0.620, undecided".
    #[must_use]
    pub fn answer(&self) -> String {
        let class = self.model.schema().classes()[self.class as usize].to_string();
        let probability = self.distribution[self.class as usize];
        format!("{} with probability {probability:.3}, {}", one_line(&class), self.verdict)
    }

    /// The predicted class, by id.
    #[must_use]
    pub fn class(&self) -> u32 {
        self.class
    }

    /// The predicted class probabilities.
    #[must_use]
    pub fn distribution(&self) -> &[f64] {
        &self.distribution
    }

    /// The verdict, by the model's policy.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// What the model answers.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let (distribution, class) = (self.distribution.clone(), self.class);
        Outcome { distribution, class, verdict: self.verdict }
    }

    /// The number of trees.
    #[must_use]
    pub fn n_trees(&self) -> usize {
        self.model.trees().len()
    }

    /// The number of trees that are undecided by their zones.
    #[must_use]
    pub fn undecided_trees(&self) -> usize {
        self.undecided
    }

    /// How many trees are decided for each class.
    #[must_use]
    pub fn decided_trees(&self) -> &[usize] {
        &self.decided
    }

    /// The features that make trees undecided, those of most trees first.
    #[must_use]
    pub fn reasons(&self) -> &[UnsureFeature] {
        &self.reasons
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

    /// What the forest would answer with other values of a feature that makes trees undecided, all else unchanged.
    ///
    /// Of a number the typical lower and upper edge of the zones that it lies in, or where the training rows end; a
    /// side without such a value is left out. If the number is missing, the edges of the zones of the tests that do
    /// not know it. Of a category the two others with the least and the greatest probability of the predicted class.
    #[must_use]
    pub fn alternatives(&self, reason: &UnsureFeature) -> Vec<Alternative> {
        let of = (reason.feature, self.class as usize);
        alternatives(self.model, &self.row, of, &reason.zones)
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
        let with = |test: &Test| TestedValue { test, ..self.tested(reason) }.named();
        let as_given = with(&Test::is_present(reason.feature as u32));
        let Some(half_width) = reason.half_width else { return as_given };
        // Nobody needs more digits than this to see where it lies.
        let digits = Digits::of_half_width(half_width, 3);
        let rounded = with(&reason.typical.clone().with_digits(digits));
        if rounded.len() < as_given.len() { rounded } else { as_given }
    }

    /// The values of single features that would decide the row: see [`Model::deciding_values`].
    #[must_use]
    pub fn would_decide(&self) -> &[DecidingValue] {
        // The row was checked when this was made.
        self.deciding.get_or_init(|| self.model.deciding_values(&self.row).unwrap_or_default())
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
        self.model.not_covered(&self.row, &self.unseen)
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
            test: &reason.typical,
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

/// The features of the tests that cannot place a row, those of most trees first, then in their order.
fn reasons(tests: &[Vec<&Test>], row: &[f64]) -> Vec<UnsureFeature> {
    let mut by_feature: BTreeMap<usize, (usize, Vec<&Test>)> = BTreeMap::new();
    for of_tree in tests {
        let mut counted = std::collections::BTreeSet::new();
        for test in of_tree {
            let feature = test.feature().index();
            let (trees, unsure) = by_feature.entry(feature).or_default();
            *trees += usize::from(counted.insert(feature));
            unsure.push(test);
        }
    }
    let reasons = by_feature.into_iter().map(|(feature, (trees, unsure))| {
        let zones: Vec<Zone> = unsure.iter().filter_map(|test| test.zone()).collect();
        let compared = if row[feature].is_nan() { &[][..] } else { &zones };
        let threshold = median(compared.iter().map(|zone| zone.threshold()));
        let half_width = median(compared.iter().map(|zone| zone.half_width()));
        let typical = threshold.zip(half_width).and_then(|(threshold, half_width)| {
            let test = Test::new(feature as u32, Zone::new(threshold, half_width).ok()?);
            // The last digit is worth at most half of the half-width.
            Some(test.with_digits(Digits::of_half_width(0.5 * half_width, 1)))
        });
        let typical = typical.unwrap_or_else(|| unsure[0].clone());
        let value = row[feature];
        let thresholds = compared.len();
        let thresholds_above = compared.iter().filter(|zone| zone.threshold() > value).count();
        UnsureFeature {
            feature,
            trees,
            value,
            threshold,
            half_width,
            thresholds,
            thresholds_above,
            zones,
            typical,
        }
    });
    let mut reasons: Vec<UnsureFeature> = reasons.collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.trees));
    reasons
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
            let trees =
                if reason.trees == 1 { "1 tree" } else { &format!("{} trees", reason.trees) };
            let effect = self.effect(reason).map_or(String::new(), |effect| format!("; {effect}"));
            writeln!(f, "  {trees}: {}{effect}", self.in_words(reason))?;
        }
        if let Some(more) = self.reasons.get(LISTED..).filter(|more| !more.is_empty()) {
            let features = if more.len() == 1 { "feature" } else { "features" };
            let most =
                if more[0].trees == 1 { "1 tree" } else { &format!("{} trees", more[0].trees) };
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
