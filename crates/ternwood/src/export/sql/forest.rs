//! A forest: tree after tree, each from the root down, as `ensemble/` sends parts of rows through it.
//!
//! Shares are multiplied on the way down, and a row is divided only if both parts are large enough. What a tree says of
//! a row of three or more parts may differ from the walker's answer in the last bits.

use super::Writer;
use super::levels::{
    About, DOUBT, MISSING, WITHIN, left_name, part_name, probability_name, side_name,
};
use super::query::{Columns, Query, input_name};
use crate::ensemble::{Ensemble, Sharpening, Smoothed};
use crate::error::{ErrorKind, Result};
use crate::recipe::Routing;
use crate::tree::{Node, NodeId, Split, Tree};

/// The most nodes of a forest: engines plan the steps of larger ones for minutes.
const MOST_NODES: usize = 1000;

/// What a forest needs to know of every split.
const ABOUT: [About; 3] = [About::Side, About::LeftShare, About::GoesLeft];

/// 1 if the tree at work is unsure of the row.
const UNSURE: &str = "u";
/// The number of trees that are.
const UNSURE_TREES: &str = "unsure_trees";

/// The sum of the trees' probabilities of a class.
fn sum_name(class: usize) -> String {
    format!("m{class}")
}

/// The number of trees that are decided for a class.
fn vote_name(class: usize) -> String {
    format!("v{class}")
}

impl Writer<'_> {
    /// From the tested columns to the probabilities, and a doubt unless enough trees are decided.
    pub(super) fn forest(self, query: &mut Query) -> Result<()> {
        let forest = self.model.ensemble();
        let n_nodes = forest.n_nodes();
        if n_nodes > MOST_NODES {
            let what = format!("the forest has {n_nodes} nodes, and a query takes {MOST_NODES}");
            let remedy = "export ONNX, or a smaller forest (fewer or shallower trees)";
            return Err(ErrorKind::Export { format: "SQL", what, remedy }.into());
        }
        let mut columns = self.with_values();
        for class in self.classes() {
            columns.add(&sum_name(class), &self.number(0.0));
            columns.add(&vote_name(class), "0");
        }
        columns.add(UNSURE_TREES, "0");
        query.step("sums", &columns)?;
        for (number, tree) in forest.trees().iter().enumerate() {
            self.tree_of_forest(number + 1, tree, query)?;
        }
        self.mean(forest, query)
    }

    /// Keys and tested columns.
    fn with_values(self) -> Columns {
        let mut columns = self.with_keys();
        self.model.tested_features().into_iter().for_each(|f| columns.carry(&input_name(f)));
        columns
    }

    /// Keys, tested columns and what the trees so far have said.
    fn with_sums(self) -> Columns {
        let mut columns = self.with_values();
        self.classes().for_each(|class| columns.carry(&sum_name(class)));
        self.classes().for_each(|class| columns.carry(&vote_name(class)));
        columns.carry(UNSURE_TREES);
        columns
    }

    fn tree_of_forest(self, number: usize, tree: &Tree, query: &mut Query) -> Result<()> {
        let splits: Vec<(NodeId, &Split)> =
            tree.ids().filter_map(|id| Some((id, tree.node(id).as_split()?))).collect();
        let mut columns = self.with_sums();
        for (node, split) in &splits {
            for about in ABOUT {
                columns.add(&about.name(*node), &self.about(&split.test, about));
            }
        }
        columns.add(&part_name(NodeId::ROOT), &self.number(1.0));
        columns.add(UNSURE, "0");
        query.step(&format!("tree_{number}"), &columns)?;
        let depths = tree.depths();
        for level in 0..tree.depth() {
            let mut columns = self.with_sums();
            for (node, _) in splits.iter().filter(|(node, _)| depths[node.index()] as usize > level)
            {
                ABOUT.iter().for_each(|about| columns.carry(&about.name(*node)));
            }
            let above =
                |id: &NodeId| tree.node(*id).is_leaf() && depths[id.index()] as usize <= level;
            tree.ids().filter(above).for_each(|leaf| columns.carry(&part_name(leaf)));
            let here: Vec<_> =
                splits.iter().filter(|(node, _)| depths[node.index()] as usize == level).collect();
            for (node, split) in &here {
                let (part, left) = (part_name(*node), self.left_part(*node));
                columns.add(&part_name(split.left), &left);
                columns.add(&part_name(split.right), &format!("{part} - {left}"));
            }
            let unsure: Vec<String> = here.iter().map(|(node, _)| self.is_unsure(*node)).collect();
            let unsure = unsure.join(" OR ");
            columns.add(UNSURE, &format!("CASE WHEN {UNSURE} = 1 OR {unsure} THEN 1 ELSE 0 END"));
            query.step(&format!("tree_{number}_level_{}", level + 1), &columns)?;
        }
        self.add_tree(number, tree, query)
    }

    /// What goes left of the part that arrives.
    fn left_part(self, node: NodeId) -> String {
        let part = part_name(node);
        match self.model.routing() {
            Routing::Crisp => format!("{part} * {}", left_name(node)),
            _ => format!("{part} * {}", self.divided_share(&part, node)),
        }
    }

    fn is_unsure(self, node: NodeId) -> String {
        let (part, side) = (part_name(node), side_name(node));
        let unsure = match self.model.routing() {
            Routing::Crisp => format!("{side} >= {MISSING}"),
            _ => format!("({side} >= {MISSING} OR {side} = {WITHIN})"),
        };
        format!("({part} > {} AND {unsure})", self.number(0.0))
    }

    /// Adds what the tree says to the sums.
    fn add_tree(self, number: usize, tree: &Tree, query: &mut Query) -> Result<()> {
        let mut columns = self.with_values();
        let leaves: Vec<NodeId> = tree.ids().filter(|id| *tree.node(*id) == Node::Leaf).collect();
        for class in self.classes() {
            let term = |leaf: &NodeId| {
                let p = tree.values(*leaf)[class];
                format!(" + {} * {}", part_name(*leaf), self.number(p))
            };
            let terms: String = leaves.iter().map(term).collect();
            let terms = terms.trim_start_matches(" + ");
            columns.add(&sum_name(class), &format!("{} + ({terms})", sum_name(class)));
        }
        for class in self.classes() {
            let of_class =
                leaves.iter().filter(|leaf| tree.majority_class(**leaf) as usize == class);
            let arrives = |leaf: &NodeId| format!("{} > {}", part_name(*leaf), self.number(0.0));
            let reached: Vec<String> = of_class.map(arrives).collect();
            let vote = vote_name(class);
            match reached.join(" OR ") {
                none if none.is_empty() => columns.carry(&vote),
                any => columns.add(
                    &vote,
                    &format!("{vote} + CASE WHEN {UNSURE} = 0 AND ({any}) THEN 1 ELSE 0 END"),
                ),
            }
        }
        columns.add(UNSURE_TREES, &format!("{UNSURE_TREES} + {UNSURE}"));
        query.step(&format!("sums_{number}"), &columns)
    }

    /// The mean of all trees, sharpened by the exponent; by zones also the verdict of the majority.
    fn mean(self, forest: &Ensemble, query: &mut Query) -> Result<()> {
        let n_trees = forest.trees().len();
        let mut columns = self.with_keys();
        for class in self.classes() {
            let sum = sum_name(class);
            columns.add(&sum, &format!("{sum} / {}", self.number(n_trees as f64)));
        }
        self.classes().for_each(|class| columns.carry(&vote_name(class)));
        columns.carry(UNSURE_TREES);
        query.step("mean", &columns)?;

        let mut columns = self.with_keys();
        self.classes().for_each(|class| columns.carry(&sum_name(class)));
        columns.carry(UNSURE_TREES);
        columns.add("first", &self.first_best(sum_name, ">="));
        self.classes().for_each(|class| columns.carry(&vote_name(class)));
        query.step("majority", &columns)?;

        let by_zones = self.model.verdict().is_by_zones();
        let majority = |class: usize| {
            format!(" WHEN first = {class} AND 2 * {} > {n_trees} THEN 0", vote_name(class))
        };
        let doubt = if by_zones {
            let cases: String = self.classes().map(majority).collect();
            format!("CASE{cases} ELSE {UNSURE_TREES} + 1 END")
        } else {
            UNSURE_TREES.to_owned()
        };
        let Some(sharpening) = forest.sharpening() else {
            let mut columns = self.with_keys();
            self.classes()
                .for_each(|class| columns.add(&probability_name(class), &sum_name(class)));
            columns.carry("first");
            columns.add(DOUBT, &doubt);
            return query.step("forest", &columns);
        };
        self.sharpen(sharpening, &doubt, query)
    }

    fn sharpen(self, sharpening: Sharpening, doubt: &str, query: &mut Query) -> Result<()> {
        let Smoothed { kept, spread } = sharpening.smoothed(self.classes().len());
        let smoothed = |class: usize| {
            format!("({} * {} + {})", self.number(kept), sum_name(class), self.number(spread))
        };
        // The class with the largest sum has the largest smoothed one.
        let largest = self.classes().map(|class| format!(" WHEN {class} THEN {}", smoothed(class)));
        let mut columns = self.with_keys();
        self.classes().for_each(|class| columns.carry(&sum_name(class)));
        columns.add("largest", &format!("CASE first{} END", largest.collect::<String>()));
        columns.carry("first");
        columns.add(DOUBT, doubt);
        query.step("largest", &columns)?;

        let mut columns = self.with_keys();
        for class in self.classes() {
            let ratio = format!("{} / largest", smoothed(class));
            columns.add(
                &sum_name(class),
                &format!("POWER({ratio}, {})", self.number(sharpening.exponent)),
            );
        }
        columns.carry("first");
        columns.carry(DOUBT);
        query.step("powers", &columns)?;

        let total: Vec<String> = self.classes().map(sum_name).collect();
        let total = total.join(" + ");
        let mut columns = self.with_keys();
        for class in self.classes() {
            columns.add(&probability_name(class), &format!("{} / ({total})", sum_name(class)));
        }
        columns.carry("first");
        columns.carry(DOUBT);
        query.step("forest", &columns)
    }

    /// "37 of 100 trees are undecided".
    pub(super) fn forest_in_words(self) -> String {
        let n_trees = self.model.trees().len();
        let by_zones = self.model.verdict().is_by_zones();
        let count = if by_zones { format!("{DOUBT} - 1") } else { DOUBT.to_owned() };
        format!(
            "{} || ' of {n_trees} trees are undecided'",
            self.options.dialect.whole_as_text(&count)
        )
    }
}
