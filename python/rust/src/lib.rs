//! The extension module `ternwood._ternwood`: what Python hands over becomes the library's
//! types, the library works outside the GIL, and its answers become numpy arrays.
//!
//! No algorithm lives here, and no judgement of parameters: the Python package checks what
//! scikit-learn's conventions ask for, the library checks the rest.

#![expect(clippy::needless_pass_by_value, reason = "arguments from Python come by value")]

mod errors;
mod explanation;
mod interrupt;
mod labelled;
mod labels;
mod matrix;
mod metrics;
mod model;
mod tree_arrays;
mod verdicts;

use pyo3::prelude::*;

#[pymodule]
mod _ternwood {
    #[pymodule_export]
    use crate::explanation::ExplainedRow;
    #[pymodule_export]
    use crate::metrics::{
        accuracy_at_coverage, aurc, class_tallies, confusion_matrix, figures, risk_coverage_curve,
    };
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::verdicts::bayes_error;

    /// The version of the package, the command and the library: they are one.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "what Python calls it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
