//! A single tree: the side of a row at every split, the share of it that goes left, and where it goes by the threshold
//! alone; then one step per level, from the bottom. Where zones do not divide every part, steps from the top tell before
//! which they divide.

use super::query::{Columns, Query, input_name};
use super::{Writer, used_children};
use crate::dataset::FeatureKind;
use crate::error::Result;
use crate::model::SingleTree;
use crate::recipe::Routing;
use crate::tree::{Node, NodeId, Outcome, PresentValues, Side, Split, Test, Zone};

/// The probability of a class of the whole tree or forest, after the last level.
pub(super) fn probability_name(class: usize) -> String {
    format!("p{class}")
}

/// Which test first could not place the row: 0 for none, else [`doubt`].
pub(super) const DOUBT: &str = "doubt";

/// The number of a doubt: the node and, for an unknown value, its kind.
pub(super) fn doubt(node: NodeId, kind: i32) -> i64 {
    4 * (i64::from(node.0) + 1) + i64::from(kind)
}

/// The columns that a routing reads.
fn columns_of(routing: Routing) -> &'static [About] {
    match routing {
        Routing::Crisp => &[About::Side, About::GoesLeft],
        Routing::Probabilistic => &[About::Side, About::LeftShare],
        Routing::Deferred => &[About::Side, About::LeftShare, About::GoesLeft],
        Routing::HardMiddle => &[About::Side],
    }
}

/// What is computed for a node: with zones, or below a deferred split without them.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Answer,
    Crisp,
}

impl Part {
    fn name(self, node: NodeId, class: usize) -> String {
        match self {
            Self::Answer => format!("n{node}_{class}"),
            Self::Crisp => format!("c{node}_{class}"),
        }
    }
}

impl Writer<'_> {
    /// From the tested columns to the probabilities and the first doubt.
    pub(super) fn levels(self, tree: SingleTree<'_>, query: &mut Query) -> Result<()> {
        let levels = used_splits(tree);
        if levels.is_empty() {
            return query.step("tree", &self.root(tree));
        }
        self.shares(tree, &levels, query)?;
        if has_least_share(tree) {
            self.divisions(tree, &levels, query)?;
        }
        for (depth, nodes) in levels.iter().enumerate().rev() {
            let mut columns = self.with_keys();
            for node in levels[..depth].iter().flatten() {
                let names = columns_of(tree.routing()).iter().map(|about| about.name(*node));
                names.for_each(|name| columns.carry(&name));
            }
            for node in nodes {
                if let Some(split) = split(tree, *node) {
                    self.node(tree, *node, split, &mut columns);
                }
            }
            query.step(&format!("level_{depth}"), &columns)?;
        }
        query.step("tree", &self.root(tree))
    }

    fn shares(self, tree: SingleTree<'_>, levels: &[Vec<NodeId>], query: &mut Query) -> Result<()> {
        let mut columns = self.with_keys();
        for node in levels.iter().flatten() {
            let Some(split) = split(tree, *node) else { continue };
            for about in columns_of(tree.routing()) {
                columns.add(&about.name(*node), &self.about(&split.test, *about));
            }
            if has_least_share(tree) {
                let about = About::GoesLeft;
                columns.add(&about.name(*node), &self.about(&split.test, about));
            }
        }
        query.step("shares", &columns)
    }

    /// Replaces shares by 0 or 1 where a zone does not divide what arrives.
    fn divisions(
        self,
        tree: SingleTree<'_>,
        levels: &[Vec<NodeId>],
        query: &mut Query,
    ) -> Result<()> {
        for (depth, nodes) in levels.iter().enumerate() {
            let mut columns = self.with_keys();
            levels.iter().flatten().for_each(|node| columns.carry(&side_name(*node)));
            levels[..depth].iter().flatten().for_each(|node| columns.carry(&share_name(*node)));
            for node in levels[depth + 1..].iter().flatten() {
                columns.carry(&share_name(*node));
                columns.carry(&left_name(*node));
            }
            for node in nodes {
                let part = match *node {
                    NodeId::ROOT => self.number(1.0),
                    node => part_name(node),
                };
                let share = self.divided_share(&part, *node);
                columns.add(&share_name(*node), &share);
                let Some(split) = split(tree, *node) else { continue };
                let left = format!("{part} * {share}");
                columns.add(&part_name(split.left), &left);
                columns.add(&part_name(split.right), &format!("{part} - {left}"));
            }
            query.step(&format!("divided_{depth}"), &columns)?;
        }
        Ok(())
    }

    /// The distribution and the first doubt of a subtree.
    fn node(self, tree: SingleTree<'_>, node: NodeId, split: &Split, columns: &mut Columns) {
        let routing = tree.routing();
        for class in self.classes() {
            let blended = self.blended(tree, (node, split), class);
            columns.add(&Part::Answer.name(node, class), &blended);
            if routing == Routing::Deferred {
                let crisp = self.by_threshold(tree, (node, split), class, Part::Crisp);
                columns.add(&Part::Crisp.name(node, class), &crisp);
            }
        }
        let [left, right] = [split.left, split.right].map(|child| first_doubt(tree, child));
        let side = side_name(node);
        let here = format!("{} + {side}", doubt(node, 0));
        let doubt = if routing == Routing::Crisp {
            let goes_left = left_name(node);
            format!(
                "CASE WHEN {side} >= {MISSING} THEN {here} WHEN {goes_left} = 1 THEN {left} ELSE {right} END"
            )
        } else {
            format!(
                "CASE WHEN {side} = {BELOW} THEN {left} WHEN {side} = {ABOVE} THEN {right} ELSE {here} END"
            )
        };
        columns.add(&doubt_name(node), &doubt);
    }

    fn blended(
        self,
        tree: SingleTree<'_>,
        (node, split): (NodeId, &Split),
        class: usize,
    ) -> String {
        let value = |child: NodeId, part: Part| self.value(tree, child, class, part);
        let [side, share] = [side_name(node), share_name(node)];
        let both = |part: Part| {
            let [left, right] = [split.left, split.right].map(|child| value(child, part));
            format!("{share} * {left} + ({} - {share}) * {right}", self.number(1.0))
        };
        let [left, right] = [split.left, split.right].map(|child| value(child, Part::Answer));
        let sides = format!("WHEN {side} = {BELOW} THEN {left} WHEN {side} = {ABOVE} THEN {right}");
        match tree.routing() {
            Routing::Probabilistic => both(Part::Answer),
            Routing::Deferred => format!("CASE {sides} ELSE {} END", both(Part::Crisp)),
            Routing::HardMiddle => {
                let middle = split.middle.map_or(left, |middle| value(middle, Part::Answer));
                format!("CASE {sides} ELSE {middle} END")
            }
            Routing::Crisp => self.by_threshold(tree, (node, split), class, Part::Answer),
        }
    }

    fn by_threshold(
        self,
        tree: SingleTree<'_>,
        (node, split): (NodeId, &Split),
        class: usize,
        part: Part,
    ) -> String {
        let sides = [split.left, split.right];
        let [left, right] = sides.map(|child| self.value(tree, child, class, part));
        format!("CASE WHEN {} = 1 THEN {left} ELSE {right} END", left_name(node))
    }

    /// The probability of a class at a node: a number at a leaf, a column of the level below else.
    fn value(self, tree: SingleTree<'_>, node: NodeId, class: usize, part: Part) -> String {
        match tree.tree().node(node) {
            Node::Leaf => self.number(tree.tree().values(node)[class]),
            Node::Split(_) => part.name(node, class),
        }
    }

    fn root(self, tree: SingleTree<'_>) -> Columns {
        let mut columns = self.with_keys();
        for class in self.classes() {
            let value = self.value(tree, NodeId::ROOT, class, Part::Answer);
            columns.add(&probability_name(class), &value);
        }
        columns.add(DOUBT, &first_doubt(tree, NodeId::ROOT));
        columns
    }
}

/// True if zones do not divide every part.
fn has_least_share(tree: SingleTree<'_>) -> bool {
    tree.routing() == Routing::Probabilistic && tree.recipe().least_share > 0.0
}

fn doubt_name(node: NodeId) -> String {
    format!("r{node}")
}

fn first_doubt(tree: SingleTree<'_>, node: NodeId) -> String {
    match tree.tree().node(node) {
        Node::Leaf => "0".to_owned(),
        Node::Split(_) => doubt_name(node),
    }
}

fn split(tree: SingleTree<'_>, node: NodeId) -> Option<&Split> {
    tree.tree().node(node).as_split()
}

/// The splits that some row can reach, by depth.
fn used_splits(tree: SingleTree<'_>) -> Vec<Vec<NodeId>> {
    let mut levels: Vec<Vec<NodeId>> = Vec::new();
    let mut level = vec![NodeId::ROOT];
    loop {
        level.retain(|node| split(tree, *node).is_some());
        if level.is_empty() {
            return levels;
        }
        let splits = level.iter().filter_map(|node| split(tree, *node));
        let next = splits.flat_map(|split| used_children(tree, split)).collect();
        levels.push(std::mem::replace(&mut level, next));
    }
}

/// Sides in a column of their own: below, within, above; and two kinds of unknown values.
pub(super) const BELOW: i32 = -1;
pub(super) const WITHIN: i32 = 0;
pub(super) const ABOVE: i32 = 1;
pub(super) const MISSING: i32 = 2;
pub(super) const UNREADABLE: i32 = 3;

pub(super) fn side_name(node: NodeId) -> String {
    format!("s{node}")
}

pub(super) fn share_name(node: NodeId) -> String {
    format!("w{node}")
}

pub(super) fn left_name(node: NodeId) -> String {
    format!("g{node}")
}

/// The share of a row that arrives at a node.
pub(super) fn part_name(node: NodeId) -> String {
    format!("a{node}")
}

/// One column about a test.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum About {
    Side,
    LeftShare,
    /// 1 if the row goes left by the threshold alone, else 0.
    GoesLeft,
}

impl About {
    pub(super) fn name(self, node: NodeId) -> String {
        match self {
            Self::Side => side_name(node),
            Self::LeftShare => share_name(node),
            Self::GoesLeft => left_name(node),
        }
    }
}

impl Writer<'_> {
    /// What a column says of the row at a test.
    pub(super) fn about(self, test: &Test, about: About) -> String {
        let plain = test.plain();
        let x = input_name(plain.feature);
        let of = |outcome: Outcome, unknown: i32| self.constant(outcome, about, unknown);
        let missing = format!("WHEN {x} IS NULL THEN {}", of(plain.missing, MISSING));
        let kind = &self.model.schema().features()[plain.feature].kind;
        let unseen = match (&plain.present, kind) {
            // A rank that nobody knows cannot be compared.
            (_, FeatureKind::Ordered(_)) => plain.unknown,
            (PresentValues::Categories { unseen, .. }, _) => *unseen,
            (PresentValues::All(outcome), FeatureKind::Categories(_)) => *outcome,
            _ => plain.unknown,
        };
        let unseen = of(unseen, UNREADABLE);
        let outcomes = |n_ids: usize| -> Vec<String> {
            (0..n_ids).map(|id| of(test.outcome(id as f64), UNREADABLE)).collect()
        };
        match (&plain.present, kind) {
            (PresentValues::Numbers(zone), FeatureKind::Number) => {
                let unreadable = self.unreadable(&x, &of(plain.unknown, UNREADABLE));
                format!("CASE {missing}{unreadable}{} END", self.compared(&x, *zone, about))
            }
            (PresentValues::All(outcome), FeatureKind::Number) => {
                let unreadable = self.unreadable(&x, &of(plain.unknown, UNREADABLE));
                format!("CASE {missing}{unreadable} ELSE {} END", of(*outcome, UNREADABLE))
            }
            (_, FeatureKind::Categories(names) | FeatureKind::Ordered(names)) => {
                format!(
                    "CASE {missing}{} ELSE {unseen} END",
                    listed(&x, &outcomes(names.len()), &unseen)
                )
            }
            // Model::new refuses such a test.
            (PresentValues::Categories { .. }, FeatureKind::Number) => {
                format!("CASE {missing} ELSE {unseen} END")
            }
        }
    }

    fn unreadable(self, x: &str, value: &str) -> String {
        let marker = self.options.dialect.unreadable();
        marker.map_or_else(String::new, |marker| format!(" WHEN {x} = {marker} THEN {value}"))
    }

    /// A number and a zone.
    fn compared(self, x: &str, zone: Zone, about: About) -> String {
        let [lower, cut, upper] = [zone.lower(), zone.threshold(), zone.upper()];
        let below = self.reaches(x, "<=", lower);
        let above = self.reaches(x, ">", upper);
        match about {
            About::GoesLeft => format!(" WHEN {x} <= {} THEN 1 ELSE 0", self.number(cut)),
            About::Side => format!("{}{} ELSE {WITHIN}", then(&below, BELOW), then(&above, ABOVE)),
            About::LeftShare => {
                let [one, zero] = [1.0, 0.0].map(|share| self.number(share));
                let sides = format!("{}{}", then(&below, &one), then(&above, &zero));
                match zone.half_width() {
                    0.0 => format!("{sides} ELSE {zero}"),
                    _ => sides + &self.within(x, zone),
                }
            }
        }
    }

    /// A comparison with an edge; `None` if the edge is infinite, and no number is beyond it.
    fn reaches(self, x: &str, operator: &str, edge: f64) -> Option<String> {
        edge.is_finite().then(|| format!("{x} {operator} {}", self.number(edge)))
    }

    /// The share of a number within a zone, as [`Zone::left_weight`] computes it.
    fn within(self, x: &str, zone: Zone) -> String {
        let [lower, upper, width] = [zone.lower(), zone.upper(), 2.0 * zone.half_width()];
        let [zero, half, one] = [0.0, 0.5, 1.0].map(|share| self.number(share));
        let usual = width.is_finite() && (upper - lower.max(f64::MIN)).is_finite();
        if usual {
            let [upper, width] = [upper, width].map(|number| self.number(number));
            // The share of a number next to the lower edge may be rounded to more than 1.
            return format!(
                " WHEN {upper} - {x} >= {width} THEN {one} ELSE ({upper} - {x}) / {width}"
            );
        }
        let (middle, width) = (self.number(0.5 * zone.threshold()), self.number(zone.half_width()));
        let share = format!("{half} + ({middle} - {half} * {x}) / {width}");
        format!(" WHEN {share} >= {one} THEN {one} WHEN {share} <= {zero} THEN {zero} ELSE {share}")
    }

    /// The share of a part that goes left, if a zone divides only into parts that are large enough.
    pub(super) fn divided_share(self, part: &str, node: NodeId) -> String {
        let (share, left) = (share_name(node), left_name(node));
        let least = self.number(self.model.recipe().least_share);
        format!(
            "CASE WHEN {part} * {share} >= {least} AND {part} - {part} * {share} >= {least} THEN {share} ELSE {left} END"
        )
    }

    /// A value that does not depend on the row.
    fn constant(self, outcome: Outcome, about: About, unknown: i32) -> String {
        match about {
            About::Side if outcome.is_unknown => unknown.to_string(),
            About::Side => match outcome.side {
                Side::Below => BELOW.to_string(),
                Side::Within => WITHIN.to_string(),
                Side::Above => ABOVE.to_string(),
            },
            About::LeftShare => self.number(outcome.left_share),
            About::GoesLeft => u8::from(outcome.goes_left).to_string(),
        }
    }
}

fn then(condition: &Option<String>, value: impl std::fmt::Display) -> String {
    condition
        .as_ref()
        .map_or_else(String::new, |condition| format!(" WHEN {condition} THEN {value}"))
}

/// One case for every outcome that differs from that of categories nobody knows.
fn listed(x: &str, outcomes: &[String], unseen: &str) -> String {
    let mut cases: Vec<(&str, Vec<String>)> = Vec::new();
    for (id, outcome) in outcomes.iter().enumerate().filter(|(_, outcome)| *outcome != unseen) {
        match cases.iter_mut().find(|(known, _)| known == outcome) {
            Some((_, ids)) => ids.push(id.to_string()),
            None => cases.push((outcome, vec![id.to_string()])),
        }
    }
    let case = |(outcome, ids): &(&str, Vec<String>)| {
        format!(" WHEN {x} IN ({}) THEN {outcome}", ids.join(", "))
    };
    cases.iter().map(case).collect()
}
