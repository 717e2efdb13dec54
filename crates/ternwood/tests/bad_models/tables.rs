//! Files whose tests of categories and missing values are wrong.

use super::{check, problem, rewritten, with_change};
use ternwood::{Model, Routing};

/// A number and a category, three classes; a test of categories, one of what is present, and a
/// threshold that knows where missing values go.
const GOOD: &str = r#"{
  "format": "ternwood-model",
  "version": 1,
  "schema": {"classes":["no","so","yes"],"features":[{"name":"a","kind":"number","gaps":true},{"name":"b","kind":{"categories":["p","q","r","s"]},"gaps":true},{"name":"c","kind":{"ordered":["low","high"]},"gaps":true}]},
  "recipe": {"params":{"criterion":"gini","max_depth":null,"min_samples_split":2,"min_samples_leaf":1,"min_weight_fraction_leaf":0.0,"min_samples_middle":5,"max_leaf_nodes":null,"max_features":"all","min_impurity_decrease":0.0,"zero_gain_splits":false,"ccp_alpha":0.0,"class_weight":"uniform","missing":"learn","min_samples_category":1,"category_gain":"above_chance","zone":{"kind":"margin","max_fraction":0.25,"scale":1.0,"category_error":2.0},"seed":0},"routing":"probabilistic","leaves":"counts","em_cutoff":0.001,"least_share":0.0,"auto":{"zone_scale":false,"max_depth":null},"ensemble":"one"},
  "verdict": {"zones":{}},
  "tree": {"nodes": [
    {"test":{"categories":{"feature":1,"axis":{"class_share":2},"threshold":0.4,"error":2.0,"places":[[0,3,0.2,0.15],[2,4,0.75,0.125]],"missing":"right"}},"children":[1,4],"rows_within":0,"impurity":0.56,"class_weights":[4.0,1.0,5.0]},
    {"test":{"present":{"feature":0}},"children":[2,3],"rows_within":0,"impurity":0.5,"class_weights":[2.0,0.0,2.0]},
    {"impurity":0.0,"class_weights":[2.0,0.0,0.0]},
    {"impurity":0.0,"class_weights":[0.0,0.0,2.0]},
    {"test":{"threshold":{"feature":2,"threshold":0.5,"half_width":0.25,"decimals":2,"missing":"left"}},"children":[5,6],"rows_within":0,"impurity":0.61,"class_weights":[2.0,1.0,3.0]},
    {"impurity":0.44,"class_weights":[2.0,1.0,0.0]},
    {"impurity":0.0,"class_weights":[0.0,0.0,3.0]}
  ]}
}
"#;

/// The valid file with one change.
fn changed(from: &str, to: &str) -> String {
    with_change(GOOD, from, to)
}

#[test]
fn the_good_file_is_good() {
    let (model, _) = Model::from_edited(GOOD.as_bytes()).unwrap();
    assert_eq!(rewritten(GOOD), GOOD);
    assert_eq!(model.routing(), Routing::Probabilistic);
    let directed = changed("{\"class_share\":2}", "{\"direction\":[0.8,0.0,-0.6]}");
    assert_eq!(rewritten(&directed), directed);
    let silent = changed(",\"missing\":\"right\"", "");
    assert_eq!(rewritten(&silent), silent);
}

#[test]
fn categories_that_cannot_be() {
    let places = |places: &str| changed("[[0,3,0.2,0.15],[2,4,0.75,0.125]]", places);
    let one_side = "node 0: all its categories are on one side of the cut";
    check(&[
        (places("[]"), one_side),
        (places("[[0,3,0.2,0.15]]"), one_side),
        (places("[[0,3,0.2,0.15],[2,4,0.4,0.125]]"), one_side),
        (places("[[0,3,0.5,0.15],[2,4,0.75,0.125]]"), one_side),
        (
            places("[[2,4,0.75,0.125],[0,3,0.2,0.15]]"),
            "node 0: category 0 comes after 2; ids must ascend",
        ),
        (
            places("[[0,3,0.2,0.15],[0,4,0.75,0.125]]"),
            "node 0: category 0 comes after 0; ids must ascend",
        ),
        (
            places("[[0,3,0.2,0.15],[4,4,0.75,0.125]]"),
            "node 0: category 4 is out of range: the feature has 4",
        ),
        (
            places("[[0,3,0.2,0.15],[4294967296,4,0.75,0.125]]"),
            "invalid value: integer `4294967296`, expected u32 at line 8 column 128",
        ),
        (
            places("[[-1,3,0.2,0.15],[2,4,0.75,0.125]]"),
            "invalid value: integer `-1`, expected u32 at line 8 column 105",
        ),
        (
            places("[[0.5,3,0.2,0.15],[2,4,0.75,0.125]]"),
            "invalid type: floating point `0.5`, expected u32 at line 8 column 106",
        ),
        (
            places("[[0,-3,0.2,0.15],[2,4,0.75,0.125]]"),
            "invalid value: integer `-3`, expected u32 at line 8 column 107",
        ),
        (
            places("[[0,3,-0.2,0.15],[2,4,0.75,0.125]]"),
            "node 0: category 0 lies at -0.2; the axis goes from 0 to 1",
        ),
        (
            places("[[0,3,0.2,0.15],[2,4,1.75,0.125]]"),
            "node 0: category 2 lies at 1.75; the axis goes from 0 to 1",
        ),
        (places("[[0,3,0.2,0.15],[2,4,1e999,0.125]]"), "number out of range at line 8 column 127"),
        (places("[[0,3,0.2,0.15],[2,4,NaN,0.125]]"), "expected value at line 8 column 123"),
        (
            places("[[0,3,0.2,-0.15],[2,4,0.75,0.125]]"),
            "node 0: the standard error of category 0 is -0.15; the zone it makes must be finite and not negative",
        ),
        (
            places("[[0,3,0.2,1e308],[2,4,0.75,0.125]]"),
            "node 0: the standard error of category 0 is 1e308; the zone it makes must be finite and not negative",
        ),
        (
            places("[[0,3,0.2],[2,4,0.75,0.125]]"),
            "invalid length 3, expected a tuple of size 4 at line 8 column 111",
        ),
        (places("[[0,3,0.2,0.15,1],[2,4,0.75,0.125]]"), "trailing characters at line 8 column 117"),
        (
            places("[{\"category\":0},[2,4,0.75,0.125]]"),
            "invalid type: map, expected a tuple of size 4 at line 8 column 102",
        ),
        (
            places("{\"p\":[3,0.2,0.15]}"),
            "invalid type: map, expected a sequence at line 8 column 101",
        ),
        (
            places("[[\"p\",3,0.2,0.15],[2,4,0.75,0.125]]"),
            "invalid type: string \"p\", expected u32 at line 8 column 106",
        ),
    ]);
}

#[test]
fn axes_and_cuts_that_cannot_be() {
    let axis = |axis: &str| changed("{\"class_share\":2}", axis);
    check(&[
        (axis("{\"class_share\":3}"), "node 0: its axis is class 3, but there are 3 classes"),
        (
            axis("{\"class_share\":-1}"),
            "invalid value: integer `-1`, expected u32 at line 8 column 63",
        ),
        (axis("{\"direction\":[0.8,-0.6]}"), "node 0: its axis has 2 numbers for 3 classes"),
        (axis("{\"direction\":[]}"), "node 0: its axis has no coordinates"),
        (
            axis("{\"direction\":[0.5,0.0,-0.6]}"),
            "node 0: category 2 lies at 0.75; the axis goes from -0.6 to 0.5",
        ),
        (axis("{\"direction\":[0.8,1e999,-0.6]}"), "number out of range at line 8 column 69"),
        (
            axis("{\"direction\":0.8}"),
            "invalid type: floating point `0.8`, expected a sequence at line 8 column 62",
        ),
        (
            axis("{\"class_share\":2,\"direction\":[0.8,0.0,-0.6]}"),
            "expected value at line 8 column 62",
        ),
        (
            axis("{\"angle\":2}"),
            "unknown variant `angle`, expected `class_share` or `direction` at line 8 column 54; did a newer ternwood write it?",
        ),
        (
            axis("\"class_share\""),
            "invalid type: unit variant, expected newtype variant at line 8 column 59",
        ),
        (
            changed("\"threshold\":0.4", "\"threshold\":1e999"),
            "number out of range at line 8 column 81",
        ),
        (changed("\"threshold\":0.4,", ""), "missing field `threshold` at line 8 column 137"),
        (
            changed("\"error\":2.0", "\"error\":-2.0"),
            "node 0: the error is -2; it must be finite and not negative",
        ),
        (changed("\"error\":2.0,", ""), "missing field `error` at line 8 column 141"),
        (changed("\"axis\":{\"class_share\":2},", ""), "missing field `axis` at line 8 column 128"),
        (
            changed("\"error\":2.0", "\"error\":2.0,\"half_width\":1.0"),
            "unknown field `half_width`, expected one of `feature`, `axis`, `threshold`, `error`, `places`, `missing` at line 8 column 104; did a newer ternwood write it?",
        ),
        (
            changed("\"error\":2.0", "\"error\":2.0,\"error\":2.0"),
            "duplicate field `error` at line 8 column 99",
        ),
    ]);
}

#[test]
fn tests_that_do_not_suit_their_feature() {
    check(&[
        (
            changed("\"categories\":{\"feature\":1", "\"categories\":{\"feature\":0"),
            "node 0: 'a' has no unordered categories to separate",
        ),
        (
            changed("\"categories\":{\"feature\":1", "\"categories\":{\"feature\":2"),
            "node 0: 'c' has no unordered categories to separate",
        ),
        (
            changed("\"categories\":{\"feature\":1", "\"categories\":{\"feature\":3"),
            "node 0: feature 3 is out of range: there are 3",
        ),
        (
            changed("\"threshold\":{\"feature\":2", "\"threshold\":{\"feature\":1"),
            "node 4: 'b' has categories, which no threshold can separate",
        ),
        (
            changed("\"present\":{\"feature\":0}", "\"present\":{\"feature\":9}"),
            "node 1: feature 9 is out of range: there are 3",
        ),
    ]);
}

#[test]
fn sides_of_missing_values() {
    let did = "did a newer ternwood write it?";
    let variants = "expected `left` or `right`";
    for spelled in ["both", "Left", "unknown", ""] {
        let text = changed("\"missing\":\"right\"", &format!("\"missing\":\"{spelled}\""));
        let expected = format!("unknown variant `{spelled}`, {variants} at line 8 column ");
        let found = problem(&text);
        assert!(found.starts_with(&expected) && found.ends_with(did), "{found}");
    }
    check(&[
        (
            changed("\"missing\":\"left\"", "\"missing\":true"),
            "expected value at line 12 column 96",
        ),
        (
            changed("\"missing\":\"left\"", "\"missing\":\"left\",\"missing\":\"left\""),
            "duplicate field `missing` at line 12 column 111",
        ),
        (
            changed(
                "\"present\":{\"feature\":0}",
                "\"present\":{\"feature\":0,\"missing\":\"right\"}",
            ),
            "unknown field `missing`, expected `feature` at line 9 column 45; did a newer ternwood write it?",
        ),
        (
            changed("\"present\":{\"feature\":0}", "\"present\":{}"),
            "missing field `feature` at line 9 column 25",
        ),
        (
            changed("{\"present\":{\"feature\":0}}", "\"present\""),
            "invalid type: unit variant, expected struct variant at line 9 column 21",
        ),
    ]);
}

/// `null` where the writer leaves a side out: another spelling of the same test.
#[test]
fn no_side_may_be_spelled_null() {
    let null = changed("\"missing\":\"right\"", "\"missing\":null");
    let silent = changed(",\"missing\":\"right\"", "");
    assert_eq!(rewritten(&null), silent);
}

#[test]
fn choices_of_errors() {
    let with = |candidate: &str| {
        changed("\"zone_scale\":false", "\"zone_scale\":true").replace(
            "\"verdict\"",
            &format!("\"choice\": {{\"folds\":2,\"repeats\":1,\"candidates\":[{candidate}]}},\n  \"verdict\""),
        )
    };
    let followed = r#"{"max_depth":null,"zone_scale":1.0,"category_error":2.0,"log_loss":0.5,"fold_log_losses":[0.5,0.5]}"#;
    check(&[
        (
            with(&followed.replace("2.0", "4.0")),
            "choice is a list of 1 candidates; allowed: one of them has the recipe's max_depth, zone_scale and category_error",
        ),
        (
            with(&followed.replace("2.0", "-2.0")),
            "category_error of a candidate is -2; allowed: a finite number, at least 0",
        ),
    ]);
    let good = with(followed);
    assert_eq!(rewritten(&good), good);
}
