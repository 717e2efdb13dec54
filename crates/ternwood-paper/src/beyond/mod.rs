//! Beyond the paper: calibrated trees against CART with smoothed leaves of the same depth.
//!
//! The data sets of at most 12,000 rows, with the paper's folds and standardisation; depths 4 and
//! 8; the calibrated tree (spread zones, scale by inner cross-validation, leaves by EM) with three
//! seeds for its inner folds. The unit of work is one fold of one data set.
//!
//! And the same tree on tables as they are, with categories and missing values, against codes and
//! medians ([`Experiment::Tables`]). The readable tree against the best depth ([`Experiment::Depths`]). And forests of ternary trees
//! against those of scikit-learn ([`Experiment::Forests`]).

mod pages;
mod raw;
mod runs;
mod summary;

pub use pages::{Baseline, against, depths_page, forests_page, page, tables_page};
pub use raw::{BeyondFile, BeyondRow, Method};
pub use runs::{
    BeyondRun, DEPTHS, Experiment, FORESTS_MOST_ROWS, SEEDS, TABLES_DEPTH, TABLES_MOST_ROWS,
};
pub use summary::{Comparison, DataSetFigures, Means};

/// The maximum number of rows of a data set.
pub const MOST_ROWS: usize = 12_000;

/// Data sets reported separately: hundreds of columns make them slow, and the targets were set
/// without them.
pub const ASIDE: [&str; 3] = ["Bioresponse", "isolet", "Internet-Advertisements"];
