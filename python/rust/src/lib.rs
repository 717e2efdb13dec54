//! The extension module `ternwood._ternwood`: converts Python's arguments to the library's types,
//! calls the library outside the GIL, and returns its results as numpy arrays.
//!
//! It has no algorithms and checks no parameters: the Python package checks what scikit-learn's
//! conventions require, the library checks the rest.

#![expect(clippy::needless_pass_by_value, reason = "arguments from Python come by value")]

mod candidate;
mod check;
mod defaults;
mod doubts;
mod errors;
mod explanation;
mod exports;
mod folds;
mod forest;
mod frame;
mod interrupt;
mod labelled;
mod labels;
mod matrix;
mod metrics;
mod model;
mod partitions;
mod tree_arrays;
mod verdicts;

use pyo3::prelude::*;

#[pymodule]
mod _ternwood {
    #[pymodule_export]
    use crate::candidate::Candidate;
    #[pymodule_export]
    use crate::check::check_verdicts;
    #[pymodule_export]
    use crate::defaults::{calibrated_recipe, forest_recipe, paper_recipe, zone_kinds};
    #[pymodule_export]
    use crate::doubts::{data_doubts, has_many_categories, target_doubt_of_totals};
    #[pymodule_export]
    use crate::explanation::ExplainedRow;
    #[pymodule_export]
    use crate::explanation::{ExplainedForestRow, explain_forest, unsure_trees_svg};
    #[pymodule_export]
    use crate::exports::convert_figure;
    #[pymodule_export]
    use crate::exports::page_html;
    #[pymodule_export]
    use crate::exports::{rule_truths, rules, to_onnx, to_sql};
    #[pymodule_export]
    use crate::folds::{folds_differ, stratified_folds};
    #[pymodule_export]
    use crate::forest::{
        apply_trees, decision_paths, disagreement, fit_forest, forest_bags, forest_exponent,
        n_trees, tree_of_forest,
    };
    #[pymodule_export]
    use crate::frame::{Frame, Unseen, sorted_categories, texts_are};
    #[pymodule_export]
    use crate::metrics::bayes_error;
    #[pymodule_export]
    use crate::metrics::{
        accuracy_at_coverage, aurc, class_tallies, confusion_matrix, figures, mean_cost,
        risk_coverage_curve,
    };
    #[pymodule_export]
    use crate::model::{Model, is_open_column};
    #[pymodule_export]
    use crate::partitions::{Coordinator, Partition, merge_answers};
    #[pymodule_export]
    use crate::tree_arrays::CategoryCut;
    #[pymodule_export]
    use crate::verdicts::verdict_report;
    #[pymodule_export]
    use crate::verdicts::{TradeOffLine, trade_offs};
    #[pymodule_export]
    use crate::verdicts::{judged, rows_needed, verdict_policy};

    /// The cost of a flag, as a share of the cost of a wrong answer, where no rule is given.
    #[pymodule_export]
    const USUAL_COST_RATIO: f64 = ternwood::verdict::USUAL_COST_RATIO;

    /// The most leaves of a tree that is printed as a whole.
    #[pymodule_export]
    const READABLE_LEAVES: usize = ternwood::export::READABLE_LEAVES;

    /// The version, shared by the package, the command and the library.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "what Python calls it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
