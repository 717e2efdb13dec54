//! The rules of the tree, one per leaf, as a table that can be read without scripts and sorted with them.

use crate::html::{escaped, percent};
use std::fmt::Write;
use ternwood::model::SingleTree;
use ternwood::model::ZoneMeaning;
use ternwood::rules::{Rule, Rules};
use ternwood::words::class_in_words;

/// The table has the rules with the most rows.
const SHOWN: usize = 500;

pub(crate) fn section(model: SingleTree<'_>) -> String {
    let rules = Rules::of(model);
    let mut shown: Vec<&Rule> = rules.iter().collect();
    shown.sort_by_key(|rule| (std::cmp::Reverse(rule.rows()), rule.leaf()));
    shown.truncate(SHOWN);
    let lines: String = shown.into_iter().map(|rule| line(&rules, rule)).collect();
    let more = match rules.len().saturating_sub(SHOWN) {
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
