//! How a tree answers along one feature, the other values of a row fixed: the row's individual
//! conditional expectation, with bounds that hold on whole intervals.
//!
//! Between two neighbouring edges of zones every probability is a polynomial in the feature. Instead of
//! its coefficients, interval arithmetic on the tree bounds its values and its slope on any interval:
//! that needs no degree, works for every routing, and is exact up to rounding.

use super::walk::value_of;
use crate::blend::LeastShare;
use crate::recipe::Routing;
use crate::tree::{Node, NodeId, Side, Split, Test, Tree, Zone, most_probable};
use std::collections::BTreeMap;

/// The tests of one feature that a row can reach by changing that feature, and the leaves below them.
pub(crate) struct ResponseCurve<'t> {
    tree: &'t Tree,
    /// Parents before children.
    nodes: Vec<CurveNode>,
    least_share: LeastShare,
}

struct CurveNode {
    kind: Kind,
    /// True if a test of another feature on the way here cannot place the row.
    unsure: bool,
}

/// What happens at a node. Children are indices of nodes, or keys while the curve is built.
enum Kind<Child = u32> {
    Leaf(NodeId),
    /// A test of another feature, which divides the row.
    Divide {
        left_share: f64,
        goes_left: bool,
        children: [Child; 2],
    },
    /// A test of the feature. Within its zone the row goes to both inner children.
    Blend {
        zone: Zone,
        outer: [Child; 2],
        inner: [Child; 2],
    },
    /// A test of the feature that sends the row to one child: up to the first edge, up to the second, or
    /// beyond.
    Steps {
        edges: [f64; 2],
        children: [Child; 3],
    },
}

/// What a row may be answered on an interval of one feature. Of a forest, sums over its trees.
#[derive(Debug, Clone)]
pub(crate) struct ResponseBounds {
    /// By class, the least and the largest probability.
    pub(crate) values: Vec<[f64; 2]>,
    /// By class, the least and the largest slope.
    pub(crate) slopes: Vec<[f64; 2]>,
    /// True if the answer may jump, so that slopes mean nothing.
    pub(crate) jumps: bool,
    /// By class, how many trees may be decided for it by their zones.
    pub(crate) votes: Vec<u32>,
    /// True if the verdict of some tree's zones may change.
    pub(crate) votes_vary: bool,
}

/// Memory reused from interval to interval.
#[derive(Default)]
pub(crate) struct CurveMemory {
    arrivals: Vec<Option<Arrival>>,
    ways: Vec<Ways>,
    /// By class, whether the tree may be decided for it.
    voted: Vec<bool>,
    /// By node and class: least and largest value, least and largest slope.
    figures: Vec<[f64; 4]>,
}

/// What arrives at a node.
#[derive(Clone, Copy)]
struct Arrival {
    /// The least and the largest part of the row.
    part: [f64; 2],
    /// True if the row may have met no unsure test.
    sure: bool,
}

/// Where a row may go on from a node.
#[derive(Clone, Copy, Default)]
struct Ways {
    /// To one of these alone.
    alone: [Option<u32>; 3],
    /// To both of these.
    both: Option<Both>,
}

#[derive(Clone, Copy)]
struct Both {
    children: [u32; 2],
    /// The least and the largest share of the left one.
    left_share: [f64; 2],
    /// The least and the largest slope of that share.
    slope: [f64; 2],
}

impl<'t> ResponseCurve<'t> {
    /// The curve of a row: its value of `feature`, a number, plays no part.
    pub(crate) fn new(
        tree: &'t Tree,
        routing: Routing,
        row: &[f64],
        feature: usize,
        least_share: LeastShare,
    ) -> Self {
        Builder { tree, routing, row, feature, least_share }.curve()
    }

    /// Where a test of the feature changes what it does with a value: values up to a cut are treated alike,
    /// and so are those beyond it up to the next.
    pub(crate) fn cuts(&self) -> impl Iterator<Item = f64> {
        let of_node = |node: &CurveNode| match node.kind {
            Kind::Leaf(_) | Kind::Divide { .. } => [f64::NAN; 3],
            Kind::Steps { edges: [first, second], .. } => [first, second, f64::NAN],
            Kind::Blend { zone, .. } => zone.cuts(),
        };
        self.nodes.iter().flat_map(of_node).filter(|cut| !cut.is_nan())
    }

    /// The threshold of the first test of the feature.
    pub(crate) fn first_threshold(&self) -> Option<f64> {
        self.nodes.iter().find_map(|node| match node.kind {
            Kind::Leaf(_) | Kind::Divide { .. } => None,
            Kind::Steps { edges: [first, second], .. } => Some(0.5 * first + 0.5 * second),
            Kind::Blend { zone, .. } => Some(zone.threshold()),
        })
    }

    /// Adds what the tree may answer for values from `span[0]` to `span[1]`, both included.
    pub(crate) fn add_bounds(
        &self,
        span: [f64; 2],
        memory: &mut CurveMemory,
        bounds: &mut ResponseBounds,
    ) {
        memory.arrivals.clear();
        memory.arrivals.resize(self.nodes.len(), None);
        memory.ways.clear();
        memory.ways.resize(self.nodes.len(), Ways::default());
        memory.arrivals[0] = Some(Arrival { part: [1.0, 1.0], sure: true });
        memory.voted.clear();
        memory.voted.resize(bounds.votes.len(), false);
        for (index, node) in self.nodes.iter().enumerate() {
            let Some(mut arrival) = memory.arrivals[index] else { continue };
            arrival.sure &= !node.unsure;
            if let Kind::Leaf(leaf) = node.kind
                && arrival.sure
            {
                let class = most_probable(self.tree.values(leaf)) as usize;
                bounds.votes[class] += u32::from(!memory.voted[class]);
                memory.voted[class] = true;
            }
            memory.ways[index] = self.ways(&node.kind, arrival, span, memory, bounds);
        }
        self.combine(memory, bounds);
    }

    /// Where what arrives at a node may go on; notes that it arrives there.
    fn ways(
        &self,
        kind: &Kind,
        arrival: Arrival,
        [from, to]: [f64; 2],
        memory: &mut CurveMemory,
        bounds: &mut ResponseBounds,
    ) -> Ways {
        let Arrival { part, sure } = arrival;
        let mut ways = Ways::default();
        let unsure = Arrival { part, sure: false };
        match *kind {
            Kind::Leaf(_) => {}
            Kind::Steps { edges: [first, second], children } => {
                let reached = [from <= first, from <= second && to > first, to > second];
                let is_middle_there = first < second;
                bounds.votes_vary |= sure && reached.iter().filter(|it| **it).count() > 1;
                for (at, reached) in reached.into_iter().enumerate() {
                    if reached && (at != 1 || is_middle_there) {
                        ways.alone[at] = Some(children[at]);
                        memory.arrive(children[at], if at == 1 { unsure } else { arrival });
                    }
                }
            }
            Kind::Divide { left_share, goes_left, children } => {
                let split = self.split(part, [left_share; 2]);
                if split.may_divide {
                    ways.both =
                        Some(Both { children, left_share: [left_share; 2], slope: [0.0; 2] });
                    memory.arrive(children[0], Arrival { part: split.left, sure: false });
                    memory.arrive(children[1], Arrival { part: split.right, sure: false });
                }
                if !split.must_divide {
                    let child = children[usize::from(!goes_left)];
                    ways.alone[0] = Some(child);
                    memory.arrive(child, unsure);
                }
            }
            Kind::Blend { zone, outer, inner } => {
                let sides = [zone.side(from), zone.side(to)];
                bounds.votes_vary |= sure && sides[0] != sides[1];
                let is_within = zone.lower() < zone.upper()
                    && sides[0] != Side::Above
                    && sides[1] != Side::Below;
                let left_share = [to, from].map(|x| Test::new(0, zone).left_share(x));
                let split = self.split(part, left_share);
                let may_divide = is_within && split.may_divide;
                let must_divide = split.must_divide && sides == [Side::Within; 2];
                // Along a zone that divides everything, nothing jumps.
                let is_continuous =
                    may_divide && self.least_share == LeastShare::NONE && outer == inner;
                if may_divide {
                    let steepest = -1.0 / (2.0 * zone.half_width());
                    let is_steady = sides == [Side::Within; 2];
                    let slope = [steepest, if is_steady { steepest } else { 0.0 }];
                    // An infinite width or slope says nothing.
                    bounds.jumps |= !(steepest.is_finite() && steepest < 0.0);
                    ways.both = Some(Both { children: inner, left_share, slope });
                    memory.arrive(inner[0], Arrival { part: split.left, sure: false });
                    memory.arrive(inner[1], Arrival { part: split.right, sure: false });
                }
                let undivided = is_within && !must_divide && self.least_share != LeastShare::NONE;
                let alone = [
                    sides[0] == Side::Below || undivided && from <= zone.threshold(),
                    sides[1] == Side::Above || undivided && to > zone.threshold(),
                ];
                let may_be_sure = [sides[0] == Side::Below, sides[1] == Side::Above];
                for at in 0..2 {
                    if alone[at] {
                        let sure = sure && may_be_sure[at];
                        memory.arrive(outer[at], Arrival { part, sure });
                        if !is_continuous {
                            ways.alone[at] = Some(outer[at]);
                        }
                    }
                }
            }
        }
        let n_ways = ways.alone.iter().flatten().count() + usize::from(ways.both.is_some());
        bounds.jumps |= n_ways > 1;
        ways
    }

    /// Whether a part of the row is divided, and into which parts.
    fn split(&self, part: [f64; 2], left_share: [f64; 2]) -> SplitParts {
        let left = [part[0] * left_share[0], part[1] * left_share[1]];
        let right = [part[0] - part[0] * left_share[1], part[1] - part[1] * left_share[0]];
        let least = self.least_share.get();
        SplitParts {
            may_divide: self.least_share.allows(left[1], right[1]),
            must_divide: self.least_share.allows(left[0], right[0]),
            left: [left[0].max(least), left[1]],
            right: [right[0].max(least), right[1]],
        }
    }

    /// Adds values and slopes, from the leaves to the root.
    fn combine(&self, memory: &mut CurveMemory, bounds: &mut ResponseBounds) {
        let k = self.tree.n_outputs();
        let CurveMemory { arrivals, ways, figures, .. } = memory;
        figures.clear();
        figures.resize(self.nodes.len() * k, [0.0; 4]);
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if arrivals[index].is_none() {
                continue;
            }
            if let Kind::Leaf(leaf) = node.kind {
                let own = &mut figures[index * k..][..k];
                for (figure, &p) in own.iter_mut().zip(self.tree.values(leaf)) {
                    *figure = [p, p, 0.0, 0.0];
                }
                continue;
            }
            let (own, below) = figures[index * k..].split_at_mut(k);
            let of = |child: u32, class: usize| below[(child as usize - index - 1) * k + class];
            let Ways { alone, both } = ways[index];
            for (class, figure) in own.iter_mut().enumerate() {
                let blended = both.map(|both| both.blended(both.children.map(|it| of(it, class))));
                let singles = alone.iter().flatten().map(|&child| of(child, class));
                *figure = blended.into_iter().chain(singles).reduce(hull).unwrap_or([0.0; 4]);
            }
        }
        for (class, [low, high, falling, rising]) in figures[..k].iter().copied().enumerate() {
            let (values, slopes) = (&mut bounds.values[class], &mut bounds.slopes[class]);
            *values = [values[0] + low, values[1] + high];
            *slopes = [slopes[0] + falling, slopes[1] + rising];
        }
    }
}

struct SplitParts {
    may_divide: bool,
    must_divide: bool,
    left: [f64; 2],
    right: [f64; 2],
}

fn hull(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [a[0].min(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].max(b[3])]
}

impl Both {
    /// Value and slope of `s left + (1 - s) right`, `s` being the left share.
    fn blended(&self, [left, right]: [[f64; 4]; 2]) -> [f64; 4] {
        // Linear in the share, so that one of its ends is the least or the largest.
        let ends = |at: usize| self.left_share.map(|s| s * left[at] + (1.0 - s) * right[at]);
        let least = |at: usize| ends(at)[0].min(ends(at)[1]);
        let largest = |at: usize| ends(at)[0].max(ends(at)[1]);
        let difference = [left[0] - right[1], left[1] - right[0]];
        let products = [0, 1, 2, 3].map(|at| self.slope[at / 2] * difference[at % 2]);
        let own =
            products.into_iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], it| {
                [low.min(it), high.max(it)]
            });
        [least(0), largest(1), least(2) + own[0], largest(3) + own[1]]
    }
}

impl CurveMemory {
    fn arrive(&mut self, child: u32, arrival: Arrival) {
        let there = &mut self.arrivals[child as usize];
        *there = Some(match *there {
            None => arrival,
            Some(Arrival { part, sure }) => Arrival {
                part: [part[0].min(arrival.part[0]), part[1].max(arrival.part[1])],
                sure: sure || arrival.sure,
            },
        });
    }
}

impl ResponseBounds {
    /// To be filled with the bounds of trees.
    pub(crate) fn new(n_classes: usize) -> Self {
        Self {
            values: vec![[0.0; 2]; n_classes],
            slopes: vec![[0.0; 2]; n_classes],
            jumps: false,
            votes: vec![0; n_classes],
            votes_vary: false,
        }
    }

    /// From sums to means.
    pub(crate) fn divide(&mut self, trees: usize) {
        let n = trees as f64;
        for bound in self.values.iter_mut().chain(&mut self.slopes) {
            *bound = bound.map(|it| it / n);
        }
    }
}

struct Builder<'a, 't> {
    tree: &'t Tree,
    routing: Routing,
    row: &'a [f64],
    feature: usize,
    least_share: LeastShare,
}

/// A node on the way of a row.
#[derive(Clone, Copy)]
struct Stop {
    node: NodeId,
    /// True if zones are ignored there.
    crisp: bool,
    unsure: bool,
    /// The largest part of the row that may arrive.
    part: f64,
}

impl Stop {
    /// In the order of the nodes, so that a parent has a smaller key than its children.
    fn key(self) -> u64 {
        u64::from(self.node.0) << 1 | u64::from(self.crisp)
    }

    fn at(self, node: NodeId) -> Self {
        Self { node, ..self }
    }
}

impl<'t> Builder<'_, 't> {
    fn curve(&self) -> ResponseCurve<'t> {
        let crisp = self.routing == Routing::Crisp;
        let mut found: BTreeMap<u64, (Kind<Stop>, bool)> = BTreeMap::new();
        let root = Stop { node: NodeId::ROOT, crisp, unsure: false, part: 1.0 };
        let mut waiting = vec![self.settled(root)];
        while let Some((stop, kind)) = waiting.pop() {
            if found.contains_key(&stop.key()) {
                continue;
            }
            let kind = kind.map(|child| {
                let settled = self.settled(child);
                let stop = settled.0;
                waiting.push(settled);
                stop
            });
            found.insert(stop.key(), (kind, stop.unsure));
        }
        let keys: Vec<u64> = found.keys().copied().collect();
        let index = |stop: Stop| keys.partition_point(|&key| key < stop.key()) as u32;
        let nodes = found.into_values();
        let nodes =
            nodes.map(|(kind, unsure)| CurveNode { kind: kind.map(index), unsure }).collect();
        ResponseCurve { tree: self.tree, nodes, least_share: self.least_share }
    }

    /// Follows a row as long as the feature does not matter and nothing divides it.
    fn settled(&self, mut stop: Stop) -> (Stop, Kind<Stop>) {
        loop {
            let Node::Split(split) = self.tree.node(stop.node) else {
                return (stop, Kind::Leaf(stop.node));
            };
            if split.test.feature().index() == self.feature {
                match split.test.zone() {
                    Some(zone) => return (stop, self.own(stop, split, zone)),
                    // Whatever is present goes left.
                    None => stop.node = split.left,
                }
                continue;
            }
            let (test, x) = (&split.test, value_of(self.row, &split.test));
            if stop.crisp {
                stop.unsure |= test.is_unknown(x);
                stop.node = split.crisp_child(x);
                continue;
            }
            let side = test.side(x);
            stop.unsure |= side == Side::Within;
            if let Some(child) = split.child(side) {
                stop.node = child;
                continue;
            }
            let (left_share, goes_left) = (test.left_share(x), test.goes_left(x));
            let Some(mut parts) = self.least_share.divide(stop.part, left_share) else {
                stop.node = split.crisp_child(x);
                continue;
            };
            let crisp = self.routing == Routing::Deferred;
            // A smaller part may be too small to be divided, and all of it goes there.
            parts[usize::from(!goes_left)] = stop.part;
            let children = [
                Stop { node: split.left, crisp, part: parts[0], ..stop },
                Stop { node: split.right, crisp, part: parts[1], ..stop },
            ];
            return (stop, Kind::Divide { left_share, goes_left, children });
        }
    }

    fn own(&self, stop: Stop, split: &Split, zone: Zone) -> Kind<Stop> {
        let unsure = |stop: Stop| Stop { unsure: true, ..stop };
        let [left, right] = [split.left, split.right].map(|child| stop.at(child));
        match split.middle {
            _ if stop.crisp => {
                Kind::Steps { edges: [zone.threshold(); 2], children: [left, left, right] }
            }
            Some(middle) => Kind::Steps {
                edges: [zone.lower(), zone.upper()],
                children: [left, unsure(stop.at(middle)), right],
            },
            None => {
                let crisp = self.routing == Routing::Deferred;
                let inner = [left, right].map(|stop| Stop { crisp, ..stop });
                Kind::Blend { zone, outer: [left, right], inner }
            }
        }
    }
}

impl<A> Kind<A> {
    fn map<B>(self, mut f: impl FnMut(A) -> B) -> Kind<B> {
        match self {
            Self::Leaf(leaf) => Kind::Leaf(leaf),
            Self::Divide { left_share, goes_left, children } => {
                Kind::Divide { left_share, goes_left, children: children.map(f) }
            }
            Self::Steps { edges, children } => Kind::Steps { edges, children: children.map(f) },
            Self::Blend { zone, outer, inner } => {
                let (outer, inner) = (outer.map(&mut f), inner.map(&mut f));
                Kind::Blend { zone, outer, inner }
            }
        }
    }
}
