//! The page as HTML. What needs scripts is hidden until they run.

use crate::parts::{self, Picture, pictures};
use crate::{Page, document};
use std::fmt::Write;
use ternwood::Result;
use ternwood::tree::NodeId;

/// Nothing can be loaded, sent or framed, whatever a name in the model says.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

pub(crate) fn document(page: &Page<'_>) -> Result<String> {
    let title = escaped(&page.title);
    let parts = [
        header(page),
        format!("<main>\n<div class=\"desk\">\n{ASK}{}</div>\n", tree(page, &pictures(page)?)),
        choose(page),
        SECOND_LOOKS.to_owned(),
        parts::rules_section(page.model),
        TABLE.to_owned(),
        card(page),
        "</main>\n".to_owned(),
        footer(),
    ];
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}\
         <script type=\"application/json\" id=\"model\">{}</script>\n<script>\n{}</script>\n</body>\n</html>\n",
        STYLE.concat(),
        parts.concat(),
        document::text(page),
        script(),
    ))
}

fn header(page: &Page<'_>) -> String {
    let (tree, schema) = (page.model.tree(), page.model.schema());
    let facts = [
        format!("{} training rows", grouped(tree.rows(NodeId::ROOT).into())),
        format!("{} tests", tree.n_nodes() - tree.n_leaves()),
        format!("{} leaves", tree.n_leaves()),
        format!("{} classes", schema.n_classes()),
    ];
    let policy = page.model.verdict().described(schema.classes());
    let policy = policy.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    format!(
        "<header>\n<p class=\"kind\">A decision tree that knows where it is unsure</p>\n<h1>{}</h1>\n\
         <p class=\"facts\">{}</p>\n<p class=\"policy\"><b>Verdict:</b> <span id=\"policy\">{}</span>\
         <button type=\"button\" id=\"own-policy\" class=\"quiet\" hidden>back to the model\u{2019}s own</button></p>\n\
         <noscript><p class=\"note\">Scripts are off. The tree, its rules and the model card can be read; \
         trying rows needs scripts.</p></noscript>\n</header>\n",
        escaped(&page.title),
        facts.join(" · "),
        escaped(&policy),
    )
}

/// Inputs and the answer.
const ASK: &str = "\
<section id=\"ask\" class=\"card\" aria-labelledby=\"ask-title\" hidden>
<h2 id=\"ask-title\">Try a row</h2>
<form id=\"row\" autocomplete=\"off\"></form>
<div id=\"answer\" aria-live=\"polite\"></div>
</section>
";

fn tree(page: &Page<'_>, (pictures, left): &(Vec<Picture>, usize)) -> String {
    let mut text = String::from(
        "<section id=\"tree\" aria-labelledby=\"tree-title\">\n<h2 id=\"tree-title\">The tree</h2>\n\
         <p class=\"note script\" hidden>The way of the row lights up, both ways where a test is unsure. Choose a node to \
         see its zone; the arrow keys go from node to node.</p>\n",
    );
    text += match (&page.evaluation, page.model.histograms()) {
        (Some(_), _) => {
            "<p class=\"note\">Histograms show the evaluation rows; counts are of training rows.</p>\n"
        }
        (None, Some(_)) => {
            "<p class=\"note\">Histograms show training rows, by rounded value.</p>\n"
        }
        (None, None) => "",
    };
    for Picture { top, hidden, svg } in pictures {
        let figure = format!(
            "<figure style=\"--w:{}px\" tabindex=\"0\" role=\"group\" aria-label=\"Picture of the tree, to be scrolled\">\n{svg}</figure>\n",
            width_of(svg)
        );
        if *top == NodeId::ROOT {
            text += &figure;
        } else {
            let _ = write!(
                text,
                "<details class=\"branch\" id=\"branch-{top}\"><summary>The branch below node {top}: {} nodes</summary>\n{figure}</details>\n",
                grouped(*hidden as u64)
            );
        }
    }
    if pictures.len() > 1 {
        text += "<p class=\"note script\" hidden>Dashed boxes stand for branches: choose one to open its picture.</p>\n";
    }
    if *left > 0 {
        let _ = writeln!(
            text,
            "<p class=\"note\">{} more nodes are too many to draw.</p>",
            grouped(*left as u64)
        );
    }
    text + "<div id=\"node\" class=\"card\" aria-live=\"polite\" hidden></div>\n\
            <details id=\"nodes\"><summary>The tree as a table</summary>\n\
            <div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"The tree as a table\">\n"
        + &parts::node_table(page.model)
        + "</div>\n</details>\n</section>\n"
}

/// The width that an SVG document says it has.
fn width_of(svg: &str) -> &str {
    svg.split('"').skip_while(|part| !part.ends_with(" width=")).nth(1).unwrap_or("900")
}

fn choose(page: &Page<'_>) -> String {
    match page.evaluation {
        None => String::new(),
        Some((ref evaluation, _)) => format!(
            "<section id=\"choose\" aria-labelledby=\"choose-title\" hidden>\n<h2 id=\"choose-title\">Choose the verdict</h2>\n\
             <p>On {} evaluation rows: how sure must an answer be to stand without a second look? Drag the point along the \
             curve, or the slider below it.</p>\n<div class=\"choose\"><div id=\"curve\"></div><div id=\"effect\" aria-live=\"polite\"></div></div>\n</section>\n",
            grouped(evaluation.rows as u64)
        ),
    }
}

const SECOND_LOOKS: &str = "\
<section id=\"looks\" aria-labelledby=\"looks-title\" hidden>
<h2 id=\"looks-title\">Where second looks come from</h2>
<div id=\"sources\"></div>
</section>
";

const TABLE: &str = "\
<section id=\"table\" aria-labelledby=\"table-title\" hidden>
<h2 id=\"table-title\">Answer a table</h2>
<p>Drop a CSV file here. It is answered in this browser: nothing leaves it.</p>
<label class=\"drop\" id=\"drop\"><input type=\"file\" id=\"file\" accept=\".csv,.tsv,.txt,text/csv\"> <span>Choose a file, or drop it here</span></label>
<div id=\"answers\" aria-live=\"polite\"></div>
</section>
";

fn card(page: &Page<'_>) -> String {
    let term = |(name, text): &(String, String)| {
        format!("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(text))
    };
    let terms: String = parts::facts(page).iter().map(term).collect();
    format!(
        "<section id=\"about\" aria-labelledby=\"about-title\">\n<h2 id=\"about-title\">Model card</h2>\n<dl>\n{terms}</dl>\n\
         <p class=\"note\">This page has the tree with its counts. It has no training rows, and nothing to recognise them by.</p>\n</section>\n"
    )
}

fn footer() -> String {
    "<footer><p>One file, no network: what you type or drop stays in this browser.</p></footer>\n"
        .to_owned()
}

/// Text as the content of an element or of an attribute.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A share in percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// A number with a narrow space between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

// The style sheet and the scripts of a page. They are put into it, one after the other.

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
