//! The parts of a page that need no script: pictures, the tree and its rules as tables, the model card.

use crate::Page;
use crate::html::{escaped, percent};
use std::fmt::Write;
use ternwood::Result;
use ternwood::dataset::one_line;
use ternwood::model::SingleTree;
use ternwood::model::ZoneMeaning;
use ternwood::rules::{Rule, Rules};
use ternwood::tree::{NodeId, Side};
use ternwood::words::class_in_words;
use ternwood_figures::{TreeFigure, tree_svg};

/// A picture has so many leaves that it can be read.
const LEAVES: usize = 24;
/// No more nodes are drawn. The table of nodes and the answers have all of them.
const DRAWN: usize = 2_000;

/// A branch of the tree.
pub(crate) struct Picture {
    pub(crate) top: NodeId,
    /// The number of nodes below it.
    pub(crate) hidden: usize,
    pub(crate) svg: String,
}

/// The pictures, the whole tree first; and the number of nodes that are in none of them.
pub(crate) fn pictures(page: &Page<'_>) -> Result<(Vec<Picture>, usize)> {
    let tree = page.model.tree();
    let data = page.evaluation.as_ref().map(|(_, data)| data);
    let mut waiting = std::collections::VecDeque::from([(NodeId::ROOT, tree.n_nodes() - 1)]);
    let (mut pictures, mut drawn, mut left) = (Vec::new(), 0, 0);
    while let Some((top, hidden)) = waiting.pop_front() {
        if drawn >= DRAWN {
            left += hidden;
            continue;
        }
        let figure = TreeFigure { top, max_leaves: LEAVES, ..TreeFigure::default() };
        let svg = tree_svg(&page.model, data.cloned(), &figure)?;
        let left_out = figure.left_out(tree);
        drawn += hidden - left_out.iter().map(|(_, below)| below).sum::<usize>();
        waiting.extend(left_out);
        pictures.push(Picture { top, hidden, svg });
    }
    Ok((pictures, left))
}

// The tree as a table: for those who cannot see the picture, and for what no picture has room for.

/// The table has so many rows; the text says how many nodes follow.
const SHOWN_NODES: usize = 1_500;

pub(crate) fn node_table(model: SingleTree<'_>) -> String {
    let (tree, schema) = (model.tree(), model.schema());
    let meaning = model.zone_meaning();
    let (depths, parents) = (tree.depths(), tree.parents());
    let mut text = String::from(
        "<table class=\"nodes\">\n<caption class=\"sr\">The nodes of the tree, each after its parent</caption>\n\
         <thead><tr><th scope=\"col\">Node</th><th scope=\"col\">Where</th><th scope=\"col\">Test or answer</th>\
         <th scope=\"col\" class=\"n\">Rows</th><th scope=\"col\" class=\"n\">In zone</th></tr></thead>\n<tbody>\n",
    );
    for id in tree.ids().take(SHOWN_NODES) {
        let parent = parents[id.index()];
        let place = parent.map_or_else(|| "top".to_owned(), |it| branch(model, it, id));
        let class = tree.majority_class(id);
        let share = percent(tree.values(id)[class as usize]);
        let (words, within) = match tree.shown_test(id) {
            Some(test) => (test.describe(schema, meaning), tree.rows_within(id).to_string()),
            None => (format!("{} ({share})", class_in_words(schema, class)), String::new()),
        };
        let of = parent.map_or_else(String::new, |parent| format!(" of node {parent}"));
        let _ = writeln!(
            text,
            "<tr id=\"node-{id}\" style=\"--depth:{}\"><th scope=\"row\">{id}</th>\
             <td class=\"where\">{}<span class=\"sr\">{of}</span></td><td>{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{within}</td></tr>",
            depths[id.index()].min(24),
            escaped(&place),
            escaped(&words),
            tree.rows(id),
        );
    }
    text += "</tbody>\n</table>\n";
    let more = tree.n_nodes().saturating_sub(SHOWN_NODES);
    if more > 0 {
        let _ = writeln!(text, "<p class=\"note\">{more} more nodes are not listed.</p>");
    }
    text
}

/// Which values of its parent's feature lead to a node.
fn branch(model: SingleTree<'_>, parent: NodeId, child: NodeId) -> String {
    let Some(split) = model.tree().node(parent).as_split() else { return String::new() };
    let side = match child {
        _ if child == split.left => Side::Below,
        _ if child == split.right => Side::Above,
        _ => Side::Within,
    };
    split.test.describe_branch(side, split.middle.is_some(), model.schema())
}

// The rules of the tree, one per leaf, as a table that can be read without scripts and sorted with them.

/// The table has the rules with the most rows.
const SHOWN_RULES: usize = 500;

pub(crate) fn rules_section(model: SingleTree<'_>) -> String {
    let rules = Rules::of(model);
    let mut shown: Vec<&Rule> = rules.iter().collect();
    shown.sort_by_key(|rule| (std::cmp::Reverse(rule.rows()), rule.leaf()));
    shown.truncate(SHOWN_RULES);
    let lines: String = shown.into_iter().map(|rule| line(&rules, rule)).collect();
    let more = match rules.len().saturating_sub(SHOWN_RULES) {
        0 => String::new(),
        more => format!("<p class=\"note\">{more} rules with fewer rows are not listed.</p>\n"),
    };
    let zones = match model.zone_meaning() {
        ZoneMeaning::MeasurementError | ZoneMeaning::StandardError => {
            "A value within \u{201c}\u{b1}\u{201d} of an edge is neither clearly inside nor clearly outside."
        }
        ZoneMeaning::Blended => {
            "Where a range is \u{201c}blended\u{201d}, a value is partly inside and partly outside."
        }
        ZoneMeaning::Uncertain => {
            "Where a range is \u{201c}uncertain\u{201d}, a value is neither clearly inside nor clearly outside."
        }
    };
    format!(
        "<section id=\"rules\" aria-labelledby=\"rules-title\">\n<h2 id=\"rules-title\">The tree as rules</h2>\n\
         <p>One rule per leaf, the one with the most training rows first. {zones}</p>\n\
         <div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"The rules\">\n<table id=\"rules-table\">\n<thead><tr>\
         <th scope=\"col\">Leaf</th><th scope=\"col\">Answer</th><th scope=\"col\" class=\"n\">Share</th>\
         <th scope=\"col\" class=\"n\">Rows</th><th scope=\"col\">If</th></tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n</div>\n\
         {more}</section>\n"
    )
}

fn line(rules: &Rules<'_>, rule: &Rule) -> String {
    let leaf = rule.leaf();
    let conditions: Vec<String> =
        rule.conditions().iter().map(|condition| rules.describe_condition(condition)).collect();
    let conditions = match conditions.is_empty() {
        true => "always".to_owned(),
        false => conditions.join(", "),
    };
    let mut text = String::new();
    let _ = writeln!(
        text,
        "<tr data-leaf=\"{leaf}\"><td>{leaf}</td><td>{}</td><td class=\"n\" data-key=\"{}\">{}</td>\
         <td class=\"n\">{}</td><td>{}</td></tr>",
        escaped(&class_in_words(rules.model().schema(), rule.class())),
        rule.probability(),
        percent(rule.probability()),
        rule.rows(),
        escaped(&conditions),
    );
    text
}

// The model card: what the model was made from and how, without any of its rows.

/// Names and values, from what matters most to what tells models apart.
pub(crate) fn facts(page: &Page<'_>) -> Vec<(String, String)> {
    let model = page.model;
    let (schema, tree, recipe) = (model.schema(), model.tree(), model.recipe());
    let counts = schema.classes().iter().zip(tree.class_rows(NodeId::ROOT));
    let classes = counts.map(|(name, rows)| format!("{} {rows}", one_line(&name.to_string())));
    let tested = model.tested_features();
    let names = tested.iter().map(|&index| one_line(&schema.features()[index].name).into_owned());
    let zone = &recipe.params.zone;
    let mut facts: Vec<_> = model.metadata().in_words().collect();
    facts.extend([
        fact("training rows", &tree.rows(NodeId::ROOT).to_string()),
        fact("classes", &classes.collect::<Vec<_>>().join(", ")),
        fact(
            "features",
            &format!(
                "{} of {} are tested: {}",
                tested.len(),
                schema.n_features(),
                names.collect::<Vec<_>>().join(", ")
            ),
        ),
        fact(
            "tree",
            &format!(
                "{} tests, {} leaves, depth {}",
                tree.n_nodes() - tree.n_leaves(),
                tree.n_leaves(),
                tree.depth()
            ),
        ),
        fact("zones", &format!("{}, times {}", zone.kind.as_str(), zone.scale)),
        fact("routing", model.routing().as_str()),
        fact("verdict", &model.verdict().described(schema.classes())),
    ]);
    if let Some(achieved) = model.verdict().achieved() {
        let total = achieved.total();
        let source = achieved.source();
        let text = format!(
            "of {} rows ({source}), {} are decided, {} of those right",
            total.rows, total.decided, total.decided_right
        );
        facts.push(fact("measured when it was set", &text));
    }
    facts.push(fact("seed", &recipe.params.seed.to_string()));
    facts.extend(page.facts.iter().cloned());
    // With spaces, so that its lines can be broken between parameters.
    let recipe = serde_json::to_string(recipe).expect("plain data is always JSON");
    facts.push(fact("recipe", &recipe.replace(",\"", ", \"")));
    facts.extend(model.ternwood_version().map(|it| fact("fitted by", &format!("ternwood {it}"))));
    facts.push(fact("page written by", concat!("ternwood ", env!("CARGO_PKG_VERSION"))));
    facts
}

fn fact(name: &str, text: &str) -> (String, String) {
    (name.to_owned(), text.to_owned())
}
