//! The words on a split and on the edges below it, in several phrasings, the longest first.

use crate::categories::Categories;
use crate::tree::layout::Branch;
use crate::words::{CutWords, count, shown_zone};
use ternwood::Schema;
use ternwood::dataset::one_line;
use ternwood::model::SingleTree;
use ternwood::tree::{Cut, Digits, Missing, NodeId, Side, Split};
use ternwood::words::ShownTest;

/// The most names on an edge.
const NAMES_SHOWN: usize = 8;
/// The most characters of a name that must be short.
const CLIPPED: usize = 7;

/// Where a split cuts: "127.0 ± 1.1", "127.0 (125.9 to 128.1)", "≤ Bachelors", "cut at 41 % ill".
pub(super) fn cut_words(
    model: SingleTree<'_>,
    (id, split): (NodeId, &Split),
    categories: Option<&Categories>,
) -> CutWords {
    let shown = ShownTest { test: &split.test, digits: model.tree().digits(id) };
    let of_threshold = CutWords::of_threshold(shown, model.schema(), model.zone_meaning());
    of_threshold.unwrap_or_else(|| {
        let phrasings = other_phrasings(split, categories);
        CutWords { full: phrasings.first().cloned().unwrap_or_default(), phrasings }
    })
}

/// Where a split cuts that has no threshold.
fn other_phrasings(split: &Split, categories: Option<&Categories>) -> Vec<String> {
    match (split.test.cut(), categories) {
        (Cut::Categories(_), Some(Categories { percent, axis, ends, .. })) => {
            let mut phrasings = vec![format!("cut at {percent} % {axis}")];
            if let Some((low, high)) = ends {
                phrasings.push(format!("{percent} % from {low} to {high}"));
                let [low, high] = [low, high].map(|name| clipped(name));
                phrasings.push(format!("{percent} % {low} → {high}"));
            }
            if let Some(class) = axis.strip_prefix("of class ") {
                phrasings.push(format!("cut at {percent} % {class}"));
                phrasings.push(format!("{percent} % {class}"));
            }
            phrasings.push(format!("cut at {percent} %"));
            phrasings
        }
        (Cut::Categories(_) | Cut::Threshold { .. }, _) => Vec::new(),
        (Cut::Present, _) => vec!["present | missing".to_owned()],
    }
}

/// The rows of a split: how many are in doubt, and how many of the data have no value.
pub(super) fn row_phrasings(
    model: SingleTree<'_>,
    id: NodeId,
    split: &Split,
    missing: u64,
) -> Vec<String> {
    let tree = model.tree();
    let rows = count(tree.rows(id).into());
    let unsure = count(tree.rows_within(id).into());
    let mut phrasings = match split.test.cut() {
        Cut::Present => {
            let missing = count(tree.rows(split.right).into());
            return vec![
                format!("{missing} of {rows} rows missing"),
                format!("{missing} of {rows} missing"),
                format!("{missing} missing"),
                missing,
            ];
        }
        _ if !split.test.has_zone() => vec![format!("{rows} rows"), rows],
        Cut::Categories(_) => vec![
            format!("{unsure} of {rows} rows unsure"),
            format!("{unsure} of {rows} unsure"),
            format!("{unsure} unsure"),
            unsure,
        ],
        Cut::Threshold { .. } => vec![
            format!("{unsure} of {rows} rows in zone"),
            format!("{unsure} of {rows} in zone"),
            format!("{unsure} in zone"),
            unsure,
        ],
    };
    if missing > 0 {
        // The last phrasing is a number alone: beside another one it would say nothing.
        let missing = count(missing);
        let words = phrasings[..phrasings.len() - 1].iter();
        let with: Vec<String> = words.map(|words| format!("{words}, {missing} missing")).collect();
        phrasings.splice(..0, with);
    }
    phrasings
}

/// Which values take an edge: "≤ 127.0", "> Bachelors", "clerk, nurse + 12".
pub(super) fn caption_phrasings(
    split: &Split,
    digits: Option<Digits>,
    branch: Branch,
    schema: &Schema,
) -> Vec<String> {
    let shown = ShownTest { test: &split.test, digits };
    let side = match branch {
        Branch::Left => Side::Below,
        Branch::Middle | Branch::Root => Side::Within,
        Branch::Right => Side::Above,
    };
    let three = split.middle.is_some();
    match split.test.cut() {
        Cut::Threshold { .. } if side == Side::Within => vec!["within".to_owned()],
        Cut::Threshold { .. } => {
            let sign = if side == Side::Below { "≤" } else { ">" };
            let named = split.test.describe_branch(side, three, schema);
            let text = match (named.split_once(' '), shown_zone(shown, schema)) {
                (Some((_, last)), _) => last.to_owned(),
                (None, Some(zone)) if !three => zone.threshold,
                (None, Some(zone)) if side == Side::Below => zone.lower,
                (None, Some(zone)) => zone.upper,
                (None, None) => return Vec::new(),
            };
            vec![format!("{sign} {text}"), sign.to_owned()]
        }
        Cut::Categories(_) => {
            let sides = split.test.category_sides(schema);
            let sure = |ids: Vec<u32>| -> Vec<u32> {
                let is_sure = |id: &u32| split.test.side(f64::from(*id)) != Side::Within;
                ids.into_iter().filter(|id| !three || is_sure(id)).collect()
            };
            let ids = match side {
                Side::Below => sure(sides.left),
                Side::Within => sides.unsure,
                Side::Above => sure(sides.right),
            };
            let names = schema.features()[split.test.feature().index()].kind.names();
            let names = name_phrasings(&ids, names);
            match side {
                Side::Within => {
                    let named = names.iter().take(ids.len().min(NAMES_SHOWN));
                    named.map(|names| format!("unsure: {names}")).chain(["unsure".into()]).collect()
                }
                Side::Below | Side::Above => names,
            }
        }
        Cut::Present => vec![split.test.describe_branch(side, three, schema)],
    }
}

/// True if missing values take the edge, and the test is of something else.
pub(super) fn missing_goes_here(split: &Split, branch: Branch) -> bool {
    match (split.test.cut(), split.test.missing()) {
        (Cut::Present, _) | (_, Missing::Unknown) => false,
        (_, Missing::Left) => branch == Branch::Left,
        (_, Missing::Right) => branch == Branch::Right,
    }
}

/// As many names as fit: "clerk, nurse + 12".
fn name_phrasings(ids: &[u32], names: &[String]) -> Vec<String> {
    let name = |id: &u32| match names.get(*id as usize) {
        Some(name) => one_line(name).into_owned(),
        None => id.to_string(),
    };
    let shown: Vec<String> = ids.iter().take(NAMES_SHOWN).map(name).collect();
    let first = |n: usize| match ids.len() - n {
        0 => shown[..n].join(", "),
        more => format!("{} + {more}", shown[..n].join(", ")),
    };
    let mut phrasings: Vec<String> = (1..=shown.len()).rev().map(first).collect();
    if ids.is_empty() {
        phrasings.push("none".to_owned());
    }
    if ids.len() > 1 {
        let n = ids.len();
        phrasings.extend([format!("{n} categories"), format!("{n} cat."), n.to_string()]);
    }
    phrasings
}

/// The beginning of a name.
fn clipped(name: &str) -> String {
    let short: String = name.chars().take(CLIPPED).collect();
    if short.len() < name.len() { format!("{}…", short.trim_end()) } else { short }
}
