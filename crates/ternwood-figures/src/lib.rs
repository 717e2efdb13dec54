//! SVG figures of ternary decision trees and their results.
//!
//! One renderer for the command, the experiments and Python: every function takes a model or
//! results and returns an SVG document. The same input gives the same bytes. The documents define
//! no ids, so a page can contain any number of them.
//!
//! - [`tree_svg`]: the whole tree, a histogram with its zone in every split, or the categories with
//!   their errors.
//! - [`zone_svg`]: one split in detail, and the zones of all estimators side by side, or all
//!   categories.
//! - [`surface_svg`]: the answers of models over two features.
//! - [`risk_coverage_svg`]: how the error grows with the share of rows decided.
//! - [`trade_off_svg`]: decided accuracy against undecided rows, with lines of equal efficiency.
//! - [`unsure_trees_svg`]: why a forest is unsure of a row, feature by feature.
//! - [`converted`]: any of them as PNG or PDF, where a program is at hand that can.
//! - [`VerdictReport`]: what verdicts do on labelled rows, as one page of HTML to print and sign.
//!
//! ```
//! use ternwood::tree::NodeId;
//! use ternwood::{Columns, Dataset, Exec, Labels, Learner, Routing, TreeParams};
//! use ternwood_figures::{TreeFigure, ZoneFigure, tree_svg, zone_svg};
//!
//! let columns = Columns::from_columns(vec![95.0, 104.0, 118.0, 126.0, 128.0, 139.0], 1)?;
//! let data = Dataset::new(columns, Labels::from_values(["no", "no", "no", "yes", "no", "yes"]))?
//!     .with_feature_names(["glucose"])?;
//! let params = TreeParams { max_depth: Some(1), ..TreeParams::default() };
//! let model = Learner::new(params, Routing::Probabilistic)?.fit(&data, &Exec::default())?;
//!
//! let tree = tree_svg(&model, Some((&data).into()), &TreeFigure::default())?;
//! assert!(tree.contains(">glucose</text>"));
//! let zone = zone_svg(&model, &data, NodeId::ROOT, &ZoneFigure::default())?;
//! assert!(zone.contains(">quality plateau</text>"));
//! # Ok::<(), ternwood::Error>(())
//! ```

#![forbid(unsafe_code)]

mod categories;
mod classes;
mod convert;
mod drawn_rows;
#[cfg(test)]
#[path = "../tests/generators/mod.rs"]
mod generators;
mod histogram;
mod palette;
mod plot;
mod report;
mod risk_coverage;
mod surface;
mod svg;
#[cfg(test)]
mod tests;
mod text;
mod trade_off;
mod tree;
mod unsure_trees;
mod words;
mod zone;

pub use classes::class_colours;
pub use convert::{ConvertError, ImageFormat, converted};
pub use report::{INTERVAL_CONFIDENCE, Share, VerdictReport};
pub use risk_coverage::{RiskCoverageFigure, RiskSeries, risk_coverage_svg};
pub use surface::{SurfaceFigure, SurfacePanel, surface_svg};
pub use trade_off::{TradeOffFigure, TradeOffPoint, trade_off_svg};
pub use tree::{Detail, TreeFigure, tree_svg};
pub use unsure_trees::{UnsureTreesFigure, unsure_trees_svg};
pub use zone::{Arrangement, ZoneFigure, ZonePanel, zone_svg};
