//! The last steps: whether the verdict covers a row, its class, its verdict, and the reason in words that do not
//! depend on its values.

use super::dialect::Dialect;
use super::levels::{DOUBT, MISSING, UNREADABLE, WITHIN, doubt, probability_name};
use super::query::{Columns, Query, UNSEEN, input_name};
use super::{Writer, key_name, probability_column};
use crate::dataset::{ClassName, FeatureKind, Schema, one_line};
use crate::error::Result;
use crate::model::{CoveredFeature, Model, ZoneMeaning};
use crate::verdict::{CostMatrix, Thresholds, Uncovered, VerdictPolicy};
use crate::words::{ShownTest, class_in_words};

/// The id of the predicted class.
const ANSWER: &str = "answer";
const DECIDED: &str = "decided";
const IN_WORDS: &str = "in_words";
/// Why the row is not covered; empty if it is.
const NOT_COVERED: &str = "not_covered";
/// By costs: what a flag is expected to cost.
const FLAG: &str = "flag";

fn cost_name(class: usize) -> String {
    format!("e{class}")
}

impl Writer<'_> {
    /// From probabilities and the first doubt to the whole query.
    pub(super) fn answer(self, mut query: Query) -> Result<String> {
        let costs = match self.model.verdict() {
            VerdictPolicy::Costs(policy) => Some(policy.costs()),
            VerdictPolicy::Zones { .. }
            | VerdictPolicy::Confidence(_)
            | VerdictPolicy::Catch(_) => None,
        };
        if let Some(costs) = costs {
            let mut columns = self.with_answers();
            self.costs(costs, &mut columns);
            query.step("costs", &columns)?;
        }
        let mut columns = self.with_answers();
        match costs {
            // The exponent of a forest keeps the order of the classes, but may make two equal.
            None if is_forest_by_zones(self.model) => columns.add(ANSWER, "first"),
            None => columns.add(ANSWER, &self.first_best(probability_name, ">=")),
            Some(_) => {
                self.classes().for_each(|class| columns.carry(&cost_name(class)));
                columns.carry(FLAG);
                columns.add(ANSWER, &self.first_best(cost_name, "<="));
            }
        }
        query.step("answer", &columns)?;
        let mut columns = self.with_answers();
        columns.carry(ANSWER);
        columns.add(DECIDED, &self.decided());
        columns.add(IN_WORDS, &self.doubt_in_words());
        if self.tells_covered() {
            columns.add(NOT_COVERED, &self.uncovered_in_words());
        }
        query.step("verdict", &columns)?;
        query.finish(&self.result())
    }

    /// Keys, probabilities and doubt.
    fn with_answers(self) -> Columns {
        let mut columns = self.with_keys();
        self.classes().for_each(|class| columns.carry(&probability_name(class)));
        columns.carry(DOUBT);
        columns
    }

    /// Expected costs, added in the order of the classes.
    fn costs(self, costs: &CostMatrix, columns: &mut Columns) {
        let mean = |cost: &dyn Fn(usize) -> f64| {
            let product = |k: usize| format!("{} * {}", probability_name(k), self.number(cost(k)));
            self.classes().map(product).collect::<Vec<_>>().join(" + ")
        };
        for class in self.classes() {
            columns.add(&cost_name(class), &mean(&|k| costs.of_answer(k, class)));
        }
        columns.add(FLAG, &mean(&|k| costs.of_flag(k)));
    }

    /// The first class that no later one beats.
    pub(super) fn first_best(self, name: fn(usize) -> String, beats: &str) -> String {
        let last = self.classes().end - 1;
        let mut cases = String::new();
        for class in 0..last {
            let others =
                (class + 1..=last).map(|other| format!("{} {beats} {}", name(class), name(other)));
            cases += &format!(" WHEN {} THEN {class}", others.collect::<Vec<_>>().join(" AND "));
        }
        if cases.is_empty() { "0".to_owned() } else { format!("CASE{cases} ELSE {last} END") }
    }

    fn decided(self) -> String {
        match self.model.verdict() {
            VerdictPolicy::Zones { .. } if self.tells_covered() => {
                format!("{DOUBT} = 0 AND {UNCOVERED} = 0")
            }
            VerdictPolicy::Zones { .. } => format!("{DOUBT} = 0"),
            VerdictPolicy::Confidence(policy) => {
                self.by_class(|class| self.sure_enough(policy.thresholds(), class))
            }
            VerdictPolicy::Catch(policy) => self.by_class(|class| {
                let caught = policy.class() as usize;
                let threshold = self.number(policy.threshold());
                match class == caught {
                    true => "TRUE".to_owned(),
                    false => format!("{} <= {threshold}", probability_name(caught)),
                }
            }),
            VerdictPolicy::Costs(_) => {
                self.by_class(|class| format!("{} <= {FLAG}", cost_name(class)))
            }
        }
    }

    fn sure_enough(self, thresholds: &Thresholds, class: usize) -> String {
        match thresholds.of(class as u32) {
            Some(threshold) => format!("{} >= {}", probability_name(class), self.number(threshold)),
            None => "FALSE".to_owned(),
        }
    }

    /// A condition that depends on the predicted class, and holds for covered rows only.
    fn by_class(self, condition: impl Fn(usize) -> String) -> String {
        let uncovered = match self.tells_covered() {
            true => format!(" WHEN {UNCOVERED} > 0 THEN FALSE"),
            false => String::new(),
        };
        let case = |class: usize| format!(" WHEN {ANSWER} = {class} THEN {}", condition(class));
        let cases: String = self.classes().map(case).collect();
        format!("CASE{uncovered}{cases} ELSE FALSE END")
    }

    /// The first doubt in words; empty without one.
    fn doubt_in_words(self) -> String {
        let Ok(tree) = self.model.single_tree() else { return self.forest_in_words() };
        let mut cases = String::new();
        for node in tree.tree().ids() {
            let Some(test) = tree.tree().shown_test(node) else { continue };
            for (kind, words) in doubts(test, tree.schema(), tree.zone_meaning()) {
                cases += &format!(" WHEN {} THEN {}", doubt(node, kind), Dialect::text(&words));
            }
        }
        if cases.is_empty() { "''".to_owned() } else { format!("CASE {DOUBT}{cases} ELSE '' END") }
    }

    /// What the user sees.
    fn result(self) -> Columns {
        let mut columns = Columns::default();
        for (key, name) in self.options.keys.iter().enumerate() {
            columns.add(&Dialect::name(name), &key_name(key));
        }
        columns.add("prediction", &self.prediction());
        columns.add("decided", DECIDED);
        for (class, name) in self.model.schema().classes().iter().enumerate() {
            let column = Dialect::name(&probability_column(&name.to_string()));
            columns.add(&column, &probability_name(class));
        }
        columns.add("reason", &self.reason());
        columns
    }

    fn prediction(self) -> String {
        let classes = self.model.schema().classes();
        let alike = classes
            .windows(2)
            .all(|pair| std::mem::discriminant(&pair[0]) == std::mem::discriminant(&pair[1]));
        let label = |class: &ClassName| match class {
            ClassName::Boolean(true) if alike => "TRUE".to_owned(),
            ClassName::Boolean(false) if alike => "FALSE".to_owned(),
            ClassName::Integer(number) if alike => number.to_string(),
            ClassName::Float(number) if alike => self.number(*number),
            class => Dialect::text(&class.to_string()),
        };
        let case = |(id, class): (usize, &ClassName)| format!(" WHEN {id} THEN {}", label(class));
        let cases: String = classes.iter().enumerate().map(case).collect();
        format!("CASE {ANSWER}{cases} END")
    }

    fn reason(self) -> String {
        let uncovered = match self.tells_covered() {
            true => format!(" WHEN {NOT_COVERED} <> '' THEN {NOT_COVERED}"),
            false => String::new(),
        };
        let policy = match self.model.verdict() {
            VerdictPolicy::Zones { .. } => {
                return format!("CASE WHEN {DECIDED} THEN NULL{uncovered} ELSE {IN_WORDS} END");
            }
            VerdictPolicy::Confidence(policy) => match policy.thresholds().common() {
                Some(threshold) => format!("less probable than {threshold}"),
                None => "less probable than promised of this class".to_owned(),
            },
            VerdictPolicy::Catch(policy) => {
                let caught = class_in_words(self.model.schema(), policy.class());
                let threshold = policy.threshold();
                format!("could still be {caught}: its probability is above {threshold}")
            }
            VerdictPolicy::Costs(_) => "a flag is expected to cost less than any answer".to_owned(),
        };
        let policy = Dialect::text(&policy);
        format!(
            "CASE WHEN {DECIDED} THEN NULL{uncovered} WHEN {IN_WORDS} = '' THEN {policy} \
             ELSE {policy} || '; ' || {IN_WORDS} END"
        )
    }
}

/// True for a forest whose class is the first of the mean.
fn is_forest_by_zones(model: &Model) -> bool {
    !model.ensemble().is_single() && model.verdict().is_by_zones()
}

/// 0 for a covered row, else the number of the first reason why it is not.
pub(super) const UNCOVERED: &str = "uncovered";

/// A way in which a row may be uncovered.
struct Reason {
    /// True of rows that are.
    condition: String,
    words: String,
}

impl Writer<'_> {
    /// True if the query must tell which rows are covered.
    pub(super) fn tells_covered(self) -> bool {
        let is_judged = self.model.verdict().uncovered() == Uncovered::Judge;
        !is_judged && !self.reasons().is_empty()
    }

    pub(super) fn coverage(self, query: &mut Query) -> Result<()> {
        if !self.tells_covered() {
            return Ok(());
        }
        let mut columns = Columns::default();
        (0..self.options.keys.len()).for_each(|key| columns.carry(&key_name(key)));
        self.model.tested_features().into_iter().for_each(|f| columns.carry(&input_name(f)));
        let case =
            |(number, reason): (usize, Reason)| format!(" WHEN {} THEN {number}", reason.condition);
        let cases: String = (1..).zip(self.reasons()).map(case).collect();
        columns.add(UNCOVERED, &format!("CASE{cases} ELSE 0 END"));
        query.step("coverage", &columns)
    }

    fn reasons(self) -> Vec<Reason> {
        let features = self.model.coverage().features();
        features.iter().flat_map(|feature| self.reasons_of(feature)).collect()
    }

    fn reasons_of(self, feature: &CoveredFeature) -> Vec<Reason> {
        let x = input_name(feature.index);
        let name = one_line(&self.model.schema().features()[feature.index].name).into_owned();
        let mut reasons = Vec::new();
        let mut add = |condition: String, words: String| reasons.push(Reason { condition, words });
        if !feature.gaps {
            add(format!("{x} IS NULL"), format!("the training table had no gaps in {name}"));
        }
        match (&feature.categories, self.options.dialect.unreadable()) {
            (Some(_), _) if feature.open => {}
            (Some(categories), _) => {
                let absent = (0..).zip(categories).filter(|(_, covered)| !**covered);
                let ids: Vec<String> = [UNSEEN.to_string()]
                    .into_iter()
                    .chain(absent.map(|(id, _): (usize, _)| id.to_string()))
                    .collect();
                let words = format!("the training table had no such {name}");
                add(format!("{x} IN ({})", ids.join(", ")), words);
            }
            (None, Some(marker)) => {
                add(format!("{x} = {marker}"), format!("{name} cannot be read"));
            }
            (None, None) => {}
        }
        reasons
    }

    /// Why a row is not covered, in words that do not depend on its values; empty if it is.
    pub(super) fn uncovered_in_words(self) -> String {
        let case = |(number, reason): (usize, Reason)| {
            format!(
                " WHEN {number} THEN {}",
                Dialect::text(&format!("not covered: {}", reason.words))
            )
        };
        let cases: String = (1..).zip(self.reasons()).map(case).collect();
        format!("CASE {UNCOVERED}{cases} ELSE '' END")
    }
}

/// Every doubt that a test can have, by kind.
pub(super) fn doubts(
    shown: ShownTest<'_>,
    schema: &Schema,
    meaning: ZoneMeaning,
) -> Vec<(i32, String)> {
    let test = shown.test;
    let plain = test.plain();
    let feature = &schema.features()[plain.feature];
    let name = one_line(&feature.name);
    let mut doubts = Vec::new();
    if test.has_zone() {
        let near = match (test.categories(), &feature.kind) {
            (None, FeatureKind::Number) => {
                let zone =
                    shown.zone(schema).map_or_else(String::new, |zone| zone.as_place(meaning));
                format!("{name} lies within {zone}")
            }
            (None, _) => {
                let words = shown.describe(schema, meaning);
                format!("{name} could be on either side of '{words}'")
            }
            (Some(cut), _) => {
                // "ward, cut at 25 % ill"
                let words = shown.describe(schema, meaning);
                let at = words.strip_prefix(&format!("{name}, cut ")).unwrap_or_default();
                format!("{name} lies {} {at}", cut.near_in_words())
            }
        };
        doubts.push((WITHIN, near));
    }
    if plain.missing.is_unknown {
        doubts
            .push((MISSING, format!("{name} is missing, and this test never saw a missing value")));
    }
    let unreadable = match feature.kind {
        FeatureKind::Number => "could not be read",
        FeatureKind::Categories(_) => "did not occur among the training rows of this test",
        FeatureKind::Ordered(_) => "has no rank among the known ones",
    };
    doubts.push((UNREADABLE, format!("{name} {unreadable}")));
    doubts
}
