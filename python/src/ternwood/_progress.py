"""Progress of a fit: one line on standard error, written again and again."""

from __future__ import annotations

import sys
import time
from types import TracebackType


class Progress:
    """Counts the trees grown. Works in a terminal and in a notebook, without any package."""

    def __init__(self, n_trees: int) -> None:
        self.n_trees = n_trees
        self.started = time.monotonic()
        self.shown = ""

    def __enter__(self) -> Progress:
        return self

    def __call__(self, grown: int) -> None:
        """Show how many trees there are. Called now and then by the thread that fits."""
        line = f"{grown} of {self.n_trees} trees, {time.monotonic() - self.started:.0f} s"
        if line != self.shown:
            # Blanks hide the end of a longer line.
            sys.stderr.write(f"\r{line.ljust(len(self.shown))}")
            sys.stderr.flush()
            self.shown = line

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.shown:
            sys.stderr.write("\n")
            sys.stderr.flush()
