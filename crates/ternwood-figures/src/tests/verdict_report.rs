//! Reports on verdicts: what they say, and that no name breaks the page.

use super::xml::problem;
use crate::VerdictReport;
use ternwood::Verdict::{Decided, Undecided};
use ternwood::verdict::{
    CalibrationRows, CalibrationSource, ConfidencePolicy, CostMatrix, CostPolicy, Promises,
    VerdictRule,
};
use ternwood::{ClassName, Verdict, VerdictPolicy};

/// 10 healthy: 8 decided rightly, 2 flagged. 5 ill: 3 decided rightly, 1 missed, 1 flagged.
fn rows() -> Vec<(u32, u32, Verdict)> {
    let group = |row, n| std::iter::repeat_n(row, n);
    let healthy = group((0, 0, Decided), 8).chain(group((0, 0, Undecided), 2));
    let ill = group((1, 1, Decided), 3).chain([(1, 0, Decided), (1, 0, Undecided)]);
    healthy.chain(ill).collect()
}

fn page(policy: impl Into<VerdictPolicy>, names: [&str; 2]) -> String {
    let (policy, classes) = (policy.into(), names.map(ClassName::from));
    let html = VerdictReport::new("Patients", &policy, &classes, rows()).unwrap().html();
    assert_eq!(problem(html.strip_prefix("<!DOCTYPE html>").unwrap()), None, "{html}");
    html
}

/// Promises of both kinds, set on 400 rows of which all are answered rightly.
fn promising(names: [&str; 2]) -> ConfidencePolicy {
    let probabilities: Vec<f64> =
        (0..400).flat_map(|row| if row % 2 == 0 { [0.9, 0.1] } else { [0.2, 0.8] }).collect();
    let truth: Vec<u32> = (0..400).map(|row| row % 2).collect();
    let classes = names.map(ClassName::from);
    let rows =
        CalibrationRows::new(&probabilities, &truth, &classes, CalibrationSource::HeldOut).unwrap();
    let promises = Promises {
        precision: vec![Some(0.9), None],
        miss_rate: vec![None, Some(0.05)],
        confidence: 0.9,
    };
    rows.policy(VerdictRule::Promises(promises)).unwrap()
}

#[test]
fn shares_are_counted_with_their_intervals() {
    let html = page(VerdictPolicy::default(), ["healthy", "ill"]);
    for text in [
        "<b>20.0 %</b>3 of 15 rows get a second look",
        "<b>91.7 %</b>11 of 12 decided rows are right",
        "<b>6.7 %</b>1 of 15 rows are decided wrongly",
        // The upper end for 0 of 10 is 1 - 0.025^(1/10) = 30.8 %.
        "0.0 %<small>0.0 to 30.8</small><small>0 of 10</small>",
        "75.0 %<small>19.4 to 99.4</small><small>3 of 4</small>",
        "88.9 %<small>51.8 to 99.7</small><small>8 of 9</small>",
        "It follows from the zones of the tree alone; nothing is promised.",
        "Read and approved",
    ] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
    assert!(!html.contains("What it costs"), "nobody said what anything costs");
}

#[test]
fn promises_stand_beside_what_was_counted() {
    let html = page(promising(["healthy", "ill"]), ["healthy", "ill"]);
    for text in [
        "rule out ill: predicted healthy with",
        "rows decided as healthy that are right</td><td>at least 90 %",
        "200 of 200",
        "not kept, within chance",
        "ill rows decided as another</td><td>at most 5 %",
        "The promise rests on 400 rows given as held out from training. With 90 % confidence:",
    ] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
}

#[test]
fn a_budget_aimed_at_a_class_is_shown_with_its_class() {
    let probabilities: Vec<f64> =
        (0..400).flat_map(|row| if row % 4 == 0 { [0.75, 0.25] } else { [0.9, 0.1] }).collect();
    let truth: Vec<u32> = (0..400).map(|row| u32::from(row % 8 == 0)).collect();
    let classes = ["healthy", "ill"].map(ClassName::from);
    let rows =
        CalibrationRows::new(&probabilities, &truth, &classes, CalibrationSource::HeldOut).unwrap();
    let html = page(rows.catch_policy(1, 0.25).unwrap(), ["healthy", "ill"]);
    for text in [
        "set to catch ill by flagging at most 25 % of the rows",
        "rows that get a second look</td><td>at most 25 %",
        "100 of 400",
        "It was set on 400 rows given as held out from training; nothing is promised beyond them.",
    ] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
}

#[test]
fn costs_are_those_of_the_policy() {
    let html = page(ConfidencePolicy::of_cost_ratio(0.25).unwrap(), ["healthy", "ill"]);
    // Three flags at a quarter, one error; without flags two errors; 15 flags.
    for text in [
        "second looks</td><td>0.75</td><td>0.0500",
        "decided answers</td><td>1.00</td>",
        "<b>together</b></td><td>1.75</td>",
        "without a second look</td><td>2.00</td>",
        "every row got a second look</td><td>3.75</td>",
    ] {
        assert!(html.contains(text), "{text} is not in {html}");
    }
    let costs = CostMatrix::new(vec![vec![0.0, 1.0], vec![5.0, 0.0]], vec![0.5, 0.5]).unwrap();
    let html = page(CostPolicy::new(costs), ["healthy", "ill"]);
    assert!(html.contains("<b>together</b></td><td>6.50</td>"), "{html}");
}

#[test]
fn names_are_text_wherever_they_stand() {
    let hostile = "<script>alert(\"&amp;\")</script>";
    let names = [hostile, "</td></table>\n'"];
    let policy = promising(names).into();
    let classes = names.map(ClassName::from);
    let fact = || vec![(hostile.to_owned(), hostile.to_owned())];
    let report = VerdictReport::new(hostile, &policy, &classes, rows()).unwrap();
    let report = report.with_data(fact()).with_model(fact()).with_notes(vec![hostile.to_owned()]);
    let html = report.html();
    assert!(!html.contains("<script") && !html.contains("&amp;\")"), "{html}");
    assert_eq!(problem(html.strip_prefix("<!DOCTYPE html>").unwrap()), None, "{html}");
    assert_eq!(html, report.clone().html(), "the same bytes");
    let addresses = html.matches("http").count();
    assert_eq!(addresses, html.matches("http://www.w3.org/2000/svg").count(), "nothing to load");
}

#[test]
fn a_report_without_rows_is_a_report() {
    let classes = ["a", "b"].map(ClassName::from);
    let html = VerdictReport::new("", &VerdictPolicy::default(), &classes, []).unwrap().html();
    assert!(!html.contains("NaN") && html.contains("0 of 0"), "{html}");
    assert!(
        VerdictReport::new("", &VerdictPolicy::default(), &classes, [(2, 0, Decided)]).is_err()
    );
}
