//! All methods on one fold.

use crate::error::Result;
use crate::method::{Method, ZONES};
use crate::published_bootstrap;
use crate::raw::{Beside, RawRow, Unit};
use crate::standardise::FoldData;
use ternwood::metrics::{ChowComparison, ConfidenceRanking, DEFAULT_CLIP, correctness, log_loss};
use ternwood::{
    CheckedParams, Dataset, Evaluation, Grower, Predictions, Resamples, Rows, Tree, TreeParams,
    Walker, Workers, ZoneKind,
};

/// The depth of the paper's trees.
pub const DEPTH: u32 = 4;
/// The seed of the paper's experiments.
pub const SEED: u64 = 42;

/// The paper's parameters, with these zones.
pub(crate) fn params(zone: ZoneKind) -> Result<CheckedParams> {
    let params = TreeParams { max_depth: Some(DEPTH), seed: SEED, ..TreeParams::default() };
    Ok(params.with_zone(zone).check()?)
}

/// The rows of a unit: every method on one fold, in order.
///
/// CART is grown once; its tree serves every estimator under the two routings that blend. A
/// tree with middle children is one of its own per estimator.
///
/// # Errors
/// The engine refuses the data.
pub fn measure(unit: &Unit, fold: &FoldData) -> Result<Vec<RawRow>> {
    let plain = params(ZoneKind::None)?;
    let grown = Grower::new(&fold.train, &plain)?.grow_two_child()?;
    let cart = grown.tree();
    let judge = Judge::new(unit, fold, &cart)?;
    let mut rows = vec![judge.row(Method::CART, &judge.cart)?];
    for zone in ZONES {
        let kind = zone.kind(fold.train.n_rows() + fold.test.n_rows());
        let (two, three) = match kind {
            ZoneKind::NodeBootstrap { resamples: Resamples::Count(resamples) } => (
                published_bootstrap::two_child(&cart, &fold.train, resamples)?,
                published_bootstrap::three_child(&fold.train, resamples)?,
            ),
            kind => {
                let params = params(kind.clone())?;
                let three = Grower::new(&fold.train, &params)?.grow_three_child()?;
                (grown.with_zones(&kind.into())?, three)
            }
        };
        for method in zone.methods() {
            let tree = if method.routing.needs_three_children() { &three } else { &two };
            rows.push(judge.row(method, &predict(tree, method, &fold.test)?)?);
        }
    }
    Ok(rows)
}

fn predict(tree: &Tree, method: Method, test: &Dataset) -> Result<Predictions> {
    let walker = Walker::new(tree, method.routing)?;
    Ok(walker.predict(Rows::from(test.columns()), &Workers::single())?)
}

/// Turns predictions for the test part into figures.
struct Judge<'a> {
    unit: &'a Unit,
    fold: &'a FoldData,
    cart: Predictions,
    cart_ranking: ConfidenceRanking,
}

impl<'a> Judge<'a> {
    fn new(unit: &'a Unit, fold: &'a FoldData, cart: &Tree) -> Result<Self> {
        let cart = predict(cart, Method::CART, &fold.test)?;
        let cart_ranking = ranking(&fold.test, &cart)?;
        Ok(Self { unit, fold, cart, cart_ranking })
    }

    fn row(&self, method: Method, predictions: &Predictions) -> Result<RawRow> {
        let test = &self.fold.test;
        let truth = test.labels().ids();
        let evaluation = Evaluation::new(truth, predictions.classes(), predictions.verdicts())?;
        let own = ranking(test, predictions)?;
        let chow = |ranking| ChowComparison::new(&evaluation.counts, ranking);
        Ok(RawRow {
            unit: self.unit.clone(),
            method,
            rows: test.n_rows(),
            training_rows: self.fold.train.n_rows(),
            rates: evaluation.rates,
            beside: Beside {
                chow_cart: chow(&self.cart_ranking)?.chow_accuracy,
                chow_own: chow(&own)?.chow_accuracy,
                aurc: own.aurc(),
                log_loss: log_loss(
                    truth,
                    predictions.distributions(),
                    test.n_classes(),
                    DEFAULT_CLIP,
                )?,
            },
        })
    }
}

fn ranking(test: &Dataset, predictions: &Predictions) -> Result<ConfidenceRanking> {
    let correct = correctness(test.labels().ids(), predictions.classes())?;
    Ok(ConfidenceRanking::new(&predictions.confidences(), &correct)?)
}
