//! A single tree: shares at all splits in one step, then one step per level, from the bottom. Where zones do not divide
//! every part, steps from the top tell before which they divide.

use super::query::{Columns, Query};
use super::shares::{ABOVE, About, BELOW, MISSING, left_name, part_name, share_name, side_name};
use super::{Writer, used_children};
use crate::error::Result;
use crate::model::SingleTree;
use crate::recipe::Routing;
use crate::tree::{Node, NodeId, Split};

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
