//! Figures of methods side by side: plain CART first, then trees with zones.

use anyhow::Result;
use ternwood::metrics::{
    ChowComparison, ClassTally, ConfidenceRanking, Costs, DEFAULT_CLIP, Evaluation, Rates,
    RiskCoveragePoint, VerdictCounts, correctness, log_loss, mean_of_present,
};
use ternwood::{
    Auto, CheckedParams, Dataset, Folds, Grower, Learner, Leaves, Model, Predictions, Recipe,
    Routing, Rows, Tree, Walker, Workers, ZoneKind, ZoneParams,
};

/// A method, and the figures of its predictions.
pub(crate) struct Measured {
    /// Name of the zones; `none` for plain CART.
    pub(crate) zone: &'static str,
    pub(crate) routing: Routing,
    pub(crate) figures: Figures,
    /// What the verdicts mean for each class; of a single set of test rows only.
    pub(crate) classes: Option<Vec<ClassTally>>,
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
    /// The same of CART's confidence.
    pub(crate) aurc_cart: Option<f64>,
    /// The same of the distance from zones, which is what the zones' own verdict goes by.
    pub(crate) aurc_zone: Option<f64>,
    pub(crate) log_loss: Option<f64>,
    /// Per row, if flags and errors have a price: of the verdicts, and of both rules of Chow.
    pub(crate) cost: Option<f64>,
    pub(crate) cost_chow_cart: Option<f64>,
    pub(crate) cost_chow_own: Option<f64>,
}

/// Predictions, and how far rows are from zones where that is defined.
struct Answers {
    predictions: Predictions,
    zone_distances: Option<Vec<f64>>,
}

impl Answers {
    fn of(walker: Walker<'_>, rows: Rows<'_>, workers: &Workers) -> Result<Self> {
        let predictions = walker.predict(rows, workers)?;
        let zone_distances = match walker.routing() {
            Routing::Probabilistic | Routing::Deferred => {
                Some(walker.zone_distances(rows, workers)?)
            }
            Routing::Crisp | Routing::HardMiddle => None,
        };
        Ok(Self { predictions, zone_distances })
    }
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

/// Whose predictions of the same rows are measured, and at which prices.
struct Comparison<'a> {
    truth: &'a [u32],
    n_classes: usize,
    cart: &'a Predictions,
    own: &'a Answers,
    costs: Option<&'a Costs>,
}

impl Comparison<'_> {
    fn ranking(&self, confidences: &[f64], classes: &[u32]) -> Result<ConfidenceRanking> {
        Ok(ConfidenceRanking::new(confidences, &correctness(self.truth, classes)?)?)
    }

    fn figures(&self) -> Result<Figures> {
        let own = &self.own.predictions;
        let evaluation = Evaluation::new(self.truth, own.classes(), own.verdicts())?;
        let ranking = self.ranking(&own.confidences(), own.classes())?;
        let cart = self.ranking(&self.cart.confidences(), self.cart.classes())?;
        let of_zones = match &self.own.zone_distances {
            Some(distances) => self.ranking(distances, own.classes())?.aurc(),
            None => None,
        };
        let chow_cart = ChowComparison::new(&evaluation.counts, &cart)?;
        let chow_own = ChowComparison::new(&evaluation.counts, &ranking)?;
        let cost = |accuracy: Option<f64>| {
            let (costs, coverage) = (self.costs?, evaluation.counts.coverage()?);
            // Where nothing is decided there is no accuracy, and no error.
            Some(costs.at(coverage, accuracy.unwrap_or(1.0)))
        };
        Ok(Figures {
            rates: evaluation.rates,
            efficiency: None,
            chow_cart: chow_cart.chow_accuracy,
            chow_own: chow_own.chow_accuracy,
            aurc: ranking.aurc(),
            aurc_cart: cart.aurc(),
            aurc_zone: of_zones,
            log_loss: log_loss(self.truth, own.distributions(), self.n_classes, DEFAULT_CLIP)?,
            cost: cost(evaluation.rates.decided_accuracy),
            cost_chow_cart: cost(chow_cart.chow_accuracy),
            cost_chow_own: cost(chow_own.chow_accuracy),
        })
    }
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
            aurc_cart: mean(|fold| fold.aurc_cart),
            aurc_zone: mean(|fold| fold.aurc_zone),
            log_loss: mean(|fold| fold.log_loss),
            cost: mean(|fold| fold.cost),
            cost_chow_cart: mean(|fold| fold.cost_chow_cart),
            cost_chow_own: mean(|fold| fold.cost_chow_own),
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
pub(crate) struct OnNewRows<'a> {
    pub(crate) model: &'a Model,
    pub(crate) data: &'a Dataset,
    pub(crate) costs: Option<&'a Costs>,
}

impl OnNewRows<'_> {
    pub(crate) fn run(&self, workers: &Workers) -> Result<Vec<Measured>> {
        let Self { model, data, .. } = *self;
        let rows = Rows::from(data.columns());
        let mut own = Answers::of(model.walker(), rows, workers)?;
        if let Some(policy) = model.verdict().as_confidence() {
            own.predictions = own.predictions.decided_from(policy.threshold());
        }
        let name = (model.params().zone.kind.as_str(), model.routing());
        if model.tree().is_three_child() || model.routing() == Routing::Crisp {
            let mut alone = self.measured(name, &own.predictions, &own)?;
            let figures = &mut alone.figures;
            (figures.chow_cart, figures.aurc_cart, figures.cost_chow_cart) = (None, None, None);
            return Ok(vec![alone]);
        }
        let cart = Answers::of(Walker::new(model.tree(), Routing::Crisp)?, rows, workers)?;
        Ok(with_efficiencies(vec![
            self.measured(("none", Routing::Crisp), &cart.predictions, &cart)?,
            self.measured(name, &cart.predictions, &own)?,
        ]))
    }

    fn measured(
        &self,
        (zone, routing): (&'static str, Routing),
        cart: &Predictions,
        own: &Answers,
    ) -> Result<Measured> {
        let (truth, n_classes) = (self.data.labels().ids(), self.data.n_classes());
        let predictions = &own.predictions;
        let figures = Comparison { truth, n_classes, cart, own, costs: self.costs }.figures()?;
        let mut pooled = Pooled::default();
        pooled.add(truth, predictions)?;
        let verdicts = predictions.verdicts();
        let classes = Some(ClassTally::count(truth, predictions.classes(), verdicts, n_classes)?);
        Ok(Measured { zone, routing, figures, classes, pooled })
    }
}

/// Several kinds of zone on the trees of the same folds.
pub(crate) struct CrossValidation<'a> {
    pub(crate) data: &'a Dataset,
    pub(crate) folds: &'a Folds,
    /// Parameters of the tree; their zones are not looked at.
    pub(crate) params: &'a CheckedParams,
    pub(crate) zones: &'a [ZoneParams],
    pub(crate) routing: Routing,
    pub(crate) leaves: Leaves,
    /// What every fold's training rows decide.
    pub(crate) auto: Auto,
    pub(crate) costs: Option<&'a Costs>,
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
            let answers = self.answers(&training, &test, workers)?;
            for (method, own) in answers.iter().enumerate() {
                let (n_classes, cart) = (self.data.n_classes(), &answers[0].predictions);
                let comparison = Comparison { truth, n_classes, cart, own, costs: self.costs };
                of_folds[method].push(comparison.figures()?);
                pooled[method].add(truth, &own.predictions)?;
            }
            step();
        }
        let names = std::iter::once(("none", Routing::Crisp))
            .chain(self.zones.iter().map(|zone| (zone.kind.as_str(), self.routing)));
        let methods = names.zip(of_folds).zip(pooled).map(|(((zone, routing), folds), pooled)| {
            Measured { zone, routing, figures: Figures::mean(&folds), classes: None, pooled }
        });
        Ok(with_efficiencies(methods.collect()))
    }

    /// The answers of CART and of every kind of zone for the test rows of one fold.
    fn answers(
        &self,
        training: &Dataset,
        test: &Dataset,
        workers: &Workers,
    ) -> Result<Vec<Answers>> {
        let rows = Rows::from(test.columns());
        let predict = |tree: &Tree, routing| -> Result<Answers> {
            Answers::of(Walker::new(tree, routing)?, rows, workers)
        };
        if self.leaves != Leaves::Counts || self.auto.is_needed() {
            return self.answers_of_recipes(training, rows, workers);
        }
        let params = self.with_zone(&ZoneKind::None.into())?;
        let grown = Grower::new(training, &params)?.workers(workers).grow_two_child()?;
        let mut answers = vec![predict(&grown.tree(), Routing::Crisp)?];
        for zone in self.zones {
            let tree = match zone.kind {
                ZoneKind::CostOptimal { .. } => {
                    let params = self.with_zone(zone)?.into_params();
                    let learner = Learner::new(params, self.routing)?.workers(workers);
                    learner.fit(training)?.tree().clone()
                }
                _ if self.routing.needs_three_children() => {
                    let params = self.with_zone(zone)?;
                    Grower::new(training, &params)?.workers(workers).grow_three_child()?
                }
                _ => grown.with_zones(zone)?,
            };
            answers.push(predict(&tree, self.routing)?);
        }
        Ok(answers)
    }

    /// The same where leaves or choices are not the paper's: every method is fitted on its own.
    /// CART gets the same chances: smoothed leaves, and a depth of its own choice.
    fn answers_of_recipes(
        &self,
        training: &Dataset,
        rows: Rows<'_>,
        workers: &Workers,
    ) -> Result<Vec<Answers>> {
        let cart_leaves = if self.leaves == Leaves::Em { Leaves::Smoothed } else { self.leaves };
        let no_zones = ZoneParams::from(ZoneKind::None);
        let cart = (&no_zones, Routing::Crisp, cart_leaves);
        let own = self.zones.iter().map(|zone| (zone, self.routing, self.leaves));
        std::iter::once(cart)
            .chain(own)
            .map(|(zone, routing, leaves)| {
                let params = self.with_zone(zone)?.into_params();
                let recipe = Recipe { params, routing, leaves, auto: self.auto };
                let model = Learner::from_recipe(recipe)?.workers(workers).fit(training)?;
                Answers::of(model.walker(), rows, workers)
            })
            .collect()
    }

    fn with_zone(&self, zone: &ZoneParams) -> Result<CheckedParams> {
        let mut params = self.params.clone().into_params();
        params.zone = zone.clone();
        Ok(params.check()?)
    }
}
