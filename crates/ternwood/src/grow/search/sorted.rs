//! Split search on a block of rows whose columns are sorted once and stay sorted.
//!
//! A node of the block's subtree is the same range of every sorted column. Splitting a node
//! partitions each range stably, so nothing is sorted again. A level costs O(d n), in memory
//! order.

use super::binned::BinnedColumns;
use super::candidate::{Candidate, Contest, Leader, better};
use super::class_scan::{ColumnScan, MAX_TWO_CLASS_ROWS};
use super::purity::Purity;
use super::sorted_column::{RankedRow, SortedColumn};
use super::{SearchRules, SplitChoice, shuffled_features};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::evidence::summary::Summary;
use crate::grow::grown::GrownNode;
use crate::grow::node_loop::node_rows::{Sides, arrange};
use crate::grow::training::{Tally, Training};
use crate::recipe::Criterion;
use crate::tree::{Edges, Side};
use std::ops::Range;

/// The sorted columns of a block of rows.
pub(crate) struct SortedBlock<'a, R> {
    rules: SearchRules<'a>,
    columns: Vec<SortedColumn<R>>,
    /// The rows of the block. Everything else refers to them by position.
    rows: &'a [u32],
    features: Vec<u32>,
    /// Class and sample weight of every row of the block.
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
    /// The rows ordered so that those of every node are contiguous.
    order: Vec<u32>,
    scratch: Vec<u32>,
    /// The side of each row of the node being split.
    sides: Vec<Side>,
}

/// Features per group: 8 neighbouring values of a row share a cache line.
const FEATURES_PER_GROUP: usize = 8;

/// Rows per tile. A tile stays in the cache while the features of a group are gathered.
const ROWS_PER_TILE: usize = 64;

/// The values of some rows, feature by feature.
fn gather(training: &Training<'_>, rows: &[u32], features: &[u32]) -> Vec<f64> {
    let mut values = vec![0.0; rows.len() * features.len()];
    for (tile, tile_rows) in rows.chunks(ROWS_PER_TILE).enumerate() {
        for (&feature, values) in features.iter().zip(values.chunks_exact_mut(rows.len())) {
            let column = training.column(feature);
            let targets = &mut values[tile * ROWS_PER_TILE..];
            for (target, &row) in targets.iter_mut().zip(tile_rows) {
                *target = column.at(row as usize);
            }
        }
    }
    values
}

/// With fewer values than this, starting threads costs more than it saves.
const WORTH_SHARING: usize = 1 << 15;

impl<'a, R: RankedRow> SortedBlock<'a, R> {
    /// Sorts the columns of a block of rows, with the help of bins if given.
    pub(crate) fn new(
        rules: SearchRules<'a>,
        rows: &'a [u32],
        bins: Option<&BinnedColumns>,
        exec: &Exec,
    ) -> Result<Self> {
        let training = rules.training;
        let features: Vec<u32> = (0..training.n_features() as u32).collect();
        let classes: Vec<u32> = rows.iter().map(|&row| training.class_of(row)).collect();
        let groups: Vec<&[u32]> = features.chunks(FEATURES_PER_GROUP).collect();
        let columns: Vec<Result<Vec<SortedColumn<R>>>> = exec.map(groups, |features| {
            exec.check()?;
            let values = gather(training, rows, features);
            let column = |(&feature, values): (&u32, &[f64])| {
                SortedColumn::new(values, &classes, bins.map(|bins| bins.table(feature)))
            };
            Ok(features.iter().zip(values.chunks_exact(rows.len())).map(column).collect())
        });
        let columns = columns.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(Self {
            rules,
            columns: columns.into_iter().flatten().collect(),
            rows,
            features,
            classes,
            weights: training
                .has_weights()
                .then(|| rows.iter().map(|&row| training.weight_of(row)).collect()),
            order: (0..rows.len() as u32).collect(),
            scratch: Vec::new(),
            sides: vec![Side::Below; rows.len()],
        })
    }

    /// A node's best legal split with positive gain.
    pub(crate) fn best_split(&self, node: &GrownNode, exec: &Exec) -> Option<SplitChoice> {
        let GrownNode { range, tally, key, .. } = node;
        let SearchRules { training, criterion, limits, max_features, .. } = self.rules;
        let contest = Contest {
            purity: Purity::new(criterion, training.class_factors()),
            limits,
            counts: &tally.counts,
            n_rows: range.len(),
        };
        let alone = exec.alone();
        let work = range.len() * max_features;
        let exec = if work >= WORTH_SHARING { exec } else { &alone };
        let search = |features: &[u32]| self.best_among(features, range, contest, exec);
        let best = if max_features == training.n_features() {
            search(&self.features)
        } else {
            // Like scikit-learn, search beyond `max_features` until a split is found.
            let order = shuffled_features(self.rules, *key);
            let (first, rest) = order.split_at(max_features);
            search(first).or_else(|| rest.iter().find_map(|&feature| search(&[feature])))
        };
        best.map(|Candidate { feature, gain, left_rows, .. }| {
            let ranked_rows = &self.columns[feature as usize].ranked_rows[range.clone()];
            let between =
                [left_rows - 1, left_rows].map(|at| self.value(feature, ranked_rows[at].row()));
            SplitChoice { feature, between, gain }
        })
    }

    fn value(&self, feature: u32, row: usize) -> f64 {
        self.rules.training.column(feature).at(self.rows[row] as usize)
    }

    fn best_among(
        &self,
        features: &[u32],
        range: &Range<usize>,
        contest: Contest<'_>,
        exec: &Exec,
    ) -> Option<Candidate> {
        let best_among = |features: &[u32]| {
            let mut leader = Leader::new(contest);
            for &feature in features {
                leader.set_feature(feature);
                self.scan(feature, range, contest, &mut leader);
            }
            leader.finish().0
        };
        if exec.threads() == 1 {
            return best_among(features);
        }
        // One task per thread, so that each keeps its leader from feature to feature.
        let share = features.len().div_ceil(exec.threads());
        let winners = exec.map(features.chunks(share).collect(), best_among);
        winners.into_iter().fold(None, better)
    }

    fn scan(
        &self,
        feature: u32,
        range: &Range<usize>,
        contest: Contest<'_>,
        leader: &mut Leader<'_>,
    ) {
        let Self { rules, classes, .. } = self;
        let ranked_rows = &self.columns[feature as usize].ranked_rows[range.clone()];
        let scan = ColumnScan { contest, ranked_rows };
        let is_plain_gini = rules.criterion == Criterion::Gini && rules.training.has_unit_factors();
        match &self.weights {
            Some(weights) => scan.scan_weighted(leader, classes, |row| weights[row]),
            None if !is_plain_gini => scan.scan_weighted(leader, classes, |_| 1.0),
            None if contest.counts.len() == 2 && ranked_rows.len() <= MAX_TWO_CLASS_ROWS => {
                scan.scan_two_class_gini(leader);
            }
            None => scan.scan_unweighted_gini(leader, classes),
        }
    }

    /// Splits the node at `range` by the edges of the winning feature, and returns the range of
    /// each side. Searching the children needs
    /// [`partition_columns`](Self::partition_columns) first.
    pub(crate) fn split(&mut self, range: &Range<usize>, feature: u32, edges: Edges) -> Sides {
        let ranked_rows = &self.columns[feature as usize].ranked_rows[range.clone()];
        // Values ascend, and so do sides.
        let up_to = |last: Side| {
            let value = |row: &R| self.value(feature, row.row());
            ranked_rows.partition_point(|row| edges.side(value(row)) <= last)
        };
        let (left, middle) = (up_to(Side::Below), up_to(Side::Within));
        for (side, part) in [
            (Side::Below, &ranked_rows[..left]),
            (Side::Within, &ranked_rows[left..middle]),
            (Side::Above, &ranked_rows[middle..]),
        ] {
            part.iter().for_each(|row| self.sides[row.row()] = side);
        }
        let sides = &self.sides;
        arrange(&mut self.order[range.clone()], &mut self.scratch, |row| sides[row as usize])
    }

    /// The summary of the node at `range` for zone estimators. `left` and `right` tally the two
    /// sides of its split.
    pub(crate) fn summary(
        &self,
        range: &Range<usize>,
        feature: u32,
        [left, right]: [&Tally; 2],
    ) -> Summary {
        let ranked_rows = &self.columns[feature as usize].ranked_rows[range.clone()];
        let value = |row: &R| self.value(feature, row.row());
        let mut summary = Summary::empty(left.rows.len());
        summary.extremes = (value(&ranked_rows[0]), value(&ranked_rows[ranked_rows.len() - 1]));
        summary.left_counts.clone_from(&left.counts);
        // From the cut outwards, until every class is found.
        let n_left = left.rows.iter().sum::<u32>() as usize;
        let mut missing = left.rows.iter().filter(|&&rows| rows > 0).count();
        for row in ranked_rows[..n_left].iter().rev() {
            let nearest = &mut summary.nearest_left[self.classes[row.row()] as usize];
            if nearest.is_infinite() {
                (*nearest, missing) = (value(row), missing - 1);
            }
            if missing == 0 {
                break;
            }
        }
        missing = right.rows.iter().filter(|&&rows| rows > 0).count();
        for row in &ranked_rows[n_left..] {
            let nearest = &mut summary.nearest_right[self.classes[row.row()] as usize];
            if nearest.is_infinite() {
                (*nearest, missing) = (value(row), missing - 1);
            }
            if missing == 0 {
                break;
            }
        }
        summary
    }

    /// Partitions the columns of a split node, so that its children can be searched; with `only`,
    /// just the child on that side.
    pub(crate) fn partition_columns(
        &mut self,
        range: &Range<usize>,
        feature: u32,
        only: Option<Side>,
        exec: &Exec,
    ) {
        let sides = &self.sides;
        let partition = |column: &mut SortedColumn<R>| column.partition(range, sides, only);
        let others = self.columns.iter_mut().enumerate().filter(|(i, _)| *i != feature as usize);
        let others = others.map(|(_, column)| column);
        if exec.threads() == 1 || range.len() * self.features.len() < WORTH_SHARING {
            others.for_each(partition);
        } else {
            exec.map(others.collect(), partition);
        }
    }

    /// The tally of the rows at `range`.
    pub(crate) fn tally(&self, range: Range<usize>) -> Tally {
        let mut tally = Tally::empty(self.rules.training.n_classes());
        for &row in &self.order[range] {
            let weight = self.weights.as_ref().map_or(1.0, |weights| weights[row as usize]);
            tally.add(self.classes[row as usize], weight);
        }
        tally
    }

    /// The rows at `range`.
    pub(crate) fn rows_at(&self, range: Range<usize>) -> impl Iterator<Item = u32> {
        self.order[range].iter().map(|&row| self.rows[row as usize])
    }
}
