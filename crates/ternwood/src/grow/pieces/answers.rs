//! The replies of a piece, once its rows are where the tree sends them.

use super::ask::Ask;
use super::counts::{Counts, ValueCount};
use super::holder::{Holder, PieceRows, training};
use super::reply::{Blob, Reply, mismatch};
use super::route::Route;
use crate::dataset::Moments;
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::classes::{ClassTraining, Classes};
use crate::grow::deviation::moments;
use crate::grow::neighbours;
use crate::grow::search::SearchRules;
use crate::grow::search::binned::BinnedSearch;
use crate::grow::summary::Summary;
use crate::grow::target::Cell;
use crate::tree::{Edges, Test};
use std::borrow::Cow;
use std::marker::PhantomData;

/// The rows of a piece, ready to answer.
pub(super) struct Answers<'a, T> {
    holder: &'a Holder,
    piece: PieceRows<'a>,
    training: &'a ClassTraining<'a>,
    exec: &'a Exec,
    cells: PhantomData<T>,
}

impl<'a, T: Cell<Target = Classes>> Answers<'a, T> {
    pub(super) fn new(
        holder: &'a Holder,
        piece: PieceRows<'a>,
        training: &'a ClassTraining<'a>,
        exec: &'a Exec,
    ) -> Self {
        Self { holder, piece, training, exec, cells: PhantomData }
    }

    pub(super) fn reply(&self, ask: &Ask) -> Result<Reply> {
        let Holder { bins, rows, .. } = self.holder;
        let rows_at = |node: &u32| self.holder.rows_at(*node);
        Ok(match ask {
            Ask::SingleValued => Reply::SingleValued(bins.single_valued()),
            Ask::Count { node } => {
                let search = self.search();
                let rows = ascending(rows_at(node)?);
                Reply::Counts(self.counts(&search.histogram(&rows)?.into_cells()))
            }
            Ask::CountFeature { node, feature } => {
                self.check_feature(*feature)?;
                let rows = ascending(rows_at(node)?);
                let counts = self.search().histogram_of_feature(&rows, *feature)?;
                Reply::Counts(self.counts(&[counts]))
            }
            Ask::Look { node, feature, bins } => {
                self.check_feature(*feature)?;
                Reply::Values(self.values(rows_at(node)?, *feature, bins))
            }
            Ask::Edge { node, feature, bins } => {
                self.check_feature(*feature)?;
                let values = |bin: u16| self.values_in(rows_at(node), *feature, bin);
                let largest = values(bins[0])?.fold(f64::NEG_INFINITY, f64::max);
                Reply::Edge([largest, values(bins[1])?.fold(f64::INFINITY, f64::min)])
            }
            Ask::Summary { node, bins } => self.summary(rows_at(node)?, &self.split(*node)?, bins),
            Ask::Moments { node, extremes } => {
                let feature = self.split(*node)?.feature().0;
                Reply::Moments(self.moments(rows_at(node)?, feature, *extremes)?)
            }
            Ask::Within { node, edges: [lower, upper] } => {
                let feature = self.split(*node)?.feature().0;
                let column = self.training.column(feature);
                let edges = Edges { lower: *lower, upper: *upper };
                Reply::Within(bins.rows_within(feature, column, edges, rows_at(node)?))
            }
            Ask::Fetch { node } => Reply::Rows(self.fetch(rows_at(node)?)),
            Ask::Neighbours { feature, cuts } => {
                self.check_feature(*feature)?;
                let Holder { weights, columns, .. } = self.holder;
                let training = training(self.piece, weights, columns, rows.clone());
                Reply::Neighbours(neighbours::next_to(
                    cuts.clone(),
                    &training,
                    *feature,
                    Some(bins),
                ))
            }
        })
    }

    fn search(&self) -> BinnedSearch<'_, T> {
        let rules = SearchRules::for_counting(self.training, self.exec);
        BinnedSearch { rules, bins: &self.holder.bins, exec: self.exec, cells: PhantomData }
    }

    fn check_feature(&self, feature: u32) -> Result<()> {
        match (feature as usize) < self.training.n_features() {
            true => Ok(()),
            false => Err(mismatch("a feature that is not there")),
        }
    }

    /// The grid of the weights, if rows have any.
    fn unit(&self) -> Option<f64> {
        self.training.has_weights().then(|| self.training.weight_unit())
    }

    fn counts(&self, counts: &[Vec<T>]) -> Vec<Counts> {
        counts.iter().map(|cells| Counts::new(cells, self.unit())).collect()
    }

    /// The split of a node at a threshold.
    fn split(&self, node: u32) -> Result<Test> {
        let route = self.holder.routes.get(node as usize);
        let test = match route {
            Some(Route::Split { test, .. }) => test.test(self.training.n_features())?,
            _ => return Err(mismatch("a node without a split")),
        };
        if test.zone().is_none() {
            return Err(mismatch("a split without a threshold"));
        }
        Ok(test)
    }

    fn values_in(
        &self,
        rows: Result<&'_ [u32]>,
        feature: u32,
        bin: u16,
    ) -> Result<impl Iterator<Item = f64>> {
        let (codes, column) = (self.holder.bins.codes(feature), self.training.column(feature));
        let in_bin = rows?.iter().filter(move |&&row| codes[row as usize] == bin);
        Ok(in_bin.map(move |&row| column.at(row as usize)))
    }

    /// The rows in some bins.
    fn rows_in(&self, rows: &[u32], feature: u32, bins: &[u16]) -> Vec<u32> {
        let codes = self.holder.bins.codes(feature);
        let mut is_wanted = vec![false; usize::from(u16::MAX) + 1];
        bins.iter().for_each(|&bin| is_wanted[usize::from(bin)] = true);
        // Missing values have no place among others.
        let n_present = self.holder.bins.n_present_bins(feature);
        is_wanted[n_present..].fill(false);
        let in_bins = |&row: &u32| is_wanted[usize::from(codes[row as usize])];
        rows.iter().copied().filter(in_bins).collect()
    }

    fn values(&self, rows: &[u32], feature: u32, bins: &[u16]) -> Vec<ValueCount> {
        let column = self.training.column(feature);
        let has_weights = self.training.has_weights();
        let value = |row: u32| ValueCount {
            value: column.at(row as usize),
            class: self.training.class_of(row),
            rows: 1,
            units: if has_weights { self.training.weight_in_units(row) } else { 1 },
        };
        let mut values: Vec<ValueCount> =
            self.rows_in(rows, feature, bins).into_iter().map(value).collect();
        ValueCount::sort_and_sum(&mut values);
        values
    }

    fn summary(&self, rows: &[u32], test: &Test, bins: &[u16]) -> Reply {
        let feature = test.feature().0;
        let column = self.training.column(feature);
        let mut summary = Summary::of_classes(self.training.n_classes());
        for row in self.rows_in(rows, feature, bins) {
            summary.see(column.at(row as usize), self.training.class_of(row), test);
        }
        let nearest = summary.nearest_left.iter().zip(&summary.nearest_right);
        let nearest = nearest.map(|(&left, &right)| [left, right]).collect();
        Reply::Summary { extremes: summary.extremes, nearest }
    }

    fn moments(&self, rows: &[u32], feature: u32, (min, max): (f64, f64)) -> Result<Vec<Moments>> {
        let column = self.training.column(feature);
        let present = rows.iter().filter(|&&row| !column.at(row as usize).is_nan());
        let outside = |&&row: &&u32| !(min..=max).contains(&column.at(row as usize));
        if present.clone().any(|row| outside(&row)) {
            return Err(mismatch("values outside their range"));
        }
        let weighed = present.map(|&row| {
            let class = self.training.class_of(row) as usize;
            (column.at(row as usize), class, self.training.weight_in_units(row))
        });
        Ok(moments((min, max), weighed, self.training.n_classes()))
    }

    /// The rows themselves: classes, weights and values, feature by feature.
    fn fetch(&self, rows: &[u32]) -> Vec<Blob> {
        if rows.is_empty() {
            return Vec::new();
        }
        let mut bytes = Vec::with_capacity(rows.len() * row_bytes(self.training.n_features()));
        bytes.extend(rows.iter().flat_map(|&row| self.training.class_of(row).to_le_bytes()));
        bytes.extend(rows.iter().flat_map(|&row| self.training.weight_in_units(row).to_le_bytes()));
        for feature in 0..self.training.n_features() as u32 {
            let column = self.training.column(feature);
            bytes.extend(rows.iter().flat_map(|&row| column.at(row as usize).to_le_bytes()));
        }
        vec![Blob(bytes)]
    }
}

/// The rows in ascending order, as counting needs them: those of a node that was split are by side.
fn ascending(rows: &[u32]) -> Cow<'_, [u32]> {
    let mut rows = Cow::Borrowed(rows);
    if !rows.is_sorted() {
        rows.to_mut().sort_unstable();
    }
    rows
}

/// The bytes of one row that is fetched.
pub(super) fn row_bytes(n_features: usize) -> usize {
    size_of::<u32>() + size_of::<u64>() + n_features * size_of::<f64>()
}
