//! Which columns are numeric and which nominal: a pass over the whole file.

use super::cells::{Cell, Cells};
use super::records::Records;
use super::sniff::Layout;
use crate::error::Result;
use crate::options::ReadAs;
use crate::source::Source;
use crate::warning::Warning;

/// What the values of a column are.
#[derive(Debug, Default)]
struct Tally {
    numbers: u64,
    words: u64,
    /// The first word, and its line.
    first_word: Option<(Vec<u8>, u64)>,
}

/// Replaces every [`ReadAs::Infer`] in the plan; gives the number of rows, and warnings for
/// columns that a few words among many numbers made nominal.
pub(super) fn infer(
    source: &Source,
    layout: &Layout,
    cells: &Cells,
    plan: &mut [ReadAs],
) -> Result<(usize, Vec<Warning>)> {
    let mut records = Records::open(source, layout)?;
    let mut tallies: Vec<Tally> = plan.iter().map(|_| Tally::default()).collect();
    let mut n_rows = 0;
    while records.advance()? {
        n_rows += 1;
        for ((field, plan), tally) in records.fields().zip(plan.iter()).zip(&mut tallies) {
            if *plan != ReadAs::Infer {
                continue;
            }
            match cells.of(field) {
                Cell::Missing => {}
                Cell::Number(value) => tally.numbers += u64::from(!value.is_nan()),
                Cell::Word => {
                    tally.words += 1;
                    if tally.first_word.is_none() {
                        tally.first_word = Some((field.to_vec(), records.line()));
                    }
                }
            }
        }
    }
    let mut warnings = Vec::new();
    for ((plan, tally), name) in plan.iter_mut().zip(tallies).zip(&layout.names) {
        if *plan != ReadAs::Infer {
            continue;
        }
        // Nominal without being asked: `Infer` stays, and means that from here on.
        *plan = if tally.words == 0 { ReadAs::Numeric } else { ReadAs::Infer };
        let Some((value, line)) = tally.first_word else { continue };
        if tally.numbers > tally.words {
            warnings.push(Warning::MostlyNumeric {
                place: crate::error::Place::file(source.name()).at_line(line).in_column(name),
                value: String::from_utf8_lossy(&value).into_owned(),
                numbers: tally.numbers,
                words: tally.words,
            });
        }
    }
    Ok((n_rows, warnings))
}
