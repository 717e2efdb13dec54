//! Files that appear complete or not at all.
//!
//! An output is written to a temporary file in the same folder and renamed when complete. A
//! crash, a full disk or an interrupt leaves the old file untouched.

use anyhow::{Context, Result, anyhow, bail};
use std::fs::File;
use std::io::{BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::{Builder, TempPath};

/// Existing temporary files, to be removed when the process is interrupted.
static PARTIAL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes temporary files on Ctrl-C or a request to terminate.
pub(crate) fn remove_partial_files_on_signals() {
    // Without the handler the process still ends, but leaves its temporary file behind.
    let _ = ctrlc::set_handler(|| {
        for path in PARTIAL.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = std::fs::remove_file(path);
        }
        std::process::exit(130);
    });
}

/// The name for standard output.
pub(crate) const STDOUT: &str = "-";

/// Where an output goes, and whether something there may be replaced.
#[derive(clap::Args, Clone)]
pub(crate) struct OutputArgs {
    /// Where to write; `-` or nothing means standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the output if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

impl OutputArgs {
    /// The file to write, if it is not standard output.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new(STDOUT))
    }

    /// Opens the output.
    pub(crate) fn create(&self) -> Result<Output> {
        Output::file(self.output.as_deref().unwrap_or(Path::new(STDOUT)), self.force)
    }

    /// The name of the output in messages.
    pub(crate) fn name(&self) -> String {
        self.file().map_or_else(|| "standard output".to_owned(), |path| path.display().to_string())
    }
}

/// An output being written. If dropped before [`Output::finish`], it leaves no file.
pub(crate) struct Output {
    /// The name in messages.
    name: String,
    sink: Sink,
}

enum Sink {
    Stdout(BufWriter<Stdout>),
    File(BufWriter<File>, Rename),
    /// A device or a pipe: nothing to rename.
    Device(BufWriter<File>),
}

/// The last step of writing a file.
struct Rename {
    from: TempPath,
    to: PathBuf,
    force: bool,
}

impl Output {
    /// Opens a file for writing, or standard output if the name is `-`.
    pub(crate) fn file(path: &Path, force: bool) -> Result<Self> {
        let (name, sink) = if path == Path::new(STDOUT) {
            ("standard output".to_owned(), Sink::Stdout(BufWriter::new(std::io::stdout())))
        } else {
            (path.display().to_string(), Sink::file(path, force)?)
        };
        Ok(Self { name, sink })
    }

    /// Writes all of the output at once.
    pub(crate) fn complete(mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        let written = self.write_all(bytes.as_ref());
        written.with_context(|| cannot_write(&self.name))?;
        self.finish()
    }

    /// Writes a coloured text at once. Strips the colours unless the output is a terminal.
    pub(crate) fn complete_coloured(self, text: &str) -> Result<()> {
        match self.sink {
            Sink::Stdout(_) => {
                let mut out = anstream::stdout().lock();
                let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
                written.with_context(|| cannot_write(&self.name))
            }
            _ => self.complete(anstream::adapter::strip_str(text).to_string()),
        }
    }

    /// Moves the complete output to its final name.
    pub(crate) fn finish(self) -> Result<()> {
        let Self { name, sink } = self;
        match sink {
            Sink::Stdout(mut out) => out.flush().with_context(|| cannot_write(&name)),
            Sink::Device(mut out) => out.flush().with_context(|| cannot_write(&name)),
            Sink::File(out, rename) => {
                let file = out.into_inner().map_err(std::io::IntoInnerError::into_error);
                let on_disk = file.and_then(|file| file.sync_all());
                on_disk.with_context(|| cannot_write(&name))?;
                rename.finish()
            }
        }
    }
}

fn cannot_write(name: &str) -> String {
    format!("{name}: cannot write it all")
}

impl Sink {
    fn file(path: &Path, force: bool) -> Result<Self> {
        let name = path.display();
        // Replace the target of a link, not the link. Other names stay as they were given: on Windows a
        // canonical one is no longer what people typed.
        let target = if path.is_symlink() { path.canonicalize().ok() } else { None };
        let path = target.unwrap_or_else(|| path.to_owned());
        if let Ok(there) = path.metadata() {
            if there.is_dir() {
                bail!("{name}: this is a folder; name a file in it");
            }
            if !there.is_file() {
                let file = File::options().write(true).open(&path);
                return Ok(Self::Device(BufWriter::new(
                    file.map_err(|problem| anyhow!("{name}: {problem}"))?,
                )));
            }
            if !force {
                bail!("{name} exists already; use --force to replace it, or another name");
            }
        }
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        builder.prefix(".ternwood-").suffix(".partial");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let (file, from) = builder
            .tempfile_in(folder)
            .map_err(|problem| anyhow!("{name}: cannot write there: {}", plain(&problem)))?
            .into_parts();
        partial(|files| files.push(from.to_path_buf()));
        Ok(Self::File(BufWriter::new(file), Rename { from, to: path, force }))
    }
}

impl Rename {
    fn finish(self) -> Result<()> {
        let Self { from, to, force } = self;
        let partial_file = from.to_path_buf();
        let renamed = if force { from.persist(&to) } else { from.persist_noclobber(&to) };
        partial(|files| files.retain(|file| *file != partial_file));
        renamed.map_err(|error| match error.error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                anyhow!(
                    "{} was written by somebody else meanwhile; nothing was replaced",
                    to.display()
                )
            }
            _ => anyhow!("{}: {}", to.display(), error.error),
        })
    }
}

fn partial(change: impl FnOnce(&mut Vec<PathBuf>)) {
    change(&mut PARTIAL.lock().unwrap_or_else(PoisonError::into_inner));
}

/// The error without the temporary file name that the library adds.
fn plain(problem: &std::io::Error) -> String {
    match problem.kind() {
        std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        kind => kind.to_string(),
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.sink {
            Sink::Stdout(out) => out.write(bytes),
            Sink::File(out, _) | Sink::Device(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.sink {
            Sink::Stdout(out) => out.flush(),
            Sink::File(out, _) | Sink::Device(out) => out.flush(),
        }
    }
}
