"""The class, probabilities and verdict of every row, in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._coverage import UncoveredValues
from ._threads import thread_count

if TYPE_CHECKING:
    from ._ternwood import Model


class Predictions(NamedTuple):
    """Class, probabilities and verdict of every row.

    Attributes
    ----------
    classes : ndarray of shape (n_samples,)
        The most probable class; under a cost matrix, that of the least expected cost.
    probabilities : ndarray of shape (n_samples, n_classes)
        The class probabilities.
    verdicts : ndarray of shape (n_samples,), dtype bool
        True for decided, False for undecided.
    """

    classes: NDArray[Any]
    probabilities: NDArray[np.float64]
    verdicts: NDArray[np.bool_]


def predict(
    model: Model, X: NDArray[np.float64], classes: NDArray[Any], threads: int
) -> Predictions:
    """Predict every row with `model`, whose class labels are `classes`."""
    n_rows, n_classes = len(X), len(classes)
    found = Predictions(
        np.empty(n_rows, dtype=np.int64),
        np.empty((n_rows, n_classes)),
        np.empty(n_rows, dtype=np.bool_),
    )
    # The labels themselves if they fit an int64, otherwise their numbers.
    are_labels = classes.dtype == np.int64
    labels = classes.tolist() if are_labels else list(range(n_classes))
    model.predict(X, threads, labels, found)
    return found if are_labels else found._replace(classes=classes.take(found.classes))


class PartsOfPredictions:
    """Mixin: the parts of what ``predict_all`` says, by themselves."""

    if TYPE_CHECKING:

        def predict_all(self, X: Any) -> Predictions: ...

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of every row, decided or undecided.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            The most probable class, the first in ``classes_`` on ties; under a cost matrix, that of
            the least expected cost.
        """
        return self.predict_all(X).classes

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the class probabilities of every row.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Class probabilities in the order of ``classes_``; zones blend them.
        """
        return self.predict_all(X).probabilities

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the logarithms of the class probabilities.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Natural logarithms, in the order of ``classes_``; -inf for a probability of 0.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_verdict(self, X: Any) -> NDArray[np.bool_]:
        """Predict which rows are decided.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,), dtype bool
            True for decided, False for undecided. What makes a row undecided is
            ``verdict_policy_``.
        """
        return self.predict_all(X).verdicts


class Predicting(PartsOfPredictions):
    """Mixin: predictions of many rows by a model."""

    _model: Model
    classes_: NDArray[Any]
    n_jobs: int | None

    if TYPE_CHECKING:

        def _rows(self, X: Any) -> NDArray[np.float64]: ...

    def predict_all(self, X: Any) -> Predictions:
        """Predict the class, probabilities and verdict of every row in one pass.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        Predictions
            A named tuple of ``classes``, ``probabilities`` and ``verdicts``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from ternwood import TernaryTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = TernaryTreeClassifier(max_depth=2).fit(X, y)
        >>> classes, probabilities, verdicts = clf.predict_all(X[69:71])
        >>> classes, verdicts
        (array([1, 2]), array([ True, False]))
        """
        X = self._rows(X)
        return predict(self._model, X, self.classes_, thread_count(self.n_jobs))

    def _covered(self, X: Any) -> NDArray[np.bool_]:
        """Tell which rows the training table says something about."""
        return self._model.covered(self._rows(X), thread_count(self.n_jobs))

    def _uncovered_values(self, X: Any) -> list[UncoveredValues]:
        """Find the values that the training table says nothing about."""
        return [UncoveredValues(*it) for it in self._model.uncovered_rows(self._rows(X))]
