//! Comparison of methods: plain CART first, then trees with zones.

use anyhow::Result;
use ternwood::grow::Grower;
use ternwood::metrics::{
    Answers, CartAnswers, ClassTally, ConfidenceRanking, Costs, Figures, correctness,
};
use ternwood::predict::Walker;
use ternwood::recipe::Leaves;
use ternwood::verdict::VerdictRecord;
use ternwood::{
    ClassName, Dataset, Exec, Folds, Learner, Matrix, Model, Predictions, Recipe, Routing,
    VerdictPolicy, ZoneKind,
};

/// A method, and the figures of its predictions.
pub(crate) struct Measured {
    pub(crate) method: Method,
    /// Of one set of test rows, or means over folds.
    pub(crate) figures: Figures,
    /// The verdicts on all test rows, by class.
    pub(crate) tallies: Vec<ClassTally>,
    /// The pooled test rows, for the risk-coverage curve.
    pub(crate) ranking: ConfidenceRanking,
}

/// The identity of a method.
#[derive(Clone)]
pub(crate) struct Method {
    pub(crate) recipe: Recipe,
    pub(crate) policy: VerdictPolicy,
}

impl Method {
    fn of(model: &Model) -> Self {
        Self { recipe: model.recipe().clone(), policy: model.verdict().clone() }
    }

    /// Plain CART: what is left of a recipe without zones.
    fn cart(mut recipe: Recipe) -> Self {
        recipe.params.zone = ZoneKind::None.into();
        recipe.routing = Routing::Crisp;
        recipe.auto.zone_scale = false;
        // Without zones there is nothing for EM to do; the comparison is fair with its start.
        if recipe.leaves == Leaves::Em {
            recipe.leaves = Leaves::Smoothed;
        }
        Self { recipe, policy: VerdictPolicy::Zones }
    }

    /// Name of the zones; `none` for plain CART.
    pub(crate) fn zone(&self) -> &'static str {
        self.recipe.params.zone.kind.as_str()
    }

    /// The name in tables.
    pub(crate) fn label(&self) -> &'static str {
        if self.zone() == "none" { "none (CART)" } else { self.zone() }
    }
}

impl Measured {
    /// What there is to say about the verdicts of the method.
    pub(crate) fn record<'a>(&'a self, classes: &'a [ClassName]) -> VerdictRecord<'a> {
        let Method { recipe, policy } = &self.method;
        VerdictRecord { policy, recipe: Some(recipe), classes, tallies: &self.tallies }
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

    /// The same with the verdicts of a policy.
    fn under(mut self, policy: &VerdictPolicy) -> Self {
        self.predictions = policy.apply(self.predictions);
        self
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
        let own = MethodOutput::by(model.walker(), rows, exec)?.under(model.verdict());
        let method = Method::of(model);
        if model.tree().is_three_child() || model.routing() == Routing::Crisp {
            return Ok(vec![self.measured(method, &own, None)?]);
        }
        let cart = MethodOutput::by(Walker::new(model.tree(), Routing::Crisp)?, rows, exec)?;
        let beside = Some(cart.as_cart());
        let plain = Method::cart(method.recipe.clone());
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
        Ok(Measured {
            method,
            figures: Figures::new(truth, &own, cart.as_ref(), self.costs)?,
            tallies: ClassTally::count(truth, own.classes, own.verdicts, n_classes)?,
            ranking: ConfidenceRanking::new(&output.confidences, &output.correctness(truth)?)?,
        })
    }
}

/// Recipes on the same folds, beside plain CART.
pub(crate) struct CrossValidation<'a> {
    pub(crate) data: &'a Dataset,
    pub(crate) folds: &'a Folds,
    /// What all methods share. Without its zones it is plain CART.
    pub(crate) base: &'a Recipe,
    /// The recipes to compare with it.
    pub(crate) recipes: &'a [Recipe],
    /// Their verdict.
    pub(crate) policy: &'a VerdictPolicy,
    pub(crate) costs: Option<&'a Costs>,
}

/// The results of one method, collected fold by fold.
#[derive(Default)]
struct FoldResults {
    figures: Vec<Figures>,
    tallies: Vec<Vec<ClassTally>>,
    confidences: Vec<f64>,
    correct: Vec<bool>,
}

impl CrossValidation<'_> {
    /// Runs all folds and calls `step` after each.
    pub(crate) fn run(&self, exec: &Exec, mut step: impl FnMut()) -> Result<Vec<Measured>> {
        let methods = self.methods();
        let mut results: Vec<FoldResults> =
            methods.iter().map(|_| FoldResults::default()).collect();
        let n_classes = self.data.n_classes();
        for (training, test) in self.folds.iter() {
            let training = self.data.select(&training)?;
            let test = self.data.select(&test)?;
            let truth = test.labels();
            let outputs = predict_fold(&methods, &training, Matrix::from(test.columns()), exec)?;
            let cart = outputs[0].as_cart();
            for (output, method) in outputs.iter().zip(&mut results) {
                let own = output.answers();
                method.figures.push(Figures::new(truth, &own, Some(&cart), self.costs)?);
                let tallies = ClassTally::count(truth, own.classes, own.verdicts, n_classes)?;
                method.tallies.push(tallies);
                method.confidences.extend(&output.confidences);
                method.correct.extend(output.correctness(truth)?);
            }
            step();
        }
        let means: Vec<Figures> = results.iter().map(|r| Figures::mean(&r.figures)).collect();
        let cart_accuracy = means[0].rates.accuracy;
        let methods = methods.into_iter().zip(results).zip(means);
        methods
            .map(|((method, result), mean)| {
                Ok(Measured {
                    method,
                    figures: cart_accuracy.map_or(mean, |cart| mean.with_efficiency(cart)),
                    tallies: ClassTally::sum_by_class(&result.tallies),
                    ranking: ConfidenceRanking::new(&result.confidences, &result.correct)?,
                })
            })
            .collect()
    }

    /// Plain CART, then one method for every recipe.
    fn methods(&self) -> Vec<Method> {
        let method =
            |recipe: &Recipe| Method { recipe: recipe.clone(), policy: self.policy.clone() };
        let cart = Method::cart(self.base.clone());
        std::iter::once(cart).chain(self.recipes.iter().map(method)).collect()
    }
}

/// The predictions of every method on a fold's test rows.
///
/// With count leaves and nothing automatic, one tree serves every kind of zone that does not need
/// a tree of its own.
fn predict_fold(
    methods: &[Method],
    training: &Dataset,
    rows: Matrix<'_>,
    exec: &Exec,
) -> Result<Vec<MethodOutput>> {
    let cart = &methods[0].recipe;
    let params = cart.params.clone().check()?;
    let shared = (cart.leaves == Leaves::Counts && !cart.auto.is_needed())
        .then(|| Grower::new(training, &params)?.grow_two_child(exec))
        .transpose()?;
    let predict = |Method { recipe, policy }: &Method| {
        let zone = &recipe.params.zone;
        let on_its_own = zone.kind.needs_predictions()
            || recipe.routing.needs_three_children()
            || recipe.auto.is_needed();
        let output = match &shared {
            Some(grown) if !on_its_own => {
                let tree = grown.with_zones(zone)?;
                MethodOutput::by(Walker::new(&tree, recipe.routing)?, rows, exec)?
            }
            _ => {
                let model = Learner::from_recipe(recipe.clone())?.fit(training, exec)?;
                MethodOutput::by(model.walker(), rows, exec)?
            }
        };
        Ok(output.under(policy))
    };
    methods.iter().map(predict).collect()
}
