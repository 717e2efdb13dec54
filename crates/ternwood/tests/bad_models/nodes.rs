//! Files whose tree is wrong.

use super::{GOOD, changed, check, problem};

#[test]
fn nodes_that_make_no_tree() {
    let fields = "node 0: a split has test, children and rows_within; a leaf has none of them";
    let children =
        |children: &str| changed("\"children\":[1,2]", &format!("\"children\":{children}"));
    check(&[
        (
            changed("\"probabilistic\"", "\"hard_middle\""),
            "a tree of this shape is not defined for hard_middle routing; grow a three-child tree for it",
        ),
        (children("[1,7]"), "node 0: its children are [1, 7], but preorder puts them at [1, 2]"),
        (children("[0,2]"), "node 0: its children are [0, 2], but preorder puts them at [1, 2]"),
        (children("[2,1]"), "node 0: its children are [2, 1], but preorder puts them at [1, 2]"),
        (children("[1,-1]"), "invalid value: integer `-1`, expected u32 at line 8 column 102"),
        (children("[1]"), "node 0: it has 1 children; a split has 2 or 3"),
        (children("[1,2,3,4]"), "node 0: it has 4 children; a split has 2 or 3"),
        (children("[1,2,3]"), "node 0: it has 2 of its 3 children"),
        (changed("\"children\":[1,2],", ""), fields),
        (changed("\"rows_within\":1,", ""), fields),
        (
            changed(
                "\"test\":{\"threshold\":{\"feature\":1,\"threshold\":2.5,\"half_width\":0.5,\"decimals\":1}},",
                "",
            ),
            fields,
        ),
        (
            changed("[3.0,0.0]", "[3.0,0.0],\"rows_within\":0"),
            "node 1: a split has test, children and rows_within; a leaf has none of them",
        ),
        (
            changed("    {\"impurity\":0.0,\"class_weights\":[3.0,0.0]},\n", ""),
            "node 0: it has 1 of its 2 children",
        ),
        (
            changed(
                "[0.0,2.0]}",
                "[0.0,2.0]},\n    {\"impurity\":0.0,\"class_weights\":[0.0,2.0]}",
            ),
            "node 3: it belongs to no split: the tree ends before it",
        ),
        (
            changed("\"nodes\": [\n    {\"test\"", "\"nodes\": [], \"x\": [{\"test\""),
            "unknown field `x`, expected `nodes` at line 7 column 27; did a newer ternwood write it?",
        ),
        (
            changed("    {\"impurity\":0.0,\"class_weights\":[3.0,0.0]}", "    7"),
            "invalid type: integer `7`, expected a node at line 9 column 5",
        ),
    ]);
    let (start, rest) = GOOD.split_once("\"nodes\": [").unwrap();
    let (nodes, _) = rest.split_once("]}\n}").unwrap();
    let empty = format!("{start}\"nodes\": []}}}}");
    assert_eq!(problem(&empty), "node 0: there are no nodes; a tree has at least a leaf");
    // The left child is a split of another shape.
    let other = nodes.trim().replace("[1,2]", "[2,3,4]");
    let mixed = GOOD.replace("    {\"impurity\":0.0,\"class_weights\":[3.0,0.0]}", &other);
    assert_eq!(
        problem(&mixed),
        "node 1: it has 3 children and the first split has 2; a tree has one shape"
    );
}

#[test]
fn tests_that_cannot_be() {
    let test = |from: &str, to: &str| changed(from, to);
    check(&[
        (test("\"feature\":1", "\"feature\":2"), "node 0: feature 2 is out of range: there are 2"),
        (
            test("\"feature\":1", "\"feature\":-1"),
            "invalid value: integer `-1`, expected u32 at line 8 column 38",
        ),
        (
            test("\"threshold\":2.5", "\"threshold\":null"),
            "invalid type: null, expected f64 at line 8 column 54",
        ),
        (test("\"threshold\":2.5", "\"threshold\":NaN"), "expected value at line 8 column 51"),
        (
            test("\"threshold\":2.5", "\"threshold\":1e999"),
            "number out of range at line 8 column 55",
        ),
        (test("\"threshold\":2.5,", ""), "missing field `threshold` at line 8 column 68"),
        (
            test("\"half_width\":0.5", "\"half_width\":-0.5"),
            "node 0: the half-width is -0.5; it must be finite and not negative",
        ),
        (
            test("\"decimals\":1", "\"decimals\":401"),
            "node 0: decimals is 401; allowed: -308 to 400",
        ),
        (
            test("\"decimals\":1", "\"decimals\":1.5"),
            "invalid type: floating point `1.5`, expected i16 at line 8 column 85",
        ),
        (
            test("\"decimals\":1", "\"decimals\":1,\"nudges\":[0,2]"),
            "node 0: a nudge is 2; allowed: -1, 0 or 1",
        ),
        (
            test("\"decimals\":1", "\"decimals\":1,\"nudges\":[1]"),
            "invalid length 1, expected an array of length 2 at line 8 column 96",
        ),
        (test("\"decimals\":1", "\"nudges\":[1,0]"), "node 0: it has nudges, but no decimals"),
        (
            test("\"decimals\"", "\"digits\""),
            "unknown field `digits`, expected one of `feature`, `threshold`, `half_width`, `decimals`, `nudges`, `missing` at line 8 column 79; did a newer ternwood write it?",
        ),
        (
            test("{\"threshold\":{", "{\"members\":{"),
            "unknown variant `members`, expected one of `threshold`, `categories`, `present` at line 8 column 22; did a newer ternwood write it?",
        ),
        (
            test("\"test\":{", "\"test\":{\"x\":1,"),
            "unknown variant `x`, expected one of `threshold`, `categories`, `present` at line 8 column 16; did a newer ternwood write it?",
        ),
        (
            test("\"test\":{\"threshold\"", "\"color\":2,\"test\":{\"threshold\""),
            "unknown field `color`, expected one of `test`, `children`, `rows_within`, `impurity`, `class_weights`, `class_rows`, `values` at line 8 column 12; did a newer ternwood write it?",
        ),
    ]);
}

#[test]
fn numbers_that_cannot_be() {
    check(&[
        (
            changed("\"rows_within\":1", "\"rows_within\":6"),
            "node 0: 6 rows are within its zone, but it has only 5",
        ),
        (
            changed("[3.0,0.0]", "[3.0]"),
            "node 1: class_weights has length 1, but there are 2 classes",
        ),
        (
            changed("[3.0,0.0]", "[-3.0,6.0]"),
            "node 1: a class weight is -3; it must be finite and not negative",
        ),
        (
            changed("[3.0,0.0]", "[0.0,0.0]"),
            "node 1: the class weights sum to 0; the sum must be positive and finite",
        ),
        (
            changed("[3.0,0.0]", "[1e308,1e308],\"class_rows\":[1,1],\"values\":[0.5,0.5]"),
            "node 1: the class weights sum to inf; the sum must be positive and finite",
        ),
        (
            changed("[3.0,0.0]", "[2.5,0.5]"),
            "node 1: class_rows is missing, and its weights are not numbers of rows",
        ),
        (
            changed("[3.0,0.0]", "[4294967296,0.0]"),
            "node 1: class_rows is missing, and its weights are not numbers of rows",
        ),
        (
            changed("[3.0,0.0]", "[3.0,0.0],\"class_rows\":[3]"),
            "node 1: class_rows has length 1, but there are 2 classes",
        ),
        (
            changed("[3.0,0.0]", "[3.0,0.0],\"values\":[1.0,0.0,0.0]"),
            "node 1: values has length 3, but there are 2 outputs",
        ),
        (
            changed("[3.0,0.0]", "[3.0,0.0],\"values\":[0.5,0.4]"),
            "node 1: the probabilities sum to 0.9, not to 1",
        ),
        (
            changed("[3.0,0.0]", "[3.0,0.0],\"values\":[1.5,-0.5]"),
            "node 1: a probability is 1.5; it must be between 0 and 1",
        ),
        (
            changed("\"impurity\":0.48", "\"impurity\":-1.0"),
            "node 0: the impurity is -1; it must be finite and not negative",
        ),
    ]);
}
