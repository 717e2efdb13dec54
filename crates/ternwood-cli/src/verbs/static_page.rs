//! A model as a page for the browser and the printer: one file, no scripts, nothing to load.

use crate::report::CLASS_LEGEND;
use crate::summary::{Fact, Summary};

/// The page. `picture` is an SVG document and what it leaves out; `tree` the text of the tree and
/// the notes to it.
pub(crate) fn page(
    title: &str,
    summary: &Summary,
    (picture, left_out): (&str, Option<&str>),
    (tree, notes): (&str, &[String]),
) -> String {
    let title = escaped(title);
    let caption = left_out.map(|text| element("figcaption", text)).unwrap_or_default();
    let notes: String = notes.iter().map(|note| element("p", note)).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         {}<h2>The tree</h2>\n<figure>\n{picture}{caption}</figure>\n\
         <h2>The tree as text</h2>\n{}{notes}</body>\n</html>\n",
        facts(summary),
        element("pre", tree),
    )
}

/// The summary as a list of terms.
fn facts(summary: &Summary) -> String {
    let term = |Fact { name, text }: &Fact| element("dt", name) + &element("dd", text);
    let terms: String = summary.facts.iter().map(term).collect();
    let table = |text: &String| element("pre", &format!("{text}{CLASS_LEGEND}"));
    let achieved = summary.achieved.as_ref().map(table).unwrap_or_default();
    format!("<dl>\n{terms}</dl>\n{achieved}")
}

fn element(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>\n", escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// On screen a wide picture can be scrolled; on paper it is made to fit.
const STYLE: &str = "\
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff;
  font: 1rem/1.5 Helvetica, Arial, 'Liberation Sans', sans-serif; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.2rem; margin-top: 2rem; }
dl { display: grid; grid-template-columns: fit-content(16rem) 1fr; gap: .3rem 1.2rem; }
dt { color: #555; overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 0; overflow-x: auto; }
figcaption, p { color: #555; margin: .5rem 0; }
pre { font: .85rem/1.35 Menlo, Consolas, 'Liberation Mono', monospace; overflow-x: auto; }
@media print {
  body { max-width: none; margin: 0; padding: 0; }
  figure { overflow: visible; break-inside: avoid; }
  svg { max-width: 100%; height: auto; }
  pre { white-space: pre-wrap; font-size: .65rem; }
}
";
