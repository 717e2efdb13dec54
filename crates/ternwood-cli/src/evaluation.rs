//! Figures of methods side by side: plain CART first, then trees with zones.

use anyhow::Result;
use ternwood::metrics::{
    ChowComparison, ConfidenceRanking, DEFAULT_CLIP, Evaluation, Rates, RiskCoveragePoint,
    VerdictCounts, correctness, log_loss, mean_of_present,
};
use ternwood::{
    CheckedParams, Dataset, Folds, Grower, Model, Predictions, Routing, Rows, Tree, Walker,
    Workers, ZoneKind, ZoneParams,
};

/// A method, and the figures of its predictions.
pub(crate) struct Measured {
    /// Name of the zones; `none` for plain CART.
    pub(crate) zone: &'static str,
    pub(crate) routing: Routing,
    pub(crate) figures: Figures,
    /// All test rows together, for the risk-coverage curve.
    pub(crate) pooled: Pooled,
}

/// Figures of one method: of one set of test rows, or means over folds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Figures {
    pub(crate) rates: Rates,
    /// Decided accuracy beyond that of CART, per undecided row.
    pub(crate) efficiency: Option<f64>,
    /// Accuracy of equally many rows that CART is most confident of.
    pub(crate) chow_cart: Option<f64>,
    /// Accuracy of equally many rows that this method is most confident of.
    pub(crate) chow_own: Option<f64>,
    pub(crate) aurc: Option<f64>,
    pub(crate) log_loss: Option<f64>,
}

/// Confidence and correctness of every test row.
#[derive(Default)]
pub(crate) struct Pooled {
    confidences: Vec<f64>,
    correct: Vec<bool>,
    counts: VerdictCounts,
}

impl Pooled {
    fn add(&mut self, truth: &[u32], predictions: &Predictions) -> Result<()> {
        self.confidences.extend(predictions.confidences());
        self.correct.extend(correctness(truth, predictions.classes())?);
        let more = VerdictCounts::new(truth, predictions.classes(), predictions.verdicts())?;
        self.counts.decided_correct += more.decided_correct;
        self.counts.decided_wrong += more.decided_wrong;
        self.counts.undecided_correct += more.undecided_correct;
        self.counts.undecided_wrong += more.undecided_wrong;
        Ok(())
    }

    /// The curve and the area under it.
    pub(crate) fn curve(&self) -> Result<(Vec<RiskCoveragePoint>, Option<f64>)> {
        let ranking = ConfidenceRanking::new(&self.confidences, &self.correct)?;
        Ok((ranking.curve(), ranking.aurc()))
    }

    /// Coverage and risk of the verdicts; nothing if all rows or none are decided.
    pub(crate) fn verdict_point(&self) -> Option<(f64, f64)> {
        let (decided, rows) = (self.counts.decided(), self.counts.rows());
        let risk = self.counts.decided_wrong as f64 / decided as f64;
        (0 < decided && decided < rows).then(|| (decided as f64 / rows as f64, risk))
    }
}

/// The figures of `own`, with CART's predictions for the same rows beside it.
fn figures(truth: &[u32], n_classes: usize, [cart, own]: [&Predictions; 2]) -> Result<Figures> {
    let ranking = |predictions: &Predictions| -> Result<ConfidenceRanking> {
        let correct = correctness(truth, predictions.classes())?;
        Ok(ConfidenceRanking::new(&predictions.confidences(), &correct)?)
    };
    let evaluation = Evaluation::new(truth, own.classes(), own.verdicts())?;
    let own_ranking = ranking(own)?;
    Ok(Figures {
        rates: evaluation.rates,
        efficiency: None,
        chow_cart: ChowComparison::new(&evaluation.counts, &ranking(cart)?)?.chow_accuracy,
        chow_own: ChowComparison::new(&evaluation.counts, &own_ranking)?.chow_accuracy,
        aurc: own_ranking.aurc(),
        log_loss: log_loss(truth, own.distributions(), n_classes, DEFAULT_CLIP)?,
    })
}

impl Figures {
    /// Means over folds; a figure that a fold lacks is skipped there.
    fn mean(folds: &[Self]) -> Self {
        let mean = |figure: fn(&Self) -> Option<f64>| mean_of_present(folds.iter().map(figure));
        let rates: Vec<Rates> = folds.iter().map(|fold| fold.rates).collect();
        Self {
            rates: Rates::mean(&rates),
            efficiency: None,
            chow_cart: mean(|fold| fold.chow_cart),
            chow_own: mean(|fold| fold.chow_own),
            aurc: mean(|fold| fold.aurc),
            log_loss: mean(|fold| fold.log_loss),
        }
    }
}

/// Gives every method but CART its efficiency.
fn with_efficiencies(mut methods: Vec<Measured>) -> Vec<Measured> {
    let cart = methods.first().and_then(|cart| cart.figures.rates.accuracy);
    for method in methods.iter_mut().skip(1) {
        method.figures.efficiency =
            cart.and_then(|accuracy| method.figures.rates.efficiency(accuracy));
    }
    methods
}

/// A model on rows it has not seen; beside it the same tree without zones.
///
/// A tree with middle children has no CART in it, so that it stands alone.
pub(crate) fn of_model(model: &Model, data: &Dataset, workers: &Workers) -> Result<Vec<Measured>> {
    let truth = data.labels().ids();
    let rows = Rows::from(data.columns());
    let own = model.predict(rows, workers)?;
    let method = |(zone, routing), predictions: &Predictions, figures| -> Result<Measured> {
        let mut pooled = Pooled::default();
        pooled.add(truth, predictions)?;
        Ok(Measured { zone, routing, figures, pooled })
    };
    let name = (model.params().zone.kind.as_str(), model.routing());
    if model.tree().is_three_child() || model.routing() == Routing::Crisp {
        let mut figures = figures(truth, data.n_classes(), [&own, &own])?;
        figures.chow_cart = None;
        return Ok(vec![method(name, &own, figures)?]);
    }
    let cart = Walker::new(model.tree(), Routing::Crisp)?.predict(rows, workers)?;
    let of = |own| figures(truth, data.n_classes(), [&cart, own]);
    Ok(with_efficiencies(vec![
        method(("none", Routing::Crisp), &cart, of(&cart)?)?,
        method(name, &own, of(&own)?)?,
    ]))
}

/// Several kinds of zone on the trees of the same folds.
pub(crate) struct CrossValidation<'a> {
    pub(crate) data: &'a Dataset,
    pub(crate) folds: &'a Folds,
    /// Parameters of the tree; their zones are not looked at.
    pub(crate) params: &'a CheckedParams,
    pub(crate) zones: &'a [ZoneParams],
    pub(crate) routing: Routing,
}

impl CrossValidation<'_> {
    /// Runs all folds; `step` is called after each of them.
    pub(crate) fn run(&self, workers: &Workers, mut step: impl FnMut()) -> Result<Vec<Measured>> {
        let mut of_folds = vec![Vec::new(); self.zones.len() + 1];
        let mut pooled: Vec<Pooled> = of_folds.iter().map(|_| Pooled::default()).collect();
        for (training, test) in self.folds.iter() {
            let training = self.data.select(&training)?;
            let test = self.data.select(&test)?;
            let truth = test.labels().ids();
            let predictions = self.predictions(&training, &test, workers)?;
            for (method, own) in predictions.iter().enumerate() {
                let both = [&predictions[0], own];
                of_folds[method].push(figures(truth, self.data.n_classes(), both)?);
                pooled[method].add(truth, own)?;
            }
            step();
        }
        let names = std::iter::once(("none", Routing::Crisp))
            .chain(self.zones.iter().map(|zone| (zone.kind.as_str(), self.routing)));
        let methods = names.zip(of_folds).zip(pooled).map(|(((zone, routing), folds), pooled)| {
            Measured { zone, routing, figures: Figures::mean(&folds), pooled }
        });
        Ok(with_efficiencies(methods.collect()))
    }

    /// The predictions of CART and of every kind of zone for the test rows of one fold.
    fn predictions(
        &self,
        training: &Dataset,
        test: &Dataset,
        workers: &Workers,
    ) -> Result<Vec<Predictions>> {
        let rows = Rows::from(test.columns());
        let predict = |tree: &Tree, routing| -> Result<Predictions> {
            Ok(Walker::new(tree, routing)?.predict(rows, workers)?)
        };
        let params = self.with_zone(&ZoneKind::None.into())?;
        let grown = Grower::new(training, &params)?.workers(workers).grow_two_child()?;
        let mut predictions = vec![predict(&grown.tree(), Routing::Crisp)?];
        for zone in self.zones {
            let tree = if self.routing.needs_three_children() {
                let params = self.with_zone(zone)?;
                Grower::new(training, &params)?.workers(workers).grow_three_child()?
            } else {
                grown.with_zones(zone)?
            };
            predictions.push(predict(&tree, self.routing)?);
        }
        Ok(predictions)
    }

    fn with_zone(&self, zone: &ZoneParams) -> Result<CheckedParams> {
        let mut params = self.params.clone().into_params();
        params.zone = zone.clone();
        Ok(params.check()?)
    }
}
