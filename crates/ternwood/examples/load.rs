//! Fits ten million rows and predicts fifty million, and refuses to call it well if either needs
//! more memory than is promised: `make load`.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

#[path = "../benches/support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::time::Instant;
use support::two_normals;
use ternwood::{Exec, Learner, Matrix, Model, Routing, TreeParams};

const COLUMNS: usize = 20;
/// Most memory of a fit, in multiples of the feature matrix and besides it.
const FIT_BOUND: f64 = 2.5;

fn main() -> ExitCode {
    let million = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10_usize);
    let n_rows = million * 1_000_000;
    let exec = Exec::with_threads(0).expect("one thread per core");
    let data = two_normals(n_rows, COLUMNS, None);
    let matrix = (n_rows * COLUMNS * size_of::<f64>()) as f64;

    let (before, begun) = (forget_peak(), Instant::now());
    let params = TreeParams { max_depth: Some(4), ..TreeParams::default() };
    let learner = Learner::new(params, Routing::Probabilistic).expect("the parameters are fine");
    let model = learner.fit(&data, &exec).expect("the data is fine");
    let fit = (peak() - before) / matrix;
    println!("fit {n_rows} x {COLUMNS}: {:.1} s, {fit:.2} times the matrix", seconds(begun));

    let (before, begun) = (forget_peak(), Instant::now());
    let mut undecided = 0;
    for _ in 0..5 {
        undecided += flagged(&model, Matrix::from(data.columns()), &exec);
    }
    // A class, two probabilities and a verdict of every row of one call.
    let answers = (n_rows * (4 + 2 * 8 + 1)) as f64;
    let predict = (peak() - before) / answers;
    println!(
        "predict {} x {COLUMNS}: {:.1} s, {undecided} undecided, {predict:.2} times the answers of a call",
        5 * n_rows,
        seconds(begun)
    );
    if fit > FIT_BOUND || predict > 2.0 {
        println!("too much memory: allowed are {FIT_BOUND} and 2");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn flagged(model: &Model, rows: Matrix<'_>, exec: &Exec) -> usize {
    let answers = model.predict(rows, exec).expect("the rows are fine");
    answers.verdicts().iter().filter(|verdict| verdict.is_undecided()).count()
}

fn seconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64()
}

/// A figure of this process, in bytes, as Linux tells it.
fn told(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find(|line| line.starts_with(name)).expect("it has that figure");
    let kilobytes = line.split_whitespace().nth(1).and_then(|n| n.parse::<f64>().ok());
    1024.0 * kilobytes.expect("it is a number")
}

fn peak() -> f64 {
    told("VmHWM")
}

/// What is in use now, with the peak set back to it.
fn forget_peak() -> f64 {
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux can forget the peak");
    told("VmRSS")
}
