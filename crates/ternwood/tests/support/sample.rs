//! A small data set with every transformation that the laws need.

use super::numbers::Numbers;
use ternwood::grow::Grower;
use ternwood::recipe::ZoneParams;
use ternwood::{
    ClassName, Columns, Dataset, Exec, Labels, Learner, Model, Recipe, Routing, Tree, TreeParams,
};

/// Rows, classes and weights before they become a [`Dataset`].
#[derive(Debug, Clone)]
pub struct Sample {
    pub rows: Vec<Vec<f64>>,
    pub classes: Vec<u32>,
    pub n_classes: u32,
    pub weights: Option<Vec<f64>>,
}

impl Sample {
    pub fn n_features(&self) -> usize {
        self.rows[0].len()
    }

    pub fn dataset(&self) -> Dataset {
        let flat: Vec<f64> = self.rows.concat();
        let names = (0..self.n_classes).map(ClassName::from).collect();
        let labels = Labels::from_ids(self.classes.clone(), names).unwrap();
        let data = Dataset::new(Columns::from_rows(&flat, self.n_features()).unwrap(), labels);
        match &self.weights {
            Some(weights) => data.unwrap().with_weights(weights.clone()).unwrap(),
            None => data.unwrap(),
        }
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

    /// The rows in the order of `order`, which may leave rows out or repeat them.
    pub fn rearranged(&self, order: &[usize]) -> Self {
        Self {
            rows: order.iter().map(|&row| self.rows[row].clone()).collect(),
            classes: order.iter().map(|&row| self.classes[row]).collect(),
            n_classes: self.n_classes,
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
        Self { rows, classes, n_classes, weights: None }
    }
}
