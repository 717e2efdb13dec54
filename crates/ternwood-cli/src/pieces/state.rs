//! The file by which a fit that was stopped goes on.

use crate::output::Output;
use crate::session::Session;
use anyhow::{Context, Result, bail};
use std::path::Path;
use ternwood::partitions::Coordinator;

pub(crate) struct StateFile<'a>(&'a Path);

impl<'a> StateFile<'a> {
    pub(crate) fn new(path: &'a Path) -> Self {
        Self(path)
    }

    /// The coordinator of the file, if there is one, or else a `new` one.
    pub(crate) fn load(&self, new: Coordinator, session: &Session) -> Result<Coordinator> {
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
