//! Files whose schema, recipe or choice is wrong.

use super::{changed, check, rewritten};

#[test]
fn schemas() {
    let classes = |classes: &str| changed("[\"no\",\"yes\"]", classes);
    let second = |feature: &str| changed("{\"name\":\"b\",\"kind\":\"number\"}", feature);
    check(&[
        (
            classes("[\"no\",\"no\"]"),
            "the class name 'no' occurs twice; names must be distinct at line 4 column 106",
        ),
        (
            classes("[1,\"1\"]"),
            "the class name '1' occurs twice; names must be distinct at line 4 column 102",
        ),
        (classes("[]"), "it has no features or no classes"),
        (
            classes("[\"no\",null]"),
            "a class name is a truth value, a number or a word at line 4 column 34",
        ),
        (
            classes("[\"no\",[1]]"),
            "a class name is a truth value, a number or a word at line 4 column 33",
        ),
        (classes("\"no\""), "invalid type: string \"no\", expected a sequence at line 4 column 27"),
        (
            second("{\"name\":\"a\",\"kind\":\"number\"}"),
            "the feature name 'a' occurs twice; names must be distinct at line 4 column 107",
        ),
        (second("{\"kind\":\"number\"}"), "missing field `name` at line 4 column 94"),
        (second("{\"name\":\"b\"}"), "missing field `kind` at line 4 column 89"),
        (
            second("{\"name\":\"b\",\"kind\":\"numeric\"}"),
            "unknown variant `numeric`, expected one of `number`, `categories`, `ordered` at line 4 column 105; did a newer ternwood write it?",
        ),
        (
            second("{\"name\":\"b\",\"kind\":\"number\",\"unit\":\"mg\"}"),
            "unknown field `unit`, expected one of `name`, `kind`, `notation`, `fill`, `gaps`, `absent`, `open` at line 4 column 111; did a newer ternwood write it?",
        ),
        (
            second("{\"name\":\"b\",\"kind\":{\"number\":null,\"unit\":\"mg\"}}"),
            "expected value at line 4 column 110",
        ),
        (
            second("{\"name\":\"b\",\"kind\":{\"categories\":[\"p\",\"q\",\"p\"]}}"),
            "the category name 'p' occurs twice; names must be distinct at line 4 column 127",
        ),
        (
            second("{\"name\":\"b\",\"kind\":{\"categories\":[\"p\",1]}}"),
            "invalid type: integer `1`, expected a string at line 4 column 116",
        ),
        (
            second("{\"name\":\"b\",\"kind\":\"number\",\"fill\":\"mean\"}"),
            "invalid type: string \"mean\", expected f64 at line 4 column 118",
        ),
        (
            second("{\"name\":\"b\",\"kind\":{\"categories\":[\"p\",\"q\"]},\"absent\":[1,0]}"),
            "absent is [1, 0]; allowed: ids of the feature's categories, ascending at line 4 column 138",
        ),
        (
            second("{\"name\":\"b\",\"kind\":{\"categories\":[\"p\",\"q\"]},\"absent\":[2]}"),
            "absent is [2]; allowed: ids of the feature's categories, ascending at line 4 column 136",
        ),
        (
            second("{\"name\":\"b\",\"kind\":{\"categories\":[\"p\",\"q\"]},\"fill\":0.5}"),
            "fill is 0.5; allowed: the id of a category at line 4 column 134",
        ),
        (
            second("{\"name\":\"b\",\"kind\":{\"ordered\":[\"p\",\"p\"]}}"),
            "the category name 'p' occurs twice; names must be distinct at line 4 column 120",
        ),
        (
            second("{\"name\":\"b\",\"kind\":\"ordered\"}"),
            "invalid type: unit variant, expected newtype variant at line 4 column 106",
        ),
        (second("7"), "invalid type: integer `7`, expected a feature at line 4 column 78"),
        (
            changed("{\"classes\"", "{\"target\":\"a\",\"classes\""),
            "the column name 'a' occurs twice; names must be distinct at line 4 column 120",
        ),
        (
            changed("{\"classes\"", "{\"weights\":\"w\",\"classes\""),
            "unknown field `weights`, expected one of `target`, `classes`, `features`, `unnamed` at line 4 column 22; did a newer ternwood write it?",
        ),
        (
            changed(
                "[{\"name\":\"a\",\"kind\":\"number\"},{\"name\":\"b\",\"kind\":\"number\"}]",
                "[]",
            ),
            "it has no features or no classes",
        ),
    ]);
}

#[test]
fn blending_and_ensembles() {
    check(&[
        (changed("\"least_share\":0.0,", ""), "missing field `least_share` at line 5 column 579"),
        (
            changed("\"least_share\":0.0", "\"least_share\":0.75"),
            "least_share is 0.75; allowed: from 0 to 0.5",
        ),
        (
            changed("\"em_cutoff\":0.001", "\"em_cutoff\":-1"),
            "em_cutoff is -1; allowed: from 0 to 0.5",
        ),
        (
            changed("\"probabilistic\"", "\"deferred\"").replace("share\":0.0", "share\":0.25"),
            "least_share is 0.25; allowed: 0 under deferred routing",
        ),
        (
            changed("\"counts\"", "\"em\"").replace("share\":0.0", "share\":0.25"),
            "least_share is 0.25; allowed: 0 for a tree whose leaves, zones or depth depend on predictions",
        ),
        (
            changed(
                "\"one\"",
                "{\"forest\":{\"n_trees\":1,\"bootstrap\":true,\"max_samples\":null,\"exponent\":\"off\",\"smoothing\":0.001}}",
            ),
            "it has a \"tree\", but its recipe is of a forest",
        ),
    ]);
}

#[test]
fn recipes() {
    let zone = |kind: &str| changed("\"margin\"", kind);
    check(&[
        (
            changed("\"routing\":\"probabilistic\",", ""),
            "missing field `routing` at line 5 column 571",
        ),
        (
            changed("\"probabilistic\"", "\"sideways\""),
            "unknown variant `sideways`, expected one of `crisp`, `probabilistic`, `deferred`, `hard_middle` at line 5 column 475; did a newer ternwood write it?",
        ),
        (changed("\"max_depth\":null,", ""), "missing field `max_depth` at line 5 column 437"),
        (
            changed("\"max_depth\":null,", "\"max_depth\":0,"),
            "max_depth is 0; allowed: at least 1, or none for no limit",
        ),
        (
            changed("\"max_leaf_nodes\":null,", ""),
            "missing field `max_leaf_nodes` at line 5 column 432",
        ),
        (
            changed("\"seed\":0", "\"seed\":0,\"host\":\"here\""),
            "unknown field `host`, expected one of `criterion`, `max_depth`, `min_samples_split`, `min_samples_leaf`, `min_weight_fraction_leaf`, `min_samples_middle`, `max_leaf_nodes`, `max_features`, `min_impurity_decrease`, `zero_gain_splits`, `ccp_alpha`, `class_weight`, `missing`, `min_samples_category`, `category_gain`, `zone`, `seed` at line 5 column 460; did a newer ternwood write it?",
        ),
        (
            changed("\"seed\":0", "\"seed\":18446744073709551616"),
            "invalid type: floating point `1.8446744073709552e+19`, expected u64 at line 5 column 472",
        ),
        (
            changed("\"learn\"", "\"guess\""),
            "unknown variant `guess`, expected one of `learn`, `unknown`, `error` at line 5 column 310; did a newer ternwood write it?",
        ),
        (changed("\"missing\":\"learn\",", ""), "missing field `missing` at line 5 column 436"),
        (
            changed("\"min_samples_category\":1", "\"min_samples_category\":0"),
            "min_samples_category is 0; allowed: at least 1 row",
        ),
        (
            changed("\"category_error\":2.0", "\"category_error\":-2.0"),
            "category_error is -2; allowed: from 0 to 1000000000",
        ),
        (
            changed(",\"category_error\":2.0", ""),
            "missing field `category_error` at line 5 column 423",
        ),
        (
            changed("\"max_fraction\":0.25", "\"max_fraction\":7"),
            "max_zone_fraction is 7; allowed: from 0 to 1",
        ),
        (
            changed("\"min_samples_leaf\":1", "\"min_samples_leaf\":\"few\""),
            "a number of rows is a whole number or a fraction at line 5 column 105",
        ),
        (
            changed("\"min_samples_leaf\":1", "\"min_samples_leaf\":-1"),
            "min_samples_leaf is -1.0; allowed: a whole number, or a fraction above 0 and below 1",
        ),
        (
            changed("\"min_samples_leaf\":1", "\"min_samples_leaf\":4294967296"),
            "min_samples_leaf is 4294967296.0; allowed: a whole number, or a fraction above 0 and below 1",
        ),
        (
            changed("\"all\"", "{\"fraction\":0}"),
            "max_features is 0.0; allowed: a whole number, or a fraction above 0 and at most 1",
        ),
        (changed("\"all\"", "{\"all\":null,\"count\":1}"), "expected value at line 5 column 204"),
        (
            changed("\"uniform\"", "{\"given\":[1,2,3]}"),
            "class_weight has length 3, but 2 was expected (one per class)",
        ),
        (
            changed("\"zone_scale\":false", "\"zone_scale\":false,\"zones\":true"),
            "unknown field `zones`, expected `zone_scale` or `max_depth` at line 5 column 569; did a newer ternwood write it?",
        ),
        (
            changed("\"max_depth\":null}", "\"max_depth\":\"deep\"}"),
            "unknown variant `deep`, expected `auto` or `best` at line 5 column 580; did a newer ternwood write it?",
        ),
        (changed(",\"max_depth\":null}", "}"), "missing field `max_depth` at line 5 column 562"),
        (
            zone("\"fuzzy\""),
            "unknown variant `fuzzy`, expected one of `none`, `specified`, `quality_plateau`, `class_overlap`, `gain_ratio`, `node_bootstrap`, `margin`, `spread`, `cost_optimal` at line 5 column 389; did a newer ternwood write it?",
        ),
        (
            zone("{\"margin\":{\"tolerance\":0.1}}"),
            "invalid type: map, expected unit at line 5 column 392",
        ),
        (zone("{\"margin\":null,\"tolerance\":0.1}"), "expected value at line 5 column 396"),
        (
            zone("{\"class_overlap\":{\"tail\":0.1,\"x\":1}}"),
            "unknown field `x`, expected `tail` at line 5 column 414; did a newer ternwood write it?",
        ),
        (zone("{\"class_overlap\":{}}"), "missing field `tail` at line 5 column 401"),
        (
            zone("{\"specified\":{\"half_widths\":[1.0]}}"),
            "specified_half_widths has length 1, but 2 was expected (one per feature)",
        ),
    ]);
}

#[test]
fn choices() {
    let with = |auto: &str, candidates: &str| {
        changed("\"zone_scale\":false", &format!("\"zone_scale\":{auto}")).replace(
            "\"verdict\"",
            &format!("\"choice\": {{\"folds\":2,\"repeats\":1,\"candidates\":[{candidates}]}},\n  \"verdict\""),
        )
    };
    let followed =
        r#"{"max_depth":null,"zone_scale":1.0,"log_loss":0.5,"fold_log_losses":[0.5,0.5]}"#;
    check(&[
        (
            with("false", followed),
            "choice is present; allowed: only where the recipe leaves scale or depth to the data",
        ),
        (
            with("true", ""),
            "choice is a list of 0 candidates; allowed: one of them has the recipe's max_depth, zone_scale and category_error",
        ),
        (
            with("true", &followed.replace("1.0", "2.0")),
            "choice is a list of 1 candidates; allowed: one of them has the recipe's max_depth, zone_scale and category_error",
        ),
        (
            with("true", &followed.replace("1.0", "-1.0")),
            "zone_scale of a candidate is -1; allowed: a finite number, at least 0",
        ),
        (
            with("true", &followed.replace("0.5", "-0.5")),
            "log_loss of a candidate is -0.5; allowed: a finite number, at least 0",
        ),
        (
            with("true", &followed.replace(",0.5]", ",-0.25]")),
            "fold_log_losses of a candidate is -0.25; allowed: a finite number, at least 0",
        ),
        (
            with("true", &followed.replace(",0.5]", ",0.5,0.5]")),
            "fold_log_losses of a candidate is a list of 3; allowed: at most 2, by folds and repeats, and as many for all",
        ),
        (
            with("true", &format!("{followed},{}", followed.replace(",0.5]", "]"))),
            "fold_log_losses of a candidate is a list of 1; allowed: at most 2, by folds and repeats, and as many for all",
        ),
        (
            with("true", &followed.replace("\"max_depth\":null,", "")),
            "missing field `max_depth` at line 6 column 110",
        ),
    ]);
    let good = with("true", followed);
    assert_eq!(rewritten(&good), good);
}
