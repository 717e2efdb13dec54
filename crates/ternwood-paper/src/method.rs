//! The methods compared: plain CART, and every estimator under every routing.

use crate::error::Result;
use crate::preprocess::FoldData;
use crate::published_bootstrap;
use crate::results::{RawRow, Unit};
use std::cmp::Ordering;
use std::fmt;
use ternwood::grow::{Grower, GrownTree};
use ternwood::metrics::{Answers, CartAnswers, Figures};
use ternwood::predict::Walker;
use ternwood::recipe::{CheckedParams, Resamples};
use ternwood::{Dataset, Exec, Matrix, Predictions, Routing, Tree, TreeParams, ZoneKind};

/// A zone estimator and a routing. Methods are ordered like their rows in results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// The zone estimator; none for CART.
    pub estimator: Option<Estimator>,
    /// The treatment of rows within a zone.
    pub routing: Routing,
}

/// The paper's estimators, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Estimator {
    /// The range of thresholds that are nearly as good.
    QualityPlateau,
    /// The range where the bulks of the classes overlap.
    ClassOverlap,
    /// A share of the range.
    GainRatio,
    /// The variation of the threshold under resampling.
    NodeBootstrap,
    /// The distance to the nearest row on the wrong side.
    Margin,
}

/// The routings of every estimator, in row order.
const ROUTINGS: [Routing; 3] = [Routing::Probabilistic, Routing::Deferred, Routing::HardMiddle];

impl Method {
    /// Plain CART: `none,crisp`.
    pub const CART: Self = Self { estimator: None, routing: Routing::Crisp };

    /// An estimator with probabilistic routing.
    #[must_use]
    pub const fn probabilistic(estimator: Estimator) -> Self {
        Self { estimator: Some(estimator), routing: Routing::Probabilistic }
    }

    /// An estimator with hard-middle routing.
    #[must_use]
    pub const fn hard_middle(estimator: Estimator) -> Self {
        Self { estimator: Some(estimator), routing: Routing::HardMiddle }
    }

    /// All methods in row order: CART, then each estimator under probabilistic, deferred and
    /// hard-middle routing.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let with_zones = Estimator::ALL.into_iter().flat_map(Estimator::methods);
        std::iter::once(Self::CART).chain(with_zones).collect()
    }

    /// The method with this zone name and this routing name.
    #[must_use]
    pub fn named(zone: &str, routing: &str) -> Option<Self> {
        let is_named =
            |method: &Self| method.zone_name() == zone && method.routing.as_str() == routing;
        Self::all().into_iter().find(is_named)
    }

    /// The engine's name for the zones; `none` for CART.
    #[must_use]
    pub fn zone_name(self) -> &'static str {
        self.estimator.map_or("none", |estimator| estimator.kind(0).as_str())
    }

    /// The paper's name for the estimator.
    #[must_use]
    pub fn estimator_name(self) -> &'static str {
        match self.estimator {
            None => "CART (baseline)",
            Some(Estimator::QualityPlateau) => "Quality-Plateau",
            Some(Estimator::ClassOverlap) => "Class-Overlap",
            Some(Estimator::GainRatio) => "Gain-Ratio",
            Some(Estimator::NodeBootstrap) => "Node-Bootstrap",
            Some(Estimator::Margin) => "Margin",
        }
    }

    /// The estimator's name in tables that call CART the baseline.
    pub(crate) fn name_beside_baseline(self) -> &'static str {
        if self == Self::CART { "Baseline" } else { self.estimator_name() }
    }

    /// The row labels: estimator and routing.
    pub(crate) fn labels(self) -> Vec<String> {
        vec![self.estimator_name().to_owned(), self.routing_in_short().to_owned()]
    }

    /// The paper's abbreviation for the routing.
    #[must_use]
    pub fn routing_in_short(self) -> &'static str {
        match self.routing {
            Routing::Crisp => "ref.",
            Routing::Probabilistic => "prob.",
            Routing::Deferred => "def.",
            Routing::HardMiddle => "h.m.",
        }
    }
}

impl Estimator {
    /// All estimators, in row order.
    pub(crate) const ALL: [Self; 5] = [
        Self::QualityPlateau,
        Self::ClassOverlap,
        Self::GainRatio,
        Self::NodeBootstrap,
        Self::Margin,
    ];

    /// The methods with this estimator.
    pub(crate) fn methods(self) -> [Method; 3] {
        ROUTINGS.map(|routing| Method { estimator: Some(self), routing })
    }

    /// The estimator with the published settings for a data set of this many rows. The paper sizes
    /// the bootstrap by the whole data set, not by the fold.
    pub(crate) fn kind(self, total_rows: usize) -> ZoneKind {
        match self {
            Self::QualityPlateau => ZoneKind::quality_plateau(),
            Self::ClassOverlap => ZoneKind::class_overlap(),
            Self::GainRatio => ZoneKind::gain_ratio(),
            Self::NodeBootstrap => {
                ZoneKind::NodeBootstrap { resamples: Resamples::Count(resamples(total_rows)) }
            }
            Self::Margin => ZoneKind::Margin,
        }
    }
}

fn resamples(total_rows: usize) -> u32 {
    match total_rows {
        0..2_000 => 20,
        2_000..10_000 => 15,
        _ => 10,
    }
}

impl Ord for Method {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |method: &Self| ROUTINGS.iter().position(|routing| *routing == method.routing);
        self.estimator.cmp(&other.estimator).then_with(|| place(self).cmp(&place(other)))
    }
}

impl PartialOrd for Method {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// As the paper writes it: `Margin prob.`, `CART (baseline)`.
impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.estimator {
            None => f.write_str(self.estimator_name()),
            Some(_) => write!(f, "{} {}", self.estimator_name(), self.routing_in_short()),
        }
    }
}

// All methods on one fold.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sixteen_methods_are_found_by_name() {
        let all = Method::all();
        assert_eq!(all.len(), 16);
        assert!(all.is_sorted(), "the order of rows is the order of the type");
        for method in all {
            assert_eq!(Method::named(method.zone_name(), method.routing.as_str()), Some(method));
        }
        assert_eq!(Method::named("none", "crisp"), Some(Method::CART));
        assert_eq!(Method::named("margin", "crisp"), None);
    }

    #[test]
    fn the_bootstrap_is_sized_by_the_whole_data_set() {
        assert_eq!([1_999, 2_000, 9_999, 10_000].map(resamples), [20, 15, 15, 10]);
    }
}
