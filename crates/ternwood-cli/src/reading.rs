//! How to read a table, and which of its columns to learn from.

use crate::cli::Usage;
use crate::session::Session;
use crate::style::one_line;
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use ternwood::Dataset;
use ternwood_table::{
    EncodeOptions, Encoded, ErrorKind, MissingPolicy, ReadAs, ReadOptions, Source, Table,
    UnknownPolicy, Values, encode, read_table,
};

/// The file with the rows, and how its text is laid out.
#[derive(clap::Args)]
pub(crate) struct DataArgs {
    /// Table with the rows: CSV, TSV or ARFF (also gzipped) or Parquet; `-` means standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
}

/// How the text of a table is laid out.
#[derive(clap::Args, Clone)]
pub(crate) struct LayoutArgs {
    /// Delimiter of a text table, if it is not to be guessed; `tab` for tabs
    #[arg(long, value_name = "CHAR", value_parser = delimiter, help_heading = "Reading")]
    delimiter: Option<u8>,
    /// The first line of a text table is data; its columns are called x0, x1, ...
    #[arg(long, help_heading = "Reading")]
    no_header: bool,
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        _ if text == "tab" || text == "\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("a single character, or `tab`".to_owned()),
    }
}

impl DataArgs {
    /// The name of the table in messages.
    pub(crate) fn name(&self) -> String {
        match self.data.to_str() {
            Some("-") => "standard input".to_owned(),
            _ => self.data.display().to_string(),
        }
    }

    /// The source of the table.
    pub(crate) fn source(&self) -> Result<Source> {
        if self.data == Path::new("-") {
            return Ok(Source::stream(self.name(), std::io::stdin()));
        }
        let name = self.data.display();
        if self.data.is_dir() {
            bail!("{name}: this is a folder; name a file in it");
        }
        if self.data.extension().is_some_and(|ending| ending == "json") {
            bail!(
                "{name}: this looks like a model, not like a table; \
                 tables are CSV, TSV, ARFF or Parquet files"
            );
        }
        // A pipe can be read only once.
        if std::fs::metadata(&self.data).is_ok_and(|data| !data.is_file()) {
            let pipe = std::fs::File::open(&self.data).with_context(|| name.to_string())?;
            return Ok(Source::stream(self.name(), pipe));
        }
        Ok(Source::file(&self.data))
    }

    /// Adds the layout of the text to the read options.
    pub(crate) fn layout(&self, mut options: ReadOptions) -> ReadOptions {
        if let Some(delimiter) = self.layout.delimiter {
            options = options.delimiter(delimiter);
        }
        if self.layout.no_header {
            options = options.header(false);
        }
        options
    }
}

/// Which columns to learn from, and what to do about gaps.
#[derive(clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct LearningArgs {
    /// Columns of categories, even if they look like numbers
    #[arg(long, value_name = "COL,...", value_delimiter = ',')]
    nominal: Vec<String>,
    /// Columns not to learn from
    #[arg(long, value_name = "COL,...", value_delimiter = ',')]
    drop: Vec<String>,
    /// Column that says how much each row counts when a tree grows; not learnt from
    #[arg(long, value_name = "COL")]
    weights: Option<String>,
    /// What stands in for missing values
    #[arg(long, value_enum, default_value_t = Missing::Error)]
    missing: Missing,
    /// What to do about categories that training did not see
    #[arg(long, value_enum, default_value_t = Unknown::Error)]
    unknown: Unknown,
}

#[derive(ValueEnum, Clone, Copy, PartialEq)]
enum Missing {
    /// Nothing: a missing value is an error
    Error,
    /// The median of the column (of the category codes, if it is nominal)
    Median,
    /// The commonest value of the column
    Mode,
}

#[derive(ValueEnum, Clone, Copy, PartialEq)]
enum Unknown {
    /// An unknown category is an error
    Error,
    /// An unknown category counts as a missing value (needs --missing median or mode)
    Missing,
}

impl LearningArgs {
    /// Checks that the policies go together.
    pub(crate) fn check(&self) -> Result<()> {
        if self.unknown == Unknown::Missing && self.missing == Missing::Error {
            return Err(Usage(
                "--unknown missing needs --missing median or --missing mode: \
                 otherwise missing values are errors"
                    .to_owned(),
            )
            .into());
        }
        Ok(())
    }

    /// Reads a table and encodes it as training data.
    pub(crate) fn read(&self, data: &DataArgs, target: &str, session: &Session) -> Result<Encoded> {
        let _progress = session.progress(format!("reading {}", data.name()), None);
        let mut options = ReadOptions::new().nominal(&self.nominal).drop(&self.drop);
        if let Some(weights) = &self.weights {
            options = options.column(weights, ReadAs::Numeric);
        }
        let mut table = read_table(&data.source()?, &data.layout(options))?;
        if self.drop.iter().any(|name| name == target) {
            bail!("the target column '{target}' cannot be dropped as well");
        }
        // Checked first, so that a misspelled target is the first error reported.
        table.column(target)?;
        let weights = self.take_weights(&mut table)?;
        let mut encoded = encode(table, target, self.policies()).map_err(remedy)?;
        if let Some(weights) = weights {
            encoded.dataset = encoded.dataset.with_weights(weights)?;
        }
        Ok(encoded)
    }

    fn policies(&self) -> EncodeOptions {
        EncodeOptions {
            missing: match self.missing {
                Missing::Error => MissingPolicy::Error,
                Missing::Median => MissingPolicy::Median,
                Missing::Mode => MissingPolicy::Mode,
            },
            unknown: match self.unknown {
                Unknown::Error => UnknownPolicy::Error,
                Unknown::Missing => UnknownPolicy::Missing,
            },
        }
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

/// Adds the command-line option to the remedy that the library names.
pub(crate) fn remedy(error: ternwood_table::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::MissingValue { place } => anyhow!(
            "{place}: the value is missing; fill it in, drop the row, or fit with \
             --missing median or --missing mode"
        ),
        ErrorKind::UnknownCategory { place, value, known } => anyhow!(
            "{place}: unknown category '{value}'; known are {known}; correct it, or fit with \
             --missing mode --unknown missing"
        ),
        ErrorKind::InexactClass { place, value } => anyhow!(
            "{place}: the class {value} is too large a number to be told from its neighbours; \
             read the column as names with --nominal {}",
            place.column.as_deref().unwrap_or("COL")
        ),
        _ => error.into(),
    }
}

/// "150 rows, 4 features, 3 classes (setosa 50, versicolor 50, virginica 50)".
pub(crate) fn described(data: &Dataset) -> String {
    let mut counts = vec![0_usize; data.n_classes()];
    for &id in data.labels() {
        counts[id as usize] += 1;
    }
    const SHOWN: usize = 8;
    let classes: Vec<String> = (data.schema().classes().iter().zip(&counts))
        .take(SHOWN)
        .map(|(name, count)| format!("{} {count}", one_line(&name.to_string())))
        .collect();
    let more = data.n_classes().saturating_sub(SHOWN);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "{}, {}, {} ({}{tail})",
        counted(data.n_rows(), "row"),
        counted(data.n_features(), "feature"),
        if data.n_classes() == 1 {
            "1 class".to_owned()
        } else {
            format!("{} classes", data.n_classes())
        },
        classes.join(", ")
    )
}

/// "1 row", "2 rows".
pub(crate) fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}
