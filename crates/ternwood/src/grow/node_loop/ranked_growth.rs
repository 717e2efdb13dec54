//! Grows a tree on ranks: nodes are independent of each other, so they may come in any order. The rows of a node go to
//! their sides by rank.

use super::growth::{NodeSearch, grow};
use super::rules::GrowRules;
use crate::error::Result;
use crate::grow::deviation::Weights;
use crate::grow::node_rows::{Sides, arrange};
use crate::grow::nodes::GrownNode;
use crate::grow::search::SplitChoice;
use crate::grow::search::ranked::{
    CodeTable, Item, MOST_SORTED, RankedChoice, RankedColumns, RankedNode, RankedRows,
    RankedSearch, Scratch,
};
use crate::grow::summary::Summary;
use crate::grow::target::{Cell, Measure, Tally, Target, WithCells};
use crate::recipe::ZoneKind;
use crate::tree::{Cut, Side, Test};
use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

/// A tree to be grown on ranks.
pub(crate) struct OnRanks<'a, T: Target> {
    pub(crate) rules: &'a GrowRules<'a, T>,
    pub(crate) columns: &'a RankedColumns,
    /// Are ordered so that those of every node are contiguous.
    pub(crate) rows: &'a mut [u32],
    /// Holds all of the rows.
    pub(crate) root: GrownNode<T>,
}

impl<T: Target> OnRanks<'_, T> {
    pub(crate) fn grow(self) -> Result<Vec<GrownNode<T>>> {
        T::with_cells(self.rules.search.training.weights(), self)
    }
}

impl<T: Target> WithCells<T> for OnRanks<'_, T> {
    type Output = Result<Vec<GrownNode<T>>>;

    fn call<C: Cell<Target = T>>(self) -> Result<Vec<GrownNode<T>>> {
        let Self { rules, columns, rows, root } = self;
        if rules.must_be_leaf(&root) {
            return Ok(vec![root]);
        }
        let targets = rules.search.training.counted::<C>();
        let item = |&row: &u32| Item { row, place: row, target: C::of_row(targets, row) };
        let items: Vec<Item<C>> = rows.iter().map(item).collect();
        let mut search = RankedItems {
            rules,
            columns,
            items,
            scratch: Scratch::default(),
            spare: Vec::new(),
            values: Vec::new(),
        };
        let nodes = grow(rules, &mut search, root, KeptCodes::default())?;
        rows.iter_mut().zip(&search.items).for_each(|(row, item)| *row = item.row);
        Ok(nodes)
    }
}

/// The rows of a tree as items that know their ranks.
struct RankedItems<'a, C: Cell> {
    rules: &'a GrowRules<'a, C::Target>,
    columns: &'a RankedColumns,
    items: Vec<Item<C>>,
    scratch: Scratch<C>,
    /// Memory reused between calls.
    spare: Vec<Item<C>>,
    values: Vec<f64>,
}

/// What is kept about a node.
#[derive(Default)]
struct KeptCodes {
    /// The codes of its branch; `None` for those of all rows.
    codes: Option<Rc<CodeTable>>,
    /// The lowest rank right of its planned split.
    first_right: Option<u32>,
}

impl<T: Target, C: Cell<Target = T>> NodeSearch for RankedItems<'_, C> {
    type Target = T;
    type Kept = KeptCodes;

    fn best_split(
        &mut self,
        node: &GrownNode<T>,
        kept: &mut KeptCodes,
    ) -> Result<Option<SplitChoice>> {
        let Self { rules, columns, items, scratch, .. } = self;
        let items = &mut items[node.range.clone()];
        let codes = kept.codes.as_deref().unwrap_or(columns.codes());
        if let Some(own) = codes.narrowed(items) {
            kept.codes = Some(Rc::new(own));
        }
        let search = RankedSearch { rules: rules.search, ranked: ranked(columns, kept) };
        let found =
            search.best_split(RankedNode { items, tally: &node.tally, key: node.key }, scratch);
        Ok(found.map(|RankedChoice { choice, first_right }| {
            kept.first_right = first_right.filter(|_| !rules.three_child());
            choice
        }))
    }

    fn rows_of(&self, node: &GrownNode<T>) -> Cow<'_, [u32]> {
        self.items[node.range.clone()].iter().map(|item| item.row).collect()
    }

    fn divide(&mut self, node: &GrownNode<T>, test: &Test, kept: &KeptCodes) -> Sides {
        let sides = RankSides::new(self.rules, ranked(self.columns, kept), test, kept.first_right);
        sides.arrange(&mut self.items[node.range.clone()], &mut self.spare)
    }

    fn tally(&self, rows: Range<usize>) -> T::Tally {
        let rows = self.items[rows].iter().map(Item::target);
        T::tally(self.rules.search.training.target(), rows)
    }

    fn summary(
        &mut self,
        nodes: &[GrownNode<T>],
        node: usize,
        _: &KeptCodes,
    ) -> Result<Option<Summary<T::Sum>>> {
        let has_zones = self.rules.params.zone.kind != ZoneKind::None;
        Ok(if has_zones { self.summary_of(nodes, node) } else { None })
    }

    fn children(
        &mut self,
        _: &[GrownNode<T>],
        _: usize,
        kept: KeptCodes,
        open: Vec<usize>,
    ) -> Result<Vec<(usize, KeptCodes)>> {
        let kept_of = |child| (child, KeptCodes { codes: kept.codes.clone(), first_right: None });
        Ok(open.into_iter().map(kept_of).collect())
    }
}

/// The ranks, and the codes of a branch or of all rows.
fn ranked<'b>(columns: &'b RankedColumns, kept: &'b KeptCodes) -> RankedRows<'b> {
    RankedRows { columns, codes: kept.codes.as_deref().unwrap_or(columns.codes()) }
}

impl<T: Target, C: Cell<Target = T>> RankedItems<'_, C> {
    /// The summary of a split for zone estimators, which see the rows whose value is present; `None` if the
    /// split has no threshold.
    fn summary_of(&mut self, nodes: &[GrownNode<T>], node: usize) -> Option<Summary<T::Sum>> {
        let Self { rules, items, values, .. } = self;
        let split = nodes[node].split.as_ref()?;
        split.test.zone()?;
        let training = rules.search.training;
        let column = training.column(split.test.feature().0);
        let [left, right] = [split.left, split.right].map(|child| &nodes[child]);
        let (lefts, rights) = (&items[left.range.clone()], &items[right.range.clone()]);
        // A loop of its own, so that many values are on their way from memory at once.
        values.clear();
        values.extend(lefts.iter().chain(rights).map(|item| column.at(item.row as usize)));
        let (left_values, right_values) = values.split_at(lefts.len());
        if rules.params.zone.kind == ZoneKind::Spread {
            // The smaller or larger of a number and NaN is the number.
            let min = left_values.iter().copied().fold(f64::INFINITY, f64::min);
            let max = right_values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let unit = training.weight_unit();
            let factors = T::group_factors(training.target());
            let rows = lefts.iter().chain(rights).zip(&*values).filter(|(_, x)| !x.is_nan());
            let weighed = rows.map(|(item, &x)| {
                let (group, units) = C::weighed(item.target, unit);
                (x, group as usize, units)
            });
            let deviation = Weights { factors, unit }.deviation((min, max), weighed);
            return Some(Summary::of_spread((min, max), deviation));
        }
        let mut summary = Summary::empty(left.tally.group_rows().len(), &[]);
        summary.left_sums = left.tally.sums().to_vec();
        summary.right_sums = right.tally.sums().to_vec();
        let unit = training.weight_unit();
        let group = |item: &Item<C>| C::weighed(item.target, unit).0 as usize;
        let (mut min, mut max) = summary.extremes;
        let mut missing = [(); 2].map(|()| vec![T::Sum::default(); training.width()]);
        // The smaller or larger of a number and NaN is the number.
        for (item, &x) in lefts.iter().zip(left_values) {
            let nearest = &mut summary.nearest_left[group(item)];
            *nearest = nearest.max(x);
            min = min.min(x);
            if x.is_nan() {
                training.measure().add(&mut missing[0], item.target());
            }
        }
        for (item, &x) in rights.iter().zip(right_values) {
            let nearest = &mut summary.nearest_right[group(item)];
            *nearest = nearest.min(x);
            max = max.max(x);
            if x.is_nan() {
                training.measure().add(&mut missing[1], item.target());
            }
        }
        let sides = [&mut summary.left_sums, &mut summary.right_sums];
        for (side, missing) in sides.into_iter().zip(&missing) {
            side.iter_mut().zip(missing).for_each(|(sum, &missing)| *sum -= missing);
        }
        summary.extremes = (min, max);
        Some(summary)
    }
}

/// A test of one feature, in terms of ranks.
pub(super) struct RankSides<'a> {
    ranked: RankedRows<'a>,
    feature: u32,
    sides: SidesOfRanks,
}

/// The side of every rank.
enum SidesOfRanks {
    /// Below this rank, and above; missing values are above.
    At(u32),
    /// Below `lower`, within below `upper`, above; missing at `n_ranks`.
    Ranges {
        lower: u32,
        upper: u32,
        n_ranks: u32,
        missing: Side,
    },
    Each(Vec<Side>, Side),
}

impl<'a> RankSides<'a> {
    /// Of a test; `first_right` is the lowest rank right of it, where that is known.
    pub(super) fn new<T: Target>(
        rules: &GrowRules<'_, T>,
        ranked: RankedRows<'a>,
        test: &Test,
        first_right: Option<u32>,
    ) -> Self {
        let three_child = rules.three_child();
        let feature = test.feature().0;
        let column = ranked.of(feature);
        // Where nothing is missing, any side will do.
        let missing = match rules.search.training.has_missing(feature) {
            true => test.training_side(f64::NAN, three_child),
            false => Side::Above,
        };
        let sides = match (first_right, test.edges(three_child)) {
            (Some(first), _) if missing == Side::Above => SidesOfRanks::At(first),
            (_, Some(edges)) => {
                let up_to =
                    |edge: f64| column.values.partition_point(|&value| value <= edge) as u32;
                let lower = up_to(edges.lower);
                let upper = up_to(edges.upper).max(lower);
                SidesOfRanks::Ranges { lower, upper, n_ranks: column.n_ranks, missing }
            }
            (_, None) => {
                let side = |rank: u32| test.training_side(f64::from(rank), three_child);
                let present = match test.cut() {
                    Cut::Present => vec![Side::Below; column.n_ranks as usize],
                    _ => (0..column.n_ranks).map(side).collect(),
                };
                SidesOfRanks::Each(present, missing)
            }
        };
        Self { ranked, feature, sides }
    }

    /// Orders the rows of a node by their side.
    pub(super) fn arrange<C: Cell>(
        &self,
        items: &mut [Item<C>],
        spare: &mut Vec<Item<C>>,
    ) -> Sides {
        let ranks = self.ranked.ranks(self.feature);
        let side = |is_below: bool| if is_below { Side::Below } else { Side::Above };
        match &self.sides {
            // The ranks of few rows have just been sorted, the codes of many counted.
            SidesOfRanks::At(first) if items.len() > MOST_SORTED => {
                let is_below = self.ranked.is_below(self.feature, *first);
                arrange(items, spare, |item| side(is_below(&item)))
            }
            SidesOfRanks::At(first) => arrange(items, spare, |item| side(ranks.of(&item) < *first)),
            sides => arrange(items, spare, |item| sides.of(ranks.of(&item))),
        }
    }
}

impl SidesOfRanks {
    #[inline(always)]
    fn of(&self, rank: u32) -> Side {
        match self {
            Self::At(first) if rank < *first => Side::Below,
            Self::At(_) => Side::Above,
            Self::Ranges { lower, .. } if rank < *lower => Side::Below,
            Self::Ranges { upper, .. } if rank < *upper => Side::Within,
            Self::Ranges { n_ranks, missing, .. } if rank == *n_ranks => *missing,
            Self::Ranges { .. } => Side::Above,
            Self::Each(sides, missing) => sides.get(rank as usize).copied().unwrap_or(*missing),
        }
    }
}
