//! Do promises still stand?

use super::comparison::{Before, Compared, Comparison, Outcome};
use crate::dataset::{ClassName, one_line};
use crate::error::Promised;
use crate::metrics::ClassTally;
use crate::stats::{binomial_cdf, fisher_more};
use crate::verdict::{Achieved, CatchPolicy, ConfidencePolicy, VerdictPolicy, VerdictRule};

/// Compares what the policy promised, or else what it achieved, with what became of new rows.
pub(super) fn compare_promises(
    policy: &VerdictPolicy,
    tallies: &[ClassTally],
    classes: &[ClassName],
    level: f64,
) -> Vec<Comparison> {
    let total = ClassTally::sum(tallies).unwrap_or_default();
    let promise = |promised, allowed: f64, part: u64, whole: u64| {
        of_promise(promised, allowed, [part as usize, whole as usize], level)
    };
    if let VerdictPolicy::Catch(policy) = policy {
        return vec![of_caught(policy, tallies, classes), of_decided(total, policy.achieved())];
    }
    match policy.as_confidence().map(ConfidencePolicy::rule) {
        Some(VerdictRule::Guarantee { accuracy, .. }) => {
            let promised = Promised::Accuracy(*accuracy);
            vec![promise(promised, 1.0 - accuracy, total.missed(), total.decided)]
        }
        Some(VerdictRule::Promises(promises)) => {
            let mut all = Vec::new();
            for (id, (name, tally)) in classes.iter().zip(tallies).enumerate() {
                let class = one_line(&name.to_string()).into_owned();
                if let Some(share) = promises.precision_of(id) {
                    let wrong = tally.decided_for - tally.decided_right;
                    let promised = Promised::Precision { class: class.clone(), share };
                    all.push(promise(promised, 1.0 - share, wrong, tally.decided_for));
                }
                if let Some(share) = promises.miss_rate_of(id) {
                    let promised = Promised::MissRate { class, share };
                    all.push(promise(promised, share, tally.missed(), tally.rows));
                }
            }
            all
        }
        _ => policy.achieved().map(|before| of_decided(total, before)).into_iter().collect(),
    }
}

/// Whether as many errors are too many for a promise.
fn of_promise(
    promised: Promised,
    allowed: f64,
    [wrong, rows]: [usize; 2],
    level: f64,
) -> Comparison {
    // At least so many errors: at most so many of the others.
    let p_value = if wrong == 0 { 1.0 } else { binomial_cdf(rows, rows - wrong, 1.0 - allowed) };
    let (of, before) = (Compared::Promise(promised), Before::AtMost(allowed));
    let mut comparison = Comparison::new(of, [wrong, rows], before, p_value);
    if rows > 0 && binomial_cdf(rows, wrong, allowed) <= level {
        comparison.outcome = Outcome::Confirmed;
    }
    comparison
}

/// Whether more of the decided rows are wrong than of those of calibration.
fn of_decided(new: ClassTally, before: &Achieved) -> Comparison {
    let counts = [new, before.total()].map(|tally| [tally.missed(), tally.decided]);
    more_than_before(Compared::WrongOfDecided, counts)
}

/// Whether more rows of the class to catch are missed than of those of calibration.
fn of_caught(policy: &CatchPolicy, new: &[ClassTally], classes: &[ClassName]) -> Comparison {
    let class = policy.class() as usize;
    let counts = [new, policy.achieved().classes()].map(|tallies| {
        let tally = tallies.get(class).copied().unwrap_or_default();
        [tally.missed(), tally.rows]
    });
    let name = classes.get(class).map(ToString::to_string).unwrap_or_default();
    more_than_before(Compared::Missed { class: one_line(&name).into_owned() }, counts)
}

/// Of new rows, and of rows before.
fn more_than_before(of: Compared, [new, before]: [[u64; 2]; 2]) -> Comparison {
    let p_value = fisher_more(new, before);
    let known = Before::Rows { part: before[0], whole: before[1] };
    Comparison::new(of, new.map(|count| count as usize), known, p_value)
}
