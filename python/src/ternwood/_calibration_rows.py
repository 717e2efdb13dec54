"""Calibration rows: class probabilities of rows that a classifier of any kind has not seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError
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

from . import _labels
from ._coverage import CountedUncovered, TrainingColumns, UncoveredValues, count_uncovered
from ._data_warning import without_data_warnings
from ._folds import Fold
from ._ternwood import folds_differ
from ._verdict_warning import without_verdict_warnings


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

    None if neither the classifier nor `training` knows the table.
    """
    if hasattr(estimator, "_uncovered_values"):
        values: list[UncoveredValues] = estimator._uncovered_values(X)
        return values
    return None if training is None else training.uncovered_values(X)


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
