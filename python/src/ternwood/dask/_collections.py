"""Dask's arrays and frames: their partitions, and predictions of them."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask import delayed
from numpy.typing import NDArray

from .._classifier import TernaryTreeClassifier
from .._partition_rows import in_partition, read_rows

_ONE_FRAME = "pass one frame that holds all of them, as in fit(frame, 'label')"


def check(X: Any, what: str = "X") -> None:
    """Refuse what is not a table of Dask."""
    if isinstance(X, dd.DataFrame):
        return
    if not isinstance(X, da.Array):
        raise TypeError(
            f"{what} must be a dask array or a dask dataframe, got {type(X).__name__}; make one "
            "with dask.array.from_array or dask.dataframe.from_pandas, or use "
            "TernaryTreeClassifier for rows in memory"
        )
    if X.ndim != 2:
        raise ValueError(f"{what} must have rows and columns, but its shape is {X.shape}")


def without_rows(X: Any, taken: list[str]) -> Any:
    """Return an empty table with the columns of X but for those that are `taken`."""
    if isinstance(X, da.Array):
        return np.empty((0, X.shape[1]))
    absent = [name for name in taken if name not in X.columns]
    if absent:
        raise ValueError(
            f"there is no column {absent[0]!r} for labels or weights; the frame has: "
            f"{', '.join(map(str, X.columns))}"
        )
    return X._meta.drop(columns=taken)


def delayed_rows(
    X: Any, y: Any, sample_weight: Any, categorical_features: Any, key: str
) -> list[Any]:
    """Return tasks that read the rows of every partition."""
    parts = {"X": _partitions(X)}
    aside = {"y": y, "sample_weight": sample_weight}
    for name, column in aside.items():
        if column is None or isinstance(column, str):
            parts[name] = [column] * len(parts["X"])
        else:
            parts[name] = _partitions(_as_chunked(X, column, name))
    counts = {name: len(those) for name, those in parts.items()}
    if len(set(counts.values())) > 1:
        found = ", ".join(f"{name} has {count} partitions" for name, count in counts.items())
        raise ValueError(f"{found}; {_ONE_FRAME}, or repartition them alike")
    read = delayed(read_rows, pure=True)
    rows = zip(*parts.values(), strict=True)
    return [
        read(*row, number, categorical_features, dask_key_name=(key, number))
        for number, row in enumerate(rows)
    ]


def _partitions(collection: Any) -> list[Any]:
    """Return the blocks of rows of a collection."""
    if isinstance(collection, da.Array):
        if collection.ndim == 2:
            collection = collection.rechunk({1: -1})
        found: list[Any] = collection.to_delayed().reshape(-1).tolist()
        return found
    return list(collection.to_delayed())


def _as_chunked(X: Any, column: Any, name: str) -> Any:
    """Return an array with the chunks of X, if both are known; all else as it is."""
    if not isinstance(column, da.Array | dd.Series):
        raise TypeError(
            f"{name} must be a dask array or series, or the name of a column of X, got "
            f"{type(column).__name__}; make one with dask.array.from_array(..., chunks=X.chunks[0])"
        )
    if not isinstance(column, da.Array) or not isinstance(X, da.Array):
        return column
    if math.isnan(sum(X.chunks[0])) or math.isnan(sum(column.chunks[0])):
        return column
    if X.shape[0] != column.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows, but {name} has {column.shape[0]}")
    return column.rechunk({0: X.chunks[0]})


# What each method predicts, as the name of a series.
_SERIES = {"predict": "prediction", "predict_verdict": "verdict"}


def predicted(X: Any, clf: TernaryTreeClassifier, method: str) -> Any:
    """Predict every partition when it is needed.

    The prediction of an array is an array; that of a frame has its index.
    """
    # One task holds the model: workers get it once each, not with every partition.
    digest = hashlib.sha256(clf._file()).hexdigest()
    model = delayed(clf, name=f"ternwood_model-{digest}-{clf.n_jobs}")
    empty = _of_no_rows(clf, method)
    if isinstance(X, dd.DataFrame):
        meta = _framed(X._meta, clf, method, empty)
        return X.map_partitions(ternwood_predict, model, method, meta=meta)
    columns: dict[str, Any] = {"drop_axis": 1}
    if method == "predict_proba":
        columns = {"chunks": (X.chunks[0], (len(clf.classes_),))}
    blocks = X.rechunk({1: -1})
    return da.map_blocks(
        _of_block, blocks, model, method, meta=empty, token="ternwood_predict", **columns
    )


def _of_block(
    X: Any, clf: TernaryTreeClassifier, method: str, block_info: Any = None
) -> NDArray[Any]:
    return _rows_of(X, clf, method, block_info[0]["chunk-location"][0])


# Dask names the tasks of a frame after the function.
def ternwood_predict(
    X: Any, clf: TernaryTreeClassifier, method: str, partition_info: Any = None
) -> Any:
    """Predict the rows of a partition."""
    return _framed(X, clf, method, _rows_of(X, clf, method, partition_info["number"]))


def _rows_of(X: Any, clf: TernaryTreeClassifier, method: str, number: int) -> NDArray[Any]:
    with in_partition(number):
        rows: NDArray[Any] = getattr(clf, method)(X) if len(X) else _of_no_rows(clf, method)
        return rows


def _of_no_rows(clf: TernaryTreeClassifier, method: str) -> NDArray[Any]:
    if method == "predict_proba":
        return np.empty((0, len(clf.classes_)))
    return np.empty(0, dtype=np.bool_ if method == "predict_verdict" else clf.classes_.dtype)


def _framed(X: Any, clf: TernaryTreeClassifier, method: str, rows: NDArray[Any]) -> Any:
    """Give predictions the index of a frame."""
    if method == "predict_proba":
        return pd.DataFrame(rows, index=X.index, columns=clf.classes_.tolist())
    return pd.Series(rows, index=X.index, name=_SERIES[method])
