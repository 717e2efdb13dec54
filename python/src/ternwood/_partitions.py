"""Rows in partitions: read, agreed upon and fitted, for Dask, Spark and other engines.

A partition may lack a class, a category or every value of a column. So each notes what it has, the
notes are merged in the order of the partitions, and only then are labels and categories numbered,
as they would be if all rows were in one table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_array
from sklearn.utils.validation import _check_y

from . import _labels, _params
from ._input import (
    LabelledRows,
    TrainingSet,
    thread_count,
    warn_of_columns,
    warn_of_target,
    without_gaps,
)
from ._params import TrainingLabels
from ._table import (
    Codes,
    Column,
    Kind,
    columns_to_learn,
    ids_among,
    is_confirmed,
    known_categories,
    looked_up,
    occurring,
    table_of,
)
from ._ternwood import (
    Coordinator,
    Model,
    Partition,
    has_many_categories,
    target_doubt_of_totals,
    texts_are,
)
from ._tree import TernaryTreeClassifier

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
    target: str | None = None
    """The name of the labels, if they have one."""


def agree(
    notes: Notes,
    feature_names: list[str] | None,
    categorical_features: Any,
    target: str | None = None,
) -> Agreement:
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
    return Agreement(classes, feature_names, [column.kind() for column in notes.columns], target)


def renumbered(codes: NDArray[np.float64], values: list[Any], known: list[str]) -> NDArray[Any]:
    """Turn positions in a partition's `values` into those in the categories of all."""
    positions = np.where(np.isnan(codes), -1, codes).astype(np.intp)
    return looked_up(ids_among(known, values), positions)


@contextmanager
def in_partition(number: int) -> Iterator[None]:
    """Name the partition in errors: rows in it are counted from 0."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"partition {number}: {error}") from error


class ReadRows(NamedTuple):
    """The rows of a partition, whose labels and categories are numbered for itself alone."""

    number: int
    matrix: NDArray[np.float64]
    label_ids: NDArray[np.uint32]
    weights: NDArray[np.float64] | None
    notes: Notes


def read_rows(X: Any, y: Any, weights: Any, number: int, categorical_features: Any) -> ReadRows:
    """Read the rows of a partition; `y` and `weights` may be names of columns of X."""
    with in_partition(number):
        taken = [name for name in (y, weights) if isinstance(name, str)]
        y = X[y] if isinstance(y, str) else y
        weights = X[weights] if isinstance(weights, str) else weights
        X = X.drop(columns=taken) if taken else X
        _check_lengths(X, y, weights)
        labels, label_ids = _read_labels(y)
        weights = None if weights is None else _read_weights(weights)
        counts = None if weights is None else weights > 0
        matrix, columns = _read_columns(X, number, categorical_features, counts)
        notes = Notes(len(matrix), columns, labels, number)
        return ReadRows(number, matrix, label_ids, weights, notes)


def notes_of(rows: ReadRows) -> Notes:
    """Return what the rows of a partition hold."""
    return rows.notes


def partition_of(rows: ReadRows, agreement: Agreement, n_jobs: int | None) -> Partition:
    """Make a partition of rows, with the classes and categories of all partitions."""
    with in_partition(rows.number):
        matrix = rows.matrix
        coded = [index for index, kind in enumerate(agreement.kinds) if kind.categories is not None]
        if coded:
            matrix = np.array(matrix, order="F")
        for index in coded:
            values = list(rows.notes.columns[index].values or ())
            known = agreement.kinds[index].categories or []
            matrix[:, index] = renumbered(matrix[:, index], values, known)
        class_ids = np.searchsorted(agreement.classes, rows.notes.labels).astype(np.uint32)
        weights = (
            None if rows.weights is None else np.require(rows.weights, requirements=["C", "A"])
        )
        labelled = LabelledRows(without_gaps(matrix), class_ids[rows.label_ids], weights)
        return Partition(_training_set(labelled, agreement), thread_count(n_jobs))


def no_rows(agreement: Agreement) -> TrainingSet:
    """Return what all partitions share: the names of classes, features and categories."""
    rows = LabelledRows(np.empty((0, len(agreement.kinds))), np.empty(0, dtype=np.uint32), None)
    return _training_set(rows, agreement)


def _training_set(labelled: LabelledRows, agreement: Agreement) -> TrainingSet:
    classes = _labels.to_names(agreement.classes)
    names, kinds = agreement.feature_names, agreement.kinds
    return TrainingSet(labelled, classes, names, kinds, agreement.target)


def answer(partition: Partition, number: int, question: bytes, n_jobs: int | None) -> bytes:
    """Return what the rows of a partition answer."""
    with in_partition(number):
        return partition.answer(question, thread_count(n_jobs))


def _check_lengths(X: Any, y: Any, weights: Any) -> None:
    lengths = {"X": len(X), "y": len(y)}
    if weights is not None:
        lengths["sample_weight"] = len(weights)
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} has {n_rows} rows" for name, n_rows in lengths.items())
        raise ValueError(
            f"{found}; pass one frame that holds all of them, as in fit(frame, 'label'), which "
            "cannot fall out of step"
        )


def _read_labels(y: Any) -> tuple[NDArray[Any], NDArray[np.uint32]]:
    try:
        return _labels.encode(_labels.plain(_check_y(y)))
    except (TypeError, ValueError):
        _labels.refuse_missing(y)
        raise


def _read_weights(weights: Any) -> NDArray[np.float64]:
    """Return the weights; the library checks them, and all of a partition may be zero."""
    return np.asarray(weights, dtype=np.float64)


def _read_columns(
    X: Any, number: int, categorical_features: Any, counts: NDArray[np.bool_] | None
) -> tuple[NDArray[np.float64], list[ColumnNote]]:
    """Read X as numbers, and positions of categories among those that the partition has."""
    named = categorical_features is not None and not isinstance(categorical_features, str)
    table = table_of(X, by_column=named)
    if table is None:
        names = [*map(str, getattr(X, "columns", ()))]
        matrix = check_array(X, dtype=np.float64, ensure_all_finite=False, ensure_min_samples=0)
        called = (
            f"column {names[index]!r} (index {index})" if names else f"column {index}"
            for index in range(matrix.shape[1])
        )
        notes = [
            ColumnNote.of(name, number, column, counts)
            for name, column in zip(called, matrix.T, strict=True)
        ]
        return without_gaps(matrix), notes
    matrix, notes = np.empty((table.n_rows, len(table.names)), order="F"), []
    for index, column in enumerate(columns_to_learn(table, categorical_features)):
        if table.frame.is_date(index):
            raise TypeError(
                f"{table.frame.called(index)} holds dates, which partitions do not read: convert "
                "the column to days since 1970-01-01 or to seconds, or leave it out"
            )
        notes.append(ColumnNote.of(table.frame.called(index), number, column, counts))
        if isinstance(column, Codes):
            column = looked_up(range(len(column.values)), column.codes)
        matrix[:, index] = column
    return matrix, notes


def recipe_for(clf: TernaryTreeClassifier, agreement: Agreement) -> str:
    """Return the recipe of a classifier for these classes and features."""
    labels = TrainingLabels(agreement.classes, agreement.classes)
    names = agreement.feature_names or [f"x{index}" for index in range(len(agreement.kinds))]
    return _params.write_recipe(clf, clf._scaled_zone(), labels, names, clf._automatic())


def refuse_unsupported(clf: TernaryTreeClassifier, feature_names: list[str] | None) -> None:
    """Refuse what cannot be fitted in partitions, before anything is computed."""
    kinds = [Kind()] * clf.n_features_in_
    unknown = Agreement(np.array([0, 1]), feature_names, kinds)
    # The classes are not known yet, nor are their weights.
    Coordinator(no_rows(unknown), recipe_for(clone(clf).set_params(class_weight=None), unknown))


def finish(clf: TernaryTreeClassifier, model: Model, agreement: Agreement) -> None:
    """Make a classifier a fitted one."""
    clf._model, clf.classes_ = model.with_uncovered(clf.uncovered), agreement.classes
    clf._warn_of_untested(model.feature_names())
