//! One row at a time, without allocating.

use super::{Model, SingleTree};
use crate::blend::LeastShare;
use crate::dataset::{Matrix, check_length};
use crate::ensemble::{Asked, Votes};
use crate::error::{ErrorKind, Result};
use crate::predict::{Scratch, Verdict};
use crate::recipe::Routing;
use crate::verdict::Uncovered;

/// Memory for [`Model::predict_row`], reused from row to row.
#[derive(Debug, Clone, Default)]
pub struct RowScratch {
    tree: Scratch,
    forest: Option<Votes>,
}

impl Model {
    /// Class and verdict of one row; its class probabilities are written into `probabilities`. The answers are those of
    /// [`predict`](Self::predict).
    ///
    /// Nothing is allocated once `scratch` has served a few rows.
    ///
    /// ```
    /// use ternwood::model::RowScratch;
    /// # use ternwood::{Columns, Dataset, Exec, Labels, Learner, Routing, TreeParams};
    /// # let columns = Columns::from_columns(vec![1.0, 2.0, 3.0, 6.0, 7.0, 8.0], 1)?;
    /// # let labels = Labels::from_values(["low", "low", "low", "high", "high", "high"]);
    /// # let data = Dataset::new(columns, labels)?;
    /// # let learner = Learner::new(TreeParams::default(), Routing::Probabilistic)?;
    /// # let model = learner.fit(&data, &Exec::default())?;
    ///
    /// let mut scratch = RowScratch::default();
    /// let mut probabilities = vec![0.0; model.schema().n_classes()];
    /// let (class, verdict) = model.predict_row(&[2.5], &mut scratch, &mut probabilities)?;
    /// assert_eq!(model.schema().classes()[class as usize].to_string(), "low");
    /// assert!(verdict.is_decided());
    /// # Ok::<(), ternwood::Error>(())
    /// ```
    ///
    /// # Errors
    /// A wrong number of values; a value that is infinite, or missing if the model refuses that; or another number of
    /// probabilities than classes.
    pub fn predict_row(
        &self,
        row: &[f64],
        scratch: &mut RowScratch,
        probabilities: &mut [f64],
    ) -> Result<(u32, Verdict)> {
        self.check_row(row)?;
        let (found, expected) = (probabilities.len(), self.schema.n_classes());
        check_length("the memory for probabilities", found, expected, "the number of classes")?;
        let (class, verdict) = match self.ensemble.single() {
            Some(tree) => {
                let walker = SingleTree { model: self, tree }.walker();
                let of_zones = walker.distribution(row, &mut scratch.tree, probabilities);
                self.verdict.judge(probabilities, of_zones)
            }
            None => {
                let asked = self.asked();
                let (class, of_zones) =
                    self.ensemble.predict_row(row, asked, &mut scratch.forest, probabilities);
                if self.verdict.is_by_zones() {
                    (class, of_zones)
                } else {
                    self.verdict.judge(probabilities, of_zones)
                }
            }
        };
        let is_judged = self.verdict.uncovered() == Uncovered::Judge || self.coverage.covers(row);
        Ok((class, Verdict::decided_if(verdict.is_decided() && is_judged)))
    }

    /// How the model asks its forest.
    pub(super) fn asked(&self) -> Asked {
        let crisp = self.routing() == Routing::Crisp;
        let least_share = LeastShare::new(self.recipe.least_share);
        Asked { crisp, least_share, missing_allowed: self.missing_allowed() }
    }

    /// Refuses a row with a wrong number of values, or with a value that the model does not take.
    pub(super) fn check_row(&self, row: &[f64]) -> Result<()> {
        let expected = self.schema.n_features();
        if row.len() != expected {
            return Err(ErrorKind::ColumnCount { expected, found: row.len() }.into());
        }
        let mut unused = Vec::new();
        let block = Matrix::row_major(row, expected)?.block(0..1, &mut unused);
        block.check(self.missing_allowed()).map_err(|error| self.name_column(error))
    }
}
