//! What all tests of a tree make of all rows, kind of test by kind of test.

use super::answer::Values;
use super::graph::{ElementType, Graph, Value};
use crate::recipe::Routing;
use crate::tree::{NodeId, Outcome, PlainTest, PresentValues, Side, Tree, Zone};
use std::collections::HashMap;

/// One column per split. Flags are 0 or 1.
pub(super) struct Tests {
    /// The column of every split.
    columns: HashMap<NodeId, usize>,
    /// The share that goes left.
    pub(super) share: Value,
    /// Whether a row goes left by the threshold alone.
    pub(super) left: Value,
    /// Whether the test is unsure.
    pub(super) unsure: Value,
    /// Whether the value is unknown to it.
    pub(super) unknown: Value,
    /// The distance from the zone; see [`Outcome`].
    pub(super) distance: Value,
}

/// The five numbers that an outcome is.
const NUMBERS: [fn(&Outcome) -> f64; 5] = [
    |outcome| outcome.left_share,
    |outcome| f64::from(u8::from(outcome.goes_left)),
    |outcome| f64::from(u8::from(outcome.side == Side::Within)),
    |outcome| f64::from(u8::from(outcome.is_unknown)),
    |outcome| outcome.distance,
];

impl Tests {
    pub(super) fn of(tree: &Tree, values: &Values, graph: &mut Graph) -> Self {
        let (mut numbers, mut categories, mut others) = (Vec::new(), Vec::new(), Vec::new());
        let nodes = tree.ids().filter_map(|id| Some((id, tree.node(id).as_split()?.test.plain())));
        for (at, test) in nodes {
            match test.present {
                PresentValues::Numbers(zone) => numbers.push((at, test, zone)),
                PresentValues::Categories { .. } => categories.push((at, test)),
                PresentValues::All(outcome) => others.push((at, test, outcome)),
            }
        }
        let places = numbers.iter().map(|it| it.0).chain(categories.iter().map(|it| it.0));
        let columns = places.chain(others.iter().map(|it| it.0)).zip(0..).collect();
        let mut parts: [Vec<Value>; 5] = Default::default();
        let mut add = |five: [Value; 5]| {
            parts.iter_mut().zip(five).for_each(|(part, value)| part.push(value));
        };
        if !numbers.is_empty() {
            add(of_numbers(&numbers, values, graph));
        }
        if !categories.is_empty() {
            add(of_categories(&categories, values, graph));
        }
        if !others.is_empty() {
            add(of_others(&others, values, graph));
        }
        let [share, left, unsure, unknown, distance] = parts.map(|part| graph.concat(&part));
        Self { columns, share, left, unsure, unknown, distance }
    }

    /// These splits' columns of one of the numbers.
    pub(super) fn at(&self, of: &str, splits: &[NodeId], graph: &mut Graph) -> Value {
        let columns: Vec<usize> = splits.iter().map(|split| self.columns[split]).collect();
        graph.columns(of, &columns)
    }

    /// Replaces the shares that go left by these, in the order of `splits`.
    pub(super) fn replace_shares(&mut self, splits: &[NodeId], shares: &str, graph: &mut Graph) {
        let mut places = vec![0; splits.len()];
        splits.iter().enumerate().for_each(|(at, split)| places[self.columns[split]] = at);
        self.share = graph.columns(shares, &places);
    }

    /// Whether tests are unsure under a routing.
    pub(super) fn unsure_by(&self, routing: Routing) -> &str {
        if routing == Routing::Crisp { &self.unknown } else { &self.unsure }
    }
}

/// The tested feature's value at every split.
fn tested<'t>(
    tests: impl Iterator<Item = &'t PlainTest>,
    values: &Values,
    graph: &mut Graph,
) -> Value {
    let columns: Vec<usize> = tests.map(|test| values.places[test.feature]).collect();
    graph.columns(&values.matrix, &columns)
}

/// Replaces what is computed for a value where it is missing or cannot be read.
fn with_gaps(tests: &[&PlainTest], x: &str, present: [Value; 5], graph: &mut Graph) -> [Value; 5] {
    let missing = graph.op("IsNaN", &[x]);
    let unreadable = graph.op("IsInf", &[x]);
    let mut number = 0;
    present.map(|value| {
        let of = NUMBERS[number];
        number += 1;
        let unknown: Vec<f64> = tests.iter().map(|test| of(&test.unknown)).collect();
        let gaps: Vec<f64> = tests.iter().map(|test| of(&test.missing)).collect();
        let [unknown, gaps] = [graph.row(&unknown), graph.row(&gaps)];
        let value = graph.op("Where", &[&unreadable, &unknown, &value]);
        graph.op("Where", &[&missing, &gaps, &value])
    })
}

/// One test alone is computed twice, and used once: onnxruntime takes a constant of one element for 1
/// if it is within 1e-5 of it, and for 0 within 1e-8, and leaves the operator out.
fn of_numbers(
    tests: &[(NodeId, PlainTest, Zone)],
    values: &Values,
    graph: &mut Graph,
) -> [Value; 5] {
    if let [test] = tests {
        let twice = of_numbers(&[test.clone(), test.clone()], values, graph);
        return twice.map(|value| graph.columns(&value, &[0]));
    }
    let x = tested(tests.iter().map(|it| &it.1), values, graph);
    let of_zones = |number: fn(Zone) -> f64| -> Vec<f64> {
        tests.iter().map(|(_, _, zone)| number(*zone)).collect()
    };
    let [lower, cut, upper] =
        [Zone::lower, Zone::threshold, Zone::upper].map(|it| graph.row(&of_zones(it)));
    let below = graph.op("LessOrEqual", &[&x, &lower]);
    let above = graph.op("Greater", &[&x, &upper]);
    let goes_left = graph.op("LessOrEqual", &[&x, &cut]);
    let left = graph.cast(&goes_left, ElementType::Double);
    let decided = graph.op("Or", &[&below, &above]);
    let decided = graph.cast(&decided, ElementType::Double);
    let unsure = graph.rest(&decided);

    let within = within(tests, &x, graph);
    let [zero, one] = [graph.double(0.0), graph.double(1.0)];
    let share = graph.op("Where", &[&above, &zero, &within]);
    let share = graph.op("Where", &[&below, &one, &share]);

    let unknown = graph.row(&vec![0.0; tests.len()]);
    let distance = distance(&of_zones(Zone::half_width), &x, [&cut, &goes_left], graph);
    let plain: Vec<&PlainTest> = tests.iter().map(|it| &it.1).collect();
    with_gaps(&plain, &x, [share, left, unsure, unknown, distance], graph)
}

/// The share of numbers within zones; anything for other numbers.
fn within(tests: &[(NodeId, PlainTest, Zone)], x: &str, graph: &mut Graph) -> Value {
    let zones: Vec<Zone> = tests.iter().map(|(_, _, zone)| *zone).collect();
    // Without a width nothing is within, and any number will do.
    let width = |zone: &Zone| if zone.half_width() > 0.0 { 2.0 * zone.half_width() } else { 1.0 };
    let fits = |zone: &Zone| {
        let span = zone.upper() - zone.lower().max(f64::MIN);
        width(zone).is_finite() && span.is_finite()
    };
    let or_one = |number: f64| if number.is_finite() { number } else { 1.0 };
    let upper: Vec<f64> = zones.iter().map(|zone| or_one(zone.upper())).collect();
    let widths: Vec<f64> = zones.iter().map(|zone| or_one(width(zone))).collect();
    let upper = graph.row(&upper);
    let rest = graph.op("Sub", &[&upper, x]);
    let widths = graph.row(&widths);
    let mut share = graph.op("Div", &[&rest, &widths]);
    if !zones.iter().all(fits) {
        let extreme: Vec<bool> = zones.iter().map(|zone| !fits(zone)).collect();
        let (is_extreme, of_extremes) = (graph.bools(&extreme), of_extremes(&zones, x, graph));
        share = graph.op("Where", &[&is_extreme, &of_extremes, &share]);
    }
    graph.clipped(&share)
}

/// The share of numbers so large that an edge or the width overflows.
fn of_extremes(zones: &[Zone], x: &str, graph: &mut Graph) -> Value {
    let halves: Vec<f64> = zones.iter().map(|zone| 0.5 * zone.threshold()).collect();
    let widths: Vec<f64> = zones
        .iter()
        .map(|zone| if zone.half_width() > 0.0 { zone.half_width() } else { 1.0 })
        .collect();
    let [halves, widths, half] = [graph.row(&halves), graph.row(&widths), graph.double(0.5)];
    let x = graph.op("Mul", &[&half, x]);
    let offset = graph.op("Sub", &[&halves, &x]);
    let offset = graph.op("Div", &[&offset, &widths]);
    graph.op("Add", &[&half, &offset])
}

/// As [`Zone::distance`], except for distances too small to have all their bits.
fn distance(half_widths: &[f64], x: &str, [cut, goes_left]: [&str; 2], graph: &mut Graph) -> Value {
    let gap = graph.op("Sub", &[x, cut]);
    let gap = graph.op("Abs", &[&gap]);
    let widths: Vec<f64> = half_widths.iter().map(|it| if *it > 0.0 { *it } else { 1.0 }).collect();
    let widths = graph.row(&widths);
    let plain = graph.op("Div", &[&gap, &widths]);
    // Of numbers so large that their difference overflows, halves are compared.
    let half = graph.double(0.5);
    let [half_x, half_cut, half_of_widths] =
        [x, cut, &widths].map(|value| graph.op("Mul", &[&half, value]));
    let half_gap = graph.op("Sub", &[&half_x, &half_cut]);
    let half_gap = graph.op("Abs", &[&half_gap]);
    let of_halves = graph.op("Div", &[&half_gap, &half_of_widths]);
    let overflows = graph.op("IsInf", &[&gap]);
    let plain = graph.op("Where", &[&overflows, &of_halves, &plain]);
    // Just above half a last bit more: rounded, it is the next number. Above 0 it is the least one.
    let (just_more, least) = (f64::EPSILON / 2.0 * (1.0 + f64::EPSILON), f64::from_bits(1));
    let [just_more, least] = [graph.double(just_more), graph.double(least)];
    let more = graph.op("Mul", &[&plain, &just_more]);
    let more = graph.op("Add", &[&plain, &more]);
    let more = graph.op("Max", &[&more, &least]);
    let distance = graph.op("Where", &[goes_left, &more, &plain]);
    if half_widths.iter().all(|width| *width > 0.0) {
        return distance;
    }
    let has_zone: Vec<bool> = half_widths.iter().map(|width| *width > 0.0).collect();
    let [has_zone, infinite] = [graph.bools(&has_zone), graph.double(f64::INFINITY)];
    graph.op("Where", &[&has_zone, &distance, &infinite])
}

/// Outcomes of categories stand in tables: for every split those of a missing value, of a category
/// that nobody saw, and of each that it knows.
fn of_categories(tests: &[(NodeId, PlainTest)], values: &Values, graph: &mut Graph) -> [Value; 5] {
    let mut table: Vec<Outcome> = Vec::new();
    let (mut starts, mut counts) = (Vec::new(), Vec::new());
    for (_, test) in tests {
        let PresentValues::Categories { known, unseen } = &test.present else { continue };
        starts.push(table.len() as f64);
        counts.push(known.len() as f64);
        table.extend([test.missing, *unseen]);
        table.extend(known);
    }
    let id = tested(tests.iter().map(|it| &it.1), values, graph);
    let [starts, counts] = [graph.row(&starts), graph.row(&counts)];
    let [zero, one, two] = [0.0, 1.0, 2.0].map(|number| graph.double(number));
    let from_0 = graph.op("GreaterOrEqual", &[&id, &zero]);
    let is_below = graph.op("Less", &[&id, &counts]);
    let is_known = graph.op("And", &[&from_0, &is_below]);
    let known = graph.op("Add", &[&id, &two]);
    let place = graph.op("Where", &[&is_known, &known, &one]);
    let missing = graph.op("IsNaN", &[&id]);
    let place = graph.op("Where", &[&missing, &zero, &place]);
    let place = graph.op("Add", &[&starts, &place]);
    let place = graph.cast(&place, ElementType::Int64);
    NUMBERS.map(|of| {
        let numbers: Vec<f64> = table.iter().map(of).collect();
        let numbers = graph.doubles(&[numbers.len()], &numbers);
        graph.op("Gather", &[&numbers, &place])
    })
}

/// Tests that do not look at a value that is there.
fn of_others(
    tests: &[(NodeId, PlainTest, Outcome)],
    values: &Values,
    graph: &mut Graph,
) -> [Value; 5] {
    let x = tested(tests.iter().map(|it| &it.1), values, graph);
    let present = NUMBERS.map(|of| {
        let numbers: Vec<f64> = tests.iter().map(|(_, _, outcome)| of(outcome)).collect();
        graph.row(&numbers)
    });
    let plain: Vec<&PlainTest> = tests.iter().map(|it| &it.1).collect();
    with_gaps(&plain, &x, present, graph)
}
