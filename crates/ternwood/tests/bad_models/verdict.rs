//! Files whose verdict policy is wrong.

use super::{changed, check, rewritten};

#[test]
fn verdict_policies() {
    let with = |verdict: &str| changed("{\"zones\":{}}", verdict);
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
            "unknown variant `whim`, expected one of `cost`, `budget`, `guarantee`, `promises` at line 6 column 58; did a newer ternwood write it?",
        ),
        (
            policy("0.8", &format!("{cost},\"x\":1")),
            "unknown field `x`, expected one of `threshold`, `rule`, `uncovered`, `achieved` at line 6 column 82; did a newer ternwood write it?",
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
    check(&[
        (
            with("{\"zones\":{\"uncovered\":\"guess\"}}"),
            "unknown variant `guess`, expected `undecided` or `judge` at line 6 column 42; did a newer ternwood write it?",
        ),
        (
            with("{\"zones\":{\"x\":1}}"),
            "unknown field `x`, expected `uncovered` at line 6 column 26; did a newer ternwood write it?",
        ),
    ]);
    let judging = with("{\"zones\":{\"uncovered\":\"judge\"}}");
    assert_eq!(rewritten(&judging), judging);
    let good = achieved(cost, &format!("{class},{class}"));
    assert_eq!(rewritten(&good), good);
}

#[test]
fn budgets_aimed_at_a_class() {
    let class = r#"{"rows":5,"right":4,"decided":4,"decided_right":4,"decided_for":4}"#;
    let catch = |id: &str, rate: &str, threshold: &str| {
        let fields = format!("\"class\":{id},\"flag_rate\":{rate},\"threshold\":{threshold}");
        let achieved =
            format!("\"achieved\":{{\"source\":\"held_out\",\"classes\":[{class},{class}]}}");
        changed("{\"zones\":{}}", &format!("{{\"catch\":{{{fields},{achieved}}}}}"))
    };
    check(&[
        (catch("2", "0.25", "0.3"), "class to catch is 2; allowed: the id of a class, below 2"),
        (catch("1", "1", "0.3"), "flag_rate is 1; allowed: from 0 to below 1 (15 % is 0.15)"),
        (catch("1", "0.25", "1.5"), "threshold of the verdict is 1.5; allowed: from 0 to 1"),
        (
            catch("1", "0.15", "0.3"),
            "not a verdict policy: more rows were flagged than the budget allows",
        ),
    ]);
    let good = catch("1", "0.25", "0.3");
    assert_eq!(rewritten(&good), good);
}

#[test]
fn promises() {
    let class = r#"{"rows":5,"right":4,"decided":4,"decided_right":4,"decided_for":4}"#;
    let counts = format!(r#""achieved":{{"source":"held_out","classes":[{class},{class}]}}"#);
    let with = |threshold: &str, promises: &str| {
        let rule = format!(r#""rule":{{"promises":{{{promises}}}}}"#);
        let policy = format!(r#"{{"confidence":{{"threshold":{threshold},{rule},{counts}}}}}"#);
        changed("{\"zones\":{}}", &policy)
    };
    let ill = r#""precision":[null,0.9],"confidence":0.9"#;
    let good = with("[0.5,0.75]", ill);
    assert_eq!(rewritten(&good), good);
    let both = with("0.5", r#""precision":[0.8,0.9],"miss_rate":[null,0.1],"confidence":0.9"#);
    assert_eq!(rewritten(&both), both);
    check(&[
        (
            with("[0.5]", ill),
            "the verdict's list of thresholds has length 1, but 2 was expected (the model's)",
        ),
        (with("[0.5,1.5]", ill), "threshold of the verdict is 1.5; allowed: from 0 to 1"),
        (
            with("\"never\"", ill),
            "a threshold is a number, or a list with a number or null for every class at line 6 column 47",
        ),
        (
            with("[null,0.75]", ill),
            "not a verdict policy: rows were decided as a class that is never decided",
        ),
        (
            with("0.5", r#""precision":[0.9],"confidence":0.9"#),
            "the list of promised precisions has length 1, but 2 was expected (one per class)",
        ),
        (
            with("0.5", r#""miss_rate":[0.1,0.1,0.1],"confidence":0.9"#),
            "the list of promised miss rates has length 3, but 2 was expected (one per class)",
        ),
        (
            with("0.5", r#""miss_rate":[0.1,1.0],"confidence":0.9"#),
            "miss_rate is 1; allowed: a number between 0 and 1",
        ),
        (
            with("0.5", r#""precision":[null,0.9],"confidence":1.9"#),
            "confidence is 1.9; allowed: a number between 0 and 1",
        ),
        (
            with("0.5", r#""precision":[null,null],"confidence":0.9"#),
            "number of promises is 0; allowed: at least one precision or miss rate",
        ),
        (
            good.replace(&format!(",{counts}"), ""),
            "not a verdict policy: promises need their calibration counts",
        ),
        (
            good.replace(
                r#"{"promises":{"precision":[null,0.9],"confidence":0.9}}"#,
                r#"{"cost":{"cost_ratio":0.5}}"#,
            ),
            "not a verdict policy: only promises have a threshold for every class",
        ),
    ]);
}

#[test]
fn costs() {
    let with = |answer: &str, flag: &str| {
        let costs = format!(r#"{{"answer":{answer},"flag":{flag}}}"#);
        changed("{\"zones\":{}}", &format!(r#"{{"costs":{{"costs":{costs}}}}}"#))
    };
    let square = "[[0.0,1.0],[5.0,0.0]]";
    let good = with(square, "[0.5,0.5]");
    assert_eq!(rewritten(&good), good);
    check(&[
        (
            with("[[0,1,2],[5,0,1],[1,1,0]]", "[0.5,0.5,0.5]"),
            "the verdict's list of flag costs has length 3, but 2 was expected (the model's)",
        ),
        (
            with(square, "[0.5]"),
            "the cost matrix has length 2, but 1 was expected (one row per true class)",
        ),
        (
            with("[[0,1],[5]]", "[0.5,0.5]"),
            "row 1 of the cost matrix has length 1, but 2 was expected (one cost per answer)",
        ),
        (with(square, "[0.5,1e200]"), "cost of a flag is 1e200; allowed: from -1e100 to 1e100"),
    ]);
}
