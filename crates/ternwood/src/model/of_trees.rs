//! What a model's trees say of rows, tree by tree.

use super::Model;
use crate::dataset::Matrix;
use crate::ensemble::{Asked, Disagreement};
use crate::error::Result;
use crate::exec::Exec;
use crate::model::SingleTree;
use crate::predict::{Predictions, RowPaths, Walker};
use crate::recipe::Routing;
use crate::tree::NodeId;

impl Model {
    pub(super) fn walkers(&self) -> impl Iterator<Item = Walker<'_>> {
        self.trees().iter().map(|tree| SingleTree { model: self, tree }.walker())
    }

    /// The leaf every row ends in, in every tree: see [`Walker::leaf`].
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn leaves_of_trees(&self, rows: Matrix<'_>, exec: &Exec) -> Result<Vec<Vec<NodeId>>> {
        let leaves = self.walkers().map(|walker| walker.leaves(rows, exec));
        leaves.collect::<Result<_>>().map_err(|error| self.name_column(error))
    }

    /// The path of every row through every tree: see [`Walker::paths`].
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn paths_of_trees(&self, rows: Matrix<'_>) -> Result<Vec<RowPaths>> {
        let paths = self.walkers().map(|walker| walker.paths(rows));
        paths.collect::<Result<_>>().map_err(|error| self.name_column(error))
    }

    /// Class and distribution of every row by thresholds alone, as without zones; all are decided.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn predict_crisp(&self, rows: Matrix<'_>, exec: &Exec) -> Result<Predictions> {
        if let Some(tree) = self.ensemble.single() {
            return Walker::new(tree, Routing::Crisp)?.predict(rows, exec);
        }
        let labels: Vec<u32> = (0..self.schema.n_classes() as u32).collect();
        let mut predictions = Predictions::blank(rows.n_rows(), labels.len());
        let asked = Asked { crisp: true, ..self.asked() };
        let done = self.ensemble.predict_into(rows, &mut predictions.slots(&labels), asked, exec);
        done.map_err(|error| self.name_column(error))?;
        Ok(predictions)
    }

    /// How far the trees of a forest disagree about every row, by their zones.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); or [`ErrorKind::NotForest`](crate::ErrorKind::NotForest).
    pub fn disagreement(&self, rows: Matrix<'_>, exec: &Exec) -> Result<Disagreement> {
        self.forest()?
            .disagreement(rows, self.asked(), exec)
            .map_err(|error| self.name_column(error))
    }
}
