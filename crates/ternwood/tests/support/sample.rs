//! A small data set with every transformation that the laws need.

use super::numbers::Numbers;
use proptest::sample::Index;
use std::fmt;
use ternwood::dataset::FeatureKind;
use ternwood::grow::Grower;
use ternwood::recipe::ZoneParams;
use ternwood::{
    ClassName, Columns, Dataset, Exec, Feature, Learner, Matrix, Model, Predictions, Recipe,
    Routing, Schema, Tree, TreeParams,
};

/// Rows, classes and weights before they become a [`Dataset`]. A missing value is NaN.
#[derive(Clone, Default)]
pub struct Sample {
    pub rows: Vec<Vec<f64>>,
    pub classes: Vec<u32>,
    pub n_classes: u32,
    pub weights: Option<Vec<f64>>,
    /// The kind of every feature; empty if all are numbers.
    pub kinds: Vec<FeatureKind>,
}

/// One line per row: proptest's own output takes one per number.
impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = format!("{:?}", self.kinds);
        writeln!(f, "{} rows, {} classes, {kinds}", self.rows.len(), self.n_classes)?;
        for (row, (values, class)) in self.rows.iter().zip(&self.classes).enumerate() {
            let weight = self.weights.as_ref().map_or(1.0, |weights| weights[row]);
            let values = format!("{values:?}");
            writeln!(f, "{values} class {class} weight {weight}")?;
        }
        Ok(())
    }
}

impl Sample {
    pub fn n_features(&self) -> usize {
        self.rows[0].len()
    }

    /// The number of categories of a feature, or `None` if its values are numbers.
    pub fn n_categories(&self, feature: usize) -> Option<usize> {
        match self.kinds.get(feature) {
            Some(FeatureKind::Categories(names)) => Some(names.len()),
            _ => None,
        }
    }

    pub fn schema(&self) -> Schema {
        let classes = (0..self.n_classes).map(ClassName::from).collect();
        if self.kinds.is_empty() {
            return Schema::unnamed(self.n_features(), classes).unwrap();
        }
        let feature = |(at, kind): (usize, &FeatureKind)| Feature {
            kind: kind.clone(),
            ..Feature::number(format!("f{at}"))
        };
        Schema::new(self.kinds.iter().enumerate().map(feature).collect(), classes).unwrap()
    }

    pub fn dataset(&self) -> Dataset {
        let columns = Columns::from_rows(&self.rows.concat(), self.n_features()).unwrap();
        let data = Dataset::with_schema(columns, self.classes.clone(), self.schema());
        match &self.weights {
            Some(weights) => data.unwrap().with_weights(weights.clone()).unwrap(),
            None => data.unwrap(),
        }
    }

    /// What a model says about the rows.
    pub fn predictions(&self, model: &Model) -> Predictions {
        let flat = self.rows.concat();
        let rows = Matrix::row_major(&flat, self.n_features()).unwrap();
        model.predict(rows, &Exec::default()).unwrap()
    }

    /// The model that `params` and `routing` fit to this sample.
    pub fn fit(&self, params: &TreeParams, routing: Routing) -> Model {
        let params = params.clone();
        self.fit_recipe(&Recipe { params, routing, ..Recipe::default() }, &Exec::default())
    }

    /// The model that a recipe fits to this sample.
    pub fn fit_recipe(&self, recipe: &Recipe, exec: &Exec) -> Model {
        Learner::from_recipe(recipe.clone()).unwrap().fit(&self.dataset(), exec).unwrap()
    }

    /// The two-child tree, with several kinds of zone.
    pub fn two_child_trees(&self, params: &TreeParams, zones: &[ZoneParams]) -> Vec<Tree> {
        let (data, params) = (self.dataset(), params.clone().check().unwrap());
        let grown = Grower::new(&data, &params).unwrap().grow_two_child(&Exec::default()).unwrap();
        zones.iter().map(|zone| grown.with_zones(zone).unwrap()).collect()
    }

    /// The rows with weights `copies`, and the same data with copies of the rows.
    pub fn weighted_and_copied(&self, copies: &[usize]) -> [Self; 2] {
        let weights = copies.iter().map(|&copies| copies as f64).collect();
        let repeated = copies.iter().enumerate().flat_map(|(row, &n)| std::iter::repeat_n(row, n));
        let copied = self.rearranged(&repeated.collect::<Vec<_>>());
        [Self { weights: Some(weights), ..self.clone() }, copied]
    }

    /// The same sample with rows of weight 0 in between, each with one value throughout.
    pub fn with_weightless_rows(&self, extra: &[(Index, f64)]) -> Self {
        let mut with = self.clone();
        let mut weights = self.weights.clone().unwrap_or_else(|| vec![1.0; self.rows.len()]);
        for &(at, value) in extra {
            let at = at.index(with.rows.len() + 1);
            with.rows.insert(at, vec![value; self.n_features()]);
            with.classes.insert(at, self.classes[0]);
            weights.insert(at, 0.0);
        }
        Self { weights: Some(weights), ..with }
    }

    /// The rows in the order of `order`, which may leave rows out or repeat them.
    pub fn rearranged(&self, order: &[usize]) -> Self {
        Self {
            rows: order.iter().map(|&row| self.rows[row].clone()).collect(),
            classes: order.iter().map(|&row| self.classes[row]).collect(),
            n_classes: self.n_classes,
            kinds: self.kinds.clone(),
            weights: self.weights.as_ref().map(|w| order.iter().map(|&row| w[row]).collect()),
        }
    }

    /// The same sample with one value of every row changed.
    pub fn with_feature(&self, feature: usize, change: impl Fn(f64) -> f64) -> Self {
        let mut changed = self.clone();
        changed.rows.iter_mut().for_each(|row| row[feature] = change(row[feature]));
        changed
    }

    /// Overlapping classes in several columns: floats, integers with ties, few levels.
    pub fn generated(seed: u64, n_rows: usize, n_classes: u32) -> Self {
        let mut numbers = Numbers::new(seed);
        let (mut rows, mut classes) = (Vec::new(), Vec::new());
        for _ in 0..n_rows {
            let class = numbers.below(n_classes as usize) as u32;
            let centre = f64::from(class);
            rows.push(vec![
                centre + 1.5 * numbers.normal(),
                (centre + 3.0 * numbers.normal()).round(),
                numbers.normal(),
                f64::from(u32::from(numbers.unit() < 0.3 + 0.4 * centre / f64::from(n_classes))),
                (0.3 * centre + numbers.normal()).exp(),
                (5.0 * numbers.unit()).floor() - 2.0,
            ]);
            classes.push(class);
        }
        Self { rows, classes, n_classes, ..Self::default() }
    }
}
