"""The rows of one partition: read, noted, and made into what answers questions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import _check_y

from . import _labels
from ._agreement import Agreement, ColumnNote, Notes, renumbered
from ._labelled_rows import LabelledRows, TrainingSet, without_gaps
from ._table import Codes, columns_to_learn, looked_up, table_of
from ._ternwood import Partition
from ._threads import thread_count


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
    names, kinds = agreement.feature_names, agreement.kinds
    return TrainingSet(labelled, _labels.to_names(agreement.classes), names, kinds)


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
