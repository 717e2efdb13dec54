"""Training rows as the library takes them, and warnings about them.

Prediction alone needs this module without scikit-learn, joblib and scipy: what needs them imports
them itself.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._labels import Label
from ._ternwood import data_doubts

if TYPE_CHECKING:
    from ._table import Kind


def thread_count(n_jobs: int | None) -> int:
    """Turn ``n_jobs`` into a number of threads.

    ``None`` means one, as everywhere in scikit-learn, unless somebody said otherwise: joblib's
    ``parallel_config``, or ``OMP_NUM_THREADS``. joblib sets the latter in its worker processes, so
    that a parallel grid search does not start cores times cores threads.
    """
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning; use 1 for one thread, -1 for all cores")
    if n_jobs is not None:
        return int(n_jobs) if n_jobs > 0 else max(1, _cores() + 1 + int(n_jobs))
    import joblib

    configured = int(joblib.effective_n_jobs(None))
    limit = os.environ.get("OMP_NUM_THREADS", "")
    if configured > 1 or not limit.isdecimal():
        return configured
    return max(1, min(_cores(), int(limit)))


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def issparse(X: Any) -> bool:
    """Tell whether X is a sparse matrix of scipy, without importing scipy."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


class LabelledRows(NamedTuple):
    """Rows with their class ids, and their weights if there are any."""

    x: NDArray[np.float64]
    class_ids: NDArray[np.uint32]
    sample_weight: NDArray[np.float64] | None


class TrainingSet(NamedTuple):
    """Training rows, with the names of classes and the names and kinds of features."""

    rows: LabelledRows
    class_names: list[Label]
    feature_names: list[str] | None = None
    kinds: list[Kind] | None = None
    target: str | None = None
    """The name of the labels, if they have one."""


def without_gaps(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a C- or Fortran-contiguous matrix as it is, and a contiguous copy of any other.

    What came over a network may also be out of step with the words of memory.
    """
    contiguous = X.flags.c_contiguous or X.flags.f_contiguous
    return X if contiguous and X.flags.aligned else np.array(X, order="C")


def weights_of(X: NDArray[np.float64], sample_weight: Any) -> NDArray[np.float64] | None:
    """Check the sample weights, if there are any."""
    if sample_weight is None:
        return None
    from sklearn.utils.validation import _check_sample_weight

    weights: NDArray[np.float64] = _check_sample_weight(sample_weight, X, dtype=np.float64)
    return np.require(weights, requirements=["C", "A"])


class DataWarning(UserWarning):
    """A model can be fitted to the training data, but part of the data is not what it seems.

    Unless a warning filter applies, the same warning is shown once per process.
    """


# Python forgets which warnings it has shown whenever filters change, and scikit-learn changes them
# for every score of a search.
_shown: set[str] = set()

_OF_COLUMNS = {
    "row_numbers": (
        "X has row numbers in {columns}, which say nothing about new rows; leave out such columns"
    ),
    "gives_target_away": (
        "a single column tells at least 99.9 % of the labels: {columns}; is it the target in other "
        "words, or known only afterwards? If so, leave it out"
    ),
    "many_categories": (
        "X has more than 1 category per 10 rows in {columns}, so most categories have too few rows "
        "to learn from; leave out such columns, or list them in categorical_features to confirm "
        "them as categories"
    ),
}
_AS_CATEGORIES = (
    "to keep them as categories, make the columns of type category (in pandas "
    "X.astype({{{name!r}: 'category'}}), in polars pl.Categorical), or list them in "
    "categorical_features"
)
_OF_TEXTS = {
    "numbers": f"X has numbers as text in {{columns}}, read as numbers; {_AS_CATEGORIES}",
    "percentages": f"X has percentages as text in {{columns}}, read as numbers; {_AS_CATEGORIES}",
    "dates": f"X has dates as text in {{columns}}, read as dates; {_AS_CATEGORIES}",
    "missing": (
        "X has text that stands for a missing value, such as {value!r}, in {columns}, read as "
        "missing; to keep it as a category, make the columns of type category (in pandas "
        "X.astype({{{name!r}: 'category'}}), in polars pl.Categorical)"
    ),
    "mostly_numbers": (
        "most values in {columns} are numbers, but {value!r} is not, so all are categories; "
        "replace such values by None, and make the columns numbers (in pandas "
        "pandas.to_numeric(X[{name!r}], errors='coerce'))"
    ),
    "mostly_dates": (
        "most values in {columns} look like dates, but {value!r} does not, so all are categories; "
        "replace such values by None, and make the columns dates (in pandas "
        "pandas.to_datetime(X[{name!r}], errors='coerce'))"
    ),
    "like_dates": (
        "{value!r} and all other values in {columns} look like dates, but can be read in several "
        "ways or not without a guess, so they are categories; make the columns dates (in pandas "
        "pandas.to_datetime(X[{name!r}], format=...), with the format {formats})"
    ),
    "like_numbers": (
        "{value!r} and all other values in {columns} look like numbers written in another way, but "
        "are text and so categories; make the columns numbers, for example with decimal=',' or "
        "thousands=',' of pandas.read_csv"
    ),
}
_MOST_NAMES = 8

_ROUND_NUMBERS = [step * 10**power for power in range(1, 10) for step in (1, 2, 5)]

_is_quiet = ContextVar("_is_quiet", default=False)


@contextmanager
def without_data_warnings() -> Iterator[None]:
    """Suppress these warnings while parts of rows are fitted of which all are fitted, too."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


def warn_of_data(data: TrainingSet) -> None:
    """Warn of a doubtful target, and once for each kind of doubt about columns.

    The texts have no counts, so that they are the same for the folds of a search.
    """
    target, features = data_doubts(data)
    warn_of_target(target, data.class_names)
    kinds = data.kinds or []
    confirmed = {index for index, kind in enumerate(kinds) if kind.confirmed}
    for doubt in _OF_COLUMNS:
        found = [index for index, of_column in features if of_column == doubt]
        if doubt == "many_categories":
            found = [index for index in found if index not in confirmed]
        warn_of_columns(doubt, found, data.feature_names)


def warn_of_columns(doubt: str, columns: list[int], names: Sequence[str] | None) -> None:
    """Warn of columns by position, if there are any."""
    if columns:
        called = [str(column) if names is None else repr(names[column]) for column in columns]
        noun = "column" if len(called) == 1 else "columns"
        _warn(_OF_COLUMNS[doubt].format(columns=f"{noun} {_listed(called)}"))


def warn_of_texts(notes: Sequence[tuple[int, str, str, list[str]]], names: Sequence[str]) -> None:
    """Warn once for each kind of note about columns of text: position, kind, value, formats."""
    for kind, text in _OF_TEXTS.items():
        found = [note for note in notes if note[1] == kind]
        if found:
            first, _, value, formats = found[0]
            columns = [repr(names[index]) for index, *_ in found]
            noun = "column" if len(columns) == 1 else "columns"
            _warn(
                text.format(
                    columns=f"{noun} {_listed(columns)}",
                    name=names[first],
                    value=value,
                    formats=" or ".join(map(repr, formats)),
                )
            )


def warn_of_index(X: Any, y: Any) -> None:
    """Warn of labels whose index is not that of the rows: rows and labels go by position."""
    of_rows: Any = getattr(X, "index", None)
    of_labels: Any = getattr(y, "index", None)
    if not (hasattr(of_rows, "equals") and hasattr(of_labels, "equals")) or len(X) != len(y):
        return
    if not of_rows.equals(of_labels):
        _warn(
            "the index of y is not that of X, and rows go with labels by position; align them "
            "with y = y.loc[X.index], or drop both indices with reset_index(drop=True) if the "
            "order is right"
        )


def warn_of_target(doubt: tuple[str, list[int]] | None, classes: Sequence[Label]) -> None:
    """Warn of a target that is doubtful for this reason, if it is."""
    if doubt is None:
        return
    kind, class_ids = doubt
    called = [repr(classes[class_id]) for class_id in class_ids]
    if kind == "one_class":
        _warn(
            f"y has a single class, {called[0]}, so there is nothing to tell apart; add rows of "
            "other classes, or pass another target"
        )
    elif kind == "many_classes":
        at_least = max(number for number in _ROUND_NUMBERS if number < len(classes))
        few_rows = "" if at_least >= 50 else ", with fewer than 10 rows each on average"
        _warn(
            f"y has more than {at_least} classes{few_rows}; is it a number? Group its values into "
            "a few classes first (pandas.qcut does), or pass another target"
        )
    else:
        noun = "class" if len(called) == 1 else "classes"
        _warn(
            f"y has a single row of the {noun} {_listed(called)}, which cannot be both learned "
            "from and tested; add rows, merge the class with another one, or remove the row"
        )


def _listed(names: list[str]) -> str:
    more = ", ..." if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _warn(text: str) -> None:
    """Warn with the place of the first caller outside of this package and scikit-learn."""
    if _is_quiet.get() or (text in _shown and not _is_filtered(text)):
        return
    _shown.add(text)
    frame = sys._getframe()
    while frame.f_back and _package(frame.f_globals) in ("ternwood", "sklearn", "joblib"):
        frame = frame.f_back
    warnings.warn_explicit(text, DataWarning, frame.f_code.co_filename, frame.f_lineno)


def _is_filtered(text: str) -> bool:
    """Tell whether a filter may apply to the warning, such as "error" or "always"."""
    return any(
        issubclass(DataWarning, category) and (message is None or re.match(message, text))
        for _, message, category, *_ in warnings.filters
    )


def _package(module: dict[str, object]) -> str:
    return str(module.get("__name__")).partition(".")[0]
