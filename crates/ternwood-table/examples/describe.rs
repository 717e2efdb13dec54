//! Reads a table on all cores and tells how long it took and how much memory.
//!
//! `cargo run --release -p ternwood-table --example describe -- [--json] FILE`

#![expect(clippy::print_stdout, reason = "the example prints its results")]

use std::time::Instant;
use ternwood_table::{Column, ReadOptions, Result, Source, Table, Values, read_table};

fn main() -> Result<()> {
    let (options, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument == "--json");
    let Some(file) = files.first() else {
        println!("usage: describe [--json] FILE");
        return Ok(());
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    let table = read_table(&Source::file(file), &ReadOptions::new().threads(threads))?;
    let seconds = start.elapsed().as_secs_f64();
    let (numbers, peak) = (bytes_of_values(&table), peak_memory().unwrap_or(0));
    if options.is_empty() {
        println!("{file}: {} rows, {} columns", table.n_rows(), table.n_columns());
        table.columns().iter().for_each(|column| println!("  {}", described(column)));
        println!("{seconds:.2} s; values {} MB, peak {} MB", numbers >> 20, peak >> 20);
    } else {
        let version = env!("CARGO_PKG_VERSION");
        println!(
            "{{\"seconds\": {seconds}, \"peak\": {peak}, \"numbers\": {numbers}, \
             \"version\": \"{version}\"}}"
        );
    }
    Ok(())
}

fn described(column: &Column) -> String {
    let kind = match column.values() {
        Values::Numeric(_) => "numbers".to_owned(),
        Values::Nominal(nominal) => format!("{} categories", nominal.categories().len()),
    };
    format!("{:<30} {kind:<16} {} missing", column.name(), column.values().missing())
}

/// Eight bytes for a number, four for a category.
fn bytes_of_values(table: &Table) -> usize {
    let bytes = |column: &Column| match column.values() {
        Values::Numeric(values) => 8 * values.len(),
        Values::Nominal(nominal) => 4 * nominal.codes().len(),
    };
    table.columns().iter().map(bytes).sum()
}

/// The most memory the process had, where the system tells.
fn peak_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<usize>().ok()? << 10)
}
