//! What the columns of a training table are, and which of them to learn from.

use crate::cli::Usage;
use crate::effect::Subgroups;
use crate::reading::{DataArgs, TrainingTable, remedy};
use crate::schema_file::SchemaFile;
use crate::session::Session;
use crate::shell::{list_option, option};
use anyhow::{Result, anyhow, bail};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use ternwood::dataset::notation::{DatePattern, Notation};
use ternwood_table::{
    Column, EncodeOptions, Encoded, Error, ErrorKind, Place, Profile, ReadAs, ReadOptions, Source,
    Table, Values, encode, read_table,
};

/// What the columns are, and which of them to learn from.
#[derive(clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ColumnArgs {
    /// File that says what the columns are; `ternwood look DATA --write-schema FILE` writes one.
    /// Other options win over it
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// Columns of categories, even if they look like numbers
    #[arg(long, value_name = "COL,...", value_parser = names)]
    nominal: Vec<Names>,
    /// A column of categories in ascending order
    #[arg(long, value_name = "COL=a<b<c", value_parser = ordered)]
    ordered: Vec<(String, Vec<String>)>,
    /// Columns of numbers, even if they look like an identifier
    #[arg(long, value_name = "COL,...", value_parser = names)]
    number: Vec<Names>,
    /// A column of dates and how they are written, such as %d.%m.%Y for 31.12.2020
    #[arg(long, value_name = "COL=FORMAT", value_parser = date)]
    date: Vec<(String, DatePattern)>,
    /// Columns not to learn from
    #[arg(long, value_name = "COL,...", value_parser = names)]
    drop: Vec<Names>,
    /// Column that says how much each row counts when a tree grows; not learnt from
    #[arg(long, value_name = "COL")]
    weights: Option<String>,
}

fn ordered(text: &str) -> Result<(String, Vec<String>), String> {
    let (column, names) = text
        .split_once('=')
        .ok_or("a column and its categories in ascending order, such as 'size=S<M<L'")?;
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

/// What the command line and the schema file say together about the columns.
pub(crate) struct ColumnPlan {
    pub(crate) target: Option<String>,
    pub(crate) weights: Option<String>,
    read_as: BTreeMap<String, ReadAs>,
    /// The name of the schema file, and the columns of which only it speaks.
    schema: Option<(String, Vec<String>)>,
}

/// A table that was read to learn from it.
pub(crate) struct Training {
    pub(crate) encoded: Encoded,
    /// A glimpse of the first features, unless nobody wants to see it.
    pub(crate) glimpses: Vec<Profile>,
    /// Its rows in subgroups, if they are wanted.
    pub(crate) groups: Vec<Subgroups>,
}

/// The most columns that are glimpsed.
const GLIMPSES: usize = 12;

impl ColumnArgs {
    /// Puts the options and the schema file together. `target` is that of the command line.
    pub(crate) fn plan(&self, data: &DataArgs, target: Option<&str>) -> Result<ColumnPlan> {
        let mut read_as = self.options()?;
        let weights = self.weights.clone();
        let Some(path) = &self.schema else {
            let target = target.map(str::to_owned);
            return Ok(ColumnPlan { target, weights, read_as, schema: None });
        };
        let schema = SchemaFile::read(path)?;
        let target = target.map(str::to_owned).or(schema.target);
        let mut only_there: Vec<String> = Vec::new();
        for column in schema.columns {
            let marks_given = data.layout.marks().is_some();
            let by_file = match target.as_deref() == Some(&column.name) {
                true => column.read_as_target(marks_given),
                false => column.read_as(marks_given),
            };
            if let Entry::Vacant(entry) = read_as.entry(column.name) {
                only_there.push(entry.key().clone());
                entry.insert(by_file);
            }
        }
        let schema = Some((path.display().to_string(), only_there));
        Ok(ColumnPlan { target, weights, read_as, schema })
    }

    /// What the options of the command line say about the columns.
    fn options(&self) -> Result<BTreeMap<String, ReadAs>> {
        let names = |names: &[Names], read_as: &ReadAs| -> Vec<(String, ReadAs)> {
            let names = names.iter().flat_map(|Names(names)| names);
            names.map(|name| (name.clone(), read_as.clone())).collect()
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
        let mut options = BTreeMap::new();
        for (name, read_as) in columns {
            if options.insert(name.clone(), read_as).is_some() {
                let problem = format!("two options say what the column '{name}' is; leave one out");
                return Err(Usage(problem).into());
            }
        }
        Ok(options)
    }

    /// Reads a table and encodes it as training data.
    pub(crate) fn read(&self, source: &TrainingTable<'_>, session: &Session) -> Result<Training> {
        let &TrainingTable { data, target, unlabelled, missing, by } = source;
        let plan = self.plan(data, target)?;
        let target = plan.target.as_deref().ok_or_else(|| plan.no_target())?;
        let _progress = session.progress(format!("reading {}", data.name()), None);
        let mut options = plan.read_options(data, Clone::clone);
        let not_learnt: Vec<&String> = by
            .iter()
            .flat_map(|Names(columns)| columns)
            .filter(|column| plan.is_dropped(column))
            .collect();
        for column in &not_learnt {
            options = options.column(*column, ReadAs::Nominal);
        }
        let mut table = plan.read(&data.source()?, options, session)?;
        unlabelled.drop_rows(&mut table, target)?;
        let groups = by.iter().map(|Names(columns)| Subgroups::of(&table, columns));
        let groups = groups.collect::<Result<_>>()?;
        for column in not_learnt {
            // Gone already if it is named twice.
            _ = table.take_column(column);
        }
        let weights = plan.take_weights(&mut table)?;
        let is_feature = |column: &&Column| {
            column.name() != target && column.reason_to_leave_out(missing).is_none()
        };
        let glimpsed = if session.is_quiet() { 0 } else { GLIMPSES };
        let features = table.columns().iter().filter(is_feature);
        let glimpses = features.take(glimpsed).map(Profile::glimpse).collect();
        let options = EncodeOptions { missing, weights: weights.as_deref() };
        let encoded = encode(table, target, options).map_err(remedy)?;
        Ok(Training { encoded, glimpses, groups })
    }
}

impl ColumnPlan {
    /// Reads the table, and checks that it has the target.
    pub(crate) fn read(
        &self,
        source: &Source,
        options: ReadOptions,
        session: &Session,
    ) -> Result<Table> {
        if let Some(target) = self.target.as_ref().filter(|target| self.is_dropped(target)) {
            bail!(
                "the column '{target}' cannot be the target and be dropped; take it out of --drop"
            );
        }
        let options = options.threads(session.exec().threads());
        let table = read_table(source, &options).map_err(|error| self.remedy(error))?;
        if let Some(target) = &self.target {
            table.column(target).map_err(|error| self.remedy(error))?;
        }
        Ok(table)
    }

    /// How to read the table: every column as `adapt` makes it of the plan.
    pub(crate) fn read_options(
        &self,
        data: &DataArgs,
        adapt: impl Fn(&ReadAs) -> ReadAs,
    ) -> ReadOptions {
        let columns = self.read_as.iter();
        data.layout(columns.fold(ReadOptions::new(), |options, (name, read_as)| {
            options.column(name, adapt(read_as))
        }))
    }

    /// Whether the column is not to be learnt from.
    pub(crate) fn is_dropped(&self, name: &str) -> bool {
        self.read_as.get(name) == Some(&ReadAs::Drop)
    }

    /// The error if nobody names the target.
    pub(crate) fn no_target(&self) -> anyhow::Error {
        let schema = self.schema.as_ref();
        let schema =
            schema.map_or_else(String::new, |(name, _)| format!("{name} names no target; "));
        let problem = "say which column has the classes: --target COL, or a --schema that names it";
        Usage(format!("{schema}{problem}")).into()
    }

    /// Names the options, or the schema file, that remedy an error of reading.
    pub(crate) fn remedy(&self, error: Error) -> anyhow::Error {
        let column = |place: &Place| place.column.clone().unwrap_or_default();
        let (place, otherwise) = match error.kind() {
            ErrorKind::UnknownColumn { name, .. } => match self.schema_naming(name) {
                Some(schema) => return anyhow!("{schema} does not fit the table: {error}"),
                None => return error.into(),
            },
            ErrorKind::NotANumber { place, .. } => {
                let nominal = list_option("--nominal", &column(place));
                (place, format!("say {nominal} if the column has categories"))
            }
            ErrorKind::NotADate { place, .. } => {
                let date = option("--date", &format!("{}=FORMAT", column(place)));
                (place, format!("say {date} if all dates are written otherwise"))
            }
            ErrorKind::NoRank { place, .. } => (place, "name it in --ordered too".to_owned()),
            _ => return error.into(),
        };
        match self.schema_naming(&column(place)) {
            Some(schema) => anyhow!("{error}, or change what {schema} says about the column"),
            None => anyhow!("{error}, or {otherwise}"),
        }
    }

    /// The schema file, if only it speaks of the column.
    fn schema_naming(&self, column: &str) -> Option<&str> {
        let (schema, names) = self.schema.as_ref()?;
        let is_target = self.target.as_deref() == Some(column);
        (is_target || names.iter().any(|name| name == column)).then_some(schema)
    }

    /// Takes the column of weights out of the table.
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

// Lists of column names on the command line.

/// Names between commas. One that has a comma itself stands in double quotes: `age,"a, b"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names(pub(crate) Vec<String>);

/// Parses a list of names.
pub(crate) fn names(text: &str) -> Result<Names, String> {
    let mut names = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let name = names.last_mut().expect("there is at least one");
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => name.extend(letters.next()),
            '"' if is_quoted || name.is_empty() => is_quoted = !is_quoted,
            ',' if !is_quoted => names.push(String::new()),
            letter => name.push(letter),
        }
    }
    if is_quoted {
        return Err("a double quote is not closed".to_owned());
    }
    Ok(Names(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_separate_names_unless_they_are_quoted() {
        let list = |text: &str| names(text).unwrap().0;
        assert_eq!(list("age"), ["age"]);
        assert_eq!(list("age,patient id"), ["age", "patient id"]);
        assert_eq!(list(r#""a, b",c"#), ["a, b", "c"]);
        assert_eq!(list(r#""say ""aah""",x"#), [r#"say "aah""#, "x"]);
        assert_eq!(list(r#"5" pipe"#), [r#"5" pipe"#], "a quote within a name is one");
        assert!(names("\"a").is_err());
    }
}
