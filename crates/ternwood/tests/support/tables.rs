//! Random samples with missing values and categories.

use super::numbers::Numbers;
use super::sample::Sample;
use super::strategies::{dyadic_weights, params, plain_params, samples};
use super::trees::with_places;
use proptest::prelude::*;
use ternwood::TreeParams;
use ternwood::dataset::FeatureKind;
use ternwood::recipe::MissingValues;
use ternwood::tree::{CategoryPlace, Test};

/// What becomes of a column of numbers.
#[derive(Debug, Clone)]
struct Change {
    /// The number of categories that replace the numbers.
    categories: Option<u32>,
    /// The share of values that go missing; fewer in classes of odd id if it tells something.
    missing: f64,
    telling: bool,
    /// For every row: a random category, whether it is used, and whether the value is missing.
    random: Vec<(u32, f64, f64)>,
}

fn changes(n_rows: usize, most_categories: u32) -> impl Strategy<Value = Change> {
    let categories = prop_oneof![1 => Just(None), 1 => (1..=most_categories).prop_map(Some)];
    let missing = prop::sample::select(vec![0.0, 0.0, 0.05, 0.3, 0.3, 0.9, 1.0]);
    let random = prop::collection::vec((0..60u32, 0.0..1.0f64, 0.0..1.0f64), n_rows);
    (categories, missing, any::<bool>(), random).prop_map(
        |(categories, missing, telling, random)| Change { categories, missing, telling, random },
    )
}

impl Change {
    fn value(&self, row: usize, number: f64, class: u32) -> f64 {
        let (category, is_random, is_missing) = self.random[row];
        let dampened = if self.telling && class % 2 == 1 { 0.3 } else { 1.0 };
        if is_missing < self.missing * dampened {
            return f64::NAN;
        }
        match self.categories {
            None => number,
            Some(n) if is_random < 0.5 => f64::from(category % n),
            Some(n) => f64::from((5 * class + category % 2) % n),
        }
    }

    fn kind(&self) -> FeatureKind {
        match self.categories {
            None => FeatureKind::Number,
            Some(n) => FeatureKind::Categories((0..n).map(|id| format!("c{id}")).collect()),
        }
    }
}

/// A sample of up to `most` rows whose columns are numbers or up to `most_categories` categories,
/// complete or not.
pub fn tables(most: usize, most_categories: u32) -> impl Strategy<Value = Sample> {
    samples(most).prop_flat_map(move |sample| {
        let (n_rows, n_features) = (sample.rows.len(), sample.n_features());
        let changes = prop::collection::vec(changes(n_rows, most_categories), n_features);
        changes.prop_map(move |changes| {
            let mut sample = sample.clone();
            for (row, values) in sample.rows.iter_mut().enumerate() {
                for (x, change) in values.iter_mut().zip(&changes) {
                    *x = change.value(row, *x, sample.classes[row]);
                }
            }
            sample.kinds = changes.iter().map(Change::kind).collect();
            sample
        })
    })
}

/// A table whose rows may have weights.
pub fn weighted_tables(most: usize, most_categories: u32) -> impl Strategy<Value = Sample> {
    tables(most, most_categories).prop_flat_map(|sample| {
        dyadic_weights(sample.rows.len())
            .prop_map(move |weights| Sample { weights, ..sample.clone() })
    })
}

fn missing() -> impl Strategy<Value = MissingValues> {
    prop::sample::select(vec![MissingValues::Learn, MissingValues::Learn, MissingValues::Unknown])
}

/// Criterion, class weights and the meaning of missing values; nothing that counts rows.
pub fn plain_table_params(n_classes: u32) -> impl Strategy<Value = TreeParams> {
    (plain_params(n_classes), missing())
        .prop_map(|(params, missing)| TreeParams { missing, ..params })
}

/// Also all stopping rules, and the fewest rows of a category.
pub fn table_params(n_classes: u32) -> impl Strategy<Value = TreeParams> {
    let fewest = prop_oneof![2 => Just(1), 1 => 2..6u32];
    (params(n_classes), missing(), fewest).prop_map(|(params, missing, min_samples_category)| {
        TreeParams { missing, min_samples_category, ..params }
    })
}

/// Eight columns: numbers and categories, complete, with values missing at random, with values
/// whose absence tells something, hardly any value, none.
pub fn generated(seed: u64, n_rows: usize, n_classes: u32) -> Sample {
    let mut numbers = Numbers::new(seed);
    let mut sample = Sample::generated(seed, n_rows, n_classes);
    let categories =
        |n: usize| FeatureKind::Categories((0..n).map(|id| format!("c{id}")).collect());
    let number = || FeatureKind::Number;
    sample.kinds = vec![
        number(),
        number(),
        number(),
        categories(4),
        categories(20),
        categories(150),
        number(),
        number(),
    ];
    for (values, &class) in sample.rows.iter_mut().zip(&sample.classes) {
        let (smooth, drawn) = (values[2], numbers.unit());
        let shifted = |n: f64| ((drawn * drawn * n).floor() + f64::from(class)) % n;
        values.truncate(3);
        values.extend([shifted(4.0), shifted(20.0), (drawn * 150.0).floor(), smooth, 0.0]);
        let missing = [0.0, 0.1, 0.1 + 0.2 * f64::from(class % 2), 0.0, 0.0, 0.05, 0.95, 1.0];
        for (x, share) in values.iter_mut().zip(missing) {
            if numbers.unit() < share {
                *x = f64::NAN;
            }
        }
    }
    sample
}

/// The same table with the ids of all categories dealt anew; and the new id of every old one,
/// feature by feature.
pub fn with_other_ids(sample: &Sample, seed: u64) -> (Sample, Vec<Vec<usize>>) {
    let mut numbers = Numbers::new(seed);
    let mut reordered = sample.clone();
    let mut new_ids = Vec::new();
    for feature in 0..sample.n_features() {
        let n = sample.n_categories(feature).unwrap_or(0);
        let order = numbers.order(n);
        if let FeatureKind::Categories(names) = &mut reordered.kinds[feature] {
            for (old, &new) in order.iter().enumerate() {
                names[new] = format!("c{old}");
            }
        }
        if n > 0 {
            let renumber = |x: f64| if x.is_nan() { x } else { order[x as usize] as f64 };
            reordered = reordered.with_feature(feature, renumber);
        }
        new_ids.push(order);
    }
    (reordered, new_ids)
}

/// The same test with the new ids of categories.
pub fn renumbered(test: &Test, new_ids: &[Vec<usize>]) -> Test {
    with_places(test, |place| {
        let category = new_ids[test.feature().index()][place.category as usize] as u32;
        CategoryPlace { category, ..*place }
    })
}
