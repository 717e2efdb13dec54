//! What a tree learns to predict, as far as growing must know it.
//!
//! A set of rows is known by the *sums* of its targets: a few numbers ([`Target::Sum`]) that add up exactly, so
//! that no result depends on the order of rows. A [`Measure`] ranks the splits of a node by the sums on the left,
//! and bounds what any split inside a bin can reach. Everything else in `grow/` is the same for all targets.
//!
//! The *group* of a row is what zone estimators tell apart: its class, where there are classes.

use crate::dataset::RowWeights;
use crate::recipe::CheckedParams;
use crate::tree::Axis;
use std::fmt::Debug;
use std::ops::{AddAssign, SubAssign};

/// A kind of target.
pub(crate) trait Target: Debug + Copy + Send + Sync + Sized + 'static {
    /// The targets of the rows of a training set, and what their sums are measured by.
    type Column: Debug + Clone + Send + Sync;
    /// What one row adds to the sums.
    type Row: Copy + Debug + Send + Sync;
    /// An exact sum over rows.
    type Sum: Copy + Default + PartialEq + Debug + Send + Sync + AddAssign + SubAssign;
    /// All that is known of the rows of a node.
    type Tally: Tally<Self>;
    /// What the splits of nodes are ranked by.
    type Measure: Measure<Self>;

    /// What the splits of nodes are ranked by.
    fn measure(column: &Self::Column) -> &Self::Measure;

    /// The targets of some rows, renumbered.
    fn select(column: &Self::Column, rows: &[u32]) -> Self::Column;

    /// The same targets of rows with other weights: with `bag`, those of a bag of rows.
    fn reweighted(
        column: &Self::Column,
        weights: &RowWeights,
        bag: Option<&CheckedParams>,
    ) -> Self::Column;

    /// The group of a row.
    fn group(column: &Self::Column, row: u32) -> u32;

    /// The factor on the sample weights of each group.
    fn group_factors(column: &Self::Column) -> &[f64];

    /// What a row adds to sums.
    fn row(column: &Self::Column, weights: &RowWeights, row: u32) -> Self::Row;

    /// The tally of some rows, given by what each adds to sums.
    fn tally(column: &Self::Column, rows: impl Iterator<Item = Self::Row>) -> Self::Tally;

    /// Calls `f` with the cells that suit weights.
    fn with_cells<F: WithCells<Self>>(weights: &RowWeights, f: F) -> F::Output;

    /// Calls `f` with the best way to keep the sums left of an edge.
    fn with_left<F: WithLeft<Self>>(measure: &Self::Measure, f: F) -> F::Output;

    /// The axes on which categories with these sums become numbers, in the order in which they win ties.
    fn axes(measure: &Self::Measure, categories: &[&[Self::Sum]]) -> Vec<Axis>;

    /// The position of a category on an axis.
    fn position(measure: &Self::Measure, axis: &Axis, sums: &[Self::Sum]) -> f64;

    /// The standard error of a category's position. `node` are the sums of all categories.
    fn standard_error(
        measure: &Self::Measure,
        axis: &Axis,
        sums: &[Self::Sum],
        node: &[Self::Sum],
    ) -> f64;
}

/// All that is known of the rows of a node.
pub(crate) trait Tally<T: Target>: Clone + Debug + Send + Sync {
    /// The number of rows.
    fn n_rows(&self) -> usize;

    /// The sums that splits are measured by.
    fn sums(&self) -> &[T::Sum];

    /// The number of rows of each group.
    fn group_rows(&self) -> &[u32];

    /// True if all targets are the same, so that no split can gain.
    fn is_pure(&self) -> bool;

    /// The tally without a subset of its rows. Exact, like the sums.
    #[must_use]
    fn without(&self, others: &Self) -> Self;

    /// The weight of the rows and their impurity.
    fn weight_and_impurity(&self, column: &T::Column) -> [f64; 2];
}

/// What the splits of nodes are ranked by: a *purity*, which is quick, and the gain.
///
/// Purity differs from gain by a factor and a constant of the node, up to rounding.
pub(crate) trait Measure<T: Target>: Debug + Clone + Send + Sync {
    /// Computes the gains of the splits of one node.
    type Scorer<'n>: Scorer<T>
    where
        Self: 'n;

    /// The number of sums of a set of rows.
    fn width(&self) -> usize;

    /// Adds a row to sums.
    fn add(&self, sums: &mut [T::Sum], row: T::Row);

    /// The weight of rows with these sums.
    fn weight(&self, sums: &[T::Sum]) -> f64;

    /// The sample weight of rows with these sums.
    fn sample_weight(&self, sums: &[T::Sum]) -> f64;

    /// The impurity of some or all rows of a node.
    fn impurity(&self, sums: &[T::Sum], node: &T::Tally) -> f64;

    /// The shortfall from the best purity beyond which a split of a node cannot win.
    fn tolerance(&self, node: &[T::Sum]) -> f64;

    /// The purity of the split that sends `left` of a node's `total` sums to the left.
    fn purity(&self, left: &[T::Sum], total: &[T::Sum]) -> f64;

    /// An upper bound of the purity of every split that sends `left` and any part of `extra` to the left, but
    /// for all of it or nothing.
    fn bound(&self, left: &[T::Sum], extra: &[T::Sum], total: &[T::Sum]) -> f64;

    /// A scorer for the splits of a node.
    fn scorer<'n>(&'n self, node: &'n [T::Sum]) -> Self::Scorer<'n>;
}

/// Computes the gains of the splits of one node.
pub(crate) trait Scorer<T: Target> {
    /// The gain of the split that sends rows with these sums to the left: the defined expression to the last
    /// bit.
    fn score(&mut self, left: &[T::Sum]) -> Score;
}

/// The gain of a split, and the weight of each side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Score {
    pub(crate) gain: f64,
    pub(crate) left_weight: f64,
    pub(crate) right_weight: f64,
}

/// What histograms add up: of every bin as many cells as there are sums.
pub(crate) trait Cell:
    Copy + Default + PartialEq + Send + Sync + AddAssign + SubAssign + Debug
{
    type Target: Target;

    /// What cells of single rows are made of.
    type Rows<'a>: Copy + Send + Sync;

    /// The target of one row, in few bytes.
    type OfRow: Copy + Default + Send + Sync + Debug;

    /// The targets of a training set.
    fn rows<'a>(
        column: &'a <Self::Target as Target>::Column,
        weights: &'a RowWeights,
    ) -> Self::Rows<'a>;

    fn of_row(rows: Self::Rows<'_>, row: u32) -> Self::OfRow;

    /// What a row adds to sums.
    fn row(of_row: Self::OfRow) -> <Self::Target as Target>::Row;

    /// The group of a row, and its sample weight as a multiple of `unit`.
    fn weighed(of_row: Self::OfRow, unit: f64) -> (u32, u64);

    /// Adds a row to bin `bin` of a histogram with `width` cells per bin.
    fn count(histogram: &mut [Self], bin: usize, width: usize, of_row: Self::OfRow);

    /// The number of rows; of all cells of a bin, the sum is the number of rows in the bin.
    fn n_rows(self) -> u32;

    fn sum(self) -> <Self::Target as Target>::Sum;
}

/// The sums left of an edge, updated bin by bin or row by row, and a cheap test whether a split there could win.
pub(crate) trait Left<T: Target>: Sized {
    /// The sums left of an edge, as far as the test needs them.
    type Edge: Copy + Debug;
    type Sums: AsRef<[T::Sum]> + AsMut<[T::Sum]> + Clone;

    /// Left of the first bin of a node: nothing.
    fn first(measure: &T::Measure, node: &[T::Sum]) -> Self;

    /// Left of a known edge.
    fn resumed(measure: &T::Measure, node: &[T::Sum], edge: Self::Edge, sums: Self::Sums) -> Self;

    /// Moves past a row.
    fn add_row(&mut self, row: T::Row);

    /// Moves past a bin. Returns its number of rows.
    fn add<C: Cell<Target = T>>(&mut self, bin: &[C]) -> usize;

    fn edge(&self) -> Self::Edge;

    fn edge_rows(edge: Self::Edge) -> usize;

    fn sums(&self) -> &Self::Sums;

    /// False only if a split here has a purity below `floor`.
    fn may_reach(&self, floor: f64) -> bool;

    /// False only if every split between the edges of a bin with these sums has a purity below `floor`.
    fn may_reach_inside<X: Copy>(
        &self,
        edges: [Self::Edge; 2],
        bin: &[X],
        sum: impl Fn(X) -> T::Sum,
        floor: f64,
    ) -> bool;
}

/// Something to do with cells of any kind.
pub(crate) trait WithCells<T: Target> {
    type Output;
    fn call<C: Cell<Target = T>>(self) -> Self::Output;
}

/// Something to do with the sums left of edges, however they are kept.
pub(crate) trait WithLeft<T: Target> {
    type Output;
    fn call<L: Left<T>>(self) -> Self::Output;
}
