//! "How many rows do I need for this promise?"

use crate::report::Grid;
use crate::style;
use crate::wish::{Goal, WishArgs};
use anyhow::Result;
use std::io::Write;
use ternwood::Promised;
use ternwood::dataset::one_line;

/// Prints how many rows each promise needs: at the best, and with half as many errors as it allows.
pub(crate) fn print(wish: &WishArgs) -> Result<()> {
    let classes = wish.named_classes();
    let wish = wish.wish(None, &classes)?;
    let Some(Goal::Rule(rule)) = wish.map(|wish| wish.goal) else { return Ok(()) };
    let [none, half] = [0.0, 0.5].map(|errors| rule.rows_needed(&classes, errors));
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
    write!(out, "{}\n{}", grid.text(), style::dim(LEGEND))?;
    Ok(out.flush()?)
}

const LEGEND: &str = "\
rows to count  calibration rows of this kind, of which so many are needed
no error       if none of them turns out to be wrong or missed
half           if the model makes half as many errors as the promise allows
";
