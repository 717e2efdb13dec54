"""Progress of a fit: one line on standard error per stage, written again and again."""

from __future__ import annotations

import sys
import time
from types import TracebackType


class Progress:
    """Shows how far a fit is. Works in a terminal and in a notebook, without any package."""

    def __init__(self) -> None:
        self.stage = ""
        self.steps = 0
        self.started = time.monotonic()
        self.shown = ""

    def __enter__(self) -> Progress:
        return self

    def __call__(self, stage: str, done: int, steps: int) -> None:
        """Show how many steps of a stage are done. Called now and then by the fitting thread."""
        if not stage:
            return
        if self.stage and stage != self.stage:
            self._show(self.steps)
            self._end_line()
        self.stage, self.steps = stage, steps
        self._show(done)

    def _show(self, done: int) -> None:
        seconds = time.monotonic() - self.started
        line = f"{self.stage}: {done} of {self.steps}, {seconds:.0f} s"
        if line != self.shown:
            # Blanks hide the end of a longer line.
            sys.stderr.write(f"\r{line.ljust(len(self.shown))}")
            sys.stderr.flush()
            self.shown = line

    def _end_line(self) -> None:
        if self.shown:
            sys.stderr.write("\n")
            sys.stderr.flush()
            self.shown = ""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end_line()
