//! Does a budget aimed at a class flag the rows most likely to be of it, and never too many?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use proptest::prelude::*;
use support::soak;
use ternwood::verdict::{CalibrationRows, CalibrationSource, CatchPolicy, Uncovered, VerdictRule};
use ternwood::{ClassName, ErrorKind, Verdict, VerdictPolicy};

/// Rows of random probabilities, many of them tied, with true classes; some are uncovered.
#[derive(Debug, Clone)]
struct Rows {
    n_classes: usize,
    distributions: Vec<Vec<f64>>,
    truth: Vec<u32>,
    covered: Vec<bool>,
}

fn rows(classes: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Rows> {
    classes.prop_flat_map(|n_classes| {
        // Eighths: ties, and sums without rounding.
        let parts = prop::collection::vec(0..n_classes, 8);
        let row = (parts, 0..n_classes as u32, prop::bool::weighted(0.9));
        prop::collection::vec(row, 1..60).prop_map(move |rows| {
            let share = |parts: &[usize], class: usize| {
                parts.iter().filter(|&&part| part == class).count() as f64 / 8.0
            };
            let of_row =
                |parts: &Vec<usize>| (0..n_classes).map(|class| share(parts, class)).collect();
            Rows {
                n_classes,
                distributions: rows.iter().map(|row| of_row(&row.0)).collect(),
                truth: rows.iter().map(|row| row.1).collect(),
                covered: rows.iter().map(|row| row.2).collect(),
            }
        })
    })
}

fn budgets() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..1.0f64, (0u32..100).prop_map(|p| f64::from(p) / 100.0)]
}

impl Rows {
    fn calibration(&self) -> CalibrationRows {
        let names: Vec<ClassName> =
            (0..self.n_classes).map(|class| ClassName::from(format!("k{class}"))).collect();
        let source = CalibrationSource::HeldOut;
        CalibrationRows::new(&self.distributions.concat(), &self.truth, &names, source)
            .unwrap()
            .covering(self.covered.clone())
            .unwrap()
    }

    fn predicted(&self, row: usize) -> usize {
        let p = &self.distributions[row];
        (0..self.n_classes).rev().max_by(|&a, &b| p[a].total_cmp(&p[b])).unwrap()
    }

    /// Which rows a policy flags.
    fn flagged(&self, policy: &VerdictPolicy) -> Vec<bool> {
        let judge = |p: &Vec<f64>| policy.judge(p, Verdict::Decided).1.is_undecided();
        let judges_all = policy.uncovered() == Uncovered::Judge;
        let rows = self.distributions.iter().zip(&self.covered);
        rows.map(|(p, &covered)| !(covered || judges_all) || judge(p)).collect()
    }

    /// Rows of the class that are decided as another.
    fn missed(&self, class: u32, flagged: &[bool]) -> usize {
        let is_missed = |&row: &usize| {
            self.truth[row] == class && self.predicted(row) != class as usize && !flagged[row]
        };
        (0..self.truth.len()).filter(is_missed).count()
    }

    /// The rows to flag, from the definition: uncovered ones; then groups of rows with the same
    /// probability of the class, the most probable group first, while the budget lasts.
    fn naive(&self, class: usize, flag_rate: f64) -> Option<Vec<bool>> {
        let n = self.truth.len();
        let fits = |flagged: &[bool]| {
            flagged.iter().filter(|&&it| it).count() as f64 / n as f64 <= flag_rate
        };
        let mut flagged: Vec<bool> = self.covered.iter().map(|&covered| !covered).collect();
        if !fits(&flagged) {
            return None;
        }
        for eighths in (1..=8).rev() {
            let is_next = |row: usize| {
                self.predicted(row) != class
                    && self.distributions[row][class] == f64::from(eighths) / 8.0
            };
            let more: Vec<bool> = (0..n).map(|row| flagged[row] || is_next(row)).collect();
            if !fits(&more) {
                break;
            }
            flagged = more;
        }
        Some(flagged)
    }
}

proptest! {
    #![proptest_config(soak::cases(300))]

    #[test]
    fn the_top_of_the_ranking_is_flagged(
        rows in rows(2..=4), class in 0u32..4, flag_rate in budgets(),
    ) {
        let class = class % rows.n_classes as u32;
        let found = rows.calibration().catch_policy(class, flag_rate);
        let Some(expected) = rows.naive(class as usize, flag_rate) else {
            let error = found.unwrap_err();
            let is_so = matches!(error.kind(), ErrorKind::BudgetUncovered { .. });
            prop_assert!(is_so, "{}", error);
            return Ok(());
        };
        let policy = found.unwrap();
        prop_assert_eq!(rows.flagged(&policy.clone().into()), expected);
        let achieved = policy.achieved().total();
        prop_assert!(achieved.flag_rate().unwrap() <= flag_rate);
        // No row that the threshold judges is so close to it that its last bit decides.
        let at = |row: &usize| {
            let p = rows.distributions[*row][class as usize];
            let is_judged = rows.covered[*row] && rows.predicted(*row) != class as usize;
            is_judged && p == policy.threshold()
        };
        let ties = (0..rows.truth.len()).filter(at).count();
        prop_assert!(ties == 0 || [0.0, 0.5].contains(&policy.threshold()));
    }

    #[test]
    fn uncovered_rows_that_are_judged_are_like_all_others(
        rows in rows(2..=3), flag_rate in budgets(),
    ) {
        let judged = rows.calibration().judging_uncovered().catch_policy(1, flag_rate).unwrap();
        let all = Rows { covered: vec![true; rows.truth.len()], ..rows.clone() };
        let plain = all.calibration().catch_policy(1, flag_rate).unwrap();
        prop_assert_eq!(judged.uncovered(), Uncovered::Judge);
        prop_assert_eq!(judged.threshold(), plain.threshold());
        prop_assert_eq!(rows.flagged(&judged.into()), all.flagged(&plain.into()));
    }

    /// With two classes, the rows that a plain budget flags of those predicted otherwise are also
    /// the ones with the largest probabilities of the class, and not more of them.
    #[test]
    fn of_two_classes_none_is_missed_more_often_than_by_a_plain_budget(
        rows in rows(2..=2), class in 0u32..2, flag_rate in budgets(),
    ) {
        let calibration = rows.calibration();
        let Ok(plain) = calibration.policy(VerdictRule::Budget { flag_rate }) else {
            return Ok(());
        };
        let catching = calibration.catch_policy(class, flag_rate).unwrap();
        let missed = |policy: VerdictPolicy| rows.missed(class, &rows.flagged(&policy));
        prop_assert!(missed(catching.into()) <= missed(plain.into()));
    }

    #[test]
    fn the_policy_depends_on_no_order_of_rows(
        rows in rows(2..=3), turn in 0usize..60, flag_rate in budgets(),
    ) {
        let mut turned = rows.clone();
        let by = turn % rows.truth.len();
        turned.distributions.rotate_left(by);
        turned.truth.rotate_left(by);
        turned.covered.rotate_left(by);
        let policy = |rows: &Rows| rows.calibration().catch_policy(0, flag_rate);
        prop_assert_eq!(policy(&rows), policy(&turned));
    }
}

/// With three classes the law for two does not hold: the row least sure need not be the one most
/// likely to be of the class.
#[test]
fn of_three_classes_one_may_be_missed_that_a_plain_budget_flags() {
    let rows = Rows {
        n_classes: 3,
        distributions: vec![vec![0.5, 0.25, 0.25], vec![0.625, 0.0, 0.375]],
        truth: vec![2, 0],
        covered: vec![true; 2],
    };
    let plain = rows.calibration().policy(VerdictRule::Budget { flag_rate: 0.5 }).unwrap();
    let catching = rows.calibration().catch_policy(2, 0.5).unwrap();
    assert_eq!(rows.flagged(&plain.into()), [true, false]);
    assert_eq!(rows.flagged(&catching.into()), [false, true]);
}

fn patients() -> CatchPolicy {
    let rows = Rows {
        n_classes: 2,
        distributions: vec![
            vec![0.875, 0.125],
            vec![0.75, 0.25],
            vec![0.625, 0.375],
            vec![0.25, 0.75],
        ],
        truth: vec![0, 0, 1, 1],
        covered: vec![true; 4],
    };
    rows.calibration().catch_policy(1, 0.25).unwrap()
}

#[test]
fn it_says_what_it_does() {
    let policy = VerdictPolicy::from(patients());
    let classes = ["healthy", "ill"].map(ClassName::from);
    assert_eq!(
        policy.described(&classes),
        "undecided if ill has a probability above 0.3125 but is not predicted; set to catch ill by \
         flagging at most 25 % of the rows"
    );
    let numbered = [0, 1].map(ClassName::Integer);
    assert!(policy.described(&numbered).starts_with("undecided if class 1 has a probability"));
    assert_eq!(policy.to_string(), policy.described(&numbered));
}

#[test]
fn what_is_out_of_range_is_refused() {
    let rows = Rows {
        n_classes: 2,
        distributions: vec![vec![0.5, 0.5]],
        truth: vec![0],
        covered: vec![true],
    };
    let refused = |class, flag_rate| {
        rows.calibration().catch_policy(class, flag_rate).unwrap_err().to_string()
    };
    assert_eq!(refused(2, 0.1), "class to catch is 2; allowed: the id of a class, below 2");
    for flag_rate in [-0.1, 1.0, f64::NAN] {
        let error = refused(0, flag_rate);
        assert!(error.ends_with("allowed: from 0 to below 1 (15 % is 0.15)"), "{error}");
    }
}
