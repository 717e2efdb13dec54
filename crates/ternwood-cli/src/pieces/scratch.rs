//! A temporary file without a name: it is gone when the process is, however that ends.

use crate::bytes::shown;
use anyhow::{Context, Result, anyhow};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use ternwood::Exec;
use ternwood::partitions::Partition;

/// Pieces in a temporary file.
pub(crate) struct Scratch {
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
        let (folder, written) = (self.folder.display(), shown(written));
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
