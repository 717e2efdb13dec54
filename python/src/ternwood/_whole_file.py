"""Files that are written completely or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path


def write_named(path: str | os.PathLike[str], text: str, *, what: str, ending: str) -> None:
    """Write a whole file whose name must tell its format."""
    if Path(path).suffix.lower() != ending:
        raise ValueError(f"{what}: the name must end in {ending}, got {str(path)!r}")
    write_whole(path, text.encode())


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a temporary file and rename it: a failure leaves the target unchanged.

    A symbolic link is kept, and the file it points to is replaced.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
