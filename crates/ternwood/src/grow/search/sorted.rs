//! Split search on a block of rows whose columns are sorted once and stay sorted.
//!
//! A node of the block's subtree is the same range of every sorted column. Splitting a node
//! partitions each range stably, so nothing is sorted again. A level costs O(d n), in memory
//! order.

use super::binned::BinnedColumns;
use super::candidate::{Candidate, Contender, Contest, Entrant, Leader, Place, better};
use super::categories::{self, MISSING, NodeCategories};
use super::class_scan::{ColumnScan, MAX_TWO_CLASS_ROWS};
use super::purity::Purity;
use super::sorted_column::{RankedRow, SortedColumn};
use super::{SearchRules, SplitChoice};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::evidence::summary::Summary;
use crate::grow::grown::GrownNode;
use crate::grow::node_loop::node_rows::{Sides, arrange};
use crate::grow::training::{Tally, Training};
use crate::recipe::{Criterion, MissingValues};
use crate::tree::{Missing, Side, Test};
use std::ops::Range;

/// The sorted columns of a block of rows.
pub(crate) struct SortedBlock<'a, R> {
    rules: SearchRules<'a>,
    columns: Vec<BlockColumn<R>>,
    /// The rows of the block. Everything else refers to them by position.
    rows: &'a [u32],
    features: Vec<Contender>,
    /// Class and sample weight of every row of the block.
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
    /// The rows ordered so that those of every node are contiguous.
    order: Vec<u32>,
    scratch: Vec<u32>,
    /// The side of each row of the node being split.
    sides: Vec<Side>,
}

/// One feature of a block.
enum BlockColumn<R> {
    /// Numbers, sorted.
    Numbers(SortedColumn<R>),
    /// The category of every row of the block, and the number of categories.
    Categories(Vec<u32>, usize),
}

/// Features per group: 8 neighbouring values of a row share a cache line.
const FEATURES_PER_GROUP: usize = 8;

/// Rows per tile. A tile stays in the cache while the features of a group are gathered.
const ROWS_PER_TILE: usize = 64;

/// The values of some rows, feature by feature.
fn gather(training: &Training<'_>, rows: &[u32], features: &[Contender]) -> Vec<f64> {
    let mut values = vec![0.0; rows.len() * features.len()];
    for (tile, tile_rows) in rows.chunks(ROWS_PER_TILE).enumerate() {
        for (&Contender { feature, .. }, values) in
            features.iter().zip(values.chunks_exact_mut(rows.len()))
        {
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
        let features = rules.all_features();
        let classes: Vec<u32> = rows.iter().map(|&row| training.class_of(row)).collect();
        let groups: Vec<&[Contender]> = features.chunks(FEATURES_PER_GROUP).collect();
        let columns: Vec<Result<Vec<BlockColumn<R>>>> = exec.map(groups, |features| {
            exec.check()?;
            let values = gather(training, rows, features);
            let column = |(&Contender { feature, .. }, values): (&Contender, &[f64])| {
                if let Some(n_categories) = training.n_categories(feature) {
                    let code = |value: &f64| if value.is_nan() { MISSING } else { *value as u32 };
                    let codes = values.iter().map(code).collect();
                    return BlockColumn::Categories(codes, n_categories);
                }
                let bins = bins.and_then(|bins| bins.table(feature));
                let may_be_missing = training.has_missing(feature);
                BlockColumn::Numbers(SortedColumn::new(values, &classes, bins, may_be_missing))
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

    /// A node's best legal split; one without gain only where the rules allow it.
    pub(crate) fn best_split(&self, node: &GrownNode, exec: &Exec) -> Option<SplitChoice> {
        let GrownNode { range, tally, key, .. } = node;
        let SearchRules { training, criterion, limits, max_features, zero_gain_splits, .. } =
            self.rules;
        let contest = Contest {
            purity: Purity::new(criterion, training.class_factors()),
            limits,
            counts: &tally.counts,
            n_rows: range.len(),
            zero_gain_splits,
            share: 1.0,
            chance: 0.0,
        };
        let alone = exec.alone();
        let work = range.len() * max_features;
        let exec = if work >= WORTH_SHARING { exec } else { &alone };
        let search = |features: &[Contender]| self.best_among(features, range, contest, exec);
        let best = if self.rules.has_fixed_features() {
            search(&self.features)
        } else {
            // Like scikit-learn, search beyond `max_features` until a split is found.
            let mut drawn = self.rules.drawn_features(*key);
            let first: Vec<Contender> = drawn.by_ref().take(max_features).collect();
            search(&first).or_else(|| drawn.find_map(|feature| search(&[feature])))
        };
        best.map(|best| self.choice(&best, range))
    }

    fn choice(&self, best: &Candidate, range: &Range<usize>) -> SplitChoice {
        let Candidate { feature, gain, rank, missing, left_rows, place } = *best;
        match (&self.columns[feature as usize], place) {
            _ if rank.separates_missing => SplitChoice { test: Test::is_present(feature), gain },
            (BlockColumn::Categories(codes, n_codes), Place::OnAxis(between)) => {
                let categories = self.categories(codes, *n_codes, range);
                let test = categories::test(categories, best, between, &self.rules);
                SplitChoice { test, gain }
            }
            (BlockColumn::Numbers(column), _) => {
                let ranked_rows = &column.ranked_rows[range.clone()];
                let beside = [left_rows - 1, left_rows];
                let between = beside.map(|at| self.value(feature, ranked_rows[at].row()));
                SplitChoice::between(feature, between, missing, gain)
            }
            _ => unreachable!("categories have no thresholds"),
        }
    }

    /// The class counts of the categories of a node.
    fn categories(&self, codes: &[u32], n_codes: usize, range: &Range<usize>) -> NodeCategories {
        let row = |&row: &u32| {
            let row = row as usize;
            (codes[row], self.classes[row], self.weight(row))
        };
        let rows = self.order[range.clone()].iter().map(row);
        NodeCategories::from_rows(rows, n_codes, self.rules.training.n_classes())
    }

    fn value(&self, feature: u32, row: usize) -> f64 {
        self.rules.training.column(feature).at(self.rows[row] as usize)
    }

    fn best_among(
        &self,
        features: &[Contender],
        range: &Range<usize>,
        contest: Contest<'_>,
        exec: &Exec,
    ) -> Option<Candidate> {
        let best_among = |features: &[Contender]| {
            let mut leader = Leader::new(contest);
            let mut best = None;
            for &feature in features {
                if self.rules.exec.is_cancelled() {
                    break;
                }
                let apart = match &self.columns[feature.feature as usize] {
                    BlockColumn::Numbers(column) => {
                        self.scan(feature, column, range, contest, &mut leader)
                    }
                    BlockColumn::Categories(codes, n_codes) => {
                        let categories = self.categories(codes, *n_codes, range);
                        categories::search(categories, feature, &self.rules, contest, &mut leader)
                    }
                };
                best = better(best, apart);
            }
            better(best, leader.finish().0)
        };
        if exec.threads() == 1 {
            return best_among(features);
        }
        // One task per thread, so that each keeps its leader from feature to feature.
        let share = features.len().div_ceil(exec.threads());
        let winners = exec.map(features.chunks(share).collect(), best_among);
        winners.into_iter().fold(None, better)
    }

    /// Enters the candidates of a numeric feature. Returns the best of them instead if missing
    /// values are unknown, so that its gain is measured on fewer rows.
    fn scan(
        &self,
        feature: Contender,
        column: &SortedColumn<R>,
        range: &Range<usize>,
        contest: Contest<'_>,
        leader: &mut Leader<'_>,
    ) -> Option<Candidate> {
        let ranked_rows = &column.ranked_rows[range.clone()];
        let n_present = column.n_present(range);
        let missing_rows = ranked_rows.len() - n_present;
        if missing_rows == 0 {
            leader.set_entrant(Entrant::complete(feature));
            self.scan_rows(&ColumnScan { contest, ranked_rows, together: 0 }, leader);
            return None;
        }
        let (present, missing) = ranked_rows.split_at(n_present);
        if self.rules.missing == MissingValues::Unknown {
            let known = present.iter().map(|row| (self.classes[row.row()], self.weight(row.row())));
            let mut counts = vec![0.0; contest.counts.len()];
            known.for_each(|(class, weight)| counts[class as usize] += weight);
            return contest.of_part(&counts, n_present, |contest, leader| {
                leader.set_entrant(Entrant::complete(feature));
                let scan = ColumnScan { contest, ranked_rows: present, together: 0 };
                self.scan_rows(&scan, leader);
            });
        }
        let entrant = |missing| Entrant { feature, axis: 0, missing, missing_rows };
        leader.set_entrant(entrant(Missing::Right));
        self.scan_rows(&ColumnScan { contest, ranked_rows, together: 0 }, leader);
        leader.set_entrant(entrant(Missing::Left));
        let ranked_rows = &[missing, present].concat();
        self.scan_rows(&ColumnScan { contest, ranked_rows, together: missing_rows }, leader);
        None
    }

    fn scan_rows(&self, scan: &ColumnScan<'_, R>, leader: &mut Leader<'_>) {
        let Self { rules, classes, .. } = self;
        let n_classes = scan.contest.counts.len();
        let is_plain_gini = rules.criterion == Criterion::Gini && rules.training.has_unit_factors();
        match &self.weights {
            Some(weights) if is_plain_gini => match n_classes {
                2 => scan.scan_weighted_gini::<[f64; 2]>(leader, classes, weights),
                3 => scan.scan_weighted_gini::<[f64; 3]>(leader, classes, weights),
                _ => scan.scan_weighted_gini::<Vec<f64>>(leader, classes, weights),
            },
            Some(weights) => scan.scan_weighted(leader, classes, |row| weights[row]),
            None if !is_plain_gini => scan.scan_weighted(leader, classes, |_| 1.0),
            None if n_classes == 2 && scan.ranked_rows.len() <= MAX_TWO_CLASS_ROWS => {
                scan.scan_two_class_gini(leader);
            }
            None => scan.scan_unweighted_gini(leader, classes),
        }
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// Splits the node at `range` by a test, and returns the range of each side. Searching the
    /// children needs [`partition_columns`](Self::partition_columns) first.
    pub(crate) fn split(&mut self, range: &Range<usize>, test: &Test, use_zones: bool) -> Sides {
        let feature = test.feature().0;
        let side = |value: f64| test.training_side(value, use_zones);
        match &self.columns[feature as usize] {
            BlockColumn::Numbers(column) => {
                let ranked_rows = &column.ranked_rows[range.clone()];
                let (present, missing) = ranked_rows.split_at(column.n_present(range));
                // Values ascend, and so do sides.
                let up_to = |last: Side| {
                    present.partition_point(|row| side(self.value(feature, row.row())) <= last)
                };
                let (left, middle) = (up_to(Side::Below), up_to(Side::Within));
                for (side, part) in [
                    (Side::Below, &present[..left]),
                    (Side::Within, &present[left..middle]),
                    (Side::Above, &present[middle..]),
                    (side(f64::NAN), missing),
                ] {
                    part.iter().for_each(|row| self.sides[row.row()] = side);
                }
            }
            BlockColumn::Categories(codes, n_codes) => {
                let of_codes: Vec<Side> =
                    (0..*n_codes as u32).map(|code| side(f64::from(code))).collect();
                for &row in &self.order[range.clone()] {
                    let code = codes[row as usize] as usize;
                    let side = of_codes.get(code).copied().unwrap_or_else(|| side(f64::NAN));
                    self.sides[row as usize] = side;
                }
            }
        }
        let sides = &self.sides;
        arrange(&mut self.order[range.clone()], &mut self.scratch, |row| sides[row as usize])
    }

    /// The summary of the node at `range` for zone estimators; `None` if its test has no
    /// threshold. `left` and `right` tally the two sides of its split.
    pub(crate) fn summary(
        &self,
        range: &Range<usize>,
        test: &Test,
        [left, right]: [&Tally; 2],
    ) -> Option<Summary> {
        let feature = test.feature().0;
        let BlockColumn::Numbers(column) = &self.columns[feature as usize] else { return None };
        test.zone()?;
        let (present, missing) =
            column.ranked_rows[range.clone()].split_at(column.n_present(range));
        let mut aside = Tally::empty(left.rows.len());
        missing.iter().for_each(|row| aside.add(self.classes[row.row()], self.weight(row.row())));
        // Estimators see the rows whose value is present.
        let present_of = |side: &Tally, missing_side| {
            if test.missing() == missing_side { side.without(&aside) } else { side.clone() }
        };
        let (left, right) = (present_of(left, Missing::Left), present_of(right, Missing::Right));
        let value = |row: &R| self.value(feature, row.row());
        let mut summary = Summary::empty(left.rows.len());
        summary.extremes = (value(&present[0]), value(&present[present.len() - 1]));
        // From the cut outwards, until every class is found.
        let n_left = left.rows.iter().sum::<u32>() as usize;
        let nearest = |rows: &mut dyn Iterator<Item = &R>, side: &Tally, nearest: &mut [f64]| {
            let mut wanted = side.rows.iter().filter(|&&rows| rows > 0).count();
            for row in rows {
                let nearest = &mut nearest[self.classes[row.row()] as usize];
                if nearest.is_infinite() {
                    (*nearest, wanted) = (value(row), wanted - 1);
                }
                if wanted == 0 {
                    break;
                }
            }
        };
        nearest(&mut present[..n_left].iter().rev(), &left, &mut summary.nearest_left);
        nearest(&mut present[n_left..].iter(), &right, &mut summary.nearest_right);
        (summary.left_counts, summary.right_counts) = (left.counts, right.counts);
        Some(summary)
    }

    /// Partitions the columns of a split node, so that its children can be searched; with `only`,
    /// just the child on that side.
    pub(crate) fn partition_columns(
        &mut self,
        range: &Range<usize>,
        test: &Test,
        only: Option<Side>,
        exec: &Exec,
    ) {
        let sides = &self.sides;
        let partition = |column: &mut SortedColumn<R>| column.partition(range, sides, only);
        // The tested column is in order already, unless missing values, which come last, go
        // elsewhere than right.
        let tested = test.feature().index();
        let in_order = |column: &SortedColumn<R>| {
            test.missing() == Missing::Right || column.n_present(range) == range.len()
        };
        let columns = self.columns.iter_mut().enumerate().filter_map(|(i, column)| match column {
            BlockColumn::Numbers(column) if i != tested || !in_order(column) => Some(column),
            _ => None,
        });
        if exec.threads() == 1 || range.len() * self.features.len() < WORTH_SHARING {
            columns.for_each(partition);
        } else {
            exec.map(columns.collect(), partition);
        }
    }

    /// The tally of the rows at `range`.
    pub(crate) fn tally(&self, range: Range<usize>) -> Tally {
        let mut tally = Tally::empty(self.rules.training.n_classes());
        for &row in &self.order[range] {
            tally.add(self.classes[row as usize], self.weight(row as usize));
        }
        tally
    }

    /// The rows at `range`.
    pub(crate) fn rows_at(&self, range: Range<usize>) -> impl Iterator<Item = u32> {
        self.order[range].iter().map(|&row| self.rows[row as usize])
    }
}
