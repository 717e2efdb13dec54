//! A model file is refused with an error, or makes a model that can be used and written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ternwood::export::{TextOptions, to_dot, to_table, to_text};
use ternwood::{Exec, Matrix, Model};
use ternwood_figures::{TreeFigure, tree_svg};

fuzz_target!(|text: &str| {
    let Ok(model) = Model::from_json(text) else { return };
    let json = model.to_json();
    let again = Model::from_json(&json).expect("what was written is read");
    assert_eq!(again, model);
    assert_eq!(again.to_json(), json);
    let rows: Vec<f64> = vec![0.5; model.schema().n_features()];
    let answers = model
        .predict(Matrix::row_major(&rows, rows.len()).expect("one row"), &Exec::default())
        .expect("0.5 is finite");
    let sum: f64 = answers.distribution(0).iter().sum();
    assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    assert_eq!(model.explain(&rows).expect("one row").class(), answers.classes()[0]);
    _ = to_text(&model, TextOptions::default());
    _ = to_dot(&model);
    _ = to_table(&model);
    _ = tree_svg(&model, None, &TreeFigure::default());
    _ = model.tree().pruning_path();
});
