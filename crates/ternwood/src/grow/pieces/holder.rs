//! The side that holds rows: routes them through the tree and answers.

use super::answers::Answers;
use super::ask::Ask;
use super::reply::{Reply, mismatch};
use super::route::Route;
use crate::dataset::{Matrix, RowWeights, Schema, WeightGrid};
use crate::error::Result;
use crate::exec::Exec;
use crate::grow::classes::{ClassTraining, Classes, TrainingPart};
use crate::grow::node_rows::arrange_with;
use crate::grow::search::binned::{BinKind, BinnedColumns, Tuning};
use crate::grow::target::{Cell, Target, WithCells};
use crate::grow::training::ColumnKind;
use crate::recipe::Criterion;
use serde::{Deserialize, Serialize};
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
