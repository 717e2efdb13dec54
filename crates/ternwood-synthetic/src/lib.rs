//! Synthetic data sets for demonstrations, experiments and tests.
//!
//! Every generator is a function of the number of rows and a seed. The same call gives the same
//! bits on every machine: the random number generator has a fixed definition, and no function is
//! used that differs between operating systems.
//!
//! - [`two_moons`]: two interleaving half circles.
//! - [`check_up`]: invented medical check-ups of healthy and ill people.
//! - [`waveform`], [`twonorm`], [`ringnorm`]: Breiman's tasks, with known Bayes errors.
//! - [`overlapping_normals`]: one feature, two normal classes.
//!
//! ```
//! let moons = ternwood_synthetic::two_moons(200, 0.25, 7);
//! assert_eq!((moons.n_rows(), moons.n_features(), moons.n_classes()), (200, 2, 2));
//! assert_eq!(moons, ternwood_synthetic::two_moons(200, 0.25, 7));
//! ```

#![forbid(unsafe_code)]

mod check_up;
mod norms;
mod random;
mod two_moons;
mod waveform;

pub use check_up::{CHECK_UP_TARGET, check_up};
pub use norms::{
    RINGNORM_BAYES_ERROR, TWONORM_BAYES_ERROR, overlapping_normals, ringnorm, twonorm,
};
use ternwood::{Columns, Dataset, Feature, Schema};
pub use two_moons::two_moons;
pub use waveform::{WAVEFORM_BAYES_ERROR, waveform, waveform_with_noise};

/// A data set from rows of features, class ids and names.
fn dataset<const D: usize, S: Into<String>>(
    rows: &[([f64; D], u32)],
    features: [S; D],
    classes: &[&str],
) -> Dataset {
    let values: Vec<f64> = rows.iter().flat_map(|(values, _)| *values).collect();
    let columns = Columns::from_rows(&values, D).expect("whole rows");
    let ids = rows.iter().map(|(_, class)| *class).collect();
    let features = features.map(Feature::number).to_vec();
    let classes = classes.iter().map(|&name| name.into()).collect();
    Schema::new(features, classes)
        .and_then(|schema| Dataset::with_schema(columns, ids, schema))
        .expect("a generator has distinct names, finite numbers and at least one row")
}
