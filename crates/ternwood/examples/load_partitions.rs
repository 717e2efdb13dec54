//! Fits up to a hundred million rows that are never in memory together: `make load-partitions`. Partitions
//! are made when they are asked, and forgotten when they have answered. The number of million rows to end
//! with is an argument.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::process::ExitCode;
use std::time::Instant;
use ternwood::partitions::{Answer, Coordinator, Limits, Partition, Question};
use ternwood::recipe::RowCount;
use ternwood::{Columns, Exec, Model, Recipe, Schema, TreeParams};

const COLUMNS: usize = 20;
const ROWS_OF_A_PARTITION: usize = 250_000;
/// Threads that make partitions and answer for them.
const HOLDERS: usize = 2;
/// The most memory, in bytes, whatever the number of rows.
const BOUND: f64 = 1e9;

fn main() -> ExitCode {
    let most = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(100_usize);
    let mut is_well = true;
    let mut per_million = None;
    for million in [1, 10, 100].into_iter().filter(|million| *million <= most) {
        forget_peak();
        let begun = Instant::now();
        let n_partitions = million * 1_000_000 / ROWS_OF_A_PARTITION;
        let Fitted { model, rounds, asked, answered } = fit(n_partitions);
        let (seconds, peak) = (begun.elapsed().as_secs_f64(), told("VmHWM"));
        let of_a_million = seconds / million as f64;
        let growth = of_a_million / *per_million.get_or_insert(of_a_million);
        println!(
            "{million} million x {COLUMNS} in {n_partitions} partitions: {seconds:.1} s, {growth:.2} times the \
             time per row of the first, {:.0} MB at the peak, {} nodes, {rounds} rounds, {:.2} MB asked of and \
             {:.1} MB answered by all partitions",
            peak / 1e6,
            model.trees()[0].n_nodes(),
            asked as f64 / 1e6,
            answered as f64 / 1e6
        );
        is_well &= peak < BOUND;
    }
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Fitted {
    model: Model,
    rounds: usize,
    asked: usize,
    answered: usize,
}

fn fit(n_partitions: usize) -> Fitted {
    let schema = Schema::unnamed(COLUMNS, vec![0.into(), 1.into()]).expect("two classes");
    let params = TreeParams {
        max_depth: Some(6),
        min_samples_leaf: RowCount::Count(100),
        ..TreeParams::default()
    };
    let recipe = Recipe { params, ..Recipe::default() };
    let mut coordinator =
        Coordinator::new(recipe, schema.clone(), Limits::default()).expect("it can be had");
    let (mut rounds, mut asked, mut answered) = (0, 0, 0);
    while let Some(question) = coordinator.next_question() {
        rounds += 1;
        asked += n_partitions * question.to_bytes().len();
        let answers = std::thread::scope(|scope| {
            let (schema, question) = (&schema, &question);
            let holder = |first| move || answers(first, n_partitions, schema, question);
            let holders: Vec<_> = (0..HOLDERS).map(|first| scope.spawn(holder(first))).collect();
            let joined = holders.into_iter().map(|holder| holder.join().expect("it answers"));
            joined.collect::<Vec<_>>()
        });
        answered += answers.iter().map(|(_, n_bytes)| n_bytes).sum::<usize>();
        let all = Answer::merge_all(answers.into_iter().filter_map(|(answer, _)| answer));
        let all = all.expect("there are partitions");
        coordinator.take(all, &Exec::default()).expect("all partitions answered");
    }
    Fitted { model: coordinator.into_model().expect("it is ready"), rounds, asked, answered }
}

/// What every `HOLDERS`th partition answers, and in how many bytes.
fn answers(
    first: usize,
    n_partitions: usize,
    schema: &Schema,
    question: &Question,
) -> (Option<Answer>, usize) {
    let exec = Exec::default();
    let (mut all, mut n_bytes): (Option<Answer>, usize) = (None, 0);
    for number in (first..n_partitions).step_by(HOLDERS) {
        let answer = partition(number, schema, &exec).answer(question, &exec);
        let answer = answer.expect("the rows are fine");
        n_bytes += answer.to_bytes().len();
        all = Some(match all {
            Some(others) => others.merged(answer).expect("it is the same question"),
            None => answer,
        });
    }
    (all, n_bytes)
}

/// Rows of two classes that overlap in five columns, and noise in the others; the same for the same number.
fn partition(number: usize, schema: &Schema, exec: &Exec) -> Partition {
    let n_rows = ROWS_OF_A_PARTITION;
    let start = (number * n_rows) as u64;
    let labels: Vec<u32> = (0..n_rows as u64).map(|row| (bits(start + row) >> 63) as u32).collect();
    let mut values = Vec::with_capacity(n_rows * COLUMNS);
    for column in 0..COLUMNS as u64 {
        let shift = if column < 5 { 0.5 / (column + 1) as f64 } else { 0.0 };
        values.extend(labels.iter().enumerate().map(|(row, &class)| {
            let drawn = bits((start + row as u64) * COLUMNS as u64 + column + (1 << 50));
            // The sum of two uniform numbers.
            let [one, other] =
                [drawn >> 32, drawn & 0xffff_ffff].map(|part| part as f64 / 2f64.powi(32));
            one + other + shift * f64::from(class)
        }));
    }
    let columns = Columns::from_columns(values, COLUMNS).expect("all columns are as long");
    Partition::new(columns, labels, None, schema.clone(), exec).expect("the rows are fine")
}

/// Scatters the bits of a number.
fn bits(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A figure of this process, in bytes, as Linux tells it.
fn told(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells it");
    let line = status.lines().find(|line| line.starts_with(name)).expect("it has that figure");
    let kilobytes = line.split_whitespace().nth(1).and_then(|n| n.parse::<f64>().ok());
    1024.0 * kilobytes.expect("it is a number")
}

fn forget_peak() {
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux can forget the peak");
}
