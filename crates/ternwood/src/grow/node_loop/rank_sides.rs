//! The rows of a node go to their sides by rank.

use super::rules::GrowRules;
use crate::grow::node_rows::{Sides, arrange};
use crate::grow::search::ranked::{Item, MOST_SORTED, RankedRows};
use crate::grow::target::{Cell, Target};
use crate::tree::{Cut, Side, Test};

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
