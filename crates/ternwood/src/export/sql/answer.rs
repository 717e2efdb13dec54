//! The last steps: class, verdict and reason.

use super::coverage::UNCOVERED;
use super::dialect::Dialect;
use super::levels::{DOUBT, doubt, probability_name};
use super::query::{Columns, Query};
use super::reason::doubts;
use super::{Writer, key_name, probability_column};
use crate::dataset::ClassName;
use crate::error::Result;
use crate::model::Model;
use crate::verdict::{CostMatrix, Thresholds, VerdictPolicy};
use crate::words::class_in_words;

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
