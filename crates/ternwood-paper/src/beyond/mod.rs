//! Beyond the paper: calibrated trees against CART with smoothed leaves of the same depth.
//!
//! The data sets of at most 12,000 rows, with the paper's folds and standardisation; depths 4 and
//! 8; the calibrated tree (spread zones, scale by inner cross-validation, leaves by EM) with three
//! seeds for its inner folds. The unit of work is one fold of one data set.
//!
//! And the same tree on tables as they are, with categories and missing values, against codes and
//! medians ([`TablesRun`]). The readable tree against the best depth ([`DepthsRun`]). And forests of ternary trees
//! against those of scikit-learn ([`ForestsRun`]).

mod depths;
mod depths_page;
mod forests;
mod forests_page;
mod measure;
mod raw;
mod summary;
mod table;
mod tables;
mod tables_page;
mod trial;

pub use depths::DepthsRun;
pub use depths_page::depths_page;
pub use forests::{FORESTS_MOST_ROWS, ForestsRun};
pub use forests_page::{Baseline, against, forests_page};
pub use measure::{BeyondRun, DEPTHS};
pub use raw::{BeyondFile, BeyondRow, Method};
pub use summary::{Comparison, DataSetFigures, Means};
pub use table::page;
pub use tables::{TABLES_DEPTH, TABLES_MOST_ROWS, TablesRun};
pub use tables_page::tables_page;
pub use trial::SEEDS;

/// The maximum number of rows of a data set.
pub const MOST_ROWS: usize = 12_000;

/// Data sets reported separately: hundreds of columns make them slow, and the targets were set
/// without them.
pub const ASIDE: [&str; 3] = ["Bioresponse", "isolet", "Internet-Advertisements"];
