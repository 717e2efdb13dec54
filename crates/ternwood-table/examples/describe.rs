//! Prints the columns of a file, and how long it took to read.
//!
//! `cargo run --release -p ternwood-table --example describe -- FILE [TARGET]`

#![expect(clippy::print_stdout, reason = "the example prints its results")]

use std::time::Instant;
use ternwood_table::{EncodeOptions, ReadOptions, Result, Source, Values, encode, read_table};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else {
        println!("usage: describe FILE [TARGET]");
        return Ok(());
    };
    let start = Instant::now();
    let table = read_table(&Source::file(&file), &ReadOptions::new())?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{file}: {} rows, {} columns, {seconds:.2} s", table.n_rows(), table.n_columns());
    for column in table.columns().iter().take(20) {
        let missing = column.values().missing();
        let kind = match column.values() {
            Values::Numeric(_) => "numeric".to_owned(),
            Values::Nominal(nominal) => format!("nominal ({})", nominal.categories().len()),
        };
        println!("  {:<30} {kind:<16} {missing} missing", column.name());
    }
    let mut warnings = table.warnings().to_vec();
    if let Some(target) = arguments.next() {
        let options = EncodeOptions::default();
        let encoded = encode(table, &target, options)?;
        println!("  classes: {:?}", encoded.dataset.schema().classes());
        warnings = encoded.warnings;
    }
    for warning in warnings {
        println!("  warning: {warning}");
    }
    Ok(())
}
