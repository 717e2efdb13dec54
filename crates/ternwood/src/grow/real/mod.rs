//! Real targets: a split lowers the weighted squared error.
//!
//! Targets are taken from the middle of their range and rounded to a power-of-two grid on which their sums are
//! exact in 64 bits, so no result depends on the order of rows. With `s` the sum of the targets of rows that
//! weigh `w`, left (`l`) and right (`r`) of a split,
//!
//! ```text
//! gain   = w_l / w * (w_r / w) * (s_l / w_l - s_r / w_r)^2        (the decrease of the variance)
//! purity = s_l^2 / w_l + s_r^2 / w_r                              (gain = purity / w + const)
//! ```
//!
//! Purity is convex in (s_l, w_l). Rows inside a bin have targets of at most `m`, so those that go left, of
//! weight `w` and sum `s`, lie in the polygon `|s| <= m w`, `negative <= s <= positive`, and likewise for the
//! others. Its corners bound every split inside.

#[cfg(test)]
mod tests;

use super::search::candidate::Leader;
use super::search::sorted::{ColumnScan, SortedTarget};
use super::search::sorted_column::RankedRow;
use super::target::{Cell, Left, Measure, Score, Scorer, Tally, Target, WithCells, WithLeft};
use super::training::{Features, Training};
use crate::dataset::RowWeights;
use crate::error::{ErrorKind, Result};
use crate::recipe::CheckedParams;
use crate::tree::Axis;
use std::ops::{AddAssign, SubAssign};
use std::sync::Arc;

/// The target of regression.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Real {}

/// Real targets of rows.
#[derive(Debug, Clone)]
pub(crate) struct RealColumn {
    targets: Arc<[f64]>,
    rows: Arc<[RealRow]>,
    measure: SquaredError,
}

/// What a row adds to sums.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct RealRow {
    weight: f64,
    /// Weight times target, in units of the grid.
    product: i64,
    /// Weight times squared target, in units of its own grid.
    square: i64,
    /// The target alone, in units that are larger the more rows there are.
    target: i64,
}

/// The sums of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct RealSum {
    weight: f64,
    /// Of the rows whose target is below the middle of the range, and of the others.
    negative: i64,
    positive: i64,
    squares: i64,
}

/// How splits are ranked.
#[derive(Debug, Clone)]
pub(crate) struct SquaredError {
    /// The middle of the range of all targets, and half of it.
    middle: f64,
    reach: f64,
    /// The units of products and squares.
    unit: f64,
    square_unit: f64,
    /// No target is larger, in units of products.
    largest: f64,
}

/// All that is known of the rows of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RealTally {
    rows: [u32; 1],
    sums: [RealSum; 1],
    /// Sums of targets and of their squares, without weights: all targets are the same iff
    /// `rows * second = first^2`.
    first: i64,
    second: i128,
}

/// Purities closer than this fraction of their bound are tied until the gain decides.
const NEARLY_EQUAL: f64 = 1e-12;

/// The power of two that leaves the sum of `n` numbers of at most `largest` below 2^62 units.
fn grid(largest: f64, n: u64) -> f64 {
    let bits = |x: f64| x.log2().ceil() as i32;
    // Numbers far below any grid are 0 on a coarser one.
    if largest > 0.0 { 2f64.powi((bits(largest) + bits(n as f64) - 61).max(-1000)) } else { 1.0 }
}

impl RealSum {
    fn total(self) -> f64 {
        (self.negative + self.positive) as f64
    }

    fn mean(self) -> f64 {
        self.total() / self.weight
    }
}

impl AddAssign for RealSum {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.weight += other.weight;
        self.negative += other.negative;
        self.positive += other.positive;
        self.squares += other.squares;
    }
}

impl SubAssign for RealSum {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        self.weight -= other.weight;
        self.negative -= other.negative;
        self.positive -= other.positive;
        self.squares -= other.squares;
    }
}

impl From<RealRow> for RealSum {
    #[inline]
    fn from(row: RealRow) -> Self {
        let (negative, positive) = (row.product.min(0), row.product.max(0));
        Self { weight: row.weight, negative, positive, squares: row.square }
    }
}

impl RealColumn {
    fn new(targets: Arc<[f64]>, weights: &RowWeights) -> Self {
        let counted = || (0..targets.len()).filter(|&row| weights.of(row) > 0.0);
        let (low, high) = counted().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), row| {
            (low.min(targets[row]), high.max(targets[row]))
        });
        let middle = low / 2.0 + high / 2.0;
        let reach = (high - middle).max(middle - low).max(0.0);
        let n_rows = targets.len() as u64;
        // Whole weights are like copies, on the same grid.
        let (heaviest, total) = match weights {
            RowWeights::Unit => (1.0, n_rows),
            RowWeights::Whole(times) => (1.0, times.iter().copied().map(u64::from).sum()),
            RowWeights::Given { weights, .. } => {
                (weights.iter().copied().fold(0.0, f64::max), n_rows)
            }
        };
        let unit = grid(heaviest * reach, total);
        let square_unit = grid(heaviest * reach * reach, total);
        let target_unit = grid(reach, total);
        let row = |row: usize| {
            let weight = weights.of(row);
            if weight == 0.0 {
                return RealRow::default();
            }
            let offset = targets[row] - middle;
            let target = (offset / target_unit).round() as i64;
            let [product, square] = match weights {
                RowWeights::Given { .. } => [
                    (weight * offset / unit).round() as i64,
                    (weight * offset * offset / square_unit).round() as i64,
                ],
                _ => {
                    let times = weights.times(row) as i64;
                    let square = (offset * offset / square_unit).round() as i64;
                    [(offset / unit).round() as i64 * times, square * times]
                }
            };
            RealRow { weight, product, square, target }
        };
        let rows: Arc<[RealRow]> = (0..targets.len()).map(row).collect();
        let counted = || rows.iter().filter(|row| row.weight > 0.0);
        let largest = counted().map(|row| row.product.abs() as f64 / row.weight);
        let largest = largest.fold(0.0, f64::max).next_up();
        Self { targets, rows, measure: SquaredError { middle, reach, unit, square_unit, largest } }
    }
}

impl<'a> Training<'a, Real> {
    /// Rows with real targets. Those of weight 0 do not count.
    ///
    /// # Errors
    /// No row has a positive weight.
    pub(crate) fn of_reals(
        features: Features<'a>,
        targets: &[f64],
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        let weights = RowWeights::new(weights);
        let has_weight = |row: &u32| weights.of(*row as usize) > 0.0;
        let rows: Vec<u32> = (0..targets.len() as u32).filter(has_weight).collect();
        if rows.is_empty() {
            return Err(ErrorKind::WeightsAllZero { rows: targets.len() }.into());
        }
        let column = RealColumn::new(targets.into(), &weights);
        Ok(Self::new(features, column, Arc::new(weights), rows))
    }

    /// The mean target of the rows of a node.
    pub(crate) fn mean(&self, tally: &RealTally) -> f64 {
        let SquaredError { middle, unit, .. } = self.measure();
        middle + tally.sums[0].mean() * unit
    }
}

impl Target for Real {
    type Column = RealColumn;
    type Row = RealRow;
    type Sum = RealSum;
    type Tally = RealTally;
    type Measure = SquaredError;

    fn measure(column: &RealColumn) -> &SquaredError {
        &column.measure
    }

    fn select(column: &RealColumn, rows: &[u32]) -> RealColumn {
        RealColumn {
            targets: rows.iter().map(|&row| column.targets[row as usize]).collect(),
            rows: rows.iter().map(|&row| column.rows[row as usize]).collect(),
            measure: column.measure.clone(),
        }
    }

    fn reweighted(
        column: &RealColumn,
        weights: &RowWeights,
        _: Option<&CheckedParams>,
    ) -> RealColumn {
        RealColumn::new(Arc::clone(&column.targets), weights)
    }

    fn group(_: &RealColumn, _: u32) -> u32 {
        0
    }

    fn group_factors(_: &RealColumn) -> &[f64] {
        &[1.0]
    }

    fn row(column: &RealColumn, _: &RowWeights, row: u32) -> RealRow {
        column.rows[row as usize]
    }

    fn tally(_: &RealColumn, rows: impl Iterator<Item = RealRow>) -> RealTally {
        let nothing = RealSum::default();
        let mut tally = RealTally { rows: [0], sums: [nothing], first: 0, second: 0 };
        for row in rows {
            tally.rows[0] += 1;
            tally.sums[0] += RealSum::from(row);
            tally.first += row.target;
            tally.second += i128::from(row.target) * i128::from(row.target);
        }
        tally
    }

    fn with_cells<F: WithCells<Self>>(_: &RowWeights, f: F) -> F::Output {
        f.call::<RealSumCell>()
    }

    fn with_left<F: WithLeft<Self>>(_: &SquaredError, f: F) -> F::Output {
        f.call::<RealLeft>()
    }

    /// Categories are ordered by their mean target: a mixture of the lowest and the highest of all.
    fn axes(measure: &SquaredError, _: &[&[RealSum]]) -> Vec<Axis> {
        let SquaredError { middle, reach, .. } = measure;
        vec![Axis::Direction(vec![middle - reach, middle + reach])]
    }

    fn position(measure: &SquaredError, _: &Axis, sums: &[RealSum]) -> f64 {
        measure.middle + sums[0].mean() * measure.unit
    }

    /// That of the mean. One more row with the variance of the node keeps that of few rows from being 0.
    fn standard_error(measure: &SquaredError, _: &Axis, sums: &[RealSum], node: &[RealSum]) -> f64 {
        let weight = sums[0].weight;
        let of_node = measure.variance(node[0]);
        let variance = (weight * measure.variance(sums[0]) + of_node) / (weight + 1.0);
        (variance / (weight + 1.0)).sqrt()
    }
}

impl Tally<Real> for RealTally {
    fn n_rows(&self) -> usize {
        self.rows[0] as usize
    }

    fn sums(&self) -> &[RealSum] {
        &self.sums
    }

    fn group_rows(&self) -> &[u32] {
        &self.rows
    }

    fn is_pure(&self) -> bool {
        let first = i128::from(self.first);
        i128::from(self.rows[0]) * self.second == first * first
    }

    fn without(&self, others: &Self) -> Self {
        let mut rest = self.clone();
        rest.rows[0] -= others.rows[0];
        rest.sums[0] -= others.sums[0];
        rest.first -= others.first;
        rest.second -= others.second;
        rest
    }

    fn weight_and_impurity(&self, column: &RealColumn) -> [f64; 2] {
        [self.sums[0].weight, column.measure.variance(self.sums[0])]
    }
}

impl SquaredError {
    fn variance(&self, sums: RealSum) -> f64 {
        let mean = sums.mean() * self.unit;
        (sums.squares as f64 * self.square_unit / sums.weight - mean * mean).max(0.0)
    }

    /// The purity of a split of rows with sum and weight `all`, of which `left` go left.
    #[inline]
    fn of(left: [f64; 2], all: [f64; 2]) -> f64 {
        let side = |sum: f64, weight: f64| if weight > 0.0 { sum * sum / weight } else { 0.0 };
        side(left[0], left[1]) + side(all[0] - left[0], all[1] - left[1])
    }
}

impl Measure<Real> for SquaredError {
    type Scorer<'n> = RealScorer;

    fn width(&self) -> usize {
        1
    }

    #[inline]
    fn add(&self, sums: &mut [RealSum], row: RealRow) {
        sums[0] += RealSum::from(row);
    }

    fn weight(&self, sums: &[RealSum]) -> f64 {
        sums[0].weight
    }

    fn sample_weight(&self, sums: &[RealSum]) -> f64 {
        sums[0].weight
    }

    fn impurity(&self, sums: &[RealSum], _: &RealTally) -> f64 {
        self.variance(sums[0])
    }

    fn tolerance(&self, node: &[RealSum]) -> f64 {
        NEARLY_EQUAL * self.largest * (node[0].positive as f64 - node[0].negative as f64)
    }

    #[inline]
    fn purity(&self, left: &[RealSum], total: &[RealSum]) -> f64 {
        let pair = |sum: RealSum| [sum.total(), sum.weight];
        Self::of(pair(left[0]), pair(total[0]))
    }

    fn bound(&self, left: &[RealSum], extra: &[RealSum], total: &[RealSum]) -> f64 {
        let (left, extra, all) = (left[0], extra[0], [total[0].total(), total[0].weight]);
        let [negative, positive] = [extra.negative as f64, extra.positive as f64];
        let [below, above] = [-negative / self.largest, positive / self.largest];
        let corner = |sum: f64, weight: f64| {
            Self::of([left.total() + sum, left.weight + weight.clamp(0.0, extra.weight)], all)
        };
        corner(positive, above)
            .max(corner(positive, extra.weight - below))
            .max(corner(negative, below))
            .max(corner(negative, extra.weight - above))
    }

    fn scorer<'n>(&'n self, node: &'n [RealSum]) -> RealScorer {
        RealScorer { node: node[0], unit: self.unit }
    }
}

/// Computes the gains of the splits of one node.
pub(crate) struct RealScorer {
    node: RealSum,
    unit: f64,
}

impl Scorer<Real> for RealScorer {
    fn score(&mut self, left: &[RealSum]) -> Score {
        let (left, mut right) = (left[0], self.node);
        right -= left;
        let difference = (left.mean() - right.mean()) * self.unit;
        let weight = self.node.weight;
        let gain = left.weight / weight * (right.weight / weight) * (difference * difference);
        Score { gain, left_weight: left.weight, right_weight: right.weight }
    }
}

/// A number of rows and their sums.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct RealSumCell {
    sum: RealSum,
    rows: u32,
}

impl Cell for RealSumCell {
    type Target = Real;
    type Rows<'a> = &'a [RealRow];
    type OfRow = RealRow;

    fn rows<'a>(column: &'a RealColumn, _: &'a RowWeights) -> &'a [RealRow] {
        &column.rows
    }

    #[inline]
    fn of_row(rows: &[RealRow], row: u32) -> RealRow {
        rows[row as usize]
    }

    #[inline]
    fn row(of_row: RealRow) -> RealRow {
        of_row
    }

    fn weighed(of_row: RealRow, unit: f64) -> (u32, u64) {
        (0, (of_row.weight / unit) as u64)
    }

    #[inline]
    fn count(histogram: &mut [Self], bin: usize, _: usize, of_row: RealRow) {
        histogram[bin].sum += RealSum::from(of_row);
        histogram[bin].rows += 1;
    }

    fn n_rows(self) -> u32 {
        self.rows
    }

    fn sum(self) -> RealSum {
        self.sum
    }
}

impl AddAssign for RealSumCell {
    fn add_assign(&mut self, other: Self) {
        self.sum += other.sum;
        self.rows += other.rows;
    }
}

impl SubAssign for RealSumCell {
    fn sub_assign(&mut self, other: Self) {
        self.sum -= other.sum;
        self.rows -= other.rows;
    }
}

/// The sums left of an edge.
pub(crate) struct RealLeft {
    sums: [RealSum; 1],
    rows: usize,
    measure: SquaredError,
    node: [RealSum; 1],
    tolerance: f64,
}

impl Left<Real> for RealLeft {
    type Edge = (usize, RealSum);
    type Sums = [RealSum; 1];

    fn first(measure: &SquaredError, node: &[RealSum]) -> Self {
        Self {
            sums: [RealSum::default()],
            rows: 0,
            measure: measure.clone(),
            node: [node[0]],
            tolerance: measure.tolerance(node),
        }
    }

    fn resumed(
        measure: &SquaredError,
        node: &[RealSum],
        (rows, _): (usize, RealSum),
        sums: [RealSum; 1],
    ) -> Self {
        Self { sums, rows, ..Self::first(measure, node) }
    }

    #[inline]
    fn add_row(&mut self, row: RealRow) {
        self.sums[0] += RealSum::from(row);
        self.rows += 1;
    }

    #[inline]
    fn add<C: Cell<Target = Real>>(&mut self, bin: &[C]) -> usize {
        let mut in_bin = 0;
        for &cell in bin {
            self.sums[0] += cell.sum();
            in_bin += cell.n_rows() as usize;
        }
        self.rows += in_bin;
        in_bin
    }

    fn edge(&self) -> (usize, RealSum) {
        (self.rows, self.sums[0])
    }

    fn edge_rows((rows, _): (usize, RealSum)) -> usize {
        rows
    }

    fn sums(&self) -> &[RealSum; 1] {
        &self.sums
    }

    #[inline]
    fn may_reach(&self, floor: f64) -> bool {
        // Without a floor, which is infinite, everything may.
        let (left, all) = (self.sums[0], self.node[0]);
        let (sum, weight) = (left.total(), left.weight);
        let (other_sum, other_weight) = (all.total() - sum, all.weight - weight);
        let purity = sum * sum * other_weight + other_sum * other_sum * weight;
        let required = (floor - self.tolerance) * (weight * other_weight);
        required.is_nan() || purity >= required
    }

    fn may_reach_inside<X: Copy>(
        &self,
        [(_, before), _]: [(usize, RealSum); 2],
        bin: &[X],
        sum: impl Fn(X) -> RealSum,
        floor: f64,
    ) -> bool {
        let inside = bin.iter().fold(RealSum::default(), |mut total, &cell| {
            total += sum(cell);
            total
        });
        self.measure.bound(&[before], &[inside], &self.node) >= floor - self.tolerance
    }
}

impl SortedTarget for Real {
    type Block = Vec<RealRow>;

    fn block(training: &Training<'_, Self>, rows: &[u32]) -> Vec<RealRow> {
        rows.iter().map(|&row| training.target().rows[row as usize]).collect()
    }

    fn row_at(block: &Vec<RealRow>, row: usize) -> RealRow {
        block[row]
    }

    fn group_at(_: &Vec<RealRow>, _: usize) -> u32 {
        0
    }

    fn scan<R: RankedRow>(
        scan: &ColumnScan<'_, R, Self>,
        block: &Vec<RealRow>,
        leader: &mut Leader<'_, Self, ()>,
    ) {
        scan.scan_by_left::<RealLeft>(leader, |row| block[row]);
    }
}
