//! Splits of a block of rows whose columns are sorted once and stay sorted.
//!
//! Every column of the block is sorted by value; a node of the block's subtree is the same range
//! of all of them. Splitting a node partitions each range stably, so nothing is sorted again.
//! A level costs O(d n), in memory order.

use super::binned::BinnedColumns;
use super::bucket_sort::{bucket_starts, sort_by_value};
use super::candidate::{Candidate, Contest, Leader, Place, better};
use super::purity::Purity;
use super::{NodeToSplit, SearchRules, SplitChoice, midpoint, shuffled_features};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::learn::criterion::Criterion;
use crate::tree::Side;
use crate::workers::Workers;
use std::ops::Range;

/// The columns of a block of rows, each in order.
pub(crate) struct SortedBlock<'a> {
    rules: SearchRules<'a>,
    columns: Vec<SortedColumn>,
    /// The rows of the block; columns know them by position.
    rows: Vec<u32>,
    /// Class and sample weight of every row of the block.
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
    /// Where each row of the node that is being split goes.
    sides: Vec<Side>,
}

/// One feature of the rows of a block, in order of its values.
struct SortedColumn {
    places: Vec<RankedRow>,
    waiting: Vec<RankedRow>,
}

/// A row of the block, and the rank of its value among the block's distinct values.
#[derive(Debug, Clone, Copy, Default)]
struct RankedRow {
    rank: u32,
    row: u32,
}

/// Below so many values, handing features to other threads costs more than it saves.
const WORTH_SHARING: usize = 1 << 15;

impl<'a> SortedBlock<'a> {
    /// Sorts the columns of a block of rows; with the help of bins, where there are some.
    pub(crate) fn new(
        rules: SearchRules<'a>,
        rows: &[u32],
        bins: Option<&BinnedColumns>,
        (workers, cancel): (&Workers, &CancelToken),
    ) -> Result<Self> {
        let training = rules.training;
        let features: Vec<u32> = (0..training.n_features() as u32).collect();
        let columns: Vec<Result<SortedColumn>> = workers.map(features, |feature| {
            cancel.check()?;
            let codes = bins.map(|bins| bins.codes(feature));
            Ok(SortedColumn::new(training.column(feature), rows, codes))
        });
        Ok(Self {
            rules,
            columns: columns.into_iter().collect::<Result<_>>()?,
            rows: rows.to_vec(),
            classes: rows.iter().map(|&row| training.class_of(row)).collect(),
            weights: training
                .has_weights()
                .then(|| rows.iter().map(|&row| training.weight_of(row)).collect()),
            sides: vec![Side::Below; rows.len()],
        })
    }

    /// The best legal split with positive gain of the node that stands at `range`.
    pub(crate) fn best_split(
        &self,
        range: &Range<usize>,
        node: NodeToSplit<'_>,
        workers: &Workers,
    ) -> Option<SplitChoice> {
        let SearchRules { training, criterion, limits, max_features, .. } = self.rules;
        let n_features = training.n_features();
        let contest = Contest {
            purity: Purity::new(criterion, training.class_factors()),
            limits,
            counts: &node.tally.counts,
            n_rows: range.len(),
        };
        let alone = Workers::single();
        let work = range.len() * max_features;
        let workers = if work >= WORTH_SHARING { workers } else { &alone };
        let search = |features: &[u32]| self.best_among(features, range, contest, workers);
        let best = if max_features == n_features {
            search(&(0..n_features as u32).collect::<Vec<_>>())
        } else {
            // Like scikit-learn, look on beyond `max_features` until there is some split.
            let order = shuffled_features(self.rules, node.key);
            let (first, rest) = order.split_at(max_features);
            search(first).or_else(|| rest.iter().find_map(|&feature| search(&[feature])))
        };
        best.map(|Candidate { feature, gain, place, .. }| match place {
            Place::At(threshold) => SplitChoice { feature, threshold, gain },
            Place::AfterBin(_) => unreachable!("a sorted column has no bins"),
        })
    }

    fn best_among(
        &self,
        features: &[u32],
        range: &Range<usize>,
        contest: Contest<'_>,
        workers: &Workers,
    ) -> Option<Candidate> {
        // One task per thread, so that each keeps its leader from feature to feature.
        let share = features.len().div_ceil(workers.threads());
        let winners = workers.map(features.chunks(share).collect(), |features| {
            let mut leader = Leader::new(contest);
            for &feature in features {
                leader.turn_to(feature);
                self.scan(feature, range, contest, &mut leader);
            }
            leader.finish().0
        });
        winners.into_iter().fold(None, better)
    }

    fn scan(
        &self,
        feature: u32,
        range: &Range<usize>,
        contest: Contest<'_>,
        leader: &mut Leader<'_>,
    ) {
        let Self { rules, columns, classes, weights, .. } = self;
        let places = &columns[feature as usize].places[range.clone()];
        let column = rules.training.column(feature);
        let value = |place: RankedRow| column[self.rows[place.row as usize] as usize];
        let threshold = |a, b| Place::At(midpoint(value(a), value(b)));
        match weights {
            None if rules.criterion == Criterion::Gini && rules.training.has_unit_factors() => {
                scan_counts(leader, contest, (places, classes), threshold);
            }
            None => scan_weights(leader, contest, (places, classes), (|_| 1.0, threshold)),
            Some(weights) => {
                let weight = |place: RankedRow| weights[place.row as usize];
                scan_weights(leader, contest, (places, classes), (weight, threshold));
            }
        }
    }

    /// Partitions the node at `range` like `side` of the winning feature's values says.
    pub(crate) fn split(
        &mut self,
        range: &Range<usize>,
        feature: u32,
        side: impl Fn(f64) -> Side,
        workers: &Workers,
    ) {
        let column = self.rules.training.column(feature);
        let mut any_within = false;
        for place in &self.columns[feature as usize].places[range.clone()] {
            let side = side(column[self.rows[place.row as usize] as usize]);
            any_within |= side == Side::Within;
            self.sides[place.row as usize] = side;
        }
        let sides = &self.sides;
        let columns: Vec<&mut SortedColumn> = self.columns.iter_mut().collect();
        let alone = Workers::single();
        let share = range.len() * columns.len() >= WORTH_SHARING;
        let workers = if share { workers } else { &alone };
        workers.for_each(columns, |column| column.partition(range, sides, any_within));
    }
}

impl SortedColumn {
    fn new(column: &[f64], rows: &[u32], codes: Option<&[u16]>) -> Self {
        let pair = |(i, &row): (usize, &u32)| (column[row as usize], i as u32);
        let mut pairs: Vec<(f64, u32)>;
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0);
        match codes {
            None => {
                pairs = rows.iter().enumerate().map(pair).collect();
                sort_by_value(&mut pairs, |pair| pair.0, order);
            }
            Some(codes) => {
                let starts = bucket_starts(rows.iter().map(|&row| codes[row as usize]));
                pairs = vec![(0.0, 0); rows.len()];
                let mut next = starts.clone();
                for item in rows.iter().enumerate() {
                    let place = &mut next[usize::from(codes[*item.1 as usize])];
                    pairs[*place as usize] = pair(item);
                    *place += 1;
                }
                for bucket in starts.windows(2) {
                    pairs[bucket[0] as usize..bucket[1] as usize].sort_unstable_by(order);
                }
            }
        }
        let mut places = Vec::with_capacity(pairs.len());
        let (mut rank, mut previous) = (0, f64::NEG_INFINITY);
        for (value, row) in pairs {
            rank += u32::from(previous < value);
            previous = value;
            places.push(RankedRow { rank, row });
        }
        Self { places, waiting: Vec::new() }
    }

    /// Moves left rows to the front, then middle rows, then right rows; each in order.
    fn partition(&mut self, range: &Range<usize>, sides: &[Side], any_within: bool) {
        let Self { places, waiting } = self;
        let places = &mut places[range.clone()];
        if waiting.len() < places.len() {
            waiting.resize(places.len(), RankedRow::default());
        }
        let waiting = &mut waiting[..places.len()];
        // Every row is written to both lists, and counts in one: no branch to mispredict.
        let (mut kept, mut waits) = (0, 0);
        for i in 0..places.len() {
            let place = places[i];
            let goes_left = sides[place.row as usize] == Side::Below;
            places[kept] = place;
            waiting[waits] = place;
            kept += usize::from(goes_left);
            waits += usize::from(!goes_left);
        }
        let waiting = &waiting[..waits];
        if any_within {
            let is_within = |place: &&RankedRow| sides[place.row as usize] == Side::Within;
            let within = waiting.iter().filter(is_within);
            let above = waiting.iter().filter(|place| !is_within(place));
            for (place, &next) in places[kept..].iter_mut().zip(within.chain(above)) {
                *place = next;
            }
        } else {
            places[kept..].copy_from_slice(waiting);
        }
    }
}

/// Measures every place between two distinct values.
fn scan_weights(
    leader: &mut Leader<'_>,
    contest: Contest<'_>,
    (places, classes): (&[RankedRow], &[u32]),
    (weight, threshold): (impl Fn(RankedRow) -> f64, impl Fn(RankedRow, RankedRow) -> Place),
) {
    let mut left = vec![0.0; contest.counts.len()];
    for (i, pair) in places.windows(2).enumerate() {
        left[classes[pair[0].row as usize] as usize] += weight(pair[0]);
        if pair[0].rank < pair[1].rank {
            let purity = contest.purity.of(&left, contest.counts);
            if purity >= leader.floor() {
                leader.enter(purity, &left, i + 1, threshold(pair[0], pair[1]));
            }
        }
    }
}

/// [`scan_weights`] for Gini and rows that all count 1: sums of squares are whole numbers, so
/// they are kept up to date exactly, whatever the number of classes.
fn scan_counts(
    leader: &mut Leader<'_>,
    contest: Contest<'_>,
    (places, classes): (&[RankedRow], &[u32]),
    threshold: impl Fn(RankedRow, RankedRow) -> Place,
) {
    let mut left = vec![0.0; contest.counts.len()];
    let (mut left_rows, mut right_rows) = (0.0, contest.n_rows as f64);
    let mut left_squares = 0.0;
    let mut right_squares: f64 = contest.counts.iter().map(|n| n * n).sum();
    for (i, pair) in places.windows(2).enumerate() {
        let class = classes[pair[0].row as usize] as usize;
        let count = left[class];
        left_squares += 2.0 * count + 1.0;
        right_squares -= 2.0 * (contest.counts[class] - count) - 1.0;
        left[class] = count + 1.0;
        left_rows += 1.0;
        right_rows -= 1.0;
        if pair[0].rank < pair[1].rank {
            // purity >= floor, without a division
            let purity = left_squares * right_rows + right_squares * left_rows;
            if purity >= leader.floor() * (left_rows * right_rows) {
                let purity = purity / (left_rows * right_rows);
                leader.enter(purity, &left, i + 1, threshold(pair[0], pair[1]));
            }
        }
    }
}
