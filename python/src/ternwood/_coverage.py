"""What the training table of any classifier had: gaps and categories, by column."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _columns, _ternwood
from ._columns import Codes, Names
from ._table import Table, occurring, table_of


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
        table = table_of(X, by_column=True)
        if table is None:
            return None
        return cls([_noted(table, index, counts) for index in range(len(table.names))])

    def uncovered_values(self, X: Any) -> list[UncoveredValues]:
        """Find the values that the training table says nothing about."""
        table = table_of(X, by_column=True)
        if table is None or len(table.names) != len(self.columns):
            return []
        by_name = {name: index for index, name in enumerate(table.names)}
        names = [column.name for column in self.columns if column is not None]
        are_named = table.has_dtypes and all(name in by_name for name in names)
        found: list[UncoveredValues] = []
        for index, known in enumerate(self.columns):
            if known is not None:
                found += _uncovered_by(known, table, by_name[known.name] if are_named else index)
        return found


def _read(table: Table, index: int) -> _columns.Column | None:
    try:
        column = table.read(index)
    except TypeError:  # dates, lists: they are for the classifier to understand
        return None
    numbers = None if table.has_dtypes else _columns.to_numbers(column)
    return column if numbers is None else numbers


def _noted(table: Table, index: int, counts: NDArray[np.bool_] | None) -> _TrainingColumn | None:
    column = _read(table, index)
    if column is None:
        return None
    gaps = _gaps(column)
    had_gaps = bool((gaps if counts is None else gaps[counts]).any())
    if not isinstance(column, Codes):
        return _TrainingColumn(table.names[index], had_gaps, None)
    rows = occurring(column, counts)
    names = None
    n_rows = table.n_rows if counts is None else np.count_nonzero(counts)
    if not _ternwood.is_open_column(rows.tolist(), int(n_rows)):
        having = zip(column.values, rows.tolist(), strict=True)
        names = Names([_columns.name_of(value) for value, n_rows in having if n_rows])
    return _TrainingColumn(table.names[index], had_gaps, names)


def _uncovered_by(known: _TrainingColumn, table: Table, index: int) -> list[UncoveredValues]:
    column = _read(table, index)
    if column is None:
        return []
    problems: dict[str, NDArray[np.bool_]] = {}
    if not known.gaps:
        problems["gap"] = _gaps(column)
    if known.names is not None:
        if not isinstance(column, Codes):
            column = _columns.by_value(column)
        is_known = [
            known.names.find(_columns.name_of(value)) is not None for value in column.values
        ]
        # -1, a gap, is the last.
        problems["new_category"] = ~np.array([*is_known, True])[column.codes]
    found = [(reason, np.flatnonzero(rows)) for reason, rows in problems.items()]
    return [UncoveredValues(known.name, reason, rows) for reason, rows in found if len(rows)]


def _gaps(column: _columns.Column) -> NDArray[np.bool_]:
    if isinstance(column, Codes):
        return np.asarray(column.codes < 0)
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), dtype=bool)
