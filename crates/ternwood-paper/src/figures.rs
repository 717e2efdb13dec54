//! The paper's figures, redrawn, and an additional one.

use crate::collection::{Collection, CollectionName, expected};
use crate::error::{Error, Result};
use crate::method::{Estimator, Method, SEED, params, predict, two_child};
use crate::preprocess::PaperData;
use crate::results::Results;
use crate::statistics::{SetFigures, mean};
use crate::subject::Generated;
use ternwood::grow::Grower;
use ternwood::metrics::{ConfidenceRanking, VerdictCounts, correctness};
use ternwood::recipe::Resamples;
use ternwood::tree::NodeId;
use ternwood::{
    Columns, Dataset, Exec, Labels, Learner, Model, Routing, Tree, TreeParams, ZoneKind,
};
use ternwood_figures::{
    RiskCoverageFigure, RiskSeries, SurfaceFigure, SurfacePanel, TradeOffFigure, TradeOffPoint,
    TreeFigure, ZoneFigure, risk_coverage_svg, surface_svg, trade_off_svg, tree_svg, zone_svg,
};
use ternwood_synthetic::{overlapping_normals, two_moons};

/// A figure and its file name.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The file name, without extension.
    pub name: String,
    /// The SVG document.
    pub svg: String,
}

/// All figures that can be drawn. Most need no data; the trade-off needs CC18 results, and the
/// risk-coverage curves of the medical data need a collection.
///
/// # Errors
/// A data set cannot be read.
pub fn figures(results: &Results, collection: Option<&Collection>) -> Result<Vec<Figure>> {
    let mut figures = vec![
        Figure { name: "decision_surface".to_owned(), svg: decision_surface()? },
        Figure { name: "motivating_example".to_owned(), svg: motivating_example()? },
        Figure {
            name: "tree_two_child".to_owned(),
            svg: breast_cancer_tree(Routing::Probabilistic)?,
        },
        Figure {
            name: "tree_three_child".to_owned(),
            svg: breast_cancer_tree(Routing::HardMiddle)?,
        },
        Figure {
            name: "risk_coverage_waveform".to_owned(),
            svg: risk_coverage(&Generated::Waveform40.data()?)?,
        },
    ];
    if let Some(svg) = trade_off(results) {
        figures.push(Figure { name: "trade_off".to_owned(), svg });
    }
    if let Some(collection) = collection {
        for entry in collection.entries() {
            if entry.collections.contains(&CollectionName::Medical) {
                let name = format!("risk_coverage_{}", entry.name);
                figures.push(Figure { name, svg: risk_coverage(&collection.load(entry)?)? });
            }
        }
    }
    Ok(figures)
}

fn fit(data: &Dataset, depth: u32, zone: ZoneKind, routing: Routing) -> Result<Model> {
    let params = TreeParams { max_depth: Some(depth), seed: SEED, ..TreeParams::default() };
    Ok(Learner::new(params.with_zone(zone), routing)?.fit(data, &Exec::default())?)
}

/// Two moons: CART beside quality-plateau zones, depth 3.
fn decision_surface() -> Result<String> {
    let moons = two_moons(400, 0.25, SEED);
    let fit = |zone| fit(&moons, 3, zone, Routing::Probabilistic);
    let (cart, ternary) = (fit(ZoneKind::None)?, fit(ZoneKind::quality_plateau())?);
    let panels = [
        SurfacePanel { title: "CART: every row is decided".to_owned(), model: &cart },
        SurfacePanel { title: "quality-plateau zones".to_owned(), model: &ternary },
    ];
    let title = Some("Two moons, depth 3".to_owned());
    Ok(surface_svg(&panels, &moons, &SurfaceFigure { title, ..SurfaceFigure::default() })?)
}

/// Four views of one split between two overlapping classes.
fn motivating_example() -> Result<String> {
    let data = overlapping_normals(300, [5.0, 9.0], 1.5, SEED);
    let zone = ZoneKind::NodeBootstrap { resamples: Resamples::Count(300) };
    let model = fit(&data, 1, zone, Routing::Probabilistic)?;
    let title = "How sure is a threshold? 300 rows of two normal classes, N(5, 1.5) and N(9, 1.5)";
    let options = ZoneFigure { title: Some(title.to_owned()), ..ZoneFigure::four_views() };
    Ok(zone_svg(&model, &data, NodeId::ROOT, &options)?)
}

/// Wisconsin breast cancer (diagnostic): ten measurements of cell nuclei, each with its mean,
/// standard error and worst value.
const MEASUREMENTS: [&str; 10] = [
    "radius",
    "texture",
    "perimeter",
    "area",
    "smoothness",
    "compactness",
    "concavity",
    "concave points",
    "symmetry",
    "fractal dimension",
];

const BREAST_CANCER: &str = include_str!("../../../testdata/breast_cancer.csv");

fn breast_cancer() -> Result<Dataset> {
    let complaint = |problem: String| Error::DataSet { name: "breast cancer".to_owned(), problem };
    let mut reader = csv::Reader::from_reader(BREAST_CANCER.as_bytes());
    let n_features = 3 * MEASUREMENTS.len();
    let (mut values, mut classes) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = record.map_err(|error| complaint(error.to_string()))?;
        for field in record.iter().take(n_features) {
            values.push(field.parse().map_err(|_| complaint(format!("'{field}' is no number")))?);
        }
        classes.push(if &record[n_features] == "0" { "malignant" } else { "benign" });
    }
    let columns = Columns::from_rows(&values, n_features)?;
    let data = Dataset::new(columns, Labels::from_values(classes))?;
    let names = [
        MEASUREMENTS.map(|name| format!("mean {name}")),
        MEASUREMENTS.map(|name| format!("{name} error")),
        MEASUREMENTS.map(|name| format!("worst {name}")),
    ];
    Ok(data.with_feature_names(names.concat())?)
}

/// The tree with margin zones at depth 2.
fn breast_cancer_tree(routing: Routing) -> Result<String> {
    let data = breast_cancer()?;
    let model = fit(&data, 2, ZoneKind::Margin, routing)?;
    let shape = if routing == Routing::HardMiddle { "three" } else { "two" };
    let title = Some(format!("Breast cancer, margin zones, depth 2: {shape} children"));
    let options = TreeFigure { title, ..TreeFigure::default() };
    Ok(tree_svg(&model, Some((&data).into()), &options)?)
}

/// Means over the data sets of CC18 for every method except the deferred ones, whose verdicts equal
/// those of probabilistic routing.
fn trade_off(results: &Results) -> Option<String> {
    let sets = SetFigures::all(results);
    let of_cc18 = |set: &&SetFigures| {
        expected(CollectionName::Cc18).iter().any(|(id, _)| *id == set.openml_id)
    };
    let sets: Vec<&SetFigures> = sets.iter().filter(of_cc18).collect();
    let average = |figure: &dyn Fn(&SetFigures) -> Option<f64>| {
        mean(&sets.iter().filter_map(|set| figure(set)).collect::<Vec<_>>())
    };
    let cart = average(&SetFigures::cart)?;
    let drawn = |method: &Method| method.estimator.is_some() && method.routing != Routing::Deferred;
    let point = |method: Method| {
        Some(TradeOffPoint {
            name: method.estimator_name().to_owned(),
            series: if method.routing == Routing::HardMiddle {
                "hard middle".to_owned()
            } else {
                "probabilistic".to_owned()
            },
            undecided_rate: average(&|set| set.of(method).rates.undecided_rate)?,
            decided_accuracy: average(&|set| set.of(method).rates.decided_accuracy)?,
        })
    };
    let points: Vec<TradeOffPoint> =
        Method::all().into_iter().filter(drawn).filter_map(point).collect();
    let mut options = TradeOffFigure::new(cart);
    options.title = Some(format!("What flags buy: means over {} data sets of CC18", sets.len()));
    Some(trade_off_svg(&points, &options))
}

/// CART by its confidence; for three estimators the blended confidence and, as a point, the zone
/// verdict. The test rows of all folds are pooled.
fn risk_coverage(data: &PaperData) -> Result<String> {
    let estimators = [Estimator::Margin, Estimator::QualityPlateau, Estimator::NodeBootstrap];
    let mut curves = vec![Pooled::default(); 1 + estimators.len()];
    for fold in 0..data.n_folds() {
        let fold = data.fold(fold)?;
        let plain = params(ZoneKind::None)?;
        let grown = Grower::new(&fold.train, &plain)?.grow_two_child(&Exec::default())?;
        curves[0].add(&grown.tree(), Routing::Crisp, &fold.test)?;
        for (curve, estimator) in curves[1..].iter_mut().zip(estimators) {
            let tree = two_child(&grown, estimator, &fold)?;
            curve.add(&tree, Routing::Probabilistic, &fold.test)?;
        }
    }
    let blended = estimators.map(Method::probabilistic).map(Method::estimator_name);
    let names = std::iter::once("CART, by its confidence".to_owned())
        .chain(blended.map(|name| format!("{name}, blended")));
    let series: Result<Vec<RiskSeries>> =
        names.zip(&curves).map(|(name, curve)| curve.series(name)).collect();
    let options = RiskCoverageFigure {
        title: Some("Which rows to decide?".to_owned()),
        subtitle: Some(format!(
            "{}, {} rows, 5 folds, depth 4; points: what the zone verdicts decide",
            data.name(),
            data.dataset().n_rows()
        )),
    };
    Ok(risk_coverage_svg(&series?, &options))
}

/// The pooled test rows of all folds.
#[derive(Clone, Default)]
struct Pooled {
    confidences: Vec<f64>,
    correct: Vec<bool>,
    counts: VerdictCounts,
}

impl Pooled {
    fn add(&mut self, tree: &Tree, routing: Routing, test: &Dataset) -> Result<()> {
        let predictions = predict(tree, routing, test)?;
        let truth = test.labels();
        self.confidences.extend(predictions.confidences());
        self.correct.extend(correctness(truth, predictions.classes())?);
        let counts = VerdictCounts::new(truth, predictions.classes(), predictions.verdicts())?;
        self.counts = [self.counts, counts].into_iter().sum();
        Ok(())
    }

    fn series(&self, name: String) -> Result<RiskSeries> {
        let ranking = ConfidenceRanking::new(&self.confidences, &self.correct)?;
        let decided = self.counts.coverage().zip(self.counts.decided_accuracy());
        let flagged = decided.filter(|(coverage, _)| *coverage < 1.0);
        let marks = flagged.map(|(coverage, accuracy)| (coverage, 1.0 - accuracy));
        let marks = marks.into_iter().collect();
        Ok(RiskSeries { name, curve: ranking.curve(), marks, aurc: ranking.aurc() })
    }
}
