//! What is noted of a column while its files pass by.

use crate::encode::{MissingPolicy, leave_out, many_categories, reason_of};
use crate::error::{Error, ErrorKind, Result};
use crate::infer::Notations;
use crate::notation::parse;
use crate::remedy::Remedy;
use crate::table::{CategoryOrigin, Column, DecidedBy, Nominal, UnreadableInColumn, Values};
use crate::warning::Warning;
use std::collections::{BTreeMap, HashSet};
use ternwood::dataset::doubts::{RowNumbers, is_name_of_identifier};
use ternwood::dataset::notation::{DAY, Notation};

/// More different texts of a column are not remembered.
const MOST_TEXTS: usize = 1 << 20;

/// Nor are texts that take more bytes than this.
const MOST_TEXT_BYTES: usize = 1 << 28;

/// More different numbers of a column that may be an identifier are not remembered.
const MOST_NUMBERS: usize = 1 << 24;

/// Notes on a column. Nothing depends on the order of rows or files.
#[derive(Debug)]
pub(super) struct ColumnNotes {
    name: String,
    rows: u64,
    present: u64,
    pub(super) decided_by: DecidedBy,
    /// Cells that were no numbers, although the column looked like numbers at first.
    pub(super) misjudged: Option<UnreadableInColumn>,
    values: Noted,
}

/// Which of some rows are learnt from, and how much they count.
#[derive(Clone, Copy)]
pub(super) struct RowsThat<'a> {
    pub(super) kept: &'a [bool],
    pub(super) weights: Option<&'a [f64]>,
}

impl RowsThat<'_> {
    fn count(&self, row: usize) -> bool {
        self.kept[row] && self.weights.is_none_or(|weights| weights[row] > 0.0)
    }
}

#[derive(Debug)]
enum Noted {
    Numbers {
        notation: Notation,
        numbers: Numbers,
    },
    /// Each text, and whether a row with it counts.
    Texts {
        origin: CategoryOrigin,
        declared: Vec<String>,
        texts: BTreeMap<String, bool>,
        /// The bytes of all texts.
        bytes: usize,
    },
}

/// Notes on numbers.
#[derive(Debug)]
struct Numbers {
    all_whole: bool,
    all_days: bool,
    range: [f64; 2],
    /// The sum of the hashes of all numbers, by which consecutive ones are recognised, if it is known.
    hashes: Option<u64>,
    /// Different numbers, where they are needed.
    distinct: HashSet<u64>,
}

impl ColumnNotes {
    pub(super) fn new(column: &Column) -> Self {
        let values = match column.values() {
            Values::Numeric(_) => {
                Noted::Numbers { notation: column.notation().clone(), numbers: Numbers::default() }
            }
            Values::Nominal(nominal) => Noted::Texts {
                origin: nominal.origin(),
                declared: match nominal.origin() {
                    CategoryOrigin::Ordered => nominal.categories().to_vec(),
                    _ => Vec::new(),
                },
                texts: BTreeMap::new(),
                bytes: 0,
            },
        };
        let (name, decided_by) = (column.name().to_owned(), column.decided_by());
        Self { name, rows: 0, present: 0, decided_by, misjudged: None, values }
    }

    pub(super) fn name(&self) -> String {
        self.name.clone()
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Whether it holds texts.
    pub(super) fn has_texts(&self) -> bool {
        matches!(self.values, Noted::Texts { .. })
    }

    /// Adds cells that were no numbers.
    pub(super) fn add_misread(&mut self, cells: Option<UnreadableInColumn>) {
        match (&mut self.misjudged, cells) {
            (Some(known), Some(more)) => known.add(&more),
            (known, more) => *known = known.take().or(more),
        }
    }

    /// The warning of a column of numbers that a few cells turn into categories.
    pub(super) fn mostly_numeric(&self) -> Option<Warning> {
        self.misjudged.as_ref()?.among_numbers(self.present)
    }

    /// Adds some rows.
    pub(super) fn add(
        &mut self,
        column: &Column,
        rows: RowsThat<'_>,
        is_target: bool,
    ) -> Result<()> {
        let present = column.values().present();
        let kept = rows.kept.iter();
        self.rows += kept.clone().filter(|&&kept| kept).count() as u64;
        self.present +=
            kept.zip(present).filter(|(kept, present)| **kept && *present).count() as u64;
        match (&mut self.values, column.values()) {
            (Noted::Numbers { numbers, .. }, Values::Numeric(values)) => {
                let keep = is_target || is_name_of_identifier(&self.name);
                let values = values.iter().zip(rows.kept).filter(|(_, kept)| **kept);
                numbers.add(values.map(|(&value, _)| value), keep);
                if numbers.distinct.len() > MOST_NUMBERS {
                    return Err(too_many(&self.name, "numbers", MOST_NUMBERS));
                }
            }
            (Noted::Texts { texts, bytes, .. }, Values::Nominal(nominal)) => {
                let mut counts = vec![None; nominal.categories().len()];
                for (row, code) in nominal.codes().iter().enumerate() {
                    let Some(code) = code else { continue };
                    *counts[code.index()].get_or_insert(false) |= rows.count(row);
                }
                for (text, counted) in nominal.categories().iter().zip(counts) {
                    let Some(counted) = counted else { continue };
                    match texts.get_mut(text) {
                        Some(known) => *known |= counted,
                        None => {
                            *bytes += text.len();
                            texts.insert(text.clone(), counted);
                        }
                    }
                }
                if texts.len() > MOST_TEXTS {
                    return Err(too_many(&self.name, "texts", MOST_TEXTS));
                }
                if *bytes > MOST_TEXT_BYTES {
                    let problem = format!(
                        "column '{}' has different texts of more than {} MiB",
                        self.name,
                        MOST_TEXT_BYTES >> 20
                    );
                    let remedy = Remedy::LeaveOut(self.name.clone());
                    return Err(ErrorKind::Options { problem, remedy }.into());
                }
            }
            _ => {
                let problem =
                    format!("column '{}' has numbers in one file, texts in another", self.name);
                let remedy = Remedy::CategoriesOrNumber(self.name.clone());
                return Err(ErrorKind::Options { problem, remedy }.into());
            }
        }
        Ok(())
    }

    /// Texts that are numbers or dates after all become numbers.
    pub(super) fn numbers_from_texts(&mut self, notations: &Notations) {
        let Noted::Texts { origin, texts, .. } = &self.values else { return };
        if *origin != CategoryOrigin::Found || texts.is_empty() {
            return;
        }
        let trimmed = || texts.keys().map(|text| text.trim_ascii().as_bytes());
        let Some(notation) = notations.common(trimmed()) else { return };
        let values: Option<Vec<f64>> = trimmed().map(|text| parse(&notation, text)).collect();
        let Some(values) = values else { return };
        let mut column = Self::new(&Column::numeric(&self.name, Vec::new()));
        if let Noted::Numbers { numbers, .. } = &mut column.values {
            numbers.add(values.into_iter(), true);
            // Each text was added once, however many rows have it.
            numbers.hashes = None;
            self.values = Noted::Numbers { notation, numbers: std::mem::take(numbers) };
        }
    }

    /// Times that are all at midnight are dates.
    pub(super) fn days_from_times(&mut self) {
        if let Noted::Numbers { notation, numbers } = &mut self.values
            && let Notation::Time(pattern) = notation
            && numbers.all_days
        {
            *notation = Notation::Date(pattern.clone());
            numbers.distinct = numbers
                .distinct
                .iter()
                .map(|bits| (f64::from_bits(*bits) / DAY).to_bits())
                .collect();
        }
    }

    /// Why the column is left out, if it is: the reasons of [`Column::reason_to_leave_out`].
    pub(super) fn reason_to_leave_out(&self, missing: MissingPolicy) -> Result<Option<Warning>> {
        let values = self.present as usize;
        let rule = |distinct, reason: &dyn Fn() -> Option<&'static str>| {
            leave_out(&self.name, values, self.decided_by, missing, distinct, reason)
        };
        Ok(match &self.values {
            Noted::Texts { .. } => rule(self.n_texts(), &|| None),
            Noted::Numbers { notation, numbers } => {
                let counts = matches!(notation, Notation::Number(_)) && self.present == self.rows;
                let found = || numbers.row_numbers(self.present, &self.name).filter(|_| counts);
                rule(None, &|| reason_of(found()?))
            }
        })
    }

    /// The warning of a column with many different categories, unless the user has said that it is one of categories.
    pub(super) fn many_categories(&self) -> Option<Warning> {
        let distinct = match &self.values {
            Noted::Texts { origin: CategoryOrigin::Declared, texts, .. } => Some(texts.len()),
            _ => self.n_texts(),
        };
        many_categories(&self.name, self.present as usize, self.decided_by, distinct)
    }

    /// The number of different texts, unless a file or the user declares the categories.
    fn n_texts(&self) -> Option<usize> {
        match &self.values {
            Noted::Texts { origin: CategoryOrigin::Found, texts, .. } => Some(texts.len()),
            _ => None,
        }
    }

    /// A column that has every value once: what a column is can be learnt from it as from all rows.
    pub(super) fn stand_in(self) -> Result<Column> {
        let mut column = match self.values {
            Noted::Numbers { notation, numbers } => {
                let mut values: Vec<f64> =
                    numbers.distinct.iter().map(|&bits| f64::from_bits(bits)).collect();
                if values.is_empty() && self.present > 0 {
                    values.push(numbers.range[0]);
                }
                Column::numeric(self.name, values).written_as(notation)
            }
            Noted::Texts { origin: CategoryOrigin::Ordered, declared, .. } => {
                let nominal = Nominal {
                    codes: Vec::new(),
                    categories: declared,
                    origin: CategoryOrigin::Ordered,
                };
                Column::new(self.name, Values::Nominal(nominal))
            }
            Noted::Texts { origin, texts, .. } => {
                let counted = texts.iter().filter(|(_, counted)| **counted).map(|(text, _)| text);
                let mut column = Column::text(self.name, counted.map(Some));
                if let Values::Nominal(nominal) = &mut column.values {
                    nominal.origin = origin;
                }
                column
            }
        };
        column.decided_by = self.decided_by;
        Ok(column)
    }
}

impl Default for Numbers {
    fn default() -> Self {
        let range = [f64::INFINITY, f64::NEG_INFINITY];
        Self { all_whole: true, all_days: true, range, hashes: Some(0), distinct: HashSet::new() }
    }
}

impl Numbers {
    fn add(&mut self, values: impl Iterator<Item = f64>, keep: bool) {
        for value in values.filter(|value| !value.is_nan()) {
            self.all_whole &= value.fract() == 0.0 && value.abs() < 9e15;
            self.all_days &= (value / DAY).floor() * DAY == value;
            self.range = [self.range[0].min(value), self.range[1].max(value)];
            self.hashes = self.hashes.map(|sum| sum.wrapping_add(hash(value)));
            if keep && self.distinct.len() <= MOST_NUMBERS {
                // Adding 0 turns -0.0 into 0.0.
                self.distinct.insert((value + 0.0).to_bits());
            }
        }
    }

    /// How the numbers identify the rows, if they do. Gaps are not recognised: that takes all numbers at once.
    fn row_numbers(&self, values: u64, name: &str) -> Option<RowNumbers> {
        if !self.all_whole {
            return None;
        }
        let [smallest, largest] = self.range;
        if largest - smallest == values as f64 - 1.0 {
            let all = (0..values).map(|at| hash(smallest + at as f64));
            let are_all = match self.hashes {
                Some(hashes) => hashes == all.fold(0, u64::wrapping_add),
                None => self.distinct.len() as u64 == values,
            };
            return are_all.then_some(RowNumbers::Consecutive);
        }
        (is_name_of_identifier(name) && self.distinct.len() as u64 == values)
            .then_some(RowNumbers::Named)
    }
}

/// Scatters the bits of a number.
fn hash(value: f64) -> u64 {
    let mut bits = (value + 0.0).to_bits().wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

fn too_many(column: &str, what: &str, most: usize) -> Error {
    let problem = format!("column '{column}' has more than {most} different {what}");
    ErrorKind::Options { problem, remedy: Remedy::LeaveOut(column.to_owned()) }.into()
}
