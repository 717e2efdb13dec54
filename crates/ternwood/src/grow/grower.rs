//! The entry point: picks the binned or the sorted split search.

use super::classes::{ClassTraining, Classes};
use super::evidence::EvidenceRules;
use super::grown::GrownTree;
use super::node_loop::binned_growth::OnBins;
use super::node_loop::ranked_growth::OnRanks;
use super::node_loop::rules::{GrowRules, NodeZones};
use super::node_loop::sorted_growth::Block;
use super::nodes::GrownNode;
use super::prepared::Prepared;
use super::search::Ties;
use super::search::binned::{BinnedColumns, Tuning};
use super::search::sorted::SortedTarget;
use super::stream::{NodeKey, Purpose};
use super::target::Target;
use super::training::Training;
use super::zones::ClassZones;
use crate::dataset::{Bag, DatasetView};
use crate::error::Result;
use crate::exec::Exec;
use crate::recipe::{CheckedParams, MissingValues, Routing};
use crate::tree::Tree;
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
    training: ClassTraining<'a>,
    prepared: Arc<Prepared>,
    params: &'a CheckedParams,
    search: Search,
    /// The tree's number in a forest.
    tree: Option<u32>,
    prefers_ranks: bool,
    /// Where the tree begins, if its rows are a part of a larger training set.
    part: Option<PartOf<Classes>>,
}

/// A node of a tree whose rows are a part of the training set.
#[derive(Debug)]
pub(crate) struct PartOf<T: Target> {
    /// The tally of the whole training set.
    pub(crate) whole: T::Tally,
    pub(crate) depth: u32,
    pub(crate) key: NodeKey,
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
        let training = ClassTraining::of(data.clone(), params)?;
        training.check(&data, params)?;
        Ok(Self::of_prepared(training, Arc::default(), params))
    }

    /// Grows from a training set that has been [checked](ClassTraining::check), and of which something may be
    /// prepared. Criterion and class weights are those of the training set.
    pub(crate) fn of_prepared(
        training: ClassTraining<'a>,
        prepared: Arc<Prepared>,
        params: &'a CheckedParams,
    ) -> Self {
        let (search, tree) = (Search::default(), None);
        Self { training, prepared, params, search, tree, prefers_ranks: false, part: None }
    }

    /// Grows the subtree of a node from all rows that reach it.
    pub(crate) fn of_part(
        training: ClassTraining<'a>,
        params: &'a CheckedParams,
        part: PartOf<Classes>,
    ) -> Self {
        Self { part: Some(part), ..Self::of_prepared(training, Arc::default(), params) }
    }

    /// The same grower, which grows on ranks: for many trees.
    ///
    /// # Errors
    /// Only if cancelled.
    pub(crate) fn with_ranks(mut self, exec: &Exec) -> Result<Self> {
        self.prepared.ranks(&self.training, exec)?;
        self.prefers_ranks = true;
        Ok(self)
    }

    /// A grower of tree number `tree` of a forest, from a bag of the rows: streams of random numbers are its
    /// own, and ties fall at random.
    pub(crate) fn of_forest(&self, tree: u32, bag: &Bag) -> Self {
        let training = self.training.in_bag(bag, self.params);
        let Self { params, search, prefers_ranks, .. } = *self;
        let prepared = Arc::clone(&self.prepared);
        Self { training, prepared, params, search, tree: Some(tree), prefers_ranks, part: None }
    }

    /// What is grown from.
    pub(crate) fn training(&self) -> &ClassTraining<'a> {
        &self.training
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
        let Self { training, prepared, params, search, tree, prefers_ranks, part } = self;
        let coins = tree.map(|tree| coins(training.n_features(), params.seed, tree));
        let root = training.tally(training.rows());
        let part = part.unwrap_or_else(|| PartOf {
            whole: root.clone(),
            depth: 0,
            key: tree.map_or_else(NodeKey::root, NodeKey::root_of_tree),
        });
        let rules = EvidenceRules::of_whole(&part.whole, &training, params);
        let zones = ClassZones { zone: &params.zone, rules, exec };
        let zones: Option<&dyn NodeZones<Classes>> = if three_child { Some(&zones) } else { None };
        let ties = coins.as_deref().map_or(Ties::Lowest, Ties::Random);
        let growth = TreeGrowth { training: &training, prepared: &prepared, params, search, exec };
        let Grown { nodes, rows, bins } = growth.grow(root, part, zones, ties, prefers_ranks)?;
        Ok(GrownTree { nodes, rows, training, bins, params, rules, exec: exec.clone() })
    }
}

impl ClassTraining<'_> {
    /// Checks what depends on data and parameters.
    ///
    /// # Errors
    /// Specified half-widths of the wrong length, or a row that counts with an unknown category, or with a
    /// missing value where that is an error.
    pub(crate) fn check(&self, data: &DatasetView<'_>, params: &CheckedParams) -> Result<()> {
        params.zone.check_features(data.n_features())?;
        data.matrix().check_categories(data.schema(), self.rows())?;
        match params.missing {
            MissingValues::Error => data.check_complete(self.rows()),
            MissingValues::Learn | MissingValues::Unknown => Ok(()),
        }
    }
}

/// A tree of any target to be grown.
pub(super) struct TreeGrowth<'g, T: Target> {
    pub(super) training: &'g Training<'g, T>,
    pub(super) prepared: &'g Prepared,
    pub(super) params: &'g CheckedParams,
    pub(super) search: Search,
    pub(super) exec: &'g Exec,
}

/// A grown tree of any target.
#[derive(Debug)]
pub(super) struct Grown<T: Target> {
    /// In growth order: the root first, children after their parents.
    pub(super) nodes: Vec<GrownNode<T>>,
    /// Ordered so that the rows of every node are contiguous.
    pub(super) rows: Vec<u32>,
    /// The bins, if the tree was grown on bins.
    pub(super) bins: Option<Arc<BinnedColumns>>,
}

impl<T: SortedTarget> TreeGrowth<'_, T> {
    /// Grows the tree of all rows of the training set, whose tally is `root` and which are those of the node
    /// `part`. With `zones`, splits have three children.
    pub(super) fn grow(
        self,
        root: T::Tally,
        part: PartOf<T>,
        zones: Option<&dyn NodeZones<T>>,
        ties: Ties<'_>,
        prefers_ranks: bool,
    ) -> Result<Grown<T>> {
        let Self { training, prepared, params, search, exec } = self;
        let PartOf { whole, depth, key } = part;
        let rules = &GrowRules::new(training, &whole, params, zones, exec).with_ties(ties);
        let mut rows = training.rows().to_vec();
        let root = rules.node(0..rows.len(), root, depth, key);
        let tuning = match search {
            Search::Fast => Some(Tuning::default()),
            Search::Sorted => None,
            Search::BinsOnly(max_bins) => Some(Tuning::always(max_bins)),
        };
        let tuning = tuning.filter(|&tuning| !prefers_ranks && rules.suit_bins(tuning));
        let mut bins = None;
        let nodes = if let Some(tuning) = tuning {
            let columns = prepared.bins(training, tuning, exec)?;
            let bins = bins.insert(columns);
            OnBins { rules, bins, exec, rows: &mut rows, root }.grow()?
        } else if search == Search::Sorted || !rules.suit_ranks() {
            Block { rules, bins: None, exec }.grow(&mut rows, root)?
        } else {
            let columns = prepared.ranks(training, exec)?;
            OnRanks { rules, columns: &columns, rows: &mut rows, root }.grow()?
        };
        // If cancelled during the last split, its zone may be wrong.
        exec.check()?;
        Ok(Grown { nodes, rows, bins })
    }
}

/// For each feature, whether of equal thresholds the highest wins, in one tree of a forest.
fn coins(n_features: usize, seed: u64, tree: u32) -> Vec<bool> {
    let mut stream = NodeKey::root_of_tree(tree).stream(seed, Purpose::Ties);
    (0..n_features).map(|_| stream.below(2) == 1).collect()
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
