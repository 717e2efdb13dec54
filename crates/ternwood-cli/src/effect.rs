//! What a verdict does to rows: how many it flags, and how good the others are.

use crate::evaluation::JudgedRows;
use crate::reading::counted;
use crate::report::{Grid, percent};
use anyhow::{Result, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use ternwood::metrics::ClassTally;
use ternwood::stats::exact_interval;
use ternwood::verdict::{Advice, CalibrationSource, VerdictRecord};
use ternwood::{ClassName, Dataset, Exec, Matrix, Model, Verdict};
use ternwood_table::Table;

/// What the verdict of a model does to rows that are at hand.
pub(crate) struct Effect {
    /// Which rows, in words.
    rows: String,
    tallies: Vec<ClassTally>,
}

impl Effect {
    /// What the model itself knows: what its verdict did to the rows that it was set with.
    pub(crate) fn known(model: &Model) -> Option<Self> {
        let achieved = model.verdict().achieved()?;
        let n_rows = counted(achieved.total().rows as usize, "row");
        let rows = match achieved.source() {
            CalibrationSource::HeldOut => format!("{n_rows} held out"),
            source @ CalibrationSource::HeldOutUntested => format!("{n_rows} ({source})"),
            CalibrationSource::CrossFitted => {
                format!("{n_rows} of training, each answered by a tree that has not seen it")
            }
            CalibrationSource::OutOfBag => format!(
                "{n_rows} of training (out of bag, approximate: each answered by the trees that have \
                 not seen it)"
            ),
        };
        Some(Self { rows, tallies: achieved.classes().to_vec() })
    }

    /// The same, or else what happens to the training rows.
    pub(crate) fn after_fit(model: &Model, data: &Dataset, exec: &Exec) -> Result<Self> {
        if let Some(known) = Self::known(model) {
            return Ok(known);
        }
        let found = model.predict(Matrix::from(data.columns()), exec)?;
        let (classes, verdicts) = (found.classes(), found.verdicts());
        let tallies = ClassTally::count(data.labels(), classes, verdicts, data.n_classes())?;
        let n_rows = counted(data.n_rows(), "row");
        let trees = if !model.ensemble().is_single() { "trees have" } else { "tree has" };
        let rows = format!("{n_rows} of training, which the {trees} seen (optimistic)");
        Ok(Self { rows, tallies })
    }

    /// What speaks against the verdict.
    pub(crate) fn advice(&self, model: &Model) -> Vec<Advice> {
        advice(model, &self.tallies)
    }
}

/// What speaks against the verdict of a model, given what it did to some rows.
pub(crate) fn advice(model: &Model, tallies: &[ClassTally]) -> Vec<Advice> {
    let (recipe, classes) = (Some(model.recipe()), model.schema().classes());
    VerdictRecord { policy: model.verdict(), recipe, classes, tallies }.advice()
}

/// "on 48 rows of training, ...: 18.8 % are flagged, 92.3 % of the others are right; 85.4 % of all".
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = ClassTally::sum(&self.tallies).unwrap_or_default();
        let right = (total.rows > 0).then(|| total.right as f64 / total.rows as f64);
        write!(f, "on {}: {}", self.rows, effect(total.flag_rate(), total.recall(), right))
    }
}

/// From the share of flagged rows, and the shares of right ones among the others and among all:
/// "18.8 % are flagged, 92.3 % of the others are right; 85.4 % of all".
pub(crate) fn effect(flagged: Option<f64>, decided: Option<f64>, all: Option<f64>) -> String {
    let all = percent(all);
    match (flagged, decided) {
        (Some(0.0), _) => format!("none are flagged; {all} are right"),
        (_, None) => format!("all are flagged; {all} are right"),
        _ => format!(
            "{} are flagged, {} of the others are right; {all} of all",
            percent(flagged),
            percent(decided)
        ),
    }
}

// Subgroups of rows, and what the verdict does to each.

/// The most subgroups of which a table is readable.
const MOST: usize = 50;

/// How sure the intervals are.
const CONFIDENCE: f64 = 0.95;

/// Rows divided by the values of some columns.
pub(crate) struct Subgroups {
    /// "sex", or "sex, age_group".
    pub(crate) columns: String,
    /// "female", or "female, old".
    names: Vec<String>,
    of_rows: Vec<u32>,
}

impl Subgroups {
    /// By the combined values of these columns.
    pub(crate) fn of(table: &Table, columns: &[String]) -> Result<Self> {
        let columns_read: Vec<_> =
            columns.iter().map(|name| table.column(name)).collect::<Result<_, _>>()?;
        let value = |row: usize| -> Vec<String> {
            let texts = columns_read.iter().map(|column| column.text_of(row));
            texts.map(|text| text.unwrap_or_else(|| "(missing)".to_owned())).collect()
        };
        let values: Vec<Vec<String>> = (0..table.n_rows()).map(value).collect();
        let mut ids: BTreeMap<&[String], u32> = values.iter().map(|v| (&v[..], 0)).collect();
        let columns = columns.join(", ");
        if ids.len() > MOST {
            bail!(
                "--by {columns}: there are {} subgroups, and a table of more than {MOST} is hard \
                 to read; use a column of fewer values, such as an age group instead of an age",
                ids.len()
            );
        }
        for (id, slot) in (0..).zip(ids.values_mut()) {
            *slot = id;
        }
        let of_rows = values.iter().map(|value| ids[&value[..]]).collect();
        let names = ids.keys().map(|value| value.join(", ")).collect();
        Ok(Self { columns, names, of_rows })
    }

    /// What the verdicts do to every subgroup.
    pub(crate) fn measured(
        &self,
        judged: &JudgedRows,
        classes: &[ClassName],
    ) -> Result<Vec<MeasuredGroup>> {
        let measured = |(id, name): (u32, &String)| {
            let places =
                || (0..judged.rows.len()).filter(|&at| self.of_rows[judged.rows[at]] == id);
            let truth: Vec<u32> = places().map(|at| judged.truth[at]).collect();
            let answers: Vec<u32> = places().map(|at| judged.classes[at]).collect();
            let verdicts: Vec<Verdict> = places().map(|at| judged.verdicts[at]).collect();
            let tallies = ClassTally::count(&truth, &answers, &verdicts, classes.len())?;
            let total = ClassTally::sum(&tallies).unwrap_or_default();
            let by_class = classes.iter().map(ToString::to_string).zip(&tallies);
            let present = by_class.filter(|(_, tally)| tally.rows + tally.decided_for > 0);
            Ok(MeasuredGroup {
                group: name.clone(),
                all: ClassShares::of("all".to_owned(), &total),
                classes: present.map(|(class, tally)| ClassShares::of(class, tally)).collect(),
            })
        };
        (0..).zip(&self.names).map(measured).collect()
    }
}

/// The figures of one subgroup.
#[derive(Serialize)]
pub(crate) struct MeasuredGroup {
    group: String,
    all: ClassShares,
    classes: Vec<ClassShares>,
}

/// The figures of one class, or of all.
#[derive(Serialize)]
struct ClassShares {
    class: String,
    rows: u64,
    flagged: Share,
    right: Share,
    precision: Share,
    missed: Share,
}

/// A share with its interval; `None` where there is nothing to divide by.
#[derive(Serialize)]
struct Share {
    share: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
}

impl Share {
    fn of(part: u64, whole: u64) -> Self {
        let interval = exact_interval(part as usize, whole as usize, CONFIDENCE);
        let [low, high] = interval.map_or([None; 2], |ends| ends.map(Some));
        Self { share: interval.map(|_| part as f64 / whole as f64), low, high }
    }

    /// "12.5 (7.2-19.8)", in per cent.
    fn text(&self) -> String {
        let (Some(share), Some(low), Some(high)) = (self.share, self.low, self.high) else {
            return "-".to_owned();
        };
        let [share, low, high] = [share, low, high].map(|x| 100.0 * x);
        format!("{share:.1} ({low:.1}-{high:.1})")
    }
}

impl ClassShares {
    fn of(class: String, tally: &ClassTally) -> Self {
        Self {
            class,
            rows: tally.rows,
            flagged: Share::of(tally.rows - tally.decided, tally.rows),
            right: Share::of(tally.decided_right, tally.decided),
            precision: Share::of(tally.decided_right, tally.decided_for),
            missed: Share::of(tally.missed(), tally.rows),
        }
    }
}

/// A table of subgroups.
pub(crate) fn grid(columns: &str, groups: &[MeasuredGroup]) -> Grid {
    let heads = [columns, "class", "rows", "flagged %", "recall %", "precision %", "missed %"];
    let mut grid = Grid::new(&heads).words(&[1]);
    for MeasuredGroup { group, all, classes } in groups {
        let mut name = group.clone();
        for line in std::iter::once(all).chain(classes) {
            let shares = [&line.flagged, &line.right, &line.precision, &line.missed];
            let mut cells =
                vec![std::mem::take(&mut name), line.class.clone(), line.rows.to_string()];
            cells.extend(shares.map(Share::text));
            grid.row(cells);
        }
    }
    grid
}

/// What the columns mean.
pub(crate) const LEGEND: &str = "\
in brackets  where the true share lies with 95 % confidence, row by row (exact)
recall       of the decided rows of a class, how many were decided as it
precision    of the rows decided for a class, how many are of it; for all
             classes, both are the share of right answers among decided rows
missed       of all rows of a class, how many were decided as another
";
