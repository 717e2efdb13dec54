//! Files whose verdict policy is wrong.

use super::{changed, check};
use ternwood::Model;

#[test]
fn verdict_policies() {
    let with = |verdict: &str| changed("\"zones\"", verdict);
    let policy = |threshold: &str, rule: &str| {
        with(&format!("{{\"confidence\":{{\"threshold\":{threshold},\"rule\":{rule}}}}}"))
    };
    let class = r#"{"rows":5,"right":4,"decided":4,"decided_right":4,"decided_for":4}"#;
    let achieved = |rule: &str, classes: &str| {
        let achieved = format!("\"achieved\":{{\"source\":\"held_out\",\"classes\":[{classes}]}}");
        let threshold = if rule.contains("cost") { "0.8" } else { "0.7" };
        policy(threshold, &format!("{rule},{achieved}"))
    };
    let (cost, budget) = (r#"{"cost":{"cost_ratio":0.2}}"#, r#"{"budget":{"flag_rate":0.1}}"#);
    check(&[
        (policy("1.5", cost), "threshold of the verdict is 1.5; allowed: from 0 to 1"),
        (policy("0.7", cost), "not a verdict policy: by cost, the threshold is 1 - cost_ratio"),
        (
            policy("0.7", r#"{"cost":{"cost_ratio":2}}"#),
            "cost_ratio is 2; allowed: a number between 0 and 1",
        ),
        (
            policy("0.7", budget),
            "not a verdict policy: a budget or guarantee needs its calibration counts",
        ),
        (
            achieved(budget, &format!("{class},{class}")),
            "not a verdict policy: more rows were flagged than the budget allows",
        ),
        (
            policy("0.7", r#"{"whim":{}}"#),
            "unknown variant `whim`, expected one of `cost`, `budget`, `guarantee` at line 6 column 58; did a newer ternwood write it?",
        ),
        (
            policy("0.8", &format!("{cost},\"x\":1")),
            "unknown field `x`, expected one of `threshold`, `rule`, `achieved` at line 6 column 82; did a newer ternwood write it?",
        ),
        (
            policy("0.8", r#"{"cost":{"cost_ratio":0.2,"x":1}}"#),
            "unknown field `x`, expected `cost_ratio` at line 6 column 80; did a newer ternwood write it?",
        ),
        (
            with("\"confidence\""),
            "invalid type: unit variant, expected newtype variant at line 6 column 25",
        ),
        (with("null"), "expected value at line 6 column 14"),
        (
            achieved(cost, class),
            "the verdict's list of classes has length 1, but 2 was expected (the model's)",
        ),
        (
            achieved(cost, &format!("{class},{}", class.replace("\"decided\":4", "\"decided\":6"))),
            "not a verdict policy: its counts of calibration rows contradict each other",
        ),
        (
            achieved(cost, &format!("{class},{}", class.replace("{\"rows\"", "{\"x\":0,\"rows\""))),
            "unknown field `x`, expected one of `rows`, `right`, `decided`, `decided_right`, `decided_for` at line 6 column 193; did a newer ternwood write it?",
        ),
    ]);
    let good = achieved(cost, &format!("{class},{class}"));
    assert_eq!(Model::from_json(&good).unwrap().to_json(), good);
}
