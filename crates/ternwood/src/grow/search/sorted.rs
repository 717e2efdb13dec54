//! Splits of a block of rows whose columns are sorted once and stay sorted.
//!
//! Every column of the block is sorted by value; a node of the block's subtree is the same range
//! of all of them. Splitting a node partitions each range stably, so nothing is sorted again.
//! A level costs O(d n), in memory order.

use super::binned::BinnedColumns;
use super::candidate::{Candidate, Contest, Leader, Place, better};
use super::class_scan::{ColumnScan, MOST_FOR_TWO_CLASSES};
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

/// The columns of a block of rows, each in order.
pub(crate) struct SortedBlock<'a, R> {
    rules: SearchRules<'a>,
    columns: Vec<SortedColumn<R>>,
    /// The rows of the block; everything else knows them by position.
    rows: &'a [u32],
    features: Vec<u32>,
    /// Class and sample weight of every row of the block.
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
    /// The rows in an order in which those of every node stand together.
    order: Vec<u32>,
    waiting: Vec<u32>,
    /// Where each row of the node that is being split goes.
    sides: Vec<Side>,
}

/// So many neighbouring values of a row lie together in memory.
const FEATURES_AT_ONCE: usize = 8;

/// So many rows are looked up for one feature after the other while they are in the cache.
const ROWS_AT_ONCE: usize = 64;

/// The values of some features of some rows, one feature after the other.
fn gather(training: &Training<'_>, rows: &[u32], features: &[u32]) -> Vec<f64> {
    let mut values = vec![0.0; rows.len() * features.len()];
    for (tile, tile_rows) in rows.chunks(ROWS_AT_ONCE).enumerate() {
        for (&feature, values) in features.iter().zip(values.chunks_exact_mut(rows.len())) {
            let column = training.column(feature);
            let targets = &mut values[tile * ROWS_AT_ONCE..];
            for (target, &row) in targets.iter_mut().zip(tile_rows) {
                *target = column.at(row as usize);
            }
        }
    }
    values
}

/// Below so many values, handing features to other threads costs more than it saves.
const WORTH_SHARING: usize = 1 << 15;

impl<'a, R: RankedRow> SortedBlock<'a, R> {
    /// Sorts the columns of a block of rows; with the help of bins, where there are some.
    pub(crate) fn new(
        rules: SearchRules<'a>,
        rows: &'a [u32],
        bins: Option<&BinnedColumns>,
        exec: &Exec,
    ) -> Result<Self> {
        let training = rules.training;
        let features: Vec<u32> = (0..training.n_features() as u32).collect();
        let classes: Vec<u32> = rows.iter().map(|&row| training.class_of(row)).collect();
        let groups: Vec<&[u32]> = features.chunks(FEATURES_AT_ONCE).collect();
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
            waiting: Vec::new(),
            sides: vec![Side::Below; rows.len()],
        })
    }

    /// The best legal split with positive gain of a node.
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
            // Like scikit-learn, look on beyond `max_features` until there is some split.
            let order = shuffled_features(self.rules, *key);
            let (first, rest) = order.split_at(max_features);
            search(first).or_else(|| rest.iter().find_map(|&feature| search(&[feature])))
        };
        best.map(|Candidate { feature, gain, place, .. }| {
            let Place::Between(between) = place else {
                unreachable!("a sorted column has rows, not bins")
            };
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
                leader.turn_to(feature);
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
        let places = &self.columns[feature as usize].places[range.clone()];
        let value = |row| self.value(feature, row);
        let scan = ColumnScan { contest, places, value: &value };
        let is_plain = rules.criterion == Criterion::Gini && rules.training.has_unit_factors();
        match &self.weights {
            Some(weights) => scan.weights(leader, classes, |row| weights[row]),
            None if !is_plain => scan.weights(leader, classes, |_| 1.0),
            None if contest.counts.len() == 2 && places.len() <= MOST_FOR_TWO_CLASSES => {
                scan.two_classes(leader);
            }
            None => scan.counts(leader, classes),
        }
    }

    /// Splits the node at `range` where the winning feature has these edges, and returns where
    /// the rows of each side stand from now on. Columns have to [`follow`](Self::follow).
    pub(crate) fn split(&mut self, range: &Range<usize>, feature: u32, edges: Edges) -> Sides {
        let places = &self.columns[feature as usize].places[range.clone()];
        // Values ascend, and so do sides.
        let up_to = |last: Side| {
            let value = |place: &R| self.value(feature, place.row());
            places.partition_point(|place| edges.side(value(place)) <= last)
        };
        let (left, middle) = (up_to(Side::Below), up_to(Side::Within));
        for (side, part) in [
            (Side::Below, &places[..left]),
            (Side::Within, &places[left..middle]),
            (Side::Above, &places[middle..]),
        ] {
            part.iter().for_each(|place| self.sides[place.row()] = side);
        }
        let sides = &self.sides;
        arrange(&mut self.order[range.clone()], &mut self.waiting, |row| sides[row as usize])
    }

    /// What estimators want to know of the node at `range`, of which a split sends the first
    /// rows of the winning feature's column, `left`, to the left, and the others to the right.
    pub(crate) fn summary(
        &self,
        range: &Range<usize>,
        feature: u32,
        [left, right]: [&Tally; 2],
    ) -> Summary {
        let places = &self.columns[feature as usize].places[range.clone()];
        let value = |place: &R| self.value(feature, place.row());
        let mut summary = Summary::empty(left.rows.len());
        summary.extremes = (value(&places[0]), value(&places[places.len() - 1]));
        summary.left_counts.clone_from(&left.counts);
        // From the cut outwards, until every class was met.
        let n_left = left.rows.iter().sum::<u32>() as usize;
        let mut missing = left.rows.iter().filter(|&&rows| rows > 0).count();
        for place in places[..n_left].iter().rev() {
            let nearest = &mut summary.nearest_left[self.classes[place.row()] as usize];
            if nearest.is_infinite() {
                (*nearest, missing) = (value(place), missing - 1);
            }
            if missing == 0 {
                break;
            }
        }
        missing = right.rows.iter().filter(|&&rows| rows > 0).count();
        for place in &places[n_left..] {
            let nearest = &mut summary.nearest_right[self.classes[place.row()] as usize];
            if nearest.is_infinite() {
                (*nearest, missing) = (value(place), missing - 1);
            }
            if missing == 0 {
                break;
            }
        }
        summary
    }

    /// Puts the columns of a node that was split in order, so that its children can be searched;
    /// or one of the outer children, if there is but one to search.
    pub(crate) fn follow(
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
            exec.for_each(others.collect(), partition);
        }
    }

    /// The classes of the rows that stand at `range`.
    pub(crate) fn tally(&self, range: Range<usize>) -> Tally {
        let mut tally = Tally::empty(self.rules.training.n_classes());
        for &row in &self.order[range] {
            let weight = self.weights.as_ref().map_or(1.0, |weights| weights[row as usize]);
            tally.add(self.classes[row as usize], weight);
        }
        tally
    }

    /// The rows that stand at `range`.
    pub(crate) fn rows_at(&self, range: Range<usize>) -> impl Iterator<Item = u32> {
        self.order[range].iter().map(|&row| self.rows[row as usize])
    }
}
