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

pub fn fit(data: &Dataset, depth: u32, kind: ZoneKind, routing: Routing) -> Model {
    let params =
        TreeParams { max_depth: Some(depth), zone: kind.into(), seed: 42, ..TreeParams::default() };
    let learner = Learner::new(params, routing).expect("valid parameters");
    learner.fit(data, &Exec::default()).expect("data that fits")
}
