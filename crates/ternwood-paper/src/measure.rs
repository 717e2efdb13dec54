//! All methods on one fold.

use crate::error::Result;
use crate::method::{Estimator, Method};
use crate::published_bootstrap;
use crate::raw::{RawRow, Unit};
use crate::standardise::FoldData;
use ternwood::grow::{Grower, GrownTree};
use ternwood::metrics::{Answers, CartAnswers, Figures};
use ternwood::predict::Walker;
use ternwood::recipe::{CheckedParams, Resamples};
use ternwood::{Dataset, Exec, Matrix, Predictions, Routing, Tree, TreeParams, ZoneKind};

/// The depth of the paper's trees.
pub const DEPTH: u32 = 4;
/// The seed of the paper's experiments.
pub const SEED: u64 = 42;

/// The paper's parameters with these zones.
pub(crate) fn params(zone: ZoneKind) -> Result<CheckedParams> {
    let params = TreeParams { max_depth: Some(DEPTH), seed: SEED, ..TreeParams::default() };
    Ok(params.with_zone(zone).check()?)
}

/// The rows of a unit: every method on one fold, in order.
///
/// CART is grown once; its tree serves every estimator under the two routings that blend. Trees
/// with middle children are grown separately per estimator.
///
/// # Errors
/// The engine rejects the data.
pub fn measure(unit: &Unit, fold: &FoldData) -> Result<Vec<RawRow>> {
    let plain = params(ZoneKind::None)?;
    let grown = Grower::new(&fold.train, &plain)?.grow_two_child(&Exec::default())?;
    let cart = grown.tree();
    let judge = Judge::new(unit, fold, &cart)?;
    let mut rows = vec![judge.row(Method::CART, &cart)?];
    for estimator in Estimator::ALL {
        let (two, three) = (two_child(&grown, estimator, fold)?, three_child(estimator, fold)?);
        for method in estimator.methods() {
            let tree = if method.routing.needs_three_children() { &three } else { &two };
            rows.push(judge.row(method, tree)?);
        }
    }
    Ok(rows)
}

/// CART's tree with an estimator's published zones.
pub(crate) fn two_child(
    grown: &GrownTree<'_>,
    estimator: Estimator,
    fold: &FoldData,
) -> Result<Tree> {
    match estimator.kind(fold.n_rows()) {
        ZoneKind::NodeBootstrap { resamples: Resamples::Count(resamples) } => {
            published_bootstrap::two_child(&grown.tree(), &fold.train, resamples)
        }
        kind => Ok(grown.with_zones(&kind.into())?),
    }
}

/// The tree with middle children and an estimator's published zones.
fn three_child(estimator: Estimator, fold: &FoldData) -> Result<Tree> {
    match estimator.kind(fold.n_rows()) {
        ZoneKind::NodeBootstrap { resamples: Resamples::Count(resamples) } => {
            published_bootstrap::three_child(&fold.train, resamples)
        }
        kind => {
            let params = params(kind)?;
            Ok(Grower::new(&fold.train, &params)?.grow_three_child(&Exec::default())?)
        }
    }
}

/// The predictions of a tree for the test part.
pub(crate) fn predict(tree: &Tree, routing: Routing, test: &Dataset) -> Result<Predictions> {
    let walker = Walker::new(tree, routing)?;
    Ok(walker.predict(Matrix::from(test.columns()), &Exec::default())?)
}

/// Turns predictions for the test part into figures.
struct Judge<'a> {
    unit: &'a Unit,
    fold: &'a FoldData,
    cart: Predictions,
    cart_confidences: Vec<f64>,
}

impl<'a> Judge<'a> {
    fn new(unit: &'a Unit, fold: &'a FoldData, cart: &Tree) -> Result<Self> {
        let cart = predict(cart, Method::CART.routing, &fold.test)?;
        Ok(Self { unit, fold, cart_confidences: cart.confidences(), cart })
    }

    fn row(&self, method: Method, tree: &Tree) -> Result<RawRow> {
        let FoldData { train, test } = self.fold;
        let predictions = predict(tree, method.routing, test)?;
        let confidences = predictions.confidences();
        let own = Answers::new(&predictions, &confidences);
        let cart =
            CartAnswers { classes: self.cart.classes(), confidences: &self.cart_confidences };
        let figures = Figures::new(test.labels(), &own, Some(&cart), None)?;
        let (rows, training_rows) = (test.n_rows(), train.n_rows());
        Ok(RawRow { unit: self.unit.clone(), method, rows, training_rows, figures })
    }
}
