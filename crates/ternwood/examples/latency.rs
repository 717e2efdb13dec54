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
        let works: [(&str, f64); 4] = [
            ("predict_row", median_of_groups(alone, |row| predict_row(row))),
            ("predict, one row", median_of_groups(alone, |row| predict(&model, row))),
            ("predict, the first row after loading", seconds(|| predict(&new, alone[0]))),
            ("predict, a batch", fastest(|| predict(&model, batch)) / BATCH as f64),
        ];
        for (name, seconds) in works {
            if repeat > 0 {
                println!("{name},{repeat},{seconds:e}");
            }
        }
    }
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// The time of the fastest of ten: other programs interrupt most of what takes milliseconds.
fn fastest(mut work: impl FnMut()) -> f64 {
    (0..10).map(|_| seconds(&mut work)).fold(f64::INFINITY, f64::min)
}

/// The median time per row of small groups of rows: few of them are interrupted by other programs.
fn median_of_groups(rows: &[&[f64]], mut ask: impl FnMut(&[f64])) -> f64 {
    const GROUP: usize = 10;
    let of_group = |group: &[&[f64]]| seconds(|| group.iter().for_each(|row| ask(row)));
    let mut times: Vec<f64> = rows.chunks_exact(GROUP).map(of_group).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2] / GROUP as f64
}
