"""What the training table of any classifier had: gaps and categories, by column."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _ternwood
from ._table import Codes, Column, LooseColumn, columns_of, occurring

# Numbers as text, without leading zeros: "007" is a name.
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?", re.IGNORECASE)


class UncoveredValues(NamedTuple):
    """The rows of a table whose value of one feature the training table says nothing about."""

    feature: str
    reason: str
    """``"gap"``, ``"new_category"`` or ``"unreadable"``."""
    rows: NDArray[np.int64]
    """Their numbers."""


CountedUncovered: TypeAlias = tuple[int, int, list[tuple[str, str, int]]]
"""The number of rows and of uncovered ones among them, and of those by feature and reason."""


def count_uncovered(values: list[UncoveredValues], numbers: NDArray[np.int64]) -> CountedUncovered:
    """Count the uncovered rows among those with these numbers."""
    among = [it._replace(rows=np.intersect1d(it.rows, numbers)) for it in values]
    uncovered = np.unique(np.concatenate([[], *(it.rows for it in among)]))
    return len(numbers), len(uncovered), [(*it[:2], len(it.rows)) for it in among]


class Names:
    """The categories of a feature, to be found by name.

    Numbers are found by value ("1.0" is "1"), and booleans in any case ("true" is "True"), unless
    there is a category of exactly that name.
    """

    def __init__(self, names: list[str]) -> None:
        self._exact = set(names)
        self._alike = {_meaning(name) for name in names} - {None}

    def find(self, name: str) -> bool:
        """Tell whether there is a category like this one."""
        return name in self._exact or _meaning(name) in self._alike


def _meaning(name: str) -> float | str | None:
    """Return the number or the boolean that a name stands for, if any."""
    if _NUMBER.fullmatch(name):
        return float(name)
    return name.lower() if name.lower() in ("true", "false") else None


class _TrainingColumn(NamedTuple):
    name: str
    gaps: bool
    """Whether some row had no value."""
    names: Names | None
    """The categories that rows had; None for numbers, and where new ones are to be expected."""


class TrainingColumns(NamedTuple):
    """The columns of a training table. All of them count: what a classifier reads is not known."""

    columns: list[_TrainingColumn | None]
    """None for a column that is neither numbers nor categories."""

    @classmethod
    def of(cls, X: Any, counts: NDArray[np.bool_] | None) -> TrainingColumns | None:
        """Note the columns of X, in the rows that count; None if X is no table."""
        columns = columns_of(X)
        return None if columns is None else cls([_noted(column, counts) for column in columns])

    def uncovered_values(self, X: Any) -> list[UncoveredValues]:
        """Find the values that the training table says nothing about."""
        columns = columns_of(X)
        if columns is None or len(columns) != len(self.columns):
            return []
        by_name = {column.name: column for column in columns}
        names = [column.name for column in self.columns if column is not None]
        are_named = not isinstance(X, np.ndarray) and all(name in by_name for name in names)
        found: list[UncoveredValues] = []
        for known, column in zip(self.columns, columns, strict=True):
            if known is not None:
                found += _uncovered_by(known, by_name[known.name] if are_named else column)
        return found


def _noted(loose: LooseColumn, counts: NDArray[np.bool_] | None) -> _TrainingColumn | None:
    column = loose.column
    if column is None:
        return None
    gaps = _gaps(column)
    had_gaps = bool((gaps if counts is None else gaps[counts]).any())
    if not isinstance(column, Codes):
        return _TrainingColumn(loose.name, had_gaps, None)
    rows = occurring(column, counts)
    names = None
    n_rows = len(gaps) if counts is None else np.count_nonzero(counts)
    if not _ternwood.is_open_column(rows.tolist(), int(n_rows)):
        having = zip(column.values, rows.tolist(), strict=True)
        names = Names([value for value, n_rows in having if n_rows])
    return _TrainingColumn(loose.name, had_gaps, names)


def _uncovered_by(known: _TrainingColumn, loose: LooseColumn) -> list[UncoveredValues]:
    if loose.column is None:
        return []
    problems: dict[str, NDArray[np.bool_]] = {}
    if not known.gaps:
        problems["gap"] = _gaps(loose.column)
    if known.names is not None and loose.categories is not None:
        is_known = [known.names.find(value) for value in loose.categories.values]
        # -1, a gap, is the last.
        problems["new_category"] = ~np.array([*is_known, True])[loose.categories.codes]
    found = [(reason, np.flatnonzero(rows)) for reason, rows in problems.items()]
    return [UncoveredValues(known.name, reason, rows) for reason, rows in found if len(rows)]


def _gaps(column: Column) -> NDArray[np.bool_]:
    if isinstance(column, Codes):
        return np.asarray(column.codes < 0)
    return np.asarray(np.isnan(column))
