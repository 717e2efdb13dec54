//! All methods on one fold.

use crate::error::Result;
use crate::method::Method;
use crate::raw::{Beside, RawRow, Unit};
use crate::standardise::FoldData;
use ternwood::metrics::{ChowComparison, ConfidenceRanking, DEFAULT_CLIP, correctness, log_loss};
use ternwood::{
    CheckedParams, Dataset, Evaluation, Grower, Predictions, Rows, Tree, TreeParams, Walker,
    Workers, ZoneKind,
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
pub(crate) fn measure(unit: &Unit, fold: &FoldData) -> Result<Vec<RawRow>> {
    let rows_in_all = fold.train.n_rows() + fold.test.n_rows();
    let plain = params(ZoneKind::None)?;
    let grown = Grower::new(&fold.train, &plain)?.grow_two_child()?;
    let judge = Judge::new(unit, fold, &grown.tree())?;
    let mut rows = vec![judge.row(Method::CART, &judge.cart)?];
    let mut widened: Option<(&str, Tree)> = None;
    for method in Method::all().into_iter().skip(1) {
        let kind = method.kind(rows_in_all);
        let predictions = if method.engine_routing().needs_three_children() {
            let params = params(kind)?;
            let tree = Grower::new(&fold.train, &params)?.grow_three_child()?;
            predict(&tree, method, &fold.test)?
        } else {
            if widened.as_ref().is_none_or(|(zone, _)| *zone != method.zone()) {
                widened = Some((method.zone(), grown.with_zones(&kind.into())?));
            }
            let (_, tree) = widened.as_ref().expect("just made");
            predict(tree, method, &fold.test)?
        };
        rows.push(judge.row(method, &predictions)?);
    }
    Ok(rows)
}

fn predict(tree: &Tree, method: Method, test: &Dataset) -> Result<Predictions> {
    let walker = Walker::new(tree, method.engine_routing())?;
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
