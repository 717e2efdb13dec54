//! How to read a table, and which of its columns to learn from.

use crate::cli::Usage;
use crate::session::Session;
use crate::style::one_line;
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use std::io::Read;
use std::path::{Path, PathBuf};
use ternwood::{Dataset, Model};
use ternwood_table::{
    EncodeOptions, Encoded, MissingPolicy, ReadAs, ReadOptions, Schema, Source, Table,
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
    /// What messages call the table.
    pub(crate) fn name(&self) -> String {
        match self.data.to_str() {
            Some("-") => "standard input".to_owned(),
            _ => self.data.display().to_string(),
        }
    }

    /// Where the bytes come from.
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

    /// The options with what is said about the layout of the text.
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
    /// Whether the policies go together.
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

    /// Reads a table and makes data to learn from.
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
        // Asked for first, so that a misspelled target is the first thing to be told.
        table.column(target)?;
        let weights = self.take_weights(&mut table)?;
        let mut encoded =
            encode(table, target, self.policies()).map_err(|error| remedy(error.into()))?;
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

/// The library names the remedy; the command knows the option for it.
pub(crate) fn remedy(error: anyhow::Error) -> anyhow::Error {
    use ternwood_table::ErrorKind;
    let Some(kind) = error.downcast_ref::<ternwood_table::Error>().map(ternwood_table::Error::kind)
    else {
        return error;
    };
    match kind {
        ErrorKind::Missing { place, remedy } if remedy.contains("median or mode") => anyhow!(
            "{place}: the value is missing; fill it in, drop the row, or fit with \
             --missing median or --missing mode"
        ),
        ErrorKind::UnknownCategory { place, value, known, remedy }
            if remedy.contains("count as missing") =>
        {
            anyhow!(
                "{place}: unknown category '{value}'; known are {known}; correct it, or fit with \
                 --missing mode --unknown missing"
            )
        }
        ErrorKind::InexactClass { place, value } => anyhow!(
            "{place}: the class {value} is too large a number to be told from its neighbours; \
             read the column as names with --nominal {}",
            place.column.as_deref().unwrap_or("COL")
        ),
        _ => error,
    }
}

/// Reads rows with their classes, encoded as the model wants them; the model comes with its path.
pub(crate) fn labelled_rows(
    (model, path): (&Model, &Path),
    data: &DataArgs,
    target: Option<&str>,
    session: &Session,
) -> Result<Dataset> {
    let mut schema = Schema::of_model(model);
    if let Some(target) = target {
        schema.target = Some(target.to_owned());
    }
    let Some(target) = schema.target.clone() else {
        return Err(Usage(format!(
            "{}: the model does not know the name of its target column; say --target COL",
            path.display()
        ))
        .into());
    };
    if schema.features.iter().any(|feature| feature.name == target) {
        bail!("the column '{target}' is a feature of the model, and cannot be the target");
    }
    let options = schema.read_options(ReadAs::Drop).column(&target, ReadAs::Nominal);
    let progress = session.progress(format!("reading {}", data.name()), None);
    let table = read_table(&data.source()?, &data.layout(options))?;
    drop(progress);
    session.warn(table.warnings());
    schema.take_dataset(table).map_err(|error| remedy(error.into()))
}

/// Reads a model file.
pub(crate) fn read_model(path: &Path) -> Result<Model> {
    let (name, input): (String, Box<dyn Read>) = if path == Path::new("-") {
        ("standard input".to_owned(), Box::new(std::io::stdin()))
    } else {
        let name = path.display().to_string();
        let file = std::fs::File::open(path).with_context(|| name.clone())?;
        (name, Box::new(file))
    };
    let refuse = |problem: &str| anyhow!("{name}: not a usable model file: {problem}; {WHENCE}");
    let bytes = json_bytes(input, MOST_BYTES).with_context(|| name.clone())?;
    let bytes = bytes.map_err(|problem| refuse(&problem))?;
    let text = String::from_utf8(bytes).map_err(|_| refuse("it is not text"))?;
    Model::from_json(&text).with_context(|| name.clone())
}

/// Model files are shorter than this: a tree of ten million nodes and two classes takes about a
/// quarter of it.
const MOST_BYTES: u64 = 4 << 30;

/// All bytes of an object in JSON; or why they cannot be one, told before all of them are read.
fn json_bytes(mut input: impl Read, most: u64) -> std::io::Result<Result<Vec<u8>, String>> {
    const HEAD: u64 = 1 << 10;
    let mut bytes = Vec::new();
    input.by_ref().take(HEAD).read_to_end(&mut bytes)?;
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii_start();
    if !start.starts_with(b"{") {
        // The head may end within a letter.
        let letters = std::str::from_utf8(start).map_or_else(|e| e.error_len().is_none(), |_| true);
        let text = letters && !start.contains(&0);
        return Ok(Err(if text { "it is not JSON" } else { "it is not text" }.to_owned()));
    }
    input.take(most - HEAD + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Ok(Err(format!("it has more than {most} bytes")));
    }
    Ok(Ok(bytes))
}

const WHENCE: &str = "model files are what `ternwood fit` writes";

/// "150 rows, 4 features, 3 classes (setosa 50, versicolor 50, virginica 50)".
pub(crate) fn described(data: &Dataset) -> String {
    let mut counts = vec![0_usize; data.n_classes()];
    for &id in data.labels().ids() {
        counts[id as usize] += 1;
    }
    const SHOWN: usize = 8;
    let classes: Vec<String> = (data.labels().names().iter().zip(&counts))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_model_is_refused_before_all_of_it_is_read() {
        let read = |input: &mut dyn Read| json_bytes(input, 5000).unwrap();
        // Endless: to read all of it would never end.
        assert_eq!(read(&mut std::io::repeat(0)).unwrap_err(), "it is not text");
        assert_eq!(read(&mut std::io::repeat(b'x')).unwrap_err(), "it is not JSON");
        let mut endless = b"{".chain(std::io::repeat(b' '));
        assert_eq!(read(&mut endless).unwrap_err(), "it has more than 5000 bytes");
        assert_eq!(read(&mut &b"\xef\xbb\xbf {}"[..]).unwrap(), b"\xef\xbb\xbf {}");
        assert_eq!(read(&mut &b""[..]).unwrap_err(), "it is not JSON");
        let mut longest = b"{".chain(std::io::repeat(b' ').take(4999));
        assert_eq!(read(&mut longest).unwrap().len(), 5000);
    }
}
