//! Warnings about verdicts that will not serve: what is wrong, and what to do about it.
//!
//! A warning is about a pattern, never about a few rows: each has a rule that says how many rows
//! it takes.

use super::confidence::{ConfidencePolicy, VerdictRule};
use super::policy::VerdictPolicy;
use crate::dataset::{ClassName, one_line};
use crate::metrics::ClassTally;
use crate::recipe::{ClassWeight, Recipe, Routing, ZoneKind};

/// What is known about a verdict: how it is set, and what it did to some rows.
#[derive(Debug, Clone, Copy)]
pub struct VerdictRecord<'a> {
    /// When a row is undecided.
    pub policy: &'a VerdictPolicy,
    /// The recipe of the model; `None` for a classifier that is not ours.
    pub recipe: Option<&'a Recipe>,
    /// The names of the classes, by class id.
    pub classes: &'a [ClassName],
    /// What became of the rows of each class; empty if no rows are known.
    pub tallies: &'a [ClassTally],
}

/// A warning about a verdict. Prints as one sentence that says what helps.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Advice {
    /// More than half of the rows are flagged.
    MostFlagged {
        /// The share of flagged rows.
        share: f64,
        /// What set the flags.
        by: FlaggedBy,
    },
    /// No row is flagged, although some are predicted wrongly.
    NoneFlagged {
        /// Rows predicted wrongly.
        wrong: u64,
        /// All rows.
        rows: u64,
    },
    /// Decided rows are predicted no better than flagged ones.
    NoBetter {
        /// The accuracy of the decided rows.
        decided: f64,
        /// The accuracy of the flagged rows.
        flagged: f64,
        /// True if zones set the flags.
        by_zones: bool,
    },
    /// No row of some classes is decided and right.
    NeverRight {
        /// The names of the classes.
        classes: Vec<String>,
        /// What became of their rows.
        tally: ClassTally,
        /// What set the flags.
        by: FlaggedBy,
        /// True if miss rates of these classes are promised.
        promised: bool,
    },
    /// Of some classes most decided rows are decided as another class.
    MostlyMissed {
        /// The names of the classes.
        classes: Vec<String>,
        /// What became of their rows.
        tally: ClassTally,
        /// What set the flags.
        by: FlaggedBy,
    },
    /// Class weights shift the probabilities that a cost rule compares with its threshold.
    ClassWeights,
}

/// What sets flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlaggedBy {
    /// The zones.
    Zones,
    /// A cost ratio.
    CostRatio,
    /// A budget of flags for the rows least sure.
    Budget,
    /// A budget of flags aimed at a class.
    Catch,
    /// A promised accuracy.
    Accuracy,
    /// Promises class by class.
    Promises {
        /// True if a precision is promised.
        precision: bool,
        /// True if a miss rate is promised.
        miss_rate: bool,
    },
    /// A cost matrix.
    CostMatrix,
}

impl From<&VerdictPolicy> for FlaggedBy {
    fn from(policy: &VerdictPolicy) -> Self {
        match policy {
            VerdictPolicy::Zones { .. } => Self::Zones,
            VerdictPolicy::Costs(_) => Self::CostMatrix,
            VerdictPolicy::Catch(_) => Self::Catch,
            VerdictPolicy::Confidence(policy) => match policy.rule() {
                VerdictRule::Cost { .. } => Self::CostRatio,
                VerdictRule::Budget { .. } => Self::Budget,
                VerdictRule::Guarantee { .. } => Self::Accuracy,
                VerdictRule::Promises(promises) => Self::Promises {
                    precision: promises.precision.iter().any(Option::is_some),
                    miss_rate: promises.miss_rate.iter().any(Option::is_some),
                },
            },
        }
    }
}

/// A normal variable is larger than this in 1 of 20 cases.
const RARELY_EXCEEDED: f64 = 1.645;

/// The usual condition for comparing two shares: without a difference, so many wrong rows would be
/// expected among the decided and among the flagged ones.
const EXPECTED_WRONG: f64 = 5.0;

/// Fewer wrong rows than this need no flags.
const FEWEST_WRONG: u64 = 10;

/// If a quarter of a class were decided and right, none of 11 rows would be in fewer than 1 of 20
/// cases.
const FEWEST_OF_A_CLASS: u64 = 11;

/// If one class counts this much more than another, a probability of 0.8 means 0.73.
const LARGE_FACTOR: f64 = 1.5;

impl Advice {
    /// True if rows of some class are hardly ever decided rightly, which is worth a word even to people who asked for
    /// no verdict.
    #[must_use]
    pub fn is_about_classes(&self) -> bool {
        matches!(self, Self::NeverRight { .. } | Self::MostlyMissed { .. })
    }
}

impl VerdictRecord<'_> {
    /// What speaks against the verdict, the most important first.
    ///
    /// ```
    /// use ternwood::metrics::ClassTally;
    /// use ternwood::verdict::{Advice, FlaggedBy, VerdictPolicy, VerdictRecord};
    ///
    /// // 90 of 100 rows lie within a zone.
    /// let tally = ClassTally { rows: 100, right: 80, decided: 10, decided_right: 9, decided_for: 10 };
    /// let record = VerdictRecord {
    ///     policy: &VerdictPolicy::default(),
    ///     recipe: None,
    ///     classes: &["ill".into()],
    ///     tallies: &[tally],
    /// };
    /// let [advice] = &record.advice()[..] else { panic!("one warning") };
    /// assert_eq!(*advice, Advice::MostFlagged { share: 0.9, by: FlaggedBy::Zones });
    /// assert!(advice.to_string().starts_with("90.0 % of the rows are flagged"));
    /// ```
    #[must_use]
    pub fn advice(&self) -> Vec<Advice> {
        let mut advice = Vec::new();
        // Whoever grows plain CART wants no flags.
        let is_wanted = self.by() != FlaggedBy::Zones || self.recipe.is_none_or(has_zones);
        let total = ClassTally::sum(self.tallies).unwrap_or_default();
        if is_wanted && total.rows > 0 {
            let most_flagged = self.most_flagged(&total);
            advice.extend(most_flagged.clone());
            advice.extend(self.none_flagged(&total));
            advice.extend(self.no_better(&total));
            for promised in [false, true] {
                advice.extend(self.never_right(most_flagged.is_some(), promised));
            }
            advice.extend(self.mostly_missed());
        }
        advice.extend(self.class_weights());
        advice
    }

    fn by(&self) -> FlaggedBy {
        self.policy.into()
    }

    fn most_flagged(&self, total: &ClassTally) -> Option<Advice> {
        let by = self.by();
        if matches!(by, FlaggedBy::Budget | FlaggedBy::Catch) {
            return None; // As many as were asked for.
        }
        let flagged = total.rows.checked_sub(total.decided)?;
        let share = total.flag_rate()?;
        is_most(flagged, total.rows).then_some(Advice::MostFlagged { share, by })
    }

    fn none_flagged(&self, total: &ClassTally) -> Option<Advice> {
        // A promise that holds without flags is good news, and a budget of 0 was asked for.
        let none_needed = |policy: &ConfidencePolicy| match policy.rule() {
            VerdictRule::Budget { flag_rate } => *flag_rate == 0.0,
            VerdictRule::Guarantee { .. } | VerdictRule::Promises(_) => true,
            VerdictRule::Cost { .. } => false,
        };
        let none_needed = match self.policy {
            VerdictPolicy::Confidence(policy) => none_needed(policy),
            VerdictPolicy::Catch(policy) => policy.flag_rate() == 0.0,
            VerdictPolicy::Zones { .. } | VerdictPolicy::Costs(_) => false,
        };
        if none_needed {
            return None;
        }
        let wrong = total.rows.checked_sub(total.right)?;
        let rows = total.rows;
        let is_none = total.decided == rows && wrong >= FEWEST_WRONG;
        is_none.then_some(Advice::NoneFlagged { wrong, rows })
    }

    fn no_better(&self, total: &ClassTally) -> Option<Advice> {
        // Flags that catch a class go to its rows, not to the rows least sure.
        if matches!(self.policy, VerdictPolicy::Catch(_)) {
            return None;
        }
        let (decided, flagged) = (total.recall()?, total.flagged_recall()?);
        let wrong = total.rows.checked_sub(total.right)? as f64;
        let rarer = total.flag_rate()?.min(total.coverage()?);
        let is_pattern = wrong * rarer >= EXPECTED_WRONG;
        let by_zones = self.by() == FlaggedBy::Zones;
        (decided <= flagged && is_pattern).then_some(Advice::NoBetter {
            decided,
            flagged,
            by_zones,
        })
    }

    /// Of classes whose miss rates are promised, or of the others. If most rows are flagged, a class
    /// of which all are is no news.
    fn never_right(&self, most_flagged: bool, promised: bool) -> Option<Advice> {
        let (classes, tally) = self.classes_where(|class, tally| {
            let is_news = tally.decided > 0 || !most_flagged;
            tally.rows >= FEWEST_OF_A_CLASS
                && tally.decided_right == 0
                && is_news
                && self.has_miss_rate(class) == promised
        })?;
        Some(Advice::NeverRight { classes, tally, by: self.by(), promised })
    }

    /// A promised miss rate is kept, however few rows of the class are decided.
    fn mostly_missed(&self) -> Option<Advice> {
        let (classes, tally) = self.classes_where(|class, tally| {
            tally.rows >= FEWEST_OF_A_CLASS
                && tally.decided_right > 0
                && is_most(tally.missed(), tally.decided)
                && !self.has_miss_rate(class)
        })?;
        Some(Advice::MostlyMissed { classes, tally, by: self.by() })
    }

    fn has_miss_rate(&self, class: usize) -> bool {
        match self.policy.as_confidence().map(ConfidencePolicy::rule) {
            Some(VerdictRule::Promises(promises)) => promises.miss_rate_of(class).is_some(),
            _ => false,
        }
    }

    /// The names of some classes, and what became of all their rows; `None` if there are none.
    fn classes_where(
        &self,
        is_one: impl Fn(usize, &ClassTally) -> bool,
    ) -> Option<(Vec<String>, ClassTally)> {
        let all = self.classes.iter().zip(self.tallies).enumerate();
        let (classes, tallies): (Vec<String>, Vec<ClassTally>) = all
            .filter(|(class, (_, tally))| is_one(*class, tally))
            .map(|(_, (class, tally))| (one_line(&class.to_string()).into_owned(), *tally))
            .unzip();
        let tally = ClassTally::sum(&tallies).filter(|sum| sum.rows > 0)?;
        Some((classes, tally))
    }

    fn class_weights(&self) -> Option<Advice> {
        let weights = &self.recipe?.params.class_weight;
        let by_cost = matches!(self.by(), FlaggedBy::CostRatio | FlaggedBy::CostMatrix);
        let factors: Vec<f64> = match weights {
            ClassWeight::Uniform => return None,
            ClassWeight::Given(factors) => factors.clone(),
            // Each class counts as if it had as many rows as the others.
            ClassWeight::Balanced | ClassWeight::BalancedSubsample if !self.tallies.is_empty() => {
                self.tallies.iter().map(|tally| 1.0 / tally.rows.max(1) as f64).collect()
            }
            ClassWeight::Balanced | ClassWeight::BalancedSubsample => vec![0.0, 1.0],
        };
        let largest = factors.iter().copied().fold(0.0, f64::max);
        let is_large = factors.iter().any(|factor| largest > LARGE_FACTOR * factor);
        (by_cost && is_large).then_some(Advice::ClassWeights)
    }
}

/// True if `part` is more than half of `whole`, and not by chance: if every second row belonged to
/// it, the difference from the others would have a standard deviation of sqrt(n). 1 corrects for its
/// being a whole number.
fn is_most(part: u64, whole: u64) -> bool {
    let others = whole.saturating_sub(part);
    part.saturating_sub(others).saturating_sub(1) as f64 > RARELY_EXCEEDED * (whole as f64).sqrt()
}

/// True if the zones of such a model flag rows.
fn has_zones(recipe: &Recipe) -> bool {
    recipe.params.zone.kind != ZoneKind::None && recipe.routing != Routing::Crisp
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::TreeParams;
    use crate::verdict::{Achieved, CalibrationSource, CatchPolicy, Promises, Uncovered};

    /// Rows, decided rows, and how many of the decided and of the flagged ones are right.
    fn tally(rows: u64, decided: u64, decided_right: u64, flagged_right: u64) -> ClassTally {
        let right = decided_right + flagged_right;
        ClassTally { rows, right, decided, decided_right, decided_for: decided }
    }

    fn by(rule: VerdictRule) -> VerdictPolicy {
        let counts = vec![tally(1, 1, 1, 0)];
        let achieved = Achieved::new(CalibrationSource::HeldOut, counts);
        ConfidencePolicy::new(0.6, rule, Some(achieved)).unwrap().into()
    }

    fn advice(policy: &VerdictPolicy, tallies: &[ClassTally]) -> Vec<Advice> {
        let names = ["no", "yes"].map(ClassName::from);
        VerdictRecord { policy, recipe: None, classes: &names, tallies }.advice()
    }

    fn cost() -> VerdictPolicy {
        ConfidencePolicy::of_cost_ratio(0.2).unwrap().into()
    }

    #[test]
    fn more_than_half_must_be_flagged_and_not_by_chance() {
        // 4 of 4: by chance in 1 of 16 cases. 5 of 5: in 1 of 32.
        assert_eq!(advice(&VerdictPolicy::default(), &[tally(4, 0, 0, 4)]), []);
        let all = [Advice::MostFlagged { share: 1.0, by: FlaggedBy::Zones }];
        assert_eq!(advice(&VerdictPolicy::default(), &[tally(5, 0, 0, 5)]), all);
        // 60 of 100: P(X <= 40) = 0.028. 58 of 100: P(X <= 42) = 0.067.
        let most = [Advice::MostFlagged { share: 0.6, by: FlaggedBy::CostRatio }];
        assert_eq!(advice(&cost(), &[tally(100, 40, 40, 50)]), most);
        assert_eq!(advice(&cost(), &[tally(100, 42, 42, 50)]), []);
        assert_eq!(advice(&cost(), &[tally(100_000, 50_000, 50_000, 40_000)]), []);
    }

    #[test]
    fn a_budget_is_as_it_was_asked_for() {
        let rows = [tally(100, 20, 20, 60)];
        assert_eq!(advice(&by(VerdictRule::Budget { flag_rate: 0.8 }), &rows), []);
        let promise = by(VerdictRule::Guarantee { accuracy: 0.9, confidence: 0.95 });
        let sentence = advice(&promise, &rows)[0].to_string();
        assert!(sentence.contains("promise less (a lower accuracy)"), "{sentence}");
        let none = [tally(100, 100, 80, 0)];
        assert_eq!(advice(&by(VerdictRule::Budget { flag_rate: 0.0 }), &none), []);
        assert_eq!(advice(&promise, &none), [], "the promise holds without flags");
    }

    #[test]
    fn without_flags_some_rows_must_be_wrong() {
        let none_flagged =
            |right| advice(&VerdictPolicy::default(), &[tally(1000, 1000, right, 0)]);
        assert_eq!(none_flagged(1000), [], "nothing to flag");
        assert_eq!(none_flagged(991), [], "nine errors are no pattern");
        assert_eq!(none_flagged(990), [Advice::NoneFlagged { wrong: 10, rows: 1000 }]);
    }

    #[test]
    fn decided_rows_must_be_better() {
        // 25 of 100 rows are wrong, and 20 are flagged: by chance 5 of the wrong ones.
        let no_better = Advice::NoBetter { decided: 0.75, flagged: 0.75, by_zones: false };
        assert_eq!(advice(&cost(), &[tally(100, 80, 60, 15)]), [no_better]);
        assert_eq!(advice(&cost(), &[tally(100, 80, 61, 14)]), [], "they are better");
        // 24 wrong: only 4.8 were to be expected among the flagged ones.
        assert_eq!(advice(&cost(), &[tally(100, 80, 60, 16)]), []);
        assert_eq!(advice(&cost(), &[tally(100, 80, 80, 20)]), [], "all are right");
        let worse = Advice::NoBetter { decided: 0.7, flagged: 0.9, by_zones: true };
        assert_eq!(advice(&VerdictPolicy::default(), &[tally(100, 70, 49, 27)]), [worse]);
    }

    #[test]
    fn a_class_must_have_rows_to_be_missed() {
        let common = tally(100, 90, 90, 10);
        let missed = |rows, decided| {
            let mut tallies = [common, tally(rows, decided, 0, 0)];
            tallies[0].decided_for += decided;
            tallies[1].decided_for = 0;
            advice(&cost(), &tallies)
        };
        assert_eq!(missed(10, 10), [], "ten rows are too few");
        let sentence = missed(11, 4)[0].to_string();
        let words = "no row of class 'yes' is decided rightly: of 11 rows 7 are flagged, and 4 \
                     decided as other classes; if";
        assert!(sentence.starts_with(words), "{sentence}");
        let sentence = missed(11, 0)[0].to_string();
        assert!(sentence.contains("rightly: all 11 are flagged; if"), "{sentence}");
        assert_eq!(missed(0, 0), [], "a class without rows");
        let nothing_decided = [tally(50, 0, 0, 40), tally(50, 0, 0, 40)];
        assert_eq!(advice(&cost(), &nothing_decided).len(), 1, "all flagged says it all");
    }

    #[test]
    fn a_class_that_is_nearly_always_missed_is_named_whatever_the_rule() {
        // Of 362 decided rows of the second class one is right.
        let rows = [tally(3000, 2900, 2880, 60), tally(1254, 362, 1, 500)];
        let [of_cost] = &advice(&cost(), &rows)[..] else { panic!("one warning") };
        let words = "most decided rows of class 'yes' are decided as another class: 361 of 362; if that \
                     matters, promise a miss rate for it";
        assert!(of_cost.to_string().starts_with(words), "{of_cost}");
        let budget = by(VerdictRule::Budget { flag_rate: 0.3 });
        let [of_budget] = &advice(&budget, &rows)[..] else { panic!("one warning") };
        assert!(matches!(of_budget, Advice::MostlyMissed { .. }));
        assert!(of_budget.is_about_classes());
        assert!(of_budget.to_string().contains("; if that matters, aim the flags at it, promise"));
        // One that is aimed already is not told to.
        let achieved = Achieved::new(CalibrationSource::HeldOut, rows.to_vec());
        let aimed = CatchPolicy::new(1, 0.3, 0.4, Uncovered::default(), achieved).unwrap();
        let aimed = VerdictPolicy::Catch(aimed);
        let [of_aimed] = &advice(&aimed, &rows)[..] else { panic!("one warning") };
        assert!(!of_aimed.to_string().contains("aim the flags"), "{of_aimed}");
        let promise = |precision, miss_rate| {
            let [precision, miss_rate] = [precision, miss_rate].map(|share| vec![None, share]);
            by(VerdictRule::Promises(Promises { precision, miss_rate, confidence: 0.9 }))
        };
        // A promised miss rate is kept.
        assert_eq!(advice(&promise(None, Some(0.3)), &rows), []);
        assert_eq!(advice(&promise(Some(0.6), None), &rows).len(), 1);
        // 8 of 11 may be chance.
        assert_eq!(advice(&cost(), &[tally(90, 80, 78, 5), tally(11, 11, 3, 0)]), []);
    }

    #[test]
    fn advice_does_not_repeat_what_was_asked_for() {
        let promise = |precision, miss_rate| {
            let [precision, miss_rate] = [precision, miss_rate].map(|share| vec![None, share]);
            by(VerdictRule::Promises(Promises { precision, miss_rate, confidence: 0.9 }))
        };
        let never = [tally(100, 90, 90, 10), tally(20, 4, 0, 10)];
        let missing = advice(&promise(None, Some(0.3)), &never)[0].to_string();
        assert!(!missing.contains("promise a miss rate"), "{missing}");
        assert!(missing.contains("the promised miss rate holds"), "{missing}");
        let precise = advice(&promise(Some(0.9), None), &never)[0].to_string();
        assert!(precise.contains("promise a miss rate for it"), "{precise}");
        let flagged = [tally(100, 5, 5, 80), tally(100, 5, 5, 80)];
        for (policy, remedy, others) in [
            (promise(Some(0.9), None), "(a lower precision)", "miss rate"),
            (promise(None, Some(0.3)), "(a higher miss rate)", "precision"),
        ] {
            let sentence = advice(&policy, &flagged)[0].to_string();
            assert!(sentence.contains(remedy) && !sentence.contains(others), "{sentence}");
        }
        let both = advice(&promise(Some(0.9), Some(0.3)), &flagged)[0].to_string();
        assert!(both.contains("(a lower precision or a higher miss rate)"), "{both}");
    }

    #[test]
    fn in_general_there_are_neither_figures_nor_names() {
        let rows = |k: u64| {
            vec![
                vec![tally(100 + k, 10, 10, 80), tally(100, 10, 10, 80)],
                vec![tally(100 + k, 100 + k, 80, 0)],
                vec![tally(100 + k, 80 + k, 60, 15)],
                vec![tally(100, 90, 90, 10), tally(11 + k, 4, 0, 0)],
                vec![tally(300, 290, 288, 6), tally(200, 50 + k, 1, 50)],
            ]
        };
        let general = |k| -> Vec<String> {
            let all = rows(k).into_iter().map(|rows| advice(&cost(), &rows));
            all.map(|advice| advice[0].in_general()).collect()
        };
        assert_eq!(general(0), general(7));
        let distinct: std::collections::BTreeSet<String> = general(0).into_iter().collect();
        assert_eq!(distinct.len(), 5, "{distinct:?}");
        for sentence in distinct {
            assert!(!sentence.contains(|c: char| c.is_ascii_digit()), "{sentence}");
            assert!(!sentence.contains("'yes'"), "{sentence}");
        }
    }

    #[test]
    fn class_weights_matter_to_a_cost_rule() {
        let advice = |class_weight: &ClassWeight, policy: &VerdictPolicy, rows: [u64; 2]| {
            let class_weight = class_weight.clone();
            let params = TreeParams { class_weight, ..TreeParams::default() };
            let recipe = Recipe { params, ..Recipe::default() };
            let names = ["no", "yes"].map(ClassName::from);
            let tallies = rows.map(|rows| tally(rows, rows, rows, 0));
            let record =
                |tallies| VerdictRecord { policy, recipe: Some(&recipe), classes: &names, tallies };
            assert_eq!(record(&tallies).advice().is_empty(), rows[0] < 2 * rows[1]);
            record(&[]).advice()
        };
        // Rows 2 to 1 are balanced with a factor of 2; without rows it is unknown.
        assert_eq!(advice(&ClassWeight::Balanced, &cost(), [200, 100]), [Advice::ClassWeights]);
        assert_eq!(advice(&ClassWeight::Balanced, &cost(), [110, 100]), [Advice::ClassWeights]);
        let given = |factor| ClassWeight::Given(vec![1.0, factor]);
        assert_eq!(advice(&given(1.6), &cost(), [200, 100]), [Advice::ClassWeights]);
        assert_eq!(advice(&given(1.4), &cost(), [10, 10]), []);
        assert_eq!(advice(&ClassWeight::Uniform, &cost(), [10, 10]), []);
        assert_eq!(advice(&given(9.0), &VerdictPolicy::default(), [10, 10]), []);
    }

    #[test]
    fn plain_cart_is_not_asked_for_flags() {
        let params = TreeParams::default().with_zone(ZoneKind::None);
        let recipe = Recipe { params, ..Recipe::default() };
        let rows = [tally(100, 100, 80, 0)];
        let names = [ClassName::from("no")];
        let advice = |policy: &VerdictPolicy, recipe: &Recipe| {
            let recipe = Some(recipe);
            VerdictRecord { policy, recipe, classes: &names, tallies: &rows }.advice().len()
        };
        assert_eq!(advice(&VerdictPolicy::default(), &recipe), 0);
        assert_eq!(advice(&VerdictPolicy::default(), &Recipe::default()), 1);
        assert_eq!(advice(&cost(), &recipe), 1, "a threshold was asked for");
    }
}
