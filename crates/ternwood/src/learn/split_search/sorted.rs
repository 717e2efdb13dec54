//! Splits of a block of rows whose columns are sorted once and stay sorted.
//!
//! Every column of the block is sorted by value; a node of the block's subtree is the same range
//! of all of them. Splitting a node partitions each range stably, so nothing is sorted again.
//! A level costs O(d n), in memory order.

use super::binned::BinnedColumns;
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
    columns: Vec<SortedColumn>,
    /// Class and sample weight of every row of the block.
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
    /// Where each row of the node that is being split goes.
    sides: Vec<Side>,
    rules: SearchRules<'a>,
}

/// One feature's values in order, with the rows (by position in the block) they belong to.
struct SortedColumn {
    values: Vec<f64>,
    rows: Vec<u32>,
    waiting: Vec<(f64, u32)>,
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
        let columns: Vec<Result<SortedColumn>> =
            share(workers, rows.len() * features.len()).map(features, |feature| {
                cancel.check()?;
                Ok(SortedColumn::new(
                    training.column(feature),
                    rows,
                    bins.map(|bins| bins.codes(feature)),
                ))
            });
        Ok(Self {
            columns: columns.into_iter().collect::<Result<_>>()?,
            classes: rows.iter().map(|&row| training.class_of(row)).collect(),
            weights: training
                .has_weights()
                .then(|| rows.iter().map(|&row| training.weight_of(row)).collect()),
            sides: vec![Side::Below; rows.len()],
            rules,
        })
    }

    /// The best legal split with positive gain of the node that stands at `range`.
    pub(crate) fn best_split(
        &self,
        range: &Range<usize>,
        node: NodeToSplit<'_>,
        workers: &Workers,
    ) -> Option<SplitChoice> {
        let SearchRules { training, max_features, .. } = self.rules;
        let n_features = training.n_features();
        let workers = share(workers, range.len() * max_features);
        if max_features == n_features {
            let all = (0..n_features as u32).collect();
            return self.choice(self.best_among(all, range, node, &workers));
        }
        // Like scikit-learn, look on beyond `max_features` until there is some split.
        let mut order = shuffled_features(self.rules, node.key);
        let rest = order.split_off(max_features);
        let mut best = self.best_among(order, range, node, &workers);
        for feature in rest {
            if best.is_some() {
                break;
            }
            best = self.best_among(vec![feature], range, node, &workers);
        }
        self.choice(best)
    }

    fn choice(&self, best: Option<Candidate>) -> Option<SplitChoice> {
        best.map(|Candidate { feature, gain, place, .. }| match place {
            Place::At(threshold) => SplitChoice { feature, threshold, gain },
            Place::AfterBin(_) => unreachable!("a sorted column has no bins"),
        })
    }

    fn best_among(
        &self,
        features: Vec<u32>,
        range: &Range<usize>,
        node: NodeToSplit<'_>,
        workers: &Workers,
    ) -> Option<Candidate> {
        let SearchRules { training, criterion, limits, .. } = self.rules;
        let contest = Contest {
            purity: Purity { criterion, class_factors: training.class_factors() },
            limits,
            counts: &node.tally.counts,
            n_rows: range.len(),
        };
        let winners = workers.map(features, |feature| {
            let column = &self.columns[feature as usize];
            let leader = Leader::new(contest, feature);
            let pairs = column.values[range.clone()].iter().zip(&column.rows[range.clone()]);
            let rows = pairs.map(|(&value, &row)| (value, self.classes[row as usize], row));
            match &self.weights {
                None if criterion == Criterion::Gini && training.has_unit_factors() => {
                    scan_counts(leader, contest, rows).0
                }
                None => scan(leader, contest, rows.map(|(value, class, _)| (value, class, 1.0))).0,
                Some(weights) => {
                    let weighed =
                        rows.map(|(value, class, row)| (value, class, weights[row as usize]));
                    scan(leader, contest, weighed).0
                }
            }
        });
        winners.into_iter().fold(None, better)
    }

    /// Partitions the node at `range` like `side` of the winning feature's values says.
    pub(crate) fn split(
        &mut self,
        range: &Range<usize>,
        feature: u32,
        side: impl Fn(f64) -> Side,
        workers: &Workers,
    ) {
        let winner = &self.columns[feature as usize];
        for (&value, &row) in winner.values[range.clone()].iter().zip(&winner.rows[range.clone()]) {
            self.sides[row as usize] = side(value);
        }
        let sides = &self.sides;
        let n_features = self.columns.len();
        let others: Vec<&mut SortedColumn> = self.columns.iter_mut().collect();
        share(workers, range.len() * n_features)
            .for_each(others, |column| column.partition(range, sides));
    }
}

fn share(workers: &Workers, work: usize) -> Workers {
    if work >= WORTH_SHARING { workers.clone() } else { Workers::single() }
}

impl SortedColumn {
    fn new(column: &[f64], rows: &[u32], codes: Option<&[u16]>) -> Self {
        let mut pairs: Vec<(f64, u32)> = Vec::with_capacity(rows.len());
        match codes {
            Some(codes) => bucket_sort(column, rows, codes, &mut pairs),
            None => {
                pairs.extend(
                    rows.iter().enumerate().map(|(i, &row)| (column[row as usize], i as u32)),
                );
                pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            }
        }
        Self {
            values: pairs.iter().map(|pair| pair.0).collect(),
            rows: pairs.iter().map(|pair| pair.1).collect(),
            waiting: Vec::new(),
        }
    }

    /// Moves left rows to the front, then middle rows, then right rows; each in order.
    fn partition(&mut self, range: &Range<usize>, sides: &[Side]) {
        let Self { values, rows, waiting } = self;
        let (values, rows) = (&mut values[range.clone()], &mut rows[range.clone()]);
        waiting.clear();
        let mut any_within = false;
        let mut kept = 0;
        for i in 0..rows.len() {
            let side = sides[rows[i] as usize];
            if side == Side::Below {
                values[kept] = values[i];
                rows[kept] = rows[i];
                kept += 1;
            } else {
                any_within |= side == Side::Within;
                waiting.push((values[i], rows[i]));
            }
        }
        let mut place = |pair: &(f64, u32)| {
            values[kept] = pair.0;
            rows[kept] = pair.1;
            kept += 1;
        };
        if any_within {
            for wanted in [Side::Within, Side::Above] {
                waiting.iter().filter(|pair| sides[pair.1 as usize] == wanted).for_each(&mut place);
            }
        } else {
            waiting.iter().for_each(place);
        }
    }
}

/// Sorts rows by value: first into their bins, then within each.
fn bucket_sort(column: &[f64], rows: &[u32], codes: &[u16], pairs: &mut Vec<(f64, u32)>) {
    let mut starts =
        vec![0u32; rows.iter().map(|&row| codes[row as usize]).max().map_or(0, usize::from) + 2];
    for &row in rows {
        starts[usize::from(codes[row as usize]) + 1] += 1;
    }
    for bin in 1..starts.len() {
        starts[bin] += starts[bin - 1];
    }
    pairs.resize(rows.len(), (0.0, 0));
    let mut next = starts.clone();
    for (i, &row) in rows.iter().enumerate() {
        let place = &mut next[usize::from(codes[row as usize])];
        pairs[*place as usize] = (column[row as usize], i as u32);
        *place += 1;
    }
    for bin in starts.windows(2) {
        pairs[bin[0] as usize..bin[1] as usize].sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    }
}

/// Scores every place between two values. `rows` are (value, class, weight), ascending.
pub(super) fn scan(
    mut leader: Leader<'_>,
    contest: Contest<'_>,
    rows: impl Iterator<Item = (f64, u32, f64)>,
) -> (Option<Candidate>, f64) {
    let mut left = vec![0.0; contest.counts.len()];
    let mut left_rows = 0;
    let mut previous = f64::NAN;
    for (value, class, weight) in rows {
        if previous < value {
            let purity = contest.purity.of(&left, contest.counts);
            if purity >= leader.floor() {
                leader.enter(purity, &left, left_rows, Place::At(midpoint(previous, value)));
            }
        }
        left[class as usize] += weight;
        left_rows += 1;
        previous = value;
    }
    leader.finish()
}

/// [`scan`] for Gini and rows that all count 1: sums of squares are whole numbers, so they
/// are kept up to date exactly, whatever the number of classes.
///
/// A best split never lies between two rows of one class unless a limit on the sides moves it
/// there, so without limits only changes of class are looked at.
fn scan_counts(
    mut leader: Leader<'_>,
    contest: Contest<'_>,
    rows: impl Iterator<Item = (f64, u32, u32)>,
) -> (Option<Candidate>, f64) {
    debug_assert_eq!(leader.criterion(), Criterion::Gini);
    let all_places = !contest.limits.are_trivial();
    let mut left = vec![0.0; contest.counts.len()];
    let n = contest.n_rows as f64;
    let mut left_weight = 0.0;
    let mut left_squares = 0.0;
    let mut right_squares: f64 = contest.counts.iter().map(|n| n * n).sum();
    let mut previous = (f64::NAN, u32::MAX);
    // Whether the rows of the previous value were of more than one class.
    let mut mixed = false;
    for (value, class, _) in rows {
        if previous.0 < value {
            if mixed || class != previous.1 || all_places {
                let purity = left_squares / left_weight + right_squares / (n - left_weight);
                if purity >= leader.floor() {
                    let place = Place::At(midpoint(previous.0, value));
                    leader.enter(purity, &left, left_weight as usize, place);
                }
            }
            mixed = false;
        } else {
            mixed |= class != previous.1;
        }
        let count = &mut left[class as usize];
        left_squares += 2.0 * *count + 1.0;
        right_squares -= 2.0 * (contest.counts[class as usize] - *count) - 1.0;
        *count += 1.0;
        left_weight += 1.0;
        previous = (value, class);
    }
    leader.finish()
}
