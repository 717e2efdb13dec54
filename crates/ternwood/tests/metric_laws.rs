//! Laws of the selective metrics, over random confidences and against brute force.

use proptest::prelude::*;
use ternwood::metrics::{ConfidenceRanking, ConfusionMatrix, Costs, Evaluation};
use ternwood::{ErrorKind, Verdict};

/// Confidence and correctness of up to `most` rows. Few distinct values, because trees have many
/// ties.
fn ranked_rows(most: usize) -> impl Strategy<Value = Vec<(f64, bool)>> {
    let confidence = prop_oneof![Just(0.5), Just(0.625), Just(0.75), 0.5..1.0];
    prop::collection::vec((confidence, any::<bool>()), 1..=most)
}

fn unzip(rows: &[(f64, bool)]) -> (Vec<f64>, Vec<bool>) {
    rows.iter().copied().unzip()
}

fn ranking(rows: &[(f64, bool)]) -> ConfidenceRanking {
    let (confidence, correct) = unzip(rows);
    ConfidenceRanking::new(&confidence, &correct).expect("equal lengths, no NaN")
}

/// All orders of the rows in which confidence does not increase; they differ only in how they
/// break ties.
fn orders_by_confidence(rows: &[(f64, bool)]) -> Vec<Vec<bool>> {
    fn extend(rows: &[(f64, bool)], order: &mut Vec<usize>, orders: &mut Vec<Vec<bool>>) {
        if order.len() == rows.len() {
            orders.push(order.iter().map(|&row| rows[row].1).collect());
            return;
        }
        let left: Vec<usize> = (0..rows.len()).filter(|row| !order.contains(row)).collect();
        let highest = left.iter().map(|&row| rows[row].0).fold(f64::MIN, f64::max);
        for row in left.into_iter().filter(|&row| rows[row].0 == highest) {
            order.push(row);
            extend(rows, order, orders);
            order.pop();
        }
    }
    let mut orders = Vec::new();
    extend(rows, &mut Vec::new(), &mut orders);
    orders
}

fn errors_among_first(order: &[bool], k: usize) -> f64 {
    order[..k].iter().filter(|correct| !**correct).count() as f64
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// AURC of one order of the rows, straight from the definition.
fn aurc_of_order(order: &[bool]) -> f64 {
    mean((1..order.len() + 1).map(|k| errors_among_first(order, k) / k as f64))
}

proptest! {
    #[test]
    fn aurc_is_the_mean_over_all_orders_of_tied_rows(rows in ranked_rows(6)) {
        let orders = orders_by_confidence(&rows);
        let expected = mean(orders.iter().map(|order| aurc_of_order(order)));
        let found = ranking(&rows).aurc().unwrap();
        prop_assert!((found - expected).abs() < 1e-13, "{found}, brute force {expected}");
    }

    #[test]
    fn accuracy_at_coverage_is_the_mean_over_all_orders_of_tied_rows(rows in ranked_rows(6)) {
        let orders = orders_by_confidence(&rows);
        let ranking = ranking(&rows);
        for k in 1..=rows.len() {
            let of_order = |order: &Vec<bool>| 1.0 - errors_among_first(order, k) / k as f64;
            let expected = mean(orders.iter().map(of_order));
            let coverage = k as f64 / rows.len() as f64;
            let found = ranking.accuracy_at_coverage(coverage).unwrap().unwrap();
            prop_assert!((found - expected).abs() < 1e-13, "{found}, brute force {expected}");
        }
    }

    #[test]
    fn the_order_of_rows_plays_no_part(
        (rows, shuffled) in ranked_rows(60)
            .prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
    ) {
        let (one, other) = (ranking(&rows), ranking(&shuffled));
        // Bit for bit, and so is every metric of the ranking.
        prop_assert_eq!(one.aurc(), other.aurc());
        prop_assert_eq!(one.curve(), other.curve());
        prop_assert_eq!(one, other);
    }

    /// Only the order of confidences matters: an increasing function of them changes nothing.
    #[test]
    fn the_scale_of_confidence_plays_no_part(rows in ranked_rows(60)) {
        // Multiplying by a power of two is exact, so it neither makes nor breaks ties.
        let rescaled: Vec<_> = rows.iter().map(|&(value, right)| (value * 1024.0, right)).collect();
        prop_assert_eq!(ranking(&rescaled).aurc(), ranking(&rows).aurc());
    }

    #[test]
    fn aurc_is_the_mean_risk_over_coverages(rows in ranked_rows(60)) {
        let ranking = ranking(&rows);
        let n = rows.len();
        let risk = |k: usize| {
            1.0 - ranking.accuracy_at_coverage(k as f64 / n as f64).unwrap().unwrap()
        };
        let expected = mean((1..n + 1).map(risk));
        prop_assert!((ranking.aurc().unwrap() - expected).abs() < 1e-13);
    }

    #[test]
    fn aurc_lies_between_the_perfect_and_the_worst_order(rows in ranked_rows(60)) {
        let found = ranking(&rows).aurc().unwrap();
        let (_, mut order) = unzip(&rows);
        order.sort_unstable();
        let worst = aurc_of_order(&order);
        order.reverse();
        let perfect = aurc_of_order(&order);
        prop_assert!(perfect - 1e-13 <= found && found <= worst + 1e-13);
    }

    #[test]
    fn the_curve_descends_through_confidence_to_the_overall_error(rows in ranked_rows(60)) {
        let (confidence, correct) = unzip(&rows);
        let ranking = ranking(&rows);
        let curve = ranking.curve();
        let error = errors_among_first(&correct, rows.len()) / rows.len() as f64;
        let last = curve[curve.len() - 1];
        prop_assert_eq!((last.coverage, last.risk), (1.0, error));
        prop_assert_eq!(last.threshold, confidence.iter().copied().fold(f64::MAX, f64::min));
        prop_assert_eq!(curve[0].threshold, confidence.iter().copied().fold(f64::MIN, f64::max));
        for pair in curve.windows(2) {
            prop_assert!(pair[0].coverage < pair[1].coverage);
            prop_assert!(pair[0].threshold > pair[1].threshold);
        }
        for point in curve {
            // Recount each point from its threshold.
            let decided: Vec<bool> =
                rows.iter().filter(|row| row.0 >= point.threshold).map(|row| row.1).collect();
            prop_assert_eq!(point.coverage, decided.len() as f64 / rows.len() as f64);
            let risk = errors_among_first(&decided, decided.len()) / decided.len() as f64;
            prop_assert_eq!(point.risk, risk);
            let accuracy = ranking.accuracy_at_coverage(point.coverage);
            prop_assert!((accuracy.unwrap().unwrap() + risk - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn accuracy_is_continuous_in_coverage(rows in ranked_rows(30), coverage in 0.01..=0.99) {
        let ranking = ranking(&rows);
        let here = ranking.accuracy_at_coverage(coverage).unwrap().unwrap();
        let there = ranking.accuracy_at_coverage(coverage + 1e-9).unwrap().unwrap();
        // The slope is at most 1 / coverage, 100 here.
        prop_assert!((here - there).abs() <= 100.0 * 1e-9 + 1e-13);
    }
}

/// Truth, prediction and verdict of up to 80 rows of four classes.
fn judged_rows() -> impl Strategy<Value = Vec<(u32, u32, bool)>> {
    prop::collection::vec((0..4_u32, 0..4_u32, any::<bool>()), 0..80)
}

fn columns(rows: &[(u32, u32, bool)]) -> (Vec<u32>, Vec<u32>, Vec<Verdict>) {
    let truth = rows.iter().map(|row| row.0).collect();
    let predicted = rows.iter().map(|row| row.1).collect();
    let verdicts = rows.iter().map(|row| Verdict::decided_if(row.2)).collect();
    (truth, predicted, verdicts)
}

proptest! {
    /// Precision and recall as in the textbook, 0 where there is nothing to divide by.
    #[test]
    fn decided_f1_is_the_mean_of_harmonic_means(rows in judged_rows()) {
        let (truth, predicted, verdicts) = columns(&rows);
        let decided: Vec<(u32, u32)> =
            rows.iter().filter(|row| row.2).map(|row| (row.0, row.1)).collect();
        let count = |what: &dyn Fn(u32, u32) -> bool| {
            decided.iter().filter(|(t, p)| what(*t, *p)).count() as f64
        };
        let ratio = |a: f64, b: f64| if b == 0.0 { 0.0 } else { a / b };
        let mut scores = Vec::new();
        for class in 0..4 {
            if count(&|t, p| t == class || p == class) > 0.0 {
                let hits = count(&|t, p| t == class && p == class);
                let precision = ratio(hits, count(&|_, p| p == class));
                let recall = ratio(hits, count(&|t, _| t == class));
                scores.push(ratio(2.0 * precision * recall, precision + recall));
            }
        }
        let found = Evaluation::new(&truth, &predicted, &verdicts).unwrap().rates.decided_f1;
        prop_assert_eq!(found.is_none(), scores.is_empty());
        if let Some(found) = found {
            prop_assert!((found - mean(scores.into_iter())).abs() < 1e-14);
        }
    }

    #[test]
    fn the_confusion_matrix_counts_what_the_evaluation_counts(rows in judged_rows()) {
        let (truth, predicted, verdicts) = columns(&rows);
        let matrix = ConfusionMatrix::new(&truth, &predicted, &verdicts, 4).unwrap();
        let counts = Evaluation::new(&truth, &predicted, &verdicts).unwrap().counts;
        let diagonal: usize = (0..4).map(|class| matrix.decided(class, class).unwrap()).sum();
        let review: usize = (0..4).map(|class| matrix.review(class).unwrap()).sum();
        prop_assert_eq!(diagonal, counts.decided_correct);
        prop_assert_eq!(review, counts.undecided());
        for (class, row) in matrix.rows().enumerate() {
            let of_class = truth.iter().filter(|&&id| id as usize == class).count();
            prop_assert_eq!(row.iter().sum::<usize>(), of_class);
        }
    }

    /// `u c_u + (1 - u) (1 - DecAcc) c_w`.
    #[test]
    fn cost_is_linear_in_flags_and_errors(rows in judged_rows(), flag in 0.0..2.0) {
        let (truth, predicted, verdicts) = columns(&rows);
        let evaluation = Evaluation::new(&truth, &predicted, &verdicts).unwrap();
        let costs = Costs::new(flag, 3.0).unwrap();
        let found = costs.of(&evaluation.counts);
        let Some(u) = evaluation.rates.undecided_rate else {
            prop_assert_eq!(found, None);
            return Ok(());
        };
        let decided = evaluation.rates.decided_accuracy.unwrap_or(1.0);
        let expected = u * flag + (1.0 - u) * (1.0 - decided) * 3.0;
        prop_assert!((found.unwrap() - expected).abs() < 1e-14);
    }

    /// A verdict that is Chow's rule with a threshold has no advantage over Chow's rule.
    #[test]
    fn chow_ties_with_itself(rows in ranked_rows(60), threshold in 0.4..1.0) {
        let (confidence, correct) = unzip(&rows);
        let truth = vec![0; rows.len()];
        let predicted: Vec<u32> = correct.iter().map(|&correct| u32::from(!correct)).collect();
        let decided = |value: &f64| Verdict::decided_if(*value >= threshold);
        let verdicts: Vec<Verdict> = confidence.iter().map(decided).collect();
        let counts = Evaluation::new(&truth, &predicted, &verdicts).unwrap().counts;
        let accuracy = ranking(&rows).chow_accuracy(&counts).unwrap();
        prop_assert_eq!(accuracy, counts.decided_accuracy());
        prop_assert_eq!(accuracy.is_some(), counts.decided() > 0);
    }

    /// The error for bad confidences names the first bad row.
    #[test]
    fn a_confidence_that_is_no_number_is_named(
        rows in ranked_rows(30),
        at in any::<prop::sample::Index>(),
    ) {
        let (mut confidence, correct) = unzip(&rows);
        let bad_row = at.index(rows.len());
        confidence[bad_row] = f64::NAN;
        let error = ConfidenceRanking::new(&confidence, &correct).unwrap_err();
        let named = matches!(error.kind(), ErrorKind::Score { row, .. } if *row == bad_row);
        prop_assert!(named, "{}", error);
    }
}
