"""Scores of verdicts for cross-validation and searches: greater is better."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline

from ._confidence_figures import aurc
from ._predictions import PartsOfPredictions
from ._verdict_figures import decided_accuracy, expected_cost


def decided_accuracy_scorer(estimator: Any, X: Any, y: ArrayLike) -> float:
    """Score a classifier by the accuracy of its decided rows.

    For ``scoring=`` in ``cross_val_score`` and searches. It rewards flags and does not charge for
    them: let it choose only where the share of flags is fixed (``flag_rate``), and use
    :func:`expected_cost_scorer` otherwise.

    Parameters
    ----------
    estimator : fitted classifier
        A tree of this package, a :class:`ternwood.VerdictClassifier`, or a pipeline or search that
        ends with one. Any other classifier decides every row.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Their labels.

    Returns
    -------
    float
        The accuracy; NaN if no row is decided.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from ternwood import TernaryTreeClassifier
    >>> from ternwood.metrics import decided_accuracy_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = TernaryTreeClassifier(max_depth=3)
    >>> scores = cross_val_score(clf, X, y, scoring=decided_accuracy_scorer)
    >>> bool(scores.mean() > cross_val_score(clf, X, y).mean())
    True
    """
    classes, verdicts = _classes_and_verdicts(estimator, X)
    return decided_accuracy(y, classes, verdicts)


def neg_aurc_scorer(estimator: Any, X: Any, y: ArrayLike) -> float:
    """Score a classifier by minus the area under its risk-coverage curve.

    It asks whether the probabilities tell right answers from wrong ones, whatever the verdict.

    Parameters
    ----------
    estimator : fitted classifier with ``predict_proba``
        Any classifier.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,)
        Their labels.

    Returns
    -------
    float
        ``-aurc``, with the largest class probability as confidence.
    """
    probabilities = np.asarray(estimator.predict_proba(X))
    classes = np.asarray(estimator.classes_).take(probabilities.argmax(axis=1))
    return -aurc(y, classes, probabilities.max(axis=1))


def expected_cost_scorer(
    *, cost_ratio: float | None = None, cost_matrix: Any = None, flag_cost: Any = None
) -> ExpectedCostScorer:
    """Make a scorer: minus the mean cost of a classifier's answers and flags.

    Parameters
    ----------
    cost_ratio : float, default=None
        The cost of a flag, where a wrong answer costs 1.
    cost_matrix, flag_cost : default=None
        Instead, costs by class, as :class:`ternwood.VerdictClassifier` takes them; an array is in
        the order of the classifier's ``classes_``.

    Returns
    -------
    ExpectedCostScorer
        A scorer that takes the classifiers that :func:`decided_accuracy_scorer` takes.

    Examples
    --------
    How wide should zones be, if a flag costs a fifth of a wrong answer?

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from ternwood import TernaryTreeClassifier, zones
    >>> from ternwood.metrics import expected_cost_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = TernaryTreeClassifier(max_depth=3, zone=zones.Margin())
    >>> grid = {"zone__scale": [0.0, 0.5, 1.0]}
    >>> search = GridSearchCV(clf, grid, scoring=expected_cost_scorer(cost_ratio=0.2)).fit(X, y)
    >>> bool(search.best_score_ < 0)
    True
    """
    if (cost_ratio is None) == (cost_matrix is None):
        raise ValueError("expected_cost_scorer needs either a cost_ratio or a cost_matrix")
    return ExpectedCostScorer(cost_ratio, cost_matrix, flag_cost)


class ExpectedCostScorer(NamedTuple):
    """Minus the mean cost of a classifier's answers and flags."""

    cost_ratio: float | None
    cost_matrix: Any
    flag_cost: Any

    def __call__(self, estimator: Any, X: Any, y: ArrayLike) -> float:
        """Score a fitted classifier on rows and their labels."""
        classes, verdicts = _classes_and_verdicts(estimator, X)
        costs: dict[str, Any] = {"cost_undecided": self.cost_ratio, "cost_wrong": 1.0}
        if self.cost_matrix is not None:
            costs = {
                "cost_matrix": self.cost_matrix,
                "flag_cost": self.flag_cost,
                "labels": estimator.classes_,
            }
        return -expected_cost(y, classes, verdicts, **costs)


def _classes_and_verdicts(estimator: Any, X: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Ask for classes and verdicts; a classifier without verdicts decides every row."""
    inner = estimator
    while not isinstance(inner, PartsOfPredictions):
        if isinstance(inner, Pipeline):
            X = inner[:-1].transform(X) if len(inner) > 1 else X
            inner = inner[-1]
        elif hasattr(inner, "best_estimator_"):
            inner = inner.best_estimator_
        else:
            classes = np.asarray(inner.predict(X))
            return classes, np.ones(len(classes), dtype=bool)
    classes, _, verdicts = inner.predict_all(X)
    return classes, verdicts
