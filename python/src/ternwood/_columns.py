"""One column of a table of any kind: as numbers, or as codes of categories."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# A number that tests know nothing of: a NaN with bits of its own (`ternwood::UNKNOWN`).
UNKNOWN = np.array([0x7FF8_756E_7265_6164], dtype=np.uint64).view(np.float64)[0]
# From here on, different integers may be the same float.
_INEXACT = 2.0**53
# Numbers as text, without leading zeros: "007" is a name.
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?", re.IGNORECASE)


class Codes(NamedTuple):
    """A column of categories."""

    codes: NDArray[Any]
    """The position of every row's category in `values`; -1 where it is missing."""
    values: list[Any]
    declared: bool = False
    """Whether the categories are those of the data type, in its order."""
    ordered: bool = False


# Numbers in any dtype, NaN where missing; or categories.
Column = NDArray[Any] | Codes


class UnreadableError(TypeError):
    """Why a column is neither numbers nor categories."""


def from_pandas(column: Any) -> Column:
    """Read a pandas Series."""
    import pandas as pd

    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes, values = column.cat.codes.to_numpy(), dtype.categories.tolist()
        return Codes(codes, values, declared=True, ordered=bool(dtype.ordered))
    if isinstance(dtype, pd.ArrowDtype):
        return from_arrow(column.array.__arrow_array__())
    if isinstance(dtype, pd.StringDtype) or dtype == np.dtype(object):
        return _of_distinct(column.factorize, column)
    if isinstance(dtype, np.dtype):
        return from_numpy(column.to_numpy(), bool_is_category=True)
    if dtype.kind in "biuf":
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return _of_booleans(np.nan_to_num(values, nan=-1)) if dtype.kind == "b" else values
    raise UnreadableError


def from_polars(column: Any) -> Column:
    """Read a polars Series."""
    import polars as pl

    dtype = column.dtype
    if dtype.is_integer() and not column.null_count():
        return np.asarray(column.to_numpy())
    if dtype.is_numeric():
        return np.asarray(column.cast(pl.Float64).to_numpy())
    if dtype == pl.Null:
        return _of_nothing(len(column))
    if dtype == pl.Boolean:
        return _of_booleans(column.cast(pl.Int8).fill_null(-1).to_numpy())
    # Other data share the categories of a Categorical: only an Enum has its own.
    declared = isinstance(dtype, pl.Enum)
    if dtype == pl.String or dtype == pl.Categorical:
        column = column.cast(pl.String)
        column = column.cast(pl.Enum(column.drop_nulls().unique().sort()))
    elif not declared:
        raise UnreadableError
    codes = column.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    return Codes(codes, column.dtype.categories.to_list(), declared)


def from_arrow(column: Any) -> Column:
    """Read a pyarrow ChunkedArray."""
    import pyarrow as pa

    dtype, is_ = column.type, pa.types
    if is_.is_integer(dtype) and not column.null_count:
        return np.asarray(column.to_numpy())
    if is_.is_integer(dtype) or is_.is_floating(dtype) or is_.is_decimal(dtype):
        # Like numpy, round integers that are no floats.
        return np.asarray(column.cast(pa.float64(), safe=False).to_numpy())
    if is_.is_null(dtype):
        return _of_nothing(len(column))
    if is_.is_boolean(dtype):
        return _of_booleans(column.cast(pa.int8()).fill_null(-1).to_numpy())
    is_text = is_.is_string(dtype) or is_.is_large_string(dtype) or is_.is_string_view(dtype)
    if not is_text and not is_.is_dictionary(dtype):
        raise UnreadableError
    encoded = column.dictionary_encode() if is_text else column
    encoded = encoded.unify_dictionaries().combine_chunks()
    codes = encoded.indices.cast(pa.int64()).fill_null(-1).to_numpy()
    # A dictionary is a way to store values; only an order makes it part of the type.
    ordered = not is_text and bool(dtype.ordered)
    return _without_gaps(Codes(codes, encoded.dictionary.to_pylist(), ordered, ordered))


def from_numpy(column: NDArray[Any], *, bool_is_category: bool = False) -> Column:
    """Read a column of an array."""
    kind = column.dtype.kind
    if kind == "b" and bool_is_category:
        return _of_booleans(column.astype(np.int8))
    if kind in "biuf":
        return column
    if kind == "U":
        values, codes = np.unique(column, return_inverse=True)
        return Codes(codes, values.tolist())
    if kind == "O":
        rows = column.tolist()
        return _of_distinct(lambda: _factorized(rows), rows)
    raise UnreadableError


def by_value(numbers: NDArray[Any]) -> Codes:
    """Make every distinct number a category."""
    values, codes = np.unique(numbers, return_inverse=True)
    if values.dtype.kind == "f":
        if np.isinf(values).any():
            raise ValueError(f"is infinite in row {np.flatnonzero(np.isinf(numbers))[0]}")
        # NaN is the last of the values.
        codes[codes >= np.count_nonzero(~np.isnan(values))] = -1
        values = values[~np.isnan(values)]
    return Codes(codes, values.tolist())


def to_numbers(column: Column) -> NDArray[Any] | None:
    """Return the numbers of a column; None if it has anything else."""
    if not isinstance(column, Codes):
        return column
    if not all(isinstance(value, Real) for value in column.values):
        return None
    return looked_up(map(float, column.values), column.codes)


def looked_up(
    values: Iterable[float], codes: NDArray[Any], missing: float = np.nan
) -> NDArray[np.float64]:
    """Replace codes by their values, and -1 by `missing`."""
    found: NDArray[np.float64] = np.array([*values, missing], dtype=np.float64)[codes]
    return found


def name_of(value: Any) -> str:
    """Return the name of a category: 1 and 1.0 are the same; booleans are named as in files."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _INEXACT:
        return str(int(value))
    return str(value)


class Names:
    """The categories of a feature, to be found by name.

    Numbers are found by value ("1.0" is "1"), and booleans in any case ("true" is "True"), unless
    there is a category of exactly that name.
    """

    def __init__(self, names: list[str]) -> None:
        self._exact = {name: number for number, name in enumerate(names)}
        self._alike: dict[float | str, int] = {}
        for name, number in self._exact.items():
            key = _meaning(name)
            if key is not None:
                self._alike.setdefault(key, number)

    def find(self, name: str) -> int | None:
        """Return the number of a category; None if there is none like it."""
        found = self._exact.get(name)
        if found is None and self._alike:
            key = _meaning(name)
            found = None if key is None else self._alike.get(key)
        return found

    def has_numbers(self) -> bool:
        """Whether some category is a number."""
        return any(isinstance(key, float) for key in self._alike)


def _meaning(name: str) -> float | str | None:
    """Return the number or the boolean that a name stands for, if any."""
    if _NUMBER.fullmatch(name):
        return float(name)
    return name.lower() if name.lower() in ("true", "false") else None


def _of_booleans(codes: NDArray[Any]) -> Codes:
    return Codes(codes.astype(np.int8), [False, True], declared=True)


def _of_nothing(n_rows: int) -> Codes:
    """Read a column of unknown type, without any value."""
    return Codes(np.full(n_rows, -1), [])


def _factorized(rows: list[Any]) -> tuple[NDArray[Any], Iterable[Any]]:
    """Return codes and distinct values of any type, as pandas does."""
    codes_of: dict[Any, int] = {}
    codes = [codes_of.setdefault(value, len(codes_of)) for value in rows]
    return np.array(codes, dtype=np.int64), codes_of


def _of_distinct(
    factorized: Callable[[], tuple[NDArray[Any], Iterable[Any]]], rows: Iterable[Any]
) -> Column:
    """Read a column by its distinct values: all must be text, all booleans or all numbers."""
    try:
        codes, distinct = factorized()
    except TypeError:  # a list, say, is not hashable
        raise UnreadableError(_types(rows)) from None
    column = _without_gaps(Codes(codes, list(distinct)))
    values = column.values
    if all(isinstance(value, str) for value in values):
        return column
    if all(isinstance(value, bool | np.bool_) for value in values):
        return column._replace(values=[bool(value) for value in values])
    if any(isinstance(value, bool) or not isinstance(value, Real | Decimal) for value in values):
        raise UnreadableError(_types(values))
    return looked_up(map(float, values), column.codes)


def _types(values: Iterable[Any]) -> str:
    return f"values of type {', '.join(sorted({type(value).__name__ for value in values}))}"


def _without_gaps(column: Codes) -> Codes:
    """Give code -1 to values that stand for a missing value."""
    missing = np.array([*map(is_missing, column.values), True])
    if missing.sum() == 1:
        return column
    codes = np.where(missing, -1, np.cumsum(~missing) - 1)[column.codes]
    values = [value for value, gone in zip(column.values, missing, strict=False) if not gone]
    return column._replace(codes=codes, values=values)


def is_missing(value: Any) -> bool:
    """Tell whether a value stands for a missing one: None, NaN, NaT or NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Real) and value != value
