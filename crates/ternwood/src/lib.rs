//! Decision trees that know where they are unsure.
pub mod dataset;
pub mod error;
pub mod logic;
pub mod metrics;
pub mod workers;
pub use dataset::{ClassName, Columns, Dataset, Labels};
pub use error::{Error, ErrorKind, Result};
pub use logic::{Truth, Verdict};
pub use metrics::{ConfusionMatrix, Evaluation};
pub use workers::Workers;
pub mod tree;
pub use tree::{FeatureId, Node, NodeId, NodeRecord, Side, Split, Tree, TreeBuilder, Zone};
pub mod cancel;
pub mod learn;
pub use cancel::CancelToken;
pub use learn::{
    CheckedParams, ClassWeight, Criterion, GainKind, Grower, GrownTree, MaxFeatures, Resamples,
    RowCount, TreeParams, ZoneKind, ZoneParams,
};
pub mod predict;
pub use predict::{Explanation, LeafShare, Predictions, Routing, Rows, Scratch, Step, Walker};
