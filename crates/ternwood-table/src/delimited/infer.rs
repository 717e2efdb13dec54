//! Type inference: one pass over the whole file decides which columns are numeric.

use super::cells::{Cell, Cells};
use super::records::Records;
use super::sniff::Layout;
use crate::error::{Place, Result, listing};
use crate::number;
use crate::options::ReadAs;
use crate::source::Source;
use crate::warning::Warning;

/// Counts of the values of a column.
#[derive(Debug, Default)]
struct Tally {
    numbers: u64,
    words: u64,
    /// Values that are numbers with a decimal comma, whether or not the comma is allowed.
    with_comma: u64,
    /// The first word and its line.
    first_word: Option<(Vec<u8>, u64)>,
}

/// Replaces [`ReadAs::Infer`] in the plan where a column is numeric. Returns the number of rows and
/// warnings about decimal commas and about columns that are nominal because of a few values.
pub(super) fn infer(
    source: &Source,
    layout: &Layout,
    cells: &Cells,
    plan: &mut [ReadAs],
) -> Result<(usize, Vec<Warning>)> {
    let mut records = Records::new(source.open_text()?, source.name(), layout)?;
    let mut tallies: Vec<Tally> = plan.iter().map(|_| Tally::default()).collect();
    let mut n_rows = 0;
    while records.advance()? {
        n_rows += 1;
        for ((field, plan), tally) in records.fields().zip(plan.iter()).zip(&mut tallies) {
            if *plan != ReadAs::Infer {
                continue;
            }
            match cells.parse(field) {
                Cell::Missing => {}
                Cell::Number(value) => {
                    tally.numbers += u64::from(!value.is_nan());
                    tally.with_comma += u64::from(cells.decimal_mark(field) == Some(b','));
                }
                Cell::Word => {
                    tally.words += 1;
                    let number = number::parse_decimal_comma(field.trim_ascii());
                    tally.with_comma += u64::from(number.is_some());
                    if tally.first_word.is_none() {
                        tally.first_word = Some((field.to_vec(), records.line()));
                    }
                }
            }
        }
    }
    let mut warnings = Vec::new();
    let mut decimal_commas = Vec::new();
    for ((plan, tally), name) in plan.iter_mut().zip(tallies).zip(&layout.names) {
        if *plan != ReadAs::Infer {
            continue;
        }
        // From here on `Infer` means nominal, but not at the user's request.
        *plan = if tally.words == 0 { ReadAs::Numeric } else { ReadAs::Infer };
        let Some((value, line)) = tally.first_word else {
            if tally.with_comma > 0 {
                decimal_commas.push(name);
            }
            continue;
        };
        let place = Place::file(source.name()).at_line(line).in_column(name);
        let value = String::from_utf8_lossy(&value).into_owned();
        if tally.with_comma == tally.words {
            warnings.push(Warning::CommaInNumber { place, value });
        } else if tally.numbers > tally.words {
            warnings.push(Warning::MostlyNumeric {
                place,
                value,
                numbers: tally.numbers,
                words: tally.words,
            });
        }
    }
    if !decimal_commas.is_empty() {
        warnings.push(Warning::DecimalComma { columns: listing(&decimal_commas) });
    }
    Ok((n_rows, warnings))
}
