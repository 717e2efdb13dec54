//! Pictures of ternary decision trees and of what they achieve, as SVG.
//!
//! One renderer for the command, the experiments and Python: every function takes a model or
//! results and returns the text of an SVG document. Same input, same bytes. The documents
//! define no ids, so any number of them can stand in one page.
//!
//! - [`tree_svg`]: the whole tree, a histogram with its zone in every split.
//! - [`zone_svg`]: one split in detail, and the zones of all estimators side by side.

mod axis;
mod classes;
mod density;
mod geometry;
mod histogram;
mod legend;
mod number;
mod palette;
mod plot;
mod svg;
mod text;
mod tree;
mod zone;

pub use tree::{Detail, TreeFigure, tree_svg};
pub use zone::{Arrangement, ZoneFigure, ZonePanel, zone_svg};
