//! Comparison of methods: plain CART first, then trees with zones.

use anyhow::Result;
use ternwood::grow::Grower;
use ternwood::metrics::{
    Answers, CartAnswers, ClassTally, ConfidenceRanking, Costs, Figures, correctness,
};
use ternwood::predict::Walker;
use ternwood::recipe::{Leaves, ZoneParams};
use ternwood::{
    Dataset, Exec, Folds, Learner, Matrix, Model, Predictions, Recipe, Routing, ZoneKind,
};

/// A method, and the figures of its predictions.
pub(crate) struct Measured {
    pub(crate) method: Method,
    /// Of one set of test rows, or means over folds.
    pub(crate) figures: Figures,
    /// The verdicts by class. Only for a single set of test rows.
    pub(crate) classes: Option<Vec<ClassTally>>,
    /// The pooled test rows, for the risk-coverage curve.
    pub(crate) ranking: ConfidenceRanking,
}

/// The identity of a method.
#[derive(Clone, Copy)]
pub(crate) struct Method {
    /// Name of the zones; `none` for plain CART.
    pub(crate) zone: &'static str,
    pub(crate) routing: Routing,
}

impl Method {
    fn of(recipe: &Recipe) -> Self {
        Self { zone: recipe.params.zone.kind.as_str(), routing: recipe.routing }
    }

    /// The name in tables.
    pub(crate) fn label(self) -> &'static str {
        if self.zone == "none" { "none (CART)" } else { self.zone }
    }
}

/// A method's predictions on the test rows.
struct MethodOutput {
    predictions: Predictions,
    confidences: Vec<f64>,
    /// The distance of rows from zones, if the routing defines it.
    zone_distances: Option<Vec<f64>>,
}

impl MethodOutput {
    fn by(walker: Walker<'_>, rows: Matrix<'_>, exec: &Exec) -> Result<Self> {
        let predictions = walker.predict(rows, exec)?;
        let zone_distances = match walker.routing() {
            Routing::Probabilistic | Routing::Deferred => Some(walker.zone_distances(rows, exec)?),
            Routing::Crisp | Routing::HardMiddle => None,
        };
        Ok(Self { confidences: predictions.confidences(), predictions, zone_distances })
    }

    fn answers(&self) -> Answers<'_> {
        let zone_distances = self.zone_distances.as_deref();
        Answers { zone_distances, ..Answers::new(&self.predictions, &self.confidences) }
    }

    fn as_cart(&self) -> CartAnswers<'_> {
        CartAnswers { classes: self.predictions.classes(), confidences: &self.confidences }
    }

    fn correctness(&self, truth: &[u32]) -> Result<Vec<bool>> {
        Ok(correctness(truth, self.predictions.classes())?)
    }
}

/// A model on new rows, next to the same tree without zones.
///
/// A tree with middle children contains no CART tree, so it is measured alone.
pub(crate) struct OnNewRows<'a> {
    pub(crate) model: &'a Model,
    pub(crate) data: &'a Dataset,
    pub(crate) costs: Option<&'a Costs>,
}

impl OnNewRows<'_> {
    pub(crate) fn run(&self, exec: &Exec) -> Result<Vec<Measured>> {
        let Self { model, data, .. } = *self;
        let rows = Matrix::from(data.columns());
        let mut own = MethodOutput::by(model.walker(), rows, exec)?;
        own.predictions = model.verdict().apply(own.predictions);
        let method = Method::of(model.recipe());
        if model.tree().is_three_child() || model.routing() == Routing::Crisp {
            return Ok(vec![self.measured(method, &own, None)?]);
        }
        let cart = MethodOutput::by(Walker::new(model.tree(), Routing::Crisp)?, rows, exec)?;
        let beside = Some(cart.as_cart());
        let plain = Method { zone: ZoneKind::None.as_str(), routing: Routing::Crisp };
        Ok(vec![self.measured(plain, &cart, beside)?, self.measured(method, &own, beside)?])
    }

    fn measured(
        &self,
        method: Method,
        output: &MethodOutput,
        cart: Option<CartAnswers<'_>>,
    ) -> Result<Measured> {
        let (truth, n_classes) = (self.data.labels(), self.data.n_classes());
        let own = output.answers();
        let classes = ClassTally::count(truth, own.classes, own.verdicts, n_classes)?;
        Ok(Measured {
            method,
            figures: Figures::new(truth, &own, cart.as_ref(), self.costs)?,
            classes: Some(classes),
            ranking: ConfidenceRanking::new(&output.confidences, &output.correctness(truth)?)?,
        })
    }
}

/// Several kinds of zone on the trees of the same folds.
pub(crate) struct CrossValidation<'a> {
    pub(crate) data: &'a Dataset,
    pub(crate) folds: &'a Folds,
    /// The recipe of every method. Its zones are ignored.
    pub(crate) recipe: &'a Recipe,
    pub(crate) zones: &'a [ZoneParams],
    pub(crate) costs: Option<&'a Costs>,
}

/// The results of one method, collected fold by fold.
#[derive(Default)]
struct FoldResults {
    figures: Vec<Figures>,
    confidences: Vec<f64>,
    correct: Vec<bool>,
}

impl CrossValidation<'_> {
    /// Runs all folds and calls `step` after each.
    pub(crate) fn run(&self, exec: &Exec, mut step: impl FnMut()) -> Result<Vec<Measured>> {
        let recipes = self.recipes();
        let mut results: Vec<FoldResults> =
            recipes.iter().map(|_| FoldResults::default()).collect();
        for (training, test) in self.folds.iter() {
            let training = self.data.select(&training)?;
            let test = self.data.select(&test)?;
            let truth = test.labels();
            let outputs = predict_fold(&recipes, &training, Matrix::from(test.columns()), exec)?;
            let cart = outputs[0].as_cart();
            for (own, method) in outputs.iter().zip(&mut results) {
                let figures = Figures::new(truth, &own.answers(), Some(&cart), self.costs)?;
                method.figures.push(figures);
                method.confidences.extend(&own.confidences);
                method.correct.extend(own.correctness(truth)?);
            }
            step();
        }
        let means: Vec<Figures> = results.iter().map(|r| Figures::mean(&r.figures)).collect();
        let cart_accuracy = means[0].rates.accuracy;
        let methods = recipes.iter().zip(results).zip(means);
        methods
            .map(|((recipe, result), mean)| {
                Ok(Measured {
                    method: Method::of(recipe),
                    figures: cart_accuracy.map_or(mean, |cart| mean.with_efficiency(cart)),
                    classes: None,
                    ranking: ConfidenceRanking::new(&result.confidences, &result.correct)?,
                })
            })
            .collect()
    }

    /// The recipe of CART, then one for every kind of zone. For a fair comparison, CART gets
    /// smoothed leaves if the others have EM leaves, and chooses its own depth.
    fn recipes(&self) -> Vec<Recipe> {
        let with_zone = |zone: ZoneParams| {
            let mut recipe = self.recipe.clone();
            recipe.params.zone = zone;
            recipe
        };
        let mut cart = with_zone(ZoneKind::None.into());
        cart.routing = Routing::Crisp;
        if cart.leaves == Leaves::Em {
            cart.leaves = Leaves::Smoothed;
        }
        std::iter::once(cart).chain(self.zones.iter().cloned().map(with_zone)).collect()
    }
}

/// The predictions of every recipe on a fold's test rows.
///
/// With count leaves and nothing automatic, one tree serves every kind of zone that does not need
/// a tree of its own.
fn predict_fold(
    recipes: &[Recipe],
    training: &Dataset,
    rows: Matrix<'_>,
    exec: &Exec,
) -> Result<Vec<MethodOutput>> {
    let cart = &recipes[0];
    let params = cart.params.clone().check()?;
    let shared = (cart.leaves == Leaves::Counts && !cart.auto.is_needed())
        .then(|| Grower::new(training, &params)?.grow_two_child(exec))
        .transpose()?;
    let predict = |recipe: &Recipe| {
        let zone = &recipe.params.zone;
        let on_its_own = zone.kind.needs_predictions() || recipe.routing.needs_three_children();
        match &shared {
            Some(grown) if !on_its_own => {
                MethodOutput::by(Walker::new(&grown.with_zones(zone)?, recipe.routing)?, rows, exec)
            }
            _ => {
                let model = Learner::from_recipe(recipe.clone())?.fit(training, exec)?;
                MethodOutput::by(model.walker(), rows, exec)
            }
        }
    };
    recipes.iter().map(predict).collect()
}
