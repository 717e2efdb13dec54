//! Comparison of methods: plain CART first, then trees with zones; or forests without and with them.

use crate::wish::Wish;
use anyhow::{Context, Result};
use std::sync::Arc;
use ternwood::fit::{Fit, cross_fitted_rows};
use ternwood::grow::Grower;
use ternwood::metrics::{
    Answers, CartAnswers, ClassTally, ConfidenceRanking, Costs, Figures, correctness,
};
use ternwood::model::SingleTree;
use ternwood::predict::Walker;
use ternwood::recipe::Leaves;
use ternwood::training::TrainingRows;
use ternwood::verdict::{CostMatrix, Uncovered, VerdictRecord};
use ternwood::{
    ClassName, Dataset, Exec, Folds, Learner, Matrix, Model, Predictions, Recipe, Routing, Verdict,
    VerdictPolicy, ZoneKind,
};

/// A method, and the figures of its predictions.
pub(crate) struct Measured {
    pub(crate) method: Method,
    /// Of one set of test rows, or means over folds.
    pub(crate) figures: Figures,
    /// The verdicts on all test rows.
    pub(crate) judged: JudgedRows,
    /// The same, by class.
    pub(crate) tallies: Vec<ClassTally>,
    /// The pooled test rows, for the risk-coverage curve.
    pub(crate) ranking: ConfidenceRanking,
}

/// Test rows with their answers and verdicts.
#[derive(Default)]
pub(crate) struct JudgedRows {
    /// The places of the rows in the data.
    pub(crate) rows: Vec<usize>,
    pub(crate) truth: Vec<u32>,
    pub(crate) classes: Vec<u32>,
    pub(crate) verdicts: Vec<Verdict>,
}

impl JudgedRows {
    fn add(&mut self, rows: impl IntoIterator<Item = usize>, truth: &[u32], answers: &Answers<'_>) {
        self.rows.extend(rows);
        self.truth.extend(truth);
        self.classes.extend(answers.classes);
        self.verdicts.extend(answers.verdicts);
    }

    fn tallies(&self, n_classes: usize) -> Result<Vec<ClassTally>> {
        Ok(ClassTally::count(&self.truth, &self.classes, &self.verdicts, n_classes)?)
    }

    /// What these answers and flags cost on average.
    pub(crate) fn mean_cost(&self, costs: &CostMatrix) -> Option<f64> {
        let cost = costs.mean_cost(&self.truth, &self.classes, &self.verdicts);
        cost.expect("the lists are of the same rows")
    }
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
        Self { recipe, policy: VerdictPolicy::default() }
    }

    /// Name of the zones; `none` for plain CART.
    pub(crate) fn zone(&self) -> &'static str {
        self.recipe.params.zone.kind.as_str()
    }

    /// The name in tables.
    pub(crate) fn label(&self) -> &'static str {
        match self.zone() {
            "none" if self.recipe.ensemble.forest().is_some() => "none (forest)",
            "none" => "none (CART)",
            zone => zone,
        }
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
    /// Which rows the model covers.
    covered: Vec<bool>,
}

impl MethodOutput {
    fn of(model: &Model, rows: Matrix<'_>, exec: &Exec) -> Result<Self> {
        if let Ok(tree) = model.single_tree() {
            return Self::by(tree.walker(), model, rows, exec);
        }
        // Uncovered rows are flagged later, by the policy that the method has.
        let unflagged = VerdictPolicy::Zones { uncovered: Uncovered::Judge };
        let predictions = model.clone().with_verdict(unflagged)?.predict(rows, exec)?;
        let (confidences, covered) =
            (predictions.confidences(), model.coverage().covered(rows, exec));
        Ok(Self { confidences, predictions, zone_distances: None, covered })
    }

    /// What a walker of the model's tree says.
    fn by(walker: Walker<'_>, model: &Model, rows: Matrix<'_>, exec: &Exec) -> Result<Self> {
        let predictions = walker.predict(rows, exec)?;
        let zone_distances = match walker.routing() {
            Routing::Probabilistic | Routing::Deferred => Some(walker.zone_distances(rows, exec)?),
            Routing::Crisp | Routing::HardMiddle => None,
        };
        let (confidences, covered) =
            (predictions.confidences(), model.coverage().covered(rows, exec));
        Ok(Self { confidences, predictions, zone_distances, covered })
    }

    /// The same with the verdicts of a policy.
    ///
    /// Confidence is the probability of the answer, which under costs need not be the largest.
    fn under(mut self, policy: &VerdictPolicy) -> Result<Self> {
        self.predictions = policy.apply(self.predictions, &self.covered)?;
        let rows = self.predictions.distributions().chunks_exact(self.predictions.n_classes());
        let answers = rows.zip(self.predictions.classes());
        self.confidences = answers.map(|(row, &class)| row[class as usize]).collect();
        Ok(self)
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
/// A tree with middle children contains no CART tree, so it is measured alone; and so is a forest.
pub(crate) struct OnNewRows<'a> {
    pub(crate) model: &'a Model,
    pub(crate) data: &'a Dataset,
    pub(crate) costs: Option<&'a Costs>,
}

impl OnNewRows<'_> {
    pub(crate) fn run(&self, exec: &Exec) -> Result<Vec<Measured>> {
        let Self { model, data, .. } = *self;
        let rows = Matrix::from(data.columns());
        let own = MethodOutput::of(model, rows, exec)?.under(model.verdict())?;
        let method = Method::of(model);
        let tree = model.single_tree().map(SingleTree::tree);
        let Some(tree) =
            tree.ok().filter(|tree| !tree.is_three_child() && model.routing() != Routing::Crisp)
        else {
            return Ok(vec![self.measured(method, &own, None)?]);
        };
        let cart = MethodOutput::by(Walker::new(tree, Routing::Crisp)?, model, rows, exec)?;
        let cart = cart.under(&VerdictPolicy::default())?;
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
        let mut judged = JudgedRows::default();
        judged.add(0..truth.len(), truth, &own);
        Ok(Measured {
            method,
            figures: Figures::new(truth, &own, cart.as_ref(), self.costs)?,
            tallies: judged.tallies(n_classes)?,
            judged,
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
    /// The policy of zones, where nothing is said about the verdict.
    pub(crate) of_zones: &'a VerdictPolicy,
    /// What their verdict is for.
    pub(crate) wish: Option<&'a Wish>,
    pub(crate) costs: Option<&'a Costs>,
}

/// The results of one method, collected fold by fold.
#[derive(Default)]
struct FoldResults {
    figures: Vec<Figures>,
    judged: JudgedRows,
    confidences: Vec<f64>,
    correct: Vec<bool>,
}

impl CrossValidation<'_> {
    /// Runs all folds and calls `step` after each.
    pub(crate) fn run(&self, exec: &Exec, mut step: impl FnMut()) -> Result<Vec<Measured>> {
        let mut methods = self.methods()?;
        let mut results: Vec<FoldResults> =
            methods.iter().map(|_| FoldResults::default()).collect();
        let n_classes = self.data.n_classes();
        for (fold, (training, test_rows)) in self.folds.iter().enumerate() {
            let training = self.data.select(&training)?;
            let test = self.data.select(&test_rows)?;
            let truth = test.labels();
            let outputs = self
                .predict_fold(&mut methods, &training, Matrix::from(test.columns()), exec)
                .with_context(|| format!("fold {} of {}", fold + 1, self.folds.count()))?;
            let cart = outputs[0].as_cart();
            for (output, method) in outputs.iter().zip(&mut results) {
                let own = output.answers();
                method.figures.push(Figures::new(truth, &own, Some(&cart), self.costs)?);
                method.judged.add(test_rows.iter().copied(), truth, &own);
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
                    tallies: result.judged.tallies(n_classes)?,
                    judged: result.judged,
                    ranking: ConfidenceRanking::new(&result.confidences, &result.correct)?,
                })
            })
            .collect()
    }

    /// Plain CART, then one method for every recipe.
    fn methods(&self) -> Result<Vec<Method>> {
        let policy = match self.wish {
            None => self.of_zones.clone(),
            // Where rows are needed, every fold finds its own.
            Some(wish) => wish.policy_without_rows()?.unwrap_or_default(),
        };
        let method = |recipe: &Recipe| Method { recipe: recipe.clone(), policy: policy.clone() };
        let cart = Method::cart(self.base.clone());
        Ok(std::iter::once(cart).chain(self.recipes.iter().map(method)).collect())
    }

    /// The predictions of every method on a fold's test rows.
    ///
    /// With count leaves and nothing automatic, one tree serves every kind of zone that does not
    /// need a tree of its own.
    fn predict_fold(
        &self,
        methods: &mut [Method],
        training: &Dataset,
        rows: Matrix<'_>,
        exec: &Exec,
    ) -> Result<Vec<MethodOutput>> {
        let cart = &methods[0].recipe;
        let params = cart.params.clone().check()?;
        let shared = (cart.leaves == Leaves::Counts
            && !cart.auto.is_needed()
            && cart.ensemble.forest().is_none())
        .then(|| Grower::new(training, &params)?.grow_two_child(exec))
        .transpose()?;
        let seen = match shared {
            Some(_) => Some(TrainingRows::of(training, exec)?),
            None => None,
        };
        let needs_rows = self.wish.filter(|wish| wish.needs_rows());
        let predict = |(index, method): (usize, &mut Method)| {
            let Method { recipe, policy } = method;
            // Plain CART flags nothing.
            let wish = needs_rows.filter(|_| index > 0);
            let zone = &recipe.params.zone;
            let on_its_own = zone.kind.needs_predictions()
                || recipe.routing.needs_three_children()
                || recipe.auto.is_needed()
                || wish.is_some();
            let output = match (&shared, &seen) {
                (Some(grown), Some(seen)) if !on_its_own => {
                    let schema = Arc::clone(training.schema());
                    let model = Model::new(grown.with_zones(zone)?, schema, recipe.clone())?;
                    MethodOutput::of(&model.trained_on(seen.clone())?, rows, exec)?
                }
                _ => {
                    let learner = Learner::from_recipe(recipe.clone())?;
                    let Fit { model, out_of_bag } = learner.fit_watched(training, exec, &|_| ())?;
                    if let Some(wish) = wish {
                        let classes = training.schema().classes();
                        let rows = match out_of_bag {
                            Some(unseen) => unseen.calibration_rows(training.labels(), classes)?,
                            None => cross_fitted_rows(&model, training, exec)?,
                        };
                        *policy = wish.policy(rows)?;
                    }
                    MethodOutput::of(&model, rows, exec)?
                }
            };
            output.under(policy)
        };
        methods.iter_mut().enumerate().map(predict).collect()
    }
}
