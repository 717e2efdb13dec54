//! What the columns of a training table are, and which of them to learn from.

use crate::cli::Usage;
use crate::reading::{TrainingTable, remedy};
use crate::session::Session;
use anyhow::{Result, bail};
use ternwood::dataset::notation::{DatePattern, Notation};
use ternwood_table::{
    EncodeOptions, Encoded, ReadAs, ReadOptions, Table, Values, encode, read_table,
};

/// What the columns are, and which of them to learn from.
#[derive(clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ColumnArgs {
    /// Columns of categories, even if they look like numbers
    #[arg(long, value_name = "COL,...", value_delimiter = ',')]
    nominal: Vec<String>,
    /// A column of categories in ascending order
    #[arg(long, value_name = "COL=a<b<c", value_parser = ordered)]
    ordered: Vec<(String, Vec<String>)>,
    /// Columns of numbers, even if they look like an identifier
    #[arg(long, value_name = "COL,...", value_delimiter = ',')]
    number: Vec<String>,
    /// A column of dates and how they are written, such as %d.%m.%Y for 31.12.2020
    #[arg(long, value_name = "COL=FORMAT", value_parser = date)]
    date: Vec<(String, DatePattern)>,
    /// Columns not to learn from
    #[arg(long, value_name = "COL,...", value_delimiter = ',')]
    drop: Vec<String>,
    /// Column that says how much each row counts when a tree grows; not learnt from
    #[arg(long, value_name = "COL")]
    weights: Option<String>,
}

fn ordered(text: &str) -> Result<(String, Vec<String>), String> {
    let (column, names) = text.split_once('=').ok_or("COL=a<b<c: a column and its categories")?;
    let names: Vec<String> = names.split('<').map(|name| name.trim().to_owned()).collect();
    match names.iter().find(|name| names.iter().filter(|other| other == name).count() > 1) {
        Some(twice) => Err(format!("'{twice}' occurs twice in the order")),
        None if names.len() < 2 => Err("an order has two categories at least: COL=a<b".to_owned()),
        None => Ok((column.trim().to_owned(), names)),
    }
}

fn date(text: &str) -> Result<(String, DatePattern), String> {
    let (column, pattern) = text.split_once('=').ok_or("COL=FORMAT, such as day=%d.%m.%Y")?;
    let pattern = DatePattern::new(pattern).map_err(|error| error.to_string())?;
    Ok((column.trim().to_owned(), pattern))
}

impl ColumnArgs {
    /// How to read the columns.
    pub(crate) fn read_options(&self) -> Result<ReadOptions> {
        let names = |names: &[String], read_as: &ReadAs| -> Vec<(String, ReadAs)> {
            names.iter().map(|name| (name.clone(), read_as.clone())).collect()
        };
        let mut columns = names(&self.nominal, &ReadAs::Nominal);
        columns.extend(names(&self.number, &ReadAs::Number));
        columns.extend(names(&self.drop, &ReadAs::Drop));
        columns.extend(self.weights.iter().map(|name| (name.clone(), ReadAs::Number)));
        let ordered = self.ordered.iter().cloned();
        columns.extend(ordered.map(|(name, names)| (name, ReadAs::Ordered(names))));
        let dates = self.date.iter().cloned();
        columns
            .extend(dates.map(|(name, pattern)| (name, ReadAs::Written(Notation::Time(pattern)))));
        let mut options = ReadOptions::new();
        for (index, (name, read_as)) in columns.iter().enumerate() {
            if columns[..index].iter().any(|(other, _)| other == name) {
                let problem = format!("two options say what the column '{name}' is; leave one out");
                return Err(Usage(problem).into());
            }
            options = options.column(name, read_as.clone());
        }
        Ok(options)
    }

    /// Reads a table and encodes it as training data.
    pub(crate) fn read(&self, source: &TrainingTable<'_>, session: &Session) -> Result<Encoded> {
        let &TrainingTable { data, target, unlabelled, missing } = source;
        let _progress = session.progress(format!("reading {}", data.name()), None);
        let options = self.read_options()?.threads(session.exec().threads());
        let mut table = read_table(&data.source()?, &data.layout(options))?;
        if self.drop.iter().any(|name| name == target) {
            bail!("the target column '{target}' cannot be dropped as well");
        }
        // Checked first, so that a misspelled target is the first error reported.
        table.column(target)?;
        unlabelled.drop_rows(&mut table, target)?;
        let weights = self.take_weights(&mut table)?;
        let options = EncodeOptions { missing, weights: weights.as_deref() };
        encode(table, target, options).map_err(remedy)
    }

    fn take_weights(&self, table: &mut Table) -> Result<Option<Vec<f64>>> {
        let Some(name) = &self.weights else { return Ok(None) };
        let column = table.take_column(name)?;
        let Values::Numeric(weights) = column.values() else {
            bail!("{}: the column of weights '{name}' has no numbers", table.file());
        };
        if let Some(row) = weights.iter().position(|weight| !(*weight >= 0.0 && weight.is_finite()))
        {
            let place = table.place(row).in_column(name);
            let weight = weights[row];
            let problem = if weight.is_nan() {
                "the weight is missing".to_owned()
            } else {
                format!("the weight is {weight}")
            };
            bail!("{place}: {problem}; weights must be finite and not negative");
        }
        Ok(Some(weights.clone()))
    }
}
