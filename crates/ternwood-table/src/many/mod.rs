//! Many files that are one table, read in chunks: they need not fit into memory.
//!
//! What a column is, all its values in all files decide, as if they were in one. So the files are read
//! once to [learn the schema](ManyTables::learn), and then in [chunks](ManyTables::chunks) by it.

mod notes;

use crate::encode::EncodeOptions;
use crate::encode::MissingPolicy;
use crate::error::{Error, ErrorKind, Result};
use crate::format::Format;
use crate::infer::Notations;
use crate::options::{ReadAs, ReadOptions, Unreadable};
use crate::read::ChunkReader;
use crate::remedy::Remedy;
use crate::source::Source;
use crate::table::{DecidedBy, Table, Values};
use crate::warning::Warning;
use crate::{delimited, encode};
use notes::{ColumnNotes, RowsThat};
use std::collections::BTreeMap;
use std::sync::Arc;
use ternwood::dataset::notation::Notation;
use ternwood::{Columns, Schema};

/// Files with the same columns, to learn from.
#[derive(Debug, Clone)]
pub struct ManyTables {
    sources: Vec<Source>,
    options: ReadOptions,
    target: String,
    weights: Option<String>,
    drop_unlabelled: bool,
}

/// What many tables are together.
#[derive(Debug, Clone, PartialEq)]
pub struct ManyLearned {
    /// The features and classes, as [`encode`](crate::encode()) would learn them from one table.
    pub schema: Schema,
    /// The number of rows, without those that have no class.
    pub rows: u64,
    /// What speaks against columns.
    pub warnings: Vec<Warning>,
    /// How the target is read.
    target: ReadAs,
}

/// Some rows of many tables, encoded.
#[derive(Debug)]
pub struct Chunk {
    /// The features, in the order of the schema.
    pub columns: Columns,
    /// The class id of every row.
    pub labels: Vec<u32>,
    /// How much every row counts, if a column says so.
    pub weights: Option<Vec<f64>>,
}

/// Rows that are read at a time to learn the schema.
const ROWS_AT_ONCE: usize = 1 << 15;

impl ManyTables {
    /// These files, of which `target` has the classes, and `weights` says how much rows count.
    pub fn new(
        sources: Vec<Source>,
        options: ReadOptions,
        target: impl Into<String>,
        weights: Option<String>,
    ) -> Self {
        Self { sources, options, target: target.into(), weights, drop_unlabelled: false }
    }

    /// Leaves rows without a class out.
    #[must_use]
    pub fn dropping_unlabelled(mut self, drop: bool) -> Self {
        self.drop_unlabelled = drop;
        self
    }

    /// Reads all files once, and learns what their columns are. Calls `read` with the number of rows of
    /// every chunk.
    ///
    /// # Errors
    /// As [`encode`](crate::encode()); also files with different columns, columns with more texts than can
    /// be remembered, and filling in missing values, which takes all of a column.
    pub fn learn(&self, missing: MissingPolicy, mut read: impl FnMut(u64)) -> Result<ManyLearned> {
        if matches!(missing, MissingPolicy::Median | MissingPolicy::Mode) {
            return Err(options_error(
                "medians and modes of missing values take all of a column at once".to_owned(),
                Remedy::LearnMissing,
            ));
        }
        let mut guess = self.guess()?;
        let mut notes = self.note(&guess, &mut read)?;
        // Columns that are no numbers after all are read again, as texts.
        let misjudged = notes.iter().filter(|column| column.misjudged.is_some());
        let misjudged: BTreeMap<String, Option<Warning>> =
            misjudged.map(|column| (column.name(), column.mostly_numeric())).collect();
        if !misjudged.is_empty() {
            for name in misjudged.keys() {
                guess.columns.insert(name.clone(), ReadAs::Nominal);
            }
            notes = self.note(&guess, &mut read)?;
        }
        self.settle(notes, &guess, missing, misjudged)
    }

    /// The encoded rows, up to `limit` at a time, of one file after the other.
    pub fn chunks<'a>(
        &'a self,
        learned: &'a ManyLearned,
        limit: usize,
    ) -> impl Iterator<Item = Result<Chunk>> + 'a {
        let schema = Arc::new(learned.schema.clone());
        let files = self.sources.iter().map(move |source| self.open(source, learned));
        files.flat_map(move |reader| {
            let (mut reader, mut error) = match reader {
                Ok(reader) => (Some(reader), None),
                Err(error) => (None, Some(error)),
            };
            let schema = Arc::clone(&schema);
            std::iter::from_fn(move || {
                if let Some(error) = error.take() {
                    return Some(Err(error));
                }
                match reader.as_mut()?.read(limit) {
                    Ok(table) if table.n_rows() == 0 => None,
                    Ok(table) => Some(self.encode(table, &schema)),
                    Err(error) => {
                        reader = None;
                        Some(Err(error))
                    }
                }
            })
        })
    }

    fn open(&self, source: &Source, learned: &ManyLearned) -> Result<ChunkReader> {
        let features = ReadOptions::for_features(learned.schema.features());
        let mut options = features.column(&self.target, learned.target.clone());
        if let Some(weights) = &self.weights {
            options = options.column(weights, self.plain_number());
        }
        let ReadOptions { columns, optional, others, unreadable, keep, .. } = options;
        let of_training = self.options.clone();
        ChunkReader::open(
            source,
            &ReadOptions { columns, optional, others, unreadable, keep, ..of_training },
        )
    }

    fn encode(&self, mut table: Table, schema: &Arc<Schema>) -> Result<Chunk> {
        let kept = self.kept_rows(&table)?;
        if kept.contains(&false) {
            table.retain_rows(&kept)?;
        }
        let weights = self.take_weights(&mut table)?;
        let labels = encode::labels(schema, &table)?;
        let columns = table.take_features(schema)?.columns;
        Ok(Chunk { columns, labels, weights })
    }

    /// How the first file suggests to read columns of which nobody says what they are.
    fn guess(&self) -> Result<ReadOptions> {
        let Some(source) = self.sources.first() else {
            let file = "these files".to_owned();
            return Err(ErrorKind::Empty { file, what: "rows" }.into());
        };
        self.check_formats(source)?;
        let mut options = self.options.clone();
        for source in &self.sources {
            for (name, names) in declared_orders(source, &self.options)? {
                let order = ReadAs::Ordered(names);
                if options.columns.get(&name).is_some_and(|known| *known != order) {
                    return Err(options_error(
                        format!("the order of the categories of '{name}' is not that of all files"),
                        Remedy::Order(name),
                    ));
                }
                options.columns.insert(name, order);
            }
        }
        if let Some(weights) = &self.weights {
            options.columns.insert(weights.clone(), self.plain_number());
        }
        let format = options.format.map_or_else(|| Format::detect(source), Ok)?;
        if matches!(format, Format::Csv | Format::Tsv) {
            for (name, notation) in delimited::guess(source, format, &options)? {
                options.columns.insert(name, notation.map_or(ReadAs::Nominal, ReadAs::Written));
            }
            if options.others == ReadAs::Infer {
                // A column that only a later file has is noticed there.
                options.others = ReadAs::Nominal;
            }
        }
        // What is no number is noticed, and then read as text.
        options.unreadable = Unreadable::Unknown;
        Ok(options)
    }

    /// Checks that all files have the format of the first: what typed files declare, texts only suggest.
    fn check_formats(&self, first: &Source) -> Result<()> {
        let format = |source| self.options.format.map_or_else(|| Format::detect(source), Ok);
        for source in &self.sources {
            if format(source)? != format(first)? {
                return Err(options_error(
                    format!("{} and {} have different formats", first.name(), source.name()),
                    "give files of one format, by a pattern such as 'data/*.csv'",
                ));
            }
        }
        Ok(())
    }

    fn plain_number(&self) -> ReadAs {
        ReadAs::Written(Notation::Number(self.options.marks.unwrap_or_default()))
    }

    /// Notes what all columns of all files hold.
    fn note(&self, options: &ReadOptions, read: &mut impl FnMut(u64)) -> Result<Vec<ColumnNotes>> {
        let mut notes: Vec<ColumnNotes> = Vec::new();
        let mut first_file = None;
        for source in &self.sources {
            let mut reader = ChunkReader::open(source, options)?;
            loop {
                let mut table = reader.read(ROWS_AT_ONCE)?;
                let rows = table.n_rows() as u64;
                let is_first = first_file.is_none();
                if is_first {
                    table.column(&self.target)?;
                    notes = table.columns().iter().map(ColumnNotes::new).collect();
                    first_file = Some(source.name().to_owned());
                } else {
                    check_columns(&table, &notes, first_file.as_deref().unwrap_or_default())?;
                }
                if rows == 0 {
                    break;
                }
                let misread = table.take_unreadable();
                let kept = self.kept_rows(&table)?;
                let weights = self.weights(&table, &kept)?;
                let rows_that = RowsThat { kept: &kept, weights };
                for column in &mut notes {
                    let name = column.name();
                    if self.is_guessed(&name) {
                        column.add_misread(misread.of(&name));
                    }
                    column.add(table.column(&name)?, rows_that, name == self.target)?;
                }
                read(rows);
            }
        }
        Ok(notes)
    }

    /// Whether nobody said what the column is.
    fn is_guessed(&self, name: &str) -> bool {
        let said = self.options.columns.get(name).unwrap_or(&self.options.others);
        *said == ReadAs::Infer
    }

    fn settle(
        &self,
        notes: Vec<ColumnNotes>,
        guess: &ReadOptions,
        missing: MissingPolicy,
        mut misjudged: BTreeMap<String, Option<Warning>>,
    ) -> Result<ManyLearned> {
        let rows = notes.first().map_or(0, ColumnNotes::rows);
        let source = &self.sources[0];
        let format = guess.format.map_or_else(|| Format::detect(source), Ok)?;
        let notations = match format {
            Format::Csv | Format::Tsv => {
                let layout = delimited::layout(source, format, guess)?;
                Notations::of_text(guess.marks, layout.delimiter == ';')
            }
            Format::Arff | Format::Parquet => Notations::of_typed_texts(),
        };
        let mut columns = Vec::new();
        let mut warnings = Vec::new();
        for mut column in notes {
            if Some(column.name()) == self.weights {
                continue;
            }
            column.decided_by = match self.is_guessed(&column.name()) {
                false => DecidedBy::User,
                true => column.decided_by,
            };
            if column.decided_by != DecidedBy::User {
                column.numbers_from_texts(&notations);
            }
            column.days_from_times();
            let doubt = misjudged.remove(&column.name()).flatten();
            warnings.extend(doubt.filter(|_| column.has_texts()));
            if column.name() != self.target {
                if let Some(warning) = column.reason_to_leave_out(missing)? {
                    warnings.push(warning);
                    continue;
                }
                warnings.extend(column.many_categories());
            }
            columns.push(column.stand_in()?);
        }
        let target = columns.iter().find(|column| column.name() == self.target);
        let target = match target.map(|column| (column.values(), column.notation())) {
            Some((Values::Numeric(_), notation)) => ReadAs::Written(notation.clone()),
            _ => ReadAs::Nominal,
        };
        let mut table = Table::from_columns_of_any_length(columns);
        table.file.name = source.name().into();
        let options = EncodeOptions::missing(missing);
        let (schema, more) =
            encode::schema_of_stand_ins(&table, &self.target, options, rows as usize)?;
        warnings.extend(more);
        Ok(ManyLearned { schema, rows, warnings, target })
    }

    /// Which rows are to be learnt from.
    fn kept_rows(&self, table: &Table) -> Result<Vec<bool>> {
        let has_class = || Ok(table.column(&self.target)?.values.present());
        if self.drop_unlabelled { has_class() } else { Ok(vec![true; table.n_rows()]) }
    }

    fn weights<'t>(&self, table: &'t Table, kept: &[bool]) -> Result<Option<&'t [f64]>> {
        let Some(name) = &self.weights else { return Ok(None) };
        let Values::Numeric(weights) = &table.column(name)?.values else { return Ok(None) };
        let is_weight = |weight: f64| weight >= 0.0 && weight.is_finite();
        let mut rows = weights.iter().zip(kept);
        if let Some(row) = rows.position(|(&weight, kept)| *kept && !is_weight(weight)) {
            let place = table.place(row).in_column(name);
            let weight = weights[row];
            let problem = match weight.is_nan() {
                true => format!("{place}: the weight is missing"),
                false => format!("{place}: the weight is {weight}"),
            };
            return Err(options_error(problem, "weights must be finite and not negative"));
        }
        Ok(Some(weights))
    }

    fn take_weights(&self, table: &mut Table) -> Result<Option<Vec<f64>>> {
        let all = vec![true; table.n_rows()];
        let weights = self.weights(table, &all)?.map(<[f64]>::to_vec);
        if let Some(name) = &self.weights {
            table.take_column(name)?;
        }
        Ok(weights)
    }
}

fn options_error(problem: String, remedy: impl Into<Remedy>) -> Error {
    ErrorKind::Options { problem, remedy: remedy.into() }.into()
}

/// Checks that a later file has the columns of the first.
fn check_columns(table: &Table, notes: &[ColumnNotes], first_file: &str) -> Result<()> {
    for column in notes {
        table.column(&column.name())?;
    }
    let names: Vec<String> = notes.iter().map(ColumnNotes::name).collect();
    let extra = table.column_names().into_iter().find(|name| !names.iter().any(|n| n == name));
    match extra {
        None => Ok(()),
        Some(extra) => Err(options_error(
            format!(
                "{}: there is a column '{extra}', which {first_file} does not have",
                table.file()
            ),
            "give all files the same columns",
        )),
    }
}

/// The orders of categories that a file declares.
fn declared_orders(
    source: &Source,
    options: &ReadOptions,
) -> Result<BTreeMap<String, Vec<String>>> {
    #[cfg(feature = "parquet")]
    if options.format.map_or_else(|| Format::detect(source), Ok)? == Format::Parquet {
        return crate::parquet::orders(source, options);
    }
    let _ = (source, options);
    Ok(BTreeMap::new())
}
