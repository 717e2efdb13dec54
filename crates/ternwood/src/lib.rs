//! Decision trees that know where they are unsure.
//!
//! Every split of a CART tree gets an *uncertainty zone*: a half-width around its threshold,
//! computed from the split's own rows. A row that falls into a zone is answered by blending
//! both subtrees and is *undecided*; every other row is *decided*. The verdict qualifies the
//! prediction and never withholds it.
//!
//! How the principal types meet:
//!
//! ```text
//! Columns + Labels -> Dataset -> Learner -> Model -> Predictions -> Evaluation
//!                        |       (Recipe)     = Schema + Tree + Recipe + VerdictPolicy
//!                        +-> Grower -> GrownTree -> Tree        (several zones on one tree)
//! ```
//!
//! - [`Dataset`]: values, classes, weights and a [`Schema`]; valid once it exists.
//! - [`Recipe`]: everything that decides which model comes from given data. [`TreeParams`] says
//!   what to grow, [`ZoneKind`] how wide its zones are.
//! - [`Learner`] fits a [`Model`]; below it, [`grow`] grows trees and [`fit`] does what needs
//!   predictions of rows not grown from.
//! - [`Model`] predicts, explains ([`Model::explain`]) and is saved as JSON.
//! - [`tree::Test`] is the idea: a test that knows where it is unsure.
//! - [`verdict`] says what makes a row undecided, and what can be promised of the others.
//! - [`metrics`] measures predictions with verdicts; [`bayes_error`] bounds the error that no
//!   classifier can avoid.
//! - Whatever takes long takes an [`Exec`]: the threads to use, and a way to stop.
//!
//! Without the feature `learn` the library reads models and predicts, and does not need threads
//! or random numbers.
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
//! assert_eq!(row.sentence().unwrap(), "Flagged because glucose 124.0 lies within 122.0 ± 6.0.");
//! # }
//! # Ok::<(), ternwood::Error>(())
//! ```

// Helpers of growing stand beside what they belong to; alone, nothing calls them.
#![cfg_attr(not(feature = "learn"), allow(dead_code, unused_imports))]

pub mod bayes_error;
pub mod dataset;
pub mod error;
pub mod exec;
pub mod export;
#[cfg(feature = "learn")]
pub mod fit;
#[cfg(feature = "learn")]
pub mod grow;
pub mod metrics;
pub mod model;
pub mod predict;
pub mod recipe;
pub mod tree;
pub mod verdict;

#[cfg(feature = "learn")]
pub use dataset::Folds;
pub use dataset::{ClassName, Columns, Dataset, DatasetView, Feature, Labels, Matrix, Schema};
pub use error::{Error, ErrorKind, Result};
pub use exec::{CancelToken, Exec};
#[cfg(feature = "learn")]
pub use fit::Learner;
pub use model::Model;
pub use predict::{Predictions, Verdict};
pub use recipe::{Recipe, Routing, TreeParams, ZoneKind};
pub use tree::Tree;
pub use verdict::VerdictPolicy;
