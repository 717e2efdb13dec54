//! The binned search for rows that are elsewhere: it says which bins it must see, and goes on when it has.

use crate::error::Result;
use crate::grow::classes::{Classes, RealCell, Tally};
use crate::grow::search::SplitChoice;
use crate::grow::search::binned::{
    BinPlace, BinnedNode, BinnedSearch, LiveRow, NodeHistogram, Survey,
};
use crate::grow::search::candidate::{Candidate, Place};
use crate::tree::{Cut, Missing, Side};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A node whose rows are elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct RemoteNode<'a> {
    pub(crate) tally: &'a Tally,
    pub(crate) histogram: &'a NodeHistogram<RealCell>,
}

/// A search that has seen the edges of all bins, and what is inside some of them.
#[derive(Debug, Clone)]
pub(crate) struct RemoteSearch {
    survey: Survey<Classes>,
    /// The rows left of the best split, if that is inside a bin.
    left: Option<Tally>,
}

/// What the search asks for next.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Asked {
    /// The rows in some bins of features.
    pub(crate) inside: BTreeMap<u32, BTreeSet<u16>>,
    /// A feature and two of its bins: the largest value of the first, the smallest of the second.
    pub(crate) edge: Option<(u32, [u16; 2])>,
    /// About how many rows there are to look at.
    pub(crate) rows: usize,
}

/// The rows that were looked at, sorted by value, for each feature.
pub(crate) type Looked = BTreeMap<u32, Vec<LiveRow<Classes>>>;

impl RemoteSearch {
    /// True if nothing is left to look at but the values around an edge.
    pub(crate) fn is_over(&self) -> bool {
        self.survey.live.is_empty()
    }
}

impl<'a> RemoteNode<'a> {
    fn binned(self) -> BinnedNode<'a, RealCell> {
        BinnedNode { rows: &[], tally: self.tally, histogram: self.histogram }
    }
}

impl BinnedSearch<'_, RealCell> {
    /// Scores all edges.
    pub(crate) fn begin(&self, node: RemoteNode<'_>) -> RemoteSearch {
        let survey = self.survey_node(&self.rules.all_features(), node.binned());
        RemoteSearch { survey, left: None }
    }

    /// What to look at next: the live bins that can hold the best splits, of about `max_rows` rows; once
    /// none is left, the values around the best edge. `None` if the search is done.
    pub(crate) fn asks(
        &self,
        search: &RemoteSearch,
        node: RemoteNode<'_>,
        max_rows: usize,
    ) -> Option<Asked> {
        let mut by_bound: Vec<_> = search.survey.live.iter().collect();
        by_bound.sort_by(|a, b| b.bound.total_cmp(&a.bound));
        let mut asked = Asked::default();
        for live in by_bound {
            if asked.rows > 0 && asked.rows + live.n_rows > max_rows {
                break;
            }
            asked.rows += live.n_rows;
            asked.inside.entry(live.entrant.feature.feature).or_default().insert(live.bin as u16);
        }
        // The edge may still lose, but asking for it now saves a round.
        if let Some(Candidate { feature, rank, place: Place::Number(BinPlace::After(bin)), .. }) =
            search.survey.best
            && !rank.separates_missing
        {
            asked.edge = Some((feature, self.bins_around_edge(feature, bin, node.binned())));
        }
        let settled = search.survey.live.is_empty() && asked.edge.is_none();
        (!settled).then_some(asked)
    }

    /// Goes on with rows that were asked for.
    pub(crate) fn look(
        &self,
        search: &mut RemoteSearch,
        node: RemoteNode<'_>,
        asked: &Asked,
        looked: &Looked,
    ) -> Result<()> {
        let before = search.survey.best.clone();
        let is_asked = |feature: u32, bin: usize| {
            asked.inside.get(&feature).is_some_and(|bins| bins.contains(&(bin as u16)))
        };
        self.look_inside(
            &mut search.survey,
            node.binned(),
            |live| is_asked(live.entrant.feature.feature, live.bin),
            |feature, _| looked.get(&feature).map_or(Cow::Borrowed(&[]), Cow::from),
        )?;
        if search.survey.best != before
            && let Some(Candidate {
                feature,
                missing,
                place: Place::Number(BinPlace::Inside([low, _])),
                ..
            }) = search.survey.best
        {
            let rows = looked.get(&feature).map_or(&[][..], Vec::as_slice);
            search.left = Some(self.left_of(feature, missing, low, rows, node));
        }
        Ok(())
    }

    /// The best split, and the rows left of it and between; `None` if there is none. `edge` are the values
    /// around the edge that was asked for last.
    pub(crate) fn end(
        &self,
        search: RemoteSearch,
        node: RemoteNode<'_>,
        edge: Option<[f64; 2]>,
    ) -> Option<(SplitChoice, [Tally; 2])> {
        let RemoteSearch { survey, left } = search;
        let best = survey.best?;
        let choice = self.choice(&best, node.binned(), |_, _| edge.unwrap_or([f64::NAN; 2]));
        let feature = best.feature;
        let n_classes = node.tally.rows.len();
        let [present, missing] = self.cells(feature, node.binned());
        let mut within = Tally::empty(n_classes);
        let below = match (choice.test.cut(), best.place) {
            (Cut::Categories(_), _) => {
                let groups = present.chunks_exact(n_classes).enumerate();
                let groups = groups.map(|(id, cells)| (id as f64, cells));
                let groups = groups.chain([(f64::NAN, missing)]);
                let on = |wanted: Side| {
                    let side = |value: f64| choice.test.training_side(value, false);
                    let cells = groups.clone().filter(|(value, _)| side(*value) == wanted);
                    let cells: Vec<RealCell> =
                        cells.flat_map(|(_, cells)| cells).copied().collect();
                    Tally::of_cells(&cells, n_classes)
                };
                within = on(Side::Within);
                on(Side::Below)
            }
            (Cut::Present, _) => Tally::of_cells(present, n_classes),
            (Cut::Threshold { .. }, Place::Number(BinPlace::After(bin))) => {
                self.up_to(feature, best.missing, usize::from(bin) + 1, node)
            }
            (Cut::Threshold { .. }, _) => left?,
        };
        Some((choice, [below, within]))
    }

    /// The rows in the first bins of a feature, and those of missing values if they go left.
    fn up_to(&self, feature: u32, missing: Missing, n_bins: usize, node: RemoteNode<'_>) -> Tally {
        let [present, of_missing] = self.cells(feature, node.binned());
        let n_classes = node.tally.rows.len();
        let always_left = if missing == Missing::Left { of_missing } else { &[] };
        Tally::of_cells(&[always_left, &present[..n_bins * n_classes]].concat(), n_classes)
    }

    /// The rows of a feature up to the value `low`, of whose bin the rows are known.
    fn left_of(
        &self,
        feature: u32,
        missing: Missing,
        low: f64,
        rows: &[LiveRow<Classes>],
        node: RemoteNode<'_>,
    ) -> Tally {
        let bin = self.bins.code_of(feature, low);
        let mut tally = self.up_to(feature, missing, bin.into(), node);
        let in_bin = |row: &&LiveRow<Classes>| {
            row.value <= low && self.bins.code_of(feature, row.value) == bin
        };
        for row in rows.iter().filter(in_bin) {
            let (class, weight) = row.target;
            tally.rows[class as usize] += row.rows;
            tally.counts[class as usize] += weight;
        }
        tally
    }
}
