"""Folds for classifiers of any kind: by what rows hold, not by where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ._table import Codes, LooseColumn, columns_of, looked_up
from ._ternwood import stratified_folds

# The ways in which an object becomes text.
_IN_WORDS = ("__str__", "__repr__")
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def stratified(
    X: Any, class_ids: NDArray[np.uint32], weights: NDArray[np.float64] | None, n_folds: int
) -> list[Fold]:
    """Return training and test rows of stratified folds that do not depend on the order of rows.

    Rows of weight 0 are in no test set. Where X is neither an array nor a frame, rows are shuffled,
    always in the same way.
    """
    counted = np.arange(len(class_ids)) if weights is None else np.flatnonzero(weights)
    if len(counted) < n_folds:
        raise ValueError(
            f"cv={n_folds} needs that many rows, and there are n_samples={len(counted)}: give more "
            "rows or a smaller cv"
        )
    held = contents(X)
    held = held if held is None else np.ascontiguousarray(held[counted])
    of_counted = None if weights is None or (weights < 0).any() else weights[counted]
    found = stratified_folds(held, class_ids[counted], of_counted, n_folds)
    of_rows = np.full(len(class_ids), n_folds, dtype=np.uint32)
    of_rows[counted] = found
    return [(np.flatnonzero(of_rows != i), np.flatnonzero(of_rows == i)) for i in range(n_folds)]


def contents(X: Any) -> NDArray[np.float64] | None:
    """Return finite numbers or NaN, in which two rows are equal if they hold the same.

    None if X is neither an array nor a frame, or holds objects that cannot be compared.
    """
    if isinstance(X, np.ndarray) and X.ndim > 1 and X.dtype.kind in "biuf":
        return _finite(X.reshape(len(X), -1))
    table = _table(X)
    if not table:
        return None
    columns = [_numbers(column) for column in table]
    known = [column for column in columns if column is not None]
    return _finite(np.column_stack(known)) if len(known) == len(columns) else None


def _finite(numbers: NDArray[Any]) -> NDArray[np.float64]:
    numbers = np.asarray(numbers, dtype=np.float64)
    return np.nan_to_num(numbers, nan=np.nan) if np.isinf(numbers).any() else numbers


def _table(X: Any) -> list[LooseColumn] | None:
    """Return the columns of X: one if it is a list of texts."""
    if issparse(X):
        return None
    if np.ndim(X) == 1 if isinstance(X, np.ndarray) else getattr(X, "ndim", None) == 1:
        X = np.asarray(X)[:, None]  # a series
    elif isinstance(X, list | tuple) and all(isinstance(row, str) for row in X):
        X = np.array(X, dtype=object)[:, None]
    elif not isinstance(X, list | tuple | np.ndarray) and columns_of(X) is None:
        try:
            X = np.asarray(X)  # a tensor, say
        except (TypeError, ValueError, RuntimeError):
            return None
    return columns_of(X)


def _numbers(loose: LooseColumn) -> NDArray[Any] | None:
    """Return a number for every row of a column; None if its values cannot be compared."""
    column = loose.column
    if column is None:
        values = np.asarray(loose.values)
        if values.dtype.kind in "mM":
            return np.asarray(values.astype(np.int64))
        values = values.tolist()
        if any(_is_anonymous(value) for value in values):
            return None
        return np.asarray(np.unique([str(value) for value in values], return_inverse=True)[1])
    if not isinstance(column, Codes):
        return np.asarray(column)
    # Categories may be numbered as they come: their names are not.
    rank = {name: float(number) for number, name in enumerate(sorted(column.values))}
    return looked_up((rank[name] for name in column.values), column.codes)


def _is_anonymous(value: Any) -> bool:
    """Tell whether an object shows where it is in memory, and not what it holds."""
    return all(getattr(type(value), name) is getattr(object, name) for name in _IN_WORDS)
