"""Turn any table into a matrix of numbers, with what the numbers mean.

A number stays a number, a category becomes its position among the known categories, and a missing
value becomes NaN. Numbers in a numpy array or in a pandas frame are left alone: nothing is copied.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _columns
from ._columns import Codes, Column, Names, UnreadableError
from ._input import issparse

_REMEDY = (
    "every value of the argument must be a string, a boolean or a number, or be missing, and a "
    "column must not mix them; convert the column to numbers (a date to days since 1970-01-01, a "
    "time to seconds, as the command does) or to text, or leave it out"
)


class Kind(NamedTuple):
    """What the numbers of a column mean: None for numbers, or positions among categories."""

    categories: list[str] | None = None
    ordered: bool = False
    confirmed: bool = False
    """Whether the caller says that these are categories."""


class Feature(NamedTuple):
    """A feature of a model."""

    name: str
    categories: list[str] | None
    ordered: bool
    fill: float | None


class Table(NamedTuple):
    """The columns of X, and how to read one."""

    names: Sequence[str]
    columns: Sequence[Any]
    from_column: Callable[[Any], Column]
    n_rows: int
    has_dtypes: bool
    """Whether every column has its own data type, as in a data frame."""

    def read(self, index: int) -> Column:
        """Read one column."""
        try:
            return self.from_column(self.columns[index])
        except UnreadableError as problem:
            detail = f" with {problem}" if str(problem) else ""
            raise TypeError(f"{self.called(index)}{detail} cannot be read: {_REMEDY}") from None

    def called(self, index: int) -> str:
        """Describe a column, to start a sentence with."""
        column = self.columns[index]
        dtype = getattr(column, "dtype", None) or column.type
        return f"column {self.names[index]!r} (index {index}, dtype {dtype})"


def table_of(X: Any, *, by_column: bool) -> Table | None:
    """Return the columns of X; None if it is plain numbers, or scikit-learn must judge it.

    With `by_column`, plain numbers are a table too.
    """
    if _is_a(X, "pandas", "Series"):
        raise ValueError(
            "X is a pandas Series, with one dimension, but a table has two; a row of a data frame "
            "stays a table with X.iloc[[0]], and a column with X[['name']]"
        )
    if _is_a(X, "pandas", "DataFrame"):
        plain = all(isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in X.dtypes)
        if plain and not by_column:
            return None
        columns = [X.iloc[:, index] for index in range(X.shape[1])]
        return Table([*map(str, X.columns)], columns, _columns.from_pandas, len(X), True)
    if _is_a(X, "polars", "DataFrame"):
        return Table(X.columns, X.get_columns(), _columns.from_polars, X.height, True)
    if _is_a(X, "pyarrow", "Table"):
        return Table(X.column_names, X.columns, _columns.from_arrow, X.num_rows, True)
    return _table_of_array(X, by_column=by_column)


def _is_a(X: Any, module: str, name: str) -> bool:
    """Tell whether X is of a class, without importing its module."""
    return isinstance(X, getattr(sys.modules.get(module), name, ()))


def _table_of_array(X: Any, *, by_column: bool) -> Table | None:
    if issparse(X) or not isinstance(X, np.ndarray | list | tuple):
        return None
    try:
        array = np.asarray(X)
        if array.dtype.kind in "OU" and not isinstance(X, np.ndarray):
            array = np.array(X, dtype=object)  # numbers among words stay numbers
    except ValueError:  # rows of different lengths
        return None
    kind = array.dtype.kind
    # scikit-learn has its own errors for matrices that are empty or complex.
    if array.ndim != 2 or not array.size or kind == "c" or not (by_column or kind in "OUMm"):
        return None
    names = [f"x{index}" for index in range(array.shape[1])]
    return Table(names, list(array.T), _columns.from_numpy, len(array), False)


def learn(
    table: Table, categorical_features: Any, sample_weight: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], list[Kind]]:
    """Return the numbers of a training table, and what those of each column mean."""
    counts = None if sample_weight is None else sample_weight > 0
    matrix, kinds = _empty(table), []
    for index, column in enumerate(columns_to_learn(table, categorical_features)):
        kind = Kind()
        if isinstance(column, Codes):
            rows = occurring(column, counts)
            known = known_categories(column.values, rows, column.declared, column.ordered)
            kind = Kind(known, column.ordered, is_confirmed(categorical_features))
            ids = ids_among(known, column.values)
            matrix[:, index] = _columns.looked_up(ids, column.codes)
        else:
            matrix[:, index] = column
        kinds.append(kind)
    return matrix, kinds


def columns_to_learn(table: Table, categorical_features: Any) -> Iterator[Column]:
    """Read the columns of a training table: as codes if they are categories, else as numbers."""
    listed = _listed(table, categorical_features)
    for index in range(len(table.names)):
        column = table.read(index)
        is_category = isinstance(column, Codes) and table.has_dtypes
        if listed is not None:
            is_category = listed[index]
        if is_category:
            yield _codes(table, index, column)
            continue
        numbers = _columns.to_numbers(column)
        if numbers is None:
            raise ValueError(_text_in(table, index, column, categorical_features))
        yield numbers


def occurring(column: Codes, counts: NDArray[np.bool_] | None = None) -> NDArray[np.intp]:
    """Return how many rows have each of the values; with `counts`, of the rows that count."""
    codes = column.codes if counts is None else column.codes[counts]
    return np.bincount(codes[codes >= 0], minlength=len(column.values))


def known_categories(
    values: list[Any], rows: ArrayLike, declared: bool, ordered: bool
) -> list[str]:
    """Return the names of the data type's categories, or else of those that have rows.

    They are sorted, unless the data type orders them: pandas numbers them as they come in a file.
    """
    if not declared:
        having = zip(values, np.asarray(rows).tolist(), strict=True)
        values = [value for value, n_rows in having if n_rows]
    if not ordered:
        values = _sorted(values)
    # A dictionary keeps the order and drops repetitions.
    return list(dict.fromkeys(map(_columns.name_of, values)))


def _sorted(values: list[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:  # text and numbers, say
        return sorted(values, key=_columns.name_of)


def ids_among(known: list[str], values: Iterable[Any]) -> Iterator[float]:
    """Return the number of each value; of those unknown, which only rows have that do not count."""
    id_of = {name: float(number) for number, name in enumerate(known)}
    return (id_of.get(_columns.name_of(value), float(len(known))) for value in values)


class Recoded(NamedTuple):
    """A table as a model expects it."""

    matrix: NDArray[np.float64]
    unseen: dict[int, tuple[NDArray[Any], dict[int, str]]]
    """For columns with categories that the model does not know: codes, and names of such."""

    def unseen_in(self, row: int) -> dict[int, str]:
        """Return the names of a row's categories that the model does not know, by feature."""
        coded = ((index, int(codes[row]), names) for index, (codes, names) in self.unseen.items())
        return {index: names[code] for index, code, names in coded if code in names}


def recode(table: Table, features: Sequence[Feature]) -> Recoded:
    """Return a table as a model with these features expects it: categories go by name."""
    recoded = Recoded(_empty(table), {})
    for index, feature in enumerate(features):
        column = table.read(index)
        if feature.categories is None:
            recoded.matrix[:, index] = _numbers_now(table, index, column, feature)
        else:
            _recode_categories(recoded, table, index, column, feature)
    return recoded


def is_confirmed(categorical_features: Any) -> bool:
    """Tell whether the caller says which columns hold categories."""
    return not isinstance(categorical_features, str)


def _empty(table: Table) -> NDArray[np.float64]:
    return np.empty((table.n_rows, len(table.names)), order="F")


def _codes(table: Table, index: int, column: Column) -> Codes:
    """Return a column by category; numbers by value."""
    try:
        return column if isinstance(column, Codes) else _columns.by_value(column)
    except ValueError as problem:
        raise ValueError(f"{table.called(index)} {problem}; replace it, or drop the row") from None


def _numbers_now(table: Table, index: int, column: Column, feature: Feature) -> NDArray[Any]:
    numbers = _columns.to_numbers(column)
    if numbers is None:
        raise ValueError(
            f"{table.called(index)} was a number in training, but now it holds "
            f"{_example(column)}; pass numbers, and None or NaN where they are missing"
        )
    return numbers if feature.fill is None else np.where(np.isnan(numbers), feature.fill, numbers)


def _recode_categories(
    recoded: Recoded, table: Table, index: int, column: Column, feature: Feature
) -> None:
    categories = feature.categories or []
    known = Names(categories)
    codes = _codes(table, index, column)
    if not isinstance(column, Codes) and codes.values and categories and not known.has_numbers():
        raise ValueError(
            f"{table.called(index)} had categories in training, such as {categories[0]!r}, but "
            f"now it holds numbers, such as {codes.values[0]}; pass the categories, not codes"
        )
    missing = np.nan if feature.fill is None else feature.fill
    # A category without a rank is unknown among ordered ones.
    unseen = _columns.UNKNOWN if feature.ordered else float(len(categories))
    names = [_columns.name_of(value) for value in codes.values]
    found = [known.find(name) for name in names]
    ids = (unseen if number is None else float(number) for number in found)
    recoded.matrix[:, index] = _columns.looked_up(ids, codes.codes, missing)
    if None in found:
        occurring = set(np.unique(codes.codes).tolist())
        unknown = {
            code: name
            for code, (name, number) in enumerate(zip(names, found, strict=True))
            if number is None and code in occurring
        }
        if unknown:
            recoded.unseen[index] = codes.codes, unknown


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


def _text_in(table: Table, index: int, column: Column, categorical_features: Any) -> str:
    """Say what to do about a column that should be numbers."""
    if not table.has_dtypes:
        remedy = f"pass a data frame, or categorical_features=[{index}]"
    elif categorical_features is None:
        remedy = "set categorical_features='from_dtype'"
    else:
        remedy = "add it to categorical_features"
    return (
        f"{table.called(index)} holds {_example(column)}, which is no number; {remedy} to use it "
        "as categories, or convert it to numbers"
    )


def _example(column: Column) -> str:
    """Show the first value of a column that is no number."""
    values = column.values if isinstance(column, Codes) else []
    return next((repr(value) for value in values if not isinstance(value, Real)), "text")
