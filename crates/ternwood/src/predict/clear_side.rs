//! What a prediction would be if a row were clearly on one side of a test.

use super::explain::{Step, Visited};
use super::predictions::Verdict;
use super::walk::{Walker, value_of};
use crate::blend::LeastShare;
use crate::tree::{Node, NodeId, Side, Split};
use std::collections::HashMap;

impl Walker<'_> {
    /// The class probabilities and the verdict of the zones with a split replaced by its child on
    /// `side`: as if the row were clearly there. Without a split, or without a child on that side,
    /// those of the whole tree.
    ///
    /// # Panics
    /// If there is no such node, or the row has fewer values than the tree has features.
    #[must_use]
    pub fn clearly_on(&self, row: &[f64], node: NodeId, side: Side) -> (Vec<f64>, Verdict) {
        let split = self.tree().node(node).as_split();
        let child = split.and_then(|split| split.child(side));
        let mut distribution = vec![0.0; self.tree().n_outputs()];
        let mut verdict = Verdict::Decided;
        self.follow(row, child.map(|child| (node, child)), |visited| match visited {
            Visited::Split(step) if step.is_unsure() => verdict = Verdict::Undecided,
            Visited::Split(_) => {}
            Visited::Leaf(reached) => {
                let of_leaf = self.tree().values(reached.leaf);
                for (sum, p) in distribution.iter_mut().zip(of_leaf) {
                    *sum += reached.share * p;
                }
            }
        });
        (distribution, verdict)
    }

    /// By how much the expected worth of the prediction would change if the row were clearly on the
    /// left or on the right of each unsure step; `worth` has a number for every class. Pairs of the
    /// index of a step and the two changes.
    ///
    /// Takes time in proportion to the nodes visited, however many steps are unsure.
    pub(crate) fn changes(
        &self,
        row: &[f64],
        steps: &[Step],
        worth: &[f64],
    ) -> Vec<(usize, [f64; 2])> {
        let mut values = Values { walker: self, row, worth, known: HashMap::new() };
        let unsure = steps.iter().enumerate().filter(|(_, step)| step.is_unsure());
        let changes = unsure.filter_map(|(index, step)| {
            let split = self.tree().node(step.node).as_split()?;
            let mut at = |node| {
                let place = values.place(node, !step.zone_counts, step.share);
                values.at(place)
            };
            let now = at(step.node);
            let then = [split.left, split.right].map(at);
            Some((index, then.map(|then| step.share * (then - now))))
        });
        changes.collect()
    }
}

/// The expected worth of a row at the nodes it may come to, each computed once.
struct Values<'a> {
    walker: &'a Walker<'a>,
    row: &'a [f64],
    worth: &'a [f64],
    known: HashMap<Place, f64>,
}

/// A node, whether zones are ignored there, and the bits of the part of the row that arrives.
type Place = (NodeId, bool, u64);

impl Values<'_> {
    /// Where zones divide every part alike, its size does not matter.
    fn place(&self, node: NodeId, crisp: bool, part: f64) -> Place {
        let part = if self.walker.least_share() == LeastShare::NONE { 1.0 } else { part };
        (node, crisp, part.to_bits())
    }

    /// The worth of what arrives at a place, as if it were the whole row.
    fn at(&mut self, place: Place) -> f64 {
        // Nothing recurses on depth: a place waits until those below it are known.
        let mut waiting = vec![place];
        while let Some(&place) = waiting.last() {
            let before = waiting.len();
            let value = match self.walker.tree().node(place.0) {
                _ if self.known.contains_key(&place) => None,
                Node::Leaf => Some(self.of_leaf(place.0)),
                Node::Split(split) => self.of_split(split, place, &mut waiting),
            };
            self.known.extend(value.map(|value| (place, value)));
            if waiting.len() == before {
                waiting.pop();
            }
        }
        self.known[&place]
    }

    fn of_leaf(&self, leaf: NodeId) -> f64 {
        self.walker.tree().values(leaf).iter().zip(self.worth).map(|(p, w)| p * w).sum()
    }

    /// `None` if places below must be known first, which then wait.
    fn of_split(
        &self,
        split: &Split,
        (_, crisp, part): Place,
        waiting: &mut Vec<Place>,
    ) -> Option<f64> {
        let part = f64::from_bits(part);
        let value = value_of(self.row, &split.test);
        let onward = self.walker.onward(split, value, crisp, part);
        let mut sum = Some(0.0);
        for (child, arriving) in onward.children.into_iter().flatten() {
            let below = self.place(child, onward.crisp, arriving);
            match self.known.get(&below) {
                Some(value) => sum = sum.map(|sum| sum + arriving / part * value),
                None => {
                    waiting.push(below);
                    sum = None;
                }
            }
        }
        sum
    }
}
