"""Files that are written completely or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path
from typing import BinaryIO


def write_named(path: str | os.PathLike[str], text: str, *, what: str, ending: str) -> None:
    """Write a whole file whose name must tell its format."""
    if Path(path).suffix.lower() != ending:
        raise ValueError(f"{what}: the name must end in {ending}, got {str(path)!r}")
    write_whole(path, text.encode())


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file and name it when it is complete: a failure leaves the target unchanged.

    A symbolic link is kept, and the file it points to is replaced.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        if not _write_nameless(target, draft, content):
            with draft.open("xb") as file:
                _write_to_disk(file, content)
            draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _write_to_disk(file: BinaryIO, content: bytes) -> None:
    file.write(content)
    file.flush()
    os.fsync(file.fileno())


def _write_nameless(target: Path, draft: Path, content: bytes) -> bool:
    """Write a file that has no name before it is complete, so that a kill leaves nothing behind.

    Linux has such files. Returns False where there are none, or where they cannot be named.
    """
    try:
        descriptor = os.open(target.parent, os.O_TMPFILE | os.O_WRONLY, 0o666)
    except (AttributeError, OSError):
        return False
    with open(descriptor, "wb") as file:
        _write_to_disk(file, content)
        try:
            try:
                _link(descriptor, target)
            except FileExistsError:
                # Nothing but a name can take the place of another. Only a kill between these two
                # lines leaves anything: the complete file.
                _link(descriptor, draft)
                draft.replace(target)
        except OSError:
            return False
    return True


def _link(descriptor: int, path: Path) -> None:
    # The first name is a symbolic link of the system. Python follows it only if a folder is given,
    # which an absolute name makes no use of.
    os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor, follow_symlinks=True)
