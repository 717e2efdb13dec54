//! Is the engine's tree the naive one?

use super::{Naive, NaiveCut, NaiveNode, NaiveSplit, NaiveTree};
use std::fmt::Debug;
use ternwood::Tree;
use ternwood::tree::{Axis, CategoryCut, Cut, Node, NodeId, Split};

/// Principal directions and standard errors are computed in the engine's own order: equal up to
/// rounding. Everything else must be equal to the bit.
const ROUNDING: f64 = 1e-10;

fn differ(what: &str, naive: &dyn Debug, engine: &dyn Debug) -> Result<(), String> {
    Err(format!("{what} should be {naive:?} and is {engine:?}"))
}

fn equal<T: PartialEq + Debug + ?Sized>(what: &str, naive: &T, engine: &T) -> Result<(), String> {
    if naive == engine { Ok(()) } else { differ(what, &naive, &engine) }
}

fn close(what: &str, naive: f64, engine: f64) -> Result<(), String> {
    if (naive - engine).abs() <= ROUNDING { Ok(()) } else { differ(what, &naive, &engine) }
}

impl NaiveTree {
    /// Whether the engine's tree equals this one, node by node; if not, where they differ.
    pub fn compare(&self, naive: &Naive<'_>, tree: &Tree) -> Result<(), String> {
        self.compare_where_determined(naive, tree).map(|_| ())
    }

    /// The same; returns the number of splits where rounding decides about a principal direction.
    /// The engine's split must be as good as the naive one there, and nothing below is compared.
    pub fn compare_where_determined(
        &self,
        naive: &Naive<'_>,
        tree: &Tree,
    ) -> Result<usize, String> {
        let mut pairs = vec![(0, NodeId::ROOT)];
        let mut seen = 0;
        let mut arbitrary = 0;
        while let Some((at, id)) = pairs.pop() {
            seen += 1;
            let node = &self.nodes[at];
            let here = |problem: String| format!("node {id}: {problem}");
            naive.compare_statistics(node, tree, id).map_err(here)?;
            let features = 0..naive.sample.n_features();
            let found = tree.node(id).as_split();
            if (node.split.is_some() || found.is_some())
                && features.clone().any(|f| naive.direction_is_arbitrary(&node.rows, f))
            {
                naive.check_gain(node, found).map_err(here)?;
                arbitrary += 1;
                continue;
            }
            match (&node.split, tree.node(id)) {
                (None, Node::Leaf) => {}
                (Some(split), Node::Split(found)) => {
                    split.compare(found).map_err(|problem| {
                        here(format!("{problem}\nof {split:?}\nand {:?}", found.test))
                    })?;
                    let within = tree.rows_within(id) as usize;
                    equal("rows within", &split.within, &within).map_err(here)?;
                    let child = |at: usize| naive.weight(&self.nodes[split.children[at]].rows);
                    let (left, right) = (child(0), child(split.children.len() - 1));
                    let share = found.test.unknown_left();
                    equal("share of unknown values", &(left / (left + right)), &share)
                        .map_err(here)?;
                    let children: Vec<NodeId> = found.children().collect();
                    equal("number of children", &split.children.len(), &children.len())
                        .map_err(here)?;
                    pairs.extend(split.children.iter().copied().zip(children));
                }
                (split, node) => return differ("split", split, node).map_err(here).map(|()| 0),
            }
        }
        if seen == tree.n_nodes() || arbitrary > 0 {
            return Ok(arbitrary);
        }
        Err(format!("{seen} nodes were compared, but there are {}", tree.n_nodes()))
    }
}

impl Naive<'_> {
    fn compare_statistics(&self, node: &NaiveNode, tree: &Tree, id: NodeId) -> Result<(), String> {
        equal("class_rows", &self.class_rows(&node.rows)[..], tree.class_rows(id))?;
        let class_weights = self.class_weights(&node.rows);
        equal("class_weights", &class_weights[..], tree.class_weights(id))?;
        equal("impurity", &self.impurity(&node.rows), &tree.impurity(id))?;
        let total: f64 = class_weights.iter().sum();
        let shares: Vec<f64> = class_weights.iter().map(|weight| weight / total).collect();
        equal("values", &shares[..], tree.values(id))
    }

    /// Whether the engine's split is legal and gains no less than the naive one.
    fn check_gain(&self, node: &NaiveNode, found: Option<&Split>) -> Result<(), String> {
        // Another order on an arbitrary direction may be better or worse than ours.
        let direction = |axis: &Axis| matches!(axis, Axis::Direction(_));
        let by_direction = node.split.as_ref().is_some_and(
            |split| matches!(&split.cut, NaiveCut::Categories { axis, .. } if direction(axis)),
        );
        let Some(found) = found else {
            // Zones may leave too little on a side.
            return if by_direction || self.three_child {
                Ok(())
            } else {
                differ("split", &node.split, &"a leaf")
            };
        };
        let of = |left: bool| -> Vec<usize> {
            let value = |row: usize| self.sample.rows[row][found.test.feature().index()];
            let here = |row: &&usize| {
                !found.test.is_unknown(value(**row)) && found.test.goes_left(value(**row)) == left
            };
            node.rows.iter().filter(here).copied().collect()
        };
        let (left, right) = (of(true), of(false));
        let gain = match found.test.cut() {
            Cut::Categories(_) => {
                let feature = found.test.feature().index();
                self.category_gain_at(&node.rows, &left, &right, feature)
            }
            _ => self.gain_at(&node.rows, &left, &right),
        };
        let expected = node.split.as_ref().map_or(0.0, |split| split.gain);
        let legal = self.legal(&left) && self.legal(&right);
        if legal && (by_direction || gain >= expected - 1e-12) {
            return Ok(());
        }
        differ("gain", &node.split, &(gain, &found.test))
    }
}

impl NaiveSplit {
    fn compare(&self, found: &Split) -> Result<(), String> {
        let test = &found.test;
        equal("feature", &self.feature, &test.feature().index())?;
        equal("side of missing values", &self.missing, &test.missing())?;
        match (&self.cut, test.cut()) {
            (NaiveCut::Present, Cut::Present) => Ok(()),
            (NaiveCut::Threshold { threshold, half_width }, Cut::Threshold { zone, .. }) => {
                let found_numbers = (zone.threshold(), zone.half_width());
                equal("(threshold, half-width)", &(*threshold, *half_width), &found_numbers)
            }
            (NaiveCut::Categories { .. }, Cut::Categories(found)) => self.compare_categories(found),
            (cut, found) => differ("cut", cut, found),
        }
    }

    fn compare_categories(&self, found: &CategoryCut) -> Result<(), String> {
        let NaiveCut::Categories { axis, threshold, error, places } = &self.cut else {
            unreachable!("the caller looked");
        };
        equal("standard errors in a half-width", error, &found.error())?;
        let exact = match (axis, found.axis()) {
            (Axis::Direction(axis), Axis::Direction(found)) => {
                equal("number of coordinates", &axis.len(), &found.len())?;
                for (u, found) in axis.iter().zip(found) {
                    close("coordinate of the axis", *u, *found)?;
                }
                false
            }
            (axis, found) => {
                equal("axis", axis, found)?;
                true
            }
        };
        let position = |what: &str, naive: f64, engine: f64| {
            if exact { equal(what, &naive, &engine) } else { close(what, naive, engine) }
        };
        position("threshold", *threshold, found.threshold())?;
        let ids: Vec<u32> = found.places().iter().map(|place| place.category).collect();
        equal("categories", &places.keys().copied().collect::<Vec<_>>(), &ids)?;
        for (place, found) in places.values().zip(found.places()) {
            equal("rows of a category", &place.rows, &(found.rows as usize))?;
            position("position of a category", place.position, found.position)?;
            close("standard error of a category", place.standard_error, found.standard_error)?;
        }
        Ok(())
    }
}
