//! "How many rows do I need for this promise?"

use crate::report::Grid;
use crate::style;
use crate::wish::{Goal, WishArgs};
use anyhow::Result;
use std::io::Write;
use ternwood::Promised;
use ternwood::dataset::one_line;
use ternwood::verdict::CalibrationSource;

/// Prints how many rows each promise needs: at the best, and with half as many errors as it allows.
pub(crate) fn print(wish: &WishArgs, source: CalibrationSource) -> Result<()> {
    let classes = wish.named_classes();
    let wish = wish.wish(None, &classes)?;
    let Some(Goal::Rule(rule)) = wish.map(|wish| wish.goal) else { return Ok(()) };
    let [none, half] = [0.0, 0.5].map(|errors| rule.rows_needed(&classes, errors, source));
    let mut grid =
        Grid::new(&["promise", "rows to count", "no error", "half of the errors allowed"])
            .words(&[1]);
    let number = |rows: Option<usize>| rows.map_or_else(|| "-".to_owned(), |rows| rows.to_string());
    for (none, half) in none?.into_iter().zip(half?) {
        let counted = match &none.promised {
            Promised::Accuracy(_) => "decided".to_owned(),
            Promised::Precision { class, .. } => format!("decided as {}", one_line(class)),
            Promised::MissRate { class, .. } => format!("of class {}", one_line(class)),
        };
        grid.row(vec![none.promised.to_string(), counted, number(none.rows), number(half.rows)]);
    }
    let mut out = anstream::stdout().lock();
    writeln!(out, "{}\n", style::paragraph(&rule.described(&classes)))?;
    let assumed = match source {
        CalibrationSource::OutOfBag => "out of bag: tested with half of the risk",
        _ => "held out or cross-fitted; out of bag it takes more: --out-of-bag",
    };
    write!(
        out,
        "{}\n{}",
        grid.text(),
        style::dim(format_args!("{LEGEND}rows           {assumed}\n"))
    )?;
    Ok(out.flush()?)
}

const LEGEND: &str = "\
rows to count  calibration rows of this kind; undecided rows come on top
no error       if none of them is wrong or missed: `calibrate` refuses fewer
half           if exactly half of the errors allowed are made
";
