//! The style sheet and the scripts of a page. They are put into it, one after the other.

/// How the page looks, on the screen and on paper.
pub(crate) const STYLE: [&str; 3] = [
    include_str!("../assets/base.css"),
    include_str!("../assets/parts.css"),
    include_str!("../assets/print.css"),
];

/// What the page does. A file uses only what stands before it.
pub(crate) const SCRIPTS: [&str; 16] = [
    include_str!("../assets/predict.js"),
    include_str!("../assets/coverage.js"),
    include_str!("../assets/verdict.js"),
    include_str!("../assets/follow.js"),
    include_str!("../assets/numbers.js"),
    include_str!("../assets/words.js"),
    include_str!("../assets/decide.js"),
    include_str!("../assets/sentence.js"),
    include_str!("../assets/csv.js"),
    include_str!("../assets/dom.js"),
    include_str!("../assets/picture.js"),
    include_str!("../assets/node.js"),
    include_str!("../assets/row.js"),
    include_str!("../assets/threshold.js"),
    include_str!("../assets/tables.js"),
    include_str!("../assets/main.js"),
];

/// One script: nothing of it is visible outside but what it puts there.
pub(crate) fn script() -> String {
    format!("\"use strict\";\n(() => {{\n{}}})();\n", SCRIPTS.concat())
}
