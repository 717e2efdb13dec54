//! Split search on a block of rows whose columns are sorted once and stay sorted.
//!
//! A node of the block's subtree is the same range of every sorted column. Splitting a node
//! partitions each range stably, so nothing is sorted again. A level costs O(d n), in memory
//! order.

use super::binned::BinnedColumns;
use super::candidate::{Candidate, Contender, Contest, Entrant, Leader, Place, better};
use super::categories::{self, MISSING, NodeCategories};
use super::sorted_column::{RankedRow, SortedColumn};
use super::{SearchRules, SplitChoice};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::node_rows::{Sides, arrange};
use crate::grow::stream::NodeKey;
use crate::grow::summary::Summary;
use crate::grow::target::{Left, Measure, Tally, Target};
use crate::grow::training::{Features, Training};
use crate::recipe::MissingValues;
use crate::tree::{Missing, Side, Test};
use std::ops::Range;

/// A target whose sorted columns can be scanned. Rows are those of a block, by position.
pub(crate) trait SortedTarget: Target {
    /// The targets of a block.
    type Block: Send + Sync;

    fn block(training: &Training<'_, Self>, rows: &[u32]) -> Self::Block;

    fn row_at(block: &Self::Block, row: usize) -> Self::Row;

    fn group_at(block: &Self::Block, row: usize) -> u32;

    /// A bit that is kept with the row in every column.
    fn flag(_: &Self::Block, _: usize) -> bool {
        false
    }

    /// Enters all legal cuts between two distinct values of a sorted column.
    fn scan<R: RankedRow>(
        scan: &ColumnScan<'_, R, Self>,
        block: &Self::Block,
        leader: &mut Leader<'_, Self, ()>,
    );
}

/// A sorted column at a node. Rows of missing values come last, or first if they go left.
pub(crate) struct ColumnScan<'a, R, T: Target> {
    pub(crate) contest: Contest<'a, T>,
    pub(crate) ranked_rows: &'a [R],
    /// Rows at the start that are never separated: missing values that go left.
    together: usize,
}

impl<R: RankedRow, T: Target> ColumnScan<'_, R, T> {
    /// The fewest and the most rows that may go left; `None` if no split is legal.
    pub(crate) fn legal(&self) -> Option<(usize, usize)> {
        let n = self.ranked_rows.len();
        let fewest = self.contest.limits.rows.max(1);
        let most = n.checked_sub(fewest)?;
        let fewest = fewest.max(self.together + 1);
        let one_value = self.ranked_rows[0].rank() == self.ranked_rows[n - 1].rank();
        (fewest <= most && !one_value).then_some((fewest, most))
    }

    /// Enters all cuts that may win, by the sums left of them.
    pub(crate) fn scan_by_left<L: Left<T>>(
        &self,
        leader: &mut Leader<'_, T, ()>,
        row: impl Fn(usize) -> T::Row,
    ) {
        let Some((fewest, most)) = self.legal() else { return };
        let mut left = L::first(self.contest.measure, self.contest.sums);
        let mut floor = leader.floor();
        for (i, pair) in self.ranked_rows.windows(2).enumerate().take(most) {
            left.add_row(row(pair[0].row()));
            let is_legal = (pair[0].rank() != pair[1].rank()) & (i + 1 >= fewest);
            if is_legal & left.may_reach(floor) {
                leader.offer(left.sums().as_ref(), i + 1, Place::Number(()));
                floor = leader.floor();
            }
        }
    }
}

/// The sorted columns of a block of rows.
pub(crate) struct SortedBlock<'a, R, T: SortedTarget> {
    rules: SearchRules<'a, T>,
    columns: Vec<BlockColumn<R>>,
    /// The rows of the block. Everything else refers to them by position.
    rows: &'a [u32],
    features: Vec<Contender>,
    targets: T::Block,
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
fn gather(table: &Features<'_>, rows: &[u32], features: &[Contender]) -> Vec<f64> {
    let mut values = vec![0.0; rows.len() * features.len()];
    for (tile, tile_rows) in rows.chunks(ROWS_PER_TILE).enumerate() {
        for (&Contender { feature, .. }, values) in
            features.iter().zip(values.chunks_exact_mut(rows.len()))
        {
            let column = table.column(feature);
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

impl<'a, R: RankedRow, T: SortedTarget> SortedBlock<'a, R, T> {
    /// Sorts the columns of a block of rows, with the help of bins if given.
    pub(crate) fn new(
        rules: SearchRules<'a, T>,
        rows: &'a [u32],
        bins: Option<&BinnedColumns>,
        exec: &Exec,
    ) -> Result<Self> {
        let training = rules.training;
        let features = rules.all_features();
        let targets = T::block(training, rows);
        let flag = |row: u32| T::flag(&targets, row as usize);
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
                BlockColumn::Numbers(SortedColumn::new(values, flag, bins, may_be_missing))
            };
            Ok(features.iter().zip(values.chunks_exact(rows.len())).map(column).collect())
        });
        let columns = columns.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(Self {
            rules,
            columns: columns.into_iter().flatten().collect(),
            rows,
            features,
            targets,
            order: (0..rows.len() as u32).collect(),
            scratch: Vec::new(),
            sides: vec![Side::Below; rows.len()],
        })
    }

    /// A node's best legal split; one without gain only where the rules allow it.
    pub(crate) fn best_split(
        &self,
        range: &Range<usize>,
        tally: &T::Tally,
        key: NodeKey,
        exec: &Exec,
    ) -> Option<SplitChoice> {
        let max_features = self.rules.max_features;
        let contest = Contest::new(&self.rules, tally);
        let alone = exec.alone();
        let work = range.len() * max_features;
        let exec = if work >= WORTH_SHARING { exec } else { &alone };
        let search = |features: &[Contender]| self.best_among(features, range, contest, exec);
        let best = if self.rules.has_fixed_features() {
            search(&self.features)
        } else {
            // Like scikit-learn, search beyond `max_features` until a split is found.
            let mut drawn = self.rules.drawn_features(key);
            let first: Vec<Contender> = drawn.by_ref().take(max_features).collect();
            search(&first).or_else(|| drawn.find_map(|feature| search(&[feature])))
        };
        best.map(|best| self.choice(&best, range))
    }

    fn choice(&self, best: &Candidate<()>, range: &Range<usize>) -> SplitChoice {
        let Candidate { feature, gain, rank, missing, left_rows, place } = *best;
        if rank.separates_missing {
            return SplitChoice { test: Test::is_present(feature), gain };
        }
        match (&self.columns[feature as usize], place) {
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

    /// The sums of the categories of a node.
    fn categories(&self, codes: &[u32], n_codes: usize, range: &Range<usize>) -> NodeCategories<T> {
        let row = |&row: &u32| (codes[row as usize], T::row_at(&self.targets, row as usize));
        let rows = self.order[range.clone()].iter().map(row);
        NodeCategories::from_rows(rows, n_codes, self.rules.training.measure())
    }

    fn value(&self, feature: u32, row: usize) -> f64 {
        self.rules.training.column(feature).at(self.rows[row] as usize)
    }

    fn best_among(
        &self,
        features: &[Contender],
        range: &Range<usize>,
        contest: Contest<'_, T>,
        exec: &Exec,
    ) -> Option<Candidate<()>> {
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
        contest: Contest<'_, T>,
        leader: &mut Leader<'_, T, ()>,
    ) -> Option<Candidate<()>> {
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
            let mut sums = vec![T::Sum::default(); contest.sums.len()];
            let known = present.iter().map(|row| T::row_at(&self.targets, row.row()));
            known.for_each(|row| contest.measure.add(&mut sums, row));
            return contest.of_part(&sums, n_present, |contest, leader| {
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

    fn scan_rows(&self, scan: &ColumnScan<'_, R, T>, leader: &mut Leader<'_, T, ()>) {
        T::scan(scan, &self.targets, leader);
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
        [left, right]: [&T::Tally; 2],
    ) -> Option<Summary<T::Sum>> {
        let feature = test.feature().0;
        let BlockColumn::Numbers(column) = &self.columns[feature as usize] else { return None };
        test.zone()?;
        let (present, missing) =
            column.ranked_rows[range.clone()].split_at(column.n_present(range));
        let aside = self.tally_of(missing.iter().map(|row| row.row()));
        // Estimators see the rows whose value is present.
        let present_of = |side: &T::Tally, missing_side| {
            if test.missing() == missing_side { side.without(&aside) } else { side.clone() }
        };
        let (left, right) = (present_of(left, Missing::Left), present_of(right, Missing::Right));
        let value = |row: &R| self.value(feature, row.row());
        let mut summary = Summary::empty(left.group_rows().len(), &[]);
        summary.extremes = (value(&present[0]), value(&present[present.len() - 1]));
        // From the cut outwards, until every group is found.
        let n_left = left.n_rows();
        let nearest = |rows: &mut dyn Iterator<Item = &R>, side: &T::Tally, nearest: &mut [f64]| {
            let mut wanted = side.group_rows().iter().filter(|&&rows| rows > 0).count();
            for row in rows {
                let nearest = &mut nearest[T::group_at(&self.targets, row.row()) as usize];
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
        (summary.left_sums, summary.right_sums) = (left.sums().to_vec(), right.sums().to_vec());
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
    pub(crate) fn tally(&self, range: Range<usize>) -> T::Tally {
        let rows = self.order[range].iter().map(|&row| row as usize);
        self.tally_of(rows)
    }

    fn tally_of(&self, rows: impl Iterator<Item = usize>) -> T::Tally {
        let rows = rows.map(|row| T::row_at(&self.targets, row));
        T::tally(self.rules.training.target(), rows)
    }

    /// The rows at `range`.
    pub(crate) fn rows_at(&self, range: Range<usize>) -> impl Iterator<Item = u32> {
        self.order[range].iter().map(|&row| self.rows[row as usize])
    }
}
