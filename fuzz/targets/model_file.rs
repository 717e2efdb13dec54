//! A model file is refused with an error, or makes a model that can be used and written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ternwood::export::{TextOptions, to_dot, to_table, to_text};
use ternwood::recipe::MissingValues;
use ternwood::{Exec, Matrix, Model, UNKNOWN, is_unknown_value};
use ternwood_figures::{TreeFigure, UnsureTreesFigure, tree_svg, unsure_trees_svg};

fuzz_target!(|bytes: &[u8]| {
    // Edited files are accepted, so that a wrong checksum hides nothing.
    let Ok((model, _)) = Model::from_edited(bytes) else { return };
    for written in [model.to_json().into_bytes(), model.to_safetensors()] {
        let again = Model::from_bytes(&written).expect("what was written is read");
        assert_eq!(again, model);
        assert!([again.to_json().into_bytes(), again.to_safetensors()].contains(&written));
    }
    let may_miss = model.recipe().params.missing != MissingValues::Error;
    // Numbers, ids of categories, ids that are none, nothing, and what nobody could read.
    for value in [0.5, 0.0, 1.0, 7.0, -1.0, 1e300, f64::NAN, UNKNOWN] {
        if value.is_nan() && !is_unknown_value(value) && !may_miss {
            continue;
        }
        let row: Vec<f64> = vec![value; model.schema().n_features()];
        let answers = model
            .predict(Matrix::row_major(&row, row.len()).expect("one row"), &Exec::default())
            .expect("a number or nothing");
        let sum: f64 = answers.distribution(0).iter().sum();
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        if !model.ensemble().is_single() {
            let explained = model.explain_forest(&row).expect("one row");
            assert_eq!(explained.class(), answers.classes()[0]);
            assert_eq!(explained.verdict(), answers.verdicts()[0]);
            _ = explained.to_string();
            _ = unsure_trees_svg(&explained, &UnsureTreesFigure::default());
            continue;
        }
        let explained = model.explain(&row).expect("one row");
        assert_eq!(explained.class(), answers.classes()[0]);
        assert_eq!(explained.explanation().verdict, answers.verdicts()[0]);
        _ = explained.to_string();
        _ = explained.sentence();
    }
    let Ok(tree) = model.single_tree() else { return };
    _ = to_text(tree, TextOptions::default());
    _ = to_dot(tree);
    _ = to_table(tree);
    _ = tree_svg(&model, None, &TreeFigure::default());
    _ = tree.tree().pruning_path();
});
