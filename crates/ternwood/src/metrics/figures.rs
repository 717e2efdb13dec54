//! All metrics of one method, next to plain CART on the same rows.

use super::{
    ConfidenceRanking, Costs, DEFAULT_CLIP, Evaluation, Rates, VerdictCounts, correctness,
    log_loss, mean_of_present,
};
use crate::error::Result;
use crate::predict::{Predictions, Verdict};

/// A method's predictions for some rows. Metrics that need a part that is `None` are `None` too.
#[derive(Debug, Clone, Copy)]
pub struct Answers<'a> {
    /// Predicted class ids.
    pub classes: &'a [u32],
    /// Verdicts.
    pub verdicts: &'a [Verdict],
    /// The confidence of each prediction: its largest class probability.
    pub confidences: Option<&'a [f64]>,
    /// Class probabilities, row by row.
    pub distributions: Option<&'a [f64]>,
    /// The zone distance of each row.
    pub zone_distances: Option<&'a [f64]>,
}

/// The predictions of plain CART for the same rows.
#[derive(Debug, Clone, Copy)]
pub struct CartAnswers<'a> {
    /// Predicted class ids.
    pub classes: &'a [u32],
    /// The largest class probability of each row.
    pub confidences: &'a [f64],
}

/// The metrics of one method: on one set of rows, or means over folds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Figures {
    /// Rows by verdict and correctness; summed over folds.
    pub counts: VerdictCounts,
    /// The paper's rates.
    pub rates: Rates,
    /// Gain in decided accuracy over CART's accuracy, per share of undecided rows.
    pub efficiency: Option<f64>,
    /// Accuracy of Chow's rule with this method's confidence, at the same coverage.
    pub chow: Option<f64>,
    /// Accuracy of Chow's rule with CART's confidence, at the same coverage.
    pub chow_cart: Option<f64>,
    /// Area under the risk-coverage curve of this method's confidence.
    pub aurc: Option<f64>,
    /// The same for CART's confidence.
    pub aurc_cart: Option<f64>,
    /// The same for the zone distance, on which the zone verdict is based.
    pub aurc_zone: Option<f64>,
    /// Mean log-loss of the class probabilities.
    pub log_loss: Option<f64>,
    /// Cost per row, if costs are given.
    pub cost: Option<f64>,
    /// Cost per row of Chow's rule with this method's confidence, at the same coverage.
    pub cost_chow: Option<f64>,
    /// Cost per row of Chow's rule with CART's confidence, at the same coverage.
    pub cost_chow_cart: Option<f64>,
}

impl<'a> Answers<'a> {
    /// From predictions and their confidences, which the caller owns.
    #[must_use]
    pub fn new(predictions: &'a Predictions, confidences: &'a [f64]) -> Self {
        Self {
            classes: predictions.classes(),
            verdicts: predictions.verdicts(),
            confidences: Some(confidences),
            distributions: Some(predictions.distributions()),
            zone_distances: None,
        }
    }
}

impl Figures {
    /// Computes the metrics of a method; those that need CART or costs only if these are given.
    ///
    /// # Errors
    /// Lists of different lengths, or scores that are NaN.
    pub fn new(
        truth: &[u32],
        own: &Answers<'_>,
        cart: Option<&CartAnswers<'_>>,
        costs: Option<&Costs>,
    ) -> Result<Self> {
        let Evaluation { counts, rates, .. } = Evaluation::new(truth, own.classes, own.verdicts)?;
        let ranking = |classes: &[u32], scores: Option<&[f64]>| {
            let ranking = |scores| ConfidenceRanking::new(scores, &correctness(truth, classes)?);
            scores.map(ranking).transpose()
        };
        let ranked = ranking(own.classes, own.confidences)?;
        let by_zone = ranking(own.classes, own.zone_distances)?;
        let cart = cart.map_or(Ok(None), |cart| ranking(cart.classes, Some(cart.confidences)))?;
        let chow = |ranking: Option<&ConfidenceRanking>| {
            ranking.map_or(Ok(None), |ranking| ranking.chow_accuracy(&counts))
        };
        let (chow, chow_cart) = (chow(ranked.as_ref())?, chow(cart.as_ref())?);
        let cost = |accuracy: Option<f64>| {
            let (costs, coverage) = (costs?, counts.coverage()?);
            // If nothing is decided there is no accuracy, but no error either.
            Some(costs.at(coverage, accuracy.unwrap_or(1.0)))
        };
        let cart_accuracy = cart.as_ref().and_then(ConfidenceRanking::accuracy);
        let log_loss = match own.distributions {
            Some(p) if !truth.is_empty() => {
                log_loss(truth, p, p.len() / truth.len(), DEFAULT_CLIP)?
            }
            _ => None,
        };
        Ok(Self {
            counts,
            rates,
            efficiency: cart_accuracy.and_then(|accuracy| rates.efficiency(accuracy)),
            chow,
            chow_cart,
            aurc: ranked.as_ref().and_then(ConfidenceRanking::aurc),
            aurc_cart: cart.as_ref().and_then(ConfidenceRanking::aurc),
            aurc_zone: by_zone.as_ref().and_then(ConfidenceRanking::aurc),
            log_loss,
            cost: cost(rates.decided_accuracy),
            cost_chow: ranked.is_some().then(|| cost(chow)).flatten(),
            cost_chow_cart: cart.is_some().then(|| cost(chow_cart)).flatten(),
        })
    }

    /// Means over folds, skipping the folds where a metric is `None`. The efficiency stays `None`:
    /// as published, it comes from the mean rates and CART's mean accuracy
    /// ([`with_efficiency`](Self::with_efficiency)).
    #[must_use]
    pub fn mean(folds: &[Self]) -> Self {
        let mean = |figure: fn(&Self) -> Option<f64>| mean_of_present(folds.iter().map(figure));
        let rates: Vec<Rates> = folds.iter().map(|fold| fold.rates).collect();
        Self {
            counts: folds.iter().map(|fold| fold.counts).sum(),
            rates: Rates::mean(&rates),
            efficiency: None,
            chow: mean(|fold| fold.chow),
            chow_cart: mean(|fold| fold.chow_cart),
            aurc: mean(|fold| fold.aurc),
            aurc_cart: mean(|fold| fold.aurc_cart),
            aurc_zone: mean(|fold| fold.aurc_zone),
            log_loss: mean(|fold| fold.log_loss),
            cost: mean(|fold| fold.cost),
            cost_chow: mean(|fold| fold.cost_chow),
            cost_chow_cart: mean(|fold| fold.cost_chow_cart),
        }
    }

    /// The same metrics, with the efficiency against this accuracy of CART.
    #[must_use]
    pub fn with_efficiency(mut self, cart_accuracy: f64) -> Self {
        self.efficiency = self.rates.efficiency(cart_accuracy);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::Verdict::{Decided as D, Undecided as U};

    #[test]
    fn by_hand() {
        let truth = [0, 0, 1, 1];
        let confidences = [0.9, 0.8, 0.7, 0.6];
        let own = Answers {
            classes: &[0, 0, 1, 0],
            verdicts: &[D, D, D, U],
            confidences: Some(&confidences),
            distributions: None,
            zone_distances: None,
        };
        let cart = CartAnswers { classes: &[0, 1, 1, 0], confidences: &[0.9, 0.8, 0.7, 0.6] };
        let costs = Costs::new(0.2, 1.0).unwrap();
        let figures = Figures::new(&truth, &own, Some(&cart), Some(&costs)).unwrap();
        // Own: three decided, all right. CART: the three surest are right, wrong, right.
        assert_eq!((figures.rates.decided_accuracy, figures.chow), (Some(1.0), Some(1.0)));
        assert_eq!(figures.chow_cart, Some(2.0 / 3.0));
        // (1 - 2/4) / (1/4): CART is right about two of four.
        assert_eq!(figures.efficiency, Some(2.0));
        // One flag of four rows; with CART's order one of the three decided is wrong too.
        assert!((figures.cost.unwrap() - 0.05).abs() < 1e-15);
        assert!((figures.cost_chow_cart.unwrap() - (0.05 + 0.25)).abs() < 1e-15);
        assert_eq!((figures.aurc_zone, figures.log_loss), (None, None));
        let alone = Figures::new(&truth, &own, None, None).unwrap();
        assert_eq!((alone.chow_cart, alone.efficiency, alone.cost), (None, None, None));
    }

    #[test]
    fn means_sum_the_counts() {
        let fold = |verdicts: &[Verdict]| {
            let own = Answers {
                classes: &[0, 1],
                verdicts,
                confidences: None,
                distributions: Some(&[0.5, 0.5, 0.5, 0.5]),
                zone_distances: Some(&[1.0, 2.0]),
            };
            Figures::new(&[0, 0], &own, None, None).unwrap()
        };
        let mean = Figures::mean(&[fold(&[D, D]), fold(&[U, U])]);
        assert_eq!(mean.counts.rows(), 4);
        assert_eq!(mean.rates.decided_accuracy, Some(0.5));
        assert!((mean.log_loss.unwrap() - 2f64.ln()).abs() < 1e-12);
        // u = 1/2, decided accuracy 1/2: (0.5 - 0.25) / 0.5.
        assert_eq!(mean.with_efficiency(0.25).efficiency, Some(0.5));
    }
}
