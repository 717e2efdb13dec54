//! The explanation of one row's prediction.

use super::predictions::Verdict;
use super::walk::{Scratch, Walker, value_of};
use crate::recipe::Routing;
use crate::tree::{Node, NodeId, Side, Split, Test};

/// One row's path through the tree: every test it met, and the leaves it reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The tests, in preorder.
    pub steps: Vec<Step>,
    /// The leaves reached, with their weights in the prediction.
    pub leaves: Vec<LeafShare>,
    /// The predicted class probabilities.
    pub distribution: Vec<f64>,
    /// The verdict: by the zones, or by the model's policy if a model explains.
    pub verdict: Verdict,
}

/// One test on a row's path.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The node.
    pub node: NodeId,
    /// Its test.
    pub test: Test,
    /// The row's value of the tested feature.
    pub value: f64,
    /// The side of the zone that the value is on.
    pub side: Side,
    /// The number of training rows that reached the node.
    pub rows: u32,
    /// False if the zone is ignored: under crisp routing, or below a deferred split.
    pub zone_counts: bool,
    /// The share of the row that arrives here: 1 unless a zone above sent it both ways.
    pub share: f64,
}

/// A leaf and its share of a prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeafShare {
    /// The leaf.
    pub leaf: NodeId,
    /// Its share; all shares of a prediction sum to 1.
    pub share: f64,
}

impl Step {
    /// The signed distance from the threshold: in the feature's own units, or in class shares for
    /// a category. NaN if no threshold was asked.
    #[must_use]
    pub fn offset(&self) -> f64 {
        let place = self.test.zone_and_position(self.value);
        place.map_or(f64::NAN, |(zone, position)| position - zone.threshold())
    }

    /// The same in half-widths. Infinite if the zone has no width; then a value at the threshold,
    /// which goes left, has negative infinity. 0 if the value is unknown.
    #[must_use]
    pub fn offset_in_half_widths(&self) -> f64 {
        match self.test.zone_and_position(self.value) {
            Some((zone, _)) if zone.half_width() > 0.0 => self.offset() / zone.half_width(),
            None if self.is_unknown() => 0.0,
            _ if self.test.goes_left(self.value) => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        }
    }

    /// True if the test never saw a value like the row's.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.test.is_unknown(self.value)
    }

    /// True if the value is unknown, or within the zone and the zone is not ignored.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        (self.zone_counts && self.side == Side::Within) || self.is_unknown()
    }
}

impl Explanation {
    /// The tests that cannot place the row: why the zones call it undecided.
    pub fn reasons(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.is_unsure())
    }
}

/// What a row meets on its way.
pub(super) enum Visited {
    Split(Step),
    Leaf(LeafShare),
}

/// The children a part of a row goes on to, with the parts that arrive there, and whether zones are ignored there.
pub(super) struct Onward {
    pub(super) children: [Option<(NodeId, f64)>; 2],
    pub(super) crisp: bool,
}

impl Walker<'_> {
    /// Follows one row through the tree and records every step.
    ///
    /// # Panics
    /// If the row has fewer values than the tree has features.
    #[must_use]
    pub fn explain(&self, row: &[f64]) -> Explanation {
        let mut distribution = vec![0.0; self.tree().n_outputs()];
        let verdict = self.distribution(row, &mut Scratch::default(), &mut distribution);
        let mut explanation =
            Explanation { steps: Vec::new(), leaves: Vec::new(), distribution, verdict };
        self.follow(row, None, |visited| match visited {
            Visited::Leaf(leaf) => explanation.leaves.push(leaf),
            Visited::Split(step) => explanation.steps.push(step),
        });
        explanation
    }

    /// Follows one row from the root to every leaf it reaches, in preorder. With `clear`, the split
    /// of that node is passed over: the row goes on at the given child.
    pub(super) fn follow(
        &self,
        row: &[f64],
        clear: Option<(NodeId, NodeId)>,
        mut visit: impl FnMut(Visited),
    ) {
        let mut waiting = vec![(NodeId::ROOT, 1.0, self.routing() == Routing::Crisp)];
        while let Some((node, share, crisp)) = waiting.pop() {
            let node = clear.filter(|(at, _)| *at == node).map_or(node, |(_, child)| child);
            let Node::Split(split) = self.tree().node(node) else {
                visit(Visited::Leaf(LeafShare { leaf: node, share }));
                continue;
            };
            let value = value_of(row, &split.test);
            visit(Visited::Split(Step {
                node,
                test: split.test.clone(),
                value,
                side: split.test.side(value),
                rows: self.tree().rows(node),
                zone_counts: !crisp,
                share,
            }));
            let onward = self.onward(split, value, crisp, share);
            let children = onward.children.into_iter().flatten().rev();
            waiting.extend(children.map(|(child, part)| (child, part, onward.crisp)));
        }
    }

    /// Where a part of a row with this value goes on from a split.
    pub(super) fn onward(&self, split: &Split, value: f64, crisp: bool, part: f64) -> Onward {
        let one = |child| Onward { children: [Some((child, part)), None], crisp };
        if crisp {
            return one(split.crisp_child(value));
        }
        if let Some(child) = split.child(split.test.side(value)) {
            return one(child);
        }
        match self.least_share().divide(part, split.test.left_share(value)) {
            None => one(split.crisp_child(value)),
            Some([left, right]) => Onward {
                children: [Some((split.left, left)), Some((split.right, right))],
                crisp: self.routing() == Routing::Deferred,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{FeatureId, TreeBuilder, Zone};

    #[test]
    fn a_row_within_a_zone_names_the_test_and_both_leaves() {
        let mut builder = TreeBuilder::new(2, 2);
        builder.split(1, Zone::new(127.0, 2.0).unwrap());
        builder.leaf(&[9.0, 1.0]);
        builder.leaf(&[2.0, 8.0]);
        let tree = builder.finish().unwrap();
        let walker = Walker::new(&tree, Routing::Probabilistic).unwrap();
        let explanation = walker.explain(&[0.0, 126.0]);
        // (129 - 126) / 4 = 0.75 to the left.
        let shares: Vec<_> = explanation.leaves.iter().map(|l| (l.leaf.0, l.share)).collect();
        assert_eq!(shares, [(1, 0.75), (2, 0.25)]);
        assert_eq!(explanation.verdict, Verdict::Undecided);
        let reasons: Vec<_> = explanation.reasons().collect();
        assert_eq!(reasons.len(), 1);
        assert_eq!(reasons[0].test.feature(), FeatureId(1));
        assert_eq!((reasons[0].offset(), reasons[0].offset_in_half_widths()), (-1.0, -0.5));
        assert_eq!(walker.explain(&[0.0, 125.0]).reasons().count(), 0);
    }

    #[test]
    fn without_width_every_value_is_infinitely_far() {
        let mut builder = TreeBuilder::new(1, 2);
        builder.split(0, Zone::crisp(5.0).unwrap());
        builder.leaf(&[1.0, 0.0]);
        builder.leaf(&[0.0, 1.0]);
        let tree = builder.finish().unwrap();
        let walker = Walker::new(&tree, Routing::Probabilistic).unwrap();
        let widths = |x: f64| walker.explain(&[x]).steps[0].offset_in_half_widths();
        let infinity = f64::INFINITY;
        assert_eq!([4.0, 5.0, 6.0].map(widths), [-infinity, -infinity, infinity]);
    }
}
