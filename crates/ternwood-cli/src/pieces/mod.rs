//! Tables that do not fit into memory: rounds of questions over their pieces.

mod scratch;
mod state;

use crate::bytes;
use crate::session::Session;
use anyhow::{Result, anyhow};
use scratch::Scratch;
use state::StateFile;
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
    #[arg(long, value_name = "AMOUNT", value_parser = bytes::parse)]
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
        self.memory.or_else(|| Some(crate::memory::free()? / 2)).unwrap_or(4 << 30)
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
