//! The walker: iterative, for every routing.

use super::predictions::Verdict;
use crate::blend::{LeastShare, blended};
use crate::error::{ErrorKind, Result};
use crate::recipe::Routing;
use crate::tree::{Node, NodeId, Side, Split, Test, Tree};

/// Walks rows through a tree.
///
/// It never recurses, so a tree may be as deep as memory allows.
#[derive(Debug, Clone, Copy)]
pub struct Walker<'t> {
    tree: &'t Tree,
    routing: Routing,
    least_share: LeastShare,
    missing_allowed: bool,
}

/// Memory that a [`Walker`] needs for rows within zones, reused from row to row.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    tasks: Vec<Task>,
    /// Stack of distributions to be blended.
    values: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
enum Task {
    /// A part of the row walks on from a node; `crisp` below a deferred split.
    Visit { node: NodeId, crisp: bool, part: f64 },
    /// Blend the last two distributions into one.
    Blend { left_weight: f64 },
}

/// Where a part of a row goes on no single path any more.
enum End<'t> {
    Leaf(NodeId),
    Division(Division<'t>),
}

/// A split that divides a part of a row.
#[derive(Clone, Copy)]
struct Division<'t> {
    split: &'t Split,
    left_weight: f64,
    parts: [f64; 2],
}

impl<'t> Walker<'t> {
    /// A walker for this tree and routing. Zones divide every row: see [`with_least_share`](Self::with_least_share).
    ///
    /// # Errors
    /// The tree does not have the shape that the routing needs.
    pub fn new(tree: &'t Tree, routing: Routing) -> Result<Self> {
        let fits = match routing {
            Routing::Crisp => true,
            _ if tree.n_nodes() == 1 => true,
            _ => routing.needs_three_children() == tree.is_three_child(),
        };
        if fits {
            let least_share = LeastShare::NONE;
            return Ok(Self { tree, routing, least_share, missing_allowed: true });
        }
        Err(ErrorKind::Routing {
            what: "a tree of this shape",
            routing: routing.as_str(),
            remedy: if routing.needs_three_children() {
                "grow a three-child tree for it"
            } else {
                "grow a two-child tree for it"
            },
        }
        .into())
    }

    /// The same walker, for which a missing value among many rows is an error.
    #[must_use]
    pub fn refusing_missing(mut self) -> Self {
        self.missing_allowed = false;
        self
    }

    /// The same walker, for which a zone divides a row, or a part of it, only if both parts are at least this share of
    /// the row: see [`Recipe::least_share`](crate::Recipe::least_share).
    #[must_use]
    pub fn with_least_share(mut self, least_share: f64) -> Self {
        self.least_share = LeastShare::new(least_share);
        self
    }

    pub(super) fn least_share(&self) -> LeastShare {
        self.least_share
    }

    pub(super) fn missing_allowed(&self) -> bool {
        self.missing_allowed
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &'t Tree {
        self.tree
    }

    /// The routing.
    #[must_use]
    pub fn routing(&self) -> Routing {
        self.routing
    }

    /// Writes the class distribution of a row into `out` and returns its verdict.
    ///
    /// # Panics
    /// If the row has fewer values than the tree has features, or the length of `out` is not the
    /// number of classes.
    pub fn distribution(&self, row: &[f64], scratch: &mut Scratch, out: &mut [f64]) -> Verdict {
        let crisp = self.routing == Routing::Crisp;
        let (end, verdict) = self.descend(NodeId::ROOT, row, crisp, 1.0);
        match end {
            End::Leaf(leaf) => out.copy_from_slice(self.tree.values(leaf)),
            End::Division(division) => self.blend(division, scratch, row, out),
        }
        verdict
    }

    /// Walks to a leaf, or to the first split that divides this part of the row.
    #[inline]
    fn descend(&self, start: NodeId, row: &[f64], crisp: bool, part: f64) -> (End<'t>, Verdict) {
        let mut verdict = Verdict::Decided;
        let mut node = start;
        while let Node::Split(split) = self.tree.node(node) {
            let x = value_of(row, &split.test);
            if crisp {
                if split.test.is_unknown(x) {
                    verdict = Verdict::Undecided;
                }
                node = split.crisp_child(x);
                continue;
            }
            let side = split.test.side(x);
            if side == Side::Within {
                verdict = Verdict::Undecided;
            }
            if let Some(child) = split.child(side) {
                node = child;
                continue;
            }
            let left_weight = split.test.left_share(x);
            match self.least_share.divide(part, left_weight) {
                Some(parts) => {
                    return (End::Division(Division { split, left_weight, parts }), verdict);
                }
                None => node = split.crisp_child(x),
            }
        }
        (End::Leaf(node), verdict)
    }

    /// The blended distribution of a row that a split divides.
    fn blend(&self, first: Division<'t>, scratch: &mut Scratch, row: &[f64], out: &mut [f64]) {
        let n_classes = self.tree.n_outputs();
        let Scratch { tasks, values } = scratch;
        tasks.clear();
        values.clear();
        self.push_both(first, tasks);
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit { node, crisp, part } => match self.descend(node, row, crisp, part).0 {
                    End::Leaf(leaf) => values.extend_from_slice(self.tree.values(leaf)),
                    End::Division(division) => self.push_both(division, tasks),
                },
                Task::Blend { left_weight } => {
                    let (left, right) = {
                        let start = values.len() - 2 * n_classes;
                        values[start..].split_at_mut(n_classes)
                    };
                    for (left, right) in left.iter_mut().zip(right) {
                        *left = blended(left_weight, *left, *right);
                    }
                    values.truncate(values.len() - n_classes);
                }
            }
        }
        out.copy_from_slice(values);
    }

    fn push_both(&self, division: Division<'t>, tasks: &mut Vec<Task>) {
        let Division { split, left_weight, parts: [left, right] } = division;
        let crisp = self.routing == Routing::Deferred;
        // Last in, first out: left, then right, then both together.
        tasks.push(Task::Blend { left_weight });
        tasks.push(Task::Visit { node: split.right, crisp, part: right });
        tasks.push(Task::Visit { node: split.left, crisp, part: left });
    }

    /// The nodes on the row's single path, from the root to a leaf.
    ///
    /// With `hard_middle` routing this is the path the row takes, middle children included;
    /// otherwise it is the path by the thresholds alone.
    pub fn path<'r>(&self, row: &'r [f64]) -> impl Iterator<Item = NodeId> + use<'t, 'r> {
        let Self { tree, routing, .. } = *self;
        std::iter::successors(Some(NodeId::ROOT), move |&node| {
            let split = tree.node(node).as_split()?;
            let x = value_of(row, &split.test);
            match routing {
                Routing::HardMiddle => split.child(split.test.side(x)),
                _ => Some(split.crisp_child(x)),
            }
        })
    }

    /// The leaf at the end of the row's [`path`](Self::path).
    #[must_use]
    pub fn leaf(&self, row: &[f64]) -> NodeId {
        self.path(row).last().unwrap_or(NodeId::ROOT)
    }

    /// The factor on all zone widths at which the row just becomes undecided. At factor `m` it is
    /// undecided iff its distance is `<= m`, up to rounding of a few ulp at the edge. Infinite if
    /// no zone can reach the row.
    ///
    /// # Errors
    /// Not defined for `hard_middle` routing, where other widths grow a different tree.
    pub fn zone_distance(&self, row: &[f64]) -> Result<f64> {
        self.check_zone_distance()?;
        Ok(self.zone_distance_unchecked(row))
    }

    pub(super) fn check_zone_distance(&self) -> Result<()> {
        if self.routing != Routing::HardMiddle {
            return Ok(());
        }
        Err(ErrorKind::Routing {
            what: "the zone distance",
            routing: self.routing.as_str(),
            remedy: "use probabilistic or deferred routing",
        }
        .into())
    }

    pub(super) fn zone_distance_unchecked(&self, row: &[f64]) -> f64 {
        self.path(row)
            .filter_map(|node| self.tree.node(node).as_split())
            .map(|split| split.test.distance(value_of(row, &split.test)))
            .fold(f64::INFINITY, f64::min)
    }
}

/// The row's value of the tested feature.
#[inline]
pub(super) fn value_of(row: &[f64], test: &Test) -> f64 {
    row[test.feature().index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{TreeBuilder, Zone};

    /// x0 <= 10 ± 2 at the root; on the right x0 <= 11 ± 2.
    fn tree() -> Tree {
        let mut builder = TreeBuilder::new(1, 2);
        builder.split(0, Zone::new(10.0, 2.0).unwrap());
        builder.leaf(&[1.0, 0.0]);
        builder.split(0, Zone::new(11.0, 2.0).unwrap());
        builder.leaf(&[1.0, 1.0]);
        builder.leaf(&[0.0, 1.0]);
        builder.finish().unwrap()
    }

    fn walk(tree: &Tree, routing: Routing, x: f64) -> (Vec<f64>, Verdict) {
        let mut out = vec![0.0; tree.n_outputs()];
        let walker = Walker::new(tree, routing).unwrap();
        let verdict = walker.distribution(&[x], &mut Scratch::default(), &mut out);
        (out, verdict)
    }

    #[test]
    fn outside_all_zones_every_routing_is_cart() {
        let tree = tree();
        for routing in [Routing::Crisp, Routing::Probabilistic, Routing::Deferred] {
            assert_eq!(walk(&tree, routing, 8.0), (vec![1.0, 0.0], Verdict::Decided));
            assert_eq!(walk(&tree, routing, 14.0), (vec![0.0, 1.0], Verdict::Decided));
        }
    }

    #[test]
    fn blending_by_hand() {
        let tree = tree();
        // x = 11: root (12 - 11) / 4 = 0.25 left; below on the right (13 - 11) / 4 = 0.5 left.
        // probabilistic: 0.25 * (1, 0) + 0.75 * (0.5 * (0.5, 0.5) + 0.5 * (0, 1))
        //              = (0.25 + 0.75 * 0.25, 0.75 * 0.75) = (0.4375, 0.5625)
        let probabilistic = walk(&tree, Routing::Probabilistic, 11.0);
        assert_eq!(probabilistic, (vec![0.4375, 0.5625], Verdict::Undecided));
        // deferred: below the root the thresholds decide; 11 <= 11 is the (0.5, 0.5) leaf:
        // 0.25 * (1, 0) + 0.75 * (0.5, 0.5) = (0.625, 0.375)
        let deferred = walk(&tree, Routing::Deferred, 11.0);
        assert_eq!(deferred, (vec![0.625, 0.375], Verdict::Undecided));
        assert_eq!(walk(&tree, Routing::Crisp, 11.0), (vec![0.5, 0.5], Verdict::Decided));
    }

    #[test]
    fn a_zone_met_further_down_makes_undecided() {
        // x = 12.5 is above the root's zone (8, 12] but within (9, 13].
        // (13 - 12.5) / 4 = 0.125: 0.125 * (0.5, 0.5) + 0.875 * (0, 1)
        let expected = (vec![0.0625, 0.9375], Verdict::Undecided);
        assert_eq!(walk(&tree(), Routing::Probabilistic, 12.5), expected);
        assert_eq!(walk(&tree(), Routing::Deferred, 12.5), expected);
    }

    #[test]
    fn the_middle_child_answers_under_hard_middle() {
        let mut builder = TreeBuilder::three_child(1, 2);
        builder.split(0, Zone::new(10.0, 2.0).unwrap());
        builder.leaf(&[1.0, 0.0]);
        builder.leaf(&[1.0, 3.0]);
        builder.leaf(&[0.0, 1.0]);
        let tree = builder.finish().unwrap();
        assert_eq!(walk(&tree, Routing::HardMiddle, 8.0), (vec![1.0, 0.0], Verdict::Decided));
        assert_eq!(walk(&tree, Routing::HardMiddle, 9.0), (vec![0.25, 0.75], Verdict::Undecided));
        assert_eq!(walk(&tree, Routing::HardMiddle, 12.5), (vec![0.0, 1.0], Verdict::Decided));
        let walker = Walker::new(&tree, Routing::HardMiddle).unwrap();
        assert_eq!([8.0, 9.0, 12.5].map(|x| walker.leaf(&[x]).0), [1, 2, 3]);
        assert!(walker.zone_distance(&[9.0]).is_err());
        assert!(Walker::new(&tree, Routing::Probabilistic).is_err());
    }

    #[test]
    fn zone_distance_is_the_smallest_on_the_crisp_path() {
        let tree = tree();
        let walker = Walker::new(&tree, Routing::Probabilistic).unwrap();
        // 15: (15 - 10) / 2 = 2.5 and (15 - 11) / 2 = 2; 4: just above (10 - 4) / 2 = 3.
        assert_eq!(walker.zone_distance(&[15.0]).unwrap(), 2.0);
        assert_eq!(walker.zone_distance(&[4.0]).unwrap(), 3.0f64.next_up());
    }

    #[test]
    fn a_hundred_thousand_levels_do_not_overflow_the_stack() {
        let levels = 100_000;
        let mut builder = TreeBuilder::new(1, 2);
        for _ in 0..levels {
            builder.split(0, Zone::new(0.0, 2.0).unwrap());
        }
        for level in 0..=levels {
            builder.leaf(&[f64::from(level % 2), 1.0]);
        }
        let tree = builder.finish().unwrap();
        assert_eq!(tree.depth(), levels as usize);
        // x = 0 is in the middle of every zone: level by level half the weight turns right.
        // From the bottom: p = (0, 1) blended with right leaves (0.5, 0.5) and (0, 1) in turn.
        let (distribution, verdict) = walk(&tree, Routing::Probabilistic, 0.0);
        assert_eq!(verdict, Verdict::Undecided);
        assert!((distribution.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{distribution:?}");
        assert_eq!(walk(&tree, Routing::Crisp, -5.0).0, [0.0, 1.0]);
        assert_eq!(tree.pruned(1.0).n_nodes(), 1);
    }
}
