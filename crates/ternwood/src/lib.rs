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
//!                        |                   = Tree + names + routing
//!                        +-> Grower -> GrownTree -> Tree        (several zones on one tree)
//! ```
//!
//! - [`Dataset`]: feature columns, class labels, weights, names; valid once it exists.
//! - [`TreeParams`] and [`ZoneKind`]: what to grow, and how wide its zones are.
//! - [`Learner`] fits a [`Model`]; the [`Grower`] below it grows a tree once and looks at it
//!   through several kinds of zone.
//! - [`Model`] predicts, explains ([`Model::explain`]), and is saved as JSON.
//! - [`metrics`] measures predictions with verdicts.
//! - [`VerdictPolicy`] says what makes a row undecided; [`calibrate`] sets it to a cost, a budget
//!   of flags or a promise, and bounds the Bayes error.
//!
//! ```
//! use ternwood::{Columns, Dataset, Labels, Learner, Routing, TreeParams};
//!
//! // Glucose of eight people, and whether they turned out to be ill.
//! let glucose = vec![95.0, 104.0, 118.0, 126.0, 128.0, 139.0, 150.0, 171.0];
//! let ill = ["no", "no", "no", "yes", "no", "yes", "yes", "yes"];
//! let data = Dataset::new(Columns::from_columns(glucose, 1)?, Labels::from_values(ill))?
//!     .with_feature_names(["glucose"])?;
//!
//! let params = TreeParams { max_depth: Some(1), ..TreeParams::default() };
//! let model = Learner::new(params, Routing::Probabilistic)?.fit(&data)?;
//!
//! let row = model.explain(&[124.0])?;
//! assert_eq!(row.sentence().unwrap(), "Flagged because glucose 124.0 lies within 122.0 ± 6.0.");
//! # Ok::<(), ternwood::Error>(())
//! ```

pub mod calibrate;
pub mod cancel;
pub mod dataset;
pub mod error;
pub mod export;
pub mod learn;
pub mod learner;
pub mod logic;
pub mod metrics;
pub mod model;
pub mod predict;
pub mod tree;
pub mod workers;

pub use calibrate::{CheckedRecipe, Recipe};
pub use cancel::CancelToken;
pub use dataset::{ClassName, Columns, Dataset, DatasetView, Folds, Labels, Rows};
pub use error::{Error, ErrorKind, Result};
pub use learn::{
    Auto, Candidate, CandidateLoss, CheckedParams, Choice, ClassWeight, Criterion, GainKind,
    Grower, GrownTree, Leaves, MaxFeatures, Resamples, RowCount, Search, SplitView, TreeParams,
    ValueGroup, ZoneEstimate, ZoneKind, ZoneParams,
};
pub use learner::Learner;
pub use logic::{Truth, Verdict};
pub use metrics::{ClassTally, ConfusionMatrix, Evaluation};
pub use model::{
    Achieved, CalibrationSource, ConfidencePolicy, ExplainedRow, Feature, FeatureKind, Model,
    VerdictPolicy, VerdictRule,
};
pub use predict::{
    Explanation, LeafShare, PredictionSlots, Predictions, Routing, Scratch, Step, Walker,
};
pub use tree::{
    FeatureId, Node, NodeId, NodeRecord, PruningPath, Side, Split, Tree, TreeBuilder, Zone,
};
pub use workers::Workers;
