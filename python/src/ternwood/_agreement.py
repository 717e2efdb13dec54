"""What the labels and columns of several partitions mean together.

A partition may lack a class, a category or every value of a column. So each notes what it has, the
notes are merged in the order of the partitions, and only then are labels and categories numbered,
as they would be if all rows were in one table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _labels
from ._data_warning import warn_of_columns, warn_of_target
from ._table import (
    Codes,
    Column,
    Kind,
    ids_among,
    is_confirmed,
    known_categories,
    looked_up,
    occurring,
)
from ._ternwood import has_many_categories, target_doubt_of_totals, texts_are

# Codes of partitions have two bytes.
MOST_CATEGORIES = 2**16 - 2


class ColumnNote(NamedTuple):
    """What a column holds, in one partition or in several."""

    called: str
    """Column and data type, to start a sentence with."""
    partition: int
    """The first of the partitions, for messages."""
    values: dict[Any, tuple[int, int]] | None
    """By category, in how many rows it occurs, and in how many that count; None for numbers."""
    empty: bool
    """Whether there is no value at all; such a column fits in with any other."""
    declared: bool = False
    ordered: bool = False

    @classmethod
    def of(
        cls, called: str, partition: int, column: Column, counts: NDArray[np.bool_] | None
    ) -> ColumnNote:
        """Note what a column of a partition holds."""
        if not isinstance(column, Codes):
            empty = not len(column) or bool(np.isnan(column[0]) and np.isnan(column).all())
            return cls(called, partition, None, empty)
        rows, counted = occurring(column), occurring(column, counts)
        pairs = zip(rows.tolist(), counted.tolist(), strict=True)
        values = dict(zip(column.values, pairs, strict=True))
        empty = not rows.any() and not (column.declared and column.values)
        return cls(called, partition, values, empty, column.declared, column.ordered)

    def merged(self, other: ColumnNote) -> ColumnNote:
        """Note what both hold; `other` comes after this one."""
        if self.empty or other.empty:
            return other if self.empty else self
        if self.values is None and other.values is None:
            return self
        if _meaning(self) != _meaning(other):
            raise ValueError(
                f"{self.called} holds {_meaning(self)} in partition {self.partition} and "
                f"{_meaning(other)} in partition {other.partition}; convert it to one type"
            )
        mine, others = self.values or {}, other.values or {}
        if self.ordered and list(mine) != list(others):
            raise ValueError(
                f"{self.called} has its categories in one order in partition {self.partition} and "
                f"in another in partition {other.partition}: {list(mine)} and {list(others)}; give "
                "all partitions the same data type"
            )
        values = dict(mine)
        for value, (rows, counted) in others.items():
            before = values.get(value, (0, 0))
            values[value] = before[0] + rows, before[1] + counted
        if len(values) > MOST_CATEGORIES:
            raise ValueError(
                f"{self.called} has more than {MOST_CATEGORIES} categories; leave it out, or group "
                "its categories"
            )
        declared = self.declared and other.declared
        return self._replace(values=values, declared=declared)

    def kind(self) -> Kind:
        """Return what the numbers of the column mean."""
        if self.values is None:
            return Kind()
        counted = [counted for _, counted in self.values.values()]
        known = known_categories(list(self.values), counted, self.declared, self.ordered)
        return Kind(known, self.ordered)

    def require_no_hidden_numbers(self) -> None:
        """Refuse text that a frame as a whole would have read as numbers or dates."""
        if self.values and not self.declared:
            found = texts_are(list(self.values))
            if found is not None:
                raise ValueError(
                    f"{self.called} holds {found} as text, which partitions do not read: convert "
                    "the column to numbers, or make it of type category"
                )

    def has_many_categories(self, categorical_features: Any) -> bool:
        """Tell whether it has too many categories that the caller does not confirm."""
        if self.values is None or self.ordered or is_confirmed(categorical_features):
            return False
        counted = [counted for _, counted in self.values.values()]
        return has_many_categories(sum(map(bool, counted)), sum(counted))


def _meaning(note: ColumnNote) -> str:
    """Say what the values are, for comparison and for messages."""
    if note.values is None:
        return "numbers"
    if note.ordered:
        return "ordered categories"
    is_boolean = note.declared and list(note.values) == ["false", "true"]
    return "booleans" if is_boolean else "categories"


class Notes(NamedTuple):
    """What partitions hold."""

    n_rows: int
    columns: list[ColumnNote]
    labels: NDArray[Any]
    """The distinct labels, sorted."""
    partition: int
    """The first that has rows."""

    def merged(self, other: Notes) -> Notes:
        """Note what both hold; `other` comes after this one."""
        columns = [
            one.merged(another) for one, another in zip(self.columns, other.columns, strict=True)
        ]
        if not self.n_rows or not other.n_rows:
            some = other if not self.n_rows else self
            return some._replace(columns=columns)
        kinds = _kind_of_labels(self.labels), _kind_of_labels(other.labels)
        if kinds[0] != kinds[1]:
            raise ValueError(
                f"the labels are {kinds[0]} in partition {self.partition} and {kinds[1]} in "
                f"partition {other.partition}; convert them all to one type"
            )
        labels, _ = _labels.encode(np.concatenate([self.labels, other.labels]))
        return Notes(self.n_rows + other.n_rows, columns, labels, self.partition)


def _kind_of_labels(labels: NDArray[Any]) -> str:
    kinds = {"b": "booleans", "i": "numbers", "u": "numbers", "f": "numbers", "U": "text"}
    return kinds.get(labels.dtype.kind, "text" if isinstance(labels[0], str) else "objects")


def merge_notes(notes: Sequence[Notes]) -> Notes:
    """Merge the notes of several partitions, in their order."""
    return reduce(Notes.merged, notes)


class Agreement(NamedTuple):
    """What labels and columns mean in all partitions."""

    classes: NDArray[Any]
    feature_names: list[str] | None
    kinds: list[Kind]


def agree(notes: Notes, feature_names: list[str] | None, categorical_features: Any) -> Agreement:
    """Give numbers to the classes and categories of all partitions."""
    classes = notes.labels
    _labels.check(classes)
    names = _labels.to_names(classes)
    warn_of_target(target_doubt_of_totals(len(classes), notes.n_rows), names)
    if isinstance(categorical_features, str):
        for note in notes.columns:
            note.require_no_hidden_numbers()
    columns = enumerate(notes.columns)
    many = [index for index, note in columns if note.has_many_categories(categorical_features)]
    warn_of_columns("many_categories", many, feature_names)
    return Agreement(classes, feature_names, [column.kind() for column in notes.columns])


def renumbered(codes: NDArray[np.float64], values: list[Any], known: list[str]) -> NDArray[Any]:
    """Turn positions in a partition's `values` into those in the categories of all."""
    positions = np.where(np.isnan(codes), -1, codes).astype(np.intp)
    return looked_up(ids_among(known, values), positions)
