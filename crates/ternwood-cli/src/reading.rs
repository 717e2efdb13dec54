//! How to read a table, and which of its columns to learn from.

use crate::columns::Names;
use crate::pieces;
use crate::shell::{list_option, quoted};
use crate::style::one_line;
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use ternwood::dataset::notation::{DecimalMark, Marks};
pub(crate) use ternwood::words::counted;
use ternwood::{Dataset, Schema};
use ternwood_table::{ErrorKind, MissingPolicy, ReadOptions, Source, Table};

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
    /// Decimal mark of the numbers in a text table [default: a point; a comma is noticed where
    /// semicolons separate the fields]
    #[arg(long, value_name = "MARK", value_parser = [".", ","], help_heading = "Reading")]
    decimal: Option<String>,
    /// What separates the thousands of the numbers in a text table, as in 1.234.567
    #[arg(long, value_name = "CHAR", help_heading = "Reading")]
    thousands: Option<char>,
    /// Largest field, as 1MiB. A longer one is an error: most likely a quote was never closed
    #[arg(long, value_name = "AMOUNT", default_value = "1MiB", value_parser = max_field, help_heading = "Reading")]
    max_field: usize,
}

impl LayoutArgs {
    /// The marks of numbers, if some are given.
    pub(crate) fn marks(&self) -> Option<Marks> {
        let decimal = match self.decimal.as_deref() {
            Some(",") => DecimalMark::Comma,
            _ => DecimalMark::Point,
        };
        let given = self.decimal.is_some() || self.thousands.is_some();
        given.then_some(Marks { decimal, thousands: self.thousands })
    }
}

fn max_field(text: &str) -> Result<usize, String> {
    let bytes = pieces::parse_bytes(text)?;
    usize::try_from(bytes).map_err(|_| "fewer bytes than there are addresses".to_owned())
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

    /// The command that shows all about the table.
    pub(crate) fn look_at_all(&self) -> String {
        format!("`ternwood look {} --all`", quoted(&self.data.display().to_string()))
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
        if let Some(marks) = self.layout.marks() {
            options = options.marks(marks);
        }
        if self.layout.no_header {
            options = options.header(false);
        }
        options.max_field(self.layout.max_field)
    }
}

/// What to do with rows that have no class.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct UnlabelledArgs {
    /// What to do with rows whose class is missing
    #[arg(long, value_enum, value_name = "HOW", default_value_t = MissingTarget::Drop,
          help_heading = "Reading")]
    missing_target: MissingTarget,
}

#[derive(ValueEnum, Clone, Copy, PartialEq)]
enum MissingTarget {
    /// Leave them out, and say how many
    Drop,
    /// They are an error
    Error,
}

impl UnlabelledArgs {
    /// Whether rows without a class are left out.
    pub(crate) fn are_dropped(self) -> bool {
        self.missing_target == MissingTarget::Drop
    }

    /// Drops the rows without a class, unless they are an error.
    pub(crate) fn drop_rows(self, table: &mut Table, target: &str) -> Result<()> {
        match self.missing_target {
            MissingTarget::Drop => Ok(table.drop_rows_without_class(target)?),
            // Encoding the table reports them.
            MissingTarget::Error => Ok(()),
        }
    }
}

/// A training table to read.
pub(crate) struct TrainingTable<'a> {
    pub(crate) data: &'a DataArgs,
    /// The target of the command line. A schema file may name it instead.
    pub(crate) target: Option<&'a str>,
    pub(crate) unlabelled: UnlabelledArgs,
    pub(crate) missing: MissingPolicy,
    /// Columns whose values divide the rows into subgroups.
    pub(crate) by: &'a [Names],
}

/// Adds the command-line option to the remedy that the library names.
pub(crate) fn remedy(error: ternwood_table::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::MissingValue { place } => anyhow!(
            "{place}: the value is missing, which --missing error refuses; fill it in, drop the \
             row, or fit with --missing learn"
        ),
        ErrorKind::MissingClass { place } => anyhow!(
            "{place}: the class is missing; fill it in, or leave such rows out with \
             --missing-target drop"
        ),
        ErrorKind::InexactClass { place, value } => anyhow!(
            "{place}: the class {value} is too large a number to be told from its neighbours; \
             read the column as names with {}",
            list_option("--nominal", place.column.as_deref().unwrap_or("COL"))
        ),
        _ => error.into(),
    }
}

/// The option that helps with an error of the library, to be added to its message.
pub(crate) fn option_for(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    match error.downcast_ref::<ternwood_table::Error>()?.kind() {
        ErrorKind::TooLong { max_field, .. } => {
            let more = max_field.saturating_mul(4);
            let more = match more % (1 << 20) {
                0 => format!("{}MiB", more >> 20),
                _ => more.to_string(),
            };
            Some(format!("--max-field {more}"))
        }
        _ => None,
    }
}

/// "150 rows, 4 features, 3 classes (setosa 50, versicolor 50, virginica 50)".
pub(crate) fn described(data: &Dataset) -> String {
    let mut counts = vec![0_u64; data.n_classes()];
    for &id in data.labels() {
        counts[id as usize] += 1;
    }
    described_rows(data.schema(), data.n_rows(), &counts)
}

/// The same of rows of which only the number of every class is known.
pub(crate) fn described_rows(schema: &Schema, n_rows: usize, counts: &[u64]) -> String {
    let mut classes: Vec<_> = schema.classes().iter().zip(counts).collect();
    // All of a few, the largest of many.
    const FEW: usize = 8;
    const SHOWN: usize = 4;
    let more = if classes.len() > FEW { classes.len() - SHOWN } else { 0 };
    if more > 0 {
        classes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        classes.truncate(SHOWN);
    }
    let classes: Vec<String> = classes
        .into_iter()
        .map(|(name, count)| format!("{} {count}", one_line(&name.to_string())))
        .collect();
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "{}, {}, {} ({}{tail})",
        counted(n_rows, "row"),
        counted(schema.n_features(), "feature"),
        if schema.n_classes() == 1 {
            "1 class".to_owned()
        } else {
            format!("{} classes", schema.n_classes())
        },
        classes.join(", ")
    )
}
