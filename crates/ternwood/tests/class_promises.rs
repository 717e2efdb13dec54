//! Do promises class by class keep what they say, and do their laws hold?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "support/known_classes.rs"]
mod known_classes;

use known_classes::{KnownClasses, fresh_rows, holds};
use proptest::prelude::*;
use ternwood::metrics::ClassTally;
use ternwood::stats::binomial_cdf;
use ternwood::verdict::{
    CalibrationRows, CalibrationSource, ConfidencePolicy, Promises, VerdictRule,
};
use ternwood::{ClassName, Result, Verdict, VerdictPolicy};

const REPETITIONS: u64 = 200;

/// The most broken promises of `REPETITIONS` that are no surprise if each is broken with
/// probability `alpha`: more happen in fewer than 1 of 10,000 runs of this test.
fn most_broken(alpha: f64) -> usize {
    let runs = REPETITIONS as usize;
    (0..runs).find(|&k| binomial_cdf(runs, k, alpha) >= 1.0 - 1e-4).unwrap()
}

struct Kept {
    made: usize,
    broken: usize,
    /// The mean over calibrations that promised something.
    decided: f64,
}

fn repeat(population: &KnownClasses, rows: usize, promises: &Promises) -> Kept {
    let mut kept = Kept { made: 0, broken: 0, decided: 0.0 };
    for seed in 0..REPETITIONS {
        let rule = VerdictRule::Promises(promises.clone());
        let Ok(policy) = population.draw(rows, seed).policy(rule) else { continue };
        let outcome = population.outcome(policy.thresholds());
        kept.made += 1;
        kept.broken += usize::from(!holds(&outcome, promises));
        kept.decided += outcome.decided;
    }
    kept.decided /= kept.made.max(1) as f64;
    kept
}

fn promises(precision: &[f64], miss_rate: &[f64]) -> Promises {
    let list = |shares: &[f64]| shares.iter().map(|&s| (s > 0.0).then_some(s)).collect();
    Promises { precision: list(precision), miss_rate: list(miss_rate), confidence: 0.9 }
}

/// `examples/guarantee.rs` has more cases, and more repetitions.
#[test]
fn promises_are_broken_at_most_as_often_as_they_say() {
    let rare = promises(&[0.995, 0.0], &[0.0, 0.1]);
    let four = promises(&[0.85; 4], &[0.0, 0.0, 0.1, 0.1]);
    for (shares, separation, rows, promises) in [
        (&[0.8, 0.2][..], 1.3, 1000, promises(&[0.95, 0.75], &[])),
        (&[0.8, 0.2], 1.3, 1000, promises(&[], &[0.0, 0.05])),
        (&[0.8, 0.2], 1.3, 1000, promises(&[0.95, 0.75], &[0.0, 0.05])),
        (&[0.98, 0.02], 1.5, 3000, rare),
        (&[0.4, 0.3, 0.2, 0.1], 2.0, 3000, four),
    ] {
        for (name, noise) in [("calibrated", 0.0), ("overconfident", 0.5)] {
            let population = KnownClasses::new(name, shares, separation, noise);
            let kept = repeat(&population, rows, &promises);
            let what = format!("{shares:?}, {name}: {promises}");
            assert!(kept.broken <= most_broken(0.1), "{what}: {} broken", kept.broken);
            // Neither is it bought by refusing or flagging everything.
            assert!(kept.made * 2 > REPETITIONS as usize, "{what}: only {} made", kept.made);
            let best = population.best(&promises);
            assert!(kept.decided > 0.3 * best, "{what}: {} decided of {best}", kept.decided);
            assert!(kept.decided < best, "{what}: {} decided of {best}", kept.decided);
        }
    }
}

/// The path's test has no slack where the first threshold that misses too many is tested: there it
/// passes with probability alpha, so a promise is sometimes broken, and a test that never broke one
/// would be too timid.
#[test]
fn a_promised_miss_rate_is_sometimes_broken() {
    let population = KnownClasses::new("calibrated", &[0.5, 0.5], 1.3, 0.0);
    let kept = repeat(&population, 2000, &promises(&[], &[0.0, 0.05]));
    assert!(kept.broken > 0, "none of {} is broken", kept.made);
}

/// Rows to promise something with, and what.
#[derive(Debug, Clone)]
struct Case {
    distributions: Vec<Vec<f64>>,
    truth: Vec<u32>,
    promises: Promises,
}

impl Case {
    fn n_classes(&self) -> usize {
        self.promises.precision.len()
    }

    fn policy(&self) -> Result<ConfidencePolicy> {
        self.policy_for(&self.promises)
    }

    fn policy_for(&self, promises: &Promises) -> Result<ConfidencePolicy> {
        let names: Vec<ClassName> = (0..self.n_classes() as i64).map(ClassName::Integer).collect();
        let source = CalibrationSource::HeldOut;
        CalibrationRows::new(&self.distributions.concat(), &self.truth, &names, source)?
            .policy(VerdictRule::Promises(promises.clone()))
    }

    /// The same rows in the given order.
    fn reordered(&self, order: &[usize]) -> Self {
        let distributions = order.iter().map(|&row| self.distributions[row].clone()).collect();
        let truth = order.iter().map(|&row| self.truth[row]).collect();
        Self { distributions, truth, promises: self.promises.clone() }
    }

    /// The same rows and promises; class `k` is called `ids[k]`.
    fn renamed(&self, ids: &[usize]) -> Self {
        fn moved<T: Clone>(list: &[T], ids: &[usize]) -> Vec<T> {
            let mut moved = list.to_vec();
            ids.iter().zip(list).for_each(|(&id, item)| moved[id] = item.clone());
            moved
        }
        let Promises { precision, miss_rate, confidence } = &self.promises;
        Self {
            distributions: self.distributions.iter().map(|row| moved(row, ids)).collect(),
            truth: self.truth.iter().map(|&class| ids[class as usize] as u32).collect(),
            promises: Promises {
                precision: moved(precision, ids),
                miss_rate: moved(miss_rate, ids),
                confidence: *confidence,
            },
        }
    }
}

/// Up to 180 rows: every one is a step of the sequences, so that promises can be compared exactly.
fn cases() -> impl Strategy<Value = Case> {
    (2..=4usize).prop_flat_map(|n_classes| {
        let precision = prop::option::weighted(0.6, 0.3..0.9f64);
        let miss_rate = prop::option::weighted(0.5, 0.1..0.6f64);
        let lists = (
            prop::collection::vec(precision, n_classes),
            prop::collection::vec(miss_rate, n_classes),
        );
        (lists, 0.4..0.9f64, 60..180usize, 0.5..3.0f64, any::<u64>()).prop_map(
            move |((precision, miss_rate), confidence, rows, separation, seed)| {
                let shares: Vec<f64> = (0..n_classes).map(|_| 1.0 / n_classes as f64).collect();
                let (distributions, truth) = fresh_rows(&shares, separation, rows, seed);
                let mut promises = Promises { precision, miss_rate, confidence };
                if promises.count() == 0 {
                    promises.precision[0] = Some(0.6);
                }
                Case { distributions, truth, promises }
            },
        )
    })
}

/// The counts of the rows, by the policy's own judgement.
fn counts(case: &Case, policy: &VerdictPolicy) -> Vec<ClassTally> {
    let judge = |row: &Vec<f64>| policy.judge(row, Verdict::Undecided);
    let (classes, verdicts): (Vec<u32>, Vec<Verdict>) =
        case.distributions.iter().map(judge).unzip();
    ClassTally::count(&case.truth, &classes, &verdicts, case.n_classes()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_row_below_its_class_threshold_is_decided(case in cases()) {
        let Ok(policy) = case.policy() else { return Ok(()) };
        let thresholds = policy.thresholds().clone();
        let policy = VerdictPolicy::from(policy);
        for row in &case.distributions {
            let (class, verdict) = policy.judge(row, Verdict::Undecided);
            let probability = row[class as usize];
            prop_assert!(row.iter().all(|&p| p <= probability), "the most probable class");
            let reached = thresholds.of(class).is_some_and(|least| probability >= least);
            prop_assert_eq!(verdict.is_decided(), reached);
            prop_assert!(thresholds.of(class) != Some(probability), "no row is on its threshold");
        }
        prop_assert_eq!(policy.achieved().unwrap().classes(), counts(&case, &policy));
    }

    /// What a promise says is what its counts support: the definition, computed anew.
    #[test]
    fn the_counts_support_every_promise(case in cases()) {
        let Ok(policy) = case.policy() else { return Ok(()) };
        let promises = &case.promises;
        let level = (1.0 - promises.confidence) / promises.count() as f64;
        for (class, tally) in policy.achieved().unwrap().classes().iter().enumerate() {
            let [decided, right, rows, missed] =
                [tally.decided_for, tally.decided_right, tally.rows, tally.missed()]
                    .map(|count| count as usize);
            if let Some(precision) = promises.precision_of(class) {
                let chance = binomial_cdf(decided, decided - right, 1.0 - precision);
                prop_assert!(chance <= level / 2.0 || decided == 0, "{chance}");
                let never = policy.thresholds().of(class as u32).is_none();
                prop_assert_eq!(decided == 0, never, "a threshold that passed decides rows");
            }
            if let Some(miss_rate) = promises.miss_rate_of(class) {
                prop_assert!(binomial_cdf(rows, missed, miss_rate) <= level);
            }
        }
    }

    #[test]
    fn another_promise_never_decides_more(case in cases(), dropped in 0..8usize) {
        let Ok(policy) = case.policy() else { return Ok(()) };
        let mut fewer = case.promises.clone();
        let (list, class) = (dropped / 4, dropped % 4 % case.n_classes());
        [&mut fewer.precision, &mut fewer.miss_rate][list % 2][class] = None;
        if fewer.count() == 0 {
            return Ok(());
        }
        let easier = case.policy_for(&fewer);
        prop_assert!(easier.is_ok(), "{} is refused, and {} is not", fewer, case.promises);
        let easier = easier.unwrap();
        for class in 0..case.n_classes() as u32 {
            let [hard, easy] = [&policy, &easier].map(|policy| policy.thresholds().of(class));
            let harder = hard.is_none_or(|hard| easy.is_some_and(|easy| easy <= hard));
            prop_assert!(harder, "class {class}: {hard:?}, and with fewer promises {easy:?}");
        }
    }

    #[test]
    fn the_order_of_rows_changes_nothing(case in cases(), turn in 1..60usize) {
        let mut order: Vec<usize> = (0..case.truth.len()).rev().collect();
        order.rotate_left(turn);
        prop_assert_eq!(case.policy(), case.reordered(&order).policy());
    }

    #[test]
    fn the_names_of_classes_change_nothing(case in cases(), turn in 1..4usize) {
        let n_classes = case.n_classes();
        let ids: Vec<usize> = (0..n_classes).map(|class| (class + turn) % n_classes).collect();
        match (case.policy(), case.renamed(&ids).policy()) {
            (Ok(policy), Ok(renamed)) => {
                for (class, &id) in ids.iter().enumerate() {
                    let thresholds = [(&policy, class), (&renamed, id)]
                        .map(|(policy, class)| policy.thresholds().of(class as u32));
                    prop_assert_eq!(thresholds[0], thresholds[1]);
                    let tallies = [(&policy, class), (&renamed, id)]
                        .map(|(policy, class)| policy.achieved().unwrap().classes()[class]);
                    prop_assert_eq!(tallies[0], tallies[1]);
                }
            }
            (refused, renamed) => {
                prop_assert!(refused.is_err() && renamed.is_err(), "{refused:?} {renamed:?}");
            }
        }
    }
}

/// What a refused precision says that these rows can carry, they carry.
#[test]
fn a_refused_promise_says_what_can_be_promised() {
    let (distributions, truth) = fresh_rows(&[0.8, 0.2], 1.3, 600, 5);
    let case =
        |promises| Case { distributions: distributions.clone(), truth: truth.clone(), promises };
    let error = case(promises(&[0.0, 0.99], &[0.0, 0.0])).policy().unwrap_err().to_string();
    let (_, best) = error.split_once("(these rows can carry ").expect("a better proposal");
    let best: f64 = best.split_once(')').unwrap().0.parse().unwrap();
    assert!(case(promises(&[0.0, best], &[0.0, 0.0])).policy().is_ok(), "{error}");
    let more = case(promises(&[0.0, best + 0.001], &[0.0, 0.0])).policy();
    assert!(more.is_err(), "{error}");
    // The same for a miss rate, which is the lower the better.
    let error = case(promises(&[0.0; 2], &[0.0, 0.001])).policy().unwrap_err().to_string();
    let (_, best) = error.split_once("(these rows can carry ").expect("a better proposal");
    let best: f64 = best.split_once(')').unwrap().0.parse().unwrap();
    assert!(case(promises(&[0.0; 2], &[0.0, best])).policy().is_ok(), "{error}");
    assert!(case(promises(&[0.0; 2], &[0.0, best - 0.001])).policy().is_err(), "{error}");
}
