//! The side that holds rows: routes them through the tree and answers.

use super::messages::{Ask, Blob, Counts, Reply, Route, ValueCount, mismatch};
use crate::dataset::{Matrix, Moments, RowWeights, Schema, WeightGrid};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::classes::{ClassTraining, Classes, TrainingPart};
use crate::grow::deviation::moments;
use crate::grow::neighbours;
use crate::grow::node_rows::arrange_with;
use crate::grow::search::SearchRules;
use crate::grow::search::binned::{BinKind, BinnedColumns, BinnedSearch, Tuning};
use crate::grow::summary::Summary;
use crate::grow::target::{Cell, Target, WithCells};
use crate::grow::training::ColumnKind;
use crate::recipe::Criterion;
use crate::tree::{Edges, Test};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// What all pieces have in common: the grid of weights, the classes that count, and the bins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Setup {
    pub(crate) weights: WeightGrid,
    /// Of every class, whether its rows count.
    pub(crate) counted: Vec<bool>,
    /// Of every feature, whether some value is missing.
    pub(crate) missing: Vec<bool>,
    pub(crate) bins: Vec<BinKind>,
}

/// The rows of a piece.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PieceRows<'a> {
    pub(crate) matrix: Matrix<'a>,
    pub(crate) classes: &'a [u32],
    pub(crate) weights: Option<&'a [f64]>,
    pub(crate) schema: &'a Schema,
}

/// The codes of a piece's rows, and the nodes where they are.
#[derive(Debug)]
pub(crate) struct Holder {
    pub(super) weights: Arc<RowWeights>,
    pub(super) columns: Arc<[ColumnKind]>,
    pub(super) bins: BinnedColumns,
    /// The rows that count, ordered so that those of every node are contiguous, and ascend.
    pub(super) rows: Vec<u32>,
    /// The tree that they went through.
    pub(super) routes: Vec<Route>,
    /// Where the rows of each node are; `None` where they have not gone yet.
    ranges: Vec<Option<Range<usize>>>,
}

impl Setup {
    /// Checks that it suits the features and classes.
    pub(crate) fn check(&self, schema: &Schema) -> Result<()> {
        let (n_features, n_classes) = (schema.n_features(), schema.n_classes());
        let columns = ColumnKind::of(schema, |_| false);
        let suits = |(bins, column): (&BinKind, &ColumnKind)| bins.suits(column.n_categories());
        if self.bins.len() != n_features
            || self.missing.len() != n_features
            || self.counted.len() != n_classes
            || !self.bins.iter().zip(columns.iter()).all(suits)
        {
            return Err(mismatch("its features or classes are not those of the partition"));
        }
        Ok(())
    }
}

impl Holder {
    /// Encodes the rows. `setup` must suit the schema.
    ///
    /// # Errors
    /// Only if cancelled.
    pub(crate) fn new(piece: PieceRows<'_>, setup: &Setup, exec: &Exec) -> Result<Self> {
        let n_rows = piece.classes.len();
        let weights = Arc::new(RowWeights::on(setup.weights, piece.weights, n_rows));
        let columns = ColumnKind::of(piece.schema, |feature| setup.missing[feature as usize]);
        let training = training(piece, &weights, &columns, Vec::new());
        let bins =
            BinnedColumns::with_kinds(&training, setup.bins.clone(), Tuning::default(), exec)?;
        let counts = |&row: &u32| {
            let class = piece.classes[row as usize] as usize;
            weights.of(row as usize) > 0.0 && setup.counted[class]
        };
        let rows = (0..n_rows as u32).filter(counts).collect();
        Ok(Self { weights, columns, bins, rows, routes: Vec::new(), ranges: Vec::new() })
    }

    /// The replies to all asks about a tree.
    ///
    /// # Errors
    /// A tree or asks that do not suit the rows, or cancelled.
    pub(crate) fn answer(
        &mut self,
        piece: PieceRows<'_>,
        routes: &[Route],
        asks: &[Ask],
        exec: &Exec,
    ) -> Result<Vec<Reply>> {
        self.route(piece, routes, asks, exec)?;
        let training = training(piece, &self.weights, &self.columns, Vec::new());
        Classes::with_cells(
            &self.weights,
            Replies { holder: self, piece, training: &training, asks, exec },
        )
    }

    /// Sends the rows on to the nodes that are asked about. Where the tree is the one of last time, grown
    /// further, they go on from where they are.
    fn route(
        &mut self,
        piece: PieceRows<'_>,
        routes: &[Route],
        asks: &[Ask],
        exec: &Exec,
    ) -> Result<()> {
        let is_grown_from =
            |(now, before): (&Route, &Route)| *before == Route::Leaf || now == before;
        if routes.len() < self.routes.len() || !routes.iter().zip(&self.routes).all(is_grown_from) {
            self.rows.sort_unstable();
            self.ranges.clear();
        }
        self.routes = routes.to_vec();
        self.ranges.resize(routes.len(), None);
        match self.ranges.first_mut() {
            Some(root) if root.is_none() => *root = Some(0..self.rows.len()),
            _ => {}
        }
        let needed = needed(routes, asks)?;
        for (node, route) in routes.iter().enumerate() {
            let Route::Split { test, left, right } = route else { continue };
            let [left, right] = [left, right].map(|child| *child as usize);
            if !(needed[left] || needed[right]) || self.ranges[left].is_some() {
                continue;
            }
            exec.check()?;
            let range =
                self.ranges[node].clone().ok_or_else(|| mismatch("a node nobody reaches"))?;
            let test = test.test(piece.matrix.n_features())?;
            let column = piece.matrix.column(test.feature().0);
            let sides_of_rows = self.bins.sides_of_rows(column, &test, false);
            let sides = arrange_with(exec, &mut self.rows[range.clone()], sides_of_rows);
            let within =
                |side: Range<usize>| Some(range.start + side.start..range.start + side.end);
            (self.ranges[left], self.ranges[right]) = (within(sides.left), within(sides.right));
        }
        Ok(())
    }

    pub(super) fn rows_at(&self, node: u32) -> Result<&[u32]> {
        let range = self.ranges.get(node as usize).cloned().flatten();
        range.map(|range| &self.rows[range]).ok_or_else(|| mismatch("a node nobody reaches"))
    }
}

/// Asks to reply to.
struct Replies<'a> {
    holder: &'a Holder,
    piece: PieceRows<'a>,
    training: &'a ClassTraining<'a>,
    asks: &'a [Ask],
    exec: &'a Exec,
}

impl WithCells<Classes> for Replies<'_> {
    type Output = Result<Vec<Reply>>;

    fn call<C: Cell<Target = Classes>>(self) -> Result<Vec<Reply>> {
        let Self { holder, piece, training, asks, exec } = self;
        let answers = Answers::<C>::new(holder, piece, training, exec);
        let reply = |ask: &Ask| {
            exec.check()?;
            answers.reply(ask)
        };
        asks.iter().map(reply).collect()
    }
}

/// The rows as the engine sees them; `rows` are those that it may go through.
pub(super) fn training<'a>(
    piece: PieceRows<'a>,
    weights: &Arc<RowWeights>,
    columns: &Arc<[ColumnKind]>,
    rows: Vec<u32>,
) -> ClassTraining<'a> {
    ClassTraining::from(TrainingPart {
        matrix: piece.matrix,
        classes: piece.classes,
        weights: Arc::clone(weights),
        // Counts come before class weights.
        class_factors: vec![1.0; piece.schema.n_classes()],
        criterion: Criterion::Gini,
        columns: Arc::clone(columns),
        rows,
    })
}

/// Which nodes lie on the way to one that is asked about.
fn needed(routes: &[Route], asks: &[Ask]) -> Result<Vec<bool>> {
    let mut needed = vec![false; routes.len()];
    for node in asks.iter().filter_map(Ask::node) {
        *needed.get_mut(node).ok_or_else(|| mismatch("a node that is not in the tree"))? = true;
    }
    for (node, route) in routes.iter().enumerate().rev() {
        if let Route::Split { left, right, .. } = route {
            let [left, right] = [left, right].map(|child| *child as usize);
            if left <= node || right <= node || left.max(right) >= routes.len() {
                return Err(mismatch("a tree whose children do not come after their parents"));
            }
            needed[node] |= needed[left] || needed[right];
        }
    }
    Ok(needed)
}

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
