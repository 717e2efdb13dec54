//! Decision trees that know where they are unsure.
//!
//! Every split of a CART tree gets an *uncertainty zone*: a half-width around its threshold,
//! computed from the split's own rows. A row that falls into a zone is predicted by blending
//! both subtrees. With the paper's zones it is *undecided*; every other row is *decided*, and
//! predicted exactly like CART. Calibrated trees have wider zones and call a row undecided if its
//! probability is low. The verdict qualifies the prediction and never withholds it.
//!
//! How the main types fit together:
//!
//! ```text
//! Columns + Labels -> Dataset -> Learner -> Model -> Predictions -> Evaluation
//!                        |       (Recipe)     = Schema + Ensemble + Recipe + VerdictPolicy
//!                        +-> Grower -> GrownTree -> Tree        (several zones on one tree)
//! ```
//!
//! - [`Dataset`]: values, classes, weights and a [`Schema`], validated on construction.
//! - [`Recipe`]: all settings of a fit. [`TreeParams`] control growth, [`ZoneKind`] how zone
//!   widths are estimated.
//! - [`Learner`] fits a [`Model`]. Underneath, [`grow`] grows trees and [`fit`] adds the steps
//!   that need predictions, such as cross-validation.
//! - [`Model`] predicts, explains ([`Model::explain`]) and is saved as JSON.
//! - [`tree::Test`] is the core idea: a split that knows where it is unsure.
//! - [`rules`] are a tree in other words: one conjunction of tests per leaf, in three-valued logic.
//! - [`training`] is what a model knows of its training rows, by which it recognises them.
//! - [`verdict`] defines when a row is undecided, and what can be guaranteed for the others.
//! - [`check`] tells whether that still holds for new rows.
//! - [`metrics`] measures predictions with verdicts; [`bayes_error`] bounds the error that no
//!   classifier can avoid.
//! - [`partitions`] fits the same model to rows that lie in many places.
//! - Long-running functions take an [`Exec`]: the threads to use and a cancel token.
//!
//! Without the feature `learn` the library only loads models and predicts. It then needs neither
//! threads nor random numbers, and these are absent: the modules [`fit`], [`grow`] and [`partitions`],
//! [`Learner`], [`Folds`], [`HoldOut`] and [`Exec::with_threads`].
//!
//! ```
//! # #[cfg(feature = "learn")] {
//! use ternwood::{Columns, Dataset, Exec, Labels, Learner, Routing, TreeParams};
//!
//! // Glucose of eight people, and whether they turned out to be ill.
//! let glucose = vec![95.0, 104.0, 118.0, 126.0, 128.0, 139.0, 150.0, 171.0];
//! let ill = ["no", "no", "no", "yes", "no", "yes", "yes", "yes"];
//! let data = Dataset::new(Columns::from_columns(glucose, 1)?, Labels::from_values(ill))?
//!     .with_feature_names(["glucose"])?;
//!
//! let params = TreeParams { max_depth: Some(1), ..TreeParams::default() };
//! let model = Learner::new(params, Routing::Probabilistic)?.fit(&data, &Exec::default())?;
//!
//! let row = model.explain(&[124.0])?;
//! assert_eq!(row.reason().unwrap(), "Flagged because glucose 124 lies within the uncertainty zone from 116 to 128.");
//! # }
//! # Ok::<(), ternwood::Error>(())
//! ```

// Some code outside `grow` and `fit` is used only by them, so it is dead without `learn`.
#![cfg_attr(not(feature = "learn"), allow(dead_code, unused_imports))]

/// Runs the example of the README.
#[cfg(all(doctest, feature = "learn"))]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod bayes_error;
mod blend;
#[cfg(feature = "learn")]
#[doc(hidden)]
pub mod boost;
pub mod check;
pub mod dataset;
pub mod ensemble;
pub mod error;
pub mod exec;
pub mod export;
#[cfg(feature = "learn")]
pub mod fit;
#[cfg(feature = "learn")]
pub mod grow;
pub mod metrics;
pub mod model;
#[cfg(feature = "learn")]
pub mod partitions;
pub mod predict;
pub mod recipe;
pub mod rules;
pub mod stats;
pub mod training;
pub mod tree;
pub mod verdict;

pub use dataset::{
    ClassName, Columns, Dataset, DatasetView, Feature, Labels, Matrix, Schema, UNKNOWN,
    is_unknown_value,
};
#[cfg(feature = "learn")]
pub use dataset::{Folds, HoldOut, Resampler};
pub use ensemble::Ensemble;
pub use error::{Error, ErrorKind, Promised, Result};
pub use exec::{CancelToken, Exec};
#[cfg(feature = "learn")]
pub use fit::Learner;
pub use model::Model;
pub use predict::{Predictions, Verdict};
pub use recipe::{Recipe, Routing, TreeParams, ZoneKind};
pub use tree::Tree;
pub use verdict::VerdictPolicy;
