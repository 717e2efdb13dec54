//! Small seeded data sets, for tests and the gallery.

#![allow(dead_code, reason = "each user takes what it needs")]

use std::f64::consts::PI;
use ternwood::{
    Columns, Dataset, Exec, Feature, Learner, Model, Routing, Schema, TreeParams, ZoneKind,
};

/// A tiny generator of uniform and normal numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1))
    }

    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (2.0 * PI * self.unit()).cos()
    }
}

const NAMES: [&str; 5] = [
    "glucose",
    "body_mass_index",
    "age",
    "worst concave points of the nucleus (mean of three)",
    "pulse",
];
const CLASSES: [&str; 12] = [
    "healthy",
    "ill",
    "unclear",
    "recovering",
    "chronic",
    "acute",
    "mild",
    "severe",
    "remission",
    "relapse",
    "unknown",
    "other",
];

pub fn dataset(columns: Vec<f64>, ids: Vec<u32>, names: &[&str], classes: &[&str]) -> Dataset {
    let columns = Columns::from_columns(columns, names.len()).expect("columns of one length");
    let features = names.iter().map(|&name| Feature::number(name)).collect();
    Schema::new(features, classes.iter().map(|&class| class.into()).collect())
        .and_then(|schema| Dataset::with_schema(columns, ids, schema))
        .expect("valid data")
}

/// Overlapping clouds, one per class, in five features, one of them integer-valued.
pub fn blobs(n_classes: usize, rows: usize, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let centers: Vec<[f64; 5]> = (0..n_classes)
        .map(|_| [0.0; 5])
        .map(|center: [f64; 5]| center.map(|_| 3.0 * random.unit()))
        .collect();
    let ids: Vec<u32> = (0..rows).map(|row| (row % n_classes) as u32).collect();
    let mut columns = Vec::with_capacity(5 * rows);
    for feature in 0..NAMES.len() {
        for &id in &ids {
            let center: &[f64; 5] = &centers[id as usize];
            let z = center[feature] + 0.6 * random.normal();
            columns.push(match feature {
                0 => 100.0 + 20.0 * z,
                1 => 18.0 + 4.0 * z,
                2 => (40.0 + 3.0 * z).round(),
                3 => 0.05 + 0.02 * z,
                _ => 70.0 + z,
            });
        }
    }
    let classes: Vec<String> = (0..n_classes)
        .map(|id| CLASSES.get(id).map_or_else(|| format!("class {id}"), |&name| name.to_owned()))
        .collect();
    let classes: Vec<&str> = classes.iter().map(String::as_str).collect();
    dataset(columns, ids, &NAMES, &classes)
}

/// Two interleaving half circles.
pub fn moons(rows: usize, noise: f64, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let (mut x, mut y, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..rows {
        let angle = PI * random.unit();
        let (a, b) = if row % 2 == 0 {
            (angle.cos(), angle.sin())
        } else {
            (1.0 - angle.cos(), 0.5 - angle.sin())
        };
        x.push(a + noise * random.normal());
        y.push(b + noise * random.normal());
        ids.push((row % 2) as u32);
    }
    x.append(&mut y);
    dataset(x, ids, &["x", "y"], &["upper moon", "lower moon"])
}

/// One feature, two normal classes: N(5, 1.5) and N(9, 1.5).
pub fn normals(rows: usize, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let ids: Vec<u32> = (0..rows).map(|row| (row % 2) as u32).collect();
    let values = ids.iter().map(|&id| 5.0 + 4.0 * f64::from(id) + 1.5 * random.normal()).collect();
    dataset(values, ids, &["x"], &["class 0", "class 1"])
}

/// One feature with a few outliers: log-normal, wider in the second class.
pub fn skewed(rows: usize, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let ids: Vec<u32> = (0..rows).map(|row| (row % 2) as u32).collect();
    let values =
        ids.iter().map(|&id| (1.0 + f64::from(id) + 1.6 * random.normal()).exp()).collect();
    dataset(values, ids, &["income"], &["poor", "rich"])
}

const JOBS: [&str; 12] = [
    "clerk", "pilot", "nurse", "miner", "cook", "farmer", "driver", "teacher", "welder", "singer",
    "baker", "guard",
];

/// A table as people have them: categories of which some are rare, ordered categories, and numbers
/// that are sometimes missing.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    pub categories: usize,
    pub classes: usize,
    pub rows: usize,
    pub seed: u64,
    /// The share of numbers and of ordered categories that are missing.
    pub missing: f64,
    /// True if names are as long as names can be.
    pub long_names: bool,
}

impl Default for Table {
    fn default() -> Self {
        Self { categories: 12, classes: 2, rows: 800, seed: 1, missing: 0.15, long_names: false }
    }
}

impl Table {
    fn category_name(&self, id: usize) -> String {
        let name = match JOBS.get(id) {
            Some(&job) if self.categories <= JOBS.len() => job.to_owned(),
            _ => format!("ward {id}"),
        };
        let long = "of the department of internal medicine and everything else";
        if self.long_names { format!("{name} {long}") } else { name }
    }

    /// The features: a category, ordered categories, a number, and a number that is missing in
    /// most rows of the last class only.
    pub fn dataset(&self) -> Dataset {
        let mut random = Random::new(self.seed);
        let Self { categories, classes, rows, missing, .. } = *self;
        // The pull of every category towards every class.
        let pulls: Vec<Vec<f64>> = (0..categories)
            .map(|_| (0..classes).map(|_| (1.3 * random.normal()).exp()).collect())
            .collect();
        let mut columns = vec![Vec::new(); 4];
        let mut ids = Vec::with_capacity(rows);
        for _ in 0..rows {
            // Later categories are rarer.
            let category = (categories as f64 * random.unit().powi(2)) as usize;
            let pull = &pulls[category.min(categories - 1)];
            let mut place = random.unit() * pull.iter().sum::<f64>();
            let class = pull.iter().position(|weight| {
                place -= weight;
                place < 0.0
            });
            let class = class.unwrap_or(classes - 1);
            let rank = (2.0 + 0.8 * class as f64 + 1.2 * random.normal()).round().clamp(0.0, 5.0);
            let glucose = 100.0 + 9.0 * class as f64 + 14.0 * random.normal();
            let pulse = 70.0 + 9.0 * random.normal();
            let mut unless = |share: f64, x: f64| if random.unit() < share { f64::NAN } else { x };
            columns[0].push(category as f64);
            columns[1].push(unless(missing, rank));
            columns[2].push(unless(missing, glucose));
            let often = if class + 1 == classes { 0.8 } else { 0.1 };
            columns[3].push(unless(if missing > 0.0 { often } else { 0.0 }, pulse));
            ids.push(class as u32);
        }
        let education = ["none", "primary", "secondary", "Bachelors", "Masters", "PhD"];
        let features = vec![
            Feature::categories("job", (0..categories).map(|id| self.category_name(id))),
            Feature::ordered("education", education),
            Feature::number("glucose"),
            Feature::number("pulse"),
        ];
        let names = (0..classes).map(|id| CLASSES[id].into()).collect();
        let columns = Columns::from_columns(columns.concat(), 4).expect("columns of one length");
        Schema::new(features, names)
            .and_then(|schema| Dataset::with_schema(columns, ids, schema))
            .expect("valid data")
    }
}

pub fn fit(data: &Dataset, depth: u32, kind: ZoneKind, routing: Routing) -> Model {
    let params =
        TreeParams { max_depth: Some(depth), zone: kind.into(), seed: 42, ..TreeParams::default() };
    let learner = Learner::new(params, routing).expect("valid parameters");
    learner.fit(data, &Exec::default()).expect("data that fits")
}
