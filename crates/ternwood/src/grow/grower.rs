//! The entry point: picks the binned or the sorted split search.

use super::bag::Bag;
use super::grown::GrownTree;
use super::node_loop::binned_growth::Branch;
use super::node_loop::ranked_growth::OnRanks;
use super::node_loop::rules::GrowRules;
use super::node_loop::sorted_growth::Block;
use super::search::binned::{BinnedColumns, Tuning};
use super::search::ranked::RankedColumns;
use super::search::{RealCell, Ties, WholeCell};
use super::stream::{NodeKey, Purpose};
use super::training::{RowSubset, Tally, Training};
use crate::dataset::{DatasetView, RowWeights};
use crate::error::Result;
use crate::exec::Exec;
use crate::recipe::{CheckedParams, MissingValues, Routing};
use crate::tree::Tree;
use std::marker::PhantomData;
use std::sync::Arc;

/// Grows trees from one data set.
///
/// ```
/// use ternwood::grow::Grower;
/// use ternwood::{Columns, Dataset, Exec, Labels, TreeParams, ZoneKind};
///
/// let columns = Columns::from_columns((0..8).map(f64::from).collect(), 1)?;
/// let data = Dataset::new(columns, Labels::from_values([0, 0, 0, 1, 0, 1, 1, 1]))?;
/// let params = TreeParams { max_depth: Some(1), ..TreeParams::default() }.check()?;
///
/// // Grow once, then try several kinds of zone.
/// let grown = Grower::new(&data, &params)?.grow_two_child(&Exec::default())?;
/// let margin = grown.with_zones(&ZoneKind::Margin.into())?;
/// let plateau = grown.with_zones(&ZoneKind::quality_plateau().into())?;
/// assert_eq!(margin.n_nodes(), plateau.n_nodes());
/// # Ok::<(), ternwood::Error>(())
/// ```
#[derive(Debug)]
pub struct Grower<'a> {
    training: Training<'a>,
    params: &'a CheckedParams,
    search: Search,
    /// The tree's number in a forest.
    tree: Option<u32>,
    /// The ranks of all values, shared by the trees of a forest.
    ranks: Option<Arc<RankedColumns>>,
    /// Where the tree begins, if its rows are a part of a larger training set.
    part: Option<PartOf>,
}

/// A node of a tree whose rows are a part of the training set.
#[derive(Debug)]
pub(in crate::grow) struct PartOf {
    /// The tally of the whole training set.
    pub(in crate::grow) whole: Tally,
    pub(in crate::grow) depth: u32,
    pub(in crate::grow) key: NodeKey,
}

/// The split search. Every variant grows the same tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// Branch and bound on bins while nodes are large, then sorted columns.
    #[default]
    Fast,
    /// Sorted columns from the start: simpler, but slower on many rows. The reference for `Fast`.
    Sorted,
    /// Bins for every node, at most this many per column. For tests: runs small trees through the
    /// code that `Fast` uses for large nodes.
    #[doc(hidden)]
    BinsOnly(usize),
}

impl<'a> Grower<'a> {
    /// Prepares `data` for growing with `params`.
    ///
    /// # Errors
    /// Class weights or specified half-widths of the wrong length, no row with a positive weight,
    /// or such a row with an unknown category, or with a missing value where that is an error.
    pub fn new(data: impl Into<DatasetView<'a>>, params: &'a CheckedParams) -> Result<Self> {
        let data = data.into();
        params.zone.check_features(data.n_features())?;
        let training = Training::new(data.clone(), params)?;
        data.matrix().check_categories(data.schema(), training.rows())?;
        if params.missing == MissingValues::Error {
            data.check_complete(training.rows())?;
        }
        Ok(Self::of(training, params, None))
    }

    /// Grows the subtree of a node from all rows that reach it.
    pub(in crate::grow) fn of_part(
        training: Training<'a>,
        params: &'a CheckedParams,
        part: PartOf,
    ) -> Self {
        Self::of(training, params, Some(part))
    }

    fn of(training: Training<'a>, params: &'a CheckedParams, part: Option<PartOf>) -> Self {
        Self { training, params, search: Search::default(), tree: None, ranks: None, part }
    }

    /// Grows from a subset of the rows. Balanced class weights still come from all rows.
    ///
    /// # Errors
    /// No row of the subset has a positive weight.
    pub(crate) fn on_rows(mut self, subset: &RowSubset) -> Result<Self> {
        self.training = self.training.restricted_to(subset)?;
        Ok(self)
    }

    /// The same grower, which knows the ranks of all values: for many trees.
    ///
    /// # Errors
    /// Only if cancelled.
    pub(crate) fn with_ranks(mut self, exec: &Exec) -> Result<Self> {
        self.ranks = Some(Arc::new(RankedColumns::new(&self.training, exec)?));
        Ok(self)
    }

    /// A grower of tree number `tree` of a forest, from a bag of the rows: streams of random numbers are its
    /// own, and ties fall at random.
    pub(crate) fn of_forest(&self, tree: u32, bag: &Bag) -> Self {
        let training = self.training.in_bag(bag, &self.params.class_weight);
        let Self { params, search, ref ranks, .. } = *self;
        Self { training, params, search, tree: Some(tree), ranks: ranks.clone(), part: None }
    }

    /// The rows that count, ascending.
    pub(crate) fn rows(&self) -> &[u32] {
        self.training.rows()
    }

    /// Sets the split search. The tree does not depend on it.
    #[must_use]
    pub fn search(mut self, search: Search) -> Self {
        self.search = search;
        self
    }

    /// Grows a tree with the zones of the parameters, with two or three children per split as
    /// `routing` needs, and finds the digits with which people are to see its tests.
    ///
    /// # Errors
    /// Zones that need predictions (`cost_optimal`), or cancelled.
    pub fn grow(self, routing: Routing, exec: &Exec) -> Result<Tree> {
        let zone = &self.params.zone;
        zone.check_growing()?;
        let three_child = routing.needs_three_children();
        let grown = self.grow_nodes(three_child, exec)?;
        let tree = if three_child { grown.tree() } else { grown.with_zones(zone)? };
        grown.with_digits(tree)
    }

    /// Grows a plain CART tree. Add zones with [`GrownTree::with_zones`].
    ///
    /// # Errors
    /// Only if cancelled.
    pub fn grow_two_child(self, exec: &Exec) -> Result<GrownTree<'a>> {
        self.grow_nodes(false, exec)
    }

    /// Grows a tree in which the rows within a zone train a middle subtree.
    ///
    /// # Errors
    /// Zones that need predictions (`cost_optimal`), or cancelled.
    pub fn grow_three_child(self, exec: &Exec) -> Result<Tree> {
        self.params.zone.check_growing()?;
        Ok(self.grow_nodes(true, exec)?.tree())
    }

    fn grow_nodes(self, three_child: bool, exec: &Exec) -> Result<GrownTree<'a>> {
        let Self { training, params, search, tree, ranks, part } = self;
        let mut rows = training.rows().to_vec();
        let tally = training.tally(&rows);
        let PartOf { whole, depth, key } = part.unwrap_or_else(|| PartOf {
            whole: tally.clone(),
            depth: 0,
            key: tree.map_or_else(NodeKey::root, NodeKey::root_of_tree),
        });
        let coins = tree.map(|tree| coins(training.n_features(), params.seed, tree));
        let ties = coins.as_deref().map_or(Ties::Lowest, Ties::Random);
        let rules = GrowRules::new(&training, &whole, params, three_child, exec).with_ties(ties);
        let evidence = rules.evidence;
        let root = rules.node(0..rows.len(), tally, depth, key);
        let tuning = match search {
            Search::Fast => Some(Tuning::default()),
            Search::Sorted => None,
            Search::BinsOnly(max_bins) => Some(Tuning::always(max_bins)),
        };
        // Where ranks are known, nothing is gained by bins.
        let tuning = tuning.filter(|&tuning| ranks.is_none() && rules.suit_bins(tuning));
        let bins = tuning.map(|tuning| BinnedColumns::new(&training, tuning, exec)).transpose()?;
        let ranks = match ranks {
            _ if bins.is_some() || search == Search::Sorted || !rules.suit_ranks() => None,
            Some(ranks) => Some(ranks),
            None => Some(Arc::new(RankedColumns::new(&training, exec)?)),
        };
        let nodes = match (&bins, &ranks) {
            (_, Some(columns)) => OnRanks { rules: &rules, columns }.grow_all(&mut rows, root)?,
            (Some(bins), None) => match training.weights() {
                RowWeights::Unit => branch::<u32>(&rules, bins, exec).grow_all(&mut rows, root)?,
                RowWeights::Whole(_) => {
                    branch::<WholeCell>(&rules, bins, exec).grow_all(&mut rows, root)?
                }
                RowWeights::Given { .. } => {
                    branch::<RealCell>(&rules, bins, exec).grow_all(&mut rows, root)?
                }
            },
            (None, None) => Block { rules: &rules, bins: None, exec }.grow(&mut rows, root)?,
        };
        // If cancelled during the last split, its zone may be wrong.
        exec.check()?;
        Ok(GrownTree { nodes, rows, training, bins, params, rules: evidence, exec: exec.clone() })
    }
}

/// For each feature, whether of equal thresholds the highest wins, in one tree of a forest.
fn coins(n_features: usize, seed: u64, tree: u32) -> Vec<bool> {
    let mut stream = NodeKey::root_of_tree(tree).stream(seed, Purpose::Ties);
    (0..n_features).map(|_| stream.below(2) == 1).collect()
}

fn branch<'a, T>(
    rules: &'a GrowRules<'a>,
    bins: &'a BinnedColumns,
    exec: &'a Exec,
) -> Branch<'a, T> {
    Branch { rules, bins, exec, cells: PhantomData }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;
    use crate::dataset::{Columns, Dataset, Feature, Labels, Schema};
    use crate::exec::CancelToken;
    use crate::recipe::TreeParams;

    /// Rows of 30 columns with 12 categories each, and 25 classes: one node takes hundreds of passes.
    fn many_passes() -> Dataset {
        const ROWS: usize = 600;
        let code =
            |row: usize, column: usize| ((row * 7919 + row * row * (column + 3)) % 12) as f64;
        let columns = (0..30).flat_map(|column| (0..ROWS).map(move |row| code(row, column)));
        let labels = Labels::from_values((0..ROWS).map(|row| (row * row % 101 % 25) as i64));
        let names: Vec<String> = (0..12).map(|id| format!("c{id}")).collect();
        let features = (0..30).map(|at| Feature::categories(format!("x{at}"), names.clone()));
        let (ids, classes) = labels.into_parts();
        let schema = Schema::new(features.collect(), classes).unwrap();
        let columns = Columns::from_columns(columns.collect(), 30).unwrap();
        Dataset::with_schema(columns, ids, schema).unwrap()
    }

    #[test]
    fn the_search_of_a_single_node_can_be_cancelled() {
        let data = many_passes();
        let params = TreeParams { max_depth: Some(1), ..TreeParams::default() };
        let params = params.with_zone(crate::recipe::ZoneKind::None).check().unwrap();
        for search in [Search::Sorted, Search::BinsOnly(16)] {
            // Outside of the search of its only node, a fit asks less than 30 times.
            let token = CancelToken::when_asked(100);
            let exec = Exec::default().cancelled_by(&token);
            let grown = Grower::new(&data, &params).unwrap().search(search).grow_two_child(&exec);
            assert!(grown.is_err(), "{search:?}: the search went on to its end");
            assert!(token.times_asked() < 110, "{search:?}: asked {}", token.times_asked());
        }
    }
}
