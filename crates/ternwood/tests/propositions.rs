//! The paper's propositions about verdicts, over random predictions.
//!
//! They hold for any predictions with verdicts, not only for trees; so they are tested on random
//! ones, without fitting anything.

mod support;

use proptest::prelude::*;
use support::soak;
use ternwood::Verdict;
use ternwood::metrics::{Evaluation, VerdictCounts, efficiency};

const CLASSES: u32 = 4;

/// Predictions of a ternary tree, and those of a plain tree on the same rows.
#[derive(Debug, Clone)]
struct Case {
    truth: Vec<u32>,
    predicted: Vec<u32>,
    verdicts: Vec<Verdict>,
    cart_predicted: Vec<u32>,
}

impl Case {
    fn evaluation(&self) -> Evaluation {
        Evaluation::new(&self.truth, &self.predicted, &self.verdicts).expect("equal lengths")
    }

    fn cart_accuracy(&self) -> f64 {
        let verdicts = vec![Verdict::Decided; self.truth.len()];
        let counts = VerdictCounts::new(&self.truth, &self.cart_predicted, &verdicts);
        counts.expect("equal lengths").accuracy().expect("some rows")
    }
}

/// Any predictions on 1 to 150 rows. Accuracy and flag rate vary from case to case, so that rare
/// verdicts and rare errors occur too.
fn any_case() -> impl Strategy<Value = Case> {
    (1..150_usize, 0.0..=1.0, 0.0..=1.0).prop_flat_map(|(n, right, undecided)| {
        let row = (
            0..CLASSES,
            prediction_error(right),
            prop::bool::weighted(undecided).prop_map(|flag| Verdict::decided_if(!flag)),
            prediction_error(right),
        );
        prop::collection::vec(row, n).prop_map(|rows| Case {
            truth: rows.iter().map(|row| row.0).collect(),
            predicted: rows.iter().map(|row| (row.0 + row.1) % CLASSES).collect(),
            verdicts: rows.iter().map(|row| row.2).collect(),
            cart_predicted: rows.iter().map(|row| (row.0 + row.3) % CLASSES).collect(),
        })
    })
}

/// 0 for a right prediction, else the distance to the true class.
fn prediction_error(right: f64) -> impl Strategy<Value = u32> {
    (prop::bool::weighted(right), 1..CLASSES).prop_map(|(right, off)| if right { 0 } else { off })
}

/// A case in which the plain tree is right equally often (the assumption of Propositions 2
/// and 3), on other rows, and in which both verdicts occur: without them there is no `DecAcc`
/// or no `AccU` to compare.
fn case_of_equal_accuracy() -> impl Strategy<Value = Case> {
    let both_verdicts = any_case().prop_filter("both verdicts must occur", |case| {
        let undecided = case.verdicts.iter().filter(|verdict| verdict.is_undecided()).count();
        0 < undecided && undecided < case.verdicts.len()
    });
    let shuffled = both_verdicts.prop_flat_map(|case| {
        let errors =
            case.truth.iter().zip(&case.predicted).map(|(t, p)| (p + CLASSES - t) % CLASSES);
        let errors: Vec<u32> = errors.collect();
        (Just(case), Just(errors).prop_shuffle())
    });
    shuffled.prop_map(|(mut case, errors)| {
        let predicted = case.truth.iter().zip(errors).map(|(t, error)| (t + error) % CLASSES);
        case.cart_predicted = predicted.collect();
        case
    })
}

/// Half an ulp of 1: the largest error of rounding one number in [0, 1].
const ROUNDING: f64 = f64::EPSILON / 2.0;

proptest! {
    #![proptest_config(soak::cases(2000))]

    /// Proposition 1, the decomposition: `Acc = (1 - u) DecAcc + u AccU`.
    ///
    /// Exact as a statement about counts: multiplied by the number of rows, it says that the
    /// right rows are the decided right ones and the undecided right ones.
    #[test]
    fn proposition_1_accuracy_decomposes_exactly(case in any_case()) {
        let counts = case.evaluation().counts;
        let right = case.truth.iter().zip(&case.predicted).filter(|(t, p)| t == p).count();
        prop_assert_eq!(counts.rows(), case.truth.len());
        prop_assert_eq!(right, counts.decided_correct + counts.undecided_correct);
    }

    /// Proposition 1 of the rates as they are reported, which are rounded: `u`, `1 - u`,
    /// `DecAcc`, `AccU`, two products, one sum and `Acc` are eight numbers of at most 1, each
    /// off by at most `ROUNDING`, and none is multiplied by more than 1 afterwards.
    #[test]
    fn proposition_1_reported_rates_decompose(case in any_case()) {
        let rates = case.evaluation().rates;
        let u = rates.undecided_rate.unwrap();
        // A missing accuracy belongs to no rows: its factor is exactly 0.
        prop_assert_eq!(rates.decided_accuracy.is_none(), u == 1.0);
        prop_assert_eq!(rates.undecided_accuracy.is_none(), u == 0.0);
        let decided = (1.0 - u) * rates.decided_accuracy.unwrap_or(0.0);
        let undecided = u * rates.undecided_accuracy.unwrap_or(0.0);
        let difference = rates.accuracy.unwrap() - (decided + undecided);
        prop_assert!(difference.abs() <= 8.0 * ROUNDING, "off by {difference}");
    }

    /// Proposition 2, sufficiency: where overall accuracy is CART's, the decided rows are more
    /// accurate than CART iff the undecided rows are less accurate than CART.
    ///
    /// No tolerance: each rate is the f64 nearest to a quotient of counts below 150, equal
    /// quotients are equal numbers, and different ones differ by at least 1/150^2.
    #[test]
    fn proposition_2_flags_help_iff_the_flagged_rows_are_the_worse(
        case in case_of_equal_accuracy(),
    ) {
        let rates = case.evaluation().rates;
        let cart = case.cart_accuracy();
        prop_assert_eq!(rates.accuracy, Some(cart));
        let (decided, undecided) =
            (rates.decided_accuracy.unwrap(), rates.undecided_accuracy.unwrap());
        prop_assert_eq!(decided > cart, undecided < cart);
        prop_assert_eq!(decided < cart, undecided > cart);
    }

    /// Proposition 3: where overall accuracy is CART's, `eta = DecAcc - AccU`.
    ///
    /// Three roundings (`DecAcc`, `Acc_CART`, their difference) are divided by `u`; the
    /// quotient is rounded and compared with a difference that has three roundings of its
    /// own. All but the first three are relative to numbers of at most 1.
    #[test]
    fn proposition_3_efficiency_is_the_gap(case in case_of_equal_accuracy()) {
        let rates = case.evaluation().rates;
        let u = rates.undecided_rate.unwrap();
        let eta = rates.efficiency(case.cart_accuracy()).unwrap();
        let gap = rates.decided_accuracy.unwrap() - rates.undecided_accuracy.unwrap();
        prop_assert!((eta - gap).abs() <= 8.0 * ROUNDING / u, "eta {eta}, gap {gap}, u {u}");
    }

    /// Without the assumption, Proposition 3 has one more term: `eta = DecAcc - AccU + (Acc -
    /// Acc_CART) / u`. The gain of blending in overall accuracy is credited to the flags, which is
    /// why the assumption matters.
    #[test]
    fn efficiency_is_the_gap_and_the_change_of_accuracy(case in any_case()) {
        let rates = case.evaluation().rates;
        let cart = case.cart_accuracy();
        let u = rates.undecided_rate.unwrap();
        let (Some(decided), Some(undecided)) = (rates.decided_accuracy, rates.undecided_accuracy)
        else {
            return Ok(());
        };
        let expected = decided - undecided + (rates.accuracy.unwrap() - cart) / u;
        let eta = efficiency(decided, cart, u).unwrap();
        prop_assert!((eta - expected).abs() <= 12.0 * ROUNDING / u, "{eta} and {expected}");
    }
}

/// The assumption of Propositions 2 and 3 is needed: a tree that is right more often than
/// CART beats it on the decided rows *and* on the undecided ones.
#[test]
fn proposition_2_needs_its_assumption() {
    let case = Case {
        truth: vec![0, 0, 0, 0],
        predicted: vec![0, 0, 0, 1],
        verdicts: [true, true, false, false].map(Verdict::decided_if).to_vec(),
        cart_predicted: vec![0, 1, 1, 1],
    };
    let rates = case.evaluation().rates;
    let cart = case.cart_accuracy();
    assert_eq!((rates.decided_accuracy, rates.undecided_accuracy), (Some(1.0), Some(0.5)));
    assert_eq!(cart, 0.25);
    // eta = (1 - 1/4) / (1/2) = 3/2, the gap 1/2, and (3/4 - 1/4) / (1/2) = 1 the difference.
    assert_eq!(rates.efficiency(cart), Some(1.5));
}
