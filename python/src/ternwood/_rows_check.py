"""Whether a classifier still holds for new rows."""

from __future__ import annotations

import json
from typing import Any


class RowsCheck:
    """What new rows say of a classifier at work. Prints as a report.

    Attributes
    ----------
    holds : bool
        Whether nothing has changed, as far as these rows can tell; also the truth value of the
        check itself.
    rows : int
        The number of new rows.
    level : float
        The probability with which anything is called changed although nothing has.
    comparisons : list of dict
        Every comparison: ``of`` says what is compared, ``part`` of ``whole`` rows have it, with
        the exact 95 % ``interval`` of that share; ``before`` is what was known; ``p_value`` of
        the test, and ``adjusted`` because there are several (Holm); ``outcome`` is ``"changed"``,
        ``"unchanged"`` or, of a promise, ``"confirmed"``; ``rows_to_tell`` is how many rows would
        tell about a promise that is neither broken nor confirmed. Flags, uncovered rows and
        promises come first, then features, the worst first.
    uncovered : dict or None
        The uncovered rows: ``part`` of ``whole`` rows, and in ``values`` a dict for every
        ``feature`` and ``reason`` (``"gap"``, ``"new_category"`` or ``"unreadable"``) with its
        number of ``rows``. None if the training table is not known.
    untold : list of str
        What could not be compared: ``"no_calibration_rows"``, ``"approximate_flags"`` (known by
        cross-fitting only), ``"no_training_rows"``, ``"no_labels"`` or ``"nothing_promised"``.
    """

    def __init__(self, words: str, document: str) -> None:
        found: dict[str, Any] = json.loads(document)
        self.rows: int = found["rows"]
        self.level: float = found["level"]
        self.comparisons: list[dict[str, Any]] = found["comparisons"]
        self.uncovered: dict[str, Any] | None = found["uncovered"]
        self.untold: list[str] = found["untold"]
        self._words = words
        self._document = document

    @property
    def holds(self) -> bool:
        """Whether nothing has changed."""
        return not self.changed

    @property
    def changed(self) -> list[dict[str, Any]]:
        """The comparisons that say that something has changed."""
        return [found for found in self.comparisons if found["outcome"] == "changed"]

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return self._words

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._words.splitlines()[-1]}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._words, self._document)
