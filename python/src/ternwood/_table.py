"""Data frames and arrays of objects, which the extension module reads and encodes as it does files.

Frames get there as Arrow streams. The columns of pandas that are no Arrow arrays get there as numpy
arrays, so that pandas needs no pyarrow. A matrix of numbers needs no encoding: nothing is copied.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._input import issparse, warn_of_texts
from ._labels import is_missing
from ._ternwood import Frame, Model, Unseen, sorted_categories

_REMEDY = (
    "every value of the argument must be a string, a boolean, a number or a date, or be missing, "
    "and a column must not mix them; convert the column to one of these, or leave it out"
)
# From here on, different integers may be the same float.
_INEXACT = 2.0**53


class Kind(NamedTuple):
    """What the numbers of a column mean: None for numbers, or positions among categories."""

    categories: list[str] | None = None
    ordered: bool = False
    confirmed: bool = False
    """Whether the caller says that these are categories."""
    notation: str | None = None
    """How the numbers are written, as JSON; None for plain numbers."""


class Feature(NamedTuple):
    """A feature of a model."""

    name: str
    categories: list[str] | None
    ordered: bool
    fill: float | None


class Codes(NamedTuple):
    """A column of categories."""

    codes: NDArray[Any]
    """The position of every row's category in `values`; -1 where it is missing."""
    values: list[str]
    declared: bool = False
    """Whether the categories are those of the data type, in its order."""
    ordered: bool = False


# Numbers, NaN where missing; or categories.
Column = NDArray[Any] | Codes


class Table(NamedTuple):
    """The columns of X."""

    frame: Frame
    names: Sequence[str]
    n_rows: int
    has_dtypes: bool
    """Whether every column has its own data type, as in a data frame."""

    def read(self, index: int, how: str = "infer", remedy: str = "") -> Column:
        """Read one column by its type: strings are categories."""
        column = self.frame.column(index, how, remedy)
        return Codes(*column) if isinstance(column, tuple) else column


def table_of(X: Any, *, by_column: bool) -> Table | None:
    """Return the columns of X; None if it is plain numbers, or scikit-learn must judge it.

    With `by_column`, plain numbers are a table too.
    """
    if _is_a(X, "pandas", "Series"):
        raise ValueError(
            "X is a pandas Series, with one dimension, but a table has two; a row of a data frame "
            "stays a table with X.iloc[[0]], and a column with X[['name']]"
        )
    if _is_a(X, "polars", "LazyFrame"):
        raise TypeError("X is a polars LazyFrame, which has no rows yet; pass X.collect()")
    if _is_a(X, "pandas", "DataFrame"):
        _require_distinct(X.columns)
        plain = all(isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in X.dtypes)
        return None if plain and not by_column else _of_pandas(X)
    if hasattr(X, "__arrow_c_stream__"):
        return _of_arrow(X)
    return _of_array(X, by_column=by_column)


def as_frame(X: Any) -> Any:
    """Return X as something of which scikit-learn knows names and shape."""
    known = isinstance(X, np.ndarray) or hasattr(X, "iloc") or _is_a(X, "polars", "DataFrame")
    if known or not hasattr(X, "__arrow_c_stream__") or _is_a(X, "pyarrow", "Table"):
        return X
    try:
        import pyarrow as pa
    except ImportError:
        raise TypeError(
            f"X is a {type(X).__name__}, whose rows are read with pyarrow: pip install pyarrow, or "
            "pass a polars frame"
        ) from None
    return pa.table(X)


def _is_a(X: Any, module: str, name: str) -> bool:
    """Tell whether X is of a class, without importing its module."""
    return isinstance(X, getattr(sys.modules.get(module), name, ()))


def _require_distinct(names: Iterable[Any]) -> None:
    """Refuse names that several columns have."""
    position: dict[str, int] = {}
    for index, name in enumerate(map(str, names)):
        if name in position:
            raise ValueError(
                f"X has two columns named {name!r}, at positions {position[name]} and {index}; "
                "rename or drop one of them"
            )
        position[name] = index


def _called(name: str, index: int, dtype: Any) -> str:
    return f"column {name!r} (index {index}, dtype {dtype})"


def _of_arrow(X: Any) -> Table:
    """Read polars frames, pyarrow tables and whatever else is an Arrow stream."""
    dtypes: list[str] = []
    enumerated: set[str] = set()
    if _is_a(X, "polars", "DataFrame"):
        import polars as pl

        dtypes = [*map(str, X.dtypes)]
        # Polars exports columns without a type and very large integers as types of its own.
        large = [name for name, dtype in X.schema.items() if str(dtype).endswith("Int128")]
        X = X.with_columns(pl.col(pl.Null).cast(pl.String), pl.col(large).cast(pl.Float64))
        enumerated = {name for name, dtype in X.schema.items() if isinstance(dtype, pl.Enum)}
    elif _is_a(X, "pyarrow", "Table"):
        dtypes = [*map(str, X.schema.types)]
        _require_distinct(X.schema.names)
    frame = Frame(X, dtypes, enumerated=enumerated)
    names = frame.names()
    _require_distinct(names)
    return Table(frame, names, len(frame), True)


def _of_pandas(X: Any) -> Table:
    names, dtypes = [*map(str, X.columns)], [*map(str, X.dtypes)]
    loose, in_arrow = [], []
    for index, (name, dtype) in enumerate(zip(names, X.dtypes, strict=True)):
        if hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow":
            in_arrow.append(index)
        else:
            called = _called(name, index, dtype)
            loose.append((index, name, _pandas_column(X.iloc[:, index], called)))
    stream = None
    if in_arrow:
        import pyarrow as pa  # which holds these columns

        columns = [pa.array(X.iloc[:, index].array) for index in in_arrow]
        stream = pa.table(columns, [names[index] for index in in_arrow])
    return Table(Frame(stream, dtypes, loose=loose), names, len(X), True)


def _pandas_column(column: Any, called: str) -> Any:
    """Return a column of pandas' own types as the extension module takes it."""
    dtype = column.dtype
    if str(dtype).startswith("Sparse"):
        return np.asarray(column, dtype=np.float64)
    if dtype.name == "category":
        values, what = _category_values(dtype.categories), "ordered" if dtype.ordered else "all"
        return column.cat.codes.to_numpy(), values, what
    if dtype.kind == "M":
        column = column if isinstance(dtype, np.dtype) else column.dt.tz_convert(None)
        return _times(column.to_numpy())
    if dtype.kind == "m":
        return _times(column.to_numpy())
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return _numbers(column.to_numpy())
    if dtype.kind == "b":
        return column.to_numpy(np.int8, na_value=-1), np.array([False, True]), "all"
    if dtype.kind in "iuf":
        if column.isna().any():
            return column.to_numpy(np.float64, na_value=np.nan)
        return _numbers(column.to_numpy(dtype.numpy_dtype))
    if dtype.name.startswith("str"):
        return _texts(column)
    if dtype != np.dtype(object):
        raise TypeError(f"{called} cannot be read: {_REMEDY}")
    return _pandas_objects(column, called)


def _pandas_objects(column: Any, called: str) -> Any:
    from pandas import to_datetime, to_timedelta
    from pandas.api.types import infer_dtype

    kind = infer_dtype(column, skipna=True)
    if kind in ("string", "empty"):
        return _texts(column)
    if kind in ("date", "datetime", "datetime64"):
        return _times(to_datetime(column, utc=True).dt.tz_convert(None).to_numpy())
    if kind in ("timedelta", "timedelta64"):
        return _times(to_timedelta(column).to_numpy())
    return _objects(column.tolist(), called)


def _texts(column: Any) -> Any:
    codes, values = column.factorize()
    return codes.astype(np.int32), values.tolist(), "texts"


def _times(values: NDArray[Any]) -> Any:
    """Return dates, times or durations as the extension module takes them."""
    return values.view(np.int64), values.dtype.kind, np.datetime_data(values.dtype)[0]


def _category_values(categories: Any) -> Any:
    """Return what the categories of a type are."""
    if isinstance(categories.dtype, np.dtype) and categories.dtype.kind in "biuf":
        return _numbers(categories.to_numpy())
    return [name_of(value) for value in categories.tolist()]


def _numbers(values: NDArray[Any]) -> Any:
    """Return numbers or booleans as the extension module takes them."""
    kind = values.dtype.kind
    if kind == "b":
        return values
    if kind == "f":
        return values.astype(np.float64, copy=False)
    if kind == "u" and values.size and values.max() > np.iinfo(np.int64).max:
        return values.astype(np.float64)
    return values.astype(np.int64, copy=False)


def _objects(rows: list[Any], called: str) -> Any:
    """Return values of which all are text, all booleans or all numbers."""
    values = [None if is_missing(value) else value for value in rows]
    kinds = {type(value) for value in values} - {type(None)}
    if all(issubclass(kind, str) for kind in kinds):
        return [None if value is None else str(value) for value in values]
    if all(issubclass(kind, bool | np.bool_) for kind in kinds):
        codes = np.array([-1 if value is None else int(value) for value in values], dtype=np.int8)
        return codes, np.array([False, True]), "all"
    if any(issubclass(kind, bool) or not issubclass(kind, Real | Decimal) for kind in kinds):
        found = ", ".join(sorted({type(value).__name__ for value in values if value is not None}))
        raise TypeError(f"{called} with values of type {found} cannot be read: {_REMEDY}")
    present = [value for value in values if value is not None]
    if kinds <= {int} and len(present) == len(values) and all(abs(it) < 2**63 for it in present):
        return np.array(present, dtype=np.int64)
    return np.array([np.nan if value is None else float(value) for value in values])


def _two_dimensional(X: Any) -> NDArray[Any] | None:
    if issparse(X) or not isinstance(X, np.ndarray | list | tuple):
        return None
    try:
        array = np.asarray(X)
        if array.dtype.kind in "OU" and not isinstance(X, np.ndarray):
            array = np.array(X, dtype=object)  # numbers among words stay numbers
    except ValueError:  # rows of different lengths
        return None
    # scikit-learn has its own errors for matrices that are empty or complex.
    return None if array.ndim != 2 or not array.size or array.dtype.kind == "c" else array


def _of_array(X: Any, *, by_column: bool) -> Table | None:
    array = _two_dimensional(X)
    if array is None or not (by_column or array.dtype.kind in "OUMm"):
        return None
    kind = array.dtype.kind
    names = [f"x{index}" for index in range(array.shape[1])]
    loose = []
    for index, (name, column) in enumerate(zip(names, array.T, strict=True)):
        called = _called(name, index, array.dtype)
        if kind in "biuf":
            # The columns of an array have no types of their own: booleans are numbers.
            values = _numbers(column if kind != "b" else column.astype(np.int64))
        elif kind in "OU":
            values = _objects(column.tolist(), called)
        else:
            raise TypeError(f"{called} cannot be read: pass dates in a data frame")
        loose.append((index, name, values))
    frame = Frame(None, [str(array.dtype)] * len(names), loose=loose)
    return Table(frame, names, len(array), False)


class LooseColumn(NamedTuple):
    """A column of X that a model of any kind may understand."""

    name: str
    values: Any
    """The column as it was given."""
    column: Column | None
    """The column as a tree reads it; None if it cannot."""
    categories: Codes | None
    """The same as categories by value."""


def columns_of(X: Any) -> list[LooseColumn] | None:
    """Return the columns of X, whatever they hold; None if X is no table."""
    if _is_a(X, "pandas", "DataFrame"):
        parts = [(str(name), X.iloc[:, it], X.iloc[:, [it]]) for it, name in enumerate(X.columns)]
    elif _is_a(X, "polars", "DataFrame"):
        parts = [(name, X[name], X.select(name)) for name in X.columns]
    elif _is_a(X, "pyarrow", "Table"):
        parts = [(name, X.column(it), X.select([it])) for it, name in enumerate(X.column_names)]
    else:
        array = _two_dimensional(X)
        if array is None:
            return None
        parts = [(f"x{it}", column, column[:, None]) for it, column in enumerate(array.T)]
    return [_loose_column(*part) for part in parts]


def _loose_column(name: str, values: Any, part: Any) -> LooseColumn:
    try:
        table = table_of(part, by_column=True)
        if table is None:
            return LooseColumn(name, values, None, None)
        column = table.read(0)
        codes = column if isinstance(column, Codes) else table.read(0, "categories")
    except (TypeError, ValueError):  # dates, lists: they are for the classifier to understand
        return LooseColumn(name, values, None, None)
    if not table.has_dtypes and isinstance(column, Codes) and column.values == ["false", "true"]:
        column = looked_up([0, 1], column.codes)
    return LooseColumn(name, values, column, codes if isinstance(codes, Codes) else None)


def learn(
    table: Table, categorical_features: Any, weights: NDArray[np.float64] | None, threads: int
) -> tuple[NDArray[np.float64], list[Kind]]:
    """Return the numbers of a training table, and what those of each column mean."""
    how = _how_to_read(table, categorical_features)
    remedies = [_remedy(table, index, categorical_features) for index in range(len(how))]
    matrix, kinds, notes = table.frame.learn(how, weights, remedies, threads)
    warn_of_texts(notes, table.names)
    return matrix, [Kind(*kind) for kind in kinds]


def columns_to_learn(table: Table, categorical_features: Any) -> Iterator[Column]:
    """Read the columns of a training table by their types: strings are categories."""
    for index, how in enumerate(_how_to_read(table, categorical_features)):
        yield table.read(index, how, _remedy(table, index, categorical_features))


def _how_to_read(table: Table, categorical_features: Any) -> list[str]:
    listed = _listed(table, categorical_features)
    if listed is None:
        return ["infer" if table.has_dtypes else "number"] * len(table.names)
    return ["categories" if is_category else "number" for is_category in listed]


def occurring(column: Codes, counts: NDArray[np.bool_] | None = None) -> NDArray[np.intp]:
    """Return how many rows have each of the values; with `counts`, of the rows that count."""
    codes = column.codes if counts is None else column.codes[counts]
    return np.bincount(codes[codes >= 0], minlength=len(column.values))


def known_categories(
    values: list[str], rows: ArrayLike, declared: bool, ordered: bool
) -> list[str]:
    """Return the names of the data type's categories, or else of those that have rows.

    They are sorted, unless the data type orders them: pandas numbers them as they come in a file.
    """
    if not declared:
        having = zip(values, np.asarray(rows).tolist(), strict=True)
        values = [value for value, n_rows in having if n_rows]
    return values if ordered else sorted_categories(values)


def ids_among(known: list[str], values: Iterable[str]) -> Iterator[float]:
    """Return the number of each value; of those unknown, which only rows have that do not count."""
    id_of = {name: float(number) for number, name in enumerate(known)}
    return (id_of.get(value, float(len(known))) for value in values)


def looked_up(
    values: Iterable[float], codes: NDArray[Any], missing: float = np.nan
) -> NDArray[np.float64]:
    """Replace codes by their values, and -1 by `missing`."""
    found: NDArray[np.float64] = np.array([*values, missing], dtype=np.float64)[codes]
    return found


class Recoded(NamedTuple):
    """A table as a model expects it."""

    matrix: NDArray[np.float64]
    unseen: Unseen | None
    """The categories that the model does not know."""

    def unseen_in(self, row: int) -> dict[int, str]:
        """Return the names of a row's categories that the model does not know, by feature."""
        return {} if self.unseen is None else self.unseen.in_row(row)


def recode(table: Table, model: Model, threads: int) -> Recoded:
    """Return a table as a model expects it: categories go by name."""
    return Recoded(*model.encode(table.frame, threads))


def is_confirmed(categorical_features: Any) -> bool:
    """Tell whether the caller says which columns hold categories."""
    return not isinstance(categorical_features, str)


def name_of(value: Any) -> str:
    """Return the name of a category: 1 and 1.0 are the same; booleans are named as in files."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _INEXACT:
        return str(int(value))
    return str(value)


def _listed(table: Table, categorical_features: Any) -> list[bool] | None:
    """Return which columns are categories, if `categorical_features` says so."""
    if categorical_features is None:
        return [False] * len(table.names)
    if isinstance(categorical_features, str):  # "from_dtype"
        return None
    listed = np.asarray(categorical_features)
    n_columns = len(table.names)
    if listed.ndim != 1:
        raise ValueError("categorical_features must have one dimension")
    if listed.dtype.kind == "b":
        if len(listed) != n_columns:
            raise ValueError(
                f"categorical_features is a mask of {len(listed)} columns, but X has {n_columns}"
            )
        return [bool(is_category) for is_category in listed]
    if listed.dtype.kind in "iu" or not listed.size:
        outside = [index for index in listed.tolist() if not 0 <= index < n_columns]
        if outside:
            raise ValueError(
                f"categorical_features has the position {outside[0]}, but X has {n_columns} columns"
            )
        positions = set(listed.tolist())
    else:
        positions = {_position(table, name) for name in listed.tolist()}
    return [index in positions for index in range(n_columns)]


def _position(table: Table, name: Any) -> int:
    if not isinstance(name, str):
        raise ValueError(
            "categorical_features must be a mask of booleans, positions or names of columns, "
            f"got {name!r}"
        )
    if not table.has_dtypes:
        raise ValueError(
            f"categorical_features has the name {name!r}, but the columns of an array have no "
            "names; give their positions, or pass a data frame"
        )
    if name not in table.names:
        raise ValueError(
            f"categorical_features has {name!r}, but X has no such column; it has: "
            f"{', '.join(table.names)}"
        )
    return list(table.names).index(name)


def _remedy(table: Table, index: int, categorical_features: Any) -> str:
    """Say how text becomes categories in a column that should be numbers."""
    if not table.has_dtypes:
        return f"pass a data frame, or categorical_features=[{index}]"
    if categorical_features is None:
        return "set categorical_features='from_dtype'"
    return "add it to categorical_features"
