//! Times predictions of a model file, one row at a time and in batches: prints lines "work,repeat,seconds per row". For
//! `make latency`.
//!
//! ```text
//! latency MODEL ROWS REPEATS
//! ```
//!
//! ROWS has the values of all rows, one row after the other, as little-endian doubles. One thread is used.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::hint::black_box;
use std::time::Instant;
use ternwood::model::RowScratch;
use ternwood::{Exec, Matrix, Model};

/// Rows of a batch.
const BATCH: usize = 1000;

/// Rows that are asked about one at a time in a repeat.
const ALONE: usize = 1000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, rows, repeats] = &arguments[..] else { panic!("latency MODEL ROWS REPEATS") };
    let file = std::fs::read(model).expect("the model can be read");
    let load = || Model::from_bytes(&file).expect("it is a model");
    let model = load();
    let rows = std::fs::read(rows).expect("the rows can be read");
    let values: Vec<f64> =
        rows.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let n_features = model.schema().n_features();
    let rows: Vec<&[f64]> = values.chunks_exact(n_features).collect();
    let (alone, batch) = (&rows[..ALONE], &values[..BATCH * n_features]);
    let exec = Exec::with_threads(1).expect("there is a thread");
    let predict = |model: &Model, values: &[f64]| {
        let matrix = Matrix::row_major(values, n_features).expect("whole rows");
        black_box(model.predict(matrix, &exec).expect("the rows are fine"));
    };
    let mut scratch = RowScratch::default();
    let mut probabilities = vec![0.0; model.schema().n_classes()];
    let mut predict_row = |row: &[f64]| {
        let answer = model.predict_row(row, &mut scratch, &mut probabilities);
        black_box(answer.expect("the row is fine"));
    };
    let repeats: usize = repeats.parse().expect("a number of repeats");
    // The first round is a warm-up.
    for repeat in 0..=repeats {
        let new = load();
        let works: [(&str, usize, &mut dyn FnMut()); 4] = [
            ("predict_row", ALONE, &mut || alone.iter().for_each(|row| predict_row(row))),
            ("predict, one row", ALONE, &mut || alone.iter().for_each(|row| predict(&model, row))),
            ("predict, the first row after loading", 1, &mut || predict(&new, alone[0])),
            ("predict, a batch", BATCH, &mut || predict(&model, batch)),
        ];
        for (name, n_rows, work) in works {
            let start = Instant::now();
            work();
            let seconds = start.elapsed().as_secs_f64() / n_rows as f64;
            if repeat > 0 {
                println!("{name},{repeat},{seconds:e}");
            }
        }
    }
}
