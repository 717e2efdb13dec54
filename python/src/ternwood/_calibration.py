"""Rows that set a verdict, what is asked of it, and what their training table had."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real
from types import FrameType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import (
    assert_all_finite,
    check_consistent_length,
    column_or_1d,
    get_tags,
    indexable,
)
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_method_params, check_is_fitted

from . import _labels, _ternwood
from ._input import without_data_warnings
from ._labels import Label, position, shown
from ._table import Codes, Column, LooseColumn, columns_of, looked_up, occurring
from ._ternwood import USUAL_COST_RATIO, folds_differ, stratified_folds, trade_offs
from .types import RequiredRows, TradeoffTable

_is_quiet = ContextVar("_is_quiet", default=False)


class VerdictWarning(UserWarning):
    """Verdicts work, but will not do what they were asked for."""


@contextmanager
def without_verdict_warnings() -> Iterator[None]:
    """Suppress these warnings while a model is fitted whose verdict is about to be replaced."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


def warn_of_verdict(problems: Iterable[str], stacklevel: int) -> None:
    """Warn of problems, unless a search or a cross-validation fits one of its folds.

    What is fitted to a fold is thrown away. A search warns when it fits the best candidate to all
    rows. The text has no figures, so that fits with the same problem share one text.
    """
    if _is_quiet.get() or _fits_a_fold():
        return
    for problem in problems:
        text = f"{problem} (verdict_policy_.advice and the report have the figures)"
        warnings.warn(text, VerdictWarning, stacklevel=stacklevel + 1)


def _fits_a_fold() -> bool:
    """Tell whether scikit-learn fits and scores on a fold, perhaps through a pipeline."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_globals.get("__name__") == "sklearn.model_selection._validation":
            return True
        frame = frame.f_back
    return False


def has_class_weights(estimator: Any) -> bool:
    """Tell whether a classifier, or a step of a pipeline, has class weights."""
    classifier = unfrozen(estimator)
    steps = [step for _, step in classifier.steps] if isinstance(classifier, Pipeline) else []
    return any(getattr(part, "class_weight", None) is not None for part in (classifier, *steps))


def unfrozen(estimator: Any) -> Any:
    """Return what is inside a ``FrozenEstimator``, or the estimator itself."""
    return estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator


def innermost(estimator: Any) -> Any:
    """Return the classifier at the end of pipelines and searches that answer as it does."""
    while True:
        if isinstance(estimator, FrozenEstimator):
            estimator = estimator.estimator
        elif isinstance(estimator, Pipeline):
            estimator = estimator[-1]
        elif isinstance(estimator, BaseSearchCV):
            estimator = getattr(estimator, "best_estimator_", estimator.estimator)
        else:
            return estimator


def transformed(estimator: Any, X: Any) -> Any:
    """Return X as the innermost classifier of a fitted one sees it."""
    while True:
        if isinstance(estimator, FrozenEstimator):
            estimator = estimator.estimator
        elif isinstance(estimator, Pipeline):
            X = estimator[:-1].transform(X) if len(estimator) > 1 else X
            estimator = estimator[-1]
        elif isinstance(estimator, BaseSearchCV):
            estimator = estimator.best_estimator_
        else:
            return X


# The column with the costs of flags, if no class has that name.
FLAG = "flag"


def cost_matrix(matrix: Any, flag_cost: Any, classes: list[Label]) -> dict[str, Any]:
    """Return the costs of answers by true class, and those of flags."""
    answers, flags = _by_name(matrix, classes) if _is_named(matrix) else _by_place(matrix, classes)
    if flags is None:
        if flag_cost is None:
            raise ValueError(
                "cost_matrix says what answers cost, but not what a flag does: give flag_cost, a "
                "number or one for each class, or a last column of the matrix"
            )
        flags = _flag_costs(flag_cost, classes)
    elif flag_cost is not None:
        raise ValueError(
            f"flag_cost={shown(flag_cost)} and a column of the cost_matrix both say what a flag "
            "costs: leave one of them out"
        )
    wrong = np.argwhere(~np.isfinite(answers))
    if len(wrong):
        truth, answer = wrong[0]
        raise ValueError(
            f"cost_matrix has {answers[truth, answer]} for answering {classes[answer]!r} where "
            f"{classes[truth]!r} is true: give a finite number"
        )
    if not np.isfinite(flags).all():
        truth = int(np.argmin(np.isfinite(flags)))
        raise ValueError(
            f"a flag costs {flags[truth]} where {classes[truth]!r} is true: give a finite number"
        )
    return {"answer": answers.tolist(), "flag": flags.tolist()}


def costs_of_ratio(cost_ratio: float, n_classes: int) -> dict[str, Any]:
    """Return costs of 1 for every wrong answer and `cost_ratio` for every flag."""
    answers = 1.0 - np.eye(n_classes)
    return {"answer": answers.tolist(), "flag": [float(cost_ratio)] * n_classes}


def _is_named(matrix: Any) -> bool:
    return isinstance(matrix, Mapping) or hasattr(matrix, "columns")


Costs = tuple[NDArray[np.float64], NDArray[np.float64] | None]


def _by_place(matrix: Any, classes: list[Label]) -> Costs:
    """Read an array in the order of the classes, perhaps with a last column for flags."""
    n = len(classes)
    try:
        costs = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cost_matrix={shown(matrix)} is not a matrix of numbers") from error
    if costs.shape not in ((n, n), (n, n + 1)):
        raise ValueError(
            f"cost_matrix has shape {costs.shape}, but there are {n} classes, {classes}: give a "
            f"row for each true class and a column for each answer, {n} x {n}, and perhaps a last "
            "column with the cost of a flag"
        )
    return (costs, None) if costs.shape[1] == n else (costs[:, :n], costs[:, n].copy())


def _by_name(matrix: Any, classes: list[Label]) -> Costs:
    """Read a frame or a dict of dicts: rows are true classes, columns answers and perhaps flags."""
    if not isinstance(matrix, Mapping):
        by_column = {column: matrix[column].to_dict() for column in matrix.columns}
        rows: dict[Any, dict[Any, Any]] = {}
        for column, cells in by_column.items():
            for truth, cost in cells.items():
                rows.setdefault(truth, {})[column] = cost
        matrix = rows
    n = len(classes)
    costs = np.full((n, n + 1), np.nan)
    found = np.zeros((n, n + 1), dtype=bool)
    has_flags = False
    for truth, row in matrix.items():
        if not isinstance(row, Mapping):
            raise ValueError(
                f"cost_matrix[{truth!r}] is {shown(row)}: give a dict with the cost of each answer"
            )
        for answer, cost in row.items():
            is_flag = answer == FLAG and FLAG not in classes
            column = n if is_flag else position("cost_matrix", answer, classes)
            has_flags |= is_flag
            place = position("cost_matrix", truth, classes), column
            try:
                costs[place] = cost
            except (TypeError, ValueError) as error:
                raise ValueError(
                    f"cost_matrix[{truth!r}][{answer!r}] is {cost!r}: give a number"
                ) from error
            found[place] = True
    needed = found if has_flags else found[:, :n]
    if not needed.all():
        truth, answer = np.argwhere(~needed)[0]
        what = f"answering {classes[answer]!r}" if answer < n else "a flag"
        raise ValueError(f"cost_matrix has no cost for {what} where {classes[truth]!r} is true")
    return costs[:, :n], costs[:, n].copy() if has_flags else None


def _flag_costs(flag_cost: Any, classes: list[Label]) -> NDArray[np.float64]:
    """Read one cost for all classes, a list in their order, or a dict by class."""
    n = len(classes)
    if hasattr(flag_cost, "to_dict"):  # a series
        flag_cost = flag_cost.to_dict()
    if isinstance(flag_cost, Mapping):
        by_class = {position("flag_cost", key, classes): cost for key, cost in flag_cost.items()}
        missing = next((label for i, label in enumerate(classes) if i not in by_class), None)
        if missing is not None:
            raise ValueError(f"flag_cost has no cost for the class {missing!r}: give one")
        flag_cost = [by_class[class_id] for class_id in range(n)]
    try:
        costs = np.asarray(flag_cost, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"flag_cost={shown(flag_cost)} is no number: give one") from error
    if costs.shape not in ((), (n,)):
        raise ValueError(
            f"flag_cost has shape {costs.shape}: give one number, or one for each of the {n} "
            f"classes {classes}"
        )
    return np.broadcast_to(costs, (n,)).copy()


# Parameters that set a verdict; those in one group go together.
_GROUPS = (
    ("cost_ratio",),
    ("flag_rate",),
    ("accuracy",),
    ("precision", "miss_rate"),
    ("cost_matrix",),
)


def asked_for(parameters: Mapping[str, Any]) -> list[str]:
    """Return the parameters that set the verdict: none, or those of one group."""
    given = [[name for name in group if parameters[name] is not None] for group in _GROUPS]
    given = [group for group in given if group]
    if len(given) > 1:
        names = [name for group in given for name in group]
        found = " and ".join(f"{name}={shown(parameters[name])}" for name in names)
        raise ValueError(
            "give at most one of cost_ratio, flag_rate, accuracy, cost_matrix, and precision with "
            f"miss_rate, got {found}"
        )
    if parameters["catch"] is not None and given != [["flag_rate"]]:
        raise ValueError(
            f"catch={shown(parameters['catch'])} aims a budget of flags at a class, and there is "
            "no budget: give flag_rate=..., the largest share of flagged rows"
        )
    if parameters["flag_cost"] is not None and given != [["cost_matrix"]]:
        raise ValueError(
            f"flag_cost={shown(parameters['flag_cost'])} goes with a cost_matrix, and there is "
            "none: give cost_matrix=..., or the cost of a flag as cost_ratio=..."
        )
    return given[0] if given else []


def wish(parameters: Mapping[str, Any], classes: list[Label]) -> dict[str, Any]:
    """Write what sets the verdict: a rule, or costs."""
    given = asked_for(parameters)
    rule: dict[str, Any]
    confidence = {"confidence": float(parameters["confidence"])}
    match given:
        case ["cost_matrix"]:
            costs = cost_matrix(parameters["cost_matrix"], parameters["flag_cost"], classes)
            return {"costs": costs}
        case ["accuracy"]:
            rule = {"guarantee": {"accuracy": float(parameters["accuracy"])} | confidence}
        case ["flag_rate"]:
            budget: dict[str, Any] = {"flag_rate": float(parameters["flag_rate"])}
            if parameters["catch"] is not None:
                return {"catch": budget | {"class": class_to_catch(parameters["catch"], classes)}}
            rule = {"budget": budget}
        case ["cost_ratio"]:
            rule = {"cost": {"cost_ratio": float(parameters["cost_ratio"])}}
        case []:
            rule = {"cost": {"cost_ratio": USUAL_COST_RATIO}}
        case _:
            lists = {name: of_classes(name, parameters[name], classes) for name in given}
            rule = {"promises": lists | confidence}
    return {"rule": rule}


def class_to_catch(catch: Any, classes: list[Label]) -> int:
    """Return the number of the class that a budget is aimed at."""
    if np.ndim(catch) != 0 or isinstance(catch, Mapping):
        raise ValueError(f"catch={shown(catch)} must be one class, such as {classes[-1]!r}")
    return position("catch", catch, classes)


def of_classes(name: str, promised: Any, classes: list[Label]) -> list[float | None]:
    """Return what is promised of each class; None of those that are not named."""
    if not isinstance(promised, Mapping):
        example = f"{name}={{{classes[-1]!r}: {promised!r}}}"
        raise ValueError(
            f"{name}={promised!r} names no class: give the class it is promised for, such as "
            f"{example}"
        )
    if not promised:
        raise ValueError(f"{name}={{}} promises nothing: name a class, or leave {name} out")
    shares: list[float | None] = [None] * len(classes)
    for key, share in promised.items():
        class_id = position(name, key, classes)
        if shares[class_id] is not None:
            raise ValueError(f"{name} has the class {classes[class_id]!r} twice: keep one of them")
        if isinstance(share, bool) or not isinstance(share, Real) or not 0 < float(share) < 1:
            hint = "; 95 % is 0.95" if isinstance(share, Real) and 1 < float(share) <= 100 else ""
            raise ValueError(
                f"{name}[{key!r}] is {share!r}: it must be a number between 0 and 1, both "
                f"excluded{hint}"
            )
        shares[class_id] = float(share)
    return shares


def required_rows(
    *,
    accuracy: float | None = None,
    precision: Mapping[Any, float] | None = None,
    miss_rate: Mapping[Any, float] | None = None,
    confidence: float = 0.95,
    errors: float = 0.5,
    out_of_bag: bool = False,
) -> list[RequiredRows]:
    """Compute how many calibration rows promises need, before collecting them.

    The promises are those of one :class:`VerdictClassifier`, which hold all together with one
    confidence: each more makes the others need more rows.

    Parameters
    ----------
    accuracy : float, default=None
        A promised accuracy of the decided rows.
    precision, miss_rate : dict, default=None
        Promises class by class, instead.
    confidence : float, default=0.95
        The confidence of all promises together.
    errors : float, default=0.5
        How many errors to expect, as a share of those that are promised as the most: with 0.5 and
        a promised precision of 0.9, one in twenty. With 0 the numbers are those below which no
        promise is possible: the error of a :class:`VerdictClassifier` has the same.
    out_of_bag : bool, default=False
        Whether the rows are out of bag, as with ``cv="oob"``: promises are then tested with half
        of the risk, and need more rows. Rows held out or cross-fitted need the same number.

    Returns
    -------
    list of RequiredRows
        For each promise, how many rows it needs.

    Notes
    -----
    The number is of rows that the verdict decides; undecided rows come on top. It is the number for
    exactly the expected errors: chance may bring more of them, and then more rows are needed.

    Examples
    --------
    >>> from ternwood import required_rows
    >>> for needed in required_rows(precision={"ill": 0.9}, miss_rate={"ill": 0.01}):
    ...     print(needed.promise, needed.rows, needed.counted)
    a precision of 0.9 for class 'ill' 180 calibration rows decided as it
    a miss rate of 0.01 for class 'ill' 1573 calibration rows of it
    """
    given = {
        "accuracy": accuracy,
        "precision": precision,
        "miss_rate": miss_rate,
        "cost_ratio": None,
        "flag_rate": None,
        "catch": None,
        "cost_matrix": None,
        "flag_cost": None,
        "confidence": confidence,
    }
    if accuracy is None and precision is None and miss_rate is None:
        raise ValueError("required_rows needs a promise: an accuracy, a precision or a miss_rate")
    if not 0 <= errors < 1:
        raise ValueError(
            f"errors={errors!r}: it must be from 0 to below 1, as a share of those allowed"
        )
    named = [label for one in (precision, miss_rate) if isinstance(one, Mapping) for label in one]
    classes = list(dict.fromkeys(named)) or ["a class"]
    rule = wish(given, classes)["rule"]
    names = [name if isinstance(name, _labels.Label) else str(name) for name in classes]
    source = "out_of_bag" if out_of_bag else "held_out"
    found = _ternwood.rows_needed(json.dumps(rule), names, float(errors), source)
    return [RequiredRows(*needed) for needed in found]


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


# Numbers as text, without leading zeros: "007" is a name.
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?", re.IGNORECASE)


class Names:
    """The categories of a feature, to be found by name.

    Numbers are found by value ("1.0" is "1"), and booleans in any case ("true" is "True"), unless
    there is a category of exactly that name.
    """

    def __init__(self, names: list[str]) -> None:
        self._exact = set(names)
        self._alike = {_meaning(name) for name in names} - {None}

    def find(self, name: str) -> bool:
        """Tell whether there is a category like this one."""
        return name in self._exact or _meaning(name) in self._alike


def _meaning(name: str) -> float | str | None:
    """Return the number or the boolean that a name stands for, if any."""
    if _NUMBER.fullmatch(name):
        return float(name)
    return name.lower() if name.lower() in ("true", "false") else None


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
        columns = columns_of(X)
        return None if columns is None else cls([_noted(column, counts) for column in columns])

    def uncovered_values(self, X: Any) -> list[UncoveredValues]:
        """Find the values that the training table says nothing about."""
        columns = columns_of(X)
        if columns is None or len(columns) != len(self.columns):
            return []
        by_name = {column.name: column for column in columns}
        names = [column.name for column in self.columns if column is not None]
        are_named = not isinstance(X, np.ndarray) and all(name in by_name for name in names)
        found: list[UncoveredValues] = []
        for known, column in zip(self.columns, columns, strict=True):
            if known is not None:
                found += _uncovered_by(known, by_name[known.name] if are_named else column)
        return found


def _noted(loose: LooseColumn, counts: NDArray[np.bool_] | None) -> _TrainingColumn | None:
    column = loose.column
    if column is None:
        return None
    gaps = _gaps(column)
    had_gaps = bool((gaps if counts is None else gaps[counts]).any())
    if not isinstance(column, Codes):
        return _TrainingColumn(loose.name, had_gaps, None)
    rows = occurring(column, counts)
    names = None
    n_rows = len(gaps) if counts is None else np.count_nonzero(counts)
    if not _ternwood.is_open_column(rows.tolist(), int(n_rows)):
        having = zip(column.values, rows.tolist(), strict=True)
        names = Names([value for value, n_rows in having if n_rows])
    return _TrainingColumn(loose.name, had_gaps, names)


def _uncovered_by(known: _TrainingColumn, loose: LooseColumn) -> list[UncoveredValues]:
    if loose.column is None:
        return []
    problems: dict[str, NDArray[np.bool_]] = {}
    if not known.gaps:
        problems["gap"] = _gaps(loose.column)
    if known.names is not None and loose.categories is not None:
        is_known = [known.names.find(value) for value in loose.categories.values]
        # -1, a gap, is the last.
        problems["new_category"] = ~np.array([*is_known, True])[loose.categories.codes]
    found = [(reason, np.flatnonzero(rows)) for reason, rows in problems.items()]
    return [UncoveredValues(known.name, reason, rows) for reason, rows in found if len(rows)]


def _gaps(column: Column) -> NDArray[np.bool_]:
    if isinstance(column, Codes):
        return np.asarray(column.codes < 0)
    return np.asarray(np.isnan(column))


class CalibrationRows(NamedTuple):
    """Rows by their number in X, with class probabilities and true classes."""

    numbers: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    class_ids: NDArray[np.uint32]
    covered: NDArray[np.bool_]
    """False for rows whose values the training table could not have had."""
    folds: NDArray[np.int64] | None = None
    """The fold that answered each row, if they come from folds."""
    uncovered: list[UncoveredValues] | None = None
    """What makes rows of X uncovered; None if the training table is not known."""

    @classmethod
    def of(
        cls,
        probabilities: NDArray[np.float64],
        class_ids: NDArray[np.uint32],
        numbers: NDArray[np.int64] | None = None,
        folds: NDArray[np.int64] | None = None,
    ) -> CalibrationRows:
        """Take training rows, which are all covered: all rows of X, or those with these numbers."""
        if numbers is None:
            numbers = np.arange(len(class_ids), dtype=np.int64)
        covered = np.ones(len(class_ids), dtype=bool)
        return cls(numbers, probabilities, class_ids, covered, folds, uncovered=[])

    @classmethod
    def held_out(
        cls,
        probabilities: NDArray[np.float64],
        class_ids: NDArray[np.uint32],
        uncovered: list[UncoveredValues] | None,
    ) -> CalibrationRows:
        """Take all rows of X, which are new to the classifier."""
        numbers = np.arange(len(class_ids), dtype=np.int64)
        covered = mask_of_covered(uncovered, len(class_ids))
        return cls(numbers, probabilities, class_ids, covered, uncovered=uncovered)

    def among(self, chosen: NDArray[np.bool_]) -> CalibrationRows:
        """Keep the rows of X that are chosen."""
        kept = chosen[self.numbers]
        folds = None if self.folds is None else self.folds[kept]
        return CalibrationRows(
            self.numbers[kept],
            self.probabilities[kept],
            self.class_ids[kept],
            self.covered[kept],
            folds,
            self.uncovered,
        )

    def count_uncovered(self) -> CountedUncovered | None:
        """Count the uncovered rows; None if the training table is not known."""
        return None if self.uncovered is None else count_uncovered(self.uncovered, self.numbers)

    def doubts_about_folds(self) -> list[tuple[str, str]]:
        """Say so, without and with figures, if folds err more differently than chance allows."""
        if self.folds is None:
            return []
        wrong = self.probabilities.argmax(axis=1) != self.class_ids
        counts = [
            (int(wrong[self.folds == fold].sum()), int((self.folds == fold).sum()))
            for fold in np.unique(self.folds)
        ]
        if not folds_differ(counts):
            return []
        shares = [100 * errors / rows for errors, rows in counts]
        problem = "the folds differ by more than chance"
        figures = f"{min(shares):.0f} % to {max(shares):.0f} % of their rows are answered wrongly"
        remedy = (
            "The rows may be ordered or grouped, and then neither "
            "the threshold nor what it achieves can be expected of new rows; give cv=5, whose "
            "folds do not depend on the order of rows, and keep rows of one group in one fold"
        )
        return [(f"{problem}. {remedy}", f"{problem}: {figures}. {remedy}")]


def checked_labels(y: Any) -> NDArray[Any]:
    """Check class labels; every label of a row is there."""
    try:
        labels = _labels.plain(column_or_1d(y, warn=True))
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
    except (TypeError, ValueError):
        _labels.refuse_missing(y)
        raise
    return labels


def require_probabilities(estimator: Any) -> None:
    """Refuse a fitted estimator without class probabilities.

    Only a fitted one is sure to show what it can do: some decide it in ``fit``.
    """
    if not hasattr(estimator, "predict_proba"):
        name = type(estimator).__name__
        raise TypeError(
            f"VerdictClassifier needs class probabilities, and {name} has no predict_proba; "
            "scikit-learn's CalibratedClassifierCV gives one to any classifier"
        )


def refuse_regressor(estimator: Any) -> None:
    """Refuse an estimator that predicts numbers."""
    if is_regressor(estimator):
        raise TypeError(
            "VerdictClassifier needs a classifier with predict_proba, and this "
            f"{type(estimator).__name__} has no predict_proba, because it is a regressor; take a "
            "classifier, such as TernaryTreeClassifierCV or scikit-learn's LogisticRegression"
        )


def class_probabilities(estimator: Any, X: Any) -> NDArray[np.float64]:
    """Ask a fitted classifier for class probabilities: a column for each of its classes."""
    require_probabilities(estimator)
    answers = np.ascontiguousarray(estimator.predict_proba(X), dtype=np.float64)
    n_classes = len(estimator.classes_)
    if answers.ndim != 2 or answers.shape[1] != n_classes:
        raise ValueError(
            f"predict_proba of {type(estimator).__name__} gives an array of shape "
            f"{answers.shape} instead of a column for each of its {n_classes} classes"
        )
    return answers


def covered_rows(
    estimator: Any, X: Any, n_rows: int, training: TrainingColumns | None
) -> NDArray[np.bool_]:
    """Tell which rows the training table of a fitted classifier says something about.

    A tree or forest of this package knows; of others, `training` has the columns if they are known.
    """
    if hasattr(estimator, "_covered"):
        return np.asarray(estimator._covered(X))
    return mask_of_covered(uncovered_values(estimator, X, training), n_rows)


def uncovered_values(
    estimator: Any, X: Any, training: TrainingColumns | None
) -> list[UncoveredValues] | None:
    """Find the values that the training table of a fitted classifier says nothing about.

    A tree at the end of a pipeline knows the table that the pipeline made of it. None if neither
    the classifier nor `training` knows the table.
    """
    known = [] if training is None else [training.uncovered_values(X)]
    inner = innermost(estimator)
    if hasattr(inner, "_uncovered_values"):
        known.append(inner._uncovered_values(transformed(estimator, X)))
    return [values for found in known for values in found] if known else None


def mask_of_covered(uncovered: list[UncoveredValues] | None, n_rows: int) -> NDArray[np.bool_]:
    """Tell which rows have no uncovered value, as far as is known."""
    covered = np.ones(n_rows, dtype=bool)
    for values in uncovered or []:
        covered[values.rows] = False
    return covered


def held_out(
    estimator: Any, X: Any, y: Any, training: TrainingColumns | None = None
) -> CalibrationRows:
    """Answer rows with a fitted classifier that has not seen them."""
    class_ids = _labels.numbered(checked_labels(y), np.asarray(estimator.classes_))
    probabilities = class_probabilities(estimator, X)
    check_consistent_length(probabilities, class_ids)
    uncovered = uncovered_values(estimator, X, training)
    return CalibrationRows.held_out(probabilities, class_ids, uncovered)


def out_of_bag(estimator: Any, class_ids: NDArray[np.uint32]) -> CalibrationRows:
    """Take what a forest of any kind says of its training rows, by parts that have not seen them.

    Rows that every part has seen are left out: in scikit-learn they are 0, or NaN.
    """
    rows: CalibrationRows | None = getattr(estimator, "_oob_rows", None)
    if rows is not None:
        if len(class_ids) != estimator._n_training_rows or not np.array_equal(
            class_ids[rows.numbers], rows.class_ids
        ):
            raise ValueError(
                "cv='oob' needs the rows that the frozen forest was fitted to, in their order, and "
                f"these {len(class_ids)} labels are others; give cv='prefit' for rows that are new "
                "to it"
            )
        return rows
    probabilities = getattr(estimator, "oob_decision_function_", None)
    if probabilities is None:
        raise ValueError(
            f"cv='oob' needs out-of-bag predictions, and this {type(estimator).__name__} has none "
            f"(n_samples={len(class_ids)}): take a forest with bootstrap=True and oob_score=True, "
            "more rows, or cv=5"
        )
    probabilities = np.ascontiguousarray(probabilities, dtype=np.float64)
    rows = CalibrationRows.of(probabilities, class_ids)
    return rows.among(np.nan_to_num(probabilities).any(axis=1))


def is_fitted(estimator: Any) -> bool:
    """Tell whether a classifier was fitted; no, if it need not be."""
    if not get_tags(estimator).requires_fit:
        return False
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    return True


def require_fit(estimator: Any) -> None:
    """Refuse a classifier that was to be fitted already, and is not."""
    try:
        check_is_fitted(estimator)
    except NotFittedError as error:
        raise NotFittedError(
            f"cv='prefit' needs a fitted classifier, and this {type(estimator).__name__} is "
            "not: fit it first. Clones and searches forget a fit unless the classifier is in "
            "a sklearn.frozen.FrozenEstimator"
        ) from error


def cross_fit(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    folds: Iterable[Fold],
    classes: NDArray[Any],
    fit_params: dict[str, Any],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Answer every row in a fold's second part with a clone that was fitted to its first part.

    Return the probabilities of `classes`, and which fold answered each row; -1 if none did. A class
    that a clone has not seen has probability 0.
    """
    column_of = {label: column for column, label in enumerate(classes.tolist())}
    probabilities = np.zeros((len(y), len(classes)))
    answered = np.full(len(y), -1, dtype=np.int64)
    (X,) = indexable(X)
    numbers = np.arange(len(y))
    for number, fold in enumerate(folds):
        train, test = (numbers[part] for part in fold)  # numbers or masks
        _refuse(
            "in a training set and in its test set: it is to be new", np.isin(test, train), test
        )
        _refuse("in two test sets: a verdict counts every row once", answered[test] >= 0, test)
        X_train, y_train = _safe_split(estimator, X, y, train)
        X_test, _ = _safe_split(estimator, X, y, test, train)
        with without_data_warnings(), without_verdict_warnings():
            fitted = clone(estimator).fit(
                X_train, y_train, **_check_method_params(X, fit_params, train)
            )
        require_probabilities(fitted)
        columns = np.array([column_of[label] for label in fitted.classes_.tolist()])
        probabilities[np.ix_(test, columns)] = class_probabilities(fitted, X_test)
        answered[test] = number
    return probabilities, answered


def _refuse(problem: str, found: NDArray[np.bool_], rows: NDArray[np.intp]) -> None:
    if found.any():
        raise ValueError(f"cv has row {rows[found][0]} {problem}")


def tradeoff_table(
    rows: CalibrationRows, classes: NDArray[Any], confidence: float, costs: dict[str, Any] | None
) -> TradeoffTable:
    """Compute the table; `costs` are written as in a model file."""
    priced = None if costs is None else json.dumps(costs)
    text, lines = trade_offs(rows, _labels.to_names(classes), confidence, priced)
    labels = classes.tolist()
    of_class = [None if line.class_id is None else labels[line.class_id] for line in lines]
    columns: dict[str, NDArray[Any]] = {
        "aim": np.array([line.aim for line in lines]),
        "class": _objects(of_class),
        "share": _numbers_or_nan([line.share for line in lines]),
        "carried": np.array([line.refusal is None for line in lines]),
        "best": np.array([line.best for line in lines]),
    }
    for class_id, label in enumerate(labels):
        columns[f"threshold_{label}"] = _numbers_or_nan(
            [line.thresholds[class_id] for line in lines]
        )
    columns |= _figures("flagged", [line.flagged for line in lines])
    columns |= _figures("wrong", [line.wrong for line in lines])
    for class_id, label in enumerate(labels):
        columns |= _figures(f"missed_{label}", [line.missed[class_id] for line in lines])
        columns |= _figures(f"precision_{label}", [line.precise[class_id] for line in lines])
    columns |= _figures("cost", [line.cost for line in lines])
    columns["refusal"] = _objects([line.refusal for line in lines])
    return TradeoffTable(text, columns)


def _figures(name: str, figures: list[list[float]]) -> dict[str, NDArray[np.float64]]:
    ends = zip(("", "_low", "_high"), np.array(figures).T, strict=True)
    return {f"{name}{end}": column for end, column in ends}


def _numbers_or_nan(values: Sequence[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values])


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
