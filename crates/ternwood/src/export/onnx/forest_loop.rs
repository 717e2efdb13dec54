//! Any forest, walked by a loop: all trees at once, a level at a time, as `ensemble/` sends parts of rows through them.
//!
//! What the nodes know stands in tables. So a graph has as many operators for a thousand trees as for one, and runtimes
//! load it at once.

use super::answer::Values;
use super::forest::{Sums, distributions, last_of_running_sums, majorities};
use super::graph::{Attribute, ElementType, Graph, Value};
use super::tree::{for_all_rows, n_rows};
use crate::blend::LeastShare;
use crate::ensemble::Ensemble;
use crate::model::Model;
use crate::recipe::Routing;
use crate::tree::{Node, Outcome, PresentValues, Side, Split, Tree, Zone};

/// What the trees say of all rows.
pub(super) fn sums(
    model: &Model,
    forest: &Ensemble,
    values: &Values,
    with_votes: bool,
    graph: &mut Graph,
) -> Sums {
    let crisp = model.routing() == Routing::Crisp;
    let least_share = LeastShare::new(model.recipe().least_share);
    let n_leaves = forest.trees().iter().map(Tree::n_leaves).max().unwrap_or(1);
    let n_slots = if crisp { 1 } else { least_share.most_parts(n_leaves) };
    let walk = Walk {
        tables: Tables::of(forest, values, crisp, graph),
        matrix: &values.matrix,
        n_trees: forest.trees().len(),
        n_slots,
        least_share,
    };
    let ends = walk.ends(forest, values, graph);
    let sums = walk.summed(&ends, forest, graph);
    let votes = with_votes.then(|| walk.votes(&ends, forest, graph));
    Sums { sums, votes }
}

/// What the nodes know, tree after tree: one entry per node.
struct Tables {
    /// The column of the tested feature.
    feature: Value,
    lower: Value,
    threshold: Value,
    upper: Value,
    width: Value,
    /// Which zones have an edge or a width that overflows, if any has: as [`Zone::left_weight`] treats them.
    overflows: Option<Value>,
    left: Value,
    right: Value,
    is_split: Value,
    /// The number of the leaf, counted over all trees.
    leaf: Value,
    /// Where the outcomes begin that are not found by comparison: of a missing value, of one that nobody could read or
    /// no training row had, and of each category.
    outcomes: Value,
    /// How many categories a test knows; -1 if it compares numbers. `None` if all do.
    n_categories: Option<Value>,
    share_of_outcome: Value,
    left_of_outcome: Value,
    doubt_of_outcome: Value,
}

/// What a leaf makes of any value: it goes left, which is the leaf itself.
const STAYS: Outcome = Outcome {
    side: Side::Below,
    left_share: 1.0,
    goes_left: true,
    is_unknown: false,
    distance: f64::INFINITY,
};

/// The same as lists, one entry per node; and all outcomes.
#[derive(Default)]
struct Columns {
    features: Vec<i64>,
    zones: Vec<[f64; 3]>,
    widths: Vec<f64>,
    overflows: Vec<bool>,
    lefts: Vec<i64>,
    rights: Vec<i64>,
    is_split: Vec<i64>,
    leaves: Vec<i64>,
    outcomes: Vec<f64>,
    n_categories: Vec<f64>,
    table: Vec<Outcome>,
}

impl Columns {
    fn push_leaf(&mut self, own: i64, leaf: i64) {
        self.push_zone(0, [f64::INFINITY; 3], [own; 2]);
        self.is_split.push(0);
        self.leaves.push(leaf);
        self.outcomes.push(0.0);
        self.n_categories.push(-1.0);
    }

    fn push_split(&mut self, split: &Split, place: i64, children: [i64; 2]) {
        let test = split.test.plain();
        self.is_split.push(1);
        self.leaves.push(0);
        self.outcomes.push(self.table.len() as f64);
        self.table.push(test.missing);
        let mut n_categories = -1.0;
        match test.present {
            PresentValues::Numbers(zone) => {
                self.push_zone(place, [zone.lower(), zone.threshold(), zone.upper()], children);
                self.set_width(zone);
                self.table.push(test.unknown);
            }
            PresentValues::All(outcome) => {
                let side = if outcome.goes_left { f64::INFINITY } else { f64::NEG_INFINITY };
                self.push_zone(place, [side; 3], children);
                self.table.push(test.unknown);
            }
            PresentValues::Categories { known, unseen } => {
                self.push_zone(place, [f64::INFINITY; 3], children);
                n_categories = known.len() as f64;
                self.table.push(unseen);
                self.table.extend(known);
            }
        }
        self.n_categories.push(n_categories);
    }

    fn push_zone(&mut self, place: i64, zone: [f64; 3], children: [i64; 2]) {
        self.features.push(place);
        self.zones.push(zone);
        self.widths.push(1.0);
        self.overflows.push(false);
        self.lefts.push(children[0]);
        self.rights.push(children[1]);
    }

    /// Sets the width of the last zone, if it has one.
    fn set_width(&mut self, zone: Zone) {
        let at = self.widths.len() - 1;
        let width = 2.0 * zone.half_width();
        if width == 0.0 {
            return;
        }
        let span = zone.upper() - zone.lower().max(f64::MIN);
        self.overflows[at] = !(width.is_finite() && span.is_finite());
        self.widths[at] = if self.overflows[at] { zone.half_width() } else { width };
    }
}

impl Tables {
    fn of(forest: &Ensemble, values: &Values, crisp: bool, graph: &mut Graph) -> Self {
        let mut columns = Columns::default();
        // Leaves have no outcome but to stay.
        columns.table.extend([STAYS; 2]);
        let (mut first, mut leaf) = (0, 0);
        for tree in forest.trees() {
            for id in tree.ids() {
                match tree.node(id) {
                    Node::Leaf => {
                        columns.push_leaf(first + i64::from(id.0), leaf);
                        leaf += 1;
                    }
                    Node::Split(split) => {
                        let place = values.places[split.test.feature().index()] as i64;
                        let children = [split.left, split.right].map(|it| first + i64::from(it.0));
                        columns.push_split(split, place, children);
                    }
                }
            }
            first += tree.n_nodes() as i64;
        }
        let Columns { zones, table, .. } = &columns;
        let mut edge = |at: usize| {
            let numbers: Vec<f64> = zones.iter().map(|zone| zone[at]).collect();
            graph.doubles(&[numbers.len()], &numbers)
        };
        let [lower, threshold, upper] = [0, 1, 2].map(&mut edge);
        let share: Vec<f64> = table.iter().map(|outcome| outcome.left_share).collect();
        let goes_left: Vec<bool> = table.iter().map(|outcome| outcome.goes_left).collect();
        let is_doubt = |it: &Outcome| if crisp { it.is_unknown } else { it.side == Side::Within };
        let doubt: Vec<bool> = table.iter().map(is_doubt).collect();
        let has_categories = columns.n_categories.iter().any(|&n| n >= 0.0);
        let overflows = !crisp && columns.overflows.contains(&true);
        let doubles = |numbers: &[f64], graph: &mut Graph| graph.doubles(&[numbers.len()], numbers);
        Self {
            lower,
            threshold,
            upper,
            feature: graph.ints(&columns.features),
            width: doubles(&columns.widths, graph),
            overflows: overflows.then(|| graph.bools(&columns.overflows)),
            left: graph.ints(&columns.lefts),
            right: graph.ints(&columns.rights),
            is_split: graph.ints(&columns.is_split),
            leaf: graph.ints(&columns.leaves),
            outcomes: doubles(&columns.outcomes, graph),
            n_categories: has_categories.then(|| doubles(&columns.n_categories, graph)),
            share_of_outcome: doubles(&share, graph),
            left_of_outcome: graph.bools(&goes_left),
            doubt_of_outcome: graph.bools(&doubt),
        }
    }
}

/// A walk through all trees. In every tree a row has `n_slots` places for its parts, of which the first is the row itself
/// until a zone divides it.
struct Walk<'a> {
    tables: Tables,
    matrix: &'a str,
    n_trees: usize,
    n_slots: usize,
    least_share: LeastShare,
}

/// Where the walk ends.
struct Ends {
    /// The node of every part: one row per row, one column per tree and slot.
    nodes: Value,
    /// The share of every part; `None` if rows are never divided.
    shares: Option<Value>,
    /// Whether a part met a doubt.
    doubts: Value,
}

/// What the tests make of all parts.
struct Sides {
    goes_left: Value,
    doubt: Value,
    /// The share that goes left; `None` if rows are never divided.
    share: Option<Value>,
}

impl Walk<'_> {
    fn n_parts(&self) -> usize {
        self.n_trees * self.n_slots
    }

    fn ends(&self, forest: &Ensemble, values: &Values, graph: &mut Graph) -> Ends {
        let rows = n_rows(values, graph);
        let n_parts = self.n_parts();
        let mut roots = Vec::with_capacity(n_parts);
        let mut first = 0;
        for tree in forest.trees() {
            roots.extend(std::iter::repeat_n(first as f64, self.n_slots));
            first += tree.n_nodes();
        }
        let mut of_rows = |numbers: &[f64]| {
            let all = for_all_rows(&rows, [1, numbers.len()], numbers, graph);
            graph.squeezed(&all, 1)
        };
        let roots = of_rows(&roots);
        let no_doubt = of_rows(&vec![0.0; n_parts]);
        let mut whole = vec![0.0; n_parts];
        whole.iter_mut().step_by(self.n_slots).for_each(|share| *share = 1.0);
        let whole = of_rows(&whole);
        let one_part = of_rows(&vec![1.0; self.n_trees]);
        let roots = graph.cast(&roots, ElementType::Int64);
        let no_doubt = graph.cast(&no_doubt, ElementType::Bool);
        let mut carried = vec![(roots, ElementType::Int64), (no_doubt, ElementType::Bool)];
        if self.n_slots > 1 {
            carried.push((whole, ElementType::Double));
            carried.push((one_part, ElementType::Double));
        }
        let depth = forest.trees().iter().map(Tree::depth).max().unwrap_or(0);
        let ends = graph.repeated(depth, &carried, |graph, carried| self.step(carried, graph));
        let [nodes, doubts, rest @ ..] = &ends[..] else { unreachable!("as many as were given") };
        Ends { nodes: nodes.clone(), doubts: doubts.clone(), shares: rest.first().cloned() }
    }

    /// One level down.
    fn step(&self, carried: &[Value], graph: &mut Graph) -> (Value, Vec<Value>) {
        let [nodes, doubts, rest @ ..] = carried else { unreachable!("as many as were given") };
        let sides = self.sides(nodes, graph);
        let [left, right] =
            [&self.tables.left, &self.tables.right].map(|it| graph.looked_up(it, nodes));
        let mut results = Vec::new();
        match (rest, &sides.share) {
            ([shares, counts], Some(share)) => {
                let nothing = graph.double(0.0);
                let arrives = graph.op("Greater", &[shares, &nothing]);
                let doubt = graph.op("And", &[&sides.doubt, &arrives]);
                let doubts = graph.op("Or", &[doubts, &doubt]);
                let divided = self.divided(
                    [shares, counts],
                    [&sides.goes_left, share],
                    [&left, &right],
                    graph,
                );
                let [nodes, shares, counts] = divided;
                results.extend([nodes, doubts, shares, counts]);
            }
            _ => {
                let doubts = graph.op("Or", &[doubts, &sides.doubt]);
                let nodes = graph.op("Where", &[&sides.goes_left, &left, &right]);
                results.extend([nodes, doubts]);
            }
        }
        let is_split = graph.looked_up(&self.tables.is_split, &results[0]);
        let is_split = graph.cast(&is_split, ElementType::Bool);
        (graph.any(&is_split), results)
    }

    /// Where the tests of these nodes send the rows.
    fn sides(&self, nodes: &str, graph: &mut Graph) -> Sides {
        let tables = &self.tables;
        let feature = graph.looked_up(&tables.feature, nodes);
        let by_column = [Attribute::Number("axis", 1)];
        let x = graph.op_with("GatherElements", &[self.matrix, &feature], &by_column);
        let [threshold, start] =
            [&tables.threshold, &tables.outcomes].map(|it| graph.looked_up(it, nodes));
        let compared = graph.op("LessOrEqual", &[&x, &threshold]);

        // What is not compared.
        let missing = graph.op("IsNaN", &[&x]);
        let unreadable = graph.op("IsInf", &[&x]);
        let mut is_other = graph.op("Or", &[&missing, &unreadable]);
        let [zero, one] = [0.0, 1.0].map(|number| graph.double(number));
        let mut other = one.clone();
        if let Some(n_categories) = &tables.n_categories {
            let n_known = graph.looked_up(n_categories, nodes);
            let is_category = graph.op("GreaterOrEqual", &[&n_known, &zero]);
            is_other = graph.op("Or", &[&is_other, &is_category]);
            let from_0 = graph.op("GreaterOrEqual", &[&x, &zero]);
            let is_below = graph.op("Less", &[&x, &n_known]);
            let is_known = graph.op("And", &[&from_0, &is_below]);
            let two = graph.double(2.0);
            let known = graph.op("Add", &[&x, &two]);
            other = graph.op("Where", &[&is_known, &known, &one]);
        }
        let other = graph.op("Where", &[&missing, &zero, &other]);
        let place = graph.op("Add", &[&start, &other]);
        let place = graph.cast(&place, ElementType::Int64);
        let mut of_other = |table: &str| graph.looked_up(table, &place);
        let [left_of_other, doubt_of_other] =
            [&tables.left_of_outcome, &tables.doubt_of_outcome].map(|it| of_other(it));
        let share_of_other = of_other(&tables.share_of_outcome);

        let goes_left = graph.one_of(&is_other, &left_of_other, &compared);
        if self.n_slots == 1 {
            let doubt = graph.op("And", &[&is_other, &doubt_of_other]);
            return Sides { goes_left, doubt, share: None };
        }
        let [lower, upper] = [&tables.lower, &tables.upper].map(|it| graph.looked_up(it, nodes));
        let below = graph.op("LessOrEqual", &[&x, &lower]);
        let above = graph.op("Greater", &[&x, &upper]);
        let placed = graph.op("Or", &[&below, &above]);
        let within = graph.op("Not", &[&placed]);
        let doubt = graph.one_of(&is_other, &doubt_of_other, &within);
        let share = self.share_within(nodes, &x, &upper, &threshold, graph);
        let share = graph.op("Where", &[&above, &zero, &share]);
        let share = graph.op("Where", &[&below, &one, &share]);
        let share = graph.op("Where", &[&is_other, &share_of_other, &share]);
        Sides { goes_left, doubt, share: Some(share) }
    }

    /// The share of numbers within zones; anything for other numbers.
    fn share_within(
        &self,
        nodes: &str,
        x: &str,
        upper: &str,
        threshold: &str,
        graph: &mut Graph,
    ) -> Value {
        let rest = graph.op("Sub", &[upper, x]);
        let width = graph.looked_up(&self.tables.width, nodes);
        let mut share = graph.op("Div", &[&rest, &width]);
        if let Some(overflows) = &self.tables.overflows {
            let overflows = graph.looked_up(overflows, nodes);
            let half = graph.double(0.5);
            let [x, threshold] = [x, threshold].map(|it| graph.op("Mul", &[&half, it]));
            let offset = graph.op("Sub", &[&threshold, &x]);
            let offset = graph.op("Div", &[&offset, &width]);
            let of_halves = graph.op("Add", &[&half, &offset]);
            share = graph.op("Where", &[&overflows, &of_halves, &share]);
        }
        graph.clipped(&share)
    }

    /// Sends parts on, and divides those of which both sides are large enough. The larger part stays in its slot, the
    /// other one takes the next that is free. Returns nodes, shares, and the number of parts in every tree.
    fn divided(
        &self,
        [shares, counts]: [&str; 2],
        [goes_left, share]: [&str; 2],
        [left, right]: [&str; 2],
        graph: &mut Graph,
    ) -> [Value; 3] {
        let n_slots = self.n_slots as i64;
        let slots = [0, self.n_trees as i64, n_slots];
        let to_left = graph.op("Mul", &[shares, share]);
        let to_right = graph.op("Sub", &[shares, &to_left]);
        let smaller = graph.op("Min", &[&to_left, &to_right]);
        let larger = graph.op("Max", &[&to_left, &to_right]);
        let least = graph.double(self.least_share.get());
        // Nothing is no part: it takes no slot.
        let is_enough =
            if self.least_share == LeastShare::NONE { "Greater" } else { "GreaterOrEqual" };
        let divides = graph.op(is_enough, &[&smaller, &least]);
        let left_is_larger = graph.op("GreaterOrEqual", &[&to_left, &to_right]);
        let stays_left = graph.one_of(&divides, &left_is_larger, goes_left);
        let kept = graph.op("Where", &[&stays_left, left, right]);
        let sent = graph.op("Where", &[&stays_left, right, left]);
        let kept_share = graph.op("Where", &[&divides, &larger, shares]);

        // Which slot every new part takes: one row per part, one column per slot.
        let divides = graph.reshaped(&divides, &slots);
        let ones = graph.cast(&divides, ElementType::Double);
        let axis = graph.int(2);
        let exclusive = [Attribute::Number("exclusive", 1)];
        let before = graph.op_with("CumSum", &[&ones, &axis], &exclusive);
        let counts_by_tree = graph.unsqueezed(counts, 2);
        let slot = graph.op("Add", &[&before, &counts_by_tree]);
        let slot = graph.unsqueezed(&slot, 3);
        let all: Vec<f64> = (0..n_slots).map(|slot| slot as f64).collect();
        let all = graph.doubles(&[1, 1, 1, self.n_slots], &all);
        let takes = graph.op("Equal", &[&slot, &all]);
        let divides = graph.unsqueezed(&divides, 3);
        let takes = graph.op("And", &[&takes, &divides]);
        let kept_slot = |value: &str, received: &str, is_new: &str, graph: &mut Graph| {
            let value = graph.reshaped(value, &slots);
            let value = graph.op("Where", &[is_new, received, &value]);
            graph.reshaped(&value, &[0, self.n_parts() as i64])
        };
        let nowhere = graph.whole_numbers(&[], &[0]);
        let nothing = graph.double(0.0);
        let received = |value: &str, nothing: &str, graph: &mut Graph| {
            let value = graph.reshaped(value, &[0, self.n_trees as i64, n_slots, 1]);
            let value = graph.op("Where", &[&takes, &value, nothing]);
            graph.reduced_over("ReduceSum", &value, 2)
        };
        let takes_any = graph.cast(&takes, ElementType::Double);
        let takes_any = graph.reduced_over("ReduceMax", &takes_any, 2);
        let is_new = graph.is_set(&takes_any);
        let new_nodes = received(&sent, &nowhere, graph);
        let new_shares = received(&smaller, &nothing, graph);
        let nodes = kept_slot(&kept, &new_nodes, &is_new, graph);
        let shares = kept_slot(&kept_share, &new_shares, &is_new, graph);
        let more = graph.reduced_over("ReduceSum", &ones, 2);
        let counts = graph.op("Add", &[counts, &more]);
        [nodes, shares, counts]
    }

    /// The sum over all trees, in their order, of what each says of all parts.
    fn summed(&self, ends: &Ends, forest: &Ensemble, graph: &mut Graph) -> Value {
        let Some(shares) = &ends.shares else {
            let at = graph.looked_up(&self.tables.leaf, &ends.nodes);
            let terms = distributions(forest, &at, graph);
            return last_of_running_sums(&terms, self.n_parts(), graph);
        };
        let slots = [0, self.n_trees as i64, self.n_slots as i64];
        let nodes = graph.reshaped(&ends.nodes, &slots);
        let shares = graph.reshaped(shares, &slots);
        let at = graph.looked_up(&self.tables.leaf, &nodes);
        let distributions = distributions(forest, &at, graph);
        let shares = graph.unsqueezed(&shares, 3);
        let terms = graph.op("Mul", &[&shares, &distributions]);
        let of_trees = graph.reduced_over("ReduceSum", &terms, 2);
        last_of_running_sums(&of_trees, self.n_trees, graph)
    }

    /// How many trees are decided for each class.
    fn votes(&self, ends: &Ends, forest: &Ensemble, graph: &mut Graph) -> Value {
        let slots = [0, self.n_trees as i64, self.n_slots as i64];
        let doubts = graph.cast(&ends.doubts, ElementType::Double);
        let doubts = graph.reshaped(&doubts, &slots);
        let doubt = graph.reduced_over("ReduceMax", &doubts, 2);
        let sure = graph.rest(&doubt);
        // A decided row has one part, which stays in the first slot.
        let nodes = graph.reshaped(&ends.nodes, &slots);
        let first = graph.int(0);
        let nodes = graph.op_with("Gather", &[&nodes, &first], &[Attribute::Number("axis", 2)]);
        let at = graph.looked_up(&self.tables.leaf, &nodes);
        let majorities = majorities(forest, &at, graph);
        let sure = graph.unsqueezed(&sure, 2);
        let votes = graph.op("Mul", &[&sure, &majorities]);
        graph.reduced("ReduceSum", &votes)
    }
}
