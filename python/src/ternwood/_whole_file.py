"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write beside the target first, then move: a failure leaves the target as it was.

    A symbolic link keeps pointing to its file, which gets the text.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        with draft.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
