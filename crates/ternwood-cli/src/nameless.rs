//! Files without a name, which get one when they are complete.
//!
//! Whatever ends the process before that, the kernel removes them: kill -9 leaves nothing behind. Linux has
//! them on most file systems.

use std::fs::File;
use std::path::Path;

/// Makes a file without a name in a folder; `None` where that cannot be, or could not be named later.
#[cfg(target_os = "linux")]
pub(crate) fn create(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
    in_proc(&file).exists().then_some(file)
}

/// Gives it a name, which must be free.
#[cfg(target_os = "linux")]
pub(crate) fn link(file: &File, path: &Path) -> std::io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    // Naming a file by its descriptor alone needs privileges, or a kernel from 2024 on.
    Ok(linkat(CWD, in_proc(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(target_os = "linux")]
fn in_proc(file: &File) -> std::path::PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn create(_: &Path) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn link(_: &File, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
