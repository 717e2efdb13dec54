//! Files that appear complete or not at all.
//!
//! An output is written to a file without a name in the same folder, and named when complete. Where there
//! are no such files, it is written to a temporary file and renamed. A crash, a full disk or an interrupt
//! leaves the old file untouched.

use crate::cli::Usage;
use anyhow::{Context, Result, anyhow, bail};
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Seek, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{Builder, NamedTempFile, TempPath};

/// Existing temporary files, to be removed when the process is interrupted.
static PARTIAL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes temporary files on Ctrl-C or a request to terminate. Must be called before there are other threads.
pub(crate) fn remove_partial_files_on_signals() {
    on_end(|code| {
        for path in partial_files().iter() {
            let _ = std::fs::remove_file(path);
        }
        std::process::exit(code)
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
    File(BufWriter<File>, Naming),
    /// A device or a pipe: nothing to name.
    Device(BufWriter<File>),
}

/// The last step of writing a file.
struct Naming {
    /// Its temporary name; `None` if it has no name.
    from: Option<Partial>,
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
            Sink::File(out, naming) => {
                let file = out.into_inner().map_err(std::io::IntoInnerError::into_error);
                let on_disk = file.and_then(|file| file.sync_all().map(|()| file));
                naming.finish(on_disk.with_context(|| cannot_write(&name))?)
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
        let target = behind_links(path).map_err(|problem| anyhow!("{name}: {problem}"))?;
        let name = match target == path {
            true => name.to_string(),
            false => format!("{name} (a link to {})", target.display()),
        };
        let path = target;
        if path.file_name().is_none() || ends_in_separator(&path) {
            bail!("{name}: this is the name of a folder; name a file in it");
        }
        // What no file can be called is refused before the work, not after it.
        let there = match path.metadata() {
            Err(problem) if problem.kind() != ErrorKind::NotFound => bail!("{name}: {problem}"),
            there => there.ok(),
        };
        if let Some(there) = there {
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
        let (file, from) = match create_nameless(folder_of(&path)) {
            Some(file) => (file, None),
            None => {
                let named =
                    Partial::in_folder_of(&path, |builder, folder| builder.tempfile_in(folder));
                let problem =
                    |problem| anyhow!("{name}: cannot write there: {}", plain(&problem, &path));
                let (file, from) = named.map_err(problem)?;
                (file, Some(from))
            }
        };
        Ok(Self::File(BufWriter::new(file), Naming { from, to: path, force }))
    }
}

impl Naming {
    /// Names a complete file.
    fn finish(self, file: File) -> Result<()> {
        let Self { from, to, force } = self;
        let named = match from {
            Some(from) => {
                // Windows does not rename files that are open.
                drop(file);
                from.rename(&to, force)
            }
            None => give_name(file, &to, force),
        };
        named.map_err(|problem| match problem.kind() {
            ErrorKind::AlreadyExists => anyhow!(
                "{} was written by somebody else meanwhile; nothing was replaced",
                to.display()
            ),
            _ => anyhow!("{}: {problem}", to.display()),
        })
    }
}

/// Names a file that has no name.
fn give_name(file: File, to: &Path, force: bool) -> std::io::Result<()> {
    let exists = |problem: &std::io::Error| problem.kind() == ErrorKind::AlreadyExists;
    let named = match link_nameless(&file, to) {
        Err(problem) if exists(&problem) && force => replace(&file, to),
        named => named,
    };
    match named {
        // Some rules of security forbid links. What took hours to compute must not be lost for that.
        Err(problem) if !exists(&problem) => copy(file, to, force),
        named => named,
    }
}

/// Puts a file that has no name in the place of another.
fn replace(file: &File, to: &Path) -> std::io::Result<()> {
    // No system call does that, so it needs two names in turn. A kill between the two calls leaves the
    // first: the only moment at which one leaves anything.
    let link = |path: &Path| link_nameless(file, path);
    let ((), from) = Partial::in_folder_of(to, |builder, folder| builder.make_in(folder, link))?;
    from.rename(to, true)
}

fn copy(mut file: File, to: &Path, force: bool) -> std::io::Result<()> {
    let (mut copy, from) =
        Partial::in_folder_of(to, |builder, folder| builder.tempfile_in(folder))?;
    file.rewind()?;
    std::io::copy(&mut file, &mut copy)?;
    copy.sync_all()?;
    drop(copy);
    from.rename(to, force)
}

/// The file that a name stands for: the target of a link, and not the link, is written, whether the target exists or
/// not. Other names stay as they were given: on Windows a canonical one is no longer what people typed.
fn behind_links(path: &Path) -> std::io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if !path.is_symlink() {
            return Ok(path);
        }
        // Relative to the folder of the link.
        path = folder_of(&path).join(path.read_link()?);
    }
    Err(std::io::Error::other("these links lead to each other; remove them, or use another name"))
}

fn ends_in_separator(path: &Path) -> bool {
    path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A temporary name, which is removed if the process is interrupted, or if it is dropped.
struct Partial(TempPath);

impl Partial {
    /// Makes something with a temporary name in the folder of an output.
    fn in_folder_of<T>(
        path: &Path,
        make: impl FnOnce(&mut Builder<'_, '_>, &Path) -> std::io::Result<NamedTempFile<T>>,
    ) -> std::io::Result<(T, Self)> {
        let mut builder = Builder::new();
        builder.prefix(".ternwood-").suffix(".partial");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // An interrupt waits, so that it knows the name.
        let mut files = partial_files();
        let (made, name) = make(&mut builder, folder_of(path))?.into_parts();
        files.push(name.to_path_buf());
        Ok((made, Self(name)))
    }

    fn rename(self, to: &Path, force: bool) -> std::io::Result<()> {
        let partial_file = self.0.to_path_buf();
        let renamed = if force { self.0.persist(to) } else { self.0.persist_noclobber(to) };
        partial_files().retain(|file| *file != partial_file);
        Ok(renamed?)
    }
}

fn partial_files() -> MutexGuard<'static, Vec<PathBuf>> {
    PARTIAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The error without the temporary file name that the library adds.
fn plain(problem: &std::io::Error, path: &Path) -> String {
    match problem.kind() {
        // In /proc, for instance.
        ErrorKind::NotFound if folder_of(path).is_dir() => {
            "its folder cannot hold files".to_owned()
        }
        ErrorKind::NotFound => "there is no such folder".to_owned(),
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

// The format of an output: asked for, or told by the name of the file.

/// The formats that a verb can write.
pub(crate) trait NamedFormat: Copy + PartialEq + 'static {
    /// The endings of file names that tell the format; the usual one of each format comes first.
    const ENDINGS: &'static [(&'static str, Self)];
    /// The format on standard output, where no name tells it; `None` if it must be asked for.
    const UNNAMED: Option<Self>;
    /// The option that asks for a format.
    const OPTION: &'static str = "--format";
}

impl OutputArgs {
    /// The format asked for, or else that of the file's name.
    pub(crate) fn format<F: NamedFormat>(&self, asked_for: Option<F>) -> Result<F> {
        if let Some(format) = asked_for {
            return Ok(format);
        }
        let Some(path) = self.file().filter(|path| !is_device(path)) else {
            let must_ask = || Usage(format!("say what to write with {}", F::OPTION)).into();
            return F::UNNAMED.ok_or_else(must_ask);
        };
        let (name, ending) = (path.display(), ending(path));
        if let Some((_, format)) = F::ENDINGS.iter().find(|known| known.0 == ending) {
            return Ok(*format);
        }
        if ending == "gz" {
            bail!("{name}: output is not compressed; leave out .gz, or pipe it into gzip");
        }
        let fitting = fitting_endings::<F>();
        bail!(
            "{name}: the name does not tell the format; end it in {fitting}, or say {}",
            F::OPTION
        )
    }
}

/// Refuses a name that tells another format than SVG, the only one of figures.
pub(crate) fn check_figure(path: &Path) -> Result<()> {
    if ending(path) != "svg" && !is_device(path) {
        bail!("{}: figures are SVG files; end the name in .svg", path.display());
    }
    Ok(())
}

/// Refuses a name that tells another format than HTML, the only one of reports to sign.
pub(crate) fn check_page(path: &Path) -> Result<()> {
    if ending(path) != "html" && !is_device(path) {
        bail!("{}: the report is an HTML file; end the name in .html", path.display());
    }
    Ok(())
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// True for `/dev/stdout` or a pipe, whose names tell nothing.
fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// ".csv, .tsv or .parquet".
fn fitting_endings<F: NamedFormat>() -> String {
    let is_usual = |at: &usize| !F::ENDINGS[..*at].iter().any(|(_, f)| *f == F::ENDINGS[*at].1);
    let usual = (0..F::ENDINGS.len()).filter(is_usual);
    let endings: Vec<String> = usual.map(|at| format!(".{}", F::ENDINGS[at].0)).collect();
    match endings.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

// Files without a name, which get one when they are complete.
//
// Whatever ends the process before that, the kernel removes them: kill -9 leaves nothing behind. Linux has
// them on most file systems.

/// Makes a file without a name in a folder; `None` where that cannot be, or could not be named later.
#[cfg(target_os = "linux")]
fn create_nameless(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
    in_proc(&file).exists().then_some(file)
}

/// Gives it a name, which must be free.
#[cfg(target_os = "linux")]
fn link_nameless(file: &File, path: &Path) -> std::io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    // Naming a file by its descriptor alone needs privileges, or a kernel from 2024 on.
    Ok(linkat(CWD, in_proc(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(target_os = "linux")]
fn in_proc(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

#[cfg(not(target_os = "linux"))]
fn create_nameless(_: &Path) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn link_nameless(_: &File, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

// Requests to end: Ctrl-C, `kill`, a closed terminal.

/// Calls `end` with the exit code that shells expect, once the process is asked to end. Must be called before there
/// are other threads. Without the thread that waits, the process still ends, but `end` is not called.
#[cfg(unix)]
fn on_end(end: impl Fn(i32) + Send + 'static) {
    use nix::sys::signal::{SigSet, Signal};

    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
    // Threads to come block them too, so that this one receives them.
    if signals.thread_block().is_err() {
        return;
    }
    let waiting = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        while let Ok(signal) = signals.wait() {
            end(128 + signal as i32);
        }
    });
    if waiting.is_err() {
        let _ = signals.thread_unblock();
    }
}

/// The same where there is nothing but Ctrl-C.
#[cfg(not(unix))]
fn on_end(end: impl Fn(i32) + Send + 'static) {
    let _ = ctrlc::set_handler(move || end(130));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// Finishes a file that the system refuses to name.
    fn finish_unlinkable(to: &Path, force: bool) -> Result<()> {
        let folder = folder_of(to);
        // What had a name and lost it gets no other.
        let mut file = NamedTempFile::new_in(folder).unwrap().into_file();
        file.write_all(b"complete").unwrap();
        assert!(link_nameless(&file, &folder.join("other")).is_err(), "it can be linked");
        Naming { from: None, to: to.to_owned(), force }.finish(file)
    }

    #[test]
    fn what_cannot_be_linked_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        for old in [None, Some("old")] {
            if let Some(old) = old {
                std::fs::write(&path, old).unwrap();
            }
            finish_unlinkable(&path, old.is_some()).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"complete");
            assert_eq!(names(folder.path()), ["out"]);
        }
    }

    #[test]
    fn a_temporary_name_is_known_to_interrupts_until_it_is_renamed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let (mut file, from) =
            Partial::in_folder_of(&path, |builder, folder| builder.tempfile_in(folder)).unwrap();
        file.write_all(b"complete").unwrap();
        let partial_file = folder.path().join(&names(folder.path())[0]);
        assert!(partial_files().contains(&partial_file));
        Naming { from: Some(from), to: path.clone(), force: false }.finish(file).unwrap();
        assert!(!partial_files().contains(&partial_file));
        assert_eq!(std::fs::read(&path).unwrap(), b"complete");
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn a_copy_replaces_only_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        std::fs::write(&path, "old").unwrap();
        let error = finish_unlinkable(&path, false).unwrap_err().to_string();
        assert!(error.ends_with("was written by somebody else meanwhile; nothing was replaced"));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["out"]);
    }
}
