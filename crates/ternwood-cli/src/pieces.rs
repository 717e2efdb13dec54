//! Tables that do not fit into memory: rounds of questions over their pieces.

use crate::output::Output;
use crate::session::Session;
use anyhow::{Context, Result, anyhow, bail};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use ternwood::partitions::{Answer, Coordinator, Limits, Partition};
use ternwood::{Exec, Model, Recipe, Schema};
use ternwood_table::{Chunk, ManyLearned, ManyTables};

/// How tables are fitted that may be larger than memory.
#[derive(clap::Args)]
#[command(next_help_heading = "Many rows")]
pub(crate) struct PiecesArgs {
    /// Fit within about this much memory, such as 2GB: rows that do not fit are read in pieces
    /// [default: half of what is free]
    #[arg(long, value_name = "AMOUNT", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,
    /// Folder for the temporary file that rows go to if they do not fit into memory; it has no name and
    /// is gone when the command ends, however it ends [default: that of the system]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Read the tables again in every round, and write no temporary file
    #[arg(long, conflicts_with = "scratch")]
    reread: bool,
    /// File that remembers what is decided after every round, so that the same command goes on from there
    /// if it was stopped; removed when the model is written
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
}

/// Where the pieces are.
enum Pieces<'a> {
    Scratch(Scratch),
    Tables { many: &'a ManyTables, learned: &'a ManyLearned, limit: usize, schema: Arc<Schema> },
}

/// Where pieces go if they do not fit into memory.
impl PiecesArgs {
    /// The bytes that a fit may take.
    pub(crate) fn limit(&self) -> u64 {
        self.memory.or_else(|| Some(ternwood::fit::free_memory()? / 2)).unwrap_or(4 << 30)
    }

    /// Fits a recipe to tables that need not fit into memory.
    pub(crate) fn fit(
        &self,
        many: &ManyTables,
        learned: &ManyLearned,
        recipe: Recipe,
        session: &Session,
    ) -> Result<Model> {
        let (limit, n_features) = (self.limit(), learned.schema.n_features());
        let schema = Arc::new(learned.schema.clone());
        let limits = Limits { answer_bytes: limit / 8, ..Limits::default() };
        let new = Coordinator::new(recipe, Arc::clone(&schema), limits)?;
        let state = self.resume.as_deref().map(StateFile::new);
        let mut coordinator = match &state {
            Some(state) => state.load(new, session)?,
            None => new,
        };
        // A piece is in memory as bytes, as numbers and as codes.
        let rows_at_once = (limit / 4) as usize / (26 * n_features + 50);
        let rows_at_once = rows_at_once.clamp(1 << 8, 1 << 20);
        let tables = Pieces::Tables { many, learned, limit: rows_at_once, schema };
        let (mut pieces, mut n_pieces) = (tables, None);
        if !self.reread {
            let folder = self.scratch.clone().unwrap_or_else(std::env::temp_dir);
            let scratch = pieces.copied(&folder, learned.rows, session)?;
            n_pieces = Some(scratch.len() as u64);
            pieces = Pieces::Scratch(scratch);
        }
        while let Some(question) = coordinator.next_question() {
            let progress = coordinator.progress();
            let what = format!("round {}: {}", progress.rounds + 1, in_words(question.topic()));
            let bar = session.progress(what, n_pieces);
            let (mut answer, mut asked): (Option<Answer>, u64) = (None, 0);
            pieces.each(session.exec(), |mut partition| {
                let of_piece = partition.answer(&question, session.exec())?;
                answer = Some(match answer.take() {
                    Some(others) => others.merged(of_piece)?,
                    None => of_piece,
                });
                asked += 1;
                bar.advance(1);
                Ok(())
            })?;
            n_pieces = Some(asked);
            let answer = answer.ok_or_else(|| anyhow!("the tables have no rows any more"))?;
            coordinator.take(answer, session.exec())?;
            if let (Some(state), Ok(saved)) = (&state, coordinator.save()) {
                state.write(&saved)?;
            }
        }
        Ok(coordinator.into_model()?)
    }
}

/// What happens in a round.
fn in_words(topic: &str) -> &str {
    match topic {
        "describe" => "describing the rows",
        "weigh" => "adding weights",
        "count" => "counting classes",
        "look" => "looking for thresholds",
        "fetch" => "fetching small nodes",
        "digits" => "finding digits",
        other => other,
    }
}

impl Pieces<'_> {
    /// Calls `f` with every piece.
    fn each(&mut self, exec: &Exec, mut f: impl FnMut(Partition) -> Result<()>) -> Result<()> {
        match self {
            Self::Scratch(scratch) => {
                (0..scratch.len()).try_for_each(|at| f(scratch.read(at, exec)?))
            }
            Self::Tables { many, learned, limit, schema } => {
                many.chunks(learned, *limit).try_for_each(|chunk| {
                    let Chunk { columns, labels, weights } = chunk?;
                    f(Partition::new(columns, labels, weights, Arc::clone(schema), exec)?)
                })
            }
        }
    }

    /// Copies all pieces to a temporary file.
    fn copied(&mut self, folder: &Path, rows: u64, session: &Session) -> Result<Scratch> {
        let progress = session.progress("reading the tables", Some(rows));
        let mut scratch = Scratch::new(folder)?;
        self.each(session.exec(), |partition| {
            progress.advance(partition.n_rows() as u64);
            scratch.push(&partition)
        })?;
        Ok(scratch)
    }
}

// A temporary file without a name: it is gone when the process is, however that ends.

/// Pieces in a temporary file.
struct Scratch {
    file: File,
    folder: PathBuf,
    /// Where each piece begins, and where the last ends.
    starts: Vec<u64>,
}

impl Scratch {
    pub(crate) fn new(folder: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).with_context(|| {
            format!(
                "{}: cannot make a temporary file there; name a folder with --scratch",
                folder.display()
            )
        })?;
        Ok(Self { file, folder: folder.to_owned(), starts: vec![0] })
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Adds a piece.
    pub(crate) fn push(&mut self, partition: &Partition) -> Result<()> {
        let bytes = partition.to_bytes();
        let end = self.starts[self.len()];
        self.file.write_all(&bytes).map_err(|problem| self.full(&problem, end))?;
        self.starts.push(end + bytes.len() as u64);
        Ok(())
    }

    fn full(&self, problem: &std::io::Error, written: u64) -> anyhow::Error {
        let (folder, written) = (self.folder.display(), shown_bytes(written));
        match problem.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => anyhow!(
                "{folder}: there is no room for the temporary file, of which {written} are written; name a \
                 folder with more room with --scratch, or read the tables again in every round with --reread"
            ),
            _ => anyhow!("{folder}: cannot write the temporary file: {problem}"),
        }
    }

    /// Reads a piece.
    pub(crate) fn read(&mut self, at: usize, exec: &Exec) -> Result<Partition> {
        let (start, end) = (self.starts[at], self.starts[at + 1]);
        let mut bytes = vec![0; (end - start) as usize];
        let read = self.file.seek(SeekFrom::Start(start));
        let read = read.and_then(|_| self.file.read_exact(&mut bytes));
        let folder = self.folder.display();
        read.with_context(|| format!("{folder}: cannot read the temporary file again"))?;
        Ok(Partition::from_bytes(&bytes, exec)?)
    }
}

// The file by which a fit that was stopped goes on.

struct StateFile<'a>(&'a Path);

impl<'a> StateFile<'a> {
    pub(crate) fn new(path: &'a Path) -> Self {
        Self(path)
    }

    /// The coordinator of the file, if there is one, or else a `new` one.
    fn load(&self, new: Coordinator, session: &Session) -> Result<Coordinator> {
        let name = self.0.display();
        if !self.0.exists() {
            // Better now than after the first round: can it be written there?
            drop(Output::file(self.0, true)?);
            return Ok(new);
        }
        let saved = std::fs::read(self.0).with_context(|| name.to_string())?;
        let loaded = Coordinator::load(&saved, session.exec())
            .with_context(|| format!("{name}: this is no state of a fit; name another file"))?;
        if loaded.recipe() != new.recipe() || loaded.schema() != new.schema() {
            bail!(
                "{name} belongs to another fit: other options, or tables with other columns, classes or \
                 categories; remove it, or name another file"
            );
        }
        let progress = loaded.progress();
        session.note(format_args!(
            "going on after round {}, with {} nodes grown",
            progress.rounds, progress.nodes
        ));
        Ok(loaded)
    }

    /// Replaces the file at once: it is complete at every moment.
    pub(crate) fn write(&self, saved: &[u8]) -> Result<()> {
        Output::file(self.0, true)?.complete(saved)
    }
}

// Amounts of memory, as people write them.

/// Reads "2GB", "512 MiB" or "1000000": powers of 1024 with an i, of 1000 without.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: f64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err("an amount such as 2GB or 512MiB".to_owned()),
    };
    let number: f64 = number.parse().map_err(|_| "an amount such as 2GB or 512MiB".to_owned())?;
    let bytes = number * factor;
    if bytes < 1e5 { Err("at least 100KB".to_owned()) } else { Ok(bytes as u64) }
}

/// "2.4 GB".
pub(crate) fn shown_bytes(bytes: u64) -> String {
    let bytes = bytes as f64;
    let (number, unit) = match bytes {
        _ if bytes >= 1e9 => (bytes / 1e9, "GB"),
        _ if bytes >= 1e6 => (bytes / 1e6, "MB"),
        _ => (bytes / 1e3, "KB"),
    };
    if number < 10.0 { format!("{number:.1} {unit}") } else { format!("{number:.0} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_shown() {
        assert_eq!(parse_bytes("2GB"), Ok(2_000_000_000));
        assert_eq!(parse_bytes("1.5 GiB"), Ok(3 << 29));
        assert_eq!(parse_bytes("250000"), Ok(250_000));
        assert!(
            parse_bytes("2 boxes").is_err()
                && parse_bytes("GB").is_err()
                && parse_bytes("10").is_err()
        );
        assert_eq!(shown_bytes(2_450_000_000), "2.5 GB");
        assert_eq!(shown_bytes(120_400_000), "120 MB");
    }
}
