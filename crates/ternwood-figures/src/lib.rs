//! Pictures of ternary decision trees and of what they achieve, as SVG.
//!
//! One renderer for the command, the experiments and Python: every function takes a model or
//! results and returns the text of an SVG document. Same input, same bytes. The documents
//! define no ids, so any number of them can stand in one page.
//!
//! - [`tree_svg`]: the whole tree, a histogram with its zone in every split.

mod axis;
mod classes;
mod geometry;
mod histogram;
mod legend;
mod number;
mod palette;
mod svg;
mod text;
mod tree;

pub use tree::{Detail, TreeFigure, tree_svg};
