//! Growing a tree: many rows by branch and bound on bins, then block by block on sorted columns.

use super::block::{Block, GrowRules};
use super::branch::Branch;
use super::grown::GrownTree;
use super::params::CheckedParams;
use super::split_search::binned::{BinnedColumns, MAX_BINS};
use super::stream::NodeKey;
use super::training::Training;
use crate::cancel::CancelToken;
use crate::dataset::DatasetView;
use crate::error::Result;
use crate::tree::Tree;
use crate::workers::Workers;

/// Grows trees from one data set: a [`Dataset`](crate::Dataset), or a view of one.
///
/// ```
/// use ternwood::{Columns, Dataset, Grower, Labels, TreeParams, ZoneKind};
///
/// let columns = Columns::from_columns((0..8).map(f64::from).collect(), 1)?;
/// let data = Dataset::new(columns, Labels::from_values([0, 0, 0, 1, 0, 1, 1, 1]))?;
/// let params = TreeParams { max_depth: Some(1), ..TreeParams::default() }.check()?;
///
/// // Grow once, then look at it through several kinds of zone.
/// let grown = Grower::new(&data, &params)?.grow_two_child()?;
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
    workers: Workers,
    cancel: CancelToken,
}

/// How best splits are found. The tree is the same either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// Branch and bound on bins while nodes are large, then sorted columns.
    #[default]
    Fast,
    /// Sorted columns from the start: simpler, and slower on many rows. What `Fast` is checked
    /// against.
    Sorted,
}

/// Smaller data sets fit a cache: sorting is quicker than binning first.
const SMALL: usize = 4096;

/// So many counts per feature are no burden, however few the rows are.
const MANY_COUNTS: usize = 1 << 14;

impl<'a> Grower<'a> {
    /// Makes `data` ready for growing with `params`.
    ///
    /// # Errors
    /// Parameters that do not fit the data: class weights or specified half-widths of the wrong
    /// length, or weights that leave no row.
    pub fn new(data: impl Into<DatasetView<'a>>, params: &'a CheckedParams) -> Result<Self> {
        let data = data.into();
        params.zone.check_features(data.n_features())?;
        let training = Training::new(data, params)?;
        let (workers, cancel) = (Workers::single(), CancelToken::new());
        Ok(Self { training, params, search: Search::default(), workers, cancel })
    }

    /// Spreads the work over `workers`. The tree does not depend on them.
    #[must_use]
    pub fn workers(mut self, workers: &Workers) -> Self {
        self.workers = workers.clone();
        self
    }

    /// Stops growing soon after `token` is cancelled.
    #[must_use]
    pub fn cancel_with(mut self, token: &CancelToken) -> Self {
        self.cancel = token.clone();
        self
    }

    /// Grows from some of the rows only, given in ascending order. Rows of weight 0 are dropped;
    /// balanced class weights stay those of all rows.
    ///
    /// # Errors
    /// None of the rows has a weight.
    pub(crate) fn on_rows(mut self, rows: &[u32]) -> Result<Self> {
        self.training = self.training.restricted_to(rows)?;
        Ok(self)
    }

    /// Finds splits in another way. The tree does not depend on it.
    #[must_use]
    pub fn search(mut self, search: Search) -> Self {
        self.search = search;
        self
    }

    /// Grows a plain CART tree. Zones play no part in its growth: ask the result for them.
    ///
    /// # Errors
    /// Only if cancelled.
    pub fn grow_two_child(self) -> Result<GrownTree<'a>> {
        self.grow(false)
    }

    /// Grows a tree in which the rows within a zone train a middle subtree of their own.
    ///
    /// # Errors
    /// Zones that need predictions (`cost_optimal`), or cancelled.
    pub fn grow_three_child(self) -> Result<Tree> {
        self.params.zone.check_growing()?;
        Ok(self.grow(true)?.tree())
    }

    fn grow(self, three_child: bool) -> Result<GrownTree<'a>> {
        let Self { training, params, search, workers, cancel } = self;
        let mut rows = training.rows().to_vec();
        let rules = GrowRules::new(&training, params, three_child, &cancel);
        let rule_set = rules.evidence;
        let root = rules.node(0..rows.len(), training.tally(&rows), 0, NodeKey::root());
        let bins = match search {
            Search::Fast if rules.suits_bins() => {
                Some(BinnedColumns::new(&training, &workers, &cancel)?)
            }
            _ => None,
        };
        let nodes = match &bins {
            Some(bins) => Branch { rules: &rules, bins, workers: &workers, cancel: &cancel }
                .grow_all(&mut rows, root)?,
            None => Block { rules: &rules, bins: None, workers: &workers, cancel: &cancel }
                .grow(&mut rows, root)?,
        };
        // Cancelled during the last split, its zone may be of no use.
        cancel.check()?;
        Ok(GrownTree { nodes, rows, training, bins, params, rules: rule_set, workers, cancel })
    }
}

impl GrowRules<'_> {
    /// Whether the binned search can serve: it counts rows, looks at all features, and has a
    /// count per bin and class, which must not outgrow the data.
    fn suits_bins(&self) -> bool {
        let training = self.search.training;
        training.rows().len() > SMALL
            && MAX_BINS * training.n_classes() <= MANY_COUNTS.max(training.rows().len() / 2)
            && !training.has_weights()
            && self.search.max_features == training.n_features()
            && self.params.max_leaf_nodes.is_none()
    }
}
